"""The gallery of a matrix of presses: one page with a small picture of each and what came out."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos.base.units import show_length, show_time
from haptos.look.html_page import (
    bullets,
    caption,
    columns,
    line_plot,
    listing,
    page,
    section,
    write_text,
)
from haptos.record.recording import versions

if TYPE_CHECKING:
    from haptos.press.matrix import Entry, Matrix

HEADS = ("shape", "done", "failed", "force at the end [N]", "imbalance", "smallest gap",
         "least volume ratio", "steps with a status", "time")


def write_index(matrix: Matrix) -> None:
    """Writes index.html of a matrix as it stands; the pictures are those of its presses."""
    write_text(matrix.folder / "index.html", gallery_page([matrix], matrix.folder))


def gallery_page(matrices: Sequence[Matrix | Any], folder: Path) -> str:
    """A page over one matrix or several; folder: where the page will be, links are relative to it.

    Of each are read: folder, entries, grid, what, command.
    """
    entries = [e for m in matrices for e in m.entries]
    done = [e for e in entries if e.state == "done"]
    failed = [e for e in entries if e.state == "failed"]
    seconds = sum(e.result["seconds"] for e in done)
    ended = (f"{len(done)} of {len(entries)} presses are done"
             + (f", {len(failed)} failed" if failed else "")
             + (f"; they took {show_time(seconds)}." if done else "."))
    wide, rows = [], []
    for matrix in matrices:
        for shape in dict.fromkeys(e.shape for e in matrix.entries):
            mine = [e for e in matrix.entries if e.shape == shape]
            rows.append(_row(shape, mine))
            wide.append(section(Path(shape).stem, _grid(matrix, mine, folder)))
    what = "\n".join(f"{k}: {v}" for k, v in matrices[0].what.items() if k != "shapes")
    used = sorted({e.result["version"] for e in done})
    made_with = ", ".join(f"{k} {v}" for k, v in versions().items() if k != "haptos")
    return page(
        "Presses: " + (", ".join(dict.fromkeys(Path(e.shape).stem for e in entries)))[:200], ended,
        cells=[], wide=[
            section("Results", columns(HEADS, rows, [bool(int(r[2])) or bool(int(r[7]))
                                                     for r in rows])),
            section("Failed", bullets([f"{e.name}: {e.sentence}" for e in failed])),
            *wide, section("Settings", listing(what))],
        command=matrices[0].command,
        foot=f"haptos {', '.join(used) or versions()['haptos']}, {made_with}. Small pictures show "
             "depth on one scale. Forces are in the world frame, z up.")


def _row(shape: str, entries: Sequence[Entry]) -> list[str]:
    results = [e.result for e in entries if e.state == "done"]
    failed = sum(e.state == "failed" for e in entries)
    count = f"{len(results)} of {len(entries)}"
    if not results:
        return [Path(shape).stem, count, str(failed), "-", "-", "-", "-", "0", "-"]
    force = [r["end"]["normal"] for r in results]
    gap = min(r["smallest_gap"] for r in results)
    return [Path(shape).stem, count, str(failed), f"{min(force):.4g} to {max(force):.4g}",
            f"{max(r['worst_imbalance'] for r in results):.1e}",
            show_length(gap) if gap < 1 else "-",
            f"{min(r['smallest_volume_ratio'] for r in results):.3f}",
            str(sum(r["bad_steps"] for r in results)),
            show_time(sum(r["seconds"] for r in results))]


def _grid(matrix: Matrix | Any, entries: Sequence[Entry], folder: Path) -> str:
    """A small picture of each press where it was on the pad; force over depth; what was recorded of
    the middle one."""
    across = matrix.grid[0]
    cells = "".join(_cell(matrix, e, folder) for e in entries)
    done = [e for e in entries if e.state == "done"]
    inside = ('<div class="shape"><div class="gallery" style="grid-template-columns: '
              f'repeat({across}, minmax(0, 160px))">{cells}</div>{_forces(done)}</div>')
    if done:
        middle = min(done, key=lambda e: abs(e.row - (matrix.grid[1] - 1) / 2)
                     + abs(e.column - (across - 1) / 2))
        path = _link(matrix, middle, "strip.png", folder)
        inside += (f'<img class="strip" src="{path}" alt="what was recorded of {middle.name}">'
                   + caption(f"What was recorded of {middle.name}, from the first to the last; "
                             "above depth, below colours where the sensor has them"))
    return inside


def _cell(matrix: Matrix | Any, entry: Entry, folder: Path) -> str:
    place = f"{show_length(entry.at[0])}, {show_length(entry.at[1])}"
    if entry.state == "failed":
        return (f'<div class="failed">{html.escape(place)}: failed: {html.escape(entry.sentence)}'
                "</div>")
    if entry.state != "done":
        return f'<div class="waiting">{html.escape(place)}: waiting</div>'
    text = f"{place}: {entry.result['end']['normal']:.4g} N"
    return (f'<a href="{_link(matrix, entry, "report.html", folder)}"><img '
            f'src="{_link(matrix, entry, "thumb.png", folder)}" alt="{html.escape(entry.name)}">'
            f"{html.escape(text)}</a>")


def _link(matrix: Matrix | Any, entry: Entry, name: str, folder: Path) -> str:
    path = os.path.relpath(matrix.folder / entry.name / name, folder)
    return html.escape(path.replace(os.sep, "/"))


def _forces(done: Sequence[Entry]) -> str:
    """Force over depth, the least, mean and most of all places."""
    counts = {len(e.result["force"]) for e in done}
    if len(counts) != 1 or counts.pop() < 2:
        return ""
    depth = np.mean([e.result["depth"] for e in done], axis=0)
    force = np.array([e.result["force"] for e in done])
    lines = {"mean": force.mean(axis=0)}
    if len(done) > 1:
        lines = {"least": force.min(axis=0), **lines, "most": force.max(axis=0)}
    plot = line_plot([max(float(d), 0.0) * 1e3 for d in depth], lines, "depth [mm]", "force [N]")
    return f'<div class="plot">{plot}</div>'
