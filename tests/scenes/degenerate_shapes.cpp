#include "tests/scenes/degenerate_shapes.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/topology.h"

namespace haptos::test {
namespace {

TriMesh outward(TriMesh m) {
  orient(m);
  return m;
}

// A polygon in (x, z), extruded along y.
TriMesh bar(const std::vector<Vec2d>& outline, double half_length) {
  TriMesh m = extrude(outline, {}, -half_length, half_length);
  // (u, v, w) -> (x, y, z) = (u, w, v) mirrors the mesh, so its triangles turn.
  for (Vec3d& x : m.vertices) std::swap(x[1], x[2]);
  for (Vec3i& t : m.triangles) std::swap(t[1], t[2]);
  return m;
}

std::vector<Vec2d> square(double half) {
  return {{{-half, -half}}, {{half, -half}}, {{half, half}}, {{-half, half}}};
}

}  // namespace

TetMesh spike() {
  TetMesh m;
  for (const Vec2d& c : square(0.5)) m.vertices.push_back({{c[0], c[1], 0}});
  m.vertices.push_back({{0, 0, 3}});
  m.tets = {{{0, 1, 2, 4}}, {{0, 2, 3, 4}}};
  return m;
}

TetMesh wedge_roof() {
  TetMesh m;
  for (const double y : {-1.0, 1.0})
    for (const Vec2d& c : {Vec2d{{-0.5, 0}}, Vec2d{{0.5, 0}}, Vec2d{{0, 3}}})
      m.vertices.push_back({{c[0], y, c[1]}});
  m.tets = {{{0, 1, 2, 5}}, {{0, 1, 5, 4}}, {{0, 4, 5, 3}}};
  orient(m);
  return m;
}

TetMesh grid(const Vec3d& size, const Vec3i& n) {
  BoxPadShape shape;
  shape.width = size[0];
  shape.depth = size[1];
  shape.thickness = size[2];
  TetMesh m = box_pad(shape, n[0], n[1], n[2]).mesh;
  for (Vec3d& x : m.vertices) x[2] += size[2];
  return m;
}

TetMesh symmetric_cube() {
  const TriMesh faces = box({{1, 1, 1}});
  TetMesh m;
  m.vertices = faces.vertices;
  m.vertices.push_back(Vec3d::zero());
  const int centre = static_cast<int>(m.vertices.size()) - 1;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-0.5, 0.5}) {
      Vec3d middle = Vec3d::zero();
      middle[axis] = side;
      m.vertices.push_back(middle);
      const int top = static_cast<int>(m.vertices.size()) - 1;
      for (int a = 0; a < centre; ++a)
        for (int b = 0; b < a; ++b) {
          const Vec3d &x = m.vertices[at_index(a)], &y = m.vertices[at_index(b)];
          if (x[axis] == side && y[axis] == side && squared_norm(x - y) < 1.5)
            m.tets.push_back({{centre, top, a, b}});
        }
    }
  orient(m);
  for (Vec3d& x : m.vertices) x[2] += 0.5;
  return m;
}

TetMesh ball(double radius, double facet) {
  const TriMesh s = icosphere(radius, facet);
  const int n = static_cast<int>(s.vertices.size());
  TetMesh m;
  m.vertices = s.vertices;
  for (const Vec3d& x : s.vertices) m.vertices.push_back(x * 0.5);
  m.vertices.push_back(Vec3d::zero());
  for (const Vec3i& t : s.triangles) {
    Vec3i v = t;  // lowest number first, so that neighbours cut their common side alike
    while (v[0] > v[1] || v[0] > v[2]) v = {{v[1], v[2], v[0]}};
    const int a = v[0], b = v[1], c = v[2], d = a + n, e = b + n, f = c + n;
    m.tets.push_back({{2 * n, d, e, f}});
    m.tets.push_back({{d, a, b, c}});
    if (b < c) {
      m.tets.push_back({{d, b, c, f}});
      m.tets.push_back({{d, b, f, e}});
    } else {
      m.tets.push_back({{d, b, c, e}});
      m.tets.push_back({{d, e, c, f}});
    }
  }
  for (Vec4i& t : m.tets) {
    const auto x = [&](int k) { return m.vertices[at_index(t[k])]; };
    if (dot(cross(x(1) - x(0), x(2) - x(0)), x(3) - x(0)) < 0) std::swap(t[2], t[3]);
  }
  return m;
}

