"""Actuators, equality constraints, contact filters, sensors and the rest of an MJCF model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from haptos import _core
from haptos.robots.mjcf_build import INF, TABLES, Builder, pose_row
from haptos.robots.mjcf_notes import MjcfActuator, MjcfSensor

_NO_TURN = np.array([1.0, 0, 0, 0])


def words(enum: Any, prefix: str, value: int) -> str:
    """What MuJoCo calls a value of one of its enumerations, in lower case."""
    return next((n[len(prefix):].lower() for n, v in enum.__members__.items()
                 if int(v) == int(value)), f"kind {value}")


def _bounds(limited: Any, bounds: Any) -> tuple[float, float]:
    return (float(bounds[0]), float(bounds[1])) if limited else (-INF, INF)


# --------------------------------------------------------------------------- actuators


def actuators(b: Builder) -> tuple[list[MjcfActuator], list[_core.RobotMotor]]:
    """The actuators of the file, and the motors that those on joints became."""
    described, motors = [], []
    for i in range(getattr(b.m, "nactuator", b.m.nu)):
        a, motor = _actuator(b, i)
        described.append(a)
        if motor is not None and "actuation" not in b.off:
            motors.append(motor)
        if a.unmapped:
            b.left.add("actuators", a.name, a.unmapped)
    return described, motors


def tendons(b: Builder) -> list[_core.RobotTendon]:
    """Tendons over joints."""
    m, out = b.m, []
    for t in range(m.ntendon):
        joints = _over_joints(b, t)
        if joints is None:
            continue
        name, range_ = tendon_name(b, t), _bounds(m.tendon_limited[t], m.tendon_range[t])
        low, high = (float(v) for v in m.tendon_lengthspring[t])
        if m.tendon_stiffness[t] and low != high:
            b.left.add("slack of springs of tendons", name, "they pull to the middle of it")
        if getattr(m, "tendon_armature", np.zeros(m.ntendon))[t]:
            b.left.add("inertia of tendons", name)
        if range_[0] > -INF and not b.is_usual(m.tendon_solref_lim[t], m.tendon_solimp_lim[t]):
            b.left.add("softness of limits of tendons", name)
        out.append(_core.RobotTendon(
            name, joints, lower=range_[0], upper=range_[1], reference=0.5 * (low + high),
            stiffness=float(m.tendon_stiffness[t]), damping=float(m.tendon_damping[t]),
            friction=float(m.tendon_frictionloss[t])))
    return out


def held_tendons(b: Builder) -> list[_core.RobotTendon]:
    """Tendons that equality constraints hold: a sum of joints between two limits that are one."""
    m, out = b.m, []
    for i in range(m.neq):
        if int(m.eq_type[i]) != b.mj.mjtEq.mjEQ_TENDON or not m.eq_active0[i] or "equality" in b.off:
            continue
        name = b.name("EQUALITY", i, f"equality_{i}")
        first, second = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
        parts = [_over_joints(b, t) for t in (first, second) if t >= 0]
        c0, c1, *curved = (float(c) for c in m.eq_data[i][:5])
        why = ("they are along paths" if None in parts else
               "they follow a curve" if second >= 0 and any(curved) else "")
        if why:
            b.left.add("tendon equality constraints", name, why)
            continue
        # L_1 - L_1,0 = c_0 + c_1 (L_2 - L_2,0)
        weights, at = dict(parts[0] or {}), float(m.tendon_length0[first]) + c0
        if second >= 0:
            at -= c1 * float(m.tendon_length0[second])
            for joint, w in (parts[1] or {}).items():
                weights[joint] = weights.get(joint, 0.0) - c1 * w
        known = {t.name for t in out} | set(b.joint_name) | {tendon_name(b, t) for t in range(m.ntendon)}
        while name in known:
            name += " held"
        out.append(_core.RobotTendon(name, {j: w for j, w in weights.items() if w}, lower=at, upper=at))
    return out


def tendon_name(b: Builder, t: int) -> str:
    """Its name, unless a joint has it too."""
    name = b.name("TENDON", t, f"tendon_{t}")
    return f"{name} tendon" if name in b.joint_name else name


def _over_joints(b: Builder, t: int) -> dict[str, float] | None:
    """Weights of a tendon's joints by name; None for one along a path."""
    m = b.m
    first = int(m.tendon_adr[t])
    parts = range(first, first + int(m.tendon_num[t]))
    if any(m.wrap_type[k] != b.mj.mjtWrap.mjWRAP_JOINT for k in parts):
        return None
    weights: dict[str, float] = {}
    for k in parts:
        joint = b.joint_name[int(m.wrap_objid[k])]
        weights[joint] = weights.get(joint, 0.0) + float(m.wrap_prm[k])
    return {j: w for j, w in weights.items() if w} or None


