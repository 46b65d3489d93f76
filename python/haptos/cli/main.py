"""The haptos command: press, dataset, run, view, render, tetrahedralise, scan, check, calibrate,
describe, doctor.

Exit codes: 0 done; 1 check found the file unusable, or a strict step failed; 2 bad input, in one
line on stderr, with nothing created; 74 the disk is full; 130 and 143 stopped by Ctrl-C or
SIGTERM, with valid output of what was done.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Annotated

import typer

from haptos import _core
from haptos.base import starting
from haptos.base.console import set_command
from haptos.base.errors import InputError, PressError, StepError, refuse
from haptos.base.options import find_option
from haptos.base.units import parse_quantity

app = typer.Typer(name="haptos", add_completion=False, rich_markup_mode=None,
                  pretty_exceptions_enable=False,
                  help="Simulates robots that touch: soft gel, contact and tactile sensors.")

OutOption = Annotated[str | None, typer.Option(
    "--out", metavar="DIR", help="Folder for the results; made if missing, must be empty. "
    "Default: a new one in runs/.", show_default=False)]
OverwriteOption = Annotated[bool, typer.Option(
    "--overwrite", help="Write into a folder that is not empty.")]
StrictOption = Annotated[bool, typer.Option(
    "--strict", help="Warnings about the scene are errors.")]
ModelOption = Annotated[str, typer.Option(
    "--model", metavar="soft|hydroelastic", help="soft simulates the gel; hydroelastic takes it for a "
    "linear layer, a hundred times faster.")]
QualityOption = Annotated[str | None, typer.Option(
    "--quality", metavar="fast|normal|fine", show_default=False, help="How fine the gel is where it "
    "is pressed, and how long that takes: haptos describe quality. Default: normal.")]
SetOption = Annotated[list[str] | None, typer.Option(
    "--set", metavar="GROUP.NAME=VALUE", show_default=False,
    help="Any option that `haptos describe` lists; may be given several times.")]


def parse_settings(settings: list[str] | None) -> dict[str, float | str]:
    """Options from GROUP.NAME=VALUE texts."""
    values = {}
    for text in settings or []:
        path, equals, value = text.partition("=")
        if not equals:
            refuse("--set", text, "must be GROUP.NAME=VALUE",
                   "for example --set contact.support=20um")
        option = find_option(path.strip())
        values[path.strip()] = (value.strip() if value.strip() in option.words
                                else parse_quantity(value, option.unit, path.strip()))
    return values


def _version(wanted: bool) -> None:
    if wanted:
        commit = f" ({_core.commit})" if _core.commit else ""
        print(f"haptos {_core.version}{commit}")
        raise typer.Exit()


@app.callback()
def _top(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True,
                                          help="Show the version and stop.")] = False,
) -> None:
    del version


@app.command()
def press(
    shapes: Annotated[list[str], typer.Argument(
        metavar="SHAPE", show_default=False,
        help="One or several: STL, OBJ, PLY or OFF files, or names of test shapes such as sphere.")],
    depth: Annotated[str | None, typer.Option(
        metavar="LENGTH[,...]", show_default=False, help="How far to press, for example 0.5mm; "
        "several are read on one way down: 0.5mm,1mm or 0:1mm:11. Default: 1mm.")] = None,
    force: Annotated[str | None, typer.Option(
        metavar="FORCE[,...]", show_default=False, help="Press until the gel pushes back with "
        "this, for example 5N, instead of --depth.")] = None,
    shear: Annotated[str | None, typer.Option(
        metavar="LENGTH[,LENGTH]", show_default=False, help="Then move the object sideways, along "
        "x or x and y, for example 0.5mm.")] = None,
    twist: Annotated[str | None, typer.Option(
        metavar="ANGLE", show_default=False, help="Then turn it about the vertical through its "
        "middle, for example 10deg.")] = None,
    grid: Annotated[str | None, typer.Option(
        metavar="NxM", show_default=False, help="Press at so many places along x and y of the "
        "pad, each from its start.")] = None,
    pitch: Annotated[str | None, typer.Option(
        show_default=False, help="Between the places of --grid. Default: spread over the "
        "pad.")] = None,
    sensor: Annotated[str | None, typer.Option(
        metavar="NAME|FILE", show_default=False, help="A sensor by name, or a sensor file "
        "(.yaml): its pad, gel, camera and markers. haptos describe sensors lists them.")] = None,
    pad: Annotated[str | None, typer.Option(
        metavar="box|dome|FILE", show_default=False, help="The gel without a sensor: a flat box "
        "of 25.25 x 20.75 x 4 mm (the default), the same with a domed top, or a volume file "
        "(.vtk, .msh).")] = None,
    unit: Annotated[str | None, typer.Option(
        metavar="mm|m", show_default=False,
        help="Unit of the files. Default: mm if the largest side is above 1.")] = None,
    face: Annotated[str | None, typer.Option(
        metavar="bottom|top", show_default=False,
        help="Side of the object that is pressed. Default: bottom, for a named shape its "
        "feature.")] = None,
    pad_face: Annotated[str, typer.Option(
        metavar="top|bottom", help="Side of a pad file that is pressed.")] = "top",
    at: Annotated[str, typer.Option(
        metavar="X,Y", help="Where the middle of the object goes, for example 2mm,-1mm.")] = "0,0",
    model: ModelOption = "soft",
    quality: QualityOption = None,
    elements: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False, help="Width of the gel's elements where it is "
        "pressed, for example 0.25mm under sharp edges; 0mm: those of the pad. Default: what "
        "--quality says.")] = None,
    steps: Annotated[int | None, typer.Option(
        show_default=False, help="Number of steps down. Default: one each 80 um.")] = None,
    friction: Annotated[str | None, typer.Option(
        show_default=False, help="Coefficient of friction. Default: the sensor's; without one 0, "
        "with --shear or --twist 0.8.")] = None,
    young: Annotated[str | None, typer.Option(
        show_default=False, help="Young's modulus. Default: the sensor's, or 435kPa.")] = None,
    poisson: Annotated[str | None, typer.Option(
        show_default=False, help="Poisson's ratio. Default: the sensor's, or 0.48.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1,
                                      help="Seed of the shape random.")] = 1,
    strict: StrictOption = False,
    settings: SetOption = None,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Presses an object into a gel pad and writes what the sensor sees.

    Results: report.html, above.png, side.png, depth.png, markers.png, pad.vtk (the deformed
    pad) and run.h5 (every step; docs/files.md describes it). Ctrl-C ends the run after the
    current step and still writes them.

    Several shapes, or --grid, make a matrix of presses: a folder each and index.html. The same
    command goes on with one that was stopped or killed; a press that fails is noted and the rest
    goes on, with exit code 1.

    \b
    Examples:
      haptos press sphere
      haptos press part.stl --unit mm --depth 0.8mm --out runs/part
      haptos press cylinder --sensor gelsight-mini --force 5N --shear 0.5mm --twist 10deg
      haptos press torus --sensor digit --depth 0.5mm
      haptos press dots --sensor digit --quality fast
      haptos press hexagon --sensor gelsight-mini --elements 0.4mm
      haptos press hexagon --sensor gelsight-mini --model hydroelastic
      haptos press cone moon dots --grid 3x3 --pitch 1mm --depth 0:1mm:11 --out runs/matrix
      haptos press torus --pad dome --young 300kPa --set contact.support=10um
    """
    from haptos.cli.press import parse_grid, parse_pair, parse_values, run_matrix, run_press

    options = parse_settings(settings)
    if strict:
        options["sim.strict"] = 1.0
    if young is not None:
        options.setdefault("material.young", parse_quantity(young, "Pa", "material.young"))
    if poisson is not None:
        options.setdefault("material.poisson", parse_quantity(poisson, "", "material.poisson"))
    if depth is not None and force is not None:
        refuse("--depth and --force", "", "cannot both be given", "leave one out")
    if pitch is not None and grid is None:
        refuse("--pitch", pitch, "is for --grid", "for example --grid 3x3 --pitch 1mm")
    if len(at.split(",")) != 2:
        refuse("--at", at, "must be two lengths", "for example 2mm,-1mm")
    asked = {
        "depth": None if depth is None else parse_values(depth, "m", "--depth"),
        "force": None if force is None else parse_values(force, "N", "--force"),
        "shear": (0.0, 0.0) if shear is None else parse_pair(shear, "m", "--shear", "0.5mm"),
        "twist": 0.0 if twist is None else parse_quantity(twist, "rad", "--twist"),
        "friction": None if friction is None else parse_quantity(friction, "", "--friction"),
        "pad": pad, "unit": unit, "sensor": sensor, "face": face, "pad_face": pad_face,
        "steps": steps, "seed": seed, "options": options,
        "at": parse_pair(at, "m", "--at", "2mm,-1mm"),
        "quality": quality, "model": model,
        "elements": None if elements is None else parse_quantity(elements, "m", "--elements"),
    }
    if grid is None and len(shapes) == 1:
        run_press(shapes[0], asked, out, overwrite)
    else:
        run_matrix(shapes, (1, 1) if grid is None else parse_grid(grid),
                   None if pitch is None else parse_quantity(pitch, "m", "--pitch"), asked, out,
                   overwrite)


