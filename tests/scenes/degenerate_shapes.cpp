#include "tests/scenes/degenerate_shapes.h"

#include <algorithm>

#include "haptos/geometry/mesh_edit.h"
#include "haptos/geometry/pads.h"
#include "haptos/geometry/shapes.h"
#include "haptos/geometry/topology.h"

namespace haptos::test {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

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
