#include "haptos/geometry/make/pads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/mesh/tet_refine.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/exact.h"

namespace haptos {
namespace {

constexpr double mm = 1e-3;
std::size_t at(int i) { return static_cast<std::size_t>(i); }

double least_quality(const TetMesh& m) {
  double q = 1;
  for (const Vec4i& t : m.tets)
    q = std::min(q, tet_quality(m.vertices[at(t[0])], m.vertices[at(t[1])], m.vertices[at(t[2])],
                                m.vertices[at(t[3])]));
  return q;
}

// Conforming and positively oriented: every tetrahedron exactly positive, and the boundary closed
// around the same volume. A hole or an overlap inside would break one of them.
void expect_sound(const TetMesh& m, const std::string& name) {
  for (const Vec4i& t : m.tets)
    ASSERT_EQ(orient3d_sign(m.vertices[at(t[0])], m.vertices[at(t[1])], m.vertices[at(t[2])],
                            m.vertices[at(t[3])]),
              1)
        << name;
  std::vector<int> to_volume;
  const TriMesh s = boundary_surface(m, &to_volume);
  EXPECT_TRUE(surface_topology(s).is_closed()) << name;
  EXPECT_NEAR(enclosed_volume(s) / total_volume(m), 1, 1e-12) << name;
  std::vector<char> used(m.vertices.size(), 0);
  for (const Vec4i& t : m.tets)
    for (int k = 0; k < 4; ++k) used[at(t[k])] = 1;
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0) << name;
}

// The coat and the base belong to the boundary; the base is flat, the coat faces up.
void expect_marked(const Pad& pad, const std::string& name) {
  for (const int v : pad.base_vertices)
    EXPECT_EQ(pad.mesh.vertices[at(v)][2], -pad.thickness) << name;
  const auto on_base = std::count_if(pad.mesh.vertices.begin(), pad.mesh.vertices.end(),
                                     [&](const Vec3d& v) { return v[2] == -pad.thickness; });
  EXPECT_EQ(static_cast<std::size_t>(on_base), pad.base_vertices.size()) << name;
  std::vector<int> to_volume;
  const TriMesh s = boundary_surface(pad.mesh, &to_volume);
  std::set<std::array<int, 3>> faces;
  const auto key = [](int a, int b, int c) {
    // Cyclic order kept: the smallest first.
    if (b < a && b < c) return std::array{b, c, a};
    if (c < a && c < b) return std::array{c, a, b};
    return std::array{a, b, c};
  };
  for (const Vec3i& t : s.triangles)
    faces.insert(key(to_volume[at(t[0])], to_volume[at(t[1])], to_volume[at(t[2])]));
  for (const Vec3i& t : pad.coat) {
    EXPECT_EQ(faces.count(key(t[0], t[1], t[2])), 1u) << name;
    const Vec3d &a = pad.mesh.vertices[at(t[0])], &b = pad.mesh.vertices[at(t[1])],
                &c = pad.mesh.vertices[at(t[2])];
    EXPECT_GT(cross(b - a, c - a)[2], 0) << name;
  }
}

double coat_plan_area(const Pad& pad) {
  double sum = 0;
  for (const Vec3i& t : pad.coat) {
    const Vec3d& a = pad.mesh.vertices[at(t[0])];
    sum += cross(pad.mesh.vertices[at(t[1])] - a, pad.mesh.vertices[at(t[2])] - a)[2] / 2;
  }
  return sum;
}

TEST(GradedLines, GrowFromFineToCoarseAndFitTheLength) {
  const std::vector<double> l = graded_lines(10, 0.2, 1, 1.2);
  EXPECT_EQ(l.front(), 0);
  EXPECT_EQ(l.back(), 10);
  for (std::size_t i = 0; i + 2 < l.size(); ++i) {
    const double a = l[i + 1] - l[i], b = l[i + 2] - l[i + 1];
    EXPECT_GE(b, a * (1 - 1e-9));
    EXPECT_LE(b, a * 1.2 * (1 + 1e-9));
  }
  EXPECT_NEAR(l[1], 0.2, 0.2 / 3);
  const std::vector<double> back = graded_lines(10, 1, 0.2, 1.2);
  ASSERT_EQ(back.size(), l.size());
  for (std::size_t i = 0; i < l.size(); ++i) EXPECT_NEAR(back[i], 10 - l[l.size() - 1 - i], 1e-14);
  EXPECT_EQ(graded_lines(1, 5, 5, 1).size(), 2u);
  EXPECT_EQ(graded_lines(1, 0.1, 0.1, 1).size(), 11u);
}

TEST(BoxPad, EqualElementsFillTheBoxExactly) {
  const Pad pad = box_pad({.width = 20.75 * mm, .depth = 25.25 * mm, .thickness = 4 * mm}, 5, 6, 2);
  EXPECT_EQ(pad.mesh.vertices.size(), 6u * 7 * 3);
  EXPECT_EQ(pad.mesh.tets.size(), 5u * 6 * 2 * 6);
  expect_sound(pad.mesh, "box");
  expect_marked(pad, "box");
  EXPECT_NEAR(total_volume(pad.mesh) / (20.75 * 25.25 * 4e-9), 1, 1e-12);
  EXPECT_GT(least_quality(pad.mesh), 0.4);
  const Pad cube = box_pad({.width = 1, .depth = 1, .thickness = 1}, 3, 3, 3);
  EXPECT_GT(least_quality(cube.mesh), 0.68);
}

TEST(BoxPad, GradedElementsFillTheBoxAndAreFineOnTop) {
  const BoxPadShape shape{.width = 20 * mm, .depth = 16 * mm, .thickness = 4 * mm};
  const Pad pad = box_pad(shape, PadGrading{});
  expect_sound(pad.mesh, "graded");
  expect_marked(pad, "graded");
  EXPECT_NEAR(total_volume(pad.mesh) / (20 * 16 * 4e-9), 1, 1e-12);
  EXPECT_GT(least_quality(pad.mesh), 0.3);
  RecordProperty("graded_box_quality_ppm", static_cast<int>(least_quality(pad.mesh) * 1e6));
  // The coat triangle at the centre keeps the size asked for.
  double nearest = 1;
  for (const Vec3d& v : pad.mesh.vertices)
    if (v[2] == 0 && norm(v) > 0) nearest = std::min(nearest, norm(v));
  EXPECT_NEAR(nearest, 0.35 * mm, 0.05 * mm);
}

TEST(GradedLines, KeepTheirFirstSpacingAsFarAsAsked) {
  const std::vector<double> even = graded_lines(18, 1, 4, 2, 7.5),
                            plain = graded_lines(18, 1, 4, 2);
  // 1 eight times, the last one beginning before 7.5, then 2, 4, 4.
  ASSERT_EQ(even.size(), 12u);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(even[at(i + 1)] - even[at(i)], 1, 1e-12);
  EXPECT_NEAR(even[9] - even[8], 2, 1e-12);
  EXPECT_LT(plain.size(), even.size());
  EXPECT_EQ(graded_lines(18, 1, 4, 2, 0), plain);
}

TEST(BoxPad, IsEvenWhereAskedAndHasItsOwnGrowthOfLayers) {
  PadGrading g{0.5 * mm, 3.5 * mm, 0.5 * mm, 2 * mm, 1.5};
  g.even_x = 6 * mm, g.even_y = 3 * mm, g.layer_growth = 100;
  const Pad pad = box_pad({.width = 20 * mm, .depth = 16 * mm, .thickness = 4 * mm}, g);
  expect_sound(pad.mesh, "even");
  expect_marked(pad, "even");
  std::set<double> x, z;
  for (const Vec3d& v : pad.mesh.vertices) x.insert(v[0]), z.insert(v[2]);
  EXPECT_EQ(z.size(), 3u);  // two layers
  EXPECT_NEAR(*std::next(z.begin()), -0.5 * mm, 1e-12);
  double widest = 0;
  for (auto i = x.begin(); std::next(i) != x.end(); ++i)
    if (std::abs(*i) < 5.9 * mm) widest = std::max(widest, *std::next(i) - *i);
  EXPECT_NEAR(widest, 0.5 * mm, 0.05 * mm);
  g.even_x = -1e-3;
  EXPECT_THROW(box_pad({.width = 20 * mm, .depth = 16 * mm, .thickness = 4 * mm}, g), InputError);
}

TEST(BoxPad, IsFineAboutThePlaceThatWasAskedFor) {
  PadGrading g;
  g.centre_size = 0.5 * mm, g.rim_size = 2.5 * mm, g.growth = 1.3;
  g.even_x = 4 * mm, g.even_y = 3 * mm;
  const BoxPadShape shape{.width = 30 * mm, .depth = 24 * mm, .thickness = 4 * mm};
  const std::size_t usual = box_pad(shape, g).mesh.vertices.size();
  for (const Vec2d& c : {Vec2d{{9 * mm, 0}}, Vec2d{{-7 * mm, 8 * mm}}}) {
    g.centre_x = c[0], g.centre_y = c[1];
    for (const double chamfer : {0.0, 0.5 * mm}) {
      BoxPadShape s = shape;
      s.chamfer = chamfer;
      const Pad pad = box_pad(s, g);
      expect_sound(pad.mesh, "about a place");
      expect_marked(pad, "about a place");
      if (chamfer > 0) continue;
      EXPECT_NEAR(total_volume(pad.mesh), 30 * 24 * 4 * mm * mm * mm, 1e-18);
      EXPECT_NEAR(static_cast<double>(pad.mesh.vertices.size()), static_cast<double>(usual),
                  0.1 * static_cast<double>(usual));
      // Lines of the mesh: fine within the even part, and as fine on both sides.
      for (const int axis : {0, 1}) {
        std::set<double> lines;
        for (const Vec3d& x : pad.mesh.vertices) lines.insert(x[axis]);
        const double even = axis == 0 ? g.even_x : g.even_y;
        double last = *lines.begin();
        for (const double l : lines) {
          if (std::abs(0.5 * (l + last) - c[axis]) < even) {
            EXPECT_LT(l - last, 0.6 * mm);
          }
          last = l;
        }
        EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                                [&](double l) { return std::abs(l - c[axis]) < 1e-12; }));
      }
    }
  }
  EXPECT_THROW(box_pad(shape, g, PadPart::kQuarter), InputError);
  g.centre_x = 15 * mm;
  EXPECT_THROW(box_pad(shape, g), InputError);
}

