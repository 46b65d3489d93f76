// Shadows of the polynomial table; haptos/sensors/optics/rgb_table.h has the method.
#include <algorithm>
#include <cmath>
#include <string>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/sensors/optics/rgb_table.h"

namespace haptos {
namespace {

/// Index of the entry of `v` that is nearest to x.
int nearest(const std::vector<float>& v, float x) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(v.size()); ++i)
    if (std::abs(v[static_cast<std::size_t>(i)] - x) <
        std::abs(v[static_cast<std::size_t>(best)] - x))
      best = i;
  return best;
}

}  // namespace

// Minimum is associative and exact, so the order of rays does not matter; this part runs on one
// thread.
void RgbTable::cast_shadows(const SurfaceImage& s, std::vector<float>& change) const {
  const ShadowTable& t = shadow_;
  change.assign(background_.size(), 0.0f);
  const float limit = static_cast<float>(t.threshold);
  const auto depth = [&](int row, int col) {
    return s.depth[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                   static_cast<std::size_t>(col)];
  };
  const std::size_t n = s.depth.size();
  const int reach = std::max(width_, height_);
  for (int row = 0; row < height_; ++row)
    for (int col = 0; col < width_; ++col) {
      if (!(depth(row, col) > limit)) continue;
      const bool rim = (row > 0 && !(depth(row - 1, col) > limit)) ||
                       (row + 1 < height_ && !(depth(row + 1, col) > limit)) ||
                       (col > 0 && !(depth(row, col - 1) > limit)) ||
                       (col + 1 < width_ && !(depth(row, col + 1) > limit));
      if (!rim) continue;
      const std::size_t i = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                            static_cast<std::size_t>(col);
      const float gx = s.normal[i], gy = -s.normal[n + i], g = std::sqrt(gx * gx + gy * gy);
      if (!(g > 0)) continue;
      // Up the gradient until the depth no longer grows: the height that shades.
      float deepest = depth(row, col);
      for (int k = 1; k < reach; ++k) {
        const int r =
            static_cast<int>(std::lround(static_cast<float>(row) + gy / g * static_cast<float>(k)));
        const int c =
            static_cast<int>(std::lround(static_cast<float>(col) + gx / g * static_cast<float>(k)));
        if (r < 0 || c < 0 || r >= height_ || c >= width_ || !(depth(r, c) >= deepest)) break;
        deepest = depth(r, c);
      }
      const int level = nearest(t.depth, deepest);
      const float away = std::atan2(-gy, -gx);
      for (int ray = 0; ray < t.fan_rays; ++ray) {
        const double turn = t.fan_rays == 1 ? 0.0 : t.fan * (2.0 * ray / (t.fan_rays - 1) - 1);
        // Directions are periodic: the nearest of the angle and of the angle a turn up or down.
        int best = 0;
        float least = 1e9f;
        for (float a : {away, away - 6.2831853f, away + 6.2831853f}) {
          const int k = nearest(t.direction, a);
          const float d = std::abs(t.direction[static_cast<std::size_t>(k)] - a);
          if (d < least) least = d, best = k;
        }
        const double angle = away + turn, dx = t.step * std::cos(angle),
                     dy = t.step * std::sin(angle);
        for (int k = 0; k < t.steps; ++k) {
          const int c = static_cast<int>(std::lround(col + dx * (k + 1)));
          const int r = static_cast<int>(std::lround(row + dy * (k + 1)));
          if (c < 0 || r < 0 || c >= width_ || r >= height_) break;
          for (int colour = 0; colour < 3; ++colour) {
            const float v = t.change[((static_cast<std::size_t>(colour) *
                                           static_cast<std::size_t>(t.directions) +
                                       static_cast<std::size_t>(best)) *
                                          static_cast<std::size_t>(t.depths) +
                                      static_cast<std::size_t>(level)) *
                                         static_cast<std::size_t>(t.steps) +
                                     static_cast<std::size_t>(k)];
            float& to = change[3 * (static_cast<std::size_t>(r) * static_cast<std::size_t>(width_) +
                                    static_cast<std::size_t>(c)) +
                               static_cast<std::size_t>(colour)];
            to = std::min(to, v);
          }
        }
      }
    }
  gaussian_blur(change, width_, height_, 3, t.blur);
}

}  // namespace haptos
