// Sensors of robots against laws that know nothing of trees: robots whose links are made of point
// masses, whose accelerations are second differences of positions; weights; closed forms.
#include "haptos/bodies/tree/tree_drift.h"
#include "haptos/sensors/robot/robot_sensors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "haptos/bodies/joints/joint_laws.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/files/urdf/urdf.h"
#include "tests/outside_data.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kG = 9.81;

struct PointMass {
  double mass;
  Vec3d x;  // in the link's frame
};
using Body = std::vector<PointMass>;

// A link of five random point masses.
RobotLink link_of_points(test::Random& random, const std::string& name, Body& body) {
  RobotLink link;
  link.name = name;
  body.clear();
  for (int i = 0; i < 5; ++i) body.push_back({0.3 + 0.1 * random(), 0.2 * random.vector()});
  for (const PointMass& p : body) {
    link.mass += p.mass;
    link.centre += p.mass * p.x;
  }
  link.centre *= 1 / link.mass;
  for (const PointMass& p : body) {
    const Vec3d d = p.x - link.centre;
    link.inertia += p.mass * (squared_norm(d) * Mat3d::identity() - outer(d, d));
  }
  return link;
}

// shoulder - upper - (fixed) sleeve - elbow - lower - (fixed) hand - (fixed) tool, and a finger on
// a slide at the hand; the shoulder hangs from a base that a fixed joint holds to the world.
struct PointRobot {
  explicit PointRobot(JointKind root) {
    test::Random random(17);
    const auto add = [&](const std::string& name, int parent, JointKind kind) {
      bodies.emplace_back();
      RobotJoint& j =
          test::add_link(robot, parent, kind, link_of_points(random, name, bodies.back()));
      j.name = "to_" + name;
      j.frame = {0.3 * random.vector(), test::random_turn(random)};
      j.axis = normalized(random.vector());
      return j.child;
    };
    robot.name = "arm";
    const int base = add("base", -1, root);
    const int upper = add("upper", base, JointKind::kRevolute);
    const int sleeve = add("sleeve", upper, JointKind::kFixed);
    const int lower = add("lower", sleeve, JointKind::kRevolute);
    const int hand = add("hand", lower, JointKind::kFixed);
    add("tool", hand, JointKind::kFixed);
    add("finger", hand, JointKind::kPrismatic);
    robot.joints[1].armature = 0.05;
    for (const int j : {1, 3, 6}) {
      RobotMotor m;
      m.joint = robot.joints[static_cast<std::size_t>(j)].name;
      robot.motors.push_back(m);
    }
  }
  int link(const std::string& name) const {
    for (std::size_t i = 0; i < robot.links.size(); ++i)
      if (robot.links[i].name == name) return static_cast<int>(i);
    return -1;
  }

  Robot robot;
  std::vector<Body> bodies;  // per link
};

Sensor sensor(SensorKind kind, const std::string& target, const Pose& frame = {}) {
  Sensor s;
  s.name = std::string(sensor_kind_name(kind)) + "_" + target;
  s.kind = kind;
  s.target = target;
  s.frame = frame;
  return s;
}

