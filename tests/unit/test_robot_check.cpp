// Whether robots can be real, inertia from geometry, and the moments of shapes that it is made of.
#include "haptos/scene/robot/robot_check.h"

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/shape/shape_moments.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

using test::refused;

constexpr double kPi = 3.14159265358979323846;

// -------------------------------------------------------------------------------- shape moments

// A body of revolution about z by slices: discs of radius r(z), Simpson's rule on each piece.
struct Slices {
  double mass = 0, height = 0, axial = 0, across = 0;  // about the origin
  template <class Radius2>
  void add(double z0, double z1, Radius2&& radius2) {
    constexpr int n = 2000;
    for (int i = 0; i <= n; ++i) {
      const double z = z0 + (z1 - z0) * i / n, r2 = radius2(z);
      const double w = (i == 0 || i == n ? 1 : i % 2 ? 4 : 2) * (z1 - z0) / (3 * n);
      mass += w * kPi * r2;
      height += w * kPi * r2 * z;
      axial += w * kPi * r2 * r2 / 2;
      across += w * (kPi * r2 * r2 / 4 + kPi * r2 * z * z);
    }
  }
};

void expect_slices(const Shape& shape, const Slices& s) {
  const double density = 700;
  const std::optional<Moments> m = shape_moments(shape, density);
  ASSERT_TRUE(m);
  const Mat3d about_origin = Mat3d::identity() * trace(m->second) - m->second;
  EXPECT_NEAR(m->mass, density * s.mass, 1e-11 * m->mass);
  EXPECT_NEAR(m->first[2], density * s.height, 1e-11 * m->mass);
  EXPECT_NEAR(about_origin(2, 2), density * s.axial, 1e-11 * density * s.axial);
  EXPECT_NEAR(about_origin(0, 0), density * s.across, 1e-11 * density * s.across);
  EXPECT_EQ(about_origin(0, 0), about_origin(1, 1));
}

TEST(ShapeMoments, BodiesOfRevolutionAgreeWithTheirSlices) {
  const double r = 0.3, l = 0.7;
  Slices sphere, cylinder, capsule, cone, ellipsoid;
  sphere.add(-r, r, [&](double z) { return r * r - z * z; });
  expect_slices({ShapeKind::kSphere, {{r, 0, 0}}, {}, {}}, sphere);
  cylinder.add(-l, l, [&](double) { return r * r; });
  expect_slices({ShapeKind::kCylinder, {{r, l, 0}}, {}, {}}, cylinder);
  capsule.add(-l - r, -l, [&](double z) { return r * r - (z + l) * (z + l); });
  capsule.add(-l, l, [&](double) { return r * r; });
  capsule.add(l, l + r, [&](double z) { return r * r - (z - l) * (z - l); });
  expect_slices({ShapeKind::kCapsule, {{r, l, 0}}, {}, {}}, capsule);
  cone.add(-l, l, [&](double z) { return r * r * (l - z) * (l - z) / (4 * l * l); });
  expect_slices({ShapeKind::kCone, {{r, l, 0}}, {}, {}}, cone);
  ellipsoid.add(-l, l, [&](double z) { return r * r * (1 - z * z / (l * l)); });
  expect_slices({ShapeKind::kEllipsoid, {{r, r, l}}, {}, {}}, ellipsoid);
}

Shape mesh_shape(TriMesh mesh, ShapeKind kind = ShapeKind::kHull) {
  return {kind, {{0, 0, 0}}, std::make_shared<const TriMesh>(std::move(mesh)), {}};
}

TEST(ShapeMoments, ABoxMovedAgreesWithItsMeshMoved) {
  const Shape shape{ShapeKind::kBox, {{0.1, 0.2, 0.35}}, {}, {}};
  TriMesh mesh = box({{0.2, 0.4, 0.7}});
  const Pose pose{{{0.5, -1, 2}}, rotation_by({{0.3, -0.8, 0.4}})};
  const Moments a = moved(*shape_moments(shape, 900), pose);
  const Moments c = moved(*shape_moments(mesh_shape(mesh), 900), pose);
  transform(mesh.vertices, to_matrix(pose.q), pose.p);
  const Moments b = solid_moments(mesh, 900);
  for (const Moments* m : {&a, &c}) {
    EXPECT_NEAR(m->mass, b.mass, 1e-12);
    EXPECT_NEAR(norm(m->first - b.first), 0, 1e-12);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(m->second[k], b.second[k], 1e-11) << k;
  }
  const Aabb tight = bounding_box(mesh.vertices), found = shape_bounds(shape, pose);
  EXPECT_NEAR(norm(found.lo - tight.lo) + norm(found.hi - tight.hi), 0, 1e-14);
}