@app.command()
def compare(
    shape: Annotated[str, typer.Argument(
        metavar="SHAPE", show_default=False,
        help="A STL, OBJ, PLY or OFF file, or a name of a test shape such as sphere.")],
    sensor: Annotated[str, typer.Option(metavar="NAME|FILE", help="A sensor by name, or a sensor "
                                        "file (.yaml).")] = "gelsight-mini",
    depth: Annotated[str, typer.Option(metavar="LENGTH", help="How far to press.")] = "0.5mm",
    shear: Annotated[str, typer.Option(
        metavar="LENGTH[,LENGTH]", help="Then move the object sideways, along x or x and y; 0mm: "
        "not.")] = "0.3mm",
    at: Annotated[str, typer.Option(
        metavar="X,Y", help="Where the middle of the object goes, for example 2mm,-1mm.")] = "0,0",
    unit: Annotated[str | None, typer.Option(
        metavar="mm|m", show_default=False,
        help="Unit of the file. Default: mm if the largest side is above 1.")] = None,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Presses a shape into a sensor twice, with the models soft and hydroelastic, and sets images,
    forces and times side by side.

    Results: compare.png (both images and their difference) and compare.json. docs/contact/touch.md
    tells what the models are.

    \b
    Example:
      haptos compare key --sensor digit --depth 0.3mm
    """
    from haptos.cli.compare import run_compare
    from haptos.cli.press import parse_pair

    if len(at.split(",")) != 2:
        refuse("--at", at, "must be two lengths", "for example 2mm,-1mm")
    run_compare(shape, {
        "sensor": sensor, "depth": parse_quantity(depth, "m", "--depth"),
        "shear": parse_pair(shear, "m", "--shear", "0.5mm"),
        "at": parse_pair(at, "m", "--at", "2mm,-1mm"), "unit": unit}, out, overwrite)


@app.command()
def dataset(
    shapes: Annotated[list[str], typer.Argument(
        metavar="SHAPE", show_default=False,
        help="One or several: STL, OBJ, PLY or OFF files, or names of test shapes such as sphere.")],
    out: Annotated[str, typer.Option("--out", metavar="FILE", show_default=False,
                                     help="The file to write, for example presses.h5.")],
    count: Annotated[int | None, typer.Option(
        show_default=False, help="How many presses to draw from the lists and ranges. Default: "
        "every combination of the lists.")] = None,
    seed: Annotated[int, typer.Option(help="Of the draws and of the sensor's noise.")] = 0,
    sensor: Annotated[str, typer.Option(metavar="NAME|FILE", help="A sensor by name, or a sensor "
                                        "file (.yaml).")] = "gelsight-mini",
    model: Annotated[str, typer.Option(
        metavar="soft|hydroelastic|height-map", help="soft simulates the gel; hydroelastic takes it "
        "for a linear layer, a hundred times faster; height-map cuts the shape's height map with it, "
        "which is no simulation and has no forces.")] = "soft",
    x: Annotated[str | None, typer.Option(metavar="LENGTH", show_default=False,
                                          help="Place on the pad. Default: 0.")] = None,
    y: Annotated[str | None, typer.Option(metavar="LENGTH", show_default=False,
                                          help="The same upward in the image.")] = None,
    tilt: Annotated[str | None, typer.Option(
        metavar="ANGLE", show_default=False, help="How far the object leans over.")] = None,
    tilt_toward: Annotated[str | None, typer.Option(
        metavar="ANGLE", show_default=False, help="The side that it leans to, from +x towards "
        "+y.")] = None,
    yaw: Annotated[str | None, typer.Option(
        metavar="ANGLE", show_default=False, help="Turn about the vertical, before it leans.")] = None,
    depth: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False, help="How far to press from the first touch. "
        "Default: 1mm.")] = None,
    force: Annotated[str | None, typer.Option(
        metavar="FORCE", show_default=False, help="Press until the gel pushes back with this, "
        "instead of --depth.")] = None,
    young: Annotated[str | None, typer.Option(
        metavar="PRESSURE", show_default=False, help="Young's modulus. Default: the "
        "sensor's.")] = None,
    poisson: Annotated[str | None, typer.Option(
        metavar="NUMBER", show_default=False, help="Poisson's ratio. Default: the "
        "sensor's.")] = None,
    friction: Annotated[str | None, typer.Option(
        metavar="NUMBER", show_default=False, help="Coefficient of friction. Default: the "
        "sensor's.")] = None,
    shear: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False, help="Then move the object so far aside.")] = None,
    shear_toward: Annotated[str | None, typer.Option(
        metavar="ANGLE", show_default=False, help="Where to, from +x towards +y. Default: 0.")] = None,
    workers: Annotated[int | None, typer.Option(
        show_default=False, help="Processes side by side. Default: one for each processor.")] = None,
    quality: QualityOption = None,
    elements: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False, help="Width of the gel's elements where it is "
        "pressed; wider ones are faster. Default: what --quality says.")] = None,
    smoothing: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False, help="Of a height map beside the contact. Default: "
        "1mm.")] = None,
    unit: Annotated[str | None, typer.Option(
        metavar="mm|m", show_default=False,
        help="Unit of the files. Default: mm if the largest side is above 1.")] = None,
    face: Annotated[str | None, typer.Option(
        metavar="bottom|top", show_default=False, help="Side of the objects that is "
        "pressed.")] = None,
    settings: SetOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Begin anew.")] = False,
) -> None:
    """Presses shapes into a sensor many times and writes one file for learning.

    A quantity is one value (0.5mm), a list (0.5mm,1mm or 0:1mm:11) or a range (0.2..1mm). Lists
    make a grid; --count draws presses from lists and ranges. The same command gives the same file,
    bit for bit, and goes on with one that was stopped or killed. docs/datasets.md tells the rest.

    \b
    Examples:
      haptos dataset sphere cone dots --count 100 --depth 0.2..1mm --x -3..3mm --y -3..3mm --out presses.h5
      haptos dataset part.stl --depth 0.2mm,0.4mm --yaw 0deg,90deg --sensor digit --out grid.h5
      haptos dataset key --count 20 --tilt 0..10deg --tilt-toward 0..360deg --quality fast --out key.h5
      haptos dataset coin --count 1000 --depth 0.1..0.5mm --model height-map --out quick.h5
    """
    from haptos.cli.dataset import parse_quantities, run_dataset

    run_dataset(shapes, out, parse_quantities({
        "x": x, "y": y, "tilt": tilt, "tilt_toward": tilt_toward, "yaw": yaw, "depth": depth,
        "force": force, "young": young, "poisson": poisson, "friction": friction, "shear": shear,
        "shear_toward": shear_toward}), workers, count=count, seed=seed, sensor=sensor, model=model,
        quality=quality, elements=elements, smoothing=smoothing, unit=unit, face=face,
        options=parse_settings(settings), overwrite=overwrite)


@app.command()
def run(
    scene: Annotated[str, typer.Argument(metavar="SCENE", show_default=False,
                                         help="A scene file (.yaml).")],
    duration: Annotated[str | None, typer.Option(
        show_default=False, help="How long to simulate, for example 2s. Default: to the last "
        "keyframe of the scene, or 1 s.")] = None,
    every: Annotated[int, typer.Option(min=1, max=1_000_000,
                                       help="Record one frame in so many steps.")] = 1,
    cameras: Annotated[bool, typer.Option(help="Record what cameras of the scene see, which takes longer "
                                          "than many steps.")] = True,
    strict: StrictOption = False,
    settings: SetOption = None,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Runs a scene file and records it.

    Results: report.html, run.h5 (docs/files.md describes it) and pictures of the end. Ctrl-C
    ends the run after the current step and still writes them.

    \b
    Example:
      haptos run scenes/press_sphere.yaml --duration 0.5s --out runs/sphere
    """
    from haptos.cli.runs import run_scene

    seconds = None if duration is None else parse_quantity(duration, "s", "--duration")
    run_scene(scene, seconds, every, parse_settings(settings), out, overwrite, strict, cameras)


UnitOption = Annotated[str | None, typer.Option(
    "--unit", metavar="mm|m", show_default=False,
    help="Unit of the file. Default: mm if the largest side is above 1.")]
PackageOption = Annotated[list[str] | None, typer.Option(
    "--package", metavar="NAME=FOLDER", show_default=False,
    help="Where a robot's package:// paths begin; may be given several times.")]
RootOption = Annotated[list[str] | None, typer.Option(
    "--root", metavar="FOLDER", show_default=False,
    help="A further folder that a robot's files may lie in; may be given several times.")]


@app.command()
def check(
    file: Annotated[str, typer.Argument(
        metavar="FILE", show_default=False,
        help="A surface (.stl, .obj, .ply, .off), a volume (.vtk, .msh), a robot (.urdf, .xacro, "
        "MJCF's .xml) or a scene (.yaml).")],
    repair: Annotated[str | None, typer.Option(
        "--repair", metavar="OUT", show_default=False,
        help="Mend the surface and write it to this file (.stl, .obj, .ply), in the file's "
        "unit.")] = None,
    largest_hole: Annotated[str | None, typer.Option(
        show_default=False, help="Holes up to this width are closed, 0 closes none. Default: a "
        "twentieth of the box's diagonal.")] = None,
    weld: Annotated[str | None, typer.Option(
        show_default=False, help="Vertices closer than this are joined. Default: 1e-5 of the "
        "box's diagonal.")] = None,
    rebuild: Annotated[str | None, typer.Option(
        metavar="SIZE", show_default=False,
        help="Make the surface anew with edges of this length; removes triangles that cut each "
        "other.")] = None,
    field: Annotated[bool, typer.Option(
        "--field", help="Make the distance field of a surface, for hydroelastic contact, and say how "
        "good it is.")] = False,
    resolution: Annotated[int | None, typer.Option(
        "--resolution", show_default=False, help="Cells of the field along the longest side. "
        "Default: 64.")] = None,
    unit: UnitOption = None,
    package: PackageOption = None,
    root: RootOption = None,
    picture: Annotated[str | None, typer.Option(
        "--picture", metavar="PNG", show_default=False,
        help="Write a picture of a robot, every joint at its start, or of a field.")] = None,
    strict: StrictOption = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file OUT or "
                                            "PNG.")] = False,
) -> None:
    """Says what is wrong with a mesh, a robot or a scene; exit code 1 if it cannot be used.

    Of a robot it prints the tree, joints with limits, masses, the health of its meshes, and what
    is odd about it, and compiles it as the only robot of a scene.

    With --repair it mends a surface: joins vertices, drops triangles without area and repeated
    ones, turns triangles, closes small holes, and says what it changed. The options from --repair
    to --unit are for that.

    \b
    Examples:
      haptos check part.stl
      haptos check part.stl --repair mended.stl --largest-hole 2mm
      haptos check messy.obj --repair clean.ply --rebuild 1mm
      haptos check part.stl --field --resolution 128 --picture field.png
      haptos check arm.urdf --package arm_description=~/arm --picture arm.png
    """
    from haptos.cli.info import check_file
    from haptos.cli.meshes import check_field, run_repair

    if resolution is not None and not field:
        refuse("--resolution", str(resolution), "is for --field", "add --field")
    if field:
        for name, given in (("--package", package), ("--root", root), ("--repair", repair),
                            ("--strict", strict), ("--largest-hole", largest_hole),
                            ("--weld", weld), ("--rebuild", rebuild)):
            if given:
                refuse(name, str(given), "is not for --field", "leave one of them out")
        raise typer.Exit(check_field(file, resolution or 64, unit, picture, overwrite))
    if repair is None:
        for name, value in (("--largest-hole", largest_hole), ("--weld", weld),
                            ("--rebuild", rebuild), ("--unit", unit)):
            if value is not None:
                refuse(name, value, "is for --repair", "add --repair OUT")
        raise typer.Exit(check_file(file, package, picture, overwrite, strict, root))
    for name, given in (("--package", package), ("--root", root), ("--picture", picture)):
        if given:
            refuse(name, str(given), "is not for --repair", "leave one of them out")

    def length(text: str | None, name: str) -> float | None:
        return None if text is None else parse_quantity(text, "m", name)

    raise typer.Exit(run_repair(
        file, repair, unit, overwrite, weld=length(weld, "--weld"),
        largest_hole=length(largest_hole, "--largest-hole"),
        rebuild=length(rebuild, "--rebuild")))


