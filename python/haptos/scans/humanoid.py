"""A humanoid robot as a file, whose links are fine meshes: hands and feet for rough ground.

57 links and 42 kg as one that was built has them (Hubo-II+), from 7.5 kg of the torso to 48 g of a
bone of a finger. Axes: x forward, y to the left, z up; all joints at 0, it stands upright with its
arms down. Left limbs are written here, right ones are their mirror images.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.errors import refuse
from haptos.scans.breaking import break_mesh
from haptos.scans.fingertip import fingertip

Vector = tuple[float, float, float]

LINK_TRIANGLES = 3600
_RINGS, _SEGMENTS = 50, 36  # of a capsule: twice their product are its triangles
_WRITERS = {"obj": _core.write_obj, "stl": _core.write_stl, "ply": _core.write_ply}
_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


class Form(NamedTuple):
    """A link's mesh: a capsule along `along`, or a box with round edges; its centre in the link."""

    mesh: str  #: its file
    centre: Vector
    radius: float
    half_length: float = 0.0
    along: Vector = _Z
    sides: Vector | None = None


class Part(NamedTuple):
    """A link and the joint that carries it. at: in the parent [m]; effort [N m]; follows: a joint
    whose angle this one has too."""

    name: str
    parent: str
    at: Vector
    axis: Vector
    mass: float
    form: Form
    lower: float
    upper: float
    effort: float
    follows: str = ""


ROOT = ("pelvis", 4.056, Form("pelvis", (0, 0, 0), 0.02, sides=(0.16, 0.22, 0.10)))
STANDING_HEIGHT = 0.775  #: of the pelvis above the soles, all joints at 0 [m]


def _leg() -> Iterator[Part]:
    yield Part("hip_yaw", "pelvis", (0, 0.09, -0.075), _Z, 0.9,
               Form("hip_yaw", (0, 0, 0), 0.028, 0.010), -0.8, 0.8, 150)
    yield Part("hip_roll", "hip_yaw", (0, 0, 0), _X, 1.0,
               Form("hip_roll", (0, 0, 0), 0.030, 0.030, _X), -0.5, 0.7, 150)
    yield Part("thigh", "hip_roll", (0, 0, 0), _Y, 3.0,
               Form("thigh", (0, 0, -0.16), 0.045, 0.100), -1.8, 1.3, 150)
    yield Part("shank", "thigh", (0, 0, -0.30), _Y, 2.1,
               Form("shank", (0, 0, -0.135), 0.035, 0.085), 0.0, 2.5, 150)
    yield Part("ankle", "shank", (0, 0, -0.30), _Y, 0.8,
               Form("ankle", (0, 0, 0), 0.025, 0.010, _Y), -1.3, 1.3, 150)
    yield Part("foot", "ankle", (0, 0, 0), _X, 1.3,
               Form("foot", (0.03, 0, -0.07), 0.008, sides=(0.20, 0.11, 0.06)), -0.6, 0.6, 150)


def _arm() -> Iterator[Part]:
    yield Part("shoulder_pitch", "torso", (0, 0.17, 0.20), _Y, 0.9,
               Form("shoulder_pitch", (0, 0, 0), 0.030, 0.010, _Y), -3.1, 2.0, 40)
    yield Part("shoulder_roll", "shoulder_pitch", (0, 0.04, 0), _X, 0.6,
               Form("shoulder_roll", (0, 0, 0), 0.032, 0.005, _X), -0.2, 2.8, 40)
    yield Part("upper_arm", "shoulder_roll", (0, 0, 0), _Z, 1.2,
               Form("upper_arm", (0, 0, -0.1125), 0.032, 0.0575), -1.6, 1.6, 40)
    yield Part("forearm", "upper_arm", (0, 0, -0.21), _Y, 0.9,
               Form("forearm", (0, 0, -0.095), 0.027, 0.055), -2.4, 0.0, 40)
    yield Part("wrist_yaw", "forearm", (0, 0, -0.19), _Z, 0.5,
               Form("wrist_yaw", (0, 0, 0), 0.022, 0.005), -2.0, 2.0, 20)
    yield Part("wrist_pitch", "wrist_yaw", (0, 0, 0), _Y, 0.3,
               Form("wrist_pitch", (0, 0, 0), 0.023, 0.008, _Y), -1.6, 1.6, 20)
    yield Part("hand", "wrist_pitch", (0, 0, 0), _X, 0.45,
               Form("hand", (0, 0, -0.07), 0.006, sides=(0.085, 0.030, 0.090)), -0.8, 0.8, 20)
    for finger, x in (("index", 0.03), ("middle", 0.01), ("ring", -0.01), ("little", -0.03)):
        yield from _finger(finger, (x, 0, -0.125), (0, 0, -1), (-1, 0, 0), 3)
    yield from _finger("thumb", (0.0545, 0, -0.05), (1, 0, 0), (0, 0, -1), 2)


