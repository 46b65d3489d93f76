#include "haptos/contact/live/pairs/stencil_pair.h"

#include <cmath>

#include "haptos/base/math/clamp_positive.h"
#include "haptos/contact/live/pairs/barrier_law.h"

namespace haptos {
namespace {

// The four points of the pair's stencil, as weighted points, and how many there are.
int stencil_points(const BarrierPair& pair, WeightedPoint out[4]) {
  int n = 0;
  if (pair.kind == PairKind::kEdges) {
    out[n++] = single(pair.source.point[0]);
    out[n++] = single(pair.source.point[1]);
  } else {
    out[n++] = pair.source;
  }
  for (int k = 0; k < pair.target_count; ++k) out[n++] = single(pair.target[k]);
  return n;
}

Stencil<double> make_stencil(const BarrierPair& pair, const Vec3d x[4]) {
  if (pair.kind == PairKind::kEdges) return edge_edge_stencil(x[0], x[1], x[2], x[3]);
  if (pair.target_count == 3) return point_triangle_stencil(x[0], x[1], x[2], x[3]);
  if (pair.target_count == 2) return point_edge_stencil(x[0], x[1], x[2]);
  return point_point_stencil(x[0], x[1]);
}

// Hessian by the source point of a pair whose target stands still; curvature of the distance to an
// edge or to a vertex included.
Mat3d source_hessian(const BarrierPair& pair, const Stencil<double>& s, const Vec3d x[4],
                     double first, double second) {
  Mat3d h = outer(s.n, s.n) * second;
  if (pair.target_count == 3) return h;
  Mat3d c = Mat3d::identity() - outer(s.n, s.n);
  if (pair.target_count == 2) {
    const Vec3d t = normalized(x[2] - x[1]);
    c -= outer(t, t);
  }
  return h + c * (first / s.d);
}

// Clamps what depends on differences of n points only: a matrix of three fewer rows, in the
// orthonormal coordinates (x_0 + .. + x_k-1 - k x_k) / sqrt(k (k + 1)).
void clamp_differences(Mat<double, 12, 12>& h, int n) {
  double q[3][4] = {};
  for (int k = 1; k < n; ++k) {
    const double scale = 1 / std::sqrt(static_cast<double>(k * (k + 1)));
    for (int i = 0; i < k; ++i) q[k - 1][i] = scale;
    q[k - 1][k] = -k * scale;
  }
  Mat<double, 9, 9> small = Mat<double, 9, 9>::zero();
  Mat3d half[3][4];  // rows of the one, columns of the other
  const auto block = [&](int i, int j) {
    Mat3d b;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) b(r, c) = h(3 * i + r, 3 * j + c);
    return b;
  };
  for (int k = 0; k < n - 1; ++k)
    for (int j = 0; j < n; ++j) {
      half[k][j] = Mat3d::zero();
      for (int i = 0; i < n; ++i) half[k][j] += block(i, j) * q[k][i];
    }
  for (int k = 0; k < n - 1; ++k)
    for (int l = 0; l < n - 1; ++l)
      for (int j = 0; j < n; ++j)
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) small(3 * k + r, 3 * l + c) += half[k][j](r, c) * q[l][j];
  clamp_positive_block(small, 3 * (n - 1));
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < n - 1; ++l) {
      half[l][i] = Mat3d::zero();
      for (int k = 0; k < n - 1; ++k)
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) half[l][i](r, c) += q[k][i] * small(3 * k + r, 3 * l + c);
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Mat3d b = Mat3d::zero();
      for (int l = 0; l < n - 1; ++l) b += half[l][i] * q[l][j];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) h(3 * i + r, 3 * j + c) = b(r, c);
    }
}

void add_general(const WeightedPoint p[4], int n, const Mat<double, 12, 12>& h,
                 Assembly& assembly) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      Mat3d block;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) block(r, c) = h(3 * i + r, 3 * j + c);
      assembly.add_hessian(p[i], p[j], block, i == j);
    }
}

}  // namespace