TEST(BoxPad, QuarterIsThePartOfTheWholeInTheFirstQuadrant) {
  const BoxPadShape shape{
      .width = 8 * mm, .depth = 10 * mm, .thickness = 3 * mm, .chamfer = 0.8 * mm};
  for (const PadGrading& g : {PadGrading::uniform(mm), PadGrading{}}) {
    const Pad whole = box_pad(shape, g), quarter = box_pad(shape, g, PadPart::kQuarter);
    expect_sound(quarter.mesh, "quarter");
    expect_marked(quarter, "quarter");
    EXPECT_NEAR(4 * total_volume(quarter.mesh) / total_volume(whole.mesh), 1, 1e-12);
    EXPECT_EQ(4 * quarter.mesh.tets.size(), whole.mesh.tets.size());
    for (const int v : quarter.x0_vertices) EXPECT_EQ(quarter.mesh.vertices[at(v)][0], 0);
    EXPECT_GT(quarter.x0_vertices.size(), 4u);
    EXPECT_GT(quarter.y0_vertices.size(), 4u);
    // The same tetrahedra, compared by the sorted coordinates of their corners.
    const auto corners = [](const TetMesh& m) {
      std::multiset<std::array<std::array<double, 3>, 4>> all;
      for (const Vec4i& t : m.tets) {
        std::array<std::array<double, 3>, 4> c;
        bool inside = true;
        for (int k = 0; k < 4; ++k) {
          const Vec3d& p = m.vertices[at(t[k])];
          c[at(k)] = {p[0], p[1], p[2]};
          inside = inside && p[0] >= 0 && p[1] >= 0;
        }
        std::sort(c.begin(), c.end());
        if (inside) all.insert(c);
      }
      return all;
    };
    EXPECT_EQ(corners(quarter.mesh), corners(whole.mesh));
  }
}

