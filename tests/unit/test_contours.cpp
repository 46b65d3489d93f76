// Depth images without the ripple of the mesh (sensors/tactile/contours.h): dents that are known,
// on a coat of a regular lattice.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>

#include "haptos/base/text/error.h"
#include "haptos/sensors/tactile/contours.h"

namespace haptos {
namespace {

constexpr double kSpacing = 0.3e-3, kHalfSide = 9e-3;

struct Sheet {
  std::vector<Vec3d> nodes;
  std::vector<Vec3i> triangles;
  std::vector<Vec2i> lattice;
};

// Vertices kSpacing apart, diagonals that alternate.
Sheet sheet() {
  Sheet s;
  const int n = static_cast<int>(std::lround(2 * kHalfSide / kSpacing));
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      s.nodes.push_back({{kSpacing * i - kHalfSide, kSpacing * j - kHalfSide, 0}});
      s.lattice.push_back({{i, j}});
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + n + 1;
      if ((i + j) % 2 == 0) {
        s.triangles.push_back({{a, a + 1, b + 1}});
        s.triangles.push_back({{a, b + 1, b}});
      } else {
        s.triangles.push_back({{a, a + 1, b}});
        s.triangles.push_back({{a + 1, b + 1, b}});
      }
    }
  return s;
}

const TactileCamera kCamera = TactileCamera::orthographic(240, 240, 6e-5);

struct Images {
  DepthImage raw, smooth;
};
Images images(const Sheet& rest, const std::vector<Vec3d>& now) {
  const DepthSensor sensor(kCamera, rest.nodes, rest.triangles);
  Images i;
  i.raw = i.smooth = sensor.measure(now);
  ContourSmoother(kCamera, rest.nodes, rest.triangles).smooth(i.smooth);
  return i;
}

// A trench of .5 mm whose walls fall over the distance of two vertices.
double trench(double x) { return 5e-4 / (1 + std::exp((std::abs(x) - 3e-3) / 1.5e-4)); }

TEST(Contours, WavesOfTheMeshAlongAnEdgeAreTakenOut) {
  const Sheet rest = sheet();
  std::vector<Vec3d> flat = rest.nodes, wavy = rest.nodes;
  for (std::size_t k = 0; k < flat.size(); ++k) {
    const double d = trench(flat[k][0]);
    flat[k][2] -= d;
    // On the walls every fourth vertex stands out by 60 um.
    const double wall = 4 * d * (5e-4 - d) / 25e-8;
    wavy[k][2] -= d - (rest.lattice[k][1] % 4 == 0 ? 6e-5 * wall : 0);
  }
  const Images i = images(rest, wavy), even = images(rest, flat);
  double raw = 0, smooth = 0;
  for (int col = 0; col < kCamera.width; ++col) {
    double low[2] = {1, 1}, high[2] = {-1, -1};
    for (int row = 60; row < 180; ++row)
      for (int which = 0; which < 2; ++which) {
        const double v = static_cast<double>((which == 0 ? i.raw : i.smooth).at(row, col));
        low[which] = std::min(low[which], v);
        high[which] = std::max(high[which], v);
      }
    raw = std::max(raw, high[0] - low[0]);
    smooth = std::max(smooth, high[1] - low[1]);
  }
  std::printf("FIGURE contours.ripple = %.1f um, raw %.1f\n", 1e6 * smooth, 1e6 * raw);
  EXPECT_GT(raw, 5e-5);
  EXPECT_LT(smooth, 0.15 * raw);
  for (int row = 60; row < 180; ++row)
    for (int col = 0; col < kCamera.width; ++col) {
      // The mean of the wave stays: 15 of 60 um. Without waves the wall stays where it is.
      ASSERT_NEAR(i.smooth.at(row, col), even.raw.at(row, col), 2.2e-5) << row << " " << col;
      ASSERT_NEAR(even.smooth.at(row, col), even.raw.at(row, col), 4e-6) << row << " " << col;
    }
}

TEST(Contours, WhatIsSmoothStaysWhatItIs) {
  const Sheet rest = sheet();
  // At rest and tilted: exactly, and to the rounding of images.
  const Images still = images(rest, rest.nodes);
  EXPECT_EQ(still.smooth.depth, still.raw.depth);
  std::vector<Vec3d> tilted = rest.nodes;
  for (Vec3d& x : tilted) x[2] -= 0.1 * x[0];
  const Images tilt = images(rest, tilted);
  for (std::size_t k = 0; k < tilt.raw.depth.size(); ++k)
    ASSERT_NEAR(tilt.smooth.depth[k], tilt.raw.depth[k], 1e-8);
  // The dent of a ball of 3 mm, .5 mm deep, whose contours are circles of 0 to 1.66 mm.
  const auto ball = [](double x, double y) {
    const double r2 = x * x + y * y;
    return std::max(0.0, std::sqrt(std::max(0.0, 9e-6 - r2)) - 2.5e-3);
  };
  std::vector<Vec3d> dented = rest.nodes;
  for (Vec3d& x : dented) x[2] -= ball(x[0], x[1]);
  const Images dent = images(rest, dented);
  double change = 0, square = 0, before = 0, signal = 0;
  for (int row = 0; row < kCamera.height; ++row)
    for (int col = 0; col < kCamera.width; ++col) {
      const Vec3d p = kCamera.point_at({{1.0 * col, 1.0 * row}}, 0);
      const double d = ball(p[0], p[1]);
      if (d < 5e-5) continue;
      const double s = static_cast<double>(dent.smooth.at(row, col)) - d,
                   r = static_cast<double>(dent.raw.at(row, col)) - d;
      change = std::max(change, std::abs(s - r));
      square += s * s;
      before += r * r;
      signal += d * d;
    }
  std::printf("FIGURE contours.ball = %.1f um at most, error %.2f %%, raw %.2f\n", 1e6 * change,
              100 * std::sqrt(square / signal), 100 * std::sqrt(before / signal));
  EXPECT_LT(change, 1e-5);
  EXPECT_LT(square, 1.15 * 1.15 * before);
}

TEST(Contours, EveryPixelOfTheCoatKnowsThePeriodOfItsMesh) {
  const Sheet s = sheet();
  const ContourSmoother smoother(kCamera, s.nodes, s.triangles);
  for (const float p : smoother.period()) ASSERT_NEAR(p, 4 * kSpacing / kCamera.pitch, 1e-3);
}

TEST(Contours, NormalsStayUnitAndFollowTheDepth) {
  const Sheet rest = sheet();
  std::vector<Vec3d> dented = rest.nodes;
  for (Vec3d& x : dented) x[2] -= trench(x[0]);
  const Images i = images(rest, dented);
  for (int row = 60; row < 180; ++row)
    for (int col = 0; col < kCamera.width; ++col) {
      const Vec3d n = i.smooth.normal_at(row, col);
      ASSERT_NEAR(norm(n), 1, 1e-5);
      ASSERT_NEAR(norm(n - i.raw.normal_at(row, col)), 0, 0.05) << row << " " << col;
    }
}

TEST(Contours, PixelsBesideTheCoatAndBrokenNodesStayOut) {
  Sheet rest = sheet();
  for (Vec3d& x : rest.nodes) x = x * 0.7;  // narrower than the image
  std::vector<Vec3d> dented = rest.nodes;
  for (Vec3d& x : dented) x[2] -= trench(x[0]);
  dented[100][2] = std::numeric_limits<double>::quiet_NaN();
  const Images i = images(rest, dented);
  for (std::size_t k = 0; k < i.raw.depth.size(); ++k)
    ASSERT_EQ(std::isnan(i.raw.depth[k]), std::isnan(i.smooth.depth[k]));
  DepthImage other;
  other.width = 3;
  other.height = 2;
  EXPECT_THROW(ContourSmoother(kCamera, rest.nodes, rest.triangles).smooth(other), InputError);
}

}  // namespace
}  // namespace haptos
