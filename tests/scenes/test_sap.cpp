// Spheres on planes under the SAP cone, against closed forms of a single contact.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/bodies/tree/articulation.h"
#include "tests/robots.h"
#include "tests/sap_pairs.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kG = 9.81, kMass = 0.1, kRadius = 0.05;

test::SapOptions law(double stiffness, double tau, double mu) {
  test::SapOptions o;
  o.stiffness = stiffness;
  o.relaxation_time = tau;
  o.friction = mu;
  return o;
}

// One solid sphere over the plane through the origin with the given normal.
struct Ball {
  FrozenScene scene;
  RigidBody* body = nullptr;
  PointContact* term = nullptr;
  std::unique_ptr<Link> link;
  Vec3d n;
  test::SapOptions options;

  Ball(double height, const test::SapOptions& o, const Vec3d& velocity = {{0, 0, 0}},
       const Vec3d& normal = {{0, 0, 1}}, double h = 1e-3)
      : n(normal), options(o) {
    RigidBodySpec spec;
    spec.mass = kMass;
    spec.inertia = solid_sphere_inertia(kMass, kRadius);
    spec.pose.p = (kRadius + height) * n;
    spec.velocity = velocity;
    body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
    link = std::make_unique<LinkOf<RigidBody>>(body);
    test::SapPair pair;
    pair.link = link.get();
    pair.radius = kRadius;
    pair.normal = n;
    pair.plane_body = 1;
    pair.law = o;
    term = scene.add_term(test::point_contact(std::vector<test::SapPair>{pair}));
    scene.h = h;
    scene.start();
  }
  double gap() const { return dot(n, body->pose(scene.state).p) - kRadius; }
  Vec3d v() const { return body->velocity(scene.state); }
  Vec3d omega() const { return body->angular_velocity(scene.state); }
  ~Ball() {
    printf("  %.2f Newton iterations a step, at most %d\n",
           static_cast<double>(scene.iterations) / static_cast<double>(scene.state.step),
           scene.most_iterations);
  }
  void run(int steps) {
    for (int k = 0; k < steps; ++k) scene.step();
    EXPECT_EQ(scene.status, 0u) << "a step did not converge";
  }
};

// Regularisation of a contact whose Delassus matrix is diag(a, a, b), at an arm of `arm` m.
struct Regularisation {
  double w_t, w_n, r_t, r_n;
};
Regularisation regularisation(const test::SapOptions& o, double h, double arm) {
  Regularisation r{1 / kMass + arm * arm / (0.4 * kMass * kRadius * kRadius), 1 / kMass, 0, 0};
  const double w = std::sqrt(2 * r.w_t * r.w_t + r.w_n * r.w_n) / 3, beta = o.near_rigid;
  r.r_n = std::max(w * beta * beta / (4 * M_PI * M_PI),
                   1 / (h * o.stiffness * (h + o.relaxation_time)));
  r.r_t = 1e-3 * w;
  return r;
}

TEST(SapScene, ASphereAtRestReadsItsWeightAtTheDepthOfItsSpring) {
  // Soft enough for the spring itself, and near-rigid, where the bound takes its place.
  for (double k : {1e3, 1e5, 1e9}) {
    Ball ball(0, law(k, 0.02, 0.5));
    ball.run(3000);
    ASSERT_EQ(ball.term->contacts().size(), 1u);
    const ContactPoint& c = ball.term->contacts()[0];
    const double weight = kMass * kG;
    EXPECT_NEAR(c.normal_force, weight, 1e-6 * weight);
    EXPECT_LT(norm(c.tangential_force), 1e-9);
    EXPECT_TRUE(c.sticking);
    EXPECT_EQ(c.body_a, 0);
    EXPECT_EQ(c.body_b, 1);
    EXPECT_EQ(c.n[2], 1);
    // h R_n F (h + tau), which is F / k where the bound does not act.
    const Regularisation r = regularisation(ball.options, 1e-3, kRadius + 0.5 * ball.gap());
    const double depth = 1e-3 * r.r_n * weight * (1e-3 + 0.02);
    EXPECT_NEAR(-ball.gap(), depth, 1e-6 * depth);
    EXPECT_NEAR(-c.gap, depth, 1e-6 * depth);
    if (k < 1e5) {
      EXPECT_NEAR(depth, weight / k, 1e-12);
    }
    printf("k %.0e N/m: force off by %.1e, depth %.4e m (F/k %.4e m)\n", k,
           c.normal_force / weight - 1, -ball.gap(), weight / k);
  }
}

