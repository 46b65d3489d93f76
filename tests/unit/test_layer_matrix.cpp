// Boundary-layer contact of every kind of shape with every other: one stands above the other, and
// how far apart they are is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/geometry/make/shapes.h"
#include "layer_cases.h"

namespace haptos {
namespace {

struct Kind {
  const char* name;
  std::function<LayerShape()> make;
  double lowest, highest;  // along z, at x = y = 0, with the shape's own radius [m]
  bool flat_below, flat_above;
};

LayerShape of(ShapeKind kind, const Vec3d& size) {
  Shape s;
  s.kind = kind, s.size = size;
  return layer_shape(s, "shape");
}

LayerShape of_mesh(ShapeKind kind, const TriMesh& mesh) {
  Shape s;
  s.kind = kind, s.mesh = std::make_shared<const TriMesh>(mesh);
  return layer_shape(s, "shape");
}

// The nearest of them is the one in the middle.
LayerShape points() {
  TriMesh m;
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) {
      m.points.push_back(static_cast<int>(m.vertices.size()));
      const double bent = 1 - 0.1 * (i * i + j * j);
      m.vertices.push_back({{0.01 * i, 0.01 * j, 0.02 * bent}});
      m.points.push_back(static_cast<int>(m.vertices.size()));
      m.vertices.push_back({{0.01 * i, 0.01 * j, -0.02 * bent}});
    }
  return {std::make_shared<const TriangleSoup>(m), 3e-3};
}

LayerShape field() {
  auto f = std::make_shared<HeightField>();
  f->rows = f->columns = 5;
  f->spacing[0] = f->spacing[1] = 0.02;
  f->height.assign(25, 0.01);
  Shape s;
  s.kind = ShapeKind::kHeightField, s.field = f;
  return layer_shape(s, "shape");
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"mesh", [] { return of_mesh(ShapeKind::kMesh, cut_cube(0.06, 5)); }, -0.03, 0.03, true,
       true},
      {"points", points, -0.023, 0.023, false, false},
      {"field", field, 0, 0.01, true, true},
      {"half_space", [] { return of(ShapeKind::kHalfSpace, Vec3d::zero()); }, 0, 0, false, true},
      {"sphere",
       [] {
         return of(ShapeKind::kSphere, {{0.02, 0, 0}});
       },
       -0.02, 0.02, false, false},
      {"capsule",
       [] {
         return of(ShapeKind::kCapsule, {{0.01, 0.03, 0}});
       },
       -0.04, 0.04, false, false},
      {"box",
       [] {
         return of(ShapeKind::kBox, {{0.02, 0.03, 0.01}});
       },
       -0.01, 0.01, true, true},
      {"cylinder",
       [] {
         return of(ShapeKind::kCylinder, {{0.02, 0.03, 0}});
       },
       -0.03, 0.03, true, true},
      {"cone",
       [] {
         return of(ShapeKind::kCone, {{0.02, 0.03, 0}});
       },
       -0.03, 0.03, true, false},
      {"ellipsoid",
       [] {
         return of(ShapeKind::kEllipsoid, {{0.02, 0.03, 0.04}});
       },
       -0.04, 0.04, false, false},
      {"hull",
       [] {
         return of_mesh(ShapeKind::kHull, box({{0.05, 0.04, 0.02}}));
       },
       -0.01, 0.01, true, true},
  };
  return all;
}