TEST(BoxPad, ChamferTakesItsPrismsOffTheRim) {
  const double w = 20.75 * mm, d = 25.25 * mm, t = 4 * mm, c = mm;
  for (const PadGrading& g : {PadGrading::uniform(0.8 * mm), PadGrading{}}) {
    const Pad pad = box_pad({.width = w, .depth = d, .thickness = t, .chamfer = c}, g);
    expect_sound(pad.mesh, "chamfer");
    expect_marked(pad, "chamfer");
    // Triangular prisms along the four sides, less what overlaps at the mitred corners.
    const double off = c * c / 2 * 2 * (w + d) - 4 * c * c * c / 3;
    EXPECT_NEAR(total_volume(pad.mesh) / (w * d * t - off), 1, 1e-12);
    EXPECT_GT(least_quality(pad.mesh), 0.1);
    EXPECT_NEAR(coat_plan_area(pad) / (w * d), 1, 1e-12);
    for (const Vec3i& f : pad.coat)
      for (int k = 0; k < 3; ++k) {
        const Vec3d& p = pad.mesh.vertices[at(f[k])];
        const double out = std::max(std::abs(p[0]) - (w / 2 - c), std::abs(p[1]) - (d / 2 - c));
        EXPECT_NEAR(p[2], -std::max(0.0, out), 1e-15);
      }
  }
}

