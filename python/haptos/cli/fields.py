"""haptos check --field."""

from __future__ import annotations

import time

import numpy as np

from haptos import _core
from haptos.base.errors import InputError
from haptos.base.units import show_length, show_time
from haptos.cli.meshes import check_out, check_surface_file, read_in_unit
from haptos.fields.distance_field import DistanceField
from haptos.look.images import save_png

GOOD = 0.03  # error of a force that counts as good
OPEN = 0.05  # part of a turn from which on a surface is told to be open


def check_field(file: str, resolution: int = 64, unit: str | None = None,
                picture: str | None = None, overwrite: bool = False) -> int:
    """Makes the distance field of a surface and says how good it is; 0 if it can be used, 1 if not."""
    check_surface_file("check --field", file)
    path = picture and check_out("--picture", picture, [".png"], None, overwrite)
    mesh, metres = read_in_unit(file, unit)
    scaled = _core.TriMesh(metres * np.asarray(mesh.vertices), np.asarray(mesh.triangles))
    start = time.monotonic()
    try:
        field = DistanceField(scaled, resolution)
    except InputError as e:
        print(f"cannot be used: {e}")
        return 1
    seconds = time.monotonic() - start
    size = np.ptp(field.bounds, axis=0)
    print(f"{file}: surface, {len(np.asarray(mesh.triangles))} triangles, "
          + " x ".join(show_length(float(v)) for v in size))
    print("distance field: " + " x ".join(map(str, field.cells)) + f" cells of "
          f"{show_length(field.cell)}, {field.bytes / 2**20:.3g} MiB, {show_time(seconds)}")
    # The samples take .4 h^2 / (R d) of the force of a ball of its size, d deep.
    depth = 0.4 * field.cell**2 / (0.5 * float(size.max()) * GOOD)
    print(f"round contact is within {100 * GOOD:.0f} % from {show_length(depth)} deep on, flat "
          "contact far sooner")
    if field.open > OPEN:
        print(f"found: it is open: just inside, it winds {1 - field.open:.2f} of a turn, where a closed "
              "surface winds once; what is inside is told by more than half a turn")
    else:
        print("found: nothing wrong")
    if path:
        save_png(path, field.picture())
        print(f"wrote {path}: the plane through its middle, normal to y")
    print("can be used")
    return 0
