#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/query/raster.h"
#include "haptos/sensors/tactile/depth.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A flat coat of nx x ny quads, each cut along alternating diagonals, shaken in its plane so that
/// no edge is parallel to the image.
struct Coat {
  std::vector<Vec3d> nodes;
  std::vector<Vec3i> triangles;
};

Coat flat_coat(double width, double height, int nx, int ny, double shake = 0.2) {
  Coat c;
  unsigned seed = 7;
  const auto random = [&] {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<double>(seed >> 8) / (1u << 24) - 0.5;
  };
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      const bool inside = i > 0 && i < nx && j > 0 && j < ny;
      const double s = inside ? shake : 0;
      c.nodes.push_back(
          {{width * ((i + s * random()) / nx - 0.5), height * ((j + s * random()) / ny - 0.5), 0}});
    }
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, e = d + 1;
      if ((i + j) % 2) {
        c.triangles.push_back({{a, b, e}});
        c.triangles.push_back({{a, e, d}});
      } else {
        c.triangles.push_back({{a, b, d}});
        c.triangles.push_back({{b, e, d}});
      }
    }
  return c;
}

template <class F>
std::vector<Vec3d> raised(const Coat& c, const F& height) {
  std::vector<Vec3d> p = c.nodes;
  for (Vec3d& v : p) v[2] = height(v[0], v[1]);
  return p;
}

TEST(RasterCore, ATriangulatedPlaneCoversEveryPixelExactlyOnce) {
  const Coat c = flat_coat(64, 48, 23, 17, 0.7);
  std::vector<int> hits(64 * 48, 0);
  const PixelWindow window{0, 64, 0, 48};
  for (const Vec3i& t : c.triangles) {
    double x[3], y[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = c.nodes[static_cast<std::size_t>(t[k])][0] + 31.5;
      y[k] = c.nodes[static_cast<std::size_t>(t[k])][1] + 23.5;
    }
    scan_triangle(x, y, window, [&](int row, int b, int e) {
      for (int col = b; col < e; ++col)
        ++hits[64 * static_cast<std::size_t>(row) + static_cast<std::size_t>(col)];
    });
  }
  for (int h : hits) ASSERT_EQ(h, 1);
}

TEST(RasterCore, CornersThatAreNotNumbersOrFarAwayWriteNoPixelOutsideTheWindow) {
  const double nan = std::nan(""), huge = 1e300;
  const double xs[4][3] = {{nan, 3, 5}, {-huge, huge, 4}, {nan, nan, nan}, {1e18, -1e18, 0}};
  const double ys[4][3] = {{0, nan, 5}, {-huge, 3, huge}, {0, 4, 9}, {-1e18, 1e18, 1e18}};
  for (int k = 0; k < 4; ++k)
    scan_triangle(xs[k], ys[k], {2, 6, 1, 5}, [&](int row, int b, int e) {
      EXPECT_GE(b, 2);
      EXPECT_LE(e, 6);
      EXPECT_GE(row, 1);
      EXPECT_LT(row, 5);
    });
}

TEST(DepthSensor, AnUndeformedCoatReadsExactlyZero) {
  const Coat c = flat_coat(25e-3, 20e-3, 33, 30);
  const auto domed = raised(c, [](double x, double y) { return -2.0 * (x * x + y * y); });
  for (const TactileCamera& camera : {TactileCamera::orthographic(320, 240, 6.34e-5),
                                      TactileCamera::pinhole(320, 240, 340, 0.02)}) {
    const DepthImage d = DepthSensor(camera, domed, c.triangles).measure(domed);
    for (float v : d.depth) ASSERT_EQ(v, 0.0f);
  }
}

