// Many samples of a pair and the few that stand for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <random>

#include "haptos/base/math/index.h"
#include "haptos/base/math/rotation.h"
#include "haptos/geometry/layer/reduction.h"
#include "layer_cases.h"

namespace haptos {
namespace {

constexpr double kDepth = 1e-3;

// Samples all over a disc of 5 cm about `middle`, deeper to one side; normals lean by up to `lean`.
std::vector<ContactSample> disc(int n, double lean, unsigned seed, const Vec3d& middle) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  const Mat3d r = to_matrix(rotation_by({{0.3, -0.5, 0.2}}));
  std::vector<ContactSample> samples;
  while (static_cast<int>(samples.size()) < n) {
    const double u = any(random), v = any(random);
    if (u * u + v * v > 1) continue;
    ContactSample s;
    s.n = r * normalized(Vec3d{{lean * any(random), lean * any(random), 1}});
    s.gap = -kDepth * (1 + 0.7 * u + 0.3 * any(random));
    s.area = 1e-6 * (1 + 0.5 * any(random));
    s.stiffer = samples.size() % 5 == 0 ? 2 : 1;
    const Vec3d x = middle + r * Vec3d{{0.05 * u, 0.05 * v, 1e-3 * any(random)}};
    s.p_a = x + 0.5 * s.gap * s.n, s.p_b = x - 0.5 * s.gap * s.n;
    s.share = 1.0 / n;
    s.feature_a = static_cast<int>(samples.size()), s.feature_b = 7;
    samples.push_back(s);
  }
  return samples;
}

struct Sums {
  Vec3d force = Vec3d::zero(), torque = Vec3d::zero();
  double stiffness = 0, grip = 0, deepest = 0;
};

// Torques about `o`; grip: what friction of coefficient 1 does against turning about the line n
// through the middle of the force.
Sums sums(const std::vector<ContactSample>& samples, const Vec3d& o) {
  Sums sum;
  double normal = 0;
  Vec3d at = Vec3d::zero();
  for (const ContactSample& s : samples) {
    if (s.gap >= 0) continue;
    const double f = -s.gap * s.area * s.stiffer;
    const Vec3d x = 0.5 * (s.p_a + s.p_b);
    sum.force += f * s.n, sum.torque += f * cross(x - o, s.n);
    sum.stiffness += s.area * s.stiffer, sum.deepest = std::max(sum.deepest, -s.gap);
    normal += f, at += f * x;
  }
  at = at * (1 / normal);
  const Vec3d n = normalized(sum.force);
  for (const ContactSample& s : samples) {
    if (s.gap >= 0) continue;
    sum.grip += -s.gap * s.area * s.stiffer * norm(cross(n, 0.5 * (s.p_a + s.p_b) - at));
  }
  return sum;
}

std::vector<ContactSample> reduced(std::vector<ContactSample> samples, int most = 50) {
  SampleReduction().reduce(samples, most);
  return samples;
}

// How far a set reaches along a direction.
double reach(const std::vector<ContactSample>& samples, const Vec3d& d) {
  double r = -1e300;
  for (const ContactSample& s : samples) r = std::max(r, dot(d, 0.5 * (s.p_a + s.p_b)));
  return r;
}

TEST(Reduction, LeavesFewAsTheyAre) {
  const std::vector<ContactSample> few = disc(50, 0, 1, Vec3d::zero());
  EXPECT_EQ(reduced(few).size(), 50u);
  for (const int n : {50, 51}) {
    std::vector<ContactSample> samples = disc(n, 0, 1, Vec3d::zero());
    EXPECT_EQ(SampleReduction().reduce(samples, 50), n == 51);
  }
  EXPECT_EQ(reduced(disc(500, 0, 1, Vec3d::zero()), 0).size(), 500u);
}

TEST(Reduction, KeepsWhatAFlatContactDoes) {
  const Vec3d middle{{3, -2, 1}};
  for (const unsigned seed : {1u, 2u, 3u}) {
    const std::vector<ContactSample> all = disc(4000, 0, seed, middle), few = reduced(all);
    EXPECT_LE(few.size(), 34u);
    const Sums a = sums(all, middle), b = sums(few, middle);
    EXPECT_LT(norm(b.force - a.force), 1e-12 * norm(a.force));
    EXPECT_LT(norm(b.torque - a.torque), 1e-11 * 0.05 * norm(a.force));
    EXPECT_NEAR(b.stiffness, a.stiffness, 1e-12 * a.stiffness);
    EXPECT_NEAR(b.grip, a.grip, 1e-3 * a.grip);
    EXPECT_EQ(b.deepest, a.deepest);
    for (const ContactSample& s : few) EXPECT_LE(s.gap, 0);
    // The same support: to 1.5 % of the radius in any direction.
    for (int k = 0; k < 40; ++k) {
      const Vec3d d = to_matrix(rotation_by({{0.3, -0.5, 0.2}})) *
                      Vec3d{{std::cos(0.157 * k), std::sin(0.157 * k), 0}};
      EXPECT_LE(reach(few, d), reach(all, d) + 1e-12);
      EXPECT_GT(reach(few, d), reach(all, d) - 7.5e-4);
    }
  }
}

TEST(Reduction, KeepsForceAndTorqueAcrossItOfARoughContact) {
  const Vec3d middle{{0, 0.2, 0}};
  const std::vector<ContactSample> all = disc(6000, 0.3, 5, middle), few = reduced(all);
  EXPECT_LT(few.size(), 240u);
  const Sums a = sums(all, middle), b = sums(few, middle);
  EXPECT_LT(norm(b.force - a.force), 1e-12 * norm(a.force));
  const Vec3d n = normalized(a.force), torque = b.torque - a.torque;
  EXPECT_LT(norm(torque - dot(n, torque) * n), 1e-3 * 0.05 * norm(a.force));
  EXPECT_LT(vabs(dot(n, torque)), 3e-3 * 0.05 * norm(a.force));
  EXPECT_NEAR(b.grip, a.grip, 0.03 * a.grip);
  double area = 0;
  for (const ContactSample& s : few) area += s.share;
  EXPECT_GT(area, 0.9);
}

TEST(Reduction, DoesNotAskForTheOrder) {
  std::vector<ContactSample> all = disc(3000, 0.4, 8, Vec3d::zero());
  std::vector<ContactSample> near = disc(900, 0.4, 9, Vec3d::zero());
  for (ContactSample& s : near) s.gap = 1e-5 - 1e-2 * s.gap;
  all.insert(all.end(), near.begin(), near.end());
  const std::vector<ContactSample> one = reduced(all);
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  const std::vector<ContactSample> other = reduced(all);
  ASSERT_EQ(one.size(), other.size());
  for (const ContactSample& s : one) {
    double least = 1;
    for (const ContactSample& t : other)
      if (s.feature_a == t.feature_a && s.feature_b == t.feature_b)
        least =
            std::min(least, norm(s.p_a - t.p_a) + norm(s.n - t.n) + 1e3 * vabs(s.area - t.area));
    EXPECT_LT(least, 1e-9);
  }
}

TEST(Reduction, NearSamplesKeepTheNearestAndTheirArea) {
  std::vector<ContactSample> near = disc(2000, 0.4, 4, Vec3d::zero());
  double area = 0, least = 1;
  for (ContactSample& s : near) s.gap = -s.gap, area += s.area, least = std::min(least, s.gap);
  const std::vector<ContactSample> few = reduced(near);
  EXPECT_LT(few.size(), 250u);
  double kept = 0, nearest = 1;
  for (const ContactSample& s : few) kept += s.area, nearest = std::min(nearest, s.gap);
  EXPECT_NEAR(kept, area, 1e-12 * area);
  EXPECT_EQ(nearest, least);
  // Of at most 200 the first fifty that come are all there.
  const std::vector<ContactSample> more = reduced(near, 200);
  std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(std::any_of(more.begin(), more.end(), [&](const ContactSample& s) {
      return s.feature_a == near[at_index(i)].feature_a &&
             s.feature_b == near[at_index(i)].feature_b && s.area == near[at_index(i)].area;
    })) << i;
}

// Two rough plates: what is merged changes no faster than what is not.
TEST(Reduction, AWrenchChangesNoMoreThanThePoseDoes) {
  TriMesh plate = cut_plate(0.1, 0.1, 24, 0.3, 3), other = cut_plate(0.13, 0.13, 30, 0.3, 4);
  std::mt19937 random(6);
  std::uniform_real_distribution<double> any(-1, 1);
  for (Vec3d& x : plate.vertices) x[2] += 2e-4 * any(random);
  for (Vec3d& x : other.vertices) x[2] += 2e-4 * any(random);
  const TriangleSoup a(plate), b(other);
  LayerContacts contacts;
  const auto wrench = [&](const Vec3d& shift, const Vec3d& turn, bool merge, std::size_t& count) {
    std::vector<ContactSample> samples;
    contacts.find({&a, {Vec3d{{0.002, 0.001, 4e-3}} + shift, rotation_by(turn)}, 2.5e-3},
                  {&b, {}, 2.5e-3}, 0, samples);
    if (merge) SampleReduction().reduce(samples, 50);
    count = samples.size();
    return sums(samples, Vec3d::zero());
  };
  std::size_t all = 0, few = 0;
  const Sums start = wrench(Vec3d::zero(), Vec3d::zero(), false, all),
             merged = wrench(Vec3d::zero(), Vec3d::zero(), true, few);
  EXPECT_GT(all, 1000u);
  EXPECT_LT(few, 200u);
  EXPECT_LT(norm(merged.force - start.force), 1e-11 * norm(start.force));
  for (const double eps : {1e-9, 1e-7, 1e-5})
    for (int k = 0; k < 6; ++k) {
      Vec3d shift = Vec3d::zero(), turn = Vec3d::zero();
      (k < 3 ? shift : turn)[k % 3] = k < 3 ? eps : eps / 0.07;
      const Sums moved = wrench(shift, turn, true, few);
      EXPECT_LT(norm(moved.force - merged.force), 6 * eps / kDepth * norm(merged.force));
      EXPECT_LT(norm(moved.torque - merged.torque),
                6 * eps / kDepth * 0.07 * norm(merged.force) + 1e-9 * norm(merged.force));
    }
}

}  // namespace
}  // namespace haptos
