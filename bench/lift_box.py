"""What a second of two tactile pads that lift a box costs: scenes/sensors/lift_box.yaml.

    python bench/lift_box.py [QUALITY ...]

A line for each quality of the pads, fast where none is given: CPU seconds of all threads for a
simulated second, those for reading both depth images at each step, and how the box is held.
"""

import sys
import time
from pathlib import Path

import haptos

SCENE = Path(__file__).resolve().parents[1] / "scenes" / "sensors" / "lift_box.yaml"
SECONDS = 1.0


def scene_of(quality: str) -> haptos.Scene:
    """The scene with pads of this quality."""
    text = SCENE.read_text(encoding="utf-8").replace("quality: fast", f"quality: {quality}")
    other = SCENE.with_name(f".lift_box_{quality}.yaml")  # beside the files that it names
    try:
        other.write_text(text, encoding="utf-8")
        return haptos.load_scene(other)
    finally:
        other.unlink(missing_ok=True)


def line(quality: str) -> str:
    """Runs it; what it cost and how the box is held."""
    sim = scene_of(quality).compile()
    steps = round(SECONDS / sim.dt)
    stepped, read, iterations = 0.0, 0.0, 0
    for _ in range(steps):
        begin = time.process_time()
        iterations += int(sim.step().iterations[0])
        middle = time.process_time()
        for name in ("left", "right"):
            sim.sensors[name].depth()
        stepped += middle - begin
        read += time.process_time() - middle
    carried = -sum(sim.contact_wrench(side).force[0, 2] for side in ("left", "right"))
    return (f"{quality}: {len(sim.positions('left')[0])} vertices a pad, {iterations / steps:.1f} "
            f"iterations a step, {stepped / SECONDS:.2f} CPU seconds a second and "
            f"{read / SECONDS:.2f} for {2 * steps} depth images; box at "
            f"{1e3 * sim.pose('box')[0, 2]:.2f} mm, {carried:.4f} N carried")


for word in sys.argv[1:] or ["fast"]:
    print(line(word), flush=True)
