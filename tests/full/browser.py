#!/usr/bin/env python3
"""The page in a real browser: runs tests/python/test_browser.py, or says that there is none."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))

from browser import browser_program  # noqa: E402

SKIP = 77  # what scripts/test_full takes for "cannot run here"

if browser_program() is None:
    print("no browser found: install chromium (apt-get install chromium) or set HAPTOS_BROWSER")
    sys.exit(SKIP)
sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", "-m", "full",
                         "tests/python/test_browser.py"], cwd=ROOT, check=False).returncode)
