// Articulation: dynamics identities, Jacobians by differences, joint terms, refused input.
#include "haptos/dynamics/articulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "haptos/base/error.h"
#include "haptos/dynamics/joint_terms.h"

namespace haptos {
namespace {

// A branched tree of eight joints with axes and inertias of no symmetry.
ArticulationSpec tree(std::mt19937& rng) {
  std::uniform_real_distribution<double> u(-1, 1);
  auto vec = [&](double s) { return s * Vec3d{{u(rng), u(rng), u(rng)}}; };
  auto quat = [&] { return normalized(Quat{u(rng), u(rng), u(rng), u(rng)}); };
  ArticulationSpec a;
  a.base = {vec(1), quat()};
  const int parent[] = {-1, 0, 1, 1, 3, 0, 5, -1};
  for (int p : parent) {
    JointSpec s;
    s.parent = p;
    s.frame = {vec(0.3), quat()};
    s.axis = normalized(vec(1));
    s.mass = 1.5 + u(rng);
    s.centre_of_mass = vec(0.2);
    const Mat3d r = to_matrix(quat());
    s.inertia = r * Mat3d{{0.010, 0, 0, 0, 0.014, 0, 0, 0, 0.020}} * transpose(r);
    s.armature = 0.01;
    a.joints.push_back(s);
  }
  return a;
}

std::vector<double> random_vector(std::mt19937& rng, int n, double s) {
  std::uniform_real_distribution<double> u(-s, s);
  std::vector<double> v;
  for (int i = 0; i < n; ++i) v.push_back(u(rng));
  return v;
}

const Vec3d kGravity{{0, 0, -9.81}};

TEST(Articulation, MassMatrixColumnsAreInverseDynamicsOfUnitAccelerations) {
  std::mt19937 rng(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Articulation a({}, tree(rng));
    const int n = a.joint_count();
    const std::vector<double> q = random_vector(rng, n, 3), still(8, 0.0);
    const std::vector<double> m = a.mass_matrix(q);
    for (int j = 0; j < n; ++j) {
      std::vector<double> unit = still;
      unit[static_cast<std::size_t>(j)] = 1;
      const std::vector<double> tau = a.inverse_dynamics(q, still, unit, {{0, 0, 0}});
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(m[static_cast<std::size_t>(i * n + j)], tau[static_cast<std::size_t>(i)],
                    1e-12);
        EXPECT_EQ(m[static_cast<std::size_t>(i * n + j)], m[static_cast<std::size_t>(j * n + i)]);
      }
    }
  }
}

TEST(Articulation, GravityTorqueIsTheGradientOfThePotentialEnergy) {
  std::mt19937 rng(4);
  const Articulation a({}, tree(rng));
  const std::vector<double> q = random_vector(rng, 8, 3), still(8, 0.0);
  const std::vector<double> tau = a.inverse_dynamics(q, still, still, kGravity);
  for (std::size_t j = 0; j < 8; ++j) {
    std::vector<double> lo = q, hi = q;
    lo[j] -= 1e-5;
    hi[j] += 1e-5;
    EXPECT_NEAR(tau[j],
                (a.potential_energy(hi, kGravity) - a.potential_energy(lo, kGravity)) / 2e-5, 1e-8);
  }
}

TEST(Articulation, VelocityTorqueIsThatOfLagrangesEquations) {
  // c_i = sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) qd_j qd_k, derivatives by differences.
  std::mt19937 rng(5);
  const Articulation a({}, tree(rng));
  constexpr std::size_t n = 8;
  const std::vector<double> q = random_vector(rng, 8, 3), qd = random_vector(rng, 8, 2),
                            still(8, 0.0);
  const std::vector<double> tau = a.inverse_dynamics(q, qd, still, {{0, 0, 0}});
  std::vector<std::vector<double>> dm;
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> lo = q, hi = q;
    lo[k] -= 1e-5;
    hi[k] += 1e-5;
    std::vector<double> d = a.mass_matrix(hi);
    const std::vector<double> l = a.mass_matrix(lo);
    for (std::size_t i = 0; i < n * n; ++i) d[i] = (d[i] - l[i]) / 2e-5;
    dm.push_back(d);
  }
  for (std::size_t i = 0; i < n; ++i) {
    double c = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        c += (dm[k][i * n + j] - 0.5 * dm[i][j * n + k]) * qd[j] * qd[k];
    EXPECT_NEAR(tau[i], c, 1e-7);
  }
}

TEST(Articulation, JacobiansOfPointsAgreeWithDifferences) {
  std::mt19937 rng(6);
  const Articulation a({}, tree(rng));
  const std::vector<double> q = random_vector(rng, 8, 3);
  const Vec3d local{{0.1, -0.2, 0.15}};
  for (int link = 0; link < 8; ++link) {
    double j[24];
    a.jacobian(q, link, a.link_pose(q, link) * local, j);
    for (std::size_t c = 0; c < 8; ++c) {
      std::vector<double> lo = q, hi = q;
      lo[c] -= 1e-5;
      hi[c] += 1e-5;
      const Vec3d d = (1 / 2e-5) * (a.link_pose(hi, link) * local - a.link_pose(lo, link) * local);
      for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(j[8 * r + c], d[static_cast<int>(r)], 1e-9);
    }
  }
}

