// The direction of a step of a stiff body, bent along rotations.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/bodies/stiff/affine_frame.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kStep = 0.01;

// A frame at rest in some pose, of a block with its centre of mass off the origin.
struct Turning {
  AffineFrame frame;
  std::vector<double> z = std::vector<double>(12, 0.0), mass, free, past, hold, length;
  Points points;

  static AffineFrameSpec spec() {
    TriMesh mesh = box({{0.02, 0.01, 0.03}});
    for (Vec3d& v : mesh.vertices) v += Vec3d{{0.01, 0.005, -0.002}};
    AffineFrameSpec s;
    s.own = s.moments = solid_moments(mesh, 1000);
    s.volume = 6e-6;
    s.pose.q = rotation_by({{0.3, -0.5, 1.1}});
    return s;
  }

  Turning() : frame(BodySlots{}, spec()) {
    for (auto* v : {&free, &past, &hold, &length}) v->assign(12, 0.0);
    mass.assign(144, 0.0);
    State state;
    state.q.assign(12, 0.0);
    state.z.assign(12, 0.0);
    BodyStep step;
    step.h = step.b = kStep;
    step.points = &points;
    step.mass = &mass;
    step.z_free = &free;
    step.z_past = &past;
    step.z_hold = &hold;
    step.length = &length;
    frame.initialize(state);
    frame.begin_step(state, step);
  }

  std::vector<double> at(const std::vector<double>& dz) const {
    std::vector<double> q(12);
    for (std::size_t i = 0; i < 12; ++i) q[i] = frame.base()[i] + kStep * (z[i] + dz[i]);
    return q;
  }

  // The tangent of a turn by `angle` about an axis through the origin, with a motion of the origin.
  std::vector<double> tangent(double angle) const {
    const Vec3d w = normalized(Vec3d{{1, -2, 0.5}}) * angle;
    std::vector<double> dz(12);
    for (std::size_t k = 0; k < 4; ++k) {
      const Vec3d c{{frame.base()[3 * k], frame.base()[3 * k + 1], frame.base()[3 * k + 2]}};
      const Vec3d d = k == 0 ? Vec3d{{angle, 0, -angle}} : cross(w, c);
      for (std::size_t r = 0; r < 3; ++r) dz[3 * k + r] = d[static_cast<int>(r)] / kStep;
    }
    return dz;
  }
};

double strain(const std::vector<double>& q) {
  double worst = 0;
  for (std::size_t i = 3; i < 12; i += 3)
    for (std::size_t j = 3; j < 12; j += 3) {
      const double g = q[i] * q[j] + q[i + 1] * q[j + 1] + q[i + 2] * q[j + 2];
      worst = std::max(worst, std::abs(g - (i == j ? 1.0 : 0.0)));
    }
  return worst;
}

TEST(AffineRetract, TangentOfARotationBecomesARotation) {
  const Turning t;
  const std::vector<double> straight = t.tangent(0.4);
  std::vector<double> bent = straight;
  ASSERT_TRUE(t.frame.retract(t.z, bent));
  EXPECT_GT(strain(t.at(straight)), 0.1);
  EXPECT_LT(strain(t.at(bent)), 1e-14);
  // The centre of mass goes where it went.
  const Vec3d c = t.frame.spec().moments.centre();
  const Vec3d a = AffineFrame::place(t.at(straight).data(), c),
              b = AffineFrame::place(t.at(bent).data(), c);
  EXPECT_LT(norm(a - b), 1e-15);
}

TEST(AffineRetract, StepIsBentInSecondOrderOnly) {
  const Turning t;
  double before = 0;
  for (const double angle : {0.02, 0.01, 0.005}) {
    const std::vector<double> straight = t.tangent(angle);
    std::vector<double> bent = straight;
    ASSERT_TRUE(t.frame.retract(t.z, bent));
    double change = 0;
    for (std::size_t i = 0; i < 12; ++i)
      change = std::max(change, kStep * std::abs(bent[i] - straight[i]));
    EXPECT_LT(change, angle * angle);
    if (before > 0) {
      EXPECT_NEAR(before / change, 4, 0.05);
    }
    before = change;
  }
}

TEST(AffineRetract, StretchOfTheStepIsKept) {
  const Turning t;
  std::vector<double> dz(12, 0.0);
  for (std::size_t i = 3; i < 6; ++i) dz[i] = 0.2 * t.frame.base()[i] / kStep;  // c_0 grows by 20 %
  const std::vector<double> straight = dz;
  ASSERT_TRUE(t.frame.retract(t.z, dz));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(dz[i], straight[i], 1e-12 / kStep);
}

}  // namespace
}  // namespace haptos
