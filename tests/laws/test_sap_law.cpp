// The SAP cone: derivatives by differences in every region and on both sides of every transition,
// convexity, projection, scaling, lanes.
#include "haptos/contact/frozen/law/sap_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "haptos/base/math/lanes.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "tests/laws/unknowns_suite.h"
#include "tests/sap_pairs.h"

namespace haptos {
namespace {

SapContact<double> contact(double mu) { return {mu, 2e-3, 0.3, {{0, 0, 0.02}}}; }

// The velocity for which y = (y_r cos a, y_r sin a, y_n).
Vec3d velocity(const SapContact<double>& c, double yr, double angle, double yn) {
  return {{c.v_hat[0] - c.r_t * yr * std::cos(angle), c.v_hat[1] - c.r_t * yr * std::sin(angle),
           c.v_hat[2] - c.r_n * yn}};
}

// 0 stick, 1 slip, 2 open.
int region(const SapValue<double>& v) { return v.stick ? 0 : v.slip ? 1 : 2; }

struct Sample {
  SapContact<double> c;
  Vec3d v;
};

// Random contacts with velocities in the given region, away from its border.
Sample sample(int wanted, std::mt19937& rng) {
  std::uniform_real_distribution<double> u(0, 1);
  const double mu = 0.2 + u(rng), a = 6.28 * u(rng);
  Sample s{contact(mu), {}};
  const double m = mu * s.c.r_t / s.c.r_n, scale = 0.1 + u(rng);
  if (wanted == 0) s.v = velocity(s.c, mu * scale * 0.9 * u(rng), a, scale);
  if (wanted == 1) s.v = velocity(s.c, scale, a, scale * (-0.9 * m + u(rng) * 0.9 * (m + 1 / mu)));
  if (wanted == 2) s.v = velocity(s.c, scale * u(rng), a, -scale * (1.1 * m + 0.1 + u(rng)));
  return s;
}

// Largest error of gradient and Hessian against central differences, relative to their size.
struct Errors {
  double gradient = 0, hessian = 0;
};
Errors differences(const SapContact<double>& c, const Vec3d& v) {
  const SapValue<double> at = sap_law(c, v);
  double g_size = norm(at.impulse), h_size = 0, g_error = 0, h_error = 0;
  for (double x : at.hessian.a) h_size = std::max(h_size, std::abs(x));
  for (int k = 0; k < 3; ++k) {
    // Steps are alike in y, which the regions are measured in.
    const double e = 1e-5 * (k < 2 ? c.r_t : c.r_n);
    Vec3d lo = v, hi = v;
    lo[k] -= e;
    hi[k] += e;
    const SapValue<double> l = sap_law(c, lo), u = sap_law(c, hi);
    g_error = std::max(g_error, std::abs((u.cost - l.cost) / (2 * e) + at.impulse[k]));
    for (int i = 0; i < 3; ++i)
      h_error =
          std::max(h_error, std::abs((u.impulse[i] - l.impulse[i]) / (2 * e) + at.hessian(i, k)));
  }
  return {g_size > 0 ? g_error / g_size : g_error, h_size > 0 ? h_error / h_size : h_error};
}

TEST(SapLaw, GradientAndHessianMatchDifferencesInEveryRegion) {
  std::mt19937 rng(1);
  for (int wanted : {0, 1, 2}) {
    Errors worst;
    for (int k = 0; k < 1000; ++k) {
      const Sample s = sample(wanted, rng);
      ASSERT_EQ(region(sap_law(s.c, s.v)), wanted);
      const Errors e = differences(s.c, s.v);
      worst.gradient = std::max(worst.gradient, e.gradient);
      worst.hessian = std::max(worst.hessian, e.hessian);
    }
    EXPECT_LT(worst.gradient, 1e-6);
    EXPECT_LT(worst.hessian, 1e-4);
    printf("region %d: gradient %.1e, Hessian %.1e\n", wanted, worst.gradient, worst.hessian);
  }
}

TEST(SapLaw, HessianMatchesOneSidedDifferencesAtEveryTransition) {
  std::mt19937 rng(2);
  std::uniform_real_distribution<double> u(0.2, 1.2);
  for (int k = 0; k < 200; ++k) {
    const SapContact<double> c = contact(u(rng));
    const double a = 6 * u(rng), yr = u(rng), m = c.friction * c.r_t / c.r_n;
    for (double yn : {yr / c.friction, -m * yr}) {
      for (double side : {-1.0, 1.0}) {
        // Along y_n, just beside the border, differences that stay on that side.
        const double step = 1e-6 * yr;
        const Vec3d at = velocity(c, yr, a, yn + side * 1e-9 * yr);
        const Vec3d away = velocity(c, yr, a, yn + side * step);
        const SapValue<double> p = sap_law(c, at), q = sap_law(c, away);
        ASSERT_EQ(region(p), region(q));
        const double dv = away[2] - at[2];
        double size = 0;
        for (double x : p.hessian.a) size = std::max(size, std::abs(x));
        for (int i = 0; i < 3; ++i)
          EXPECT_NEAR((q.impulse[i] - p.impulse[i]) / dv, -p.hessian(i, 2), 1e-4 * size);
        // The impulse and cost themselves do not jump.
        const SapValue<double> other = sap_law(c, velocity(c, yr, a, yn - side * 1e-9 * yr));
        EXPECT_LT(norm(p.impulse - other.impulse), 1e-8 * yr * std::max(1.0, c.friction));
        EXPECT_NEAR(p.cost, other.cost, 1e-8 * c.r_n * square(yr) / square(c.friction));
      }
    }
  }
}

TEST(SapLaw, HessianIsPositiveSemiDefiniteEverywhere) {
  std::mt19937 rng(3);
  double smallest = 1e300;
  for (int wanted : {0, 1, 2})
    for (int k = 0; k < 1000; ++k) {
      const Sample s = sample(wanted, rng);
      const Mat3d h = sap_law(s.c, s.v).hessian;
      const Vec3d m = principal_moments(h);
      smallest = std::min(smallest, m[0] / std::max(m[2], 1e-300));
      EXPECT_GE(m[0], -1e-14 * m[2]);
      EXPECT_EQ(h(0, 1), h(1, 0));
      EXPECT_EQ(h(0, 2), h(2, 0));
    }
  printf("smallest eigenvalue over largest: %.1e\n", smallest);
}

// With a lagged normal impulse: sticks, slips, each with and without its spring.
Sample lagged_sample(int wanted, bool pressed, std::mt19937& rng) {
  std::uniform_real_distribution<double> u(0.1, 0.9);
  Sample s{contact(0.2 + u(rng)), {}};
  s.c.lagged = 0.1 + u(rng);
  const double bound = s.c.friction * s.c.lagged, yr = wanted ? bound / u(rng) : bound * u(rng);
  s.v = velocity(s.c, yr, 6.28 * u(rng), pressed ? u(rng) : -u(rng));
  return s;
}

TEST(SapLaw, WithALaggedNormalImpulseIsTheGradientOfAConvexCost) {
  std::mt19937 rng(8);
  for (const int wanted : {0, 1})
    for (const bool pressed : {false, true}) {
      Errors worst;
      for (int k = 0; k < 1000; ++k) {
        const Sample s = lagged_sample(wanted, pressed, rng);
        const SapValue<double> r = sap_law(s.c, s.v);
        ASSERT_EQ(region(r), wanted);
        const Errors e = differences(s.c, s.v);
        worst.gradient = std::max(worst.gradient, e.gradient);
        worst.hessian = std::max(worst.hessian, e.hessian);
        const Vec3d m = principal_moments(r.hessian);
        EXPECT_GE(m[0], -1e-14 * m[2]);
        // The normal part is the spring's, whatever the slip; the other is Coulomb's bound.
        EXPECT_NEAR(r.impulse[2], std::max(0.0, (s.c.v_hat[2] - s.v[2]) / s.c.r_n), 1e-14);
        const double g_t = std::hypot(r.impulse[0], r.impulse[1]);
        if (wanted == 1)
          EXPECT_NEAR(g_t, s.c.friction * s.c.lagged, 1e-14);
        else
          EXPECT_LT(g_t, s.c.friction * s.c.lagged);
      }
      EXPECT_LT(worst.gradient, 1e-6);
      EXPECT_LT(worst.hessian, 1e-4);
    }
}

TEST(SapLaw, AConeThatSticksIsTheLaggedLawUnderItsOwnNormalImpulse) {
  std::mt19937 rng(9);
  for (int k = 0; k < 200; ++k) {
    const Sample s = sample(0, rng);
    const SapValue<double> cone = sap_law(s.c, s.v);
    SapContact<double> c = s.c;
    c.lagged = cone.impulse[2];
    const SapValue<double> own = sap_law(c, s.v);
    EXPECT_EQ(norm(own.impulse - cone.impulse), 0);
    EXPECT_EQ(own.cost, cone.cost);
  }
}

TEST(SapLaw, ImpulseIsTheNearestPointOfTheCone) {
  // In the norm of R no admissible impulse is nearer to y.
  std::mt19937 rng(4);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int wanted : {0, 1, 2})
    for (int k = 0; k < 200; ++k) {
      const Sample s = sample(wanted, rng);
      const SapValue<double> r = sap_law(s.c, s.v);
      const double mu = s.c.friction;
      const double g_t = std::hypot(r.impulse[0], r.impulse[1]);
      EXPECT_LE(g_t, mu * r.impulse[2] * (1 + 1e-14));
      if (wanted == 1) {
        EXPECT_NEAR(g_t, mu * r.impulse[2], 1e-14 * g_t);
      }
      Vec3d y = s.c.v_hat - s.v;
      y = {{y[0] / s.c.r_t, y[1] / s.c.r_t, y[2] / s.c.r_n}};
      auto distance = [&](const Vec3d& g) {
        const Vec3d d = y - g;
        return s.c.r_t * (d[0] * d[0] + d[1] * d[1]) + s.c.r_n * d[2] * d[2];
      };
      for (int t = 0; t < 50; ++t) {
        Vec3d g = r.impulse + 0.1 * Vec3d{{u(rng), u(rng), u(rng)}};
        g[2] = std::max(g[2], 0.0);
        const double limit = mu * g[2], size = std::hypot(g[0], g[1]);
        if (size > limit) {
          g[0] *= limit / size;
          g[1] *= limit / size;
        }
        EXPECT_GE(distance(g), distance(r.impulse) * (1 - 1e-13));
      }
    }
}

TEST(SapLaw, IsZeroWhereOpen) {
  std::mt19937 rng(5);
  for (int k = 0; k < 100; ++k) {
    const Sample s = sample(2, rng);
    const SapValue<double> r = sap_law(s.c, s.v);
    EXPECT_EQ(r.cost, 0);
    EXPECT_EQ(norm(r.impulse), 0);
    for (double x : r.hessian.a) EXPECT_EQ(x, 0);
  }
}

TEST(SapLaw, ImpulseScalesWithVelocityAndWithInverseRegularisation) {
  std::mt19937 rng(6);
  for (int wanted : {0, 1})
    for (int k = 0; k < 100; ++k) {
      const Sample s = sample(wanted, rng);
      const SapValue<double> r = sap_law(s.c, s.v);
      // Velocities 1e6 times smaller: no hidden velocity or impulse scale.
      SapContact<double> c = s.c;
      c.v_hat *= 1e-6;
      const SapValue<double> small = sap_law(c, 1e-6 * s.v);
      EXPECT_LT(norm(1e6 * small.impulse - r.impulse), 1e-12 * norm(r.impulse));
      EXPECT_NEAR(1e12 * small.cost, r.cost, 1e-12 * r.cost);
      // A thousand times the mass: impulse, cost and Hessian a thousand times.
      c = s.c;
      c.r_t *= 1e-3;
      c.r_n *= 1e-3;
      const SapValue<double> heavy = sap_law(c, s.v);
      EXPECT_LT(norm(1e-3 * heavy.impulse - r.impulse), 1e-12 * norm(r.impulse));
      EXPECT_NEAR(1e-3 * heavy.hessian(2, 2), r.hessian(2, 2), 1e-12 * r.hessian(2, 2));
    }
}

TEST(SapLaw, WithoutFrictionThereIsNoTangentialImpulseOrStiffness) {
  const SapContact<double> c = contact(0);
  for (const Vec3d& v : {Vec3d{{0, 0, -1}}, Vec3d{{0.3, -0.2, -1}}}) {
    const SapValue<double> r = sap_law(c, v);
    EXPECT_EQ(r.impulse[0], 0);
    EXPECT_EQ(r.impulse[1], 0);
    EXPECT_NEAR(r.impulse[2], 1.02 / 0.3, 1e-14);
    EXPECT_EQ(r.hessian(0, 0), 0);
    EXPECT_NEAR(r.hessian(2, 2), 1 / 0.3, 1e-14);
  }
}

TEST(SapLaw, EveryLaneEqualsTheScalarLawBitForBit) {
  using P = Pack<double, 4>;
  std::mt19937 rng(7);
  for (int k = 0; k < 300; ++k) {
    Sample s[4];
    SapContact<P> c;
    Vec3<P> v;
    for (int lane = 0; lane < 4; ++lane) {
      const int kind = (k + lane) % 4;
      s[lane] = kind == 3 ? lagged_sample(k % 2, k % 3 == 0, rng) : sample(kind, rng);
      c.lagged.set(lane, s[lane].c.lagged);
      c.friction.set(lane, s[lane].c.friction);
      c.r_t.set(lane, s[lane].c.r_t);
      c.r_n.set(lane, s[lane].c.r_n);
      for (int i = 0; i < 3; ++i) {
        c.v_hat[i].set(lane, s[lane].c.v_hat[i]);
        v[i].set(lane, s[lane].v[i]);
      }
    }
    const SapValue<P> r = sap_law(c, v);
    for (int lane = 0; lane < 4; ++lane) {
      const SapValue<double> one = sap_law(s[lane].c, s[lane].v);
      EXPECT_EQ(r.cost[lane], one.cost);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(r.impulse[i][lane], one.impulse[i]);
      for (int i = 0; i < 9; ++i) EXPECT_EQ(r.hessian[i][lane], one.hessian[i]);
    }
  }
}

// The term: derivatives by the unknowns of bodies through its frozen Jacobians.
RigidBodySpec ball_spec(const Vec3d& p) {
  RigidBodySpec spec;
  spec.mass = 0.1;
  spec.inertia = solid_sphere_inertia(0.1, 0.05);
  spec.pose.p = p;
  return spec;
}

PointShape ball_shape(const Link* link, const Vec3d& centre) {
  Shape ball;
  ball.size[0] = 0.05;
  PointShape s{CollisionShape(ball), {centre, {}}, link};
  s.stiffness = 1e6;
  s.relaxation_time = 0.01;
  s.friction = 0.5;
  s.dissipation = 20;
  return s;
}

// One body over a tilted plane, or two, at two places of the law.
void check_derivatives(bool two, const PointContactOptions& law) {
  test::UnknownsCase scene(1e-2);
  const LinkOf<RigidBody> a(
      scene.add(std::make_unique<RigidBody>(scene.next_slots(), ball_spec({{0.3, 0.2, 0.049}}))));
  std::unique_ptr<LinkOf<RigidBody>> b;
  std::vector<PointShape> shapes = {ball_shape(&a, {{0.01, -0.02, 0}})};
  std::vector<double> z = {0.2, 0, -0.4, 0, 0, 3};
  if (two) {
    b = std::make_unique<LinkOf<RigidBody>>(scene.add(
        std::make_unique<RigidBody>(scene.next_slots(), ball_spec({{0.33, 0.24, 0.113}}))));
    shapes.push_back(ball_shape(b.get(), {{-0.01, 0.01, 0.002}}));
    z.insert(z.end(), {0, 0.1, -0.9, 1, 0, 0});
  } else {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    shapes.push_back({CollisionShape(plane), {{}, rotation_to(normalized(Vec3d{{0.1, -0.2, 1}}))}});
  }
  PointContact term(shapes, law);
  scene.prepare(&term, z);
  ASSERT_EQ(scene.points().size(), two ? 2 : 1);
  for (const double slide : {0.0, 2.0}) {
    z = {0.05 + slide, slide, two ? 0.4 : -0.4, 0, 1, 3};
    if (two) z.insert(z.end(), {0, -0.1, -1.5, 0.5, 0, 0});
    scene.check(z, 1e-6, 1e-6, 1e-4);
    EXPECT_GT(term.report().load, 0);
  }
}

TEST(PointContact, GradientAndHessianInTheUnknownsOfBodiesMatchDifferences) {
  for (const PointLaw law :
       {PointLaw::kSap, PointLaw::kLagged, PointLaw::kSimilar, PointLaw::kCoulomb})
    for (const bool two : {false, true}) {
      SCOPED_TRACE(static_cast<int>(law));
      PointContactOptions options;
      options.law = static_cast<int>(law);
      options.anchored = false;
      options.stiction_speed = 1e-2;
      check_derivatives(two, options);
    }
}

TEST(PointContact, RefusesShapesThatCannotBe) {
  RigidBody body({0, 0, 0, 0, 0, 0}, ball_spec({{0, 0, 0}}));
  const LinkOf<RigidBody> link(&body);
  const PointShape good = ball_shape(&link, {{0, 0, 0}});
  EXPECT_NO_THROW(PointContact({good}));
  PointShape p = good;
  p.stiffness = -1;
  EXPECT_THROW(PointContact({p}), InputError);
  p = good;
  p.friction = NAN;
  EXPECT_THROW(PointContact({p}), InputError);
  p = good;
  p.relaxation_time = NAN;
  EXPECT_THROW(PointContact({p}), InputError);
  p = good;
  p.modulus = -1;
  EXPECT_THROW(PointContact({p}), InputError);
  p = good;
  p.dissipation = NAN;
  EXPECT_THROW(PointContact({p}), InputError);
  // Two rigid shapes and no bound: nothing gives way.
  p = good;
  p.stiffness = PointShape::kRigid;
  PointContactOptions stiff;
  stiff.near_rigid = 0;
  PointShape other = p;
  other.link = nullptr;
  EXPECT_THROW(PointContact({p, other}, stiff), InputError);
  EXPECT_NO_THROW(PointContact({p, other}));
  PointContactOptions law;
  law.near_rigid = -1;
  EXPECT_THROW(PointContact({good}, law), InputError);
}

}  // namespace
}  // namespace haptos
