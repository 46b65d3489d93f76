// The distance of two triangles, exact in every case, as a kernel on any scalar T.
//
//   d = min |x_a - x_b|,   x_a = sum_k u_k a_k,   x_b = sum_k v_k b_k,   u, v >= 0 with sum 1
//
// Triangles that are apart are closest at a corner of one over the inside of the other's face
// (6 cases) or at two edges, ends included (9 cases); the least of all is the distance. Triangles
// meet where an edge of one pierces the face of the other, or else some case above is zero.
//
//   two edges   s = clamp((ef rf - ff re) / (ee ff - ef^2)),  t = clamp((rf + s ef) / ff),
//               s = clamp((t ef - re) / ee)      with r = a_i - b_j and, say, ef = e . f
//   over face   n = f_0 x f_1,  inside where (n x f_j) . r_j > 0 for all j and, along the longest
//               edge, 0 < f_j . r_j < ff;  d = |n . r| / |n|
//
// Rounding: the distance is that of triangles that differ from the given ones by some eps L (L: the
// largest difference of coordinates). Normals keep the low part of their products, and the longest
// edge bounds what the sides of a needle leave open at its tips, so a needle is as good as any
// other triangle. Where edges are nearly parallel s comes from their cross product, as in
// closest.h, since the Gram determinant keeps too few digits. A triangle without area has no face
// and is the union of its edges; an edge without length is a point.
//
// Where the closest pair is unique, the result depends on the order of the triangles and of their
// corners by round-off only. Edges with a sine below 1e-6 count as parallel: they are closest along
// a stretch, and at its ends the gap exceeds the distance by 1e-6 of the stretch at most. Triangles
// that cross share a segment. Of both the two ends are returned, in no particular order. Where a
// face is parallel to an edge or to a face, one of the closest pairs is returned.
#pragma once

#include "haptos/geometry/query/closest.h"

namespace haptos {

/// Where two triangles are closest: a pair of points, or the two ends of an interval of such pairs.
template <class T>
struct TriangleDistance {
  T distance;          ///< [m]; 0 where they share a point
  T count;             ///< 2 for parallel edges and for triangles that cross, else 1
  Vec3<T> a[2], b[2];  ///< points of either triangle [m]; the same twice where count is 1
  T feature_a[2];      ///< the PtRegion of a[k], as a number of type T
  T feature_b[2];      ///< and of b[k]
};

namespace detail {

/// Squared sine below which two edges count as parallel.
inline constexpr double kParallelEdges = 1e-12;
/// Squared sine below which the Gram determinant errs by more than 1e-14 L in the distance.
inline constexpr double kNearlyParallelEdges = 1e-4;

/// x y - z w with an error of 1.5 ulp of the result (Kahan).
template <class T>
HAPTOS_HD T difference_of_products(T x, T y, T z, T w) {
  const T zw = z * w;
  return fma(x, y, -zw) + fma(-z, w, zw);
}

template <class T>
HAPTOS_HD Vec3<T> accurate_cross(const Vec3<T>& x, const Vec3<T>& y) {
  return {{difference_of_products(x[1], y[2], x[2], y[1]),
           difference_of_products(x[2], y[0], x[0], y[2]),
           difference_of_products(x[0], y[1], x[1], y[0])}};
}

template <class T>
HAPTOS_HD Vec3<T> select_point(const Mask<T>& m, const Vec3<T>& x, const Vec3<T>& y) {
  return {{select(m, x[0], y[0]), select(m, x[1], y[1]), select(m, x[2], y[2])}};
}

/// x[i] for an index that differs from lane to lane.
template <class T>
HAPTOS_HD Vec3<T> pick(const Vec3<T> (&x)[3], T i) {
  return select_point(i < T(0.5), x[0], select_point(i < T(1.5), x[1], x[2]));
}

/// (i + 1) mod 3.
template <class T>
HAPTOS_HD T next_corner(T i) {
  return select(i > T(1.5), T(0), i + T(1));
}

/// A point as a triangle sees it.
template <class T>
struct SeenPoint {
  Vec3<T> r[3];  // point - corner k
  T along[3];    // r[k] . edge[k]
};

/// What one triangle brings along: its edges from corner k to the next, and its face.
template <class T>
struct TriangleSide {
  Vec3<T> edge[3];
  T square[3], inverse[3];    // of the lengths of the edges
  Vec3<T> normal;             // edge[0] x edge[1], not of length one
  T inverse_normal;           // 1 / |normal|^2
  T least_inside;             // 0; without a face, more than any weight
  Vec3<T> inward[3];          // normal x edge: in the plane, into the triangle
  T longest, longest_square;  // which edge, and its squared length