TEST(ShapeMoments, InsideOutMeshesWeighTheSameAndOpenOnesNothing) {
  TriMesh mesh = box({{1, 2, 3}});
  for (Vec3i& t : mesh.triangles) std::swap(t[0], t[1]);
  EXPECT_NEAR(shape_moments(mesh_shape(mesh), 2)->mass, 12, 1e-12);
  mesh.triangles.pop_back();
  EXPECT_FALSE(shape_moments(mesh_shape(mesh, ShapeKind::kMesh), 2));
  EXPECT_FALSE(shape_moments({ShapeKind::kHalfSpace, {{0, 0, 0}}, {}, {}}, 2));
  EXPECT_FALSE(shape_moments({ShapeKind::kHull, {{0, 0, 0}}, {}, {}}, 2));
  // A hull stands for itself where its mesh is not closed.
  EXPECT_NEAR(shape_moments(mesh_shape(mesh), 2)->mass, 12, 1e-12);
  // Two boxes that share an edge: four triangles meet there, and the volume is still bounded.
  TriMesh two = box({{1, 1, 1}});
  const TriMesh one = two;
  for (const Vec3d& v : one.vertices) two.vertices.push_back(v + Vec3d{{1, 1, 0}});
  for (const Vec3i& t : one.triangles) two.triangles.push_back({{t[0] + 8, t[1] + 8, t[2] + 8}});
  ASSERT_EQ(one.vertices.size(), 8u);
  weld(two, 1e-9);
  EXPECT_NEAR(shape_moments(mesh_shape(two), 1)->mass, 2, 1e-12);
}

// ---------------------------------------------------------------------------------------- checks

Mat3d diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

// A base that stands still and an arm on a revolute joint about x.
Robot arm() {
  Robot r;
  r.links.resize(2);
  r.links[0].name = "base";
  r.links[1].name = "arm";
  r.links[1].mass = 2;
  r.links[1].centre = {{0, 0, 0.5}};
  r.links[1].inertia = diagonal(0.2, 0.2, 0.01);
  RobotShape s;
  s.frame.p = {{0, 0, 0.5}};
  s.shape = {ShapeKind::kBox, {{0.05, 0.05, 0.5}}, {}, {}};
  r.links[1].collisions.push_back(s);
  r.joints.resize(2);
  r.joints[0].name = "fixed";
  r.joints[1].name = "hinge";
  r.joints[1].kind = JointKind::kRevolute;
  r.joints[1].axis = {{1, 0, 0}};
  r.joints[1].parent = 0;
  r.joints[1].child = 1;
  return r;
}

std::string all(const Robot& r, Severity severity) {
  std::string s;
  for (const RobotFinding& f : check_robot(r))
    if (f.severity == severity) s += f.element + ": " + f.sentence + "\n";
  return s;
}

TEST(RobotCheck, PrincipalMomentsAreThoseOfTheTurnedTensor) {
  for (const Vec3d& values : {Vec3d{{1, 2, 2.5}}, Vec3d{{-1, 1e-9, 1e9}}, Vec3d{{3, 3, 3}},
                              Vec3d{{0, 0, 1}}, Vec3d{{1e-12, 2e-12, 2.5e-12}}}) {
    const Mat3d turn = to_matrix(rotation_by({{0.7, -1.3, 0.4}}));
    const Vec3d p =
        principal_moments(turn * diagonal(values[2], values[0], values[1]) * transpose(turn));
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(p[k], values[k], 2e-15 * std::fabs(values[2])) << k;
  }
}

TEST(RobotCheck, AGoodRobotHasNoFindings) { EXPECT_TRUE(check_robot(arm()).empty()); }