// A scene with one robot and its sensors, read after every step.
struct SensorScene : FrozenScene {
  SensorScene(const Robot& robot, std::vector<Sensor> sensors, const TreeOptions& options = {},
              const std::vector<double>& velocity = {})
      : tree(std::make_shared<Tree>(compile_tree(robot, options))),
        sensors(robot, tree, std::move(sensors), 0, [](const std::string& n) {
          return n == "ground" ? 1000 : n == "nothing" ? 1001 : -1;
        }) {
    body = add(std::make_unique<Articulation>(next_slots(),
                                              ArticulationSpec{"robot", tree, {}, velocity}));
  }
  // Shapes of the links meet the ground.
  void add_ground(const Robot& robot, double stiffness = 1e5) {
    std::vector<PointShape> shapes;
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    shapes.push_back({CollisionShape(plane), {}});
    shapes.back().body = 1000;
    for (std::size_t i = 0; i < robot.links.size(); ++i)
      for (const RobotShape& c : robot.links[i].collisions) {
        const int id = static_cast<int>(i);
        links.push_back(std::make_unique<LinkOf<Articulation>>(body, id, id));
        PointShape s{CollisionShape(c.shape, c.name), c.frame, links.back().get()};
        s.stiffness = stiffness;
        s.relaxation_time = 0.02;
        s.friction = 0.8;
        shapes.push_back(s);
      }
    std::vector<std::array<int, 2>> excluded;
    for (int j = 1; j < static_cast<int>(shapes.size()); ++j)
      for (int i = 1; i < j; ++i) excluded.push_back({i, j});
    contact = add_term(std::make_unique<PointContact>(shapes, PointContactOptions(), excluded));
  }
  JointMotor* add_motor(int unknown, double kp, double kd) {
    motors.push_back(add_term(std::make_unique<JointMotor>(body, unknown, MotorGains{kp, kd})));
    const int q = body->coordinate_of(unknown);
    motors.back()->command.position = tree->start[static_cast<std::size_t>(q)];
    return motors.back();
  }
  void advance() {
    q_start = state.q;
    v_start = state.z;
    step();
    forces.clear();
    efforts.clear();
    if (contact) add_contact_forces(contact->contacts(), points(), 0, 1000, forces);
    for (const JointMotor* m : motors) efforts.push_back(m->effort());
    RobotStep s;
    s.tree = {q_start.data(), v_start.data(), state.q.data(), state.z.data(), h, gravity, forces};
    s.tree.applied = body->step_effort().data();
    s.tree.wrench = body->step_wrench().data();
    s.tree.motion = &body->step_motion();
    q_middle.assign(s.tree.motion->q, s.tree.motion->q + q_start.size());
    v_middle.assign(s.tree.motion->v, s.tree.motion->v + v_start.size());
    s.motor_effort = efforts.data();
    if (contact) s.contacts = contact->contacts();
    sensors.update(s);
  }
  std::vector<double> read(int i) const {
    std::vector<double> out(static_cast<std::size_t>(sensors.width(i)));
    sensors.measure(i, out.data());
    return out;
  }
  Vec3d read3(int i, int first = 0) const {
    const std::vector<double> x = read(i);
    const auto k = static_cast<std::size_t>(first);
    return {{x[k], x[k + 1], x[k + 2]}};
  }

  std::shared_ptr<const Tree> tree;
  RobotSensors sensors;
  Articulation* body = nullptr;
  const PointContact* contact = nullptr;
  std::vector<JointMotor*> motors;
  std::vector<std::unique_ptr<Link>> links;
  std::vector<double> q_start, v_start, q_middle, v_middle, efforts;
  std::vector<LinkForce> forces;
};

// Force, and torque about the origin of `about`, that links need from elsewhere to move as the
// coordinates q (+) (v t + a t^2 / 2) say, in the axes of `about`.
struct Needed {
  Vec3d force = Vec3d::zero(), torque = Vec3d::zero();
};
Needed newton(const PointRobot& r, const Tree& tree, const std::vector<double>& q,
              const std::vector<double>& v, const std::vector<double>& a,
              const std::vector<int>& links, int about) {
  const double e = 2e-4;
  TreeData<double> d[3] = {TreeData<double>(tree), TreeData<double>(tree), TreeData<double>(tree)};
  for (int k = 0; k < 3; ++k) {
    const double t = (k - 1) * e;
    std::vector<double> rate(v.size()), at(q.size());
    for (std::size_t i = 0; i < v.size(); ++i) rate[i] = v[i] * t + 0.5 * a[i] * t * t;
    integrate(tree, q.data(), rate.data(), 1.0, at.data());
    forward_kinematics(tree, at.data(), d[k]);
  }
  const Frame<double> frame = link_frame(tree, d[1], about);
  Needed n;
  for (const int l : links)
    for (const PointMass& p : r.bodies[static_cast<std::size_t>(l)]) {
      const Vec3d x = link_frame(tree, d[1], l) * p.x;
      const Vec3d f = p.mass * ((1 / (e * e)) * (link_frame(tree, d[0], l) * p.x - 2.0 * x +
                                                 link_frame(tree, d[2], l) * p.x) -
                                Vec3d{{0, 0, -kG}});
      n.force += f;
      n.torque += cross(x - frame.p, f);
    }
  return {transpose(frame.r) * n.force, transpose(frame.r) * n.torque};
}

// Links that each joint carries.
const std::vector<std::pair<const char*, std::vector<const char*>>> kCarried = {
    {"to_base", {"base", "upper", "sleeve", "lower", "hand", "tool", "finger"}},
    {"to_upper", {"upper", "sleeve", "lower", "hand", "tool", "finger"}},
    {"to_sleeve", {"sleeve", "lower", "hand", "tool", "finger"}},
    {"to_lower", {"lower", "hand", "tool", "finger"}},
    {"to_hand", {"hand", "tool", "finger"}},
    {"to_tool", {"tool"}},
    {"to_finger", {"finger"}}};

std::vector<Sensor> force_sensors() {
  std::vector<Sensor> s;
  s.reserve(kCarried.size());
  for (const auto& [joint, links] : kCarried) s.push_back(sensor(SensorKind::kForceTorque, joint));
  return s;
}

