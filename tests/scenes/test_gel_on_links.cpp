// Links that carry gel, and links that touch soft, affine and prescribed bodies: what the joint,
// the sensors and the other side feel is one and the same.
#include <cmath>
#include <cstdio>

#include "haptos/base/text/error.h"
#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kGravity = 9.81;

RobotLink block_link(const std::string& name, double mass, const Vec3d& half) {
  RobotLink l;
  l.name = name;
  l.mass = mass;
  for (int k = 0; k < 3; ++k) l.inertia(k, k) = mass / 3 * (dot(half, half) - half[k] * half[k]);
  RobotShape s;
  s.name = name;
  s.shape.kind = ShapeKind::kBox;
  s.shape.size = half;
  l.collisions.push_back(s);
  return l;
}

RobotJoint joint(const std::string& name, JointKind kind, int parent, int child, const Vec3d& axis,
                 const Vec3d& at = {{0, 0, 0}}) {
  RobotJoint j;
  j.name = name;
  j.kind = kind;
  j.parent = parent;
  j.child = child;
  j.axis = axis;
  j.frame.p = at;
  return j;
}

RobotMotor motor(const std::string& of, double kp, double kd) {
  RobotMotor m;
  m.joint = of;
  m.kp = kp;
  m.kd = kd;
  return m;
}

// A pad of 12 x 12 x 6 mm, its free face at the origin, +z out of it.
constexpr double kPad = 0.012, kThick = 0.006;
SoftBody gel(const std::string& name, Pad* made = nullptr) {
  const Pad pad = box_pad({.width = kPad, .depth = kPad, .thickness = kThick}, 3, 3, 2);
  if (made) *made = pad;
  SoftBody b;
  b.name = name;
  b.mesh = pad.mesh;
  b.material.young = 2e5;
  b.material.poisson = 0.45;
  b.material.stiffness_damping = 0.005;
  b.friction.sticking = 1;
  return b;
}
double mass_of(const SoftBody& b) { return b.material.density * kPad * kPad * kThick; }

Scene scene(double dt, double gravity = -kGravity) {
  Scene s;
  s.sim.dt = dt;
  s.sim.gravity_z = gravity;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-9;
  s.contact.support = 1e-4;
  return s;
}

// A ram that slides along z, its gel below it, and behind the gel a wrist, a fixed joint.
Scene ram(double dt) {
  Scene s = scene(dt);
  RobotBody b;
  b.name = b.robot.name = "ram";
  b.robot.links = {block_link("slide", 0.2, {{0.01, 0.01, 0.02}}),
                   block_link("tip", 0.05, {{0.008, 0.008, 0.002}})};
  b.robot.joints = {joint("rail", JointKind::kPrismatic, -1, 0, {{0, 0, 1}}, {{0, 0, 0.05}}),
                    joint("wrist", JointKind::kFixed, 0, 1, {{0, 0, 1}}, {{0, 0, -0.03}})};
  Sensor wrist;
  wrist.name = "wrist";
  wrist.kind = SensorKind::kForceTorque;
  wrist.target = "wrist";
  b.sensors = {wrist};
  s.robots = {b};
  Pad pad;
  SoftBody soft = gel("gel", &pad);
  soft.pose.p = {{0, 0, 0.05 - 0.03 - 0.002 - kThick}};
  soft.pose.q = rotation_by({{M_PI, 0, 0}});  // its free face looks down
  soft.glue = {{"ram/tip", pad.base_vertices}};
  s.soft = {soft};
  return s;
}

TEST(GelOnLinks, ARamThatLiesOnItsGelWeighsOnTheFloorAndItsWristFeelsWhatIsBelowIt) {
  Scene s = ram(0.01);
  HalfSpace floor;
  floor.name = "floor";
  floor.offset = s.soft[0].pose.p[2] - 2e-4;
  s.half_spaces = {floor};
  s.robots[0].robot.joints[0].damping = 20;
  Sim sim(s);
  for (int k = 0; k < 300; ++k) ASSERT_EQ(sim.step().status(), 0u) << k;
  const double pad = kGravity * mass_of(s.soft[0]), tip = kGravity * 0.05;
  const double all = kGravity * 0.2 + tip + pad;
  EXPECT_NEAR(sim.contact_wrench("gel").force[2], all, 1e-6 * all);
  EXPECT_NEAR(sim.contact_wrench("floor").force[2], -all, 1e-6 * all);
  // The glue carries all but the gel, whose glued vertices count as the tip's mass but are the
  // gel's weight.
  EXPECT_NEAR(sim.reaction("ram/tip").force[2], all - pad, 1e-6 * all);
  // The wrist pushes the tip down by what the gel pushes it up beyond its own weight.
  RobotView robot = sim.robot("ram");
  const SensorReading wrist = robot.read(robot.sensor("wrist"));
  EXPECT_NEAR(wrist.values[2], -kGravity * 0.2, 1e-6 * all);
  for (const int k : {0, 1}) EXPECT_NEAR(wrist.values[static_cast<std::size_t>(k)], 0, 1e-6 * all);
  // The pressure's centre is a little off the axis, since the mesh is no mirror image of itself.
  const Wrench below = sim.contact_wrench("gel", robot.link_pose(1).p);
  EXPECT_GT(norm(below.torque), 1e-6);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(wrist.values[static_cast<std::size_t>(3 + k)], -below.torque[k], 1e-7);
}

