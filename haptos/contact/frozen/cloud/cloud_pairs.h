// Where the points of one body touch the surface of a soft one: those of material points, and of
// two soft bodies each touches the other with half of its areas. A point at x with a radius r and
// an area A touches where the surface is nearest,
//
//   normal n out of the surface,   gap = distance - r,   stiffness A / (1/K_a + 1/K_b)
//
// and pushes the corners of the triangle there. One that is only approached pushes once it would
// overlap at the end of the step.
//
// Limits: a point deeper in a soft body than its vertices are from each other, and farther than it
// goes in the step, is no longer seen. What of a soft body is finer than material points passes
// between them.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/cloud/cloud_sampler.h"

namespace haptos {

class CloudPairSampler final : public ContactSampler {
 public:
  /// @param pairs  of clouds that may touch, the second one soft
  CloudPairSampler(std::vector<CloudSurface> clouds, std::vector<std::array<int, 2>> pairs);

  const char* name() const override { return "contact of points of two bodies"; }
  void sample(const StepContext& context, FrozenContact& contact) override;

 private:
  void find(const StepContext& context, const Cloud& points, const Cloud& surface, double part);
  void give(const StepContext& context, int pair, int of, int on, FrozenContact& contact);

  std::vector<CloudSurface> clouds_;
  std::vector<std::array<int, 2>> pairs_;
  // Of a pair, kept for their room.
  std::vector<ContactSample> samples_;
  std::vector<int> touching_;
  std::vector<Cloud::Skin> skins_;
  std::vector<Points::Part> parts_;
  std::vector<SamplePlace> places_[2];
};

}  // namespace haptos
