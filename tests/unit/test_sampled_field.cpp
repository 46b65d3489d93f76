// Distance fields of meshes: exact at the corners of the grid, with the right side for meshes that
// are open, turned over or hollow.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

void turn_over(TriMesh& m) {
  for (Vec3i& t : m.triangles) std::swap(t[1], t[2]);
}

void append(TriMesh& m, const TriMesh& other) {
  const int first = static_cast<int>(m.vertices.size());
  m.vertices.insert(m.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const Vec3i& t : other.triangles)
    m.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
}

TEST(SampledField, OfABoxIsExactWhereItIsLinearAndHasItsSides) {
  const SampledField field(box({{0.1, 0.1, 0.1}}), 32);
  const Vec3d half{{0.05, 0.05, 0.05}};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-0.052, 0.052);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3d x{{any(random), any(random), any(random)}};
    const double exact = shape_distance(ShapeKind::kBox, half, x).phi;
    if (exact > -8 * field.cell()) worst = std::max(worst, std::abs(field.phi(x) - exact));
    EXPECT_NEAR(field.phi(x), exact, field.slack(x));
    EXPECT_EQ(field.phi(x), field.at(x).phi);
    if (std::abs(exact) > field.cell()) {
      EXPECT_EQ(field.phi(x) < 0, exact < 0);
    }
  }
  EXPECT_LT(worst, 0.5 * field.cell());  // across edges and medial planes
  EXPECT_GT(field.deepest(), 0.03);
  EXPECT_NEAR(field.open(), 0, 0.02);
}

TEST(SampledField, ErrorFallsWithTheSquareOfTheCell) {
  const TriMesh ball = icosphere(0.05, 0.001);
  double last = 0;
  for (const int n : {16, 32, 64}) {
    const SampledField field(ball, n);
    std::mt19937 random(2);
    std::normal_distribution<double> any;
    double worst = 0;
    for (int i = 0; i < 5000; ++i) {
      Vec3d d{{any(random), any(random), any(random)}};
      const Vec3d x = normalized(d) * 0.049;
      worst = std::max(worst, std::abs(field.phi(x) + 0.001));
    }
    if (last > 0) {
      EXPECT_NEAR(last / worst, 4, 1.2);
    }
    last = worst;
  }
  EXPECT_LT(last, 3e-5);
}

TEST(SampledField, GradientIsThatOfItsDifferencesAndNoSteeperThanItSays) {
  const SampledField field(icosphere(0.05, 0.003), 24);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-0.05, 0.05);
  for (int i = 0; i < 5000; ++i) {
    const Vec3d x{{any(random), any(random), any(random)}};
    const auto d = field.at(x);
    for (int k = 0; k < 3; ++k) {
      Vec3d y = x;
      y[k] += 1e-8;
      const double slope = (field.phi(y) - d.phi) / 1e-8;
      if (std::abs(slope - d.gradient[k]) > 1e-4) continue;  // across a face of a cell
      EXPECT_NEAR(slope, d.gradient[k], 1e-4);
    }
    const Vec3d y{{any(random), any(random), any(random)}};
    if (d.phi > 0 || field.phi(y) < 0) {
      EXPECT_LE(std::abs(field.phi(y) - d.phi), field.change(x, d.phi, norm(x - y)) + 1e-9);
    }
    EXPECT_NEAR(d.phi, norm(x) - 0.05, field.slack(x) + 1e-4);
  }
}

TEST(SampledField, SlopesHoldWithinTheWayThatTheySay) {
  // A box has creases, which make slopes differ, a thin wall two of them close to each other.
  Shape box, ball, bumpy, plate;
  box.kind = ShapeKind::kBox, box.size = {{0.03, 0.04, 0.05}};
  ball.kind = ShapeKind::kSphere, ball.size = {{0.05, 0, 0}};
  bumpy.kind = plate.kind = ShapeKind::kMesh;
  bumpy.mesh = std::make_shared<TriMesh>(icosphere(0.05, 0.01));
  plate.mesh = std::make_shared<TriMesh>(haptos::box({{0.1, 0.1, 0.008}}));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-0.06, 0.06), part(-1, 1);
  for (const Shape& shape : {box, ball, bumpy, plate}) {
    const DistanceField field(shape, 48);
    const double cell = field.cell() > 0 ? field.cell() : 0.002;
    int known = 0;
    for (int n = 0; n < 20000; ++n) {
      const Vec3d x{{any(random), any(random), any(random)}};
      const double r = cell * (0.2 + 1.9 * (1 + part(random)));
      SlopeBound slope;
      if (!field.slopes(x, r, slope)) continue;
      ++known;
      const double phi = field.phi(x);
      for (int m = 0; m < 5; ++m) {
        Vec3d way{{part(random), part(random), part(random)}};
        way = way * (r / std::max(norm(way), 1.0));
        const double off = std::abs(field.phi(x + way) - phi - dot(slope.middle, way));
        EXPECT_LE(off, (slope.spread + 1e-6) * norm(way) + 1e-9);
        double along = 1e-9;
        for (int k = 0; k < 3; ++k) along += (slope.along[k] + 1e-6) * std::abs(way[k]);
        EXPECT_LE(off, along);
      }
    }
    EXPECT_GT(known, 1000);
  }
}

