// Whether two bodies overlap by more than a limit, and whether they may (pressure_surface.h): cubes
// that may hold a part of the surface are parted in eight, that first which may be deepest.
//
// Where the sum of the distances is below zero, some place of the surface is as deep, -(phi_a +
// phi_b), at least: on the way into one body its distance falls by as much as the other's rises at
// most, before its middle. So what is found at the middle of a cube bounds the depth from below,
// and what a cube may hold bounds it from above.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/pressure/pressure_surface.h"

namespace haptos {
namespace {

// Cubes that are parted at most: for a depth, of convex bodies, which overlap in one place, and to
// know of a way that it is clear.
constexpr int kForDepth = 500, kForConvex = 100, kForWay = 100;
// Outside, samples tell distances up to so many cells.
constexpr double kTold = 2;
// Of the longest side of the region: what is less deep than that is not.
constexpr double kNone = 1e-9;
// Cubes need be no smaller than that, in cells of samples.
constexpr double kSmallest = 0.05;

}  // namespace

double PressureSurface::deeper_than(const Side& a, const Side& b, double limit) {
  if (begin(a, b, 0)) search(limit, p_.convex ? kForConvex : kForDepth);
  return deepest_ > limit ? deepest_ : 0;
}

bool PressureSurface::apart(const Side& a, const Side& b, double way) {
  return !begin(a, b, way) || search(0, kForWay);
}

// Keeps a cube that may hold a part of the surface. Returns whether it is deep enough there.
bool PressureSurface::look_in(const Vec3d& middle, double half, double limit) {
  if (!may_hold(middle, half)) return false;
  const Both& d = about_.middle;
  const auto told = [](const DistanceField& f, double phi) {
    return f.convex() || phi < kTold * f.cell();
  };
  if (way_ > 0 || (told(*own_, d.own) && told(*other_, d.other)))
    deepest_ = std::max(deepest_, way_ - d.own - d.other);
  cubes_.push_back({middle, half, about_});
  std::push_heap(cubes_.begin(), cubes_.end());
  return deepest_ > limit;
}

// Looks for a place that is deeper than the limit. Returns whether there is none.
bool PressureSurface::search(double limit, int most) {
  const Vec3d size = region_.extent();
  const double longest = std::max({size[0], size[1], size[2]});
  const double smallest = kSmallest * std::max(own_->cell(), other_->cell());
  cubes_.clear();
  double half = longest / 4;
  int n[3];
  for (int k = 0; k < 3; ++k) n[k] = std::max(1, static_cast<int>(std::ceil(0.5 * size[k] / half)));
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i)
        if (look_in(region_.lo + half * Vec3d{{2.0 * i + 1, 2.0 * j + 1, 2.0 * k + 1}}, half,
                    limit))
          return false;
  bool all = true;
  for (int parted = 0; !cubes_.empty(); ++parted) {
    std::pop_heap(cubes_.begin(), cubes_.end());
    const Cube c = cubes_.back();
    cubes_.pop_back();
    if (-c.about.least <= limit + kNone * longest) return all;
    if (parted == most) return false;
    half = 0.5 * c.half;
    if (half < smallest) {
      all = false;
      continue;
    }
    for (int k = 0; k < 8; ++k) {
      const Vec3d off = middle_of_part(k, half);
      if (c.about.known && !c.about.may_hold(off, half)) continue;
      if (look_in(c.middle + off, half, limit)) return false;
    }
  }
  return all;
}

}  // namespace haptos
