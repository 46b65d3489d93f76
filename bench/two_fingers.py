"""Environment-steps a second of two tactile fingers that lift a ball, by live contact of the gels and by frozen.

    python bench/two_fingers.py [--envs 1 64] [--steps 100]

Each is timed with and without reading both depth images (64 x 64) after each step. Prints the processor beside the rates.
"""

import argparse
import time

import haptos
from haptos.cli.bench import processor


def rate(scene: str, envs: int, steps: int, read: bool) -> float:
    sim = haptos.load_scene(f"scenes/sensors/{scene}.yaml").compile(envs, quiet=True)
    start = time.perf_counter()
    for _ in range(steps):
        sim.step()
        if read:
            for name in ("left", "right"):
                sim.sensors[name].image()
    return envs * steps / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, nargs="+", default=[1, 64])
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    print(processor())
    for scene in ("two_fingers", "two_fingers_frozen"):
        for envs in given.envs:
            rates = [rate(scene, envs, given.steps, read) for read in (False, True)]
            print(f"{scene}: {envs} environments: {rates[0]:.0f} environment-steps a second, {rates[1]:.0f} with both images")


if __name__ == "__main__":
    main()