TEST(Articulation, KineticEnergyIsThatOfTheLinksOneByOne) {
  std::mt19937 rng(7);
  const ArticulationSpec spec = tree(rng);
  const Articulation a({}, spec);
  const std::vector<double> q = random_vector(rng, 8, 3), qd = random_vector(rng, 8, 2);
  double e = 0;
  for (int i = 0; i < 8; ++i) {
    const JointSpec& s = spec.joints[static_cast<std::size_t>(i)];
    const Pose x = a.link_pose(q, i);
    // Angular velocity by the difference of the velocities of four points of the link.
    auto velocity = [&](const Vec3d& local) {
      double j[24];
      a.jacobian(q, i, x * local, j);
      Vec3d v{{0, 0, 0}};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 8; ++c) v[r] += j[8 * r + c] * qd[static_cast<std::size_t>(c)];
      return v;
    };
    const Vec3d v0 = velocity({{0, 0, 0}});
    const Mat3d spin = columns(velocity({{1, 0, 0}}) - v0, velocity({{0, 1, 0}}) - v0,
                               velocity({{0, 0, 1}}) - v0) *
                       transpose(to_matrix(x.q));
    const Vec3d w = transpose(to_matrix(x.q)) * Vec3d{{spin(2, 1), spin(0, 2), spin(1, 0)}};
    e += 0.5 * s.mass * squared_norm(velocity(s.centre_of_mass)) + 0.5 * dot(w, s.inertia * w) +
         0.5 * s.armature * square(qd[static_cast<std::size_t>(i)]);
  }
  EXPECT_NEAR(a.kinetic_energy(q, qd), e, 1e-12 * e);
}

// Value of a coordinate term and the gradient and Hessian it assembles.
struct Assembled {
  double value, gradient, hessian;
};
Assembled assemble(Term& term, const std::vector<double>& z, double h) {
  Assembly assembly;
  assembly.reset(std::make_shared<BlockPattern>(std::vector<int>{8}));
  Points points;
  assembly.begin(points, true, nullptr);
  const bool position = term.kind() == TermKind::kPosition;
  assembly.set_factors(h, position ? h * h : h);
  Evaluation e;
  e.points = &points;
  e.z = &z;
  e.assembly = &assembly;
  const double v = term.evaluate(e).value * (position ? 1 : h);
  assembly.finish();
  return {v, assembly.gradient()[2], assembly.matrix().entry(0)[2 * 8 + 2]};
}

TEST(JointTerms, GradientAndHessianAgreeWithDifferences) {
  std::mt19937 rng(8);
  const ArticulationSpec spec = tree(rng);
  Articulation a({0, 0, 0, 0, 0, 0}, spec);
  const double h = 0.02;
  JointDamping damping(&a, 2, 0.7);
  JointSpring spring(&a, 2, 40, 0.5);
  StepContext c;
  c.h = c.b = h;
  spring.prepare(c);
  std::vector<double> z = random_vector(rng, 8, 3);
  for (Term* t : {static_cast<Term*>(&damping), static_cast<Term*>(&spring)}) {
    const Assembled at = assemble(*t, z, h);
    std::vector<double> lo = z, hi = z;
    lo[2] -= 1e-4;
    hi[2] += 1e-4;
    const Assembled l = assemble(*t, lo, h), u = assemble(*t, hi, h);
    EXPECT_NEAR(at.gradient, (u.value - l.value) / 2e-4, 1e-9 * std::abs(at.gradient)) << t->name();
    EXPECT_NEAR(at.hessian, (u.gradient - l.gradient) / 2e-4, 1e-9 * at.hessian) << t->name();
    EXPECT_GT(at.value, 0);
  }
  // At its reference and at rest a spring is zero.
  spring.set_reference(0);
  spring.prepare(c);
  const Assembled rest = assemble(spring, std::vector<double>(8, 0.0), h);
  EXPECT_EQ(rest.value, 0);
  EXPECT_EQ(rest.gradient, 0);
}

std::string message(const ArticulationSpec& s) {
  try {
    Articulation({}, s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Articulation, RefusesTreesThatCannotBeAndNamesTheJoint) {
  std::mt19937 rng(9);
  const ArticulationSpec good = tree(rng);
  EXPECT_EQ(message(good), "");
  EXPECT_NE(message({}).find("articulation.joints = 0: must be 1 to 64"), std::string::npos);
  ArticulationSpec s = good;
  s.joints[3].parent = 3;
  EXPECT_NE(message(s).find("articulation.joints[3] 'joint'.parent = 3: must be an earlier joint"),
            std::string::npos);
  s = good;
  s.joints[1].axis = {{0, 0, 2}};
  EXPECT_NE(message(s).find("joints[1] 'joint'.axis = 2: must have length 1"), std::string::npos);
  s = good;
  s.joints[5].inertia = {{1, 0, 0, 0, 1, 0, 0, 0, 3}};
  EXPECT_NE(message(s).find("joints[5] 'joint'.inertia = principal moments 1, 1, 3"),
            std::string::npos);
  s = good;
  s.joints[5].armature = -1;
  EXPECT_NE(message(s).find("armature"), std::string::npos);
  s = good;
  s.joints[5].position = NAN;
  EXPECT_NE(message(s).find("finite"), std::string::npos);
  s = good;
  s.joints.resize(65, good.joints[0]);
  EXPECT_NE(message(s).find("split"), std::string::npos);
  const Articulation a({}, good);
  EXPECT_THROW(JointDamping(&a, 8, 1), InputError);
  EXPECT_THROW(JointDamping(&a, 0, -1), InputError);
  EXPECT_THROW(JointSpring(&a, -1, 1, 0), InputError);
  EXPECT_THROW(JointSpring(&a, 0, 1, NAN), InputError);
}

}  // namespace
}  // namespace haptos
