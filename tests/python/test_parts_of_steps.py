"""A step that is taken in parts is one step, for what it leaves in the state too."""

import haptos


def pressed():
    """A ball goes down into a gel, in steps that do not settle in a single iteration."""
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    pad = haptos.box_pad(0.02, 0.02, 0.004, grading=haptos.PadGrading.uniform(0.002))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, glue={"mount": pad.base_vertices}, element="linear", friction=0.5,
                   material={"young": 1e5, "poisson": 0.4})
    scene.add_prescribed("ball", haptos.icosphere(4e-3, 1e-3), friction=0.5, trajectory=[(0, (0, 0, 4.05e-3)), (0.4, (0, 0, 3.5e-3))])
    scene.newton.max_iterations = 1
    return scene.compile(quiet=True)


def test_its_state_is_taken_back(tmp_path):
    sim = pressed()
    parts = []
    for k in range(8):
        parts.append(int(sim.step().parts[0]))
        assert sim.step_count[0] == k + 1
        sim.state = sim.state  # refused where a contact began in a step that is yet to come
    assert max(parts) > 1 and len(sim.contacts) > 10
    sim.save(tmp_path / "state")
    other = pressed()
    other.load(tmp_path / "state")
    sim.step(), other.step()
    assert (sim.positions("gel") == other.positions("gel")).all()
