// A rigid ball pressed into the middle of a round gel pad that is bonded to its base: a quarter of
// it, with symmetry at x = 0 and y = 0, or all of it under a ball aside. Quasi-static.
//
// Depth is what the gel under the pole gives way: the command plus the gap at the pole, which is
// some tenths of the support. What is compared at the depth that was asked for takes `asked`.
// Force belongs to the command plus the mean of the gap by the normal forces, see Depth in
// docs/press.md.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/sensors/tactile/depth.h"
#include "haptos/sensors/tactile/markers.h"
#include "haptos/sim/sim.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos::test {

struct RoundPress {
  double ball_radius = 4e-3, facet = 0.2e-3, cap = 1.4e-3;  ///< [m]
  double pad_radius = 12e-3, thickness = 4e-3;              ///< [m]
  PadGrading grading;
  double young = 1e5, poisson = 0.48;  ///< [Pa]
  double support = 2e-5;               ///< of contact [m]
  double friction = 0;                 ///< coefficient
  double tangential = 1;               ///< of the springs of friction, see contact.tangential
  double aside_x = 0, aside_y = 0;     ///< of the ball; the whole pad is modelled [m]
  std::vector<double> commands;        ///< depths, one step each [m]
  bool whole() const { return aside_x != 0 || aside_y != 0; }
};

struct RoundPressResult {
  double asked = 0;     ///< depth that the ball was sent to [m]
  double depth = 0;     ///< of the gel under the pole [m]
  double force = 0;     ///< of the whole ball on the whole pad [N]
  double base = 0;      ///< carried by the base [N]
  double mean_gap = 0;  ///< between gel and ball, mean by the normal forces [m]
  double radius = 0;  ///< largest distance from the ball's axis of a contact that carries force [m]
  double bulge = 0;   ///< most that a pixel of the depth image rises [m]
  double spread = 0;  ///< most that a marker beside the contact moves away from the axis [m]
  int iterations = 0;
  int vertices = 0;  ///< of the gel as compiled
};

/// What a camera of .05 mm pixels and markers .35 mm apart read in the first quadrant.
class RoundPressSensors {
 public:
  explicit RoundPressSensors(const SoftModel& gel)
      : depth_(TactileCamera::orthographic(480, 480, 5e-5), gel.rest.vertices, gel.coat),
        markers_(depth_.camera(), gel.rest.vertices, gel.coat,
                 {23, 23, 3.5e-4, 3.5e-4, 4.2e-3, 4.2e-3}) {}

  void read(std::span<const Vec3d> nodes, RoundPressResult& r) const {
    for (const float d : depth_.measure(nodes, false).depth)
      if (std::isfinite(d)) r.bulge = std::max(r.bulge, -static_cast<double>(d));
    const MarkerReading m = markers_.measure(nodes);
    for (std::size_t i = 0; i < m.position.size(); ++i) {
      const Vec3d& rest = markers_.rest_positions()[i];
      const double now = std::hypot(m.position[i][0], m.position[i][1]);
      if (now > r.radius) r.spread = std::max(r.spread, now - std::hypot(rest[0], rest[1]));
    }
  }

 private:
  DepthSensor depth_;
  MarkerSensor markers_;
};

/// Mean gap and radius.
inline void read_contacts(const Sim& sim, const RoundPress& p, RoundPressResult& r) {
  double force = 0;
  for (const ContactPoint& c : sim.contacts()) {
    force += c.normal_force;
    r.mean_gap += c.gap * c.normal_force;
    if (c.normal_force > 1e-9)
      r.radius = std::max(r.radius, std::hypot(c.p[0] - p.aside_x, c.p[1] - p.aside_y));
  }
  if (force > 0) r.mean_gap /= force;
}

inline std::vector<RoundPressResult> press(const RoundPress& p) {
  Scene s;
  s.sim.dt = 0.1;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.support = p.support;
  s.contact.tangential = p.tangential;
  s.newton.force_tolerance = 1e-4;
  const Pad pad = round_pad(p.pad_radius, p.thickness, p.grading,
                            p.whole() ? PadPart::kFull : PadPart::kQuarter);
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.coat = pad.coat;
  gel.material.young = p.young;
  gel.material.poisson = p.poisson;
  gel.glue.push_back({"base", pad.base_vertices});
  if (!p.whole()) {
    gel.held.resize(2);
    gel.held[0].vertices = pad.x0_vertices;
    gel.held[0].axis[0] = true;
    gel.held[1].vertices = pad.y0_vertices;
    gel.held[1].axis[1] = true;
  }
  PrescribedBody ball;
  ball.name = "ball";
  ball.surface = sphere_lower_cap(p.ball_radius, p.cap, p.facet);
  gel.friction.sticking = ball.friction.sticking = p.friction;
  const auto low_by = [&](double depth) {
    return at_position({{p.aside_x, p.aside_y, p.ball_radius - depth}});
  };
  ball.trajectory.push_back({0.0, low_by(-1.001 * p.support)});
  for (std::size_t i = 0; i < p.commands.size(); ++i)
    ball.trajectory.push_back({0.1 * static_cast<double>(i + 1), low_by(p.commands[i])});
  s.soft = {gel};
  s.prescribed = {mount("base"), ball};

  Sim sim(s);
  const SoftModel& model = sim.soft_model("gel");
  std::size_t pole = 0;
  for (std::size_t v = 0; v < model.rest.vertices.size(); ++v)
    if (norm(model.rest.vertices[v]) < norm(model.rest.vertices[pole])) pole = v;
  EXPECT_LT(norm(model.rest.vertices[pole]), 1e-12);
  const RoundPressSensors sensors(model);
  const double parts = p.whole() ? 1 : 4;
  std::vector<RoundPressResult> results;
  for (std::size_t i = 0; i < p.commands.size(); ++i) {
    const StepReport report = sim.step();
    EXPECT_EQ(report.status(), 0u);
    EXPECT_EQ(report.newton.path, 1);
    EXPECT_GT(report.smallest_volume_ratio, 0);
    EXPECT_EQ(crossings(sim, "gel", "ball"), 0u);
    RoundPressResult r;
    r.asked = p.commands[i];
    r.depth = -sim.soft_positions("gel")[pole][2];
    r.force = -parts * sim.contact_wrench("gel").force[2];
    r.base = -parts * sim.reaction("base").force[2];
    read_contacts(sim, p, r);
    sensors.read(sim.soft_positions("gel"), r);
    r.iterations = report.newton.iterations;
    r.vertices = static_cast<int>(model.rest.vertices.size());
    EXPECT_NEAR(r.force, r.base, 3e-3 * r.force);
    results.push_back(r);
  }
  return results;
}

/// The same at depths that force belongs to, as `haptos press` does it: a ball that the gap keeps
/// off the gel pushes as one lower by the gap's mean, so it is sent short by that.
inline std::vector<RoundPressResult> press_short_by_the_gap(RoundPress p) {
  const std::vector<double> asked = p.commands;
  const std::vector<RoundPressResult> before = press(p);
  for (std::size_t i = 0; i < asked.size(); ++i) p.commands[i] -= before[i].mean_gap;
  std::vector<RoundPressResult> all = press(p);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    all[i].asked = asked[i];
    EXPECT_NEAR(all[i].mean_gap, before[i].mean_gap, 3e-3 * asked[i]);
  }
  return all;
}

}  // namespace haptos::test
