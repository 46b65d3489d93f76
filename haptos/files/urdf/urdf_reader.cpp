#include "haptos/files/urdf/urdf_reader.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/text/options.h"
#include "haptos/base/text/text.h"

namespace haptos::urdf {

namespace {

constexpr std::size_t kLongestName = 256;   // [byte]
constexpr std::size_t kMostWarnings = 200;  // of one file

// Whether two words differ by a slip of the hand: one letter, or two in longer words.
bool mistyped(const std::string& a, const std::string& b) {
  if (a.size() < 3 || a.size() > 40 || b.size() < 3) return false;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t up = row[j];
      row[j] = std::min({up + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = up;
    }
  }
  return row.back() <= (std::min(a.size(), b.size()) >= 6 ? 2u : 1u);
}

// Line breaks, escapes and the like, which no name needs and no terminal should get.
bool has_control(std::string_view s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c < 0x20 || c == 0x7f) return true;
    if (c == 0xc2 && i + 1 < s.size() && static_cast<unsigned char>(s[i + 1]) < 0xa0) return true;
  }
  return false;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string range(double low, double high) {
  if (std::isinf(high) && low == 0) return "must be 0 or more";
  return "must lie between " + to_text(low) + " and " + to_text(high);
}

}  // namespace

std::string in_quotes(const std::string& name) { return "\"" + printable(name) + "\""; }

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  if (known.empty()) return "there are none in this file";
  constexpr std::size_t kShown = 6, kCompared = 2000;
  std::vector<std::string> some(
      known.begin(), known.begin() + static_cast<long>(std::min(known.size(), kCompared)));
  const std::string near = nearest_name(name, some);
  if (!near.empty()) return "did you mean " + in_quotes(near) + "?";
  std::string s = "there are ";
  for (std::size_t k = 0; k < std::min(known.size(), kShown); ++k)
    s += (k ? ", " : "") + in_quotes(known[k]);
  return known.size() > kShown ? s + " and others" : s;
}

void Reader::fail(int line, std::string element, std::string value, std::string rule,
                  std::string remedy) const {
  throw InputError(Diagnostic{file_, line, 0, std::move(element), std::move(value), std::move(rule),
                              std::move(remedy)});
}

void Reader::warn(int line, std::string sentence, const std::string& kind) {
  if (!kind.empty())
    if (const auto known = kinds_.find(kind); known != kinds_.end()) {
      ++warnings_[known->second].count;
      return;
    }
  if (warnings_.size() == kMostWarnings)
    sentence = "there are further warnings, left out.", line = 0;
  if (warnings_.size() > kMostWarnings) return;
  if (!kind.empty()) kinds_[kind] = warnings_.size();
  warnings_.push_back({line, std::move(sentence), 1});
}

std::vector<std::string> Reader::take_warnings() {
  std::stable_sort(warnings_.begin(), warnings_.end(), [](const Warning& a, const Warning& b) {
    return (a.line ? a.line : 1 << 30) < (b.line ? b.line : 1 << 30);
  });
  std::vector<std::string> out;
  for (Warning& w : warnings_) {
    if (w.sentence.ends_with('.')) w.sentence.pop_back();
    if (w.count > 1) w.sentence += "; " + std::to_string(w.count) + " times in this file";
    if (!w.sentence.ends_with('?')) w.sentence += '.';
    out.push_back(file_ + (w.line > 0 ? ":" + std::to_string(w.line) : "") + ": " + w.sentence);
  }
  warnings_.clear();
  kinds_.clear();
  return out;
}

void Reader::known(const xml::Element& e, const std::string& what,
                   std::initializer_list<const char*> attributes,
                   std::initializer_list<const char*> children,
                   std::initializer_list<const char*> once) {
  const auto in = [](const std::string& name, std::initializer_list<const char*> list) {
    return std::any_of(list.begin(), list.end(), [&](const char* k) { return name == k; });
  };
  for (const xml::Attribute& a : e.attributes) {
    if (in(a.name, attributes) || a.name.find(':') != a.name.npos || a.name == "xmlns") continue;
    const auto meant = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const char* k) { return mistyped(a.name, k); });
    if (meant != attributes.end() && !e.find(*meant))
      fail(a.line, what + ", <" + printable(e.name) + ">", "",
           "the attribute " + printable(a.name) + " is not known",
           "did you mean \"" + std::string(*meant) + "\"?");
    const std::string which = printable(a.name) + " of <" + printable(e.name) + ">";
    std::string sentence = what + ": the attribute ";
    sentence += which + " is not known and is left out";
    warn(a.line, sentence, which);
  }
  std::vector<std::string> seen;
  for (const xml::Element* c : e.children) {
    if (!in(c->name, children)) {
      // Of another name space: for a program that knows it. Xacro's would have to be expanded.
      if (c->name.starts_with("xacro:"))
        fail(c->line, "<" + printable(c->name) + ">", "", "is an instruction for xacro",
             "give the file a name that ends with .xacro, or expand it first: xacro in > out.urdf");
      if (c->name.find(':') != c->name.npos) continue;
      const auto meant = std::find_if(children.begin(), children.end(),
                                      [&](const char* k) { return mistyped(c->name, k); });
      std::string sentence =
          what + ": <" + printable(c->name) + "> is not known here and is left out";
      if (meant != children.end()) sentence.append("; did you mean <").append(*meant).append(">?");
      warn(c->line, sentence, "<" + printable(c->name) + "> in <" + printable(e.name) + ">");
      continue;
    }
    if (!in(c->name, once)) continue;
    if (std::count(seen.begin(), seen.end(), c->name))
      fail(c->line, what, "", "<" + printable(c->name) + "> is given twice", "keep one of them");
    seen.push_back(c->name);
  }
}

