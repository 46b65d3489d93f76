#include "haptos/render/pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/text/error.h"
#include "haptos/render/image/draw.h"

namespace haptos {
namespace {

constexpr Color kInk{0.15f, 0.17f, 0.20f};

void check_size(const char* name, std::size_t got, std::size_t wanted) {
  if (got == wanted) return;
  Diagnostic d;
  d.element = name;
  d.value = std::to_string(got);
  d.rule = "must have " + std::to_string(wanted) + " entries";
  d.remedy = "pass arrays of one measurement";
  throw InputError(std::move(d));
}

std::size_t pixel_count(int width, int height) {
  return static_cast<std::size_t>(std::max(width, 0)) *
         static_cast<std::size_t>(std::max(height, 0));
}

/// Bilinear value at a fractional (row, col); not-a-number where a neighbour is.
double sample(const ScalarField& f, double row, double col) {
  const double r = std::clamp(row, 0.0, f.height - 1.0), c = std::clamp(col, 0.0, f.width - 1.0);
  const int r0 = static_cast<int>(r), c0 = static_cast<int>(c);
  const int r1 = std::min(r0 + 1, f.height - 1), c1 = std::min(c0 + 1, f.width - 1);
  const double u = c - c0, v = r - r0;
  const auto at = [&](int i, int j) {
    return static_cast<double>(
        f.values[static_cast<std::size_t>(i) * static_cast<std::size_t>(f.width) +
                 static_cast<std::size_t>(j)]);
  };
  return (1 - v) * ((1 - u) * at(r0, c0) + u * at(r0, c1)) +
         v * ((1 - u) * at(r1, c0) + u * at(r1, c1));
}

/// Where the panel of a picture lies on its sheet.
struct Sheet {
  Image image;
  double x0, y0, x1, y1;  // edges of the panel
};

constexpr double kText = 11;

Sheet make_sheet(int width, int height, int scale, double right_room, const std::string& title) {
  const int left = 66, top = title.empty() ? 34 : 58, bottom = 48;
  Sheet s{Image(left + width * scale + static_cast<int>(right_room), top + height * scale + bottom),
          left - 0.5, top - 0.5, left - 0.5 + width * scale, top - 0.5 + height * scale};
  draw_text(s.image, {{s.x0, 26}}, title, 14, kInk);
  return s;
}

/// Frame and ticks in millimetres from the centre of the panel.
void draw_axes(Sheet& s, double half_x, double half_y) {
  const auto line = [&](double xa, double ya, double xb, double yb) {
    draw_line(s.image, {{xa, ya}}, {{xb, yb}}, 1, kInk, 0.7);
  };
  line(s.x0, s.y0, s.x1, s.y0);
  line(s.x0, s.y1, s.x1, s.y1);
  line(s.x0, s.y0, s.x0, s.y1);
  line(s.x1, s.y0, s.x1, s.y1);
  const auto count = [](double length) { return std::clamp(static_cast<int>(length / 80), 2, 8); };
  const auto step_of = [](const std::vector<double>& t) {
    return t.size() > 1 ? t[1] - t[0] : 1.0;
  };
  const std::vector<double> tx = round_ticks(-half_x, half_x, count(s.x1 - s.x0));
  for (double v : tx) {
    const double x = s.x0 + (v + half_x) / (2 * half_x) * (s.x1 - s.x0);
    line(x, s.y1, x, s.y1 + 5);
    draw_text(s.image, {{x, s.y1 + 9 + kText}}, tick_label(v, step_of(tx)), kText, kInk,
              Align::kCentre);
  }
  const std::vector<double> ty = round_ticks(-half_y, half_y, count(s.y1 - s.y0));
  for (double v : ty) {
    const double y = s.y1 - (v + half_y) / (2 * half_y) * (s.y1 - s.y0);
    line(s.x0 - 5, y, s.x0, y);
    draw_text(s.image, {{s.x0 - 9, y + 0.5 * kText}}, tick_label(v, step_of(ty)), kText, kInk,
              Align::kRight);
  }
  draw_text(s.image, {{0.5 * (s.x0 + s.x1), s.y1 + 22 + 2 * kText - 6}}, "x [mm]", kText, kInk,
            Align::kCentre);
  draw_text(s.image, {{s.x0 - 9, s.y0 - 9}}, "y [mm]", kText, kInk, Align::kRight);
}

void check_scale(int scale) {
  if (scale >= 1 && scale <= 64) return;
  Diagnostic d;
  d.element = "scale";
  d.value = std::to_string(scale);
  d.rule = "must lie in 1 .. 64";
  d.remedy = "give whole screen pixels per field pixel";
  throw InputError(std::move(d));
}

double longest_flow(std::span<const Vec2d> from, std::span<const Vec2d> to,
                    std::span<const std::uint8_t> visible) {
  double longest = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const double n = norm(to[k] - from[k]);
    if ((visible.empty() || visible[k]) && n > longest) longest = n;
  }
  return longest;
}

Color flow_color(double part) { return map_color(Colormap::kSequential, 0.12 + 0.68 * part); }

}  // namespace

