"""A small sensor, and a recipe of presses on it that takes seconds, for the tests of data sets."""

from haptos.press.recipe import Range

SENSOR = """
name: small
pad: {kind: box, width: 10 mm, depth: 10 mm, thickness: 3 mm,
      elements: {top: 1.5 mm, base: 2 mm, centre: 2 mm, rim: 2 mm, below: 1}}
material: {young: 100 kPa, poisson: 0.45, density: 1000}
friction: 0.5
camera: {kind: orthographic, width: 64, height: 48, pitch: 125 um}
markers: {rows: 3, columns: 4, pitch: 1.5 mm}
rgb: lights.yaml
"""
LIGHTS = """
model: lights
ambient: [45, 45, 45]
lights:
  - {direction: [2, 0, -1], colour: [150, 20, 20]}
  - {direction: [-1, 1, -1], colour: [20, 150, 20]}
"""
RECIPE = {"count": 5, "seed": 3, "x": "-0.5..0.5 mm", "depth": "0.1..0.2 mm", "yaw": "0..90 deg",
          "tilt": "0..5 deg", "tilt_toward": Range(0, "360 deg"), "young": ["80 kPa", 1.5e5],
          "shear": "0..60 um", "shear_toward": "0..360 deg"}
COMMAND = ["dataset", "sphere", "cone", "--sensor", "small.yaml", "--count", 5, "--seed", 3, "--x",
           "-0.5..0.5mm", "--depth", "0.1..0.2mm", "--yaw", "0..90deg", "--tilt", "0..5deg",
           "--tilt-toward", "0..360deg", "--young", "80kPa,1.5e5", "--shear", "0..60um",
           "--shear-toward", "0..360deg"]


def write_sensor(folder):
    (folder / "lights.yaml").write_text(LIGHTS)
    (folder / "small.yaml").write_text(SENSOR)
    return str(folder / "small.yaml")
