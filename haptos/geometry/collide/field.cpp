#include "haptos/geometry/collide/field.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "haptos/geometry/collide/merge.h"
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/shape/shape_bounds.h"

namespace haptos {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A triangular prism; 0 1 2 on top, counter-clockwise from above, 3 4 5 below them.
struct Prism {
  Vec3d x[6], normal[5];
  Convex convex;

  Prism(const Vec3d (&top)[3], const Vec3d& down) {
    static constexpr int kStart[6] = {0, 3, 6, 10, 14, 18};
    static constexpr int kFaces[18] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0};
    static constexpr int kAroundStart[7] = {0, 3, 6, 9, 12, 15, 18};
    static constexpr int kAround[18] = {0, 2, 4, 0, 2, 3, 0, 3, 4, 1, 2, 4, 1, 2, 3, 1, 3, 4};
    for (int k = 0; k < 3; ++k) x[k] = top[k], x[k + 3] = top[k] + down;
    for (int f = 0; f < 5; ++f) {
      const int* v = kFaces + kStart[f];
      normal[f] = normalized(cross(x[v[1]] - x[v[0]], x[v[2]] - x[v[0]]));
    }
    convex.core = Core::kPolytope;
    PolytopeView& p = convex.polytope;
    p.vertex_count = 6, p.face_count = 5;
    p.vertices = x, p.normals = normal;
    p.face_start = kStart, p.face_vertices = kFaces;
    p.around_start = kAroundStart, p.around = kAround;
    convex.middle = (x[0] + x[1] + x[2]) * (1.0 / 3) + down * 0.25;
    for (const Vec3d& y : x) convex.extent = vmax(convex.extent, norm(y - convex.middle));
  }
  Prism(const Prism&) = delete;
};

// From the numbers of a prism to those of the surface.
std::int64_t global_id(std::int64_t id, const int (&v)[3], int t) {
  const int i = static_cast<int>(id >> 28 & 0xfffffff), j = static_cast<int>(id & 0xfffffff);
  switch (static_cast<ShapeFeature>(id >> 56)) {
    case ShapeFeature::kVertex:
      return i < 3 ? feature_id(ShapeFeature::kVertex, v[i])
                   : feature_id(ShapeFeature::kSurface, t);
    case ShapeFeature::kEdge:
      return i < 3 && j < 3 ? edge_id(v[i], v[j]) : feature_id(ShapeFeature::kSurface, t);
    default:
      return feature_id(ShapeFeature::kFace, t);
  }
}

}  // namespace

TriangleField::TriangleField(const Shape& shape)
    : bounds_(shape_bounds(shape)), mesh_(shape.mesh), height_(shape.field) {
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? bounds_.hi[k] : bounds_.lo[k];
    extent_ = vmax(extent_, norm(x));
  }
  if (shape.kind == ShapeKind::kHeightField) {
    mesh_.reset();
    return;
  }
  height_.reset();
  const auto& tri = mesh_->triangles;
  std::vector<Aabb> boxes;
  boxes.reserve(tri.size());
  for (const Vec3i& t : tri)
    boxes.push_back(
        Aabb::of(mesh_->vertices[at(t[0])], mesh_->vertices[at(t[1])], mesh_->vertices[at(t[2])]));
  find_rings();
  tree_.build(boxes);
}