def _target(b: Builder, i: int) -> tuple[int, float, str]:
    """Joint, or number of joints + tendon; gear; and why there is none."""
    m, t = b.m, b.mj.mjtTrn
    kind, at = int(m.actuator_trntype[i]), int(m.actuator_trnid[i][0])
    gear = float(m.actuator_gear[i][0])
    if kind == t.mjTRN_TENDON:
        first, n = int(m.tendon_adr[at]), int(m.tendon_num[at])
        if n == 1 and m.wrap_type[first] == b.mj.mjtWrap.mjWRAP_JOINT:
            return int(m.wrap_objid[first]), gear * float(m.wrap_prm[first]), ""
        if _over_joints(b, at) is not None:
            return m.njnt + at, gear, ""
        return -1, gear, "since they pull tendons along a path"
    if kind in (t.mjTRN_JOINT, t.mjTRN_JOINTINPARENT):
        if b.has_one(at):
            return at, gear, ""
        return at, gear, "since they drive free or ball joints"
    return -1, gear, f"since they act by {words(t, 'mjTRN_', kind)}"


def _law(b: Builder, i: int) -> tuple[str, float, tuple[float, float, float], str]:
    """Kind, gain, bias, and why it is not affine in control, length and velocity."""
    m, mj = b.m, b.mj
    gain_kind = words(mj.mjtGain, "mjGAIN_", m.actuator_gaintype[i])
    bias_kind = words(mj.mjtBias, "mjBIAS_", m.actuator_biastype[i])
    dyn = words(mj.mjtDyn, "mjDYN_", m.actuator_dyntype[i])
    gain = float(m.actuator_gainprm[i][0])
    bias = (0.0, 0.0, 0.0)
    if bias_kind == "affine":
        bias = tuple(float(v) for v in m.actuator_biasprm[i][:3])
    why = ""
    if gain_kind != "fixed" or bias_kind not in ("none", "affine"):
        kind = bias_kind if bias_kind not in ("none", "affine") else gain_kind
        return kind, gain, bias, f"since their force is that of a {kind} actuator"
    if dyn not in ("none", "filter", "filterexact"):
        why = f"since their activation follows the control by {dyn}"
    if getattr(m, "actuator_ctrlnum", np.ones(m.nu))[i] != 1:
        why = "since they take several controls"
    kind = "motor" if bias == (0, 0, 0) else "general"
    if bias[0] == 0 and gain > 0 and bias[1] == -gain:
        kind = "position"
    elif bias[0] == 0 and bias[1] == 0 and gain > 0 and bias[2] == -gain:
        kind = "velocity"
    if bias[1] > 0 or bias[2] > 0:
        why = "since their feedback drives away from its target"
    return kind, gain, bias, why


