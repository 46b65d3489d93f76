// Merged patches: what they keep, and that they follow a motion without steps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "haptos/base/math/index.h"
#include "haptos/base/math/rotation.h"
#include "haptos/contact/frozen/hydroelastic/merge_patches.h"

namespace haptos {
namespace {

struct Sum {
  Vec3d force = Vec3d::zero(), moment = Vec3d::zero();
  double grip = 0, stiffness = 0;  // of the force against turning about z
};

Sum sum_of(const std::vector<ContactSample>& samples) {
  Sum s;
  for (const ContactSample& c : samples) {
    const Vec3d f = (-c.gap * c.area * c.stiffer) * c.n, x = 0.5 * (c.p_a + c.p_b);
    s.force += f, s.moment += cross(x, f);
    s.grip += norm(f) * std::hypot(x[0], x[1]);
    s.stiffness += c.area * c.stiffer;
  }
  return s;
}

ContactSample patch(const Vec3d& x, const Vec3d& n, double area, double depth) {
  ContactSample c;
  c.n = normalized(n), c.gap = -depth, c.area = area;
  c.p_a = x + (0.5 * c.gap) * c.n, c.p_b = x - (0.5 * c.gap) * c.n;
  return c;
}

// A square of side 2 with a pressure that rises along x.
std::vector<ContactSample> square_patch(int n) {
  std::vector<ContactSample> all;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double x = 2 * (i + 0.5) / n - 1, y = 2 * (j + 0.5) / n - 1;
      all.push_back(patch({{x, y, 0}}, {{0, 0, 1}}, 4.0 / (n * n), 1 + 0.2 * x));
    }
  return all;
}

// Three turns of a thread's flank, 30 degrees off its axis, that leads by a tenth.
std::vector<ContactSample> flank(double turned) {
  std::vector<ContactSample> all;
  for (int i = 0; i < 1500; ++i) {
    const double a = turned + 2 * std::numbers::pi * 3 * i / 1500;
    const Vec3d out{{std::cos(a), std::sin(a), 0}}, along{{-std::sin(a), std::cos(a), 0}};
    const Vec3d n = std::cos(0.5236) * Vec3d{{0, 0, 1}} + std::sin(0.5236) * out - 0.1 * along;
    all.push_back(patch(out + Vec3d{{0, 0, 0.1 * a}}, n, 1e-3, 0.01 * (1 + 0.3 * std::sin(a))));
  }
  return all;
}

void keeps(std::vector<ContactSample> samples, double grip, int most = 200) {
  const Sum before = sum_of(samples);
  const std::size_t count = samples.size();
  PatchMerge().merge(samples, to_matrix(rotation_by({{0.3, 0.2, -0.4}})), most);
  const Sum after = sum_of(samples);
  EXPECT_LE(samples.size(), at_index(most + most / 2));
  EXPECT_LT(samples.size(), count);
  EXPECT_LT(norm(after.force - before.force), 1e-12 * norm(before.force));
  EXPECT_LT(norm(after.moment - before.moment), 1e-8 * norm(before.force));
  EXPECT_NEAR(after.stiffness, before.stiffness, 1e-12 * before.stiffness);
  EXPECT_NEAR(after.grip, before.grip, grip * before.grip);
}

TEST(PatchMerge, KeepsForceMomentAndGripOfAFlatPatch) {
  keeps(square_patch(40), 0.015);
  keeps(square_patch(40), 0.06, 50);
}

TEST(PatchMerge, KeepsWhatAThreadTurnsANutWith) {
  keeps(flank(0.2), 0.02);
  const std::vector<ContactSample> samples = flank(0);
  EXPECT_GT(std::abs(sum_of(samples).moment[2]), 0.05 * sum_of(samples).force[2]);
}

TEST(PatchMerge, KeepsWhatPushesBothWays) {
  std::vector<ContactSample> both = square_patch(30);
  for (const ContactSample& c : square_patch(30))
    both.push_back(patch(0.5 * (c.p_a + c.p_b) + Vec3d{{0, 0, 0.3}}, -c.n, c.area, 0.4));
  const double pushed = sum_of(both).grip;
  keeps(both, 0.02);
  PatchMerge().merge(both, Mat3d::identity(), 200);
  EXPECT_NEAR(sum_of(both).grip, pushed, 0.02 * pushed);
}

TEST(PatchMerge, FollowsAMotionWithoutSteps) {
  // The force of one patch grows from nothing: no contact jumps.
  const auto places = [](double depth) {
    std::vector<ContactSample> all = square_patch(20);
    all.push_back(patch({{1.4, 0.3, 0}}, {{0, 0, 1}}, 0.01, depth));
    PatchMerge().merge(all, Mat3d::identity(), 50);
    Vec3d sum = Vec3d::zero();  // a mean of squares of places, by force
    for (const ContactSample& c : all)
      for (int k = 0; k < 3; ++k)
        sum[k] += -c.gap * c.area * c.stiffer * square(0.5 * (c.p_a + c.p_b)[k]);
    return sum;
  };
  for (const double d : {0.0, 1e-3, 0.1, 0.5})
    EXPECT_LT(norm(places(d + 1e-7) - places(d)), 1e-7) << d;
}

TEST(PatchMerge, FewPatchesStayAsTheyAre) {
  std::vector<ContactSample> few = square_patch(5);
  PatchMerge().merge(few, Mat3d::identity(), 50);
  EXPECT_EQ(few.size(), 25u);
  std::vector<ContactSample> never = square_patch(20);
  PatchMerge().merge(never, Mat3d::identity(), 0);
  EXPECT_EQ(never.size(), 400u);
}

}  // namespace
}  // namespace haptos
