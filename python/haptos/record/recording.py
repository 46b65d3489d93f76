"""Recording a run as HDF5. The layout is documented in docs/files.md.

The file is written as NAME.part, flushed after every frame, and renamed to NAME when it is closed,
so NAME is always whole; what a killed process leaves in NAME.part can be read up to the last frame.
"""

from __future__ import annotations

import datetime
import errno
import fcntl
import json
import os
import platform
import resource
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.base.turns import quaternion
from haptos.look.snapshots import SoftFields, traction_image
from haptos.record.entries import write_constant, write_entries, write_robot_sensor
from haptos.scene.sim import CONTACT_DTYPE, Sim, StepReport

if TYPE_CHECKING:
    from types import TracebackType

# Recorders whose file HDF5 can no longer close: closing them would end the process.
_given_up: list[Recorder] = []

FORMAT = "haptos run"
FORMAT_VERSION = 1

# What is kept of the step report, with its unit.
_REPORT = {"iterations": "", "lag_passes": "", "residual": "N", "load": "N", "smallest_gap": "m", "missed": "m",
           "kinetic": "J", "potential": "J", "smallest_volume_ratio": "", "seconds": "s"}


def versions() -> dict[str, str]:
    """Versions of what computes and writes a run."""
    commit = f" ({_core.commit})" if _core.commit else ""
    return {"haptos": _core.version + commit, "python": platform.python_version(),
            "numpy": np.__version__, "h5py": h5py.__version__,
            "hdf5": h5py.version.hdf5_version, "machine": platform.platform()}