TetMesh mirror_grid(const Vec3d& size, const Vec3i& n) {
  const TetMesh cube = symmetric_cube();
  TetMesh m;
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k) {
        const int first = static_cast<int>(m.vertices.size());
        for (const Vec3d& x : cube.vertices)
          m.vertices.push_back(
              {{size[0] * ((x[0] + 0.5 + i) / n[0] - 0.5),
                size[1] * ((x[1] + 0.5 + j) / n[1] - 0.5), size[2] * (x[2] + k) / n[2]}});
        for (const Vec4i& t : cube.tets)
          m.tets.push_back({{first + t[0], first + t[1], first + t[2], first + t[3]}});
      }
  // Corners and middles of faces that cells share.
  const std::vector<int> same = weld_map(m.vertices, 1e-6 * norm(size));
  for (Vec4i& t : m.tets)
    for (int c = 0; c < 4; ++c) t[c] = same[at_index(t[c])];
  remove_unreferenced(m);
  return m;
}

TetMesh mirror_ball(double radius, int n) {
  TetMesh m = mirror_grid({{2, 2, 2}}, {{n, n, n}});
  for (Vec3d& x : m.vertices) {
    x[2] -= 1;
    const double cube = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])}), l = norm(x);
    if (l > 0) x *= radius * cube / l;
  }
  return m;
}

TetMesh jack(double cell) {
  TetMesh m = grid({{3 * cell, 3 * cell, 3 * cell}}, {{3, 3, 3}});
  std::erase_if(m.tets, [&](const Vec4i& t) {
    Vec3d c = Vec3d::zero();
    for (int k = 0; k < 4; ++k) c += m.vertices[at_index(t[k])] * 0.25;
    int out = 0;
    for (int k = 0; k < 3; ++k) out += std::abs(c[k] - (k == 2 ? 1.5 * cell : 0)) > 0.5 * cell;
    return out > 1;
  });
  remove_unreferenced(m);
  return m;
}

TetMesh upside_down(TetMesh m) {
  double top = -1e300;
  for (const Vec3d& x : m.vertices) top = std::max(top, x[2]);
  for (Vec3d& x : m.vertices) x = {{x[0], -x[1], top - x[2]}};
  return m;
}

TriMesh surface_of(const TetMesh& m) {
  std::vector<int> vertex;
  return boundary_surface(m, &vertex);
}

TriMesh cliff() {
  TriMesh m = box({{1, 1, 1}});
  for (Vec3d& x : m.vertices) {
    const double half = x[2] > 0 ? 0.5 : 0.75;
    x = {{x[0] > 0 ? half : -half, x[1] > 0 ? half : -half, x[2] + 0.5}};
  }
  return m;
}

TriMesh internal_edges() {
  TriMesh m;
  // The rim counter-clockwise from the corner (-1, -1), then two inner vertices of the top, then
  // the corners of the base.
  for (const Vec2d& c :
       {Vec2d{{-1, -1}}, Vec2d{{0, -1}}, Vec2d{{1, -1}}, Vec2d{{1, 0}}, Vec2d{{1, 1}},
        Vec2d{{0, 1}}, Vec2d{{-1, 1}}, Vec2d{{-1, 0}}, Vec2d{{-0.5, 0.5}}, Vec2d{{0.5, 0.5}}})
    m.vertices.push_back({{c[0], c[1], 1}});
  for (const Vec2d& c : square(1)) m.vertices.push_back({{c[0], c[1], 0}});
  m.triangles = {{{8, 0, 1}}, {{8, 1, 9}}, {{9, 1, 2}}, {{9, 2, 3}}, {{9, 3, 4}},
                 {{9, 4, 5}}, {{8, 9, 5}}, {{8, 5, 6}}, {{8, 6, 7}}, {{8, 7, 0}}};
  for (int side = 0; side < 4; ++side) {
    const int a = 2 * side, b = a + 1, c = (a + 2) % 8;
    const int lo = 10 + side, hi = 10 + (side + 1) % 4;
    m.triangles.insert(m.triangles.end(), {{{lo, b, a}}, {{lo, hi, b}}, {{hi, c, b}}});
  }
  m.triangles.insert(m.triangles.end(), {{{10, 12, 11}}, {{10, 13, 12}}});
  return outward(std::move(m));
}

TriMesh crack(double width) {
  const double w = width / 2;
  return bar({{{-1, -0.25}}, {{1, -0.25}}, {{1, 1}}, {{w, 1}}, {{0, 0}}, {{-w, 1}}, {{-1, 1}}}, 2);
}

TriMesh hole() {
  std::vector<Vec2d> inside = square(0.25);
  std::reverse(inside.begin(), inside.end());
  return extrude(square(1), {inside}, 1, 2);
}

TriMesh slab(double reach) {
  TriMesh m = box({{2 * reach, 2 * reach, 1}});
  for (Vec3d& x : m.vertices) x[2] -= 0.5;
  return m;
}

}  // namespace haptos::test
