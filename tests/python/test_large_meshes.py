"""Scenes with large meshes that have layers: how far they are is told, Ctrl-C stops them, and what is
made of them is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import haptos
from haptos.cli.doctor import examine


def terrain(cells: int) -> haptos.TriMesh:
    """A wavy sheet of 2 cells^2 triangles, 1 m wide."""
    u = np.linspace(-0.5, 0.5, cells + 1)
    x, y = np.meshgrid(u, u)
    z = 0.02 * np.sin(9 * x) * np.cos(7 * y)
    at = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    a, b, c, d = at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]
    triangles = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3),
                                np.stack([a, c, d], -1).reshape(-1, 3)])
    return haptos.TriMesh(np.stack([x, y, z], -1).reshape(-1, 3), triangles)


def scene_on(mesh: haptos.TriMesh) -> haptos.Scene:
    """A ball above a mesh with a layer."""
    scene = haptos.Scene(dt=1e-3)
    scene.add_rigid("ground", haptos.RobotShape("mesh", mesh=mesh), fixed=True, layer=2e-3)
    scene.add_rigid("ball", haptos.RobotShape("sphere", 0.02), mass=0.1, layer=1e-3,
                    position=(0, 0, 0.1))
    return scene


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """A cache folder of the test's own."""
    monkeypatch.setenv("HAPTOS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "soups"


def test_compiling_tells_how_far_a_large_mesh_is_and_keeps_it(cache):
    scene = scene_on(terrain(200))
    told: list[tuple[str, float]] = []
    scene.compile(progress=lambda what, part: told.append((what, part)))
    ground = [part for what, part in told if "ground" in what]
    assert len(ground) > 4 and ground == sorted(ground) and ground[-1] == 1
    assert len(list(cache.glob("*.kept"))) == 1
    told.clear()
    again = scene_on(terrain(200)).compile(progress=lambda what, part: told.append((what, part)))
    assert not [part for what, part in told if "ground" in what and part < 1]  # it was read
    line = next(x for x in examine() if x.name == "cache")
    assert "1 large meshes with layers" in line.found
    for _ in range(20):
        again.step()


def test_what_the_listener_raises_ends_the_call(cache):
    class Enough(Exception):
        pass

    def stop(what: str, part: float) -> None:
        if part > 0.3:
            raise Enough

    with pytest.raises(Enough):
        scene_on(terrain(200)).compile(progress=stop)
    assert not list(cache.glob("*.kept"))
    scene_on(terrain(10)).compile()  # nobody listens now


def test_ctrl_c_stops_a_large_mesh(tmp_path):
    program = f"""
import sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
from test_large_meshes import scene_on, terrain
scene = scene_on(terrain(900))
print("compiling", flush=True)
try:
    scene.compile()
except KeyboardInterrupt:
    print("stopped", flush=True)
else:
    print("done", flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "HAPTOS_CACHE": "off"})
    assert run.stdout is not None and run.stdout.readline() == "compiling\n"
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=120)
    assert out == "stopped\n"


def test_a_cache_that_is_off_is_said(monkeypatch):
    monkeypatch.setenv("HAPTOS_CACHE", "off")
    line = next(x for x in examine() if x.name == "cache")
    assert line.state == "ok" and "off" in line.found
