"""Recording: what a Recorder wrote (docs/files.md), to look at and to draw, frame by frame."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import h5py
import numpy as np

from haptos.base.errors import refuse
from haptos.base.inside_file import leads_out
from haptos.look.snapshots import FIELDS, Array, Reading, ShownSensor, Snapshot, Stage, displacement
from haptos.scene.shown import BODY, DOUGH, GEL, OBJECT, STILL, Plane, ShownBody, place

T = TypeVar("T")

FORMAT = "haptos run"
FORMAT_VERSION = 1
MAX_VERTICES = 20_000_000  # of a body
MAX_PIXELS = 1 << 26  # of an image
MAX_TIMES = 1 << 27  # frames times environments
MAX_CONTACTS = 1 << 24  # of a frame, of all environments


class CameraView(NamedTuple):
    """What a camera of a scene saw in a frame."""

    rgb: Array  #: colours, sRGB, (height, width, 3) bytes
    depth: Array  #: along z [m], (height, width); infinite where nothing is seen
    pose: Array  #: of its frame, world: x y z [m], w x y z
    intrinsics: Array  #: K (3, 3) [pixel]


class Recording:
    """A recorded run, one environment of it.

        with haptos.Recording("runs/mine/run.h5") as recording:
            last = recording.take(len(recording) - 1)
    """

    def __init__(self, path: str | os.PathLike[str], env: int = 0) -> None:
        """Opens the file; a run.h5.part that a killed process left will do.

        Raises InputError for what is no recording, is damaged, or has no frame or environment.
        """
        self.path = Path(path)
        self.env = env
        if not self.path.is_file():
            self._fail("", "does not exist", "check the path")
        try:
            self._file = h5py.File(self.path, "r")
        except OSError as e:
            self._fail("", "cannot be read as HDF5",
                       "it is written to now; wait for the run to end" if "lock" in str(e).lower()
                       else "record it anew: haptos run, haptos press")
        try:
            self._open()
        except (KeyError, ValueError, TypeError, OSError, RuntimeError, AttributeError) as e:
            self._file.close()
            self._fail("", f"is damaged ({' '.join(str(e).split())})"[:200], "record it anew")
        except BaseException:
            self._file.close()
            raise

    def _fail(self, value: object, rule: str, remedy: str) -> NoReturn:
        refuse("recording", str(value), rule, remedy, file=os.fspath(self.path))

    def _open(self) -> None:
        f = self._file
        if rule := leads_out(f):
            self._fail("", rule, "nothing of it is read; record it anew")
        if f.attrs.get("format") != FORMAT:
            self._fail("", "is no recording of Haptos", "haptos run and haptos press write run.h5")
        version = int(f.attrs["format_version"])
        if version > FORMAT_VERSION:
            self._fail(f"format {version}",
                       f"is newer than this Haptos, which reads {FORMAT_VERSION}", "update Haptos")
        if f["time"].size > MAX_TIMES:
            self._fail(f"{f['time'].size} times", f"must be at most {MAX_TIMES}",
                       "the file is damaged")
        self.times: Array = np.asarray(f["time"][:], float)
        if self.times.ndim != 2 or len(self.times) == 0:
            self._fail("", "has no frames", "the run ended before its first one")
        envs = self.times.shape[1]
        if not 0 <= self.env < envs:
            self._fail(f"env {self.env}", f"must be from 0 to {envs - 1}", "choose another one")
        self.times = self.times[:, self.env]
        self.dt = float(f.attrs["dt"])
        self._links: list[tuple[str, h5py.Group, int]] = []
        self._of: dict[str, dict[str, h5py.Group]] = {
            kind: {str(g.attrs["name"]): g for g in f[kind].values()} if kind in f else {}
            for kind in ("soft", "material_points", "prescribed", "affine", "robots", "half_spaces", "sensors",
                         "cameras")}
        self.stage = self._stage()
        self._carriers = {n: self._carrier(g) for n, g in self._of["soft"].items()}

    def __len__(self) -> int:
        """Frames."""
        return len(self.times)

    @property
    def fields(self) -> list[str]:
        """Names of FIELDS that the file holds for every body that may have them."""
        groups = {k: self._of[kind.of].values() for k, kind in FIELDS.items()}
        return [k for k, of in groups.items() if of and (k == "displacement" or all(k in g for g in of))]

    def _attributes(self) -> Any:
        """Those of the file, which must be open."""
        if not self._file:
            self._fail("", "is closed", "open it again")
        return self._file.attrs

    @property
    def settings(self) -> dict[str, Any]:
        """All options of a press; empty for others."""
        attributes = self._attributes()
        try:
            value = json.loads(attributes.get("settings", "{}"))
        except (ValueError, TypeError):
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def command(self) -> str:
        """What was typed."""
        return str(self._attributes().get("command", ""))

    @property
    def finished(self) -> bool:
        """Whether the run came to its end."""
        return bool(self._attributes().get("finished", False))

    def forces(self) -> dict[str, Array]:
        """Contact and glue on prescribed and affine bodies over all frames, (F, 3) [N]."""
        self._attributes()
        return {n: np.asarray(g["force"][:len(self), self.env], float)
                for kind in ("prescribed", "affine") for n, g in self._of[kind].items()}

    @property
    def cameras(self) -> list[str]:
        """Names of the cameras whose pictures it holds."""
        return list(self._of["cameras"])

    def view(self, camera: str, frame: int) -> CameraView:
        """What a camera saw in a frame, negative ones from the end. Raises InputError for another
        camera or frame and for a damaged file."""
        self._attributes()
        if camera not in self._of["cameras"]:
            self._fail(f"camera {camera}", "is not recorded; " + (
                "there are " + ", ".join(self.cameras) if self.cameras else "there is none"), "choose another one")
        return self._read(frame, lambda k: self._view(self._of["cameras"][camera], k))

    def nearest(self, time: float) -> int:
        """The last frame that is not after a time [s]."""
        return max(0, int(np.searchsorted(self.times, time + 1e-9 * (1 + abs(time)), "right")) - 1)

    def take(self, frame: int, fields: Iterable[str] | None = None, readings: bool = True
             ) -> Snapshot:
        """A frame, negative ones from the end; fields: which of FIELDS to read, None all that are
        there. Raises InputError for another frame and for a damaged file."""
        self._attributes()
        return self._read(frame, lambda k: self._take(k, self.fields if fields is None else list(fields), readings))

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what there is -------------------------------------------------------------------------

    def _stage(self) -> Stage:
        of, bodies = self._of, []
        for name, g in of["soft"].items():
            bodies.append(ShownBody(name, "soft", *self._surface(g, "rest", "surface"), GEL))
        for name, g in of["material_points"].items():
            shape, volume = g["position"].shape, float(g.attrs["volume"])
            if len(shape) != 4 or shape[3] != 3 or shape[2] > MAX_VERTICES or not 0 < volume < np.inf:
                self._fail(g["position"].name, f"must be (F, E, n, 3) with at most {MAX_VERTICES} points, each with a volume",
                           "the file is damaged")
            bodies.append(ShownBody(name, "material_points", np.asarray(g["position"][0, self.env], float),
                                    np.zeros((0, 3), np.int32), DOUGH, spacing=float(np.cbrt(volume))))
        for name, g in of["prescribed"].items():
            x, t = self._surface(g, "vertices", "triangles")
            if len(x):
                bodies.append(ShownBody(name, "prescribed", x, t, OBJECT, 1.0,
                                        self._indices(g, "segments", len(x)),
                                        self._indices(g, "points", len(x))))
        for name, g in of["affine"].items():
            x, t = self._surface(g, "vertices", "triangles")
            bodies.append(ShownBody(name, "affine", x, t, BODY))
        for name, g in of["robots"].items():
            links = [str(x) for x in g.attrs["links"]]
            for k, part in g.get("parts", {}).items():
                link, rgba = int(part.attrs["link"]), [float(v) for v in part.attrs["rgba"]]
                body = ShownBody(f"{name}/{links[link]}/{k}", "robots",
                                 *self._surface(part, "vertices", "triangles"),
                                 (rgba[0], rgba[1], rgba[2]), rgba[3])
                bodies.append(body)
                self._links.append((body.name, g, link))
        sensors = []
        for name, g in of["sensors"].items():
            height, width = g["depth"].shape[-2:]
            if height * width > MAX_PIXELS:
                self._fail(f"sensor {name}, {width} x {height} pixels",
                           f"must have at most {MAX_PIXELS} pixels", "the file is damaged")
            sensors.append(ShownSensor(name, str(g.attrs["body"]), width, height,
                                       float(g.attrs["pitch"])))
        planes = [Plane(n, np.asarray(g.attrs["normal"], float), float(g.attrs["offset"]))
                  for n, g in of["half_spaces"].items()]
        return Stage(bodies, sensors, planes,
                     frozenset(int(g.attrs["body"]) for g in of["soft"].values()))

    def _surface(self, group: h5py.Group, vertices: str, triangles: str) -> tuple[Array, Array]:
        data = group[vertices]
        if data.ndim != 2 or data.shape[1] != 3 or len(data) > MAX_VERTICES:
            self._fail(data.name, f"must be (V, 3) with at most {MAX_VERTICES} rows",
                       "the file is damaged")
        return np.asarray(data[:], float), self._indices(group, triangles, len(data))

    def _indices(self, group: h5py.Group, name: str, vertices: int) -> Array:
        if name not in group:
            return np.zeros((0, 2) if name == "segments" else 0, np.int32)
        if group[name].size > 20 * MAX_VERTICES:
            self._fail(group[name].name, "is too large", "the file is damaged")
        rows = np.asarray(group[name][:], np.int32)
        if rows.size and not 0 <= rows.min() <= rows.max() < vertices:
            self._fail(group[name].name, "names vertices that are not there", "the file is damaged")
        return rows

    def _carrier(self, group: h5py.Group) -> tuple[h5py.Dataset | None, int]:
        """Poses of the body that a gel is glued to, and its link."""
        name = str(group.attrs.get("carrier", ""))
        for kind in ("prescribed", "affine"):
            if name in self._of[kind]:
                return self._of[kind][name]["pose"], -1
        robot, _, link = name.partition("/")
        if robot in self._of["robots"]:
            g = self._of["robots"][robot]
            links = [str(x) for x in g.attrs["links"]]
            return g["link_pose"], links.index(link) if link else 0
        return None, -1

    # -- a frame -------------------------------------------------------------------------------

    def _read(self, frame: int, of: Callable[[int], T]) -> T:
        """What `of` reads of a frame, by its number from the start; InputError where it cannot."""
        count = len(self)
        if not -count <= frame < count:
            self._fail(f"frame {frame}", f"must be from 0 to {count - 1}", "choose another one")
        try:
            return of(frame % count)
        except (KeyError, ValueError, TypeError, OSError, RuntimeError, IndexError) as e:
            self._fail(f"frame {frame}", f"is damaged ({' '.join(str(e).split())})"[:200], "record it anew")

    def _view(self, g: h5py.Group, k: int) -> CameraView:
        height, width = g["depth"].shape[-2:]
        if height * width > MAX_PIXELS or g["rgb"].shape[-3:] != (height, width, 3):
            raise ValueError("a picture of another size")
        return CameraView(np.asarray(g["rgb"][k, self.env], np.uint8), np.asarray(g["depth"][k, self.env], np.float32),
                          np.asarray(g["pose"][k, self.env], float), np.asarray(g.attrs["intrinsics"], float))

    def _carrier_pose(self, name: str, frame: int) -> Array:
        data, link = self._carriers[name]
        if data is None:
            return STILL
        return np.asarray(data[frame, self.env] if link < 0 else data[frame, self.env, link], float)

    def _field(self, field: str, name: str, frame: int, now: Array) -> Array:
        group = self._of[FIELDS[field].of][name]
        if field != "displacement":
            return np.asarray(group[field][frame, self.env], np.float32)
        rest = np.asarray(group["position"][0, self.env], float)
        return displacement(now, rest, self._carrier_pose(name, frame),
                            self._carrier_pose(name, 0)).astype(np.float32)

    def _take(self, k: int, fields: list[str], readings: bool) -> Snapshot:
        of, env = self._of, self.env
        positions = {n: np.asarray(g["position"][k, env], np.float32)
                     for kind in ("soft", "affine", "material_points") for n, g in of[kind].items()}
        for body in self.stage.bodies:
            if body.deforms and positions[body.name].shape != body.vertices.shape:
                raise ValueError(f"{body.name} has another number of vertices")
        poses = {n: np.asarray(g["pose"][k, env], float)
                 for n, g in of["prescribed"].items()}
        poses |= {part: np.asarray(g["link_pose"][k, env, link], float)
                  for part, g, link in self._links}
        at, force, pairs = self._contacts(k)
        return Snapshot(
            float(self.times[k]), int(self._file["step/index"][k, env]), positions, poses,
            {f: {n: self._field(f, n, k, positions[n]) for n in of[FIELDS[f].of]} for f in fields},
            at, force, pairs,
            {n: np.asarray(g["force"][k, env], float)
             for kind in ("prescribed", "affine") for n, g in of[kind].items()},
            {n: self._reading(g, k) for n, g in of["sensors"].items()} if readings else {})

    def _contacts(self, k: int) -> tuple[Array, Array, Array]:
        if "contacts" not in self._file:
            return np.zeros((0, 3), "f4"), np.zeros((0, 3), "f4"), np.zeros((0, 2), np.int32)
        g = self._file["contacts"]
        a, b = (int(v) for v in g["offset"][k:k + 2])
        if not 0 <= a <= b <= len(g["p"]) or b - a > MAX_CONTACTS:
            raise ValueError("contacts that are not there")
        mine = g["env"][a:b] == self.env
        return (np.asarray(g["p"][a:b], np.float32)[mine],
                np.asarray(g["force"][a:b], np.float32)[mine],
                np.stack([g["body_a"][a:b], g["body_b"][a:b]], axis=1)[mine])

    def _reading(self, g: h5py.Group, k: int) -> Reading:
        def read(name: str) -> Array | None:
            return np.asarray(g[name][k, self.env]) if name in g else None

        r = Reading(depth=read("depth"), rgb=read("rgb"), pressure=read("pressure"),
                    pixel=read("marker_pixel"), pixel_flow=read("marker_pixel_flow"))
        if r.pixel is not None:
            height, width = g["depth"].shape[-2:]
            seen = read("marker_in_view")
            r.in_view = (((r.pixel >= 0) & (r.pixel < (width, height))).all(axis=1)
                         if seen is None else seen.astype(bool))
            if (lost := read("marker_lost")) is not None:
                r.in_view &= lost == 0
            if r.pixel_flow is None:  # older files
                r.pixel_flow = r.pixel - np.asarray(g["marker_pixel"][0, self.env])
            if "frame" in g:
                r.markers = place(g["marker_position"][k, self.env],
                                  np.asarray(g["frame"][k, self.env], float))
        return r
