#include "haptos/geometry/mesh/mesh_edit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/mesh/topology.h"

namespace haptos {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class Element>
void check_indices(const std::vector<Element>& elements, int corners, std::size_t vertex_count,
                   const char* kind) {
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (int k = 0; k < corners; ++k)
      if (elements[e][k] < 0 || at(elements[e][k]) >= vertex_count)
        throw InputError(Diagnostic{"", 0, 0, element_name(kind, static_cast<std::int64_t>(e)),
                                    "vertex " + std::to_string(elements[e][k]),
                                    "the mesh has " + std::to_string(vertex_count) + " vertices",
                                    "correct the index"});
}

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdull;
  return h ^ (h >> 32);
}

// Points by grid cell: the buckets of a hash table with chains, so cells that share a bucket only
// cost time.
class PointGrid {
 public:
  explicit PointGrid(std::size_t points) : next_(points, -1) {
    std::size_t buckets = 16;
    while (buckets < 2 * points) buckets *= 2;
    head_.assign(buckets, -1);
  }
  void insert(const std::array<std::int64_t, 3>& cell, int point) {
    int& head = head_[bucket(cell)];
    next_[at(point)] = head;
    head = point;
  }
  int first(const std::array<std::int64_t, 3>& cell) const { return head_[bucket(cell)]; }
  int next(int point) const { return next_[at(point)]; }

 private:
  std::size_t bucket(const std::array<std::int64_t, 3>& cell) const {
    std::uint64_t h = 0;
    for (const std::int64_t c : cell) h = mix(h, static_cast<std::uint64_t>(c));
    return static_cast<std::size_t>(h) & (head_.size() - 1);
  }
  std::vector<int> head_, next_;
};

std::vector<int> equal_map(const std::vector<Vec3d>& points) {
  std::vector<int> first(points.size());
  PointGrid grid(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::array<std::int64_t, 3> key;
    for (int k = 0; k < 3; ++k) key[at(k)] = std::bit_cast<std::int64_t>(points[i][k] + 0.0);
    int same = grid.first(key);
    const auto differ = [&](const Vec3d& a, const Vec3d& b) {
      return a[0] != b[0] || a[1] != b[1] || a[2] != b[2];
    };
    while (same >= 0 && differ(points[at(same)], points[i])) same = grid.next(same);
    first[i] = same >= 0 ? same : static_cast<int>(i);
    if (same < 0) grid.insert(key, static_cast<int>(i));
  }
  return first;
}

}  // namespace

std::vector<int> weld_map(const std::vector<Vec3d>& points, double tolerance) {
  constexpr double kFurthestCell = 1e15;
  if (!(tolerance >= 0) || !std::isfinite(tolerance))
    throw InputError(Diagnostic{"", 0, 0, "weld tolerance", to_text(tolerance),
                                "must be finite and at least 0", "give it in metres"});
  const double size = 2 * tolerance;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      if (!std::isfinite(points[i][k]))
        throw InputError(Diagnostic{"", 0, 0, element_name("vertex", static_cast<std::int64_t>(i)),
                                    to_text(points[i][k]), "must be finite to be welded",
                                    "correct the vertex"});
      if (tolerance > 0 && std::fabs(points[i][k]) > kFurthestCell * size)
        throw InputError(Diagnostic{"", 0, 0, "weld tolerance", to_text(tolerance),
                                    "is too small for coordinates like " + to_text(points[i][k]),
                                    "give 0 to join equal vertices only"});
    }
  if (tolerance == 0) return equal_map(points);

  std::vector<int> first(points.size());
  PointGrid grid(points.size());
  const auto cell_of = [&](double x) { return static_cast<std::int64_t>(std::floor(x / size)); };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3d& p = points[i];
    std::array<std::int64_t, 3> lo, hi, cell;
    for (int k = 0; k < 3; ++k) {
      lo[at(k)] = cell_of(p[k] - tolerance);
      hi[at(k)] = cell_of(p[k] + tolerance);
    }
    int found = -1;
    for (cell[0] = lo[0]; cell[0] <= hi[0]; ++cell[0])
      for (cell[1] = lo[1]; cell[1] <= hi[1]; ++cell[1])
        for (cell[2] = lo[2]; cell[2] <= hi[2]; ++cell[2])
          for (int q = grid.first(cell); q >= 0; q = grid.next(q))
            if ((found < 0 || q < found) && norm(points[at(q)] - p) <= tolerance) found = q;
    first[i] = found >= 0 ? found : static_cast<int>(i);
    if (found < 0) grid.insert({cell_of(p[0]), cell_of(p[1]), cell_of(p[2])}, static_cast<int>(i));
  }
  return first;
}