  HAPTOS_HD explicit TriangleSide(const Vec3<T> (&x)[3]) {
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) {
      edge[k] = x[(k + 1) % 3] - x[k];
      square[k] = dot(edge[k], edge[k]);
      inverse[k] = safe_inverse(square[k]);
    }
    normal = accurate_cross(edge[0], edge[1]);
    const T nn = dot(normal, normal);
    using Plain = typename ScalarTraits<T>::Plain;
    least_inside = select(nn > tiny_square<T>(), T(0), T(std::numeric_limits<Plain>::max()));
    inverse_normal = safe_inverse(nn);
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) inward[k] = cross(normal, edge[k]);
    const Mask<T> second = square[1] > square[0];
    const T most = vmax(square[0], square[1]);
    longest = select(square[2] > most, T(2), select(second, T(1), T(0)));
    longest_square = vmax(most, square[2]);
  }

  /// normal . (point - face).
  HAPTOS_HD T height(const SeenPoint<T>& x) const { return dot(normal, x.r[0]); }

  /// Weights that are positive over the inside: from the three edges, and along the longest.
  HAPTOS_HD Vec<T, 5> weights(const SeenPoint<T>& x) const {
    const T q =
        select(longest < T(0.5), x.along[0], select(longest < T(1.5), x.along[1], x.along[2]));
    return {{dot(inward[0], x.r[0]), dot(inward[1], x.r[1]), dot(inward[2], x.r[2]), q,
             longest_square - q}};
  }
};

template <class T>
struct TrianglePair {
  TriangleSide<T> a, b;
  Vec3<T> r[3][3];                 // a_i - b_j
  T ef[3][3], re[3][3], rf[3][3];  // e_i . f_j, r_ij . e_i, r_ij . f_j

  HAPTOS_HD TrianglePair(const Vec3<T> (&x)[3], const Vec3<T> (&y)[3]) : a(x), b(y) {
    HAPTOS_UNROLL
    for (int i = 0; i < 3; ++i) {
      HAPTOS_UNROLL
      for (int j = 0; j < 3; ++j) {
        r[i][j] = x[i] - y[j];
        ef[i][j] = dot(a.edge[i], b.edge[j]);
      }
    }
    // r_i,j+1 = r_ij - f_j and r_i+1,j = r_ij + e_i.
    HAPTOS_UNROLL
    for (int k = 0; k < 3; ++k) {
      re[k][0] = dot(r[k][0], a.edge[k]);
      re[k][1] = re[k][0] - ef[k][0];
      re[k][2] = re[k][0] + ef[k][2];
      rf[0][k] = dot(r[0][k], b.edge[k]);
      rf[1][k] = rf[0][k] + ef[0][k];
      rf[2][k] = rf[0][k] - ef[2][k];
    }
  }

  HAPTOS_HD SeenPoint<T> corner_of_a(int i) const {
    return {{r[i][0], r[i][1], r[i][2]}, {rf[i][0], rf[i][1], rf[i][2]}};
  }
  HAPTOS_HD SeenPoint<T> corner_of_b(int j) const {
    return {{-r[0][j], -r[1][j], -r[2][j]}, {-re[0][j], -re[1][j], -re[2][j]}};
  }
};

/// The nearest case so far. Its number is 3 i + j for edges i of a and j of b, 9 + i for corner i
/// of a over the face of b, 12 + j for corner j of b over the face of a.
template <class T>
struct NearestCase {
  T square, number;
  T s, t;  // edges: parameters; else s is normal . (corner - face)
};

