// A shape that a link carries, or a prescribed body, or nothing: where it is, and what moves the
// places on it that samples touch.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/rigid_points.h"
#include "haptos/contact/frozen/sampler.h"

namespace haptos {

struct CarriedShape : FrozenSurface {
  Pose frame;          ///< of the shape in the link's frame, or in the world
  RigidPoints points;  ///< valid where it is a prescribed body, in whose frame it is given
};

/// Where the step starts.
inline Pose carried_pose(const CarriedShape& s, const StepContext& context) {
  if (s.link) return compose(s.link->pose(), s.frame);
  return s.points.valid() ? s.points.pose(context.points->x_start) : s.frame;
}

/// Where the step ends with the velocities z: of a link that stays at `now` without them, of a
/// prescribed body where it is sent.
inline Pose carried_pose_after(const CarriedShape& s, const StepContext& context,
                               const std::vector<double>* z, const Pose& now) {
  if (s.link) return z ? compose(s.link->pose_after(*z, context.h), s.frame) : now;
  return s.points.valid() ? s.points.pose(context.points->x_target) : now;
}

/// The places on a shape that the samples of a pair touch, for PairSamples.
class CarriedPlaces {
 public:
  /// Valid until the next call; nullptr where a link carries the shape, or nothing.
  /// @param pose  of the shape where the step starts
  /// @param side  of the samples that the shape is on: 0 or 1
  const SamplePlace* find(const CarriedShape& s, const Pose& pose,
                          const std::vector<ContactSample>& samples, int side) {
    if (!s.points.valid()) return nullptr;
    parts_.clear(), places_.clear();
    for (const ContactSample& c : samples)
      parts_.push_back(s.points.parts(to_local(pose, touched(c, side))));
    for (const auto& parts : parts_) places_.push_back({parts.data(), 4});
    return places_.data();
  }

 private:
  std::vector<std::array<Points::Part, 4>> parts_;
  std::vector<SamplePlace> places_;
};

}  // namespace haptos
