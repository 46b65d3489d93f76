"""What a Sim reads of its bodies: places, velocities, contacts, wrenches.

Arrays are (env, item, component), with the env axis present for one environment too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from haptos import _core
from haptos.base.arrays import in_place, stack_envs
from haptos.base.errors import refuse
from haptos.meshes.given import remedy_for
from haptos.robots.view import RobotView

# The layout of ContactRow in python/bindings/sim.cpp.
CONTACT_DTYPE = np.dtype(
    [
        ("env", "i4"),
        ("body_a", "i4"),
        ("body_b", "i4"),
        ("sticking", "i4"),
        ("surface_a", "i4"),
        ("surface_b", "i4"),
        ("feature_a", "i8"),
        ("feature_b", "i8"),
        ("p", "f8", 3),
        ("n", "f8", 3),
        ("gap", "f8"),
        ("area", "f8"),
        ("force", "f8", 3),
        ("normal_force", "f8"),
        ("tangential_force", "f8", 3),
        ("slip", "f8", 3),
        ("friction", "f8"),
    ]
)


class Wrench(NamedTuple):
    """Force [N] and torque [N m], world frame, (env, 3) each."""

    force: NDArray[np.float64]
    torque: NDArray[np.float64]


class Readings:
    """The readings of a Sim, which has these."""

    _core: _core.Sim
    _each: list[_core.Sim]
    _entries: dict[str, list[dict[str, Any]]]
    _robots: Any

    @property
    def envs(self) -> int:
        """Number of environments."""
        return len(self._each)

    def names(self, kind: str) -> list[str]:
        """Names of the bodies of a kind: "soft", "prescribed", "robots", ..."""
        if kind not in self._entries:
            refuse("kind of body", f'"{kind}"', "is not known",
                   remedy_for(str(kind), list(self._entries), ""))
        return [e["name"] for e in self._entries[kind]]

    def _kind(self, name: str, *kinds: str) -> str:
        """The one of these kinds that the body is of. Raises InputError where it is of none."""
        for kind in kinds:
            if name in self.names(kind):
                return kind
        known = [n for kind in kinds for n in self.names(kind)]
        refuse(f'"{name}"', "", "is not the name of one of these bodies: " + ", ".join(kinds),
               remedy_for(str(name), known, "the scene has none of these kinds"))

    def positions(self, name: str) -> NDArray[np.float64]:
        """World positions [m] of a soft body's vertices, or of those of the surface of a prescribed
        or an affine body, (env, V, 3)."""
        kind = self._kind(name, "soft", "prescribed", "affine")
        return self._stack(f"{kind}_positions", name)

    def pose(self, name: str) -> NDArray[np.float64]:
        """Pose of the frame of a prescribed body, an affine body, a rigid body or a link
        ("robot/link"): x y z [m], w x y z; (env, 7). Of an affine body the rotation is the one
        nearest to its axes."""
        if (link := self._link(name)) is not None:
            return link[0].link_pose(link[1])
        return self._stack(f"{self._kind(name, 'prescribed', 'affine')}_pose", name)

    def carrier_pose(self, name: str) -> NDArray[np.float64]:
        """Pose of a prescribed body, an affine body or a link ("robot/link"), x y z [m], w x y z,
        as what is glued to it sees it; (env, 7).

        Points that a link carries move straight within a step; this is the pose nearest to where
        they got, which differs from robot(...).link_pose by the square of the step's angle.
        """
        return self._stack("carrier_pose", name)

    def link_surfaces(self, name: str, env: int = 0) -> list[_core.TriMesh]:
        """Surfaces of the collision shapes of a link ("robot/link") that soft, affine and
        prescribed bodies meet, where the last step left them [m], world; [] where none is met."""
        return self._each[env].link_surfaces(name)

    def velocity(self, name: str) -> NDArray[np.float64]:
        """Velocity of an affine body's centre of mass, or of the origin of a rigid body's or a
        link's ("robot/link") frame, world axes: linear [m/s], angular [rad/s]; (env, 6)."""
        if (link := self._link(name)) is not None:
            return link[0].link_velocity(link[1])
        return self._stack(f"{self._kind(name, 'affine')}_velocity", name)

    def _link(self, name: str) -> tuple[RobotView, str] | None:
        """The robot and the link of a rigid body or of "robot/link"; None for other names."""
        view = self._robots.get(name)
        if view is None:
            robot, _, link = name.rpartition("/")
            return (self._robots[robot], link) if robot in self._robots else None
        if len(view.link_names) > 1:
            refuse(f'robot "{name}"', "", "has several links",
                   f'name one, for example "{name}/{view.link_names[0]}"')
        return view, view.link_names[0]

    def strain(self, name: str) -> NDArray[np.float64]:
        """Largest entry of A^T A - 1 of an affine body, how far from rigid it is; (env,)."""
        return in_place(np.array([c.affine_strain(name) for c in self._each]))

    def mass(self, name: str, env: int = 0) -> float:
        """Mass of an affine body as described [kg], without what is glued to it; env: of which
        environment, where they are of several scenes."""
        self._kind(name, "affine")
        return self._each[env].affine_masses()[self.names("affine").index(name)]

    def mesh(self, name: str, env: int = 0) -> _core.TetMesh:
        """The mesh of a soft body as simulated (refined when composite), at rest [m]; env: of which
        environment, where they are of several scenes."""
        return self._each[env].soft_model(name)["mesh"]

    def surface(self, name: str) -> NDArray[np.int32]:
        """Surface triangles of a soft body as vertices of positions(name), outward, (T, 3)."""
        model = self._core.soft_model(name)
        return in_place(np.asarray(model["surface_vertices"])[model["surface"].triangles])

    def coat(self, name: str) -> NDArray[np.int32]:
        """Triangles of the sensing surface as vertices of positions(name), (T, 3)."""
        return self._core.soft_model(name)["coat"]

    @property
    def contacts(self) -> NDArray[np.void]:
        """Contacts of the last step, one structured record each, (C,), of all environments.

        Fields: env; body_a, body_b (see body_name); surface_a, surface_b: which surface of the body,
        of a link the number of its collision shape, else 0; feature_a, feature_b; p [m], n (from b
        to a), gap [m], area [m2], force on a [N], normal_force, tangential_force, slip [m/s], friction,
        sticking. Force acts on a, its opposite on b.
        """
        rows = [c.contacts().view(CONTACT_DTYPE)[:, 0] for c in self._each]
        for k, r in enumerate(rows):
            r["env"] = k
        return rows[0] if self.envs == 1 else np.concatenate(rows)

    def body_name(self, body: int) -> str:
        """Name of a body as numbered in contacts."""
        return self._core.body_name(body)

    def body_id(self, name: str) -> int:
        """Number of a body in contacts; of a link of a robot by "robot/link"."""
        return self._core.body_id(name)

    def link_id(self, robot: str, link: str | None = None) -> int:
        """Number in contacts of a link of a robot, default its first; the others follow."""
        self._kind(robot, "robots")
        links = self._robots[robot].link_names
        return self.body_id(robot if len(links) == 1 else f"{robot}/{link or links[0]}")

    def reaction(self, name: str, about: ArrayLike = (0.0, 0.0, 0.0)) -> Wrench:
        """What the scene did to a prescribed body, an affine body or a link ("robot/link") in the
        last step: contact, glue and constraints together; of a link without its frozen contact.

        about (3): point that torques refer to [m].
        """
        return self._wrench("reaction", name, about)

    def contact_wrench(self, name: str, about: ArrayLike = (0.0, 0.0, 0.0), *,
                       by: str | None = None) -> Wrench:
        """What contact alone, friction included, did to a body, a robot or one of its links
        ("robot/link") in the last step.

        about (3): point that torques refer to [m]; by: what contact with this body, robot or link
        alone did, by places of sim.contacts, which are those of the end of the step.
        """
        if by is None:
            return self._wrench("contact_wrench", name, about)
        mine, other, rows = self._body_ids(name), self._body_ids(by), self.contacts
        force, torque = np.zeros((self.envs, 3)), np.zeros((self.envs, 3))
        for a, b, sign in (("body_a", "body_b", 1.0), ("body_b", "body_a", -1.0)):
            found = rows[np.isin(rows[a], mine) & np.isin(rows[b], other)]
            np.add.at(force, found["env"], sign * found["force"])
            np.add.at(torque, found["env"],
                      sign * np.cross(found["p"] - np.asarray(about, float), found["force"]))
        return Wrench(force, torque)

    def _body_ids(self, name: str) -> list[int]:
        """Numbers in contacts of a body, or of all links of a robot."""
        if name not in self._robots:
            return [self.body_id(name)]
        return [self.link_id(name, link) for link in self._robots[name].link_names]

    def load_wrench(self, name: str, about: ArrayLike = (0.0, 0.0, 0.0)) -> Wrench:
        """What forces and pressures of the scene did to a soft body in the last step."""
        return self._wrench("load_wrench", name, about)

    def inertia_wrench(self, name: str, about: ArrayLike = (0.0, 0.0, 0.0)) -> Wrench:
        """Rate of change of a soft or an affine body's momentum less its weight (gravity and its
        own acceleration), and less the load set on an affine body; contact, loads of a soft body
        and glue add up to it."""
        return self._wrench("inertia_wrench", name, about)

    def _stack(self, reader: str, name: str) -> NDArray[np.float64]:
        """What every environment reads, (env, ...)."""
        return stack_envs([getattr(c, reader)(name) for c in self._each])

    def _wrench(self, reader: str, name: str, about: ArrayLike) -> Wrench:
        pairs = [getattr(c, reader)(name, about) for c in self._each]
        return Wrench(stack_envs([p[0] for p in pairs]), stack_envs([p[1] for p in pairs]))