// Of each triangle the corners beyond its edges, and of each vertex those that it shares an edge
// with.
void TriangleField::find_rings() {
  const auto& tri = mesh_->triangles;
  // The corners of all triangles, under their vertices.
  struct Corner {
    int next, previous;
  };
  std::vector<std::size_t> start(mesh_->vertices.size() + 1, 0);
  for (const Vec3i& t : tri)
    for (int k = 0; k < 3; ++k) ++start[at(t[k]) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Corner> corner(3 * tri.size());
  std::vector<std::size_t> end(start.begin(), start.end() - 1);
  for (const Vec3i& t : tri)
    for (int k = 0; k < 3; ++k) corner[end[at(t[k])]++] = {t[(k + 1) % 3], t[(k + 2) % 3]};
  apex_.reserve(tri.size());
  for (const Vec3i& t : tri) {
    Vec3i apex;
    for (int k = 0; k < 3; ++k) {  // of the last triangle that runs the other way
      const int from = t[(k + 1) % 3];
      apex[k] = -1;
      for (std::size_t i = end[at(from)]; i > start[at(from)] && apex[k] < 0; --i)
        if (corner[i - 1].next == t[k]) apex[k] = corner[i - 1].previous;
    }
    apex_.push_back(apex);
  }
  ring_start_.push_back(0);
  std::vector<int> ring;
  for (std::size_t v = 0; v < mesh_->vertices.size(); ++v) {
    ring.clear();
    for (std::size_t i = start[v]; i < end[v]; ++i)
      ring.push_back(corner[i].next), ring.push_back(corner[i].previous);
    std::sort(ring.begin(), ring.end());
    ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
    ring_.insert(ring_.end(), ring.begin(), ring.end());
    ring_start_.push_back(static_cast<int>(ring_.size()));
  }
}

TriangleField::Triangle TriangleField::triangle(int t) const {
  if (mesh_) {
    const Vec3i &v = mesh_->triangles[at(t)], &a = apex_[at(t)];
    return {{v[0], v[1], v[2]}, {a[0], a[1], a[2]}};
  }
  const int rows = height_->rows, columns = height_->columns;
  const int r = t / 2 / (columns - 1), c = t / 2 % (columns - 1);
  const auto node = [&](int i, int j) {
    return i >= 0 && i < rows && j >= 0 && j < columns ? i * columns + j : -1;
  };
  if (t % 2 == 0)
    return {{node(r, c), node(r, c + 1), node(r + 1, c + 1)},
            {node(r - 1, c), node(r + 1, c + 2), node(r + 1, c)}};
  return {{node(r, c), node(r + 1, c + 1), node(r + 1, c)},
          {node(r, c + 1), node(r + 2, c + 1), node(r, c - 1)}};
}

Vec3d TriangleField::vertex(int v) const {
  if (mesh_) return mesh_->vertices[at(v)];
  const HeightField& f = *height_;
  const int row = v / f.columns, column = v % f.columns;
  return {{(column - 0.5 * (f.columns - 1)) * f.spacing[0],
           (row - 0.5 * (f.rows - 1)) * f.spacing[1], f.height[at(v)]}};
}

bool TriangleField::in_normal_cone(const Triangle& t, const bool (&top)[3], const Mat3d& r,
                                   const Vec3d& n) const {
  constexpr double kRound = 1e-6;  // sine of what passes for flat
  const Vec3d m = transpose(r) * n;
  const int count = top[0] + top[1] + top[2];
  if (count == 3) return true;
  int s = top[0] ? 0 : (top[1] ? 1 : 2);
  const Vec3d x = vertex(t.v[s]);
  const auto below = [&](int v) {
    const Vec3d d = vertex(v) - x;
    return dot(m, d) <= kRound * norm(d);
  };
  if (count == 2) {
    for (int k = 0; k < 3; ++k)
      if (top[k] && top[(k + 1) % 3]) return t.apex[k] < 0 || below(t.apex[k]);
    return false;
  }
  const int v = t.v[s];
  if (mesh_) {
    for (int k = ring_start_[at(v)]; k < ring_start_[at(v) + 1]; ++k)
      if (!below(ring_[at(k)])) return false;
    return true;
  }
  constexpr int kRing[6][2] = {{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}};
  const int row = v / height_->columns, column = v % height_->columns;
  for (const auto& k : kRing) {
    const int i = row + k[0], j = column + k[1];
    if (i < 0 || i >= height_->rows || j < 0 || j >= height_->columns) continue;
    if (!below(i * height_->columns + j)) return false;
  }
  return true;
}

void TriangleField::one(int t, const Convex& a, const Mat3d& r, const Vec3d& p, double margin,
                        int max_points, std::vector<ContactSample>& out) const {
  const Triangle tri = triangle(t);
  Vec3d x[3];
  for (int k = 0; k < 3; ++k) x[k] = r * vertex(tri.v[k]) + p;
  const Vec3d m = cross(x[1] - x[0], x[2] - x[0]);
  const double area = norm(m);
  const double longest =
      vmax(squared_norm(x[1] - x[0]), vmax(squared_norm(x[2] - x[0]), squared_norm(x[2] - x[1])));
  if (!(area > 1e-10 * longest)) return;  // a sliver: its neighbours are as near
  const Vec3d n = m * (1 / area);
  const double reach = margin + a.radius;
  int hint = 0;
  const Vec3d low = support(a, -n, hint);
  const double plane_gap = dot(n, low - x[0]);
  if (plane_gap > reach) return;
  // The inside of a mesh is not known: what is behind a triangle touches another one.
  if (mesh_ && dot(n, a.middle - x[0]) < 0) return;
  const double depth = 4 * a.extent;
  const Prism prism(x, mesh_ ? n * -depth : column(r, 2) * -depth);
  const detail::ShapePair pair{{&a, &prism.convex, Mat3d::identity(), Vec3d::zero()}, margin};
  const Witness w = signed_distance(pair.core, reach);
  if (w.beyond || w.distance > reach) return;

  ContactSample samples[kMaxContactSamples + 1];
  int count = 0;
  bool top[3];
  double highest = dot(w.n, x[0]);
  for (int k = 1; k < 3; ++k) highest = vmax(highest, dot(w.n, x[k]));
  int tops = 0;
  for (int k = 0; k < 3; ++k) {
    top[k] = dot(w.n, x[k]) >= highest - 1e-9 * sqrt(longest);
    tops += top[k];
  }
  const bool from_below = dot(w.n, n) < 1e-3;
  if (tops < 3 && !from_below && in_normal_cone(tri, top, r, w.n)) {
    count = detail::manifold(pair, w, max_points, samples);
  } else {
    Witness face;
    face.n = n;
    face.distance = plane_gap;
    face.a = low;
    face.vertex_a = hint;
    face.vertex_b = 0;
    count = detail::manifold(pair, face, max_points, samples, true);
    // A round shape touches where its lowest point lies over the triangle.
    bool over = count == 0;
    for (int k = 0; k < 3; ++k) {
      const Vec3d e = x[(k + 1) % 3] - x[k];
      over = over && dot(cross(n, e), low - x[k]) >= -1e-9 * longest;
    }
    if (over) {
      ContactSample& s = samples[count++];
      s.n = n;
      s.gap = plane_gap - a.radius;
      s.p_a = low - n * a.radius;
      s.p_b = s.p_a - n * s.gap;
      s.area = 0;
      s.feature_a = a.core == Core::kPoint || hint < 0 ? feature_id(ShapeFeature::kSurface)
                                                       : feature_id(ShapeFeature::kVertex, hint);
      s.feature_b = feature_id(ShapeFeature::kFace);
    }
  }
  for (int k = 0; k < count; ++k) {
    samples[k].feature_b = global_id(samples[k].feature_b, tri.v, t);
    out.push_back(samples[k]);
  }
}

void TriangleField::near(const Aabb& box, std::vector<int>& out) const {
  if (!box.overlaps(bounds_)) return;
  if (mesh_) {
    tree_.query(box, [&](int t) { out.push_back(t); });
    std::sort(out.begin(), out.end());
    return;
  }
  const HeightField& f = *height_;
  // Cells under the box; held in range before they become integers.
  const auto cell = [](double x, double spacing, int nodes) {
    const double i = std::floor(x / spacing + 0.5 * (nodes - 1));
    return static_cast<int>(clamp(i, 0.0, static_cast<double>(nodes - 2)));
  };
  const int c0 = cell(box.lo[0], f.spacing[0], f.columns);
  const int c1 = cell(box.hi[0], f.spacing[0], f.columns);
  const int r0 = cell(box.lo[1], f.spacing[1], f.rows);
  const int r1 = cell(box.hi[1], f.spacing[1], f.rows);
  for (int i = r0; i <= r1; ++i)
    for (int j = c0; j <= c1; ++j)
      for (int k = 0; k < 2; ++k) {
        const int t = 2 * (i * (f.columns - 1) + j) + k;
        const Triangle tri = triangle(t);
        const double top =
            vmax(f.height[at(tri.v[0])], vmax(f.height[at(tri.v[1])], f.height[at(tri.v[2])]));
        if (top >= box.lo[2]) out.push_back(t);
      }
}

void TriangleField::collide(const Convex& a, const Mat3d& r, const Vec3d& p, double margin,
                            int max_points, std::vector<ContactSample>& out) const {
  static thread_local std::vector<ContactSample> found;
  static thread_local std::vector<int> close;
  found.clear(), close.clear();
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const Vec3d d = column(r, k);
    int hint = 0;
    const double o = dot(d, p), reach = a.radius + margin;
    box.hi[k] = dot(d, support(a, d, hint)) - o + reach;
    box.lo[k] = dot(d, support(a, -d, hint)) - o - reach;
  }
  // What is below a height field touches it.
  if (!mesh_) box.hi[2] = vmax(box.hi[2], bounds_.lo[2]);
  near(box, close);
  for (int t : close) one(t, a, r, p, margin, max_points, found);
  detail::merge_samples(found, 1e-7 * a.extent, margin, max_points, out);
}

}  // namespace haptos