def _finger(name: str, at: Vector, along: Vector, axis: Vector, bones: int) -> Iterator[Part]:
    """Bones of 30 mm, of which the first has a motor and the others follow; they bend to the palm."""
    where, parent = at, "hand"
    for k in range(bones):
        centre = tuple(0.012 * v for v in along)
        bone = f"{name}_{k + 1}"
        yield Part(bone, parent, where, axis, 0.048, Form("bone", centre, 0.0075, 0.010, along),
                   0.0, 1.5, 3, f"{name}_1" if k else "")
        where, parent = tuple(0.03 * v for v in along), bone


def parts() -> list[Part]:
    """All links but the root, parents before children."""
    found = [
        Part("torso", "pelvis", (0, 0, 0.065), _Z, 7.5,
             Form("torso", (0, 0, 0.13), 0.03, sides=(0.16, 0.26, 0.24)), -1.0, 1.0, 100),
        Part("head", "torso", (0, 0, 0.29), _Z, 1.2,
             Form("head", (0, 0, 0.0775), 0.075, 0.0175), -1.4, 1.4, 10)]
    whole = {"pelvis", "torso"}
    for side, mirror in (("left", 1), ("right", -1)):
        def own(name: str, side: str = side) -> str:
            return name if name in whole or not name else f"{side}_{name}"

        for p in (*_leg(), *_arm()):
            # An axis of turning is mirrored as a plane is: its y stays.
            turn = (mirror * p.axis[0], p.axis[1], mirror * p.axis[2])
            found.append(p._replace(name=own(p.name), parent=own(p.parent), axis=turn,
                                    at=(p.at[0], mirror * p.at[1], p.at[2]), follows=own(p.follows)))
    return found


# -- meshes ------------------------------------------------------------------------------------


def capsule_surface(radius: float, half_length: float) -> _core.TriMesh:
    """A closed capsule along z about the origin, 3,600 triangles; rings are as far apart along its
    outline."""
    arc = radius * np.pi / 2
    s = np.linspace(0, 2 * (arc + half_length), _RINGS + 2)[1:-1] - (arc + half_length)
    over = np.maximum(np.abs(s) - half_length, 0) / radius
    r, z = radius * np.cos(over), np.clip(s, -half_length, half_length) + np.sign(s) * (
        radius * np.sin(over))
    # Every second ring is turned by half a segment, so that triangles are nearly even.
    angle = (np.arange(_SEGMENTS) + 0.5 * (np.arange(_RINGS) % 2)[:, None]) * (
        2 * np.pi / _SEGMENTS)
    ring = np.stack([r[:, None] * np.cos(angle), r[:, None] * np.sin(angle),
                     np.broadcast_to(z[:, None], angle.shape)], axis=-1)
    top = radius + half_length
    x = np.concatenate([ring.reshape(-1, 3), [[0, 0, -top], [0, 0, top]]])
    here = np.arange(_SEGMENTS)
    after = (here + 1) % _SEGMENTS
    first, last = 0, (_RINGS - 1) * _SEGMENTS
    bands = [np.column_stack([after, here, np.full(_SEGMENTS, len(x) - 2)]),
             np.column_stack([last + here, last + after, np.full(_SEGMENTS, len(x) - 1)])]
    for k in range(_RINGS - 1):
        a, b = first + k * _SEGMENTS + here, first + k * _SEGMENTS + after
        c, d = a + _SEGMENTS, b + _SEGMENTS
        bands += ([np.column_stack([a, b, c]), np.column_stack([b, d, c])] if k % 2 == 0 else
                  [np.column_stack([a, b, d]), np.column_stack([a, d, c])])
    return _core.TriMesh(x, np.concatenate(bands))


def form_surface(form: Form, seed: int) -> _core.TriMesh:
    """The mesh of a link about its own centre, a capsule along z."""
    if form.sides is None:
        return capsule_surface(form.radius, form.half_length)
    return fingertip(seed, triangles=LINK_TRIANGLES, size=form.sides, radius=form.radius)


