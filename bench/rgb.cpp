// Time to make the RGB image of a tactile sensor from its depth and normals, 320 x 240.
#include <benchmark/benchmark.h>

#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/sensors/optics/photometric.h"
#include "haptos/sensors/optics/rgb_table.h"
#include "haptos/sensors/optics/tactile_noise.h"

namespace haptos {
namespace {

constexpr int kWidth = 320, kHeight = 240;
constexpr double kPitch = 6.34e-5;

/// A gel under balls of 4 mm, 1 mm deep, that falls off around them as a 4 mm pad does.
/// balls 1: one in the middle; 4: one in each quarter; 0: waves, so that every pixel is tilted.
DepthImage pressed(int balls) {
  DepthImage image;
  image.width = kWidth, image.height = kHeight, image.pitch = kPitch;
  image.depth.assign(kWidth * kHeight, 0.0f);
  const double radius = 4e-3, deep = 1e-3, a = 2.3e-3;
  for (int row = 0; row < kHeight; ++row)
    for (int col = 0; col < kWidth; ++col) {
      const double x = (col - 159.5) * kPitch, y = (119.5 - row) * kPitch;
      double d = 0;
      if (balls == 0) d = 2e-4 * std::sin(3e3 * x + 1e3 * y) + 2e-4 * std::sin(2.2e3 * y);
      for (int b = 0; b < balls; ++b) {
        const double cx = balls == 1 ? 0 : (b % 2 ? 5e-3 : -5e-3),
                     cy = balls == 1 ? 0 : (b / 2 ? 3.8e-3 : -3.8e-3);
        const double r = std::hypot(x - cx, y - cy);
        const double rim = deep - radius + std::sqrt(radius * radius - a * a);
        d = std::max(d, r < a ? deep - radius + std::sqrt(radius * radius - r * r)
                              : rim * std::exp(-(r - a) / 0.8e-3));
      }
      image.depth[static_cast<std::size_t>(row * kWidth + col)] = static_cast<float>(d);
    }
  image.normal = normals_from_depth(image.depth, kWidth, kHeight, kPitch);
  return image;
}

RgbTable table(double smoothing, const ShadowTable& shadow) {
  const int bins = 125;
  std::vector<float> w(3 * bins * bins * 6);
  for (std::size_t i = 0; i < w.size(); ++i)
    w[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i % 9973)) * (i % 6 < 3   ? 1e-4
                                                                                : i % 6 < 5 ? 0.05
                                                                                            : 30));
  return {kWidth,    kHeight, bins, std::move(w), std::vector<float>(3 * kWidth * kHeight, 100.0f),
          smoothing, shadow};
}

ShadowTable shadow() {
  ShadowTable t;
  t.directions = 63, t.depths = 9, t.steps = 40;
  for (int i = 0; i < 63; ++i) t.direction.push_back(static_cast<float>(0.1 * i - 3.1));
  for (int i = 0; i < 9; ++i) t.depth.push_back(static_cast<float>(1e-4 * (4 + i)));
  for (int i = 0; i < 3 * 63 * 9 * 40; ++i)
    t.change.push_back(-20 * std::exp(-0.1f * static_cast<float>(i % 40)));
  return t;
}

template <class Out, class Model>
void render(benchmark::State& state, const Model& model) {
  const DepthImage image = pressed(static_cast<int>(state.range(0)));
  set_thread_count(static_cast<int>(state.range(1)));
  std::vector<Out> out;
  for (auto _ : state) {
    model.render(image, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  set_thread_count(0);
  std::size_t tilted = 0;
  for (std::size_t i = 0; i < image.depth.size(); ++i)
    tilted += image.normal[2 * image.depth.size() + i] < std::cos(1.5707963 / 124);
  state.counters["tilted"] = static_cast<double>(tilted) / static_cast<double>(image.depth.size());
}

void rgb_table_bytes(benchmark::State& state) { render<std::uint8_t>(state, table(0, {})); }
void rgb_table_floats(benchmark::State& state) { render<float>(state, table(0, {})); }
void rgb_table_smooth(benchmark::State& state) { render<std::uint8_t>(state, table(1, {})); }
void rgb_table_shadow(benchmark::State& state) { render<std::uint8_t>(state, table(1, shadow())); }

PhotometricModel lights(double specular) {
  LightRig rig;
  for (int k = 0; k < 3; ++k) {
    TactileLight l;
    l.at = {{0.02 * std::cos(2.1 * k), 0.02 * std::sin(2.1 * k), -0.01}};
    l.colour = {{k == 0 ? 200.0 : 20.0, k == 1 ? 200.0 : 20.0, k == 2 ? 200.0 : 20.0}};
    rig.lights.push_back(l);
  }
  rig.specular = specular;
  return {TactileCamera::orthographic(kWidth, kHeight, kPitch), rig,
          std::vector<float>(3 * kWidth * kHeight, 100.0f)};
}
void photometric(benchmark::State& state) { render<std::uint8_t>(state, lights(0)); }
void photometric_shiny(benchmark::State& state) { render<std::uint8_t>(state, lights(0.3)); }

void image_noise(benchmark::State& state) {
  TactileNoise noise;
  noise.rgb = 2;
  set_thread_count(1);
  std::vector<float> image(3 * kWidth * kHeight, 100.0f);
  std::int64_t sample = 0;
  for (auto _ : state) {
    add_image_noise(noise, 7, sample++, image);
    benchmark::DoNotOptimize(image.data());
  }
  set_thread_count(0);
}

#define HAPTOS_RGB(name)               \
  BENCHMARK(name)                      \
      ->ArgNames({"balls", "threads"}) \
      ->Args({1, 1})                   \
      ->Args({4, 1})                   \
      ->Args({0, 1})                   \
      ->UseRealTime()                  \
      ->Unit(benchmark::kMicrosecond)
HAPTOS_RGB(rgb_table_bytes);
HAPTOS_RGB(rgb_table_floats);
HAPTOS_RGB(rgb_table_smooth);
HAPTOS_RGB(rgb_table_shadow);
HAPTOS_RGB(photometric);
HAPTOS_RGB(photometric_shiny);
BENCHMARK(image_noise)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptos
