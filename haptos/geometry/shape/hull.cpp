#include "haptos/geometry/shape/hull.h"

#include <algorithm>
#include <numeric>

#include "haptos/base/text/error.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/geometry/shape/hull_detail.h"

namespace haptos {
namespace {

constexpr double kWeld = 1e-9;  // of the extent
constexpr double kFlat = 2e-6;  // of the extent; vertices in single precision are off by 6e-8

std::size_t at(int i) { return static_cast<std::size_t>(i); }

[[noreturn]] void fail(const std::string& element, const std::string& rule) {
  Diagnostic d;
  d.element = element;
  d.rule = rule;
  d.remedy = "give the corners of a solid, or a box for a thin plate";
  throw InputError(d);
}

struct Triangle {
  int v[3] = {};
  int next[3] = {};  // neighbour across edge v[k] v[k+1]
  bool alive = true;
  Vec3d n = Vec3d::zero();  // unit normal, for distances only
  double offset = 0;
  std::vector<int> outside;  // points that see it
};

// Quickhull over points; visibility by exact signs, the next point by rounded distance.
class Builder {
 public:
  explicit Builder(const std::vector<Vec3d>& p) : p_(p) {}

  std::vector<Vec3i> run(double extent) {
    start(extent);
    std::vector<int> queue(tri_.size());
    std::iota(queue.begin(), queue.end(), 0);
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const int f = queue[k];
      if (!tri_[at(f)].alive || tri_[at(f)].outside.empty()) continue;
      const std::size_t before = tri_.size();
      add(f);
      for (std::size_t i = before; i < tri_.size(); ++i) queue.push_back(static_cast<int>(i));
    }
    std::vector<Vec3i> out;
    for (const Triangle& t : tri_)
      if (t.alive) out.push_back({{t.v[0], t.v[1], t.v[2]}});
    return out;
  }

 private:
  const std::vector<Vec3d>& p_;
  std::vector<Triangle> tri_;
  std::vector<int> mark_;  // per triangle: stamp of the point that saw it
  std::vector<int> stack_, visible_;

  bool sees(int point, const Triangle& t) const {
    const Vec3d& x = p_[at(point)];
    // Most points are far from most planes: the exact test is left for the others.
    const double d = dot(t.n, x) - t.offset;
    const double doubt = 1e-12 * (vabs(t.offset) + norm(x));
    if (d > doubt) return true;
    if (d < -doubt) return false;
    return orient3d_sign(p_[at(t.v[0])], p_[at(t.v[1])], p_[at(t.v[2])], x) > 0;
  }

  int make(int a, int b, int c) {
    Triangle t;
    t.v[0] = a, t.v[1] = b, t.v[2] = c;
    const Vec3d m = cross(p_[at(b)] - p_[at(a)], p_[at(c)] - p_[at(a)]);
    const double length = norm(m);
    // A sliver whose normal is mostly round-off is judged by exact signs alone: offset in doubt.
    const double longest =
        std::max({squared_norm(p_[at(b)] - p_[at(a)]), squared_norm(p_[at(c)] - p_[at(a)]),
                  squared_norm(p_[at(c)] - p_[at(b)])});
    if (length > 1e-3 * longest) {
      t.n = m * (1 / length);
      t.offset = dot(t.n, p_[at(a)]);
    } else {
      t.n = Vec3d::zero();
      t.offset = 0;
    }
    tri_.push_back(std::move(t));
    return static_cast<int>(tri_.size()) - 1;
  }

  double height(int point, const Triangle& t) const {
    const Vec3d &a = p_[at(t.v[0])], &b = p_[at(t.v[1])], &c = p_[at(t.v[2])];
    return dot(cross(b - a, c - a), p_[at(point)] - a);
  }

  void start(double extent) {
    const int n = static_cast<int>(p_.size());
    int i = 0, j = 0;
    double best = -1;
    // The farthest pair among the extremes along the axes.
    std::vector<int> extremes;
    for (int k = 0; k < 3; ++k) {
      int lo = 0, hi = 0;
      for (int m = 1; m < n; ++m) {
        if (p_[at(m)][k] < p_[at(lo)][k]) lo = m;
        if (p_[at(m)][k] > p_[at(hi)][k]) hi = m;
      }
      extremes.push_back(lo), extremes.push_back(hi);
    }
    for (int a : extremes)
      for (int b : extremes)
        if (const double d = squared_norm(p_[at(a)] - p_[at(b)]); d > best) best = d, i = a, j = b;
    int k = -1, l = -1;
    best = 0;
    const Vec3d e = normalized(p_[at(j)] - p_[at(i)]);
    for (int m = 0; m < n; ++m)
      if (const double d = norm(cross(e, p_[at(m)] - p_[at(i)])); d > best) best = d, k = m;
    if (k < 0 || best <= kWeld * extent) fail("convex hull", "its points lie on a line");
    best = 0;
    const Vec3d normal = normalized(cross(e, p_[at(k)] - p_[at(i)]));
    for (int m = 0; m < n; ++m)
      if (const double d = vabs(dot(normal, p_[at(m)] - p_[at(i)])); d > best) best = d, l = m;
    if (l < 0 || best <= kWeld * extent) fail("convex hull", "its points lie in a plane");
    if (orient3d_sign(p_[at(i)], p_[at(j)], p_[at(k)], p_[at(l)]) > 0) std::swap(j, k);
    // l lies below triangle i j k.
    const int f[4] = {make(i, j, k), make(i, l, j), make(j, l, k), make(k, l, i)};
    const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int t = 0; t < 4; ++t)
      for (int s = 0; s < 3; ++s) tri_[at(f[t])].next[s] = f[next[t][s]];
    std::vector<int> all(p_.size());
    std::iota(all.begin(), all.end(), 0);
    assign(all, 0);
    mark_.assign(tri_.size(), -1);
  }

