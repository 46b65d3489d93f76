#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/parallel.h"
#include "haptos/sensors/optics/photometric.h"
#include "haptos/sensors/optics/rgb_table.h"
#include "haptos/sensors/optics/tactile_noise.h"

namespace haptos {
namespace {

constexpr int kWidth = 37, kHeight = 29;  // not a multiple of the lanes
constexpr double kPitch = 2e-4;

DepthImage dent(double deep) {
  DepthImage image;
  image.width = kWidth, image.height = kHeight, image.pitch = kPitch;
  for (int row = 0; row < kHeight; ++row)
    for (int col = 0; col < kWidth; ++col) {
      const double x = (col - 20) * kPitch, y = (14 - row) * kPitch;
      image.depth.push_back(static_cast<float>(deep * std::exp(-(x * x + y * y) / 2e-6)));
    }
  image.normal = normals_from_depth(image.depth, kWidth, kHeight, kPitch);
  return image;
}

/// Where an image has the red of a pixel of row 14, which the middle of the dent lies in.
std::size_t red_of_row_14(int col) {
  const int pixel = 14 * kWidth + col;
  return 3 * static_cast<std::size_t>(pixel);
}

LightRig three_lights() {
  LightRig rig;
  rig.lights = {{TactileLight::Kind::kPoint, {{0.01, 0.002, -0.006}}, {{120, 20, 10}}},
                {TactileLight::Kind::kPoint, {{-0.006, 0.009, -0.008}}, {{15, 130, 20}}},
                {TactileLight::Kind::kDirectional, {{-0.4, -1, -0.7}}, {{10, 25, 140}}}};
  rig.ambient = {{20, 25, 30}};
  rig.specular = 0.3;
  rig.shininess = 11;
  return rig;
}

RgbTable some_table(double smoothing = 0, const ShadowTable& shadow = {}) {
  const int bins = 50;
  std::vector<float> w(3 * bins * bins * 6);
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * (i % 6 < 3   ? 1e-3
                                                                         : i % 6 < 5 ? 0.1
                                                                                     : 20));
  std::vector<float> background;
  background.reserve(3 * kWidth * kHeight);
  for (int i = 0; i < 3 * kWidth * kHeight; ++i)
    background.push_back(static_cast<float>(100 + 50 * std::sin(i)));
  return {kWidth, kHeight, bins, std::move(w), std::move(background), smoothing, shadow};
}

ShadowTable dark() {
  ShadowTable t;
  t.directions = 4, t.depths = 2, t.steps = 6;
  t.direction = {-1.57f, 0.0f, 1.57f, 3.14f};
  t.depth = {2e-4f, 6e-4f};
  // Only rays to the right darken, and only red.
  t.change.assign(3 * 4 * 2 * 6, 0.0f);
  for (std::size_t level = 0; level < 2; ++level)
    for (std::size_t k = 0; k < 6; ++k)
      t.change[(1 * 2 + level) * 6 + k] = level == 0 ? -10.0f : -40.0f;
  t.blur = 0;
  return t;
}

TEST(Photometric, ShadingIsThatOfItsFormulaAtEveryPixel) {
  const LightRig rig = three_lights();
  const DepthImage image = dent(4e-4);
  for (const TactileCamera& camera : {TactileCamera::orthographic(kWidth, kHeight, kPitch),
                                      TactileCamera::pinhole(kWidth, kHeight, 80, 0.016)}) {
    std::vector<float> got;
    PhotometricModel(camera, rig).shade(image, got);
    for (int row = 0; row < kHeight; ++row)
      for (int col = 0; col < kWidth; ++col) {
        const double z = -image.at(row, col);
        Vec3d p, eye;
        if (camera.kind == TactileCamera::Kind::kOrthographic) {
          p = {{(col - 18) * kPitch, (14 - row) * kPitch, z}};
          eye = {{0, 0, -1}};
        } else {
          const double w = z + 0.016;
          p = {{(col - 18) / 80.0 * w, (14 - row) / 80.0 * w, z}};
          eye = Vec3d{{0, 0, -0.016}} - p;
          eye = eye * (1 / norm(eye));
        }
        const Vec3d v = -image.normal_at(row, col);
        Vec3d sum = rig.ambient * (0.5 * (1 - v[2]));
        for (const TactileLight& l : rig.lights) {
          const bool point = l.kind == TactileLight::Kind::kPoint;
          Vec3d to = point ? l.at - p : l.at;
          const double fall = point ? dot(l.at, l.at) / dot(to, to) : 1;
          to = to * (1 / norm(to));
          const double facing = dot(v, to);
          const Vec3d mirror = v * (2 * facing) - to;
          double strength = std::max(facing, 0.0);
          if (facing > 0) strength += 0.3 * std::pow(std::max(dot(mirror, eye), 0.0), 11);
          sum += l.colour * (strength * fall);
        }
        for (int c = 0; c < 3; ++c)
          ASSERT_NEAR(got[static_cast<std::size_t>(3 * (row * kWidth + col) + c)], sum[c], 2e-3);
      }
  }
}

TEST(Photometric, APressBrightensTheSideThatFacesTheLight) {
  LightRig rig;
  rig.lights = {{TactileLight::Kind::kDirectional, {{1, 0, -1}}, {{100, 0, 0}}}};
  std::vector<float> image;
  const PhotometricModel model(TactileCamera::orthographic(kWidth, kHeight, kPitch), rig);
  model.render(dent(4e-4), image);
  const auto red = [&](int col) { return image[red_of_row_14(col)]; };
  // The light is at +x inside the gel. Of the dent, which bulges into the gel, the side to +x
  // faces it.
  EXPECT_GT(red(24), model.background()[0] + 5);
  EXPECT_LT(red(16), model.background()[0] - 5);
}

TEST(RgbModels, NoContactIsExactlyTheBackgroundOnFlatAndOnDomedPads) {
  const DepthImage dome = dent(-5e-4);  // used as the shape at rest
  RestSurface rest;
  for (float d : dome.depth) rest.height.push_back(-d);
  rest.normal = dome.normal;
  DepthImage still = dent(0);
  still.normal = dome.normal;
  const std::vector<float> back(3 * kWidth * kHeight, 77.25f);
  std::vector<float> image;
  PhotometricModel(TactileCamera::orthographic(kWidth, kHeight, kPitch), three_lights(), back, rest)
      .render(still, image);
  EXPECT_EQ(image, back);
  const RgbTable flat = some_table();
  RgbTable(kWidth, kHeight, flat.bins(), flat.coefficients(), back, 0, {}, rest)
      .render(still, image);
  EXPECT_EQ(image, back);
  for (double smoothing : {0.0, 1.5}) {
    const RgbTable table = some_table(smoothing, dark());
    table.render(dent(0), image);
    EXPECT_EQ(image, table.background());
  }
}

TEST(RgbModels, PixelsWithoutACoatShowTheBackground) {
  DepthImage image = dent(5e-4);
  const std::size_t k = 14 * kWidth + 23;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t c = 0; c < 3; ++c) image.normal[c * image.depth.size() + k] = nan;
  image.depth[k] = nan;
  const RgbTable table = some_table();
  const PhotometricModel lights(TactileCamera::orthographic(kWidth, kHeight, kPitch),
                                three_lights());
  std::vector<float> a, b;
  table.render(image, a);
  lights.render(image, b);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(a[3 * k + c], table.background()[3 * k + c]);
    EXPECT_EQ(b[3 * k + c], lights.background()[3 * k + c]);
  }
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(a[i] >= 0 && a[i] <= 255 && b[i] >= 0);
}

