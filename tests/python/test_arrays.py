"""Arrays that come from the core: numpy looks at its memory, and so do others through DLPack."""

import numpy as np
import pytest
from conftest import small_pad, small_scene

import haptos


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


def test_torch_sees_the_same_memory(pressed):
    torch = pytest.importorskip("torch", reason="needs torch")
    depth = pressed.sensors["camera"].depth()
    tensor = torch.from_dlpack(depth)
    assert tensor.data_ptr() == address(depth) and tensor.dtype == torch.float32
    assert tuple(tensor.shape) == depth.shape


def test_several_environments_are_stacked_in_one_array():
    sim = small_scene(steps=2).compile(envs=2)
    sim.step()
    x = sim.positions("gel")
    assert x.shape[0] == 2 and x.flags.c_contiguous
    np.testing.assert_array_equal(x[0], x[1])
    assert address(np.from_dlpack(x)) == address(x)
    assert haptos.Sim is type(sim)
