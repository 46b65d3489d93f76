// Contact sets of boundary layers, against what is known of them: C1 to C5 and C11 of the checks
// that docs/contact/boundary_layer.md lists.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/geometry/make/shapes.h"
#include "layer_cases.h"

namespace haptos {
namespace {

constexpr double kSize = 0.1, kWidth = 2.5e-3;

Pose raised(double z, double yaw = 0, double x = 0, double y = 0) {
  return {{{x, y, z}}, rotation_by({{0, 0, yaw}})};
}

int touching(const std::vector<ContactSample>& s) {
  return static_cast<int>(
      std::count_if(s.begin(), s.end(), [](const ContactSample& c) { return c.gap < 0; }));
}

TEST(LayerContacts, TwoCubesFaceOnFaceTouchAtFourCorners) {
  const TriangleSoup cube(cut_cube(kSize, 1, 0));
  const auto s = layer_samples(cube, raised(0.104), kWidth, cube, raised(0), kWidth);
  ASSERT_EQ(touching(s), 4);
  for (const ContactSample& c : s) {
    EXPECT_NEAR(c.gap, -1e-3, 1e-15);
    EXPECT_NEAR(c.area, 0.25 * kSize * kSize, 1e-15);
    EXPECT_NEAR(c.n[2], 1, 1e-15);
    EXPECT_NEAR(std::abs(c.p_a[0]), 0.5 * kSize, 1e-15);
    EXPECT_NEAR(0.5 * (c.p_a[2] + c.p_b[2]), 0.052, 1e-15);
  }
}

TEST(LayerContacts, FinerTrianglesAndFlippedOnesChangeNothing) {
  const TriangleSoup cube(cut_cube(kSize, 1, 0));
  const auto s = layer_samples(cube, raised(0.104, 0.3), kWidth, cube, raised(0), kWidth);
  const LayerWrench w = wrench_of(s);
  EXPECT_EQ(touching(s), 8);
  for (int n : {2, 7, 20})
    for (unsigned seed : {1U, 2U}) {
      const TriangleSoup fine(shuffled(cut_cube(kSize, n, 0.3, seed), seed, 0.5));
      EXPECT_EQ(fine.sided(), 12 * n * n);
      EXPECT_EQ(fine.planes().size(), 6U);
      const auto t = layer_samples(fine, raised(0.104, 0.3), kWidth, cube, raised(0), kWidth);
      EXPECT_EQ(touching(t), 8);
      const LayerWrench v = wrench_of(t);
      EXPECT_NEAR(v.area, w.area, 1e-12 * w.area);
      EXPECT_LT(norm(v.force - w.force), 1e-12 * w.load);
      EXPECT_LT(norm(v.moment - w.moment), 1e-12 * w.load);
    }
}

// C2: rotated lists, other numbers, other windings.
TEST(LayerContacts, AnyOrderOfTrianglesGivesTheSameSet) {
  const TriMesh cube = cut_cube(kSize, 3), floor = cut_plate(1, 1, 40, 0.3, 5);
  const auto sorted = [](std::vector<ContactSample> s) {
    std::sort(s.begin(), s.end(), [](const ContactSample& a, const ContactSample& b) {
      for (int k = 0; k < 3; ++k)
        if (std::abs(a.p_a[k] - b.p_a[k]) > 1e-9) return a.p_a[k] < b.p_a[k];
      return a.gap < b.gap;
    });
    return s;
  };
  const Pose pose = {{{0.013, 0.007, 0.0535}}, rotation_by({{0.01, 0.004, 0.3}})};
  const auto first =
      sorted(layer_samples(TriangleSoup(cube), pose, kWidth, TriangleSoup(floor), {}, kWidth));
  ASSERT_GT(first.size(), 3U);
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const TriangleSoup a(shuffled(cube, seed, 0.5)), b(shuffled(floor, seed + 100, 0.5));
    const auto s = sorted(layer_samples(a, pose, kWidth, b, {}, kWidth));
    ASSERT_EQ(s.size(), first.size());
    for (std::size_t k = 0; k < s.size(); ++k) {
      EXPECT_LT(norm(s[k].p_a - first[k].p_a), 1e-12);
      EXPECT_LT(norm(s[k].n - first[k].n), 1e-12);
      EXPECT_NEAR(s[k].gap, first[k].gap, 1e-13);
      EXPECT_NEAR(s[k].area, first[k].area, 1e-14);
    }
  }
}

TEST(LayerContacts, TheTwoSidesMayBeNamedInEitherOrder) {
  const TriangleSoup cube(cut_cube(kSize, 3)), floor(cut_plate(1, 1, 40, 0.3, 5));
  const Pose pose = {{{0.013, 0.007, 0.06}}, rotation_by({{0.4, 0.3, 0.3}})};
  const LayerWrench w = wrench_of(layer_samples(cube, pose, kWidth, floor, {}, 2e-2)),
                    v = wrench_of(layer_samples(floor, {}, 2e-2, cube, pose, kWidth));
  ASSERT_GT(w.load, 0);
  EXPECT_LT(norm(w.force + v.force), 1e-12 * w.load);
  EXPECT_LT(norm(w.moment + v.moment), 1e-12 * w.load);
}

// C3: a pose that is moved by eps [m] or turned by eps [rad].
TEST(LayerContacts, AWrenchChangesNoMoreThanThePoseDoes) {
  const TriangleSoup coarse(cut_cube(kSize, 1, 0)), fine(cut_cube(kSize, 8)),
      floor(cut_plate(1, 1, 40, 0.3, 5));
  const double depth = 1e-3;
  struct Case {
    const TriangleSoup *a, *b;
    double height, yaw;
  };
  const Case cases[] = {{&coarse, &coarse, kSize, 0},
                        {&fine, &coarse, kSize, 0},
                        {&fine, &fine, kSize, 0.3},
                        {&fine, &floor, 0.5 * kSize, 0.3},
                        {&coarse, &floor, 0.5 * kSize, 0}};
  for (const Case& c : cases) {
    const double z = c.height + 2 * kWidth - depth;
    const LayerWrench w =
        wrench_of(layer_samples(*c.a, raised(z, c.yaw), kWidth, *c.b, raised(0), kWidth));
    for (double eps : {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4})
      for (int axis = 0; axis < 6; ++axis) {
        Pose p = raised(z, c.yaw);
        Vec3d turn = Vec3d::zero();
        if (axis < 3)
          p.p[axis] += eps;
        else
          turn[axis - 3] = eps;
        p.q = rotation_by(turn) * p.q;
        const LayerWrench v = wrench_of(layer_samples(*c.a, p, kWidth, *c.b, raised(0), kWidth));
        const double bound = 3 * eps / depth + 1e-12;
        EXPECT_LT(norm(v.force - w.force), bound * w.load) << "axis " << axis << " eps " << eps;
        EXPECT_LT(norm(v.moment - w.moment), bound * w.load * kSize)
            << "axis " << axis << " eps " << eps;
      }
  }
}

// C4: a box that slides over floors cut in several ways.
TEST(LayerContacts, ASweepOverAnyFloorKeepsForceAndCentre) {
  const TriangleSoup floors[] = {TriangleSoup(cut_plate(1, 1, 1, 0, 1)),
                                 TriangleSoup(cut_plate(1, 1, 40, 0.3, 2)),
                                 TriangleSoup(cut_plate(1, 1, 400, 0.3, 3))};
  const TriangleSoup cubes[] = {TriangleSoup(cut_cube(kSize, 1, 0)),
                                TriangleSoup(cut_cube(kSize, 32))};
  const double depth = 1e-3;
  LayerContacts contacts;
  std::vector<ContactSample> s;
  for (const TriangleSoup& floor : floors) {
    const int stride = floor.faces().size() > 10000 ? 8 : 1;
    for (const TriangleSoup& cube : cubes)
      for (int step = 0; step < 200; step += stride) {
        const double x = 0.05e-3 * step;
        const Pose pose = raised(0.5 * kSize + 2 * kWidth - depth, 0.3, x, 0.01);
        s.clear();
        contacts.find({&cube, pose, kWidth}, {&floor, {}, kWidth}, 0, s);
        const LayerWrench w = wrench_of(s);
        ASSERT_NEAR(w.force[2], depth * kSize * kSize, 1e-10 * kSize * kSize);
        ASSERT_NEAR(w.area, kSize * kSize, 1e-10);
        ASSERT_NEAR(w.centre[0], x, 1e-9);
        ASSERT_NEAR(w.centre[1], 0.01, 1e-9);
        double reach = 0;  // of the hull: the corners of the face
        for (const ContactSample& c : s) reach = std::max(reach, norm(c.p_a - pose.p));
        ASSERT_NEAR(reach, std::hypot(0.5 * kSize * std::sqrt(2.0), 0.5 * kSize + kWidth), 1e-9);
      }
  }
}

// C12: rough sheets on each other, whose many faces are shared out.
TEST(LayerContacts, AnyNumberOfThreadsFindsTheSame) {
  const auto rough = [](unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> height(-0.4 * kWidth, 0.4 * kWidth);
    return TriangleSoup(cut_grid(70, 70, 0.3, seed, true, [&](double u, double v) {
      return Vec3d{{0.2 * u - 0.1, 0.2 * v - 0.1, height(random)}};
    }));
  };
  const TriangleSoup a = rough(1), b = rough(2);
  std::vector<ContactSample> alone, s;
  for (const int threads : {1, 2, 3, 8}) {
    set_thread_count(threads);
    LayerContacts contacts;
    s.clear();
    contacts.find({&a, raised(1.5 * kWidth, 0.3), kWidth}, {&b, raised(0), kWidth}, 1e-4, s);
    if (threads == 1) {
      alone = s;
      ASSERT_GT(alone.size(), 2000U);
    }
    ASSERT_EQ(s.size(), alone.size());
    for (std::size_t k = 0; k < s.size(); ++k) {
      ASSERT_EQ(s[k].gap, alone[k].gap);
      ASSERT_EQ(s[k].share, alone[k].share);
      ASSERT_EQ(s[k].feature_a, alone[k].feature_a);
      ASSERT_EQ(s[k].feature_b, alone[k].feature_b);
      for (int d = 0; d < 3; ++d) {
        ASSERT_EQ(s[k].p_a[d], alone[k].p_a[d]);
        ASSERT_EQ(s[k].n[d], alone[k].n[d]);
      }
    }
  }
  set_thread_count(0);
}

// C11: a sheet that is open, pressed from either side.
TEST(LayerContacts, AnOpenSheetIsTheSameFromBothSides) {
  const TriangleSoup sheet(shuffled(cut_plate(0.3, 0.3, 12, 0.3, 3), 4, 0.5)),
      cube(cut_cube(kSize, 4));
  EXPECT_EQ(sheet.sided(), 0);
  const double z = 0.5 * kSize + 2 * kWidth - 1e-3;
  const LayerWrench above = wrench_of(layer_samples(cube, raised(z), kWidth, sheet, {}, kWidth)),
                    below = wrench_of(layer_samples(cube, raised(-z), kWidth, sheet, {}, kWidth));
  EXPECT_NEAR(above.force[2], 1e-3 * kSize * kSize, 1e-12);
  EXPECT_LT(norm(above.force + below.force), 1e-12 * above.load);
  EXPECT_NEAR(above.area, below.area, 1e-12);
}

TEST(LayerContacts, DoubledFacesAndTJunctionsChangeNothing) {
  const TriangleSoup cube(cut_cube(kSize, 4));
  const Pose pose = raised(0.5 * kSize + 2 * kWidth - 1e-3, 0.3);
  const TriMesh plate = cut_plate(1, 1, 40, 0.3, 5);
  TriMesh doubled = plate;
  append(doubled, plate, {});
  // Four plates cut differently, side by side: their common edges do not fit.
  TriMesh patches;
  for (int k = 0; k < 4; ++k)
    append(patches, cut_plate(0.5, 0.5, 11 + 5 * k, 0.3, 7 + static_cast<unsigned>(k)),
           raised(0, 0, k % 2 ? 0.25 : -0.25, k / 2 ? 0.25 : -0.25));
  const LayerWrench w =
      wrench_of(layer_samples(cube, pose, kWidth, TriangleSoup(plate), {}, kWidth));
  for (const TriMesh* m : {&doubled, &patches}) {
    const LayerWrench v =
        wrench_of(layer_samples(cube, pose, kWidth, TriangleSoup(shuffled(*m, 3)), {}, kWidth));
    EXPECT_NEAR(v.area, w.area, 1e-9 * w.area);
    EXPECT_LT(norm(v.force - w.force), 1e-9 * w.load);
    EXPECT_LT(norm(v.moment - w.moment), 1e-9 * w.load);
  }
}

// A vertex comes nearer to a plane along the plane's normal, however its faces lie.
TEST(LayerContacts, TheTipOfABallPushesAlongThePlaneUnderIt) {
  const TriangleSoup ball(icosphere(0.05, 0.008)), plate(cut_plate(1, 1, 3, 0.3, 2));
  for (const double tilt : {0.0, 0.3, 1.1, 2.0}) {
    Pose pose{{{0.01, 0.02, 0}}, rotation_by({{tilt, -0.4 * tilt, 0.2}})};
    double lowest = 1;
    for (const Vec3d& x : ball.vertices()) lowest = std::min(lowest, (pose * x)[2]);
    for (const double depth : {1e-7, 3e-6, 3e-5}) {
      pose.p[2] = 2 * kWidth - depth - lowest;
      const auto s = layer_samples(ball, pose, kWidth, plate, {}, kWidth);
      ASSERT_GT(touching(s), 0);
      for (const ContactSample& c : s) {
        if (c.gap < 0) {
          EXPECT_NEAR(c.n[2], 1, 1e-12) << tilt << " " << depth;
        }
      }
    }
  }
}

// Of what is near and does not touch the first to come bears all, what comes together its part.
TEST(LayerContacts, WhatComesFirstHasTheWholeShare) {
  const TriangleSoup cube(cut_cube(kSize, 1, 0)), plate(cut_plate(1, 1, 1, 0, 1));
  LayerContacts contacts;
  const auto shares = [&](double tilt) {
    const double low = 0.5 * kSize * (std::cos(tilt) + std::sin(tilt));
    const Pose pose{{{0, 0, low + 2 * kWidth + 1e-6}}, rotation_by({{0, tilt, 0}})};
    std::vector<ContactSample> s;
    contacts.find({&cube, pose, kWidth}, {&plate, {}, kWidth}, 4e-4, s);
    std::sort(s.begin(), s.end(), [](const auto& a, const auto& b) { return a.gap < b.gap; });
    return s;
  };
  const auto level = shares(0);
  ASSERT_EQ(level.size(), 4u);
  for (const ContactSample& c : level) EXPECT_NEAR(c.share, 0.25, 1e-9);
  // Two corners at 1 um, two 1 to 300 um higher.
  double last = 0.25;
  for (const double tilt : {1e-5, 1e-4, 3e-3}) {
    const auto s = shares(tilt);
    ASSERT_GE(s.size(), 4u);
    EXPECT_NEAR(s[0].share, s[1].share, 1e-9);
    EXPECT_GT(s[0].share, last - 1e-12);
    EXPECT_LE(s[0].share + s[1].share, 1 + 1e-12);
    EXPECT_LT(s[3].share, 0.5);
    last = s[0].share;
  }
  EXPECT_GT(2 * last, 0.99);
}

// A corner beside a thin ridge lies behind its far flank, and a ball over a box behind the face
// below: they are outside, and not deep. Nothing outside is deeper than its layers.
TEST(LayerContacts, WhatIsBehindAFaceButOutsideIsNotDeep) {
  TriMesh ridge;  // .4 mm thick, 20 mm high
  for (const double y : {-0.05, 0.05})
    for (const Vec2d& p : {Vec2d{{-2e-4, 0}}, Vec2d{{2e-4, 0}}, Vec2d{{0, 0.02}}})
      ridge.vertices.push_back({{p[0], y, p[1]}});
  ridge.triangles = {{{0, 1, 2}}, {{3, 5, 4}}, {{0, 3, 4}}, {{0, 4, 1}},
                     {{1, 4, 5}}, {{1, 5, 2}}, {{2, 5, 3}}, {{2, 3, 0}}};
  const TriangleSoup thin(ridge), cube(cut_cube(0.01, 1));
  ASSERT_EQ(thin.sided(), 8);
  for (const double beside : {5e-4, 1e-3, 2e-3})
    for (const double turn : {0.0, 0.3}) {
      const Pose pose{{{-beside - 0.0064, 0, 0.012}}, rotation_by({{0, turn, 0}})};
      for (const ContactSample& s : layer_samples(cube, pose, 2.5e-3, thin, {}, 2.5e-3, 1e-2)) {
        EXPECT_GE(s.gap, -5e-3) << beside << " " << turn;
        if (s.gap < 0) EXPECT_LT(s.n[0], 0.2) << beside << " " << turn;
      }
    }
  TriMesh point;
  point.vertices.push_back(Vec3d::zero());
  point.points.push_back(0);
  const TriangleSoup ball(point), box(cut_cube(0.1, 1));
  for (const ContactSample& s :
       layer_samples(ball, {{{-0.0125, 0, 0.103}}, {}}, 0.051, box, {}, 1e-3, 0.1))
    EXPECT_GT(s.gap, 0);
}

// Whichever of the two is finer. After crosses() had looked at the coarser one first, the way out
// was the way in.
TEST(LayerContacts, WhatCrossesIsPushedApartFromEitherSide) {
  const TriangleSoup coarse(cut_cube(0.1, 1)), fine(cut_cube(0.1, 7));
  const Pose up{{{0.004, -0.003, 0.07}}, rotation_by({{0, 0, 0.3}})};
  for (const bool fine_above : {false, true})
    for (const bool above_first : {false, true}) {
      const LayerSurface above{fine_above ? &fine : &coarse, up, 1e-3},
          below{fine_above ? &coarse : &fine, {}, 1e-3};
      const LayerSurface &a = above_first ? above : below, &b = above_first ? below : above;
      LayerContacts contacts;
      std::vector<ContactSample> out;
      ASSERT_TRUE(contacts.crosses(a, b));
      contacts.find_crossed(a, b, out);
      ASSERT_FALSE(out.empty());
      for (const ContactSample& s : out) EXPECT_GT(s.n[2] * (above_first ? 1 : -1), 0.9);
    }
}

TEST(LayerContacts, HolesLeaveABoxItsInsideAndAnOpenTubeHasNone) {
  TriMesh punched = cut_cube(kSize, 12);
  const auto total = punched.triangles.size();
  std::erase_if(punched.triangles, [&, k = 0](const Vec3i&) mutable { return ++k % 21 == 0; });
  EXPECT_LT(punched.triangles.size(), total);
  EXPECT_EQ(TriangleSoup(punched).sided(), static_cast<int>(punched.triangles.size()));
  TriMesh tube = cut_cube(kSize, 12);
  std::erase_if(tube.triangles, [&](const Vec3i& t) {
    double z = 0;
    for (int k = 0; k < 3; ++k) z += tube.vertices[at_index(t[k])][2] / 3;
    return std::abs(z) > 0.4999 * kSize;  // top and bottom
  });
  EXPECT_EQ(tube.triangles.size(), 4U * 288U);
  EXPECT_EQ(TriangleSoup(tube).sided(), 0);
}

}  // namespace
}  // namespace haptos
