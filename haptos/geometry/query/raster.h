// The pixels under a triangle, row by row: the core of every raster in the library.
//
// Pixel (row r, column c) has its centre at x = c, y = r; rows run down the image. A triangle
// covers a pixel when its centre lies between the two edges that cross the row,
//   x_e(r) = x_top + (r - y_top) (x_bottom - x_top) / (y_bottom - y_top),
//   ceil(min x_e) <= c < ceil(max x_e),   ceil(y_top) <= r < ceil(y_bottom).
// An edge is always walked from its upper end (then its left end), so the two triangles that share
// it compute the same bits: their spans telescope, and a connected surface has no gap and no pixel
// is claimed twice. Orientation does not matter. Values are planes over the image (exact linear
// interpolation), anchored at the first corner.
// Crossings are rounded to float: an edge may lie 1e-7 of the image's width beside its place.
// Limits: coordinates may be far outside the image, or not a number (no pixel, no undefined cast).
#pragma once

#include <cmath>

#include "haptos/base/math/lanes.h"

namespace haptos {

/// Half-open ranges of columns and rows.
struct PixelWindow {
  int col_begin = 0, col_end = 0;
  int row_begin = 0, row_end = 0;
};

/// The gradient over the image of a value known at the three corners [value / pixel].
struct PixelGradient {
  double dx = 0, dy = 0;
};

/// Constants of one projected triangle, from which the gradient of any corner value follows:
///   d f / d x = g1x (f1 - f0) + g2x (f2 - f0),   d f / d y = g1y (f1 - f0) + g2y (f2 - f0).
struct ScreenTriangle {
  double x[3], y[3];  ///< corners [pixel]
  double g1x, g1y, g2x, g2y;

  /// A triangle smaller than 1e-6 square pixels has no gradient: values are those of corner 0.
  void prepare() {
    const double ax = x[1] - x[0], ay = y[1] - y[0], bx = x[2] - x[0], by = y[2] - y[0];
    const double area = ax * by - ay * bx;
    const double inv = std::abs(area) > 1e-6 ? 1.0 / area : 0.0;
    g1x = by * inv, g1y = -bx * inv;
    g2x = -ay * inv, g2y = ax * inv;
  }
  PixelGradient gradient(double f0, double f1, double f2) const {
    const double d1 = f1 - f0, d2 = f2 - f0;
    return {g1x * d1 + g2x * d2, g1y * d1 + g2y * d2};
  }
};

namespace internal {
/// The first integer at or after v, held to [lo, hi]; lo when v is not a number.
inline int first_at_or_after(double v, int lo, int hi) {
  v = v > lo ? v : lo;
  v = v < hi ? v : hi;
  return static_cast<int>(std::ceil(v));
}

constexpr int kRows = 8;  // rows whose spans are found together
using Rows = Pack<float, kRows>;
using RowInts = VectorOf<std::int32_t, kRows>::type;

/// The first integers at or after v, held to [lo, hi]; lo where v is not a number.
HAPTOS_HD RowInts first_at_or_after(Rows v, Rows lo, Rows hi) {
  v = select(v > lo, v, lo);
  v = select(v < hi, v, hi);
  VectorOf<float, kRows>::type x;
  v.store(reinterpret_cast<float*>(&x));
  const RowInts whole = __builtin_convertvector(x, RowInts);
  // A comparison is -1 where it holds.
  return whole - (__builtin_convertvector(whole, VectorOf<float, kRows>::type) < x);
}
}  // namespace internal

/// Columns of up to eight neighbouring rows; where end <= begin the row is empty.
struct RowSpans {
  int row, count;
  internal::RowInts begin, end;
};

/// Calls rows(RowSpans) for every block of rows of the window that the triangle may cover.
template <class Body>
HAPTOS_HD void scan_rows(const double x[3], const double y[3], const PixelWindow& w, Body&& rows) {
  int a = 0, b = 1, c = 2;
  const auto above = [&](int i, int j) { return y[i] < y[j] || (y[i] == y[j] && x[i] < x[j]); };
  const auto order = [&](int& i, int& j) {
    const bool swap = above(j, i);
    const int t = swap ? j : i;
    j = swap ? i : j;
    i = t;
  };
  order(a, b);
  order(b, c);
  order(a, b);
  const double xa = x[a], ya = y[a], xb = x[b], yb = y[b];
  const int row_a = internal::first_at_or_after(ya, w.row_begin, w.row_end);
  const int row_c = internal::first_at_or_after(y[c], w.row_begin, w.row_end);
  if (row_a >= row_c) return;
  const int row_b = internal::first_at_or_after(yb, w.row_begin, w.row_end);
  // A horizontal edge divides by zero and then has no rows that could use the quotient.
  const double slope_ac = (x[c] - xa) / (y[c] - ya);
  const double slope_ab = (xb - xa) / (yb - ya);
  const double slope_bc = (x[c] - xb) / (y[c] - yb);
  using internal::Rows;
  const Rows lo(w.col_begin), hi(w.col_end), turn(row_b), y0(ya), x0(xa), long_edge(slope_ac);
  Rows row(row_a);
  for (int i = 0; i < internal::kRows; ++i) row.set(i, static_cast<float>(row_a + i));
  for (int r = row_a; r < row_c; r += internal::kRows, row += Rows(internal::kRows)) {
    const auto upper = row < turn;
    const Rows slope = select(upper, Rows(slope_ab), Rows(slope_bc));
    const Rows x_top = select(upper, x0, Rows(xb)), y_top = select(upper, y0, Rows(yb));
    const Rows u = fma(long_edge, row - y0, x0), v = fma(slope, row - y_top, x_top);
    const auto u_first = u < v;
    rows(RowSpans{r, row_c - r < internal::kRows ? row_c - r : internal::kRows,
                  internal::first_at_or_after(select(u_first, u, v), lo, hi),
                  internal::first_at_or_after(select(u_first, v, u), lo, hi)});
  }
}

/// Calls span(row, col_begin, col_end) for every row of the window that the triangle covers.
template <class Span>
HAPTOS_HD void scan_triangle(const double x[3], const double y[3], const PixelWindow& w,
                             Span&& span) {
  scan_rows(
      x, y, w, [&](const RowSpans& s) __attribute__((always_inline)) {
        for (int i = 0; i < s.count; ++i)
          if (s.begin[i] < s.end[i]) span(s.row + i, s.begin[i], s.end[i]);
      });
}

}  // namespace haptos
