// The kernel of affine_pairs.h and soft_affine_pairs.h: a pack of pairs to their energies, forces
// and the columns (u, v) whose symmetric products add up to the Hessian, and the product of many
// columns.
#pragma once

#include "haptos/base/math/lanes.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/query/distance.h"

namespace haptos::affine_pairs {

constexpr int kLanes = 4;
using Lane = Pack<double, kLanes>;
using Vec3l = Vec3<Lane>;

// Pairs of one sort share a kernel.
enum Sort { kVertex, kEdge, kFace, kEdges, kMollified, kSorts };

// The body that point k belongs to: 0 that of the soft surface, 1 the other.
constexpr int side_of(Sort s, bool corner, int k) {
  return s >= kEdges ? k / 2 : (k == 0) == corner;
}
constexpr int point_count(Sort s) { return s == kVertex ? 2 : s == kEdge ? 3 : 4; }
constexpr int free_count(Sort s) { return s == kVertex ? 0 : s == kEdge ? 1 : 2; }
constexpr int most_columns(Sort s) { return 3 + free_count(s) + (s == kMollified ? 8 : 0); }

// The four components per point of a body that moves: its weights, of a soft body one for the point
// itself, or for a driven body the motion of the point, of which three are used.
using Weight = Vec<Lane, 4>;

constexpr int kDriven = 0, kAffine = 4;

// omega (x) n of so many weights: of an affine body, or the points of a soft one; of a driven body
// the sum of products.
template <int kWeights>
struct Side {
  static constexpr int kSize = kWeights == kDriven ? 1 : 3 * kWeights;
  static void outer(const Weight& w, const Vec3l& n, Lane* out) {
    if constexpr (kWeights == kDriven) {
      out[0] = fma(w[0], n[0], fma(w[1], n[1], w[2] * n[2]));
    } else {
      for (int a = 0; a < kWeights; ++a)
        for (int c = 0; c < 3; ++c) out[3 * a + c] = w[a] * n[c];
    }
  }
  static void add_outer(const Weight& w, const Vec3l& n, Lane* out) {
    if constexpr (kWeights == kDriven) {
      out[0] = fma(w[0], n[0], fma(w[1], n[1], fma(w[2], n[2], out[0])));
    } else {
      for (int a = 0; a < kWeights; ++a)
        for (int c = 0; c < 3; ++c) out[3 * a + c] = fma(w[a], n[c], out[3 * a + c]);
    }
  }
};

// The unknowns of the pair: those of body A, then those of body B, or the driven motion of either.
template <int kA, int kB>
struct Unknowns {
  using A = Side<kA>;
  using B = Side<kB>;
  static constexpr int kSize = A::kSize + B::kSize;