// Largest difference of a load from that of the motion in the middle of the step, of the weight of
// what the joint carries.
double newton_error(const PointRobot& r, const SensorScene& scene) {
  double worst = 0;
  for (std::size_t i = 0; i < kCarried.size(); ++i) {
    std::vector<int> links;
    for (const char* l : kCarried[i].second) links.push_back(r.link(l));
    const Needed n = newton(r, *scene.tree, scene.q_middle, scene.v_middle,
                            scene.sensors.loads().acceleration(), links, links.front());
    const int k = static_cast<int>(i);
    const double weight = 1.5 * kG * static_cast<double>(links.size());
    for (int c = 0; c < 3; ++c)
      worst = std::max({worst, std::abs(scene.read3(k)[c] - n.force[c]) / weight,
                        std::abs(scene.read3(k, 3)[c] - n.torque[c]) / weight});
  }
  return worst;
}

// The step's equation has the change in its first half where the motion has derivatives in the
// middle: what it does is a quarter of a step old, during which links that turn at 10 rad/s turn
// their loads.
void expect_first_order(const std::function<double(double)>& error, double h) {
  const double coarse = error(h), fine = error(0.5 * h);
  std::printf("FIGURE sensors.load_against_motion.h%g = %.1e, %.1e of the weight\n", h * 1e3,
              coarse, fine);
  EXPECT_LT(coarse, 0.25 * h * 10);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1);
}

TEST(RobotSensors, ForceAndTorqueAtAnyJointAreWeightAndInertiaOfWhatItCarries) {
  const PointRobot r(JointKind::kFixed);
  for (const bool keep : {false, true}) {
    TreeOptions options;
    if (keep) options.keep_fixed = {0, 2, 4, 5};
    const auto error = [&](double h) {
      SensorScene scene(r.robot, force_sensors(), options, {1.5, -4, 0.3});
      scene.h = h;
      scene.add_motor(0, 30, 1);
      scene.add_motor(2, 200, 4);
      scene.start();
      double fastest = 0, worst = 0;
      for (int n = 0; n < static_cast<int>(std::lround(0.6 / h)); ++n) {
        scene.advance();
        for (const double v : scene.state.z) fastest = std::max(fastest, std::abs(v));
        worst = std::max(worst, newton_error(r, scene));
      }
      EXPECT_GT(fastest, 3);
      EXPECT_EQ(scene.status, 0u);
      return worst;
    };
    expect_first_order(error, 2e-3);
  }
}

TEST(RobotSensors, ForceAndTorqueAtRestAreTheWeightOfWhatTheJointCarries) {
  const PointRobot r(JointKind::kFixed);
  SensorScene scene(r.robot, force_sensors());
  scene.h = 5e-3;
  for (int k = 0; k < 3; ++k) scene.add_motor(k, 2000, 200);
  scene.start();
  for (int n = 0; n < 2000; ++n) scene.step();
  scene.advance();
  for (const double v : scene.state.z) EXPECT_NEAR(v, 0, 1e-9);
  TreeData<double> d(*scene.tree);
  forward_kinematics(*scene.tree, scene.state.q.data(), d);
  for (std::size_t i = 0; i < kCarried.size(); ++i) {
    const Frame<double> at = link_frame(*scene.tree, d, r.link(kCarried[i].second.front()));
    Vec3d force = Vec3d::zero(), torque = Vec3d::zero();
    for (const char* l : kCarried[i].second) {
      const RobotLink& link = r.robot.links[static_cast<std::size_t>(r.link(l))];
      const Vec3d f{{0, 0, link.mass * kG}};
      force += f;
      torque += cross(link_frame(*scene.tree, d, r.link(l)) * link.centre - at.p, f);
    }
    const Vec3d error = scene.read3(static_cast<int>(i)) - transpose(at.r) * force;
    const Vec3d turn = scene.read3(static_cast<int>(i), 3) - transpose(at.r) * torque;
    EXPECT_LT(norm(error), 1e-6 * norm(force)) << kCarried[i].first;
    EXPECT_LT(norm(turn), 1e-6 * norm(force)) << kCarried[i].first;
  }
}

TEST(RobotSensors, LoadsOfARobotThatFloatsAreThoseOfItsMotionAndNothingActsThroughItsBase) {
  const PointRobot r(JointKind::kFree);
  const auto error = [&](double h) {
    SensorScene scene(r.robot, force_sensors(), {}, {0.5, -1, 2, 3, -2, 1, 1.5, -4, 0.3});
    scene.h = h;
    scene.add_motor(6, 30, 1);
    scene.start();
    double worst = 0;
    for (int n = 0; n < static_cast<int>(std::lround(0.2 / h)); ++n) {
      scene.advance();
      worst = std::max(worst, newton_error(r, scene));
      EXPECT_LT(norm(scene.read3(0)), 1e-9);
      EXPECT_LT(norm(scene.read3(0, 3)), 1e-9);
    }
    return worst;
  };
  expect_first_order(error, 2e-3);
}

