#include "fields.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "haptos/base/text/options.h"
#include "haptos/sim/model/pair_models.h"

namespace haptos::python {

bool Given::has(const char* name) const {
  return values_.contains(name) && !nb::object(values_[name]).is_none();
}

nb::object Given::take(const char* name) {
  taken_.insert(name);
  return values_.contains(name) ? nb::object(values_[name]) : nb::object(nb::none());
}

void Given::finish() const {
  for (auto [key, value] : values_) {
    const std::string name = text_of(key);
    if (taken_.count(name)) continue;
    const std::string near = nearest_name(name, {taken_.begin(), taken_.end()});
    std::string all;
    for (const std::string& t : taken_) all += (all.empty() ? "" : ", ") + t;
    refuse(who_ + " " + name, "", "is no argument",
           near.empty() ? "there are " + all : "did you mean \"" + near + "\"?");
  }
}

namespace {

std::size_t choice(const Given& given, const FieldInfo& row, const nb::object& value) {
  const std::vector<std::string> words = words_of(row);
  const std::string word = text_of(value);
  const auto at = std::find(words.begin(), words.end(), word);
  if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  const std::string near = nearest_name(word, words);
  refuse(given.element(row.name), word, "must be " + all,
         near.empty() ? "name one of them" : "did you mean \"" + near + "\"?");
}

}  // namespace

void take_value(Given& given, const FieldInfo& row, double& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  const std::string element = given.element(row.name);
  std::string text;
  if (*row.words && nb::try_cast<std::string>(value, text)) {
    if (text == row.words) {
      out = 0;
      return;
    }
    if (std::none_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); }))
      refuse(element, text, std::string("must be ") + row.words + " or a number",
             *row.unit ? "write for example \"1 " + std::string(row.unit) + "\"" : "");
  }
  out = to_quantity(value, row.unit, element);
  check_number(row, element, out);  // what a word stands for is given by the word
}

void take_value(Given& given, const FieldInfo& row, int& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  if (*row.words) {
    out = static_cast<int>(choice(given, row, value));
    return;
  }
  const std::string element = given.element(row.name);
  const double number = to_quantity(value, row.unit, element);
  check_number(row, element, number);
  if (number != std::floor(number))
    refuse(element, text_of(value), "must be a whole number", "leave out what follows the point");
  out = static_cast<int>(number);
}

void take_value(Given& given, const FieldInfo& row, Element& out) {
  const nb::object value = given.take(row.name);
  if (!value.is_none()) out = static_cast<Element>(choice(given, row, value));
}

void take_value(Given& given, const FieldInfo& row, bool& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  nb::object truth = value;
  if (nb::hasattr(value, "item") && !nb::isinstance<nb::bool_>(value)) truth = value.attr("item")();
  if (!nb::isinstance<nb::bool_>(truth))
    refuse(given.element(row.name), text_of(value), "must be True or False", "write one of them");
  out = nb::cast<bool>(truth);
}

void take_value(Given& given, const FieldInfo& row, Vec3d& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  const std::string element = given.element(row.name);
  out = to_vec3(value, element.c_str(), *row.unit ? row.unit : nullptr);
  if (row.marks & kDirection) out = direction_of(element, out);
  check_value(row, element, out);
}

void take_value(Given& given, const FieldInfo& row, std::optional<Vec3d>& out) {
  if (given.has(row.name)) out.emplace();
  Vec3d v = Vec3d::zero();
  take_value(given, row, v);
  if (out) out = v;
}

// (3) moments along the axes of the body's frame, or (3, 3).
void take_value(Given& given, const FieldInfo& row, Mat3d& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  const std::string element = given.element(row.name);
  const nb::module_ np = nb::module_::import_("numpy");
  out = Mat3d::zero();
  if (nb::cast<int>(np.attr("ndim")(value)) == 1) {
    const Vec3d d = to_vec3(value, element.c_str(), row.unit);
    for (int k = 0; k < 3; ++k) out(k, k) = d[k];
  } else {
    const std::vector<Vec3d> rows = to_points(value, element.c_str());
    if (rows.size() != 3)
      refuse(element, std::to_string(rows.size()) + " rows", "must be (3) or (3, 3)",
             std::string("give it in ") + row.unit);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) out(i, j) = rows[static_cast<std::size_t>(i)][j];
  }
  check_value(row, element, out);
}

void take_value(Given& given, const FieldInfo& row, Pose& out) {
  const nb::object position = given.take("position"), quaternion = given.take("quaternion");
  if (position.is_none() && quaternion.is_none()) return;
  out = to_pose(position, quaternion, given.who().c_str());
  check_value(row, given.element(row.name), out);
}

// A number, or (static, kinetic).
void take_value(Given& given, const FieldInfo& row, Friction& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  const std::string element = given.element(row.name);
  std::string text;
  double one = 0;
  if (nb::try_cast<double>(value, one) || nb::try_cast<std::string>(value, text)) {
    out = {to_quantity(value, "", element), -1};
    if (!(out.sticking >= 0))
      refuse(element, text_of(value), "must be from 0 to 100", "for example 0.5");
    if (out.sticking == 0) out.sliding = 0;  // said, not left out: doubts.h
  } else {
    const std::vector<double> two = to_numbers(value, element.c_str());
    if (two.size() != 2 || !(two[0] >= 0) || !(two[1] >= 0))
      refuse(element, text_of(value), "must be a number or (static, kinetic), 0 or more",
             "for example 0.5 or (0.6, 0.5)");
    out = {two[0], two[1]};
  }
  check_value(row, element, out);
}

