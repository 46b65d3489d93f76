// Where surfaces with boundary layers touch: the sampler of boundary-layer contact
// (frozen_contact.h has the laws, geometry/layer/layer_contacts.h finds the samples).
//
// sample() places every shape where the step starts, finds pairs whose boxes may meet within the
// step (broad phase), and the samples of each. What is only near is a contact that is not closed:
// the law pushes where it would overlap by the end of the step. So no pair is looked at again.
//
// Depth is not bounded by the law. From half of R on contact gets stiffer the deeper it is, as
//
//   (1 / (2 (1 - depth / R)))^3,   at most 1e6,
//
// with the depth of the end of the step at the speed of its start, so that the cores of bodies that
// come fast, or on a corner, stay apart.
//
// Limits: cores that cross all the same are pushed back by the sides of closed surfaces, and
// through where neither has an inside. Places of samples move with the step's motion only to first
// order.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/geometry/layer/reduction.h"
#include "haptos/geometry/query/broad_phase.h"

namespace haptos {

/// A shape with a layer, or one that may meet such a shape, on a link or in the world.
struct LayeredShape : FrozenSurface {
  LayerShape core;
  Pose frame;        ///< of the shape in the link's frame, or in the world
  double layer = 0;  ///< width [m]

  double width() const { return layer + core.radius; }
};

class LayerSampler final : public ContactSampler {
 public:
  /// @param excluded  pairs of shapes that never touch, beside those of one link, of the world, and
  ///        those without a layer on either side
  /// @param most_samples  of a pair of shapes, from which on they are merged (reduction.h); 0:
  /// never
  LayerSampler(std::vector<LayeredShape> shapes, std::vector<std::array<int, 2>> excluded,
               int most_samples = 0);

  const char* name() const override { return "boundary-layer contact"; }
  void sample(const StepContext& context, FrozenContact& contact) override;

 private:
  bool may_touch(int i, int j) const;
  void place(double h, double free_time);
  void stiffen(const LayeredShape& a, const LayeredShape& b, double h, double whole);

  std::vector<LayeredShape> shapes_;
  std::vector<std::array<int, 2>> excluded_;  // sorted
  BroadPhase broad_phase_;
  LayerContacts contacts_;
  SampleReduction reduction_;
  int most_samples_;
  // Scratch.
  std::vector<Pose> pose_;
  std::vector<Aabb> box_;
  std::vector<double> speed_;
  std::vector<std::array<int, 2>> pairs_;
  std::vector<ContactSample> samples_;
};

/// Boundary-layer contact: shapes' layers under the laws of frozen contact.
class LayerContact final : public FrozenContact {
 public:
  explicit LayerContact(const std::vector<LayeredShape>& shapes,
                        const PointContactOptions& law = {},
                        std::vector<std::array<int, 2>> excluded = {})
      : FrozenContact(
            {shapes.begin(), shapes.end()}, law,
            std::make_unique<LayerSampler>(shapes, std::move(excluded), law.most_samples)) {}
};

}  // namespace haptos
