// Pressure and shear on the coat against what is known of them: the reaction at the glue, the
// profile of Hertz, the stick circle of Cattaneo and Mindlin, a uniform pressure between meshes
// that do not match.
#include <cstdio>

#include "haptos/sensors/field/contact_field.h"
#include "tests/scenes/thick_gel.h"

namespace haptos {
namespace {

// The rest surface at z = 0.
std::vector<Vec3i> top_of(const SoftModel& m) {
  std::vector<Vec3i> coat;
  for (const Vec3i& t : m.coat) {
    bool top = true;
    for (int k = 0; k < 3; ++k)
      top = top && m.rest.vertices[static_cast<std::size_t>(t[k])][2] == 0;
    if (top) coat.push_back(t);
  }
  return coat;
}

struct FieldOf {
  explicit FieldOf(const Sim& sim, double smoothing = -1)
      : model(sim.soft_model("gel")),
        sensor(model.rest.vertices, top_of(model), smoothing),
        nodes(sim.soft_positions("gel")),
        contact(sim.nodal_contact("gel")),
        field(sensor.measure(nodes, contact)) {}
  const SoftModel& model;
  ContactFieldSensor sensor;
  std::vector<Vec3d> nodes;
  NodalContact contact;
  ContactField field;
};

// RMS over r < .9 a of the difference to Hertz's profile of the same force, of p0.
double hertz_error(const ContactField& f, double P, double a) {
  const double p0 = 3 * P / (2 * M_PI * a * a);
  double sum = 0, area = 0;
  for (std::size_t v = 0; v < f.position.size(); ++v) {
    const double r2 =
        (f.position[v][0] * f.position[v][0] + f.position[v][1] * f.position[v][1]) / (a * a);
    if (r2 >= 0.81) continue;
    const double e = f.pressure[v] / p0 - std::sqrt(1 - r2), A = f.shape.vertex_area[v];
    sum += A * e * e;
    area += A;
  }
  return std::sqrt(sum / area);
}

TEST(ContactFieldScenes, BallGivesTheProfileOfHertzAndTheReactionAtTheGlue) {
  test::ThickGel g;
  g.force_tolerance = 1e-9;
  test::BallOnThickGel ball(g);
  const FieldOf f(ball.sim());
  const double error = hertz_error(f.field, ball.normal_force(), ball.contact_radius());
  std::printf("FIGURE contact_field.hertz_error.coarse = %.2f %% of p0\n", 100 * error);
  EXPECT_LE(error, 0.05);
  // The glue carries the force through the gel; it knows nothing of the contact's nodal forces.
  const Vec3d glue = ball.sim().reaction("base").force;
  const Vec3d field = total_force(f.sensor.coat(), f.field);
  // Half of a symmetric gel: what holds y = 0 carries forces along y.
  const double along_z = std::abs(field[2] - glue[2]) / std::abs(glue[2]);
  std::printf("FIGURE contact_field.glue_balance = %.1e\n", along_z);
  EXPECT_LE(along_z, 1e-5);
  EXPECT_LE(norm(f.field.off_coat), 1e-15);
  // The border of the samples that touch lies within half an element of Hertz's.
  const ContactPatch patch = f.sensor.patch(f.nodes, f.contact);
  const double radius = std::sqrt(2 * patch.area / M_PI), a = ball.contact_radius();
  std::printf("FIGURE contact_field.radius_error.coarse = %+.3f mm (elements of %.3f mm)\n",
              1e3 * (radius - a), 0.5e3 * 1.25e-3 / 3);
  EXPECT_NEAR(radius, a, 0.5 * 1.25e-3 / 6);
}

TEST(FullContactField, ProfileOfHertzConvergesWithTheMesh) {
  double before = 1;
  for (const double size : {0.42e-3, 0.25e-3, 0.2e-3}) {
    test::ThickGel g;
    g.size = size;
    const test::BallOnThickGel ball(g);
    const double error =
        hertz_error(FieldOf(ball.sim()).field, ball.normal_force(), ball.contact_radius());
    std::printf("FIGURE contact_field.hertz_error.h%.2f = %.2f %% of p0\n", 1e3 * size,
                100 * error);
    EXPECT_LE(error, 0.05);
    EXPECT_LT(error, before);
    before = error;
  }
}

TEST(ContactFieldScenes, ShearShowsTheStickCircleOfCattaneoAndMindlin) {
  const test::ThickGel g;
  test::BallOnThickGel ball(g);
  for (const double wanted : {0.5, 0.875}) {
    ball.go(ball.slip_displacement() * (1 - std::pow(1 - wanted, 2.0 / 3)));
    const FieldOf f(ball.sim());
    // As in partial_slip(), from the fields: the second moment of mu p - |q| is 2 c^2 / 5.
    double p0 = 0, p2 = 0, q0 = 0, q2 = 0, Q = 0;
    for (std::size_t v = 0; v < f.field.position.size(); ++v) {
      const Vec3d& x = f.field.position[v];
      const double r2 = (x[0] - ball.moved()) * (x[0] - ball.moved()) + x[1] * x[1];
      const double A = f.field.shape.vertex_area[v], p = A * f.field.pressure[v];
      const double q = A * f.field.shear[v][0], lack = g.friction * p - q;
      p0 += p, p2 += p * r2, q0 += lack, q2 += lack * r2;
      Q += q;
    }
    const double ratio = Q / (g.friction * p0), c = std::cbrt(1 - ratio);
    const double seen = std::sqrt((q2 / q0) / (p2 / p0));
    std::printf("FIGURE contact_field.stick_radius_error.q%.3f = %+.2f %% (c/a %.3f)\n", wanted,
                100 * (seen / c - 1), c);
    EXPECT_NEAR(ratio, wanted, 0.05);
    EXPECT_NEAR(seen, c, 0.1 * c);
  }
}

// A gel without lateral contraction under a flat plate: E times the strain everywhere.
TEST(ContactFieldScenes, UniformPressureThroughMeshesThatDoNotMatchStaysUniform) {
  const double young = 1e5, strain = 0.05, height = 4e-3;
  for (const bool soft_plate : {false, true}) {
    const auto block = [&](const char* name, int n, int layers) {
      BoxPadShape shape;
      shape.width = shape.depth = 10e-3;
      shape.thickness = height;
      const Pad pad = box_pad(shape, n, n, layers);
      SoftBody b;
      b.name = name;
      b.mesh = pad.mesh;
      b.material.young = young;
      b.material.poisson = 0;
      b.glue = {{std::string(name) + " base", pad.base_vertices}};
      return b;
    };
    Scene s;
    s.sim.dt = 1;
    s.sim.gravity_z = 0;
    s.sim.threads = 1;
    s.newton.force_tolerance = 1e-9;
    s.soft = {block("gel", 6, 3)};
    const double start = 1.05 * s.contact.support;
    PrescribedBody plate = test::mount("plate base");
    Pose top = test::at_position({{0, 0, start}}), pressed;
    const double push = strain * height * (soft_plate ? 2 : 1);
    if (soft_plate) {
      s.soft.push_back(block("plate", 7, 2));
      s.soft[1].pose = top;
      s.soft[1].pose.q = rotation_by({{M_PI, 0, 0}});
    } else {
      plate.name = "plate";
      plate.surface = box({{14e-3, 14e-3, 2e-3}}, {{5, 7, 1}});
      top.p = {{0, 0, start + 1e-3}};
      top.q = rotation_by({{0, 0, 0.3}});
    }
    pressed = soft_plate ? Pose{} : top;
    pressed.p[2] = (soft_plate ? 0 : top.p[2]) - start - push;
    plate.trajectory = {{0.0, soft_plate ? Pose{} : top}, {1.0, pressed}};
    s.prescribed = {test::mount("gel base"), plate};
    Sim sim(s);
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u);
    const FieldOf f(sim);
    double mean = 0, area = 0, worst = 0, raw = 0, top_z = 0;
    for (std::size_t v = 0; v < f.field.pressure.size(); ++v) {
      top_z += f.field.position[v][2] * f.field.shape.vertex_area[v];
      mean += f.field.pressure[v] * f.field.shape.vertex_area[v];
      area += f.field.shape.vertex_area[v];
    }
    mean /= area;
    for (std::size_t v = 0; v < f.field.pressure.size(); ++v) {
      const Vec3d& x = f.field.position[v];
      if (std::max(std::abs(x[0]), std::abs(x[1])) > 4.9e-3 && soft_plate) continue;
      worst = std::max(worst, std::abs(f.field.pressure[v] / mean - 1));
      const double own = -f.contact.force[static_cast<std::size_t>(f.sensor.coat().node[v])][2];
      raw = std::max(raw, std::abs(own / f.field.shape.vertex_area[v] / mean - 1));
    }
    std::printf("FIGURE contact_field.uniform.%s = %.2e (nodal forces %.2e), mean %.1f Pa\n",
                soft_plate ? "soft_on_soft" : "rigid_plate", worst, raw, mean);
    EXPECT_LE(worst, 0.1);
    // The law's uniaxial stress without lateral contraction.
    const double stretch = 1 + top_z / area / height;
    const double law = 0.5 * young * (1 / stretch - stretch);
    EXPECT_NEAR(mean, law, 0.01 * law);
  }
}

}  // namespace
}  // namespace haptos
