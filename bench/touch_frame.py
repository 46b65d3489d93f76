"""What a frame of a gel as a linear layer costs on one core: a step of its physics, and the image.

    python bench/touch_frame.py [cone sphere key coin]

Shapes are pressed into a GelSight Mini (320 x 240 pixels) by .5 mm and moved aside by .3 mm. Processor
time, means over the steps in contact.
"""

import sys
import time

import numpy as np

import haptos
from haptos.press.press import prepare

SHAPES = sys.argv[1:] or ["cone", "sphere", "key", "coin"]


def measure(shape: str) -> None:
    press = prepare(shape, sensor="gelsight-mini", depth=5e-4, shear=(3e-4, 0.0), model="hydroelastic",
                    options={"sim.threads": 1})
    physics, image, both = [], [], []
    while not press.done:
        start = time.process_time()
        press.step()
        middle = time.process_time()
        press.sensor.image()
        end = time.process_time()
        if press.sensor.touch().force[0, 2] != 0:
            physics.append(middle - start), image.append(end - middle), both.append(end - start)
    print(f"{shape:10s} step {1e3 * np.mean(physics):6.2f} ms, depth and normals {1e3 * np.mean(image):6.2f} ms, "
          f"frame {1e3 * np.mean(both):6.2f} ms", flush=True)


print(f"haptos {haptos.__version__}, one core, GelSight Mini, 320 x 240 pixels")
for name in SHAPES:
    measure(name)
