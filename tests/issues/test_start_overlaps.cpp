// Rigid bodies that start overlapped are told, and parted at a capped speed whatever holds them.
#include <gtest/gtest.h>

#include <algorithm>

#include "haptos/base/text/error.h"
#include "haptos/geometry/shape/shape_properties.h"
#include "haptos/sim/doubts/doubts.h"
#include "tests/robots.h"
#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::World;

// A box sunk half into a plane, and one into another box: 50 and 20 mm deep.
World sunk(int law, double k, double tau, double parting) {
  World w;
  w.law.law = law;
  w.law.parting_speed = parting;
  w.stiffness = k;
  w.relaxation_time = tau;
  w.add_plane({{0, 0, 1}});
  w.add_box({{0.1, 0.1, 0.1}}, 1, {{{0, 0, 0}}, {}});
  w.add_box({{0.1, 0.1, 0.1}}, 1, {{{1, 0, 0.3}}, {}});
  w.add_box({{0.1, 0.1, 0.1}}, 1, {{{1.08, 0.01, 0.3}}, {}});
  return w;
}

TEST(StartOverlaps, ArePartedAtNoMoreThanTheSpeedAskedForWhateverTheStiffness) {
  for (const int law : {test::kSap, test::kLagged, test::kSimilar})
    for (const double k : {1e4, 1e6, 1e9})
      for (const double tau : {0.0, 0.01})
        for (const double parting : {0.05, 0.5}) {
          World w = sunk(law, k, tau, parting);
          w.start(2e-3);
          double up = 0, apart = 0;
          for (int n = 0; n < 100; ++n) {
            w.scene.step();
            up = std::max(up, w.bodies[0]->velocity(w.scene.state)[2]);
            const Vec3d d =
                w.bodies[2]->velocity(w.scene.state) - w.bodies[1]->velocity(w.scene.state);
            apart = std::max(apart, d[0]);
          }
          EXPECT_EQ(w.scene.status, 0u);
          // An undamped spring swings twice as fast as its foot moves; the weight that it does not
          // hold yet adds g sqrt(m / k).
          const double most = law == test::kSap && tau == 0 ? 2 * parting : parting;
          const double swing = test::kG * std::sqrt(1 / k);
          EXPECT_LT(up, 1.05 * most + swing) << law << ", " << k << " N/m, " << tau << " s";
          EXPECT_LT(apart, 1.05 * most + swing) << law << ", " << k << " N/m, " << tau << " s";
        }
}

// 20 and 50 mm at .1 m/s take .5 s; then the boxes lie and stand apart.
TEST(StartOverlaps, EndApartAndAtRest) {
  World w = sunk(test::kSap, 1e6, 0.01, 0.1);
  w.scene.gravity = {{0, 0, 0}};
  w.start(2e-3);
  w.run(0.45);
  EXPECT_LT(w.bodies[0]->pose(w.scene.state).p[2], 0.05);
  w.run(0.1);
  EXPECT_NEAR(w.bodies[0]->pose(w.scene.state).p[2], 0.05, 0.01);
  const double apart =
      w.bodies[2]->pose(w.scene.state).p[0] - w.bodies[1]->pose(w.scene.state).p[0];
  EXPECT_GT(apart, 0.1);
}

RobotBody box(const std::string& name, const Vec3d& at) {
  RobotShape s;
  s.name = name;
  s.shape.kind = ShapeKind::kBox;
  s.shape.size = {{0.05, 0.05, 0.05}};
  RobotBody b;
  b.name = name;
  b.robot = rigid_robot(name, {s}, {.mass = 1});
  b.pose.p = at;
  return b;
}

std::vector<std::string> overlaps(const Scene& scene) {
  std::vector<std::string> out;
  doubt_overlaps(*compile(scene), out);
  return out;
}

TEST(StartOverlaps, AreToldWithNamesDepthAndRemedy) {
  Scene s;
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  s.robots = {box("left", {{0, 0, 0.05}}), box("right", {{0.08, 0.01, 0.0501}}),
              box("away", {{1, 0, 0.02}})};
  const std::vector<std::string> told = overlaps(s);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("\"left\" and \"right\" start with an overlap of 20 mm"),
            std::string::npos)
      << told[0];
  EXPECT_NE(told[1].find("\"away\" and \"floor\" start with an overlap of 30 mm"),
            std::string::npos)
      << told[1];
  EXPECT_NE(told[0].find("move one of them"), std::string::npos);
  const std::vector<std::string> all = find_warnings(*compile(s));
  EXPECT_EQ(std::count(all.begin(), all.end(), told[0]), 1);
  s.sim.strict = true;
  EXPECT_THROW(compile(s), InputError);
}

// What has sunk in by a hundredth of its half thickness, and what is switched off, is nobody's
// business.
TEST(StartOverlaps, OfASagAndOfPairsSwitchedOffAreNotTold) {
  Scene s;
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  s.robots = {box("left", {{0, 0, 0.0496}}), box("right", {{0.08, 0.01, 0.05}})};
  PairOptions p;
  p.a = "left";
  p.b = "right";
  p.enabled = false;
  s.pairs.push_back(p);
  EXPECT_TRUE(overlaps(s).empty());
}

// Within the layers is where contact is: only what is deeper is told.
TEST(StartOverlaps, OfBodiesWithLayersAreToldBeyondTheLayers) {
  const auto with_layer = [](RobotBody r, const TriMesh* mesh) {
    r.layer = 2e-3;
    if (mesh) {
      Shape& shape = r.robot.links[0].collisions[0].shape;
      shape.kind = ShapeKind::kMesh;
      shape.mesh = std::make_shared<const TriMesh>(*mesh);
    }
    return r;
  };
  const RobotBody plain = box("left", {{0, 0, 0}});
  const TriMesh cube = shape_mesh(plain.robot.links[0].collisions[0].shape, .05);
  for (const bool meshes : {false, true}) {
    const TriMesh* mesh = meshes ? &cube : nullptr;
    Scene s;
    const auto two = [&](double apart) {
      s.robots = {with_layer(box("left", {{0, 0, 0}}), mesh),
                  with_layer(box("right", {{.1 + apart, .01, .002}}), mesh)};
      return overlaps(s);
    };
    EXPECT_TRUE(two(1e-3).empty());  // in each other's layers
    const std::vector<std::string> told = two(-5e-3);
    ASSERT_EQ(told.size(), 1u) << meshes;
    EXPECT_NE(told[0].find(meshes ? "\"left\" and \"right\" start with surfaces that cross"
                                  : "\"left\" and \"right\" start with an overlap of 5 mm"),
              std::string::npos)
        << told[0];
    EXPECT_NE(told[0].find("move one of them"), std::string::npos);
  }
}

}  // namespace
}  // namespace haptos
