// Small scenes of soft bodies that several tests step: a free block, a block on a floor, a glued
// pad under a ball, a pad on a mount that shakes.
#pragma once

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/support.h"

namespace haptos::test {

inline const Vec3d kBlock{{0.010, 0.008, 0.006}};  // [m]

/// A block of n[k] cells along axis k, centred, its base at z = 0; E 0.1 MPa, nu 0.48.
inline SoftBody block(const Vec3i& n, Pad* made = nullptr) {
  BoxPadShape shape;
  shape.width = kBlock[0];
  shape.depth = kBlock[1];
  shape.thickness = kBlock[2];
  const Pad pad = box_pad(shape, n[0], n[1], n[2]);
  if (made) *made = pad;
  SoftBody b;
  b.name = "gel";
  b.mesh = pad.mesh;
  for (Vec3d& x : b.mesh.vertices) x[2] += kBlock[2];
  b.material.young = 1e5;
  b.material.poisson = 0.48;
  b.material.density = 1000;
  return b;
}

/// A block without supports.
inline Scene free_block(double dt, double gravity, const Vec3i& n = {{3, 3, 2}}) {
  Scene s;
  s.sim.dt = dt;
  s.sim.gravity_z = gravity;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-12;
  s.newton.force_floor = 1e-13;
  s.newton.velocity_tolerance = 1e-9;
  s.soft = {block(n)};
  return s;
}

/// A block that rests on a half-space.
inline Scene block_on_floor() {
  Scene s = free_block(0.02, -9.81);
  s.newton.force_tolerance = 1e-9;
  s.soft[0].pose.p = {{0.003, -0.002, 0.5 * s.contact.support}};
  s.soft[0].material.stiffness_damping = 0.01;
  s.soft[0].material.mass_damping = 20;
  HalfSpace floor;
  floor.name = "floor";
  s.half_spaces = {floor};
  return s;
}

/// A block glued by its base to "mount", under a ball that presses 0.6 mm deep in 20 ms, aside of
/// the middle. The mount may shake while the ball presses.
inline Scene press(bool shake, double damping = 0, const Vec3i& n = {{4, 4, 3}}) {
  Scene s = free_block(1e-3, -9.81, n);
  s.newton.force_tolerance = 1e-9;
  Pad pad;
  s.soft[0] = block(n, &pad);
  s.soft[0].material.stiffness_damping = damping;
  s.soft[0].glue = {{"mount", pad.base_vertices}};
  PrescribedBody ball;
  ball.name = "ball";
  ball.surface = icosphere(3e-3, 6e-4);
  const double top = kBlock[2] + 3e-3;
  ball.trajectory = straight({{1e-3, -5e-4, top + 1.5e-5}}, {{1e-3, -5e-4, top - 6e-4}}, 0.02);
  s.prescribed = {mount("mount"), ball};
  if (shake) {
    s.prescribed[0].trajectory.clear();
    for (int k = 0; k <= 40; ++k) {
      const double t = 1e-3 * k;
      Pose p;
      p.p = {{2e-4 * std::sin(400 * t), 1e-4 * std::sin(300 * t), 1e-4 * (std::cos(250 * t) - 1)}};
      p.q = rotation_by({{0.02 * std::sin(350 * t), 0.03 * std::sin(200 * t), 0}});
      s.prescribed[0].trajectory.push_back({t, p});
    }
  }
  return s;
}

/// The momentum of a scene's first body [kg m/s], about the origin [kg m2/s], and sum of m |v|.
struct Momentum {
  Vec3d linear{{0, 0, 0}}, angular{{0, 0, 0}};
  double scale = 0;
};

/// Of a body without glued vertices: its velocities are the state's.
inline Momentum momentum(const Sim& sim, const std::vector<double>& mass) {
  Momentum m;
  const std::vector<Vec3d> x = sim.soft_positions("gel");
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double* z = sim.state().z.data() + 3 * v;
    const Vec3d u{{z[0], z[1], z[2]}};
    m.linear += mass[v] * u;
    m.angular += mass[v] * cross(x[v], u);
    m.scale += mass[v] * norm(u);
  }
  return m;
}

}  // namespace haptos::test
