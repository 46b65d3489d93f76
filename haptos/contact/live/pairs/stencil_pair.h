// One active pair of barrier contact: a source point or edge against a feature of the other
// surface.
#pragma once

#include "haptos/contact/record.h"
#include "haptos/contact/surface.h"
#include "haptos/geometry/query/distance.h"
#include "haptos/system/term.h"

namespace haptos {

enum class PairKind : std::uint8_t {
  kSample,  ///< quadrature sample of the soft surface against the collider
  kCorner,  ///< sharp vertex of the collider against the soft surface
  kEdges,   ///< soft edge against a sharp edge of the collider
};

struct BarrierPair {
  PairKind kind = PairKind::kSample;
  FeatureKind feature = FeatureKind::kFace;
  WeightedPoint source;  ///< kEdges: the two ends, weights unused
  int target[3] = {-1, -1, -1};
  int target_count = 0;
  int count = 1;         ///< signed number of times it counts
  double gap = 0;        ///< [m]
  double scale = 0;      ///< stiffness times area [N/m]
  double area = 0;       ///< [m2]
  double mollifier = 0;  ///< threshold of the edge-edge mollifier [m4]; 0 for none
  std::int64_t source_id = -1, target_id = -1;
  bool rigid_target = false;  ///< all target points are driven, and move as one rigid body
};

/// What the pairs of one sample with a target that only moves rigidly leave for add_rigid_target().
struct RigidTarget {
  Mat3d hessian = Mat3d::zero();         ///< by the sample, summed over its pairs
  const BarrierPair* nearest = nullptr;  ///< the pair of the smallest gap
  double gap = 1e300;                    ///< its gap [m]
  double weight[3] = {0, 0, 0};          ///< weights of its target points in the separation
};

/// Energy of the pair; with an assembly also gradient and Hessian. `project` clamps the pair's
/// Hessian to be positive semi-definite. With `rigid` the Hessian is summed there and not
/// assembled: the signed counts of one sample's features cancel, so only their sum is clamped.
Energy evaluate_pair(const BarrierPair& pair, double support, const Points& points,
                     Assembly* assembly, bool project, RigidTarget* rigid = nullptr);

/// Assembles what the pairs of one sample have summed up; a driven target moves with the nearest
/// one.
void add_rigid_target(RigidTarget& sum, bool project, Assembly& assembly);

/// What a pair presses with, as friction and records see it.
struct PairPress {
  WeightedPoint a, b;  ///< material points in contact, of the soft surface and of the collider
  Vec3d n;             ///< unit normal from b to a
  double force = 0;    ///< along n [N]; below 0 where the pair counts negatively
};
PairPress press_of(const BarrierPair& pair, double support, const Points& points);

/// The contact record of the pair: force on the soft surface.
ContactPoint record_pair(const BarrierPair& pair, double support, const Points& points,
                         const ContactSurface& soft, const ContactSurface& collider);

}  // namespace haptos
