"""Uses the extras of an installed Haptos, one small thing of each: scripts/test_wheel runs it.

  python -I wheel_uses.py EXTRA...    in an environment that has them, and in an empty folder
"""

import sys
from pathlib import Path

import numpy as np

import haptos


def mujoco():
    Path("arm.xml").write_text(
        '<mujoco><worldbody><body name="arm"><joint name="turn" axis="0 0 1"/>'
        '<geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02"/></body></worldbody></mujoco>')
    model = haptos.load_mjcf("arm.xml")
    assert [j.name for j in model.robot.joints] == ["turn"], model.robot.joints


def view():
    frames = [np.full((64, 64, 3), 20 * k, np.uint8) for k in range(10)]
    haptos.save_movie("grey.mp4", frames)
    assert Path("grey.mp4").stat().st_size > 500
    assert haptos.Viewer.__module__ == "haptos.view.viewer"


def calibrate():
    from haptos.calibration import calibration

    assert callable(calibration.calibrate)


def learn():
    from haptos.tasks.push_puck import PushPuck

    env = PushPuck(2)
    env.reset(seed=1)
    seen, reward, _, _, _ = env.step(env.action_space.sample())
    assert np.isfinite(reward).all() and reward.shape == (2,), reward


def notebook():
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat

    cell = nbformat.v4.new_code_cell("import haptos; print(len(haptos.icosphere(1, 1).triangles))")
    book = nbformat.v4.new_notebook(cells=[cell])
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    assert int(cell.outputs[0].text) > 10, cell.outputs


USES = {f.__name__: f for f in (mujoco, view, calibrate, learn, notebook)}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        # An extra that pyproject.toml adds needs a use here.
        USES[name]()
        print(f"  {name}: works")
