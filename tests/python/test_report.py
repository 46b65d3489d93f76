"""What a report keeps of a run, and the parts of its page."""

from html.parser import HTMLParser

import numpy as np
import pytest

import haptos
from conftest import ROOT, small_scene
from haptos.look.html_page import columns, line_plot, page, table, write_text
from haptos.record.history import History
from haptos.record.report import Outcome, run_report


def finished(scene, steps, **options):
    """(Sim, History) after some steps."""
    sim = scene.compile()
    history = History(sim, **options)
    for _ in range(steps):
        history.add(sim.step())
    history.finish()
    return sim, history


@pytest.fixture(scope="module")
def pressed_history():
    return finished(small_scene(), 4)


def ball_scene():
    scene = haptos.Scene(dt=1e-3)
    scene.add_sphere("ball", 0.01, 0.1, position=(0, 0, 0.0099), velocity=(0.5, 0, 0))
    scene.add_half_space("ground")
    return scene


def test_every_step_has_a_row_and_forces(pressed_history):
    sim, h = pressed_history
    assert [r.step for r in h.rows] == [r.step for r in h.measured] == [1, 2, 3, 4]
    assert h.bodies == [("mount", "prescribed"), ("ball", "prescribed"), ("gel", "soft")]
    last = h.measured[-1].forces
    np.testing.assert_array_equal(last[1], sim.reaction("ball").force[0])
    np.testing.assert_array_equal(last[2], sim.contact_wrench("gel").force[0])
    assert h.iterations == sum(r.iterations for r in h.rows) and h.most_iterations >= 2
    assert h.smallest_gap == min(r.gap for r in h.rows) > 0


def test_forces_and_inertia_of_a_press_balance(pressed_history):
    _, h = pressed_history
    assert h.can_balance
    assert 0 < h.worst_imbalance < 1e-4


def test_a_ball_balances_while_it_is_parted_and_while_it_rests():
    sim, h = finished(ball_scene(), 1)
    force = sim.contact_wrench("ball").force[0]
    # It starts .1 mm deep: its weight, and what parts it within a step and the relaxation time.
    assert force[2] == pytest.approx(0.981 + 0.1 * 1e-4 / (1e-3 + 0.01) / 1e-3, rel=5e-3)
    assert force[0] < -0.1
    np.testing.assert_allclose(sim.contact_wrench("ground").force[0], -force, rtol=1e-12)
    assert h.worst_imbalance < 1e-9
    sim, h = finished(ball_scene(), 100)
    assert sim.contact_wrench("ball").force[0, 2] == pytest.approx(0.981, rel=1e-3)
    assert h.worst_imbalance < 1e-3  # Newton's tolerance


def test_a_gel_block_balances_while_it_falls_and_where_it_rests():
    block = haptos.load_scene(ROOT / "scenes" / "block_at_rest.yaml")
    sim, h = finished(block, 10)
    assert h.worst_imbalance < 1e-4
    assert sim.contact_wrench("ground").force[0, 2] == pytest.approx(-0.03924, rel=1e-3)
    falling = haptos.load_scene(ROOT / "scenes" / "block_at_rest.yaml")
    falling.sim.dt, falling.contact.support = 1e-4, 1e-6
    sim, h = finished(falling, 1)
    assert not sim.contact_wrench("ground").force.any() and h.worst_imbalance < 1e-3


def test_held_vertices_leave_no_balance_to_speak_of():
    scene = small_scene()
    pad = haptos.box_pad(4e-3, 4e-3, 2e-3, grading=haptos.PadGrading.uniform(2e-3))
    scene.add_soft("held", pad.mesh, position=(0.1, 0, 0), held=[(pad.base_vertices, "xyz")])
    assert not History(scene.compile()).can_balance


def test_a_long_run_is_thinned_and_its_totals_are_of_all_steps():
    _, whole = finished(ball_scene(), 103)
    _, thin = finished(ball_scene(), 103, most=16)
    assert len(thin.rows) == len(thin.measured) <= 17
    assert thin.rows[0].step == 1 and thin.rows[-1].step == 103
    steps = np.diff([r.step for r in thin.rows[:-1]])
    assert (steps == steps[0]).all() and steps[0] == 8
    for name in ("steps", "iterations", "most_iterations", "smallest_gap", "bad_steps"):
        assert getattr(thin, name) == getattr(whole, name), name
    assert [r.step for r in whole.shown_rows(5)] == [1, 27, 52, 77, 103]


