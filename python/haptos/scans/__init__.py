"""Surfaces as scanners leave them, and surfaces that are broken on purpose: for tests of contact.

Each function makes one mesh [m] from a seed, or a robot of many; the same numbers give the same
bits. docs/scans.md shows them.
"""

from haptos.scans.blocks import plane, random_box
from haptos.scans.breaking import break_mesh
from haptos.scans.fingertip import fingertip
from haptos.scans.humanoid import write_humanoid
from haptos.scans.measure import ScanReport, measure_scan
from haptos.scans.mug import mug
from haptos.scans.rooms import chair, ladder
from haptos.scans.terrain import terrain

__all__ = ["ScanReport", "break_mesh", "chair", "fingertip", "ladder", "measure_scan", "mug",
           "plane", "random_box", "terrain", "write_humanoid"]
