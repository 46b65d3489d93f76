#include "haptos/geometry/make/screw_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/geometry/tree/surface_distance.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Mean of the squared radius of the profile over a pitch.
double mean_square_radius(const Thread& t, double offset) {
  const double shift = offset * std::tan(kPi / 6), height = 5.0 / 16 * std::sqrt(3.0) * t.pitch;
  const double high = t.diameter / 2 + offset, low = high - height;
  const double crest = t.pitch / 16 + shift, root = 3 * t.pitch / 8 + shift;
  const double flank = (high * high + high * low + low * low) / 3;
  return 2 / t.pitch *
         (crest * high * high + (root - crest) * flank + (t.pitch / 2 - root) * low * low);
}

double hexagon_area(double across_flats) {
  return std::sqrt(3.0) / 2 * across_flats * across_flats;
}

// The largest radial distance of the thread's vertices from the helicoid of its profile [m].
double helicoid_error(const TriMesh& m, const Thread& t, double offset, double length) {
  const double shift = offset * std::tan(kPi / 6), height = 5.0 / 16 * std::sqrt(3.0) * t.pitch;
  const double high = t.diameter / 2 + offset, low = high - height;
  const double crest = t.pitch / 16 + shift, root = 3 * t.pitch / 8 + shift;
  double worst = 0;
  for (const Vec3d& v : m.vertices) {
    const double r = std::hypot(v[0], v[1]);
    if (r > high + 1e-9 || v[2] < -1e-9 || v[2] > length + 1e-9) continue;
    const double s = v[2] - t.pitch * std::atan2(v[1], v[0]) / (2 * kPi);
    const double phase = std::abs(s - t.pitch * std::round(s / t.pitch));
    const double wanted = phase <= crest  ? high
                          : phase >= root ? low
                                          : high - height * (phase - crest) / (root - crest);
    worst = std::max(worst, std::abs(r - wanted));
  }
  return worst;
}

TEST(Threads, BoltAndNutAreClosedOutwardAndFreeOfSelfIntersection) {
  struct Case {
    Thread thread;
    double length;
  };
  const Case cases[] = {{{20e-3, 2.5e-3, 0, 72}, 16e-3},
                        {{20e-3, 2.5e-3, 0.05e-3, 48}, 20e-3},
                        {{20e-3, 2.5e-3, 0.25e-3, 36}, 12.34e-3},
                        {{6e-3, 1e-3, 0.01e-3, 31}, 5e-3},
                        {{20e-3, 2.5e-3, 0, 8}, 5e-3}};
  for (const Case& c : cases) {
    for (const TriMesh& m : {iso_bolt(c.thread, c.length, 1.5 * c.thread.diameter, 8e-3),
                             iso_bolt(c.thread, c.length, 0, 0),
                             iso_nut(c.thread, c.length, 1.5 * c.thread.diameter)}) {
      const SurfaceReport r = check_surface(m);
      EXPECT_TRUE(r.intersections_checked);
      EXPECT_EQ(r.findings().size(), 0u) << (r.findings().empty() ? "" : r.findings()[0]);
      EXPECT_TRUE(r.outward());
      EXPECT_EQ(r.components, 1);
    }
  }
}

TEST(Threads, VolumesAreThoseOfTheHelicoidWithinTheFacets) {
  const double length = 20e-3, flats = 30e-3;
  Thread t;
  t.allowance = 0.05e-3;
  double before[2] = {0, 0};
  for (const int n : {36, 72, 144}) {
    t.segments = n;
    const double bolt = kPi * length * mean_square_radius(t, -t.allowance);
    const double hole = kPi * length * mean_square_radius(t, t.allowance);
    // Chords take the part 1 - sinc(2 pi / n) of a circle's area.
    const double taken = square(2 * kPi / n) / 6;
    const double error[2] = {
        enclosed_volume(iso_bolt(t, length, flats, 5e-3)) - bolt - 5e-3 * hexagon_area(flats),
        enclosed_volume(iso_nut(t, length, flats)) + hole - length * hexagon_area(flats)};
    EXPECT_NEAR(error[0] / (-bolt * taken), 1, 0.05) << n;
    EXPECT_NEAR(error[1] / (hole * taken), 1, 0.05) << n;
    for (int k = 0; k < 2; ++k) {
      if (n > 36) {
        EXPECT_NEAR(before[k] / error[k], 4, 0.2) << n;
      }
      before[k] = error[k];
    }
  }
}

TEST(Threads, VerticesLieOnTheHelicoidOfThePitch) {
  for (const double pitch : {2.5e-3, 1.5e-3}) {
    Thread t;
    t.pitch = pitch;
    t.allowance = 0.04e-3;
    // A corner left out near an end, or rounding at a corner, is not off the profile.
    EXPECT_LT(helicoid_error(iso_bolt(t, 20e-3, 30e-3, 5e-3), t, -t.allowance, 20e-3), 1e-14);
    EXPECT_LT(helicoid_error(iso_nut(t, 16e-3, 30e-3), t, t.allowance, 16e-3), 1e-14);
  }
}

// A nut moved along its helix fits its bolt: nothing cuts, and what is left between them is the sum
// of the allowances, less the facets.
TEST(Threads, NutMovedAlongItsHelixKeepsTheAllowanceToTheBolt) {
  Thread t;
  t.allowance = 0.1e-3;
  const TriMesh bolt = iso_bolt(t, 30e-3, 0, 0), nut = iso_nut(t, 10e-3, 30e-3);
  const double sag = t.diameter / 2 * square(2 * kPi / t.segments) / 8;
  for (const double turns : {2.0, 2.25, 3.1}) {
    TriMesh moved = nut;
    const double c = std::cos(2 * kPi * turns), s = std::sin(2 * kPi * turns);
    for (Vec3d& v : moved.vertices)
      v = {{c * v[0] - s * v[1], s * v[0] + c * v[1], v[2] + t.pitch * turns}};
    EXPECT_EQ(intersecting_pairs(bolt, moved).size(), 0u);
    double least = 1e300;
    for (const double d : distance_to_surface(moved.vertices, bolt)) least = std::min(least, d);
    EXPECT_GT(least, 2 * t.allowance * 0.99 - sag) << turns;
    EXPECT_LT(least, 2 * t.allowance + sag) << turns;
  }
}

TEST(Threads, ThreadsThatCannotBeAreRefused) {
  Thread t;
  EXPECT_THROW(iso_bolt(t, 1e-3, 30e-3, 5e-3), InputError);
  EXPECT_THROW(iso_bolt(t, 20e-3, 19e-3, 5e-3), InputError);
  EXPECT_THROW(iso_bolt(t, 20e-3, 30e-3, -5e-3), InputError);
  EXPECT_THROW(iso_nut(t, 20e-3, NAN), InputError);
  EXPECT_THROW(iso_nut(t, 1e9, 30e-3), InputError);
  for (Thread bad : {Thread{-1, 2.5e-3, 0, 72}, Thread{20e-3, 0, 0, 72},
                     Thread{20e-3, 12e-3, 0, 72}, Thread{20e-3, 2.5e-3, 0.3e-3, 72},
                     Thread{20e-3, 2.5e-3, -1e-5, 72}, Thread{20e-3, 2.5e-3, NAN, 72},
                     Thread{20e-3, 2.5e-3, 0, 7}, Thread{20e-3, 2.5e-3, 0, 100000}})
    EXPECT_THROW(iso_nut(bad, 30e-3, 30e-3), InputError);
}

}  // namespace
}  // namespace haptos