// The mean force over a step that changes the momentum of what a joint carries as the scene's
// states say differs from the reading by what the step itself is off: first order.
TEST(RobotSensors, ForceAgreesWithTheMomentumOfTheScenesStatesToFirstOrder) {
  const PointRobot r(JointKind::kFixed);
  double last = 0;
  for (const double h : {2e-3, 1e-3, 0.5e-3}) {
    SensorScene scene(r.robot, force_sensors(), {}, {1.5, -4, 0.3});
    scene.h = h;
    scene.start();
    TreeData<double> d(*scene.tree);
    const auto momentum = [&] {
      Vec3d p = Vec3d::zero();
      forward_kinematics(*scene.tree, scene.state.q.data(), d);
      update_velocities(*scene.tree, scene.state.z.data(), d);
      for (const char* l : kCarried[4].second) {
        const RobotLink& link = r.robot.links[static_cast<std::size_t>(r.link(l))];
        const Vec3d x = link_frame(*scene.tree, d, r.link(l)) * link.centre;
        p += link.mass *
             point_velocity(d, scene.tree->links[static_cast<std::size_t>(r.link(l))].body, x);
      }
      return p;
    };
    double mass = 0;
    for (const char* l : kCarried[4].second)
      mass += r.robot.links[static_cast<std::size_t>(r.link(l))].mass;
    double worst = 0;
    for (int n = 0; n < static_cast<int>(std::lround(0.2 / h)); ++n) {
      const Vec3d before = momentum();
      scene.advance();
      const Frame<double> at =
          link_frame(*scene.tree, scene.sensors.loads().data(), r.link("hand"));
      const Vec3d f = (1 / h) * (momentum() - before) + Vec3d{{0, 0, mass * kG}};
      worst = std::max(worst, norm(f - at.r * scene.read3(4)) / (mass * kG));
    }
    std::printf("FIGURE sensors.force_against_momentum.h%g = %.2e\n", h * 1e3, worst);
    if (last > 0) {
      EXPECT_NEAR(last / worst, 2, 0.1);
    }
    last = worst;
  }
}

TEST(RobotSensors, TheJointPassesOnWhatMotorAndFrictionGiveLessWhatTheRotorTakes) {
  const PointRobot r(JointKind::kFixed);
  std::vector<Sensor> list = {
      sensor(SensorKind::kJointTorque, ""),   sensor(SensorKind::kMotorEffort, "to_upper"),
      sensor(SensorKind::kMotorCurrent, ""),  sensor(SensorKind::kForceTorque, "to_lower"),
      sensor(SensorKind::kJointPosition, ""), sensor(SensorKind::kJointVelocity, "to_finger")};
  list[2].torque_constant = 0.08;
  SensorScene scene(r.robot, list, {}, {1.5, -4, 0.3});
  for (int k = 0; k < 3; ++k) scene.add_motor(k, 50, 3);
  const auto* friction = scene.add_term(std::make_unique<JointFriction>(scene.body, 1, 0.7));
  scene.start();
  for (int n = 0; n < 200; ++n) {
    scene.advance();
    const std::vector<double> load = scene.read(0), current = scene.read(2);
    ASSERT_EQ(load.size(), 3u);
    const double rotor = 0.05 * scene.sensors.loads().acceleration()[0];
    ASSERT_NEAR(load[0], scene.efforts[0] - rotor, 1e-7);
    ASSERT_NEAR(load[1], scene.efforts[1] + friction->effort(), 1e-7);
    ASSERT_NEAR(load[2], scene.efforts[2], 1e-7);
    ASSERT_EQ(scene.read(1)[0], scene.efforts[0]);
    for (std::size_t k = 0; k < 3; ++k) ASSERT_EQ(current[k], scene.efforts[k] / 0.08);
    // The axis is the same in the joint's frame and in the child's.
    ASSERT_NEAR(dot(scene.read3(3, 3), r.robot.joints[3].axis), load[1], 1e-9);
  }
  EXPECT_EQ(scene.read(4), scene.state.q);
  EXPECT_EQ(scene.read(5)[0], scene.state.z[2]);
  EXPECT_EQ(scene.sensors.channels(0),
            (std::vector<std::string>{"to_upper", "to_lower", "to_finger"}));
  EXPECT_EQ(scene.sensors.units(0), (std::vector<std::string>{"N m", "N m", "N"}));
  EXPECT_EQ(scene.sensors.units(5), (std::vector<std::string>{"m/s"}));
}

