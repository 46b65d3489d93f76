// The law suite: what must hold of every term, whatever it models. A new term adds one call.
//
// Gradient and Hessian against central differences, rigid invariance, zero at rest, positive
// semi-definite after projection, slope and curvature along a line of what is frozen, and scaling
// with the unit of length. A term that freezes or lags something is held to what is true of it
// through the options.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/system/term.h"
#include "tests/support.h"

namespace haptos::test {

/// One term on points of its own; free points are blocks 0, 1, 2, ... of three unknowns.
struct LawCase {
  Points points;
  Term* term = nullptr;
  double length = 1e-3;  ///< typical edge [m]: sets difference steps
  double gradient_tolerance = 1e-6;
  double hessian_tolerance = 1e-4;
  bool by_velocity = false;  ///< differentiate by u (dissipation) and not by x
  bool keep = false;         ///< keep what the term samples (Sampling) while differences are taken
  double step = 1e-5;        ///< difference step as a fraction of length (or of velocity)
};

/// Values of the term at the present points: energy, gradient and Hessian by the free unknowns.
struct LawValues {
  double energy = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
};

inline std::shared_ptr<const BlockPattern> dense_pattern(const Points& p) {
  int blocks = 0;
  for (int i = 0; i < p.size(); ++i) blocks = std::max(blocks, p.block(i) + 1);
  std::vector<std::array<int, 2>> all;
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < i; ++j) all.push_back({i, j});
  return std::make_shared<BlockPattern>(std::vector<int>(static_cast<std::size_t>(blocks), 3), all);
}

inline LawValues evaluate_law(LawCase& c, bool project = false,
                              Sampling sampling = Sampling::kAnew) {
  Assembly a;
  a.reset(dense_pattern(c.points));
  a.begin(c.points, true, nullptr);
  a.set_factors(1, 1);
  c.term->refresh(c.points, sampling);
  Evaluation e;
  e.points = &c.points;
  e.assembly = &a;
  e.project = project;
  LawValues v;
  v.energy = c.term->evaluate(e).value;
  a.finish();
  EXPECT_TRUE(a.missing().empty());
  const int n = a.matrix().pattern().scalar_count();
  v.gradient = Eigen::Map<const Eigen::VectorXd>(a.gradient().data(), n);
  v.hessian.resize(n, n);
  for (int i = 0; i < n; ++i) {
    std::vector<double> unit(static_cast<std::size_t>(n), 0.0), y(static_cast<std::size_t>(n));
    unit[static_cast<std::size_t>(i)] = 1;
    a.matrix().multiply(unit.data(), y.data());
    v.hessian.col(i) = Eigen::Map<Eigen::VectorXd>(y.data(), n);
  }
  return v;
}

inline double energy_of(LawCase& c, Sampling sampling = Sampling::kAnew) {
  c.term->refresh(c.points, sampling);
  Evaluation e;
  e.points = &c.points;
  return c.term->evaluate(e).value;
}

/// Gradient and Hessian against central differences at the present points.
/// @param at  whether samples are chosen there, or are those of the last time
inline void check_derivatives(LawCase& c, Sampling at = Sampling::kAnew) {
  const LawValues v = evaluate_law(c, false, at);
  const Sampling beside = c.keep ? Sampling::kKept : Sampling::kAnew;
  std::vector<Vec3d>& w = c.by_velocity ? c.points.u : c.points.x;
  const double h = c.step * c.length;
  const double g_scale = std::max(v.gradient.cwiseAbs().maxCoeff(), 1e-300);
  const double h_scale = std::max(v.hessian.cwiseAbs().maxCoeff(), 1e-300);
  double g_error = 0, h_error = 0;
  for (int p = 0; p < c.points.size(); ++p) {
    if (c.points.driven(p)) continue;
    for (int k = 0; k < 3; ++k) {
      double& x = w[static_cast<std::size_t>(p)][k];
      const double keep = x;
      x = keep + h;
      const LawValues up = evaluate_law(c, false, beside);
      x = keep - h;
      const LawValues down = evaluate_law(c, false, beside);
      x = keep;
      const int column = 3 * c.points.block(p) + k;
      g_error =
          std::max(g_error, std::abs((up.energy - down.energy) / (2 * h) - v.gradient[column]));
      h_error = std::max(
          h_error,
          ((up.gradient - down.gradient) / (2 * h) - v.hessian.col(column)).cwiseAbs().maxCoeff());
    }
  }
  EXPECT_LE(g_error, c.gradient_tolerance * g_scale) << c.term->name();
  EXPECT_LE(h_error, c.hessian_tolerance * h_scale) << c.term->name();
  EXPECT_LE((v.hessian - v.hessian.transpose()).cwiseAbs().maxCoeff(), 1e-12 * h_scale);
}

/// The smallest eigenvalue of the projected Hessian, relative to the largest.
inline void check_projection(LawCase& c, Sampling sampling = Sampling::kAnew) {
  const LawValues v = evaluate_law(c, true, sampling);
  const Eigen::VectorXd d = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(v.hessian).eigenvalues();
  EXPECT_GE(d.minCoeff(), -1e-10 * std::max(d.maxCoeff(), 1e-300)) << c.term->name();
}

/// Slope and curvature along a line are those of gradient and Hessian; all points free nodes.
inline void check_along(LawCase& c) {
  const LawValues v = evaluate_law(c);
  Random random(9);
  std::vector<double> dz(static_cast<std::size_t>(v.gradient.size()));
  std::vector<Vec3d> du(c.points.u.size());
  for (std::size_t i = 0; i < du.size(); ++i) {
    du[i] = random.vector();
    for (int k = 0; k < 3; ++k) dz[3 * i + static_cast<std::size_t>(k)] = du[i][k];
  }
  Assembly a;
  a.reset(dense_pattern(c.points));
  a.begin_along(c.points, dz, du);
  a.set_factors(1, 1);
  Evaluation e;
  e.points = &c.points;
  e.assembly = &a;
  c.term->evaluate(e);
  const Eigen::Map<const Eigen::VectorXd> d(dz.data(), v.gradient.size());
  EXPECT_NEAR(a.slope(), v.gradient.dot(d), 1e-10 * v.gradient.norm() * d.norm());
  EXPECT_NEAR(a.curvature(), d.dot(v.hessian * d), 1e-10 * v.hessian.norm() * d.squaredNorm());
}

/// Energy under a rigid motion of all points; for velocities, energy of a rigid velocity is zero.
inline void check_rigid_invariance(LawCase& c) {
  const double before = energy_of(c);
  const Quat q = rotation_by({{0.4, -0.7, 0.9}});
  const Mat3d R = to_matrix(q);
  const std::vector<Vec3d> keep = c.points.x;
  for (Vec3d& x : c.points.x) x = R * x + Vec3d{{0.01, -0.02, 0.03}};
  const double after = energy_of(c);
  c.points.x = keep;
  EXPECT_NEAR(after, before, 1e-9 * std::abs(before)) << c.term->name();
}

}  // namespace haptos::test
