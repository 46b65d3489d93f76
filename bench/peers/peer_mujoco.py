"""MuJoCo's driver of bench/peers (scene.py).

Options: solver (Newton, CG, PGS), cone (pyramidal, elliptic), iterations, tolerance, impratio,
noslip (iterations); timeconst, of solref, in time steps (2 is the least that MuJoCo allows), 0.02 s
as in MuJoCo where left out; impedance, of solimp, at any depth, 0.9 to 0.95 where left out.
"""


import mujoco
import numpy as np
from scene import Scene, drive


class Mujoco:

    def __init__(self, s: Scene) -> None:
        o = s.options
        words = {"solver": o.get("solver", "Newton"), "cone": o.get("cone", "pyramidal"),
                 "iterations": o.get("iterations", "100"), "tolerance": o.get("tolerance", "1e-8"),
                 "impratio": o.get("impratio", "1"), "noslip_iterations": o.get("noslip", "0"),
                 "timestep": repr(s.dt), "gravity": f"0 0 {-s.gravity!r}"}
        row = lambda x: " ".join(repr(float(v)) for v in x)  # noqa: E731
        geom = f'friction="{s.mu!r} 0 0" condim="3"'
        if "timeconst" in o:
            geom += f' solref="{s.number("timeconst", 2) * s.dt!r} 1"'
        if "impedance" in o:
            geom += f' solimp="{o["impedance"]} {o["impedance"]} .001"'
        xml = ["<mujoco><option " + " ".join(f'{k}="{v}"' for k, v in words.items()) + "/>",
               f'<worldbody><geom type="plane" size="0 0 1" zaxis="{row(s.normal)}" {geom}/>']
        for b in s.bodies:
            shape = (f'type="box" size="{row([b.size / 2] * 3)}"' if b.box else
                     f'type="sphere" size="{b.size!r}"')
            xml.append(f'<body pos="{row(b.p)}" quat="{row(b.q)}"><freejoint/>'
                       f'<geom {shape} mass="{b.mass!r}" {geom}/></body>')
        self.m = mujoco.MjModel.from_xml_string("".join(xml) + "</worldbody></mujoco>")
        self.d = mujoco.MjData(self.m)
        self.normal = s.normal
        self.version, self.not_converged = mujoco.__version__, 0
        self.iterations = 0

    def step(self) -> None:
        mujoco.mj_step(self.m, self.d)

    def positions(self) -> np.ndarray:
        return self.d.qpos.reshape(-1, 7)[:, :3].copy()

    def contacts(self) -> int:
        return self.d.ncon

    def ground_force(self) -> float:
        sum_, f = 0.0, np.zeros(6)
        for k in range(self.d.ncon):
            c = self.d.contact[k]
            if 0 in c.geom:  # the plane is the first geom; its frame points from geom[0] to geom[1]
                mujoco.mj_contactForce(self.m, self.d, k, f)
                force = c.frame.reshape(3, 3).T @ f[:3]
                sum_ += float(force @ self.normal) * (1 if c.geom[0] == 0 else -1)
        return sum_


if __name__ == "__main__":
    drive(Mujoco)
