"""Haptos simulates robots that touch: soft gel, contact and tactile sensors.

The first page of the API: Scene (add_soft, add_prescribed, add_sensor, ...) -> scene.compile() ->
Sim (step, run, reset, save, load, state, contacts, sensors). SI units, world z up, quaternions
w x y z; arrays are (env, item, component).
"""

from haptos.base import starting  # first, see there

import importlib
from typing import Any

from haptos._core import (
    Found,
    IkResult,
    IkTarget,
    LoopClosure,
    MarkerGrid,
    Pad,
    PadGrading,
    RenderScene,
    Robot,
    RobotFinding,
    RobotJoint,
    RobotLink,
    RobotMotor,
    RobotTendon,
    RobotShape,
    State,
    SurfaceReport,
    TactileCamera,
    TetMesh,
    Tree,
    TriMesh,
    VolumeReport,
    boundary_surface,
    box,
    box_pad,
    capsule,
    check_robot,
    check_surface,
    check_volume,
    cone,
    cylinder,
    depth_picture,
    describe_status,
    distance_to_surface,
    field_picture,
    flow_picture,
    icosphere,
    intersecting_triangles,
    iso_bolt,
    iso_nut,
    make_shape,
    mini_pad,
    normal_picture,
    orient,
    pins,
    remove_degenerate,
    render,
    repair_inertia,
    require_contact_surface,
    require_volume,
    ring,
    round_pad,
    shape_names,
    status_table,
    torus,
    version,
    view_above,
    view_side_cutaway,
    weld,
    write_msh,
    write_obj,
    write_ply,
    write_stl,
    write_vtk,
)
from haptos.base.errors import InputError, PressError, SceneWarning, StepError, UnknownName
from haptos.base.options import Material, Option, Options, option_table
from haptos.fields.distance_field import DistanceField
from haptos.fields.pressure_surface import PressureSurface, pressure_surface
from haptos.layers.contacts import Contacts, contacts
from haptos.layers.surface import Surface
from haptos.look.aim import Look
from haptos.look.drawing import draw
from haptos.look.images import save_png
from haptos.look.movies import record_movie, save_movie
from haptos.look.snapshots import SimStage, Snapshot, Stage
from haptos.look.wall import draw_wall
from haptos.meshes.files import read_surface, read_volume
from haptos.meshes.repair import Hole, RepairReport, repair
from haptos.meshes.skin import PointsSkin, points_skin
from haptos.meshes.tet_report import TetReport, measure_tets
from haptos.meshes.tets import TetProgress, tetrahedralise
from haptos.press.file import PressSet, open_presses
from haptos.press.recipe import Range
from haptos.press.run import presses
from haptos.record.recording import Recorder
from haptos.record.replay import Recording
from haptos.robots.load import load_robot, robot_picture
from haptos.robots.mjcf import MjcfModel, load_mjcf, velocity_from_mujoco, velocity_to_mujoco
from haptos.robots.sensors import ROBOT_SENSORS, RobotSensor
from haptos.robots.taxel_image import TaxelImage
from haptos.robots.view import RobotView
from haptos.scene.cameras import CameraPose, SceneCamera
from haptos.scene.file import load_scene
from haptos.scene.scene import Scene
from haptos.scene.several import compile_scenes
from haptos.scene.sim import CONTACT_DTYPE, Sim, StepReport, Wrench
from haptos.scene.trajectories import Trajectory, load_trajectory
from haptos.tactile.image_metrics import (
    DepthScore,
    ImageScore,
    MarkerScore,
    compare_depth,
    compare_images,
    compare_markers,
    ssim_map,
)
from haptos.tactile.pad_sets import LinkPad, PadSet, load_pad_set, pad_from_mesh, pad_set_names
from haptos.tactile.pads import Gel
from haptos.tactile.rgb import (
    LightRig,
    PhotometricModel,
    RgbSensor,
    RgbTable,
    ShadowTable,
    TactileLight,
    TactileNoise,
    calibrate,
    load_rgb,
    normals_from_depth,
    read_table,
    write_table,
)
from haptos.tactile.sensor_models import (
    SensorModel,
    load_sensor,
    outside_sensor_names,
    sensor_names,
)
from haptos.tactile.sensor_yaml import Fact
from haptos.tactile.sensors import (
    ContactField,
    ForceImage,
    GelStress,
    MarkerPoints,
    MarkerReading,
    PointCloud,
    TactileSensor,
    Touch,
)
from haptos.tactile.taxels import Taxels
from haptos.view.viewer import Viewer