def _actuator(b: Builder, i: int) -> tuple[MjcfActuator, _core.RobotMotor | None]:
    m = b.m
    name = b.name("ACTUATOR", i, f"actuator_{i}")
    joint, gear, why = _target(b, i)
    kind, gain, bias, unlike = _law(b, i)
    control = int(getattr(m, "actuator_ctrladr", range(m.nu))[i])
    ctrl = (-INF, INF)
    if 0 <= control < m.nu:
        ctrl = _bounds(m.actuator_ctrllimited[control], m.actuator_ctrlrange[control])
    force = _bounds(m.actuator_forcelimited[i], m.actuator_forcerange[i])
    why = why or unlike or ("since their gear is 0" if gear == 0 else "")
    target = ""
    if joint >= 0:
        target = b.joint_name[joint] if joint < m.njnt else tendon_name(b, joint - m.njnt)
    described = MjcfActuator(name, kind, target, "" if why else name, gear, gain, bias, ctrl, force,
                             why)
    if why:
        return described, None
    # What the rotor adds to the joint, which has it whether the motor is used or not.
    on = b.joints[b.joint_of[joint]] if joint < m.njnt else None
    for values, attribute in (("actuator_armature", "armature"), ("actuator_damping", "damping")):
        given = getattr(m, values, None)
        if on is None and given is not None and np.any(given[i]):
            b.left.add(f"{attribute} of actuators of tendons", name)
        elif on is not None and given is not None and np.ndim(given[i]) == 0:
            setattr(on, attribute, getattr(on, attribute) + gear * gear * float(given[i]))
    effort = INF
    if math.isfinite(force[0]):
        effort = abs(gear) * b.symmetric(force, "force ranges of actuators", name)
    if bias == (0, 0, 0) and math.isfinite(ctrl[0]):
        largest = abs(gear * gain) * max(abs(ctrl[0]), abs(ctrl[1]))
        effort = min(effort, largest)
    if on is not None:
        effort = min(effort, on.effort)
    if words(b.mj.mjtDyn, "mjDYN_", m.actuator_dyntype[i]) != "none":
        b.left.add("time constants of actuators", name, "the motor acts at once")
    for values, what in (("actuator_dampingpoly", "damping of actuators that grows with velocity"),
                         ("actuator_delay", "delays of actuators")):
        given = getattr(m, values, None)
        if given is not None and np.any(given[i]):
            b.left.add(what, name)
    motor = _core.RobotMotor(target, name=name, kp=abs(bias[1]) * gear * gear,
                             kd=abs(bias[2]) * gear * gear, effort=effort)
    return described, motor


# --------------------------------------------------------------------------- equalities


def closures(b: Builder) -> list[_core.LoopClosure]:
    """Connect and weld constraints as loop closures, joint constraints as couplers."""
    m, types = b.m, b.mj.mjtEq
    out = []
    for i in range(m.neq):
        name = b.name("EQUALITY", i, f"equality_{i}")
        kind = int(m.eq_type[i])
        if m.eq_active0[i] and not b.is_usual(m.eq_solref[i], m.eq_solimp[i]):
            b.left.add("softness of equality constraints (solref, solimp)", name,
                       "they are as stiff as the time step allows")
        if not m.eq_active0[i]:
            b.left.add("equality constraints that start switched off", name)
        elif "equality" in b.off or kind == types.mjEQ_TENDON:
            continue  # tendons: held_tendons()
        elif kind in (types.mjEQ_CONNECT, types.mjEQ_WELD):
            out.append(_tie(b, i, name, kind == types.mjEQ_WELD))
        elif kind == types.mjEQ_JOINT:
            c = _coupler(b, i, name)
            if c is not None:
                out.append(c)
        else:
            b.left.add(f"{words(types, 'mjEQ_', kind)} equality constraints", name)
    return out


