#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/sensors/tactile/depth.h"
#include "haptos/sensors/tactile/markers.h"

namespace haptos {
namespace {

struct Sheet {
  std::vector<Vec3d> nodes;
  std::vector<Vec3i> triangles;
};

// A sheet of n x n cells, `width` wide, at height z(x, y).
template <class Height>
Sheet sheet(int n, double width, Height z) {
  Sheet s;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const double x = width * (static_cast<double>(i) / n - 0.5);
      const double y = width * (static_cast<double>(j) / n - 0.5);
      s.nodes.push_back({{x, y, z(x, y)}});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      s.triangles.push_back({{a, a + 1, a + n + 2}});
      s.triangles.push_back({{a, a + n + 2, a + n + 1}});
    }
  return s;
}
Sheet flat(int n, double width = 30e-3) {
  return sheet(n, width, [](double, double) { return 0.0; });
}

// Every kind that there is; the lenses bend edges of a coarse coat by several pixels.
std::vector<TactileCamera> cameras() {
  return {TactileCamera::orthographic(160, 120, 12e-5), TactileCamera::pinhole(160, 120, 170, 0.02),
          TactileCamera::pinhole(160, 120, 170, 0.02, -0.25, 0.05),
          TactileCamera::pinhole(160, 120, 170, 0.02, 0.3, 0.1),
          TactileCamera::fisheye(160, 120, 150, 0.012)};
}

TEST(TactileCamera, SlopesAreTheInverseOfTheProjection) {
  for (const TactileCamera& c : cameras()) {
    double worst = 0;
    for (double u = 0; u < c.width; u += 13)
      for (double v = 0; v < c.height; v += 7) {
        const Vec3d p = c.point_at({{u, v}}, -1e-3);
        EXPECT_EQ(p[2], -1e-3);
        const Vec2d back = c.project(p);
        worst = std::max({worst, std::abs(back[0] - u), std::abs(back[1] - v)});
      }
    EXPECT_LE(worst, 1e-9);
  }
}

TEST(TactileCamera, FisheyeIsEquidistantAndUndistortsToAPinhole) {
  const TactileCamera c = TactileCamera::fisheye(400, 400, 120, 0.01);
  for (const double theta : {0.0, 0.2, 0.7, 1.2}) {
    const Vec3d p{{0.01 * std::tan(theta), 0, 0}};
    const Vec2d u = c.project(p);
    EXPECT_NEAR(u[0] - c.cx, 120 * theta, 1e-9);
    EXPECT_NEAR(c.undistort(u)[0] - c.cx, 120 * std::tan(theta), 1e-7);
  }
  EXPECT_TRUE(std::isnan(c.project({{0.01, 0, -0.011}})[0]));
  EXPECT_TRUE(std::isnan(c.point_at({{c.cx + 120 * 1.6, c.cy}}, 0)[0]));
}

TEST(TactileCamera, DistortionIsBrownsPolynomialAndEndsWhereItStopsGrowing) {
  const TactileCamera c = TactileCamera::pinhole(320, 240, 200, 0.02, -0.2, 0.01);
  const double r = 0.6, g = 1 - 0.2 * r * r + 0.01 * r * r * r * r;
  EXPECT_NEAR(c.project({{0.02 * r, 0, 0}})[0] - c.cx, 200 * r * g, 1e-9);
  // 1 - 0.6 s + 0.05 s^2 = 0 at s = 2
  EXPECT_TRUE(std::isfinite(c.project({{0.02 * std::sqrt(1.99), 0, 0}})[0]));
  EXPECT_TRUE(std::isnan(c.project({{0.02 * std::sqrt(2.01), 0, 0}})[0]));
}

TEST(TactileCamera, NumbersThatAreNotFiniteAreRefused) {
  TactileCamera c = TactileCamera::pinhole(32, 24, 30, 0.02, NAN);
  EXPECT_THROW(c.check(), InputError);
  c = TactileCamera::fisheye(32, 24, -1, 0.02);
  EXPECT_THROW(c.check(), InputError);
}

// The exact depth along each pixel's ray of a plane z = z0 + slope x, on few large triangles.
TEST(TactileFrames, APlaneTiltedByTenDegreesReadsTenDegreesUnderEveryCamera) {
  const double slope = std::tan(10 * M_PI / 180), z0 = -2.5e-3;
  for (const TactileCamera& c : cameras()) {
    const Sheet s = flat(8, 60e-3);
    std::vector<Vec3d> tilted = s.nodes;
    for (Vec3d& p : tilted) p[2] = z0 + slope * p[0];
    const DepthSensor sensor(c, s.nodes, s.triangles);
    const DepthImage image = sensor.measure(tilted);
    const std::vector<float> rest = sensor.rest_height();
    const std::vector<Vec3d> points = image_points(c, image, rest);
    double worst_angle = 0, worst_depth = 0;
    for (int row = 0; row < c.height; ++row)
      for (int col = 0; col < c.width; ++col) {
        const Vec3d n = image.normal_at(row, col);
        worst_angle = std::max(worst_angle, std::abs(std::acos(n[2]) * 180 / M_PI - 10));
        EXPECT_LT(n[0], 0);
        const int pixel = row * c.width + col;
        const Vec3d& p = points[static_cast<std::size_t>(pixel)];
        worst_depth = std::max(worst_depth, std::abs(p[2] - z0 - slope * p[0]));
        // Depth is along the ray.
        const double ray = -image.at(row, col);
        const Vec3d at_rest = c.point_at({{double(col), double(row)}}, 0);
        const double t = c.central()
                             ? (z0 + slope * at_rest[0]) / (1 - slope * at_rest[0] / c.distance)
                             : z0 + slope * at_rest[0];
        ASSERT_NEAR(ray, t, 2e-6);
      }
    std::printf("FIGURE tactile_frames.tilted_plane.camera%d.k%.2f = %.1e deg, %.2e mm\n",
                static_cast<int>(c.kind), c.k1, worst_angle, 1e3 * worst_depth);
    EXPECT_LE(worst_angle, 0.05);
    EXPECT_LE(worst_depth, c.distorted() ? 1.5e-6 : 2e-8);
  }
}

TEST(TactileFrames, ATranslatedMarkerMovesByItsExactProjection) {
  const Vec3d shift{{0.4e-3, -0.3e-3, -0.5e-3}};
  MarkerGrid grid;
  grid.rows = 5, grid.cols = 5;
  for (const TactileCamera& c : cameras()) {
    const Sheet s = flat(10);
    std::vector<Vec3d> moved = s.nodes;
    for (Vec3d& p : moved) p += shift;
    const MarkerSensor sensor(c, s.nodes, s.triangles, grid);
    const MarkerReading r = sensor.measure(moved, true);
    for (std::size_t k = 0; k < sensor.count(); ++k) {
      const Vec3d& p = sensor.rest_positions()[k];
      const Vec2d expected = c.project(p + shift) - c.project(p);
      ASSERT_NEAR(r.pixel_flow[k][0], expected[0], 1e-9);
      ASSERT_NEAR(r.pixel_flow[k][1], expected[1], 1e-9);
      // Undistorted they move like in a pinhole.
      const Vec2d plain = c.undistort(r.pixel[k]);
      if (c.central()) {
        ASSERT_NEAR(plain[0], c.cx + c.fx * (p[0] + shift[0]) / (shift[2] + c.distance), 1e-8);
      }
      EXPECT_EQ(r.hidden[k], 0);
    }
  }
}

TEST(TactileFrames, AQuarterTurnOfThePadPermutesTheImage) {
  std::vector<TactileCamera> square = {TactileCamera::orthographic(96, 96, 15e-5),
                                       TactileCamera::pinhole(96, 96, 100, 0.02, 0.1, 0.0),
                                       TactileCamera::fisheye(96, 96, 90, 0.012)};
  const auto pressed = [](double x, double y) {
    return -1e-3 * std::exp(-((x - 2e-3) * (x - 2e-3) + (y - 1e-3) * (y - 1e-3)) / 8e-6) * 1.0;
  };
  for (const TactileCamera& c : square) {
    const Sheet rest = flat(24, 40e-3);
    const Sheet a = sheet(24, 40e-3, pressed);
    // x' = -y, y' = x of nodes at rest and now.
    std::vector<Vec3d> rest_turned = rest.nodes, now_turned = a.nodes;
    for (std::size_t k = 0; k < rest_turned.size(); ++k) {
      rest_turned[k] = {{-rest.nodes[k][1], rest.nodes[k][0], rest.nodes[k][2]}};
      now_turned[k] = {{-a.nodes[k][1], a.nodes[k][0], a.nodes[k][2]}};
    }
    const DepthImage before = DepthSensor(c, rest.nodes, rest.triangles).measure(a.nodes);
    const DepthImage after = DepthSensor(c, rest_turned, rest.triangles).measure(now_turned);
    float worst = 0, most = 0;
    for (int row = 0; row < 96; ++row)
      for (int col = 0; col < 96; ++col) {
        // (x, y) -> (-y, x): column col, row row goes to column row, row 95 - col.
        worst = std::max(worst, std::abs(before.at(row, col) - after.at(95 - col, row)));
        most = std::max(most, before.at(row, col));
      }
    EXPECT_GT(most, 0.8e-3f);
    EXPECT_LE(worst, 2e-8f);
  }
}

TEST(TactileFrames, DepthOfABallIsItsCapToOnePixel) {
  const double R = 4e-3, d = 1e-3;
  for (const TactileCamera& c : cameras()) {
    const auto cap = [&](double x, double y) {
      const double r2 = x * x + y * y;
      return r2 < 2 * R * d - d * d ? R - d - std::sqrt(R * R - r2) : 0.0;
    };
    const Sheet rest = flat(300);
    const Sheet now = sheet(300, 30e-3, cap);
    const DepthSensor sensor(c, rest.nodes, rest.triangles);
    const DepthImage image = sensor.measure(now.nodes);
    const std::vector<float> height = sensor.rest_height();
    const std::vector<Vec3d> points = image_points(c, image, height);
    // In height: what the slope of the cap makes of one pixel.
    double worst = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Vec3d& p = points[k];
      if (p[0] != p[0]) continue;
      worst = std::max(worst, std::abs(p[2] - cap(p[0], p[1])));
    }
    const double steepest = std::sqrt(2 * R * d - d * d) / (R - d);
    EXPECT_LE(worst, steepest * c.pitch_at_rest());
    EXPECT_NEAR(*std::max_element(image.depth.begin(), image.depth.end()), d, 1e-5);
  }
}