TEST(SapScene, OneStepOfStickSlipAndFlightHasItsClosedForm) {
  // W is diagonal for a sphere, so each region is one linear equation.
  const double h = 1e-3, gap = -1e-5;
  const test::SapOptions o = law(1e4, 0.01, 0.3);
  const Regularisation r = regularisation(o, h, kRadius + 0.5 * gap);
  const double v_hat = -gap / (h + o.relaxation_time);
  struct Case {
    Vec3d v;
    int region;
  };
  for (const Case& c :
       {Case{{{1e-4, 0, -0.02}}, 0}, Case{{{0.5, -0.3, -0.1}}, 1}, Case{{{0.001, 0, 0.5}}, 2}}) {
    Ball ball(gap, o, c.v);
    ball.run(1);
    const double vn = c.v[2] - h * kG, vt = std::hypot(c.v[0], c.v[1]);
    double gn = 0, gt = 0;
    if (c.region == 0) {
      gn = (v_hat - vn) / (r.r_n + r.w_n);
      gt = vt / (r.r_t + r.w_t);
    } else if (c.region == 1) {
      const double mu = o.friction;
      gn = (v_hat - vn + mu * vt) / (r.r_n + r.w_n + mu * mu * (r.r_t + r.w_t));
      gt = mu * gn;
    }
    const Vec3d d = (1 / vt) * Vec3d{{c.v[0], c.v[1], 0}};
    const Vec3d expected = c.v + Vec3d{{0, 0, gn / kMass - h * kG}} - (gt / kMass) * d;
    EXPECT_LT(norm(ball.v() - expected), 1e-12) << c.region;
    // Spin from the tangential impulse at the arm.
    const double spin = gt * (kRadius + 0.5 * gap) / (0.4 * kMass * kRadius * kRadius);
    EXPECT_NEAR(norm(ball.omega()), spin, 1e-10 * std::max(spin, 1.0));
    ASSERT_EQ(ball.term->contacts().size(), c.region == 2 ? 0u : 1u);
    if (c.region < 2) {
      EXPECT_EQ(ball.term->contacts()[0].sticking, c.region == 0);
      EXPECT_NEAR(ball.term->contacts()[0].normal_force, gn / h, 1e-10 * gn / h);
    }
  }
}

TEST(SapScene, APushedSphereRollsBelowTheLimitAndSlipsAboveIt) {
  // Rolling: a = 5/7 F/m with friction 2/7 F, possible while 2/7 F <= mu m g.
  const double mu = 0.3, limit = 3.5 * mu * kMass * kG;
  for (double share : {0.5, 0.95, 1.05, 2.0}) {
    Ball ball(0, law(1e6, 0.01, mu));
    ball.run(500);  // settle
    const double force = share * limit;
    ball.body->force = {{force, 0, 0}};
    ball.run(500);  // past the transient of the onset
    const double v0 = ball.v()[0], w0 = ball.omega()[1];
    ball.run(500);
    const double a = (ball.v()[0] - v0) / 0.5, alpha = (ball.omega()[1] - w0) / 0.5;
    const ContactPoint& c = ball.term->contacts().at(0);
    const bool rolls = share < 1;
    const double friction = rolls ? force * 2 / 7 : mu * kMass * kG;
    EXPECT_NEAR(a, (force - friction) / kMass, 1e-4 * force / kMass);
    EXPECT_NEAR(alpha, friction * kRadius / (0.4 * kMass * kRadius * kRadius), 1e-4 * alpha);
    EXPECT_NEAR(-c.tangential_force[0], friction, 1e-4 * friction);
    EXPECT_EQ(c.sticking, rolls);
    EXPECT_NEAR(c.normal_force, kMass * kG, 1e-4 * kMass * kG);
    printf("F = %.2f of the limit: a %.6f, closed form %.6f m/s2, slip %.3e m/s\n", share, a,
           (force - friction) / kMass, norm(c.slip));
  }
}