def _tie(b: Builder, i: int, name: str, weld: bool) -> _core.LoopClosure:
    m = b.m
    data = np.array(m.eq_data[i], float)
    ends = (int(m.eq_obj1id[i]), int(m.eq_obj2id[i]))
    if m.eq_objtype[i] == b.mj.mjtObj.mjOBJ_SITE:
        bodies = [int(m.site_bodyid[s]) for s in ends]
        frames = [pose_row(m.site_pos[s], m.site_quat[s]) for s in ends]
    else:
        bodies = list(ends)
        # The weld's anchor is a point of body 2; its pose of body 2 is given in body 1.
        points = (data[3:6], data[0:3]) if weld else (data[0:3], data[3:6])
        frames = [pose_row(points[0], data[6:10] if weld else _NO_TURN),
                  pose_row(points[1], _NO_TURN)]
    for frame, body in zip(frames, bodies, strict=True):
        frame[:3] += b.shift[body]
    links = [b.body_link[body] if body else -1 for body in bodies]
    return _core.LoopClosure("weld" if weld else "ball", links[0], links[1], name=name,
                             frame_a=frames[0], frame_b=frames[1])


def _coupler(b: Builder, i: int, name: str) -> _core.LoopClosure | None:
    """q_a - a0 = sum c_k (q_b - b0)^k, with a0 and b0 the joints' references, as powers of q_b."""
    m = b.m
    first, second = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
    if not b.has_one(first) or (second >= 0 and not b.has_one(second)):
        b.left.add("couplings of ball and free joints", name)
        return None
    coefficients = np.array(m.eq_data[i][:5], float)
    if second < 0:
        coefficients[1:] = 0
    at = 0.0 if second < 0 else float(m.qpos0[m.jnt_qposadr[second]])
    powers = np.polynomial.Polynomial(coefficients)(np.polynomial.Polynomial([-at, 1.0])).coef
    polynomial = np.zeros(5)
    polynomial[:len(powers)] = powers
    polynomial[0] += float(m.qpos0[m.jnt_qposadr[first]])
    other = b.joint_of[second] if second >= 0 else -1
    return _core.LoopClosure("coupler", b.joint_of[first], other, name=name, polynomial=polynomial)


# --------------------------------------------------------------------------- contact


def no_contact(b: Builder) -> list[tuple[int, int]]:
    """Pairs of links that MuJoCo's filters keep apart: excluded, joined, or by their masks."""
    m = b.m
    masks: dict[int, set[tuple[int, int]]] = {}
    for g in range(m.ngeom):
        if m.geom_contype[g] or m.geom_conaffinity[g]:
            masks.setdefault(int(m.geom_bodyid[g]), set()).add(
                (int(m.geom_contype[g]), int(m.geom_conaffinity[g])))
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in m.exclude_signature}
    excluded |= {(j, i) for i, j in excluded}
    filters = not m.opt.disableflags & b.mj.mjtDisableBit.mjDSBL_FILTERPARENT
    weld = [int(w) for w in m.body_weldid]
    over = [weld[int(m.body_parentid[w])] for w in weld]
    pairs, partial = [], 0
    touching = sorted(masks)
    for k, i in enumerate(touching):
        for j in touching[k + 1:]:
            if weld[i] == 0 and weld[j] == 0:
                continue
            meet = [bool(s[0] & t[1] or t[0] & s[1]) for s in masks[i] for t in masks[j]]
            joined = weld[i] == weld[j] or (filters and weld[i] and weld[j] and
                                            (weld[i] == over[j] or weld[j] == over[i]))
            if joined or (i, j) in excluded or not any(meet):
                pairs.append((b.body_link[i], b.body_link[j]))
            elif not all(meet):
                partial += 1
    for _ in range(partial):
        b.left.add("contact masks that hold for some geoms of two bodies only", "",
                   "these bodies touch with all of their geoms")
    for i in range(m.npair):
        b.left.add("contact pairs", b.name("PAIR", i, ""), "geoms touch with their own numbers")
    return pairs


# --------------------------------------------------------------------------- the rest


