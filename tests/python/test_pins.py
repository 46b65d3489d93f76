"""What is installed from PyPI is pinned with hashes and named in NOTICE."""

import re

import pytest

from conftest import ROOT

WANTED = sorted(p.name for p in (ROOT / "scripts").glob("requirements*.txt"))
PIN = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)")


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def entries(name):
    """Blocks of a lock file: a pin and its hashes."""
    text = (ROOT / "scripts" / name).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.parametrize("name", WANTED)
def test_every_package_of_a_lock_has_hashes_and_every_pin_is_in_it(name):
    locked = entries(name.replace(".txt", ".lock"))
    assert len(locked) >= len(entries(name))
    pins = set()
    for line in locked:
        found = PIN.match(line)
        assert found and "--hash=sha256:" in line, line[:80]
        pins.add((plain(found[1]), found[2]))
    for line in entries(name):
        found = PIN.match(line)
        assert found, f"{line} is not pinned"
        assert (plain(found[1]), found[2]) in pins, f"{line}: run scripts/pin"


def test_setup_installs_by_hash_only():
    for script in ("setup", "docs"):
        text = (ROOT / "scripts" / script).read_text()
        assert "--require-hashes" in text and "-r scripts/requirements" in text
        assert not re.search(r"-r scripts/requirements\w*\.txt", text)


def test_notice_names_every_package_that_the_python_package_asks_for():
    project = (ROOT / "pyproject.toml").read_text()
    asked = re.findall(r'"([A-Za-z0-9-]+)[><=]', project.split("[project.scripts]")[0])
    assert len(asked) > 10
    notice = plain((ROOT / "NOTICE").read_text())
    for name in {*asked, "nanobind", "hdf5", "openblas", "ffmpeg", "pugixml", "yaml-cpp", "eigen"}:
        assert plain(name) in notice, name
