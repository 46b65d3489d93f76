// The balance of forces with nothing lagged, where passes of minimisations jump past it.
#include "haptos/solve/lags/lag_root.h"

#include <gtest/gtest.h>

#include <cmath>

#include "haptos/solve/newton/newton.h"

namespace haptos {
namespace {

constexpr double kPull = 3, kPush = 0.2, kMass = 1e-6;

// Psi = x^4 / 4 - x^2 / 2 - b x along x, (y^2 + z^2) / 2 across, and a lagged force -c x. Under any
// lagged force Psi has its minimum near 1 or -1, and the force that follows throws it to the other
// side; yet x^3 - x + c x = b has a solution, and only one.
class TwoWells final : public Term, public Lagged {
 public:
  const char* name() const override { return "two wells"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  Energy evaluate(const Evaluation& e) override {
    const Vec3d& x = e.points->x[0];
    const double value = std::pow(x[0], 4) / 4 - x[0] * x[0] / 2 + (lag_ - kPush) * x[0] +
                         0.5 * (x[1] * x[1] + x[2] * x[2]);
    if (e.assembly) {
      e.assembly->add_gradient(single(0), {{std::pow(x[0], 3) - x[0] + lag_ - kPush, x[1], x[2]}});
      Mat3d h = Mat3d::identity();
      h(0, 0) = 3 * x[0] * x[0] - 1;
      if (e.project) h(0, 0) = std::max(0.0, h(0, 0));
      if (e.assembly->wants_hessian()) e.assembly->add_hessian(single(0), single(0), h, true);
    }
    return {value, std::abs(value)};
  }
  Lagged* lagged() override { return this; }
  void renew_lags(const Points& points, std::vector<LagRow>& rows) override {
    LagRow r;
    r.was = r.is = true;
    r.used = {{lag_, 0, 0}};
    lag_ = kPull * points.x[0][0];
    r.now = r.next = {{lag_, 0, 0}};
    rows.push_back(r);
  }
  void set_lags(std::span<const LagRow> rows) override { lag_ = rows[0].next[0]; }
  TermReport report() const override { return {1}; }

 private:
  double lag_ = 0;
};

struct Problem {
  TwoWells wells;
  Points points;
  Objective objective;
  std::vector<double> z = {0, 0, 0};
  Problem() {
    points.add_node(0, 0, 0, {{1, 0, 0}});
    points.finish_permanent();
    objective.build({3}, {0, 0, 0}, &points, {&wells});
    points.x_start[0] = points.x_base[0] = points.x[0] = {{1, 0, 0}};
    objective.begin_step({0, 1, 1, &points, &z, nullptr});
    Inertia& inertia = objective.inertia();
    for (const int i : {0, 4, 8}) inertia.mass[static_cast<std::size_t>(i)] = kMass;
  }
};

// Of x^3 - x + c x - b + m (x - 1) = 0.
double solution() {
  const double slope = kPull - 1 + kMass, push = kPush + kMass;
  double x = 0;
  for (int i = 0; i < 50; ++i) x -= (x * x * x + slope * x - push) / (3 * x * x + slope);
  return x;
}

TEST(LagRoot, FindsTheBalanceThatNoMinimisationUnderItsOwnForcesHas) {
  Problem p;
  p.objective.set_trial(p.z, 1.0);
  const LagRootReport r =
      find_lag_root(p.objective, p.z, 20, [&] { return p.objective.residual() < 1e-10; });
  EXPECT_TRUE(r.converged);
  EXPECT_LE(r.iterations, 8);
  EXPECT_NEAR(p.points.x[0][0], solution(), 1e-9);
}

TEST(LagRoot, EndsAStepWhosePassesJump) {
  Problem p;
  NewtonOptions o;
  o.force_tolerance = 1e-9;
  const NewtonReport r = minimise(p.objective, o, p.z);
  EXPECT_EQ(r.status, 0u);
  EXPECT_GT(r.lag_passes, 0);
  EXPECT_NEAR(p.points.x[0][0], solution(), 1e-8);
}

TEST(LagRoot, LeavesTheNearestPointWhereItMayNotGoOn) {
  Problem p;
  p.objective.set_trial(p.z, 1.0);
  const LagRootReport r =
      find_lag_root(p.objective, p.z, 2, [&] { return p.objective.residual() < 1e-12; });
  EXPECT_FALSE(r.converged);
  EXPECT_EQ(r.iterations, 2);
  EXPECT_LT(p.objective.residual(), kPull);  // F(1) = c - b
  EXPECT_NEAR(p.points.x[0][0], 1 + p.z[0], 1e-15);
}

}  // namespace
}  // namespace haptos