__version__ = version

# Modules of their own names, as haptos.pictures.scene_above(sim).
_MODULES = {"learn": "haptos.learn", "pictures": "haptos.look.pictures", "press": "haptos.press",
            "units": "haptos.base.units"}


def __getattr__(name: str) -> Any:
    """A module of the package, on its first use."""
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    from haptos import _core

    near = "" if name.startswith("_") else _core.nearest_name(name, [*__all__, *_MODULES])
    raise AttributeError(f"haptos has no {name!r}"
                         + (f"; did you mean haptos.{near}?" if near else ""))

__all__ = [
    "CONTACT_DTYPE",
    "CameraPose",
    "ContactField",
    "Contacts",
    "DepthScore",
    "DistanceField",
    "Fact",
    "ForceImage",
    "Found",
    "Gel",
    "GelStress",
    "Hole",
    "IkResult",
    "IkTarget",
    "ImageScore",
    "InputError",
    "LightRig",
    "LinkPad",
    "Look",
    "LoopClosure",
    "MarkerGrid",
    "MarkerPoints",
    "MarkerReading",
    "MarkerScore",
    "Material",
    "MjcfModel",
    "Option",
    "Options",
    "Pad",
    "PadGrading",
    "PadSet",
    "PhotometricModel",
    "PointCloud",
    "PointsSkin",
    "PressError",
    "PressSet",
    "PressureSurface",
    "ROBOT_SENSORS",
    "Range",
    "Recorder",
    "Recording",
    "RenderScene",
    "RepairReport",
    "RgbSensor",
    "RgbTable",
    "Robot",
    "RobotFinding",
    "RobotJoint",
    "RobotLink",
    "RobotMotor",
    "RobotTendon",
    "RobotSensor",
    "RobotShape",
    "RobotView",
    "Scene",
    "SceneCamera",
    "SceneWarning",
    "SensorModel",
    "ShadowTable",
    "Sim",
    "SimStage",
    "Snapshot",
    "Stage",
    "State",
    "StepError",
    "StepReport",
    "Surface",
    "SurfaceReport",
    "TactileCamera",
    "TactileLight",
    "TactileNoise",
    "TactileSensor",
    "TaxelImage",
    "Taxels",
    "TetMesh",
    "TetProgress",
    "TetReport",
    "Touch",
    "Trajectory",
    "Tree",
    "TriMesh",
    "UnknownName",
    "Viewer",
    "VolumeReport",
    "Wrench",
    "__version__",
    "boundary_surface",
    "box",
    "box_pad",
    "calibrate",
    "capsule",
    "check_robot",
    "check_surface",
    "check_volume",
    "compare_depth",
    "compare_images",
    "compare_markers",
    "compile_scenes",
    "cone",
    "contacts",
    "cylinder",
    "depth_picture",
    "describe_status",
    "distance_to_surface",
    "draw",
    "draw_wall",
    "field_picture",
    "flow_picture",
    "icosphere",
    "intersecting_triangles",
    "iso_bolt",
    "iso_nut",
    "load_mjcf",
    "load_pad_set",
    "load_rgb",
    "load_robot",
    "load_scene",
    "load_sensor",
    "load_trajectory",
    "make_shape",
    "measure_tets",
    "mini_pad",
    "normal_picture",
    "normals_from_depth",
    "open_presses",
    "option_table",
    "orient",
    "outside_sensor_names",
    "pad_from_mesh",
    "pad_set_names",
    "pins",
    "points_skin",
    "presses",
    "pressure_surface",
    "read_surface",
    "read_table",
    "read_volume",
    "record_movie",
    "remove_degenerate",
    "render",
    "repair",
    "repair_inertia",
    "require_contact_surface",
    "require_volume",
    "ring",
    "robot_picture",
    "round_pad",
    "save_movie",
    "save_png",
    "sensor_names",
    "shape_names",
    "ssim_map",
    "status_table",
    "tetrahedralise",
    "torus",
    "velocity_from_mujoco",
    "velocity_to_mujoco",
    "view_above",
    "view_side_cutaway",
    "weld",
    "write_msh",
    "write_obj",
    "write_ply",
    "write_stl",
    "write_table",
    "write_vtk",
]