TEST(DepthSensor, APlaneTiltedByTenDegreesReadsTenDegrees) {
  const Coat c = flat_coat(25e-3, 20e-3, 20, 20);
  const double slope = std::tan(10 * kPi / 180);
  for (const TactileCamera& camera :
       {TactileCamera::orthographic(320, 240, 5e-5), TactileCamera::pinhole(320, 240, 400, 0.02)}) {
    const DepthSensor sensor(camera, c.nodes, c.triangles);
    const auto tilted = raised(c, [&](double x, double) { return -slope * x; });
    const DepthImage d = sensor.measure(tilted);
    for (int row = 1; row < 239; row += 17)
      for (int col = 1; col < 319; col += 13) {
        const Vec3d n = d.normal_at(row, col);
        ASSERT_NEAR(std::acos(n[2]) * 180 / kPi, 10.0, 2e-3);
        ASSERT_NEAR(std::atan2(n[0], n[2]) * 180 / kPi, 10.0, 2e-4);
        ASSERT_NEAR(n[1], 0.0, 1e-6);
        if (camera.kind == TactileCamera::Kind::kOrthographic) {
          const double gradient = (d.at(row, col + 1) - d.at(row, col - 1)) / (2 * camera.pitch);
          ASSERT_NEAR(std::atan(gradient) * 180 / kPi, 10.0, 2e-3);
          ASSERT_NEAR(d.at(row, col), slope * (col - 159.5) * camera.pitch, 1e-9);
        } else {
          // The ray x = s (z + D) meets z = -slope x.
          const double s = (col - camera.cx) / camera.fx;
          ASSERT_NEAR(d.at(row, col), slope * s * camera.distance / (1 + slope * s), 5e-9);
        }
      }
  }
}

TEST(DepthSensor, ASphericalCapHasTheDepthOfItsClosedFormWithinTheSagOfItsFacets) {
  // Vertices lie on the cap, so the error is at most edge^2 / (8 R) inside, and one pixel of the
  // cap's slope where it meets the plane.
  const double radius = 4e-3, press = 1e-3, edge = 1.5e-4;
  const int n = static_cast<int>(16e-3 / edge);
  const Coat c = flat_coat(16e-3, 16e-3, n, n, 0.0);
  const double a = std::sqrt(radius * radius - (radius - press) * (radius - press));
  const auto depth = [&](double x, double y) {
    const double r2 = x * x + y * y;
    return r2 < a * a ? press - radius + std::sqrt(radius * radius - r2) : 0.0;
  };
  const TactileCamera camera = TactileCamera::orthographic(240, 240, 6e-5);
  const DepthImage d =
      DepthSensor(camera, c.nodes, c.triangles).measure(raised(c, [&](double x, double y) {
        return -depth(x, y);
      }));
  const double slope = a / (radius - press);
  for (int row = 0; row < 240; ++row)
    for (int col = 0; col < 240; ++col) {
      const double x = (col - 119.5) * 6e-5, y = (119.5 - row) * 6e-5;
      const bool near_rim = std::abs(std::hypot(x, y) - a) < 1.5 * edge;
      const double bound = near_rim ? slope * edge : 2 * edge * edge / (4 * radius);
      ASSERT_NEAR(d.at(row, col), depth(x, y), bound) << row << " " << col;
    }
  const double area = contact_area(d, 5e-5);
  const double rim = std::sqrt(radius * radius - std::pow(radius - press + 5e-5, 2));
  EXPECT_NEAR(area, kPi * rim * rim, 2 * kPi * rim * 6e-5);  // one pixel of its rim
}

TEST(DepthSensor, RotatingTheCoatByNinetyDegreesPermutesTheImage) {
  const Coat c = flat_coat(20e-3, 20e-3, 21, 21);
  const auto shape = raised(c, [](double x, double y) {
    return -1e-3 * std::exp(-(x * x + 3 * (y - 2e-3) * (y - 2e-3)) / 1e-5);
  });
  const auto turned = [](std::vector<Vec3d> p) {
    for (Vec3d& v : p) v = {{-v[1], v[0], v[2]}};
    return p;
  };
  const int size = 160;
  const TactileCamera camera = TactileCamera::orthographic(size, size, 1e-4);
  const DepthImage d = DepthSensor(camera, c.nodes, c.triangles).measure(shape);
  const DepthImage r = DepthSensor(camera, turned(c.nodes), c.triangles).measure(turned(shape));
  for (int row = 0; row < size; ++row)
    for (int col = 0; col < size; ++col) {
      // (x, y) -> (-y, x): row i, column j of the first lands at row size-1-j, column i.
      ASSERT_NEAR(r.at(size - 1 - col, row), d.at(row, col), 1e-9);
      const Vec3d n = d.normal_at(row, col), m = r.normal_at(size - 1 - col, row);
      ASSERT_NEAR(m[0], -n[1], 1e-5);
      ASSERT_NEAR(m[1], n[0], 1e-5);
    }
}

