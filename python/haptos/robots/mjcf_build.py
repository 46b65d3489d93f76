"""Turns MuJoCo's compiled model into one Robot that holds everything.

Conventions. MuJoCo's joint moves a body about a point `pos` of the body; ours is where its link's
frame is. So a link's frame lies at its (last) joint's `pos` with the body's axes, and MjcfFrame
says where the body's own frame is. Several joints of a body become links without mass between them.
Coordinates are MuJoCo's, `ref` included: the joint's frame is turned back by it. A free or a ball
joint has its angular velocity in the joint's axes here, in the body's axes in MuJoCo.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haptos import _core
from haptos.base import turns
from haptos.base.errors import refuse
from haptos.robots.mjcf_notes import Array, MjcfFrame, Unmapped

INF = math.inf


def rotation(q: Array) -> Array:
    """The matrices (..., 3, 3) of quaternions w x y z (..., 4), whatever their length."""
    return turns.rotation(q / np.linalg.norm(q, axis=-1, keepdims=True))


def turn(axis: Array, angle: float) -> Array:
    """The quaternion of a turn about a unit axis [rad]."""
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


def pose_row(p: Array, q: Array) -> Array:
    return np.concatenate([p, q])


def of_geoms(mujoco: Any, model: Any, tuple_name: str, most: float, remedy: str) -> dict[int, float]:
    """Numbers by geom, in MJCF's own place for those that MuJoCo does not know,
    <custom><tuple name="layer"><element objtype="geom" objname="" prm=""/></tuple></custom>."""
    found: dict[int, float] = {}
    i = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TUPLE, tuple_name)
    if i < 0:
        return found
    first = int(model.tuple_adr[i])
    for k in range(first, first + int(model.tuple_size[i])):
        kind, g = int(model.tuple_objtype[k]), int(model.tuple_objid[k])
        value = float(model.tuple_objprm[k])
        named = mujoco.mj_id2name(model, kind, g) or str(g)
        if kind != int(mujoco.mjtObj.mjOBJ_GEOM):
            refuse(f'tuple "{tuple_name}"', named, "must name geoms", 'give objtype="geom"')
        if not 0 <= value <= most:
            refuse(f'tuple "{tuple_name}", geom "{named}"', value, f"must be from 0 to {most:g}", remedy)
        found[g] = value
    return found


TABLES = "hydroelastic."  # a numeric and a tuple of this name with one of their own behind it


def pressure_tables(mujoco: Any, model: Any) -> dict[int, dict[str, list[list[float]]]]:
    """Tables of pressures by geom: rows of depth [m] and pressure [Pa] in a numeric, and a tuple of its name
    that lists the geoms."""
    found: dict[int, dict[str, list[list[float]]]] = {}
    for i in range(int(model.nnumeric)):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_NUMERIC, i) or ""
        if not name.startswith(TABLES):
            continue
        first, count = int(model.numeric_adr[i]), int(model.numeric_size[i])
        if count < 2 or count % 2:
            refuse(f'numeric "{name}"', f"{count} numbers", "must be pairs of depth [m] and pressure [Pa]",
                   "give two numbers for each row")
        rows = np.reshape(model.numeric_data[first:first + count], (-1, 2)).tolist()
        geoms = of_geoms(mujoco, model, name, np.inf, "leave prm out")
        if not geoms:
            refuse(f'numeric "{name}"', "", "has no geoms",
                   f'list them: <tuple name="{name}"><element objtype="geom" objname="..."/></tuple>')
        found |= {g: {"pressure": rows} for g in geoms}
    return found


class Builder:
    """Reads a mujoco.MjModel; `robot`, `frames` and `left` are what it made of it."""

    def __init__(self, mujoco: Any, model: Any, *, hulls: bool, mesh_files: dict[str, str]) -> None:
        self.mj, self.m, self.hulls, self.mesh_files = mujoco, model, hulls, mesh_files
        self.left = Unmapped()
        self.off = self._flags()  # what the file switches off
        self.frames: list[MjcfFrame] = []
        self.links: list[_core.RobotLink] = []
        self.joints: list[_core.RobotJoint] = []
        self._meshes: dict[tuple[int, str], _core.RobotShape] = {}
        self._layers = of_geoms(mujoco, model, "layer", 1, "give the width in metres")
        self._pressures: dict[int, Any] = of_geoms(
            mujoco, model, "hydroelastic", 1e15, "give the modulus in Pa/m") | pressure_tables(mujoco, model)
        self._taken: dict[str, set[str]] = {}
        m = model
        self.body_link = [-1] * m.nbody  # link that carries the body, -1: the world
        self.body_name = [self.name("BODY", b, "world" if b == 0 else f"body_{b}")
                          for b in range(m.nbody)]
        self.shift = np.zeros((m.nbody, 3))  # of the body's origin in the link's frame
        self.joint_name = [self.name("JOINT", j, f"{self.body_name[m.jnt_bodyid[j]]}_joint")
                           for j in range(m.njnt)]
        self.joint_of = [0] * m.njnt  # of the robot
        self.mocap: list[str] = []  # links of bodies that are moved from outside
        self._world()
        for b in range(1, m.nbody):
            self._body(b)
        self._frames()

    def _flags(self) -> set[str]:
        """Forces that the file's flags switch off, which are left out here as well."""
        off = {n[7:].lower() for n, v in self.mj.mjtDisableBit.__members__.items()
               if n.startswith("mjDSBL_") and self.m.opt.disableflags & int(v)}
        if "constraint" in off:
            off |= {"equality", "frictionloss", "limit", "contact"}
        return off

    # ------------------------------------------------------------------ names

    def name(self, kind: str, i: int, otherwise: str) -> str:
        """The name of an object of the file, or a made-up one that no other of its kind has."""
        given = self.mj.mj_id2name(self.m, getattr(self.mj.mjtObj, "mjOBJ_" + kind), i)
        return given if given else self.fresh(kind, otherwise)

    def fresh(self, kind: str, name: str) -> str:
        if kind not in self._taken:
            obj = getattr(self.mj.mjtObj, "mjOBJ_" + kind)
            count = {"BODY": "nbody", "JOINT": "njnt"}.get(kind, "n" + kind.lower())
            n = int(getattr(self.m, count, 0))
            self._taken[kind] = {self.mj.mj_id2name(self.m, obj, i) or "" for i in range(n)}
        taken = self._taken[kind]
        wanted, k = name, 2
        while wanted in taken:
            wanted, k = f"{name}_{k}", k + 1
        taken.add(wanted)
        return wanted

    # ------------------------------------------------------------------ bodies and joints

    def _world(self) -> None:
        visuals, collisions = self._shapes(0)
        if not visuals and not collisions:
            return
        self.body_link[0] = 0
        self.links.append(_core.RobotLink(self.body_name[0], collisions=collisions,
                                          visuals=visuals))
        self.joints.append(_core.RobotJoint(self.fresh("JOINT", "world"), "fixed", -1, 0))

    def _add(self, joint: _core.RobotJoint, link: _core.RobotLink) -> int:
        self.links.append(link)
        self.joints.append(joint)
        return len(self.links) - 1

    def _body(self, b: int) -> None:
        m = self.m
        parent = int(m.body_parentid[b])
        over = -1 if parent == 0 else self.body_link[parent]
        p = self.shift[parent] + m.body_pos[b]
        q = np.array(m.body_quat[b])
        first, count = int(m.body_jntadr[b]), int(m.body_jntnum[b])
        joints = range(first, first + count)
        types = self.mj.mjtJoint
        anchor = np.zeros(3)
        for j in joints:
            kind = int(m.jnt_type[j])
            last = j == first + count - 1
            name = self.body_name[b] if last else self.fresh(
                "BODY", f"{self.body_name[b]}/{self.joint_name[j]}")
            if kind == types.mjJNT_FREE:
                p, q = np.zeros(3), np.array([1.0, 0, 0, 0])
            elif kind != types.mjJNT_SLIDE:
                p = p + rotation(q) @ (m.jnt_pos[j] - anchor)
                anchor = np.array(m.jnt_pos[j])
            joint = self._joint(j, over, p, q)
            self.joint_of[j] = len(self.joints)
            over = self._add(joint, _core.RobotLink(name))
            p, q = np.zeros(3), np.array([1.0, 0, 0, 0])
        if count == 0:
            over = self._add(_core.RobotJoint(self.fresh("JOINT", f"{self.body_name[b]}_fixed"),
                                              "fixed", over, len(self.links), frame=pose_row(p, q)),
                             _core.RobotLink(self.body_name[b]))
        self.body_link[b] = over
        self.shift[b] = -anchor
        link = self.links[over]
        link.mass = float(m.body_mass[b])
        link.centre = m.body_ipos[b] + self.shift[b]
        axes = rotation(m.body_iquat[b])
        inertia = axes @ np.diag(m.body_inertia[b]) @ axes.T
        link.inertia = (inertia + inertia.T) / 2
        link.visuals, link.collisions = self._shapes(b)
        if m.body_mocapid[b] >= 0:
            self._mocap(b, link)
        if m.body_gravcomp[b]:
            self.left.add("gravity compensations of bodies", self.body_name[b],
                          "Tree.gravity_compensation gives them")

    def _mocap(self, b: int, link: _core.RobotLink) -> None:
        if np.any(self.m.body_parentid[1:] == b):
            self.left.add("mocap bodies that carry others", self.body_name[b],
                          "they stay where they are")
            return
        self.mocap.append(link.name)
        if link.collisions:
            self.left.add("geoms of mocap bodies that may touch", self.body_name[b],
                          "what leads touches nothing in a scene")

    @staticmethod
    def is_usual(solref: Array, solimp: Array) -> bool:
        """Whether MuJoCo's softness of a constraint is what it is where a file does not say."""
        return bool(np.allclose(solref, (0.02, 1)) and
                    np.allclose(solimp, (0.9, 0.95, 0.001, 0.5, 2)))

    def has_one(self, j: int) -> bool:
        """Whether a joint has one coordinate."""
        return int(self.m.jnt_type[j]) in (int(self.mj.mjtJoint.mjJNT_SLIDE),
                                           int(self.mj.mjtJoint.mjJNT_HINGE))

    def _joint(self, j: int, over: int, p: Array, q: Array) -> _core.RobotJoint:
        m, types = self.m, self.mj.mjtJoint
        word = {int(types.mjJNT_FREE): "free", int(types.mjJNT_BALL): "ball",
                int(types.mjJNT_SLIDE): "prismatic",
                int(types.mjJNT_HINGE): "revolute"}[int(m.jnt_type[j])]
        at, dof = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
        name = self.joint_name[j]
        start = m.qpos0[at:at + {"free": 7, "ball": 4}.get(word, 1)]
        out = _core.RobotJoint(name, word, over, len(self.links))
        one = word in ("revolute", "prismatic")
        if one:
            axis = np.array(m.jnt_axis[j])
            ref = float(start[0])
            if word == "revolute":
                q = turns.product(q, turn(axis, -ref))
            else:
                p = p - ref * (rotation(q) @ axis)
            out.axis = axis
            out.stiffness = 0.0 if "spring" in self.off else float(m.jnt_stiffness[j])
            out.reference = float(m.qpos_spring[at])
            out.position = start if ref else None
            if m.jnt_limited[j] and "limit" not in self.off:
                out.lower, out.upper = (float(v) for v in m.jnt_range[j])
            if m.jnt_actfrclimited[j]:
                out.effort = self.symmetric(m.jnt_actfrcrange[j], "force limits of joints", name)
        else:
            out.position = start
            if m.jnt_limited[j] and "limit" not in self.off and m.jnt_range[j][1] < np.pi:
                out.upper = float(m.jnt_range[j][1])
            if m.jnt_stiffness[j] and (word != "ball" or m.qpos_spring[at] < 1 - 1e-12):
                self.left.add("springs of free joints, and of ball joints that rest turned", name)
            elif "spring" not in self.off:
                out.stiffness = float(m.jnt_stiffness[j])
        out.frame = pose_row(p, q)
        out.damping = 0.0 if "damper" in self.off else float(m.dof_damping[dof])
        out.friction = 0.0 if "frictionloss" in self.off else float(m.dof_frictionloss[dof])
        out.armature = float(m.dof_armature[dof])
        for values, what in (("dof_dampingpoly", "damping that grows with velocity"),
                             ("jnt_stiffnesspoly", "springs that are not linear")):
            poly = getattr(m, values, None)
            if poly is not None and np.any(poly[dof if values[0] == "d" else j]):
                self.left.add(what, name, "the linear part is kept")
        soft = [w for w, on in (("limits", m.jnt_limited[j] and not (
            self.is_usual(m.jnt_solref[j], m.jnt_solimp[j]) and m.jnt_margin[j] == 0)),
            ("dry friction", m.dof_frictionloss[dof] and not self.is_usual(
                m.dof_solref[dof], m.dof_solimp[dof]))) if on]
        for what in soft:
            self.left.add(f"softness of {what} of joints (solref, solimp, margin)", name,
                          "the law of the joint's own holds")
        if m.jnt_actgravcomp[j]:
            self.left.add("gravity compensations by actuators", name)
        return out

    def symmetric(self, bounds: Array, what: str, name: str) -> float:
        """The bound of a range that is symmetric, or the smaller one."""
        lower, upper = (float(v) for v in bounds)
        if abs(lower + upper) > 1e-12 * (abs(lower) + abs(upper)):
            self.left.add(f"{what} that are not symmetric", name, "the smaller side holds for both")
        return max(0.0, min(-lower, upper))

    # ------------------------------------------------------------------ geometry

    def _shapes(self, b: int) -> tuple[list[_core.RobotShape], list[_core.RobotShape]]:
        """Visuals and collisions of a body."""
        m = self.m
        visuals, collisions = [], []
        first = int(m.body_geomadr[b])
        for g in range(first, first + int(m.body_geomnum[b])):
            shape = self._shape(g, b)
            if shape is None:
                continue
            touches = bool(m.geom_contype[g] or m.geom_conaffinity[g]) and "contact" not in self.off
            seen = m.geom_group[g] <= 2 and shape.rgba[3] > 0
            if touches:
                self._contact_notes(g)
                collisions.append(shape)
            if seen and shape.kind not in ("half_space", "field"):
                look = shape.copy()
                if look.kind == "hull":
                    look.kind = "mesh"
                visuals.append(look)
            if not touches and not seen:
                self.left.add("geoms that neither touch nor show", shape.name)
        return visuals, collisions

    def _shape(self, g: int, b: int) -> _core.RobotShape | None:
        m, types = self.m, self.mj.mjtGeom
        kind = int(m.geom_type[g])
        size = np.array(m.geom_size[g], float)
        name = self.mj.mj_id2name(m, self.mj.mjtObj.mjOBJ_GEOM, g) or ""
        rgba = np.array(m.geom_rgba[g], float)
        material = int(m.geom_matid[g])
        if material >= 0 and np.array_equal(m.geom_rgba[g], np.float32([0.5, 0.5, 0.5, 1])):
            rgba = np.array(m.mat_rgba[material], float)
        friction = 0.0 if m.geom_condim[g] == 1 else float(m.geom_friction[g][0])
        options: dict[str, Any] = {
            "name": name, "rgba": rgba, "friction": friction,
            "frame": pose_row(m.geom_pos[g] + self.shift[b], m.geom_quat[g])}
        if g in self._layers:
            options["layer"] = self._layers[g]
        if g in self._pressures:
            options["hydroelastic"] = self._pressures[g]
        if kind == types.mjGEOM_PLANE:
            return _core.RobotShape("half_space", **options)
        if kind in (types.mjGEOM_MESH, types.mjGEOM_SDF):
            return self._mesh(g, kind == types.mjGEOM_SDF, options)
        if kind == types.mjGEOM_HFIELD:
            return self._field(g, options)
        word, used = {int(types.mjGEOM_SPHERE): ("sphere", 1),
                      int(types.mjGEOM_CAPSULE): ("capsule", 2),
                      int(types.mjGEOM_ELLIPSOID): ("ellipsoid", 3),
                      int(types.mjGEOM_CYLINDER): ("cylinder", 2),
                      int(types.mjGEOM_BOX): ("box", 3)}.get(kind, ("", 0))
        if not word:
            self.left.add("geoms of kinds that are not known", name)
            return None
        return _core.RobotShape(word, size[:used], **options)

    def _mesh(self, g: int, exact: bool, options: dict[str, Any]) -> _core.RobotShape:
        m = self.m
        i = int(m.geom_dataid[g])
        as_is = exact or bool({"layer", "hydroelastic"} & options.keys())
        word = "hull" if self.hulls and not as_is else "mesh"
        if exact:
            self.left.add("signed distance fields of geoms", options["name"],
                          "the surface of the mesh stands for them")
        if (i, word) not in self._meshes:
            v, f = int(m.mesh_vertadr[i]), int(m.mesh_faceadr[i])
            mesh = _core.TriMesh(np.array(m.mesh_vert[v:v + m.mesh_vertnum[i]], float),
                                 np.array(m.mesh_face[f:f + m.mesh_facenum[i]], int))
            name = self.mj.mj_id2name(m, self.mj.mjtObj.mjOBJ_MESH, i) or ""
            self._meshes[i, word] = _core.RobotShape(word, mesh=mesh,
                                                     file=self.mesh_files.get(name, name))
        shape = self._meshes[i, word].copy()
        for key, value in options.items():
            setattr(shape, key, value)
        return shape

    def _field(self, g: int, options: dict[str, Any]) -> _core.RobotShape:
        m = self.m
        i = int(m.geom_dataid[g])
        rows, columns = int(m.hfield_nrow[i]), int(m.hfield_ncol[i])
        start = int(m.hfield_adr[i])
        data = np.array(m.hfield_data[start:start + rows * columns], float).reshape(rows, columns)
        x, y, top, _ = (float(v) for v in m.hfield_size[i])
        return _core.RobotShape("field", heights=top * data,
                                spacing=(2 * x / (columns - 1), 2 * y / (rows - 1)), **options)

    def _contact_notes(self, g: int) -> None:
        """What of a geom's contact has no counterpart."""
        m = self.m
        name = self.mj.mj_id2name(m, self.mj.mjtObj.mjOBJ_GEOM, g) or ""
        if m.geom_condim[g] > 3:
            self.left.add("torsional and rolling friction of geoms", name)
        if m.geom_priority[g]:
            self.left.add("contact priorities of geoms", name)
        if m.geom_margin[g] or m.geom_gap[g]:
            self.left.add("contact margins of geoms", name)
        if not self.is_usual(m.geom_solref[g], m.geom_solimp[g]):
            self.left.add("contact softness (solref, solimp) of geoms", name,
                          "the scene's contact law holds")
        for values, what in (("geom_adhesion", "adhesion of geoms"),
                             ("geom_surfacevel", "surface velocities of geoms")):
            given = getattr(m, values, None)
            if given is not None and np.any(given[g]):
                self.left.add(what, name)

    # ------------------------------------------------------------------ frames

    def in_link(self, b: int, p: Array, q: Array) -> tuple[str, Array]:
        """The link's name and the pose in it of a frame given in a body."""
        link = "" if b == 0 else self.links[self.body_link[b]].name
        return link, pose_row(p + self.shift[b], q)

    def _frames(self) -> None:
        m = self.m
        for b in range(1, m.nbody):
            self.frames.append(MjcfFrame(self.body_name[b], "body", *self.in_link(
                b, np.zeros(3), np.array([1.0, 0, 0, 0]))))
        for s in range(m.nsite):
            self.frames.append(MjcfFrame(self.name("SITE", s, f"site_{s}"), "site", *self.in_link(
                int(m.site_bodyid[s]), m.site_pos[s], m.site_quat[s])))
        for c in range(m.ncam):
            name = self.name("CAMERA", c, f"camera_{c}")
            self.frames.append(MjcfFrame(name, "camera", *self.in_link(
                int(m.cam_bodyid[c]), m.cam_pos[c], m.cam_quat[c])))
            if m.cam_mode[c] != self.mj.mjtCamLight.mjCAMLIGHT_FIXED:
                self.left.add("cameras that track or target", name,
                              "their place at the start is kept")
