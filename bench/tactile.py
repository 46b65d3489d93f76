"""What reading a tactile sensor costs per environment, alone and among 64.

    python bench/tactile.py [seconds]

On one core, in the scene of two fingers that hold a ball (scenes/sensors/two_fingers.yaml, a cheap sensor of
64 x 64 pixels) and under the camera of a GelSight Mini (320 x 240 pixels, over a coarse pad). Times
are processor time, so that other programs do not count, and the shortest of many calls, by turns
between the numbers of environments.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import haptos

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
ROOT = Path(__file__).resolve().parents[1]
READINGS: dict[str, Callable[[haptos.TactileSensor], object]] = {
    "depth": lambda s: s.depth(), "depth, raw": lambda s: s.depth(raw=True),
    "depth and normals": lambda s: s.image(), "markers": lambda s: s.markers(),
    "force and torque": lambda s: s.touch(), "contact field": lambda s: s.contact_field(),
    "force image, 16 x 16": lambda s: s.force_image((16, 16)), "colours": lambda s: s.rgb()}


def fingers() -> haptos.Scene:
    return haptos.load_scene(ROOT / "scenes" / "sensors" / "two_fingers.yaml")


def mini() -> haptos.Scene:
    scene = haptos.Scene(dt=0.02, gravity=(0, 0, 0))
    scene.add_prescribed("ball", haptos.icosphere(radius=4e-3, facet=8e-4), friction=0.5,
                         trajectory=[(0, (0, 0, 4.2e-3)), (0.04, (0, 0, 3.8e-3))])
    scene.add_prescribed("mount")
    model = haptos.load_sensor("gelsight-mini")
    pad = haptos.box_pad(0.024, 0.02, 0.004, 0.0, haptos.PadGrading.uniform(0.002))
    scene.add_soft("left", pad.mesh, material=haptos.Material(**model.material), element="linear",
                   glue={"mount": pad.base_vertices}, coat=pad.coat, friction=0.5)
    scene.add_sensor("left", "left", camera=model.camera, markers=None, rgb=model.rgb)
    return scene


def measure(name: str, make: Callable[[], haptos.Scene], steps: int) -> None:
    sims = {}
    for envs in (1, 64):
        scene = make()
        scene.sim.threads = 1
        sims[envs] = scene.compile(envs)
        for _ in range(steps):
            sims[envs].step()
    pixels = sims[1].sensors["left"].camera
    print(f"{name}, {pixels.width} x {pixels.height} pixels, {len(sims[1].mesh('left').vertices)} nodes; "
          "microseconds per environment")
    for what, read in READINGS.items():
        sensors = {n: sim.sensors["left"] for n, sim in sims.items()}
        if what == "markers" and not sensors[1].has_markers:
            continue
        if what == "colours" and not sensors[1].has_colours:
            continue
        best = dict.fromkeys(sims, np.inf)
        for s in sensors.values():
            read(s)  # what is made on first use
        start = time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            for n, s in sensors.items():
                for _ in range(max(1, 16 // n)):
                    begin = time.thread_time()
                    read(s)
                    best[n] = min(best[n], (time.thread_time() - begin) / n)
        one, many = (1e6 * best[n] for n in (1, 64))
        print(f"  {what:22s} {one:9.1f} alone {many:9.1f} among 64   ratio {many / one:5.2f}   "
              f"{1e6 / many:9,.0f} a second", flush=True)


measure("two fingers", fingers, 40)
measure("GelSight Mini camera", mini, 2)
