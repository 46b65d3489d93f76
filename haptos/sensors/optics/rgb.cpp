#include "haptos/sensors/optics/rgb.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

std::size_t count(int width, int height) {
  return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
}

void demand_size(const char* element, std::size_t size, std::size_t wanted, int width, int height,
                 const char* remedy) {
  if (size != wanted)
    throw InputError({"", 0, 0, element, std::to_string(size) + " numbers",
                      "must have " + std::to_string(wanted) + ", for " + std::to_string(width) +
                          " x " + std::to_string(height) + " pixels",
                      remedy});
}

}  // namespace

void check_surface(const SurfaceImage& s, int width, int height) {
  if (s.width != width || s.height != height)
    throw InputError(
        {"", 0, 0, "surface image",
         std::to_string(s.width) + " x " + std::to_string(s.height) + " pixels",
         "must have the model's size, " + std::to_string(width) + " x " + std::to_string(height),
         "make the model for this camera"});
  demand_size("depth", s.depth.size(), count(width, height), width, height,
              "pass the whole depth image");
  demand_size("normal", s.normal.size(), 3 * count(width, height), width, height,
              "measure the depth with normals");
}

void check_rest(const RestSurface& rest, int width, int height) {
  if (!rest.height.empty())
    demand_size("rest height", rest.height.size(), count(width, height), width, height,
                "take it from the depth sensor");
  if (!rest.normal.empty())
    demand_size("rest normal", rest.normal.size(), 3 * count(width, height), width, height,
                "measure the coat at rest");
}

void check_background(std::span<const float> b, int width, int height) {
  demand_size("background", b.size(), 3 * count(width, height), width, height,
              "use an image of the camera's size with three colours");
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!(b[i] >= 0 && b[i] <= 255))
      throw InputError({"", 0, 0, "background value " + std::to_string(i), to_text(b[i]),
                        "must be a grey value of 0 to 255", "do not scale the image to 0..1"});
}

void to_bytes(std::span<const float> image, std::vector<std::uint8_t>& out) {
  out.resize(image.size());
  for_each(
      static_cast<std::ptrdiff_t>(image.size()),
      [&](std::ptrdiff_t i) {
        const float v = image[static_cast<std::size_t>(i)] + 0.5f;
        // Not a number becomes 0.
        out[static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(v > 0 ? (v < 255 ? static_cast<int>(v) : 255) : 0);
      },
      16384);
}

void gaussian_blur(std::vector<float>& image, int width, int height, int channels, double sigma) {
  if (!(sigma > 0)) return;
  const int reach = static_cast<int>(std::ceil(3 * sigma));
  std::vector<float> weight(static_cast<std::size_t>(reach) + 1);
  double sum = 0;
  for (int k = 0; k <= reach; ++k) {
    const double w = std::exp(-0.5 * k * k / (sigma * sigma));
    weight[static_cast<std::size_t>(k)] = static_cast<float>(w);
    sum += k == 0 ? w : 2 * w;
  }
  for (float& w : weight) w = static_cast<float>(w / sum);
  std::vector<float> across(image.size());
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(width) * channels;
  for_each(
      height,
      [&](std::ptrdiff_t r) {
        const float* in = image.data() + r * row;
        float* out = across.data() + r * row;
        for (int c = 0; c < width; ++c)
          for (int k = 0; k < channels; ++k) {
            float v = weight[0] * in[c * channels + k];
            for (int d = 1; d <= reach; ++d)
              v += weight[static_cast<std::size_t>(d)] *
                   (in[std::max(c - d, 0) * channels + k] +
                    in[std::min(c + d, width - 1) * channels + k]);
            out[c * channels + k] = v;
          }
      },
      8);
  for_each(
      height,
      [&](std::ptrdiff_t r) {
        float* out = image.data() + r * row;
        const float* mid = across.data() + r * row;
        for (std::ptrdiff_t i = 0; i < row; ++i) out[i] = weight[0] * mid[i];
        for (int d = 1; d <= reach; ++d) {
          const float w = weight[static_cast<std::size_t>(d)];
          const float* up = across.data() + std::max<std::ptrdiff_t>(r - d, 0) * row;
          const float* down = across.data() + std::min<std::ptrdiff_t>(r + d, height - 1) * row;
          for (std::ptrdiff_t i = 0; i < row; ++i) out[i] += w * (up[i] + down[i]);
        }
      },
      8);
}

std::vector<float> normals_from_depth(std::span<const float> depth, int width, int height,
                                      double pitch) {
  if (!(pitch > 0) || !std::isfinite(pitch))
    throw InputError(
        {"", 0, 0, "pitch", to_text(pitch), "must be greater than 0", "give metres per pixel"});
  demand_size("depth", depth.size(), count(width, height), width, height,
              "pass the whole depth image");
  const std::size_t size = depth.size();
  std::vector<float> normal(3 * size);
  const auto slope = [&](std::ptrdiff_t i, std::ptrdiff_t step, bool before, bool after) {
    const float* d = depth.data();
    const double here = d[i];
    const bool low = before && d[i - step] == d[i - step];
    const bool high = after && d[i + step] == d[i + step];
    const double a = low ? d[i - step] : here, b = high ? d[i + step] : here;
    return low || high ? (b - a) / (pitch * (static_cast<int>(low) + static_cast<int>(high))) : 0.0;
  };
  for_each(
      height,
      [&](std::ptrdiff_t r) {
        for (int c = 0; c < width; ++c) {
          const std::ptrdiff_t i = r * width + c;
          const double gx = slope(i, 1, c > 0, c + 1 < width);
          const double gy = -slope(i, width, r > 0, r + 1 < height);  // rows run down, y up
          const double l = 1 / std::sqrt(gx * gx + gy * gy + 1);
          const auto k = static_cast<std::size_t>(i);
          const bool seen = depth[k] == depth[k];
          const float nan = std::numeric_limits<float>::quiet_NaN();
          normal[k] = seen ? static_cast<float>(gx * l) : nan;
          normal[size + k] = seen ? static_cast<float>(gy * l) : nan;
          normal[2 * size + k] = seen ? static_cast<float>(l) : nan;
        }
      },
      8);
  return normal;
}

}  // namespace haptos
