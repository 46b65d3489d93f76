// Rigid body: the free rotation's equation, its order, mass properties, points of the body.
#include "haptos/bodies/stiff/rigid_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "haptos/base/text/error.h"

namespace haptos {
namespace {

Mat3d diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

RigidBodySpec spec(const Mat3d& inertia) {
  RigidBodySpec s;
  s.mass = 0.7;
  s.inertia = inertia;
  return s;
}

// One body stepped by itself, without terms: z = z_free.
struct Alone {
  RigidBody body;
  State state;
  std::vector<double> mass, z_free, length;
  explicit Alone(const RigidBodySpec& s) : body({0, 0, 0, 0, 0, 0}, s) {
    state.q.resize(7);
    state.z.resize(6);
    mass.resize(36);
    z_free.resize(6);
    length.resize(6);
    body.initialize(state);
  }
  void step(double h, const Vec3d& gravity = {{0, 0, 0}}) {
    Points points;
    BodyStep s;
    s.h = s.b = h;
    s.gravity = gravity;
    s.points = &points;
    s.mass = &mass;
    s.z_free = &z_free;
    s.length = &length;
    body.begin_step(state, s);
    body.advance(z_free, s, state);
  }
};

std::string message(const RigidBodySpec& s) {
  try {
    RigidBody({}, s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(RigidBody, FreeRotationSolvesTheMidpointEquationToRoundOff) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> u(-1, 1);
  const Mat3d inertia{{2e-4, 3e-5, -2e-5, 3e-5, 3e-4, 1e-5, -2e-5, 1e-5, 4e-4}};
  double worst = 0;
  int most = 0;
  for (int k = 0; k < 1000; ++k) {
    const Quat q = normalized(Quat{u(rng), u(rng), u(rng), u(rng)});
    const Vec3d l = 4e-2 * Vec3d{{u(rng), u(rng), u(rng)}};  // |omega| to 200 rad/s
    const double h = 5e-3;
    const FreeRotation f = free_rotation(q, inertia, inverse(inertia), l, h);
    const Mat3d r = to_matrix(rotation_by((0.5 * h) * f.omega) * q);
    const Vec3d again = r * (inverse(inertia) * (transpose(r) * l));
    EXPECT_LT(norm(again - f.omega), 1e-14 * norm(f.omega));
    EXPECT_LT(norm(f.inertia_half * f.omega - l), 2e-14 * norm(l));
    worst = std::max(worst, f.residual);
    most = std::max(most, f.iterations);
  }
  EXPECT_LT(worst, 1e-14);
  EXPECT_LE(most, 12);
  printf("residual %.1e, at most %d iterations\n", worst, most);
}

TEST(RigidBody, KeepsAngularMomentumToRoundOffInEveryStepWithoutTorque) {
  for (double speed : {0.1, 5.0, 300.0}) {
    RigidBodySpec s = spec(diagonal(1e-3, 2e-3, 2.5e-3));
    s.angular_velocity = speed * normalized(Vec3d{{0.3, 1, -0.5}});
    Alone a(s);
    double worst = 0;
    for (int k = 0; k < 500; ++k) {
      const Vec3d before = a.body.angular_momentum(a.state);
      a.step(5e-3);
      worst = std::max(worst, norm(a.body.angular_momentum(a.state) - before) / norm(before));
    }
    EXPECT_LT(worst, 1e-14) << speed;
  }
}

TEST(RigidBody, FreeRotationIsOfSecondOrder) {
  RigidBodySpec s = spec(diagonal(1e-3, 2e-3, 2.5e-3));
  s.angular_velocity = {{3, 4, 1}};
  auto end = [&](int steps) {
    Alone a(s);
    for (int k = 0; k < steps; ++k) a.step(1.0 / steps);
    return a.body.pose(a.state).q;
  };
  const Quat exact = end(12800);
  auto error = [&](int steps) {
    const Quat d = end(steps) * conjugate(exact);
    return std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
  };
  const double e1 = error(100), e2 = error(200), e3 = error(400);
  EXPECT_NEAR(std::log2(e1 / e2), 2, 0.05);
  EXPECT_NEAR(std::log2(e2 / e3), 2, 0.05);
}

TEST(RigidBody, AConstantTorqueAboutAPrincipalAxisGivesConstantAcceleration) {
  Alone a(spec(diagonal(1e-3, 2e-3, 2.5e-3)));
  a.body.torque = {{0, 0, 5e-3}};
  a.body.force = {{1.4, 0, 0}};
  for (int k = 0; k < 100; ++k) a.step(1e-2);
  EXPECT_NEAR(a.body.angular_velocity(a.state)[2], 2.0, 1e-12);
  EXPECT_NEAR(a.body.velocity(a.state)[0], 2.0, 1e-12);
}

TEST(RigidBody, FreeFallFollowsTheIntegratorsFormula) {
  RigidBodySpec s = spec(diagonal(1e-3, 2e-3, 2.5e-3));
  s.velocity = {{1, -2, 3}};
  Alone a(s);
  const double h = 1e-3, g = -9.81;
  double v = 3, x = 0;
  for (int k = 0; k < 1000; ++k) {
    a.step(h, {{0, 0, g}});
    v += h * g;
    x += h * v;
  }
  EXPECT_NEAR(a.body.velocity(a.state)[2], v, 1e-14);
  EXPECT_NEAR(a.body.pose(a.state).p[2], x, 1e-14);
  EXPECT_NEAR(a.body.pose(a.state).p[0], 1.0, 1e-13);
}

TEST(RigidBody, StepsStayFiniteAndKeepMomentumAtRatesFarBeyondTheTimeStep) {
  for (double speed : {1e3, 1e4, 1e6}) {
    RigidBodySpec s = spec(diagonal(1e-3, 2e-3, 2.9e-3));
    s.angular_velocity = speed * normalized(Vec3d{{0.3, 1, -0.5}});
    Alone a(s);
    const Vec3d start = a.body.angular_momentum(a.state);
    for (int k = 0; k < 100; ++k) a.step(1e-2);
    EXPECT_LT(norm(a.body.angular_momentum(a.state) - start), 1e-11 * norm(start)) << speed;
    EXPECT_TRUE(std::isfinite(a.body.kinetic_energy(a.state)));
  }
}

TEST(RigidBody, VelocityOfAPointIsItsJacobianTimesTheUnknowns) {
  RigidBodySpec s = spec(diagonal(1e-3, 2e-3, 2.5e-3));
  s.pose = {{{0.1, 0.2, 0.3}}, normalized(Quat{0.9, 0.1, -0.2, 0.3})};
  Alone a(s);
  a.step(0);
  const Vec3d local{{0.05, -0.02, 0.08}}, x = a.body.link_pose(0) * local;
  EXPECT_LT(norm(x - s.pose * local), 1e-15);
  double j[18];
  a.body.link_jacobian(0, x, j);
  const double e = 1e-6;
  for (int c = 0; c < 6; ++c) {
    auto moved = [&](double sign) {
      Pose p = s.pose;
      Vec3d turn{{0, 0, 0}};
      if (c < 3)
        p.p[c] += sign * e;
      else
        turn[c - 3] = sign * e;
      p.q = rotation_by(turn) * p.q;
      return p * local;
    };
    const Vec3d d = (0.5 / e) * (moved(1) - moved(-1));
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(j[6 * r + c], d[r], 1e-9);
  }
}

TEST(RigidBody, PrincipalMomentsAreTheEigenvalues) {
  const Mat3d r = to_matrix(normalized(Quat{0.4, -0.3, 0.8, 0.1}));
  const Vec3d m = principal_moments(r * diagonal(3, 1, 2) * transpose(r));
  EXPECT_NEAR(m[0], 1, 1e-14);
  EXPECT_NEAR(m[1], 2, 1e-14);
  EXPECT_NEAR(m[2], 3, 1e-14);
  EXPECT_NEAR(solid_sphere_inertia(2, 0.5)(1, 1), 0.2, 1e-16);
  EXPECT_NEAR(solid_box_inertia(12, {{1, 2, 3}})(0, 0), 13, 1e-14);
}

TEST(RigidBody, RefusesMassPropertiesThatNoBodyHas) {
  EXPECT_EQ(message(spec(diagonal(1, 2, 2.9))), "");
  EXPECT_EQ(message(spec(diagonal(1, 2, 3))), "");  // a lamina
  RigidBodySpec s = spec(diagonal(1, 1, 1));
  s.mass = -1;
  EXPECT_NE(message(s).find("rigid body.mass = -1: must be positive"), std::string::npos);
  EXPECT_NE(message(spec(diagonal(1, 3.5, 2)))
                .find("principal moments 1, 2, 3.5 kg m2: must obey "
                      "the triangle inequality"),
            std::string::npos);
  EXPECT_NE(message(spec(diagonal(-1, 1, 1))).find("must all be positive"), std::string::npos);
  EXPECT_NE(message(spec(Mat3d::zero())).find("must all be positive"), std::string::npos);
  EXPECT_NE(message(spec({{1, 0.5, 0, 0, 1, 0, 0, 0, 1}})).find("symmetric"), std::string::npos);
  EXPECT_NE(message(spec(diagonal(1, 1, NAN))).find("finite"), std::string::npos);
  s = spec(diagonal(1, 1, 1));
  s.pose.q = {1, 1, 0, 0};
  EXPECT_NE(message(s).find("quaternion"), std::string::npos);
  s = spec(diagonal(1, 1, 1));
  s.velocity[0] = INFINITY;
  EXPECT_NE(message(s).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace haptos