// What presses is the same whether its mount is prescribed or the link of a robot.
TEST(GelOnLinks, AGelOnAStandingLinkPressesAsOneOnAPrescribedMount) {
  double force[2];
  for (const bool on_link : {false, true}) {
    Scene s = scene(0.01, 0);
    Pad pad;
    s.soft = {gel("gel", &pad)};
    s.soft[0].friction.sticking = 0.3;
    const char* mount = on_link ? "hand/palm" : "mount";
    if (on_link) {
      RobotBody b;
      b.name = b.robot.name = "hand";
      b.robot.links = {block_link("arm", 1, {{0.01, 0.01, 0.01}}),
                       block_link("palm", 0.1, {{0.02, 0.02, 0.004}})};
      b.robot.links[0].collisions.clear();
      b.robot.joints = {joint("a", JointKind::kPrismatic, -1, 0, {{0, 0, 1}}),
                        joint("b", JointKind::kFixed, 0, 1, {{0, 0, 1}}, {{0, 0, -0.0105}})};
      b.robot.motors = {motor("a", 1e12, 1e9)};
      s.robots = {b};
    } else {
      s.prescribed.push_back(test::mount("mount"));
    }
    s.soft[0].glue = {{mount, pad.base_vertices}};
    PrescribedBody ball;
    ball.name = "ball";
    ball.friction.sticking = 0.3;
    ball.surface = icosphere(0.004, 1e-3);
    ball.trajectory = test::straight({{0.001, 0, 0.0042}}, {{0.002, 0, 0.0034}}, 0.1);
    s.prescribed.push_back(ball);
    Sim sim(s);
    for (int k = 0; k < 12; ++k) ASSERT_EQ(sim.step().status(), 0u) << k;
    force[on_link] = sim.contact_wrench("ball").force[2];
    EXPECT_LT(sim.contact_wrench("ball").force[0], 0);
    if (on_link) {
      EXPECT_NEAR(sim.robot("hand").position()[0], 0, 1e-11);
    }
  }
  std::printf("FIGURE gel_on_link.press = %.6f N, on a mount %.6f N\n", force[1], force[0]);
  EXPECT_GT(force[0], 0.1);
  EXPECT_NEAR(force[1], force[0], 1e-6 * force[0]);
}

// An arm with a gel at its end, turned by a constant torque without gravity: momentum is torque
// times time, to first order in the step, with the gel's mass where it is.
TEST(GelOnLinks, AnArmThatCarriesAGelTurnsWithTheMomentumItWasGiven) {
  constexpr double kTorque = 2e-3, kTime = 0.2;
  double error[3];
  for (int level = 0; level < 3; ++level) {
    Scene s = scene(0.01 / (1 << level), 0);
    s.robots = {RobotBody{}};
    RobotBody& b = s.robots[0];
    b.name = b.robot.name = "arm";
    b.robot.links = {block_link("bar", 0.1, {{0.05, 0.005, 0.005}})};
    b.robot.joints = {joint("hinge", JointKind::kRevolute, -1, 0, {{0, 0, 1}})};
    Pad pad;
    SoftBody soft = gel("gel", &pad);
    soft.pose.p = {{0.05 + kThick, 0, 0}};
    soft.pose.q = rotation_by({{0, M_PI / 2, 0}});  // its free face looks outwards
    soft.glue = {{"arm", pad.base_vertices}};
    s.soft = {soft};
    Sim sim(s);
    sim.robot("arm").set_torque({kTorque});
    std::vector<Vec3d> before;
    const int steps = static_cast<int>(std::lround(kTime / s.sim.dt));
    for (int k = 0; k < steps; ++k) {
      before = sim.soft_positions("gel");
      ASSERT_EQ(sim.step().status(), 0u) << k;
    }
    const std::vector<Vec3d> now = sim.soft_positions("gel");
    const SoftModel& model = sim.soft_model("gel");
    const std::vector<double> mass = lumped_mass(model.rest, soft.material.density);
    double momentum = s.robots[0].robot.links[0].inertia(2, 2) * sim.robot("arm").velocity()[0];
    for (std::size_t v = 0; v < now.size(); ++v)
      momentum += mass[v] * cross(now[v], now[v] - before[v])[2] / s.sim.dt;
    error[level] = std::abs(momentum / (kTorque * kTime) - 1);
    std::printf("FIGURE gel_on_link.momentum.%d = %.3e of torque times time\n", level,
                error[level]);
  }
  EXPECT_LT(error[0], 0.05);
  EXPECT_LT(error[1], 0.6 * error[0]);
  EXPECT_LT(error[2], 0.6 * error[1]);
}