ShownArgument = Annotated[str, typer.Argument(
    metavar="FILE", show_default=False,
    help="A scene (.yaml), a recording (.h5), a folder that haptos press or run wrote, or a robot "
    "(.urdf, .xacro, MJCF's .xml).")]


@app.command()
def view(
    file: ShownArgument,
    frame: Annotated[int | None, typer.Option(
        show_default=False, help="Of a recording, shown first. Default: the last.")] = None,
    color: Annotated[list[str] | None, typer.Option(
        metavar="BODY=COLOUR", show_default=False, help="Of a body, a robot or robot/link: a name "
        "as in HTML or #rrggbb. May be given several times.")] = None,
    host: Annotated[str, typer.Option(help="Where the page is served; 0.0.0.0 lets other machines "
                                      "see it.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Of the page; the next free one is taken.")] = 8080,
    package: PackageOption = None,
    root: RootOption = None,
) -> None:
    """Shows a scene, a recording, a press or a robot in the browser; needs the extra view.

    The page has the bodies, the gel coloured by pressure, displacement or stress, contact forces
    as arrows, markers, the images of the sensors side by side, and a slider over time. A scene
    runs, with sliders for joints and for bodies that are moved; a press can be gone on with by
    hand. Only this machine can reach the page, by the address that is printed. Ctrl-C ends it.

    \b
    Examples:
      haptos view runs/mine
      haptos view scenes/press_sphere.yaml
      haptos view robot.urdf --package my_robot=~/ws/src/my_robot
    """
    from haptos.cli.view import view_file

    view_file(file, host, port, package or [], root or [], frame, color or [])


