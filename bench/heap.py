"""Cost of a step of a heap of boxes against their number.

    python bench/heap.py [64 125 250 500 1000]

Boxes of .1 m and 1 kg, each turned its own way, fall into a pit of four walls. 5 ms a step, defaults
else, one thread. A line for each number: CPU time of a step (steps 60 to 100), Newton iterations
(mean, most), contact points at the end; then the power of the number that the time grows with.
"""

import sys
import time

import numpy as np

import haptos

STEPS, FIRST = 100, 60


def heap(count: int) -> haptos.Sim:
    scene = haptos.Scene(dt=5e-3, gravity=(0, 0, -9.81))
    scene.sim.threads = 1
    side = int(np.ceil((count / 2 - 1e-9) ** (1 / 3)))
    # No box reaches its neighbour's place, whichever way the two are turned.
    apart = 0.1 * 3**0.5 + 0.02
    far = (side - 0.5) * apart
    scene.add_half_space("ground", (0, 0, 1))
    for name, normal, offset in (("west", (1, 0, 0), -apart / 2), ("east", (-1, 0, 0), -far),
                                 ("south", (0, 1, 0), -apart / 2), ("north", (0, -1, 0), -far)):
        scene.add_half_space(name, normal, offset)
    rng = np.random.default_rng(1)
    for k in range(count):
        place = np.array([k % side, k // side % side, k // side**2]) * apart
        turn = rng.normal(size=4)
        scene.add_rigid(f"box{k}", haptos.RobotShape("box", [0.05] * 3), mass=1.0, friction=0.5,
                        position=place + (0, 0, apart / 2) + rng.uniform(-0.01, 0.01, 3),
                        quaternion=turn / np.linalg.norm(turn))
    return scene.compile()


def main() -> None:
    counts = [int(a) for a in sys.argv[1:]] or [64, 125, 250, 500, 1000]
    last = None
    for count in counts:
        sim = heap(count)
        spent, iterations = [], []
        for _ in range(STEPS):
            start = time.process_time()
            report = sim.step()
            spent.append(time.process_time() - start)
            iterations.append(int(report.iterations[0]))
        now = float(np.mean(spent[FIRST:]))
        power = "" if last is None else (
            f", n^{np.log(now / last[1]) / np.log(count / last[0]):.1f}")
        print(f"{count} boxes: {1e3 * now:.1f} ms a step, {np.mean(iterations[FIRST:]):.1f} "
              f"iterations (most {max(iterations)}), {len(sim.contacts)} contacts{power}", flush=True)
        last = count, now


if __name__ == "__main__":
    main()
