#include "haptos/geometry/layer/layer_shape.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "haptos/geometry/mesh/made_of.h"
#include "haptos/geometry/shape/shape_properties.h"
#include "haptos/geometry/soup/soup.h"
#include "haptos/geometry/soup/soup_kept.h"

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

// Shapes of one mesh share its soup where they take it alike.
std::shared_ptr<const TriangleSoup> kept(const std::shared_ptr<const TriMesh>& mesh,
                                         const std::string& element, bool sheet, double shrink_by) {
  using Soups = MadeOf<TriangleSoup>;
  static std::mutex mutex;
  static std::map<std::pair<bool, double>, Soups> all;
  Soups* soups = nullptr;
  {
    const std::lock_guard lock(mutex);
    soups = &all[{sheet, shrink_by}];
  }
  const Sides sides = sheet ? Sides::kTwo : Sides::kLookFor;
  return soups->of(mesh, [&] { return kept_soup(*mesh, element, sides, shrink_by); });
}

}  // namespace

LayerShape layer_shape(const Shape& s, const std::string& element, bool sheet, double shrink_by) {
  check_shape(s, element);
  const auto made = [&](const TriMesh& m, Sides sides = Sides::kLookFor) {
    LayerShape shape;
    shape.soup = std::make_shared<const TriangleSoup>(m, element, sides, shrink_by);
    shape.shrunk = shape.soup->shrunk();
    return shape;
  };
  const auto round = [&](LayerShape shape, double radius) {
    shape.radius = std::max(radius - shrink_by, 0.0);
    shape.shrunk = {};
    if (shrink_by > radius) shape.shrunk = {1, shrink_by - radius};
    return shape;
  };
  switch (s.kind) {
    case ShapeKind::kSphere:
      return round(made(lone_point()), s.size[0]);
    case ShapeKind::kCapsule:
      return round(made(axis(s.size[1])), s.size[0]);
    case ShapeKind::kHalfSpace:
      return made(square(), Sides::kOutward);
    case ShapeKind::kMesh: {
      LayerShape shape{kept(s.mesh, element, sheet, shrink_by), 0, {}};
      if (s.mesh->triangles.empty()) return round(shape, s.size[0]);
      shape.shrunk = shape.soup->shrunk();
      return shape;
    }
    default:
      return made(shape_mesh(s, facet_of(s)));
  }
}

}  // namespace haptos
