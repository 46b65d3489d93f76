"""Boundary-layer contacts for MuJoCo, by its Python package.

    with haptos.layers.mujoco.LayerContacts(model, {"mug": "2.5 mm"}):
        mujoco.mj_step(model, data)

Pairs in which a geom has a layer are taken from MuJoCo's collision and given to this one; the
contacts that it finds are MuJoCo's own from there on: its solver, its friction, its solref and
solimp. Meshes count as they are, not as their hulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np

from haptos import _core
from haptos.base.errors import refuse
from haptos.layers.contacts import contacts
from haptos.layers.surface import Surface


def _mujoco() -> Any:
    try:
        import mujoco
    except ImportError:
        refuse("mujoco", "missing", "is the package whose scenes get contacts",
               "pip install mujoco")
    return mujoco


def surface_of_geom(model: Any, geom: int, layer: float | str = 0.0) -> Surface:
    """A geom of a mujoco.MjModel as a surface, in the frame of its geom_xpos and geom_xmat.

    layer: width [m], or a text with a unit. Spheres, capsules, ellipsoids, cylinders, boxes, planes,
    meshes and height fields; InputError for others.
    """
    g = _mujoco().mjtGeom
    size = np.array(model.geom_size[geom])
    kind = int(model.geom_type[geom])
    shape = _core.RobotShape
    if kind == g.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        face, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        return Surface((np.array(model.mesh_vert[first:first + count], float),
                        np.array(model.mesh_face[face:face + faces])), layer)
    if kind == g.mjGEOM_HFIELD:
        field = int(model.geom_dataid[geom])
        rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
        first = int(model.hfield_adr[field])
        x, y, top, _ = model.hfield_size[field]
        heights = top * np.array(model.hfield_data[first:first + rows * columns], float)
        spacing = (2 * x / (columns - 1), 2 * y / (rows - 1))
        return Surface(shape("field", heights=heights.reshape(rows, columns), spacing=spacing),
                       layer)
    kinds = {g.mjGEOM_PLANE: ("half_space", None), g.mjGEOM_SPHERE: ("sphere", size[:1]),
             g.mjGEOM_CAPSULE: ("capsule", size[:2]), g.mjGEOM_ELLIPSOID: ("ellipsoid", size),
             g.mjGEOM_CYLINDER: ("cylinder", size[:2]), g.mjGEOM_BOX: ("box", size)}
    if kind not in kinds:
        refuse(f"geom {geom}", g(kind).name, "has no surface",
               "give layers to spheres, capsules, ellipsoids, cylinders, boxes, planes, meshes and "
               "height fields")
    name, numbers = kinds[kind]
    return Surface(shape(name, numbers), layer)


class LayerContacts:
    """Finds the contacts of some geoms of a model by boundary layers, while it is entered.

    MuJoCo asks its contact filter about every pair of geoms that are near; there this one adds its
    contacts and declines MuJoCo's. The filter is one for all of a process: only one may be entered
    at a time, and another filter is put back at the end.

    model: mujoco.MjModel; geom_margin and geom_gap of geoms with layers are set, so that MuJoCo
    sees the pairs in time. layers: width of each geom by its name or number [m], or texts with
    units; a pair needs one with a layer, the other geom of it may be any. most: contacts of a pair
    from which on they are merged, so that force and torque stay; 0: never.

    Friction, condim, solref and solimp of a contact are mixed of both geoms as MuJoCo does. Of
    stiffness: MuJoCo scales that of each contact by its mass, whatever its area.
    """

    def __init__(self, model: Any, layers: Mapping[Any, float | str], *, most: int = 32) -> None:
        self._mujoco = _mujoco()
        self._model = model
        self._most = most
        self._surfaces: dict[int, Surface] = {}
        self._layered: set[int] = set()
        self._before: Any = None
        self.full = 0  #: contacts that MuJoCo had no room for
        for key, layer in layers.items():
            geom = self._geom(key)
            self._surfaces[geom] = surface_of_geom(model, geom, layer)
            if self._surfaces[geom].layer > 0:
                self._layered.add(geom)
        if not self._layered:
            refuse("layers", str(dict(layers)), "must name a geom with a layer above 0",
                   'give for example {"mug": "2.5 mm"}')
        widest = max(s.layer for s in self._surfaces.values())
        for geom in self._layered:
            margin = self._surfaces[geom].layer + widest
            extra = max(0.0, margin - float(model.geom_margin[geom]))
            model.geom_margin[geom] += extra
            model.geom_gap[geom] += extra

    def _geom(self, key: Any) -> int:
        if isinstance(key, str):
            names = [self._model.geom(i).name for i in range(self._model.ngeom)]
            if key not in names:
                near = _core.nearest_name(key, [n for n in names if n])
                refuse("layers", f'"{key}"', "is no geom of the model",
                       f'write "{near}"?' if near else "give a number")
            return names.index(key)
        geom = int(key)
        if not 0 <= geom < self._model.ngeom:
            refuse("layers", str(geom), "is no geom of the model",
                   f"there are {self._model.ngeom}")
        return geom

    def __enter__(self) -> LayerContacts:
        self._before = self._mujoco.get_mjcb_contactfilter()
        self._mujoco.set_mjcb_contactfilter(self._filter)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self._mujoco.set_mjcb_contactfilter(self._before)

    def _surface(self, geom: int) -> Surface:
        if geom not in self._surfaces:
            self._surfaces[geom] = surface_of_geom(self._model, geom)
        return self._surfaces[geom]

    def _filter(self, model: Any, data: Any, geom1: int, geom2: int) -> int:
        if not {geom1, geom2} & self._layered:
            return self._before(model, data, geom1, geom2) if self._before else 0
        found = contacts(self._surface(geom1), self._surface(geom2), _pose(data, geom1),
                         _pose(data, geom2), most=self._most)
        if len(found) == 0:
            return 1
        con = self._mixed(model, geom1, geom2)
        for k in range(len(found)):
            # MuJoCo's normal is from the first geom to the second.
            con.frame[:] = _frame(-found.normal[k])
            con.pos[:], con.dist = found.point[k], found.gap[k]
            self.full += self._mujoco.mj_addContact(model, data, con)
        return 1

    def _mixed(self, model: Any, geom1: int, geom2: int) -> Any:
        con = self._mujoco.MjContact()
        p1, p2 = int(model.geom_priority[geom1]), int(model.geom_priority[geom2])
        w1, w2 = float(model.geom_solmix[geom1]), float(model.geom_solmix[geom2])
        share = 0.5 if w1 + w2 <= 0 else w1 / (w1 + w2)
        if p1 != p2:
            share = 1.0 if p1 > p2 else 0.0
            top = geom1 if p1 > p2 else geom2
            friction, con.dim = model.geom_friction[top], int(model.geom_condim[top])
        else:
            friction = np.maximum(model.geom_friction[geom1], model.geom_friction[geom2])
            con.dim = max(int(model.geom_condim[geom1]), int(model.geom_condim[geom2]))
        con.friction[:] = friction[[0, 0, 1, 2, 2]]
        r1, r2 = model.geom_solref[geom1], model.geom_solref[geom2]
        blend = share * r1 + (1 - share) * r2
        con.solref[:] = blend if r1[0] > 0 and r2[0] > 0 else np.minimum(r1, r2)
        con.solimp[:] = share * model.geom_solimp[geom1] + (1 - share) * model.geom_solimp[geom2]
        con.geom1, con.geom2 = geom1, geom2
        con.geom[:] = geom1, geom2
        con.flex[:] = con.elem[:] = con.vert[:] = -1
        con.includemargin = 0.0
        return con


def _frame(normal: Any) -> Any:
    across = np.array([0.0, 1.0, 0.0]) if abs(normal[1]) < 0.5 else np.array([0.0, 0.0, 1.0])
    across -= normal * (normal @ across)
    across /= np.linalg.norm(across)
    return np.concatenate([normal, across, np.cross(normal, across)])


def _pose(data: Any, geom: int) -> Any:
    pose = np.eye(4)
    pose[:3, :3] = np.reshape(data.geom_xmat[geom], (3, 3))
    pose[:3, 3] = data.geom_xpos[geom]
    return pose
