// Fields of what a person describes, declared once.
//
// Each kind of body, and a pair, is a plain struct with a table beside it: name, unit, range and
// sentence of every key that a person may give, and the member that holds it. Scene files, Python's
// add_...(), the checks before compiling, `entries`, the documentation and the identity of a state
// fold over that table, so that a new field is a member and a row, in one file. The default of a
// field is the member's initialiser.
//
// What is more than a number, a word, a vector or a pose (meshes, glue, trajectories) is a part: a
// row without a member, which makes its key known and documented, and which the reader of its kind
// reads by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/pressure/pressure_law.h"

namespace haptos {

enum class Element : std::uint8_t;  // scene/kinds/soft_body.h

/// Coefficients of friction of a body's surface; those of two bodies are combined by the scene's
/// rule (`contact.combine`).
struct Friction {
  double sticking = 0;  ///< static
  double sliding = -1;  ///< kinetic; below 0: as sticking
};

/// The kinetic coefficient.
inline double sliding(const Friction& f) { return f.sliding < 0 ? f.sticking : f.sliding; }

/// What holds for a field beside its range.
enum FieldMark : unsigned {
  kIdentity = 1,   ///< a saved state is of models with the same value
  kDirection = 2,  ///< three numbers that are scaled to length 1
  kNeeded = 4,     ///< has no default
};

struct FieldInfo {
  const char* name;
  const char* unit;     ///< SI; "" for what has none
  double lo, hi;        ///< inclusive range of a number, or of each of three
  const char* meaning;  ///< of the table in the documentation
  /// Of a choice the names of 0, 1, 2, ...; of a whole number none; of a number the word that
  /// stands for 0, which is then accepted below the range; of a part what the documentation gives
  /// as its default.
  const char* words = "";
  unsigned marks = 0;
  const char* excludes = "";  ///< name of a field that may not be given too
  const char* needs = "";     ///< name of a field that must be given too
};

/// One row of the table of S.
template <class S>
struct Field : FieldInfo {
  using Part = std::monostate;
  using Member = std::variant<Part, bool S::*, int S::*, Element S::*, double S::*, Vec3d S::*,
                              std::optional<Vec3d> S::*, Mat3d S::*, Pose S::*, Friction S::*,
                              PressureLaw S::*, std::string S::*>;
  Member member;

  bool is_part() const { return std::holds_alternative<Part>(member); }
};

/// Specialised for each struct S that a person describes: `kKind` as errors name it ("affine
/// body"), `kSection` of scene files, and `table()`; where S derives from a struct that has fields
/// too, `Base` is that one.
template <class S>
struct FieldsOf;

template <class S>
concept HasBaseFields = requires {
  typename FieldsOf<S>::Base;
};

/// Calls f(row) for each row of the table, then for those of the base.
template <class S, class F>
void each_row(const F& f) {
  for (const Field<S>& row : FieldsOf<S>::table()) f(row);
  if constexpr (HasBaseFields<S>) each_row<typename FieldsOf<S>::Base>(f);
}

/// Calls f(row, value) for each field of s that has a member, in the order of each_row().
template <class S, class F>
void each_field(S& s, const F& f) {
  using Plain = std::remove_const_t<S>;
  for (const Field<Plain>& row : FieldsOf<Plain>::table())
    std::visit(
        [&](auto member) {
          if constexpr (!std::is_same_v<decltype(member), std::monostate>) f(row, s.*member);
        },
        row.member);
  if constexpr (HasBaseFields<Plain>) {
    using Base = typename FieldsOf<Plain>::Base;
    each_field(static_cast<std::conditional_t<std::is_const_v<S>, const Base, Base>&>(s), f);
  }
}

/// The row of this name; null where there is none.
template <class S>
const FieldInfo* find_field(const std::string& name) {
  const FieldInfo* found = nullptr;
  each_row<S>([&](const FieldInfo& row) {
    if (name == row.name) found = &row;
  });
  return found;
}

/// Ranges that many fields share.
namespace limits {
constexpr double kMostFriction = 100;
constexpr double kSmallestLength = 1e-9, kLargestLength = 1e6;  ///< [m], from a grain to a building
constexpr double kFastest = 1e6;                                ///< [m/s] and [rad/s]
constexpr double kStrongest = 1e12;                             ///< [N] and [N m]
}  // namespace limits

/// Rows that several kinds have.
template <class S>
Field<S> name_row() {
  return {{"name", "", 0, 0, "", "", kNeeded}, {}};
}
template <class S>
Field<S> pose_row(const char* meaning) {
  return {{"pose", "", 0, 0, meaning, "origin, no turn"}, &S::pose};
}
template <class S>
Field<S> friction_row(const char* meaning = "coefficient, or `[static, kinetic]`") {
  return {{"friction", "", 0, limits::kMostFriction, meaning}, &S::friction};
}
template <class S>
Field<S> group_row() {
  return {{"group", "", 0, 0, "group of bodies, a word that `pairs` may name"}, &S::group};
}

}  // namespace haptos
