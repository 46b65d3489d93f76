#!/usr/bin/env python3
"""Makes what the scenes beside it need, in the folder `made`: scans, a humanoid, its motions.

    make.py [NAME ...]        all that is not there, or what is named, anew
"""

import shutil
import sys
from pathlib import Path

import numpy as np

import haptos
from haptos import scans

HERE = Path(__file__).resolve().parent
ABOVE = 8e-3  # of the start: what is rough is as high as that [m]
SOLE = 5e-3  # layer of the soles [m]
SMOOTH = 3e-4  # roughness of the ladder: on 1.5 mm stiff soles rock, and it falls [m]
SEAT = 0.75  # size of the chair: its seat is 0.375 m high, for legs of 0.6 m


def write(mesh, name):
    haptos.write_ply(HERE / "made" / name, mesh)


def terrain():
    write(rough_ground(), "terrain.ply")


def chair():
    write(scans.chair().transformed(scale=SEAT), "chair.ply")


def ladder():
    write(scans.ladder(roughness=SMOOTH), "ladder.ply")


def rough_ground():
    return scans.terrain(size=5.0, spread=0.16)


def humanoid():
    """The robot, and where it starts: states of its SRDF; its motions."""
    sys.path.insert(0, str(HERE))
    import motions
    from postures import Postures

    urdf, srdf, *_ = scans.write_humanoid(HERE / "made" / "humanoid.urdf")
    text = urdf.read_text(encoding="utf-8")
    for side in motions.SIDES:  # soles of rubber, into which rough ground sinks
        link = f'<link name="{side}_foot">'
        text = text.replace(link, f'{link}<contact><layer value="{SOLE}"/></contact>')
    urdf.write_text(text, encoding="utf-8")
    postures = Postures(haptos.load_robot(urdf, floating=True))
    moves = {"shift": motions.shift(postures), "climb": motions.climb(postures),
             "sit": motions.sit(postures, 0.5 * SEAT)}
    starts = {"shift": moves["shift"].rows[0], "tread": moves["climb"].rows[-1],
              "sit": moves["sit"].rows[0], "seated": moves["sit"].rows[-1],
              "fours": motions.on_fours(postures, rough_ground())}
    for name, m in moves.items():
        text = "\n".join([f"# {name}: scenes/layers/make.py", *m.lines(), ""])
        (HERE / "made" / f"{name}.csv").write_text(text, encoding="utf-8")
    states = "".join(state(name, q, postures) for name, q in starts.items())
    text = srdf.read_text(encoding="utf-8")
    base = '  <virtual_joint name="base" type="floating" parent_frame="world" child_link="pelvis"/>\n'
    srdf.write_text(text.replace("</robot>", base + states + "</robot>"), encoding="utf-8")


def state(name, q, postures):
    x, y, z, w, *v = q[:7]
    values = {"base": (x, y, z + ABOVE, *v, w)} | {n: (a,) for n, a in postures.named(q).items()}
    joints = "".join(f'    <joint name="{n}" value="{" ".join(f"{a + 0.0:.9g}" for a in value)}"/>\n'
                     for n, value in values.items())
    return f'  <group_state name="{name}" group="all">\n{joints}  </group_state>\n'


def mugs():
    sys.path.insert(0, str(HERE))
    from stirring import stir_lines

    write(scans.mug(seed=1), "mug.ply")
    text = "\n".join([*stir_lines(), ""])
    (HERE / "made" / "stir.csv").write_text(text, encoding="utf-8")


def rubble():
    sys.path.insert(0, str(HERE))
    from gait import trot_lines

    write(stones(), "rubble.ply")
    shutil.copy(HERE.parent / "robots/quadruped.urdf", HERE / "made")
    text = "\n".join([*trot_lines(), ""])
    (HERE / "made" / "trot.csv").write_text(text, encoding="utf-8")


def stones(count=480, seed=1):
    """Stones that stand out of a plane by 1 to 3.5 cm, ahead of where it is flat, in one mesh."""
    from scipy.spatial import ConvexHull

    random = np.random.default_rng(seed)
    x, t = [np.array([[a, b, 0.0] for a in (-1, 4) for b in (-1.2, 1.2)])], [[[0, 2, 3], [0, 3, 1]]]
    for _ in range(count):
        y = random.normal(size=(16, 3))
        y /= np.linalg.norm(y, axis=1, keepdims=True)
        y *= random.uniform(0.025, 0.07, 3)
        y[:, :2] += random.uniform((0.35, -0.6), (2.6, 0.6))
        y[:, 2] += random.uniform(0.01, 0.035) - y[:, 2].max()
        t.append(ConvexHull(y).simplices + sum(map(len, x)))
        x.append(y)
    whole = haptos.TriMesh(np.concatenate(x), np.concatenate(t))
    return scans.break_mesh(whole, seed, flip=0.5)


MADE = {"terrain": (terrain, "terrain.ply"), "ladder": (ladder, "ladder.ply"),
        "chair": (chair, "chair.ply"), "humanoid": (humanoid, "sit.csv"),
        "mugs": (mugs, "stir.csv"), "rubble": (rubble, "trot.csv")}


def make(names=()):
    for name in names:
        if name not in MADE:
            raise SystemExit(f"make.py: '{name}' is not made here; there are {', '.join(MADE)}.")
    (HERE / "made").mkdir(exist_ok=True)
    for name, (maker, file) in MADE.items():
        if name in names or (not names and not (HERE / "made" / file).exists()):
            maker()
            print(f"{HERE / 'made'}: {name}")


if __name__ == "__main__":
    make(sys.argv[1:])
