#include "haptos/dynamics/floating_base.h"

#include <algorithm>

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

Vec3d centre(const SpatialInertia<double>& i, const Vec3d& origin) {
  return (1 / i.mass) * i.first + origin;
}

Mat3d full(const Sym3<double>& s) {
  return {{s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz}};
}

}  // namespace

FloatingBase::FloatingBase(const Tree& tree) : data_(tree), tau_(at_index(tree.v_count)), product_(tau_.size()) {
  std::vector<int> root;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    root.push_back(b.parent < 0 ? static_cast<int>(i) : root[at_index(b.parent)]);
    if (b.parent < 0 && b.kind == JointKind::kFree && tree.armature[at_index(b.first_v)] == 0) {
      bases_.emplace_back();
      bases_.back().body = static_cast<int>(i);
      bases_.back().rows.resize(at_index(6 * tree.v_count));
    }
    for (Base& base : bases_)
      if (base.body == root.back()) base.carried.push_back(static_cast<int>(i));
  }
}

void FloatingBase::begin_step(const Tree& tree, TreeData<double>& start, double h, const double* v,
                              const double* mass, double* z_free) {
  if (bases_.empty()) return;
  rnea<double>(tree, start, v, nullptr, Vec3d::zero(), nullptr, tau_.data());
  aba<double>(tree, start, v, nullptr, Vec3d::zero(), nullptr, product_.data());
  const int n = tree.v_count;
  for (Base& base : bases_) {
    const TreeBody& b = tree.bodies[at_index(base.body)];
    std::copy_n(mass + b.first_v * n, 6 * n, base.rows.begin());
    for (int r = 0; r < 6; ++r) {
      const int i = b.first_v + r;
      z_free[i] -= 0.5 * h * product_[at_index(i)];
      base.impulse[r] = h * tau_[at_index(i)];
      for (int k = b.first_v; k < b.first_v + 6; ++k)
        base.impulse[r] += 0.5 * h * mass[i * n + k] * product_[at_index(k)];
    }
    const SpatialMotion<double>* turn = start.column.data() + b.first_v + 3;
    base.axes = columns(turn[0].angular, turn[1].angular, turn[2].angular);
    base.origin = start.pose[at_index(base.body)].p;
    base.centre = centre(start.composite[at_index(base.body)], start.origin);
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
    Vec3d wanted[2];
    for (int r = 0; r < 6; ++r) {
      double sum = base.impulse[r];
      for (int k = 0; k < n; ++k) sum = fma(base.rows[at_index(r * n + k)], v[k], sum);
      wanted[r / 3][r % 3] = sum;
    }
    const Vec3d p = base.axes * wanted[0];  // about p_n: moment too
    const Vec3d l = base.axes * wanted[1];

    const SpatialInertia<double>& whole = data_.composite[at_index(base.body)];
    const Vec3d before = centre(whole, data_.origin);
    const Vec3d after = base.centre + (h / whole.mass) * p;
    SpatialForce<double> has = SpatialForce<double>::zero();
    for (int i : base.carried) has += data_.inertia[at_index(i)] * data_.velocity[at_index(i)];
    // Both about the centre of mass, which neither the shift nor what turns about it changes.
    const Vec3d missing_l = l - cross(after - base.origin, p) -
                            (has.moment - cross(before - data_.origin, has.force));
    const Vec3d missing_p = p - has.force;
    const Vec3d c = before - data_.origin;
    const Mat3d inertia = full(whole.about_origin) -
                          whole.mass * (squared_norm(c) * Mat3d::identity() - outer(c, c));
    const Vec3d turn = inverse(inertia) * missing_l;
    const Vec3d slide =
        (1 / whole.mass) * missing_p + cross(turn, data_.pose[at_index(base.body)].p - before);

    const Mat3d to_joint = transpose(base.axes);
    const Vec3d shift = to_joint * (after - before);
    const Vec3d dv = to_joint * slide, dw = to_joint * turn;
    for (int c3 = 0; c3 < 3; ++c3) {
      q[b.first_q + c3] += shift[c3];
      v[b.first_v + c3] += dv[c3];
      v[b.first_v + 3 + c3] += dw[c3];
    }
  }
}

}  // namespace haptos