// A modulus, {"modulus": ...} or {"pressure": [(depth, pressure), ...]}.
void take_value(Given& given, const FieldInfo& row, PressureLaw& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  out = to_pressure(value, given.element(row.name));
  check_value(row, given.element(row.name), out);
}

void take_value(Given& given, const FieldInfo& row, std::string& out) {
  const nb::object value = given.take(row.name);
  if (value.is_none()) return;
  if (!nb::try_cast<std::string>(value, out))
    refuse(given.element(row.name), text_of(value), "must be a text", "for example \"parts\"");
}

nb::object value_of(const FieldInfo& row, double v) {
  if (!stands_for_word(row, v)) return nb::float_(v);
  return std::string(row.words) == "none" ? nb::object(nb::none()) : nb::cast(row.words);
}
nb::object value_of(const FieldInfo&, bool v) { return nb::bool_(v); }
nb::object value_of(const FieldInfo& row, int v) {
  if (!*row.words) return nb::cast(v);
  if (v < 0) return nb::none();
  return nb::cast(words_of(row).at(static_cast<std::size_t>(v)));
}
nb::object value_of(const FieldInfo& row, Element v) { return value_of(row, static_cast<int>(v)); }
nb::object value_of(const FieldInfo&, const Vec3d& v) { return vec3(v); }
nb::object value_of(const FieldInfo&, const std::optional<Vec3d>& v) {
  return v ? nb::object(vec3(*v)) : nb::object(nb::none());
}
nb::object value_of(const FieldInfo&, const Mat3d& v) {
  return nb::make_tuple(vec3({{v(0, 0), v(0, 1), v(0, 2)}}), vec3({{v(1, 0), v(1, 1), v(1, 2)}}),
                        vec3({{v(2, 0), v(2, 1), v(2, 2)}}));
}
nb::object value_of(const FieldInfo&, const Pose& v) { return nb::cast(pose_row(v)); }
nb::object value_of(const FieldInfo&, const Friction& f) {
  if (f.sticking < 0) return nb::none();
  return nb::make_tuple(f.sticking, f.sliding < 0 ? f.sticking : f.sliding);
}
nb::object value_of(const FieldInfo&, const PressureLaw& p) { return pressure_object(p); }
nb::object value_of(const FieldInfo&, const std::string& v) { return nb::cast(v); }

namespace {

const char* type_of(bool) { return "flag"; }
const char* type_of(int) { return "word"; }
const char* type_of(Element) { return "word"; }
const char* type_of(double) { return "number"; }
const char* type_of(const Vec3d&) { return "vector"; }
const char* type_of(const std::optional<Vec3d>&) { return "vector"; }
const char* type_of(const Mat3d&) { return "matrix"; }
const char* type_of(const Friction&) { return "friction"; }
const char* type_of(const PressureLaw&) { return "pressure"; }
const char* type_of(const std::string&) { return "text"; }

// One row as Python has it; `value` is the default, None of a part.
nb::dict row_dict(const FieldInfo& row, const char* section, const char* type, nb::object value) {
  nb::dict d;
  d["section"] = section, d["name"] = row.name, d["unit"] = row.unit, d["type"] = type;
  d["default"] = (row.marks & kNeeded) ? nb::object(nb::none()) : value;
  d["needed"] = (row.marks & kNeeded) != 0, d["direction"] = (row.marks & kDirection) != 0;
  d["lo"] = row.lo, d["hi"] = row.hi, d["meaning"] = row.meaning, d["words"] = row.words;
  return d;
}

template <class S>
void list_fields(nb::list& out, const char* section) {
  const S fresh{};
  for (const Field<S>& row : FieldsOf<S>::table())
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), std::monostate>)
            out.append(row_dict(row, section, "part", nb::none()));
          else if constexpr (std::is_same_v<decltype(member), Pose S::*>)
            out.append(row_dict(row, section, "pose", nb::none()));  // an array would need numpy
          else
            out.append(row_dict(row, section,
                                std::is_same_v<decltype(member), int S::*> && !*row.words
                                    ? "whole"
                                    : type_of(fresh.*member),
                                value_of(row, fresh.*member)));
        },
        row.member);
  if constexpr (HasBaseFields<S>) list_fields<typename FieldsOf<S>::Base>(out, section);
}

// Every field of every section of a scene.
nb::list field_table() {
  nb::list all;
  Scene scene;
  each_kind(scene, [&](const auto& list) {
    using Kind = typename std::decay_t<decltype(list)>::value_type;
    list_fields<Kind>(all, FieldsOf<Kind>::kSection);
  });
  list_fields<RigidSpec>(all, FieldsOf<RigidSpec>::kSection);
  list_fields<RobotContact>(all, FieldsOf<RigidSpec>::kSection);
  list_fields<Ball>(all, FieldsOf<Ball>::kSection);
  list_fields<RobotContact>(all, FieldsOf<Ball>::kSection);
  list_fields<PairOptions>(all, FieldsOf<PairOptions>::kSection);
  return all;
}

// Rows (kind, kind, words) of which models of contact two kinds of body take.
nb::list models() {
  nb::list all;
  for (const PairModels& row : pair_model_table()) {
    nb::list words;
    for (const char* w : row.models) words.append(w);
    all.append(nb::make_tuple(pair_kind_name(row.a), pair_kind_name(row.b), words));
  }
  return all;
}

}  // namespace

void bind_fields(nb::module_& m) {
  m.def("field_table", &field_table);
  m.def("pair_model_table", &models);
}

}  // namespace haptos::python
