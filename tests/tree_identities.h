// What must hold of the dynamics of any robot, to round-off: checked at random states.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "haptos/bodies/tree/tree_jacobian.h"
#include "tests/dual.h"
#include "tests/support.h"

namespace haptos::test {

/// A random state of a tree: coordinates away from the start, velocities, accelerations, gravity
/// that is not vertical, a wrench on every body.
struct TreeState {
  std::vector<double> q, v, a;
  Vec3d gravity;
  std::vector<SpatialForce<double>> wrench;

  TreeState(const Tree& tree, Random& random) {
    const auto numbers = [&](double s) {
      std::vector<double> r(static_cast<std::size_t>(tree.v_count));
      for (double& x : r) x = s * random();
      return r;
    };
    q = tree.start;
    const std::vector<double> move = numbers(1.5);
    integrate(tree, q.data(), move.data(), 1.0, q.data());
    v = numbers(2);
    a = numbers(5);
    gravity = Vec3d{{1, -2, -9.81}} + random.vector();
    // As large as the weights: on a light finger a force of newtons would drown its own dynamics.
    for (const TreeBody& b : tree.bodies)
      wrench.push_back({b.mass * random.vector(), (10 * b.mass) * random.vector()});
  }
};

inline double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x) m = std::max(m, std::abs(v));
  return m;
}

/// Coordinates q moving with v, and v changing with a, as dual numbers.
struct Moving {
  std::vector<Dual> q, v;
  TreeData<Dual> data;

  Moving(const Tree& tree, const std::vector<double>& at, const std::vector<double>& rate,
         const std::vector<double>& acceleration)
      : data(tree) {
    std::vector<Dual> from, move;
    for (double x : at) from.push_back(Dual(x));
    for (std::size_t k = 0; k < rate.size(); ++k) {
      move.push_back(Dual(0, rate[k]));
      v.push_back(Dual(rate[k], acceleration[k]));
    }
    q.resize(from.size());
    integrate(tree, from.data(), move.data(), Dual(1), q.data());
    update(tree, q.data(), data);
    update_velocities(tree, v.data(), data);
  }
};

inline Vec3<Dual> constant(const Vec3d& x) { return {{Dual(x[0]), Dual(x[1]), Dual(x[2])}}; }
inline Vec3d rate(const Vec3<Dual>& x) { return {{x[0].b, x[1].b, x[2].b}}; }

inline void expect_near(const Vec3d& x, const Vec3d& y, double tolerance, const char* what) {
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(x[c], y[c], tolerance) << what;
}
inline void expect_near(const std::vector<double>& x, const std::vector<double>& y,
                        double tolerance, const char* what) {
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], tolerance) << what << " " << k;
}

/// rnea, crba, aba and the energies agree with each other. `tolerance` is relative.
inline void check_dynamics(const Tree& tree, const TreeState& s, double tolerance) {
  TreeData<double> data(tree);
  const std::size_t n = s.v.size();
  update(tree, s.q.data(), data);
  std::vector<double> tau(n), bias(n), a(n), m(n * n), unit(n), hold(n);
  rnea(tree, data, s.v.data(), s.a.data(), s.gravity, s.wrench.data(), tau.data());
  const double force = largest(tau);

  aba(tree, data, s.v.data(), tau.data(), s.gravity, s.wrench.data(), a.data());
  expect_near(a, s.a, tolerance * std::max(1.0, largest(s.a)), "aba of rnea");
  // The forces that aba's accelerations need, whatever the condition of M.
  std::vector<double> again(n);
  rnea(tree, data, s.v.data(), a.data(), s.gravity, s.wrench.data(), again.data());
  expect_near(again, tau, tolerance * force, "rnea of aba");

  crba(tree, data, m.data());
  const double mass = largest(m);
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[j] = 1;
    rnea<double>(tree, data, nullptr, unit.data(), Vec3d::zero(), nullptr, hold.data());
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(m[i * n + j], hold[i], tolerance * mass) << "column of M " << i << " " << j;
  }
  rnea<double>(tree, data, s.v.data(), nullptr, s.gravity, s.wrench.data(), bias.data());
  double twice = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = bias[i];
    for (std::size_t j = 0; j < n; ++j) {
      sum += m[i * n + j] * s.a[j];
      twice += s.v[i] * m[i * n + j] * s.v[j];
    }
    EXPECT_NEAR(sum, tau[i], tolerance * force) << "M a + c";
  }
  EXPECT_NEAR(kinetic_energy(tree, data, s.v.data()), 0.5 * twice, tolerance * twice);

  // Gravity compensation is the slope of the potential energy; power changes the energy.
  gravity_compensation(tree, data, s.gravity, hold.data());
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> direction(n, 0.0);
    direction[j] = 1;
    const Moving moving(tree, s.q, direction, s.a);
    EXPECT_NEAR(potential_energy(tree, moving.data, constant(s.gravity)).b, hold[j],
                tolerance * std::max(1.0, largest(hold)))
        << "slope of the potential energy";
  }
  const Moving moving(tree, s.q, s.v, s.a);
  double power = 0, scale = 1;
  for (std::size_t k = 0; k < n; ++k) {
    power += tau[k] * s.v[k];
    scale += std::abs(tau[k] * s.v[k]);
  }
  update_velocities(tree, s.v.data(), data);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) power += dot(data.velocity[i], s.wrench[i]);
  EXPECT_NEAR((kinetic_energy(tree, moving.data, moving.v.data()) +
               potential_energy(tree, moving.data, constant(s.gravity)))
                  .b,
              power, tolerance * scale)
      << "rate of the energy";
}

