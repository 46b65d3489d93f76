// What a coat meets where it is: of each of its probes which of some surfaces is the nearest, how
// far that is off, how much of the probe's hat it is over, and the way out of it.
//
// A distance field knows the nearest side of a body, which under the rim of a punch is not the one
// that presses. So a place of the coat asks whether the body is above it, and how far down its face
// is, along the normal of the coat there.
#pragma once

#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/contact/frozen/coat/coat_carry.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

/// Probes that are farther from all others may bulge in a step and still not touch [m].
constexpr double kCoatReach = 1.5e-4;

struct CoatMet {
  int other = -1;  ///< -1: none is near
  double gap = kCoatReach;
  double cover = 1;           ///< part of the hat
  Vec3d out = Vec3d::zero();  ///< unit, in the coat's frame
};

/// A place of a coat and another surface.
struct CoatBeneath {
  double cover = -1;  ///< how much that one is over it, less than one at its rim; -1: not known yet
  double gap = 0;
  Vec3d out = Vec3d::zero();  ///< in the other's frame
};

/// Whether a body may be within a distance of a point that is in its frame.
bool may_reach(const DistanceField& field, const Vec3d& x, double distance);

/// Where probes of a coat are: displaced along its normals, and carried along it.
/// @param dent    displacement of each node [m]
/// @param beyond  of each probe how far it gives way beyond its nodes [m]
std::vector<Vec3d> places_of(const CoatCompliance& coat, const std::vector<Vec3d>& dent,
                             const std::vector<double>& beyond, const CoatCarry& carry);

class CoatLook {
 public:
  void begin(const CoatCompliance& coat);
  /// Looks at one more surface.
  /// @param seen   the pose of the coat in its frame
  /// @param place  of each probe, in the coat's frame [m]
  void at(const DistanceField& field, int other, const Pose& seen, const std::vector<Vec3d>& place);
  /// By probe.
  const std::vector<CoatMet>& met() const { return met_; }
  /// Out of another one where it covers the hat of a node, the mean: a node that is under the rim
  /// of a punch is pushed by its face. Zero: it is not covered.
  Vec3d out_of(int other, int node) const;

 private:
  // Not yet by which other one; out of it in that one's frame.
  CoatMet meet(const DistanceField& field, const Pose& seen, const Mat3d& turn,
               const std::vector<Vec3d>& place, int probe);

  const CoatCompliance* coat_ = nullptr;
  std::vector<CoatMet> met_;
  std::vector<CoatBeneath> looked_;  // by look
};

}  // namespace haptos
