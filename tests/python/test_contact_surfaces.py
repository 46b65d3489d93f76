"""Contact records name the surface of a link that touches."""

import numpy as np
import pytest

import haptos

BLOCKS = [((0, 0, 0.01), (0.01, 0.01, 0.01)), ((0.03, 0, 0.01), (0.01, 0.01, 0.01)),
          ((0.06, 0, 0.02), (0.01, 0.01, 0.01))]  # middle and half sides [m]; the last one is higher


def table():
    shapes = [haptos.RobotShape("box", half_extents=half, frame=(*at, 1, 0, 0, 0))
              for at, half in BLOCKS]
    return {"shape": shapes, "mass": 1.0, "fixed": True, "friction": 0.5}


def touched(rows, sim, body):
    """Numbers of the body's surfaces in the records, on whichever side it is."""
    number = sim.body_id(body)
    side = np.where(rows["body_a"] == number, rows["surface_a"], rows["surface_b"])
    return side[(rows["body_a"] == number) | (rows["body_b"] == number)]


@pytest.mark.parametrize(("x", "wanted"), [(0.0, 0), (0.03, 1)])
def test_what_rests_on_a_box_of_a_link_names_that_box(x, wanted):
    scene = haptos.Scene(dt=0.01)
    scene.add_rigid("table", **table())
    scene.add_rigid("ball", haptos.RobotShape("sphere", 5e-3), mass=0.01,
                    position=(x, 0, 0.025), friction=0.5)
    sim = scene.compile()
    sim.run(0.1)
    rows = sim.contacts
    assert len(rows) and set(touched(rows, sim, "table")) == {wanted}
    assert set(touched(rows, sim, "ball")) == {0}


def test_a_soft_body_on_a_box_of_a_link_names_that_box():
    scene = haptos.Scene(dt=0.01)
    scene.contact.support = 5e-4
    scene.add_rigid("table", **table())
    pad = haptos.box_pad(0.012, 0.012, 0.006, 0.0, haptos.PadGrading.uniform(0.004))
    scene.add_soft("gel", pad.mesh, material={"young": 1e5, "poisson": 0.4}, element="linear",
                   position=(0.03, 0, 0.0266), friction=0.5)
    sim = scene.compile()
    sim.run(0.1)
    rows = sim.contacts
    pressed = rows[rows["normal_force"] > 0]
    assert len(pressed) and set(touched(pressed, sim, "table")) == {1}
    assert set(touched(pressed, sim, "gel")) == {0}
