#include "haptos/geometry/soup/shrink.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/closest.h"
#include "haptos/geometry/tree/wide_tree.h"

namespace haptos {
namespace {

constexpr double kFarthest = 3;     // way of a vertex over r
constexpr double kEnough = 1e-3;    // of r: by so much a face may be nearer
constexpr double kTouching = 1e-6;  // of r: so near a face touches a vertex
constexpr double kRounding = 1e-9;  // of r times the length of a triangle that is none any more
constexpr double kFolded = 0.15;    // of the angle round a vertex
constexpr double kAlike = 0.5;      // cosine of faces whose common edge may be turned
constexpr int kMoreFaces = 8;       // that are not the vertex's own
constexpr int kSweeps = 400, kHalvings = 12, kRounds = 40;

// n . x <= -depth
struct Bound {
  Vec3d n;
  double depth;
};

// The shortest x within all bounds, by Hildreth's method (dual coordinate ascent); false where it
// is longer than `most`, or there is none.
bool shortest(const std::vector<Bound>& bounds, double most, Vec3d& x) {
  std::vector<double> force(bounds.size(), 0.0);
  x = Vec3d::zero();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double worst = 0, dual = 0;
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      const double lack = dot(bounds[k].n, x) + bounds[k].depth;
      const double more = std::max(lack, -force[k]);
      force[k] += more;
      x = x - more * bounds[k].n;
      worst = std::max(worst, std::abs(more));
    }
    for (std::size_t k = 0; k < bounds.size(); ++k) dual += force[k] * bounds[k].depth;
    if (dual - 0.5 * squared_norm(x) > 0.5 * most * most) return false;
    if (worst <= 1e-10 * most) return true;
  }
  return true;  // as near as it came; what is too near is found by looking
}

class Shrinker {
 public:
  Shrinker(const TriMesh& mesh, const std::vector<int>& part, double by)
      : mesh_(mesh), part_(part), by_(by), touching_(kTouching * by) {
    const auto faces = static_cast<std::ptrdiff_t>(mesh.triangles.size());
    normal_.resize(mesh.triangles.size());
    std::vector<Aabb> boxes(mesh.triangles.size());
    for_each(faces, [&](std::ptrdiff_t t) {
      const Vec3d a = corner(t, 0), b = corner(t, 1), c = corner(t, 2);
      normal_[at_index(t)] = normalized(cross(b - a, c - a));
      boxes[at_index(t)] = Aabb::of(a, b, c);
    });
    tree_ = WideTree(boxes);
    around_.resize(mesh.vertices.size());
    for (std::ptrdiff_t t = 0; t < faces; ++t)
      for (int k = 0; k < 3; ++k)
        if (part[at_index(t)] >= 0)
          around_[at_index(mesh.triangles[at_index(t)][k])].push_back(static_cast<int>(t));
  }

  /// How a vertex should move, and the part of it that it can.
  std::pair<Vec3d, double> way(int v) const {
    const std::vector<int>& own = around_[at_index(v)];
    if (own.empty()) return {Vec3d::zero(), 1};
    const int part = part_[at_index(own.front())];
    const double most = kFarthest * by_;
    // A sliver that the mesh has folded over leaves no room: then the smallest do not count.
    std::vector<int> folded;
    std::vector<Bound> bounds = own_bounds(own, folded);
    Vec3d x;
    bool fits = shortest(bounds, most, x);
    for (double left = kFolded * angle_of(v, own); !fits;) {
      const int least = smallest(v, own, folded);
      left -= least < 0 ? left + 1 : angle(least, v);
      if (left < 0) break;
      folded.push_back(least);
      bounds = own_bounds(own, folded);
      fits = shortest(bounds, most, x);
    }
    if (!fits) {
      folded.clear();
      shortest(own_bounds(own, folded), most, x);
    }
    const Vec3d first = norm(x) > most ? x * (most / norm(x)) : x;
    for (int more = 0; fits && more < kMoreFaces; ++more) {
      const int f = nearer(v, x, 1, part, kRounding, folded);
      if (f < 0) return {x, 1};
      const Vec3d off = corner(f, 0) - mesh_.vertices[at_index(v)];
      bounds.push_back({normal_[at_index(f)], by_ - dot(normal_[at_index(f)], off)});
      fits = shortest(bounds, most, x);
    }
    if (fits && nearer(v, x, 1, part, kEnough, folded) < 0) return {x, 1};
    // As far as nothing is nearer than that part of the layer.
    double from = 0, to = 1;
    for (int k = 0; k < kHalvings; ++k) {
      const double t = 0.5 * (from + to);
      (nearer(v, first, t, part, kEnough, folded) < 0 ? from : to) = t;
    }
    return {first, from};
  }