const xml::Attribute& Reader::need(const xml::Element& e, const char* attribute,
                                   const std::string& what, const char* remedy) const {
  if (const xml::Attribute* a = e.find(attribute)) return *a;
  fail(e.line, what, "", "<" + printable(e.name) + "> has no attribute " + attribute, remedy);
}

const xml::Element& Reader::need_child(const xml::Element& e, const char* child,
                                       const std::string& what, const char* remedy) const {
  if (const xml::Element* c = e.child(child)) return *c;
  fail(e.line, what, "", std::string("has no <") + child + ">", remedy);
}

std::string Reader::name(const xml::Element& e, const char* attribute,
                         const std::string& what) const {
  const xml::Attribute& a = need(e, attribute, what, "give it one");
  if (a.value.empty()) fail(a.line, what, "", std::string(attribute) + " is empty", "give a name");
  return text(a, what);
}

std::string Reader::text(const xml::Attribute& a, const std::string& what) const {
  if (a.value.size() > kLongestName)
    fail(a.line, what, in_quotes(a.value),
         a.name + " has " + std::to_string(a.value.size()) + " bytes and names may have " +
             std::to_string(kLongestName),
         "shorten it");
  if (has_control(a.value))
    fail(a.line, what, in_quotes(a.value), a.name + " must not hold control characters",
         "use letters, digits and signs");
  return a.value;
}

std::vector<double> Reader::numbers(const xml::Attribute& a, const std::string& what,
                                    std::size_t count, double low, double high) const {
  std::vector<double> values;
  const std::string_view text = a.value;
  const std::string element = what + ", " + a.name;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    const std::string_view token = text.substr(at, end - at);
    at = end;
    double v = 0;
    if (!parse_double(token, v))
      fail(a.line, element, printable(token), "is not a number",
           text.find("$(") != text.npos || text.find("${") != text.npos
               ? "this is for xacro to fill in: give the file a name that ends with .xacro"
           : token.find(',') != token.npos ? "write a decimal point and separate numbers by blanks"
                                           : "write a decimal number, for example 1.5");
    if (std::isnan(v)) fail(a.line, element, printable(token), "must be a number", "");
    if (!(v >= low && v <= high)) fail(a.line, element, printable(token), range(low, high));
    values.push_back(v);
    if (values.size() > count) break;
  }
  if (values.size() != count)
    fail(a.line, element, in_quotes(a.value),
         "must be " + std::to_string(count) + (count == 1 ? " number" : " numbers"),
         count == 1 ? "" : "separate them by blanks");
  return values;
}

double Reader::number(const xml::Attribute& a, const std::string& what, double low,
                      double high) const {
  return numbers(a, what, 1, low, high)[0];
}

double Reader::number_or(const xml::Element& e, const char* attribute, const std::string& what,
                         double low, double high, double missing) const {
  const xml::Attribute* a = e.find(attribute);
  return a ? number(*a, what, low, high) : missing;
}

Vec3d Reader::triple(const xml::Attribute& a, const std::string& what, double low,
                     double high) const {
  const std::vector<double> v = numbers(a, what, 3, low, high);
  return {{v[0], v[1], v[2]}};
}

Pose Reader::origin(const xml::Element& parent, const std::string& what) {
  Pose pose;
  const xml::Element* e = parent.child("origin");
  if (!e) return pose;
  const std::string of = what + ", origin";
  known(*e, of, {"xyz", "rpy", "quat_xyzw"});
  constexpr double kFar = 1e6, kTurns = 1e4;
  if (const xml::Attribute* xyz = e->find("xyz")) pose.p = triple(*xyz, of, -kFar, kFar);
  const xml::Attribute *rpy = e->find("rpy"), *quat = e->find("quat_xyzw");
  if (rpy && quat) fail(quat->line, of, "", "gives both rpy and quat_xyzw", "keep one of them");
  if (rpy) {
    const Vec3d a = triple(*rpy, of, -kTurns, kTurns);
    const Quat roll = rotation_by({{a[0], 0, 0}}), pitch = rotation_by({{0, a[1], 0}}),
               yaw = rotation_by({{0, 0, a[2]}});
    pose.q = normalized(yaw * pitch * roll);
  } else if (quat) {
    const std::vector<double> v = numbers(*quat, of, 4, -1e6, 1e6);
    const Quat q{v[3], v[0], v[1], v[2]};
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 1e-6))
      fail(quat->line, of + ", quat_xyzw", in_quotes(quat->value), "must not be 0",
           "no turn is 0 0 0 1");
    if (std::fabs(length - 1) > 1e-3)
      warn(quat->line,
           of + ": the quaternion has the length " + to_text(length) + " and was scaled to 1.");
    pose.q = normalized(q);
  }
  return pose;
}

}  // namespace haptos::urdf
