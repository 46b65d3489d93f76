#include "haptos/render/image/colormap.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace haptos {
namespace {

constexpr float kDegree = 0.017453293f;
constexpr int kEntries = 512;

/// Linear sRGB light of an Oklab colour (the two matrices of the definition).
std::array<float, 3> linear_from_oklab(float L, float a, float b) {
  const auto cube = [](float x) { return x * x * x; };
  const float l = cube(L + 0.3963377774f * a + 0.2158037573f * b);
  const float m = cube(L - 0.1055613458f * a - 0.0638541728f * b);
  const float s = cube(L - 0.0894841775f * a - 1.2914855480f * b);
  return {4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
          -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
          -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
}

Color sequential(float t) {
  const float hue = 300 - 195 * std::pow(t, 0.92f);  // violet, blue, green, yellow
  return color_from_oklch(0.22f + 0.70f * t, 0.10f + 0.075f * t, hue * kDegree);
}

Color diverging(float t) {
  const float u = 2 * t - 1, s = std::abs(u);
  const float hue = u < 0 ? 255 - 12 * s : 38 - 12 * s;
  return color_from_oklch(0.965f - 0.56f * std::pow(s, 1.1f), 0.19f * std::pow(s, 0.85f),
                          hue * kDegree);
}

std::array<Color, kEntries> table(Colormap map) {
  std::array<Color, kEntries> c;
  for (int i = 0; i < kEntries; ++i) {
    const float t = static_cast<float>(i) / (kEntries - 1);
    c[static_cast<std::size_t>(i)] = map == Colormap::kSequential  ? sequential(t)
                                     : map == Colormap::kDiverging ? diverging(t)
                                                                   : color_from_oklch(t, 0, 0);
  }
  return c;
}

}  // namespace

Color color_from_oklch(float lightness, float chroma, float hue) {
  const auto at = [&](float c) {
    return linear_from_oklab(lightness, c * std::cos(hue), c * std::sin(hue));
  };
  const auto shown = [](const std::array<float, 3>& v) {
    return std::all_of(v.begin(), v.end(), [](float x) { return x >= -1e-4f && x <= 1.0001f; });
  };
  float lo = 0, hi = chroma;
  if (!shown(at(hi))) {
    for (int i = 0; i < 16; ++i) {
      const float mid = 0.5f * (lo + hi);
      (shown(at(mid)) ? lo : hi) = mid;
    }
    hi = lo;
  }
  const std::array<float, 3> v = at(hi);
  const auto encode = [](float x) { return srgb_from_linear(std::clamp(x, 0.0f, 1.0f)); };
  return {encode(v[0]), encode(v[1]), encode(v[2])};
}

float lightness(Color c) {
  const float r = linear_from_srgb(c.r), g = linear_from_srgb(c.g), b = linear_from_srgb(c.b);
  const float l = std::cbrt(0.4122214708f * r + 0.5363325363f * g + 0.0514459929f * b);
  const float m = std::cbrt(0.2119034982f * r + 0.6806995451f * g + 0.1073969566f * b);
  const float s = std::cbrt(0.0883024619f * r + 0.2817188376f * g + 0.6299787005f * b);
  return 0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s;
}

Color map_color(Colormap map, double v) {
  static const std::array<std::array<Color, kEntries>, 3> tables = {
      table(Colormap::kSequential), table(Colormap::kDiverging), table(Colormap::kGrey)};
  if (!(v == v)) return {0.62f, 0.62f, 0.62f};
  const double x = std::clamp(v, 0.0, 1.0) * (kEntries - 1);
  const std::size_t i = std::min<std::size_t>(static_cast<std::size_t>(x), kEntries - 2);
  const std::array<Color, kEntries>& t = tables[static_cast<std::size_t>(map)];
  return mix(t[i], t[i + 1], static_cast<float>(x - static_cast<double>(i)));
}

}  // namespace haptos