Energy evaluate_pair(const BarrierPair& pair, double support, const Points& points,
                     Assembly* assembly, bool project, RigidTarget* rigid) {
  WeightedPoint p[4];
  const int n = stencil_points(pair, p);
  Vec3d x[4] = {Vec3d::zero(), Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
  for (int i = 0; i < n; ++i) x[i] = at(points.x, p[i]);
  const double scale = pair.count * pair.scale;
  StencilFunction<double> m;
  m.value = 1;
  if (pair.mollifier > 0)
    m = edge_edge_mollifier_derivatives(x[0], x[1], x[2], x[3], pair.mollifier);

  const BarrierValue<double> b = barrier(pair.gap, support);
  const double energy = scale * m.value * b.value;
  if (!assembly) return {energy, std::abs(energy)};

  const Stencil<double> s = make_stencil(pair, x);
  Vec<double, 12> g = distance_gradient(s) * (scale * m.value * b.first);
  if (pair.mollifier > 0) g += m.gradient * (scale * b.value);
  for (int i = 0; i < n; ++i)
    assembly->add_gradient(p[i], Vec3d{{g[3 * i], g[3 * i + 1], g[3 * i + 2]}});
  if (!assembly->wants_hessian()) return {energy, std::abs(energy)};

  const double first = scale * m.value * b.first, second = scale * m.value * b.second;
  if (rigid) {
    rigid->hessian += source_hessian(pair, s, x, first, second);
    if (pair.gap < rigid->gap) {
      rigid->gap = pair.gap;
      rigid->nearest = &pair;
      for (int k = 0; k < pair.target_count; ++k) rigid->weight[k] = s.w[k + 1];
    }
    return {energy, std::abs(energy)};
  }
  const Vec<double, 12> gd = distance_gradient(s);
  Mat<double, 12, 12> h = outer(gd, gd) * second;
  h += distance_hessian(s, x[0], x[1], x[2], x[3]) * first;
  if (pair.mollifier > 0) {
    h += m.hessian * (scale * b.value);
    const Mat<double, 12, 12> mixed = outer(m.gradient, gd) * (scale * b.first);
    h += mixed + transpose(mixed);
  }
  if (project) clamp_differences(h, n);
  add_general(p, n, h, *assembly);
  return {energy, std::abs(energy)};
}

void add_rigid_target(RigidTarget& r, bool project, Assembly& assembly) {
  if (!r.nearest) return;
  if (project) clamp_positive_block(r.hessian, 3);
  assembly.add_hessian(r.nearest->source, r.nearest->source, r.hessian, true);
  if (!assembly.driven_motion()) return;
  for (int k = 0; k < r.nearest->target_count; ++k)
    assembly.add_hessian(r.nearest->source, single(r.nearest->target[k]), r.hessian * r.weight[k],
                         false);
}

PairPress press_of(const BarrierPair& pair, double support, const Points& points) {
  WeightedPoint p[4];
  const int n = stencil_points(pair, p);
  Vec3d x[4] = {Vec3d::zero(), Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
  for (int i = 0; i < n; ++i) x[i] = at(points.x, p[i]);
  const Stencil<double> s = make_stencil(pair, x);
  const int split = pair.kind == PairKind::kEdges ? 2 : 1;
  // Closest points of source and target, as material points.
  WeightedPoint source = pair.source, target;
  if (split == 2) {
    source.weight[0] = s.w[0];
    source.weight[1] = s.w[1];
  }
  target.count = pair.target_count;
  for (int k = 0; k < pair.target_count; ++k) {
    target.point[k] = pair.target[k];
    target.weight[k] = -s.w[split + k];
  }
  const bool swap = pair.kind == PairKind::kCorner;  // the source belongs to the collider
  double m = 1;
  if (pair.mollifier > 0) m = edge_edge_mollifier(x[0], x[1], x[2], x[3], pair.mollifier).m;
  return {swap ? target : source, swap ? source : target, swap ? -s.n : s.n,
          -pair.count * pair.scale * m * barrier(pair.gap, support).first};
}

ContactPoint record_pair(const BarrierPair& pair, double support, const Points& points,
                         const ContactSurface& soft, const ContactSurface& collider) {
  const PairPress press = press_of(pair, support, points);
  const bool swap = pair.kind == PairKind::kCorner;
  ContactPoint c;
  c.env = soft.env;
  c.body_a = soft.body;
  c.body_b = collider.body;
  c.surface_a = soft.part;
  c.surface_b = collider.part;
  const auto kind = static_cast<std::int64_t>(pair.kind);
  const auto feature = static_cast<std::int64_t>(pair.feature);
  c.feature_a =
      kind * kFeatureKind + (swap ? pair.target_id + feature * (kFeatureKind / 4) : pair.source_id);
  c.feature_b =
      kind * kFeatureKind + (swap ? pair.source_id : pair.target_id + feature * (kFeatureKind / 4));
  c.point_a = press.a;
  c.point_b = press.b;
  c.p = (at(points.x, press.a) + at(points.x, press.b)) * 0.5;
  c.n = press.n;
  c.gap = pair.gap;
  c.area = pair.kind == PairKind::kSample ? pair.count * pair.area : 0.0;
  c.normal_force = press.force;
  c.force = c.n * c.normal_force;
  const Vec3d slip = at(points.u, c.point_a) - at(points.u, c.point_b);
  c.slip = slip - c.n * dot(slip, c.n);
  return c;
}

}  // namespace haptos