// A gripper: a hoist along z carries two fingers that close along x, each with a gel.
Scene gripper() {
  Scene s = scene(0.01);
  RobotBody b;
  b.name = b.robot.name = "gripper";
  b.robot.links = {block_link("hoist", 0.5, {{0.01, 0.01, 0.01}})};
  b.robot.links[0].collisions.clear();
  b.robot.joints = {joint("lift", JointKind::kPrismatic, -1, 0, {{0, 0, 1}})};
  b.robot.motors = {motor("lift", 1e5, 2e3)};
  constexpr double kHalf = 0.01;  // of the block that is gripped
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    const int link = static_cast<int>(b.robot.links.size());
    b.robot.links.push_back(block_link(name, 0.05, {{0.002, 0.006, 0.013}}));
    b.robot.joints.push_back(joint(name, JointKind::kPrismatic, 0, link, {{-side, 0, 0}},
                                   {{side * (kHalf + kThick + 0.002 + 2e-4), 0, 0.0145}}));
    b.robot.motors.push_back(motor(name, 2e4, 2e2));
    Pad pad;
    SoftBody soft = gel(name + " gel", &pad);
    soft.pose.p = {{side * (kHalf + 2e-4), 0, 0.0105}};
    soft.pose.q = rotation_by({{0, -side * M_PI / 2, 0}});
    soft.glue = {{"gripper/" + name, pad.base_vertices}};
    s.soft.push_back(soft);
  }
  s.robots = {b};
  AffineBody block;
  block.name = "block";
  block.surface = box({{2 * kHalf, 2 * kHalf, 2 * kHalf}}, {{2, 2, 2}});
  block.pose.p = {{0, 0, kHalf + 2e-5}};
  block.density = 5000;  // 40 g
  block.friction.sticking = 1;
  s.affine = {block};
  HalfSpace floor;
  floor.name = "floor";
  s.half_spaces = {floor};
  return s;
}

class Grippers : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(GelOnLinks, Grippers,
                         testing::Values(Integrator::kImplicitEuler, Integrator::kBdf2));

TEST_P(Grippers, LiftABlockBetweenTheirGelsAndHoldIt) {
  Scene s = gripper();
  s.sim.integrator = static_cast<int>(GetParam());
  Sim sim(s);
  const double weight = kGravity * 5000 * 8e-6;
  double start = 0, held = 0, slip = 0;
  for (int k = 1; k <= 300; ++k) {
    const double t = k * s.sim.dt;
    const double close = 1.0e-3 * std::min(t / 0.5, 1.0);
    const double lift = 0.03 * std::clamp(t - 0.6, 0.0, 1.0);
    for (const int finger : {1, 2}) sim.robot("gripper").set_command(finger, {close, 0, 0});
    sim.robot("gripper").set_command(0, {lift, 0, 0});
    ASSERT_EQ(sim.step().status(), 0u) << k;
    for (const char* name : {"left gel", "right gel"})
      ASSERT_EQ(test::crossings(sim, name, "block"), 0u) << k;
    const double hand = sim.robot("gripper").link_pose(0).p[2];
    const double over = sim.affine_pose("block").p[2] - hand;
    if (k == 80) start = over;  // off the floor
    if (k == 200) held = over;  // lifted, at rest
    if (k > 200) slip = std::max(slip, std::abs(over - held));
  }
  std::printf("FIGURE gripper.slip_while_lifting = %.3e m\n", std::abs(held - start));
  std::printf("FIGURE gripper.slip_while_held = %.3e m in 1 s\n", slip);
  EXPECT_NEAR(sim.affine_pose("block").p[2], 0.01 + 0.03, 1e-3);
  EXPECT_LT(slip, 1e-7);
  Wrench on_block = sim.contact_wrench("block");
  EXPECT_NEAR(on_block.force[2], weight, 1e-5 * weight);
  EXPECT_NEAR(on_block.force[0], 0, 1e-5 * weight);
  // Each finger bears half of it, and its motor what the gels are pressed with.
  const double left = sim.contact_wrench("left gel").force[2];
  EXPECT_NEAR(left, -0.5 * weight, 0.05 * weight);  // the meshes are no mirror images
  EXPECT_NEAR(sim.contact_wrench("left gel").force[0] + sim.contact_wrench("right gel").force[0], 0,
              1e-5 * weight);
}

