#include "haptos/geometry/layer/layer_shape.h"

#include <algorithm>
#include <utility>

#include "haptos/geometry/layer/soup.h"
#include "haptos/geometry/mesh/made_of.h"
#include "haptos/geometry/shape/shape_properties.h"

namespace haptos {
namespace {

using Sides = TriangleSoup::Sides;

constexpr double kHalfPlane = 5e3;  // [m]
// Facets of this part of the radius leave the shape by a five-hundredth of it.
constexpr double kFacet = 0.125;

TriMesh lone_point() {
  TriMesh m;
  m.vertices.push_back(Vec3d::zero());
  m.points.push_back(0);
  return m;
}

TriMesh axis(double half_length) {
  if (!(half_length > 0)) return lone_point();
  TriMesh m;
  m.vertices = {{{0, 0, -half_length}}, {{0, 0, half_length}}};
  m.segments.push_back({{0, 1}});
  return m;
}

TriMesh square() {
  TriMesh m;
  for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
    m.vertices.push_back({{x * kHalfPlane, y * kHalfPlane, 0}});
  m.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
  return m;
}

double facet_of(const Shape& s) {
  double radius = s.size[0];
  if (s.kind == ShapeKind::kEllipsoid) radius = std::min({s.size[0], s.size[1], s.size[2]});
  return kFacet * radius;
}

}  // namespace

LayerShape layer_shape(const Shape& s, const std::string& element, bool sheet) {
  check_shape(s, element);
  const auto made = [&](const TriMesh& m, double radius, Sides sides = Sides::kLookFor) {
    return LayerShape{std::make_shared<const TriangleSoup>(m, element, sides), radius};
  };
  switch (s.kind) {
    case ShapeKind::kSphere:
      return made(lone_point(), s.size[0]);
    case ShapeKind::kCapsule:
      return made(axis(s.size[1]), s.size[0]);
    case ShapeKind::kHalfSpace:
      return made(square(), 0, Sides::kOutward);
    case ShapeKind::kMesh: {
      static MadeOf<TriangleSoup> soups[2];
      const Sides sides = sheet ? Sides::kTwo : Sides::kLookFor;
      return {soups[sheet ? 1 : 0].of(
                  s.mesh,
                  [&] { return std::make_shared<const TriangleSoup>(*s.mesh, element, sides); }),
              s.mesh->triangles.empty() ? s.size[0] : 0};
    }
    default:
      return made(shape_mesh(s, facet_of(s)), 0);
  }
}

}  // namespace haptos