@app.command()
def render(
    file: ShownArgument,
    out: Annotated[str | None, typer.Option(
        "--out", metavar="PNG|MP4|GIF", show_default=False,
        help="The picture or movie to write. Default: the name of FILE with .png, here.")] = None,
    time: Annotated[str | None, typer.Option(
        show_default=False, help="Of the picture, for example 0.3s. Default: the end.")] = None,
    frame: Annotated[int | None, typer.Option(
        show_default=False, help="The same as a frame of a recording, -1 the last, or as a step of "
        "a scene.")] = None,
    camera: Annotated[str | None, typer.Option(
        metavar="NAME|AZIMUTH,ELEVATION", show_default=False, help="above (the default), front, side, "
        "top, cut (open through the middle), where the camera is in degrees, from the front towards "
        "+x and up, or a camera of the scene, whose own picture it is.")] = None,
    target: Annotated[str | None, typer.Option(
        metavar="NAME|X,Y,Z", show_default=False, help="What the middle of the picture shows: a "
        "body, a robot's link as robot/link, or a place, for example 0,0,5cm.")] = None,
    distance: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False, help="Of the camera from there, for example 30cm. "
        "Default: all of the scene is seen, or a body that is named takes most of "
        "the picture.")] = None,
    follow: Annotated[str, typer.Option(
        metavar="NAME", show_default=False, help="A body that stays in the middle of a movie.")] = "",
    color: Annotated[list[str] | None, typer.Option(
        metavar="none|pressure|displacement|stress|flow|BODY=COLOUR", show_default=False,
        help="What the gel is coloured by, or material points (flow), and the colour of a body, a robot or robot/link: a name "
        "as in HTML or #rrggbb. May be given several times.")] = None,
    objects: Annotated[str | None, typer.Option(
        metavar="solid|ghost|hidden", show_default=False, help="How what presses on a gel is drawn. "
        "Default: ghost beside a colour, else solid.")] = None,
    forces: Annotated[str, typer.Option(
        metavar="none|sum|spread", help="Arrows: none, the whole force between two bodies, or "
        "spread over the contact.")] = "none",
    markers: Annotated[bool, typer.Option("--markers", help="Draw the markers on the gel.")] = False,
    images: Annotated[bool, typer.Option("--images", help="Put the images of the sensors beside "
                                         "it.")] = False,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="In pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Frames a second of a movie.")] = 30.0,
    speed: Annotated[float | None, typer.Option(
        show_default=False, help="Of a movie: 1 is real time, 0.1 ten times slower. Default: 1; "
        "what lasts less than 2 s is slowed down to 4 s.")] = None,
    seconds: Annotated[str | None, typer.Option(
        show_default=False, help="Simulated time of a scene's movie. Default: to its last keyframe, "
        "or 1 s.")] = None,
    package: PackageOption = None,
    root: RootOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
) -> None:
    """Draws a scene, a recording, a press or a robot as PNG, MP4 or GIF; needs no display.

    A scene is simulated first. The file is written whole or not at all; Ctrl-C ends a movie early,
    as a whole file of what was drawn. Movies need the extra view.

    \b
    Examples:
      haptos render runs/mine --color pressure --forces sum --images --out press.png
      haptos render runs/mine --camera cut --time 0.3s --out cut.png
      haptos render scenes/pin_cushion.yaml --color cushion=teal --target cushion --out pins.png
      haptos render scenes/press_sphere.yaml --color stress --out press.mp4 --fps 30
      haptos render runs/mine --camera 30,50 --size 1920x1080 --speed 0.1 --out slow.mp4
      haptos render scenes/quadruped_stands.yaml --follow quadruped --distance 1.5m --out walk.mp4
      haptos render scenes/robots/watched_arm.yaml --camera wrist --out wrist.mp4
    """
    from haptos.cli.render import Asked, parse_look, render_file, scene_camera

    look = parse_look(camera, color or [], objects, forces, markers, size, target, distance, follow)
    render_file(file, look, Asked(
        out, overwrite, None if time is None else parse_quantity(time, "s", "--time"), frame,
        None if seconds is None else parse_quantity(seconds, "s", "--seconds"), speed, fps, images,
        package or [], root or [], scene_camera(camera)))


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """Checks that Haptos works here: Python, core, processor, extras, disk, and a tiny press.

    Each line is ok, warn or missing, with a remedy. Exit code 1 if something that every run needs
    does not work; what is only missing for an extra does not count.

    \b
    Example:
      haptos doctor
    """
    from haptos.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(as_json))