Image field_picture(const ScalarField& f, const FieldPictureOptions& o) {
  check_size("field", f.values.size(), pixel_count(f.width, f.height));
  check_scale(o.scale);
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (float v : f.values)
    if (std::isfinite(v)) lo = std::min(lo, o.unit * v), hi = std::max(hi, o.unit * v);
  if (!(lo <= hi)) lo = 0, hi = 1;
  if (o.map == Colormap::kDiverging) {
    hi = std::max(std::abs(lo), std::abs(hi));
    lo = -hi;
  }
  lo = o.lo.value_or(lo);
  hi = o.hi.value_or(hi);
  if (!(hi > lo)) hi = lo + 1;
  Sheet s = make_sheet(f.width, f.height, o.scale, 110, o.title);
  const int left = static_cast<int>(std::lround(s.x0)), top = static_cast<int>(std::lround(s.y0));
  for (int r = 0; r < f.height * o.scale; ++r)
    for (int c = 0; c < f.width * o.scale; ++c) {
      const double v = sample(f, (r + 0.5) / o.scale - 0.5, (c + 0.5) / o.scale - 0.5);
      const Color color = map_color(o.map, (o.unit * v - lo) / (hi - lo));
      std::uint8_t* p = s.image.at(top + r, left + c);
      p[0] = nearest_byte(color.r * 255);
      p[1] = nearest_byte(color.g * 255);
      p[2] = nearest_byte(color.b * 255);
    }
  draw_axes(s, 0.5e3 * f.width * f.pitch, 0.5e3 * f.height * f.pitch);
  draw_color_bar(s.image, s.x1 + 22, s.y0, s.y1, 16, {o.map, lo, hi, o.quantity}, kText, kInk);
  return std::move(s.image);
}

Image depth_picture(const ScalarField& depth, int scale, const std::string& title) {
  FieldPictureOptions o;
  o.scale = scale;
  o.title = title;
  // An untouched gel must not have its rounding blown up to the full range.
  double hi = 0, lo = 0;
  for (float v : depth.values)
    if (std::isfinite(v)) hi = std::max(hi, 1e3 * v), lo = std::min(lo, 1e3 * v);
  o.hi = std::max(hi, 0.01);
  o.lo = lo;
  return field_picture(depth, o);
}

Image normal_picture(int width, int height, std::span<const float> normal, int scale) {
  const std::size_t plane = pixel_count(width, height);
  check_size("normal", normal.size(), 3 * plane);
  check_scale(scale);
  Image image(width * scale, height * scale);
  for (int r = 0; r < image.height; ++r)
    for (int c = 0; c < image.width; ++c) {
      const std::size_t at = static_cast<std::size_t>(r / scale) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(c / scale);
      for (std::size_t k = 0; k < 3; ++k) {
        const float v = normal[k * plane + at];
        image.at(r, c)[k] = v == v ? nearest_byte(std::clamp(0.5f + 0.5f * v, 0.0f, 1.0f) * 255)
                                   : std::uint8_t{158};
      }
    }
  return image;
}

void draw_markers(Image& image, std::span<const Vec2d> pixels,
                  std::span<const std::uint8_t> visible, double radius, Color color,
                  double opacity) {
  if (!visible.empty()) check_size("visible", visible.size(), pixels.size());
  for (std::size_t k = 0; k < pixels.size(); ++k)
    if (visible.empty() || visible[k]) draw_disc(image, pixels[k], radius, color, opacity);
}

void draw_flow(Image& image, std::span<const Vec2d> from, std::span<const Vec2d> to,
               std::span<const std::uint8_t> visible, double gain, double width, double longest) {
  check_size("to", to.size(), from.size());
  if (!visible.empty()) check_size("visible", visible.size(), from.size());
  if (!(longest > 0)) longest = longest_flow(from, to, visible);
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!visible.empty() && !visible[k]) continue;
    const Vec2d d = to[k] - from[k];
    const double part = longest > 0 ? norm(d) / longest : 0;
    draw_arrow(image, from[k], from[k] + d * gain, width, flow_color(std::min(part, 1.0)));
  }
}

