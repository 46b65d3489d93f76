#include "haptos/sensors/optics/photometric.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "haptos/base/math/lanes.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

using F8 = Pack<float, 8>;
constexpr int kLanes = 8;

F8 load(const float* from, int count) {
  if (count >= kLanes) return F8::load(from);
  F8 r(0.0f);
  for (int i = 0; i < count; ++i) r.set(i, from[i]);
  return r;
}

// Whole powers by squaring: no exp, no log.
F8 power(F8 x, int n) {
  F8 r(1.0f);
  for (; n > 0; n >>= 1) {
    if (n & 1) r = r * x;
    x = x * x;
  }
  return r;
}

}  // namespace

std::size_t PhotometricModel::pixels() const {
  return static_cast<std::size_t>(camera_.width) * static_cast<std::size_t>(camera_.height);
}

PhotometricModel::PhotometricModel(const TactileCamera& camera, const LightRig& rig,
                                   std::vector<float> background, const RestSurface& rest)
    : camera_(camera), rig_(rig), rest_z_(rest.height), background_(std::move(background)) {
  camera_.check();
  rig_.check();
  check_rest(rest, camera_.width, camera_.height);
  if (!background_.empty()) check_background(background_, camera_.width, camera_.height);
  for (TactileLight& l : rig_.lights)
    if (l.kind == TactileLight::Kind::kDirectional) l.at = l.at * (1 / norm(l.at));
  const std::size_t n = pixels();
  if (camera_.central()) {
    slope_.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto w = static_cast<std::size_t>(camera_.width);
      const std::size_t row = i / w, col = i % w;
      const Vec2d ray = camera_.slopes({{static_cast<double>(col), static_cast<double>(row)}});
      slope_[i] = static_cast<float>(ray[0]);
      slope_[n + i] = static_cast<float>(ray[1]);
    }
  }
  const std::vector<float> depth(n, 0.0f);
  std::vector<float> normal = rest.normal;
  if (normal.empty()) {
    normal.assign(3 * n, 0.0f);
    std::fill(normal.begin() + static_cast<std::ptrdiff_t>(2 * n), normal.end(), 1.0f);
  }
  shade({camera_.width, camera_.height, depth, normal}, rest_light_);
  if (background_.empty()) {
    background_ = rest_light_;
    for (float& v : background_) v = v == v ? std::min(std::max(v, 0.0f), 255.0f) : 0.0f;
  }
}

void PhotometricModel::shade_row(int row, const float* depth, const float* normal,
                                 float* out) const {
  const auto width = camera_.width;
  const std::size_t n = pixels(),
                    first = static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  const bool central = camera_.central();
  const double row_y = (0.5 * (camera_.height - 1) - row) * camera_.pitch;
  const double step = camera_.pitch, left = -0.5 * (width - 1) * camera_.pitch;
  const F8 zero(0.0f), one(1.0f), half(0.5f), two(2.0f), back(static_cast<float>(camera_.distance));
  const bool shiny = rig_.specular > 0;
  const F8 kd(static_cast<float>(rig_.diffuse)), ks(static_cast<float>(rig_.specular));
  for (int c = 0; c < width; c += kLanes) {
    const int count = std::min(kLanes, width - c);
    const std::size_t at = first + static_cast<std::size_t>(c);
    F8 x;
    for (int i = 0; i < kLanes; ++i) x.set(i, static_cast<float>(left + step * (c + i)));
    F8 y(static_cast<float>(row_y));
    const F8 rest = rest_z_.empty() ? zero : load(rest_z_.data() + at, count);
    const F8 z = rest - load(depth + at, count);
    F8 ex = zero, ey = zero, ez = -one;
    if (central) {
      const F8 w = z + back;
      x = load(slope_.data() + at, count) * w;
      y = load(slope_.data() + n + at, count) * w;
      const F8 inv = one / sqrt(fma(x, x, fma(y, y, w * w)));
      ex = -x * inv;
      ey = -y * inv;
      ez = -w * inv;
    }
    const F8 vx = -load(normal + at, count), vy = -load(normal + n + at, count),
             vz = -load(normal + 2 * n + at, count);
    const F8 sky = half * (one - vz);
    F8 sum[3] = {F8(static_cast<float>(rig_.ambient[0])) * sky,
                 F8(static_cast<float>(rig_.ambient[1])) * sky,
                 F8(static_cast<float>(rig_.ambient[2])) * sky};
    for (const TactileLight& light : rig_.lights) {
      F8 lx(static_cast<float>(light.at[0])), ly(static_cast<float>(light.at[1])),
          lz(static_cast<float>(light.at[2])), fall = one;
      if (light.kind == TactileLight::Kind::kPoint) {
        lx = lx - x, ly = ly - y, lz = lz - z;
        const F8 inv2 = one / fma(lx, lx, fma(ly, ly, lz * lz)), inv = sqrt(inv2);
        lx = lx * inv, ly = ly * inv, lz = lz * inv;
        fall = F8(static_cast<float>(dot(light.at, light.at))) * inv2;
      }
      const F8 facing = fma(vx, lx, fma(vy, ly, vz * lz)), lit = vmax(facing, zero);
      F8 strength = kd * lit;
      if (shiny) {
        const F8 twice = two * facing;
        const F8 mirror =
            fma(fma(twice, vx, -lx), ex, fma(fma(twice, vy, -ly), ey, fma(twice, vz, -lz) * ez));
        const F8 glint = ks * power(vmax(mirror, zero), rig_.shininess);
        strength += select(facing > zero, glint, zero);
      }
      strength *= fall;
      for (int k = 0; k < 3; ++k)
        sum[k] = fma(F8(static_cast<float>(light.colour[k])), strength, sum[k]);
    }
    float* to = out + 3 * at;
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) to[3 * i + k] = sum[k][i];
  }
}

template <class Then>
void PhotometricModel::each_row(const SurfaceImage& s, std::vector<float>& out,
                                const Then& then) const {
  check_surface(s, camera_.width, camera_.height);
  out.resize(3 * pixels());
  for_each(
      camera_.height,
      [&](std::ptrdiff_t row) {
        shade_row(static_cast<int>(row), s.depth.data(), s.normal.data(), out.data());
        then(3 * static_cast<std::size_t>(row) * static_cast<std::size_t>(camera_.width));
      },
      8);
}

void PhotometricModel::shade(const SurfaceImage& s, std::vector<float>& out) const {
  each_row(s, out, [](std::size_t) {});
}

void PhotometricModel::render(const SurfaceImage& s, std::vector<float>& out) const {
  each_row(s, out, [&](std::size_t first) {
    float* o = out.data() + first;
    const float *flat = rest_light_.data() + first, *b = background_.data() + first;
    for (int i = 0; i < 3 * camera_.width; ++i) {
      const float change = o[i] - flat[i];
      // Not a number where there is no coat, now or at rest.
      const float v = b[i] + (change == change ? change : 0.0f);
      o[i] = v > 0 ? (v < 255 ? v : 255.0f) : 0.0f;
    }
  });
}

void PhotometricModel::render(const SurfaceImage& s, std::vector<std::uint8_t>& out) const {
  std::vector<float> image;
  render(s, image);
  to_bytes(image, out);
}

}  // namespace haptos