@app.command()
def tetrahedralise(
    file: Annotated[str, typer.Argument(metavar="FILE", show_default=False,
                                        help="A closed surface (.stl, .obj, .ply, .off).")],
    size: Annotated[str, typer.Option(metavar="LENGTH", show_default=False,
                                      help="Edge length of the tetrahedra, for example 1mm.")],
    out: Annotated[str, typer.Option(
        "--out", metavar="FILE", show_default=False,
        help="The volume to write (.vtk, .msh), in metres.")],
    unit: UnitOption = None,
    epsilon: Annotated[str | None, typer.Option(
        metavar="LENGTH", show_default=False,
        help="How far the boundary may lie from the surface. Default: a twentieth of the "
        "size.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1,
                                      help="Seed of the random numbers.")] = 1,
    stop_energy: Annotated[float, typer.Option(
        help="Worst shape to stop at: 3 is regular; lower takes longer.")] = 10.0,
    allow_defects: Annotated[bool, typer.Option(
        "--allow-defects", help="Go on with an open or self-intersecting surface.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file OUT.")] = False,
) -> None:
    """Fills a closed surface with tetrahedra for a soft body, and says how good they are.

    \b
    Examples:
      haptos tetrahedralise gel.stl --size 1mm --out gel.vtk
      haptos tetrahedralise finger.obj --unit m --size 2mm --epsilon 20um --out finger.msh
    """
    from haptos.cli.meshes import run_tetrahedralise

    run_tetrahedralise(
        file, parse_quantity(size, "m", "--size"), out, unit,
        None if epsilon is None else parse_quantity(epsilon, "m", "--epsilon"), seed, stop_energy,
        allow_defects, overwrite)


