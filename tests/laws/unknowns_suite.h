// The law suite for terms of stiff bodies: gradient and Hessian by the bodies' own unknowns against
// central differences, and convexity.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <memory>
#include <vector>

#include "haptos/bodies/body.h"
#include "haptos/system/point_velocity.h"
#include "haptos/system/term.h"

namespace haptos::test {

class UnknownsCase {
 public:
  explicit UnknownsCase(double h) : h_(h) {}

  BodySlots next_slots() const { return slots_; }
  template <class B>
  B* add(std::unique_ptr<B> body) {
    B* raw = body.get();
    for (const int n : raw->block_sizes()) {
      sizes_.push_back(n);
      ++slots_.first_block;
      slots_.first_scalar += n;
      slots_.first_mass += static_cast<std::ptrdiff_t>(n) * n;
    }
    slots_.first_q += raw->q_count();
    ++slots_.body;
    bodies_.push_back(std::move(body));
    return raw;
  }

  /// Starts the bodies where their specs say, at velocities z, and prepares the term.
  void prepare(Term* term, const std::vector<double>& z) {
    term_ = term;
    const auto n = static_cast<std::size_t>(slots_.first_scalar);
    state_.q.assign(static_cast<std::size_t>(slots_.first_q), 0.0);
    state_.z.assign(n, 0.0);
    points_.finish_permanent();
    mass_.assign(static_cast<std::size_t>(slots_.first_mass), 0.0);
    std::vector<double> z_free(n), length(n), z_past(n), z_hold(n);
    BodyStep step;
    step.h = step.b = h_;
    step.points = &points_;
    step.mass = &mass_;
    step.z_free = &z_free;
    step.length = &length;
    step.z_past = &z_past;
    step.z_hold = &z_hold;
    for (const auto& b : bodies_) b->initialize(state_);
    state_.z = z;
    for (const auto& b : bodies_) b->begin_step(state_, step);
    inverse_mass_.clear();
    std::size_t at = 0;
    for (const int s : sizes_) {
      for (int i = 0; i < s; ++i)
        inverse_mass_.push_back(1 / mass_[at + static_cast<std::size_t>(i * s + i)]);
      at += static_cast<std::size_t>(s * s);
    }
    StepContext context{0, h_, h_, &points_, &state_.z, &inverse_mass_};
    context.history = &state_.history;
    const BlockPattern blocks(sizes_, {});
    context.pattern = &blocks;
    term->prepare(context);
    std::vector<std::array<int, 2>> couplings;
    term->couplings(points_, Coupled::kInThisStep, couplings);
    for (auto& [row, column] : couplings)
      if (row < column) std::swap(row, column);
    assembly_.reset(std::make_shared<BlockPattern>(sizes_, couplings));
  }

  struct Values {
    double energy = 0;
    Eigen::VectorXd gradient;
    Eigen::MatrixXd hessian;
  };
  Values evaluate(const std::vector<double>& z) {
    const BlockPattern& pattern = assembly_.matrix().pattern();
    for (int p = 0; p < points_.size(); ++p) {
      points_.u[static_cast<std::size_t>(p)] = points_.is_sum(p)
                                                   ? points_.sum_of(p, points_.u)
                                                   : internal::velocity(points_, pattern, p, z);
    }
    term_->refresh(points_, Sampling::kAnew);
    assembly_.begin(points_, true, nullptr);
    assembly_.set_factors(1, 1);
    Values v;
    v.energy = term_->evaluate({&points_, &z, &assembly_, false}).value;
    assembly_.finish();
    EXPECT_TRUE(assembly_.missing().empty());
    const int n = pattern.scalar_count();
    v.gradient = Eigen::Map<const Eigen::VectorXd>(assembly_.gradient().data(), n);
    v.hessian.resize(n, n);
    for (int k = 0; k < n; ++k) {
      std::vector<double> e(static_cast<std::size_t>(n), 0.0);
      e[static_cast<std::size_t>(k)] = 1;
      assembly_.matrix().multiply(e.data(), v.hessian.col(k).data());
    }
    return v;
  }

  /// Gradient and Hessian against central differences of steps e, relative to the largest entry;
  /// the Hessian symmetric and without negative eigenvalues.
  void check(const std::vector<double>& z, double e, double gradient_tolerance,
             double hessian_tolerance) {
    const Values v = evaluate(z);
    const double g_size = v.gradient.cwiseAbs().maxCoeff();
    const double h_size = v.hessian.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < v.gradient.size(); ++k) {
      std::vector<double> lo = z, hi = z;
      lo[static_cast<std::size_t>(k)] -= e;
      hi[static_cast<std::size_t>(k)] += e;
      const Values l = evaluate(lo), u = evaluate(hi);
      EXPECT_NEAR((u.energy - l.energy) / (2 * e), v.gradient[k], gradient_tolerance * g_size) << k;
      EXPECT_LE(((u.gradient - l.gradient) / (2 * e) - v.hessian.col(k)).cwiseAbs().maxCoeff(),
                hessian_tolerance * h_size)
          << k;
    }
    EXPECT_LE((v.hessian - v.hessian.transpose()).cwiseAbs().maxCoeff(), 1e-13 * h_size);
    const Eigen::VectorXd d =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(v.hessian).eigenvalues();
    EXPECT_GE(d.minCoeff(), -1e-12 * d.maxCoeff());
  }

  const Points& points() const { return points_; }
  Points& points() { return points_; }

 private:
  double h_;
  BodySlots slots_{0, 0, 0, 0, 0, 0};
  std::vector<int> sizes_;
  std::vector<std::unique_ptr<Body>> bodies_;
  Points points_;
  State state_;
  std::vector<double> mass_, inverse_mass_;
  Assembly assembly_;
  Term* term_ = nullptr;
};

}  // namespace haptos::test
