"""Robots from MJCF, MuJoCo's model format, read through MuJoCo's own compiler.

The compiler resolves defaults, frames, includes, replicates, masses from geometry and all the rest;
what it made is turned into links and joints here. It comes with the package mujoco, an extra of
this one: pip install "haptos[mujoco]".
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from haptos import _core
from haptos.base.errors import InputError, refuse
from haptos.robots import mjcf_maps
from haptos.robots.mjcf_build import Builder, rotation
from haptos.robots.mjcf_files import Scan, fail
from haptos.robots.mjcf_notes import Array, MjcfActuator, MjcfFrame, MjcfKey, MjcfSensor

if TYPE_CHECKING:
    from haptos.scene.scene import Scene

PathLike = str | os.PathLike[str]


@dataclass
class MjcfModel:
    """What an MJCF file holds.

    robot: everything in one, its links and coordinates in MuJoCo's order; geoms of the world are
    the shapes of a link "world". frames: bodies, sites and cameras by (kind, name). options: time
    step [s], gravity [m/s2] and other settings of the file. warnings: what is left out, a sentence
    each. mocap: bodies that are moved from outside; in `robot` they are links that stay.
    """

    name: str
    robot: _core.Robot
    frames: dict[tuple[str, str], MjcfFrame]
    actuators: list[MjcfActuator]
    sensors: list[MjcfSensor]
    keys: dict[str, MjcfKey]
    options: dict[str, Any]
    warnings: list[str]
    mocap: list[str] = field(default_factory=list)

    @property
    def robots(self) -> list[_core.Robot]:
        """The robots by themselves: one for each body of the world with all that hangs on it.

        Bodies that a constraint of the file ties together are one robot. What cannot move is in
        `world`, but for mocap bodies.
        """
        return [part for part, moves in _parts(self) if moves]

    @property
    def world(self) -> _core.Robot | None:
        """What is fixed to the world, as links with fixed joints; None where there is nothing."""
        rest = [part for part, moves in _parts(self) if not moves]
        if not rest:
            return None
        links, joints = [], []
        for part in rest:
            for joint in part.joints:
                copy = joint.copy()
                copy.parent += len(links) if joint.parent >= 0 else 0
                copy.child += len(links)
                joints.append(copy)
            links += part.links
        return _core.Robot("world", links, joints)

    def add_to(self, scene: Scene, prefix: str = "", **options: Any) -> list[str]:
        """Adds the robots to a scene, and the world as one that cannot move; returns their names.

        A mocap body becomes a prescribed body, called prefix and its name, that stands where it
        starts until sim.set_target() moves it; what ties a robot to it becomes a constraint.
        options: of every robot as of scene.add_robot(), such as stiffness [N/m] or relaxation_time
        [s]. Names are prefix and the robot's. The time step and gravity are the scene's:
        model.options has those of the file. Warns of pairs of links of different robots that the
        file keeps apart, which robots of a scene have no list for.
        """
        robots = self.robots
        led = {link.name: prefix + robot.name + (f"/{link.name}" if len(robot.links) > 1 else "")
               for robot in robots for link in robot.links}
        world = self.world
        if world is not None:
            robots.append(world)
        owner = {link.name: i for i, robot in enumerate(robots) for link in robot.links}
        names = [link.name for link in self.robot.links]
        apart = sum(owner[names[a]] != owner[names[b]] for a, b in self.robot.no_contact
                    if names[a] in owner and names[b] in owner)
        if apart:
            warnings.warn(f"{self.name}: {apart} pairs of links of different robots, which the "
                          "file keeps apart, may touch.", stacklevel=2)
        for robot in robots:
            scene.add_robot(prefix + robot.name, robot, **options)
        _add_leaders(self, scene, prefix, led)
        return [prefix + robot.name for robot in robots]


def load_mjcf(path: PathLike, *, key: str | None = None, hulls: bool = True,
              roots: Sequence[PathLike] = ()) -> MjcfModel:
    """Reads an MJCF file (.xml) with everything that it includes, through MuJoCo's compiler.

    key: the key frame where the joints start; "home" if there is one and none is named, else where
    the bodies are drawn. hulls: mesh geoms touch as their convex hulls, as in MuJoCo; else as they
    are. roots: further folders that included files and meshes may lie in, beside the model's own.
    Raises InputError that names file, line and remedy; MjcfModel.warnings says what is left out.
    """
    mujoco = _mujoco()
    file = Path(path)
    scan = Scan(file, roots)
    model, said = _compile(mujoco, file, scan)
    _finite(mujoco, model, str(path))
    b = Builder(mujoco, model, hulls=hulls, mesh_files=scan.mesh_files())
    actuators, motors = mjcf_maps.actuators(b)
    closures = mjcf_maps.closures(b)
    no_contact = mjcf_maps.no_contact(b)
    options = mjcf_maps.options(b)
    sensors = mjcf_maps.sensors(b)
    name = bytes(model.names).split(b"\0", 1)[0].decode(errors="replace")
    if name in ("", "MuJoCo Model"):
        name = file.stem
    keys = _keys(b)
    if key is not None and key not in keys:
        refuse("key", key, "must be a key frame of the file",
               "it has " + (", ".join(keys) if keys else "none"), str(path))
    mjcf_maps.name_the_rest(b, options)
    tendons = mjcf_maps.tendons(b) + mjcf_maps.held_tendons(b)
    if not b.links:
        fail(str(path), 0, "<worldbody>", "", "must hold a body or a geom")
    robot = _core.Robot(name, b.links, b.joints, motors, closures, no_contact, tendons)
    start = key if key is not None else "home" if "home" in keys else ""
    if start:
        _start(b, robot, keys[start].q)
    robot.warnings = [f"MuJoCo's compiler says: {' '.join(w.split()).rstrip('.')}." for w in said]
    robot.warnings += b.left.sentences()
    robot.validate()
    return MjcfModel(name, robot, {(f.kind, f.name): f for f in b.frames}, actuators, sensors, keys,
                     options, robot.warnings, b.mocap)


def velocity_from_mujoco(robot: _core.Robot, q: ArrayLike, qvel: ArrayLike) -> Array:
    """Velocities as haptos has them, of MuJoCo's: (..., nv), at coordinates q (..., nq).

    The angular velocity of a free or ball joint is in the body's axes there, in the joint's here.
    Coordinates are the same. Forces on these joints (qfrc) turn in the same way.
    """
    return _turned(robot, q, qvel, transpose=False)


def velocity_to_mujoco(robot: _core.Robot, q: ArrayLike, v: ArrayLike) -> Array:
    """Velocities as MuJoCo has them, of ours; see velocity_from_mujoco()."""
    return _turned(robot, q, v, transpose=True)


def _turned(robot: _core.Robot, q: ArrayLike, v: ArrayLike, *, transpose: bool) -> Array:
    coordinates = np.asarray(q, float)
    out = np.array(v, float)
    coordinates = np.broadcast_to(coordinates, (*out.shape[:-1], coordinates.shape[-1]))
    sizes = {"fixed": (0, 0), "revolute": (1, 1), "prismatic": (1, 1), "ball": (4, 3),
             "planar": (3, 3), "free": (7, 6)}
    at_q = at_v = 0
    for joint in robot.joints:
        nq, nv = sizes[joint.kind]
        at_q, at_v = at_q + nq, at_v + nv
        if joint.kind not in ("ball", "free"):
            continue
        turns = rotation(coordinates[..., at_q - 4:at_q])
        out[..., at_v - 3:at_v] = np.einsum("...ji,...j->...i" if transpose else "...ij,...j->...i",
                                            turns, out[..., at_v - 3:at_v])
    return out


def _mujoco() -> ModuleType:
    try:
        import mujoco
    except ImportError as e:
        refuse("load_mjcf", "", f"needs the Python package mujoco ({e})",
               'install it: pip install "haptos[mujoco]"')
    return mujoco


def _compile(mujoco: ModuleType, file: Path, scan: Scan) -> tuple[Any, list[str]]:
    """The compiled model and warnings; what the compiler finds wrong becomes one sentence."""
    # Without a handler MuJoCo writes its warnings into a file in the current folder.
    before = mujoco.get_mju_user_warning()
    said: list[str] = []
    mujoco.set_mju_user_warning(said.append)
    try:
        # MuJoCo keeps assets it has read by their paths, which must not depend on where we are.
        return mujoco.MjModel.from_xml_path(os.path.abspath(file)), said
    except (ValueError, mujoco.FatalError, MemoryError) as e:
        raise scan.explain(str(e), mujoco.mj_printSchema(False, False)) from None
    finally:
        mujoco.set_mju_user_warning(before)


def _finite(mujoco: ModuleType, m: Any, file: str) -> None:
    """Numbers that the text did not show, such as those of meshes; and sizes that nothing has."""
    for name, kind, count in (("mesh_vert", "MESH", "nmesh"), ("hfield_data", "HFIELD", "nhfield")):
        values = getattr(m, name)
        if np.all(np.isfinite(values)) and (not np.size(values) or np.abs(values).max() < 1e6):
            continue
        first = getattr(m, "mesh_vertadr" if kind == "MESH" else "hfield_adr")
        length = m.mesh_vertnum if kind == "MESH" else m.hfield_nrow * m.hfield_ncol
        for i in range(getattr(m, count)):
            part = values[first[i]:first[i] + length[i]]
            bad = np.flatnonzero(~(np.abs(part).reshape(len(part), -1).max(axis=1) < 1e6))
            if bad.size:
                called = mujoco.mj_id2name(m, getattr(mujoco.mjtObj, "mjOBJ_" + kind), i)
                fail(file, 0, f'{kind.lower()} "{called}", number {bad[0]}', str(part[bad[0]]),
                     "must be finite and below 1e6 m")
    for name in ("body_pos", "body_quat", "body_ipos", "body_mass", "body_inertia", "geom_pos",
                 "geom_quat", "geom_size", "geom_friction", "jnt_pos", "jnt_axis", "site_pos",
                 "qpos0", "qpos_spring", "dof_damping", "dof_armature", "dof_frictionloss",
                 "jnt_stiffness", "actuator_gear", "actuator_gainprm", "actuator_biasprm",
                 "eq_data", "key_qpos", "key_qvel"):
        values = getattr(m, name)
        if not np.all(np.isfinite(values)):
            fail(file, 0, name, "", "must hold finite numbers")
    for name in ("body_pos", "geom_pos", "jnt_pos", "geom_size", "body_ipos"):
        worst = np.abs(getattr(m, name)).max(initial=0.0)
        if worst > 1e6:
            fail(file, 0, name, f"{worst:g}", "must be below 1e6 m", "SI units are meant")
    used = {"SPHERE": 1, "CAPSULE": 2, "ELLIPSOID": 3, "CYLINDER": 2, "BOX": 3}
    for g in range(m.ngeom):
        kind = next((k for k in used
                     if m.geom_type[g] == getattr(mujoco.mjtGeom, "mjGEOM_" + k)), "")
        if kind and m.geom_size[g][:used[kind]].min() < 1e-9:
            called = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_GEOM, g) or str(g)
            fail(file, 0, f'geom "{called}", size', f"{m.geom_size[g].min():g}",
                 "must be 1 nm or more")
    for name in ("dof_damping", "dof_armature", "dof_frictionloss", "jnt_stiffness",
                 "geom_friction"):
        if np.size(getattr(m, name)) and np.min(getattr(m, name)) < 0:
            fail(file, 0, name, f"{np.min(getattr(m, name)):g}", "must be 0 or more")


def _keys(b: Builder) -> dict[str, MjcfKey]:
    m = b.m
    robot = _core.Robot("keys", b.links, b.joints)
    keys = {}
    for i in range(m.nkey):
        name = b.name("KEY", i, f"key_{i}")
        q = _unit(b, np.array(m.key_qpos[i], float))
        keys[name] = MjcfKey(name, float(m.key_time[i]), q,
                             velocity_from_mujoco(robot, q, m.key_qvel[i]),
                             np.array(m.key_ctrl[i], float))
    return keys


def _unit(b: Builder, q: Array) -> Array:
    """Coordinates with quaternions of length 1."""
    for j, joint in enumerate(b.joints[i] for i in b.joint_of):
        if joint.kind in ("ball", "free"):
            at = int(b.m.jnt_qposadr[j]) + (3 if joint.kind == "free" else 0)
            q[at:at + 4] /= np.linalg.norm(q[at:at + 4])
    return q


def _start(b: Builder, robot: _core.Robot, q: Array) -> None:
    """Sets where the joints start."""
    for j in range(b.m.njnt):
        joint = robot.joints[b.joint_of[j]]
        at = int(b.m.jnt_qposadr[j])
        joint.position = q[at:at + {"free": 7, "ball": 4}.get(joint.kind, 1)]


def _parts(model: MjcfModel) -> list[tuple[_core.Robot, bool]]:
    """Robots of the bodies of the world, those tied together as one; and whether they move."""
    robot = model.robot
    body_of = {f.link: f.name for f in reversed(model.frames.values()) if f.kind == "body"}
    joints, links = robot.joints, robot.links
    top = list(range(len(links)))
    led = [link.name in model.mocap for link in links]

    def root(i: int) -> int:
        while top[i] != i:
            i = top[i]
        return i

    for joint in joints:
        if joint.parent >= 0:
            top[joint.child] = root(joint.parent)
    for c in robot.closures:
        ends = [c.a, c.b]
        if c.kind == "coupler":
            ends = [joints[e].child for e in ends if e >= 0]
        if not any(led[e] for e in ends if e >= 0):
            _tie(top, root, ends)
    child = {j.name: j.child for j in joints}
    for t in robot.tendons:
        ends = [child[j] for j in t.joints]
        for pair in zip(ends, ends[1:], strict=False):
            _tie(top, root, pair)
    groups: dict[int, list[int]] = {}
    for i in range(len(links)):
        if not led[i]:
            groups.setdefault(root(i), []).append(i)
    out = []
    for members in groups.values():
        # The first body: links between the joints of a body have names of their own.
        name = next((body_of[links[i].name] for i in members if links[i].name in body_of),
                    links[members[0]].name)
        out.append((_select(robot, members, name),
                    any(joints[i].kind != "fixed" for i in members)))
    return out


def _add_leaders(model: MjcfModel, scene: Scene, prefix: str, led: dict[str, str]) -> None:
    """Mocap bodies as prescribed bodies, and ties to them as constraints; led: bodies by link."""
    names = [link.name for link in model.robot.links]
    for name in model.mocap:
        pose = model.robot.joints[names.index(name)].frame
        scene.add_prescribed(prefix + name, None, position=pose[:3], quaternion=pose[3:])
    for c in model.robot.closures:
        if c.kind == "coupler" or min(c.a, c.b) < 0:
            continue
        a, b = (names[c.a], c.frame_a), (names[c.b], c.frame_b)
        for (name, at), (leader, there) in ((a, b), (b, a)):
            if name in led and leader in model.mocap:
                scene.add_constraint(prefix + c.name, led[name], prefix + leader, kind=c.kind,
                                     position=at[:3], quaternion=at[3:], other_position=there[:3],
                                     other_quaternion=there[3:])


def _tie(top: list[int], root: Callable[[int], int], ends: Sequence[int]) -> None:
    """Makes the two that hang together one."""
    known = [root(e) for e in ends if e >= 0]
    if len(known) == 2 and known[0] != known[1]:
        top[max(known)] = min(known)


def _select(robot: _core.Robot, members: list[int], name: str) -> _core.Robot:
    """The part of a robot with these links; joint k carries link k."""
    at = {old: new for new, old in enumerate(members)}
    at[-1] = -1
    joints = []
    for i in members:
        joint = robot.joints[i].copy()
        joint.parent, joint.child = at[joint.parent], at[i]
        joints.append(joint)
    names = {j.name for j in joints}
    tendons = [t for t in robot.tendons if t.joints.keys() <= names]
    closures = []
    for c in robot.closures:
        if (c.a in at) and (c.b in at) and (c.a >= 0 or c.b >= 0):
            copy = c.copy()
            copy.a, copy.b = at[c.a], at[c.b]
            closures.append(copy)
    return _core.Robot(name, [robot.links[i] for i in members], joints,
                       [m for m in robot.motors if m.joint in names | {t.name for t in tendons}], closures,
                       [(at[a], at[b]) for a, b in robot.no_contact if a in at and b in at], tendons)


__all__ = ["InputError", "MjcfModel", "load_mjcf", "velocity_from_mujoco", "velocity_to_mujoco"]