TEST(SapScene, ASphereOnAnInclineRollsAsFastAsItsFallAllows) {
  const double angle = 15 * M_PI / 180;
  const Vec3d n{{std::sin(angle), 0, std::cos(angle)}},
      down{{std::cos(angle), 0, -std::sin(angle)}};
  for (double mu : {0.1, 0.5, 1.0}) {
    Ball ball(0, law(1e7, 0.01, mu), {{0, 0, 0}}, n);
    const double z0 = ball.body->pose(ball.scene.state).p[2];
    double unbalanced = 0;
    for (int k = 0; k < 1000; ++k) {
      const Vec3d before = ball.v();
      ball.run(1);
      Vec3d force = kMass * ball.scene.gravity;
      for (const ContactPoint& c : ball.term->contacts()) force += c.force;
      unbalanced = std::max(unbalanced, norm(force - (kMass / 1e-3) * (ball.v() - before)));
    }
    EXPECT_LT(unbalanced, 1e-9);  // N, of a weight of 1 N
    const double v = dot(ball.v(), down);
    const double fall = z0 - ball.body->pose(ball.scene.state).p[2];
    const double from_fall = std::sqrt(2 * kG * fall / 1.4), a = kG * std::sin(angle) / 1.4;
    EXPECT_NEAR(v, from_fall, 1e-3 * from_fall);
    EXPECT_NEAR(v, a, 1e-4 * a);  // after 1 s
    EXPECT_NEAR(ball.omega()[1] * kRadius, v, 1e-4 * v);
    const ContactPoint& c = ball.term->contacts().at(0);
    const double friction = kMass * kG * std::sin(angle) * (1 - 1 / 1.4);
    EXPECT_NEAR(norm(c.tangential_force), friction, 1e-3 * friction);
    printf("mu %.1f: v %.6f m/s; from the fall %.1e, from 5/7 g sin t %.1e; friction off by %.1e\n",
           mu, v, v / from_fall - 1, v / a - 1, norm(c.tangential_force) / friction - 1);
  }
}

TEST(SapScene, ASlidingSphereEndsRollingAtFiveSeventhsOfItsSpeed) {
  const double mu = 0.2, v0 = 1;
  for (double h : {1e-3, 2.5e-4}) {
    Ball ball(0, law(1e6, 0.01, mu), {{v0, 0, 0}}, {{0, 0, 1}}, h);
    double rolling_since = -1;
    for (int k = 0; k < std::lround(1 / h); ++k) {
      ball.scene.step();
      const double slip = ball.v()[0] - kRadius * ball.omega()[1];
      if (slip > 1e-3 * v0)
        rolling_since = -1;
      else if (rolling_since < 0)
        rolling_since = ball.scene.state.time;
    }
    EXPECT_EQ(ball.scene.status, 0u);
    EXPECT_NEAR(ball.v()[0], 5.0 / 7 * v0, 1e-3 * v0);
    // Friction acts midway between the overlapping surfaces: the arm is shorter by half the depth.
    EXPECT_NEAR(ball.omega()[1] * (kRadius + 0.5 * ball.gap()), ball.v()[0], 1e-6);
    EXPECT_NEAR(rolling_since, 2 * v0 / (7 * mu * kG), h);
    const double exact = 2 * v0 / (7 * mu * kG);
    printf("h %g s: v %.7f m/s (5/7 v0 %.7f), rolls from %.4f s, closed form %.4f s\n", h,
           ball.v()[0], 5.0 / 7 * v0, rolling_since, exact);
  }
}

