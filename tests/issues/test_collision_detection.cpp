// Collision detection against contacts that are exact by construction: what was missed once, and
// the matrix that holds it. The queries are those of steps: `stencil_step_cap` caps every step of
// live contact, and `time_of_impact` and `may_collide` stand behind it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "haptos/contact/search/stencil_list.h"
#include "haptos/geometry/query/ccd.h"
#include "tests/exact_contacts.h"

namespace haptos {
namespace {

using exact_contacts::Generator;
using exact_contacts::MovingCorners;

CollideResult may_collide(const MovingCorners& m) {
  const Vec3d(&a)[4] = m.x0, (&b)[4] = m.x1;
  return (m.edges ? may_collide_edge_edge : may_collide_point_triangle)(a[0], a[1], a[2], a[3],
                                                                        b[0], b[1], b[2], b[3], {});
}
double time_of_impact(const MovingCorners& m) {
  const Vec3d(&a)[4] = m.x0, (&b)[4] = m.x1;
  return (m.edges ? accd_edge_edge : accd_point_triangle)(a[0], a[1], a[2], a[3], b[0], b[1], b[2],
                                                          b[3], {});
}
/// The share of the motion that a step may make.
double step_cap(const MovingCorners& m) {
  static const StencilPoints corners[1] = {{0, 1, 2, 3}};
  std::vector<Vec3d> x(m.x0, m.x0 + 4), dx(4);
  for (std::size_t i = 0; i < 4; ++i) dx[i] = m.x1[i] - m.x0[i];
  return stencil_step_cap(m.edges ? StencilShape::kEdgeEdge : StencilShape::kPointTriangle, corners,
                          x, dx, 1.0, 1e-3 * m.size);
}
/// Whether a time goes up to the contact or beyond; k and n are small, so the product is exact.
bool reaches(const MovingCorners& m, double t) {
  return m.k == 0 ? t > 0 : static_cast<long double>(t) * m.n >= m.k;
}

struct Missed {
  long contacts = 0, by_may_collide = 0, by_time_of_impact = 0, by_step_cap = 0;
  long iterations = 0, most = 0;

