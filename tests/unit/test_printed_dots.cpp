#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/sensors/optics/printed_dots.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRadius = 0.4e-3;
const MarkerGrid kGrid{.rows = 3, .cols = 4, .pitch_x = 3e-3, .pitch_y = 2.5e-3};

/// A flat coat whose triangles have nothing to do with pixels or dots.
struct Coat {
  std::vector<Vec3d> nodes;
  std::vector<Vec3i> triangles;
};
Coat flat_coat(int n = 23, double width = 18e-3) {
  Coat c;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      c.nodes.push_back({{width * (static_cast<double>(i) / n - 0.5),
                          width * (static_cast<double>(j) / n - 0.5), 0}});
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i;
      c.triangles.push_back({{a, a + 1, a + n + 2}});
      c.triangles.push_back({{a, a + n + 2, a + n + 1}});
    }
  return c;
}

/// Area [pixel2], middle and second moments [pixel2] of the ink within 12 pixels of a place.
struct Ink {
  double area = 0;
  Vec2d middle{{0, 0}};
  double xx = 0, xy = 0, yy = 0;
};
Ink ink_about(const std::vector<float>& cover, int width, int height, const Vec2d& at) {
  Ink ink;
  const auto each = [&](const auto& add) {
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c)
        if (std::abs(c - at[0]) < 12 && std::abs(r - at[1]) < 12)
          add(static_cast<double>(cover[at_index(r * width + c)]), c, r);
  };
  each([&](double v, int c, int r) {
    ink.area += v, ink.middle[0] += v * c, ink.middle[1] += v * r;
  });
  ink.middle = ink.middle * (1 / ink.area);
  each([&](double v, int c, int r) {
    const double x = c - ink.middle[0], y = r - ink.middle[1];
    ink.xx += v * x * x / ink.area, ink.xy += v * x * y / ink.area, ink.yy += v * y * y / ink.area;
  });
  return ink;
}

TEST(PrintedDots, AreDiscsWhereTheMarkersAre) {
  const Coat c = flat_coat();
  for (const TactileCamera& camera :
       {TactileCamera::orthographic(240, 180, 7e-5), TactileCamera::pinhole(240, 180, 286, 0.02)}) {
    const MarkerSensor markers(camera, c.nodes, c.triangles, kGrid);
    std::vector<float> cover;
    PrintedDots(markers, c.nodes, c.triangles, kRadius, 0).cover(c.nodes, cover);
    const double r = kRadius / camera.pitch_at_rest();
    for (const Vec2d& at : markers.rest_pixels()) {
      const Ink ink = ink_about(cover, 240, 180, at);
      EXPECT_NEAR(ink.area, kPi * r * r, 0.01 * kPi * r * r);
      EXPECT_NEAR(ink.middle[0], at[0], 0.02);
      EXPECT_NEAR(ink.middle[1], at[1], 0.02);
    }
  }
}

TEST(PrintedDots, MoveAndDeformWithTheCoat) {
  const Coat c = flat_coat();
  const TactileCamera camera = TactileCamera::orthographic(240, 180, 7e-5);
  const MarkerSensor markers(camera, c.nodes, c.triangles, kGrid);
  const PrintedDots dots(markers, c.nodes, c.triangles, kRadius, 0);
  // x' = F x + t in the plane: a stretch, a shear and a shift.
  const double f[2][2] = {{1.3, 0.25}, {0.0, 0.9}};
  std::vector<Vec3d> now = c.nodes;
  for (Vec3d& x : now) x = {{f[0][0] * x[0] + f[0][1] * x[1] + 3e-4, f[1][1] * x[1] - 2e-4, -1e-4}};
  const MarkerReading at = markers.measure(now);
  std::vector<float> cover;
  dots.cover(now, cover);
  const double r = kRadius / 7e-5, det = f[0][0] * f[1][1];
  for (const Vec2d& pixel : at.pixel) {
    const Ink ink = ink_about(cover, 240, 180, pixel);
    EXPECT_NEAR(ink.area, kPi * r * r * det, 0.01 * kPi * r * r * det);
    // The rim is a ramp that is one pixel wide on average and is sampled at pixels.
    EXPECT_NEAR(ink.middle[0], pixel[0], 0.03);
    EXPECT_NEAR(ink.middle[1], pixel[1], 0.03);
    // A disc has second moments r^2 / 4, one with a ramp of width w at its rim r^2 / 4 + 5 w^2 /
    // 48; F takes them to F F^T times that, rows running down. On the coat at rest w^2 = 1 / det F.
    const double moment = 0.25 * r * r + 5 / (48 * det), off = 0.02 * moment;
    EXPECT_NEAR(ink.xx, (f[0][0] * f[0][0] + f[0][1] * f[0][1]) * moment, off);
    EXPECT_NEAR(ink.xy, -f[0][1] * f[1][1] * moment, off);
    EXPECT_NEAR(ink.yy, f[1][1] * f[1][1] * moment, off);
  }
}

TEST(PrintedDots, DarkenByTheirInkAndNothingElse) {
  const Coat c = flat_coat();
  const TactileCamera camera = TactileCamera::orthographic(240, 180, 7e-5);
  const MarkerSensor markers(camera, c.nodes, c.triangles, kGrid);
  const PrintedDots dots(markers, c.nodes, c.triangles, kRadius, 0.2);
  std::vector<float> image(3 * 240 * 180, 100.0f), cover;
  dots.print(c.nodes, image);
  dots.cover(c.nodes, cover);
  for (std::size_t i = 0; i < cover.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_FLOAT_EQ(image[3 * i + k], 100.0f * (1 - 0.8f * cover[i]));
  const Vec2d at = markers.rest_pixels()[0];
  const std::size_t middle =
      static_cast<std::size_t>(std::lround(at[1]) * 240 + std::lround(at[0]));
  EXPECT_NEAR(image[3 * middle], 20, 1e-3);
  // A coat that is folded over shows its back, which bears no ink.
  std::vector<Vec3d> turned = c.nodes;
  for (Vec3d& x : turned) x[0] = -x[0];
  dots.cover(turned, cover);
  for (const float v : cover) ASSERT_EQ(v, 0.0f);
}

TEST(PrintedDots, ARadiusOrAnInkThatCannotBeIsRefused) {
  const Coat c = flat_coat();
  const TactileCamera camera = TactileCamera::orthographic(240, 180, 7e-5);
  for (const auto& [radius, ink, said] : {std::tuple{-1e-4, 0.2, "markers.radius"},
                                          {NAN, 0.2, "markers.radius"},
                                          {0.2, 0.2, "markers.radius"},
                                          {1e-4, 1.1, "markers.ink"},
                                          {1e-4, NAN, "markers.ink"}}) {
    MarkerGrid grid = kGrid;
    grid.radius = radius, grid.ink = ink;
    try {
      const MarkerSensor made(camera, c.nodes, c.triangles, grid);
      ADD_FAILURE() << radius << " " << ink;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace haptos