namespace {

// Of segments and points as well as of triangles.
void check_all_indices(const TriMesh& mesh) {
  check_indices(mesh.triangles, 3, mesh.vertices.size(), "triangle");
  check_indices(mesh.segments, 2, mesh.vertices.size(), "segment");
  std::vector<std::array<int, 1>> points;
  for (const int v : mesh.points) points.push_back({v});
  check_indices(points, 1, mesh.vertices.size(), "point");
}

// Drops segments without length, and what has the same vertices as an earlier one.
void drop_repeated(TriMesh& mesh) {
  std::set<std::array<int, 2>> segments;
  std::erase_if(mesh.segments, [&](const Vec2i& s) {
    return s[0] == s[1] || !segments.insert({std::min(s[0], s[1]), std::max(s[0], s[1])}).second;
  });
  std::set<int> points;
  std::erase_if(mesh.points, [&](int v) { return !points.insert(v).second; });
}

}  // namespace

WeldResult weld(TriMesh& mesh, double tolerance) {
  check_all_indices(mesh);
  const std::vector<int> first = weld_map(mesh.vertices, tolerance);
  std::vector<int> renumbered(first.size());
  int kept = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (at(first[i]) == i) {
      mesh.vertices[at(kept)] = mesh.vertices[i];
      renumbered[i] = kept++;
    } else {
      renumbered[i] = renumbered[at(first[i])];
    }
  }
  WeldResult result;
  result.merged_vertices = static_cast<int>(first.size()) - kept;
  mesh.vertices.resize(at(kept));
  std::vector<Vec3i> triangles;
  triangles.reserve(mesh.triangles.size());
  for (const Vec3i& t : mesh.triangles) {
    const Vec3i u{{renumbered[at(t[0])], renumbered[at(t[1])], renumbered[at(t[2])]}};
    if (u[0] != u[1] && u[1] != u[2] && u[2] != u[0])
      triangles.push_back(u);
    else
      ++result.removed_triangles;
  }
  mesh.triangles = std::move(triangles);
  if (result.merged_vertices > 0) {
    for (Vec2i& s : mesh.segments) s = {{renumbered[at(s[0])], renumbered[at(s[1])]}};
    for (int& v : mesh.points) v = renumbered[at(v)];
    drop_repeated(mesh);
  }
  return result;
}

int orient(TetMesh& mesh) {
  check_indices(mesh.tets, 4, mesh.vertices.size(), "tetrahedron");
  int turned = 0;
  for (Vec4i& t : mesh.tets)
    if (six_volume(mesh.vertices[at(t[0])], mesh.vertices[at(t[1])], mesh.vertices[at(t[2])],
                   mesh.vertices[at(t[3])]) < 0) {
      std::swap(t[2], t[3]);
      ++turned;
    }
  return turned;
}

namespace {

bool names_twice(const Vec3i& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

double flatness_of(const TriMesh& mesh, const Vec3i& t) {
  return flatness(mesh.vertices[at(t[0])], mesh.vertices[at(t[1])], mesh.vertices[at(t[2])]);
}

// Triangles by undirected edge, kept up to date while triangles change.
class EdgeTriangles {
 public:
  explicit EdgeTriangles(const TriMesh& mesh) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      add(mesh.triangles[t], static_cast<int>(t));
  }
  void add(const Vec3i& t, int id) {
    for (int k = 0; k < 3; ++k) of_[key(t[k], t[(k + 1) % 3])].push_back(id);
  }
  void remove(const Vec3i& t, int id) {
    for (int k = 0; k < 3; ++k) std::erase(of_[key(t[k], t[(k + 1) % 3])], id);
  }
  const std::vector<int>& of(int a, int b) { return of_[key(a, b)]; }

 private:
  static std::uint64_t key(int a, int b) {
    const auto lo = static_cast<std::uint64_t>(std::min(a, b));
    return lo << 32 | static_cast<std::uint64_t>(std::max(a, b));
  }
  std::unordered_map<std::uint64_t, std::vector<int>> of_;
};

// Splits the neighbour across the longest edge of flat triangle `id` at the middle corner, which
// leaves nothing for the flat triangle to fill. Of the two new triangles one takes the place of the
// neighbour and one that of the flat triangle. False where there is no single neighbour.
bool dissolve(TriMesh& mesh, EdgeTriangles& edges, int id) {
  const Vec3i t = mesh.triangles[at(id)];
  int longest = 0;
  double length = -1;
  for (int k = 0; k < 3; ++k) {
    const double l = squared_norm(mesh.vertices[at(t[(k + 1) % 3])] - mesh.vertices[at(t[k])]);
    if (l > length) {
      length = l;
      longest = k;
    }
  }
  const int a = t[longest], b = t[(longest + 1) % 3], middle = t[(longest + 2) % 3];
  const std::vector<int>& around = edges.of(a, b);
  if (around.size() != 2) return false;
  const int other = around[0] == id ? around[1] : around[0];
  const Vec3i u = mesh.triangles[at(other)];
  int apex = -1, start = -1;
  for (int k = 0; k < 3; ++k)
    if (u[k] != a && u[k] != b) {
      apex = u[k];
      start = u[(k + 1) % 3];  // the neighbour runs apex -> start -> end
    }
  if (apex < 0 || apex == middle) return false;
  const int end = start == a ? b : a;
  edges.remove(t, id);
  edges.remove(u, other);
  mesh.triangles[at(other)] = {{apex, start, middle}};
  mesh.triangles[at(id)] = {{apex, middle, end}};
  edges.add(mesh.triangles[at(other)], other);
  edges.add(mesh.triangles[at(id)], id);
  return true;
}

}  // namespace

