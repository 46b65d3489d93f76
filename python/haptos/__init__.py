"""Haptos simulates robots that touch: soft gel, contact and tactile sensors.

The first page of the API: Scene (add_soft, add_prescribed, add_sensor, ...) -> scene.compile() ->
Sim (step, run, reset, save, load, state, contacts, sensors). SI units, world z up, quaternions
w x y z; arrays are (env, item, component).
"""

from haptos._core import (
    Found,
    MarkerGrid,
    Pad,
    PadGrading,
    RenderScene,
    State,
    SurfaceReport,
    TactileCamera,
    TetMesh,
    TriMesh,
    VolumeReport,
    __version__,
    boundary_surface,
    box,
    box_pad,
    capsule,
    check_surface,
    check_volume,
    cone,
    cylinder,
    depth_picture,
    describe_status,
    field_picture,
    flow_picture,
    icosphere,
    make_shape,
    mini_pad,
    normal_picture,
    orient,
    remove_degenerate,
    render,
    require_contact_surface,
    require_volume,
    ring,
    round_pad,
    shape_names,
    status_table,
    torus,
    view_above,
    view_side_cutaway,
    weld,
    write_obj,
    write_stl,
    write_vtk,
)
from haptos.errors import InputError, StepError
from haptos.images import save_png
from haptos.meshes import read_surface, read_volume
from haptos.options import Material, Option, Options, option_table
from haptos.recording import Recorder
from haptos.scene import Scene, load_scene
from haptos.sensors import MarkerReading, TactileSensor
from haptos.sim import CONTACT_DTYPE, Sim, StepReport, Wrench

__all__ = [name for name in dir() if not name.startswith("_") and name not in (
    "cli", "errors", "images", "meshes", "options", "recording", "scene", "sensors", "sim", "units")]
__all__.append("__version__")
