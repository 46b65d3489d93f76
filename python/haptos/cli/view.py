"""haptos view: a scene, a robot, a recording or a press in the browser."""

from __future__ import annotations

import sys

from haptos.base.console import say
from haptos.base.errors import refuse
from haptos.base.progress import Stopper
from haptos.cli.shown_files import is_scene, live_press, open_shown, press_of
from haptos.look.colours import read_pairs
from haptos.record.replay import Recording
from haptos.view.viewer import Viewer


def view_file(file: str, host: str, port: int, packages: list[str], roots: list[str],
              frame: int | None, color: list[str]) -> None:
    """Opens a page on the file, until Ctrl-C or SIGTERM; color: of bodies, BODY=COLOUR."""
    plain, colors = read_pairs(color)
    if plain:
        refuse("--color", plain[0], "must be BODY=COLOUR",
               "what colours the gel is chosen on the page")
    source = open_shown(file, packages, roots)
    live = None
    if isinstance(source, Recording):
        if not source.finished:
            say("note", [f"{source.path}: the run was stopped before its end; it has "
                         f"{len(source)} frames."])
        if press_of(source) is not None:
            live = lambda: live_press(source)  # noqa: E731
    else:
        for warning in source.warnings:
            say("warning", [warning])
    with Stopper("closing the page; once more stops at once") as stopper:
        with Viewer(source, host=host, port=port, live=live, colors=colors,
                    steps=isinstance(source, Recording) or is_scene(file)) as viewer:
            if frame is not None:
                viewer.show_frame(frame)
            if not viewer.is_private:
                say("warning", [f"The page is open to other machines at {host}: whoever has its "
                                "address, with the key in it, can see and command it."])
            print(f"open {viewer.url} in a browser; Ctrl-C ends", flush=True)
            while not stopper.signal:
                viewer.run(0.2)
    if stopper.signal:
        sys.stdout.flush()
