#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/sensors/tactile/markers.h"

namespace haptos {
namespace {

struct Coat {
  std::vector<Vec3d> nodes;
  std::vector<Vec3i> triangles;
};

Coat domed_coat(int n = 15, double width = 20e-3) {
  Coat c;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double x = width * (static_cast<double>(i) / n - 0.5);
      const double y = width * (static_cast<double>(j) / n - 0.5);
      c.nodes.push_back({{x, y, -3 * (x * x + y * y)}});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      c.triangles.push_back({{a, a + 1, a + n + 2}});
      c.triangles.push_back({{a, a + n + 2, a + n + 1}});
    }
  return c;
}

const MarkerGrid kGrid{.rows = 5, .cols = 7, .pitch_x = 2.1e-3, .pitch_y = 1.7e-3};

TEST(MarkerSensor, ACoatThatHasNotMovedHasAFlowOfExactlyZero) {
  const Coat c = domed_coat();
  for (const TactileCamera& camera :
       {TactileCamera::orthographic(320, 240, 6e-5), TactileCamera::pinhole(320, 240, 340, 0.02)}) {
    const MarkerReading r = MarkerSensor(camera, c.nodes, c.triangles, kGrid).measure(c.nodes);
    ASSERT_EQ(r.flow.size(), 35u);
    for (std::size_t k = 0; k < r.flow.size(); ++k) {
      for (int d = 0; d < 3; ++d) ASSERT_EQ(r.flow[k][d], 0.0);
      ASSERT_EQ(r.pixel_flow[k][0], 0.0);
      ASSERT_EQ(r.pixel_flow[k][1], 0.0);
      ASSERT_EQ(r.in_view[k], 1);
    }
  }
}

TEST(MarkerSensor, MarkersLieOnTheGridTheyWereAskedForRowZeroAtTheTop) {
  const Coat c = domed_coat();
  const MarkerSensor s(TactileCamera::orthographic(320, 240, 6e-5), c.nodes, c.triangles, kGrid);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) {
      const std::size_t k = static_cast<std::size_t>(i) * 7 + static_cast<std::size_t>(j);
      const Vec3d& p = s.rest_positions()[k];
      ASSERT_NEAR(p[0], (j - 3) * 2.1e-3, 1e-15);
      ASSERT_NEAR(p[1], (2 - i) * 1.7e-3, 1e-15);
      // The chord of the dome lies below it by at most curvature * edge^2 / 8, both directions.
      const double dome = -3 * (p[0] * p[0] + p[1] * p[1]), edge = 20e-3 / 15;
      ASSERT_LE(p[2], dome + 1e-15);
      ASSERT_GE(p[2], dome - 2 * 6 * edge * edge / 8);
      ASSERT_NEAR(s.rest_pixels()[k][1], 119.5 - p[1] / 6e-5, 1e-9);
    }
}

TEST(MarkerSensor, ATranslatedCoatMovesMarkersByTheExactProjection) {
  const Coat c = domed_coat();
  const Vec3d move{{4e-4, -3e-4, -7e-4}};
  std::vector<Vec3d> now = c.nodes;
  for (Vec3d& p : now) p += move;
  const TactileCamera flat = TactileCamera::orthographic(320, 240, 6e-5);
  const MarkerReading r = MarkerSensor(flat, c.nodes, c.triangles, kGrid).measure(now);
  for (std::size_t k = 0; k < r.flow.size(); ++k) {
    for (int d = 0; d < 3; ++d) ASSERT_NEAR(r.flow[k][d], move[d], 1e-17);
    ASSERT_NEAR(r.pixel_flow[k][0], 4e-4 / 6e-5, 1e-10);
    ASSERT_NEAR(r.pixel_flow[k][1], 3e-4 / 6e-5, 1e-10);
  }
  const TactileCamera hole = TactileCamera::pinhole(320, 240, 340, 0.02);
  const MarkerSensor s(hole, c.nodes, c.triangles, kGrid);
  const MarkerReading q = s.measure(now);
  for (std::size_t k = 0; k < q.flow.size(); ++k) {
    const Vec3d a = s.rest_positions()[k], b = a + move;
    const double u = 340 * (b[0] / (b[2] + 0.02) - a[0] / (a[2] + 0.02));
    const double v = -340 * (b[1] / (b[2] + 0.02) - a[1] / (a[2] + 0.02));
    ASSERT_NEAR(q.pixel_flow[k][0], u, 1e-10);
    ASSERT_NEAR(q.pixel_flow[k][1], v, 1e-10);
  }
}

TEST(MarkerSensor, AMarkerCarriedOutOfTheImageIsFlagged) {
  const Coat c = domed_coat();
  std::vector<Vec3d> now = c.nodes;
  for (Vec3d& p : now) p[0] += 4e-3;  // the image is 19.2 mm wide: columns beyond 9.6 mm leave it
  const TactileCamera camera = TactileCamera::orthographic(320, 240, 6e-5);
  const MarkerReading r = MarkerSensor(camera, c.nodes, c.triangles, kGrid).measure(now);
  for (std::size_t k = 0; k < r.in_view.size(); ++k)
    ASSERT_EQ(r.in_view[k], r.position[k][0] < 9.6e-3 ? 1 : 0);
  EXPECT_EQ(r.in_view[6], 0);
  EXPECT_EQ(r.in_view[0], 1);
}

TEST(MarkerSensor, AGridWiderThanTheCoatIsAnError) {
  const Coat c = domed_coat();
  const TactileCamera camera = TactileCamera::orthographic(320, 240, 6e-5);
  EXPECT_THROW(MarkerSensor(camera, c.nodes, c.triangles, {.rows = 5, .cols = 30}), InputError);
  EXPECT_THROW(MarkerSensor(camera, c.nodes, c.triangles, {.rows = 0, .cols = 3}), InputError);
  EXPECT_THROW(MarkerSensor(camera, c.nodes, c.triangles, {.rows = 1 << 20, .cols = 1 << 20}),
               InputError);
}

}  // namespace
}  // namespace haptos
