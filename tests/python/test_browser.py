"""The page in a real browser: it loads, its slider moves the gel and the images."""

import threading
import time

import numpy as np
import pytest
from PIL import Image

import haptos
from browser import Page, beside, find_browser
from conftest import ROOT, small_scene

pytest.importorskip("viser")
pytestmark = pytest.mark.full

REFERENCE = ROOT / "tests" / "python" / "data" / "view_of_a_press.png"
SIZE = (1280, 720)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.h5"
    sim = small_scene(depth=0.6e-3).compile()
    with haptos.Recorder(path, sim) as recorder:
        sim.run(0.2, each=recorder.record)
    with haptos.Recording(path) as opened:
        yield opened


def serve(viewer):
    thread = threading.Thread(target=viewer.run, daemon=True)
    thread.start()
    return thread


def small(image):
    """A picture of a quarter of the size, each way, as numbers from 0 to 1."""
    image = Image.fromarray(image)
    return np.asarray(image.resize((image.width // 4, image.height // 4), Image.Resampling.BOX),
                      float) / 255


# The region between the two panels, where the gel is.
GEL = (slice(100, 720), slice(580, 940))


def test_the_slider_moves_the_gel_and_the_images(recording, tmp_path):
    find_browser()
    with haptos.Viewer(recording, port=18300) as viewer, Page(tmp_path / "b", *SIZE) as page:
        serve(viewer)
        page.open(viewer.url)
        source = 'document.querySelector("img[src^=\\"blob:\\"]")?.src'
        image = page.until(source)
        slider = beside("frame", "[role=slider]")
        page.until("!!" + slider)
        page.until('!!document.querySelector("canvas")')
        # The notice about drawing without a graphics card covers the gel.
        page.ask('document.querySelectorAll(".mantine-Notification-closeButton")'
                 '.forEach(b => b.click())')
        page.settled()
        assert page.ask(slider + ".ariaValueNow") == "4"  # it opens on the last frame
        page.ask(slider + ".focus()")
        page.key("Home", 36)
        page.until(f"{source} != '{image}'")
        first, image = page.settled(), page.ask(source)
        page.key("End", 35)
        page.until(f"{source} != '{image}'")
        last = page.settled()
        for name, picture in (("first", first), ("last", last)):
            Image.fromarray(picture).save(tmp_path / f"{name}.png")
        assert viewer.frame == len(recording) - 1
        assert page.ask(slider + ".ariaValueNow") == "4"
        # The panel of images and the gel have changed, each by itself.
        panel = np.abs(last[:, :560].astype(int) - first[:, :560]).max(axis=2)
        gel = np.abs(last[GEL].astype(int) - first[GEL]).max(axis=2)
        assert (panel > 60).sum() > 1000 and (gel > 60).sum() > 500
        # Green is where there is pressure, and nowhere before.
        def green(p):
            r, g, b = np.moveaxis(p[GEL].astype(int), 2, 0)
            return int(((g - b > 5) & (g > r + 10)).sum())

        assert green(first) < 50 and green(last) > 500
        page.key("Home", 36)
        page.until(slider + ".ariaValueNow == '0'")
        # The number of the slider is there before the gel is, on a machine that is busy much before.
        end = time.monotonic() + 120
        while True:
            back = page.settled()
            differs = (np.abs(back[GEL].astype(int) - first[GEL]).max(axis=2) > 30).mean()
            if differs < 0.01 or time.monotonic() > end:
                break
        assert differs < 0.01
        compare(last, first, tmp_path)
        # Nothing comes from another machine, and nothing went wrong.
        outside = [r for r in page.requests if not r.startswith(
            ("blob:", "data:", viewer.url.rstrip("/"),
             viewer.url.replace("http", "ws").rstrip("/")))
            and "favicon" not in r]
        assert not outside and not page.errors


def compare(image, other, folder):
    """Against a quarter of the picture that was looked at; machines draw text and edges a little
    differently, so the measure is that another frame is much farther from it."""
    if not REFERENCE.exists():
        Image.fromarray(image).save(folder / "view.png")
        pytest.fail(f"no picture to compare with; look at {folder / 'view.png'} and keep it")
    with Image.open(REFERENCE) as kept:
        looked_at = np.asarray(kept.convert("RGB"), float) / 255
    assert small(image).shape == looked_at.shape
    gel = tuple(slice(s.start // 4, s.stop // 4) for s in GEL)
    panel = (slice(20, 120), slice(0, 140))
    for region, most in ((gel, 0.02), (panel, 0.03)):
        away = np.abs(small(image) - looked_at)[region].mean()
        assert away < most and away < 0.4 * np.abs(small(other) - looked_at)[region].mean()


def test_a_scene_runs_and_its_object_follows_a_slider(tmp_path):
    find_browser()
    sim = small_scene().compile()
    with haptos.Viewer(sim, port=18330) as viewer, Page(tmp_path / "b", *SIZE) as page:
        serve(viewer)
        page.open(viewer.url)
        page.until("!!" + beside("twist [deg]", "[role=slider]"))
        page.ask(beside("play", "input[type=checkbox]") + ".click()")
        page.until("parseFloat(" + beside("time", "input") + ".value) > 0.1")
        page.ask(beside("depth [mm]", "[role=slider]") + ".focus()")
        for _ in range(4):
            page.key("ArrowRight", 39)
        mover = viewer._movers["ball"].mover
        for _ in range(300):
            if mover.goal is not None and not mover.is_on_its_way:
                break
            page.ask("new Promise(r => setTimeout(r, 100))")
        depth = mover.offsets()["depth"]
        assert depth > 0 and sim.step_count[0] > 2
        assert sim.pose("ball")[0, 2] == pytest.approx(4.03e-3 - 1e-3 * depth, abs=1e-6)
        assert viewer._moments[-1].forces["ball"][2] >= 0