TEST(RgbModels, BytesAreTheRoundedFloats) {
  const DepthImage image = dent(5e-4);
  std::vector<float> f;
  std::vector<std::uint8_t> b;
  const RgbTable table = some_table();
  table.render(image, f);
  table.render(image, b);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const float up = f[i] + 0.5f;
    ASSERT_EQ(b[i], static_cast<int>(up));
  }
}

TEST(RgbModels, AnyNumberOfThreadsGivesTheSameBits) {
  const DepthImage image = dent(5e-4);
  const PhotometricModel lights(TactileCamera::orthographic(kWidth, kHeight, kPitch),
                                three_lights());
  TactileNoise noise;
  noise.rgb = 3, noise.texture = 2e-6, noise.morphology = 5, noise.blur = 2;
  std::vector<float> first[3];
  for (int threads : {1, 2, 5}) {
    set_thread_count(threads);
    DepthImage copy = image;
    add_depth_noise(noise, 5, 2, kWidth, kHeight, copy.depth);
    copy.normal = normals_from_depth(copy.depth, kWidth, kHeight, kPitch);
    add_texture(noise, 5, 2, kWidth, kHeight, kPitch, copy.depth, copy.normal);
    std::vector<float> out[3];
    some_table(1.0, dark()).render(copy, out[0]);
    lights.render(copy, out[1]);
    out[2] = out[1];
    add_image_noise(noise, 5, 2, out[2]);
    for (int k = 0; k < 3; ++k) {
      if (threads == 1) first[k] = out[k];
      EXPECT_EQ(out[k], first[k]);
    }
  }
  set_thread_count(0);
}

