"""scripts/check_links: links of the documentation that lead nowhere."""

import subprocess

import pytest

from conftest import load_script

check_links = load_script("scripts/check_links")


def errors_of(root, text):
    """The errors about a page docs/a.md that holds `text`, beside docs/b.md and haptos/sim/c.cpp."""
    for name, content in (("docs/a.md", text), ("docs/b.md", "# The step\n\n## `x` and y\n"),
                          ("haptos/sim/c.cpp", "")):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return check_links.check_page(root, root / "docs/a.md")[0]


@pytest.mark.parametrize(
    "text",
    [
        "[b](b.md)",
        "[b](b.md#the-step) and [again](./b.md#x-and-y)",
        "[folder](../haptos/sim)",
        "# Here\n\n[up](#here)",
        "[web](https://example.org/missing)",
        "`haptos/sim/c.cpp`, `haptos/sim/`, `haptos/sim/*.md`, `haptos/version.h`",
        "```\n[gone](gone.md)\n```",
        "`[gone](gone.md)`",
    ],
)
def test_a_link_to_what_is_there_is_accepted(tmp_path, text):
    assert errors_of(tmp_path, text) == []


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("[gone](gone.md)", "docs/a.md:1: gone.md does not exist"),
        ("\n![picture](images/gone.png)", "docs/a.md:2: images/gone.png does not exist"),
        ("[b](b.md#nothing)", "docs/a.md:1: b.md#nothing: b.md has no heading #nothing"),
        ("[out](../../x.md)", "docs/a.md:1: ../../x.md leaves the checkout"),
        ("[root](/etc/passwd)",
         "docs/a.md:1: /etc/passwd is an absolute path; write it relative to this page"),
        ("`haptos/sim/gone.cpp`", "docs/a.md:1: `haptos/sim/gone.cpp` does not exist"),
    ],
)
def test_a_link_to_what_is_not_there_is_named_with_its_line(tmp_path, text, sentence):
    assert errors_of(tmp_path, text) == [sentence]


def test_what_git_ignores_is_not_there(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("/scenes/made/\n")
    (tmp_path / "scenes/made").mkdir(parents=True)
    (tmp_path / "scenes/made/a.yaml").write_text("")
    assert errors_of(tmp_path, "`scenes/made` [a](../scenes/made/a.yaml)") == [
        "docs/a.md:1: ../scenes/made/a.yaml does not exist",
        "docs/a.md:1: `scenes/made` does not exist"]
