"""Material points with explicit steps, in taichi: what peers of that kind do, for points.py.

Quadratic splines and affine transfers (Jiang et al. 2015), the force from the gradient of the splines, corotated or weakly
compressible points, and at the grid's nodes on and behind walls no velocity into them, with Coulomb's friction.
"""

import numpy as np
import taichi as ti

ti.init(arch=ti.cpu, cpu_max_num_threads=1, default_fp=ti.f32, log_level=ti.ERROR)

ROOM = 4  # cells beside what is there at the start


@ti.data_oriented
class Explicit:
    def __init__(self, x: np.ndarray, volume: float, density: float, cell: float, dt: float, gravity: tuple[float, float, float],
                 young: float, poisson: float, *, friction: float, sound: float, walls: float) -> None:
        n = len(x)
        self.h, self.dt, self.volume, self.mass = cell, dt, volume, volume * density
        self.mu = young / (2 * (1 + poisson))
        self.la = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
        self.stiff = density * sound**2 / 7
        self.friction, self.walls = friction, walls
        self.gravity = ti.Vector(gravity)
        low = x.min(axis=0) - ROOM * cell
        high = x.max(axis=0) + ROOM * cell + np.array([4.0 if friction > 0 else 0.0, 0, 0])
        # A node lies in the floor and in the walls.
        self.low = ti.Vector([float(v) for v in np.floor(low / cell) * cell])
        shape = tuple(int(v) for v in np.ceil((high - low) / cell) + 1)
        self.x = ti.Vector.field(3, ti.f32, n)
        self.v = ti.Vector.field(3, ti.f32, n)
        self.C = ti.Matrix.field(3, 3, ti.f32, n)
        self.F = ti.Matrix.field(3, 3, ti.f32, n)
        self.J = ti.field(ti.f32, n)
        self.m = ti.field(ti.f32, shape)
        self.p = ti.Vector.field(3, ti.f32, shape)
        self.x.from_numpy(x.astype(np.float32))
        self.F.from_numpy(np.tile(np.eye(3, dtype=np.float32), (n, 1, 1)))
        self.J.fill(1.0)

    @ti.func
    def about(self, q):
        """The lowest of the 27 nodes about a point, how far the point is from it, in cells, and weights and slopes: a row a node along each axis."""
        at = (self.x[q] - self.low) / self.h
        base = ti.cast(at - 0.5, ti.i32)
        f = at - ti.cast(base, ti.f32)
        w = ti.Matrix.rows([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2])
        d = ti.Matrix.rows([f - 1.5, -2 * (f - 1), f - 0.5])
        return base, f, w, d

    @ti.func
    def part(self, f, w, d, a: ti.template(), b: ti.template(), c: ti.template()):
        """Of node a, b, c of those: its weight, the weight's gradient [1/m], and where it is from the point [m]."""
        slope = ti.Vector([d[a, 0] * w[b, 1] * w[c, 2], w[a, 0] * d[b, 1] * w[c, 2], w[a, 0] * w[b, 1] * d[c, 2]]) / self.h
        return w[a, 0] * w[b, 1] * w[c, 2], slope, (ti.Vector([a, b, c]) - f) * self.h

    @ti.kernel
    def step(self):
        for i in ti.grouped(self.m):
            self.m[i] = 0.0
            self.p[i] = ti.Vector.zero(ti.f32, 3)
        ti.loop_config(serialize=True)
        for q in self.x:
            base, f, w, d = self.about(q)
            tau = ti.Matrix.zero(ti.f32, 3, 3)  # V0 P F^T
            if ti.static(self.stiff > 0):
                tau = -self.volume * self.stiff * self.J[q] * (self.J[q] ** -7 - 1) * ti.Matrix.identity(ti.f32, 3)
            else:
                r, _ = ti.polar_decompose(self.F[q])
                e = r.transpose() @ self.F[q]
                e = 0.5 * (e + e.transpose()) - ti.Matrix.identity(ti.f32, 3)
                tau = self.volume * r @ (2 * self.mu * e + self.la * e.trace() * ti.Matrix.identity(ti.f32, 3)) @ self.F[q].transpose()
            for a, b, c in ti.static(ti.ndrange(3, 3, 3)):
                weight, slope, away = self.part(f, w, d, a, b, c)
                node = base + ti.Vector([a, b, c])
                self.m[node] += weight * self.mass
                self.p[node] += weight * self.mass * (self.v[q] + self.C[q] @ away) - self.dt * tau @ slope
        for i in ti.grouped(self.m):
            if self.m[i] > 0:
                v = self.p[i] / self.m[i] + self.dt * self.gravity
                place = self.low + self.h * ti.cast(i, ti.f32)
                if place[2] < 1e-6:
                    push = ti.max(-v[2], 0.0)
                    v[2] = ti.max(v[2], 0.0)
                    along = ti.Vector([v[0], v[1]])
                    speed = along.norm()
                    if speed > 0:
                        along *= ti.max(0.0, 1 - self.friction * push / speed)
                    v[0], v[1] = along[0], along[1]
                if ti.static(self.walls > 0):
                    for k in ti.static(range(2)):
                        if place[k] < -self.walls + 1e-6:
                            v[k] = ti.max(v[k], 0.0)
                        if place[k] > self.walls - 1e-6:
                            v[k] = ti.min(v[k], 0.0)
                self.p[i] = v
        for q in self.x:
            base, f, w, d = self.about(q)
            v = ti.Vector.zero(ti.f32, 3)
            affine = ti.Matrix.zero(ti.f32, 3, 3)
            spread = ti.Matrix.zero(ti.f32, 3, 3)
            for a, b, c in ti.static(ti.ndrange(3, 3, 3)):
                weight, slope, away = self.part(f, w, d, a, b, c)
                g = self.p[base + ti.Vector([a, b, c])]
                v += weight * g
                affine += 4 / self.h**2 * weight * g.outer_product(away)
                spread += g.outer_product(slope)
            self.v[q] = v
            self.C[q] = affine
            self.x[q] += self.dt * v
            if ti.static(self.stiff > 0):
                self.J[q] *= 1 + self.dt * spread.trace()
            else:
                self.F[q] += self.dt * spread @ self.F[q]

    def middle(self) -> np.ndarray:
        return self.x.to_numpy().astype(float).mean(axis=0)