/// Takes edges i and j where they are nearer. Returns the squared sine less
/// kNearlyParallelEdges, times the squared lengths.
template <bool kAnyAngle, class T>
HAPTOS_HD T take_edges(const TrianglePair<T>& p, int i, int j, NearestCase<T>& best) {
  const T o(0), one(1);
  const Vec3<T>&e = p.a.edge[i], &f = p.b.edge[j], &r = p.r[i][j];
  const T ef = p.ef[i][j], re = p.re[i][j], rf = p.rf[i][j];
  const T whole = p.a.square[i] * p.b.square[j];
  const T gram = fma(-ef, ef, whole);
  T s = fma(ef, rf, -(p.b.square[j] * re)) * safe_inverse(gram);
  const T slant = fma(T(-kNearlyParallelEdges), whole, gram);
  if constexpr (kAnyAngle) {
    const Vec3<T> m = accurate_cross(e, f);
    s = select(slant < o, dot(cross(f, r), m) * safe_inverse(dot(m, m)), s);
  }
  s = clamp(s, o, one);
  const T t = clamp(fma(s, ef, rf) * p.b.inverse[j], o, one);
  s = clamp(fma(t, ef, -re) * p.a.inverse[i], o, one);
  const T square = squared_norm(axpy(-t, f, axpy(s, e, r)));
  const Mask<T> less = square < best.square;
  best.square = vmin(best.square, square);
  best.number = select(less, T(3 * i + j), best.number);
  best.s = select(less, s, best.s);
  best.t = select(less, t, best.t);
  return slant;
}

/// Takes a corner over the inside of a face where it is nearer. Returns its height.
template <class T>
HAPTOS_HD T take_corner(const TriangleSide<T>& face, const SeenPoint<T>& corner, int number,
                        NearestCase<T>& best) {
  const Vec<T, 5> w = face.weights(corner);
  const T least = vmin(vmin(vmin(w[0], w[1]), vmin(w[2], w[3])), w[4]);
  const T height = face.height(corner);
  const T over = height * height * face.inverse_normal;
  const T square = select(least > face.least_inside, over, best.square);
  const Mask<T> less = square < best.square;
  best.square = vmin(best.square, square);
  best.number = select(less, T(number), best.number);
  best.s = select(less, height, best.s);
  return height;
}

/// Takes the six corners over faces. Returns the larger of two products of the extreme heights over
/// the other's plane: where it is positive, one triangle lies on one side, and they cannot cross.
template <class T>
HAPTOS_HD T take_corners(const TrianglePair<T>& p, NearestCase<T>& best) {
  T h[2][3];
  HAPTOS_UNROLL
  for (int k = 0; k < 3; ++k) h[0][k] = take_corner(p.b, p.corner_of_a(k), 9 + k, best);
  HAPTOS_UNROLL
  for (int k = 0; k < 3; ++k) h[1][k] = take_corner(p.a, p.corner_of_b(k), 12 + k, best);
  T product[2];
  HAPTOS_UNROLL
  for (int q = 0; q < 2; ++q)
    product[q] = vmin(vmin(h[q][0], h[q][1]), h[q][2]) * vmax(vmax(h[q][0], h[q][1]), h[q][2]);
  return vmax(product[0], product[1]);
}

/// The PtRegion of the point at parameter s of edge i; within round-off of an end it is the vertex.
template <class T>
HAPTOS_HD T edge_feature(T i, T s) {
  using Plain = typename ScalarTraits<T>::Plain;
  const T snap(Plain(64) * std::numeric_limits<Plain>::epsilon());
  return select(s <= snap, i + T(4), select(s >= T(1) - snap, next_corner(i) + T(4), i + T(1)));
}

template <class T>
HAPTOS_HD Vec3<T> on_edge(const Vec3<T> (&x)[3], T i, T s) {
  return axpy(s, pick(x, next_corner(i)), pick(x, i) * (T(1) - s));
}

