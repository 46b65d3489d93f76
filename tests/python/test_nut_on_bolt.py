"""An M20 nut on its bolt in hydroelastic contact, scenes/pressure/nut_on_bolt.py, beside the law of the
screw: with the slope a of the thread and rho = atan(mu / cos 30), a weight turns the nut with
m g r tan(a - rho), and none above mu = .0375.
"""

import numpy as np
import pytest

from conftest import load_script

nut_on_bolt = load_script("scenes/pressure/nut_on_bolt.py")
move, screw_law, PITCH = nut_on_bolt.move, nut_on_bolt.screw_law, nut_on_bolt.PITCH


def test_the_law_of_the_screw_is_that_of_the_handbook():
    # Of a nut of .06357 kg and 1.08226e-5 kg m2: 22.91, 16.79 and 4.58 rad/s2 at 0, .01 and .03.
    rates = np.array([screw_law(mu) for mu in (0, 0.01, 0.03)])
    assert rates / rates[0] == pytest.approx(np.array([22.91, 16.79, 4.58]) / 22.91, rel=2e-3)
    assert rates[0] == pytest.approx(22.91, rel=0.01)
    assert screw_law(0.038) == 0


def test_a_nut_runs_down_its_bolt_or_locks():
    motion = move(0.01, 0.2)
    print(f"FIGURE nut_on_bolt.part_of_law = {-motion.acceleration(0.1) / screw_law(0.01):.4f}")
    assert -motion.acceleration(0.1) == pytest.approx(screw_law(0.01), rel=0.1)
    locked = move(0.06, 0.1)
    assert abs(locked.rate[-1]) < 1e-3 and abs(locked.angle[-1]) < np.radians(0.3)


@pytest.mark.full
@pytest.mark.parametrize("most_samples", [200, 0], ids=["merged", "unmerged"])
def test_the_law_of_the_screw_over_friction(most_samples):
    for mu, bound in ((0.0, 0.03), (0.005, 0.05), (0.01, 0.1), (0.02, 0.1)):
        motion = move(mu, 0.6, most_samples=most_samples)
        gained, pitch = -motion.acceleration(0.1), motion.pitch(0.1)
        print(f"FIGURE nut_on_bolt.{most_samples}.{mu:g} = {gained:.2f} of {screw_law(mu):.2f} rad/s2, "
              f"pitch {1e3 * pitch:.4f} mm", flush=True)
        assert gained == pytest.approx(screw_law(mu), rel=bound if most_samples else 0.1)
        assert pitch == pytest.approx(PITCH, rel=0.01)


@pytest.mark.full
@pytest.mark.parametrize("most_samples", [200, 0], ids=["merged", "unmerged"])
def test_a_nut_that_locks_stays(most_samples):
    motion = move(0.06, 1.0, most_samples=most_samples)
    turned = np.degrees(np.abs(motion.angle))
    print(f"FIGURE nut_on_bolt.locked.{most_samples} = {turned[-1]:.3f} degrees, of them "
          f"{turned[-1] - turned[24]:.4f} after .1 s", flush=True)
    assert turned.max() < 1 and turned[-1] - turned[24] < 0.02


@pytest.mark.full
def test_a_spanner_turns_it_up():
    motion = move(0.1, 2.0, spanner=np.pi)
    print(f"FIGURE nut_on_bolt.spanner = {motion.angle[-1]:.3f} rad, pitch "
          f"{1e3 * motion.pitch(0.1):.4f} mm", flush=True)
    assert motion.angle[-1] == pytest.approx(2 * np.pi, rel=0.02)
    assert motion.pitch(0.1) == pytest.approx(PITCH, rel=0.01)