// Coordinates and velocities of a given motion of the arm, and sensors on its hand.
struct GivenMotion {
  GivenMotion() : r(JointKind::kFixed), tree(std::make_shared<Tree>(compile_tree(r.robot))) {
    frame = {{{0.05, -0.1, 0.2}}, normalized(Quat{0.4, -0.3, 0.8, 0.1})};
    std::vector<Sensor> list = {sensor(SensorKind::kImu, "hand", frame),
                                sensor(SensorKind::kFramePose, "hand", frame),
                                sensor(SensorKind::kFrameVelocity, "hand", frame),
                                sensor(SensorKind::kFrameAcceleration, "hand", frame)};
    for (int k = 1; k < 4; ++k) {
      Sensor s = list[static_cast<std::size_t>(k)];
      s.name += "_upper";
      s.reference = "upper";
      list.push_back(s);
    }
    sensors = std::make_unique<RobotSensors>(r.robot, tree, list);
  }
  std::vector<double> q(double t) const {
    return {std::sin(3 * t), 0.5 + 0.8 * std::cos(2 * t), 0.2 * std::sin(5 * t)};
  }
  std::vector<double> v(double t) const {
    return {3 * std::cos(3 * t), -1.6 * std::sin(2 * t), std::cos(5 * t)};
  }
  void step(double from, double h) {
    at = {q(from), v(from), q(from + h), v(from + h)};
    RobotStep s;
    s.tree = {at[0].data(), at[1].data(), at[2].data(), at[3].data(), h, {{0, 0, -kG}}, {}};
    sensors->update(s);
  }
  std::vector<double> read(int i) const {
    std::vector<double> out(static_cast<std::size_t>(sensors->width(i)));
    sensors->measure(i, out.data());
    return out;
  }
  // Frame of the sensor at time t, against the world or the upper link.
  Frame<double> pose(double t, bool against) const {
    TreeData<double> d(*tree);
    const std::vector<double> now = q(t);
    forward_kinematics(*tree, now.data(), d);
    const Frame<double> link = link_frame(*tree, d, r.link("hand"));
    const Frame<double> f{link.r * to_matrix(frame.q), link * frame.p};
    if (!against) return f;
    const Frame<double> a = link_frame(*tree, d, r.link("upper"));
    return {transpose(a.r) * f.r, transpose(a.r) * (f.p - a.p)};
  }
  // Differences of poses over 2 e: velocity, angular velocity, acceleration, angular acceleration.
  struct Rates {
    Vec3d velocity, spin, acceleration, spin_rate;
  };
  Rates rates(double t, bool against) const {
    const double e = 1e-4;
    const Frame<double> a = pose(t - e, against), b = pose(t, against), c = pose(t + e, against);
    const auto turn = [](const Mat3d& from, const Mat3d& to) {
      const Quat x = quaternion(to * transpose(from));
      return rotation_log(Quaternion<double>{{x.w, x.x, x.y, x.z}});
    };
    const Vec3d first = turn(a.r, b.r), second = turn(b.r, c.r);
    return {(0.5 / e) * (c.p - a.p), (0.5 / e) * (first + second),
            (1 / (e * e)) * (a.p - 2.0 * b.p + c.p), (1 / (e * e)) * (second - first)};
  }

  PointRobot r;
  std::shared_ptr<const Tree> tree;
  Pose frame;
  std::unique_ptr<RobotSensors> sensors;
  std::array<std::vector<double>, 4> at;
};

Vec3d three(const std::vector<double>& x, std::size_t first) {
  return {{x[first], x[first + 1], x[first + 2]}};
}

TEST(RobotSensors, AnImuFeelsTheDifferentiatedMotionInTheMiddleOfTheStepToSecondOrder) {
  GivenMotion m;
  double last = 0;
  for (const double h : {8e-3, 4e-3, 2e-3, 1e-3}) {
    double worst = 0, worst_spin = 0;
    for (double t = 0.1; t < 2; t += 0.23) {
      m.step(t, h);
      const std::vector<double> x = m.read(0);
      const auto middle = m.rates(t + 0.5 * h, false), end = m.rates(t + h, false);
      const Mat3d r = transpose(m.pose(t + 0.5 * h, false).r);
      const Mat3d r_end = transpose(m.pose(t + h, false).r);
      const Vec3d felt = r * (middle.acceleration + Vec3d{{0, 0, kG}});
      worst = std::max(worst, norm(three(x, 0) - felt));
      worst_spin = std::max(worst_spin, norm(three(x, 3) - r_end * end.spin));
    }
    std::printf("FIGURE sensors.imu.h%g = %.2e m/s2\n", h * 1e3, worst);
    EXPECT_LT(worst_spin, 1e-6);
    if (last > 0) {
      EXPECT_NEAR(last / worst, 4, 0.2) << h;
    }
    last = worst;
  }
}

