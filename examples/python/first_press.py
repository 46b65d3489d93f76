"""Presses a ball of radius 4 mm one millimetre into a gel pad; writes depth.png."""

import haptos

sizes = haptos.PadGrading(top_size=1e-3, base_size=1.6e-3, centre_size=0.8e-3, rim_size=2e-3)
pad = haptos.round_pad(radius=12e-3, thickness=4e-3, grading=sizes)
ball = haptos.icosphere(radius=4e-3, facet=0.4e-3)

scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
scene.contact.divisions = 4  # parts of a gel edge: the ball's facets are finer than the gel's
scene.add_prescribed("mount")
scene.add_soft("gel", pad.mesh, material=haptos.Material(young=4.35e5, poisson=0.48),
               glue={"mount": pad.base_vertices}, coat=pad.coat)
scene.add_prescribed("ball", ball, trajectory=[(0.0, (0, 0, 4.03e-3)), (0.5, (0, 0, 3e-3))])
scene.add_sensor("camera", "gel")

sim = scene.compile()
sim.run(0.5)
depth = sim.sensors["camera"].depth()  # (env, height, width) [m]
print(f"force on the ball: {sim.reaction('ball').force[0, 2]:.3f} N")
haptos.save_png("depth.png", haptos.depth_picture(depth[0], pitch=6.34e-5))
