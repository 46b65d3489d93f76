#include "haptos/geometry/make/pads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numbers>
#include <string>
#include <tuple>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/make/pad_layers.h"

namespace haptos {
namespace {

constexpr double kMostCells = 8e6;  // 48 million tetrahedra

std::size_t at(int i) { return static_cast<std::size_t>(i); }

[[noreturn]] void reject(std::string element, double value, std::string rule, std::string remedy) {
  throw InputError({.file = {},
                    .element = std::move(element),
                    .value = to_text(value),
                    .rule = std::move(rule),
                    .remedy = std::move(remedy)});
}

void check_positive(const char* element, double x) {
  if (!(x > 0) || !std::isfinite(x))
    reject(element, x, "must be a finite length greater than 0", "give it in metres");
}

void check(const PadGrading& g) {
  check_positive("pad grading top_size", g.top_size);
  check_positive("pad grading base_size", g.base_size);
  check_positive("pad grading centre_size", g.centre_size);
  check_positive("pad grading rim_size", g.rim_size);
  for (const double even : {g.even_x, g.even_y})
    if (!(even >= 0) || !std::isfinite(even))
      reject("pad grading even", even, "must be a finite length of 0 or more", "give it in metres");
  for (const double c : {g.centre_x, g.centre_y})
    if (!std::isfinite(c)) reject("pad grading centre", c, "must be finite", "give it in metres");
}

// Mirrors lines 0 .. l to -l .. l; a quarter keeps its own.
std::vector<double> about_zero(const std::vector<double>& half, PadPart part) {
  if (part == PadPart::kQuarter) return half;
  std::vector<double> all;
  for (std::size_t i = half.size(); i-- > 1;) all.push_back(-half[i]);
  all.insert(all.end(), half.begin(), half.end());
  return all;
}

// Half lines 0 .. length whose last `chamfer` is cut into equal spacings no larger than the coat's
// elements at the centre. `rim_cells` receives their number.
std::vector<double> half_lines(double length, double chamfer, const PadGrading& g, double even,
                               int* rim_cells) {
  std::vector<double> lines =
      graded_lines(length - chamfer, g.centre_size, g.rim_size, g.growth, even);
  *rim_cells = 0;
  if (chamfer > 0) {
    if (chamfer / g.centre_size > 1e6)
      reject("pad grading centre_size", g.centre_size,
             "must be at least a millionth of the chamfer", "ask for larger elements");
    *rim_cells = std::max(1, static_cast<int>(std::ceil(chamfer / g.centre_size - 1e-9)));
    for (int i = 1; i < *rim_cells; ++i)
      lines.push_back(length - chamfer + chamfer * i / *rim_cells);
    lines.push_back(length);
  }
  return lines;
}

void check_cells(double nx, double ny, double nz) {
  if (nx * ny * nz > kMostCells)
    reject("pad cells", nx * ny * nz, "must be at most 8000000", "ask for larger elements");
}

// The cells between lines in x and y, and the height of the top over each point.
PadPlane box_plane(const BoxPadShape& shape, const std::vector<double>& x,
                   const std::vector<double>& y, bool quarter, int rim_cells,
                   const Vec2i& twice_centre, std::vector<double>& height) {
  const int nx = static_cast<int>(x.size()) - 1, ny = static_cast<int>(y.size()) - 1;
  PadPlane plane;
  const double inner_x = shape.width / 2 - shape.chamfer, inner_y = shape.depth / 2 - shape.chamfer;
  // Lattice numbers are twice the index from the centre, so odd counts have a centre too.
  const auto li = [&](int i) { return 2 * i - twice_centre[0]; };
  const auto lj = [&](int j) { return 2 * j - twice_centre[1]; };
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      plane.points.push_back({{x[at(i)], y[at(j)]}});
      plane.lattice.push_back({{li(i) / 2, lj(j) / 2}});
      const double full = shape.height ? shape.height(x[at(i)], y[at(j)]) : shape.thickness;
      double drop = 0;
      if (shape.chamfer > 0)
        drop = std::max({0.0, std::abs(x[at(i)]) - inner_x, std::abs(y[at(j)]) - inner_y});
      height.push_back(full - drop);
      if (!(height.back() > 0))
        reject("pad height", height.back(), "must be greater than 0 everywhere",
               "make the pad thicker or its dome or chamfer smaller");
    }
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      // Cells from the rim along x and y; on a mitre of the chamfer they are equal.
      const int dx_low = quarter ? nx : i, dy_low = quarter ? ny : j;
      const int rx = std::min(dx_low, nx - 1 - i), ry = std::min(dy_low, ny - 1 - j);
      int rising = 0;
      if (rx == ry && rx < rim_cells) {
        const bool right = nx - 1 - i <= dx_low, above = ny - 1 - j <= dy_low;
        rising = right == above ? 1 : -1;
      }
      const int p = j * (nx + 1) + i;
      // The cell mirrors with its quadrant: the even corner is counted from the centre.
      const int ci = std::min(std::abs(li(i)), std::abs(li(i + 1))) / 2;
      const int cj = std::min(std::abs(lj(j)), std::abs(lj(j + 1))) / 2;
      const bool same_side = (li(i) + li(i + 1) >= 0) == (lj(j) + lj(j + 1) >= 0);
      const int parity = ((ci + cj) % 2 == 0) == same_side ? 0 : 1;
      add_cell(plane, p, p + 1, p + nx + 2, p + nx + 1, parity, rising);
    }
  return plane;
}

