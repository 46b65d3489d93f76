// Chains of tori: links never part. The linking number of two links, the Gauss integral
// over their centre lines,
//
//   Lk = 1/(4 pi) int int (r1 - r2) . (dr1 x dr2) / |r1 - r2|^3,
//
// is a whole number that only a passage of one through the other changes; of polygons it is the sum
// of the solid angles of pairs of segments (van Oosterom and Strackee).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/param_names.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kMajor = 0.02, kMinor = 0.004, kFacet = 0.012, kSupport = 1e-4;  // [m]
constexpr int kSegments = 48;

struct Link {
  std::string name;
  Pose pose;
  bool held = false;
};

// Solid angle of the tetrahedral cone that a pair of segments spans: its part of 4 pi Lk.
double segment_pair(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const Vec3d p[4] = {c - a, d - a, d - b, c - b};
  Vec3d n[4];
  for (int k = 0; k < 4; ++k) {
    n[k] = cross(p[k], p[(k + 1) % 4]);
    const double l = norm(n[k]);
    if (!(l > 0)) return 0;
    n[k] = n[k] * (1 / l);
  }
  double sum = 0;
  for (int k = 0; k < 4; ++k) sum += std::asin(std::clamp(dot(n[k], n[(k + 1) % 4]), -1.0, 1.0));
  const double side = dot(cross(d - c, b - a), c - a);
  return side > 0 ? sum : side < 0 ? -sum : 0;
}

std::vector<Vec3d> centre_line(const Pose& pose) {
  std::vector<Vec3d> line;
  const Mat3d R = to_matrix(pose.q);
  for (int i = 0; i < kSegments; ++i) {
    const double t = 2 * M_PI * i / kSegments;
    line.push_back(R * Vec3d{{kMajor * std::cos(t), kMajor * std::sin(t), 0}} + pose.p);
  }
  return line;
}

double linking_number(const Pose& p, const Pose& q) {
  const std::vector<Vec3d> a = centre_line(p), b = centre_line(q);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j)
      sum += segment_pair(a[i], a[(i + 1) % a.size()], b[j], b[(j + 1) % b.size()]);
  return sum / (4 * M_PI);
}

// A chain along x, every other link turned about it; the first link is held.
std::vector<Link> chain(int n) {
  std::vector<Link> links;
  const double pitch = 2 * (kMajor - kMinor) - 4 * kSupport;
  for (int i = 0; i < n; ++i) {
    Link l;
    l.name = "link " + std::to_string(i);
    l.pose.p = {{i * pitch, 0, 0}};
    if (i % 2) l.pose.q = rotation_by({{M_PI / 2, 0, 0}});
    l.held = i == 0;
    links.push_back(l);
  }
  return links;
}

// A net of n x n rings that lie flat, neighbours joined by upright ones; the corners are held.
std::vector<Link> net(int n) {
  std::vector<Link> links;
  const double pitch = 2 * (kMajor - kMinor) - 4 * kSupport;
  const auto add = [&](double x, double y, const Vec3d& turn, bool held) {
    Link l;
    l.name = "link " + std::to_string(links.size());
    l.pose.p = {{x * pitch, y * pitch, 0}};
    l.pose.q = rotation_by(turn);
    l.held = held;
    links.push_back(l);
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const bool end_i = i == 0 || i == n - 1, end_j = j == 0 || j == n - 1;
      add(2 * i, 2 * j, {{0, 0, 0}}, end_i && end_j);
      if (i + 1 < n) add(2 * i + 1, 2 * j, {{M_PI / 2, 0, 0}}, false);
      if (j + 1 < n) add(2 * i, 2 * j + 1, {{0, M_PI / 2, 0}}, false);
    }
  return links;
}

void run(const std::string& figure, const std::vector<Link>& links, double dt, double time) {
  Scene s;
  s.sim.threads = 1;
  s.sim.dt = dt;
  s.contact.support = kSupport;
  s.newton.force_tolerance = 1e-4;
  s.newton.max_lag_passes = 100;
  s.newton.max_iterations = 1000;
  for (const Link& l : links)
    if (l.held) {
      PrescribedBody b;
      b.name = l.name;
      b.surface = torus(kMajor, kMinor, kFacet);
      b.trajectory = {{0.0, l.pose}};
      b.friction.sticking = 0.2;
      s.prescribed.push_back(b);
    } else {
      AffineBody b;
      b.name = l.name;
      b.surface = torus(kMajor, kMinor, kFacet);
      b.pose = l.pose;
      b.density = 7680;
      b.friction.sticking = 0.2;
      s.affine.push_back(b);
    }
  Sim sim(s);
  test::Watch watch(sim);
  auto pose = [&](const Link& l) { return l.held ? l.pose : sim.affine_pose(l.name); };
  auto numbers = [&] {
    std::vector<int> all;
    for (std::size_t i = 0; i < links.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const Pose p = pose(links[i]), q = pose(links[j]);
        if (norm(p.p - q.p) > 2 * (kMajor + kMinor)) {
          all.push_back(0);
          continue;
        }
        const double lk = linking_number(p, q);
        EXPECT_NEAR(lk, std::round(lk), 1e-6) << links[i].name << ", " << links[j].name;
        all.push_back(static_cast<int>(std::lround(lk)));
      }
    return all;
  };
  const std::vector<int> start = numbers();
  std::size_t linked = 0;
  for (const int n : start) linked += n != 0;
  EXPECT_GE(linked, links.size() - 1);
  const int steps = static_cast<int>(std::lround(time / dt));
  for (int n = 0; n < steps; ++n) {
    ASSERT_TRUE(watch.step());
    ASSERT_EQ(numbers(), start) << "step " << n;
  }
  watch.print(figure);
  EXPECT_LE(watch.highest_energy, 1e-6 * std::abs(watch.initial_energy()) + 1e-9);
}

TEST(Chain, OfThreeLinksSwingsWithoutParting) { run("chain.3", chain(3), 0.005, 0.15); }

class FullChain : public testing::TestWithParam<int> {};
TEST_P(FullChain, SwingsWithoutParting) {
  run("chain." + std::to_string(GetParam()), chain(GetParam()), 0.005, 0.5);
}
INSTANTIATE_TEST_SUITE_P(Links, FullChain, testing::Values(3, 5, 10), test::ParamName());

class FullNet : public testing::TestWithParam<double> {};
TEST_P(FullNet, OfSixteenRingsHangsWithoutParting) {
  run("net.4.dt_" + test::param_word(GetParam()), net(4), GetParam(), 0.1);
}
INSTANTIATE_TEST_SUITE_P(Dt, FullNet, testing::Values(0.01, 0.005, 0.0025), test::ParamName());

}  // namespace
}  // namespace haptos
