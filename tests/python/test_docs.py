"""The documentation site: everything has its place, and links to sources become text."""

import re
import types

import numpy as np
import pytest
from PIL import Image

from conftest import ROOT, load_script

import haptos

DOCS = ROOT / "docs"


def test_every_name_of_the_package_is_in_the_reference_once():
    named = [n for page in sorted((DOCS / "reference").glob("*.md"))
             for n in re.findall(r"^::: haptos\.(\w+)$", page.read_text(), re.MULTILINE)]
    assert sorted(named) == sorted(set(haptos.__all__) - {"__version__"})


def test_every_page_is_in_the_menu():
    menu = (ROOT / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    entries = set(re.findall(r"([\w/.-]+\.md)", menu)) - {"changelog.md", "contributing.md"}
    pages = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")}
    assert pages == entries


def test_the_gallery_shows_pictures_that_are_there_with_their_commands():
    page = (DOCS / "gallery/index.md").read_text()
    pictures = re.findall(r"!\[[^\]]+\]\((\S+\.jpg)\)", page)
    assert len(pictures) >= 8 and len(set(pictures)) == len(pictures)
    for name in pictures:
        assert 0 < (DOCS / "gallery" / name).stat().st_size < 300_000
    assert {p.name for p in (DOCS / "gallery").glob("*.jpg")} == set(pictures)
    assert page.count("```\n") == 2 * len(pictures)


def test_the_first_page_and_the_readme_open_with_a_film_and_three_commands():
    for page in (DOCS / "index.md", ROOT / "README.md"):
        text = page.read_text(encoding="utf-8")
        film = re.search(r"!\[[^\]]+\]\((\S+\.gif)\)", text)
        commands = [line for line in text.splitlines() if re.match(r"    (make|\.venv/bin/haptos) ", line)]
        assert len(commands) >= 3
        lists = [i for i in (text.find("\n- "), text.find("\n| ")) if i >= 0]
        assert text.index(commands[0]) > film.start()
        if page.name == "index.md":
            assert text.index(commands[2]) < min(lists)
        path = page.parent / film.group(1)
        assert path.stat().st_size < 1_000_000
        with Image.open(path) as picture:
            frames = [np.asarray(picture.convert("RGB")) for _ in seek_all(picture)]
        assert len(frames) >= 20
        assert np.abs(frames[0].astype(int) - frames[-1]).max() > 50  # something moved
    assert "docs/images/pinch.gif" in (DOCS / "gallery/index.md").read_text()


def seek_all(picture):
    """Goes from frame to frame of a film."""
    for k in range(picture.n_frames):
        picture.seek(k)
        yield k


def test_the_fifteen_lines_of_the_start_are_the_example():
    example = (ROOT / "examples/python/tactile_image.py").read_text()
    code = example[example.index("import haptos"):].strip()
    assert code in (DOCS / "start.md").read_text()


@pytest.mark.parametrize(("page", "text", "becomes"), [
    ("index.md", "[a](../CHANGELOG.md)", "[a](changelog.md)"),
    ("sensors/rgb.md", "[a](../index.md#x)", "[a](../index.md#x)"),
    ("robots.md", "[robot.h](../haptos/scene/robot/robot.h)", "robot.h (`haptos/scene/robot/robot.h`)"),
    ("robots.md", "[`robot.h`](../haptos/scene/robot/robot.h)", "`robot.h`"),
    ("changelog.md", "[a](docs/cli.md)", "[a](cli.md)"),
    ("index.md", "[a](https://x.org/y.md)", "[a](https://x.org/y.md)"),
    ("index.md", "```\n[a](../CHANGELOG.md)\n```", "```\n[a](../CHANGELOG.md)\n```"),
])
def test_links_that_leave_the_site_are_turned(page, text, becomes):
    pytest.importorskip("mkdocs", reason="needs the tools of scripts/docs")
    hooks = load_script("scripts/docs_hooks.py")
    files = types.SimpleNamespace(get_file_from_path=lambda uri: None)
    where = types.SimpleNamespace(file=types.SimpleNamespace(src_uri=page))
    assert hooks.on_page_markdown(text, where, {}, files) == becomes