Pad box_on_lines(const BoxPadShape& shape, const std::vector<double>& x,
                 const std::vector<double>& y, const std::vector<double>& down, bool quarter,
                 int rim_cells, const Vec2i& twice_centre) {
  check_cells(static_cast<double>(x.size()), static_cast<double>(y.size()),
              static_cast<double>(down.size()));
  std::vector<double> height;
  const PadPlane plane = box_plane(shape, x, y, quarter, rim_cells, twice_centre, height);
  return extrude_pad(plane, down, shape.thickness, height);
}

// The same with lines half as far apart for the top, whose lattice has the same centre: a point of
// the wide lattice has even numbers in the fine one, the middle of a wide cell odd ones, and the
// diagonals of a union jack join them.
Pad box_widening(const BoxPadShape& shape, const std::vector<double>& x,
                 const std::vector<double>& y, const std::vector<double>& down, bool quarter,
                 int rim_cells, const Vec2i& twice_centre) {
  const auto halved = [](const std::vector<double>& wide) {
    std::vector<double> fine{wide.front()};
    for (std::size_t i = 1; i < wide.size(); ++i) {
      fine.push_back(0.5 * (wide[i - 1] + wide[i]));
      fine.push_back(wide[i]);
    }
    return fine;
  };
  const std::vector<double> fx = halved(x), fy = halved(y);
  check_cells(static_cast<double>(fx.size()), static_cast<double>(fy.size()),
              static_cast<double>(down.size()));
  std::vector<double> wide_height, fine_height;
  const PadPlane wide = box_plane(shape, x, y, quarter, rim_cells, twice_centre, wide_height);
  const PadPlane fine = box_plane(shape, fx, fy, quarter, 2 * rim_cells,
                                  {{2 * twice_centre[0], 2 * twice_centre[1]}}, fine_height);
  const int nx = static_cast<int>(x.size()) - 1, ny = static_cast<int>(y.size()) - 1;
  const int row = 2 * nx + 1;  // points in a row of the fine plane
  std::vector<PadBlock> blocks;
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      PadBlock b{};
      for (int k = 0; k < 9; ++k) b.fine[k] = (2 * j + k / 3) * row + 2 * i + k % 3;
      const int p = j * (nx + 1) + i;
      b.wide[0] = p, b.wide[1] = p + 1, b.wide[2] = p + nx + 2, b.wide[3] = p + nx + 1;
      // add_cell() begins its second triangle at the lower left where the cut rises.
      b.rising = wide.triangles[2 * at(j * nx + i) + 1][0] == p;
      blocks.push_back(b);
    }
  return extrude_widening(fine, wide, blocks, down, shape.thickness, fine_height, wide_height);
}

