"""A cube that two panels hold, implicitly and by explicit steps with penalty contact (scenes/particles/held_cube.py)."""

import pytest

from conftest import load_script


@pytest.mark.full
def test_what_is_held_stays_and_under_penalty_contact_it_creeps():
    script = load_script("scenes/particles/held_cube.py")
    for dt in (1e-3, 1e-2):
        found = script.implicit(dt)
        print(f"FIGURE held_cube.implicit.{1e3 * dt:g}ms.sinks = {1e3 * found['sunk']:.4f} mm (at most 0.02)")
        assert found["normal"] == pytest.approx(10, abs=0.02) and found["up"] == pytest.approx(0.5 * 0.4 * 9.81, abs=0.02)
        assert found["sideways"] < 0.01 and found["swing"] < 0.02 and found["sunk"] < 2e-5
    found = script.explicit(4e-5)
    print(f"FIGURE held_cube.explicit.sinks = {1e3 * found['sunk']:.4f} mm (at least 0.1)")
    assert found["normal"] == pytest.approx(10, abs=0.1)  # the same cube, held by the same panels
    assert found["up"] == pytest.approx(0.5 * 0.4 * 9.81, abs=0.05)
    assert found["sunk"] > 1e-4