TEST(RobotSensors, FramesMoveAsTheirDifferentiatedPosesAgainstTheWorldAndAgainstOtherLinks) {
  GivenMotion m;
  for (const bool against : {false, true}) {
    double last = 0;
    const int first = against ? 4 : 1;
    for (const double h : {4e-3, 2e-3, 1e-3}) {
      double worst = 0;
      for (double t = 0.1; t < 2; t += 0.23) {
        m.step(t, h);
        const Frame<double> pose = m.pose(t + h, against);
        const std::vector<double> p = m.read(first), v = m.read(first + 1), a = m.read(first + 2);
        const Mat3d turned = to_matrix({p[3], p[4], p[5], p[6]});
        EXPECT_LT(norm(three(p, 0) - pose.p), 1e-14);
        EXPECT_GE(p[3], 0);
        for (int k = 0; k < 9; ++k) EXPECT_NEAR(turned.a[k], pose.r.a[k], 1e-13);
        const auto end = m.rates(t + h, against), middle = m.rates(t + 0.5 * h, against);
        EXPECT_LT(norm(three(v, 0) - end.velocity), 1e-6);
        EXPECT_LT(norm(three(v, 3) - end.spin), 1e-6);
        worst = std::max(worst, norm(three(a, 0) - middle.acceleration));
        worst = std::max(worst, norm(three(a, 3) - middle.spin_rate));
      }
      if (last > 0) {
        EXPECT_NEAR(last / worst, 4, 0.2) << h;
      }
      last = worst;
    }
  }
}

TEST(RobotSensors, AnImuReadsNothingInFreeFallAndCentripetalForceOffTheCentre) {
  test::Random random(3);
  Robot robot;
  Body body;
  test::add_link(robot, -1, JointKind::kFree, link_of_points(random, "stone", body));
  const Vec3d centre = robot.links[0].centre, arm{{0.1, 0, 0}};
  const Pose at_centre{centre, normalized(Quat{1, 2, 3, 4})};
  Sensor off = sensor(SensorKind::kImu, "stone", {centre + arm, {}});
  off.name = "off";
  SensorScene scene(robot, {sensor(SensorKind::kImu, "stone", at_centre), off}, {},
                    {1, 2, 3, 4, -3, 5});
  scene.start();
  // Before the first step nothing accelerates it but gravity.
  RobotStep s;
  s.tree = {scene.state.q.data(),
            scene.state.z.data(),
            scene.state.q.data(),
            scene.state.z.data(),
            0,
            scene.gravity,
            {}};
  scene.sensors.update(s);
  EXPECT_LT(norm(scene.read3(0)), 1e-12);
  for (int n = 0; n < 500; ++n) {
    scene.advance();
    ASSERT_LT(norm(scene.read3(0)), 1e-9);
    const Vec3d w = scene.read3(1, 3), f = scene.read3(1);
    if (n == 0) continue;
    // Euler's equations have no simple form here; the part along the arm has: -(w_y^2 + w_z^2) r.
    ASSERT_NEAR(f[0], -(w[1] * w[1] + w[2] * w[2]) * 0.1, 0.1);
  }
  EXPECT_EQ(scene.status, 0u);
}

// A box of 2 kg just above the ground.
struct BoxOnGround {
  explicit BoxOnGround(const Quat& turn) {
    RobotLink link = test::make_link(2, {{0, 0, 0}}, Mat3d::identity() * 0.01);
    link.name = "box";
    RobotShape s;
    s.shape.kind = ShapeKind::kBox;
    s.shape.size = {{0.1, 0.15, 0.05}};
    link.collisions.push_back(s);
    RobotJoint& j = test::add_link(robot, -1, JointKind::kFree, link);
    j.position = {0, 0, 0.0501, turn.w, turn.x, turn.y, turn.z};
    j.name = "base";
  }
  Robot robot;
};

