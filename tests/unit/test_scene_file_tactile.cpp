// Tactile sensors of scene files: what the reader asks for and what it makes of the answer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "haptos/files/scene/scene_file.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/sim/sim.h"

namespace haptos {
namespace {

// A pad of 8 elements, whoever asks; keeps what was asked for.
SceneReaders reader(std::vector<SensorRequest>* asked = nullptr) {
  SceneReaders r;
  r.sensor = [asked](const SensorRequest& q) {
    if (asked != nullptr) asked->push_back(q);
    const Pad pad = box_pad({8e-3, 8e-3, 2e-3}, 2, 2, 2);
    SensorPad s{pad.mesh, pad.base_vertices, pad.coat, {}, 0.7};
    s.material.young = 2e5;
    s.material.poisson = 0.46;
    return s;
  };
  return r;
}

Scene parse(const std::string& text, const SceneReaders& readers) {
  return parse_scene(text, "scene.yaml", "", {}, readers);
}

void refused(const std::string& text, const std::string& part, const SceneReaders& readers) {
  try {
    parse(text, readers);
    ADD_FAILURE() << text;
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("scene.yaml:"), std::string::npos) << e.what();
  }
}

TEST(SceneFileSensor, BringsPadMaterialFrictionAndAMountThatStandsStill) {
  std::vector<SensorRequest> asked;
  const Scene s = parse("soft: [{name: finger, sensor: mini}]", reader(&asked));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].body, "finger");
  EXPECT_EQ(asked[0].sensor, "mini");
  EXPECT_EQ(asked[0].near, (std::array<double, 2>{}));
  EXPECT_EQ(asked[0].quality, "");
  const SoftBody& b = s.soft.at(0);
  EXPECT_EQ(b.material.young, 2e5);
  EXPECT_EQ(b.material.poisson, 0.46);
  EXPECT_EQ(b.friction.sticking, 0.7);
  EXPECT_FALSE(b.coat.empty());
  ASSERT_EQ(s.prescribed.size(), 1u);
  EXPECT_EQ(s.prescribed[0].name, "finger mount");
  ASSERT_EQ(b.glue.size(), 1u);
  EXPECT_EQ(b.glue[0].body, "finger mount");
  EXPECT_EQ(b.glue[0].vertices.size(), 9u);
  Sim sim(s);
  EXPECT_EQ(sim.step().status(), 0u);
}

TEST(SceneFileSensor, GivesWayToWhatTheBodySays) {
  std::vector<SensorRequest> asked;
  const Scene s = parse(
      "soft: [{name: finger, sensor: {name: mini, near: [3 mm, -1 mm], quality: fast},\n"
      "        material: {young: 3e5},\n"
      "        friction: [0.5, 0.4], glue: [{body: jaw, where: base}]}]\n"
      "prescribed: [{name: jaw, shape: none}]\n"
      "pairs: [{bodies: [finger, jaw], enabled: false}]\n",
      reader(&asked));
  EXPECT_EQ(asked.at(0).near, (std::array<double, 2>{3e-3, -1e-3}));
  EXPECT_EQ(asked.at(0).quality, "fast");
  const SoftBody& b = s.soft.at(0);
  EXPECT_EQ(b.material.young, 3e5);
  EXPECT_EQ(b.material.poisson, 0.46);
  EXPECT_EQ(b.friction.sticking, 0.5);
  EXPECT_EQ(b.friction.sliding, 0.4);
  EXPECT_EQ(s.prescribed.size(), 1u);
  EXPECT_EQ(b.glue.at(0).body, "jaw");
}

