"""Cost of the steps of an MJCF file.

    python bench/mjcf.py FILE.xml [STEPS]

1 ms a step, defaults else, one thread. Prints CPU time of a step, Newton iterations (mean, most),
contact points at the end, and how many steps did not converge.
"""

import sys
import time

import numpy as np

import haptos


def main() -> None:
    file, steps = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    scene = haptos.Scene(dt=1e-3, gravity=(0, 0, -9.81))
    scene.sim.threads = 1
    haptos.load_mjcf(file).add_to(scene)
    sim = scene.compile()
    iterations, failed, start = [], 0, time.process_time()
    for _ in range(steps):
        report = sim.step()
        iterations.append(int(report.iterations[0]))
        failed += not report.ok
    spent = time.process_time() - start
    print(f"{file}: {1e3 * spent / steps:.2f} ms a step, {np.mean(iterations):.1f} iterations "
          f"(most {max(iterations)}), {len(sim.contacts)} contacts, {failed} steps did not converge")


if __name__ == "__main__":
    main()
