"""Forces of a gel as a linear layer beside those of a gel of small elements, on fifteen test shapes."""

import pytest

from haptos.press.press import prepare

# Elements of the gel [m]. What has long edges needs small ones: bars push back with 22.6 N at .35 mm and
# with 21.6 N at .25 mm.
ELEMENTS = {"cone": 2.5e-4, "cross_lines": 2.5e-4, "curved_surface": 3.5e-4, "cylinder": 3e-4,
            "cylinder_shell": 3e-4, "cylinder_side": 3.5e-4, "dot_in": 3e-4, "flat_slab": 3.5e-4,
            "hexagon": 3e-4, "line": 3e-4, "parallel_lines": 2.5e-4, "prism": 3e-4, "sphere": 2.5e-4,
            "sphere2": 2.5e-4, "triangle": 2.5e-4}


def force(shape: str, **gel: object) -> float:
    press = prepare(shape, sensor="gelsight-mini", depth=5e-4, **gel)
    while not press.done:
        step = press.step()
        assert step.report.ok
    return float(step.object_force[2])


@pytest.mark.full
@pytest.mark.parametrize("shape", ELEMENTS)
def test_force_is_that_of_a_gel_of_small_elements(shape):
    gel, layer = force(shape, elements=ELEMENTS[shape]), force(shape, model="hydroelastic")
    print(f"FIGURE touch_refined.{shape} = {100 * (layer / gel - 1):+.1f} % of {gel:.3f} N (at most 10)")
    assert abs(layer / gel - 1) < 0.1
