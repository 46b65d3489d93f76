// Continuous collision detection: against sampled and exact contact times, and against queries with
// an exact ground truth (shared data, B. Wang et al., "A Large Scale Benchmark and an
// Inclusion-Based Algorithm for Continuous Collision Detection", 2021).
#include "haptos/geometry/query/ccd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/geometry/query/advancement.h"
#include "tests/outside_data.h"

namespace haptos {
namespace {

struct Query {
  Vec3d x0[4], x1[4];
};

double accd(bool edges, const Query& q, const AccdOptions& o = {}) {
  return (edges ? accd_edge_edge : accd_point_triangle)(q.x0[0], q.x0[1], q.x0[2], q.x0[3], q.x1[0],
                                                        q.x1[1], q.x1[2], q.x1[3], o);
}
CollideResult collide(bool edges, const Query& q, const CollideOptions& o = {}) {
  return (edges ? may_collide_edge_edge : may_collide_point_triangle)(
      q.x0[0], q.x0[1], q.x0[2], q.x0[3], q.x1[0], q.x1[1], q.x1[2], q.x1[3], o);
}

Vec3d at(const Query& q, int i, double t) { return q.x0[i] + (q.x1[i] - q.x0[i]) * t; }

double distance(bool edges, const Query& q, double t) {
  const Vec3d a = at(q, 0, t), b = at(q, 1, t), c = at(q, 2, t), d = at(q, 3, t);
  return edges ? edge_edge_stencil(a, b, c, d).d : point_triangle_stencil(a, b, c, d).d;
}

double smallest_distance(bool edges, const Query& q, double t_end, int samples) {
  double d = distance(edges, q, 0);
  for (int k = 1; k <= samples; ++k) d = std::min(d, distance(edges, q, t_end * k / samples));
  return d;
}

/// Two features that approach each other with some turning; one in eight meets.
Query random_query(std::mt19937& rng) {
  std::uniform_real_distribution<double> u(-1, 1);
  Query q;
  for (int i = 0; i < 4; ++i) {
    q.x0[i] = {{u(rng), u(rng), u(rng) + (i == 0 ? 1.5 : 0)}};
    q.x1[i] = q.x0[i] + Vec3d{{0.3 * u(rng), 0.3 * u(rng), (i == 0 ? -2 : 0) + 0.3 * u(rng)}};
  }
  return q;
}

/// Contact by the roots of the coplanarity cubic: 1 contact, 0 none, -1 too close to call.
int exact_contact(bool edges, const Query& q) {
  const auto volume = [&](double t) {
    return dot(at(q, 1, t) - at(q, 0, t),
               cross(at(q, 2, t) - at(q, 0, t), at(q, 3, t) - at(q, 0, t)));
  };
  int answer = 0;
  const int n = 2000;
  for (int k = 0; k < n; ++k) {
    double lo = double(k) / n, hi = double(k + 1) / n;
    const double flo = volume(lo), fhi = volume(hi);
    // A double root between two samples shows as a small volume without a change of sign.
    if (std::abs(flo) < 1e-6 && flo * fhi > 0 && answer == 0) answer = -1;
    if (flo * fhi > 0) continue;
    for (int it = 0; it < 60; ++it) {
      const double mid = 0.5 * (lo + hi);
      (volume(mid) * flo > 0 ? lo : hi) = mid;
    }
    const double d = distance(edges, q, lo);
    if (d < 1e-12) return 1;
    if (d < 1e-6) answer = -1;
  }
  return answer;
}

TEST(Accd, KeepsTheFloorAtEverySampleAndStopsNearIt) {
  std::mt19937 rng(1);
  int cut = 0;
  for (int k = 0; k < 2000; ++k) {
    const bool edges = k % 2;
    const Query q = random_query(rng);
    const double d0 = distance(edges, q, 0), t = accd(edges, q);
    ASSERT_GE(smallest_distance(edges, q, t, 200), 0.1 * d0 * (1 - 1e-9)) << k;
    if (t < 1) {
      ++cut;
      EXPECT_LE(distance(edges, q, t), 0.1101 * d0) << k;
    }
  }
  EXPECT_GT(cut, 200);
}

TEST(Accd, HeadOnApproachIsCutToItsShareOfTheGap) {
  Query q{{{{0.2, 0.2, 1}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}},
          {{{0.2, 0.2, -3}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}};
  EXPECT_NEAR(accd(false, q), 0.9 / 4, 1e-12);
  EXPECT_NEAR(accd(false, q, {.slack = 0.2}), 0.8 / 4, 1e-12);
  EXPECT_NEAR(accd(false, q, {.min_separation = 0.5}), 0.45 / 4, 1e-12);
  EXPECT_EQ(accd(false, q, {.t_max = 0.1}), 0.1);
  for (auto& x : q.x1) x += Vec3d{{1e6, -2e6, 3e6}};  // common motion costs nothing
  EXPECT_NEAR(accd(false, q), 0.9 / 4, 1e-8);
  const Query e{{{{-1, 0, 1}}, {{1, 0, 1}}, {{0, -1, 0}}, {{0, 1, 0}}},
                {{{-1, 0, -1}}, {{1, 0, -1}}, {{0, -1, 0}}, {{0, 1, 0}}}};
  EXPECT_NEAR(accd(true, e), 0.9 / 2, 1e-12);
}

TEST(Accd, StartingInContactGivesZero) {
  const Query q{{{{0.2, 0.2, 0}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}},
                {{{0.2, 0.2, 1}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}};
  EXPECT_EQ(accd(false, q), 0.0);
  Query near = q;
  near.x0[0][2] = 1e-3;
  EXPECT_EQ(accd(false, near, {.min_separation = 1e-3}), 0.0);
  EXPECT_EQ(accd(false, near), 1.0);  // leaving
}

TEST(Accd, SlidingAtATinyGapIsFreeInOneTurn) {
  // A vertex slides a metre at a gap of a nanometre: additive advancement would need 1e9 turns.
  const Query q{{{{0.1, 0.1, 1e-9}}, {{-2, -2, 0}}, {{3, 0, 0}}, {{0, 3, 0}}},
                {{{0.9, 0.9, 1e-9}}, {{-2, -2, 0}}, {{3, 0, 0}}, {{0, 3, 0}}}};
  EXPECT_EQ(accd(false, q), 1.0);
  const CollideResult r = collide(false, q);
  EXPECT_FALSE(r.may_collide);
  EXPECT_LE(r.iterations, 3);
}

TEST(Accd, AtTheCapReturnsTheTimeProvenSoFar) {
  std::mt19937 rng(2);
  for (int k = 0; k < 500; ++k) {
    const bool edges = k % 2;
    const Query q = random_query(rng);
    const double d0 = distance(edges, q, 0);
    double last = 0;
    for (int cap : {1, 2, 4, 100}) {
      const double t = accd(edges, q, {.max_iterations = cap});
      EXPECT_GE(t, last);
      EXPECT_GE(smallest_distance(edges, q, t, 100), 0.1 * d0 * (1 - 1e-9));
      last = t;
    }
  }
}

TEST(Accd, PlaneIsExact) {
  const Vec3d n{{0, 0, 1}};
  EXPECT_NEAR(accd_point_plane({{5, 5, 3}}, {{0, 0, -1}}, n, 1.0), 0.9 * 2 / 4, 1e-12);
  EXPECT_EQ(accd_point_plane({{0, 0, 3}}, {{9, 0, 2}}, n, 1.0), 1.0);
  EXPECT_EQ(accd_point_plane({{0, 0, 1}}, {{0, 0, 2}}, n, 1.0), 0.0);
  EXPECT_EQ(accd_point_plane({{0, 0, 0.5}}, {{0, 0, 2}}, n, 1.0), 0.0);
}

TEST(Accd, MotionThatIsNotFiniteProvesNothing) {
  Query q{{{{0.2, 0.2, 1}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}},
          {{{0.2, 0.2, 2}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}};
  for (double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (bool edges : {false, true})
      for (int k = 0; k < 24; ++k) {
        Query b = q;
        (k < 12 ? b.x0 : b.x1)[k % 12 / 3][k % 3] = bad;
        EXPECT_EQ(accd(edges, b), 0.0);
        EXPECT_TRUE(collide(edges, b).may_collide);
      }
  EXPECT_EQ(accd_point_plane({{0, 0, 3}}, {{0, std::nan(""), 2}}, {{0, 0, 1}}, 1.0), 0.0);
}

TEST(Accd, EveryLaneEqualsTheScalarBitForBit) {
  using P = Pack<double, 8>;
  std::mt19937 rng(4);
  for (int round = 0; round < 200; ++round) {
    Query q[8];
    Vec3<P> x0[4], x1[4];
    for (int l = 0; l < 8; ++l) {
      q[l] = random_query(rng);
      if (l == 3) q[l].x1[0] = q[l].x0[0] + Vec3d{{0, 0, 9}};  // done before the others
      for (int i = 0; i < 12; ++i) {
        x0[i / 3][i % 3].set(l, q[l].x0[i / 3][i % 3]);
        x1[i / 3][i % 3].set(l, q[l].x1[i / 3][i % 3]);
      }
    }
    const P tp = time_of_impact(moving_point_triangle(x0, x1), P(0.1), P(0.0), P(1.0), 100);
    const P te = time_of_impact(moving_edge_edge(x0, x1), P(0.1), P(0.0), P(1.0), 100);
    for (int l = 0; l < 8; ++l) {
      ASSERT_EQ(tp[l], accd(false, q[l]));
      ASSERT_EQ(te[l], accd(true, q[l]));
    }
  }
}

TEST(MayCollide, AgreesWithTheCoplanarityRootsOnRandomMotions) {
  std::mt19937 rng(6);
  int contacts = 0, free = 0, unclear = 0;
  for (int k = 0; k < 1000; ++k) {
    const bool edges = k % 2;
    Query q = random_query(rng);
    const int exact = exact_contact(edges, q);
    if (exact < 0) {
      ++unclear;
      continue;
    }
    ASSERT_EQ(collide(edges, q).may_collide, exact == 1) << k;
    (exact ? contacts : free) += 1;
  }
  EXPECT_GT(contacts, 90);
  EXPECT_GT(free, 100);
  EXPECT_LT(unclear, 20);
}

TEST(MayCollide, ToleranceAndCoordinateErrorWidenTheAnswer) {
  const Query q{{{{0.1, 0.1, 1e-5}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}},
                {{{0.3, 0.1, 1e-5}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}}};
  EXPECT_FALSE(collide(false, q).may_collide);
  EXPECT_TRUE(collide(false, q, {.tolerance = 2e-5}).may_collide);
  EXPECT_TRUE(collide(false, q, {.coordinate_error = 1e-5}).may_collide);
  EXPECT_FALSE(collide(false, q, {.coordinate_error = 1e-6}).may_collide);
}

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// num/den of the file as a double; counts the values that a double cannot hold.
double rational(const std::string& num, const std::string& den, int& inexact) {
  const long double n = std::strtold(num.c_str(), nullptr), d = std::strtold(den.c_str(), nullptr);
  int exponent = 0;
  const double v = static_cast<double>(n / d);
  if (v != n / d || std::frexp(d, &exponent) != 0.5L) ++inexact;
  return v;
}

TEST(MayCollide, HasNoFalseNegativeOnExactQueries) {
  HAPTOS_OUTSIDE_FILE(path, "ccd");
  int queries = 0, positives = 0, missed = 0, wrong = 0, inexact = 0, most = 0, uncut = 0;
  std::vector<double> ns;
  std::vector<std::filesystem::path> files;
  for (const auto& f : std::filesystem::recursive_directory_iterator(path))
    if (f.path().extension() == ".csv") files.push_back(f.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const bool edges = file.parent_path().filename() == "edge-edge";
    std::ifstream in(file);
    std::string line, cell[7];
    std::vector<Vec3d> x;
    while (std::getline(in, line)) {
      std::stringstream row(line);
      for (auto& c : cell) std::getline(row, c, ',');
      x.push_back({{rational(cell[0], cell[1], inexact), rational(cell[2], cell[3], inexact),
                    rational(cell[4], cell[5], inexact)}});
      if (x.size() < 8) continue;
      Query q;
      std::copy_n(x.begin(), 4, q.x0);
      std::copy_n(x.begin() + 4, 4, q.x1);
      x.clear();
      const bool truth = cell[6][0] == '1';
      CollideResult r{};
      double best = HUGE_VAL;  // of three, in processor time: other processes are not counted
      for (int repeat = 0; repeat < 3; ++repeat) {
        const double start = thread_seconds();
        r = collide(edges, q);
        best = std::min(best, 1e9 * (thread_seconds() - start));
      }
      ns.push_back(best);
      ++queries;
      positives += truth;
      missed += truth && !r.may_collide;
      wrong += !truth && r.may_collide;
      most = std::max(most, r.iterations);
      // The time of impact stays before the first contact.
      const double t = accd(edges, q), d0 = distance(edges, q, 0);
      uncut += truth && !(t < 1);
      if (t > 0) {
        EXPECT_GE(smallest_distance(edges, q, t, 200), 0.1 * d0 - 1e-14)
            << file << " query " << queries;
      }
    }
  }
  std::sort(ns.begin(), ns.end());
  const double rate = 100.0 * wrong / (queries - positives);
  std::printf(
      "%d queries, %d positives, %d false negatives, %d false positives (%.2f %% of negatives), "
      "median %.0f ns, max %.0f ns, most distance evaluations %d\n",
      queries, positives, missed, wrong, rate, ns[ns.size() / 2], ns.back(), most);
  EXPECT_EQ(queries, 1824);
  EXPECT_EQ(positives, 262);
  EXPECT_EQ(inexact, 0);
  EXPECT_EQ(missed, 0);
  EXPECT_EQ(uncut, 0);
  EXPECT_LE(rate, 5.0);
  EXPECT_LE(most, 64);  // distance evaluations, some in double-double: bounds the time of a query
}

}  // namespace
}  // namespace haptos
