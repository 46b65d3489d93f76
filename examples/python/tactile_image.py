"""A GelSight Mini that a ball presses and shears: what it sees in fifteen lines."""

import haptos

sensor = haptos.load_sensor("gelsight-mini")
scene = haptos.Scene(dt=0.1, gravity=(0, 0, 0))
sensor.add_to(scene, "finger")
scene.add_prescribed("ball", haptos.icosphere(4e-3, 0.3e-3), friction=0.8, trajectory=[
    (0.0, (0, 0, 4.03e-3)), (0.4, (0, 0, 3.5e-3)), (0.6, (0.3e-3, 0, 3.5e-3))])  # [s], [m]
sim = scene.compile()
sim.run(0.6)
finger = sim.sensors["finger"]
touch, markers = finger.touch(), finger.markers()
print(f"force {touch.force[0, 2]:.3f} N, shear {touch.force[0, 0]:.3f} N, "
      f"markers moved by up to {abs(markers.pixel_flow).max():.1f} pixels")
haptos.save_png("touch.png", finger.rgb()[0])
