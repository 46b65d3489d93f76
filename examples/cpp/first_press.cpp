// Presses a ball of radius 4 mm one millimetre into a gel pad; writes depth.ppm.
#include <cstdio>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/render/pictures.h"
#include "haptos/sensors/tactile/depth.h"
#include "haptos/sim/sim.h"

int main() {
  using namespace haptos;
  PadGrading sizes;
  sizes.top_size = 1e-3, sizes.base_size = 1.6e-3, sizes.centre_size = 0.8e-3,
  sizes.rim_size = 2e-3;
  const Pad pad = round_pad(12e-3, 4e-3, sizes);

  Scene scene;
  scene.sim.dt = 0.05;
  scene.sim.gravity_z = 0;
  scene.contact.divisions = 4;  // parts of a gel edge: the ball's facets are finer than the gel's

  PrescribedBody mount, ball;
  mount.name = "mount";
  ball.name = "ball";
  ball.surface = icosphere(4e-3, 0.4e-3);
  ball.trajectory = {{0.0, Pose{{{0, 0, 4.03e-3}}, {}}}, {0.5, Pose{{{0, 0, 3e-3}}, {}}}};
  scene.prescribed = {mount, ball};

  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.material.young = 4.35e5;
  gel.material.poisson = 0.48;
  gel.glue = {{"mount", pad.base_vertices}};
  gel.coat = pad.coat;
  scene.soft = {gel};

  Sim sim(scene);
  for (int i = 0; i < 10; ++i) sim.step();
  std::printf("force on the ball: %.3f N\n", sim.reaction("ball").force[2]);

  // The pad's frame is the gel frame, and the mount does not move.
  const SoftModel& model = sim.soft_model("gel");
  const DepthSensor camera(TactileCamera::orthographic(320, 240, 6.34e-5), model.rest.vertices,
                           model.coat);
  const DepthImage image = camera.measure(sim.soft_positions("gel"));
  write_ppm(depth_picture({image.width, image.height, image.depth, image.pitch}), "depth.ppm");
}