TEST(RobotSensors, AtRestAnImuReadsGravityUpwardsAndContactsCarryTheWeight) {
  const Quat turn = rotation_by({{0, 0, 0.7}});
  BoxOnGround box(turn);
  const Pose mounted{{{0.03, 0.02, 0.01}}, rotation_by({{0.4, 0, 0}})};  // rolled
  Sensor total = sensor(SensorKind::kContact, "box"), pair = total, none = total, side = total;
  pair.name = "pair", pair.reference = "ground";
  none.name = "none", none.reference = "nothing";
  side.name = "side", side.frame.p = {{0.5, 0, 0}};
  SensorScene scene(box.robot,
                    {sensor(SensorKind::kImu, "box", mounted),
                     sensor(SensorKind::kTilt, "box", mounted), total, pair, none, side});
  scene.add_ground(box.robot);
  scene.start();
  for (int n = 0; n < 2000; ++n) scene.step();
  scene.advance();
  ASSERT_EQ(scene.status, 0u);
  const Vec3d felt = scene.read3(0), up = to_matrix(rotation_by({{-0.4, 0, 0}})) * Vec3d{{0, 0, 1}};
  EXPECT_LT(norm(felt - kG * up), 1e-6 * kG);
  EXPECT_LT(norm(scene.read3(0, 3)), 1e-7);
  EXPECT_NEAR(scene.read(1)[0], 0.4, 1e-7);
  EXPECT_NEAR(scene.read(1)[1], 0, 1e-7);
  const double weight = 2 * kG;
  for (const int i : {2, 3}) {
    EXPECT_LT(norm(scene.read3(i) - Vec3d{{0, 0, weight}}), 1e-6 * weight);
    EXPECT_LT(norm(scene.read3(i, 3)), 1e-6 * weight);
    EXPECT_NEAR(scene.read(i)[6], weight, 1e-6 * weight);
    EXPECT_NEAR(scene.read(i)[8], static_cast<double>(scene.contact->contacts().size()), 0);
  }
  EXPECT_EQ(scene.read(4), std::vector<double>(9, 0.0));
  // About a point 0.5 m along the box's x axis: (-r) x F.
  const Vec3d arm = to_matrix(turn) * Vec3d{{0.5, 0, 0}};
  EXPECT_LT(norm(scene.read3(5, 3) - cross(-arm, Vec3d{{0, 0, weight}})), 1e-6 * weight);

  std::vector<ContactPoint> list;
  contacts_between(scene.contact->contacts(), 0, 1000, list);
  EXPECT_EQ(list.size(), scene.contact->contacts().size());
  Vec3d sum = Vec3d::zero();
  for (const ContactPoint& c : list) {
    EXPECT_EQ(c.body_a, 0);
    EXPECT_GT(c.n[2], 0.999);
    sum += c.force;
  }
  EXPECT_NEAR(sum[2], weight, 1e-6 * weight);
  contacts_between(scene.contact->contacts(), 1000, -1, list);
  ASSERT_FALSE(list.empty());
  EXPECT_LT(list[0].n[2], -0.999);
  EXPECT_LT(list[0].force[2], 0);
  EXPECT_GT(list[0].normal_force, 0);
}

TEST(RobotSensors, TiltIsRollAndPitchOfTheSensorWhateverItsHeading) {
  Robot robot;
  RobotLink link = test::make_link(1, {{0, 0, 0}}, Mat3d::identity() * 0.01);
  link.name = "box";
  test::add_link(robot, -1, JointKind::kFree, link);
  const auto tree = std::make_shared<Tree>(compile_tree(robot));
  RobotSensors sensors(robot, tree, {sensor(SensorKind::kTilt, "box")});
  for (const double roll : {-3.0, -1.6, -0.2, 0.0, 0.9, 2.5})
    for (const double pitch : {-1.5, -0.3, 0.0, 1.2})
      for (const double yaw : {0.0, 1.0, -2.5}) {
        const Quat q =
            rotation_by({{0, 0, yaw}}) * rotation_by({{0, pitch, 0}}) * rotation_by({{roll, 0, 0}});
        const std::vector<double> at = {0, 0, 0, q.w, q.x, q.y, q.z}, v(6, 0.0);
        RobotStep s;
        s.tree = {at.data(), v.data(), at.data(), v.data(), 0, {{0, 0, -kG}}, {}};
        sensors.update(s);
        double out[2];
        sensors.measure(0, out);
        EXPECT_NEAR(out[0], roll, 1e-12);
        EXPECT_NEAR(out[1], pitch, 1e-12);
      }
}

