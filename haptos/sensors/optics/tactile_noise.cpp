#include "haptos/sensors/optics/tactile_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "haptos/base/hash.h"
#include "haptos/base/math/random.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

constexpr std::int64_t kOnce = -1;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// What numbers are drawn for; part of the counter, so the order may not change.
enum Purpose : std::uint32_t {
  kMorphology = 1,
  kTexture,
  kRgb,
  kGain,
  kOffset,
  kJitter,
  kLoss,
  kFabrication,
  kGrid,
  kTranslation
};

std::array<std::uint32_t, 4> counter(std::int64_t sample, Purpose purpose, std::size_t index) {
  const auto k = static_cast<std::uint64_t>(sample);
  return {static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32),
          static_cast<std::uint32_t>(index), purpose};
}

std::array<double, 2> normals(std::uint64_t key, std::int64_t sample, Purpose p, std::size_t i) {
  return normal_pair(counter(sample, p, i), key);
}

/// Two numbers in [0, 1).
std::array<double, 2> uniforms(std::uint64_t key, std::int64_t sample, Purpose p, std::size_t i) {
  const std::array<std::uint32_t, 4> r = philox(counter(sample, p, i), key);
  const std::uint64_t a = (std::uint64_t{r[1]} << 32 | r[0]) >> 11;
  const std::uint64_t b = (std::uint64_t{r[3]} << 32 | r[2]) >> 11;
  return {static_cast<double>(a) * 0x1p-53, static_cast<double>(b) * 0x1p-53};
}

/// Smallest or largest of a window of a row or column, leaving out what is not a number.
template <bool kLargest>
void extreme(const std::vector<float>& in, int rows, int cols, std::size_t row_step,
             std::size_t col_step, int reach, std::vector<float>& out) {
  for_each(
      rows,
      [&](std::ptrdiff_t r) {
        const std::size_t first = static_cast<std::size_t>(r) * row_step;
        for (int c = 0; c < cols; ++c) {
          float best = kNan;
          for (int k = std::max(c - reach, 0); k <= std::min(c + reach, cols - 1); ++k) {
            const float v = in[first + static_cast<std::size_t>(k) * col_step];
            if (best != best || (kLargest ? v > best : v < best)) best = v;
          }
          out[first + static_cast<std::size_t>(c) * col_step] = best;
        }
      },
      16);
}

template <bool kLargest>
void spread(std::vector<float>& depth, int width, int height, int reach) {
  std::vector<float> a(depth.size()), b(depth.size());
  const auto w = static_cast<std::size_t>(width);
  extreme<kLargest>(depth, height, width, w, 1, reach, a);
  extreme<kLargest>(a, width, height, 1, w, reach, b);
  for (std::size_t i = 0; i < depth.size(); ++i)
    if (depth[i] == depth[i]) depth[i] = b[i];
}

}  // namespace

std::uint64_t tactile_noise_key(std::uint64_t seed, std::uint32_t env, std::string_view sensor) {
  Hash h;
  h.add(sensor.data(), sensor.size());
  return mix_keys(mix_keys(seed, env), h.value());
}

void add_depth_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample, int width,
                     int height, std::vector<float>& depth) {
  const std::array<double, 2> u = uniforms(key, sample, kMorphology, 0);
  if (noise.morphology > 0) {
    // 0: nothing; then erosion and dilation by 1, 2, ... pixels to each side.
    const int widths = noise.morphology / 2;
    const int choice = static_cast<int>(u[0] * (2 * widths + 1));
    const int reach = (choice + 1) / 2;
    if (choice > 0 && choice % 2 == 0) spread<true>(depth, width, height, reach);
    if (choice > 0 && choice % 2 == 1) spread<false>(depth, width, height, reach);
  }
  if (noise.blur > 0) {
    std::vector<float> level = depth, weight(depth.size());
    for (std::size_t i = 0; i < depth.size(); ++i) {
      weight[i] = depth[i] == depth[i] ? 1.0f : 0.0f;
      if (weight[i] == 0) level[i] = 0;
    }
    const double sigma = noise.blur * u[1];
    gaussian_blur(level, width, height, 1, sigma);
    gaussian_blur(weight, width, height, 1, sigma);
    for (std::size_t i = 0; i < depth.size(); ++i)
      if (depth[i] == depth[i]) depth[i] = level[i] / weight[i];
  }
}

void add_texture(const TactileNoise& noise, std::uint64_t key, std::int64_t sample, int width,
                 int height, double pitch, std::vector<float>& depth, std::vector<float>& normal) {
  if (!(noise.texture > 0)) return;
  const std::size_t n = depth.size();
  std::vector<float> bump(n + 1);
  for_each(
      static_cast<std::ptrdiff_t>((n + 1) / 2),
      [&](std::ptrdiff_t i) {
        const auto k = static_cast<std::size_t>(i);
        const std::array<double, 2> x = normals(key, sample, kTexture, k);
        bump[2 * k] = static_cast<float>(noise.texture * x[0]);
        bump[2 * k + 1] = static_cast<float>(noise.texture * x[1]);
      },
      1024);
  bump.resize(n);
  const std::vector<float> tilt = normals_from_depth(bump, width, height, pitch);
  for_each(
      static_cast<std::ptrdiff_t>(n),
      [&](std::ptrdiff_t i) {
        const auto k = static_cast<std::size_t>(i);
        depth[k] += bump[k];
        const double z = normal[2 * n + k];
        const double gx = normal[k] / z + tilt[k] / tilt[2 * n + k];
        const double gy = normal[n + k] / z + tilt[n + k] / tilt[2 * n + k];
        const double l = 1 / std::sqrt(gx * gx + gy * gy + 1);
        normal[k] = static_cast<float>(gx * l);
        normal[n + k] = static_cast<float>(gy * l);
        normal[2 * n + k] = static_cast<float>(l);
      },
      1024);
}

