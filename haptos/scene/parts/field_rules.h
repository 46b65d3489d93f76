// What holds for a field's value, and what a state's identity takes of it.
#pragma once

#include "haptos/base/hash.h"
#include "haptos/scene/parts/field.h"

namespace haptos {

/// A number from low to high, or what `or_word` says, with a blank behind it; not a number is in no
/// range.
void check_range(const std::string& element, double v, double low, double high,
                 const std::string& unit, const std::string& or_word = "");

/// `element` is how errors name the value: 'affine body "crate" density'.
/// @throws InputError for a number that is not finite or out of range, a direction without length,
///         a quaternion that is none, and kinetic friction above the static one
void check_value(const FieldInfo&, const std::string& element, double);
void check_value(const FieldInfo&, const std::string& element, int);
void check_value(const FieldInfo&, const std::string& element, const Vec3d&);
void check_value(const FieldInfo&, const std::string& element, const std::optional<Vec3d>&);
void check_value(const FieldInfo&, const std::string& element, const Mat3d&);
void check_value(const FieldInfo&, const std::string& element, const Pose&);
void check_value(const FieldInfo&, const std::string& element, const Friction&);
void check_value(const FieldInfo&, const std::string& element, const PressureLaw&);
inline void check_value(const FieldInfo&, const std::string&, bool) {}
inline void check_value(const FieldInfo&, const std::string&, Element) {}
inline void check_value(const FieldInfo&, const std::string&, const std::string&) {}

/// Whether a number is what its word stands for: "auto", "scene".
inline bool stands_for_word(const FieldInfo& row, double v) { return *row.words && v == 0; }

/// Refuses a number that is out of range, naming the word that may stand in its place.
void check_number(const FieldInfo& row, const std::string& element, double v);

/// The words of a choice, as their numbers.
std::vector<std::string> words_of(const FieldInfo& row);

/// The direction of three numbers, of length 1. @throws InputError where they have none
Vec3d direction_of(const std::string& element, const Vec3d& v);

/// Checks every field; `who` is the entry as errors name it: 'affine body "crate"'.
template <class S>
void check_fields(const std::string& who, const S& s) {
  each_field(s, [&](const FieldInfo& row, const auto& value) {
    check_value(row, who + " " + row.name, value);
  });
}

/// Refuses what may not be given together, and what may not be given alone. `given(name)` tells
/// whether a person gave it, `fail(name, other, together)` throws: `together` where the two exclude
/// each other, else `name` needs `other`.
template <class S, class Given, class Fail>
void check_given(const Given& given, const Fail& fail) {
  each_row<S>([&](const FieldInfo& row) {
    if (!given(row.name)) return;
    if (*row.excludes && given(row.excludes)) fail(row.name, row.excludes, true);
    if (*row.needs && !given(row.needs)) fail(row.name, row.needs, false);
  });
}

void add_value(Hash& h, double v);
void add_value(Hash& h, int v);
void add_value(Hash& h, const Pose& v);
void add_value(Hash& h, const Vec3d& v);
void add_value(Hash& h, const std::optional<Vec3d>& v);

/// Adds the fields that are marked as identity.
template <class S>
void hash_fields(Hash& h, const S& s) {
  each_field(s, [&](const FieldInfo& row, const auto& value) {
    if constexpr (requires { add_value(h, value); })
      if (row.marks & kIdentity) add_value(h, value);
  });
}

}  // namespace haptos
