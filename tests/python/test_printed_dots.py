"""Dots of markers in the colours of a sensor: they are where the markers are, and darken nothing else."""

import numpy as np
import pytest
from conftest import small_pad

import haptos

PITCH, RADIUS, INK = 7e-5, 3e-4, 0.2
LIGHTS = ("model: lights\nambient: [120, 110, 100]\nlights:\n"
          "  - {position: [16 mm, 0 mm, -6 mm], colour: [60, 20, 20]}\n")


def dragged(folder, **grid):
    """The small pad under a ball that was pressed in and dragged, seen by a camera without dots and by
    one with them."""
    pad = small_pad()
    scene = haptos.Scene(dt=0.05, gravity=(0, 0, 0))
    scene.add_prescribed("mount")
    scene.add_soft("gel", pad.mesh, material=haptos.Material(young=1e5, poisson=0.45),
                   glue={"mount": pad.base_vertices}, coat=pad.coat, friction=0.8)
    scene.add_prescribed("ball", haptos.icosphere(4e-3, 0.5e-3), friction=0.8,
                         trajectory=[(0, (0, 0, 4.03e-3)), (0.2, (0, 0, 3.6e-3)),
                                     (0.4, (4e-4, 2e-4, 3.6e-3))])
    (folder / "lights.yaml").write_text(LIGHTS)
    for name, radius in (("plain", 0.0), ("dots", RADIUS)):
        scene.add_sensor(name, "gel", camera=haptos.TactileCamera.orthographic(130, 100, PITCH),
                         markers=haptos.MarkerGrid(4, 5, 1.6e-3, 1.5e-3, radius=radius, ink=INK, **grid),
                         rgb=folder / "lights.yaml")
    return scene.compile(quiet=True)


def inked(sim):
    """The part of each pixel that ink covers, from what it takes of the light."""
    plain, dots = (sim.sensors[n].rgb()[0].astype(float) for n in ("plain", "dots"))
    return (1 - dots / plain).mean(axis=2) / (1 - INK)


def test_dots_are_where_the_markers_are_and_move_with_the_coat(tmp_path):
    sim = dragged(tmp_path)
    before = sim.sensors["dots"].markers().pixel[0]
    moved = 0.0
    # Where the coat is bent, the middle of what a disc becomes is not where its middle went.
    for what, beside, stretched in (("rest", 0.02, 0.01), ("dragged", 0.4, 0.15)):
        worst = 0.0
        seen = sim.sensors["dots"].markers()
        cover = inked(sim)
        rows, columns = np.mgrid[:100, :130]
        for column, row in seen.pixel[0]:
            near = np.hypot(columns - column, rows - row) < 1.8 * RADIUS / PITCH
            ink = np.where(near, cover, 0.0)
            middle = np.array([(ink * columns).sum(), (ink * rows).sum()]) / ink.sum()
            worst = max(worst, np.abs(middle - (column, row)).max())
            assert ink.sum() * PITCH**2 == pytest.approx(np.pi * RADIUS**2, rel=stretched)
        moved = np.abs(seen.pixel[0] - before).max()
        print(f"FIGURE printed_dots.{what} = {worst:.3f} pixel beside markers moved by {moved:.2f}")
        assert worst < beside
        sim.run(0.4)
    assert moved > 3


def test_nothing_else_changes(tmp_path):
    sim = dragged(tmp_path)
    sim.run(0.4)
    plain, dots = sim.sensors["plain"], sim.sensors["dots"]
    assert np.array_equal(plain.depth(), dots.depth())
    seen = dots.markers().pixel[0]
    rows, columns = np.mgrid[:100, :130]
    away = np.min([np.hypot(columns - c, rows - r) for c, r in seen], axis=0) > 1.6 * RADIUS / PITCH
    assert away.sum() > 5000
    assert np.array_equal(plain.rgb()[0][away], dots.rgb()[0][away])


def test_a_sensor_file_prints_dots_and_a_wrong_one_is_refused(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\npad: {kind: box, width: 12 mm, depth: 12 mm, thickness: 3 mm}\n"
                    "material: {young: 200 kPa, poisson: 0.45}\n"
                    "camera: {kind: orthographic, width: 80, height: 60, pitch: 100 um}\n"
                    "markers: {rows: 3, columns: 4, pitch: 1.5 mm, radius: 0.3 mm, ink: 0.1}\n")
    made = haptos.load_sensor(file).markers
    assert (made.radius, made.ink, made.cols) == (3e-4, 0.1, 4)
    file.write_text(file.read_text().replace("ink: 0.1", "ink: 3"))
    with pytest.raises(haptos.InputError, match="mine.yaml:5.*ink.*from 0 to 1"):
        haptos.load_sensor(file)
    assert haptos.load_sensor("gelsight-mini").markers.radius == 0  # off unless asked for
    for grid, said in ((haptos.MarkerGrid(3, 3, radius=-1e-4), "markers.radius"),
                       (haptos.MarkerGrid(3, 3, ink=2.0), "markers.ink")):
        pad = small_pad()
        scene = haptos.Scene()
        scene.add_soft("gel", pad.mesh, coat=pad.coat)
        scene.add_sensor("camera", "gel", markers=grid,
                         camera=haptos.TactileCamera.orthographic(20, 20, 1e-4))
        with pytest.raises(haptos.InputError, match=said):
            scene.compile(quiet=True)
    with pytest.raises(haptos.InputError, match="MarkerGrid radius"):
        haptos.MarkerGrid(radius="3 kg")
