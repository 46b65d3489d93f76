// The press-test indenters: a solid 16 x 16 x 10 mm plate and a feature that reaches z = 20 mm.
//
// Sizes follow the set of Gomes, Paoletti and Luo, "Generation of GelSight tactile images for
// sim2real learning", IEEE RA-L 6 (2021), as measured on its surfaces. Their plates are hollow
// below; ours are solid. Below what a press reaches we differ where a simpler body serves:
// cylinder_side stands on a block instead of a stem, and wave1 and torus on their footprint. The
// coin and the key are our own.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <utility>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/make/shapes_detail.h"

namespace haptos {
namespace {

using namespace shapes_detail;
constexpr double kPi = std::numbers::pi;
constexpr double mm = kMillimetre;
constexpr double kPlateTop = 10 * mm;
constexpr double kTop = 20 * mm;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The plate with its top open where features stand on it; `feet` are counter-clockwise.
void add_plate(Builder& b, const std::vector<Loop>& feet) {
  const Loop bottom = b.add(rectangle(16 * mm, 16 * mm), 0);
  const Loop top = b.add(rectangle(16 * mm, 16 * mm), kPlateTop);
  b.cap(bottom, {}, false);
  b.loft(bottom, top);
  std::vector<Loop> holes;
  holes.reserve(feet.size());
  for (const Loop& f : feet) holes.push_back(reversed(f));
  b.cap(top, holes, true);
}

// A round outline of 8 n vertices with arcs of at most `facet`.
int eighths(double radius, double facet) { return cells(kPi / 4 * radius, facet, 2); }

TriMesh prism_feature(const Polygon& outline) {
  Builder b;
  const Loop foot = b.add(outline, kPlateTop), top = b.add(outline, kTop);
  b.loft(foot, top);
  b.cap(top, {}, true);
  add_plate(b, {foot});
  return b.take();
}

// A solid of revolution: strips through the (radius, z) points of a profile, from its foot on the
// plate to its last circle, which a disc or a dome closes.
Loop revolve(Builder& b, const std::vector<Vec2d>& profile, int around, Loop* foot) {
  Loop below;
  for (const Vec2d& p : profile) {
    const Loop loop = b.add(circle(p[0], around), p[1]);
    if (below.empty())
      *foot = loop;
    else
      b.loft(below, loop);
    below = loop;
  }
  return below;
}

TriMesh cylinder_feature(double facet) {
  const double r = 3 * mm;
  Builder b;
  Loop foot;
  const Loop top = revolve(b, {{{r, kPlateTop}}, {{r, kTop}}}, 8 * eighths(r, facet), &foot);
  b.disc(top, r, kTop, true);
  add_plate(b, {foot});
  return b.take();
}

TriMesh cone_feature(double facet) {
  const double r0 = 4 * mm, r1 = 0.5 * mm;
  const int n = eighths(r0, facet), up = cells(std::hypot(10 * mm, r0 - r1), 2 * facet);
  std::vector<Vec2d> profile;
  for (int k = 0; k <= up; ++k)
    profile.push_back({{r0 + (r1 - r0) * k / up, k == up ? kTop : kPlateTop + 10 * mm * k / up}});
  Builder b;
  Loop foot;
  const Loop top = revolve(b, profile, 8 * n, &foot);
  b.disc(top, r1, kTop, true);
  add_plate(b, {foot});
  return b.take();
}

// A ball on a stem, the ball's top at z = 20 mm.
TriMesh ball_feature(double radius, double stem, double facet) {
  const int n = cells(kPi / 2 * radius, facet, 2);
  const double centre = kTop - radius, join = std::asin(stem / radius);  // from the south pole
  std::vector<Vec2d> profile{{{stem, kPlateTop}}};
  const int below = cells((kPi / 2 - join) * radius, facet);
  for (int k = 0; k < below; ++k) {
    const double a = join + (kPi / 2 - join) * k / below;
    profile.push_back({{radius * std::sin(a), centre - radius * std::cos(a)}});
  }
  profile.push_back({{radius, centre}});
  Builder b;
  Loop foot;
  const Loop equator = revolve(b, profile, 8 * n, &foot);
  b.rings(
      n, true,
      [&](int k, double c, double s) {
        const double a = kPi / 2 * k / n, r = radius * std::sin(a);
        return Vec3d{{r * c, r * s, k == 0 ? kTop : centre + radius * std::cos(a)}};
      },
      &equator);
  add_plate(b, {foot});
  return b.take();
}

// Two rings .3 mm high on a disc of radius 5 mm: its rim and half of it.
TriMesh coin_feature(double facet) {
  const double top = kTop, low = kTop - 0.3 * mm;
  const std::vector<Vec2d> profile{{{5 * mm, kPlateTop}}, {{5 * mm, top}},   {{4.4 * mm, top}},
                                   {{4.4 * mm, low}},     {{2.8 * mm, low}}, {{2.8 * mm, top}},
                                   {{2.2 * mm, top}},     {{2.2 * mm, low}}};
  Builder b;
  Loop foot;
  const Loop inner = revolve(b, profile, 8 * eighths(5 * mm, facet), &foot);
  b.disc(inner, 2.2 * mm, low, true);
  add_plate(b, {foot});
  return b.take();
}

// A tube open at the top; the plate is its floor.
TriMesh tube_feature(const std::vector<Vec2d>& profile, double floor_radius, double facet) {
  const double largest = profile.front()[0];
  Builder b;
  Loop foot;
  const Loop floor = revolve(b, profile, 8 * eighths(largest, facet), &foot);
  b.disc(floor, floor_radius, kPlateTop, true);
  add_plate(b, {foot});
  return b.take();
}

TriMesh shell_feature(double facet) {
  const double r = 3.5 * mm, q = 2.7 * mm;
  return tube_feature({{{r, kPlateTop}}, {{r, kTop}}, {{q, kTop}}, {{q, kPlateTop}}}, q, facet);
}

TriMesh torus_feature(double facet) {
  const double major = 3 * mm, minor = 1.5 * mm, centre = kTop - minor;
  const int half = 2 * cells(kPi / 2 * minor, facet, 2);  // even, so that a circle is the top
  std::vector<Vec2d> profile{{{major + minor, kPlateTop}}};
  for (int k = 0; k <= half; ++k) {
    const double a = kPi * k / half;
    const double z = 2 * k == half ? kTop : centre + minor * (k == half ? 0 : std::sin(a));
    profile.push_back({{major + minor * std::cos(a), z}});
  }
  profile.push_back({{major - minor, kPlateTop}});
  return tube_feature(profile, major - minor, facet);
}

// A block with a foot of `lines` whose top is z(x, y).
TriMesh height_feature(const std::vector<double>& x, const std::vector<double>& y,
                       const std::function<double(double, double)>& z) {
  Builder b;
  const Loop border = b.height_field(x, y, z);
  Loop foot;
  for (const int v : border) foot.push_back(b.add({{b.vertex(v)[0], b.vertex(v)[1], kPlateTop}}));
  b.loft(foot, border);
  add_plate(b, {foot});
  return b.take();
}

std::vector<double> even_lines(double half, double facet) {
  const int n = 2 * cells(half, facet);
  std::vector<double> l;
  for (int i = 0; i <= n; ++i) l.push_back(2 * i == n ? 0 : half * (2 * i - n) / n);
  return l;
}

// Lines across a half cylinder of radius r about x = 0, at equal angles, ends included.
std::vector<double> arc_lines(double r, double facet) {
  const int n = 2 * cells(kPi / 2 * r, facet, 2);
  std::vector<double> l;
  for (int i = 0; i <= n; ++i)
    l.push_back(2 * i == n ? 0 : (i == 0 ? -r : (i == n ? r : -r * std::cos(kPi * i / n))));
  return l;
}

double half_circle(double r, double x) { return std::sqrt(std::max(0.0, r * r - x * x)); }

TriMesh cylinder_side_feature(double facet) {
  const double r = 3 * mm;
  return height_feature(arc_lines(r, facet), even_lines(7 * mm, 2 * facet),
                        [=](double x, double) { return kTop - r + half_circle(r, x); });
}

TriMesh wave_feature(double facet) {
  // Three half cylinders, a third of the footprint apart, with a narrow flat between them.
  const double r = 2 * mm, pitch = 14 * mm / 3;
  std::vector<double> x{-7 * mm};
  for (int w = -1; w <= 1; ++w)
    for (const double l : arc_lines(r, facet)) x.push_back(w * pitch + l);
  x.push_back(7 * mm);
  return height_feature(x, even_lines(7 * mm, 2 * facet), [=](double px, double) {
    double rise = 0;
    for (int w = -1; w <= 1; ++w) rise = std::max(rise, half_circle(r, px - w * pitch));
    return kTop - r + rise;
  });
}

TriMesh curved_surface_feature(double facet) {
  const double r = 20 * mm;
  return height_feature(
      even_lines(7 * mm, facet), even_lines(7 * mm, facet), [=](double x, double y) {
        return x == 0 && y == 0 ? kTop : kTop - r + half_circle(r, std::hypot(x, y));
      });
}

// A block with hemispheres of radius r above (sign 1) or below (-1) its top.
TriMesh dotted_feature(double side, double z, double r, const Polygon& centres, double sign,
                       double facet) {
  Builder b;
  const Loop foot = b.add(rectangle(side, side), kPlateTop), top = b.add(rectangle(side, side), z);
  b.loft(foot, top);
  const int n = cells(kPi / 2 * r, facet, 2);
  std::vector<Loop> holes;
  for (const Vec2d& o : centres) {
    const Loop rim = b.rings(n, true, [&](int k, double c, double s) {
      const double a = kPi / 2 * k / n, q = k == n ? r : r * std::sin(a);
      return Vec3d{{o[0] + q * c, o[1] + q * s,
                    k == n ? z : (k == 0 ? z + sign * r : z + sign * r * std::cos(a))}};
    });
    holes.push_back(reversed(rim));
  }
  b.cap(top, holes, true);
  add_plate(b, {foot});
  return b.take();
}

// Boxes between lines in millimetres; `filled` sees the middle of a cell.
TriMesh blocks(std::vector<double> x, std::vector<double> y, std::vector<double> z,
               const std::function<bool(double, double, double)>& filled) {
  const auto middle = [](const std::vector<double>& l, int i) {
    return (l[at(i)] + l[at(i + 1)]) / 2;
  };
  TriMesh m = cell_surface(x, y, z, [&](int i, int j, int k) {
    return middle(z, k) < 10 || filled(middle(x, i), middle(y, j), middle(z, k));
  });
  for (Vec3d& v : m.vertices) v = {{v[0] / 1000, v[1] / 1000, v[2] / 1000}};
  return m;
}

// Six ridges 1 mm wide, 2 mm apart.
bool on_ridge(double x) {
  return std::abs(x) < 5.5 && static_cast<int>(std::floor(x + 5.5)) % 2 == 0;
}

const std::vector<double> kRidgeLines{-8,  -7,  -5.5, -4.5, -3.5, -2.5, -1.5, -0.5,
                                      0.5, 1.5, 2.5,  3.5,  4.5,  5.5,  7,    8};

struct Entry {
  const char* name;
  TriMesh (*make)(double facet, unsigned seed);
};

// One line per indenter, sorted by name.
const Entry kShapes[] = {
    {"coin", [](double f, unsigned) { return coin_feature(f); }},
    {"cone", [](double f, unsigned) { return cone_feature(f); }},
    {"cross_lines",
     [](double, unsigned) {
       return blocks(kRidgeLines, kRidgeLines, {0, 10, 18, 19, 20},
                     [](double x, double y, double z) {
                       if (std::abs(x) > 7 || std::abs(y) > 7) return false;
                       return z < 18 || on_ridge(y) || (z < 19 && on_ridge(x));
                     });
     }},
    {"curved_surface", [](double f, unsigned) { return curved_surface_feature(f); }},
    {"cylinder", [](double f, unsigned) { return cylinder_feature(f); }},
    {"cylinder_shell", [](double f, unsigned) { return shell_feature(f); }},
    {"cylinder_side", [](double f, unsigned) { return cylinder_side_feature(f); }},
    {"dot_in",
     [](double f, unsigned) {
       return dotted_feature(8 * mm, kTop, 2 * mm, {{{0, 0}}}, -1, f);
     }},
    {"dots",
     [](double f, unsigned) {
       return dotted_feature(14 * mm, kTop - mm, mm, circle(3.2 * mm, 5), 1,
                             std::min(f, 0.25 * mm));
     }},
    {"flat_slab", [](double, unsigned) { return prism_feature(rectangle(14 * mm, 14 * mm)); }},
    {"hexagon", [](double, unsigned) { return prism_feature(circle(3.5 * mm, 6)); }},
    {"key", [](double f, unsigned) { return prism_feature(key(f)); }},
    {"line",
     [](double, unsigned) {
       return blocks({-8, -1, 1, 8}, {-8, 8}, {0, 10, 20},
                     [](double x, double, double) { return std::abs(x) < 1; });
     }},
    {"moon", [](double f, unsigned) { return prism_feature(moon(f)); }},
    {"pacman", [](double f, unsigned) { return prism_feature(pacman(f)); }},
    {"parallel_lines",
     [](double, unsigned) {
       return blocks({-8, -7, 7, 8}, kRidgeLines, {0, 10, 18, 20},
                     [](double x, double y, double z) {
                       return std::abs(x) < 7 && std::abs(y) < 7 && (z < 18 || on_ridge(y));
                     });
     }},
    {"prism", [](double, unsigned) { return prism_feature(rectangle(5 * mm, 7 * mm)); }},
    {"random", [](double f, unsigned seed) { return prism_feature(blob(f, seed)); }},
    {"sphere", [](double f, unsigned) { return ball_feature(3 * mm, 1.5 * mm, f); }},
    {"sphere2", [](double f, unsigned) { return ball_feature(5 * mm, 2.5 * mm, f); }},
    {"torus", [](double f, unsigned) { return torus_feature(f); }},
    {"triangle",
     [](double, unsigned) {
       return prism_feature(
           {{{-3.5 * mm, 1.983 * mm}}, {{3.5 * mm, -2.5 * mm}}, {{0.5 * mm, 2.5 * mm}}});
     }},
    {"wave1", [](double f, unsigned) { return wave_feature(f); }},
};

// Insertions, deletions and replacements that turn one word into the other.
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> n;
    for (const Entry& e : kShapes) n.emplace_back(e.name);
    return n;
  }();
  return names;
}

TriMesh make_shape(std::string_view name, double facet, unsigned seed) {
  check_length("shape facet", facet);
  if (facet < 0.02 * mm)  // millions of triangles
    throw InputError({.file = {},
                      .element = "shape facet",
                      .value = to_text(facet),
                      .rule = "must be at least 2e-05",
                      .remedy = "give a larger facet in metres"});
  const Entry* nearest = &kShapes[0];
  const std::string_view head = name.substr(0, 64);
  for (const Entry& e : kShapes) {
    if (name == e.name) return e.make(facet, seed);
    if (edit_distance(head, e.name) < edit_distance(head, nearest->name)) nearest = &e;
  }
  throw InputError({.file = {},
                    .element = "shape",
                    .value = std::string(head),
                    .rule = "must be a known indenter",
                    .remedy = "did you mean " + std::string(nearest->name) + "?"});
}

}  // namespace haptos
