#include "haptos/geometry/mesh/tet_refine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "haptos/base/text/error.h"

namespace haptos {
namespace {

// Local nodes of a parent: 0 to 3 its corners, 4 to 9 the middles of these edges.
constexpr int kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

constexpr int kCorners[4][4] = {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3}};

// The octahedron 4..9 about its diagonals 01-23, 02-13, 03-12, positively oriented.
constexpr int kOctahedron[3][4][4] = {{{9, 4, 5, 7}, {9, 4, 7, 8}, {9, 4, 8, 6}, {9, 4, 6, 5}},
                                      {{8, 5, 4, 6}, {8, 5, 6, 9}, {8, 5, 9, 7}, {8, 5, 7, 4}},
                                      {{7, 6, 4, 8}, {7, 6, 8, 9}, {7, 6, 9, 5}, {7, 6, 5, 4}}};
constexpr int kDiagonals[3][2] = {{4, 9}, {5, 8}, {6, 7}};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

RefinedTets refine(const TetMesh& mesh) {
  const std::size_t n = mesh.vertices.size();
  constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (mesh.tets.size() > kMost / 8 || n + 6 * mesh.tets.size() > kMost)
    throw InputError({.file = {},
                      .element = "tetrahedra",
                      .value = std::to_string(mesh.tets.size()),
                      .rule = "must be fewer than 2^31 / 8 to be refined",
                      .remedy = "start from a coarser mesh"});
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (int k = 0; k < 4; ++k)
      if (mesh.tets[t][k] < 0 || at(mesh.tets[t][k]) >= n)
        throw InputError({.file = {},
                          .element = "tetrahedron " + std::to_string(t),
                          .value = std::to_string(mesh.tets[t][k]),
                          .rule = "must name vertices 0 to " + std::to_string(n) + " - 1",
                          .remedy = "mend the tetrahedron's indices"});

  RefinedTets r;
  const auto edge_of = [&](const Vec4i& t, int e) {
    const int a = t[kEdges[e][0]], b = t[kEdges[e][1]];
    return Vec2i{{std::min(a, b), std::max(a, b)}};
  };
  const auto before = [](const Vec2i& x, const Vec2i& y) {
    return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
  };
  r.edges.reserve(6 * mesh.tets.size());
  for (const Vec4i& t : mesh.tets)
    for (int e = 0; e < 6; ++e) r.edges.push_back(edge_of(t, e));
  std::sort(r.edges.begin(), r.edges.end(), before);
  r.edges.erase(
      std::unique(r.edges.begin(), r.edges.end(),
                  [](const Vec2i& x, const Vec2i& y) { return x[0] == y[0] && x[1] == y[1]; }),
      r.edges.end());

  r.mesh.vertices = mesh.vertices;
  r.mesh.vertices.reserve(n + r.edges.size());
  for (const Vec2i& e : r.edges)
    r.mesh.vertices.push_back((mesh.vertices[at(e[0])] + mesh.vertices[at(e[1])]) * 0.5);

  r.mesh.tets.reserve(8 * mesh.tets.size());
  r.parent.reserve(8 * mesh.tets.size());
  for (std::size_t p = 0; p < mesh.tets.size(); ++p) {
    int node[10];
    for (int k = 0; k < 4; ++k) node[k] = mesh.tets[p][k];
    for (int e = 0; e < 6; ++e) {
      const auto found =
          std::lower_bound(r.edges.begin(), r.edges.end(), edge_of(mesh.tets[p], e), before);
      node[4 + e] = static_cast<int>(n) + static_cast<int>(found - r.edges.begin());
    }
    int shortest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (int d = 0; d < 3; ++d) {
      const double l = squared_norm(r.mesh.vertices[at(node[kDiagonals[d][0]])] -
                                    r.mesh.vertices[at(node[kDiagonals[d][1]])]);
      if (l < least) {
        least = l;
        shortest = d;
      }
    }
    const auto add = [&](const int(&c)[4]) {
      r.mesh.tets.push_back({{node[c[0]], node[c[1]], node[c[2]], node[c[3]]}});
      r.parent.push_back(static_cast<int>(p));
    };
    for (const auto& c : kCorners) add(c);
    for (const auto& c : kOctahedron[shortest]) add(c);
  }
  return r;
}

}  // namespace haptos
