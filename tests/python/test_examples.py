"""The first example runs as it stands, and its length is as promised."""

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from conftest import ROOT, with_elements

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


def run_example(name, folder, *arguments):
    done = subprocess.run([sys.executable, str(EXAMPLE.with_name(name)), *arguments], cwd=folder,
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_quadruped_trots_forward(tmp_path):
    words = run_example("quadruped_trots.py", tmp_path, "2.5").replace(",", "").split()
    assert words[0] == "ok:"
    assert float(words[words.index("x") + 1]) > 0.4
    assert abs(float(words[words.index("y") + 1])) < 0.2
    assert float(words[words.index("height") + 1]) > 0.25
    assert float(words[words.index("upright") + 1]) > 0.98
    assert np.asarray(Image.open(tmp_path / "trot.png")).std() > 10


def test_the_arm_reaches_better_with_torques_ahead(tmp_path):
    words = run_example("arm_reaches.py", tmp_path).split()
    gains, both = (float(words[k - 1]) for k, w in enumerate(words) if w == "mm")
    assert 5 < gains < 30  # [mm]; what the weight leaves of kp 400
    assert both < 1
    assert np.asarray(Image.open(tmp_path / "reach.png")).std() > 10


def test_the_arm_lifts_the_box(tmp_path):
    words = run_example("arm_lifts_box.py", tmp_path).split()
    assert words[0] == "ok:"
    assert abs(float(words[words.index("is") + 1]) - 150) < 3  # [mm]
    assert 10 < float(words[words.index("with") + 1]) < 60  # [N]
    assert np.asarray(Image.open(tmp_path / "lift.png")).std() > 10


def test_the_tactile_gripper_holds_what_it_lifts(tmp_path):
    words = run_example("tactile_gripper.py", tmp_path).replace(",", "").split()
    assert abs(float(words[words.index("by") + 1]) - 20) < 0.2  # [mm]
    assert abs(float(words[words.index("carry") + 1]) - 1) < 0.02  # of the weight
    assert abs(float(words[words.index("pull") - 4]) - 1) < 0.02  # [N]
    assert 5 < float(words[words.index("pressed") + 2]) < 6.5  # 5 kN/m, and what the gel yields
    image = np.asarray(Image.open(tmp_path / "gripper.png")).astype(float)
    assert image.std() > 30


TACTILE_IMAGE = EXAMPLE.with_name("tactile_image.py")


def test_a_tactile_image_takes_fifteen_lines(tmp_path):
    text = TACTILE_IMAGE.read_text()
    code = [line for line in text[text.index("import haptos"):].splitlines() if line.strip()]
    assert len(code) <= 15
    # On a coarse mesh, which has no lights, so that the last line has no colours.
    sensor = with_elements("gelsight-mini", tmp_path, top=1e-3, base=3e-3, centre=1.5e-3)
    assert '"gelsight-mini"' in text and "finger.rgb()[0]" in text
    done = subprocess.run(
        [sys.executable, "-c", text.replace('"gelsight-mini"', repr(sensor)).replace(
            "finger.rgb()[0]", "(2e5 * finger.depth()[0]).clip(0, 255).astype('uint8')")],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert -1.1 < float(words[1]) < -0.7  # [N]
    assert 0.2 < float(words[4]) < 0.8 * abs(float(words[1]))
    assert np.asarray(Image.open(tmp_path / "touch.png")).max() > 80


@pytest.mark.full
def test_fifteen_lines_give_a_tactile_image(tmp_path):
    words = run_example("tactile_image.py", tmp_path).split()
    force, shear, pixels = float(words[1]), float(words[4]), float(words[-2])
    assert -1.0 < force < -0.75  # [N]
    assert 0.3 < shear < 0.8 * abs(force)
    assert 3 < pixels < 4.8  # 0.3 mm are 4.7 pixels
    image = np.asarray(Image.open(tmp_path / "touch.png")).astype(int)
    assert image.shape == (240, 320, 3)
    assert np.abs(image[100:140, 140:190] - image[100:140, 60:110]).max() > 20
