// Wrench, centre of pressure, stress and stand-off of a pad under a ball that presses aside of its
// middle, without friction.
#include <cstdio>

#include "haptos/sensors/field/contact_field.h"
#include "haptos/sensors/tactile/depth.h"
#include "tests/scenes/crossing.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

const Vec3d kBall{{0.61e-3, -0.43e-3, 0}};  // its axis [m]
constexpr double kRadius = 4e-3, kDepth = 0.5e-3;

struct Pressed {
  Pad pad;
  std::unique_ptr<Sim> sim;
  StepReport report;

  Pressed() {
    BoxPadShape shape;
    shape.width = shape.depth = 12e-3;
    shape.thickness = 3e-3;
    pad = box_pad(shape, PadGrading{0.6e-3, 1e-3, 0.6e-3, 1.4e-3, 1.3});
    Scene s;
    s.sim.dt = 1;
    s.sim.gravity_z = 0;
    s.sim.threads = 1;
    s.newton.force_tolerance = 1e-9;
    SoftBody gel;
    gel.name = "gel";
    gel.mesh = pad.mesh;
    gel.coat = pad.coat;
    gel.material.young = 1e5;
    gel.material.poisson = 0.45;
    gel.material.density = 1;  // quasi-static
    gel.glue = {{"mount", pad.base_vertices}};
    PrescribedBody ball;
    ball.name = "ball";
    ball.surface = sphere_lower_cap(kRadius, 4 * kDepth, 0.1e-3);
    const Vec3d up{{0, 0, kRadius + 1.001 * s.contact.support}}, down{{0, 0, kRadius - kDepth}};
    ball.trajectory = {{0.0, test::at_position(kBall + up)},
                       {1.0, test::at_position(kBall + down)}};
    s.soft = {gel};
    s.prescribed = {test::mount("mount"), ball};
    sim = std::make_unique<Sim>(s);
    report = sim->step();
  }
};

const Pressed& pressed() {
  static const Pressed p;
  return p;
}

TEST(Touch, WrenchIsThatOfTheGlueAndTheCentreOfPressureThatOfTheBall) {
  const Pressed& p = pressed();
  ASSERT_EQ(p.report.status(), 0u);
  EXPECT_EQ(test::crossings(*p.sim, "gel", "ball"), 0u);
  const SoftModel& m = p.sim->soft_model("gel");
  const ContactFieldSensor sensor(m.rest.vertices, m.coat, 0.3e-3);
  const std::vector<Vec3d> x = p.sim->soft_positions("gel");
  const NodalContact c = p.sim->nodal_contact("gel");
  const ContactPatch patch = sensor.patch(x, c);
  const Wrench glue = p.sim->reaction("mount");  // by the gel on the mount
  const double F = norm(glue.force);
  std::printf("FIGURE touch.force_against_the_glue = %.1e\n", norm(patch.force - glue.force) / F);
  EXPECT_LE(norm(patch.force - glue.force), 1e-5 * F);
  EXPECT_LE(norm(patch.torque - glue.torque), 1e-5 * F * kRadius);
  const ContactField field = sensor.measure(x, c);
  const Vec3d all = total_force(sensor.coat(), field) + field.off_coat;
  std::printf("FIGURE touch.field_against_the_glue = %.1e\n", norm(all - glue.force) / F);
  EXPECT_LE(norm(all - glue.force), 1e-5 * F);
  // Without friction every force passes the middle of the ball, so the point of the line of action
  // at the height of the centre is known from the force alone.
  const Vec3d middle = kBall + Vec3d{{0, 0, kRadius - kDepth}};
  const double drop = (patch.centre[2] - middle[2]) / patch.force[2];
  const Vec3d applied = middle + patch.force * drop;
  const double pixel = 6.34e-5;
  const double off = std::hypot(patch.centre[0] - applied[0], patch.centre[1] - applied[1]) / pixel;
  std::printf("FIGURE touch.centre_of_pressure = %.4f pixel of %.1f um off\n", off, 1e6 * pixel);
  EXPECT_LE(off, 0.1);
  const double aside = std::hypot(patch.centre[0] - kBall[0], patch.centre[1] - kBall[1]) / pixel;
  std::printf("FIGURE touch.centre_from_the_axis = %.4f pixel\n", aside);
  // The field's own centre, by its moment.
  const Vec3d torque = total_torque(sensor.coat(), field);
  std::printf("FIGURE touch.moment_of_the_field = %.1e mm\n", 1e3 * norm(torque - glue.torque) / F);
  EXPECT_LE(norm(torque - glue.torque) / F, 0.1 * pixel);
}

TEST(Touch, StressUnderTheCoatCarriesThePressure) {
  const Pressed& p = pressed();
  const SoftModel& m = p.sim->soft_model("gel");
  const ContactFieldSensor sensor(m.rest.vertices, m.coat);
  const ContactField f = sensor.measure(p.sim->soft_positions("gel"), p.sim->nodal_contact("gel"));
  const SoftStress stress = p.sim->soft_stress("gel");
  double peak = 0, sum = 0, area = 0;
  for (const double q : f.pressure) peak = std::max(peak, q);
  for (std::size_t v = 0; v < f.pressure.size(); ++v) {
    const Vec3d& n = f.shape.normal[v];
    const double carried =
        -dot(n, stress.node[static_cast<std::size_t>(sensor.coat().node[v])] * n);
    const double e = carried - f.pressure[v];
    sum += f.shape.vertex_area[v] * e * e;
    if (f.touched[v] > 0) area += f.shape.vertex_area[v];
  }
  const double rms = std::sqrt(sum / area) / peak;
  std::printf("FIGURE touch.stress_against_pressure = %.1f %% of the peak (RMS)\n", 100 * rms);
  EXPECT_LE(rms, 0.15);
}

TEST(Touch, DepthOverTheGapIsThatOfTheBall) {
  const Pressed& p = pressed();
  const SoftModel& m = p.sim->soft_model("gel");
  const DepthSensor sensor(TactileCamera::orthographic(121, 121, 5e-5), m.rest.vertices, m.coat);
  std::vector<Vec3d> x = p.sim->soft_positions("gel");
  const DepthImage coat = sensor.measure(x, false);
  const NodalContact c = p.sim->nodal_contact("gel");
  for (std::size_t v = 0; v < x.size(); ++v) x[v] += c.to_surface[v];
  const DepthImage ball = sensor.measure(x, false);
  double with = 0, without = 0, mean_gap = 0;
  int count = 0;
  for (int row = 0; row < 121; ++row)
    for (int col = 0; col < 121; ++col) {
      const double X = (col - 60) * 5e-5 - kBall[0], Y = (60 - row) * 5e-5 - kBall[1];
      const double r2 = X * X + Y * Y;
      if (r2 > 0.8e-3 * 0.8e-3) continue;
      const double cap = kDepth - (kRadius - std::sqrt(kRadius * kRadius - r2));
      with += ball.at(row, col) - cap;
      without += coat.at(row, col) - cap;
      ++count;
    }
  with /= count, without /= count;
  for (const Vec3d& d : c.to_surface) mean_gap = std::max(mean_gap, norm(d));
  std::printf("FIGURE touch.depth_error = %.2f um, over the gap %.2f um (support 20 um)\n",
              1e6 * without, 1e6 * with);
  EXPECT_LT(mean_gap, 2e-5);
  EXPECT_GT(without, 4e-6);
  // What is left is the chord of elements 0.3 mm long and of the ball's facets.
  EXPECT_LE(std::abs(with), 0.25 * without);
}

}  // namespace
}  // namespace haptos
