"""The Pythons of this machine that a wheel can be made for and tested with."""

import os
import pathlib
import shutil
import subprocess

# pyproject.toml asks for 3.10 or newer; the dependencies have wheels for these.
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")

# Whether it is that version, can make environments and, to compile for it, has its headers.
_PROBE = """
import ensurepip, os, sys, sysconfig, venv
assert sys.version_info[:2] == tuple(map(int, sys.argv[1].split("."))), sys.version
assert sys.argv[2] == "run" or os.path.exists(sysconfig.get_path("include") + "/Python.h"), "Python.h"
print(os.path.realpath(sys.executable))
"""


def _candidates(version: str) -> list[str]:
    """Programs that may be Python `version`: on PATH, then those that pyenv has installed."""
    found = [shutil.which(f"python{version}")]
    home = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    found += sorted(map(str, home.glob(f"versions/{version}.*/bin/python{version}")), reverse=True)
    return [path for path in found if path]


def find(version: str, need: str) -> tuple[str, str]:
    """(path, "") of Python `version`, or ("", why there is none). need: "run" or "compile"."""
    why = f"no python{version} on PATH or in pyenv"
    for path in _candidates(version):
        done = subprocess.run([path, "-c", _PROBE, version, need], capture_output=True, text=True,
                              check=False)
        if done.returncode == 0:
            return done.stdout.strip(), ""
        if "ensurepip" in done.stderr or "venv" in done.stderr:
            why = f"{path} cannot make environments"
        elif "Python.h" in done.stderr:
            why = f"{path} has no headers to compile with"
    return "", why