TEST(DomePad, TopFollowsItsHeightAndMatchesTheMini) {
  const BoxPadShape shape = mini_pad_shape();
  // Nodes on the top of the mesh that the FEATS authors made from the maker's drawing: (y, fall) on
  // the long axis, (x, fall) on the short one [mm]. The rim is drawn within 20 um.
  EXPECT_NEAR(shape.height(0, 0), 4 * mm, 1e-15);
  for (const auto& [y, fall] : {std::pair{4.5, .0535}, {7.49, .149}, {9.34, .231}})
    EXPECT_NEAR(4 - shape.height(0, y * mm) / mm, fall, 1e-3) << y;
  for (const auto& [x, fall] : {std::pair{4.5, .089}, {6.02, .159}, {7.54, .250}})
    EXPECT_NEAR(4 - shape.height(x * mm, 0) / mm, fall, 1e-3) << x;
  for (const auto& [y, fall] :
       {std::pair{10.34, .317}, {10.94, .452}, {11.53, .655}, {12.36, 1.078}})
    EXPECT_NEAR(4 - shape.height(0, y * mm) / mm, fall, 2e-2) << y;
  for (const auto& [x, fall] : {std::pair{8.44, .385}, {9.02, .555}, {9.86, .928}, {10.375, 1.25}})
    EXPECT_NEAR(4 - shape.height(x * mm, 0) / mm, fall, 2e-2) << x;
  const Pad pad = box_pad(shape, PadGrading{});
  expect_sound(pad.mesh, "mini");
  expect_marked(pad, "mini");
  EXPECT_GT(least_quality(pad.mesh), 0.12);
  for (const Vec3i& f : pad.coat)
    for (int k = 0; k < 3; ++k) {
      const Vec3d& p = pad.mesh.vertices[at(f[k])];
      EXPECT_NEAR(p[2], shape.height(p[0], p[1]) - 4 * mm, 1e-15);
    }
  // The height summed over columns; facets lie inside the top by s^2 / (8 R), R above 4 mm.
  double exact = 0;
  const int n = 400;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      exact += shape.height(shape.width * ((i + .5) / n - .5), shape.depth * ((j + .5) / n - .5));
  exact *= shape.width * shape.depth / (n * n);
  EXPECT_LT(total_volume(pad.mesh), exact);
  EXPECT_GT(total_volume(pad.mesh), exact - shape.width * shape.depth * 1e-6 / (8 * 4e-3));
}

TEST(DomePad, ARimThatCannotBeIsRefused) {
  const BoxPadShape s;
  EXPECT_THROW(rounded_height(s, 114e-3, 189e-3, {0, 2e-3, 2e-3}), InputError);
  EXPECT_THROW(rounded_height(s, 114e-3, 189e-3, {5e-3, 2e-3, 2e-3}), InputError);
  EXPECT_THROW(rounded_height(s, 114e-3, 189e-3, {1.25e-3, 11e-3, 2e-3}), InputError);
  EXPECT_THROW(rounded_height(s, 5e-3, 189e-3, {1.25e-3, 2e-3, 2e-3}), InputError);
}

// Below the first layer elements are twice as wide: a mesh without gaps, of fewer tetrahedra, whose
// quarter is the part of the whole in the first quadrant.
TEST(BoxPad, WidensBelowItsFirstLayer) {
  PadGrading g{0.6 * mm, 2 * mm, 0.5 * mm, 1.5 * mm, 1.4, 3 * mm, 2 * mm, 1.8};
  for (const double chamfer : {0.0, 0.7 * mm}) {
    BoxPadShape shape;
    shape.chamfer = chamfer;
    g.widen = false;
    const Pad plain = box_pad(shape, g);
    g.widen = true;
    const Pad whole = box_pad(shape, g), quarter = box_pad(shape, g, PadPart::kQuarter);
    for (const Pad* pad : {&whole, &quarter}) {
      expect_sound(pad->mesh, "widened");
      expect_marked(*pad, "widened");
      EXPECT_GT(least_quality(pad->mesh), 0.1);
    }
    EXPECT_LT(5 * whole.mesh.tets.size(), 4 * plain.mesh.tets.size());
    EXPECT_NEAR(total_volume(whole.mesh) / total_volume(plain.mesh), 1, 1e-12);
    EXPECT_NEAR(4 * total_volume(quarter.mesh) / total_volume(whole.mesh), 1, 1e-12);
    EXPECT_EQ(4 * quarter.mesh.tets.size(), whole.mesh.tets.size());
    EXPECT_EQ(4 * quarter.coat.size(), whole.coat.size());
    EXPECT_NEAR(coat_plan_area(whole), shape.width * shape.depth, 1e-15);
  }
  g.centre_x = 4 * mm, g.centre_y = -3 * mm;
  const Pad aside = box_pad(BoxPadShape{}, g);
  expect_sound(aside.mesh, "aside");
  expect_marked(aside, "aside");
}