TEST(RobotCheck, WhatNoBodyHasIsNamedWithItsNumbers) {
  const auto says = [](const std::function<void(RobotLink&)>& spoil, Severity severity,
                       const std::string& part) {
    Robot r = arm();
    spoil(r.links[1]);
    const std::string found = all(r, severity);
    EXPECT_NE(found.find(part), std::string::npos) << part << "\n" << found;
    EXPECT_NE(found.find("link \"arm\""), std::string::npos) << found;
  };
  const double nan = std::nan("");
  says([&](RobotLink& l) { l.mass = -1; }, Severity::kError, "mass is -1 kg");
  says([&](RobotLink& l) { l.mass = nan; }, Severity::kError, "is not finite");
  says([&](RobotLink& l) { l.centre[1] = nan; }, Severity::kError, "is not finite");
  says([&](RobotLink& l) { l.inertia(0, 1) = 0.1; }, Severity::kError, "is not symmetric");
  says([&](RobotLink& l) { l.inertia = diagonal(-0.1, 0.2, 0.2); }, Severity::kError,
       "are -0.1, 0.2, 0.2 kg m2, and none may be negative");
  says([&](RobotLink& l) { l.inertia = diagonal(0.1, 0.1, 0.4); }, Severity::kWarning,
       "sum of the other two, 0.2; no body has these");
  says([&](RobotLink& l) { l.inertia = diagonal(0.1, 0.1, 0.2001); }, Severity::kWarning,
       "the numbers may be rounded");
  says([&](RobotLink& l) { l.inertia = diagonal(0, 0.2, 0.2); }, Severity::kWarning,
       "should be above 0");
  says(
      [&](RobotLink& l) {
        l.centre = {{0, 0, 1.5}};
      },
      Severity::kWarning, "lies 0.5 m outside its geometry");
  says([&](RobotLink& l) { l.inertia = diagonal(200, 200, 10); }, Severity::kWarning,
       "is it in other units?");
  says([&](RobotLink& l) { l.mass = 1000, l.inertia = diagonal(80, 80, 2); }, Severity::kWarning,
       "denser than any metal");
  says([&](RobotLink& l) { l.collisions[0].shape.kind = ShapeKind::kMesh; }, Severity::kError,
       "Its mesh is not there");
}

TEST(RobotCheck, AFlatBodyIsNoFinding) {
  Robot r = arm();
  r.links[1].inertia = diagonal(0.1, 0.1, 0.2);
  EXPECT_EQ(all(r, Severity::kWarning), "");
}

TEST(RobotCheck, WhatMovesNeedsInertia) {
  // A point mass on the axis does not resist a turn; beside it, or with an armature, it does.
  Robot r = arm();
  r.links[1].inertia = Mat3d::zero();
  r.links[1].centre = {{0.3, 0, 0}};
  EXPECT_NE(all(r, Severity::kError).find("joint \"hinge\": It moves without inertia"),
            std::string::npos);
  EXPECT_THROW(require_robot(r, "robot"), InputError);
  r.joints[1].armature = 1e-3;
  EXPECT_EQ(all(r, Severity::kError), "");
  r.joints[1].armature = 0;
  r.links[1].centre = {{0.3, 0, 0.1}};
  EXPECT_EQ(all(r, Severity::kError), "");
  // On a slide the mass alone counts; a base that floats needs both.
  r.links[1].centre = {{0.3, 0, 0}};
  r.joints[1].kind = JointKind::kPrismatic;
  EXPECT_EQ(all(r, Severity::kError), "");
  for (const JointKind kind : {JointKind::kFree, JointKind::kBall, JointKind::kPlanar}) {
    r.joints[1].kind = kind;
    EXPECT_NE(all(r, Severity::kError).find("moves without inertia"), std::string::npos);
  }
  r.links[1].mass = 0;
  r.joints[1].kind = JointKind::kPrismatic;
  EXPECT_NE(all(r, Severity::kError).find("have no mass"), std::string::npos);
}

TEST(RobotCheck, ALinkWithoutMassBetweenJointsIsANote) {
  Robot r = arm();
  r.links.push_back(r.links[1]);
  r.links[2].name = "hand";
  r.links[1] = RobotLink{};
  r.links[1].name = "cross";
  RobotJoint j = r.joints[1];
  j.name = "second", j.axis = {{0, 1, 0}}, j.parent = 1, j.child = 2;
  r.joints.push_back(j);
  EXPECT_EQ(all(r, Severity::kError), "");
  EXPECT_EQ(all(r, Severity::kNote), "link \"cross\": It moves and has no mass of its own.\n");
}

TEST(RobotCheck, StartsAndFollowersOutsideLimitsAreNamed) {
  Robot r = arm();
  r.joints[1].lower = 0.2, r.joints[1].upper = 1;
  EXPECT_NE(all(r, Severity::kWarning).find("starts at 0, outside its limits 0.2 to 1"),
            std::string::npos);
  r.joints[1].position = {0.5};
  EXPECT_EQ(all(r, Severity::kWarning), "");
  r.links.push_back(r.links[1]);
  r.links[2].name = "followed";
  RobotJoint j = r.joints[1];
  j.name = "follower", j.child = 2, j.lower = 0, j.upper = 1;
  j.mimic = Mimic{"hinge", -1, 1};  // from 0.8 down to 0
  r.joints.push_back(j);
  EXPECT_EQ(all(r, Severity::kWarning), "");
  EXPECT_EQ(degrees_of_freedom(r), 1);
  r.joints[2].mimic->multiplier = 2;
  EXPECT_NE(all(r, Severity::kWarning).find("from 1.4 to 3, beyond its limits 0 to 1"),
            std::string::npos);
}

