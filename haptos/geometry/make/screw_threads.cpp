#include "haptos/geometry/make/screw_threads.h"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "haptos/base/text/error.h"
#include "haptos/base/text/refuse.h"
#include "haptos/geometry/make/shapes_detail.h"

namespace haptos {
namespace {

using namespace shapes_detail;
constexpr double kPi = std::numbers::pi;
constexpr int kCorners = 4;  // of the profile, per pitch

// A corner of the profile this near to an end face, per pitch, is left out: no slivers.
constexpr double kNearEnd = 1e-3;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

[[noreturn]] void refuse(const char* element, double value, std::string rule, std::string remedy) {
  haptos::refuse(element, std::to_string(value), std::move(rule), std::move(remedy));
}

// The profile in a plane through the axis, from the middle of a crest of the bolt on: up to z =
// crest the radius is high, from z = root to P - root low, straight between.
struct Profile {
  double pitch, crest, root, high, low;

  double corner_z(int k) const {
    const double z[kCorners] = {-crest, crest, root, pitch - root};
    return z[k];
  }
  double corner_radius(int k) const { return k < 2 ? high : low; }

  double radius(double z) const {
    double s = std::abs(z - pitch * std::round(z / pitch));
    if (s <= crest) return high;
    if (s >= root) return low;
    return high + (low - high) * ((s - crest) / (root - crest));
  }
};

// `offset` moves the profile along its normal away from the axis [m].
Profile make_profile(const Thread& t, double offset) {
  const double shift = offset * std::tan(kPi / 6), height = 5.0 / 16 * std::sqrt(3.0) * t.pitch;
  return {t.pitch, t.pitch / 16 + shift, 3 * t.pitch / 8 + shift, t.diameter / 2 + offset,
          t.diameter / 2 - height + offset};
}

Profile checked_profile(const Thread& t, double length, bool external) {
  check_length("thread diameter", t.diameter);
  check_length("thread pitch", t.pitch);
  check_length("thread length", length);
  if (t.segments < 8 || t.segments > 2000)
    refuse("thread segments", t.segments, "must be 8 to 2000", "72 is one column each 5 degrees");
  if (!(t.pitch < t.diameter / 2))
    refuse("thread pitch", t.pitch, "must be less than half the diameter",
           "an M20 thread has a pitch of 2.5e-3");
  if (!(length >= 2 * t.pitch))
    refuse("thread length", length, "must be two pitches or more", "make the part longer");
  const double most = 0.1 * t.pitch;
  if (!(t.allowance >= 0 && t.allowance <= most))
    refuse("thread allowance", t.allowance,
           "must be 0 to a tenth of the pitch, " + std::to_string(most),
           "at a tenth the crest is nearly a knife's edge");
  check_triangles(2.0 * t.segments * (kCorners * (length / t.pitch + 1) + 2));
  return make_profile(t, external ? -t.allowance : t.allowance);
}

// One column of vertices: the lower end, corners first .. last by number 4 m + k, the upper end.
struct Column {
  int bottom, top, first, last;
  std::vector<int> vertex;  // of corners first .. last

