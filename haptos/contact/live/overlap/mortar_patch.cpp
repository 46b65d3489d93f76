#include "haptos/contact/live/overlap/mortar_patch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/pairs/barrier_law.h"

namespace haptos {
namespace {

// [a] with [a] v = a x v.
Mat3d cross_matrix(const Vec3d& a) {
  Mat3d m = Mat3d::zero();
  m(0, 1) = -a[2], m(0, 2) = a[1];
  m(1, 0) = a[2], m(1, 2) = -a[0];
  m(2, 0) = -a[1], m(2, 1) = a[0];
  return m;
}

// Corners of a triangle and what stands against each: d(2 A n) = sum_i dx_i x side_i.
struct Sides {
  Vec3d side[3];
  Sides(const int (&p)[3], const std::vector<Vec3d>& x) {
    for (int i = 0; i < 3; ++i) side[i] = x[at_index(p[(i + 1) % 3])] - x[at_index(p[(i + 2) % 3])];
  }
};

// Sums over the samples of a patch. With weights b_i of the base's corners (i < 3) and p_j of the
// probe's (3 + j), and c = (-b, p): sums of w B' c, w B' g, and of w B'' c c^T, w B'' g c, w B'' g
// g.
struct Sums {
  double first[6] = {}, first_gap = 0;
  double second[6][6] = {}, second_gap[6] = {}, second_gap_gap = 0;
};

// The barrier; below the least gap of a held sample its parabola there, since planes go on beyond
// the rims of triangles.
BarrierValue<double> barrier_of(const MortarSample& q, double support) {
  if (q.gap >= q.least) return barrier(q.gap, support);
  const BarrierValue<double> b = barrier(q.least, support);
  const double d = q.gap - q.least;
  return {b.value + d * (b.first + 0.5 * d * b.second), b.first + d * b.second, b.second};
}

struct Derivatives {
  int node[6];    // points
  Vec3d m;        // d g / d node_i = c_i m - g turn_i
  Vec3d turn[6];  // zero beyond the base
};

Derivatives derivatives(const MortarPatch& p, const Sides& sides) {
  Derivatives d;
  d.m = p.m;
  const Vec3d tilt = p.m - p.n;
  for (int i = 0; i < 6; ++i) {
    d.node[i] = i < 3 ? p.base[i] : p.probe[i - 3];
    d.turn[i] = i < 3 ? cross(sides.side[i], tilt) * (1 / p.twice_area) : Vec3d::zero();
  }
  return d;
}

// Adds (+ transposed) a matrix that couples nodes i and j of the Hessian.
struct Blocks {
  Mat3d block[6][6];
  Blocks() {
    for (auto& row : block)
      for (Mat3d& b : row) b = Mat3d::zero();
  }
  void add_symmetric(int i, int j, const Mat3d& h) {
    block[i][j] += h;
    block[j][i] += transpose(h);
  }
};

// What B' d2g adds: - (P^T V + V^T P) - (G q^T + q G^T), P = dM / (M . n) the turn of
// the master's normal, V the slide of the foot over it, q = m_t . dn, G = sum w B' dg.
void add_curvature(const MortarPatch& p, const Sums& s, const Derivatives& d,
                   const Vec3d (&gradient)[6], const std::vector<Vec3d>& x, Blocks& h) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j) h.add_symmetric(j, i, outer(gradient[j], d.turn[i]) * -1.0);
  const Sides probe(p.probe, x);
  const Vec3d big = cross(x[at_index(p.probe[1])] - x[at_index(p.probe[0])],
                          x[at_index(p.probe[2])] - x[at_index(p.probe[0])]);
  const double scale = -1 / dot(big, p.n);
  for (int i = 0; i < 6; ++i) {
    const Mat3d slide = Mat3d::identity() * -s.first[i] + outer(p.n, gradient[i]);
    for (int j = 0; j < 3; ++j)
      h.add_symmetric(3 + j, i, cross_matrix(probe.side[j]) * slide * scale);
  }
}

}  // namespace

Energy evaluate_patch(const MortarPatch& p, std::span<const MortarSample> samples, double support,
                      const Points& points, Assembly* assembly, bool project) {
  double energy = 0;
  Sums s;
  const bool hessian = assembly && assembly->wants_hessian();
  for (int k = p.first; k < p.end; ++k) {
    const MortarSample& q = samples[at_index(k)];
    if (!std::isfinite(q.gap)) return {std::numeric_limits<double>::infinity(), 0};
    const BarrierValue<double> b = barrier_of(q, support);
    energy += q.scale * b.value;
    if (!assembly) continue;
    double c[6];
    for (int i = 0; i < 3; ++i) {
      c[i] = -q.base[i];
      c[3 + i] = q.probe[i];
    }
    const double first = q.scale * b.first, second = q.scale * b.second;
    s.first_gap += first * q.gap;
    for (int i = 0; i < 6; ++i) s.first[i] += first * c[i];
    if (!hessian) continue;
    s.second_gap_gap += second * q.gap * q.gap;
    for (int i = 0; i < 6; ++i) {
      s.second_gap[i] += second * q.gap * c[i];
      for (int j = 0; j <= i; ++j) s.second[i][j] += second * c[i] * c[j];
    }
  }
  if (!assembly) return {energy, energy};
  const Sides sides(p.base, points.x);
  const Derivatives d = derivatives(p, sides);
  Vec3d gradient[6];
  for (int i = 0; i < 6; ++i) gradient[i] = d.m * s.first[i] - d.turn[i] * s.first_gap;
  for (int i = 0; i < 6; ++i) assembly->add_gradient(d.node[i], gradient[i]);
  if (!hessian) return {energy, energy};
  Blocks h;
  const Mat3d mm = outer(d.m, d.m);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      Mat3d b = mm * s.second[i][j];
      if (i < 3) b -= outer(d.turn[i], d.m) * s.second_gap[j];
      if (j < 3) b -= outer(d.m, d.turn[j]) * s.second_gap[i];
      if (i < 3 && j < 3) b += outer(d.turn[i], d.turn[j]) * s.second_gap_gap;
      h.block[i][j] += b;
      if (i != j) h.block[j][i] += transpose(b);
    }
  if (!project) add_curvature(p, s, d, gradient, points.x, h);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) assembly->add_hessian(d.node[i], d.node[j], h.block[i][j]);
  return {energy, energy};
}

}  // namespace haptos
