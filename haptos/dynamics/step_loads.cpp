#include "haptos/dynamics/step_loads.h"

#include <algorithm>

#include "haptos/dynamics/tree_drift.h"

namespace haptos {
StepLoads::StepLoads(const Tree& tree)
    : data_(tree),
      acceleration_(static_cast<std::size_t>(tree.v_count)),
      along_(acceleration_.size()),
      given_(acceleration_.size()),
      wrench_(tree.bodies.size()),
      outside_(tree.bodies.size()) {}

// Adds to the acceleration of a base what its joint would have to give too much.
void StepLoads::free_base(const Tree& tree, const TreeStep& step, std::size_t body) {
  const TreeBody& b = tree.bodies[body];
  const int first = b.first_v, turns = first + b.v_count - 3;
  const Vec3d* axis = data_.axis.data();
  SpatialForce<double> extra = data_.force[body];
  if (step.effort)
    for (int k = first; k < first + b.v_count; ++k)
      (tree.slides[static_cast<std::size_t>(k)] ? extra.force : extra.moment) -=
          step.effort[k] * axis[k];
  const SpatialInertia<double>& whole = data_.composite[body];
  Vec3d turn;
  if (b.kind == JointKind::kFree) {
    const Vec3d c = (1 / whole.mass) * whole.first;  // from the base's origin
    turn = inverse(full(shift(whole, c).about_point)) * -shift(extra, c).moment;
    const Vec3d slide = (-1 / whole.mass) * extra.force - cross(turn, c);
    for (int k = 0; k < 3; ++k)
      acceleration_[static_cast<std::size_t>(first + k)] += dot(axis[first + k], slide);
  } else {
    turn = inverse(full(whole.about_point)) * -extra.moment;
  }
  for (int k = 0; k < 3; ++k)
    acceleration_[static_cast<std::size_t>(turns + k)] += dot(axis[turns + k], turn);
}

// What joints give: all that was applied to their unknowns, less what came from outside.
void StepLoads::find_given(const Tree& tree, const TreeStep& step) {
  outside_ = wrench_;
  for (std::size_t i = 0; i < outside_.size(); ++i) outside_[i] = outside_[i] - step.wrench[i];
  rnea<double>(tree, data_, nullptr, nullptr, Vec3d::zero(), outside_.data(), given_.data());
  for (std::size_t k = 0; k < given_.size(); ++k) given_[k] += step.applied[k];
}

// Puts it in place of what the difference of velocities says, to which it agrees to first order in
// h.
void StepLoads::take_given(const Tree& tree) {
  for (std::size_t k = 0; k < given_.size(); ++k) {
    const auto body = static_cast<std::size_t>(tree.body_of[k]);
    if (floats(tree, tree.bodies[body])) continue;
    along_[k] = given_[k];
  }
}

void StepLoads::update(const Tree& tree, const TreeStep& step) {
  if (step.mass) data_.body_mass = *step.mass;
  haptos::update(tree, step.q_start, data_);
  std::fill(wrench_.begin(), wrench_.end(), SpatialForce<double>::zero());
  for (const LinkForce& f : step.forces)
    if (const int body = tree.links[static_cast<std::size_t>(f.link)].body; body >= 0)
      wrench_[static_cast<std::size_t>(body)] += wrench_at(data_, body, f.x, f.force, f.moment);
  for (std::size_t k = 0; k < acceleration_.size(); ++k)
    acceleration_[k] = step.h > 0 ? (step.v[k] - step.v_start[k]) / step.h : 0.0;

  if (step.applied && step.h > 0) find_given(tree, step);
  const auto run = [&] {
    rnea(tree, data_, step.v_start, acceleration_.data(), step.gravity, wrench_.data(),
         along_.data());
  };
  run();
  bool again = false;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    if (!floats(tree, tree.bodies[i])) continue;
    if (!again) composite_inertias(tree, data_);
    free_base(tree, step, i);
    again = true;
  }
  if (again) run();
  if (step.applied && step.h > 0) take_given(tree);
  for (std::size_t k = 0; k < along_.size(); ++k)
    along_[k] = fma(-data_.armature[k], acceleration_[k], along_[k]);
}

}  // namespace haptos
