// Flat drawing with soft edges on an Image: rectangles, lines, discs, arrows and text.
// Positions are (x, y) = (column, row) in pixels; pixel centres lie at whole numbers.
// Text is set in a small stroke alphabet of our own (font.cpp), so it is clean at any size.
#pragma once

#include <string_view>

#include "haptos/base/math/math.h"
#include "haptos/render/image/colormap.h"
#include "haptos/render/image/image.h"

namespace haptos {

void fill_rect(Image& image, double x0, double y0, double x1, double y1, Color color,
               double opacity = 1);
void draw_line(Image& image, Vec2d a, Vec2d b, double width, Color color, double opacity = 1);
void draw_disc(Image& image, Vec2d centre, double radius, Color color, double opacity = 1);
void draw_ring(Image& image, Vec2d centre, double radius, double width, Color color,
               double opacity = 1);
/// A shaft with a filled head at b; short arrows shrink their head with them.
void draw_arrow(Image& image, Vec2d a, Vec2d b, double width, Color color, double opacity = 1);

enum class Align { kLeft, kCentre, kRight };

/// Height of capitals is `size` pixels; `at` is the left end, centre or right end of the base line.
void draw_text(Image& image, Vec2d at, std::string_view text, double size, Color color,
               Align align = Align::kLeft);
/// Width of the text in pixels.
double text_width(std::string_view text, double size);

/// A vertical bar from `lo` (bottom) to `hi` (top) with round tick values and a title above.
struct ColorBar {
  Colormap map = Colormap::kSequential;
  double lo = 0, hi = 1;
  std::string_view title;  ///< quantity with unit, for example "depth [mm]"
};
void draw_color_bar(Image& image, double x, double y0, double y1, double width, const ColorBar& bar,
                    double text_size, Color ink = {0.15f, 0.17f, 0.2f});

/// Round values that cut [lo, hi] into about `count` parts.
std::vector<double> round_ticks(double lo, double hi, int count);
/// A tick value with as many decimals as the step asks for; no minus before zero.
std::string tick_label(double value, double step);

}  // namespace haptos
