#include "haptos/render/image/draw.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/render/image/font.h"

namespace haptos {
namespace {

void blend(std::uint8_t* p, Color c, float a) {
  const float v[3] = {c.r, c.g, c.b};
  for (int k = 0; k < 3; ++k) {
    const float old = p[k], now = std::clamp(v[k], 0.0f, 1.0f) * 255.0f;
    p[k] = nearest_byte(old + (now - old) * a);
  }
}

/// Blends `color` over the box with the cover that `distance` [pixel, negative inside] leaves.
template <class Distance>
void cover(Image& image, double x0, double y0, double x1, double y1, Color color, double opacity,
           const Distance& distance) {
  if (!std::isfinite(x0 + y0 + x1 + y1)) return;
  const auto low = [](double v, int n) {
    return static_cast<int>(std::clamp(v - 1, 0.0, double(n)));
  };
  const auto high = [](double v, int n) {
    return static_cast<int>(std::clamp(std::ceil(v) + 2, 0.0, double(n)));
  };
  const int c0 = low(x0, image.width), c1 = high(x1, image.width);
  const int r0 = low(y0, image.height), r1 = high(y1, image.height);
  for (int r = r0; r < r1; ++r)
    for (int c = c0; c < c1; ++c) {
      const double a = std::clamp(0.5 - distance(c, r), 0.0, 1.0) * opacity;
      if (a > 0) blend(image.at(r, c), color, static_cast<float>(a));
    }
}

double segment_distance(double x, double y, Vec2d a, Vec2d d, double inv_length2) {
  const double px = x - a[0], py = y - a[1];
  const double t = std::clamp((px * d[0] + py * d[1]) * inv_length2, 0.0, 1.0);
  return std::hypot(px - t * d[0], py - t * d[1]);
}

}  // namespace

void fill_rect(Image& image, double x0, double y0, double x1, double y1, Color color,
               double opacity) {
  const double cx = 0.5 * (x0 + x1), cy = 0.5 * (y0 + y1), hx = 0.5 * (x1 - x0),
               hy = 0.5 * (y1 - y0);
  cover(image, x0, y0, x1, y1, color, opacity,
        [&](double x, double y) { return std::max(std::abs(x - cx) - hx, std::abs(y - cy) - hy); });
}

void draw_line(Image& image, Vec2d a, Vec2d b, double width, Color color, double opacity) {
  const Vec2d d = b - a;
  const double n = squared_norm(d), inv = n > 0 ? 1 / n : 0, h = 0.5 * width;
  cover(image, std::min(a[0], b[0]) - h, std::min(a[1], b[1]) - h, std::max(a[0], b[0]) + h,
        std::max(a[1], b[1]) + h, color, opacity,
        [&](double x, double y) { return segment_distance(x, y, a, d, inv) - h; });
}

void draw_disc(Image& image, Vec2d c, double radius, Color color, double opacity) {
  cover(image, c[0] - radius, c[1] - radius, c[0] + radius, c[1] + radius, color, opacity,
        [&](double x, double y) { return std::hypot(x - c[0], y - c[1]) - radius; });
}

void draw_ring(Image& image, Vec2d c, double radius, double width, Color color, double opacity) {
  const double o = radius + width;
  cover(image, c[0] - o, c[1] - o, c[0] + o, c[1] + o, color, opacity, [&](double x, double y) {
    return std::abs(std::hypot(x - c[0], y - c[1]) - radius) - 0.5 * width;
  });
}

void draw_arrow(Image& image, Vec2d a, Vec2d b, double width, Color color, double opacity) {
  const Vec2d d = b - a;
  const double length = norm(d);
  if (!(length > 0.05)) return;
  const Vec2d u = d * (1 / length), side{{-u[1], u[0]}};
  const double head = std::min(4.2 * width, 0.6 * length), half = 0.45 * head;
  const double shaft = std::max(length - 0.9 * head, 0.0);
  // One shape, so that a translucent arrow has no darker overlap.
  const double h = 0.5 * std::min(width, 0.35 * head + 0.3 * width);
  const auto distance = [&](double x, double y) {
    const Vec2d p{{x - a[0], y - a[1]}};
    const double t = dot(p, u), s = std::abs(dot(p, side));
    const double on_shaft = std::hypot(t - std::clamp(t, 0.0, shaft), s) - h;
    const double slant = (s * head - half * (length - t)) / std::hypot(head, half);
    return std::min(on_shaft, std::max(slant, length - head - t));
  };
  const double m = half + width;
  cover(image, std::min(a[0], b[0]) - m, std::min(a[1], b[1]) - m, std::max(a[0], b[0]) + m,
        std::max(a[1], b[1]) + m, color, opacity, distance);
}

double text_width(std::string_view text, double size) {
  double w = 0;
  for (char32_t ch : characters(text)) w += glyph_advance(ch);
  return text.empty() ? 0 : (w - kGlyphGap) * size / kCapHeight;
}

void draw_text(Image& image, Vec2d at, std::string_view text, double size, Color color,
               Align align) {
  const double scale = size / kCapHeight, width = text_width(text, size);
  const double pen = std::max(1.05, 0.135 * size);
  double x = at[0] - (align == Align::kCentre ? 0.5 * width : align == Align::kRight ? width : 0);
  for (char32_t ch : characters(text)) {
    // The nearest stroke decides, so that crossing strokes do not add up.
    const std::vector<GlyphStroke>& strokes = glyph(ch);
    std::vector<std::pair<Vec2d, Vec2d>> segments;
    for (const GlyphStroke& s : strokes)
      for (std::size_t k = 0; k < s.size(); ++k) {
        const auto place = [&](const Vec2d& p) {
          return Vec2d{{x + p[0] * scale, at[1] - p[1] * scale}};
        };
        const Vec2d a = place(s[k]), b = place(s[std::min(k + 1, s.size() - 1)]);
        if (k + 1 < s.size() || s.size() == 1) segments.push_back({a, b - a});
      }
    const double advance = glyph_advance(ch) * scale;
    if (!segments.empty())
      cover(image, x - pen, at[1] - 1.3 * size, x + advance + pen, at[1] + 0.5 * size, color, 1,
            [&](double px, double py) {
              double d = 1e9;
              for (const auto& [a, e] : segments) {
                const double n = squared_norm(e);
                d = std::min(d, segment_distance(px, py, a, e, n > 0 ? 1 / n : 0));
              }
              return d - 0.5 * pen;
            });
    x += advance;
  }
}

std::vector<double> round_ticks(double lo, double hi, int count) {
  std::vector<double> ticks;
  if (!(hi > lo) || count < 1 || !std::isfinite(hi - lo)) return ticks;
  const double raw = (hi - lo) / count, power = std::pow(10.0, std::floor(std::log10(raw)));
  const double f = raw / power;
  const double step = (f < 1.5 ? 1 : f < 3.5 ? 2 : f < 7.5 ? 5 : 10) * power;
  const double slack = 1e-9 * (hi - lo);
  for (double k = std::ceil((lo - slack) / step); k * step <= hi + slack; ++k)
    ticks.push_back(k * step);
  return ticks;
}

std::string tick_label(double value, double step) {
  if (std::abs(value) < 1e-9 * step) value = 0;
  const int decimals =
      std::clamp(static_cast<int>(std::ceil(-std::log10(std::max(step, 1e-12)) - 1e-9)), 0, 9);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

void draw_color_bar(Image& image, double x, double y0, double y1, double width, const ColorBar& bar,
                    double text_size, Color ink) {
  const double height = y1 - y0;
  for (int r = 0; r < static_cast<int>(height); ++r)
    fill_rect(image, x, y0 + r - 0.5, x + width, y0 + r + 0.5,
              map_color(bar.map, 1 - (r + 0.5) / height));
  for (const auto& [a, b] : {std::pair{Vec2d{{x, y0}}, Vec2d{{x + width, y0}}},
                             std::pair{Vec2d{{x, y1}}, Vec2d{{x + width, y1}}},
                             std::pair{Vec2d{{x, y0}}, Vec2d{{x, y1}}},
                             std::pair{Vec2d{{x + width, y0}}, Vec2d{{x + width, y1}}}})
    draw_line(image, a, b, 1, ink, 0.55);
  const std::vector<double> ticks =
      round_ticks(bar.lo, bar.hi, std::max(2, static_cast<int>(height / (4.5 * text_size))));
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : bar.hi - bar.lo;
  for (double v : ticks) {
    const double y = y1 - (v - bar.lo) / (bar.hi - bar.lo) * height;
    draw_line(image, {{x + width, y}}, {{x + width + 0.4 * text_size, y}}, 1, ink, 0.8);
    draw_text(image, {{x + width + 0.8 * text_size, y + 0.5 * text_size}}, tick_label(v, step),
              text_size, ink);
  }
  draw_text(image, {{x, y0 - 1.1 * text_size}}, bar.title, text_size, ink);
}

}  // namespace haptos