  static void outer(const Weight (&w)[2], const Vec3l& n, Lane* out) {
    A::outer(w[0], n, out);
    B::outer(w[1], n, out + A::kSize);
  }
  static void add_outer(const Weight (&w)[2], const Vec3l& n, Lane* out) {
    A::add_outer(w[0], n, out);
    B::add_outer(w[1], n, out + A::kSize);
  }
};

// What a kernel reads of a pack of pairs.
struct Group {
  Vec3l x[4];
  Weight w[4];  // per point
  Lane gap, scale, threshold;
};

// What it leaves: energy, and the derivative by each point.
struct GroupForce {
  Lane energy;
  Vec3l point[4];
};

// A sum over the points of each body.
template <Sort kSort, bool kCorner>
inline void sum_sides(const Group& g, const Lane* factor, Weight (&out)[2]) {
  out[0] = out[1] = Weight::zero();
  for (int i = 0; i < point_count(kSort); ++i)
    for (int a = 0; a < 4; ++a)
      out[side_of(kSort, kCorner, i)][a] =
          fma(factor[i], g.w[i][a], out[side_of(kSort, kCorner, i)][a]);
}

template <Sort kSort>
Stencil<Lane> stencil_of(const Group& g) {
  if constexpr (kSort == kVertex)
    return point_point_stencil(g.x[0], g.x[1]);
  else if constexpr (kSort == kEdge)
    return point_edge_stencil(g.x[0], g.x[1], g.x[2]);
  else if constexpr (kSort == kFace)
    return point_triangle_stencil(g.x[0], g.x[1], g.x[2], g.x[3]);
  else
    return edge_edge_stencil(g.x[0], g.x[1], g.x[2], g.x[3]);
}

// Columns (u, v): the Hessian is the sum of u v^T + v u^T.
template <class U>
struct Columns {
  Lane* next;  // u then v, U::kSize each
  Lane* u() { return next; }
  Lane* v() { return next + U::kSize; }
  void done() { next += 2 * U::kSize; }
};

// A unit vector normal to the unit vector n, and a third normal to both.
inline void tangents(const Vec3l& n, Vec3l& t, Vec3l& s) {
  const Lane one(1), zero(0);
  const Lane sign = select(n[2] < zero, Lane(-1), one);
  const Lane a = Lane(-1) / (sign + n[2]), b = n[0] * n[1] * a;
  t = {{one + sign * n[0] * n[0] * a, sign * b, -sign * n[0]}};
  s = {{b, sign + n[1] * n[1] * a, -n[1]}};
}

// The columns of (omega (x) t)(omega (x) t)^T first / d for every direction t normal to n along
// which neither feature extends: none for face and interior pairs, one for an edge, two for
// vertices.
template <class U>
void bent_columns(const Group& g, const Stencil<Lane>& s, const Weight (&omega)[2], Lane first,
                  Columns<U>& c) {
  const Lane zero(0), one(1);
  Vec3l e[2];
  Lane length[2];
  for (int k = 0; k < 2; ++k) {
    e[k] = Vec3l::zero();
    for (int i = 0; i < 4; ++i) e[k] += (g.x[i] - g.x[0]) * s.dw(i, k);
    length[k] = squared_norm(e[k]);
  }
  const Mask<Lane> free0 = length[0] > zero, free1 = length[1] > zero;
  const Mask<Lane> bends = !(free0 & free1) & (s.d > zero);
  if (!any(bends)) return;
  const Mask<Lane> none = bends & !(free0 | free1);
  const Lane k = first * Lane(0.5) / select(bends, s.d, one);
  const Vec3l et = cross(detail::select3(free0, e[0], e[1]), s.n);
  Vec3l t[2];
  tangents(s.n, t[0], t[1]);
  t[0] = detail::select3(none, t[0], et * detail::inverse_norm(et));
  const Mask<Lane> when[2] = {bends, none};
  for (int i = 0; i < 2; ++i) {
    if (!any(when[i])) return;
    U::outer(omega, t[i] * select(when[i], k, zero), c.u());
    U::outer(omega, t[i], c.v());
    c.done();
  }
}

// The mollifier m(c), c = |e1 x e2|^2, of energy k m B(d): its part of the columns, and of the
// derivative by the points. gamma is grad d.
template <class U>
void mollified_columns(const Group& g, const MollifierValue<Lane>& f, const Vec3l (&y)[2],
                       const BarrierValue<Lane>& b, const Lane* gamma, Columns<U>& c) {
  const Lane one(1), zero(0);
  const Vec3l &e1 = y[0], &e2 = y[1];
  const Lane first[4] = {-one, one, zero, zero}, second[4] = {zero, zero, -one, one};
  Weight beta1[2], beta2[2];
  sum_sides<kMollified, false>(g, first, beta1);
  sum_sides<kMollified, false>(g, second, beta2);
  const Vec3l cr = cross(e1, e2);
  const Vec3l g1 = cross(e2, cr) * Lane(2), g2 = cross(cr, e1) * Lane(2);  // of c by e1 and by e2
  Lane gradient[U::kSize];
  U::outer(beta1, g1, gradient);
  U::add_outer(beta2, g2, gradient);
  // Mixed: B' (grad m grad d^T + its transpose); then B m'' grad c grad c^T.
  const Lane mixed = g.scale * b.first * f.m1, curved = g.scale * b.value * f.m2 * Lane(0.5);
  for (int i = 0; i < U::kSize; ++i) {
    c.u()[i] = mixed * gradient[i];
    c.v()[i] = gamma[i];
  }
  c.done();
  for (int i = 0; i < U::kSize; ++i) {
    c.u()[i] = curved * gradient[i];
    c.v()[i] = gradient[i];
  }
  c.done();
  // B m' hess c, of c = |y|^2 with y = e1 x e2: 2 |dy|^2 + 4 y . (de1 x de2).
  const Lane slope = g.scale * b.value * f.m1;
  for (int k = 0; k < 3; ++k) {
    Vec3l axis = Vec3l::zero();
    axis[k] = one;
    Lane dy[U::kSize];
    U::outer(beta1, cross(e2, axis), dy);
    U::add_outer(beta2, cross(axis, e1), dy);
    for (int i = 0; i < U::kSize; ++i) {
      c.u()[i] = slope * dy[i];
      c.v()[i] = dy[i];
    }
    c.done();
    U::outer(beta1, axis * (slope * Lane(2)), c.u());
    U::outer(beta2, cross(cr, axis), c.v());
    c.done();
  }
}

template <Sort kSort, bool kCorner, class U, bool kHessian>
void kernel(const Group& g, Lane support, GroupForce& out, Columns<U>& c) {
  const Stencil<Lane> s = stencil_of<kSort>(g);
  const BarrierValue<Lane> b = barrier(g.gap, support);
  MollifierValue<Lane> f{Lane(0), Lane(1), Lane(0), Lane(0)};
  if constexpr (kSort == kMollified)
    f = edge_edge_mollifier(g.x[0], g.x[1], g.x[2], g.x[3], g.threshold);
  const Lane first = g.scale * f.m * b.first, second = g.scale * f.m * b.second;
  out.energy = g.scale * f.m * b.value;
  for (int i = 0; i < 4; ++i) out.point[i] = s.n * (s.w[i] * first);
  const Vec3l e[2] = {g.x[1] - g.x[0], g.x[3] - g.x[2]};
  if constexpr (kSort == kMollified) {
    const Vec3l cr = cross(e[0], e[1]);
    const Lane k = g.scale * b.value * f.m1 * Lane(2);
    const Vec3l g1 = cross(e[1], cr) * k, g2 = cross(cr, e[0]) * k;
    out.point[0] -= g1, out.point[1] += g1;
    out.point[2] -= g2, out.point[3] += g2;
  }
  if constexpr (!kHessian) return;

  Weight omega[2];
  sum_sides<kSort, kCorner>(g, s.w.a, omega);
  Lane gamma[U::kSize];
  U::outer(omega, s.n, gamma);
  for (int i = 0; i < U::kSize; ++i) {
    c.u()[i] = second * Lane(0.5) * gamma[i];
    c.v()[i] = gamma[i];
  }
  c.done();
  const DistanceCurvature<Lane> k = distance_curvature(s, g.x[0], g.x[1], g.x[2], g.x[3]);
  constexpr int kFree = free_count(kSort);
  Weight alpha[2][2];
  for (int j = 0; j < kFree; ++j) {
    Lane dw[4];
    for (int i = 0; i < 4; ++i) dw[i] = s.dw(i, j);
    sum_sides<kSort, kCorner>(g, dw, alpha[j]);
  }
  for (int j = 0; j < kFree; ++j) {
    Weight turned[2] = {Weight::zero(), Weight::zero()};
    for (int l = 0; l < kFree; ++l) {
      const Lane r = dot(k.r[j], k.r[l]) * s.d * Lane(0.5);
      for (int side = 0; side < 2; ++side) turned[side] += alpha[l][side] * r;
    }
    U::outer(alpha[j], s.n * -first, c.u());
    U::outer(omega, k.r[j], c.v());
    U::add_outer(turned, s.n, c.v());
    c.done();
  }
  bent_columns<U>(g, s, omega, first, c);
  if constexpr (kSort == kMollified) mollified_columns<U>(g, f, e, b, gamma, c);
}

// Adds sum of u v^T over the columns to out, by the unknowns kBegin .. kBegin + kCount of kSize;
// blocks of 4 x 3 in registers, all lanes added up at the end.
template <int kSize, int kBegin, int kCount>
void multiply(const Lane* columns, std::ptrdiff_t count, double* out) {
  constexpr int kRows = 4, kColumns = 3, kStride = 2 * kSize;
  static_assert(kCount % kRows == 0 && kCount % kColumns == 0);
  for (int i0 = kBegin; i0 < kBegin + kCount; i0 += kRows)
    for (int j0 = kBegin; j0 < kBegin + kCount; j0 += kColumns) {
      Lane sum[kRows][kColumns];
      for (auto& r : sum)
        for (Lane& s : r) s = Lane(0);
      for (std::ptrdiff_t k = 0; k < count; ++k) {
        const Lane *u = columns + k * kStride + i0, *v = columns + k * kStride + kSize + j0;
        HAPTOS_UNROLL
        for (int i = 0; i < kRows; ++i) {
          HAPTOS_UNROLL
          for (int j = 0; j < kColumns; ++j) sum[i][j] = fma(u[i], v[j], sum[i][j]);
        }
      }
      for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kColumns; ++j)
          for (int l = 0; l < kLanes; ++l) out[(i0 + i) * kSize + j0 + j] += sum[i][j][l];
    }
}

// The row and the column of unknown kMoved, the driven motion.
template <int kSize, int kMoved>
void multiply_motion(const Lane* columns, std::ptrdiff_t count, double* out) {
  Lane row[kSize], column[kSize];
  for (int i = 0; i < kSize; ++i) row[i] = column[i] = Lane(0);
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    const Lane *u = columns + k * 2 * kSize, *v = u + kSize;
    for (int i = 0; i < kSize; ++i) {
      row[i] = fma(u[kMoved], v[i], row[i]);
      column[i] = fma(u[i], v[kMoved], column[i]);
    }
  }
  for (int i = 0; i < kSize; ++i)
    for (int l = 0; l < kLanes; ++l) {
      out[kMoved * kSize + i] += row[i][l];
      if (i != kMoved) out[i * kSize + kMoved] += column[i][l];
    }
}

}  // namespace haptos::affine_pairs