TEST(SampledField, OpenMeshesHaveAnInside) {
  TriMesh ball = icosphere(0.05, 0.003);
  const SampledField closed(ball, 32);
  std::erase_if(ball.triangles, [&](const Vec3i& t) {
    return ball.vertices[static_cast<std::size_t>(t[0])][2] > 0.048;
  });
  const SampledField open(ball, 32);
  EXPECT_GT(open.open(), 0.005);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> any(-0.05, 0.05);
  for (int i = 0; i < 20000; ++i) {
    const Vec3d x{{any(random), any(random), any(random)}};
    if (x[2] > 0.03 || std::abs(closed.phi(x)) < closed.cell()) continue;
    EXPECT_EQ(open.phi(x) < 0, closed.phi(x) < 0);
  }
}

TEST(SampledField, WhichWayTheMeshFacesDoesNotMatter) {
  const TriMesh ball = icosphere(0.05, 0.005);
  TriMesh over = ball, mixed = ball;
  turn_over(over);
  for (std::size_t t = 0; t < mixed.triangles.size(); t += 3)
    std::swap(mixed.triangles[t][1], mixed.triangles[t][2]);
  const SampledField a(ball, 24), b(over, 24), c(mixed, 24);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-0.06, 0.06);
  for (int i = 0; i < 3000; ++i) {
    const Vec3d x{{any(random), any(random), any(random)}};
    EXPECT_EQ(a.phi(x), b.phi(x));
    EXPECT_EQ(a.phi(x), c.phi(x));
  }
}

TEST(SampledField, ACavityIsOutsideAndPartsThatOverlapAreOne) {
  TriMesh shell = icosphere(0.05, 0.004), cavity = icosphere(0.03, 0.004);
  turn_over(cavity);
  append(shell, cavity);
  const SampledField hollow(shell, 32);
  EXPECT_GT(hollow.phi(Vec3d::zero()), 0);
  EXPECT_NEAR(hollow.phi({{0.028, 0, 0}}), 0.002, 5e-4);
  EXPECT_NEAR(hollow.phi({{0.033, 0, 0}}), -0.003, 5e-4);
  TriMesh two = icosphere(0.05, 0.004), other = icosphere(0.05, 0.004);
  for (Vec3d& x : other.vertices) x[0] += 0.03;
  append(two, other);
  const SampledField both(two, 32);
  EXPECT_LT(both.phi({{0.015, 0, 0}}), 0);
  EXPECT_LT(both.phi({{-0.04, 0, 0}}), 0);
  EXPECT_GT(both.phi({{-0.055, 0, 0}}), 0);
}

TEST(SampledField, IsTheSameForAnyNumberOfThreads) {
  const TriMesh ball = icosphere(0.05, 0.004);
  set_thread_count(1);
  const SampledField one(ball, 32);
  set_thread_count(5);
  const SampledField five(ball, 32);
  set_thread_count(0);
  std::mt19937 random(6);
  std::uniform_real_distribution<double> any(-0.06, 0.06);
  for (int i = 0; i < 3000; ++i) {
    const Vec3d x{{any(random), any(random), any(random)}};
    EXPECT_EQ(one.phi(x), five.phi(x));
  }
}

TEST(SampledField, RefusesWhatHasNoInsideOrNoRoom) {
  TriMesh sheet;
  sheet.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{1, 1, 0}}, {{0, 1, 0}}};
  sheet.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
  const auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { SampledField(sheet, 32, "cloth"); }).find("enclose"), std::string::npos);
  EXPECT_NE(message([&] { SampledField(TriMesh{}, 32, "cloth"); }).find("cloth"),
            std::string::npos);
  EXPECT_NE(message([&] { SampledField(box({{1, 1, 1}}), 1000); }).find("MiB"), std::string::npos);
  EXPECT_NE(message([&] {
              SampledField(box({{1, 1, 1}}), 2);
            }).find("resolution"),
            std::string::npos);
  TriMesh bad = box({{1, 1, 1}});
  bad.vertices[0][0] = std::nan("");
  EXPECT_NE(message([&] { SampledField(bad, 32); }).find("no number"), std::string::npos);
}

}  // namespace
}  // namespace haptos
