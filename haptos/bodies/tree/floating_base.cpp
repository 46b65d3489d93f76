#include "haptos/bodies/tree/floating_base.h"

#include <algorithm>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Of a tree's largest moments of inertia about a ball joint: about axes with much less, its
// momentum is not restored where weight turns it.
constexpr double kLeastInertia = 0.03;
constexpr double kMostBack = 1.01;  // of velocities, in a step
// Of the square of the angle that a tree turns in a step: more than its energy is off by if held.
constexpr double kError = 0.05;

// What a rigid motion with the momentum `spin` leaves of the most energy that a tree may have [J].
// Slows it down to that where it has more, folded by too long a step into less inertia than its
// momentum leaves room for. What its motors hold stiff has more by the error of a step, and turns
// on as its momentum says.
double left_over(const TreeDrift& drift, int root, double h, const Vec3d& spin, Vec3d& rigid) {
  const double has = 0.5 * dot(spin, rigid), most = drift.most_energy(root);
  if (has <= most) return most - has;
  const double error = drift.held_well(root) * kError * squared_norm(h * rigid);
  const double left = std::max(most, 0.0) / has + error;
  if (left < 1) rigid = sqrt(left) * rigid;
  return 0;
}

}  // namespace

FloatingBase::FloatingBase(const Tree& tree) {
  std::vector<int> root;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    root.push_back(b.parent < 0 ? static_cast<int>(i) : root[at_index(b.parent)]);
    if (floats(tree, b)) {
      bases_.emplace_back();
      bases_.back().body = static_cast<int>(i);
    }
    for (Base& base : bases_)
      if (base.body == root.back()) base.carried.push_back(static_cast<int>(i));
  }
}

void FloatingBase::begin_step(const Tree& tree, TreeData<double>& start,
                              const TreeData<double>& middle, const FreeStep& step) {
  if (bases_.empty()) return;
  composite_inertias(tree, start);
  for (Base& base : bases_) {
    const TreeBody& b = tree.bodies[at_index(base.body)];
    const int d = b.v_count;
    const Vec3d* axes = start.axis.data() + b.first_v;
    base.axes = columns(axes[d - 3], axes[d - 2], axes[d - 1]);
    base.origin = start.pose[at_index(base.body)].p;
    const SpatialInertia<double>& whole = start.composite[at_index(base.body)];
    if (d == 6) base.centre = (1 / whole.mass) * whole.first + base.origin;
    // About p_n: where that is the centre of a ball joint, weight acts as in the middle of the
    // step.
    const Vec3d& lever = d == 6 ? whole.first : middle.composite[at_index(base.body)].first;
    SpatialForce<double> sum{step.h * cross(lever, step.gravity),
                             (step.h * whole.mass) * step.gravity};
    base.heavy = squared_norm(step.gravity) > 0;
    for (int i : base.carried) {
      const auto j = at_index(i);
      const SpatialForce<double> own =
          add_scaled(start.inertia[j] * start.velocity[j], step.h, step.wrench[j]);
      sum += shift(own, base.origin - start.pose[j].p);
    }
    for (int r = 0; r < d; ++r) {
      const int k = b.first_v + r;
      base.momentum[r] = fma(step.h, step.torque[k], joint_force(tree, start, at_index(k), sum));
    }
  }
}

// v <- lock + s (v - lock), lock the rigid motion with the momentum of v: `slide` of the base's
// origin and `turn`. The two parts have no kinetic energy in common.
void FloatingBase::slow_down(const Tree& tree, TreeData<double>& end, const Base& base,
                             const Vec3d& slide, const Vec3d& turn, double most, double* v) {
  update_velocities(tree, v, end);
  double inner = 0;
  for (const int i : base.carried) {
    const auto j = at_index(i);
    const Vec3d at = end.pose[j].p - end.pose[at_index(base.body)].p;
    SpatialMotion<double> d = end.velocity[j];
    d.angular -= turn;
    d.linear -= slide + cross(turn, at);
    inner += 0.5 * dot(d, end.inertia[j] * d);
    const TreeBody& b = tree.bodies[j];
    for (int k = b.first_v; k < b.first_v + b.v_count; ++k)
      inner += 0.5 * end.armature[at_index(k)] * square(v[k]);
  }
  if (!(inner > 0)) return;
  const double s = std::min(sqrt(std::max(most, 0.0) / inner), kMostBack);
  const Mat3d to_joint = transpose(base.axes);
  const int first = tree.bodies[at_index(base.body)].first_v;
  const Vec3d parts[] = {to_joint * slide, to_joint * turn};
  const int count = tree.bodies[at_index(base.body)].v_count;
  for (int k = 0; k < count; ++k) {
    const double lock = parts[(k + 6 - count) / 3][k % 3];
    v[first + k] = fma(s, v[first + k] - lock, lock);
  }
  for (std::size_t k = 0; k < tree.body_of.size(); ++k) {
    const int body = tree.body_of[k];
    if (body != base.body && std::binary_search(base.carried.begin(), base.carried.end(), body))
      v[k] *= s;
  }
}

