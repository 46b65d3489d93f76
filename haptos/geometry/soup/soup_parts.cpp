// Which faces of a soup have an inside, and which of them lie in one plane (soup.h).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "haptos/base/math/index.h"
#include "haptos/base/math/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/soup/soup.h"

namespace haptos {
namespace {

// Faces of a part that are asked whether the part winds round what is behind them.
constexpr int kAsked = 24;
// How often it winds, on average, for it to enclose a volume: an open tube or bowl does not.
constexpr double kEnclosed = 0.92;
// Faces in one plane: turned by less than this [rad], corners off it by less than this part of the
// size of the mesh (single precision rounds to 6e-8).
constexpr double kTurn = 2e-2, kOff = 2e-7;

struct Sets {
  std::vector<int> up;
  explicit Sets(std::size_t n) : up(n) { std::iota(up.begin(), up.end(), 0); }
  int root(int i) {
    while (up[at_index(i)] != i) i = up[at_index(i)] = up[at_index(up[at_index(i)])];
    return i;
  }
  void join(int i, int j) {
    i = root(i), j = root(j);
    up[at_index(std::max(i, j))] = std::min(i, j);
  }
};

constexpr int kLanes = 4;
using Lanes = Pack<double, kLanes>;
using LaneVec = Vec3<Lanes>;

// How often triangles wind round four points: the sum of the solid angles that they are seen under
// (van Oosterom and Strackee 1983, IEEE Transactions on Biomedical Engineering 30:125), each twice
// the angle of a complex number. The numbers are multiplied and half turns that are passed counted.
void winding(const TriMesh& m, const std::vector<int>& triangles, const LaneVec& p,
             double (&out)[kLanes]) {
  const Lanes zero(0.0), one(1.0), tiny(1e-300);
  Lanes re = one, im = zero, turns = zero;
  const auto from = [&](int v) {
    const Vec3d& x = m.vertices[at_index(v)];
    return LaneVec{{Lanes(x[0]) - p[0], Lanes(x[1]) - p[1], Lanes(x[2]) - p[2]}};
  };
  for (const int t : triangles) {
    const Vec3i& v = m.triangles[at_index(t)];
    const LaneVec a = from(v[0]), b = from(v[1]), c = from(v[2]);
    const Lanes la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
    const Lanes y = dot(a, cross(b, c));
    const Lanes x = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    const Lanes next_re = re * x - im * y, next_im = re * y + im * x;
    const Lanes size = sqrt(next_re * next_re + next_im * next_im);
    const auto seen = size > tiny;  // else the point lies on the triangle's edge
    turns = turns + select(seen & (im >= zero) & (y >= zero) & (next_im < zero), one, zero) -
            select(seen & (im < zero) & (y < zero) & (next_im >= zero), one, zero);
    re = select(seen, next_re / vmax(size, tiny), re);
    im = select(seen, next_im / vmax(size, tiny), im);
  }
  for (int k = 0; k < kLanes; ++k)
    out[k] = std::atan2(im[k], re[k]) / (2 * std::numbers::pi) + turns[k];
}

// 1: the part faces outward, -1: inward, 0: it encloses nothing. Asked just behind some of its
// faces; just before them the part winds once less. Holes let part of the solid angle through.
int side_of(const TriMesh& m, const std::vector<int>& part) {
  const std::size_t stride = std::max<std::size_t>(1, part.size() / kAsked);
  const std::size_t count = (part.size() + stride - 1) / stride;
  std::vector<double> found(count);
  for_each(
      static_cast<std::ptrdiff_t>((count + kLanes - 1) / kLanes),
      [&](std::ptrdiff_t group) {
        LaneVec p;
        const std::size_t first = at_index(group) * kLanes;
        for (std::size_t k = 0; k < kLanes; ++k) {
          const Vec3i& v = m.triangles[at_index(part[std::min(first + k, count - 1) * stride])];
          const Vec3d &a = m.vertices[at_index(v[0])], &b = m.vertices[at_index(v[1])],
                      &c = m.vertices[at_index(v[2])];
          const Vec3d n = cross(b - a, c - a);
          const Vec3d behind = (a + b + c) * (1.0 / 3) - normalized(n) * (1e-3 * sqrt(norm(n)));
          for (int d = 0; d < 3; ++d) p[d].set(static_cast<int>(k), behind[d]);
        }
        double round[kLanes];
        winding(m, part, p, round);
        for (std::size_t k = 0; k < kLanes && first + k < count; ++k) found[first + k] = round[k];
      },
      1);
  const double behind =
      std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(count);
  const double before = behind - 1;
  if (behind > kEnclosed && before < 1 - kEnclosed) return 1;
  if (behind > kEnclosed - 1 && before < -kEnclosed) return -1;
  return 0;
}

}  // namespace

// Parts are joined by edges with two faces. Returns the part of each face, by its first face; -1:
// it has no inside.
std::vector<int> TriangleSoup::find_sides(TriMesh& mesh, Sides sides) {
  if (sides != Sides::kOutward) orient(mesh);
  std::vector<int> part_of(mesh.triangles.size(), sides == Sides::kOutward ? 0 : -1);
  if (sides != Sides::kLookFor) {
    for (const Vec3i& v : mesh.triangles) faces_.push_back({v, {}, 0, sides == Sides::kOutward});
    return part_of;
  }
  const SurfaceTopology topology = surface_topology(mesh);
  Sets sets(mesh.triangles.size());
  for (int e = 0; e < topology.edge_triangles.size(); ++e)
    if (const auto t = topology.edge_triangles[e]; t.size() == 2) sets.join(t[0], t[1]);
  std::vector<std::vector<int>> parts(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    parts[at_index(sets.root(static_cast<int>(t)))].push_back(static_cast<int>(t));
  faces_.resize(mesh.triangles.size());
  for (const std::vector<int>& part : parts) {
    if (part.empty()) continue;
    // Fewer than four faces enclose nothing.
    const int side = part.size() < 4 ? 0 : side_of(mesh, part);
    for (const int t : part) {
      if (side < 0) std::swap(mesh.triangles[at_index(t)][1], mesh.triangles[at_index(t)][2]);
      faces_[at_index(t)].v = mesh.triangles[at_index(t)];
      faces_[at_index(t)].sided = side != 0;
      if (side != 0) part_of[at_index(t)] = part.front();
    }
  }
  return part_of;
}

void TriangleSoup::find_planes() {
  const auto count = faces_.size();
  std::vector<Vec3d> m(count);  // twice the area along the normal
  const auto x = [&](int v) { return vertices_[at_index(v)]; };
  for (std::size_t t = 0; t < count; ++t) {
    const Vec3i& v = faces_[t].v;
    m[t] = cross(x(v[1]) - x(v[0]), x(v[2]) - x(v[0]));
    area_ += 0.5 * norm(m[t]);
  }
  const double off = kOff * norm(box_.extent());
  const auto flush = [&](int s, int t) {
    const double ls = norm(m[at_index(s)]), lt = norm(m[at_index(t)]);
    if (!(dot(m[at_index(s)], m[at_index(t)]) > 0)) return false;
    if (norm(cross(m[at_index(s)], m[at_index(t)])) > kTurn * ls * lt) return false;
    if (faces_[at_index(s)].sided != faces_[at_index(t)].sided) return false;
    const Vec3i &a = faces_[at_index(s)].v, &b = faces_[at_index(t)].v;
    for (int k = 0; k < 3; ++k) {
      if (vabs(dot(m[at_index(s)], x(b[k]) - x(a[0]))) > off * ls) return false;
      if (vabs(dot(m[at_index(t)], x(a[k]) - x(b[0]))) > off * lt) return false;
    }
    return true;
  };
  Sets sets(count);
  for (int e = 0; e < edge_faces_.size(); ++e)
    if (const auto t = edge_faces_[e]; t.size() == 2 && flush(t[0], t[1])) sets.join(t[0], t[1]);
  // What bends from face to face is no plane.
  std::vector<Vec3d> normal(count, Vec3d::zero()), middle(count, Vec3d::zero());
  std::vector<double> weight(count, 0);
  std::vector<char> bent(count, 0);
  for (std::size_t t = 0; t < count; ++t) {
    const auto r = at_index(sets.root(static_cast<int>(t)));
    const double w = norm(m[t]);
    const Vec3i& v = faces_[t].v;
    normal[r] += m[t], weight[r] += w;
    middle[r] += (x(v[0]) + x(v[1]) + x(v[2])) * (w / 3);
  }
  for (std::size_t t = 0; t < count; ++t) {
    const auto r = at_index(sets.root(static_cast<int>(t)));
    const Vec3d n = normalized(normal[r]), o = middle[r] * (1 / weight[r]);
    for (int k = 0; k < 3; ++k)
      if (vabs(dot(n, x(faces_[t].v[k]) - o)) > 4 * off) bent[r] = 1;
  }
  std::vector<int> number(count, -1);
  for (std::size_t t = 0; t < count; ++t) {
    const auto r = at_index(sets.root(static_cast<int>(t)));
    const bool own = bent[r] != 0;
    if (own || number[r] < 0) {
      const Vec3d n = normalized(own ? m[t] : normal[r]);
      planes_.push_back({n, dot(n, own ? x(faces_[t].v[0]) : middle[r] * (1 / weight[r]))});
      number[r] = static_cast<int>(planes_.size()) - 1;
    }
    faces_[t].plane = number[r];
  }
  border_.resize(count);
  for (std::size_t t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      const auto around = edge_faces_[faces_[t].edge[k]];
      border_[t][at_index(k)] =
          around.size() < 2 || std::any_of(around.begin(), around.end(), [&](int o) {
            return faces_[at_index(o)].plane != faces_[t].plane;
          });
    }
}

}  // namespace haptos
