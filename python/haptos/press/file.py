"""The file of a data set of presses: what it holds, its parts, and how they become one.

docs/files.md has the layout. Each press is first a small HDF5 file of its own, which gets its name
in one move when it is on the disk. When all are there their compressed chunks are copied into one
file, which gets its name in the same way. Nothing in it depends on time, machine or workers.
"""

from __future__ import annotations

import errno
import json
import os
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import h5py
import numpy as np
from numpy.typing import NDArray

from haptos.base.errors import refuse
from haptos.base.inside_file import leads_out
from haptos.meshes.given import listed, remedy_for
from haptos.press.recipe import QUANTITIES, OnePress, Recipe

if TYPE_CHECKING:
    from types import TracebackType

    from haptos.tactile.sensor_models import SensorModel

FORMAT, FORMAT_VERSION = "haptos presses", 1
GOOD, NOT_CONVERGED, FAILED = 0, 1, 2  # outcome of a press
GEL_FRAME = ("gel frame: origin at the highest point of the gel at rest, +z out of it, x along the "
             "columns of the image, y up its rows")
ABOUT = {
    "soft": "a simulation of the gel: elastic, with contact and friction",
    "hydroelastic": "a linear layer without inertia, with contact and friction, condensed from the "
                    "elements of the gel",
    "height-map": "NOT a simulation of the gel: the height map of the object cut with the gel at "
                  "rest and smoothed beside the contact; there are no forces and no markers",
}


class Field(NamedTuple):
    """A dataset with a row for each press."""

    shape: tuple[int, ...]  #: of a row
    dtype: str
    unit: str
    about: str
    frame: str = ""


def fields_of(model: str, sensor: SensorModel) -> dict[str, Field]:
    """What a data set of a sensor holds, by name."""
    size = (sensor.camera.height, sensor.camera.width)
    fields = {
        "depth": Field(size, "f4", "m", "how far the coat is pressed in; negative where it bulges, "
                       "not-a-number beside it; rows from +y down"),
        "normal": Field((3, *size), "f2", "", "unit normal of the coat, outward", GEL_FRAME),
    }
    if sensor.rgb:
        fields["rgb"] = Field((*size, 3), "u1", "", "what the camera shows, red first")
    if model != "height-map":
        if sensor.markers is not None:
            n = sensor.markers.rows * sensor.markers.cols
            fields["marker_position"] = Field((n, 3), "f4", "m", "where the markers are", GEL_FRAME)
            fields["marker_flow"] = Field((n, 3), "f4", "m", "since rest", GEL_FRAME)
            fields["marker_pixel"] = Field((n, 2), "f4", "pixel", "column, row")
            fields["marker_pixel_flow"] = Field((n, 2), "f4", "pixel", "since rest")
            fields["marker_seen"] = Field((n,), "u1", "", "1 where the image shows the marker")
        fields["force"] = Field((3,), "f8", "N", "of the gel on the object", GEL_FRAME)
        fields["torque"] = Field((3,), "f8", "N m", "of the gel on the object, about the origin of "
                                 "the gel frame", GEL_FRAME)
        fields["reached_depth"] = Field((), "f8", "m", "how deep the object is at the end")
    fields["steps"] = Field((), "i4", "", "time steps taken")
    fields["status"] = Field((), "u4", "", "status bits of all steps together, 0 is good; "
                             "haptos.describe_status() explains them")
    fields["outcome"] = Field((), "u1", "", "0 good; 1 a step did not converge; 2 failed, and the "
                              "other rows hold not-a-number or 0")
    return fields


def empty_row(fields: Mapping[str, Field]) -> dict[str, NDArray[Any]]:
    """A row of a press that failed: not-a-number, and 0 for whole numbers."""
    return {name: np.full(f.shape, np.nan if f.dtype[0] == "f" else 0, f.dtype)
            for name, f in fields.items()}


# -- a part ------------------------------------------------------------------------------------


def part_path(folder: Path, k: int) -> Path:
    """The file of press k until all are one file."""
    return folder / f"{k:07d}.h5"


def write_part(folder: Path, key: str, press: OnePress, fields: Mapping[str, Field],
               row: Mapping[str, NDArray[Any]], sentence: str, version: str) -> None:
    """Writes one press, whole or not at all."""
    with h5py.File("part", "w", driver="core", backing_store=False) as f:
        f.attrs.update(key=key, index=press.index, sentence=sentence, version=version)
        for name, field in fields.items():
            _create(f, name, field, 1)[0] = np.asarray(row[name], field.dtype)
        f.flush()
        image = f.id.get_file_image()
    path = part_path(folder, press.index)
    hidden = path.with_suffix(f".{os.getpid()}.part")
    write_whole(path, hidden, image)