void check(const BoxPadShape& s) {
  check_positive("pad width", s.width);
  check_positive("pad depth", s.depth);
  check_positive("pad thickness", s.thickness);
  const double most = std::min({s.width / 2, s.depth / 2, s.thickness});
  if (!(s.chamfer >= 0) || s.chamfer >= most)
    reject("pad chamfer", s.chamfer,
           "must be 0 or more and less than the thickness and half of the footprint",
           "give a smaller chamfer in metres");
  if (s.height && std::abs(s.height(0, 0) - s.thickness) > 1e-9 * s.thickness)
    reject("pad height at (0, 0)", s.height(0, 0), "must equal the thickness",
           "shift the height function or set the thickness to it");
}

}  // namespace

std::vector<double> graded_lines(double length, double first, double last, double growth,
                                 double even) {
  check_positive("graded length", length);
  check_positive("graded first spacing", first);
  check_positive("graded last spacing", last);
  if (!(growth >= 1) || !std::isfinite(growth))
    reject("growth", growth, "must be 1 or more", "give the ratio of neighbouring spacings");
  if (length / std::min(first, last) > 1e6)
    reject("graded spacing", std::min(first, last), "must be at least a millionth of the length",
           "ask for larger elements");
  const bool descending = first > last;
  const double fine = std::min(first, last), coarse = std::max(first, last);
  std::vector<double> steps;
  double sum = 0, step = fine;
  while (sum < length * (1 - 1e-12)) {
    steps.push_back(step);
    sum += step;
    if (descending || sum >= even * (1 - 1e-12)) step = std::min(step * growth, coarse);
  }
  // The last step may overshoot by more than half of itself; then one fewer fits better.
  if (steps.size() > 1 && sum - length > 0.5 * steps.back()) {
    sum -= steps.back();
    steps.pop_back();
  }
  if (descending) std::reverse(steps.begin(), steps.end());
  std::vector<double> lines{0.0};
  double x = 0;
  for (const double s : steps) lines.push_back((x += s) * (length / sum));
  lines.back() = length;
  return lines;
}

Pad box_pad(const BoxPadShape& shape, int nx, int ny, int nz) {
  check(shape);
  if (shape.chamfer > 0)
    reject("pad chamfer", shape.chamfer, "must be 0 with equal elements",
           "give a PadGrading instead of counts");
  if (nx < 1 || ny < 1 || nz < 1)
    reject("pad element count", std::min({nx, ny, nz}), "must be 1 or more", "give three counts");
  check_cells(nx, ny, nz);
  const auto equal = [](double lo, double length, int n) {
    std::vector<double> l;
    for (int i = 0; i <= n; ++i) l.push_back(lo + length * i / n);
    return l;
  };
  std::vector<double> x = equal(-shape.width / 2, shape.width, nx);
  std::vector<double> y = equal(-shape.depth / 2, shape.depth, ny);
  if (nx % 2 == 0) x[at(nx / 2)] = 0;
  if (ny % 2 == 0) y[at(ny / 2)] = 0;
  return box_on_lines(shape, x, y, equal(0, shape.thickness, nz), false, 0, {{nx, ny}});
}