TEST(SceneFileSensor, SitsOnTheBodyThatItsPoseRefersTo) {
  const Scene s = parse(
      "soft: [{name: finger, sensor: mini, pose: {frame: jaw, position: [0, 0, 5 mm]}}]\n"
      "affine: [{name: jaw, shape: {box: {size: [8 mm, 8 mm, 6 mm]}},\n"
      "  pose: {position: [1, 2, 3], rotation: {axis: [1, 0, 0], angle: 90 deg}}}]\n",
      reader());
  const SoftBody& b = s.soft.at(0);
  EXPECT_TRUE(s.prescribed.empty());
  EXPECT_EQ(b.glue.at(0).body, "jaw");
  EXPECT_NEAR(norm(b.pose.p - Vec3d{{1, 2 - 5e-3, 3}}), 0, 1e-12);
  const Vec3d up = to_matrix(b.pose.q) * Vec3d{{0, 0, 1}};
  EXPECT_NEAR(norm(up - Vec3d{{0, -1, 0}}), 0, 1e-12);
  refused(
      "soft: [{name: finger, sensor: mini, pose: {frame: jow}}]\nprescribed: [{name: jaw, shape: "
      "none}]",
      "\"jaw\"", reader());
  refused("soft: [{name: finger, sensor: mini, pose: {frame: finger}}]",
          "must be a prescribed body", reader());
}

TEST(SceneFileSensor, PadsOfARobotNeedAReader) {
  const char* urdf =
      "<robot name=\"r\"><link name=\"base\"><inertial><mass value=\"1\"/>"
      "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link></robot>";
  const std::string folder = ::testing::TempDir() + "haptos_pads";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/r.urdf") << urdf;
  const std::string text = "robots: [{name: r, file: r.urdf, pads: mine}]";
  try {
    parse_scene(text, "scene.yaml", folder);
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("load the scene in Python"), std::string::npos);
  }
  SceneReaders r;
  r.pads = [](const PadsRequest& q) {
    EXPECT_EQ(q.robot, "r");
    EXPECT_EQ(q.set, "mine");
    Pad pad = box_pad({8e-3, 8e-3, 2e-3}, 2, 2, 2);
    return LinkPads{{{"tip", "base", {pad.mesh, pad.base_vertices, pad.coat, {}, 0.4}, {}}}, false};
  };
  const Scene s = parse_scene(text, "scene.yaml", folder, {}, r);
  ASSERT_EQ(s.soft.size(), 1u);
  EXPECT_EQ(s.soft[0].name, "r/tip");
  EXPECT_EQ(s.soft[0].group, "r pads");
  EXPECT_EQ(s.soft[0].glue.at(0).body, "r");  // a robot of one link
  ASSERT_EQ(s.pairs.size(), 1u);
  EXPECT_FALSE(s.pairs[0].enabled);
  std::filesystem::remove_all(folder);
}

TEST(SceneFileSensor, WrongEntriesAreRefused) {
  refused("soft: [{name: finger, sensor: mini}]", "load the scene in Python", {});
  refused("soft: [{name: finger, sensor: mini, pad: {}}]", "\"sensor\"", reader());
  refused("soft: [{name: finger, sensor: {near: [0, 0]}}]", "name a sensor", reader());
  refused("soft: [{name: finger, sensor: {name: mini, nera: [0, 0]}}]", "\"near\"", reader());
  refused("soft: [{name: finger, sensor: {name: mini, near: [0]}}]", "near", reader());
  refused("soft: [{name: finger, sensor: mine.yaml}]", "mine.yaml", reader());
  refused(
      "soft: [{name: finger, sensor: mini, glue: [{body: jaw, where: x0}]}]\n"
      "prescribed: [{name: jaw, shape: none}]",
      "holds no vertex of this pad", reader());
  refused("soft: [{name: finger, sensor: mini}]\nprescribed: [{name: finger mount, shape: none}]",
          "say what holds it", reader());
  SceneReaders broken;
  broken.sensor = [](const SensorRequest&) {
    return SensorPad{{{{{0, 0, 0}}}, {{{0, 0, 0, 0}}}}, {}, {}, {}, 0};
  };
  refused("soft: [{name: finger, sensor: mini}]", "sensor", broken);
}

}  // namespace
}  // namespace haptos