TEST(RobotSensors, FeetOfAQuadrupedFeelItsWeightAndItsLegsWhatTheyCarry) {
  HAPTOS_OUTSIDE_FILE(path, "robots/go2_description/urdf/go2.urdf");
  UrdfOptions options;
  options.base = RobotBase::kFloating;
  options.base_pose.p = {{0, 0, 0.36}};
  options.read_visuals = false;
  Robot robot = read_urdf(path, options);
  double mass = 0;
  for (const RobotLink& l : robot.links) mass += l.mass;
  std::vector<Sensor> list;
  for (RobotJoint& j : robot.joints) {
    if (j.name.find("thigh") != std::string::npos && j.kind == JointKind::kRevolute)
      j.position = {0.8};
    if (j.name.find("calf") != std::string::npos && j.kind == JointKind::kRevolute)
      j.position = {-1.5};
    if (j.kind == JointKind::kRevolute) robot.motors.push_back({.name = "", .joint = j.name});
  }
  for (const RobotLink& l : robot.links)
    if (!l.collisions.empty()) list.push_back(sensor(SensorKind::kContact, l.name));
  const int touching = static_cast<int>(list.size());
  for (const RobotJoint& j : robot.joints)
    if (j.name.ends_with("foot_joint")) {
      list.push_back(sensor(SensorKind::kForceTorque, j.name));
      list.push_back(
          sensor(SensorKind::kContact, robot.links[static_cast<std::size_t>(j.child)].name));
      list.back().name += "_of_foot";
    }
  const int last = static_cast<int>(list.size());
  list.push_back(sensor(SensorKind::kJointTorque, ""));
  list.push_back(sensor(SensorKind::kMotorEffort, ""));
  ASSERT_EQ(last - touching, 8);
  SensorScene scene(robot, list);
  scene.h = 2e-3;
  scene.newton.force_tolerance = 1e-9;
  scene.add_ground(robot);
  for (int k = 0; k < scene.body->v_count(); ++k)
    if (scene.body->coordinate_of(k) >= 0) scene.add_motor(k, 200, 5);
  scene.start();
  // While it lands, joints pass on what motors give.
  for (int n = 0; n < 2000; ++n) {
    scene.advance();
    if (n % 50 != 0) continue;
    const std::vector<double> load = scene.read(last), effort = scene.read(last + 1);
    for (std::size_t k = 0; k < load.size(); ++k) ASSERT_NEAR(load[k], effort[k], 1e-5) << n;
  }
  EXPECT_EQ(scene.status, 0u);
  const double weight = mass * kG;
  Vec3d force = Vec3d::zero();
  for (int i = 0; i < touching; ++i) force += scene.read3(i);
  EXPECT_LT(norm(force - Vec3d{{0, 0, weight}}), 1e-6 * weight);
  for (int i = touching; i < last; i += 2) {
    // The leg carries less than the ground gives to the foot: by the foot's own weight.
    const int foot =
        robot
            .joints[static_cast<std::size_t>(std::find_if(robot.joints.begin(), robot.joints.end(),
                                                          [&](const RobotJoint& j) {
                                                            return j.name ==
                                                                   scene.sensors.sensor(i).target;
                                                          }) -
                                             robot.joints.begin())]
            .child;
    const Mat3d r = link_frame(*scene.tree, scene.sensors.loads().data(), foot).r;
    const Vec3d own{{0, 0, robot.links[static_cast<std::size_t>(foot)].mass * kG}};
    EXPECT_LT(norm(r * scene.read3(i) + scene.read3(i + 1) - own), 1e-6 * weight);
    EXPECT_GT(scene.read(i + 1)[6], 0.1 * weight);
  }
}

TEST(RobotSensors, NamesThatTheRobotDoesNotHaveAreRefused) {
  const PointRobot r(JointKind::kFree);
  const auto tree = std::make_shared<Tree>(compile_tree(r.robot));
  const auto bad = [&](const Sensor& s, int number = 0) -> std::string {
    try {
      RobotSensors(r.robot, tree, {s}, number);
    } catch (const InputError& e) {
      return e.what();
    }
    return "was not refused";
  };
  EXPECT_EQ(bad(sensor(SensorKind::kImu, "hnd")),
            "arm.sensors[0] 'imu_hnd'.target = hnd: must be the name of a link of the robot; did "
            "you mean hand?");
  EXPECT_NE(bad(sensor(SensorKind::kJointPosition, "to_base")).find("one coordinate"),
            std::string::npos);
  EXPECT_NE(bad(sensor(SensorKind::kJointTorque, "to_hand")).find("one coordinate"),
            std::string::npos);
  EXPECT_NE(bad(sensor(SensorKind::kMotorEffort, "to_hand")).find("name of a motor"),
            std::string::npos);
  EXPECT_NE(bad(sensor(SensorKind::kForceTorque, "wrist")).find("name of a joint"),
            std::string::npos);
  EXPECT_NE(bad(sensor(SensorKind::kContact, "hand"), -1).find("contact"), std::string::npos);
  Sensor s = sensor(SensorKind::kContact, "hand");
  s.reference = "moon";
  EXPECT_NE(bad(s).find("moon"), std::string::npos);
  s = sensor(SensorKind::kImu, "hand");
  s.name = "";
  EXPECT_NE(bad(s).find("must have 1 to 100"), std::string::npos);
  EXPECT_THROW(RobotSensors(r.robot, tree,
                            {sensor(SensorKind::kImu, "hand"), sensor(SensorKind::kImu, "hand")}),
               InputError);
}

}  // namespace
}  // namespace haptos
