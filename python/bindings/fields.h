// Declared fields (haptos/scene/parts/field.h) from and to Python.
#pragma once

#include <set>

#include "bind.h"
#include "haptos/scene/parts/field_rules.h"
#include "haptos/scene/scene.h"

namespace haptos::python {

/// Keyword arguments of a function of Python, by name; None is what was left out.
class Given {
 public:
  /// `who` is the entry as errors name it: 'affine body "crate"'.
  Given(nb::dict values, std::string who) : values_(std::move(values)), who_(std::move(who)) {}

  const std::string& who() const { return who_; }
  std::string element(const char* name) const { return who_ + " " + name; }
  bool has(const char* name) const;
  /// The value of a name that is then known; None where it was left out.
  nb::object take(const char* name);
  /// Refuses names that nobody took, with the nearest of those that were.
  void finish() const;

 private:
  nb::dict values_;
  std::string who_;
  std::set<std::string> taken_;
};

void take_value(Given& given, const FieldInfo& row, double& out);
void take_value(Given& given, const FieldInfo& row, int& out);
void take_value(Given& given, const FieldInfo& row, bool& out);
void take_value(Given& given, const FieldInfo& row, Element& out);
void take_value(Given& given, const FieldInfo& row, Vec3d& out);
void take_value(Given& given, const FieldInfo& row, std::optional<Vec3d>& out);
void take_value(Given& given, const FieldInfo& row, Mat3d& out);
/// From `position` and `quaternion`.
void take_value(Given& given, const FieldInfo& row, Pose& out);
void take_value(Given& given, const FieldInfo& row, Friction& out);
void take_value(Given& given, const FieldInfo& row, PressureLaw& out);
void take_value(Given& given, const FieldInfo& row, std::string& out);

/// Sets the fields that were given. @throws InputError
template <class S>
void take_fields(Given& given, S& s) {
  check_given<S>([&](const char* name) { return given.has(name); },
                 [&](const std::string& name, const std::string& other, bool together) {
                   if (together)
                     refuse(given.who(), "", "has both a " + name + " and a " + other,
                            "leave one of them out");
                   refuse(given.who(), "", "has a " + name + " but no " + other,
                          "give the " + other + " too");
                 });
  each_field(s, [&](const FieldInfo& row, auto& value) { take_value(given, row, value); });
}

// What the table leaves: parts of an entry, given by keywords of their own (scene_parts.cpp).
void take_parts(const Scene& scene, Given& given, SoftBody& b);
void take_parts(const Scene& scene, Given& given, PrescribedBody& b);
void take_parts(const Scene& scene, Given& given, AffineBody& b);
void take_parts(const Scene& scene, Given& given, MaterialPoints& b);
void take_parts(const Scene& scene, Given& given, RobotBody& b);
void take_parts(const Scene& scene, Given& given, Constraint& c);
void take_parts(const Scene& scene, Given& given, SceneCamera& c);
template <class S>
void take_parts(const Scene&, Given&, S&) {}

// What entries tell of them.
void show_parts(nb::dict& d, const SoftBody& b);
void show_parts(nb::dict& d, const PrescribedBody& b);
void show_parts(nb::dict& d, const AffineBody& b);
void show_parts(nb::dict& d, const MaterialPoints& b);
void show_parts(nb::dict& d, const RobotBody& b);
void show_parts(nb::dict& d, const Constraint& c);
void show_parts(nb::dict& d, const SceneCamera& c);
template <class S>
void show_parts(nb::dict&, const S&) {}

nb::object value_of(const FieldInfo& row, double v);
nb::object value_of(const FieldInfo& row, int v);
nb::object value_of(const FieldInfo& row, bool v);
nb::object value_of(const FieldInfo& row, Element v);
nb::object value_of(const FieldInfo& row, const Vec3d& v);
nb::object value_of(const FieldInfo& row, const std::optional<Vec3d>& v);
nb::object value_of(const FieldInfo& row, const Mat3d& v);
nb::object value_of(const FieldInfo& row, const Pose& v);
nb::object value_of(const FieldInfo& row, const Friction& v);
nb::object value_of(const FieldInfo& row, const PressureLaw& v);
nb::object value_of(const FieldInfo& row, const std::string& v);

/// Adds the fields of s by name.
template <class S>
void add_fields(nb::dict& d, const S& s) {
  each_field(s,
             [&](const FieldInfo& row, const auto& value) { d[row.name] = value_of(row, value); });
}

}  // namespace haptos::python