Pad box_pad(const BoxPadShape& shape, const PadGrading& grading, PadPart part) {
  check(shape);
  check(grading);
  const bool quarter = part == PadPart::kQuarter;
  if (quarter && (grading.centre_x != 0 || grading.centre_y != 0))
    reject("pad grading centre", grading.centre_x, "must be 0 of a quarter", "mesh the whole pad");
  PadGrading lined = grading;  // of the lines that are made
  if (grading.widen) {
    lined.centre_size *= 2;
    lined.rim_size = std::max(lined.rim_size, lined.centre_size);
  }
  int rim_cells = 0;
  Vec2i twice_centre{{0, 0}};
  const auto lines = [&](int axis) {
    const double half = (axis == 0 ? shape.width : shape.depth) / 2;
    const double c = axis == 0 ? grading.centre_x : grading.centre_y;
    const double even = axis == 0 ? grading.even_x : grading.even_y;
    if (!(std::abs(c) < half - shape.chamfer))
      reject("pad grading centre", c, "must lie on the pad, inside its chamfer",
             "give it from the middle of the pad in metres");
    const std::vector<double> up = half_lines(half - c, shape.chamfer, lined, even, &rim_cells);
    if (c == 0) {
      std::vector<double> all = about_zero(up, part);
      if (!quarter) twice_centre[axis] = static_cast<int>(all.size()) - 1;
      return all;
    }
    const std::vector<double> below = half_lines(half + c, shape.chamfer, lined, even, &rim_cells);
    std::vector<double> all;
    for (std::size_t i = below.size(); i-- > 1;) all.push_back(c - below[i]);
    for (const double l : up) all.push_back(c + l);
    all.front() = -half;
    all.back() = half;
    twice_centre[axis] = 2 * (static_cast<int>(below.size()) - 1);
    return all;
  };
  const std::vector<double> x = lines(0), y = lines(1);
  const std::vector<double> down =
      graded_lines(shape.thickness, grading.top_size, grading.base_size, grading.down_growth());
  if (grading.widen && down.size() > 2)
    return box_widening(shape, x, y, down, quarter, rim_cells, twice_centre);
  return box_on_lines(shape, x, y, down, quarter, rim_cells, twice_centre);
}

namespace {

// Rings of 8 r columns: the lattice square max(|i|, |j|) = r becomes the circle of radius[r].
Pad round_on_rings(const std::vector<double>& radius, const std::vector<double>& down,
                   double thickness, const std::function<double(double)>& height, PadPart part) {
  const int n = static_cast<int>(radius.size()) - 1;
  check_cells(2.0 * n, 2.0 * n, static_cast<double>(down.size()));
  const int low = part == PadPart::kQuarter ? 0 : -n, side = n - low + 1;
  PadPlane plane;
  std::vector<double> heights;
  for (int j = low; j <= n; ++j)
    for (int i = low; i <= n; ++i) {
      const int a = std::abs(i), b = std::abs(j), r = std::max(a, b), s = std::min(a, b);
      // Within the eighth s <= r the angle grows evenly from 0 to 45 degrees; the other eighths
      // are its mirror images, bit for bit.
      const double angle = r == 0 ? 0 : std::numbers::pi / 4 * s / r;
      const double along =
          s == r ? radius[at(r)] * std::numbers::sqrt2 / 2 : radius[at(r)] * std::cos(angle);
      const double across = s == r ? along : radius[at(r)] * std::sin(angle);
      const double px = a >= b ? along : across, py = a >= b ? across : along;
      plane.points.push_back({{i < 0 ? -px : px, j < 0 ? -py : py}});
      plane.lattice.push_back({{i, j}});
      heights.push_back(height(radius[at(r)]));
      if (!(heights.back() > 0))
        reject("pad height", heights.back(), "must be greater than 0 everywhere",
               "make the pad thicker or its dome or chamfer smaller");
    }
  for (int j = low; j < n; ++j)
    for (int i = low; i < n; ++i) {
      const int p = (j - low) * side + (i - low);
      // Diagonals point away from the centre: a corner of a lattice square has a straight angle
      // once it lies on its circle, and must be cut.
      const int rising = (i >= 0) == (j >= 0) ? 1 : -1;
      add_cell(plane, p, p + 1, p + side + 1, p + side, 0, rising);
    }
  return extrude_pad(plane, down, thickness, heights);
}

std::vector<double> pad_rings(double radius, double chamfer, const PadGrading& g) {
  check_positive("pad radius", radius);
  check(g);
  int rim_cells = 0;
  return half_lines(radius, chamfer, g, std::min(g.even_x, g.even_y), &rim_cells);
}

}  // namespace

