#include "haptos/bodies/loads/step_loads.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/bodies/tree/tree_drift.h"

namespace haptos {
StepLoads::StepLoads(const Tree& tree)
    : data_(tree),
      start_(tree),
      turning_(tree.bodies.size()),
      acceleration_(static_cast<std::size_t>(tree.v_count)),
      along_(acceleration_.size()),
      given_(acceleration_.size()),
      wrench_(tree.bodies.size()),
      outside_(tree.bodies.size()) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const int parent = tree.bodies[i].parent;
    root_.push_back(parent < 0 ? static_cast<int>(i) : root_[static_cast<std::size_t>(parent)]);
  }
}

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
  Vec3d turn, slide = Vec3d::zero();
  if (b.kind == JointKind::kFree) {
    const Vec3d c = (1 / whole.mass) * whole.first;  // from the base's origin
    turn = inverse(full(shift(whole, c).about_point)) * -shift(extra, c).moment;
    slide = (-1 / whole.mass) * extra.force - cross(turn, c);
    for (int k = 0; k < 3; ++k) acceleration_[at_index(first + k)] += dot(axis[first + k], slide);
  } else {
    turn = inverse(full(whole.about_point)) * -extra.moment;
  }
  for (int k = 0; k < 3; ++k) acceleration_[at_index(turns + k)] += dot(axis[turns + k], turn);
  for (std::size_t i = 0; i < root_.size(); ++i)
    if (root_[i] == static_cast<int>(body))
      data_.acceleration[i] +=
          shift(SpatialMotion<double>{turn, slide}, data_.pose[i].p - data_.pose[body].p);
}

// What joints give: all that was applied to their unknowns, less what came from outside.
void StepLoads::find_given(const Tree& tree, const TreeStep& step) {
  outside_ = wrench_;
  for (std::size_t i = 0; i < outside_.size(); ++i) outside_[i] = outside_[i] - step.wrench[i];
  rnea<double>(tree, start_, nullptr, nullptr, Vec3d::zero(), outside_.data(), given_.data());
  for (std::size_t k = 0; k < given_.size(); ++k) given_[k] += step.applied[k];
}

// Puts it in place of what the accelerations say, to which it agrees but for the lever arms of what
// comes from outside.
void StepLoads::take_given(const Tree& tree) {
  for (std::size_t k = 0; k < given_.size(); ++k) {
    const auto body = static_cast<std::size_t>(tree.body_of[k]);
    if (floats(tree, tree.bodies[body])) continue;
    along_[k] = fma(-data_.armature[k], acceleration_[k], given_[k]);
  }
}

// Where and how bodies move while they carry loads.
void StepLoads::set_motion(const Tree& tree, const TreeStep& step) {
  if (step.motion && step.h > 0) {
    data_ = *step.motion->at;
    std::copy_n(step.motion->turning, turning_.size(), turning_.begin());
    std::copy_n(step.motion->rate, acceleration_.size(), acceleration_.begin());
    return;
  }
  for (std::size_t k = 0; k < acceleration_.size(); ++k)
    acceleration_[k] = step.h > 0 ? (step.v[k] - step.v_start[k]) / step.h : 0.0;
  data_ = start_;
  rnea<double>(tree, data_, step.v_start, acceleration_.data(), step.gravity, nullptr,
               along_.data());
  turning_ = data_.velocity;
}

// Of the accelerations in data_.
void StepLoads::find_forces(const Tree& tree) {
  const std::size_t n = tree.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    SpatialForce<double> f = data_.inertia[i] * data_.acceleration[i];
    f += cross(data_.velocity[i], data_.inertia[i] * turning_[i]);
    data_.force[i] = f - wrench_[i];
  }
  gather_forces(tree, data_, along_.data());
}

void StepLoads::update(const Tree& tree, const TreeStep& step) {
  if (step.mass) start_.body_mass = *step.mass;
  haptos::update(tree, step.q_start, start_);
  update_velocities(tree, step.v_start, start_);
  std::fill(wrench_.begin(), wrench_.end(), SpatialForce<double>::zero());
  for (const LinkForce& f : step.forces)
    if (const int body = tree.links[static_cast<std::size_t>(f.link)].body; body >= 0)
      wrench_[static_cast<std::size_t>(body)] += wrench_at(start_, body, f.x, f.force, f.moment);
  if (step.applied && step.h > 0) find_given(tree, step);
  set_motion(tree, step);
  find_forces(tree);
  bool again = false;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    if (!floats(tree, tree.bodies[i])) continue;
    if (!again) composite_inertias(tree, data_);
    free_base(tree, step, i);
    again = true;
  }
  if (again) find_forces(tree);
  if (step.applied && step.h > 0) take_given(tree);
}

}  // namespace haptos