TEST(DepthSensor, ABulgeIsNegativeAndAMissIsNotANumber) {
  const Coat c = flat_coat(10e-3, 10e-3, 10, 10);
  const TactileCamera camera = TactileCamera::orthographic(220, 20, 1e-4);
  std::vector<Vec3d> up = c.nodes;
  for (Vec3d& v : up) v[2] += 2e-4;
  const DepthImage d = DepthSensor(camera, c.nodes, c.triangles).measure(up);
  EXPECT_NEAR(d.at(10, 110), -2e-4, 1e-10);
  EXPECT_TRUE(std::isnan(d.at(10, 5)));
  EXPECT_TRUE(std::isnan(d.normal_at(10, 5)[2]));
  EXPECT_EQ(contact_mask(d)[10 * 220 + 5], 0);
}

TEST(DepthSensor, TheSheetNearestTheCameraInsideIsSeen) {
  Coat c = flat_coat(10e-3, 10e-3, 4, 4);
  const int n = static_cast<int>(c.nodes.size());
  const std::size_t tris = c.triangles.size();
  for (int i = 0; i < n; ++i) {  // a second sheet, half a millimetre farther in
    Vec3d p = c.nodes[static_cast<std::size_t>(i)];
    p[2] = -5e-4;
    c.nodes.push_back(p);
  }
  for (std::size_t t = 0; t < tris; ++t) {
    Vec3i tri = c.triangles[t];
    for (int k = 0; k < 3; ++k) tri[k] += n;
    c.triangles.push_back(tri);
  }
  const DepthSensor s(TactileCamera::orthographic(32, 32, 1e-4), c.nodes, c.triangles);
  for (float h : s.rest_height()) ASSERT_EQ(h, -5e-4f);
}

TEST(DepthSensor, AnImageIsTheSameForAnyNumberOfThreads) {
  const Coat c = flat_coat(25e-3, 20e-3, 31, 27);
  const auto bent =
      raised(c, [](double x, double y) { return 1e-4 * std::sin(900 * x + 700 * y); });
  const DepthSensor sensor(TactileCamera::pinhole(203, 131, 170, 0.02), c.nodes, c.triangles);
  set_thread_count(1);
  const DepthImage one = sensor.measure(bent);
  set_thread_count(3);
  const DepthImage three = sensor.measure(bent);
  set_thread_count(0);
  EXPECT_EQ(one.depth, three.depth);
  EXPECT_EQ(one.normal, three.normal);
}

TEST(DepthSensor, BadInputNamesItsElement) {
  const Coat c = flat_coat(1e-2, 1e-2, 2, 2);
  const auto camera = TactileCamera::orthographic(32, 32, 1e-4);
  const std::vector<Vec3i> bad = {{{0, 1, 99}}};
  EXPECT_THROW(DepthSensor(camera, c.nodes, bad), InputError);
  EXPECT_THROW(DepthSensor(TactileCamera::orthographic(0, 32, 1e-4), c.nodes, c.triangles),
               InputError);
  EXPECT_THROW(DepthSensor(TactileCamera::orthographic(32, 32, -1), c.nodes, c.triangles),
               InputError);
  const DepthSensor good(camera, c.nodes, c.triangles);
  EXPECT_THROW(good.measure(std::vector<Vec3d>(3)), InputError);
}

}  // namespace
}  // namespace haptos
