#!/usr/bin/env python3
"""JAX and PyTorch read arrays of Haptos where they are: installs the CPU wheels beside the
environment, in a folder of their own, and runs the tests that the fast tier leaves out without them.

A package whose wheel cannot be had is left out, and said; with none of both the piece cannot run.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIP = 77  # what scripts/test_full takes for "cannot run here"
PACKAGES = {"jax": ["jax==0.10.2"],
            "torch": ["torch==2.9.1", "--index-url", "https://download.pytorch.org/whl/cpu"]}
TESTS = ["tests/python/test_arrays.py", "tests/python/test_learn.py", "tests/python/test_cameras.py"]


def run(package: str, folder: str) -> "int | None":
    """What pytest answers; None where the package cannot be installed."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", folder, *PACKAGES[package]]
    if subprocess.run(pip, check=False).returncode != 0:
        print(f"{package}: its CPU wheel cannot be had here")
        return None
    path = os.pathsep.join(p for p in (folder, os.environ.get("PYTHONPATH", "")) if p)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-k", package, *TESTS],
                          cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, check=False, text=True, capture_output=True)
    print(done.stdout + done.stderr)
    ran = done.returncode == 0 and "passed" in done.stdout and "skipped" not in done.stdout
    return 0 if ran else 1


def main() -> int:
    answers = []
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            answers.append(run(package, folder))
    known = [a for a in answers if a is not None]
    if not known:
        print("neither JAX nor PyTorch can be installed here")
        return SKIP
    return max(known)


if __name__ == "__main__":
    sys.exit(main())
