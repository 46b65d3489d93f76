// A nut on a bolt that turns, kept from turning by two jaws, lifts a load along the thread.
//
// Known answers: a revolution lifts by the pitch P. Without friction the torque on the bolt does
// the work of the load F, so its mean over a revolution is F P / (2 pi). With friction mu, at the
// mean diameter d of the flanks' contact and the half angle a = 30 degrees,
//
//   T = F d / 2 (P + pi mu d / cos a) / (pi d - mu P / cos a).
//
// At every accepted step: the nut cuts neither bolt nor jaws (exact test), the step converged, the
// bolt is where it was sent, and the nut stays rigid.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/screw_threads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/sim/sim.h"
#include "tests/outside_data.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kPitch = 2.5e-3, kSupport = 1e-4, kForce = 20, kDensity = 7850, kGravity = 9.81;

struct Drive {
  TriMesh bolt, nut;
  double lift = 0;  // of the nut at the start [m]
  int steps = 30;
  int per_turn = 367;  // a prime: no facet is met at the same places again
  double friction = 0;
};

struct Outcome {
  std::vector<double> height, torque;  // of the nut [m], on the bolt about z [N m]; per step
  double load = 0;                     // [N]
  double worst_force = 0;              // |force on the bolt - load| / load, after landing
  double seconds = 0;
  int iterations = 0;
  std::size_t contacts = 0;
};

// Half the distance across flats.
double half_flats(const TriMesh& nut) {
  double x = 0;
  for (const Vec3d& v : nut.vertices) x = std::max(x, v[0]);
  return x;
}

Scene scene_of(const Drive& d) {
  Scene s;
  s.sim.dt = 0.01;
  s.sim.threads = 1;
  s.sim.gravity_z = -kGravity;
  s.contact.support = kSupport;
  AffineBody nut;
  nut.name = "nut";
  nut.surface = d.nut;
  nut.pose.p[2] = d.lift;
  nut.density = kDensity;
  nut.stiffness = 1e9;
  nut.force = {{0, 0, -kForce}};
  nut.friction.sticking = d.friction;
  PrescribedBody bolt;
  bolt.name = "bolt";
  bolt.surface = d.bolt;
  bolt.friction.sticking = d.friction;
  for (int k = 0; k <= 13; ++k) {  // backwards about z: the nut climbs
    Keyframe f;
    f.time = k * d.per_turn * s.sim.dt / 12;
    f.pose.q = rotation_by({{0, 0, -2 * kPi * k / 12}});
    bolt.trajectory.push_back(f);
  }
  s.affine = {nut};
  s.prescribed = {bolt};
  double top = 0;
  for (const Vec3d& v : d.nut.vertices) top = std::max(top, v[2]);
  for (const double side : {-1.0, 1.0}) {
    PrescribedBody jaw;
    jaw.name = side < 0 ? "left" : "right";
    const double thick = 5e-3, gap = 0.8 * kSupport;
    jaw.surface = box({{thick, 20e-3, top + 8e-3}});
    Keyframe f;
    f.pose.p = {{side * (half_flats(d.nut) + gap + thick / 2), 0, d.lift + top / 2 + 1e-3}};
    jaw.trajectory = {f};
    s.prescribed.push_back(jaw);
  }
  return s;
}