def sensors(b: Builder) -> list[MjcfSensor]:
    """The sensors of the file, as they are."""
    m, mj = b.m, b.mj
    out = []

    def thing(kind: int, i: int) -> tuple[str, str]:
        word = words(mj.mjtObj, "mjOBJ_", kind)
        if word == "unknown" or i < 0:
            return "", ""
        if word in ("body", "xbody"):
            return "body", b.body_name[i]
        if word == "joint":
            return word, b.joint_name[i]
        return word, mj.mj_id2name(m, mj.mjtObj(int(kind)), i) or f"{word}_{i}"

    for i in range(m.nsensor):
        out.append(MjcfSensor(
            b.name("SENSOR", i, f"sensor_{i}"), words(mj.mjtSensor, "mjSENS_", m.sensor_type[i]),
            *thing(int(m.sensor_objtype[i]), int(m.sensor_objid[i])),
            *thing(int(m.sensor_reftype[i]), int(m.sensor_refid[i])), int(m.sensor_dim[i]),
            float(m.sensor_cutoff[i]), float(m.sensor_noise[i])))
    return out


def options(b: Builder) -> dict[str, Any]:
    """The file's options and statistics that a scene may want."""
    o, mj = b.m.opt, b.mj
    return {
        "timestep": float(o.timestep),
        "gravity": (0.0,) * 3 if "gravity" in b.off else tuple(float(v) for v in o.gravity),
        "integrator": words(mj.mjtIntegrator, "mjINT_", o.integrator),
        "cone": words(mj.mjtCone, "mjCONE_", o.cone),
        "solver": words(mj.mjtSolver, "mjSOL_", o.solver),
        "iterations": int(o.iterations), "tolerance": float(o.tolerance),
        "impratio": float(o.impratio), "density": float(o.density), "viscosity": float(o.viscosity),
        "wind": tuple(float(v) for v in o.wind), "magnetic": tuple(float(v) for v in o.magnetic),
        "disabled": sorted(b.off),
        "enabled": [n[7:].lower() for n, v in mj.mjtEnableBit.__members__.items()
                    if n.startswith("mjENBL_") and o.enableflags & int(v)],
        "extent": float(b.m.stat.extent), "centre": tuple(float(v) for v in b.m.stat.center),
    }


def name_the_rest(b: Builder, opts: dict[str, Any]) -> None:
    """Says what nothing here reads."""
    m, left = b.m, b.left
    for t in range(m.ntendon):
        if _over_joints(b, t) is not None:
            continue
        name = b.name("TENDON", t, f"tendon_{t}")
        acts = [w for w, on in (
            ("limits", m.tendon_limited[t]), ("a spring", m.tendon_stiffness[t]),
            ("damping", m.tendon_damping[t]), ("dry friction", m.tendon_frictionloss[t]),
            ("inertia", getattr(m, "tendon_armature", np.zeros(m.ntendon))[t])) if on]
        left.add("tendons along paths", name,
                 "with " + ", ".join(acts) if acts else "they hold nothing by themselves")
    for count, what, why in (
            ("nlight", "lights", ""), ("nskin", "skins", ""),
            ("nflex", "deformable bodies (flex)", "make them with Scene.add_soft"),
            ("nplugin", "plugins", ""),
            ("ntext", "custom texts", "")):
        for _ in range(int(getattr(m, count))):
            left.add(what, "", why)
    for i in range(int(m.nnumeric)):
        if not (name := b.name("NUMERIC", i, "")).startswith(TABLES):
            left.add("custom numbers", name)
    for i in range(int(m.ntuple)):
        if (name := b.name("TUPLE", i, "")) not in ("layer", "hydroelastic") and not name.startswith(TABLES):
            left.add("tuples", name)
    textured = {int(i) for i in m.geom_matid if i >= 0 and np.any(m.mat_texid[i] >= 0)}
    for i in sorted(textured):
        left.add("textures of materials", b.name("MATERIAL", i, ""), "their colours are kept")
    if opts["density"] or opts["viscosity"]:
        left.add("fluids", "", "density and viscosity of a medium act on nothing")
    for flag in opts["enabled"]:
        if flag in ("override", "sleep", "ipc"):
            left.add("flags that switch something on", flag)
