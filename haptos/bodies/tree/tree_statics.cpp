#include "haptos/bodies/tree/tree_statics.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// G of the header, times `scale`, added to `armature`.
void add_bend_of_weight(const Tree& tree, const TreeData<double>& at, const Vec3d& gravity,
                        double scale, std::vector<double>& armature) {
  for (int k = 0; k < tree.v_count; ++k) {
    const auto body = at_index(tree.body_of[at_index(k)]);
    const SpatialInertia<double>& carried = at.composite[body];
    const Vec3d moves = tree.slides[at_index(k)] ? at.axis[at_index(k)] * carried.mass
                                                 : cross(at.axis[at_index(k)], carried.first);
    for (int j = k; j >= 0; j = tree.parent_of[at_index(j)]) {
      if (tree.slides[at_index(j)]) continue;
      const double bend = scale * std::abs(dot(gravity, cross(at.axis[at_index(j)], moves)));
      armature[at_index(k)] += bend;
      if (j != k) armature[at_index(j)] += bend;
    }
  }
}

}  // namespace

void begin_static_step(const Tree& tree, TreeData<double>& at, const FreeStep& step, double s,
                       double* z_free, double* w) {
  const int n = tree.v_count;
  const std::vector<double> armature = at.armature;
  composite_inertias(tree, at);
  add_bend_of_weight(tree, at, step.gravity, step.h * step.h / s, at.armature);
  aba<double>(tree, at, nullptr, step.torque, step.gravity, step.wrench, z_free);
  crba(tree, at, w);
  at.armature = armature;
  for (int k = 0; k < n; ++k) z_free[k] *= step.h / s;
  for (int k = 0; k < n * n; ++k) w[k] *= s;
}

void end_static_step(const Tree& tree, const FreeStep& step, const double* z, const double* z_free,
                     const double* w, double* q, double* v, double* effort) {
  const int n = tree.v_count;
  for (int i = 0; i < n; ++i) {
    double impulse = step.h * step.torque[i];
    for (int j = 0; j < n; ++j) impulse = fma(w[i * n + j], z[j] - z_free[j], impulse);
    effort[i] = impulse / step.h;
  }
  integrate(tree, step.q, z, step.h, q);
  std::copy_n(z, n, v);
}

}  // namespace haptos