Outcome run(const Drive& d) {
  Sim sim(scene_of(d));
  Outcome o;
  o.load = kForce + kGravity * kDensity * enclosed_volume(d.nut);
  TriMesh nut = d.nut, other;
  for (int i = 0; i < d.steps; ++i) {
    const StepReport r = sim.step();
    SCOPED_TRACE("step " + std::to_string(i) + ": " + describe_status(r.status()));
    EXPECT_EQ(r.status(), 0u);
    EXPECT_EQ(r.newton.path, 1);
    EXPECT_EQ(r.missed, 0);
    EXPECT_LT(sim.affine_strain("nut"), 1e-3);
    nut.vertices = sim.affine_positions("nut");
    for (const PrescribedBody& p : sim.scene().prescribed) {
      other.triangles = p.surface.triangles;
      other.vertices = sim.prescribed_positions(p.name);
      EXPECT_EQ(intersecting_pairs(nut, other).size(), 0u) << p.name;
    }
    const Wrench on_bolt = sim.reaction("bolt");
    EXPECT_TRUE(std::isfinite(on_bolt.torque[2]));
    o.height.push_back(sim.affine_pose("nut").p[2]);
    o.torque.push_back(on_bolt.torque[2]);
    if (i >= 5) o.worst_force = std::max(o.worst_force, std::abs(on_bolt.force[2] / o.load + 1));
    o.seconds += r.seconds;
    o.iterations += r.newton.iterations;
    o.contacts = std::max(o.contacts, sim.contacts().size());
    if (r.status() != 0) break;
  }
  return o;
}

double mean(const std::vector<double>& x, int begin, int count) {
  double sum = 0;
  for (int i = begin; i < begin + count; ++i) sum += x.at(static_cast<std::size_t>(i));
  return sum / count;
}

// The pair lies on its lower flanks at the start, most of the support away.
Drive generated(int bolt_segments, int nut_segments, double height) {
  Drive d;
  Thread t;
  t.allowance = 0.1e-3;
  t.segments = bolt_segments;
  d.bolt = iso_bolt(t, height + 6 * kPitch, 0, 0);
  t.segments = nut_segments;
  d.nut = iso_nut(t, height, 30e-3);
  d.lift = 2.953 * kPitch;
  return d;
}

void print(const char* name, const Drive& d, const Outcome& o, int begin) {
  const int n = d.per_turn, end = begin + n;
  const double torque = mean(o.torque, begin, n), work = o.load * kPitch / (2 * kPi);
  double low = 1e300, high = 0, jump = 0;
  for (int i = begin; i < end; ++i) {
    const double t = o.torque[static_cast<std::size_t>(i)];
    low = std::min(low, t), high = std::max(high, t);
    jump = std::max(jump, std::abs(t - o.torque[static_cast<std::size_t>(i) - 1]));
  }
  const auto figure = [&](const char* what, double value, const char* unit) {
    std::printf("FIGURE bolt_and_nut.%s.%s = %.6g %s\n", name, what, value, unit);
  };
  figure(
      "advance",
      1e3 * (o.height[static_cast<std::size_t>(end)] - o.height[static_cast<std::size_t>(begin)]),
      "mm");
  figure("mean_torque_over_work", torque / work, "");
  figure("least_torque_over_mean", low / torque, "");
  figure("largest_torque_over_mean", high / torque, "");
  figure("largest_jump_over_mean", jump / torque, "");
  figure("vertices", static_cast<double>(d.bolt.vertices.size() + d.nut.vertices.size()), "");
  figure("contacts", static_cast<double>(o.contacts), "");
  figure("iterations_per_step", static_cast<double>(o.iterations) / d.steps, "");
  figure("step", 1e3 * o.seconds / d.steps, "ms");
}

TEST(BoltAndNut, NutClimbsByThePitchAndTheTorqueDoesTheWorkOfTheLoad) {
  Drive d = generated(36, 35, 6e-3);
  d.per_turn = 367;
  d.steps = 60;
  const Outcome o = run(d);
  ASSERT_EQ(o.height.size(), 60u);
  const int begin = 10, count = 49;
  const double angle = 2 * kPi * count / d.per_turn;
  const double advance = o.height[begin + count] - o.height[begin];
  EXPECT_NEAR(advance, kPitch * angle / (2 * kPi), 0.02 * kPitch * angle / (2 * kPi));
  EXPECT_NEAR(mean(o.torque, begin + 1, count), o.load * kPitch / (2 * kPi),
              0.05 * o.load * kPitch / (2 * kPi));
  EXPECT_LT(o.worst_force, 0.05);
}

