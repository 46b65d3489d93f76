#include "haptos/geometry/query/exact.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstddef>

#include "haptos/geometry/query/bvh.h"

namespace haptos {
namespace {

// x + y = s + e exactly, s = fl(x + y).
void two_sum(double x, double y, double& s, double& e) {
  s = x + y;
  const double bb = s - x;
  e = (x - (s - bb)) + (y - bb);
}

// A sum of doubles that do not overlap, in order of growing magnitude, zeros left out; its sign is
// that of its last term. N is the most terms it can need.
template <int N>
struct Expansion {
  double term[N];
  int size = 0;

  int sign() const { return size == 0 ? 0 : (term[size - 1] > 0 ? 1 : -1); }

  // Adds one double: every partial sum is kept with its rounding error.
  void add(double x) {
    double q = x;
    int n = 0;
    for (int i = 0; i < size; ++i) {
      double s, e;
      two_sum(q, term[i], s, e);
      q = s;
      if (e != 0) term[n++] = e;
    }
    if (q != 0) term[n++] = q;
    size = n;
  }
  void add_product(double x, double y) {
    const double p = x * y;
    add(std::fma(x, y, -p));
    add(p);
  }
};

using Difference = Expansion<2>;

Difference difference(double x, double y) {
  Difference d;
  double s, e;
  two_sum(x, -y, s, e);
  if (e != 0) d.term[d.size++] = e;
  if (s != 0) d.term[d.size++] = s;
  return d;
}

// x * y - z * w
Expansion<16> minor2(const Difference& x, const Difference& y, const Difference& z,
                     const Difference& w) {
  Expansion<16> m;
  for (int i = 0; i < x.size; ++i)
    for (int j = 0; j < y.size; ++j) m.add_product(x.term[i], y.term[j]);
  for (int i = 0; i < z.size; ++i)
    for (int j = 0; j < w.size; ++j) m.add_product(-z.term[i], w.term[j]);
  return m;
}

// The power of two that brings the largest magnitude to about 2^300, so that products of three
// neither overflow nor, within the stated limits, lose their last bits to underflow.
double scale_for(double largest) {
  int e = 0;
  std::frexp(largest, &e);
  return std::ldexp(1.0, std::clamp(300 - e, -1000, 1000));
}

double largest_of(std::initializer_list<Vec3d> points) {
  double m = 0;
  for (const Vec3d& p : points)
    for (int k = 0; k < 3; ++k) m = std::max(m, std::abs(p[k]));
  return m;
}

int orient3d_exact(Vec3d a, Vec3d b, Vec3d c, Vec3d d) {
  const double s = scale_for(largest_of({a, b, c, d}));
  a *= s;
  b *= s;
  c *= s;
  d *= s;
  Difference u[3], v[3], w[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = difference(b[k], a[k]);
    v[k] = difference(c[k], a[k]);
    w[k] = difference(d[k], a[k]);
  }
  Expansion<192> sum;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const Expansion<16> m = minor2(u[i], v[j], u[j], v[i]);
    for (int p = 0; p < m.size; ++p)
      for (int q = 0; q < w[k].size; ++q) sum.add_product(m.term[p], w[k].term[q]);
  }
  return sum.sign();
}

int orient2d_exact(Vec2d a, Vec2d b, Vec2d c) {
  double m = 0;
  for (int k = 0; k < 2; ++k) m = std::max({m, std::abs(a[k]), std::abs(b[k]), std::abs(c[k])});
  const double s = scale_for(m);
  a *= s;
  b *= s;
  c *= s;
  return minor2(difference(b[0], a[0]), difference(c[1], a[1]), difference(b[1], a[1]),
                difference(c[0], a[0]))
      .sign();
}

constexpr double kUlp = DBL_EPSILON / 2;  // Shewchuk's epsilon
constexpr double kBound3 = (7 + 56 * kUlp) * kUlp;
constexpr double kBound2 = (3 + 16 * kUlp) * kUlp;
// Below this a product may have been rounded as a subnormal, which the bounds do not cover.
constexpr double kTrusted = 1e-290;

// The plane coordinates left when axis `k` is dropped.
Vec2d project(const Vec3d& p, int k) { return {{p[(k + 1) % 3], p[(k + 2) % 3]}}; }

// An axis along which the triangle's projection has area, or -1 when the triangle has none. Of
// several, the one with the largest projection, which keeps the tests that follow in the filter.
int projection_axis(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const Vec3d n = cross(b - a, c - a);
  int order[3] = {0, 1, 2};
  std::sort(order, order + 3, [&](int i, int j) {
    return std::abs(n[i]) != std::abs(n[j]) ? std::abs(n[i]) > std::abs(n[j]) : i < j;
  });
  for (const int k : order)
    if (orient2d_sign(project(a, k), project(b, k), project(c, k)) != 0) return k;
  return -1;
}

bool intervals_overlap(double a, double b, double c, double d) {
  return std::max(std::min(a, b), std::min(c, d)) <= std::min(std::max(a, b), std::max(c, d));
}

template <int N>
bool ranges_overlap(const Vec<double, N>& a, const Vec<double, N>& b, const Vec<double, N>& c,
                    const Vec<double, N>& d) {
  for (int k = 0; k < N; ++k)
    if (!intervals_overlap(a[k], b[k], c[k], d[k])) return false;
  return true;
}

bool segments_intersect_2d(const Vec2d& a, const Vec2d& b, const Vec2d& c, const Vec2d& d) {
  if (!ranges_overlap(a, b, c, d)) return false;
  // Collinear segments whose ranges overlap along both axes share a point: all signs are 0 then.
  return orient2d_sign(a, b, c) * orient2d_sign(a, b, d) <= 0 &&
         orient2d_sign(c, d, a) * orient2d_sign(c, d, b) <= 0;
}

bool in_triangle_2d(const Vec2d& p, const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const int s0 = orient2d_sign(a, b, p), s1 = orient2d_sign(b, c, p), s2 = orient2d_sign(c, a, p);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

// p, q, a, b, c in one plane, the triangle with area.
bool coplanar_segment_triangle(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                               const Vec3d& c) {
  const int k = projection_axis(a, b, c);
  const Vec2d u = project(p, k), v = project(q, k);
  const Vec2d x = project(a, k), y = project(b, k), z = project(c, k);
  return in_triangle_2d(u, x, y, z) || in_triangle_2d(v, x, y, z) ||
         segments_intersect_2d(u, v, x, y) || segments_intersect_2d(u, v, y, z) ||
         segments_intersect_2d(u, v, z, x);
}

bool segment_edges_intersect(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                             const Vec3d& c) {
  return segments_intersect(p, q, a, b) || segments_intersect(p, q, b, c) ||
         segments_intersect(p, q, c, a);
}

Aabb triangle_box(const TriMesh& m, std::size_t t) {
  return Aabb::of(m.vertices[static_cast<std::size_t>(m.triangles[t][0])],
                  m.vertices[static_cast<std::size_t>(m.triangles[t][1])],
                  m.vertices[static_cast<std::size_t>(m.triangles[t][2])]);
}

Bvh triangle_tree(const TriMesh& m) {
  std::vector<Aabb> boxes(m.triangles.size());
  for (std::size_t t = 0; t < boxes.size(); ++t) boxes[t] = triangle_box(m, t);
  return Bvh(boxes);
}

const Vec3d& corner(const TriMesh& m, int t, int k) {
  return m.vertices[static_cast<std::size_t>(m.triangles[static_cast<std::size_t>(t)][k])];
}

// Triangles (u, v, a) and (u, v, b) of one mesh.
bool fold_onto_each_other(const Vec3d& u, const Vec3d& v, const Vec3d& a, const Vec3d& b) {
  if (collinear(u, v, a) || collinear(u, v, b)) return true;
  if (orient3d_sign(u, v, a, b) != 0) return false;
  const int k = projection_axis(u, v, a);
  return orient2d_sign(project(u, k), project(v, k), project(a, k)) ==
         orient2d_sign(project(u, k), project(v, k), project(b, k));
}

bool meet_beyond_neighbourhood(const TriMesh& m, int s, int t) {
  const Vec3i& x = m.triangles[static_cast<std::size_t>(s)];
  const Vec3i& y = m.triangles[static_cast<std::size_t>(t)];
  const auto repeats = [](const Vec3i& v) { return v[0] == v[1] || v[1] == v[2] || v[2] == v[0]; };
  if (repeats(x) || repeats(y)) return false;
  int common = 0, at_s = 0, at_t = 0;  // the last common corner
  int free_s = 3, free_t = 3;          // sums of corner numbers less the common ones
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (x[i] == y[j]) {
        ++common;
        at_s = i;
        at_t = j;
        free_s -= i;
        free_t -= j;
      }
  const auto p = [&](int i) -> const Vec3d& { return corner(m, s, i % 3); };
  const auto q = [&](int j) -> const Vec3d& { return corner(m, t, j % 3); };
  if (common == 0) return triangles_intersect(p(0), p(1), p(2), q(0), q(1), q(2));
  // What two triangles share beyond a common corner is convex and reaches it, so it ends on the
  // side opposite that corner in one of them.
  if (common == 1)
    return segment_triangle_intersect(p(at_s + 1), p(at_s + 2), q(0), q(1), q(2)) ||
           segment_triangle_intersect(q(at_t + 1), q(at_t + 2), p(0), p(1), p(2));
  if (common == 2) return fold_onto_each_other(p(free_s + 1), p(free_s + 2), p(free_s), q(free_t));
  return true;
}

}  // namespace

int orient3d_sign(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const Vec3d u = b - a, v = c - a, w = d - a;
  const double p0 = u[1] * v[2], q0 = u[2] * v[1];
  const double p1 = u[2] * v[0], q1 = u[0] * v[2];
  const double p2 = u[0] * v[1], q2 = u[1] * v[0];
  const double det = (p0 - q0) * w[0] + (p1 - q1) * w[1] + (p2 - q2) * w[2];
  const double magnitude = (std::abs(p0) + std::abs(q0)) * std::abs(w[0]) +
                           (std::abs(p1) + std::abs(q1)) * std::abs(w[1]) +
                           (std::abs(p2) + std::abs(q2)) * std::abs(w[2]);
  const double bound = kBound3 * magnitude;
  if (std::abs(det) > bound && magnitude > kTrusted && magnitude < DBL_MAX) return det > 0 ? 1 : -1;
  return orient3d_exact(a, b, c, d);
}

int orient2d_sign(const Vec2d& a, const Vec2d& b, const Vec2d& c) {
  const double l = (b[0] - a[0]) * (c[1] - a[1]), r = (b[1] - a[1]) * (c[0] - a[0]);
  const double det = l - r, magnitude = std::abs(l) + std::abs(r);
  if (std::abs(det) > kBound2 * magnitude && magnitude > kTrusted && magnitude < DBL_MAX)
    return det > 0 ? 1 : -1;
  return orient2d_exact(a, b, c);
}

bool collinear(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return projection_axis(a, b, c) < 0;
}

bool segments_intersect(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  if (!ranges_overlap(a, b, c, d) || orient3d_sign(a, b, c, d) != 0) return false;
  int k = projection_axis(a, b, c);
  if (k < 0) k = projection_axis(a, b, d);
  if (k < 0) k = projection_axis(c, d, a);
  if (k < 0) k = projection_axis(c, d, b);
  if (k < 0) return true;  // all on one line, with ranges that overlap along every axis
  return segments_intersect_2d(project(a, k), project(b, k), project(c, k), project(d, k));
}

bool segment_triangle_intersect(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                                const Vec3d& c) {
  const int sp = orient3d_sign(a, b, c, p), sq = orient3d_sign(a, b, c, q);
  if (sp * sq > 0) return false;
  if (sp == 0 && sq == 0)
    return collinear(a, b, c) ? segment_edges_intersect(p, q, a, b, c)
                              : coplanar_segment_triangle(p, q, a, b, c);
  // The segment crosses or touches the plane in one point.
  const int s0 = orient3d_sign(p, q, a, b), s1 = orient3d_sign(p, q, b, c),
            s2 = orient3d_sign(p, q, c, a);
  return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

bool triangles_intersect(const Vec3d& a0, const Vec3d& a1, const Vec3d& a2, const Vec3d& b0,
                         const Vec3d& b1, const Vec3d& b2) {
  if (!Aabb::of(a0, a1, a2).overlaps(Aabb::of(b0, b1, b2))) return false;
  const int s0 = orient3d_sign(a0, a1, a2, b0), s1 = orient3d_sign(a0, a1, a2, b1),
            s2 = orient3d_sign(a0, a1, a2, b2);
  if ((s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0)) return false;
  const int t0 = orient3d_sign(b0, b1, b2, a0), t1 = orient3d_sign(b0, b1, b2, a1),
            t2 = orient3d_sign(b0, b1, b2, a2);
  if ((t0 > 0 && t1 > 0 && t2 > 0) || (t0 < 0 && t1 < 0 && t2 < 0)) return false;
  // What two triangles share ends on a side of one of them, also when they are coplanar.
  return segment_triangle_intersect(a0, a1, b0, b1, b2) ||
         segment_triangle_intersect(a1, a2, b0, b1, b2) ||
         segment_triangle_intersect(a2, a0, b0, b1, b2) ||
         segment_triangle_intersect(b0, b1, a0, a1, a2) ||
         segment_triangle_intersect(b1, b2, a0, a1, a2) ||
         segment_triangle_intersect(b2, b0, a0, a1, a2);
}

std::vector<std::array<int, 2>> intersecting_pairs(const TriMesh& a, const TriMesh& b) {
  std::vector<std::array<int, 2>> found;
  triangle_tree(a).pairs(triangle_tree(b), 0.0, [&](int i, int j) {
    if (triangles_intersect(corner(a, i, 0), corner(a, i, 1), corner(a, i, 2), corner(b, j, 0),
                            corner(b, j, 1), corner(b, j, 2)))
      found.push_back({i, j});
  });
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::array<int, 2>> loose_triangle_pairs(const TriMesh& a, const TriMesh& b) {
  std::vector<std::array<int, 2>> found;
  const Bvh tree = triangle_tree(b);
  const auto test = [&](int i, int v, int w) {
    const Vec3d &p = a.vertices[static_cast<std::size_t>(v)],
                &q = a.vertices[static_cast<std::size_t>(w)];
    tree.query(Aabb::of(p, q, q), [&](int t) {
      if (segment_triangle_intersect(p, q, corner(b, t, 0), corner(b, t, 1), corner(b, t, 2)))
        found.push_back({i, t});
    });
  };
  int i = 0;
  for (const Vec2i& s : a.segments) test(i++, s[0], s[1]);
  for (const int v : a.points) test(i++, v, v);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::array<int, 2>> self_intersections(const TriMesh& mesh) {
  std::vector<std::array<int, 2>> found;
  triangle_tree(mesh).self_pairs(0.0, [&](int i, int j) {
    if (meet_beyond_neighbourhood(mesh, i, j)) found.push_back({i, j});
  });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace haptos