void FloatingBase::end_step(const Tree& tree, TreeDrift& drift, const double* z,
                            const double* z_free, const double* mass, double h, double* q,
                            double* v) {
  if (bases_.empty()) return;
  TreeData<double>& end = drift.end();
  const int n = tree.v_count;
  composite_inertias(tree, end);
  update_velocities(tree, v, end);
  for (const Base& base : bases_) {
    const TreeBody& b = tree.bodies[at_index(base.body)];
    const int d = b.v_count;
    double wanted[6];
    for (int r = 0; r < d; ++r) {
      const double* row = mass + (b.first_v + r) * n;
      wanted[r] = base.momentum[r];
      for (int k = 0; k < n; ++k) wanted[r] = fma(row[k], z[k] - z_free[k], wanted[r]);
    }
    const Vec3d l = base.axes * Vec3d{{wanted[d - 3], wanted[d - 2], wanted[d - 1]}};  // about p_n
    const SpatialInertia<double>& whole = end.composite[at_index(base.body)];
    const Vec3d p_now = end.pose[at_index(base.body)].p;
    SpatialForce<double> has = SpatialForce<double>::zero();  // about p_now
    for (int i : base.carried) {
      const auto j = at_index(i);
      has += shift(end.inertia[j] * end.velocity[j], p_now - end.pose[j].p);
    }
    const Mat3d to_joint = transpose(base.axes);
    const auto add = [](const Vec3d& x, double* to) {
      for (int c = 0; c < 3; ++c) to[c] += x[c];
    };
    if (d == 3) {  // a ball joint: about its centre, which does not move
      const Mat3d inertia = full(whole.about_point);
      const Vec3d missing = l - has.moment;
      Vec3d rigid = base.heavy ? Vec3d::zero() : inverse(inertia) * l;
      // Of each principal moment I: I^3 / (I^4 + small^4) in place of 1 / I.
      const Mat3d j = (1 / trace(inertia)) * inertia, j2 = j * j;
      const Mat3d softened = j2 * j2 + square(square(kLeastInertia)) * Mat3d::identity();
      const Vec3d turn = base.heavy
                             ? (1 / trace(inertia)) * (inverse(softened) * (j2 * (j * missing)))
                             : inverse(inertia) * missing;
      add(to_joint * turn, v + b.first_v);
      const double most = left_over(drift, base.body, h, l, rigid);
      slow_down(tree, end, base, Vec3d::zero(), rigid, most, v);
      continue;
    }
    const Vec3d p = base.axes * Vec3d{{wanted[0], wanted[1], wanted[2]}};
    const Vec3d c = (1 / whole.mass) * whole.first, before = c + p_now;
    const Vec3d after = base.centre + (h / whole.mass) * p;
    // Both about the centre of mass, which neither the shift nor what turns about it changes.
    const Vec3d missing = l - cross(after - base.origin, p) - shift(has, c).moment;
    const Mat3d inverse_inertia = inverse(full(shift(whole, c).about_point));
    const Vec3d turn = inverse_inertia * missing;
    const Vec3d slide = (1 / whole.mass) * (p - has.force) - cross(turn, c);
    add(to_joint * (after - before), q + b.first_q);
    add(to_joint * slide, v + b.first_v);
    add(to_joint * turn, v + b.first_v + 3);
    if (base.carried.size() == 1) continue;
    const Vec3d spin = l - cross(after - base.origin, p);
    Vec3d rigid = inverse_inertia * spin;
    const double most = left_over(drift, base.body, h, spin, rigid);
    slow_down(tree, end, base, (1 / whole.mass) * p - cross(rigid, c), rigid, most, v);
  }
}

}  // namespace haptos