TEST(RoundPad, HasTheVolumeOfItsInscribedPolygon) {
  for (const PadPart part : {PadPart::kFull, PadPart::kQuarter}) {
    const double radius = 12 * mm, t = 4 * mm;
    const Pad pad = round_pad(radius, t, PadGrading{0.3 * mm, mm, 0.3 * mm, 1.2 * mm, 1.15}, part);
    expect_sound(pad.mesh, "round");
    expect_marked(pad, "round");
    std::set<int> rim;
    for (const Vec3d& v : pad.mesh.vertices)
      if (v[2] == 0 && std::abs(std::hypot(v[0], v[1]) - radius) < 1e-12)
        rim.insert(static_cast<int>(std::lround(std::atan2(v[1], v[0]) * 1e9)));
    const double share = part == PadPart::kFull ? 1 : 0.25;
    const double sides =
        part == PadPart::kFull ? double(rim.size()) : 4.0 * (double(rim.size()) - 1);
    EXPECT_EQ(std::fmod(sides, 8), 0);
    const double area = sides / 2 * radius * radius * std::sin(2 * std::numbers::pi / sides);
    EXPECT_NEAR(total_volume(pad.mesh) / (share * area * t), 1, 1e-12);
    EXPECT_NEAR(area / (std::numbers::pi * radius * radius), 1, 2e-3);
    EXPECT_GT(least_quality(pad.mesh), 0.1);
    RecordProperty(part == PadPart::kFull ? "round_quality_ppm" : "quarter_quality_ppm",
                   static_cast<int>(least_quality(pad.mesh) * 1e6));
  }
}

TEST(RoundPad, QuarterIsThePartOfTheWholeAndDomesAndChamfersFollow) {
  const PadGrading g = PadGrading::uniform(0.7 * mm);
  const Pad whole = round_pad(5 * mm, 2 * mm, g),
            quarter = round_pad(5 * mm, 2 * mm, g, PadPart::kQuarter);
  EXPECT_EQ(whole.mesh.tets.size(), 4 * quarter.mesh.tets.size());
  std::set<std::array<double, 3>> points;
  for (const Vec3d& v : whole.mesh.vertices) points.insert({v[0], v[1], v[2]});
  for (const Vec3d& v : quarter.mesh.vertices)
    EXPECT_EQ(points.count({v[0], v[1], v[2]}), 1u) << v[0] << " " << v[1] << " " << v[2];

  const Pad cut = round_pad(5 * mm, 2 * mm, g, PadPart::kFull, 0.5 * mm);
  expect_sound(cut.mesh, "round chamfer");
  expect_marked(cut, "round chamfer");
  double lowest = 0;
  for (const Vec3i& f : cut.coat)
    for (int k = 0; k < 3; ++k) lowest = std::min(lowest, cut.mesh.vertices[at(f[k])][2]);
  EXPECT_NEAR(lowest, -0.5 * mm, 1e-15);
  EXPECT_GT(least_quality(cut.mesh), 0.1);

  const auto cap = [](double r) {
    return 4 * mm - (28.41 * mm - std::sqrt(28.41 * 28.41e-6 - r * r));
  };
  const Pad dome = round_dome_pad(10 * mm, 4 * mm, cap, g);
  expect_sound(dome.mesh, "round dome");
  expect_marked(dome, "round dome");
  EXPECT_GT(least_quality(dome.mesh), 0.1);
}