TEST(BoltAndNut, FrictionAddsToTheTorqueAsOnASlopeOfThePitch) {
  Drive d = generated(36, 35, 6e-3);
  d.friction = 0.1;
  d.steps = 25;
  const Outcome o = run(d);
  ASSERT_EQ(o.height.size(), 25u);
  // The flanks touch from the nut's minor diameter to the bolt's major one.
  const double minor = 20e-3 - 1.25 * std::sqrt(3.0) / 2 * kPitch + 0.2e-3, major = 19.8e-3;
  const double at = 0.5 * (minor + major), slope = d.friction / std::cos(kPi / 6);
  const double wanted = o.load * at / 2 * (kPitch + kPi * slope * at) / (kPi * at - slope * kPitch);
  EXPECT_NEAR(mean(o.torque, 10, 15) / wanted, 1, 0.06);
}

// `ripple`: how far the torque may be from its mean, relative; `mean_within`: how far that from the
// work of the load.
Outcome expect_revolution(const char* name, Drive d, double mean_within, double ripple) {
  const int begin = 8;
  d.steps = d.per_turn + begin + 1;
  Outcome o = run(d);
  EXPECT_EQ(o.height.size(), static_cast<std::size_t>(d.steps));
  if (o.height.size() != static_cast<std::size_t>(d.steps)) return o;
  print(name, d, o, begin);
  const double work = o.load * kPitch / (2 * kPi);
  EXPECT_NEAR(o.height[static_cast<std::size_t>(begin + d.per_turn)] - o.height[begin], kPitch,
              0.002 * kPitch);
  EXPECT_NEAR(mean(o.torque, begin + 1, d.per_turn) / work, 1, mean_within);
  for (int i = begin; i < begin + d.per_turn; ++i)
    EXPECT_NEAR(o.torque[static_cast<std::size_t>(i)] / work, 1, ripple) << i;
  EXPECT_LT(o.worst_force, 0.05);
  return o;
}

TEST(FullBoltAndNut, GeneratedPairTurnsOnceAndAdvancesByThePitch) {
  expect_revolution("generated", generated(72, 71, 16e-3), 0.01, 0.1);
}

// Both parts have a facet each 10 degrees, and all of them meet at once: rolling over a facet of
// radius R lifts a flank by R tan(a) tan(pi / 36) per radian at most, on both parts, beside the
// pitch. So the torque swings about its mean; but from one facet to the next it repeats.
TEST(FullBoltAndNut, OutsidePairTurnsOnceAndAdvancesByThePitch) {
  HAPTOS_OUTSIDE_FILE(bolt, "bolt_nut/m20_bolt.stl");
  HAPTOS_OUTSIDE_FILE(nut, "bolt_nut/m20_nut.stl");
  Drive d;
  d.bolt = read_surface(bolt);
  d.nut = read_surface(nut);
  for (TriMesh* m : {&d.bolt, &d.nut}) {
    weld(*m, 1e-7);
    remove_degenerate(*m);
  }
  d.lift = -0.29e-3;
  d.per_turn = 360;
  const double per_radian = kPitch / (2 * kPi),
               facets = 2 * 10e-3 * std::tan(kPi / 6) * std::tan(kPi / 36);
  const Outcome o = expect_revolution("outside", d, 0.02, facets / per_radian);
  const int facet = d.per_turn / 36;
  double worst = 0;
  for (std::size_t i = 20; i + static_cast<std::size_t>(facet) < o.torque.size(); ++i)
    worst = std::max(worst, std::abs(o.torque[i + static_cast<std::size_t>(facet)] - o.torque[i]));
  std::printf("FIGURE bolt_and_nut.outside.facet_to_facet = %.3g\n", worst / (o.load * per_radian));
  EXPECT_LT(worst, 0.02 * o.load * per_radian);
}

}  // namespace
}  // namespace haptos