  const std::vector<Vec3d>& normals() const { return normal_; }

 private:
  Vec3d corner(std::ptrdiff_t t, int k) const {
    return mesh_.vertices[at_index(mesh_.triangles[at_index(t)][k])];
  }
  // Of the corner of a face at a vertex [rad].
  double angle(int f, int v) const {
    const Vec3i& t = mesh_.triangles[at_index(f)];
    const int k = t[0] == v ? 0 : t[1] == v ? 1 : 2;
    const Vec3d a = corner(f, (k + 1) % 3) - corner(f, k),
                b = corner(f, (k + 2) % 3) - corner(f, k);
    return std::atan2(norm(cross(a, b)), dot(a, b));
  }
  double angle_of(int v, const std::vector<int>& faces) const {
    double sum = 0;
    for (const int f : faces) sum += angle(f, v);
    return sum;
  }
  // The face with the smallest corner that is not folded; -1: there is none.
  int smallest(int v, const std::vector<int>& own, const std::vector<int>& folded) const {
    int found = -1;
    double least = 1e300;
    for (const int f : own) {
      if (std::find(folded.begin(), folded.end(), f) != folded.end()) continue;
      if (const double a = angle(f, v); a < least) least = a, found = f;
    }
    return found;
  }
  std::vector<Bound> own_bounds(const std::vector<int>& own, const std::vector<int>& folded) const {
    std::vector<Bound> bounds;
    for (const int f : own) {
      const Vec3d& n = normal_[at_index(f)];
      if (std::find(folded.begin(), folded.end(), f) != folded.end()) continue;
      if (std::none_of(bounds.begin(), bounds.end(),
                       [&](const Bound& b) { return dot(b.n, n) > 1 - 1e-12; }))
        bounds.push_back({n, by_});
    }
    return bounds;
  }
  Vec3d closest(int f, const Vec3d& p) const {
    const Vec3d a = corner(f, 0), b = corner(f, 1), c = corner(f, 2);
    const auto q = closest_on_triangle(p, a, b, c);
    return q.beta[0] * a + q.beta[1] * b + q.beta[2] * c;
  }
  // A face of the part that is nearer than t r, but for a part `slack` of it, to the vertex moved
  // by t x, the nearest one, or one that is passed through on the way; -1: none is.
  int nearer(int v, const Vec3d& x, double t, int part, double slack,
             const std::vector<int>& folded) const {
    const Vec3d& from = mesh_.vertices[at_index(v)];
    const Vec3d to = from + t * x;
    const double enough = t * by_ * (1 - slack);
    // Of two walls that come together neither gets past the middle.
    const double facing = t * by_ * (1 + kEnough);
    double least = facing;
    int found = -1;
    Aabb box = Aabb::of(from, to);
    box.inflate(facing);
    tree_.query(box, [&](int f) {
      if (part_[at_index(f)] != part || std::find(folded.begin(), folded.end(), f) != folded.end())
        return;
      double d = norm(closest(f, to) - to);
      if (d >= (dot(normal_[at_index(f)], x) > 0 ? facing : enough)) {
        if (!passes(f, from, to)) return;
        d = 0;
      }
      if (found < 0 || d < least || (d == least && f < found)) least = d, found = f;
    });
    return found;
  }
  bool passes(int f, const Vec3d& from, const Vec3d& to) const {
    const Vec3d& n = normal_[at_index(f)];
    const double before = dot(n, from - corner(f, 0)), after = dot(n, to - corner(f, 0));
    if (!(before * after < 0) || norm(closest(f, from) - from) <= touching_) return false;
    const Vec3d p = from + (before / (before - after)) * (to - from);
    return norm(closest(f, p) - p) <= touching_;
  }

  const TriMesh& mesh_;
  const std::vector<int>& part_;
  double by_, touching_;
  std::vector<Vec3d> normal_;
  std::vector<std::vector<int>> around_;
  WideTree tree_;
};

// Triangles that a vertex has run through: the edge that it ran through is turned, so that it joins
// the vertex to what is beyond. Returns those that still face the wrong way.
class Untangler {
 public:
  Untangler(TriMesh& mesh, std::vector<Vec3d>& normal, const std::vector<int>& part, double by)
      : mesh_(mesh), normal_(normal), part_(part), by_(by) {}

