// Newton's search along a line where energies are too large to tell small gains.
#include "haptos/solve/newton/line_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "haptos/solve/newton/newton.h"

namespace haptos {
namespace {

// E(x) = E0 + k (|x| - log(1 + |x|)) along x: from x Newton goes to -x |x|, so from 1 to -1 and
// back, at the same energy. Along y and z k |.|^2 / 2.
class Swing final : public Term {
 public:
  double offset = 0, stiffness = 1;

  const char* name() const override { return "swing"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  Energy evaluate(const Evaluation& e) override {
    const Vec3d& x = e.points->x[0];
    const double a = std::abs(x[0]);
    const double rest = 0.5 * stiffness * (x[1] * x[1] + x[2] * x[2]);
    const double swing = stiffness * (a - std::log1p(a));
    if (e.assembly) {
      WeightedPoint p;
      p.count = 1;
      p.point[0] = 0;
      p.weight[0] = 1;
      e.assembly->add_gradient(p,
                               {{stiffness * x[0] / (1 + a), stiffness * x[1], stiffness * x[2]}});
      Mat3d h = Mat3d::identity() * stiffness;
      h(0, 0) = stiffness / ((1 + a) * (1 + a));
      if (e.assembly->wants_hessian()) e.assembly->add_hessian(p, p, h, true);
    }
    return {offset + swing + rest, offset + swing + rest};
  }
};

TEST(LineSearch, DoesNotSwingForEverWhereRoundingHidesTheEnergy) {
  for (const double offset : {0.0, 1e4}) {
    Swing swing;
    swing.offset = offset;
    swing.stiffness = 1e-12;
    Points points;
    points.add_node(0, 0, 0, {{1, 0, 0}});
    points.finish_permanent();
    Objective objective;
    objective.build({3}, {0, 0, 0}, &points, {&swing});
    std::vector<double> z = {0, 0, 0};
    points.x_start[0] = points.x_base[0] = points.x[0] = {{1, 0, 0}};
    objective.begin_step({0, 1, 1, &points, &z, nullptr});
    NewtonOptions o;
    o.force_floor = 1e-18;
    o.velocity_tolerance = 1e-9;
    o.max_iterations = 60;
    const NewtonReport r = minimise(objective, o, z);
    EXPECT_EQ(r.status, 0u) << offset;
    EXPECT_LE(r.iterations, 12) << offset;
    EXPECT_NEAR(points.x[0][0], 0, 1e-6) << offset;
  }
}

}  // namespace
}  // namespace haptos