void add_surface_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample,
                       double pitch, DepthImage& image) {
  const int w = image.width, h = image.height;
  if (noise.morphology > 0 || noise.blur > 0) {
    const std::vector<float> before = normals_from_depth(image.depth, w, h, pitch);
    add_depth_noise(noise, key, sample, w, h, image.depth);
    const std::vector<float> after = normals_from_depth(image.depth, w, h, pitch);
    const std::size_t n = image.depth.size();
    std::vector<float>& normal = image.normal;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t y = n + k, z = 2 * n + k;
      const auto slope = [&](std::size_t i) {
        return normal[i] / normal[z] + after[i] / after[z] - before[i] / before[z];
      };
      const float gx = slope(k), gy = slope(y), l = std::sqrt(gx * gx + gy * gy + 1.0f);
      const float tilted[3] = {gx / l, gy / l, 1.0f / l};
      if (!std::isfinite(tilted[0]) || !std::isfinite(tilted[1]) || !std::isfinite(tilted[2]))
        continue;
      normal[k] = tilted[0], normal[y] = tilted[1], normal[z] = tilted[2];
    }
  }
  add_texture(noise, key, sample, w, h, pitch, image.depth, image.normal);
}

void add_image_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample,
                     std::vector<float>& image) {
  const bool same = noise.gain == 1 && noise.gain_std == 0 && noise.offset == 0 &&
                    noise.offset_std == 0 && noise.rgb == 0;
  if (same) return;
  float gain[3], offset[3];
  for (std::size_t c = 0; c < 3; ++c) {
    gain[c] = static_cast<float>(noise.gain + noise.gain_std * normals(key, kOnce, kGain, c)[0]);
    offset[c] =
        static_cast<float>(noise.offset + noise.offset_std * normals(key, kOnce, kOffset, c)[0]);
  }
  const std::size_t n = image.size();
  for_each(
      static_cast<std::ptrdiff_t>((n + 1) / 2),
      [&](std::ptrdiff_t p) {
        const std::size_t k = 2 * static_cast<std::size_t>(p);
        std::array<double, 2> x = {0, 0};
        if (noise.rgb > 0) x = normals(key, sample, kRgb, k / 2);
        for (std::size_t i = k; i < std::min(k + 2, n); ++i)
          image[i] = std::clamp(
              gain[i % 3] * image[i] + offset[i % 3] + static_cast<float>(noise.rgb * x[i - k]),
              0.0f, 255.0f);
      },
      1024);
}

std::vector<Vec2d> printed_markers(const TactileNoise& noise, std::uint64_t key,
                                   const MarkerGrid& grid) {
  const std::array<double, 2> whole = uniforms(key, kOnce, kGrid, 0);
  const double turn = noise.rotation * (2 * whole[0] - 1);
  const double wide = 1 + noise.interval * (2 * whole[1] - 1);
  const std::array<double, 2> shift = uniforms(key, kOnce, kTranslation, 0);
  double s, c;
  sin_cos(turn, s, c);
  std::vector<Vec2d> at;
  for (int i = 0; i < grid.rows; ++i)
    for (int j = 0; j < grid.cols; ++j) {
      const std::array<double, 2> u = uniforms(key, kOnce, kFabrication, at.size());
      const double x =
          (j - 0.5 * (grid.cols - 1)) * grid.pitch_x * wide + noise.fabrication * (2 * u[0] - 1);
      const double y =
          (0.5 * (grid.rows - 1) - i) * grid.pitch_y * wide + noise.fabrication * (2 * u[1] - 1);
      at.push_back({{grid.offset_x + c * x - s * y + noise.translation * (2 * shift[0] - 1),
                     grid.offset_y + s * x + c * y + noise.translation * (2 * shift[1] - 1)}});
    }
  return at;
}

void add_marker_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample,
                      std::vector<Vec2d>& pixel, std::vector<std::uint8_t>& seen) {
  for (std::size_t i = 0; i < pixel.size(); ++i) {
    if (noise.jitter > 0) {
      const std::array<double, 2> x = normals(key, sample, kJitter, i);
      pixel[i][0] += noise.jitter * x[0];
      pixel[i][1] += noise.jitter * x[1];
    }
    if (noise.loss > 0 && i < seen.size() && uniforms(key, sample, kLoss, i)[0] < noise.loss)
      seen[i] = 0;
  }
}

}  // namespace haptos