Image flow_picture(int width, int height, double pitch, std::span<const Vec2d> from,
                   std::span<const Vec2d> to, std::span<const std::uint8_t> visible,
                   const FlowPictureOptions& o, const ScalarField* under) {
  check_size("to", to.size(), from.size());
  check_scale(o.scale);
  if (under) check_size("field", under->values.size(), pixel_count(width, height));
  Sheet s = make_sheet(width, height, o.scale, 140, o.title);
  const int left = static_cast<int>(std::lround(s.x0)), top = static_cast<int>(std::lround(s.y0));
  Image panel(width * o.scale, height * o.scale, {0.955f, 0.96f, 0.965f});
  if (under) {
    float deepest = 1e-9f;
    for (float v : under->values) deepest = v > deepest ? v : deepest;
    for (int r = 0; r < panel.height; ++r)
      for (int c = 0; c < panel.width; ++c) {
        const double v = sample(*under, (r + 0.5) / o.scale - 0.5, (c + 0.5) / o.scale - 0.5);
        const float t = v == v ? static_cast<float>(std::clamp(v / deepest, 0.0, 1.0)) : 0.2f;
        fill_rect(panel, c - 0.5, r - 0.5, c + 0.5, r + 0.5,
                  mix({0.965f, 0.965f, 0.96f}, {0.72f, 0.77f, 0.82f}, t));
      }
  }
  const auto place = [&](std::span<const Vec2d> pixels) {
    std::vector<Vec2d> p(pixels.begin(), pixels.end());
    for (Vec2d& u : p) u = {{(u[0] + 0.5) * o.scale - 0.5, (u[1] + 0.5) * o.scale - 0.5}};
    return p;
  };
  const std::vector<Vec2d> a = place(from), b = place(to);
  const double radius = o.marker_radius * o.scale;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (visible.empty() || visible[k]) draw_ring(panel, a[k], radius, 1, kInk, 0.35);
  draw_markers(panel, b, visible, radius, {0.25f, 0.27f, 0.30f}, 0.85);
  draw_flow(panel, a, b, visible, o.gain, std::max(1.6, 1.1 * o.scale));
  paste(s.image, panel, top, left);
  draw_axes(s, 0.5e3 * width * pitch, 0.5e3 * height * pitch);
  // The bar shows the flow itself; the arrows may be longer by their gain.
  const double longest = longest_flow(from, to, visible) * pitch * 1e3;
  const double x = s.x1 + 22, hi = longest > 0 ? longest : 1;
  const double bar_top = s.y0 + (o.gain != 1 ? 2.6 * kText : 0);
  for (int r = 0; r < static_cast<int>(s.y1 - bar_top); ++r)
    fill_rect(s.image, x, bar_top + r - 0.5, x + 16, bar_top + r + 0.5,
              flow_color(1 - (r + 0.5) / (s.y1 - bar_top)));
  const std::vector<double> ticks =
      round_ticks(0, hi, std::max(2, static_cast<int>((s.y1 - bar_top) / (4.5 * kText))));
  for (double v : ticks) {
    const double y = s.y1 - v / hi * (s.y1 - bar_top);
    draw_line(s.image, {{x + 16, y}}, {{x + 21, y}}, 1, kInk, 0.8);
    draw_text(s.image, {{x + 26, y + 0.5 * kText}},
              tick_label(v, ticks.size() > 1 ? ticks[1] - ticks[0] : hi), kText, kInk);
  }
  draw_text(s.image, {{x, s.y0 - 1.1 * kText}}, "flow [mm]", kText, kInk);
  if (o.gain != 1)
    draw_text(
        s.image, {{x, s.y0 + 0.8 * kText}},
        "arrows \u00d7" + tick_label(o.gain, o.gain < 10 && o.gain != std::floor(o.gain) ? 0.1 : 1),
        kText, kInk);
  return std::move(s.image);
}

Image view_above(const RenderScene& scene, const RenderOptions& options) {
  const double aspect = static_cast<double>(options.width) / options.height;
  return render(scene, frame_scene(scene, {{0.42, 1, -0.72}}, aspect, 0.42, 0.12), options);
}

Image view_side_cutaway(RenderScene scene, const Vec3d& centre, const RenderOptions& options) {
  scene.clip = ClipPlane{{{0, -1, 0}}, -centre[1]};
  const double aspect = static_cast<double>(options.width) / options.height;
  return render(scene, frame_scene(scene, {{0.0, 1, -0.16}}, aspect, 0.22, 0.10), options);
}

void caption(Image& image, const std::string& text, double size) {
  draw_text(image, {{1.2 * size, 2.2 * size}}, text, size, kInk);
}

Image beside(std::span<const Image> images, int gap) {
  int width = -gap, height = 1;
  for (const Image& i : images) width += i.width + gap, height = std::max(height, i.height);
  Image all(std::max(width, 1), height);
  int col = 0;
  for (const Image& i : images) {
    paste(all, i, 0, col);
    col += i.width + gap;
  }
  return all;
}

}  // namespace haptos
