// What live friction lags, as rows: contacts that come and go between two minimisations.
#include <gtest/gtest.h>

#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

constexpr double kSupport = 1e-4, kMu = 0.5;

// A cube whose lower corners touch the ground.
struct Cube {
  TriMesh mesh = box({{1e-2, 1e-2, 1e-2}});
  Points points;
  std::vector<int> low;  // points of the lower corners
  std::unique_ptr<ContactSurface> surface;
  std::unique_ptr<ContactTerm> term;
  ContactHistory history;

  Cube() {
    std::vector<int> of;
    for (const Vec3d& v : mesh.vertices) {
      const int p = static_cast<int>(of.size());
      of.push_back(points.add_node(p, 0, 0, v + Vec3d{{0, 0, 0.5e-2 + 0.5 * kSupport}}));
      if (v[2] < 0) low.push_back(p);
    }
    points.finish_permanent();
    points.x = points.x_start = points.x_base;
    surface = std::make_unique<ContactSurface>(mesh, of, 0, 0, false);
    LiveSetup setup;
    setup.support = kSupport;
    setup.friction = {kMu, kMu, 0};
    term = make_half_space_term(surface.get(), {{0, 0, 1}}, 0, 1, setup);
    StepContext c;
    c.h = c.b = 0.01;
    c.points = &points;
    c.history = &history;
    term->prepare(c);
  }

  std::vector<LagRow> renew() {
    term->refresh(points, Sampling::kAnew);
    std::vector<LagRow> rows;
    term->lagged()->renew_lags(points, rows);
    return rows;
  }
  double& height(int corner) {
    return points.x[static_cast<std::size_t>(low[static_cast<std::size_t>(corner)])][2];
  }
};

TEST(Lagged, EveryContactThatWasOrIsHasARow) {
  Cube c;
  ASSERT_EQ(c.low.size(), 4u);
  std::vector<LagRow> rows = c.renew();
  ASSERT_EQ(rows.size(), 4u);
  for (const LagRow& r : rows) {
    EXPECT_TRUE(r.was && r.is);
    EXPECT_GT(r.now[2], 0);
    EXPECT_EQ(norm(r.now - r.used), 0);
    EXPECT_EQ(norm(r.now - r.next), 0);
  }
  const double before = rows[1].now[2];
  c.height(1) = 2 * kSupport;    // opens
  c.height(2) = 0.4 * kSupport;  // presses more
  rows = c.renew();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[1].was && !rows[1].is);
  EXPECT_EQ(rows[1].used[2], before);
  EXPECT_EQ(norm(rows[1].now), 0);
  EXPECT_GT(rows[2].now[2], rows[2].used[2]);
  rows = c.renew();
  EXPECT_EQ(rows.size(), 3u);  // what has been gone for a pass is forgotten
  c.height(1) = 0.5 * kSupport;
  rows = c.renew();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(!rows[1].was && rows[1].is);
}

TEST(Lagged, WhatIsSetIsWhatTheNextMinimisationIsMadeWith) {
  Cube c;
  c.height(1) = 2 * kSupport;
  std::vector<LagRow> rows = c.renew();
  rows[0].next = rows[0].now * 0.5;
  rows[1].next = rows[1].used;        // carries again, though it has opened
  rows[2].next = rows[2].now * -1.0;  // an extrapolation beyond 0 carries nothing
  c.term->lagged()->set_lags(rows);
  const std::vector<LagRow> later = c.renew();
  ASSERT_EQ(later.size(), 4u);
  for (const std::size_t k : {0, 1, 3})
    EXPECT_NEAR(norm(later[k].used - rows[k].next), 0, 1e-15 * norm(rows[3].now)) << k;
  EXPECT_EQ(norm(later[2].used), 0);
  EXPECT_TRUE(later[1].was && !later[1].is);
}

TEST(Lagged, WithoutFrictionNothingIs) {
  const Cube c;
  LiveSetup setup;
  setup.support = kSupport;
  EXPECT_EQ(make_half_space_term(c.surface.get(), {{0, 0, 1}}, 0, 1, setup)->lagged(), nullptr);
}

}  // namespace
}  // namespace haptos