TEST(RgbTable, EmptyBinsTakeTheNearestOneAroundTheCircle) {
  const int bins = 8;
  std::vector<float> w(3 * bins * bins * 6, std::numeric_limits<float>::quiet_NaN());
  const auto at = [&](int c, int m, int d) { return w.data() + ((c * bins + m) * bins + d) * 6; };
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 6; ++k) {
      at(c, 3, 0)[k] = k == 5 ? 10.0f : 0.0f;
      at(c, 3, 4)[k] = k == 5 ? 20.0f : 0.0f;
    }
  const RgbTable t(kWidth, kHeight, bins, w, std::vector<float>(3 * kWidth * kHeight, 0.0f));
  EXPECT_EQ(t.filled(), 3 * (bins * bins - 2));
  const auto value = [&](int m, int d) {
    const int bin = m * bins + d;
    return t.coefficients()[static_cast<std::size_t>(bin) * 6 + 5];
  };
  EXPECT_EQ(value(3, 7), 10.0f);  // one step from direction 0, over the seam
  EXPECT_EQ(value(3, 5), 20.0f);
  EXPECT_EQ(value(7, 0), 10.0f);
  EXPECT_EQ(value(0, 4), 20.0f);
}

TEST(RgbTable, ShadowsFallOnTheSideAndByTheDepthOfTheTable) {
  ShadowTable shadow = dark();
  std::vector<float> zero(3 * 50 * 50 * 6, 0.0f), back(3 * kWidth * kHeight, 100.0f), image;
  const RgbTable t(kWidth, kHeight, 50, zero, back, 0, shadow);
  for (double deep : {2e-4, 6e-4}) {
    t.render(dent(deep), image);
    const auto red = [&](int col) { return image[red_of_row_14(col)]; };
    int right = 0;
    for (int col = 21; col < kWidth; ++col) right += red(col) < 99;
    EXPECT_GE(right, 5);
    for (int col = 0; col < 19; ++col) ASSERT_EQ(red(col), 100.0f);
    float darkest = 255;
    for (float v : image) darkest = std::min(darkest, v);
    EXPECT_EQ(darkest, deep < 4e-4 ? 90.0f : 60.0f);
    for (std::size_t i = 1; i < image.size(); i += 3) ASSERT_EQ(image[i], 100.0f);  // green
  }
}