def test_steps_with_a_status_are_counted_and_shown():
    scene = small_scene()
    scene.newton.max_iterations = 1
    _, h = finished(scene, 4)
    assert h.bad_steps == len(h.bad) >= 2 and h.status != 0
    assert {r.step for r in h.bad} <= {r.step for r in h.shown_rows(2)}


class Checker(HTMLParser):
    """Finds tags that are not closed, and addresses outside the file."""

    EMPTY = {"meta", "img"}

    def __init__(self):
        super().__init__()
        self.open, self.outside, self.tags = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)  # <line/> is closed by handle_endtag at once
        self.outside += [v for k, v in attrs if k in ("src", "href") and "data:" not in v]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def checked(text):
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == [] and checker.outside == []
    return checker.tags


def test_the_page_is_closed_complete_and_holds_all_it_needs(pressed_history, tmp_path):
    sim, h = pressed_history
    for name in ("above", "depth"):
        haptos.save_png(tmp_path / f"{name}.png", np.zeros((4, 4, 3), np.uint8))
    outcome = Outcome(tmp_path, ["above"], h, 4, "Finished.", "haptos run <x> & y", {"Steps": 1.5})
    text = run_report(sim, outcome, "a<b>.yaml")
    tags = checked(text)
    assert tags.count("img") == 1  # depth.png is of another run
    assert tags.count("svg") == 3  # mount, ball, gel
    assert "Run: a&lt;b&gt;.yaml" in text and "haptos run &lt;x&gt; &amp; y" in text


def test_a_run_without_a_step_has_a_report(tmp_path):
    sim = ball_scene().compile()
    outcome = Outcome(tmp_path, [], History(sim), 9, "Stopped by a signal.", "haptos run", {})
    assert "No step was finished." in run_report(sim, outcome, "x.yaml")


def test_a_scene_text_that_is_very_long_is_cut(tmp_path):
    sim, h = finished(ball_scene(), 1)
    sim.scene_text = "# </pre>\n" * 100_000
    text = run_report(sim, Outcome(tmp_path, [], h, 1, "", "", {}), "x.yaml")
    assert len(text) < 500_000 and "characters more" in text
    checked(text)


def test_plots_skip_what_is_not_finite_and_escape_names():
    text = line_plot([0, 1, 2], {"<x>": [0, float("nan"), 2], "y": [0, 0, 0]}, "time", "a & b")
    checked(text)
    assert "nan" not in text and text.count("<circle") == 5 and "&lt;x&gt;" in text
    assert "a &amp; b" in text
    checked(line_plot([0.0], {"y": [0.0]}, "x", "y"))


def test_tables_escape_what_they_show():
    checked(table([("<a>", "<b>")]) + columns(["<h>"], [["<c>"]], [True]))
    text = page("<t>", "<e>", cells=["<p>x</p>", ""], warnings=["<w>"], command="<c>", foot="<f>")
    checked(text)
    assert text.count("&lt;") == 6 and text.count("<p>x</p>") == 1  # the title stands twice


def test_a_text_is_written_whole_or_not_at_all(tmp_path):
    write_text(tmp_path / "a.html", "old")
    with pytest.raises(TypeError):
        write_text(tmp_path / "a.html", None)
    assert (tmp_path / "a.html").read_text() == "old"
    write_text(tmp_path / "a.html", "bad byte \udcff")
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]
    assert (tmp_path / "a.html").read_text() == "bad byte ?"


def test_sim_and_scene_tell_their_warnings():
    scene = ball_scene()
    assert scene.warnings == []
    scene.add_sphere("moon", 2e4, 1.0, position=(0, 0, 3e4))
    assert len(scene.warnings) == 1 and '"moon" is 40000 m' in scene.warnings[0]
    assert scene.compile().warnings == scene.warnings
