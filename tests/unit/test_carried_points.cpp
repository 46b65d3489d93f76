// Points that links carry, in the objective: velocities and the path together, against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/solve/objective/objective.h"
#include "tests/support.h"

namespace haptos {
namespace {

// The quartic of two points' distance, so that its second derivative is not constant:
// Psi = |a - b|^4 / 4.
class Bond final : public Term {
 public:
  Bond(int a, int b) : a_(a), b_(b) {}
  const char* name() const override { return "bond"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  void couplings(const Points& p, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override {
    if (coupled == Coupled::kAlways && !p.driven(a_) && !p.driven(b_))
      out.push_back({p.block(a_), p.block(b_)});
  }
  Energy evaluate(const Evaluation& e) override {
    const Vec3d d =
        e.points->x[static_cast<std::size_t>(a_)] - e.points->x[static_cast<std::size_t>(b_)];
    const double r2 = dot(d, d);
    if (e.assembly) {
      e.assembly->add_gradient(a_, d * r2);
      e.assembly->add_gradient(b_, d * -r2);
      const Mat3d h = Mat3d::identity() * r2 + outer(d, d) * 2.0;
      e.assembly->add_hessian(a_, a_, h);
      e.assembly->add_hessian(b_, b_, h);
      e.assembly->add_hessian(a_, b_, h * -1.0);
    }
    return {0.25 * r2 * r2, 0.25 * r2 * r2};
  }

 private:
  int a_, b_;
};

TEST(CarriedPoints, GradientAndPathMotionMatchDifferences) {
  test::Random random(3);
  Points points;
  const int columns = 5;
  const int p = points.add_carried(0, 0, 0, random.vector(), columns);
  const int q = points.add_carried(0, 0, 0, random.vector(), columns);  // of the same link
  const int node = points.add_node(1, 1, 0, random.vector());
  const int driven = points.add_driven(2, 0, random.vector());
  points.finish_permanent();
  EXPECT_FALSE(points.node(p));
  EXPECT_TRUE(points.node(node));
  for (const int i : {p, q}) {
    double j[3 * columns];
    for (double& v : j) v = random();
    points.carry(i, random.vector(), random.vector(), random.vector(), j);
  }
  points.x_target[static_cast<std::size_t>(driven)] = random.vector();

  Bond bonds[] = {{p, node}, {p, q}, {q, driven}, {node, driven}};
  Objective f;
  f.build({columns, 3}, std::vector<char>(columns + 3, 0), &points,
          {&bonds[0], &bonds[1], &bonds[2], &bonds[3]});
  EXPECT_TRUE(f.any_driven());
  StepContext context;
  context.h = context.b = 0.7;
  std::vector<double> z(columns + 3);
  for (double& v : z) v = random();
  context.points = &points;
  context.z = &z;
  f.begin_step(context);
  f.prepare();
  for (double& m : f.inertia().mass) m = 0;

  constexpr double kPath = 0.4, kStep = 1e-5;
  const auto gradient = [&](const std::vector<double>& at, double s) {
    f.set_trial(at, s);
    f.assemble(false, false, 0);
    return f.assembly().gradient();
  };
  const std::vector<double> g = gradient(z, kPath);
  // At the end of the path the points are where the link is; at its start they have yet to go the
  // way there.
  f.set_trial(std::vector<double>(z.size(), 0.0), 1.0);
  EXPECT_EQ(
      norm(points.x[static_cast<std::size_t>(p)] - points.x_base[static_cast<std::size_t>(p)]), 0);
  f.set_trial(std::vector<double>(z.size(), 0.0), 0.0);
  const auto at_p = static_cast<std::size_t>(p);
  EXPECT_LT(
      norm(points.x[at_p] - points.x_base[at_p] - points.x_start[at_p] + points.x_target[at_p]),
      1e-15);
  f.set_trial(z, kPath);
  f.assemble(true, false, 1.0);
  const BlockMatrix& h = f.assembly().matrix();
  const auto entry = [&](int i, int j) {
    const auto block = [&](int k) { return k < columns ? 0 : 1; };
    const auto local = [&](int k) { return k < columns ? k : k - columns; };
    int a = i, b = j;
    if (block(a) < block(b)) std::swap(a, b);
    const int e = h.pattern().find(block(a), block(b));
    return h.entry(e)[local(a) * h.pattern().size(block(b)) + local(b)];
  };
  std::vector<std::vector<double>> rows(z.size(), std::vector<double>(z.size()));
  for (std::size_t i = 0; i < z.size(); ++i)
    for (std::size_t j = 0; j < z.size(); ++j)
      rows[i][j] = entry(static_cast<int>(i), static_cast<int>(j));
  const std::vector<double> along = f.assembly().driven_rhs();
  for (std::size_t k = 0; k < z.size(); ++k) {
    std::vector<double> up = z, down = z;
    up[k] += kStep;
    down[k] -= kStep;
    const std::vector<double> a = gradient(up, kPath), b = gradient(down, kPath);
    for (std::size_t i = 0; i < z.size(); ++i)
      EXPECT_NEAR((a[i] - b[i]) / (2 * kStep), rows[i][k], 1e-7) << i << ' ' << k;
    f.set_trial(up, kPath);
    const double high = f.energy().value;
    f.set_trial(down, kPath);
    EXPECT_NEAR((high - f.energy().value) / (2 * kStep), g[k], 1e-8) << k;
  }
  const std::vector<double> a = gradient(z, kPath + kStep), b = gradient(z, kPath - kStep);
  for (std::size_t i = 0; i < z.size(); ++i) {
    EXPECT_NEAR((a[i] - b[i]) / (2 * kStep), along[i], 1e-7) << i;
    EXPECT_GT(std::abs(along[i]), 1e-3) << i;
  }
}

}  // namespace
}  // namespace haptos