  // Gives each point to the first triangle from `from` on that it sees.
  void assign(const std::vector<int>& points, std::size_t from) {
    for (int m : points)
      for (std::size_t t = from; t < tri_.size(); ++t)
        if (tri_[t].alive && sees(m, tri_[t])) {
          tri_[t].outside.push_back(m);
          break;
        }
  }

  void add(int f) {
    int eye = -1;
    double best = -1;
    for (int m : tri_[at(f)].outside)
      if (const double h = height(m, tri_[at(f)]); h > best || eye < 0) best = h, eye = m;
    // All triangles that the point sees; connected, since the signs are exact.
    visible_.clear();
    stack_.assign(1, f);
    mark_.resize(tri_.size(), -1);
    mark_[at(f)] = eye;
    while (!stack_.empty()) {
      const int t = stack_.back();
      stack_.pop_back();
      visible_.push_back(t);
      for (int s = 0; s < 3; ++s) {
        const int u = tri_[at(t)].next[s];
        if (mark_[at(u)] != eye && sees(eye, tri_[at(u)])) mark_[at(u)] = eye, stack_.push_back(u);
      }
    }
    struct Rim {
      int a, b, beyond;
    };
    std::vector<Rim> rim;
    std::vector<int> orphans;
    for (int t : visible_) {
      Triangle& tri = tri_[at(t)];
      tri.alive = false;
      for (int m : tri.outside)
        if (m != eye) orphans.push_back(m);
      tri.outside.clear();
      tri.outside.shrink_to_fit();
      for (int s = 0; s < 3; ++s)
        if (mark_[at(tri.next[s])] != eye)
          rim.push_back({tri.v[s], tri.v[(s + 1) % 3], tri.next[s]});
    }
    const std::size_t from = tri_.size();
    std::vector<std::pair<int, int>> starts;  // (first vertex of a rim edge, its new triangle)
    starts.reserve(rim.size());
    for (const Rim& r : rim) starts.push_back({r.a, make(r.a, r.b, eye)});
    std::sort(starts.begin(), starts.end());
    const auto from_vertex = [&](int v) {
      return std::lower_bound(starts.begin(), starts.end(), std::pair<int, int>{v, -1})->second;
    };
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const int t = static_cast<int>(from + k);
      const Rim& r = rim[k];
      tri_[at(t)].next[0] = r.beyond;
      Triangle& other = tri_[at(r.beyond)];
      for (int s = 0; s < 3; ++s)
        if (other.v[s] == r.b && other.v[(s + 1) % 3] == r.a) other.next[s] = t;
      const int after = from_vertex(r.b);
      tri_[at(t)].next[1] = after;
      tri_[at(after)].next[2] = t;
    }
    mark_.resize(tri_.size(), -1);
    assign(orphans, from);
  }
};

// Keeps the first of points closer than `radius`.
std::vector<Vec3d> weld(const std::vector<Vec3d>& points, double radius) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    const Vec3d &a = points[at(i)], &b = points[at(j)];
    for (int k = 0; k < 3; ++k)
      if (a[k] != b[k]) return a[k] < b[k];
    return i < j;
  });
  std::vector<char> drop(points.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (drop[at(order[i])]) continue;
    const Vec3d& a = points[at(order[i])];
    for (std::size_t j = i + 1; j < order.size() && points[at(order[j])][0] - a[0] <= radius; ++j)
      if (squared_norm(points[at(order[j])] - a) <= radius * radius) drop[at(order[j])] = 1;
  }
  std::vector<Vec3d> out;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!drop[i]) out.push_back(points[i]);
  return out;
}

}  // namespace

Polytope convex_hull(const std::vector<Vec3d>& points) {
  if (points.size() < 4) fail("convex hull", "needs at least four points");
  Vec3d lo = points[0], hi = points[0];
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      if (!(vabs(points[i][k]) < 1e150))
        fail("vertex " + std::to_string(i) + " of a convex hull", "must be finite");
      lo[k] = vmin(lo[k], points[i][k]), hi[k] = vmax(hi[k], points[i][k]);
    }
  const double extent = norm(hi - lo);
  if (!(extent > 0)) fail("convex hull", "its points coincide");
  const std::vector<Vec3d> distinct = weld(points, kWeld * extent);
  if (distinct.size() < 4) fail("convex hull", "needs at least four distinct points");
  return detail::merge_faces(distinct, Builder(distinct).run(extent), kFlat * extent);
}

int support_vertex(const PolytopeView& p, const Vec3d& d, int start) {
  constexpr int kScan = 24;  // up to here a scan is faster than walking
  if (p.vertex_count <= kScan || p.neighbours == nullptr) {
    int best = 0;
    double value = dot(p.vertices[0], d);
    for (int i = 1; i < p.vertex_count; ++i)
      if (const double v = dot(p.vertices[i], d); v > value) value = v, best = i;
    return best;
  }
  int best = start >= 0 && start < p.vertex_count ? start : 0;
  double value = dot(p.vertices[best], d);
  for (;;) {
    int next = best;
    for (int k = p.neighbour_start[best]; k < p.neighbour_start[best + 1]; ++k)
      if (const double v = dot(p.vertices[p.neighbours[k]], d); v > value)
        value = v, next = p.neighbours[k];
    if (next == best) return best;
    best = next;
  }
}

}  // namespace haptos
