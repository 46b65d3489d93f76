// Where material points touch shapes: a sampler of frozen contact (frozen_contact.h has the laws).
//
// Points of volume V fill the middles of cubes of side s = V^(1/3), so the surface is s / 2 from
// those at it. With the signed distance phi of a shape, a point at x touches it with
//
//   normal n = grad phi / |grad phi|, out of the shape,   gap phi(x) - s/2,   area s^2
//
// at x - s/2 n, where it moves with v + C (-s/2 n): what rolls does so on its surface, not on its
// outermost points. The stiffness is modulus x area, and at most what the step can resolve. A point
// that is only approached pushes once it would overlap at the end of the step.
//
// Limits: a point that is deeper in a shape than half of its thickness leaves on the other side.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/contact/frozen/rigid_points.h"
#include "haptos/system/cloud.h"

namespace haptos {

/// A shape on a link, on a prescribed body or in the world, with the field of FrozenSurface.
struct TouchedShape : FrozenSurface {
  Pose frame;          ///< of the shape in the link's frame, or in the world
  RigidPoints points;  ///< valid where it is a prescribed body, in whose frame it is given
};

/// A cloud with what its contact is made of.
struct CloudSurface : FrozenSurface {
  const Cloud* cloud = nullptr;  ///< must outlive the sampler
};

class ParticleSampler final : public ContactSampler {
 public:
  /// @param excluded  pairs (shape, cloud) that never touch
  ParticleSampler(std::vector<TouchedShape> shapes, std::vector<CloudSurface> clouds,
                  const std::vector<std::array<int, 2>>& excluded);

  const char* name() const override { return "contact of material points"; }
  void sample(const StepContext& context, FrozenContact& contact) override;

 private:
  void find(const StepContext& context, int cloud, int shape);

  std::vector<TouchedShape> shapes_;
  std::vector<CloudSurface> clouds_;
  std::vector<char> excluded_;  // shapes x clouds
  // Of a pair, kept for their room.
  std::vector<ContactSample> samples_;
  std::vector<int> touching_;
  std::vector<Points::Part> parts_;
  std::vector<std::array<Points::Part, 4>> carried_;
  std::vector<SamplePlace> places_[2];
};

/// Its surfaces are those of the shapes, then those of the clouds.
class ParticleContact final : public FrozenContact {
 public:
  ParticleContact(const std::vector<TouchedShape>& shapes, const std::vector<CloudSurface>& clouds,
                  const std::vector<std::array<int, 2>>& excluded, const PointContactOptions& law);
};

}  // namespace haptos
