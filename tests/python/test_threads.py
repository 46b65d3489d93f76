"""Bolts and nuts from Python and in a scene file."""

from pathlib import Path

import numpy as np
import pytest

import haptos

ROOT = Path(__file__).resolve().parents[2]


def cuts(bolt, nut, pitches):
    """Pairs of triangles that meet with the nut that many pitches up the bolt."""
    moved = nut.transformed((0, 0, pitches * 2.5e-3))
    both = haptos.TriMesh(
        np.concatenate([bolt.vertices, moved.vertices]),
        np.concatenate([bolt.triangles, moved.triangles + len(bolt.vertices)]))
    return haptos.intersecting_triangles(both)


def test_a_bolt_and_a_nut_are_solids_that_fit():
    bolt = haptos.iso_bolt(30e-3, 30e-3, 10e-3, allowance=0.1e-3)
    nut = haptos.iso_nut(10e-3, segments=71)
    for mesh in (bolt, nut):
        report = haptos.check_surface(mesh)
        assert report.closed and report.outward
    assert np.ptp(np.asarray(bolt.vertices)[:, 2]) == pytest.approx(40e-3)
    assert np.ptp(np.asarray(nut.vertices)[:, 0]) == pytest.approx(30e-3)
    assert len(cuts(bolt, nut, 3.0)) == 0
    assert len(cuts(bolt, nut, 3.5)) > 0
    with pytest.raises(haptos.InputError, match="pitch"):
        haptos.iso_bolt(30e-3, pitch=15e-3)


def test_the_scene_starts_in_contact_with_the_torque_of_its_load():
    sim = haptos.load_scene(ROOT / "scenes" / "bolt_and_nut.yaml").compile()
    for _ in range(3):
        assert sim.step().status == 0
    nut = next(e for e in sim.entries["affine"] if e["name"] == "nut")
    weight = 7850 * nut["surface"].volume * 9.81
    torque = sim.reaction("bolt").torque[0][2]
    assert torque == pytest.approx((20 + weight) * 2.5e-3 / (2 * np.pi), rel=0.05)