TEST(SapScene, WithoutFrictionASphereSlidesAndDoesNotSpin) {
  const double angle = 15 * M_PI / 180;
  const Vec3d n{{std::sin(angle), 0, std::cos(angle)}},
      down{{std::cos(angle), 0, -std::sin(angle)}};
  Ball ball(0, law(1e7, 0.01, 0), {{0, 0, 0}}, n);
  ball.run(1000);
  EXPECT_NEAR(dot(ball.v(), down), kG * std::sin(angle), 1e-10);
  EXPECT_LT(norm(ball.omega()), 1e-12);
}

TEST(SapScene, ADroppedSphereDoesNotRebound) {
  for (double tau : {0.0, 0.01, 0.1}) {
    Ball ball(0.2, law(1e7, tau, 0.5));
    double deepest = 0, rebound = 0, fastest = 0;
    bool touched = false;
    for (int k = 0; k < 2000; ++k) {
      ball.scene.step();
      touched = touched || !ball.term->contacts().empty();
      deepest = std::min(deepest, ball.gap());
      if (touched) {
        rebound = std::max(rebound, ball.gap());
        fastest = std::max(fastest, ball.v()[2]);
      }
    }
    EXPECT_EQ(ball.scene.status, 0u);
    EXPECT_TRUE(touched);
    const double impact = std::sqrt(2 * kG * 0.2);
    if (tau > 0) {
      EXPECT_LE(rebound, 0);
      EXPECT_LT(fastest, 0.05 * impact);
    } else {
      EXPECT_LT(fastest, 0.05 * impact);
    }
    EXPECT_LT(norm(ball.v()), 1e-3);
    printf(
        "tau %g s: after the impact at %.2f m/s the sphere rises %.2e m, at most %.2e m/s; "
        "deepest %.2e m\n",
        tau, impact, rebound, fastest, -deepest);
  }
}

TEST(SapScene, AFastSphereDoesNotPassThroughThePlane) {
  for (double speed : {10.0, 100.0}) {
    Ball ball(0.3, law(1e7, 0.01, 0.5), {{0, 0, -speed}});
    double deepest = 0;
    for (int k = 0; k < 300; ++k) {
      ball.scene.step();
      deepest = std::min(deepest, ball.gap());
    }
    EXPECT_EQ(ball.scene.status, 0u);
    EXPECT_GT(deepest, -kRadius);
    printf("%g m/s: deepest %.2e m\n", speed, -deepest);
  }
}

