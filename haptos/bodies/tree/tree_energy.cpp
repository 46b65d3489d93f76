// The bound on the kinetic energy of a tree over a step (tree_drift.h).
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/bodies/tree/tree_drift.h"

namespace haptos {
namespace {

// A step resolves the motion while |D|^2 / |V_n|^2 is well below the inverse of this.
constexpr double kResolved = 50;
constexpr double kMostBack = 1.01;  // of velocities, in a step

}  // namespace

// 1 while |D|^2 / |V_n|^2 is small, 0 from 1 / kResolved on.
double TreeDrift::resolved(std::size_t root) const {
  return std::max(0.0, 1.0 - kResolved * (1.0 - kept_[root]));
}

double TreeDrift::held_well(int root) const {
  return termed_[at_index(root)] * std::min(1.0, 2 * resolved(at_index(root)));
}

// What inertia alone changes in half a step, D = V - V_n - J lead, and how much of it the second
// half repeats. Leaves that much of D in change_, and of the rates of unknowns in drift_.
void TreeDrift::find_kept(const Tree& tree, const FreeStep& step) {
  const std::size_t n = tree.bodies.size(), nv = joint_.size();
  auto &changed = pushed_, &had = led_;
  std::fill(changed.begin(), changed.end(), 0.0);
  std::fill(had.begin(), had.end(), 0.0);
  for (std::size_t k = 0; k < nv; ++k) scratch_[k] = middle_z_[k] - lead_[k] - driven_[k];
  update_velocities(tree, scratch_.data(), middle_);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = at_index(root_[i]);
    SpatialMotion<double>& d = change_[i];
    d = {middle_.velocity[i].angular - carried_[i].angular,
         middle_.velocity[i].linear - carried_[i].linear};
    changed[r] += dot(d, middle_.inertia[i] * d);
    had[r] += dot(carried_[i], middle_.inertia[i] * carried_[i]);
  }
  for (std::size_t k = 0; k < nv; ++k) {
    const auto r = at_index(root_[at_index(tree.body_of[k])]);
    changed[r] += middle_.armature[k] * square(scratch_[k] - step.v[k]);
    had[r] += middle_.armature[k] * square(step.v[k]);
  }
  for (std::size_t r = 0; r < n; ++r)
    kept_[r] = changed[r] < had[r] ? 1.0 - changed[r] / had[r] : 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double kept = kept_[at_index(root_[i])];
    change_[i] = {kept * change_[i].angular, kept * change_[i].linear};
  }
  for (std::size_t k = 0; k < nv; ++k) {
    const auto body = at_index(tree.body_of[k]);
    drift_[k] = alone_[body] ? 0.0 : kept_[at_index(root_[body])] * (scratch_[k] - start_v_[k]);
  }
}

// Slows down what would have more kinetic energy than what it had and what worked on it: weight
// over the way of each centre of mass, torques, wrenches and terms over z of the step.
void TreeDrift::leave_energy_out(const Tree& tree, const TreeData<double>& start,
                                 const FreeStep& step, double* v) {
  const std::size_t n = tree.bodies.size(), nv = joint_.size();
  auto &has = pushed_, &may = may_;
  std::fill(has.begin(), has.end(), 0.0);
  std::fill(may.begin(), may.end(), 0.0);
  update_velocities(tree, v, end_);
  update_velocities(tree, guess_.data(), middle_);
  for (std::size_t i = 0; i < n; ++i) {
    const auto r = at_index(root_[i]);
    const SpatialForce<double> ends = end_.inertia[i] * end_.velocity[i];
    has[r] += 0.5 * dot(end_.velocity[i], ends);
    sums_[r].mass += end_.inertia[i].mass;
    sums_[r].after += ends.force;
    sums_[r].way += (middle_.inertia[i] * middle_.velocity[i]).force;
    sums_[r].pushed += step.h * step.wrench[i].force;
    const SpatialInertia<double>&from = start.inertia[i], &to = end_.inertia[i];
    const Vec3d way = to.first - from.first + from.mass * (end_.pose[i].p - start.pose[i].p);
    may[r] += 0.5 * dot(relative_[i], from * relative_[i]) +
              (floats_[r] ? 0.0 : dot(step.gravity, way)) +
              step.h * dot(middle_.velocity[i], step.wrench[i]);
  }
  for (std::size_t i = 0; i < nv; ++i) {
    const auto r = at_index(root_[at_index(tree.body_of[i])]);
    const double impulse = step.h * step.torque[i] + effort_[i];
    effort_[i] = impulse / step.h;
    has[r] += 0.5 * middle_.armature[i] * square(v[i]);
    may[r] += 0.5 * middle_.armature[i] * square(step.v[i]) + impulse * guess_[i];
    if (floats_[r] && static_cast<int>(i) < tree.bodies[r].first_v + 3)
      sums_[r].pushed += impulse * middle_.axis[i];
  }
  for (std::size_t r = 0; r < n; ++r) {
    if (tree.bodies[r].parent >= 0) continue;
    // Of what floats all this is against its centre of mass, which is pushed from outside alone.
    if (floats_[r]) {
      const Sums& s = sums_[r];
      may[r] -= dot(s.pushed, s.way) / s.mass;
      has[r] -= 0.5 * squared_norm(s.after) / s.mass;
      before_[r] -= 0.5 * squared_norm(s.before) / s.mass;
    }
    // What the projection took is given back where the step resolves the motion.
    const double back = resolved(r);
    may[r] = std::min(may[r], fma(back, before_[r] - has[r], has[r]));
    has[r] = !floats(tree, tree.bodies[r]) && has[r] > 0
                 ? std::min(sqrt(std::max(may[r], 0.0) / has[r]), kMostBack)
                 : 1.0;
  }
  for (std::size_t i = 0; i < nv; ++i) v[i] *= has[at_index(root_[at_index(tree.body_of[i])])];
}

}  // namespace haptos
