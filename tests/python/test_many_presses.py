"""Presses side by side, scenes/presses/many.py."""

import numpy as np
import pytest

from conftest import load_script

many = load_script("scenes/presses/many.py")


def presses(shape, depth, softer):
    shape, depth, softer = np.broadcast_arrays(shape, depth, softer)
    return many.Presses(np.array(shape), np.array(depth), np.array(softer, float))


def test_each_environment_presses_what_it_is_told():
    sim = many.scene().compile(4, quiet=True)
    ball, torus = many.SHAPES.index("sphere"), many.SHAPES.index("torus")
    # Twice as deep, twice as stiff, and another shape.
    what = presses([ball, ball, ball, torus], [1e-4, 2e-4, 2e-4, 2e-4], [1, 1, 2, 1])
    force, depth, good, _ = many.run(sim, what)
    assert good.all() and force[1] > 2 * force[0] > 0
    # In statics forces are proportional to the modulus, but for how near to the gel a shape comes.
    assert force[2] / force[1] == pytest.approx(2, rel=0.03)
    # Elements of 2 mm: under a ball the image is up to a quarter deeper than asked (docs/sensors/models.md).
    assert 2e-4 < depth[1].max() < 2.8e-4 and depth[1].max() > 1.4 * depth[0].max()
    assert np.abs(depth[1] - depth[3]).max() > 1e-4
    # A new start leaves no trace, whatever was pressed before; and each is what it would be alone.
    alone = many.scene().compile(1, quiet=True)
    many.run(alone, presses([ball], [3e-4], [0.5]))
    single, image, _, _ = many.run(alone, presses([torus], [2e-4], [1]))
    assert single[0] == force[3] and np.array_equal(image[0], depth[3])


def test_presses_go_round_shapes_depths_and_moduli():
    every = many.Presses.numbered(np.arange(4096))
    assert len(set(zip(every.shape.tolist(), every.depth.tolist(), every.softer.tolist()))) == 4096
    few = many.Presses.numbered([0, 17, 300])
    assert few.shape.tolist() == [0, 1, 12] and few.depth[1] == many.DEPTHS[1] and few.softer[2] == many.SOFTER[1]