  std::vector<int> turned_over(const std::vector<Vec3d>& x) const {
    std::vector<int> faces;
    for (std::size_t f = 0; f < mesh_.triangles.size(); ++f)
      if (part_[f] >= 0 && !faces_out(mesh_.triangles[f], normal_[f], x))
        faces.push_back(static_cast<int>(f));
    return faces;
  }

  void turn_edges(const std::vector<Vec3d>& x) {
    for (int round = 0; round < kSwapRounds; ++round) {
      const std::vector<int> faces = turned_over(x);
      if (faces.empty()) return;
      const SurfaceTopology topology = surface_topology(mesh_);
      std::vector<char> used(mesh_.triangles.size(), 0);
      bool any = false;
      for (const int f : faces)
        for (int k = 0; k < 3 && !used[at_index(f)]; ++k)
          any = turn(f, k, topology, x, used) || any;
      if (!any) return;
    }
  }

 private:
  static constexpr int kSwapRounds = 20;

  // What has shrunk to a line or to a point is left out later.
  bool faces_out(const Vec3i& t, const Vec3d& n, const std::vector<Vec3d>& x) const {
    const Vec3d &a = x[at_index(t[0])], &b = x[at_index(t[1])], &c = x[at_index(t[2])];
    const double longest =
        sqrt(std::max({squared_norm(b - a), squared_norm(c - b), squared_norm(a - c)}));
    return dot(cross(b - a, c - a), n) >= -kRounding * by_ * longest;
  }
  // Turns edge k of a face, with the face beyond it, where both then face out.
  bool turn(int f, int k, const SurfaceTopology& topology, const std::vector<Vec3d>& x,
            std::vector<char>& used) {
    const auto beside = topology.edge_triangles[topology.triangle_edges[at_index(f)][k]];
    if (beside.size() != 2) return false;
    const int g = beside[0] == f ? beside[1] : beside[0];
    if (used[at_index(g)] || part_[at_index(g)] != part_[at_index(f)]) return false;
    const Vec3i &t = mesh_.triangles[at_index(f)], &o = mesh_.triangles[at_index(g)];
    const int a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    int d = -1;
    for (int j = 0; j < 3; ++j)
      if (o[j] == b && o[(j + 1) % 3] == a) d = o[(j + 2) % 3];
    if (d < 0 || d == c) return false;
    const Vec3d n = normalized(normal_[at_index(f)] + normal_[at_index(g)]);
    if (dot(normal_[at_index(f)], normal_[at_index(g)]) < kAlike) return false;
    const Vec3i one{{a, d, c}}, two{{d, b, c}};
    if (!faces_out(one, n, x) || !faces_out(two, n, x)) return false;
    mesh_.triangles[at_index(f)] = one, mesh_.triangles[at_index(g)] = two;
    normal_[at_index(f)] = normal_[at_index(g)] = n;
    used[at_index(f)] = used[at_index(g)] = 1;
    return true;
  }

  TriMesh& mesh_;
  std::vector<Vec3d>& normal_;
  const std::vector<int>& part_;
  double by_;
};

}  // namespace

Shrunk shrink(TriMesh& mesh, const std::vector<int>& part, double by) {
  const std::size_t count = mesh.vertices.size();
  std::vector<Vec3d> x(count), moved(count), normal;
  std::vector<double> t(count);
  {
    const Shrinker shrinker(mesh, part, by);
    for_each(
        static_cast<std::ptrdiff_t>(count),
        [&](std::ptrdiff_t v) {
          std::tie(x[at_index(v)], t[at_index(v)]) = shrinker.way(static_cast<int>(v));
        },
        64);
    normal = shrinker.normals();
  }
  Untangler untangler(mesh, normal, part, by);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t v = 0; v < count; ++v) moved[v] = mesh.vertices[v] + t[v] * x[v];
    untangler.turn_edges(moved);
    const std::vector<int> wrong = untangler.turned_over(moved);
    if (wrong.empty()) break;
    std::vector<char> back(count, 0);
    for (const int f : wrong)
      for (int k = 0; k < 3; ++k) back[at_index(mesh.triangles[at_index(f)][k])] = 1;
    for (std::size_t v = 0; v < count; ++v)
      if (back[v]) t[v] = round < kRounds / 2 ? 0.7 * t[v] : 0;
  }
  Shrunk report;
  for (std::size_t v = 0; v < count; ++v)
    if (t[v] < 1 - kEnough) {
      ++report.held;
      report.stands_out = std::max(report.stands_out, (1 - t[v]) * by);
    }
  mesh.vertices = std::move(moved);
  return report;
}

}  // namespace haptos
