"""Haptos' hydroelastic contact beside Drake's: force, number of faces and time of one surface.

Usage: python bench/peers/pressure.py [--rounds 200] [--out bench/peers/results/pressure]

Python must have haptos and drake (requirements.txt). Both are asked for the surface of two bodies at
poses that differ a little each time, from Python, on one thread; time is process CPU time, the least
of five series. Pressure grows by 1e8 Pa/m with depth in both: Drake's modulus is that times the
largest depth of a shape. Forces are compared with closed forms of the true distance:

  ball   R = .05 m, d deep in a rigid plane: pi k (R d^2 - 2 d^3 / 3)
  balls  two of them, d deep: pi k (R (d/2)^2 - 2 (d/2)^3 / 3)
  box    of .1 m, d deep in a rigid plane: k (L^2 d - 2 L d^2 + 4 d^3 / 3)
  can    R = .03 m, .1 m long, upright, d deep: k pi (R^2 d - R d^2 + d^3 / 3)

Drake meshes its balls and cans; its resolution_hint is given two values, as patch_cells of Haptos is
three. Prints a table and writes the results as JSON.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import math
import pathlib
import sys
import time
from collections.abc import Callable

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from run import cpu_name

MODULUS, R, L = 1e8, 0.05, 0.1  # [Pa/m], [m], [m]
CAN, CAN_LENGTH = 0.03, 0.1  # [m]
DEPTHS = (2e-4, 1e-3, 5e-3)  # [m]
HINTS = (0.02, 0.005)  # of Drake [m]; the first is its default
CELLS = (28, 12, 6)  # across a patch, of Haptos; the first is its default
WAY = 1e-6  # by which poses differ [m]


def exact(case: str, d: float) -> float:
    k = MODULUS
    if case == "ball":
        return math.pi * k * (R * d**2 - 2 * d**3 / 3)
    if case == "balls":
        return exact("ball", d / 2)
    if case == "box":
        return k * (L**2 * d - 2 * L * d**2 + 4 * d**3 / 3)
    return k * math.pi * (CAN**2 * d - CAN * d**2 + d**3 / 3)


def height(case: str, d: float) -> float:
    """Of the upper body's middle."""
    return {"ball": R, "balls": 2 * R, "box": L / 2, "can": CAN_LENGTH / 2}[case] - d


def seconds(ask: Callable[[float], object], rounds: int) -> float:
    ask(0.0)
    least = math.inf
    for _ in range(5):
        start = time.process_time()
        for k in range(rounds):
            ask(k * WAY)
        least = min(least, time.process_time() - start)
    return least / rounds


def by_haptos(case: str, d: float, cells: int, rounds: int) -> dict:
    import haptos

    shapes = {"ball": ("sphere", R), "balls": ("sphere", R), "box": ("box", (L / 2,) * 3),
              "can": ("cylinder", (CAN, CAN_LENGTH / 2))}
    upper = haptos.DistanceField(haptos.RobotShape(*shapes[case]))
    lower = upper if case == "balls" else haptos.DistanceField(haptos.RobotShape("half_space"))
    other = MODULUS if case == "balls" else math.inf

    def ask(aside: float) -> object:
        return haptos.pressure_surface(upper, lower, (aside, 0, height(case, d), 1, 0, 0, 0),
                                       modulus_a=MODULUS, modulus_b=other, patch_cells=cells)

    found = ask(0.0)
    return {"force": float(found.force[2]), "faces": len(found), "seconds": seconds(ask, rounds)}


def by_drake(case: str, d: float, hint: float, rounds: int) -> dict:
    import pydrake.all as drake

    builder = drake.DiagramBuilder()
    plant, graph = drake.AddMultibodyPlantSceneGraph(builder, 0.0)
    shapes = {"ball": drake.Sphere(R), "balls": drake.Sphere(R), "box": drake.Box(L, L, L),
              "can": drake.Cylinder(CAN, CAN_LENGTH)}
    deepest = {"ball": R, "balls": R, "box": L / 2, "can": CAN}[case]
    inertia = drake.SpatialInertia.SolidSphereWithMass(1.0, R)

    def soft() -> drake.ProximityProperties:
        p = drake.ProximityProperties()
        drake.AddCompliantHydroelasticProperties(hint, MODULUS * deepest, p)
        return p

    upper = plant.AddRigidBody("upper", inertia)
    plant.RegisterCollisionGeometry(upper, drake.RigidTransform(), shapes[case], "upper", soft())
    if case == "balls":
        plant.RegisterCollisionGeometry(plant.world_body(), drake.RigidTransform(), shapes[case],
                                        "lower", soft())
    else:
        p = drake.ProximityProperties()
        drake.AddRigidHydroelasticProperties(p)
        plant.RegisterCollisionGeometry(plant.world_body(), drake.RigidTransform(),
                                        drake.HalfSpace(), "lower", p)
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    plant_context = plant.GetMyContextFromRoot(context)
    port, graph_context = graph.get_query_output_port(), graph.GetMyContextFromRoot(context)
    polygons = drake.HydroelasticContactRepresentation.kPolygon

    def surfaces(aside: float, kind: drake.HydroelasticContactRepresentation) -> list:
        plant.SetFreeBodyPose(plant_context, upper,
                              drake.RigidTransform(np.array([aside, 0, height(case, d)])))
        return port.Eval(graph_context).ComputeContactSurfaces(kind)

    (found,) = surfaces(0.0, drake.HydroelasticContactRepresentation.kTriangle)
    mesh, values = found.tri_mesh_W(), found.tri_e_MN()
    force = 0.0
    for t in range(mesh.num_triangles()):
        corner = [mesh.triangles()[t].vertex(k) for k in range(3)]
        pressure = sum(values.EvaluateAtVertex(v) for v in corner) / 3
        force += found.area(t) * pressure * abs(found.face_normal(t)[2])
    (found,) = surfaces(0.0, polygons)
    return {"force": force, "faces": found.num_faces(),
            "seconds": seconds(lambda aside: surfaces(aside, polygons), rounds)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent / "results/pressure")
    given = parser.parse_args()
    rows = []
    print(f"{'case':6} {'depth':>7}  {'engine':22} {'force':>11}  {'off':>8}  {'faces':>6}  {'time':>9}")
    for case in ("ball", "balls", "box", "can"):
        for d in DEPTHS:
            asked = [(f"haptos, {n} cells", lambda c=case, x=d, n=n: by_haptos(c, x, n, given.rounds))
                     for n in CELLS]
            asked += [(f"drake, hint {1e3 * h:g} mm",
                       lambda c=case, x=d, hint=h: by_drake(c, x, hint, given.rounds))
                      for h in (HINTS if case != "box" else HINTS[:1])]
            for name, run in asked:
                row = {"case": case, "depth": d, "engine": name, "exact": exact(case, d)} | run()
                row["off"] = row["force"] / row["exact"] - 1
                rows.append(row)
                print(f"{case:6} {1e3 * d:5.1f}mm  {name:22} {row['force']:9.4f} N  "
                      f"{100 * row['off']:6.2f} %  {row['faces']:6d}  {1e6 * row['seconds']:6.0f} us",
                      flush=True)
    import haptos

    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "surface.json").write_text(json.dumps(
        {"date": datetime.date.today().isoformat(), "cpu": cpu_name(),
         "haptos": haptos.__version__, "drake": importlib.metadata.version("drake"), "rows": rows},
        indent=1) + "\n")


if __name__ == "__main__":
    main()
