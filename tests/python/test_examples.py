"""The first example runs as it stands, and its length is as promised."""

import subprocess
import sys

import numpy as np
from PIL import Image

from conftest import ROOT

EXAMPLE = ROOT / "examples" / "python" / "first_press.py"


def test_the_first_example_makes_a_depth_image(tmp_path):
    done = subprocess.run([sys.executable, str(EXAMPLE)], cwd=tmp_path, capture_output=True,
                          text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    # R = 4 mm, 1 mm deep, h = 4 mm, E = 435 kPa, nu = 0.48, frictionless: 2.854 N (axisymmetric
    # finite elements); the mesh of the example is coarse.
    force = float(done.stdout.split(":")[1].split()[0])
    assert abs(force / 2.854 - 1) < 0.05
    image = np.asarray(Image.open(tmp_path / "depth.png")).astype(float)
    assert image.mean(axis=2).std() > 30


def test_the_first_example_is_short():
    code = [line for line in EXAMPLE.read_text().splitlines()
            if line.strip() and not line.lstrip().startswith(("#", '"""'))]
    assert len(code) <= 18