def solid_moments(mesh: _core.TriMesh,
                  mass: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centre of mass [m] and tensor of inertia about it [kg m2] of a closed surface that is filled
    evenly; sums over the tetrahedra between its triangles and the origin."""
    x = np.asarray(mesh.vertices)[np.asarray(mesh.triangles)]
    six = np.linalg.det(x)
    volume = six.sum() / 6
    total = x.sum(axis=1)
    centre = (six[:, None] * total).sum(axis=0) / (24 * volume)
    # The integral of x x^T over a tetrahedron with a corner at 0 is det / 120 (sum_k x_k x_k^T + s s^T).
    second = (np.einsum("t,tki,tkj->ij", six, x, x) + np.einsum("t,ti,tj->ij", six, total, total)) / 120
    second = second * (mass / volume) - mass * np.outer(centre, centre)
    return centre, np.trace(second) * np.eye(3) - second


# -- files -------------------------------------------------------------------------------------

_TURNS = {(0, 0, 1): (0, 0, 0), (0, 0, -1): (0, 0, 0), (1, 0, 0): (0, np.pi / 2, 0),
          (0, 1, 0): (np.pi / 2, 0, 0)}  # roll, pitch, yaw that lay a capsule along an axis


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{v + 0.0:.17g}" for v in values)


def _link_text(name: str, mass: float, form: Form, file: str, mesh: _core.TriMesh) -> str:
    own, tensor = solid_moments(mesh, mass)
    turn = _TURNS[form.along]
    # All forms are symmetric, so the centre of mass is the form's, but for the triangles' chance.
    assert np.linalg.norm(own) < 1e-2 * form.radius
    place = f'<origin xyz="{_numbers(form.centre)}" rpy="{_numbers(turn)}"/>'
    entries = " ".join(f'{key}="{tensor[i, j]:.9g}"' for key, i, j in (
        ("ixx", 0, 0), ("iyy", 1, 1), ("izz", 2, 2), ("ixy", 0, 1), ("ixz", 0, 2), ("iyz", 1, 2)))
    shape = f'{place}<geometry><mesh filename={quoteattr(file)}/></geometry>'
    return (f'  <link name="{name}">\n'
            f'    <inertial>{place}<mass value="{mass:g}"/><inertia {entries}/></inertial>\n'
            f'    <visual>{shape}</visual>\n    <collision>{shape}</collision>\n  </link>\n')


def _joint_text(p: Part) -> str:
    mimic = f'<mimic joint="{p.follows}_joint"/>' if p.follows else ""
    return (f'  <joint name="{p.name}_joint" type="revolute">\n'
            f'    <origin xyz="{_numbers(p.at)}"/><parent link="{p.parent}"/>'
            f'<child link="{p.name}"/><axis xyz="{_numbers(p.axis)}"/>\n'
            f'    <limit lower="{p.lower:g}" upper="{p.upper:g}" effort="{p.effort:g}" velocity="8"/>'
            f'<dynamics damping="0.05"/>{mimic}\n  </joint>\n')


def _never_touching(found: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Pairs that a third link lies between, and those whose joints meet in a point, as at a hip: they
    overlap where a limb bends."""
    of = {p.name: p for p in found}
    for p in found:
        link = of.get(p.parent)
        while link:
            yield link.parent, p.name
            link = of.get(link.parent) if link.at == (0, 0, 0) else None
    for k, p in enumerate(found):
        yield from ((p.name, q.name) for q in found[k + 1:] if p.parent == q.parent)


def write_humanoid(path: str | os.PathLike[str], seed: int = 1, *, meshes: str = "obj",
                   **faults: Any) -> list[Path]:
    """Writes a humanoid robot: URDF, SRDF beside it, meshes in a folder beside it. Returns the files.

    path: ends with .urdf; the others take its name. seed: of the triangles of hands, feet, pelvis
    and torso; meshes: "obj", "stl" or "ply"; faults: break every mesh, as break_mesh() takes them.
    57 links of 3,600 triangles, 42 kg, 1.3 m; 38 joints that motors may move, and 18 of fingers that
    follow. The SRDF names the pairs of links that never touch. Files that are there are replaced.
    """
    urdf = Path(path)
    if urdf.suffix.lower() != ".urdf":
        refuse("write_humanoid", str(path), "must end with .urdf", 'for example "humanoid.urdf"')
    if meshes not in _WRITERS:
        refuse("meshes", meshes, "must be one of " + ", ".join(_WRITERS), 'for example "obj"')
    found = parts()
    links = [ROOT, *((p.name, p.mass, p.form) for p in found)]
    surfaces = {form.mesh: form_surface(form, seed) for _, _, form in links}
    broken = {name: break_mesh(mesh, seed, **faults) for name, mesh in surfaces.items()}
    folder, srdf = humanoid_places(urdf)
    folder.mkdir(exist_ok=True)
    for name, mesh in broken.items():
        _WRITERS[meshes](folder / f"{name}.{meshes}", mesh)
    head = f'<?xml version="1.0"?>\n<robot name={quoteattr(urdf.stem)}>\n'
    pairs = "".join(f'  <disable_collisions link1="{a}" link2="{b}" reason="Never"/>\n'
                    for a, b in _never_touching(found))
    srdf.write_text(f"{head}{pairs}</robot>\n", encoding="utf-8")
    text = "".join(_link_text(name, mass, form, f"{folder.name}/{form.mesh}.{meshes}",
                              surfaces[form.mesh]) for name, mass, form in links)
    urdf.write_text(head + text + "".join(map(_joint_text, found)) + "</robot>\n", encoding="utf-8")
    return [urdf, srdf, *(folder / f"{name}.{meshes}" for name in broken)]


def humanoid_places(urdf: Path) -> tuple[Path, Path]:
    """The folder of meshes and the SRDF that lie beside a URDF."""
    return urdf.parent / f"{urdf.stem}_meshes", urdf.with_suffix(".srdf")
