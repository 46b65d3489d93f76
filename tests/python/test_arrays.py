"""Arrays that come from the core: numpy looks at its memory, and so do others through DLPack."""

import numpy as np
import pytest
from conftest import cart_scene, small_pad, small_scene

import haptos
from haptos.base.arrays import in_place


def address(array):
    return array.__array_interface__["data"][0]


def origin(array):
    """What owns the memory that an array looks at."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array


def arrays_of(sim):
    camera = sim.sensors["camera"]
    depth, normal = camera.image()
    field, image = camera.contact_field(), camera.force_image()
    return {"positions": sim.positions("gel"), "depth": depth, "normal": normal,
            "flow": camera.markers().flow, "pixel": camera.markers().pixel,
            "pressure": field.pressure, "traction": field.traction, "force": image.force}


def test_arrays_of_one_environment_are_memory_of_the_core(pressed):
    for name, array in arrays_of(pressed).items():
        assert array.shape[0] == 1 and array.flags.c_contiguous, name
        # Owned by a capsule of the core, not by numpy: nothing was copied on the way.
        assert not isinstance(origin(array), np.ndarray), name


def test_arrays_stay_when_the_simulation_goes_on_and_is_gone():
    sim = small_scene(steps=2).compile()
    sim.step()
    first = sim.positions("gel")
    kept = first.copy()
    sim.step()
    assert np.abs(sim.positions("gel") - kept).max() > 1e-5
    del sim
    np.testing.assert_array_equal(first, kept)


def test_a_mesh_is_looked_at_not_copied():
    mesh = small_pad().mesh
    x, again = np.asarray(mesh.vertices), np.asarray(mesh.vertices)
    assert address(x) == address(again) and x.shape[1] == 3
    x[0, 2] += 1e-3
    assert mesh.vertices[0, 2] == x[0, 2]
    assert address(mesh.tets) == address(mesh.tets)


def test_dlpack_gives_the_same_memory(pressed):
    for name, array in arrays_of(pressed).items():
        device, _ = array.__dlpack_device__()
        assert device == 1, name  # the host
        other = np.from_dlpack(array)
        assert address(other) == address(array) and other.strides == array.strides, name
        np.testing.assert_array_equal(other, array)


def found(value, name, out):
    """Adds the arrays in a value, in tuples of it too, by name; returns out."""
    if isinstance(value, np.ndarray):
        out[name] = value
    elif isinstance(value, tuple):
        for field, one in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            found(one, f"{name}.{field}", out)
    return out


def all_arrays(envs):
    """What a Sim, its tactile sensor and its robots return, by name."""
    out = {}
    sim = small_scene().compile(envs=envs)
    report = sim.run(0.1)
    camera = sim.sensors["camera"]
    for name in ("depth", "image", "markers", "contact_field", "force_image", "touch", "points",
                 "marker_points", "contact_mask", "stress"):
        found(getattr(camera, name)(), name, out)
    for name in ("reaction", "contact_wrench", "pose", "carrier_pose"):
        found(getattr(sim, name)("ball"), name, out)
    for name in ("positions", "surface", "coat"):
        found(getattr(sim, name)("gel"), name, out)
    for name in ("time", "step_count", "status"):
        found(getattr(sim, name), name, out)
    for name in ("iterations", "status", "kinetic"):
        found(getattr(report, name), f"report.{name}", out)
    carts = cart_scene().compile(envs=envs)
    carts.run(0.05)
    cart = carts.robots["cart"]
    for name in ("position", "velocity", "acceleration", "effort", "command", "gains", "link_poses",
                 "friction_scale"):
        found(getattr(cart, name), name, out)
    found(cart.sensors["ruler"].value, "ruler", out)
    found(carts.velocity("ball"), "velocity", out)
    return out


@pytest.mark.parametrize("envs", [1, 3])
def test_what_a_sim_returns_begins_at_a_multiple_of_64_bytes(envs):
    arrays = all_arrays(envs)
    assert len(arrays) >= 50
    odd = {n: address(a) % 64 for n, a in arrays.items()
           if address(a) % 64 or not a.flags.c_contiguous}
    assert not odd


def test_what_lies_elsewhere_is_copied_once_and_what_lies_well_is_not():
    raw = np.zeros(400, np.uint8)
    first = -address(raw) % 64
    well = raw[first:first + 64].view(float)
    assert in_place(well) is well
    odd = raw[first + 8:first + 72].view(float)
    odd[:] = np.arange(8)
    for other in (odd, np.arange(12.0).reshape(3, 4).T):
        moved = in_place(other)
        assert address(moved) % 64 == 0 and moved.flags.c_contiguous
        np.testing.assert_array_equal(moved, other)


@pytest.mark.parametrize("envs", [1, 3])
def test_torch_sees_the_same_memory(envs):
    torch = pytest.importorskip("torch", reason="needs torch")
    shared = 0
    for name, array in all_arrays(envs).items():
        if array.dtype.kind not in "fi":
            continue  # older versions take no bool, and none takes uint32
        tensor = torch.from_dlpack(array)
        assert tensor.data_ptr() == address(array), name
        assert tuple(tensor.shape) == array.shape, name
        shared += 1
    assert shared >= 40


@pytest.mark.parametrize("envs", [1, 3])
def test_jax_sees_the_same_memory(envs):
    jax = pytest.importorskip("jax", reason="could not import jax")
    kept = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)  # else it knows no float64
    try:
        shared = 0
        for name, array in all_arrays(envs).items():
            if array.dtype.kind not in "fi":
                continue
            other = jax.dlpack.from_dlpack(array, copy=False)
            assert other.unsafe_buffer_pointer() == address(array), name
            assert other.shape == array.shape and other.dtype == array.dtype, name
            shared += 1
        assert shared >= 40
    finally:
        jax.config.update("jax_enable_x64", kept)


def test_several_environments_are_stacked_in_one_array():
    sim = small_scene(steps=2).compile(envs=2)
    sim.step()
    x = sim.positions("gel")
    assert x.shape[0] == 2 and x.flags.c_contiguous
    np.testing.assert_array_equal(x[0], x[1])
    assert address(np.from_dlpack(x)) == address(x)
    assert haptos.Sim is type(sim)


def test_a_contact_wrench_falls_into_what_each_other_body_does():
    scene = haptos.Scene(dt=5e-3)
    scene.add_half_space("floor", friction=0.5)
    cube = haptos.RobotShape("box", extents=(0.1, 0.1, 0.1))
    scene.add_rigid("low", cube, mass=2.0, position=(0, 0, 0.05), friction=0.5)
    scene.add_rigid("high", cube, mass=1.0, position=(0.02, 0, 0.15), friction=0.5)
    sim = scene.compile(envs=2)
    sim.run(0.3)
    about = (0.3, -0.2, 0.1)
    whole = sim.contact_wrench("low", about)
    parts = [sim.contact_wrench("low", about, by=name) for name in ("floor", "high")]
    assert parts[0].force[:, 2] == pytest.approx(3 * 9.81, rel=5e-3)
    assert parts[1].force[:, 2] == pytest.approx(-9.81, rel=5e-3)
    for field in ("force", "torque"):
        assert np.allclose(sum(getattr(p, field) for p in parts), getattr(whole, field), rtol=0, atol=1e-5)
    back = sim.contact_wrench("high", about, by="low")
    assert np.array_equal(back.force, -parts[1].force) and np.array_equal(back.torque, -parts[1].torque)
    assert not sim.contact_wrench("high", by="floor").force.any()
    with pytest.raises(haptos.InputError, match="flor"):
        sim.contact_wrench("high", by="flor")