// A body on three spheres that cannot roll, on an incline: what remains is the creep of stick.
TEST(SapScene, StickCreepsAtTheRateOfItsRegularisation) {
  const double angle = 15 * M_PI / 180;
  const Vec3d n{{std::sin(angle), 0, std::cos(angle)}},
      down{{std::cos(angle), 0, -std::sin(angle)}};
  for (double h : {1e-3, 5e-3}) {
    FrozenScene scene;
    scene.h = h;
    RigidBodySpec spec;
    spec.mass = kMass;
    spec.inertia = solid_box_inertia(kMass, {{0.06, 0.06, 0.02}});
    spec.pose = {0.02 * n, rotation_by({{0, angle, 0}})};
    const RigidBody* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
    const LinkOf<RigidBody> link(body);
    std::vector<test::SapPair> pairs;
    for (int i = 0; i < 3; ++i) {
      test::SapPair p;
      p.link = &link;
      p.centre = {{0.03 * std::cos(i * M_PI / 1.5), 0.03 * std::sin(i * M_PI / 1.5), -0.01}};
      p.radius = 0.01;
      p.normal = n;
      p.law = law(1e6, 0.01, 0.5);
      pairs.push_back(p);
    }
    PointContact* term = scene.add_term(test::point_contact(pairs));
    scene.start();
    for (int k = 0; k < std::lround(1 / h); ++k) scene.step();
    const Vec3d before = body->pose(scene.state).p;
    for (int k = 0; k < std::lround(1 / h); ++k) scene.step();
    EXPECT_EQ(scene.status, 0u);
    const double creep = dot(body->pose(scene.state).p - before, down);
    ASSERT_EQ(term->contacts().size(), 3u);
    double normal = 0;
    Vec3d total = Vec3d::zero();
    for (const ContactPoint& c : term->contacts()) {
      EXPECT_TRUE(c.sticking);
      EXPECT_NEAR(dot(c.slip, down), creep, 1e-3 * creep);
      normal += c.normal_force;
      total += c.force;
    }
    EXPECT_NEAR(normal, kMass * kG * std::cos(angle), 1e-6);
    EXPECT_LT(norm(total - Vec3d{{0, 0, kMass * kG}}), 1e-6);
    // v = h m g sin(angle) / sum 1/R_t with R_t = sigma w of about 1/3 |J M^-1 J^T|: of the order
    // of sigma h g sin(angle).
    EXPECT_GT(creep, 0);
    EXPECT_LT(creep, 1e-3 * h * kG * std::sin(angle) * 2);
    printf("h %g s: creep %.3e m/s, %.2f sigma h g sin t; %d Newton iterations at most\n", h, creep,
           creep / (1e-3 * h * kG * std::sin(angle)), scene.most_iterations);
  }
}

TEST(SapScene, ASteadilySlidingContactGlidesAtTheGapOfTheConvexCone) {
  // Limit of the law, held here so that the page about it stays true: with the friction cone
  // convex, sliding at v_t lifts a contact to h (mu v_t - h F (R_n + mu^2 R_t)); force and friction
  // are right.
  const double mu = 0.3, v0 = 0.5, h = 1e-3;
  for (double start : {0.0, h * mu * v0}) {
    FrozenScene scene;
    RigidBodySpec spec;
    spec.mass = kMass;
    spec.inertia = 1e6 * Mat3d::identity();  // does not turn: stands for a block
    spec.pose.p = {{0, 0, kRadius + start}};
    spec.velocity = {{v0, 0, 0}};
    RigidBody* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
    const LinkOf<RigidBody> link(body);
    test::SapPair p;
    p.link = &link;
    p.radius = kRadius;
    p.law = law(1e7, 0.01, mu);
    PointContact* term = scene.add_term(test::point_contact(std::vector<test::SapPair>{p}));
    body->force = {{mu * kMass * kG, 0, 0}};
    scene.start();
    double highest = 0;
    for (int k = 0; k < 1000; ++k) {
      scene.step();
      highest = std::max(highest, body->pose(scene.state).p[2] - kRadius);
    }
    EXPECT_EQ(scene.status, 0u);
    ASSERT_EQ(term->contacts().size(), 1u);
    const ContactPoint& c = term->contacts()[0];
    const double w = std::sqrt(3.0) / 3 / kMass, r_n = w / (4 * M_PI * M_PI), r_t = 1e-3 * w;
    const double vt = body->velocity(scene.state)[0];
    const double glide = h * (mu * vt - h * kMass * kG * (r_n + mu * mu * r_t));
    EXPECT_NEAR(c.gap, glide, 1e-3 * glide);
    EXPECT_NEAR(c.normal_force, kMass * kG, 1e-6);
    EXPECT_NEAR(norm(c.tangential_force), mu * kMass * kG, 1e-6);
    EXPECT_FALSE(c.sticking);
    // Starting to slide from touch, the contact is thrown up by about mu v_t / (1 + mu^2) first.
    const double throw_height = square(mu * v0 / (1 + mu * mu)) / (2 * kG);
    EXPECT_NEAR(highest, start > 0 ? glide : throw_height, 0.1 * throw_height);
    printf("start gap %.2e m: glides at %.3e m (closed form %.3e), v_t %.4f m/s, at most %.2e m\n",
           start, c.gap, glide, vt, highest);
  }
}