TEST_P(Grippers, GoOnFromAStateInMidMotionWithTheSameBits) {
  Scene s = gripper();
  s.sim.integrator = static_cast<int>(GetParam());
  Sim sim(s);
  for (int k = 0; k < 40; ++k) {
    sim.robot("gripper").set_command(1, {2e-5 * k, 0, 0});
    sim.robot("gripper").set_command(0, {1e-3 * k, 0, 0});
    sim.step();
  }
  const State half = sim.state();
  const auto go_on = [&](Sim& other) {
    for (int k = 0; k < 10; ++k) {
      other.robot("gripper").set_command(0, {0.05, 0, 0});
      other.step();
    }
    return other.state().hash();
  };
  const std::uint64_t first = go_on(sim);
  Sim fresh(s);
  fresh.set_state(half);
  EXPECT_EQ(go_on(fresh), first);
  sim.set_state(half);
  EXPECT_EQ(go_on(sim), first);
}

// A link without gel: its collision shape meets affine, soft and prescribed bodies.
Scene pusher() {
  Scene s = scene(0.01);
  RobotBody b;
  b.name = b.robot.name = "pusher";
  b.robot.links = {block_link("rod", 0.3, {{0.01, 0.01, 0.01}})};
  b.robot.joints = {joint("x", JointKind::kPrismatic, -1, 0, {{1, 0, 0}})};
  b.robot.motors = {motor("x", 0, 1e4)};
  b.pose.p = {{-0.03, 0, 0.012}};
  b.friction = 0;
  s.robots = {b};
  HalfSpace floor;
  floor.name = "floor";
  floor.friction.sticking = 0.4;
  s.half_spaces = {floor};
  return s;
}

TEST(GelOnLinks, ALinkPushesAnAffineBlockAlongTheFloorAgainstItsFriction) {
  constexpr double kSpeed = 0.05, kMass = 1000 * 8e-6;
  Scene s = pusher();
  AffineBody block;
  block.name = "block";
  block.surface = box({{0.02, 0.02, 0.02}}, {{2, 2, 2}});
  block.pose.p = {{0, 0, 0.01 + 5e-5}};
  block.friction.sticking = 0.4;
  s.affine = {block};
  Sim sim(s);
  sim.robot("pusher").set_command(0, {0, kSpeed, 0});
  for (int k = 0; k < 120; ++k) {
    ASSERT_EQ(sim.step().status(), 0u) << k;
    ASSERT_EQ(test::crossings(sim, "pusher", "block"), 0u) << k;
  }
  const double friction = 0.4 * kMass * kGravity;
  EXPECT_NEAR(sim.contact_wrench("pusher").force[0], -friction, 1e-3 * friction);
  EXPECT_NEAR(sim.reaction("pusher").force[0], -friction, 1e-3 * friction);
  EXPECT_NEAR(sim.affine_velocity("block")[0], kSpeed, 1e-3 * kSpeed);
}

TEST(GelOnLinks, ALinkStopsAtAPrescribedWallAndPressesOnItWithItsMotor) {
  Scene s = pusher();
  s.sim.gravity_z = 0;
  s.robots[0].robot.motors[0].effort = 5;
  PrescribedBody wall;
  wall.name = "wall";
  wall.surface = box({{0.02, 0.1, 0.1}}, {{1, 2, 2}});
  wall.trajectory = {{0, test::at_position({{0.02, 0, 0}})}};
  s.prescribed = {wall};
  Sim sim(s);
  sim.robot("pusher").set_command(0, {0, 0.2, 0});
  for (int k = 0; k < 40; ++k) {
    ASSERT_EQ(sim.step().status(), 0u) << k;
    ASSERT_EQ(test::crossings(sim, "pusher", "wall"), 0u) << k;
  }
  EXPECT_NEAR(sim.contact_wrench("wall").force[0], 5, 1e-6 * 5);
  EXPECT_LT(sim.robot("pusher").link_pose(0).p[0], 0);
}