TEST(RobotCheck, NumbersAndNamesThatOnlyAHandCanGetWrongAreErrors) {
  using Spoil = std::function<void(Robot&)>;
  const auto closure = [](ClosureKind kind, int a, int b) {
    LoopClosure c;
    c.kind = kind, c.a = a, c.b = b;
    return c;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<Spoil, const char*> cases[] = {
      {[&](Robot& r) { r.joints[1].frame.p[0] = nan; }, "position that is not finite"},
      {[](Robot& r) { r.joints[1].frame.q.w = 2; }, "quaternion whose length is not 1"},
      {[](Robot& r) {
         r.joints[1].axis = {{0, 0, 2}};
       },
       "Its axis has length 2"},
      {[](Robot& r) { r.joints[1].lower = 3, r.joints[1].upper = 2; }, "limits are 3 to 2"},
      {[](Robot& r) { r.joints[1].friction = -1; }, "Its friction is -1"},
      {[&](Robot& r) { r.joints[1].effort = nan; }, "Its effort is nan"},
      {[](Robot& r) { r.joints[1].stiffness = RobotJoint::kNone; }, "Its stiffness is inf"},
      {[&](Robot& r) { r.joints[1].position = {nan}; }, "start position is not finite"},
      {[](Robot& r) { r.joints[1].name = r.joints[0].name; }, "several of this name"},
      {[](Robot& r) {
         r.motors.push_back({"m", "nothing", 1});
       },
       "drives \"nothing\""},
      {[&](Robot& r) {
         r.motors.push_back({"m", "hinge", nan});
       },
       "Its kp is nan"},
      {[&](Robot& r) { r.closures = {closure(ClosureKind::kWeld, 1, 5)}; }, "names a link"},
      {[&](Robot& r) { r.closures = {closure(ClosureKind::kBall, 1, 1)}; }, "link to itself"},
      {[&](Robot& r) { r.closures = {closure(ClosureKind::kCoupler, -1, 1)}; }, "names a joint"},
      {[&](Robot& r) { r.closures = {closure(ClosureKind::kCoupler, 1, 0)}; },
       "not one coordinate"},
      {[](Robot& r) {
         r.no_contact = {{0, 9}};
       },
       "pair of links"},
  };
  for (const auto& [spoil, says] : cases) {
    Robot r = arm();
    EXPECT_EQ(all(r, Severity::kError), "");
    spoil(r);
    EXPECT_NE(all(r, Severity::kError).find(says), std::string::npos)
        << says << " / " << all(r, Severity::kError);
  }
  Robot r = arm();
  r.motors.push_back({"m", "hinge", 1});
  LoopClosure lock = closure(ClosureKind::kCoupler, 1, -1);
  r.closures = {closure(ClosureKind::kBall, 1, -1), lock};
  EXPECT_EQ(all(r, Severity::kError), "");
}

TEST(RobotCheck, WhatIsNoTreeIsAnErrorAndNothingElseIsLookedAt) {
  for (const std::function<void(Robot&)>& spoil : {
           std::function<void(Robot&)>([](Robot& r) { r.joints[1].child = 7; }),
           std::function<void(Robot&)>([](Robot& r) { r.joints[1].parent = 1; }),
           std::function<void(Robot&)>([](Robot& r) { r.joints[1].child = 0; }),
           std::function<void(Robot&)>([](Robot& r) { std::swap(r.joints[0], r.joints[1]); }),
           std::function<void(Robot&)>([](Robot& r) {
             r.joints[1].position = {1, 2};
           }),
           std::function<void(Robot&)>([](Robot& r) { r.links.clear(); }),
       }) {
    Robot r = arm();
    spoil(r);
    EXPECT_NE(all(r, Severity::kError), "");
    refused([&] { require_robot(r, "robot"); });
    refused([&] { repair_inertia(r); });
  }
}

TEST(RobotCheck, StartPosesFollowTheJoints) {
  Robot r = arm();
  r.joints[0].frame = {{{0, 0, 1}}, rotation_by({{0, 0, kPi / 2}})};
  r.joints[1].frame.p = {{1, 0, 0}};
  r.joints[1].position = {kPi / 2};
  const std::vector<Pose> pose = start_poses(r);
  // The base turned about z takes x to y; the hinge about its x takes z to -y, so to x of the
  // world.
  EXPECT_NEAR(norm(pose[1].p - Vec3d{{0, 1, 1}}), 0, 1e-15);
  EXPECT_NEAR(norm(pose[1] * Vec3d{{0, 0, 1}} - Vec3d{{1, 1, 1}}), 0, 1e-15);
}

TEST(RobotCheck, APlanarJointMovesAlongWhatTheShortestTurnMakesOfXAndY) {
  Robot r = arm();
  RobotJoint& j = r.joints[1];
  j.kind = JointKind::kPlanar;
  j.position = {2, 3, 0};
  const auto at = [&](const Vec3d& axis) {
    j.axis = axis;
    return start_poses(r)[1].p;
  };
  EXPECT_NEAR(norm(at({{0, 0, 1}}) - Vec3d{{2, 3, 0}}), 0, 1e-14);
  EXPECT_NEAR(norm(at({{0, 0, -1}}) - Vec3d{{2, -3, 0}}), 0, 1e-14);
  EXPECT_NEAR(norm(at({{1, 0, 0}}) - Vec3d{{0, 3, -2}}), 0, 1e-14);
  EXPECT_NEAR(norm(at({{0, 1, 0}}) - Vec3d{{2, 0, -3}}), 0, 1e-14);
}

// ---------------------------------------------------------------------------------------- repair

TEST(RobotRepair, ImpossibleInertiaBecomesThatOfTheShapesAtTheSameMass) {
  Robot r = arm();
  r.links[1].inertia = diagonal(0.1, 0.1, 0.4);
  const std::vector<std::string> said = repair_inertia(r);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("link \"arm\" was given the inertia of its collision shapes: 2 kg"),
            std::string::npos)
      << said[0];
  const RobotLink& l = r.links[1];
  EXPECT_NEAR(l.mass, 2, 1e-15);
  EXPECT_NEAR(norm(l.centre - Vec3d{{0, 0, 0.5}}), 0, 1e-15);
  EXPECT_NEAR(l.inertia(0, 0), 2.0 / 12 * (1 + 0.01), 1e-15);
  EXPECT_NEAR(l.inertia(2, 2), 2.0 / 12 * 0.02, 1e-15);
  EXPECT_TRUE(check_robot(r).empty());
  EXPECT_TRUE(repair_inertia(r).empty()) << "a second time there is nothing to do";
}