TEST(TactileNoise, HasTheSpreadThatWasAskedFor) {
  TactileNoise noise;
  noise.rgb = 5, noise.jitter = 0.5, noise.loss = 0.1, noise.fabrication = 1e-4;
  noise.rotation = 0.1, noise.translation = 1e-3;
  const std::uint64_t key = tactile_noise_key(1, 0, "pad");
  std::vector<float> image(60'000, 120.0f);
  add_image_noise(noise, key, 3, image);
  double sum = 0, square = 0;
  for (float v : image) sum += v - 120, square += (v - 120) * (v - 120);
  const double n = static_cast<double>(image.size());
  EXPECT_NEAR(sum / n, 0, 4 * 5 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(square / n), 5, 4 * 5 / std::sqrt(2 * n));
  std::vector<Vec2d> pixel(20'000, Vec2d{{0, 0}});
  std::vector<std::uint8_t> seen(pixel.size(), 1);
  add_marker_noise(noise, key, 3, pixel, seen);
  double lost = 0, wide = 0;
  for (std::size_t i = 0; i < pixel.size(); ++i)
    lost += seen[i] == 0, wide += dot(pixel[i], pixel[i]);
  EXPECT_NEAR(lost / 20'000, 0.1, 0.01);
  EXPECT_NEAR(std::sqrt(wide / 40'000), 0.5, 0.01);
  const MarkerGrid grid;
  const std::vector<Vec2d> printed = printed_markers(noise, key, grid);
  ASSERT_EQ(printed.size(), 63u);
  double most = 0;
  for (std::size_t i = 0; i < 63; ++i) {
    const std::size_t row = i / 9, column = i % 9;
    const double x = (static_cast<double>(column) - 4) * 2e-3,
                 y = (3 - static_cast<double>(row)) * 2e-3;
    most = std::max(most, std::hypot(printed[i][0] - x, printed[i][1] - y));
  }
  EXPECT_GT(most, 1e-4);
  EXPECT_LT(most, std::sqrt(2.0) * (1e-3 + 1e-4) + 0.1 * 0.01);
  const TactileNoise none;
  for (std::size_t i = 0; i < 63; ++i) {
    const Vec2d p = printed_markers(none, key, grid)[i];
    ASSERT_NEAR(p[0], (static_cast<double>(i % 9) - 4) * 2e-3, 1e-15);
  }
}

TEST(TactileNoise, ErosionAndDilationMoveTheRimByTheirReach) {
  TactileNoise noise;
  noise.morphology = 3;
  int wider = 0, narrower = 0, same = 0;
  for (std::int64_t sample = 0; sample < 60; ++sample) {
    std::vector<float> depth(21 * 21, 0.0f);
    for (std::size_t r = 7; r < 14; ++r)
      for (std::size_t c = 7; c < 14; ++c) depth[r * 21 + c] = 1e-3f;
    add_depth_noise(noise, 9, sample, 21, 21, depth);
    const auto count = std::count(depth.begin(), depth.end(), 1e-3f);
    wider += count == 81, narrower += count == 25, same += count == 49;
  }
  EXPECT_EQ(wider + narrower + same, 60);
  EXPECT_GT(std::min(wider, std::min(narrower, same)), 8);
}

TEST(Normals, OfATiltedPlaneHaveItsAngle) {
  std::vector<float> depth;
  const double tan10 = std::tan(10 * 3.14159265358979 / 180);
  for (int r = 0; r < 9; ++r)
    for (int c = 0; c < 11; ++c) depth.push_back(static_cast<float>(tan10 * kPitch * (c - 5)));
  const std::vector<float> n = normals_from_depth(depth, 11, 9, kPitch);
  for (std::size_t i = 0; i < 99; ++i) {
    ASSERT_NEAR(std::atan2(n[i], n[2 * 99 + i]) * 180 / 3.14159265358979, 10, 2e-4);
    ASSERT_NEAR(n[99 + i], 0, 1e-7);
  }
}

}  // namespace
}  // namespace haptos
