"""Pages whose snippets are complete: each one runs alone, in an empty folder beside `scenes`, and
leaves the numbers that its page speaks of."""

import re

import numpy as np
import pytest

from conftest import ROOT

import haptos

SNIPPET = re.compile(r"^## (.+?)$|^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What makes a snippet short enough for a test.
SMALLER = {"count=100": "count=2, workers=1", "count=4": "count=2, workers=1"}
NEEDS = {"import torch": ("torch", "needs torch"),
         "record_movie": ("imageio_ffmpeg", "could not import imageio_ffmpeg"),
         "load_mjcf": ("mujoco", "package mujoco is not installed")}


def snippets(page):
    """(heading and number under it, code) of a page, in its order."""
    out, heading, count = [], "", 0
    for match in SNIPPET.finditer((ROOT / "docs" / page).read_text(encoding="utf-8")):
        if match.group(1):
            heading, count = match.group(1), 0
        else:
            count += 1
            out.append((f"{heading} {count}", match.group(2)))
    return out


def run(page, name, folder, monkeypatch):
    """The names that a snippet leaves behind."""
    code = dict(snippets(page))[name]
    for word, (module, reason) in NEEDS.items():
        if word in code:
            pytest.importorskip(module, reason=reason)
    for long, short in SMALLER.items():
        code = code.replace(long, short)
    monkeypatch.chdir(folder)
    (folder / "scenes").symlink_to(ROOT / "scenes")
    names = {}
    exec(compile(code, f"{page}: {name}", "exec"), names)
    return names


def run_all(page, folder, monkeypatch):
    """The names that the snippets of a page leave, each going on from the one before it."""
    monkeypatch.chdir(folder)
    names = {}
    for name, code in snippets(page):
        exec(compile(code, f"{page}: {name}", "exec"), names)
    return names


def gel_is_changed(n):
    assert n["force"][400e3] / n["force"][200e3] == pytest.approx(2.0, rel=0.01)


def own_gel_is_pressed(n):
    assert -0.5 < n["touch"].force[0, 2] < -0.1  # [N], down into the gel


def ball_is_lifted(n):
    assert n["height"] == pytest.approx(0.012 + 0.02, abs=1e-3)
    assert n["grip"][2] < -1.0  # [N]


def film_lasts(n):
    assert n["frames"] == 10  # .6 s at 15 a second, both ends


def envs_differ(n):
    assert n["force"].shape == (64,) and (np.diff(n["force"]) > 0).all()
    # Deeper by each env; of a coarse camera, within a fifth of what was asked.
    deepest = n["depth"].max(axis=(1, 2))
    np.testing.assert_allclose(deepest[-1], 0.4e-3, rtol=0.2)


def some_are_reset(n):
    np.testing.assert_allclose(n["sim"].time, [0, 0.1, 0.1, 0])
    np.testing.assert_allclose(n["sim"].pose("ball")[[0, 3], 2], [0.5, 0.3])


def some_slide(n):
    x = n["sim"].pose("box")[:, 0]
    assert (x < 1e-3).any() and (x > 1e-2).any()


def floor_carries_the_box(n):
    np.testing.assert_allclose(n["total"], [0, 0, 9.81], atol=0.01)


def wrist_holds_the_hand(n):
    # The hand of .4 kg and two fingers of .06 kg, whatever way the wrist is turned.
    assert np.linalg.norm(n["force"]) == pytest.approx(0.52 * 9.81, rel=0.01)


def numbers_are_kept(n):
    with np.load("touch.npz") as file:
        assert file["rgb"].shape == (1, 240, 320, 3) and file["force"].shape == (1, 3)
        assert file["depth"].max() == pytest.approx(0.3e-3, rel=0.1)


def torch_reads_in_place(n):
    assert n["tensor"].data_ptr() == n["depth"].ctypes.data and n["depth"].max() > 1e-4


def state_is_back(n):
    assert n["sim"].time[0] == pytest.approx(0.3)
    assert n["again"].state.hash() == n["held"].hash()


CHECKS = {
    "Change the sensor's gel 1": gel_is_changed,
    "Change the sensor's gel 2": own_gel_is_pressed,
    "Two fingers lift an object 1": ball_is_lifted,
    "Record a run and make a film 2": film_lasts,
    "64 environments side by side 1": envs_differ,
    "Reset some environments 1": some_are_reset,
    "Randomise friction and mass 1": some_slide,
    "Read the forces of a contact 1": floor_carries_the_box,
    "Force sensors at ankle and wrist 1": wrist_holds_the_hand,
    "Numbers to NumPy, a file, PyTorch or JAX 1": numbers_are_kept,
    "Numbers to NumPy, a file, PyTorch or JAX 2": torch_reads_in_place,
    "Save a state and go on from it 1": state_is_back,
}


@pytest.mark.parametrize("name", [n for n, _ in snippets("recipes.md")])
def test_a_recipe_runs(name, tmp_path, monkeypatch):
    names = run("recipes.md", name, tmp_path, monkeypatch)
    CHECKS.get(name, lambda n: None)(names)


def test_there_are_a_dozen_recipes_and_every_check_has_its_own():
    names = {n for n, _ in snippets("recipes.md")}
    assert len({n.rsplit(" ", 1)[0] for n in names}) >= 12
    assert set(CHECKS) <= names


def test_the_page_for_those_who_know_mujoco_runs_and_its_sentences_are_true(tmp_path, monkeypatch):
    pytest.importorskip("mujoco", reason="package mujoco is not installed")
    n = run_all("from_mujoco.md", tmp_path, monkeypatch)
    page = (ROOT / "docs/from_mujoco.md").read_text(encoding="utf-8")
    # Both engines made the same second from the same file.
    np.testing.assert_allclose(n["arm"].position[0], n["d"].qpos[:2], atol=1e-3)
    assert abs(n["mine"][:2, :2] - n["theirs"][:2, :2]).max() < 1e-12
    told = re.findall(r"^```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert told[0].splitlines() == n["odd"]
    text = (tmp_path / "odd.xml").read_text()
    for wrong, sentence in zip(('sizee=".05"', 'size="nan"'), told[1].splitlines(), strict=True):
        (tmp_path / "bad.xml").write_text(text.replace('size=".05"', wrong))
        with pytest.raises(haptos.InputError) as refused:
            haptos.load_mjcf("bad.xml")
        assert str(refused.value) == sentence


def test_the_page_for_those_who_know_tacto_and_taxim_runs(tmp_path, monkeypatch):
    n = run_all("from_tacto_taxim.md", tmp_path, monkeypatch)
    gel, quick = n["gel"], n["quick"]
    assert n["difference"] < 12e-6 and gel["depth"].max() == pytest.approx(0.4e-3, rel=0.05)
    assert gel["force"][2] > 0.3 and "force" not in quick  # [N]
    # What the ball changed in both pictures, where it touches: alike but for the rim, as the page says.
    scene = haptos.Scene(gravity=(0, 0, 0))
    haptos.load_sensor("gelsight-mini", quality="fast").add_to(scene, "flat")
    flat = scene.compile().sensors["flat"].rgb()[0].astype(float)
    under = quick["depth"] > 50e-6
    changes = [(image - flat)[under].ravel() for image in (gel["rgb"], quick["rgb"])]
    assert np.corrcoef(*changes)[0, 1] > 0.75
    assert np.ptp(n["picture"].astype(int) - n["rgb"].background) > 50  # grey values


def test_the_snippet_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    assert names["report"].ok and (tmp_path / "touch.png").stat().st_size > 1000
    assert names["finger"].depth().max() == pytest.approx(0.5e-3, rel=0.1)  # asked for .5 mm
