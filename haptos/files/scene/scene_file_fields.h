// Declared fields (scene/parts/field.h) of an entry of a scene file.
#pragma once

#include <cstring>

#include "haptos/files/scene/scene_file_parts.h"
#include "haptos/scene/parts/field_rules.h"

namespace haptos::scene_file {

void read_value(Reading& r, const Value& v, const FieldInfo& row, double& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, int& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, bool& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, Element& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, Vec3d& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, std::optional<Vec3d>& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, Mat3d& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, Pose& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, Friction& out);
void read_value(Reading& r, const Value& v, const FieldInfo& row, PressureLaw& out);
/// A group, whose name pairs may use from now on.
void read_value(Reading& r, const Value& v, const FieldInfo& row, std::string& out);

/// Demands a map whose keys are fields of one of these kinds, but those among `without`.
template <class... S>
void demand_keys(const Value& v, std::initializer_list<const char*> without = {}) {
  std::vector<const char*> known;
  const auto add = [&](const FieldInfo& row) {
    for (const char* k : without)
      if (std::strcmp(k, row.name) == 0) return;
    known.push_back(row.name);
  };
  (each_row<S>(add), ...);
  v.keys(known);
}

/// Reads the fields that v gives; parts are left to the reader of their kind.
template <class S>
void read_fields(Reading& r, const Value& v, S& s) {
  check_given<S>(
      [&](const char* name) { return v.find(name).has_value(); },
      [&](const char* name, const char* other, bool together) {
        const std::string a = std::string("\"") + name + "\"", b = std::string("\"") + other + "\"";
        if (together) v.fail("", "must not have both " + a + " and " + b, "remove one of them");
        const std::string unit = find_field<S>(other)->unit;
        v.find(name)->fail("", "goes with " + b,
                           "add " + b + (unit.empty() ? "" : " in " + unit) + ", or remove " + a);
      });
  each_field(s, [&](const FieldInfo& row, auto& value) {
    if (const auto x = v.find(row.name)) read_value(r, *x, row, value);
  });
}

/// An entry of the section of its kind.
template <class S>
S read_entry(Reading& r, const Value& v) {
  demand_keys<S>(v);
  S s;
  s.name = read_name(r, v, FieldsOf<S>::kKind);
  read_fields(r, v, s);
  read_parts(r, v, s);
  return s;
}

}  // namespace haptos::scene_file
