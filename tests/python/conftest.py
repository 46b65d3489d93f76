"""Small scenes that many tests share."""

import os
import resource
import signal
import socket
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import numpy as np
import pytest
import yaml

import haptos

ROOT = Path(__file__).resolve().parents[2]


def outside_file(relative):
    """The path of a file that this project did not make, or a skipped test where it is missing.

    As for the C++ tests (tests/outside_data.h): in ../shared/data beside the checkout, or where
    HAPTOS_OUTSIDE_DATA points.
    """
    folder = os.environ.get("HAPTOS_OUTSIDE_DATA")
    path = (Path(folder) if folder else ROOT.parent / "shared" / "data") / relative
    if not path.exists():
        pytest.skip(f"outside data not found: {path} (put it there or set HAPTOS_OUTSIDE_DATA)")
    return path


@pytest.fixture
def port():
    """A port of this machine that is free."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def load_script(path):
    """A script of the checkout, with or without a suffix, as a module."""
    loader = SourceFileLoader(f"script_{Path(path).stem}", str(ROOT / path))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # dataclasses look there for what annotations mean
    loader.exec_module(module)
    return module


def small_pad():
    """A pad of 12 x 12 x 3 mm with elements of 1.5 mm."""
    return haptos.box_pad(12e-3, 12e-3, 3e-3, grading=haptos.PadGrading.uniform(1.5e-3))


def small_scene(depth=0.3e-3, steps=4):
    """A ball that is pressed into a small pad: steps of 50 ms, then it stays."""
    pad = small_pad()
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.contact.divisions = 4
    scene.newton.force_tolerance = 1e-6
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                   glue={"mount": pad.base_vertices}, coat=pad.coat)
    ball = haptos.icosphere(4e-3, 1e-3)
    scene.add_prescribed("ball", ball, trajectory=[(0.0, (0, 0, 4.03e-3)),
                                                   (0.05 * steps, (0, 0, 4e-3 - depth))])
    scene.add_sensor("camera", "gel", markers=haptos.MarkerGrid(3, 5, 2e-3, 2e-3),
                     camera=haptos.TactileCamera.orthographic(80, 60, 1.4e-4))
    return scene


def cart_scene():
    """A cart of 1 kg on a rail along x, with a noisy sensor, and a ball beside it."""
    link = haptos.RobotLink("cart", 1.0, inertia=np.eye(3) * 1e-3)
    joint = haptos.RobotJoint("rail", "prismatic", -1, 0, axis=(1, 0, 0), lower=-1, upper=1,
                              speed=2.0)
    robot = haptos.Robot("cart", [link], [joint],
                         motors=[haptos.RobotMotor("rail", kp=100, kd=20, effort=50)])
    scene = haptos.Scene(dt=0.01)
    scene.add_half_space("floor")
    scene.add_robot("cart", robot)
    scene.add_robot_sensor("cart", "ruler", "joint_position", noise={"std": 0.01})
    scene.add_sphere("ball", 0.02, mass=0.1, position=(0, 1, 0.02))
    return scene


SMALL_SENSOR = """
name: small
pad: {kind: box, width: 10 mm, depth: 10 mm, thickness: 3 mm,
      elements: {top: 1.5 mm, base: 2 mm, centre: 2 mm, rim: 2 mm, below: 1}}
material: {young: 100 kPa, poisson: 0.45, density: 1000}
friction: 0.5
camera: {kind: orthographic, width: 64, height: 48, pitch: 125 um}
"""


def write_small_sensor(folder):
    """A sensor file whose steps take some hundredths of a second; returns its path."""
    path = folder / "small.yaml"
    path.write_text(SMALL_SENSOR)
    return str(path)


def with_elements(name, folder, **elements):
    """The path of a named sensor's file with other elements, and without lights."""
    values = yaml.safe_load(Path(haptos.load_sensor(name).file).read_text(encoding="utf-8"))
    values["pad"]["elements"] = elements
    values.pop("rgb", None)
    path = folder / "elements.yaml"
    path.write_text(yaml.safe_dump(values))
    return str(path)


@pytest.fixture(scope="session")
def pressed():
    """A Sim after its press; tests only read it."""
    sim = small_scene().compile()
    sim.run(0.2)
    return sim


@pytest.fixture(scope="session")
def pad_file(tmp_path_factory):
    """The small pad as a VTK file in millimetres."""
    path = tmp_path_factory.mktemp("pad") / "pad.vtk"
    haptos.write_vtk(path, small_pad().mesh.transformed(scale=1e3))
    return path


def run_haptos(*arguments, cwd, timeout=60, largest_file=None):
    """Runs the command in a process of its own; a CompletedProcess with text.

    largest_file: the largest file that the process may write [byte].
    """

    def limit():
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.run([sys.executable, "-m", "haptos", *map(str, arguments)], cwd=cwd,
                          timeout=timeout, capture_output=True, text=True, check=False,
                          preexec_fn=limit)


def start_haptos(*arguments, cwd):
    """Starts the command; its stderr can be read line by line."""
    # A test run in the background ignores SIGINT, and children inherit that.
    return subprocess.Popen([sys.executable, "-m", "haptos", *map(str, arguments)], cwd=cwd,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONUNBUFFERED": "1"},
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