class LayerMatrix : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(LayerMatrix, OneAboveTheOtherTouchesWhereItMust) {
  const Kind &above = kinds()[at_index(std::get<0>(GetParam()))],
             &below = kinds()[at_index(std::get<1>(GetParam()))];
  const std::string both = std::string(above.name) + " on " + below.name;
  const LayerShape a = above.make(), b = below.make();
  // A height field has a floor below it.
  const bool has_floor = above.name == std::string("field");
  const double lowest = has_floor ? a.soup->box().lo[2] : above.lowest;
  constexpr double kLayer = 2e-3;  // of each
  const double whole = 2 * kLayer;
  LayerContacts contacts;
  const auto find = [&](double distance, bool swapped) {
    // Turned a little about z: nothing lies on a grid.
    const Pose up{{{1e-4, 2e-4, below.highest - lowest + distance}}, rotation_by({{0, 0, 0.1}})};
    const LayerSurface over{a.soup.get(), up, kLayer + a.radius},
        under{b.soup.get(), {}, kLayer + b.radius};
    std::vector<ContactSample> out;
    if (swapped)
      contacts.find(under, over, 0, out);
    else
      contacts.find(over, under, 0, out);
    return out;
  };
  const bool flat = above.flat_below && below.flat_above;
  for (const double distance : {0.5e-3, 2.1e-3, 3.9e-3}) {
    const std::vector<ContactSample> touching = find(distance, false);
    ASSERT_FALSE(touching.empty()) << both;
    Vec3d force = Vec3d::zero();
    double deepest = 0;
    for (const ContactSample& s : touching) {
      EXPECT_LE(s.gap, 1e-12) << both;
      EXPECT_GT(s.area, 0) << both;
      EXPECT_NEAR(norm(s.n), 1, 1e-12) << both;
      EXPECT_NEAR(dot(s.n, s.p_a - s.p_b), s.gap, 1e-12) << both;
      force += -s.gap * s.area * s.n;
      deepest = std::max(deepest, -s.gap);
    }
    // The shift of .2 mm lets a ball on a ball, or a point on a point, be that much farther off.
    EXPECT_LE(deepest, whole - distance + 1e-9) << both;
    EXPECT_GE(deepest, whole - distance - (flat ? 1e-9 : 0.12e-3)) << both << " " << distance;
    EXPECT_GT(force[2], 0.98 * norm(force)) << both;
    // The same set from the other side.
    std::vector<ContactSample> other = find(distance, true);
    ASSERT_EQ(other.size(), touching.size()) << both;
    for (const ContactSample& s : touching) {
      const auto mirrored = std::min_element(
          other.begin(), other.end(), [&](const ContactSample& x, const ContactSample& y) {
            const auto off = [&](const ContactSample& o) {
              return norm(o.p_b - s.p_a) + norm(o.n + s.n) + vabs(o.area - s.area);
            };
            return off(x) < off(y);
          });
      EXPECT_LT(norm(mirrored->p_b - s.p_a) + norm(mirrored->p_a - s.p_b), 1e-10) << both;
      EXPECT_LT(norm(mirrored->n + s.n), 1e-9) << both;
      EXPECT_NEAR(mirrored->area, s.area, 1e-8 * s.area + 1e-16) << both;
    }
  }
  EXPECT_TRUE(find(whole + 1e-6, false).empty()) << both;
}

std::vector<std::tuple<int, int>> cells() {
  std::vector<std::tuple<int, int>> all;
  for (int i = 0; i < static_cast<int>(kinds().size()); ++i)
    for (int j = 0; j < static_cast<int>(kinds().size()); ++j)
      // What has no underside stands on nothing.
      if (kinds()[at_index(i)].name != std::string("half_space")) all.emplace_back(i, j);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kinds, LayerMatrix, testing::ValuesIn(cells()), [](const auto& info) {
  return std::string(kinds()[at_index(std::get<0>(info.param))].name) + "_on_" +
         kinds()[at_index(std::get<1>(info.param))].name;
});

TEST(LayerShapes, OfOneMeshShareTheirSoupWhileOneOfThemLives) {
  Shape s;
  s.kind = ShapeKind::kMesh;
  s.mesh = std::make_shared<const TriMesh>(cut_cube(0.06, 5));
  const Shape copy = s;
  std::weak_ptr<const TriangleSoup> held;
  {
    const LayerShape one = layer_shape(s, "one"), two = layer_shape(copy, "two");
    EXPECT_EQ(one.soup, two.soup);
    EXPECT_NE(one.soup, layer_shape(s, "sheet", true).soup);
    EXPECT_EQ(layer_shape(s, "sheet", true).soup->sided(), 0);
    Shape other = s;
    other.mesh = std::make_shared<const TriMesh>(*s.mesh);
    EXPECT_NE(one.soup, layer_shape(other, "other").soup);
    held = one.soup;
  }
  EXPECT_TRUE(held.expired());
  EXPECT_GT(layer_shape(s, "again").soup->faces().size(), 0u);
}

}  // namespace
}  // namespace haptos