/// Momentum is the sum over bodies, and only forces from outside change it.
inline void check_momentum(const Tree& tree, const TreeState& s, double tolerance) {
  TreeData<double> data(tree);
  const std::size_t n = s.v.size();
  update(tree, s.q.data(), data);
  std::vector<double> tau(n), map(6 * n), j_com(3 * n);
  rnea(tree, data, s.v.data(), s.a.data(), s.gravity, s.wrench.data(), tau.data());
  const Vec3d com = centre_of_mass(tree, data);
  const double mass = total_mass(tree, data);
  const SpatialForce<double> h = momentum_about(tree, data, com);
  const double scale = std::max(1.0, norm(h.moment) + norm(h.force));

  SpatialForce<double> sum = SpatialForce<double>::zero();
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody& b = tree.bodies[i];
    const Mat3d& r = data.pose[i].r;
    const Vec3d c = data.pose[i] * b.centre;
    const Vec3d p = b.mass * point_velocity(data, static_cast<int>(i), c);
    sum.force += p;
    sum.moment += r * (b.inertia * (transpose(r) * data.velocity[i].angular)) + cross(c - com, p);
  }
  expect_near(h.moment, sum.moment, tolerance * scale, "angular momentum");
  expect_near(h.force, sum.force, tolerance * scale, "linear momentum");

  centroidal_map(tree, data, map.data());
  centre_of_mass_jacobian(tree, data, j_com.data());
  Vec3d by_map[3] = {Vec3d::zero(), Vec3d::zero(), Vec3d::zero()};
  for (int r = 0; r < 3; ++r)
    for (std::size_t k = 0; k < n; ++k) {
      by_map[0][r] += map[static_cast<std::size_t>(r) * n + k] * s.v[k];
      by_map[1][r] += map[static_cast<std::size_t>(r + 3) * n + k] * s.v[k];
      by_map[2][r] += mass * j_com[static_cast<std::size_t>(r) * n + k] * s.v[k];
    }
  expect_near(by_map[0], h.moment, tolerance * scale, "centroidal map, angular");
  expect_near(by_map[1], h.force, tolerance * scale, "centroidal map, linear");
  expect_near(by_map[2], h.force, tolerance * scale, "Jacobian of the centre of mass");

  const Moving moving(tree, s.q, s.v, s.a);
  expect_near(mass * rate(centre_of_mass(tree, moving.data)), h.force, tolerance * scale,
              "velocity of the centre of mass");
  const SpatialForce<Dual> changing = momentum_about(tree, moving.data, constant(Vec3d{{0, 0, 0}}));
  SpatialForce<double> outside{cross(com, mass * s.gravity), mass * s.gravity};
  double size = norm(outside.force) + norm(outside.moment);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    SpatialForce<double> f = s.wrench[i];
    if (tree.bodies[i].parent < 0) f += data.force[i];
    size += norm(f.force) + norm(f.moment);
    outside += shift(f, -data.pose[i].p);
  }
  expect_near(rate(changing.force), outside.force, tolerance * size, "rate of linear momentum");
  expect_near(rate(changing.moment), outside.moment, tolerance * size, "rate of angular momentum");
}

