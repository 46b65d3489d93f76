"""Scenes of boundary-layer contact in scenes/layers."""

import numpy as np
import pytest

from conftest import ROOT

import haptos


def shaken(until):
    """The cube beside the fingers (n, 3) [m], at each step, and its place at the end."""
    sim = haptos.load_scene(ROOT / "scenes/layers/pick_and_shake.yaml").compile(strict=True)
    beside, deepest = [], 0.0
    for _ in range(int(until / 2e-3)):
        report = sim.step()
        assert report.status[0] == 0 and report.crossed[0] == 0
        sway, lift, _, _ = np.array(sim.robots["gripper"].position).ravel()
        place = np.array(sim.robots["cube"].position).ravel()
        beside.append(place[:3] - [0, sway, lift])
        deepest = max(deepest, -sim.contacts["gap"].min(initial=0))
    return np.array(beside), deepest, place


def check_grip(beside, deepest):
    held = beside[int(0.84 / 2e-3):int(6 / 2e-3)]
    # While the lift brakes at g, hand and cube fall alike: h^2 g / 2 in a step would be 20 um.
    assert np.abs(held - held[0]).max() < 1e-5
    assert deepest < 2.5e-3  # of R = 5 mm: cores never meet


def test_fine_fingertips_pick_up_a_coarse_cube_and_shake_it():
    beside, deepest, place = shaken(2.6)
    check_grip(beside, deepest)
    assert place[2] > 0.2


@pytest.mark.full
def test_fine_fingertips_shake_a_coarse_cube_and_put_it_back():
    beside, deepest, place = shaken(8)
    check_grip(beside, deepest)
    slip = 1e3 * np.abs(beside[420:3000] - beside[420]).max()
    print(f"FIGURE slip of the cube = {slip:.3f} mm (at most 1)")
    print(f"FIGURE deepest contact = {1e3 * deepest:.4f} mm (at most 2.5)")
    off = 1e3 * np.abs(place[:3] - [0, 0, 0.0275]).max()
    print(f"FIGURE placed beside its place = {off:.4f} mm (at most 2)")
    assert off < 2