/// Points and features of the nearest case.
template <class T>
HAPTOS_HD TriangleDistance<T> nearest_pair(const Vec3<T> (&x)[3], const Vec3<T> (&y)[3],
                                           const TrianglePair<T>& p, const NearestCase<T>& best) {
  const T o(0), c = best.number;
  const Mask<T> over_b = (c > T(8.5)) & (c < T(11.5)), over_a = c > T(11.5), edges = c < T(8.5);
  const T row = select(c < T(2.5), o, select(c < T(5.5), T(1), T(2)));
  const T i = select(edges, row, c - T(9)), j = select(edges, c - T(3) * row, c - T(12));
  const T s = select(edges, best.s, o), t = select(edges, best.t, o);

  TriangleDistance<T> out;
  out.distance = sqrt(best.square);
  out.count = T(1);
  const Vec3<T> a = on_edge(x, i, s), b = on_edge(y, j, t);
  out.a[0] = select_point(over_a, axpy(-best.s * p.a.inverse_normal, p.a.normal, b), a);
  out.b[0] = select_point(over_b, axpy(-best.s * p.b.inverse_normal, p.b.normal, a), b);
  out.feature_a[0] = select(over_a, o, edge_feature(i, s));
  out.feature_b[0] = select(over_b, o, edge_feature(j, t));
  out.a[1] = out.a[0], out.b[1] = out.b[0];
  out.feature_a[1] = out.feature_a[0], out.feature_b[1] = out.feature_b[0];
  return out;
}

template <class T>
HAPTOS_HD void set_end(TriangleDistance<T>& out, int k, const Mask<T>& m, const Vec3<T>& a,
                       const Vec3<T>& b, T feature_a, T feature_b) {
  out.a[k] = select_point(m, a, out.a[k]);
  out.b[k] = select_point(m, b, out.b[k]);
  out.feature_a[k] = select(m, feature_a, out.feature_a[k]);
  out.feature_b[k] = select(m, feature_b, out.feature_b[k]);
}

template <class T>
HAPTOS_HD Mask<T> equals(T x, int k) {
  return (x > T(k - 0.5)) & (x < T(k + 0.5));
}

/// Whether the feature is edge i or one of its ends.
template <class T>
HAPTOS_HD Mask<T> belongs_to_edge(T feature, int i) {
  return equals(feature, 1 + i) | equals(feature, 4 + i) | equals(feature, 4 + (i + 1) % 3);
}

/// Where the nearest features lie on parallel edges i and j that run side by side over more than
/// `longest` (squared), both ends of the common stretch.
template <class T>
HAPTOS_HD void take_stretch(const Vec3<T> (&x)[3], const Vec3<T> (&y)[3], const TrianglePair<T>& p,
                            int i, int j, const T (&feature)[2], T& longest,
                            TriangleDistance<T>& out) {
  using Plain = typename ScalarTraits<T>::Plain;
  const T o(0), one(1), snap(Plain(64) * std::numeric_limits<Plain>::epsilon());
  const T ef = p.ef[i][j], re = p.re[i][j], rf = p.rf[i][j];
  const T ee = p.a.square[i], ff = p.b.square[j];
  // Where the ends of edge j fall on edge i, as parameters; `along`: both run the same way.
  const Mask<T> along = ef > o;
  const T s0 = -re * p.a.inverse[i], s1 = (ef - re) * p.a.inverse[i];
  const T low = select(along, s0, s1), high = select(along, s1, s0);
  const T from = clamp(low, o, one), to = clamp(high, o, one);
  const T length = square(to - from) * ee;
  const Mask<T> m = belongs_to_edge(feature[0], i) & belongs_to_edge(feature[1], j) &
                    (fma(-ef, ef, ee * ff) < T(kParallelEdges) * ee * ff) &
                    (length > T(1e-18) * (ee + ff)) & (length > longest);
  longest = select(m, length, longest);
  const T first = select(along, o, one), last = one - first;  // ends of edge j
  const T tf = select(low >= -snap, first, clamp(fma(from, ef, rf) * p.b.inverse[j], o, one));
  const T tl = select(high <= one + snap, last, clamp(fma(to, ef, rf) * p.b.inverse[j], o, one));
  const T ti(i), tj(j);
  set_end(out, 0, m, on_edge(x, ti, from), on_edge(y, tj, tf), edge_feature(ti, from),
          edge_feature(tj, tf));
  set_end(out, 1, m, on_edge(x, ti, to), on_edge(y, tj, tl), edge_feature(ti, to),
          edge_feature(tj, tl));
  out.count = select(m, T(2), out.count);
}

