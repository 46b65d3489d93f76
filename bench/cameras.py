"""How long cameras take to look: depth and colours, a reading of one environment.

    python bench/cameras.py [--width 320 --height 240] [--threads 1]
"""

import argparse
import time
from pathlib import Path

import haptos

SCENES = Path(__file__).resolve().parents[1] / "scenes"
LOOKS = 20


def measure(name: str, scene: haptos.Scene, threads: int) -> None:
    scene.sim.threads = threads
    sim = scene.compile(quiet=True)
    sim.step()
    for camera in sim.cameras.values():
        times = []
        for read in (camera.depth, camera.rgb):
            read()
            start = time.process_time()
            for _ in range(LOOKS):
                read()
            times.append(1e3 * (time.process_time() - start) / LOOKS)
        print(f"{name}, {camera.name}: {camera.width} x {camera.height}, depth {times[0]:.1f} ms, colours {times[1]:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=320)
    parser.add_argument("--height", type=int, default=240)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    size = {"width": options.width, "height": options.height}
    scene = haptos.load_scene(SCENES / "robots/watched_arm.yaml")
    scene.add_camera("above", position=(0.5, 0, 1), look_at=(0.5, 0, 0), **size)
    measure("arm", scene, options.threads)
    scene = haptos.load_scene(SCENES / "quadruped_stands.yaml")
    scene.add_camera("beside", position=(1, -1, 0.6), look_at=(0, 0, 0.2), **size)
    measure("quadruped", scene, options.threads)


if __name__ == "__main__":
    main()