TEST(SapScene, ASlidingBlockStopsAfterTheClosedFormsDistance) {
  const double mu = 0.3, v0 = 0.5;
  double last = 0;
  for (double h : {2e-3, 1e-3, 5e-4}) {
    // Inertia so large that nothing turns: the sphere stands for a block.
    FrozenScene scene;
    scene.h = h;
    RigidBodySpec spec;
    spec.mass = kMass;
    spec.inertia = 1e6 * Mat3d::identity();
    // Starts at the gap at which a sliding contact glides.
    spec.pose.p = {{0, 0, kRadius + h * mu * v0}};
    spec.velocity = {{v0, 0, 0}};
    const RigidBody* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
    const LinkOf<RigidBody> link(body);
    test::SapPair p;
    p.link = &link;
    p.radius = kRadius;
    p.law = law(1e7, 0.001, mu);
    scene.add_term(test::point_contact(std::vector<test::SapPair>{p}));
    scene.start();
    for (int k = 0; k < std::lround(0.5 / h); ++k) scene.step();
    EXPECT_EQ(scene.status, 0u);
    const double exact = v0 * v0 / (2 * mu * kG), d = body->pose(scene.state).p[0];
    EXPECT_LT(std::abs(body->velocity(scene.state)[0]), 1e-4);
    EXPECT_NEAR(d, exact, 3 * v0 * h);
    printf("h %g s: stops after %.6f m, closed form %.6f m, error %.2f v0 h\n", h, d, exact,
           (d - exact) / (v0 * h));
    last = std::abs(d - exact);
  }
  EXPECT_LT(last, 5e-3 * v0 * v0 / (2 * mu * kG));
}

TEST(SapScene, AnArmThatRestsOnItsTipCarriesTheTorqueOfGravity) {
  // A horizontal arm of length l with its centre of mass at c; force at the tip m g c / l.
  const double l = 0.4, c = 0.15, mass = 0.8, tip = 0.02;
  Robot robot;
  const RobotLink bar =
      test::make_link(mass, {{c, 0, 0}}, solid_box_inertia(mass, {{0.4, 0.03, 0.03}}));
  test::add_link(robot, -1, JointKind::kRevolute, bar).axis = {{0, 1, 0}};
  const ArticulationSpec spec = test::articulation_of(robot, {0.3});
  FrozenScene scene;
  scene.h = 2e-3;
  const Articulation* arm = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
  const LinkOf<Articulation> link(arm, 0);
  test::SapPair p;
  p.link = &link;
  p.centre = {{l, 0, 0}};
  p.radius = tip;
  p.offset = -tip - 0.01;  // 1 cm below the tip
  p.law = law(1e5, 0.01, 0.5);
  PointContact* term = scene.add_term(test::point_contact(std::vector<test::SapPair>{p}));
  scene.start();
  for (int k = 0; k < 2000; ++k) scene.step();
  EXPECT_EQ(scene.status, 0u);
  ASSERT_EQ(term->contacts().size(), 1u);
  // The arm stands at an angle, and friction along the plane acts too: moments about the joint.
  const ContactPoint& contact = term->contacts()[0];
  const Vec3d gravity_moment =
      cross(arm->link_pose(scene.state.q.data(), 0) * bar.centre, mass * scene.gravity);
  const Vec3d moment = cross(contact.p, contact.force);
  EXPECT_NEAR(moment[1], -gravity_moment[1], 1e-6 * gravity_moment[1]);
  EXPECT_NEAR(contact.normal_force, mass * kG * c / l, 0.02 * mass * kG * c / l);
  printf("moment of the contact off by %.1e\n", -moment[1] / gravity_moment[1] - 1);
}

}  // namespace
}  // namespace haptos
