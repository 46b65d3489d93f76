// Robots of other projects: all are read, and their masses, counts and places agree with numbers
// that a Python program of its own made from the same files (xml.etree and numpy, rotation
// matrices instead of quaternions).
#include "haptos/geometry/shape/shape_moments.h"
#include "haptos/scene/robot/robot_check.h"
#include "tests/outside_data.h"
#include "tests/tree_identities.h"
#include "tests/unit/urdf_text.h"

namespace haptos {
namespace {

using namespace test;

struct Case {
  const char* file;
  std::size_t links;
  int freedoms;
  std::size_t collisions;
  double mass;          // [kg]
  Vec3d centre;         // of mass at zero [m]
  double trace;         // of the tensor of inertia about the origin [kg m2]
  std::size_t visuals;  // whose files are there
};

const Case kCases[] = {
    {"allegro_hand_description/urdf/allegro_left_hand.urdf",
     21,
     16,
     21,
     0.9549000000000004,
     {{-0.0017938213511244506, -0.012074958088871992, 0.032134767364274806}},
     0.012295602530561077,
     21},
    {"allegro_hand_description/urdf/allegro_right_hand.urdf",
     21,
     16,
     21,
     0.9549000000000004,
     {{-0.0017938213511244506, 0.012074958088871995, 0.032134767364274806}},
     0.012295602530561075,
     21},
    {"f_tac_hand_description/urdf/f_tac_hand.urdf",
     16,
     15,
     16,
     0.2483810643519091,
     {{0.014360777625874888, -0.0017917762980210817, 0.015135258472470155}},
     0.001745197027884341,
     16},
    {"f_tac_hand_description/urdf/f_tac_hand_rigid.urdf",
     16,
     15,
     16,
     0.2483810643519091,
     {{0.014360777625874888, -0.0017917762980210817, 0.015135258472470155}},
     0.001745197027884341,
     16},
    {"go2_description/urdf/go2.urdf",
     31,
     12,
     19,
     16.085,
     {{0.008222437799191799, 0, -0.028493157973267017}},
     1.3510827656914002,
     8},
    {"panda_description/urdf/panda.urdf",
     13,
     8,
     17,
     17.451901000000003,
     {{0.02322054496196936, 0.006107077874114577, 0.6062237547343409}},
     17.575647032301454,
     2},
    {"panda_description/urdf/panda_collision.urdf",
     13,
     8,
     39,
     17.451901000000003,
     {{0.02322054496196936, 0.006107077874114577, 0.6062237547343409}},
     17.575647032301454,
     2},
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

class UrdfOutside : public testing::TestWithParam<Case> {};

TEST_P(UrdfOutside, MassesCountsAndPlacesAgreeWithAnotherProgram) {
  const Case& c = GetParam();
  HAPTOS_OUTSIDE_FILE(file, std::filesystem::path("robots") / c.file);
  UrdfOptions o;
  o.packages["example-robot-data"] = outside_data();
  const Robot r = read_urdf(file, o);
  EXPECT_EQ(r.links.size(), c.links);
  EXPECT_EQ(r.joints.size(), c.links);
  EXPECT_EQ(degrees_of_freedom(r), c.freedoms);
  std::size_t collisions = 0, visuals = 0;
  const std::vector<Pose> pose = start_poses(r);
  Moments all;
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    const RobotLink& l = r.links[i];
    const Moments m = moved(moments_from(l.mass, l.centre, l.inertia), pose[i]);
    all.mass += m.mass;
    all.first += m.first;
    all.second += m.second;
    collisions += l.collisions.size();
    visuals += l.visuals.size();
    for (const RobotShape& s : l.collisions)
      if (s.shape.kind == ShapeKind::kHull) {
        ASSERT_TRUE(s.shape.mesh && !s.shape.mesh->triangles.empty()) << s.file;
        EXPECT_TRUE(std::filesystem::exists(s.file)) << s.file;
      }
  }
  EXPECT_EQ(collisions, c.collisions);
  EXPECT_EQ(visuals, c.visuals);
  EXPECT_NEAR(total_mass(r), c.mass, 1e-14 * c.mass);
  EXPECT_NEAR(norm(all.centre() - c.centre), 0, 1e-14);
  EXPECT_NEAR(2 * trace(all.second), c.trace, 1e-13 * c.trace);
  o.base = RobotBase::kFloating;
  EXPECT_EQ(degrees_of_freedom(read_urdf(file, o)), c.freedoms + 6);
  EXPECT_NO_THROW(require_robot(r, c.file));
}

TEST_P(UrdfOutside, APackageUnderAnotherNameIsFoundAndSaid) {
  const Case& c = GetParam();
  HAPTOS_OUTSIDE_FILE(file, std::filesystem::path("robots") / c.file);
  const Robot r = read_urdf(file);
  std::size_t visuals = 0;
  for (const RobotLink& l : r.links) visuals += l.visuals.size();
  EXPECT_EQ(visuals, c.visuals);
  EXPECT_EQ(has_warning(r, "was taken for it"), r.name != "f_tac_hand") << all_warnings(r);
}

// Inverse and forward dynamics, mass matrix, momentum, and Jacobians by dual numbers.
TEST_P(UrdfOutside, TheIdentitiesOfDynamicsHold) {
  const Case& c = GetParam();
  HAPTOS_OUTSIDE_FILE(file, std::filesystem::path("robots") / c.file);
  for (const RobotBase base : {RobotBase::kFixed, RobotBase::kFloating}) {
    UrdfOptions o;
    o.base = base;
    o.packages["example-robot-data"] = outside_data();
    check_identities(read_urdf(file, o));
  }
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::filesystem::path(info.param.file).stem().string();
}
INSTANTIATE_TEST_SUITE_P(Robots, UrdfOutside, testing::ValuesIn(kCases), case_name);

TEST(UrdfOutsideChecks, WhatIsOddAboutTheRobotsIsNamed) {
  HAPTOS_OUTSIDE_FILE(robots, "robots");
  const auto count = [&](const char* file, Severity severity, const std::string& part) {
    int n = 0;
    for (const RobotFinding& f : check_robot(read_urdf(robots / file)))
      n += f.severity == severity && f.sentence.find(part) != std::string::npos;
    return n;
  };
  const char* allegro = "allegro_hand_description/urdf/allegro_right_hand.urdf";
  // Thirteen links of the Allegro hand have moments of inertia that no body has.
  EXPECT_EQ(count(allegro, Severity::kWarning, "triangle inequality"), 13);
  EXPECT_EQ(count(allegro, Severity::kWarning, "outside its limits 0.263 to 1.396"), 1);
  EXPECT_EQ(count("go2_description/urdf/go2.urdf", Severity::kWarning, "outside its limits"), 4);
  EXPECT_EQ(count("panda_description/urdf/panda.urdf", Severity::kWarning, "reaches"), 1);
  EXPECT_EQ(
      count("f_tac_hand_description/urdf/f_tac_hand.urdf", Severity::kNote, "no mass of its own"),
      1);
  Robot r = read_urdf(robots / allegro);
  EXPECT_EQ(repair_inertia(r).size(), 13u);
  int left = 0;
  for (const RobotFinding& f : check_robot(r))
    left += f.sentence.find("triangle") != std::string::npos;
  EXPECT_EQ(left, 0);
  EXPECT_NEAR(total_mass(r), 0.9549, 1e-12);
}

}  // namespace
}  // namespace haptos