TEST(TactileFrames, WithoutContactEverythingIsExactlyZeroAndFinite) {
  for (const TactileCamera& c : cameras()) {
    const Sheet s = sheet(20, 60e-3, [](double x, double y) { return -3 * (x * x + y * y); });
    const DepthImage image = DepthSensor(c, s.nodes, s.triangles).measure(s.nodes);
    for (const float d : image.depth) ASSERT_EQ(d, 0.0f);
    for (const float n : image.normal) ASSERT_TRUE(std::isfinite(n));
  }
}

TEST(MarkerSensor, AMarkerUnderAFoldOfTheCoatIsHidden) {
  const int n = 40;
  const Sheet s = flat(n, 20e-3);
  MarkerGrid grid;
  grid.rows = 1, grid.cols = 17;
  grid.pitch_x = 1e-3;
  // The coat is pushed along x so that it lies thrice over 2 .. 4 mm: x runs forward, back,
  // forward.
  std::vector<Vec3d> folded = s.nodes;
  for (Vec3d& p : folded) {
    const double x = p[0];
    if (x > 4e-3 && x <= 6e-3) p[0] = 8e-3 - x;
    if (x > 6e-3) p[0] = x - 4e-3;
    p[2] = x <= 4e-3 ? 0 : x <= 6e-3 ? 0.5e-3 * (x - 4e-3) / 2e-3 + 0.1e-3 : 0.7e-3;
  }
  for (const TactileCamera& c : cameras()) {
    const MarkerSensor sensor(c, s.nodes, s.triangles, grid);
    const MarkerReading r = sensor.measure(folded, true);
    for (std::size_t k = 0; k < sensor.count(); ++k) {
      const double x = sensor.rest_positions()[k][0];
      if (std::abs(x - 4e-3) < 0.6e-3 || std::abs(x - 6e-3) < 0.6e-3) continue;
      // The sheet nearest to the camera is the lowest.
      const double now = r.position[k][0];
      const bool under = x > 4e-3 && now < 3.9e-3;
      if (x > 4e-3 && now > 3.6e-3 && now < 4.4e-3) continue;
      EXPECT_EQ(r.hidden[k], under) << x << " " << now << " camera " << static_cast<int>(c.kind);
    }
    EXPECT_TRUE(sensor.measure(folded).hidden.empty());
  }
}

}  // namespace
}  // namespace haptos