@app.command()
def scan(
    kind: Annotated[str | None, typer.Argument(
        metavar="KIND", show_default=False, help="mug, terrain, ladder, chair, fingertip, box, "
        "plane or humanoid.")] = None,
    out: Annotated[str | None, typer.Option(
        "--out", metavar="FILE", show_default=False,
        help="The surface to write (.stl, .obj, .ply), in metres; of a humanoid the .urdf, with its "
        "meshes beside it.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1,
                                      help="Seed of the random numbers.")] = 1,
    settings: Annotated[list[str] | None, typer.Option(
        "--set", metavar="NAME=VALUE", show_default=False,
        help="A parameter that --list shows; may be given several times.")] = None,
    flip: Annotated[float, typer.Option(
        metavar="SHARE", help="Share of the triangles whose winding is turned.")] = 0.0,
    holes: Annotated[float, typer.Option(
        metavar="SHARE", help="Share of each face that is missing, at most 0.05; none at its "
        "rim.")] = 0.0,
    duplicate: Annotated[float, typer.Option(
        metavar="SHARE", help="Share of the triangles that are there twice.")] = 0.0,
    t_junctions: Annotated[float, typer.Option(
        "--t-junctions", metavar="SHARE", help="Share of the triangles that are halved at an edge "
        "that the neighbour has whole.")] = 0.0,
    shuffle: Annotated[bool, typer.Option(
        "--shuffle", help="Triangles and vertices in random order.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="Print the kinds and their parameters.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file OUT.")] = False,
) -> None:
    """Makes a surface like a scan, or a broken one, to test contact with.

    The same kind, parameters and seed give the same file. It prints triangles, edges, angles, rims.

    \b
    Examples:
      haptos scan --list
      haptos scan mug --out mug.ply
      haptos scan box --set triangles=12000 --seed 3 --flip 0.5 --holes 0.05 --out box.obj
      haptos scan terrain --set size=10m --set spread=0.69m --set hurst=0.83 --out ground.stl
      haptos scan humanoid --set meshes=stl --out humanoid.urdf
    """
    from haptos.cli.scan import list_kinds, run_scan

    if list_:
        list_kinds()
    else:
        run_scan(kind, out, seed, settings or [], {
            "flip": flip, "holes": holes, "duplicate": duplicate, "t_junctions": t_junctions,
            "shuffle": shuffle}, overwrite)


@app.command()
def calibrate(
    images: Annotated[str, typer.Option(
        "--images", metavar="DIR", show_default=False,
        help="Folder of pictures; those without contact are named background*, bg*, no_contact*, "
        "rest* or empty*, each other one shows one press.")],
    ball_radius: Annotated[str, typer.Option(
        "--ball-radius", metavar="LENGTH", show_default=False,
        help="Of the ball that was pressed, for example 4mm.")],
    pitch: Annotated[str | None, typer.Option(
        "--pitch", metavar="LENGTH", show_default=False,
        help="Of the gel per pixel, for example 63.4um. Default: the pictures show what the "
        "sensor's camera shows.")] = None,
    sensor: Annotated[str | None, typer.Option(
        "--sensor", metavar="NAME|FILE", show_default=False,
        help="Sensor whose pad, markers and camera the new one has. Default: gelsight-mini.")] = None,
    mirror: Annotated[str, typer.Option(
        "--mirror", metavar="x|y|xy", show_default=False,
        help="Turns pictures round on reading: their columns (x), rows (y) or both run against "
        "those of the gel seen from outside.")] = "",
    background: Annotated[str | None, typer.Option(
        "--background", metavar="PATTERN", show_default=False,
        help="Names of the pictures without contact, for example 'flat_*'.")] = None,
    lights: Annotated[int, typer.Option(help="Number of lights to fit.")] = 3,
    bins: Annotated[int, typer.Option(help="Bins of the table, each way.")] = 125,
    out: OutOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Fits the colours of a tactile sensor to pictures of a ball pressed into it.

    Results: sensor.yaml, a sensor for --sensor of haptos press; rgb.yaml and rgb.npz, its colours;
    and report.html with errors on presses that no fit saw. docs/sensors/calibration.md says how to
    take the pictures.

    \b
    Examples:
      haptos calibrate --images pictures --ball-radius 4mm
      haptos calibrate --images pictures --ball-radius 4mm --sensor digit --pitch 40.5um --mirror x --out sensors/mine
    """
    from haptos.cli.calibrate import run_calibrate

    run_calibrate(images, parse_quantity(ball_radius, "m", "--ball-radius"),
                  None if pitch is None else parse_quantity(pitch, "m", "--pitch"), out, overwrite,
                  sensor=sensor, mirror=mirror, background=background, lights=lights, bins=bins)


@app.command()
def bench(
    scene: Annotated[str, typer.Argument(metavar="SCENE", show_default=False,
                                         help="A scene file (.yaml).")],
    envs: Annotated[str, typer.Option(
        metavar="N[,N...]", help="Numbers of environments, each measured in turn.")] = "1",
    steps: Annotated[int, typer.Option(min=1, max=1_000_000, help="Steps that count.")] = 100,
    skip: Annotated[int, typer.Option(min=0, max=1_000_000,
                                      help="Steps before them that do not.")] = 10,
    json_file: Annotated[str | None, typer.Option(
        "--json", metavar="FILE", show_default=False, help="Write all figures to this file.")] = None,
    plot: Annotated[str | None, typer.Option(
        metavar="FILE", show_default=False, help="Draw the stages of a step (.svg).")] = None,
    settings: SetOption = None,
    keep: Annotated[bool, typer.Option("--keep/--no-keep", help="Keep the figures on this machine, "
                                       "to compare the next ones with.")] = True,
) -> None:
    """Measures how fast a scene steps here, where the time goes and how well steps were solved.

    It prints environment-steps a second, iterations, contacts, residuals, memory and the time of
    each stage, and how much faster it is than the last time on this machine.

    \b
    Examples:
      haptos bench scenes/press_sphere.yaml
      haptos bench scenes/gel_finger_pushes_block.yaml --envs 1,16,64 --json finger.json --plot finger.svg
      haptos bench scenes/hertz.yaml --steps 20 --set newton.force_tolerance=1e-6
    """
    from haptos.cli.bench import parse_counts, run_bench

    run_bench(scene, parse_counts(envs), steps, skip, parse_settings(settings), json_file, plot, keep)


@app.command()
def describe(
    what: Annotated[str | None, typer.Argument(
        metavar="[material|contact|point_contact|newton|sim|solver|scene|SECTION|sensors|quality|NAME|FILE]",
        show_default=False, help="A group of options, the parts of a scene, one of its sections "
        "(affine, pairs, ...), the tactile sensors, one of them, what the words of --quality stand for, or a scene or sensor file.")] = None,
) -> None:
    """Lists options with unit, default, range and meaning, tactile sensors, or what a file holds.

    \b
    Examples:
      haptos describe contact
      haptos describe affine
      haptos describe scenes/press_sphere.yaml
      haptos describe gelsight-mini
    """
    from haptos.cli.info import describe_what

    describe_what(what)


def _fail(message: str, code: int) -> int:
    print("haptos: " + " ".join(str(message).split()), file=sys.stderr)
    return code


def main(arguments: list[str] | None = None) -> None:
    """The entry point: runs a command and exits with its code."""
    starting.loaded()
    code = run_command(sys.argv[1:] if arguments is None else arguments)
    if code == 74:
        # HDF5 may hold a file that it cannot close; its cleanup would crash.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run_command(arguments: list[str]) -> int:
    """Runs a command; returns its exit code."""
    set_command(arguments)
    command = typer.main.get_command(app)
    try:
        result = command.main(args=arguments or ["--help"], prog_name="haptos",
                              standalone_mode=False)
        return result if isinstance(result, int) else 0
    except typer.Exit as e:
        return int(e.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("stopped", 130)
    except InputError as e:
        return _fail(str(e), 2)
    except (StepError, PressError) as e:
        return _fail(str(e), 1)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except MemoryError:
        return _fail("there is not enough memory for this; use a coarser mesh", 71)
    except OSError as e:
        full = e.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
        remedy = "; make room and run again, earlier frames are kept" if full else ""
        where = f"{e.filename}: " if e.filename else ""
        what = str(e.strerror or e).rstrip(".")
        return _fail(f"{where}{what}{remedy}.", 74 if full else 2)
    except Exception as e:
        # Usage errors, of Typer's own click or of the click package, know their exit code.
        if hasattr(e, "format_message") and hasattr(e, "exit_code"):
            said = e.format_message().rstrip(". ")
            stop = "" if said.endswith(("?", "!")) else "."
            return _fail(f"{said}{stop} See haptos --help.", int(e.exit_code))
        raise


if __name__ == "__main__":
    main()
