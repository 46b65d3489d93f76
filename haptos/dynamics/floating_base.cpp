#include "haptos/dynamics/floating_base.h"

#include <algorithm>

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

}  // namespace

bool floats(const Tree& tree, const TreeBody& b) {
  return b.parent < 0 && (b.kind == JointKind::kFree || b.kind == JointKind::kBall) &&
         tree.armature[at_index(b.first_v)] == 0;
}

FloatingBase::FloatingBase(const Tree& tree)
    : data_(tree), tau_(at_index(tree.v_count)), product_(tau_.size()) {
  std::vector<int> root;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    root.push_back(b.parent < 0 ? static_cast<int>(i) : root[at_index(b.parent)]);
    if (floats(tree, b)) {
      bases_.emplace_back();
      bases_.back().body = static_cast<int>(i);
      bases_.back().rows.resize(at_index(b.v_count * tree.v_count));
    }
    for (Base& base : bases_)
      if (base.body == root.back()) base.carried.push_back(static_cast<int>(i));
  }
}

void FloatingBase::scale_mass(const Tree& tree, int body, double scale) {
  haptos::scale_mass(tree, body, scale, data_);
}

void FloatingBase::begin_step(const Tree& tree, TreeData<double>& start, double h, const double* v,
                              const double* mass, double* z_free) {
  if (bases_.empty()) return;
  rnea<double>(tree, start, v, nullptr, Vec3d::zero(), nullptr, tau_.data());
  aba<double>(tree, start, v, nullptr, Vec3d::zero(), nullptr, product_.data());
  const int n = tree.v_count;
  for (Base& base : bases_) {
    const TreeBody& b = tree.bodies[at_index(base.body)];
    const int d = b.v_count;
    std::copy_n(mass + b.first_v * n, d * n, base.rows.begin());
    for (int r = 0; r < d; ++r) {
      const int i = b.first_v + r;
      z_free[i] -= 0.5 * h * product_[at_index(i)];
      base.impulse[r] = h * tau_[at_index(i)];
      for (int k = b.first_v; k < b.first_v + d; ++k)
        base.impulse[r] += 0.5 * h * mass[i * n + k] * product_[at_index(k)];
    }
    const Vec3d* turn = start.axis.data() + b.first_v + d - 3;
    base.axes = columns(turn[0], turn[1], turn[2]);
    base.origin = start.pose[at_index(base.body)].p;
    const SpatialInertia<double>& whole = start.composite[at_index(base.body)];
    if (d == 6) base.centre = (1 / whole.mass) * whole.first + base.origin;
  }
}

void FloatingBase::end_step(const Tree& tree, double h, double* q, double* v) {
  if (bases_.empty()) return;
  const int n = tree.v_count;
  update(tree, q, data_);
  composite_inertias(tree, data_);
  update_velocities(tree, v, data_);
  for (const Base& base : bases_) {
    const TreeBody& b = tree.bodies[at_index(base.body)];
    const int d = b.v_count;
    double wanted[6];
    for (int r = 0; r < d; ++r) {
      wanted[r] = base.impulse[r];
      for (int k = 0; k < n; ++k) wanted[r] = fma(base.rows[at_index(r * n + k)], v[k], wanted[r]);
    }
    const Vec3d l = base.axes * Vec3d{{wanted[d - 3], wanted[d - 2], wanted[d - 1]}};  // about p_n
    const SpatialInertia<double>& whole = data_.composite[at_index(base.body)];
    const Vec3d p_now = data_.pose[at_index(base.body)].p;
    SpatialForce<double> has = SpatialForce<double>::zero();  // about p_now
    for (int i : base.carried) {
      const auto j = at_index(i);
      has += shift(data_.inertia[j] * data_.velocity[j], p_now - data_.pose[j].p);
    }
    const Mat3d to_joint = transpose(base.axes);
    const auto add = [](const Vec3d& x, double* to) {
      for (int c = 0; c < 3; ++c) to[c] += x[c];
    };
    if (d == 3) {  // a ball joint: about its centre, which does not move
      add(to_joint * (inverse(full(whole.about_point)) * (l - has.moment)), v + b.first_v);
      continue;
    }
    const Vec3d p = base.axes * Vec3d{{wanted[0], wanted[1], wanted[2]}};
    const Vec3d c = (1 / whole.mass) * whole.first, before = c + p_now;
    const Vec3d after = base.centre + (h / whole.mass) * p;
    // Both about the centre of mass, which neither the shift nor what turns about it changes.
    const Vec3d missing = l - cross(after - base.origin, p) - shift(has, c).moment;
    const Vec3d turn = inverse(full(shift(whole, c).about_point)) * missing;
    const Vec3d slide = (1 / whole.mass) * (p - has.force) - cross(turn, c);
    add(to_joint * (after - before), q + b.first_q);
    add(to_joint * slide, v + b.first_v);
    add(to_joint * turn, v + b.first_v + 3);
  }
}

}  // namespace haptos
