#include "haptos/sim/yaml_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "haptos/base/options.h"
#include "haptos/base/text.h"

namespace haptos::yaml {
namespace {

// One `name` is times / over of the SI unit. Two factors, since 1 / 1000 is exact and 0.001 is not.
struct Unit {
  const char* si;
  const char* name;
  double times, over;
};

constexpr Unit kUnits[] = {
    {"m", "m", 1, 1},
    {"m", "cm", 1, 1e2},
    {"m", "mm", 1, 1e3},
    {"m", "um", 1, 1e6},
    {"m", "in", 254, 1e4},
    {"s", "s", 1, 1},
    {"s", "ms", 1, 1e3},
    {"s", "us", 1, 1e6},
    {"s", "min", 60, 1},
    {"kg", "kg", 1, 1},
    {"kg", "g", 1, 1e3},
    {"kg", "mg", 1, 1e6},
    {"N", "N", 1, 1},
    {"N", "mN", 1, 1e3},
    {"N", "kN", 1e3, 1},
    {"Pa", "Pa", 1, 1},
    {"Pa", "kPa", 1e3, 1},
    {"Pa", "MPa", 1e6, 1},
    {"Pa", "GPa", 1e9, 1},
    {"rad", "rad", 1, 1},
    {"rad", "deg", std::numbers::pi, 180},
    {"rad/s", "rad/s", 1, 1},
    {"rad/s", "deg/s", std::numbers::pi, 180},
    {"rad/s", "rpm", std::numbers::pi, 30},
    {"m/s", "m/s", 1, 1},
    {"m/s", "cm/s", 1, 1e2},
    {"m/s", "mm/s", 1, 1e3},
    {"m/s2", "m/s2", 1, 1},
    {"m/s2", "mm/s2", 1, 1e3},
    {"kg/m3", "kg/m3", 1, 1},
    {"kg/m3", "g/cm3", 1e3, 1},
    {"N/m", "N/m", 1, 1},
    {"N/m", "N/mm", 1e3, 1},
    {"Pa/m", "Pa/m", 1, 1},
    {"Pa/m", "kPa/mm", 1e6, 1},
    {"Pa/m", "MPa/mm", 1e9, 1},
    {"1/s", "1/s", 1, 1},
    {"1/s", "1/ms", 1e3, 1},
    {"N m s", "N m s", 1, 1},
    {"N m s", "N mm s", 1, 1e3},
};

std::string joined(const std::vector<std::string>& words) {
  std::string s;
  for (std::size_t i = 0; i < words.size(); ++i)
    s += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return s;
}

const Unit* find_unit(const std::string& si, std::string_view name) {
  for (const Unit& u : kUnits)
    if (si == u.si && name == u.name) return &u;
  return nullptr;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// Takes a number off the front of `s`: as in base/text.h, and YAML's .inf and .nan. False where
// there is none.
bool take_number(std::string_view& s, double& value) {
  const std::string_view whole = s;
  if (s.size() > 1 && s[0] == '+' && s[1] != '-' && s[1] != '+') s.remove_prefix(1);
  std::string_view word = s;
  const bool minus = word.starts_with('-');
  if (minus) word.remove_prefix(1);
  for (const char* special : {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"})
    if (word.starts_with(special)) {
      const double inf = std::numeric_limits<double>::infinity();
      value = (special[1] | 32) == 'n' ? std::nan("") : minus ? -inf : inf;
      s = word.substr(4);
      return true;
    }
  double unused = 0;
  const char* end = std::from_chars(s.data(), s.data() + s.size(), unused).ptr;
  if (end == s.data()) return s = whole, false;
  const auto length = static_cast<std::size_t>(end - s.data());
  const bool read = parse_double(s.substr(0, length), value);
  s.remove_prefix(length);
  return read;
}

}  // namespace

std::vector<std::string> known_units(const std::string& unit) {
  std::vector<std::string> names;
  for (const Unit& u : kUnits)
    if (unit == u.si) names.emplace_back(u.name);
  if (names.empty() && !unit.empty()) names.push_back(unit);
  return names;
}

std::vector<std::string> convertible_units() {
  std::vector<std::string> names;
  for (const Unit& u : kUnits)
    if (names.empty() || names.back() != u.si) names.emplace_back(u.si);
  return names;
}

double length_unit(const Value& v) {
  const std::string name = v.text();
  const Unit* u = find_unit("m", name);
  if (u == nullptr)
    v.fail(printable(name), "must be a unit of length",
           "write " + joined(known_units("m")) + ", without a number");
  return u->times / u->over;
}

Diagnostic Value::where() const {
  Diagnostic d;
  d.file = document_->file();
  d.line = node_->line;
  d.column = node_->column;
  d.element = path_.empty() ? "the scene" : path_;
  return d;
}

void Value::fail(const std::string& value, const std::string& rule,
                 const std::string& remedy) const {
  Diagnostic d = where();
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

std::string Value::shown() const {
  switch (node_->kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a map";
    case Kind::kScalar:
      break;
  }
  return node_->text.empty() ? "\"\"" : printable(node_->text);
}

void Value::map() const {
  if (!is_map()) fail(shown(), "must be a map", "write keys and values, \"key: value\"");
}

void Value::keys(std::initializer_list<const char*> known) const {
  map();
  for (const Entry& e : node_->entries)
    if (std::none_of(known.begin(), known.end(), [&](const char* k) { return e.key == k; }))
      fail_unknown(e, {known.begin(), known.end()});
}

void Value::fail_unknown(const Entry& entry, const std::vector<std::string>& known) const {
  Diagnostic d = where();
  d.line = entry.line;
  d.column = entry.column;
  d.element = (path_.empty() ? "" : path_ + ".") + printable(entry.key);
  d.rule = "is an unknown key";
  const std::string near = nearest_name(entry.key, known);
  d.remedy = near.empty() ? "known keys are " : "the nearest known key is \"" + near + "\"";
  if (near.empty())
    for (std::size_t i = 0; i < known.size(); ++i) d.remedy += (i > 0 ? ", " : "") + known[i];
  throw InputError(d);
}

std::optional<Value> Value::find(const char* key) const {
  for (const Entry& e : node_->entries)
    if (e.key == key) return Value(document_, e.value, path_ + (path_.empty() ? "" : ".") + e.key);
  return std::nullopt;
}

Value Value::at(const char* key, const std::string& remedy) const {
  if (auto v = find(key)) return *v;
  Diagnostic d = where();
  d.element += " has no \"" + std::string(key) + "\"";
  d.remedy = remedy;
  throw InputError(d);
}

Value Value::entry(std::size_t i) const {
  const Entry& e = node_->entries[i];
  return Value(document_, e.value, path_ + (path_.empty() ? "" : ".") + printable(e.key));
}

std::size_t Value::list(std::size_t least, std::size_t most) const {
  if (!is_list()) fail(shown(), "must be a list", "write [a, b, c], or a line \"- a\" for each");
  const std::size_t n = node_->items.size();
  if (n < least || n > most)
    fail(std::to_string(n) + " items",
         least == most ? "must have " + std::to_string(least) + " items"
         : n < least   ? "must have at least " + std::to_string(least)
                       : "must have at most " + std::to_string(most),
         "count the items of the list");
  return n;
}

Value Value::item(std::size_t i) const {
  return Value(document_, node_->items[i], path_ + "[" + std::to_string(i) + "]");
}

std::string Value::text() const {
  if (!is_scalar() || node_->text.empty()) fail(shown(), "must be a word", "write its text");
  constexpr std::size_t kLongest = 1000;
  if (node_->text.size() > kLongest)
    fail(shown(), "must have at most " + std::to_string(kLongest) + " characters", "shorten it");
  // Escapes in quotes can make control characters that the text itself may not hold.
  for (const char c : node_->text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
      fail(shown(), "must not hold control characters", "remove them");
  return node_->text;
}

bool Value::boolean() const {
  if (is_scalar() && node_->plain && node_->text == "true") return true;
  if (is_scalar() && node_->plain && node_->text == "false") return false;
  fail(shown(), "must be true or false", "yes, no, on, off, 0 and 1 are not read as such");
}

double Value::any_number(const std::string& unit) const {
  const std::vector<std::string> units = known_units(unit);
  const std::string remedy =
      unit.empty() ? "write it without a unit and with a decimal point"
                   : "write for example " + std::string(unit == "rad" ? "30 deg" : "0.5 " + unit) +
                         "; units are " + joined(units);
  const std::string rule = unit.empty() ? "must be a number" : "must be a number in " + unit;
  if (!is_scalar()) fail(shown(), rule, remedy);
  std::string_view s = trimmed(node_->text);
  double value = 0;
  if (!take_number(s, value)) fail(shown(), rule, remedy);
  s = trimmed(s);
  if (s.empty()) {
    if (unit == "rad" && std::isfinite(value) && value != 0)
      fail(shown(), "must be an angle with its unit",
           "write " + printable(node_->text) + " deg or " + printable(node_->text) + " rad");
    return value;
  }
  if (const Unit* u = find_unit(unit, s)) return value * u->times / u->over;
  if (!unit.empty() && s == unit) return value;
  fail(shown(), rule, remedy);
}

double Value::number(const std::string& unit) const {
  const double v = any_number(unit);
  if (!std::isfinite(v)) fail(shown(), "must be finite", "write a number");
  return v;
}

double Value::number(const std::string& unit, double low, double high) const {
  const double v = any_number(unit);
  if (!(v >= low && v <= high))
    fail(shown(),
         "must be from " + to_text(low) + " to " + to_text(high) + (unit.empty() ? "" : " ") + unit,
         "write a number in that range");
  return v;
}

int Value::integer(int low, int high) const {
  const double v = any_number("");
  if (!(v >= low && v <= high) || v != std::floor(v))
    fail(shown(),
         "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high),
         "write a number in that range");
  return static_cast<int>(v);
}

Vec3d Value::vector(const std::string& unit) const {
  list(3, 3);
  return {{item(0).number(unit), item(1).number(unit), item(2).number(unit)}};
}

}  // namespace haptos::yaml
