"""A hand that lifts a bottle and feels it, scenes/pressure/hand_with_bottle.py."""

import numpy as np
import pytest

from conftest import load_script

hand_with_bottle = load_script("scenes/pressure/hand_with_bottle.py")


def test_a_hand_lifts_a_bottle_and_feels_its_weight(tmp_path):
    grasped = []
    sim = hand_with_bottle.hold(
        tmp_path, seconds=2.1,
        each=lambda sim, step: grasped.append(sim.robots["bottle"].link_pose("bottle")[0]) if step == 400 else None)
    hand, pose = sim.robots["hand"], sim.robots["bottle"].link_pose("bottle")[0]
    rises = hand.position[0, 0]
    assert rises == pytest.approx(hand_with_bottle.LIFT, abs=2e-3)
    assert pose[:3] - grasped[0][:3] == pytest.approx([0, 0, rises], abs=1e-3)  # it does not slip
    assert np.abs(sim.robots["bottle"].link_velocity("bottle")).max() < 1e-3
    total, pressed, weight = np.zeros(3), set(), 9.81 * hand_with_bottle.MASS
    contacts = sim.contacts
    for name, sensor in hand.sensors.items():
        feel = sensor.taxels()
        force = hand_with_bottle.rotation(hand.link_pose(name)[0, 3:]) @ feel.force[0].sum(0)
        borne = contacts[contacts["body_a"] == sim.body_id(f"hand/{name}")]["force"].sum(0)
        assert np.linalg.norm(force - borne) <= 0.1 * np.linalg.norm(borne)  # some are pressed on six taxels only
        total += force
        if feel.pressure.max() > 1e4:
            pressed.add(name)
    assert {"palm"} | {f"{finger}_2" for finger in hand_with_bottle.FINGERS} <= pressed
    assert total == pytest.approx([0, 0, -weight], abs=0.1 * weight)  # of 18 N that press; none on the palm's ends
    hand_with_bottle.draw(sim, tmp_path / "hand.png")
    assert (tmp_path / "hand.png").stat().st_size > 30_000