class Recorder:
    """Writes frames of a Sim to an HDF5 file.

        with haptos.Recorder("run.h5", sim) as recorder:
            sim.run(1.0, each=recorder.record)  # a frame a step
            for k in range(100):  # or a frame each ten steps
                report = sim.step()
                if k % 10 == 9:
                    recorder.record(report)
    """

    def __init__(self, path: str | os.PathLike[str], sim: Sim, *, command: str | None = None,
                 settings: dict[str, Any] | None = None, contacts: bool = True,
                 sensors: bool = True, fields: bool = True, cameras: bool = True) -> None:
        """Makes the file and records the present state as frame 0.

        command: kept as it is, default sys.argv; settings: anything JSON can hold, kept as text;
        contacts, sensors, fields (pressure and stress on soft bodies), cameras (colours and depth):
        whether to keep them. Raises InputError where the file cannot be made.
        """
        if any(sim.entries_of(k) is not sim.entries for k in range(sim.envs)):
            refuse("recording", "environments of several scenes", "holds one scene",
                   "record copies of one, scene.compile(envs=...)")
        self.path = Path(path)
        self._part = self.path.with_name(self.path.name + ".part")
        self._sim = sim
        self._contacts = contacts
        self._sensors = dict(sim.sensors) if sensors else {}
        self._axes = {c["name"]: "driven" if c["motor"] else "free"
                      for c in sim.entries["constraints"] if c["kind"] in ("hinge", "slider")}
        self._cameras = dict(sim.cameras) if cameras else {}
        self._fields = {n: SoftFields(sim, n) for n in sim.names("soft")} if fields else {}
        self._keys = {kind: group_keys(sim.names(kind)) for kind in sim.entries}
        self._keys["sensors"] = group_keys(self._sensors)
        self._keys["cameras"] = group_keys(self._cameras)
        self._frames = 0
        self._frame_size = 0  # the largest so far [byte]
        self._broken = False
        self._data: dict[str, h5py.Dataset] = {}
        image = self._first_frame(command, settings)
        self._write(image)
        self._file = h5py.File(self._part, "r+")
        self._data = {path: self._file[path] for path in self._data}

    def _first_frame(self, command: str | None, settings: dict[str, Any] | None) -> bytes:
        """The file with its head and the present state, made in memory: HDF5 does not survive a disk
        that fills up."""
        self._file = h5py.File(self._part.name, "w", driver="core", backing_store=False)
        try:
            self._write_head(command, settings)
            self._file.flush()
            head = self._file.id.get_filesize()
            self._record(None)
            image = self._file.id.get_file_image()
        finally:
            self._file.close()
        self._frame_size = max(len(image) - head, 0)
        return image

    def _write(self, image: bytes) -> None:
        try:
            with open(self._part, "ab") as there:
                fcntl.flock(there, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as HDF5 does while it is open
                self._check_room(len(image))
                there.truncate(0)
                there.write(image)
        except BlockingIOError:
            refuse("recording", self._part.name, "is in use: another recorder writes it",
                   "wait for it to end, or name another file", file=os.fspath(self.path))
        except OSError as e:
            if e.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO):
                self._part.unlink(missing_ok=True)
                raise
            refuse("recording", "", f"cannot be written: {e.strerror}",
                   "check that the folder exists and may be written to",
                   file=os.fspath(self.path))

    def _place(self, kind: str, name: str) -> str:
        return f"{kind}/{self._keys[kind][name]}"

    @property
    def frames(self) -> int:
        """Frames written so far."""
        return self._frames

    def record(self, report: StepReport | None = None) -> None:
        """Appends the present state as a frame and flushes; report: of the step just taken, whose
        figures are kept beside it.

        Raises OSError (ENOSPC, EFBIG) where the disk has no room for a frame; the file can then
        still be closed and holds the frames before.
        """
        if self._broken or not self._file:
            refuse("recording", "", "is closed", "record before close()", file=os.fspath(self.path))
        before = self._part.stat().st_size
        self._check_room(before)
        try:
            self._record(report)
        except (RuntimeError, OSError) as e:
            # HDF5 cannot go on after a failed write, nor close: what is flushed stays in the part.
            self._broken = True
            _given_up.append(self)
            raise OSError(errno.EIO, f"the recording cannot be written any further ({e})"[:200],
                          os.fspath(self._part)) from None
        self._frame_size = max(self._frame_size, self._part.stat().st_size - before)

    def _check_room(self, size: int) -> None:
        """HDF5 does not survive a disk that is full, so room is asked for before each frame."""
        need = 2 * self._frame_size + (8 << 20)
        disk = os.statvfs(self._part.parent)
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if disk.f_bavail * disk.f_frsize < need:
            raise OSError(errno.ENOSPC, f"less than {need >> 20} MiB are free, too little for the "
                          "next frame", os.fspath(self.path))
        if limit != resource.RLIM_INFINITY and limit - size < 2 * self._frame_size + (1 << 20):
            raise OSError(errno.EFBIG, "the file may not grow any further", os.fspath(self.path))

    def _record(self, report: StepReport | None) -> None:
        sim = self._sim
        put = self._append
        for name in sim.names("soft"):
            group = self._place("soft", name)
            put(f"{group}/position", sim.positions(name), "m")
            force, torque = sim.contact_wrench(name)
            put(f"{group}/contact_force", force, "N")
            put(f"{group}/contact_torque", torque, "N m")
            if name in self._fields:
                envs = range(sim.envs)
                put(f"{group}/pressure",
                    np.stack([self._fields[name].pressure(k) for k in envs]), "Pa")
                put(f"{group}/stress",
                    np.stack([self._fields[name].stress(k) for k in envs]), "Pa")
        for name, points in sim.material_points.items():
            group = self._place("material_points", name)
            put(f"{group}/position", points.position, "m")
            put(f"{group}/velocity", points.velocity.astype(np.float32), "m/s")
            put(f"{group}/volume_ratio", points.volume_ratio.astype(np.float32), "")
            put(f"{group}/flow", points.flow.astype(np.float32), "")
            force, torque = sim.contact_wrench(name)
            put(f"{group}/contact_force", force, "N")
            put(f"{group}/contact_torque", torque, "N m")
        for name in sim.names("prescribed"):
            group = self._place("prescribed", name)
            put(f"{group}/pose", sim.pose(name), "m, -")
            force, torque = sim.reaction(name)
            put(f"{group}/force", force, "N")
            put(f"{group}/torque", torque, "N m")
        for name in sim.names("affine"):
            group = self._place("affine", name)
            put(f"{group}/pose", sim.pose(name), "m, -")
            put(f"{group}/velocity", sim.velocity(name), "m/s, rad/s")
            put(f"{group}/position", sim.positions(name), "m")
            force, torque = sim.reaction(name)
            put(f"{group}/force", force, "N")
            put(f"{group}/torque", torque, "N m")
        for name in sim.names("constraints"):
            group = self._place("constraints", name)
            force, torque = sim.constraint_wrench(name)
            put(f"{group}/force", force, "N")
            put(f"{group}/torque", torque, "N m")
            if self._axes.get(name):
                put(f"{group}/position", sim.constraint_position(name), "rad or m")
                put(f"{group}/velocity", sim.constraint_velocity(name), "rad/s or m/s")
            if self._axes.get(name) == "driven":
                put(f"{group}/command", sim.constraint_command(name),
                    "rad or m, rad/s or m/s, N m or N")
                put(f"{group}/effort", sim.constraint_effort(name), "N m or N")
        for name, robot in sim.robots.items():
            group = self._place("robots", name)
            put(f"{group}/position", robot.position, "rad or m")
            put(f"{group}/velocity", robot.velocity, "rad/s or m/s")
            put(f"{group}/link_pose", robot.link_poses, "m, -")
            put(f"{group}/command", robot.command, "rad or m, rad/s or m/s, N m or N")
            put(f"{group}/effort", robot.effort, "N m or N")
            force, torque = sim.contact_wrench(name)
            put(f"{group}/contact_force", force, "N")
            put(f"{group}/contact_torque", torque, "N m")
            for key, read in zip(group_keys(robot.sensors).values(), robot.sensors.values(), strict=True):
                put(f"{group}/sensors/{key}/value", read.value, "see units")
                put(f"{group}/sensors/{key}/time", read.time, "s")
        for name, sensor in self._sensors.items():
            at = self._place("sensors", name)
            depth, normal = sensor.image()
            put(f"{at}/depth", depth, "m")
            put(f"{at}/normal", normal.astype(np.float16), "")
            frames = [sensor.frame(k) for k in range(sim.envs)]
            put(f"{at}/frame",
                np.stack([[*origin, *quaternion(turn)] for turn, origin in frames]), "m, -")
            traction = traction_image(sensor)
            put(f"{at}/pressure", -traction[:, 2], "Pa")
            put(f"{at}/shear", traction[:, :2], "Pa")
            touch = sensor.touch()
            put(f"{at}/touch_area", touch.area, "m2")
            put(f"{at}/touch_wrench", np.hstack([touch.force, touch.torque]),
                "N, N m")
            put(f"{at}/touch_centre", touch.centre, "m")
            if sensor.has_colours:
                put(f"{at}/rgb", sensor.rgb(), "")
            if sensor.has_markers:
                markers = sensor.markers()
                put(f"{at}/marker_position", markers.position, "m")
                put(f"{at}/marker_flow", markers.flow, "m")
                put(f"{at}/marker_pixel", markers.pixel, "pixel")
                put(f"{at}/marker_pixel_flow", markers.pixel_flow, "pixel")
                put(f"{at}/marker_in_view", markers.in_view.astype(np.uint8), "")
                put(f"{at}/marker_lost", markers.lost.astype(np.uint8), "")
                put(f"{at}/marker_hidden", markers.hidden.astype(np.uint8), "")
        for name, camera in self._cameras.items():
            at = self._place("cameras", name)
            put(f"{at}/rgb", camera.rgb(), "")
            put(f"{at}/depth", camera.depth(), "m")
            put(f"{at}/pose", camera.pose.rows, "m, -")
        if self._contacts:
            self._append_contacts()
        for field, unit in _REPORT.items():
            value = np.zeros(sim.envs) if report is None else getattr(report, field)
            put(f"step/{field}", np.asarray(value, np.float64), unit)
        status = np.zeros(sim.envs, np.uint32) if report is None else report.status
        put("step/status", status, "")
        put("step/index", sim.step_count, "")
        # Last: a frame counts when its time is there.
        put("time", sim.time, "s")
        self._frames += 1
        self._file.flush()

    def add_table(self, name: str, columns: Mapping[str, tuple[np.ndarray, str]]) -> None:
        """Writes a group of datasets beside the frames; columns: name -> (array, unit)."""
        if self._broken or not self._file:
            refuse("recording", "", "is closed", "add before close()", file=os.fspath(self.path))
        group = self._file.require_group(name)
        for column, (value, unit) in columns.items():
            write_constant(group, column, value, unit)

    def set_attributes(self, **values: Any) -> None:
        """Sets attributes of the file."""
        if self._broken or not self._file:
            refuse("recording", "", "is closed", "set before close()", file=os.fspath(self.path))
        for name, value in values.items():
            self._file.attrs[name] = value

    def discard(self) -> None:
        """Ends the file without giving it its name, and removes it."""
        if not self._broken and self._file:
            self._file.close()
            self._part.unlink(missing_ok=True)

    def close(self, finished: bool = True) -> None:
        """Ends the file and gives it its name; finished: whether the run came to its end."""
        if self._broken or not self._file:
            return
        self._file.attrs["finished"] = bool(finished)
        self._file.attrs["frames"] = self._frames
        self._file.flush()
        self._file.close()
        with open(self._part, "rb") as written:
            os.fsync(written.fileno())  # what has its name is whole even after a power cut
        os.replace(self._part, self.path)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close(finished=kind is None)

    # -- inside --------------------------------------------------------------------------------

    def _write_head(self, command: str | None, settings: dict[str, Any] | None) -> None:
        f, sim = self._file, self._sim
        f.attrs["format"] = FORMAT
        f.attrs["format_version"] = FORMAT_VERSION
        f.attrs["units"] = "SI; world z up; quaternions w x y z"
        f.attrs["axes"] = "frame, env, item, component"
        f.attrs["created"] = datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds")
        f.attrs["command"] = " ".join(sys.argv) if command is None else command
        f.attrs["settings"] = json.dumps(settings or {}, default=str)
        f.attrs["scene"] = sim.scene_text
        f.attrs["envs"] = sim.envs
        f.attrs["dt"] = sim.dt
        f.attrs["model_hash"] = np.uint64(sim.model_hash)
        f.attrs["finished"] = False
        for name, version in versions().items():
            f.attrs[f"version_{name}"] = version
        write_entries(sim, self._group)
        for name, sensor in self._sensors.items():
            g = self._group("sensors", name)
            g.attrs["body"] = sensor.body
            g.attrs["pitch"] = sensor.camera.pitch
            g.attrs["width"] = sensor.camera.width
            g.attrs["height"] = sensor.camera.height
        for name, camera in self._cameras.items():
            g = self._group("cameras", name)
            g.attrs["frame"] = camera.frame or ""
            g.attrs["intrinsics"] = camera.intrinsics
        for name, robot in sim.robots.items():
            keys = group_keys(robot.sensors)
            for read in robot.sensors.values():
                write_robot_sensor(f.create_group(f"{self._place('robots', name)}/sensors/{keys[read.name]}"), read)
        if self._contacts:
            g = f.create_group("contacts")
            g.attrs["names"] = ("see the attribute body of soft, prescribed and affine bodies and of material points; "
                                 "links of a robot count from its first_body")
            for field in CONTACT_DTYPE.names or ():
                base, shape = CONTACT_DTYPE[field].base, CONTACT_DTYPE[field].shape
                g.create_dataset(field, (0, *shape), base, maxshape=(None, *shape),
                                 chunks=(1024, *shape), compression="gzip", compression_opts=1,
                                 shuffle=True)
            g.create_dataset("offset", data=np.zeros(1, np.int64), maxshape=(None,), chunks=(256,))

    def _group(self, kind: str, name: str) -> h5py.Group:
        group = self._file.require_group(self._place(kind, name))
        group.attrs["name"] = name
        return group

    def _append(self, path: str, value: np.ndarray, unit: str) -> None:
        value = np.asarray(value)
        data = self._data.get(path)
        if data is None:
            many = value.size > 64
            data = self._file.create_dataset(
                path, (0, *value.shape), value.dtype, maxshape=(None, *value.shape),
                chunks=(1 if many else 256, *value.shape) if value.size else None,
                compression="gzip" if many else None, compression_opts=1 if many else None,
                shuffle=many)
            data.attrs["unit"] = unit
            self._data[path] = data
        data.resize(self._frames + 1, axis=0)
        data[self._frames] = value

    def _append_contacts(self) -> None:
        group = self._file["contacts"]
        rows = self._sim.contacts
        offset = group["offset"]
        start = int(offset[self._frames])
        for field in CONTACT_DTYPE.names or ():
            group[field].resize(start + len(rows), axis=0)
            if len(rows):
                group[field][start:] = rows[field]
        offset.resize(self._frames + 2, axis=0)
        offset[self._frames + 1] = start + len(rows)


def group_keys(names: Iterable[str]) -> dict[str, str]:
    """Bodies' names as names of groups, each its own: HDF5 gives "/" and "." a meaning of their own,
    and what would be taken already has "_" behind it."""
    keys: dict[str, str] = {}
    taken = set()
    for name in names:
        key = name.replace("/", "_") if name.strip(".") else "_" * len(name)
        while key in taken:
            key += "_"
        taken.add(key)
        keys[name] = key
    return keys
