"""Haptos' driver of bench/peers (scene.py), through its Python API.

Options: law, anchored (0 or 1), near_rigid, stick_compliance, sag [m]; force_tolerance; stiffness
[N/m], relaxation_time [s], dissipation [s/m] (laws lagged and similar) of each body. What is not
given is Haptos' default.
"""

import numpy as np
from scene import Scene, drive

import haptos


class Haptos:

    def __init__(self, s: Scene) -> None:
        scene = haptos.Scene(dt=s.dt, gravity=(0, 0, -s.gravity))
        scene.sim.threads = 1
        options = scene.point_contact
        options.law = s.options.get("law", options.law)
        options.anchored = s.number("anchored", options.anchored) == 1
        for name in ("near_rigid", "stick_compliance", "sag"):
            setattr(options, name, s.number(name, getattr(options, name)))
        scene.newton.force_tolerance = s.number("force_tolerance", scene.newton.force_tolerance)
        scene.add_half_space("ground", s.normal)
        contact = {name: float(s.options[name])
                   for name in ("stiffness", "relaxation_time", "dissipation") if name in s.options}
        contact["friction"] = s.mu
        self.names = [f"body{k}" for k in range(len(s.bodies))]
        for name, b in zip(self.names, s.bodies, strict=True):
            shape = (haptos.RobotShape("box", [b.size / 2] * 3) if b.box else
                     haptos.RobotShape("sphere", b.size))
            scene.add_rigid(name, shape, mass=b.mass, position=b.p, quaternion=b.q, **contact)
        self.sim = scene.compile()
        self.views = [self.sim.robots[name] for name in self.names]
        self.normal = s.normal
        self.ids = {self.sim.body_id(name) for name in self.names}
        self.version = haptos.__version__
        self.reports = []

    def step(self) -> None:
        self.reports.append(self.sim.step())

    @property
    def not_converged(self) -> int:
        return sum(not r.ok for r in self.reports)

    @property
    def iterations(self) -> int:
        return int(sum(r.iterations[0] for r in self.reports))

    def positions(self) -> np.ndarray:
        return np.array([v.position[0, :3] for v in self.views])

    def contacts(self) -> int:
        return len(self.sim.contacts)

    def ground_force(self) -> float:
        c = self.sim.contacts
        sign = np.where(np.isin(c["body_a"], list(self.ids)), 1.0, -1.0)
        one = np.isin(c["body_a"], list(self.ids)) != np.isin(c["body_b"], list(self.ids))
        return float((sign[one] * (c["force"][one] @ self.normal)).sum())


if __name__ == "__main__":
    drive(Haptos)