TEST(Markers, LieOnTheirGridOnTheCoat) {
  const Pad pad = box_pad(mini_pad_shape(), PadGrading{});
  const auto markers = pad.markers(7, 9, 2 * mm);
  ASSERT_EQ(markers.size(), 63u);
  for (int r = 0; r < 7; ++r)
    for (int c = 0; c < 9; ++c) {
      const Pad::Marker& m = markers[at(9 * r + c)];
      Vec3d p = Vec3d::zero();
      double sum = 0;
      for (int k = 0; k < 3; ++k) {
        p += pad.mesh.vertices[at(pad.coat[at(m.triangle)][k])] * m.weight[k];
        sum += m.weight[k];
        EXPECT_GT(m.weight[k], -1e-9);
      }
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_NEAR(p[0], (c - 4) * 2 * mm, 1e-15);
      EXPECT_NEAR(p[1], (r - 3) * 2 * mm, 1e-15);
    }
  EXPECT_THROW(pad.markers(20, 9, 2 * mm), InputError);
  EXPECT_THROW(pad.markers(0, 9, 2 * mm), InputError);
}

TEST(Pads, BadNumbersAreRejected) {
  EXPECT_THROW(box_pad({.width = -1}, 1, 1, 1), InputError);
  EXPECT_THROW(box_pad({}, 0, 1, 1), InputError);
  EXPECT_THROW(box_pad({}, 1 << 20, 1 << 10, 1 << 10), InputError);
  EXPECT_THROW(box_pad({.chamfer = 5 * mm}, PadGrading{}), InputError);
  EXPECT_THROW(box_pad({}, PadGrading{.top_size = 0}), InputError);
  EXPECT_THROW(box_pad({}, PadGrading::uniform(1e-6)), InputError);
  EXPECT_THROW(box_pad({}, PadGrading::uniform(NAN)), InputError);
  EXPECT_THROW(round_pad(0, mm, PadGrading{}), InputError);
  EXPECT_THROW(round_pad(mm, mm, PadGrading{.growth = 0.5}), InputError);
  EXPECT_THROW(box_pad({.height = [](double, double) { return 1.0; }}, PadGrading{}), InputError);
}

TEST(Refine, FillsTheParentsAndConforms) {
  const Pad pad = box_pad(mini_pad_shape(), 4, 5, 2);
  const RefinedTets fine = refine(pad.mesh);
  ASSERT_EQ(fine.mesh.tets.size(), 8 * pad.mesh.tets.size());
  expect_sound(fine.mesh, "refined");
  EXPECT_NEAR(total_volume(fine.mesh) / total_volume(pad.mesh), 1, 1e-13);
  EXPECT_EQ(fine.mesh.vertices.size(), pad.mesh.vertices.size() + fine.edges.size());
  for (std::size_t e = 0; e < fine.edges.size(); ++e)
    EXPECT_EQ(
        norm(fine.mesh.vertices[pad.mesh.vertices.size() + e] -
             (pad.mesh.vertices[at(fine.edges[e][0])] + pad.mesh.vertices[at(fine.edges[e][1])]) *
                 0.5),
        0);
  for (std::size_t p = 0; p < pad.mesh.tets.size(); ++p) {
    const auto volume = [](const TetMesh& m, std::size_t t) {
      return total_volume({m.vertices, {m.tets[t]}});
    };
    double sum = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ(fine.parent[8 * p + k], static_cast<int>(p));
      const double v = volume(fine.mesh, 8 * p + k);
      EXPECT_NEAR(v / volume(pad.mesh, p), 0.125, 1e-12);
      sum += v;
    }
    EXPECT_NEAR(sum / volume(pad.mesh, p), 1, 1e-12);
  }
}

TEST(Refine, EveryDiagonalGivesPositiveChildrenAndQualityDoesNotDecay) {
  // Stretched along each of three directions, so that each diagonal is the shortest once.
  for (int axis = 0; axis < 3; ++axis) {
    TetMesh m{{{{1, 1, 1}}, {{-1, -1, 1}}, {{1, -1, -1}}, {{-1, 1, -1}}}, {{{0, 1, 2, 3}}}};
    if (total_volume(m) < 0) std::swap(m.tets[0][0], m.tets[0][1]);
    for (Vec3d& v : m.vertices) v[axis] *= 0.5;
    const double first = least_quality(m);
    for (int level = 0; level < 3; ++level) {
      m = refine(m).mesh;
      expect_sound(m, "level");
    }
    EXPECT_GT(least_quality(m), 0.5 * first);
  }
  EXPECT_THROW(refine({{{{0, 0, 0}}}, {{{0, 1, 2, 3}}}}), InputError);
}

}  // namespace
}  // namespace haptos
