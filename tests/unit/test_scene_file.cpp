// A scene file says what its author meant: units, pads, regions, references; and every scene of
// this project loads and runs.
#include "haptos/files/scene/scene_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>

#include "haptos/base/text/text.h"
#include "haptos/base/text/units.h"
#include "haptos/bodies/elastic/soft_model.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/sim.h"
#include "tests/fuzz/fuzz_scene.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;

fs::path checkout() { return fs::path(__FILE__).parent_path().parent_path().parent_path(); }

Scene parse(const std::string& text) { return parse_scene(text, "scene.yaml", {}); }

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& e : fs::directory_iterator(folder)) all.push_back(e.path());
  std::sort(all.begin(), all.end());
  return all;
}

const std::string kGel =
    "soft:\n  - name: gel\n    material: {young: 50 kPa, poisson: 0.4}\n"
    "    pad: {box: {width: 4 mm, depth: 6 mm, thickness: 2 mm, cells: [2, 3, 1]}}\n";

// A surface triangle by vertices of the mesh.
Vec3i surface_triangle(const TetMesh& mesh) {
  std::vector<int> of_volume;
  Vec3i t = boundary_surface(mesh, &of_volume).triangles.front();
  for (int k = 0; k < 3; ++k) t[k] = of_volume[static_cast<std::size_t>(t[k])];
  return t;
}

TEST(SceneFile, OptionsAreSetInTheirUnits) {
  const Scene s = parse(
      "sim: {dt: 5 ms, gravity_z: 0, threads: 2}\n"
      "newton: {force_tolerance: 1e-5, strict: true, max_iterations: 7}\n"
      "contact: {support: '0.05 mm', stiffness: 2 MPa/mm}\n");
  EXPECT_EQ(s.sim.dt, 0.005);
  EXPECT_EQ(s.sim.gravity_z, 0);
  EXPECT_EQ(s.sim.gravity_x, SimOptions{}.gravity_x);
  EXPECT_EQ(s.sim.threads, 2);
  EXPECT_EQ(s.newton.force_tolerance, 1e-5);
  EXPECT_TRUE(s.newton.strict);
  EXPECT_EQ(s.newton.max_iterations, 7);
  EXPECT_EQ(s.contact.support, 5e-5);
  EXPECT_EQ(s.contact.stiffness, 2e9);
  EXPECT_EQ(s.contact.divisions, LiveOptions{}.divisions);
}

TEST(SceneFile, AnElasticLawHasANameOrANumber) {
  const auto law = [](const std::string& text) {
    std::string scene = kGel;
    scene.replace(scene.find("young: 50 kPa"), 13, text);
    return parse(scene).soft[0].material;
  };
  EXPECT_EQ(law("law: st_venant_kirchhoff").law, 2);
  EXPECT_EQ(law("law: 'linear'").law, 4);
  EXPECT_EQ(law("law: 3").law, 3);
  const Material m = law("law: mooney_rivlin, mooney_ratio: 0.25");
  EXPECT_EQ(m.law, 5);
  EXPECT_EQ(m.mooney_ratio, 0.25);
}

TEST(SceneFile, LoadsOfASoftBodyAreRead) {
  const SoftBody b = parse(kGel +
                           "    forces:\n"
                           "      - {where: [0, 2], force: [0, 0, -1 mN]}\n"
                           "      - where: top\n        spread: area\n"
                           "        force: [{time: 0, value: [0, 0, 0]},"
                           " {time: 20 ms, value: [1, 0, 0]}]\n"
                           "    pressures:\n"
                           "      - {pressure: 2 kPa}\n"
                           "      - {where: all, pressure: -5}\n"
                           "      - {where: top, pressure: [{time: 1, value: 0},"
                           " {time: 2, value: 1 kPa}]}\n"
                           "      - {where: base, pressure: 1}\n"
                           "      - {where: {box: {min: [-1, -1, -1 um], max: [1, 1, 1]}},"
                           " pressure: 1}\n"
                           "    acceleration: [0, 0, 3 m/s2]\n")
                         .soft[0];
  ASSERT_EQ(b.forces.size(), 2u);
  EXPECT_EQ(b.forces[0].vertices, (std::vector<int>{0, 2}));
  EXPECT_EQ(b.forces[0].force.front().value[2], -1e-3);
  EXPECT_EQ(b.forces[0].spread, Spread::kNodes);
  EXPECT_EQ(b.forces[1].spread, Spread::kArea);
  EXPECT_EQ(b.forces[1].vertices.size(), 12u);  // 2 x 3 cells
  EXPECT_EQ(value_at(b.forces[1].force, 0.005)[0], 0.25);
  ASSERT_EQ(b.pressures.size(), 5u);
  EXPECT_TRUE(b.pressures[0].triangles.empty());
  EXPECT_EQ(b.pressures[0].pressure.front().value, 2000);
  EXPECT_TRUE(b.pressures[1].triangles.empty());
  EXPECT_EQ(b.pressures[2].triangles.size(), 12u);
  EXPECT_EQ(value_at(b.pressures[2].pressure, 1.5), 500);
  EXPECT_EQ(b.pressures[3].triangles.size(), 12u);
  EXPECT_EQ(b.pressures[4].triangles.size(), 12u);
  EXPECT_EQ(b.acceleration.front().value[2], 3);
  const SoftModel m = compile_soft(b);
  ASSERT_EQ(m.pressures.size(), 5u);
  EXPECT_EQ(m.pressures[0].size(), m.surface.triangles.size());
  EXPECT_EQ(m.pressures[2].size(), 48u);
  double sum = 0;
  for (const ForceShare& s : m.forces[1]) sum += s.weight;
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_GT(m.forces[1].size(), 12u);  // middles of edges carry a share of the area
  ASSERT_EQ(m.forces[0].size(), 2u);
  EXPECT_EQ(m.forces[0][1].weight, 0.5);
}

