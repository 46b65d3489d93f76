// Where the points of one body touch another body: a soft one with its surface, or one of material
// points on a grid of its own. Material points touch a soft body with their whole areas; of two
// soft bodies, or two of material points, each touches the other with half of its areas. A point at
// x with a radius r and an area A touches with
//
//   normal n out of the other one,   gap = distance - r,   stiffness A / (1/K_a + 1/K_b)
//
// Of a soft body the surface is where it is nearest, and the corners of the triangle there are
// pushed. Of material points it is where the two bodies part (geometry/fill/parting.h), and what is
// pushed is the nearest of them, as it moves at the place of contact. Beyond the ends of a face the
// area fades, from all of it where three quarters of a half-space are there to none at a quarter.
//
// One that is only approached pushes once it would overlap at the end of the step.
//
// Limits: a point deeper in a soft body than its vertices are from each other, and farther than it
// goes in the step, is no longer seen. What of a soft body is finer than material points passes
// between them. Material points see others within two cells.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/cloud/cloud_sampler.h"
#include "haptos/geometry/fill/parting.h"

namespace haptos {

class CloudPairSampler final : public ContactSampler {
 public:
  /// @param pairs  of clouds that may touch: the second one soft, or both of material points
  CloudPairSampler(std::vector<CloudSurface> clouds, std::vector<std::array<int, 2>> pairs);

  const char* name() const override { return "contact of points of two bodies"; }
  void sample(const StepContext& context, FrozenContact& contact) override;

 private:
  void find(const StepContext& context, const Cloud& points, const Cloud& surface, double part);
  bool find_parting(const Cloud& a, const Cloud& b);
  void find_parted(const StepContext& context, int of, int on, int side);
  void give(const StepContext& context, int pair, int of, int on, FrozenContact& contact);

  std::vector<CloudSurface> clouds_;
  std::vector<std::array<int, 2>> pairs_;
  // Of a pair, kept for their room.
  std::vector<ContactSample> samples_;
  std::vector<int> touching_;
  std::vector<Cloud::Skin> skins_;
  PartingPoints parting_;
  NodeSamples nodes_;
  std::vector<Points::Part> parts_[2];
  std::vector<SamplePlace> places_[2];
};

}  // namespace haptos