  void count(const MovingCorners& m) {
    ++contacts;
    const CollideResult r = may_collide(m);
    by_may_collide += !r.may_collide;
    by_time_of_impact += reaches(m, time_of_impact(m));
    by_step_cap += reaches(m, step_cap(m));
    iterations += r.iterations;
    most = std::max<long>(most, r.iterations);
  }
};

void expect_none_missed(long contacts, std::uint64_t seed) {
  Generator generate(seed);
  Missed missed;
  for (long i = 0; i < contacts; ++i) missed.count(generate.contact());
  const double mean = static_cast<double>(missed.iterations) / static_cast<double>(contacts);
  std::printf(
      "%ld contacts: missed by may_collide %ld, time_of_impact %ld, step cap %ld; distance "
      "evaluations of may_collide: mean %.2f, most %ld\n",
      missed.contacts, missed.by_may_collide, missed.by_time_of_impact, missed.by_step_cap, mean,
      missed.most);
  EXPECT_EQ(missed.by_may_collide, 0);
  EXPECT_EQ(missed.by_time_of_impact, 0);
  EXPECT_EQ(missed.by_step_cap, 0);
  EXPECT_LE(mean, 12);  // of 250 that the caps in double and double-double allow
}

/// Pairs that an axis keeps apart are told from contact, and may always move: at scales of a body
/// (2^-20 to 2^20), apart by 2^-40 of their size and more, nothing is left to rounding. Only a
/// query that meets its cap of iterations answers "may collide" without need, one in 100,000 at
/// most.
void expect_none_wrong(long pairs, std::uint64_t seed) {
  Generator generate(seed);
  long looked = 0, wrong = 0, capped = 0, no_time = 0, no_step = 0, iterations = 0;
  for (long i = 0; i < pairs; ++i) {
    const MovingCorners m = generate.apart();
    if (m.size < 1e-12 || m.size > 1e15) continue;
    ++looked;
    ASSERT_GE(m.apart, 0x1p-40 * m.size);
    const CollideResult r = may_collide(m);
    const bool cap = r.iterations > CollideOptions().max_iterations;
    wrong += r.may_collide && !cap;
    capped += r.may_collide && cap;
    iterations += r.iterations;
    no_time += time_of_impact(m) == 0;
    no_step += step_cap(m) == 0;
  }
  const double mean = static_cast<double>(iterations) / static_cast<double>(looked);
  std::printf(
      "%ld pairs apart: %ld taken for contact, %ld without time, %ld without a step; %.2f\n",
      looked, wrong, no_time, no_step, mean);
  EXPECT_GT(looked, pairs / 2);
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(1e5 * static_cast<double>(capped), static_cast<double>(looked));
  EXPECT_EQ(no_time, 0);
  EXPECT_EQ(no_step, 0);
  EXPECT_LE(mean, 3);
}

TEST(CollisionDetection, SeesAPointThatMeetsTheEdgeOfATriangleAtHalfTime) {
  // The point is then (-4, 10, 16) = 5/8 (-16, 16, 16) + 3/8 (16, 0, 16).
  const MovingCorners m{false,
                        {{{-2, 10, 16}}, {{-14, 17, 16}}, {{16, -1, 15}}, {{-14, -15, 1}}},
                        {{{-6, 10, 16}}, {{-18, 15, 16}}, {{16, 1, 17}}, {{-18, -17, -1}}},
                        1,
                        2,
                        18,
                        1,
                        0};
  for (int c = 0; c < 3; ++c) {
    const double p = 0.5 * (m.x0[0][c] + m.x1[0][c]), a = 0.5 * (m.x0[1][c] + m.x1[1][c]),
                 b = 0.5 * (m.x0[2][c] + m.x1[2][c]);
    ASSERT_EQ(8 * p, 5 * a + 3 * b);
  }
  EXPECT_TRUE(may_collide(m).may_collide);
  EXPECT_LT(time_of_impact(m), 0.5);
  EXPECT_LT(step_cap(m), 0.5);
}

TEST(CollisionDetection, StopsFlatEdgesBeforeTheyMeetAtHalfTime) {
  const MovingCorners m{true,
                        {{{10067, -89393, 1.2049102783203125}},
                         {{-42292.125, -74322.375, -.4491424560546875}},
                         {{23483, -8700, .0921630859375}},
                         {{-2920, -104289, 1.133026123046875}}},
                        {{{-5113, 9035, -.7429046630859375}},
                         {{51575.875, -44194.375, .8178253173828125}},
                         {{82525, -61130, -1.690521240234375}},
                         {{-1614, -21183, -.48333740234375}}},
                        1,
                        2,
                        1e5,
                        0x1p-16,
                        0};
  EXPECT_TRUE(may_collide(m).may_collide);
  EXPECT_LT(time_of_impact(m), 0.5);
  EXPECT_LT(step_cap(m), 0.5);
}

TEST(CollisionDetection, MissesNoContactThatIsExactByConstruction) {
  expect_none_missed(100'000, 1);
}
TEST(FullCollisionDetection, MissesNoContactOfTenMillion) { expect_none_missed(10'000'000, 2); }

TEST(CollisionDetection, TakesNoPairForContactThatAnAxisKeepsApart) {
  expect_none_wrong(50'000, 3);
}
TEST(FullCollisionDetection, TakesNoPairOfTwoMillionForContact) { expect_none_wrong(2'000'000, 4); }

TEST(CollisionDetection, StopsAPointBeforeAHalfSpaceItMeets) {
  // Integers below 2^20 on an axis: the point reaches the plane at k / n exactly.
  std::mt19937_64 rng(5);
  const auto between = [&](int lo, int hi) {
    return static_cast<double>(std::uniform_int_distribution<int>(lo, hi)(rng));
  };
  for (int i = 0; i < 20'000; ++i) {
    const double n = between(1, 12), k = between(0, static_cast<int>(n));
    const double scale = std::ldexp(1.0, static_cast<int>(between(-20, 20)));
    const double offset = between(-1 << 20, 1 << 20), speed = between(1, 1 << 16);
    const int axis = i % 3;
    const double sign = i % 2 ? 1 : -1;
    Vec3d p0{{between(-999, 999), between(-999, 999), between(-999, 999)}}, p1 = p0;
    Vec3d normal = Vec3d::zero();
    normal[axis] = sign;
    p0[axis] = sign * (offset + k * speed);
    p1[axis] = sign * (offset - (n - k) * speed);
    const double t = accd_point_plane(p0 * scale, p1 * scale, normal, offset * scale);
    if (k == 0) {
      EXPECT_EQ(t, 0);
    } else {
      EXPECT_GT(t, 0);
      EXPECT_LT(static_cast<long double>(t) * n, k);
    }
  }
}

}  // namespace
}  // namespace haptos