/// Both ends of the common stretch of parallel edges, where the nearest features lie on such.
template <class T>
HAPTOS_HD void take_parallel_edges(const Vec3<T> (&x)[3], const Vec3<T> (&y)[3],
                                   const TrianglePair<T>& p, TriangleDistance<T>& out) {
  const T feature[2] = {out.feature_a[0], out.feature_b[0]};
  T longest(0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) take_stretch(x, y, p, i, j, feature, longest, out);
}

/// Whether the edge from x to y pierces the inside of the face, and at which parameter.
template <class T>
HAPTOS_HD Mask<T> pierces(const TriangleSide<T>& face, const SeenPoint<T>& x, const SeenPoint<T>& y,
                          T& s) {
  const T o(0), h = face.height(x), fall = h - face.height(y);
  const Mask<T> level = (fall <= o) & (fall >= o);
  s = h / select(level, T(1), fall);
  const Vec<T, 5> w = face.weights(x), change = face.weights(y) - w;
  T least = fma(s, change[0], w[0]);
  for (int k = 1; k < 5; ++k) least = vmin(least, fma(s, change[k], w[k]));
  return (face.least_inside <= o) & !level & (s >= o) & (s <= T(1)) & (least >= o);
}

/// Both ends of the segment that crossing triangles share: the piercing points that are farthest
/// apart (generically there are two).
template <class T>
HAPTOS_HD void take_crossing(const Vec3<T> (&x)[3], const Vec3<T> (&y)[3], const TrianglePair<T>& p,
                             Mask<T> may_cross, TriangleDistance<T>& out) {
  const T o(0);
  Mask<T> found = o > T(1);
  T farthest(0), s;
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3;
      const Mask<T> hit =
          may_cross & (side ? pierces(p.a, p.corner_of_b(k), p.corner_of_b(next), s)
                            : pierces(p.b, p.corner_of_a(k), p.corner_of_a(next), s));
      if (!any(hit)) continue;
      const Vec3<T> point = on_edge(side ? y : x, T(k), s);
      const T edge = edge_feature(T(k), s), fa = side ? o : edge, fb = side ? edge : o;
      set_end(out, 0, hit & !found, point, point, fa, fb);
      set_end(out, 1, hit & !found, point, point, fa, fb);
      out.count = select(hit & !found, T(1), out.count);
      const T apart = squared_norm(point - out.a[0]);
      const Mask<T> farther = hit & found & (apart > farthest);
      farthest = select(farther, apart, farthest);
      set_end(out, 1, farther, point, point, fa, fb);
      out.count = select(farther, T(2), out.count);
      found = found | hit;
    }
  out.distance = select(found, o, out.distance);
}

}  // namespace detail

/// The distance of triangles a and b [m], and where they are closest.
template <class T>
HAPTOS_HD TriangleDistance<T> triangle_distance(const Vec3<T> (&a)[3], const Vec3<T> (&b)[3]) {
  using Plain = typename ScalarTraits<T>::Plain;
  const detail::TrianglePair<T> p(a, b);
  detail::NearestCase<T> best{T(std::numeric_limits<Plain>::max()), T(0), T(0), T(0)};
  T slant(0);
  HAPTOS_UNROLL
  for (int i = 0; i < 3; ++i) {
    HAPTOS_UNROLL
    for (int j = 0; j < 3; ++j) slant = vmin(slant, detail::take_edges<false>(p, i, j, best));
  }
  const bool nearly_parallel = any(slant < T(0));
  if (nearly_parallel) {
    best.square = T(std::numeric_limits<Plain>::max());
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) detail::take_edges<true>(p, i, j, best);
  }
  const Mask<T> may_cross = detail::take_corners(p, best) <= T(0);
  TriangleDistance<T> out = detail::nearest_pair(a, b, p, best);
  // Work that most packs are spared; it changes only the lanes that ask for it.
  if (nearly_parallel) detail::take_parallel_edges(a, b, p, out);
  if (any(may_cross)) detail::take_crossing(a, b, p, may_cross, out);
  return out;
}

}  // namespace haptos
