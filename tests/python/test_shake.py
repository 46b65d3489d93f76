"""Three cubes in a clamp, the middle one up to a thousand times as dense: lifted by friction and shaken."""

import functools

import numpy as np
import pytest

import haptos
from conftest import load_script

shake = load_script("scenes/particles/shake.py")


@functools.cache
def shaken(ratio, dt, lift=1.0):
    return shake.shake(ratio, dt=dt, lift=lift)


@pytest.mark.parametrize("dt", [0.01, 0.002])
@pytest.mark.parametrize("ratio", [1, 150, 1000])
def test_cubes_of_any_weight_are_lifted_and_shaken_without_slip(ratio, dt):
    found = shaken(ratio, dt)
    print(f"FIGURE shake.{ratio}.{dt} = slips {1e3 * found['slip']:.2f} mm, hangs {1e3 * found['hung']:.2f} of "
          f"{1e3 * found['beam']:.2f} mm, push {found['push']:.1f} N")
    assert found["slip"] < 2e-3
    assert found["height"] > 0.23
    if ratio > 1:
        assert found["hung"] == pytest.approx(found["beam"], rel=0.1)
    assert found["push"] == pytest.approx(shaken(ratio, 0.01)["push"], rel=0.05)


def test_a_stiff_lift_shakes_none_of_them_loose():
    # 1e7 N/m, which turns round within a step: the soft cubes take the blow.
    assert shaken(150, 0.01, 1e7 / 6e4)["slip"] < 2e-3


def test_the_scene_file_is_the_scene_of_the_script():
    sims = [s.compile(quiet=True) for s in (haptos.load_scene("scenes/particles/shake.yaml"), shake.scene())]
    for _ in range(30):
        for sim in sims:
            assert sim.step().ok
    middle = [sim.robots["middle"].link_pose("middle")[0] for sim in sims]
    assert middle[0] == pytest.approx(middle[1], abs=1e-12)
    for name in ("left", "right"):
        assert np.allclose(sims[0].positions(name), sims[1].positions(name), rtol=0, atol=1e-12)


@pytest.mark.full
def test_cubes_of_points_are_lifted_and_shaken():
    found = shake.shake(150, points=True)
    print(f"FIGURE shake.points = slips {1e3 * found['slip']:.2f} mm, hangs {1e3 * found['hung']:.2f} mm, "
          f"push {found['push']:.1f} N")
    assert found["height"] > 0.22  # not dropped
    assert found["slip"] < 2e-3
