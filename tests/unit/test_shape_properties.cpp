// Shapes by themselves: what is refused, boxes, moments against meshes, surfaces for drawing.
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/shape/shape_moments.h"
#include "haptos/geometry/shape/shape_properties.h"

#include <gtest/gtest.h>

#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "tests/unit/collide_cases.h"

namespace haptos {
namespace {

using namespace collide_test;

constexpr double kPi = 3.14159265358979323846;

Shape field_of(int rows, int columns, const std::function<double(double, double)>& z) {
  auto f = std::make_shared<HeightField>();
  f->rows = rows, f->columns = columns;
  f->spacing[0] = 0.1, f->spacing[1] = 0.2;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      f->height.push_back(z((c - .5 * (columns - 1)) * .1, (r - .5 * (rows - 1)) * .2));
  Shape s;
  s.kind = ShapeKind::kHeightField;
  s.field = f;
  return s;
}

std::string refusal(const Shape& s) {
  try {
    check_shape(s, "link arm, collision 2");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ShapeProperties, ValidShapesPassAndOthersAreNamed) {
  Random random(1);
  for (const ShapeKind k : kConvexKinds) EXPECT_EQ(refusal(random.shape(k)), "");
  EXPECT_EQ(refusal(shape_of(ShapeKind::kHalfSpace)), "");
  EXPECT_EQ(refusal(shape_of(ShapeKind::kCapsule, .1, 0)), "");
  const auto expect = [](const Shape& s, const std::string& part) {
    const std::string text = refusal(s);
    EXPECT_NE(text.find("link arm, collision 2"), std::string::npos) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(shape_of(ShapeKind::kSphere, 0), "radius");
  expect(shape_of(ShapeKind::kSphere, -1), "greater than 0");
  expect(shape_of(ShapeKind::kBox, 1, std::nan(""), 1), "half size y");
  expect(shape_of(ShapeKind::kCapsule, .1, -.1), "half length");
  expect(shape_of(ShapeKind::kCylinder, .1, 0), "half length");
  expect(shape_of(ShapeKind::kCone, .1, INFINITY), "half length");
  expect(shape_of(ShapeKind::kEllipsoid, .1, .1, 0), "semi-axis z");
  Shape s = shape_of(ShapeKind::kHull);
  expect(s, "no mesh");
  s.mesh =
      std::make_shared<TriMesh>(TriMesh{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{1, 1, 0}}}, {}});
  expect(s, "plane");
  s.kind = ShapeKind::kMesh;
  expect(s, "without triangles");
  s.mesh =
      std::make_shared<TriMesh>(TriMesh{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}, {{{0, 1, 3}}}});
  expect(s, "triangle 0");
  s.mesh = std::make_shared<TriMesh>(
      TriMesh{{{{0, 0, 0}}, {{1, std::nan(""), 0}}, {{0, 1, 0}}}, {{{0, 1, 2}}}});
  expect(s, "vertex 1");
  expect(shape_of(ShapeKind::kHeightField), "no heights");
  s = field_of(3, 1, [](double, double) { return 0; });
  expect(s, "3 x 1");
  auto f = std::make_shared<HeightField>(*field_of(3, 4, [](double, double) { return 0; }).field);
  f->height.pop_back();
  s.field = f;
  expect(s, "3 x 4");
  f->height.push_back(std::nan(""));
  expect(s, "height 11");
  f->height.back() = 0;
  f->spacing[1] = 0;
  expect(s, "spacing y");
  f->rows = f->columns = 2000000000;
  expect(s, "134 million");
  EXPECT_THROW(CollisionShape{shape_of(ShapeKind::kHull)}, InputError);
}

TEST(ShapeProperties, MomentsAreThoseOfTheSurfaceRefined) {
  for (const ShapeKind k : kConvexKinds) {
    Shape s = shape_of(k, .1, .17, .25);
    if (k == ShapeKind::kHull) s = Random(3).shape(k);
    const Moments exact = *shape_moments(s, 700);
    double error[2];
    for (int i = 0; i < 2; ++i) {
      const Moments m = solid_moments(shape_mesh(s, i ? .01 : .02), 700);
      error[i] = std::abs(m.mass - exact.mass) / exact.mass;
      EXPECT_LT(error[i], .01);
      for (int j = 0; j < 9; ++j)
        EXPECT_NEAR(m.second[j], exact.second[j], .02 * exact.second(2, 2));
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(m.first[j], exact.first[j], .01 * exact.mass * .1);
    }
    // Inscribed facets: the error falls with their square.
    if (error[1] > 1e-12) {
      EXPECT_LT(error[1], .35 * error[0]);
    }
  }
}

TEST(ShapeProperties, MomentsHaveTheirClosedForms) {
  const double rho = 1000;
  const Moments cone = *shape_moments(shape_of(ShapeKind::kCone, .1, .2), rho);
  const double m = rho * kPi * .01 * .4 / 3;
  EXPECT_NEAR(cone.mass, m, 1e-12 * m);
  EXPECT_NEAR(cone.centre()[2], -.1, 1e-15);
  EXPECT_NEAR(cone.inertia()(2, 2), .3 * m * .01, 1e-12 * m);
  EXPECT_NEAR(cone.inertia()(0, 0), m * (.15 * .01 + 3. / 80 * .16), 1e-12 * m);
  const Moments pill = *shape_moments(shape_of(ShapeKind::kCapsule, .1, .2), rho);
  const double tube = rho * kPi * .01 * .4, ball = rho * 4. / 3 * kPi * .001;
  EXPECT_NEAR(pill.inertia()(2, 2), tube * .005 + .4 * ball * .01, 1e-12 * pill.mass);
  EXPECT_NEAR(pill.inertia()(0, 0),
              tube * (.01 / 4 + .04 / 3) + ball * (.4 * .01 + .04 + .75 * .1 * .2),
              1e-12 * pill.mass);
  EXPECT_FALSE(shape_moments(shape_of(ShapeKind::kHalfSpace), 1));
  EXPECT_FALSE(shape_moments(field_of(2, 2, [](double, double) { return 0; }), 1));
}

TEST(ShapeProperties, SurfacesAreClosedOutwardAndWithinTheBox) {
  std::vector<Shape> shapes;
  for (const ShapeKind k : kConvexKinds) shapes.push_back(Random(5).shape(k));
  shapes.push_back(shape_of(ShapeKind::kHalfSpace));
  shapes.push_back(shape_of(ShapeKind::kCapsule, .1, 0));
  shapes.push_back(field_of(7, 5, [](double x, double y) { return x * x - y; }));
  for (const Shape& s : shapes) {
    const TriMesh mesh = shape_mesh(s, .03);
    std::map<std::pair<int, int>, int> edges;
    for (const Vec3i& t : mesh.triangles)
      for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
    for (const auto& [e, n] : edges) {
      EXPECT_EQ(n, 1);
      EXPECT_EQ(edges.count({e.second, e.first}), 1u);
    }
    EXPECT_GT(solid_moments(mesh, 1).mass, 0);
    const Aabb box = shape_bounds(s).inflated(1e-12);
    for (const Vec3d& x : mesh.vertices)
      if (s.kind != ShapeKind::kHeightField) {
        EXPECT_TRUE(box.contains(x));
      }
  }
}

// Of a hull the box around its own box, for speed.
TEST(ShapeProperties, WorldBoxesHoldTheShapeTightly) {
  Random random(7);
  for (int k = 0; k < 300; ++k) {
    const Shape s = random.shape(kConvexKinds[k % 7]);
    const CollisionShape c(s);
    const Pose pose = random.pose(1);
    const Aabb box = c.bounds(pose);
    Aabb points, own;
    const std::vector<Vec3d> vertices = shape_mesh(s, .02).vertices;
    for (const Vec3d& x : vertices) points.merge(pose * x), own.merge(x);
    for (int i = 0; i < 3; ++i) EXPECT_LE(c.half_thickness(), 0.5 * (own.hi[i] - own.lo[i]) + 2e-3);
    if (s.kind == ShapeKind::kHull) {
      for (int corner = 0; corner < 8; ++corner)
        points.merge(pose *
                     Vec3d{{corner & 1 ? own.hi[0] : own.lo[0], corner & 2 ? own.hi[1] : own.lo[1],
                            corner & 4 ? own.hi[2] : own.lo[2]}});
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(box.lo[i], points.lo[i] + 1e-12);
      EXPECT_GT(box.hi[i], points.hi[i] - 1e-12);
      EXPECT_NEAR(box.lo[i], points.lo[i], 2e-3);
      EXPECT_NEAR(box.hi[i], points.hi[i], 2e-3);
    }
  }
  EXPECT_EQ(floor_plane().bounds(at(0, 0, .3)).hi[2], .3);
  EXPECT_EQ(floor_plane().bounds(at(0, 0, .3)).lo[2], -INFINITY);
  EXPECT_EQ(floor_plane().bounds(at(0, 0, .3, {{.1, 0, 0}})).hi[2], INFINITY);
}

}  // namespace
}  // namespace haptos
