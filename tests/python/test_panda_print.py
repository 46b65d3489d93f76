"""A Panda that squeezes dough (scenes/particles/panda_print.py); its file is none of ours."""

import numpy as np

from conftest import load_script, outside_file


def test_a_panda_leaves_its_print_in_dough():
    path = outside_file("robots/panda_description/urdf/panda.urdf")
    script = load_script("scenes/particles/panda_print.py")
    run = script.Print(path)
    dough, most = run.sim.material_points["dough"], 0.0
    mass, count = dough.mass, len(dough)
    for _ in range(round(script.OPENED / run.sim.dt)):
        run.step()
        most = max(most, run.squeeze())
    pressed = run.thickness()
    for _ in range(round((script.UP - script.OPENED) / run.sim.dt)):
        run.step()
    left = run.thickness()
    assert most > 2 and run.squeeze() == 0
    assert pressed < run.width - 4e-3 and left < run.width - 3e-3  # a print, most of which stays
    assert dough.flow[0].max() > 0.1 and dough.mass == mass and len(dough) == count
    assert np.abs(dough.position[0].mean(0)[:2] - script.AT).max() < 2e-3  # and it is where it was
