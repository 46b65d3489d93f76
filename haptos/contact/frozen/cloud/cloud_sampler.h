// Where points of a body touch shapes (material points, the surface of a soft body): a sampler of
// frozen contact (frozen_contact.h has the laws). A point has a radius s / 2 and an area.
//
// Material points of volume V fill the middles of cubes of side s = V^(1/3), so the surface is s /
// 2 from those at it; their area is s^2. Points of a surface have no radius. With the signed
// distance phi of a shape, a point at x touches it with
//
//   normal n = grad phi / |grad phi|, out of the shape,   gap phi(x) - s/2
//
// at x - s/2 n, where it moves with v + C (-s/2 n): what rolls does so on its surface, not on its
// outermost points. Both sides have this one place, so that friction turns neither more than the
// other. The stiffness is modulus x area, and at most what the step can resolve. A point
// that is only approached pushes once it would overlap at the end of the step.
//
// Summed up, the points that touch hand their areas to the nodes that move them, which touch in
// their place (node_samples.h).
//
// Of a liquid the nodes behind the surface touch too, and points move as their
// middles do: its layers slide and thin, so that the place half a spacing off moves otherwise than
// the gap is measured, and the two would give it energy.
//
// Limits: a point that is deeper in a shape than half of its thickness leaves on the other side.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/carried_shape.h"
#include "haptos/contact/frozen/cloud/node_samples.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/system/cloud.h"

namespace haptos {

/// A cloud with what its contact is made of.
struct CloudSurface : FrozenSurface {
  Cloud* cloud = nullptr;  ///< must outlive the sampler
  /// Which of its nodes touch (node_samples.h).
  enum Nodes : std::uint8_t { kNone, kBehind, kSummed } nodes = kNone;
  bool yields = false;  ///< see PairSamples
  bool soft = false;    ///< its points are those of a surface, and it touches with all of them
};

/// Where the points of a cloud are, how fast the fastest is, and the largest radius.
struct CloudExtent {
  explicit CloudExtent(const Cloud& cloud);
  Aabb box;
  double fastest = 0, widest = 0;
};

/// Finds where samples touch in the cloud that they are points of, and shares the pair among them.
/// @param touching  the point of each
/// @param middles   they move as their points' middles do
void place_samples(const Cloud& points, const std::vector<int>& touching, bool middles,
                   std::vector<ContactSample>& samples, std::vector<Points::Part>& parts,
                   std::vector<SamplePlace>& places);

class CloudSampler final : public ContactSampler {
 public:
  /// @param excluded  pairs (shape, cloud) that never touch
  CloudSampler(std::vector<CarriedShape> shapes, std::vector<CloudSurface> clouds,
               const std::vector<std::array<int, 2>>& excluded);

  const char* name() const override { return "contact of points of bodies"; }
  void sample(const StepContext& context, FrozenContact& contact) override;

 private:
  void find(const StepContext& context, int cloud, int shape, const Pose& pose,
            const CloudExtent& extent);
  void give(const StepContext& context, int cloud, int shape, const Pose& pose, bool of_nodes,
            FrozenContact& contact);

  std::vector<CarriedShape> shapes_;
  std::vector<CloudSurface> clouds_;
  std::vector<char> excluded_;  // shapes x clouds
  // Of a pair, kept for their room.
  std::vector<ContactSample> samples_;
  std::vector<int> touching_;
  std::vector<Points::Part> parts_;
  std::vector<SamplePlace> places_;  // in the cloud
  NodeSamples nodes_;
  CarriedPlaces carried_;  // on the shape
};

/// Its surfaces are those of the shapes, then those of the clouds.
class CloudContact final : public FrozenContact {
 public:
  CloudContact(const std::vector<CarriedShape>& shapes, const std::vector<CloudSurface>& clouds,
               const std::vector<std::array<int, 2>>& excluded, const PointContactOptions& law);
};

}  // namespace haptos
