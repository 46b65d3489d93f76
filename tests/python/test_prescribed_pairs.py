"""Prescribed bodies on their way through one another, as the scene's pairs allow."""

import pytest

import haptos


def test_prescribed_bodies_that_may_pass_do():
    def scene(enabled):
        s = haptos.Scene(dt=0.01)
        for name, x in (("a", 0.0), ("b", 0.05)):
            s.add_prescribed(name, haptos.box((0.02, 0.02, 0.02)), position=(x, 0, 0), group="tools")
        if not enabled:
            s.add_pair("tools", "tools", enabled=False)
        return s.compile(quiet=True)

    for enabled in (True, False):
        sim = scene(enabled)
        sim.set_target("a", [0.1, 0, 0])
        report = sim.step()
        assert report.ok == (not enabled)
        assert sim.pose("a")[0, 0] == pytest.approx(0 if enabled else 0.1)