def write_whole(path: Path, hidden: Path, data: bytes) -> None:
    """Writes a file beside its place and moves it there when it is on the disk."""
    try:
        with open(hidden, "wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        os.replace(hidden, path)
    except BaseException:
        hidden.unlink(missing_ok=True)
        raise


def is_part(path: Path, key: str, k: int) -> bool:
    """Whether the part of a press is there, whole and of this recipe."""
    try:
        with h5py.File(path) as f:
            return bool(f.attrs["key"] == key and f.attrs["index"] == k and len(f["outcome"]) == 1
                        and not leads_out(f))
    except (OSError, KeyError, ValueError, TypeError, AttributeError, RuntimeError):
        return False


def _create(f: h5py.File, name: str, field: Field, count: int) -> h5py.Dataset:
    many = int(np.prod(field.shape)) > 64
    made = f.create_dataset(name, (count, *field.shape), field.dtype,
                            chunks=(1, *field.shape) if many else None,
                            compression="gzip" if many else None,
                            compression_opts=4 if many else None, shuffle=many)
    made.attrs["unit"], made.attrs["about"] = field.unit, field.about
    if field.frame:
        made.attrs["frame"] = field.frame
    return made


# -- one file of all parts ---------------------------------------------------------------------


def merge(file: Path, folder: Path, recipe: Recipe, fields: Mapping[str, Field],
          sensor: SensorModel, background: NDArray[np.uint8] | None) -> None:
    """Makes the file of all parts; it gets its name when it is whole and on the disk. Raises
    OSError where the disk has no room for it."""
    count = len(recipe)
    paths = [part_path(folder, k) for k in range(count)]
    _check_room(file, sum(p.stat().st_size for p in paths) + (16 << 20))
    hidden = folder / "all.part"
    with h5py.File(hidden, "w") as f:
        data = {name: _create(f, name, field, count) for name, field in fields.items()}
        rows: dict[str, list[Any]] = {n: [] for n, d in data.items() if d.chunks is None}
        sentences, versions = [], set()
        for k, path in enumerate(paths):
            with h5py.File(path) as part:
                sentences.append(part.attrs["sentence"])
                versions.add(part.attrs["version"])
                for name, made in data.items():
                    if name in rows:
                        rows[name].append(part[name][0])
                    else:
                        mask, chunk = part[name].id.read_direct_chunk((0,) * made.ndim)
                        made.id.write_direct_chunk((k,) + (0,) * (made.ndim - 1), chunk, mask)
        for name, values in rows.items():
            data[name][...] = np.array(values, fields[name].dtype)
        f.create_dataset("sentence", data=sentences, dtype=h5py.string_dtype())
        f["sentence"].attrs["about"] = "why a press is not good; empty where it is"
        _write_asked(f, recipe)
        _write_head(f, recipe, sensor, background, sorted(versions))
    with open(hidden, "rb") as written:
        os.fsync(written.fileno())
    os.replace(hidden, file)


def _check_room(file: Path, need: int) -> None:
    """HDF5 does not survive a disk that is full, so room is asked for before."""
    disk = os.statvfs(file.parent)
    if disk.f_bavail * disk.f_frsize < need:
        raise OSError(errno.ENOSPC, f"less than {need >> 20} MiB are free, too little to make one "
                      "file of the presses", os.fspath(file))
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit != resource.RLIM_INFINITY and limit < need:
        raise OSError(errno.EFBIG, f"a file may not have the {need >> 20} MiB that the presses "
                      "need", os.fspath(file))


def _write_asked(f: h5py.File, recipe: Recipe) -> None:
    """The group `press`: what each press was told to do."""
    group = f.create_group("press")
    asked = [recipe.press(k) for k in range(len(recipe))]
    shape = group.create_dataset("shape", data=np.array([p.shape for p in asked], np.int32))
    shape.attrs["about"] = "number in the attribute shapes of the file"
    for name, q in QUANTITIES.items():
        if recipe.choices[name] is not None:
            made = group.create_dataset(name, data=np.array([p.values[name] for p in asked], float))
            made.attrs["unit"], made.attrs["about"] = q.unit, q.about


def _write_head(f: h5py.File, recipe: Recipe, sensor: SensorModel,
                background: NDArray[np.uint8] | None, versions: list[str]) -> None:
    f.attrs.update({
        "format": FORMAT, "format_version": FORMAT_VERSION, "model": recipe.model,
        "model_about": ABOUT[recipe.model], "units": "SI; angles in radians", "frame": GEL_FRAME,
        "count": len(recipe), "seed": recipe.seed, "recipe": json.dumps(recipe.as_json()),
        "shapes": list(recipe.shapes), "sensor": sensor.name, "version_haptos": versions,
        "version_h5py": h5py.__version__, "version_numpy": np.__version__})
    g = f.create_group("sensor")
    g.attrs.update(name=sensor.name, pitch=sensor.camera.pitch, width=sensor.camera.width,
                   height=sensor.camera.height, friction=sensor.friction,
                   **{k: float(v) for k, v in sensor.material.items()})
    if background is not None:
        g.create_dataset("background", data=background, compression="gzip")
        g["background"].attrs["about"] = "what the camera shows without contact, red first"


# -- reading -----------------------------------------------------------------------------------


class PressSet:
    """An open file of presses; read with NumPy, row by row. Made by haptos.open_presses().

        with haptos.open_presses("presses.h5") as presses:
            depth = presses["depth"]  # (n, height, width) [m]; depth[3] is that of press 3
            force = presses["force"]  # (n, 3) [N]; force[presses.good] of those that went well
    """

    def __init__(self, file: h5py.File, path: Path) -> None:
        self.path = path
        self._file = file
        self.fields = [n for n, d in file.items() if isinstance(d, h5py.Dataset)]
        self.fields += [f"press/{n}" for n in file["press"]]  #: what there is of each press
        self._count = len(file["outcome"])
        self.recipe: dict[str, Any] = json.loads(file.attrs["recipe"])  #: as JSON holds it
        self.shapes = [str(s) for s in file.attrs["shapes"]]  #: their names
        self.model = str(file.attrs["model"])  #: "soft" or "height-map"
        self.sensor = str(file.attrs["sensor"])  #: name of the sensor
        self.seed = int(file.attrs["seed"])

    def __getitem__(self, name: str) -> h5py.Dataset:
        """A field, a row for each press; "press/..." is what was asked for. Raises InputError for
        a name that is not there."""
        if name not in self.fields:
            if self.model == "height-map" and name in ("force", "torque") or (
                    self.model == "height-map" and str(name).startswith("marker")):
                refuse("field", name, "is not there: these presses come from a height map, which "
                       "has no forces and no markers", 'make them with model="soft"',
                       file=os.fspath(self.path))
            refuse("field", name, "is not in the file", remedy_for(str(name), self.fields, ""),
                   file=os.fspath(self.path))
        return self._file[name]

    def __contains__(self, name: object) -> bool:
        return name in self.fields

    def __len__(self) -> int:
        """Number of presses."""
        return self._count

    @property
    def good(self) -> NDArray[np.bool_]:
        """Which presses went well, a row of booleans."""
        return np.asarray(self._file["outcome"][:] == GOOD)

    @property
    def background(self) -> NDArray[np.uint8] | None:
        """What the camera shows without contact, (height, width, 3); None without colours."""
        found = self._file["sensor"].get("background")
        return None if found is None else np.asarray(found)

    def press(self, k: int) -> dict[str, Any]:
        """All of one press, by name, and `shape_name`. Raises InputError for one that is not
        there."""
        if not 0 <= k < len(self):
            refuse("press", k, f"must be from 0 to {len(self) - 1}", "presses are counted from 0",
                   file=os.fspath(self.path))
        row = {name: self._file[name][k] for name in self.fields}
        row["sentence"] = row["sentence"].decode()
        return {**row, "shape_name": self.shapes[int(row["press/shape"])]}

    def unit(self, name: str) -> str:
        """The unit of a field, "" for a plain number."""
        return str(self[name].attrs.get("unit", ""))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> PressSet:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._file:
            return f"haptos.PressSet({os.fspath(self.path)!r}, closed)"
        return (f"haptos.PressSet({os.fspath(self.path)!r}: {len(self)} presses of "
                f"{listed(self.shapes)} on {self.sensor}, {self.model})")


def open_presses(path: str | os.PathLike[str]) -> PressSet:
    """Opens a file that haptos.presses() or haptos dataset wrote. Raises InputError for a file that
    is not there, damaged, or another one."""
    path = Path(path)
    where = os.fspath(path)
    if not path.is_file():
        parts = path.with_name(path.name + ".parts").is_dir()
        refuse("data set", "", "is not finished yet" if parts else "is no file",
               "give the same command again, which goes on with it" if parts
               else "haptos dataset makes one", file=where)
    try:
        f = h5py.File(path)
    except OSError as e:
        refuse("data set", "", f"cannot be read: {str(e).splitlines()[0][:80]}",
               "make it again with haptos dataset", file=where)
    try:
        if f.attrs.get("format") != FORMAT:
            refuse("data set", str(f.attrs.get("format", "")), "is no file of presses",
                   "haptos.Recording reads runs", file=where)
        if int(f.attrs["format_version"]) > FORMAT_VERSION:
            refuse("format_version", int(f.attrs["format_version"]), "is newer than this Haptos "
                   f"reads, {FORMAT_VERSION}", "install a newer Haptos", file=where)
        if out := leads_out(f):
            refuse("data set", "", out, "copy the data into one file", file=where)
        return PressSet(f, path)
    except (KeyError, ValueError, TypeError, AttributeError, RuntimeError) as e:
        f.close()
        if isinstance(e, ValueError) and hasattr(e, "remedy"):
            raise
        refuse("data set", "", f"is damaged: {str(e)[:80]}", "make it again with haptos dataset",
               file=where)