Pad round_pad(double radius, double thickness, const PadGrading& grading, PadPart part,
              double chamfer) {
  check_positive("pad thickness", thickness);
  if (!(chamfer >= 0) || chamfer >= std::min(radius, thickness))
    reject("pad chamfer", chamfer, "must be 0 or more and less than radius and thickness",
           "give a smaller chamfer in metres");
  const std::vector<double> rings = pad_rings(radius, chamfer, grading);
  const std::vector<double> down =
      graded_lines(thickness, grading.top_size, grading.base_size, grading.down_growth());
  const auto height = [&](double r) { return thickness - std::max(0.0, r - (radius - chamfer)); };
  return round_on_rings(rings, down, thickness, height, part);
}

Pad round_dome_pad(double radius, double thickness, const std::function<double(double)>& height,
                   const PadGrading& grading, PadPart part) {
  check_positive("pad thickness", thickness);
  if (!height || std::abs(height(0) - thickness) > 1e-9 * thickness)
    reject("pad height at the centre", height ? height(0) : 0, "must equal the thickness",
           "shift the height function or set the thickness to it");
  const std::vector<double> rings = pad_rings(radius, 0, grading);
  const std::vector<double> down =
      graded_lines(thickness, grading.top_size, grading.base_size, grading.down_growth());
  return round_on_rings(rings, down, thickness, height, part);
}

BoxPadShape mini_pad_shape() {
  BoxPadShape s;
  s.height = rounded_height(s, 114e-3, 189e-3, {1.25e-3, 2.82e-3, 2.9e-3});
  return s;
}

std::function<double(double, double)> rounded_height(const BoxPadShape& shape, double rx, double ry,
                                                     const PadRim& rim) {
  const auto dome = dome_height(0, rx, ry);
  const double half[2] = {shape.width / 2, shape.depth / 2}, width[2] = {rim.width_x, rim.width_y};
  const double radius[2] = {rx, ry}, thickness = shape.thickness, drop = rim.drop;
  check_positive("pad rim drop", drop);
  const double inner[2] = {half[0] - width[0], half[1] - width[1]};
  for (int a = 0; a < 2; ++a) {
    check_positive("pad rim width", width[a]);
    if (!(inner[a] > 0) || inner[a] / radius[a] * width[a] > drop + dome(inner[0], inner[1]))
      reject(
          "pad rim width", width[a],
          "must be less than half of the pad, and so small that the rim is steeper than the dome",
          "make the rim narrower or its drop larger");
  }
  if (!(drop < thickness) || !(drop > -dome(inner[0], inner[1])))
    reject("pad rim drop", drop,
           "must be more than the sag of the dome and less than the thickness",
           "give how far the top has fallen at the sides of the pad in metres");
  return [=](double x, double y) {
    const double place[2] = {std::abs(x), std::abs(y)};
    const double in[2] = {std::min(place[0], inner[0]), std::min(place[1], inner[1])};
    const double sag = -dome(in[0], in[1]);
    double deepest = sag;
    for (int a = 0; a < 2; ++a) {  // a parabola from the slope of the dome down to the drop
      const double t = std::max(0.0, place[a] - inner[a]) / width[a];
      const double slope = inner[a] / radius[a] * width[a];
      deepest = std::max(deepest, sag + slope * t + (drop - sag - slope) * t * t);
    }
    return thickness - deepest;
  };
}

std::function<double(double, double)> dome_height(double thickness, double rx, double ry) {
  check_positive("dome radius along x", rx);
  check_positive("dome radius along y", ry);
  return [=](double x, double y) { return thickness - x * x / (2 * rx) - y * y / (2 * ry); };
}

}  // namespace haptos