// A flail turns by a third of a radian a step into a post: what a straight step would cut is on the
// path that collision detection sees.
TEST(GelOnLinks, AFastFlailDoesNotPassThroughAPost) {
  Scene s = scene(0.01, 0);
  RobotBody b;
  b.name = b.robot.name = "flail";
  b.robot.links = {block_link("bar", 0.2, {{0.06, 0.004, 0.01}})};
  b.robot.links[0].centre = {{0.06, 0, 0}};
  b.robot.links[0].collisions[0].frame.p = {{0.08, 0, 0}};
  b.robot.joints = {joint("hinge", JointKind::kRevolute, -1, 0, {{0, 0, 1}})};
  b.velocity = {30.0};
  s.robots = {b};
  PrescribedBody post;
  post.name = "post";
  post.surface = cylinder(0.005, 0.05, 2e-3);
  post.trajectory = {{0, test::at_position({{-0.05, 0.05, -0.025}})}};
  s.prescribed = {post};
  Sim sim(s);
  double furthest = 0;
  for (int k = 0; k < 30; ++k) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.status(), 0u) << k;
    ASSERT_EQ(test::crossings(sim, "flail", "post"), 0u) << k;
    furthest = std::max(furthest, sim.robot("flail").position()[0]);
  }
  EXPECT_GT(furthest, 1.5);          // it reached the post,
  EXPECT_LT(furthest, 0.75 * M_PI);  // which is at three quarters of half a turn
}

TEST(GelOnLinks, AMeshThatFacesInwardTouchesAsOneThatFacesOutward) {
  double force[2];
  for (const bool inward : {false, true}) {
    Scene s = pusher();
    s.sim.gravity_z = 0;
    s.half_spaces.clear();
    RobotShape& shape = s.robots[0].robot.links[0].collisions[0];
    auto mesh = std::make_shared<TriMesh>(box({{0.02, 0.02, 0.02}}, {{2, 2, 2}}));
    if (inward)
      for (Vec3i& t : mesh->triangles) std::swap(t[1], t[2]);
    shape.shape.kind = ShapeKind::kMesh;
    shape.shape.mesh = mesh;
    Pad pad;
    s.soft = {gel("gel", &pad)};
    s.soft[0].pose.q = rotation_by({{0, -M_PI / 2, 0}});  // it looks at the rod,
    s.soft[0].pose.p = {{-0.0195, 0, 0.02}};              // whose upper edge meets its middle
    s.soft[0].glue = {{"mount", pad.base_vertices}};
    s.prescribed = {test::mount("mount")};
    Sim sim(s);
    sim.robot("pusher").set_command(0, {0, 0.1, 0});
    for (int k = 0; k < 15; ++k) ASSERT_EQ(sim.step().status(), 0u) << k;
    force[inward] = sim.contact_wrench("gel").force[0];
  }
  EXPECT_GT(force[0], 0.1);
  EXPECT_NEAR(force[1], force[0], 1e-9);
}

TEST(GelOnLinks, PairsNameALinkItsRobotOrItsLayer) {
  for (const char* name : {"ram/tip", "ram", "machines"}) {
    Scene s = ram(0.01);
    s.robots[0].group = "machines";
    AffineBody block;  // in the tip
    block.name = "block";
    block.surface = box({{0.01, 0.01, 0.01}}, {{1, 1, 1}});
    block.pose.p = {{0, 0, 0.02}};
    s.affine = {block};
    s.pairs = {{"gel", "block", false}};
    EXPECT_THROW(Sim{s}, InputError);
    s.pairs.push_back({name, "block", false});
    EXPECT_NO_THROW(Sim{s}) << name;
  }
}

TEST(GelOnLinks, WhatCannotBeIsSaidWithNames) {
  const auto sentence = [](const Scene& s) -> std::string {
    try {
      Sim sim(s);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  Scene s = ram(0.01);
  s.soft[0].glue[0].body = "ram";
  EXPECT_NE(sentence(s).find("is a robot of several links"), std::string::npos) << sentence(s);
  EXPECT_NE(sentence(s).find("\"ram/tip\""), std::string::npos) << sentence(s);
  s.soft[0].glue[0].body = "ram/top";
  EXPECT_NE(sentence(s).find("did you mean \"ram/tip\"?"), std::string::npos) << sentence(s);
  s = ram(0.01);
  PrescribedBody post;
  post.name = "post";
  post.surface = box({{0.01, 0.01, 0.01}}, {{1, 1, 1}});
  post.trajectory = {{0, test::at_position({{0, 0, 0.05}})}};
  s.prescribed = {post};
  EXPECT_NE(sentence(s).find("\"post\" and \"ram/slide\""), std::string::npos) << sentence(s);
}

}  // namespace
}  // namespace haptos