TEST(RobotRepair, ADensityGivesMassToo) {
  Robot r = arm();
  r.links[1].mass = 0;
  r.links[1].inertia = Mat3d::zero();
  EXPECT_NE(repair_inertia(r)[0].find("a density is needed"), std::string::npos);
  // Two balls at +-1 on x, 1000 kg/m3.
  r.links[1].collisions.clear();
  for (const double x : {-1.0, 1.0}) {
    RobotShape s;
    s.frame.p = {{x, 0, 0}};
    s.shape = {ShapeKind::kSphere, {{0.1, 0, 0}}, {}, {}};
    r.links[1].visuals.push_back(s);  // of the visuals, where nothing touches
  }
  ASSERT_EQ(repair_inertia(r, {.density = 1000}).size(), 1u);
  const RobotLink& l = r.links[1];
  const double m = 1000 * 4.0 / 3 * kPi * 1e-3;
  EXPECT_NEAR(l.mass, 2 * m, 1e-12);
  EXPECT_NEAR(norm(l.centre), 0, 1e-15);
  EXPECT_NEAR(l.inertia(0, 0), 2 * 0.4 * m * 0.01, 1e-12);
  EXPECT_NEAR(l.inertia(1, 1), 2 * (0.4 * m * 0.01 + m), 1e-12);
  refused([&] { repair_inertia(r, {.density = -1}); });
  refused([&] { repair_inertia(r, {.density = std::nan("")}); });
}

TEST(RobotRepair, AllLinksWhenAskedAndThoseWithoutShapesAreNamed) {
  Robot r = arm();
  r.links[0].mass = 3;
  r.links[0].inertia = diagonal(1, 1, 1);
  const std::vector<std::string> said = repair_inertia(r, {.density = 0, .all = true});
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find("link \"base\" was left"), std::string::npos);
  EXPECT_NEAR(r.links[1].inertia(0, 0), 2.0 / 12 * 1.01, 1e-15);
}

}  // namespace
}  // namespace haptos
