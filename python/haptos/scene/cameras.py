"""Cameras of a scene: colours, depth, and which body each pixel shows (docs/sensors/cameras.md)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.arrays import in_place
from haptos.base.turns import quaternion, rotation
from haptos.meshes.skin import points_skin
from haptos.scene.shown import STILL, ShownBody, shown_bodies, shown_planes

if TYPE_CHECKING:
    from haptos.scene.sim import Sim

Array = NDArray[Any]


class CameraPose(NamedTuple):
    """Of a camera's frame (x along the rows of a picture, y down, z forward), world."""

    position: Array  #: (env, 3) [m]
    turn: Array  #: (env, 3, 3), columns are the axes

    @property
    def rows(self) -> Array:
        """x y z [m], w x y z, (env, 7)."""
        return np.hstack([self.position, [quaternion(turn) for turn in self.turn]])


class SceneCamera:
    """A camera of a Sim: sim.cameras[name]. Every reading is of now, env axis first."""

    def __init__(self, sim: Sim, entry: dict[str, Any]) -> None:
        self._sim, self._entry = sim, entry
        self.name: str = entry["name"]
        self.width, self.height = int(entry["width"]), int(entry["height"])
        #: distance at which a pixel is as wide as it is far [pixel]
        self.focal = 0.5 * self.height / np.tan(0.5 * float(entry["fov"]))
        #: what is nearer or farther along z is not seen [m]
        self.near, self.far = float(entry["near"]), float(entry["far"])
        self._lens = (self.focal, self.width, self.height, self.near, self.far)

    @property
    def frame(self) -> str | None:
        """What carries it; None: the world."""
        return self._entry["frame"]

    @property
    def intrinsics(self) -> Array:
        """K (3, 3) [pixel]: a point (x, y, z) of the camera's frame is in column K[0] . x / z, row
        K[1] . x / z; the middle of the first pixel is at 0, 0."""
        return np.array([[self.focal, 0, 0.5 * (self.width - 1)],
                         [0, self.focal, 0.5 * (self.height - 1)], [0, 0, 1]])

    @property
    def pose(self) -> CameraPose:
        """Where the camera is."""
        own = np.asarray(self._entry["pose"], float)
        carried = (np.broadcast_to(STILL, (self._sim.envs, 7)) if self.frame is None
                   else self._sim.pose(self.frame))
        turn = np.stack([rotation(p[3:]) for p in carried])
        return CameraPose(carried[:, :3] + turn @ own[:3], turn @ rotation(own[3:]))

    def rgb(self) -> NDArray[np.uint8]:
        """Colours, sRGB, (env, height, width, 3)."""
        shadows, samples = bool(self._entry["shadows"]), int(self._entry["samples"])
        return in_place(np.stack([scene.picture(row, *self._lens, samples, shadows)
                                  for scene, row in self._each()]))

    def depth(self) -> NDArray[np.float32]:
        """Depth along the camera's z, not along rays [m], (env, height, width); infinite where
        nothing is seen between near and far."""
        return in_place(self._ranges()[0])

    def bodies(self) -> NDArray[np.int32]:
        """Numbers of the bodies that are seen, as of sim.body_id(), (env, height, width); -1:
        nothing."""
        meshes = self._ranges()[1]
        ids = np.array([*self._sim.shown.ids, -1], np.int32)
        return in_place(ids[meshes])

    def points(self) -> Array:
        """What is seen, world [m], (env, height, width, 3); NaN where nothing is."""
        depth = self.depth().astype(float)
        column, row = np.meshgrid(np.arange(self.width), np.arange(self.height))
        k, at = self.intrinsics, self.pose
        ray = np.stack([(column - k[0, 2]) / k[0, 0], (row - k[1, 2]) / k[1, 1], np.ones(column.shape)], -1)
        depth[~np.isfinite(depth)] = np.nan
        local = depth[..., None] * ray
        return in_place(np.einsum("eij,ehwj->ehwi", at.turn, local) + at.position[:, None, None])

    def _each(self) -> Iterator[tuple[_core.MovingScene, Array]]:
        for env, row in enumerate(self.pose.rows):
            yield self._sim.shown.at(env), row

    def _ranges(self) -> tuple[Array, Array]:
        found = [scene.range(row, *self._lens) for scene, row in self._each()]
        shape = (self._sim.envs, self.height, self.width)
        return np.stack([f[0] for f in found]).reshape(shape), np.stack([f[1] for f in found]).reshape(shape)


class ShownScene:
    """The bodies of a Sim as cameras see them, one environment after the other."""

    def __init__(self, sim: Sim) -> None:
        self._sim = sim
        self._show(0)
        self._scene: _core.MovingScene | None = None
        self._flows = any(b.kind == "material_points" for b in self._bodies)
        #: of each mesh, then of each plane, the number of its body
        self.ids = [self._body_id(b) for b in self._bodies] + [sim.body_id(p.name) for p in self._planes]

    def _show(self, env: int) -> None:
        bodies, links = shown_bodies(self._sim, env)
        self._of = self._sim.entries_of(env)
        self._bodies = [b for b in bodies if len(b.triangles) or b.kind == "material_points"]
        self._links = {part: (robot, link) for part, robot, link in links}
        self._planes = shown_planes(self._sim, env)

    def _body_id(self, body: ShownBody) -> int:
        if body.name not in self._links:
            return self._sim.body_id(body.name)
        robot, link = self._links[body.name]
        return self._sim.link_id(robot) + link

    def at(self, env: int) -> _core.MovingScene:
        """All bodies where they are in an environment now."""
        sim = self._sim
        if sim.entries_of(env) is not self._of:  # of another scene
            self._show(env)
            self._scene = None
        if self._scene is None or self._flows:
            self._scene = self._made(env)
        poses = {n: r.link_poses[env] for n, r in sim.robots.items()}
        for k, body in enumerate(self._bodies):
            if body.kind in ("soft", "affine"):
                self._scene.reshape(k, sim.positions(body.name)[env])
            elif body.kind == "robots":
                robot, link = self._links[body.name]
                self._scene.place(k, poses[robot][link])
            elif body.kind == "prescribed":
                self._scene.place(k, sim.pose(body.name)[env])
        return self._scene

    def _made(self, env: int) -> _core.MovingScene:
        scene = _core.RenderScene()
        for body in self._bodies:
            x, triangles = body.vertices, body.triangles
            if body.kind == "material_points":
                skin = points_skin(self._sim.material_points[body.name].position[env], body.spacing)
                x, triangles = np.asarray(skin.mesh.vertices), np.asarray(skin.mesh.triangles)
            scene.add_mesh(x, triangles, color=body.color, opacity=max(0.2, body.opacity),
                           finish=body.finish, crease_angle=body.crease_angle)
        return _core.MovingScene(scene, np.reshape([p.normal for p in self._planes], (-1, 3)),
                                 [p.offset for p in self._planes])