/// Jacobians, velocities and accelerations of points against derivatives of positions.
inline void check_jacobians(const Tree& tree, const TreeState& s, double tolerance) {
  TreeData<double> data(tree);
  const std::size_t n = s.v.size();
  update(tree, s.q.data(), data);
  const Vec3d local{{0.1, -0.2, 0.15}};
  std::vector<double> j_com(3 * n), j(6 * n);
  centre_of_mass_jacobian(tree, data, j_com.data());
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> direction(n, 0.0);
    direction[k] = 1;
    const Moving moving(tree, s.q, direction, s.a);
    const Vec3d com = rate(centre_of_mass(tree, moving.data));
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_NEAR(j_com[r * n + k], com[static_cast<int>(r)], tolerance) << "d com";
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
      frame_jacobian(tree, data, static_cast<int>(i), data.pose[i] * local, j.data());
      const Vec3d x = rate(moving.data.pose[i] * constant(local));
      Mat3d spin = Mat3d::zero();  // dR R^T = [w]x
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          for (int e = 0; e < 3; ++e)
            spin(r, c) += moving.data.pose[i].r(r, e).b * data.pose[i].r(c, e);
      const Vec3d w{{spin(2, 1), spin(0, 2), spin(1, 0)}};
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_NEAR(j[r * n + k], w[static_cast<int>(r)], tolerance) << "angular Jacobian";
        EXPECT_NEAR(j[(3 + r) * n + k], x[static_cast<int>(r)], tolerance) << "linear Jacobian";
      }
    }
  }
  const Moving moving(tree, s.q, s.v, s.a);
  update_velocities(tree, s.v.data(), data);
  update_accelerations(tree, s.a.data(), data);
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const int b = static_cast<int>(i);
    const Vec3d x = data.pose[i] * local, v = point_velocity(data, b, x),
                a = point_acceleration(data, b, x);
    const Vec3<Dual> xd = moving.data.pose[i] * constant(local);
    expect_near(v, rate(xd), tolerance * std::max(1.0, norm(v)), "velocity of a point");
    expect_near(a, rate(point_velocity(moving.data, b, xd)), tolerance * std::max(1.0, norm(a)),
                "acceleration of a point");
  }
}

/// integrate and difference undo each other.
inline void check_coordinates(const Tree& tree, const TreeState& s, double tolerance) {
  std::vector<double> q(s.q.size()), v(s.v.size());
  integrate(tree, s.q.data(), s.v.data(), 0.7, q.data());
  difference(tree, s.q.data(), q.data(), v.data());
  for (std::size_t k = 0; k < v.size(); ++k)
    EXPECT_NEAR(v[k], 0.7 * s.v[k], tolerance) << "difference of integrate";
  integrate(tree, s.q.data(), v.data(), 1.0, v.size() ? q.data() : nullptr);
  std::vector<double> zero(v.size());
  std::vector<double> moved(s.q.size());
  integrate(tree, s.q.data(), s.v.data(), 0.7, moved.data());
  difference(tree, moved.data(), q.data(), zero.data());
  EXPECT_LE(largest(zero), tolerance) << "integrate of difference";
}

/// All identities of a robot at `states` random states, to a relative tolerance.
inline void check_identities(const Robot& robot, int states = 3, double tolerance = 1e-10) {
  SCOPED_TRACE(robot.name);
  const Tree tree = compile_tree(robot);
  Random random(17);
  for (int i = 0; i < states; ++i) {
    const TreeState s(tree, random);
    check_dynamics(tree, s, tolerance);
    check_momentum(tree, s, tolerance);
    check_jacobians(tree, s, tolerance);
    check_coordinates(tree, s, tolerance);
  }
}

}  // namespace haptos::test