int remove_degenerate(TriMesh& mesh) {
  check_indices(mesh.triangles, 3, mesh.vertices.size(), "triangle");
  const std::size_t before = mesh.triangles.size();
  std::erase_if(mesh.triangles, names_twice);
  int removed = static_cast<int>(before - mesh.triangles.size());
  EdgeTriangles edges(mesh);
  // A flat triangle and its neighbour become two triangles that cover what the neighbour covered.
  // One of them may be flat again; a few sweeps settle it.
  constexpr int kSweeps = 8;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      if (flatness_of(mesh, mesh.triangles[t]) <= kDegenerateFlatness &&
          dissolve(mesh, edges, static_cast<int>(t))) {
        ++removed;
        changed = true;
      }
    if (!changed) break;
  }
  return removed;
}

int remove_duplicate_triangles(TriMesh& mesh) {
  std::vector<std::array<int, 4>> keys(mesh.triangles.size());
  for (std::size_t t = 0; t < keys.size(); ++t) {
    std::array<int, 3> v{mesh.triangles[t][0], mesh.triangles[t][1], mesh.triangles[t][2]};
    std::sort(v.begin(), v.end());
    keys[t] = {v[0], v[1], v[2], static_cast<int>(t)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<char> drop(keys.size(), 0);
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (std::equal(keys[i].begin(), keys[i].begin() + 3, keys[i - 1].begin()))
      drop[at(keys[i][3])] = 1;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < drop.size(); ++t)
    if (!drop[t]) mesh.triangles[kept++] = mesh.triangles[t];
  const auto removed = static_cast<int>(mesh.triangles.size() - kept);
  mesh.triangles.resize(kept);
  return removed;
}

namespace {

// Keeps the vertices marked by 0; afterwards they are marked by their new number.
int keep_marked(std::vector<Vec3d>& vertices, std::vector<int>& renumbered) {
  int kept = 0;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (renumbered[v] == 0) {
      vertices[at(kept)] = vertices[v];
      renumbered[v] = kept++;
    }
  const int removed = static_cast<int>(vertices.size()) - kept;
  vertices.resize(at(kept));
  return removed;
}

}  // namespace

int remove_unreferenced(TriMesh& mesh) {
  check_all_indices(mesh);
  std::vector<int> number(mesh.vertices.size(), -1);
  const auto each = [&](const auto& visit) {
    for (Vec3i& t : mesh.triangles)
      for (int k = 0; k < 3; ++k) visit(t[k]);
    for (Vec2i& s : mesh.segments)
      for (int k = 0; k < 2; ++k) visit(s[k]);
    for (int& v : mesh.points) visit(v);
  };
  each([&](int v) { number[at(v)] = 0; });
  const int removed = keep_marked(mesh.vertices, number);
  each([&](int& v) { v = number[at(v)]; });
  return removed;
}

int remove_unreferenced(TetMesh& mesh) {
  check_indices(mesh.tets, 4, mesh.vertices.size(), "tetrahedron");
  std::vector<int> number(mesh.vertices.size(), -1);
  for (const Vec4i& t : mesh.tets)
    for (int k = 0; k < 4; ++k) number[at(t[k])] = 0;
  const int removed = keep_marked(mesh.vertices, number);
  for (Vec4i& t : mesh.tets)
    for (int k = 0; k < 4; ++k) t[k] = number[at(t[k])];
  return removed;
}

double six_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  return dot(cross(b - a, c - a), d - a);
}

double signed_volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Vec4i& t : mesh.tets)
    sum += six_volume(mesh.vertices[at(t[0])], mesh.vertices[at(t[1])], mesh.vertices[at(t[2])],
                      mesh.vertices[at(t[3])]);
  return sum / 6;
}

double signed_volume(const TriMesh& mesh) { return enclosed_volume(mesh); }

Aabb bounding_box(const std::vector<Vec3d>& vertices) {
  Aabb box;
  for (const Vec3d& p : vertices) box.merge(p);
  return box;
}

void transform(std::vector<Vec3d>& vertices, const Mat3d& rotation, const Vec3d& translation) {
  for (Vec3d& p : vertices) p = rotation * p + translation;
}

void scale(std::vector<Vec3d>& vertices, double factor) {
  for (Vec3d& p : vertices) p *= factor;
}

double flatness(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  const double longest = std::max({squared_norm(b - a), squared_norm(c - b), squared_norm(a - c)});
  return longest > 0 ? norm(cross(b - a, c - a)) / longest : 0;
}

}  // namespace haptos