TEST(SceneFile, WrongLoadsAreRefusedWhenCompiled) {
  const Scene s = parse(kGel);
  const auto refused = [&](const SoftBody& b, const std::string& part) {
    Scene changed = s;
    changed.soft[0] = b;
    try {
      compile(changed);
      FAIL() << "was accepted: " << part;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  const auto force = [&](const NodalForce& f) {
    SoftBody b = s.soft[0];
    b.forces = {f};
    return b;
  };
  const auto pressure = [&](const SurfacePressure& p) {
    SoftBody b = s.soft[0];
    b.pressures = {p};
    return b;
  };
  const Vec3d one{{1, 0, 0}};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused(force({{}, {{0, one}}, Spread::kNodes}), "acts on no vertices");
  refused(force({{99}, {{0, one}}, Spread::kNodes}), "vertex 99");
  refused(force({{-1}, {{0, one}}, Spread::kNodes}), "vertex -1");
  refused(force({{0}, {}, Spread::kNodes}), "has no value");
  refused(force({{0}, {{0, one * nan}}, Spread::kNodes}), "nan N");
  refused(force({{0}, {{0, one * 1e13}}, Spread::kNodes}), "1e+13 N");
  refused(force({{0}, {{1, one}, {1, one}}, Spread::kNodes}), "later than the one before");
  refused(force({{0}, {{0, one}}, Spread::kArea}), "span no surface triangle");
  refused(pressure({{{{0, 1, 99}}}, {{0, 1}}}), "vertex 99");
  refused(pressure({{{{0, 1, 1}}}, {{0, 1}}}), "no triangle of the body's surface");
  refused(pressure({{}, {}}), "has no value");
  refused(pressure({{}, {{0, nan}}}), "nan Pa");
  refused(pressure({{}, {{nan, 1}}}), "nan s");
  SoftBody b = s.soft[0];
  b.acceleration = {{0, {{0, 1e7, 0}}}};
  refused(b, "1e+07 m/s2");
  const Vec3i first = surface_triangle(b.mesh);
  refused(pressure({{first, first}, {{0, 1}}}), "listed twice");
}

TEST(SceneFile, AParameterThatTheLawDoesNotUseIsRefused) {
  Scene s = parse(kGel);
  s.soft[0].material.mooney_ratio = 0.2;
  try {
    validate(s);
    FAIL() << "was accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("mooney_ratio"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("law mooney_rivlin only"), std::string::npos) << e.what();
  }
  s.soft[0].material.law = 5;
  EXPECT_NO_THROW(validate(s));
  EXPECT_TRUE(find_warnings(s).empty());
}

TEST(SceneFile, OddChoicesOfALawAreWarnedOf) {
  Scene s = parse(kGel);
  s.soft[0].material.law = 5;
  ASSERT_EQ(find_warnings(s).size(), 1u);
  EXPECT_NE(find_warnings(s)[0].find("is log_neo_hookean"), std::string::npos);
  s.soft[0].material.law = 4;
  EXPECT_TRUE(find_warnings(s).empty());
  PrescribedBody mount;
  mount.name = "mount";
  mount.trajectory = {{0, {}}, {1, {{}, rotation_by({{0.1, 0, 0}})}}};
  s.prescribed = {mount};
  s.soft[0].glue = {{"mount", {0}}};
  ASSERT_EQ(find_warnings(s).size(), 1u);
  EXPECT_NE(find_warnings(s)[0].find("no finite rotation"), std::string::npos);
}

TEST(SceneFile, ANumberWithAUnitEqualsThePlainNumber) {
  const std::pair<const char*, double> lengths[] = {
      {"0.004", 0.004},  {"4 mm", 0.004},      {"4mm", 0.004},      {"0.4 cm", 0.004},
      {"4e3 um", 0.004}, {"+4.0e0 mm", 0.004}, {"\"4 mm\"", 0.004}, {"1 in", 0.0254}};
  for (const auto& [text, metres] : lengths) {
    const Scene s = parse("spheres: [{name: a, mass: 250 g, radius: " + std::string(text) + "}]");
    const RobotLink& ball = s.robots[0].robot.links[0];
    EXPECT_DOUBLE_EQ(ball.collisions[0].shape.size[0], metres) << text;
    EXPECT_EQ(ball.mass, 0.25);
  }
}

TEST(SceneFile, APadKnowsItsBaseAndItsTop) {
  const Scene s = parse(kGel +
                        "    glue: [{body: mount, where: base}]\n"
                        "prescribed: [{name: mount, shape: none}]\n");
  const SoftBody& b = s.soft.at(0);
  EXPECT_EQ(b.name, "gel");
  EXPECT_EQ(b.material.young, 50e3);
  EXPECT_EQ(b.material.density, Material{}.density);
  EXPECT_EQ(b.element, Element::kComposite);
  EXPECT_EQ(b.mesh.vertices.size(), 3u * 4 * 2);
  EXPECT_EQ(b.mesh.tets.size(), 6u * 2 * 3 * 1);
  EXPECT_NEAR(signed_volume(b.mesh), 4e-3 * 6e-3 * 2e-3, 1e-20);
  ASSERT_EQ(b.glue.size(), 1u);
  EXPECT_EQ(b.glue[0].body, "mount");
  ASSERT_EQ(b.glue[0].vertices.size(), 12u);
  for (const int v : b.glue[0].vertices)
    EXPECT_EQ(b.mesh.vertices[static_cast<std::size_t>(v)][2], -2e-3);
  EXPECT_EQ(b.coat.size(), 2u * 2 * 3);
  EXPECT_TRUE(s.prescribed.at(0).surface.triangles.empty());
}

TEST(SceneFile, RegionsPickVerticesAndTriangles) {
  const std::string box = "{box: {min: [-1, -1, -2.01 mm], max: [0.1 mm, 1, -1.99 mm]}}";
  const Scene s = parse(kGel + "    element: linear\n    coat: " + box +
                        "\n    held:\n      - {axes: [x, z], where: " + box +
                        "}\n      - {axes: [y], where: [0, 5]}\n");
  const SoftBody& b = s.soft.at(0);
  EXPECT_EQ(b.element, Element::kLinear);
  ASSERT_EQ(b.held.size(), 2u);
  EXPECT_EQ(b.held[0].vertices.size(), 2u * 4);  // x = -2 mm and x = 0 of the base
  EXPECT_TRUE(b.held[0].axis[0] && !b.held[0].axis[1] && b.held[0].axis[2]);
  EXPECT_EQ(b.held[1].vertices, (std::vector<int>{0, 5}));
  EXPECT_EQ(b.coat.size(), 2u * 1 * 3);
  // As a list the same triangles, in any order of corners, and facing outward.
  std::string list;
  for (const Vec3i& t : b.coat)
    list += (list.empty() ? "[" : ", [") + std::to_string(t[1]) + ", " + std::to_string(t[0]) +
            ", " + std::to_string(t[2]) + "]";
  const Scene again = parse(kGel + "    coat: [" + list + "]\n");
  ASSERT_EQ(again.soft.at(0).coat.size(), b.coat.size());
  for (std::size_t i = 0; i < b.coat.size(); ++i)
    for (int k = 0; k < 3; ++k) EXPECT_EQ(again.soft[0].coat[i][k], b.coat[i][k]);
}

TEST(SceneFile, QuartersAndDomesAreMade) {
  const Scene s = parse(
      "soft:\n"
      "  - name: quarter\n    material: {}\n"
      "    pad: {round: {radius: 4 mm, thickness: 2 mm, size: 1 mm, part: quarter}}\n"
      "    held: [{axes: [x], where: x0}, {axes: [y], where: y0}]\n"
      "  - name: dome\n    material: {}\n"
      "    pad: {dome: {width: 4 mm, depth: 4 mm, thickness: 2 mm, curvature: [20 mm, 10 mm], "
      "cells: [4, 4, 2]}}\n");
  for (const int v : s.soft.at(0).held.at(0).vertices)
    EXPECT_EQ(s.soft[0].mesh.vertices[static_cast<std::size_t>(v)][0], 0);
  EXPECT_GT(s.soft[0].held[0].vertices.size(), 10u);
  double lowest = 0;  // of the top: its corner, x^2 / 2 rx + y^2 / 2 ry below the centre
  for (const Vec3i& t : s.soft.at(1).coat)
    lowest = std::min(lowest, s.soft[1].mesh.vertices[static_cast<std::size_t>(t[0])][2]);
  EXPECT_NEAR(lowest, -(4e-6 / 40e-3 + 4e-6 / 20e-3), 1e-12);
}

TEST(SceneFile, MotionsReadQuaternionsAndAngles) {
  const Scene s = parse(
      "prescribed:\n"
      "  - name: arm\n    shape: {sphere: {radius: 1 cm, facet: 1 cm}}\n"
      "    trajectory:\n"
      "      - {time: 0, position: [0, 0, 1 cm]}\n"
      "      - {time: 500 ms, position: [1 mm, 0, 0], rotation: {axis: [0, 0, 2], angle: 90 deg}}\n"
      "      - {time: 1, position: [0, 0, 0], rotation: [0.7071, 0, 0, 0.7071]}\n"
      "  - {name: wall, shape: {box: {size: [1, 2, 3]}}, pose: {position: [1, 0, 0]}}\n");
  const auto& t = s.prescribed.at(0).trajectory;
  ASSERT_EQ(t.size(), 3u);
  EXPECT_EQ(t[0].pose.q.w, 1);
  EXPECT_EQ(t[1].time, 0.5);
  EXPECT_EQ(t[1].pose.p[0], 1e-3);
  EXPECT_NEAR(t[1].pose.q.w, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(t[1].pose.q.z, std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(t[2].pose.q.z, std::sqrt(0.5), 1e-15);  // made up to length 1
  ASSERT_EQ(s.prescribed.at(1).trajectory.size(), 1u);
  EXPECT_EQ(s.prescribed[1].trajectory[0].pose.p[0], 1);
  EXPECT_NEAR(signed_volume(s.prescribed[1].surface), 6, 1e-12);
}

TEST(SceneFile, AffineBodiesAreRead) {
  const Scene s = parse(
      "affine:\n"
      "  - {name: crate, shape: {box: {size: [1 cm, 2 cm, 3 cm]}}, density: 2.7 g/cm3, "
      "pose: {position: [0, 0, 2 cm], rotation: {axis: [0, 0, 1], angle: 90 deg}}, "
      "velocity: [0, 5 cm/s, 0], omega: [0, 0, 6 rpm], stiffness: 1 GPa, force: [0, 0, 2 mN], "
      "torque: [0, 3 N mm, 0], friction: [0.6, 0.5]}\n"
      "  - {name: puck, shape: {box: {size: [1, 1, 1]}}, mass: 500 g, centre: [0, 0, 1 cm], "
      "inertia: [[2, 0.5, 0], [0.5, 2, 0], [0, 0, 1e6 kg mm2]], friction: 0.3}\n"
      "  - {name: ball, shape: {sphere: {radius: 1, facet: 1}}, mass: 1, inertia: [3, 2, 2e9 g "
      "mm2]}\n");
  ASSERT_EQ(s.affine.size(), 3u);
  const AffineBody& b = s.affine[0];
  EXPECT_EQ(b.name, "crate");
  EXPECT_NEAR(signed_volume(b.surface), 6e-6, 1e-18);
  EXPECT_EQ(b.density, 2700);
  EXPECT_EQ(b.mass, 0);
  EXPECT_EQ(b.pose.p[2], 0.02);
  EXPECT_NEAR(b.pose.q.z, std::sqrt(0.5), 1e-15);
  EXPECT_EQ(b.velocity[1], 0.05);
  EXPECT_NEAR(b.angular_velocity[2], 0.2 * std::numbers::pi, 1e-15);
  EXPECT_EQ(b.stiffness, 1e9);
  EXPECT_EQ(b.force[2], 2e-3);
  EXPECT_EQ(b.torque[1], 3e-3);
  EXPECT_EQ(b.friction.sticking, 0.6);
  EXPECT_EQ(b.friction.sliding, 0.5);
  EXPECT_EQ(s.affine[1].mass, 0.5);
  EXPECT_EQ(s.affine[1].centre[2], 0.01);
  EXPECT_EQ(s.affine[1].inertia(0, 1), 0.5);
  EXPECT_EQ(s.affine[1].inertia(2, 2), 1);
  EXPECT_EQ(s.affine[1].friction.sticking, 0.3);
  EXPECT_LT(s.affine[1].friction.sliding, 0);  // as sticking
  EXPECT_EQ(s.affine[2].inertia(2, 2), 2);
  EXPECT_EQ(s.affine[2].inertia(0, 1), 0);
  EXPECT_EQ(s.affine[2].stiffness, AffineBody{}.stiffness);
}

TEST(SceneFile, FrictionIsReadOfEveryBodyAndOfPairs) {
  const Scene s =
      parse("contact: {combine: min, tangential: 2}\n" + kGel +
            "    friction: [0.9, 0.8]\n    glue: [{body: crate, where: base}]\n"
            "prescribed: [{name: tip, shape: none, friction: 0.2}]\n"
            "affine: [{name: crate, shape: {box: {size: [1, 1, 1]}}}]\n"
            "half_spaces: [{name: floor, friction: [0.7, 0]}]\n"
            "pairs: [{bodies: [gel, floor], friction: [0.5, 0.4]}, {bodies: [gel, tip]}]\n");
  EXPECT_EQ(s.contact.combine, static_cast<int>(Combine::kMin));
  EXPECT_EQ(s.contact.tangential, 2);
  EXPECT_EQ(s.soft[0].friction.sliding, 0.8);
  EXPECT_EQ(s.soft[0].glue[0].body, "crate");
  EXPECT_EQ(s.prescribed[0].friction.sticking, 0.2);
  EXPECT_EQ(s.affine[0].friction.sticking, 0);
  EXPECT_EQ(s.half_spaces[0].friction.sticking, 0.7);
  EXPECT_EQ(s.half_spaces[0].friction.sliding, 0);
  EXPECT_EQ(s.pairs[0].friction.sliding, 0.4);
  EXPECT_LT(s.pairs[1].friction.sticking, 0);  // combined from the bodies
  const char* names[] = {"product", "min", "max", "mean", "geometric", "0", "4"};
  const int rules[] = {0, 1, 2, 3, 4, 0, 4};
  for (int k = 0; k < 7; ++k)
    EXPECT_EQ(parse("contact: {combine: " + std::string(names[k]) + "}").contact.combine, rules[k]);
}

TEST(SceneFile, EveryShapeIsMadeWithItsSize) {
  const std::pair<const char*, Vec3d> shapes[] = {
      {"{sphere: {radius: 2, facet: 0.5}}", {{4, 4, 4}}},
      {"{cap: {radius: 2, height: 1, facet: 0.5}}", {{2 * std::sqrt(3), 2 * std::sqrt(3), 1}}},
      {"{box: {size: [1, 2, 3], cells: [2, 2, 2]}}", {{1, 2, 3}}},
      {"{cylinder: {radius: 2, height: 1, facet: 0.5}}", {{4, 4, 1}}},
      {"{cone: {radius_bottom: 2, height: 1, facet: 0.5}}", {{4, 4, 1}}},
      {"{capsule: {radius: 2, length: 1, facet: 0.5}}", {{4, 4, 5}}},
      {"{torus: {major: 2, minor: 1, facet: 0.5}}", {{6, 6, 2}}},
      {"{ring: {inner_radius: 1, outer_radius: 2, height: 1, facet: 0.5}}", {{4, 4, 1}}},
      {"{wedge: {size: [1, 2, 3]}}", {{1, 2, 3}}},
      {"{bolt: {diameter: 2, pitch: 0.5, length: 3, head: 1, across_flats: 3, segments: 24}}",
       {{3, 2 * std::sqrt(3), 4}}},
      {"{bolt: {diameter: 2, pitch: 0.5, length: 3, allowance: 0.02}}", {{1.96, 1.96, 3}}},
      {"{nut: {diameter: 2, pitch: 0.5, height: 2, across_flats: 3}}", {{3, 2 * std::sqrt(3), 2}}},
      {"{indenter: {name: dots}}", {{16e-3, 16e-3, 20e-3}}},
  };
  for (const auto& [text, size] : shapes) {
    const Scene s = parse("prescribed: [{name: a, shape: " + std::string(text) + "}]");
    const Vec3d e = bounding_box(s.prescribed.at(0).surface.vertices).extent();
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(e[k], size[k], 0.03 * size[k]) << text;
  }
}

TEST(SceneFile, OtherBodiesAndPairsAreRead) {
  const Scene s =
      parse(kGel +
            "half_spaces: [{name: floor, normal: [0, 0, 2], offset: -1 cm}]\n"
            "spheres:\n  - {name: ball, radius: 1 cm, mass: 1, pose: {position: [0, 0, 1]}, "
            "velocity: [1, 0, 0], omega: [0, 10 deg/s, 0], friction: 0.3, stiffness: 1 N/mm, "
            "relaxation_time: 2 ms, dissipation: 30}\n"
            "pairs: [{bodies: [gel, floor], enabled: false, stiffness: 5e9, model: barrier}]\n");
  EXPECT_EQ(s.half_spaces.at(0).normal[2], 1);
  EXPECT_EQ(s.half_spaces[0].offset, -0.01);
  const RobotBody& ball = s.robots.at(0);
  EXPECT_EQ(ball.friction, 0.3);
  EXPECT_EQ(ball.stiffness, 1e3);
  EXPECT_EQ(ball.relaxation_time, 0.002);
  EXPECT_EQ(ball.dissipation, 30);
  EXPECT_EQ(ball.velocity[4], std::numbers::pi / 18);
  EXPECT_EQ(ball.robot.joints.at(0).kind, JointKind::kFree);
  EXPECT_NEAR(ball.robot.links.at(0).inertia(2, 2), 0.4 * 1e-4, 1e-18);
  EXPECT_EQ(s.pairs.at(0).b, "floor");
  EXPECT_FALSE(s.pairs[0].enabled);
  EXPECT_EQ(s.pairs[0].stiffness, 5e9);
  EXPECT_EQ(s.pairs[0].model, static_cast<int>(PairModel::kBarrier));
  EXPECT_EQ(parse(kGel + "contact: {model: mortar, order: 4}\n").contact.model, 1);
}

TEST(SceneFile, AnAliasStandsForWhatItNames) {
  const Scene s = parse(
      "prescribed:\n  - {name: a, shape: &ball {sphere: {radius: 1 mm, facet: 1 mm}}}\n"
      "  - {name: b, shape: *ball}\n");
  EXPECT_EQ(s.prescribed.at(0).surface.triangles.size(),
            s.prescribed.at(1).surface.triangles.size());
}

class SceneFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "haptos_scene_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    ::unsetenv("HAPTOS_ASSET_ROOTS");
    fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  fs::path folder_;
};

constexpr const char* kArm = R"(<robot name="arm"><link name="base">
<inertial><mass value="2"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial></link>
<link name="upper"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.001"/></inertial>
<collision><geometry><sphere radius="0.02"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="20" velocity="5"/></joint></robot>
)";

TEST_F(SceneFolder, RobotsAreReadWithTheirMotorsAndWhereTheyStart) {
  write("arm.urdf", kArm);
  write("scene.yaml", R"(
robots:
  - name: arm
    file: arm.urdf
    base: floating
    pose: {position: [0, 0, 40 cm]}
    start: {shoulder: 30 deg}
    motors: {kp: 100, kd: 5, ki: 2, integral_limit: 3 N m}
    friction: 0.7
    stiffness: 20 N/mm
    relaxation_time: 5 ms
    self_contact: false
    group: arms
rigid:
  - {name: ball, shape: {sphere: {radius: 1 cm}}, mass: 20 g, velocity: [1, 0, 0]}
  - {name: table, shapes: [{box: {size: [1, 1, 0.1]}, pose: {position: [0, 0, 1]}}, {half_space: {}}], fixed: true}
pairs:
  - {bodies: [arms, ball], enabled: false}
)");
  const Scene s = load_scene(folder_ / "scene.yaml");
  ASSERT_EQ(s.robots.size(), 3u);
  const RobotBody& arm = s.robots[0];
  ASSERT_EQ(arm.robot.motors.size(), 1u);
  EXPECT_EQ(arm.robot.motors[0].joint, "shoulder");
  EXPECT_EQ(arm.robot.motors[0].kp, 100);
  EXPECT_EQ(arm.robot.motors[0].ki, 2);
  EXPECT_EQ(arm.robot.motors[0].integral_limit, 3);
  EXPECT_EQ(arm.robot.motors[0].effort, 20);
  EXPECT_NEAR(arm.robot.joints[1].position.at(0), M_PI / 6, 1e-15);
  EXPECT_EQ(arm.robot.joints[0].kind, JointKind::kFree);
  EXPECT_EQ(arm.stiffness, 2e4);
  EXPECT_EQ(arm.relaxation_time, 5e-3);
  EXPECT_FALSE(arm.self_contact);
  EXPECT_EQ(arm.group, "arms");
  EXPECT_NEAR(s.robots[1].robot.links[0].mass, 0.02, 1e-15);
  EXPECT_NEAR(s.robots[1].robot.links[0].inertia(0, 0), 0.4 * 0.02 * 1e-4, 1e-15);
  EXPECT_EQ(s.robots[1].velocity, (std::vector<double>{1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(s.robots[2].robot.joints[0].kind, JointKind::kFixed);
  Sim sim(s);
  EXPECT_EQ(sim.step().status(), 0u);
  EXPECT_NEAR(sim.robot("arm").link_pose(0).p[2], 0.4, 1e-3);
}

TEST_F(SceneFolder, GelIsGluedToLinksAndToRigidBodies) {
  write("arm.urdf", kArm);
  const auto text = [](const std::string& first, const std::string& second) {
    return "sim: {gravity_z: 0}\nsoft:\n"
           "  - {name: a, material: {}, glue: [{body: " +
           first +
           ", where: base}],\n"
           "     pad: {box: {width: 4 mm, depth: 6 mm, thickness: 2 mm, cells: [2, 3, 1]}},\n"
           "     pose: {position: [0, 0, 0.3]}}\n"
           "  - {name: b, material: {}, glue: [{body: " +
           second +
           ", where: base}],\n"
           "     pad: {box: {width: 4 mm, depth: 6 mm, thickness: 2 mm, cells: [2, 3, 1]}},\n"
           "     pose: {position: [0.2, 0, 0]}}\n"
           "robots:\n  - {name: arm, file: arm.urdf}\n"
           "rigid:\n  - {name: ball, shape: {sphere: {radius: 1 cm}}, mass: 20 g, pose: {position: "
           "[0.2, 0, -0.03]}}\n"
           "pairs:\n  - {bodies: [arm/upper, b], enabled: false}\n";
  };
  write("scene.yaml", text("arm/upper", "ball"));
  const Scene s = load_scene(folder_ / "scene.yaml");
  EXPECT_EQ(s.soft[0].glue[0].body, "arm/upper");
  EXPECT_EQ(s.pairs[0].a, "arm/upper");
  Sim sim(s);
  EXPECT_EQ(sim.step().status(), 0u);
  for (const auto& [name, part] :
       {std::pair{"arm", "a link of a robot (\"robot/link\"), not a robot"},
        std::pair{"arm/uper", "\"arm/upper\""}}) {
    write("scene.yaml", text(name, "ball"));
    try {
      load_scene(folder_ / "scene.yaml");
      ADD_FAILURE() << name;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("scene.yaml:3:"), std::string::npos) << e.what();
    }
  }
}

TEST_F(SceneFolder, WrongRobotsAreRefusedWithPlaceAndRemedy) {
  write("arm.urdf", kArm);
  write("arm.xacro", kArm);
  const auto expect = [&](const std::string& text, const std::string& part) {
    write("scene.yaml", text);
    try {
      load_scene(folder_ / "scene.yaml");
      ADD_FAILURE() << text;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect("robots: [{name: a, file: b.urdf}]", "scene.yaml:1:");
  expect("robots: [{name: a, file: arm.xacro}]", "write the URDF once with xacro");
  expect("robots: [{name: a, file: ../arm.urdf}]", "leads out of");
  expect("robots: [{name: a, file: arm.urdf, start: {sholder: 1 rad}}]", "\"shoulder\"");
  expect("robots: [{name: a, file: arm.urdf, start: {shoulder: 1}}]", "rad");
  expect("robots: [{name: a, file: arm.urdf, motors: {joints: [elbow]}}]", "is no joint");
  expect("robots: [{name: a, file: arm.urdf, motors: {kp: -1}}]", "kp");
  expect("robots: [{name: a, file: arm.urdf, modulus: -1}]", "modulus");
  write("arm.xml", "<mujoco/>");
  expect("robots: [{name: a, file: arm.xml}]", "load the scene in Python with the package mujoco");
  write("swing.csv", "time,shoulder\n0,1\n");
  expect("robots: [{name: a, file: arm.urdf, trajectory: swing.csv}]", "and give it some");
  expect("robots: [{name: a, file: arm.urdf, motors: {kp: 1}, trajectory: swing.npz}]",
         "swing.npz");
  write("wrong.csv", "time,shuolder\n0,1\n");
  expect("robots: [{name: a, file: arm.urdf, motors: {kp: 1}, trajectory: wrong.csv}]",
         "did you mean \"shoulder\"");
  write("bad.csv", "time,shoulder\n0,1\n0,2\n");
  expect("robots: [{name: a, file: arm.urdf, motors: {kp: 1}, trajectory: bad.csv}]", "bad.csv:3");
  expect("rigid: [{name: a, shape: {box: {size: [1, 1]}}}]", "size");
  expect("rigid: [{name: a, shape: {half_space: {}}}]", "encloses no volume");
  expect("rigid: [{name: a, shape: {sphere: {radius: 1 cm}}, mass: 1, density: 2}]", "both");
  expect("rigid: [{name: a, shape: {sphere: {radius: 1 cm}}, fixed: true, omega: [1, 0, 0]}]",
         "is fixed");
  expect("rigid: [{name: a, shape: {sphere: {radius: 1 cm}, box: {size: [1, 1, 1]}}}]", "one of");
}

TEST_F(SceneFolder, MeshFilesAreReadInTheirUnit) {
  fs::create_directories(folder_ / "meshes");
  write_obj(folder_ / "meshes/cube.obj", box({{2, 4, 6}}));
  write("scene.yaml", "prescribed: [{name: a, mesh: {file: meshes/cube.obj, unit: mm}}]\n");
  const Scene s = load_scene(folder_ / "scene.yaml");
  EXPECT_NEAR(signed_volume(s.prescribed.at(0).surface), 48e-9, 1e-20);
  EXPECT_TRUE(find_warnings(s).empty());
}

TEST_F(SceneFolder, ASurfaceIsFilledByWhoeverReadsTheScene) {
  write_obj(folder_ / "cube.obj", box({{2, 2, 2}}));
  write("scene.yaml",
        "soft: [{name: a, material: {}, surface: {file: cube.obj, unit: mm, size: 1 mm, "
        "epsilon: 20 um, seed: 7}}]\n");
  int calls = 0;
  const auto fill = [&](const TetrahedraRequest& r) {
    ++calls;
    EXPECT_NEAR(signed_volume(r.surface), 8e-9, 1e-20);
    EXPECT_DOUBLE_EQ(r.size, 1e-3);
    EXPECT_DOUBLE_EQ(r.epsilon, 2e-5);
    EXPECT_EQ(r.seed, 7);
    return TetMesh{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{1, 1, 1}}},
                   {{{0, 1, 2, 3}}, {{1, 2, 3, 4}}}};
  };
  const Scene s = load_scene(folder_ / "scene.yaml", {}, {fill, {}});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(s.soft.at(0).mesh.tets.size(), 2u);

  const auto message = [&](const SceneLimits& limits, const Tetrahedralise& f) {
    try {
      load_scene(folder_ / "scene.yaml", limits, {f, {}});
    } catch (const InputError& e) {
      EXPECT_EQ(e.diagnostic.line, 1) << e.what();
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message({}, {}).find("cannot be filled with tetrahedra here"), std::string::npos);
  SceneLimits few;
  few.max_elements = 13;  // enough for the cube; a composite tetrahedron counts as eight
  EXPECT_NE(message(few, fill).find("where 13 of 13 are left"), std::string::npos);
  const auto inverted = [](const TetrahedraRequest&) {
    return TetMesh{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}, {{{0, 2, 1, 3}}}};
  };
  EXPECT_NE(message({}, inverted).find("\"cube.obj\", tetrahedron 0"), std::string::npos)
      << message({}, inverted);
  write("scene.yaml", "soft: [{name: a, material: {}, surface: {file: cube.obj, unit: mm}}]\n");
  EXPECT_NE(message({}, fill).find("give the edge length"), std::string::npos);
}

TEST_F(SceneFolder, AnAllowedRootMayHoldMeshes) {
  write("scenes/scene.yaml", "prescribed: [{name: a, mesh: {file: cube.obj, unit: m}}]\n");
  fs::create_directories(folder_ / "assets");
  write_obj(folder_ / "assets/cube.obj", box({{1, 1, 1}}));
  EXPECT_THROW(load_scene(folder_ / "scenes/scene.yaml"), InputError);
  ::setenv("HAPTOS_ASSET_ROOTS", ("/nonexistent::" + (folder_ / "assets").string()).c_str(), 1);
  EXPECT_EQ(load_scene(folder_ / "scenes/scene.yaml").prescribed.at(0).surface.triangles.size(),
            12u);
  write("scenes/scene.yaml",
        "prescribed: [{name: a, mesh: {file: ../assets/cube.obj, unit: m}}]\n");
  EXPECT_EQ(load_scene(folder_ / "scenes/scene.yaml").prescribed.size(), 1u);
}

TEST_F(SceneFolder, WhatAReaderHasToSayOfAFileIsAWarningOfItsScene) {
  write("cube.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nl 1 2\n");
  write("scene.yaml",
        "prescribed: [{name: a, mesh: {file: cube.obj, unit: mm}}]\n"
        "spheres: [{name: moon, radius: 50000, mass: 1, friction: 0}]\n");
  const Scene s = load_scene(folder_ / "scene.yaml");
  const std::vector<std::string> odd = find_warnings(s);
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_NE(odd[0].find("cube.obj: Beside triangles it holds segments, 1, and points, 0."),
            odd[0].npos)
      << odd[0];
  EXPECT_NE(odd[1].find("\"moon\""), odd[1].npos) << odd[1];
}

TEST(SceneFile, OddSizesAndOpenSurfacesAreWarnedOf) {
  const Scene s = parse(
      "prescribed:\n  - {name: dust, shape: {box: {size: [1e-7, 1e-7, 1e-7]}}}\n"
      "  - {name: box, shape: {box: {size: [1, 1, 1]}}}\n"
      "spheres: [{name: moon, radius: 50000, mass: 1, friction: 0}]\n");
  const std::vector<std::string> odd = find_warnings(s);
  ASSERT_EQ(odd.size(), 2u);
  EXPECT_NE(odd[0].find("\"dust\" is 1e-07 m"), std::string::npos) << odd[0];
  EXPECT_NE(odd[1].find("\"moon\""), std::string::npos) << odd[1];
  Scene open;
  PrescribedBody sheet;
  sheet.name = "sheet";
  sheet.surface = {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}, {{{0, 1, 2}}}};
  open.prescribed.push_back(sheet);
  ASSERT_EQ(find_warnings(open).size(), 1u);
  EXPECT_NE(find_warnings(open)[0].find("surface is open"), std::string::npos)
      << find_warnings(open)[0];
}

TEST(SceneFile, TheDocumentationHoldsTheOptionTables) {
  const std::string page = read_regular_file(checkout() / "docs/scene_file.md", 1 << 20);
  const std::string tables = describe_options();
  EXPECT_GT(tables.size(), 2000u);
  for (const char* key : {"`dt`", "`force_tolerance`", "`support`", "`young`"})
    EXPECT_NE(tables.find(key), std::string::npos);
  EXPECT_NE(page.find(tables), std::string::npos)
      << "put this in place of the tables in docs/scene_file.md:\n"
      << tables;
}

TEST(SceneFile, TheDocumentationNamesEveryUnit) {
  const std::string page = read_regular_file(checkout() / "docs/scene_file.md", 1 << 20);
  const std::string rules = page.substr(0, page.find("## Options"));
  EXPECT_EQ(known_units("m"), (std::vector<std::string>{"m", "cm", "mm", "um", "in"}));
  for (const std::string& si : convertible_units()) {
    std::string list;  // "m, cm, mm, um, in"
    for (const std::string& u : known_units(si)) list += (list.empty() ? "" : ", ") + u;
    EXPECT_NE(rules.find(" " + list), std::string::npos) << list;
  }
}

constexpr const char* kGripper = R"(<robot name="gripper"><link name="palm"/>
<link name="left"><inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
<collision><geometry><box size="0.01 0.03 0.03"/></geometry></collision></link>
<joint name="close" type="prismatic"><parent link="palm"/><child link="left"/>
<axis xyz="1 0 0"/><limit lower="0" upper="0.01" effort="5" velocity="1"/></joint></robot>
)";

// The blocks of YAML in the documentation are scenes.
TEST_F(SceneFolder, TheExamplesOfTheDocumentationAreRead) {
  write("arm.urdf", kArm);
  write("gripper.urdf", kGripper);
  write_stl(folder_ / "finger.stl", box({{20, 20, 40}}));
  const auto fill = [](const TetrahedraRequest&) {
    return TetMesh{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}, {{{0, 1, 2, 3}}}};
  };
  const auto sensor = [](const SensorRequest&) {
    Pad pad = box_pad({2e-2, 2e-2, 4e-3}, 2, 2, 2);
    return SensorPad{pad.mesh, pad.base_vertices, pad.coat, {}, 0};
  };
  const std::string page = read_regular_file(checkout() / "docs/scene_file.md", 1 << 20);
  int count = 0;
  for (std::size_t at = 0; (at = page.find("```yaml\n", at)) != page.npos; ++count) {
    const std::size_t start = at + 8, end = page.find("```", start);
    ASSERT_NE(end, page.npos);
    EXPECT_NO_THROW(
        parse_scene(page.substr(start, end - start), "scene.yaml", folder_, {}, {fill, {}, sensor}))
        << "line " << std::count(page.begin(), page.begin() + static_cast<long>(at), '\n') + 1;
    at = end;
  }
  EXPECT_GE(count, 9);
}

TEST(SceneFile, EverySceneOfThisProjectLoadsAndSteps) {
  const std::vector<fs::path> scenes = files_in(checkout() / "scenes");
  int count = 0;
  for (const fs::path& path : scenes) {
    if (path.extension() != ".yaml") continue;
    ++count;
    SCOPED_TRACE(path.filename().string());
    Sim sim(load_scene(path));
    EXPECT_TRUE(find_warnings(sim.scene()).empty());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(sim.step().status(), 0u);
    EXPECT_NEAR(sim.state().time, 2 * sim.scene().sim.dt, 1e-15);
  }
  EXPECT_GE(count, 7);
}

TEST(SceneFuzzCorpus, GoodSeedsAreReadAndBrokenOnesRefused) {
  const std::vector<fs::path> seeds = files_in(checkout() / "tests/fuzz/corpus/scene");
  EXPECT_GT(seeds.size(), 35u);
  for (const fs::path& p : seeds)
    EXPECT_EQ(fuzz::scene(read_regular_file(p, 1 << 20)), p.filename().string().starts_with("good"))
        << p;
}

TEST(SceneFuzzCorpus, NothingButInputErrorEscapesFromMutatedSeeds) {
  const std::string pieces[] = {"-1", "1e999", "nan", ":",   "- ", "\n",  "{",
                                "]",  "&a ",   "*a",  "!x ", "\"", "'",   "|\n",
                                "  ", "2e9",   "mm",  "#",   "? ", "name"};
  std::mt19937 random(12345);  // the sequence of mt19937 is the same everywhere
  int read = 0, refused = 0;
  for (const fs::path& p : files_in(checkout() / "tests/fuzz/corpus/scene")) {
    const std::string seed = read_regular_file(p, 1 << 20);
    if (seed.empty() || !p.filename().string().starts_with("good")) continue;
    for (int i = 0; i < 300; ++i) {
      std::string s = seed;
      const std::size_t at = random() % s.size(), n = random() % 12;
      switch (random() % 4) {
        case 0:
          s[at] = static_cast<char>(s[at] ^ (1 << random() % 8));
          break;
        case 1:
          s.resize(at);
          break;
        case 2:
          s.erase(at, n);
          break;
        default:
          s.replace(at, n, pieces[random() % std::size(pieces)]);
      }
      (fuzz::scene(s) ? read : refused) += 1;
    }
  }
  // Both outcomes must be common, or the mutations test nothing.
  EXPECT_GT(read, 400);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace haptos