  int corner(int label) const { return vertex[at(label - first)]; }
};

// The thread's surface and its two end loops, counter-clockwise seen from +z.
struct Mantle {
  std::vector<Vec3i> triangles;
  Loop bottom, top;
};

Column add_column(Builder& b, const Profile& p, int i, int n, double length) {
  const double angle = 2 * kPi * i / n, lift = p.pitch * i / n;
  const double c = std::cos(angle), s = std::sin(angle), near = kNearEnd * p.pitch;
  const auto add = [&](double r, double z) { return b.add({{r * c, r * s, z}}); };
  Column column;
  column.bottom = add(p.radius(-lift), 0);
  column.first = 0;
  const int below = -kCorners * 2;  // the corner at z < 0 in every column
  for (int label = below;; ++label) {
    const int k = ((label % kCorners) + kCorners) % kCorners;
    const int turns = (label - k) / kCorners;  // exact: k is what is left over
    const double z = lift + p.corner_z(k) + p.pitch * turns;
    if (z >= length - near) break;
    if (z <= near) continue;
    if (column.vertex.empty()) column.first = label;
    column.vertex.push_back(add(p.corner_radius(k), z));
    column.last = label;
  }
  column.top = add(p.radius(length - lift), length);
  return column;
}

// Joins two neighbouring columns, facing away from the axis. Helices climb, so the right column has
// corners at its lower end that the left one lacks, and the left one at the upper end.
void join(const Column& left, const Column& right, std::vector<Vec3i>& out) {
  int from = right.bottom;
  for (int label = right.first; label <= left.first; ++label) {
    out.push_back({{left.bottom, from, right.corner(label)}});
    from = right.corner(label);
  }
  out.push_back({{left.bottom, from, left.corner(left.first)}});
  for (int label = left.first; label < right.last; ++label) {
    const int a = left.corner(label), b = right.corner(label), c = right.corner(label + 1),
              d = left.corner(label + 1);
    // A flank's four corners are not in a plane: either diagonal is off by a volume of the first
    // order in 1 / n. Turned on the rising flank, the two cancel, and the thread is its own image
    // under half a turn about a radius.
    if (label % kCorners == 3 || label % kCorners == -1) {
      out.push_back({{a, b, d}});
      out.push_back({{b, c, d}});
    } else {
      out.push_back({{a, b, c}});
      out.push_back({{a, c, d}});
    }
  }
  from = left.corner(right.last);
  out.push_back({{from, right.corner(right.last), right.top}});
  for (int label = right.last + 1; label <= left.last; ++label) {
    out.push_back({{left.corner(label), from, right.top}});
    from = left.corner(label);
  }
  out.push_back({{left.top, from, right.top}});
}

Mantle add_mantle(Builder& b, const Profile& p, int n, double length) {
  std::vector<Column> columns;
  columns.reserve(at(n));
  for (int i = 0; i < n; ++i) columns.push_back(add_column(b, p, i, n, length));
  Mantle m;
  for (int i = 0; i + 1 < n; ++i) join(columns[at(i)], columns[at(i + 1)], m.triangles);
  // A turn on, a corner has climbed by one pitch.
  Column around = columns.front();
  around.first -= kCorners;
  around.last -= kCorners;
  join(columns.back(), around, m.triangles);
  for (const Column& c : columns) {
    m.bottom.push_back(c.bottom);
    m.top.push_back(c.top);
  }
  return m;
}

// Corners of a regular hexagon whose flats are normal to x, counter-clockwise.
Polygon hexagon(double across_flats) {
  Polygon p;
  for (int k = 0; k < 6; ++k) {
    const double a = kPi / 6 + kPi / 3 * k, r = across_flats / std::sqrt(3.0);
    p.push_back({{r * std::cos(a), r * std::sin(a)}});
  }
  return p;
}

void check_hexagon(double across_flats, double radius) {
  if (!(across_flats > 2 * radius) || !std::isfinite(across_flats))
    refuse("across flats", across_flats,
           "must be greater than the thread, " + std::to_string(2 * radius),
           "an M20 nut is 30e-3 across flats");
}

}  // namespace

TriMesh iso_bolt(const Thread& t, double length, double across_flats, double head_height) {
  const Profile p = checked_profile(t, length, true);
  Builder b;
  const Mantle m = add_mantle(b, p, t.segments, length);
  b.cap(m.top, {}, true);
  if (head_height != 0) {
    check_length("head height", head_height);
    check_hexagon(across_flats, p.high);
    const Polygon hex = hexagon(across_flats);
    const Loop lower = b.add(hex, -head_height), upper = b.add(hex, 0);
    b.cap(lower, {}, false);
    b.loft(lower, upper);
    b.cap(upper, {reversed(m.bottom)}, true);
  } else {
    b.cap(m.bottom, {}, false);
  }
  TriMesh mesh = b.take();
  mesh.triangles.insert(mesh.triangles.end(), m.triangles.begin(), m.triangles.end());
  return mesh;
}

TriMesh iso_nut(const Thread& t, double height, double across_flats) {
  const Profile p = checked_profile(t, height, false);
  check_hexagon(across_flats, p.high);
  Builder b;
  const Mantle m = add_mantle(b, p, t.segments, height);
  const Polygon hex = hexagon(across_flats);
  const Loop lower = b.add(hex, 0), upper = b.add(hex, height);
  b.cap(lower, {reversed(m.bottom)}, false);
  b.loft(lower, upper);
  b.cap(upper, {reversed(m.top)}, true);
  TriMesh mesh = b.take();
  for (const Vec3i& v : m.triangles) mesh.triangles.push_back({{v[0], v[2], v[1]}});
  return mesh;
}

}  // namespace haptos
