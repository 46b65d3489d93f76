"""The one-page report of a press test: a single HTML file with its pictures inside."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from haptos.press import Press
from haptos.recording import versions
from haptos.units import show_length, show_time


def write_text(path: Path, text: str) -> None:
    """Writes a text file, whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def press_report(press: Press, folder: Path, command: str, wall: float, ended: str) -> str:
    """The report as HTML. folder: where the pictures are; wall: seconds it took; ended: how."""
    rows = press.history
    last = rows[-1] if rows else None
    depth = [0.0, *(max(0.0, s.depth) * 1e3 for s in rows)]
    force = [0.0, *(float(s.object_force[2]) for s in rows)]
    pictures = {name: _figure(folder / f"{name}.png", text) for name, text in (
        ("above", "The gel from above, without the object: darker where pressed, with its markers"),
        ("side", "Cut open through the deepest point"),
        ("depth", "Depth of the coat"),
        ("markers", "Markers and their flow"))}
    notes = "".join(f"<li>{html.escape(n)}</li>" for n in press.notes)
    if last is None:
        figures = "<p>No step was finished.</p>"
    else:
        figures = _table(_figures(press, wall))
    material = press.settings["material"]
    pad = press.sim.mesh(press.pad_name)
    facts = _table([
        ("Object", press.settings["shape"]),
        ("Pad", f"{press.settings['pad']}, {len(pad.vertices):,} nodes, {len(pad.tets):,} "
                "tetrahedra"),
        ("Material", f"E = {material['young'] / 1e3:g} kPa, nu = {material['poisson']:g}"),
        ("Contact", f"frictionless, support {show_length(press.settings['contact']['support'])}"),
        ("Steps", f"{len(rows)} of {press.steps}, {show_length(press.depth / press.steps)} each"),
        ("Camera", f"{press.sensor.camera.width} x {press.sensor.camera.height} pixels of "
                   f"{press.sensor.camera.pitch * 1e6:.1f} um"),
    ])
    made_with = ", ".join(f"{k} {v}" for k, v in versions().items())
    title = f"Press test: {html.escape(str(press.settings['shape']))}"
    return _PAGE.format(
        title=title, ended=html.escape(ended), **pictures, figures=figures, facts=facts,
        notes=f"<h2>Notes</h2><ul>{notes}</ul>" if notes else "",
        plot=line_plot(depth, force, "depth [mm]", "force [N]"),
        command=html.escape(command), versions=html.escape(made_with))


def _figures(press: Press, wall: float) -> list[tuple[str, str]]:
    rows = press.history
    last = rows[-1]
    f, g = last.object_force, last.mount_force
    iterations = [int(s.report.iterations[0]) for s in rows]
    bad = [i + 1 for i, s in enumerate(rows) if not s.report.ok]
    return [
        ("Depth reached", show_length(max(last.depth, 0.0))),
        ("Force on the object", _vector(f)),
        ("Force of the glue on the mount", _vector(g)),
        ("Their sum over the force", f"{last.imbalance:.1e}"),
        ("Deepest point of the image",
         show_length(float(np.nanmax(press.sensor.depth(), initial=0.0)))),
        ("Contacts", f"{len(press.sim.contacts):,}"),
        ("Smallest gap of the run", show_length(min(float(s.report.smallest_gap[0])
                                                    for s in rows))),
        ("Smallest volume ratio of the run",
         f"{min(float(s.report.smallest_volume_ratio[0]) for s in rows):.3f}"),
        ("Newton iterations", f"{sum(iterations)} in all, {max(iterations)} at most in a step"),
        ("Time", f"{show_time(sum(float(s.report.seconds[0]) for s in rows))} in steps, "
                 f"{show_time(wall)} with pictures"),
        ("Status", "every step converged" if not bad else
         f"steps {', '.join(map(str, bad[:8]))}: {rows[bad[0] - 1].report.describe()}"),
    ]


def _vector(v: np.ndarray) -> str:
    return "(" + ", ".join(f"{round(float(c), 4) + 0.0:.4f}" for c in v) + ") N"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    return "<table>" + "".join(
        f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows
    ) + "</table>"


def _figure(path: Path, text: str) -> str:
    if not path.is_file():
        return ""
    return (f'<figure><img src="{_inline(path)}" alt="{text}"><figcaption>{text}</figcaption>'
            "</figure>")


def _inline(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def round_ticks(lo: float, hi: float, count: int) -> list[float]:
    """Round values that cut [lo, hi] into about `count` parts."""
    span = max(hi - lo, 1e-300)
    raw = span / count
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = np.ceil(lo / step - 1e-9)
    last = np.floor(hi / step + 1e-9)
    return [float(step * k) + 0.0 for k in np.arange(first, last + 1)]


def line_plot(x: Sequence[float], y: Sequence[float], x_name: str, y_name: str) -> str:
    """A line with dots through (x, y), as SVG."""
    width, height, left, bottom, top, right = 560, 230, 62, 44, 14, 14
    x_hi = max(max(x), 1e-9)
    y_lo, y_hi = min(0.0, *y), max(max(y), 1e-9)
    y_hi += 0.05 * (y_hi - y_lo)

    def px(v: float) -> float:
        return left + v / x_hi * (width - left - right)

    def py(v: float) -> float:
        return height - bottom - (v - y_lo) / (y_hi - y_lo) * (height - bottom - top)

    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" '
             f'font-size="12" fill="#3a434c" aria-label="{y_name} over {x_name}">']
    for v in round_ticks(0, x_hi, 6):
        parts.append(f'<line x1="{px(v):.1f}" x2="{px(v):.1f}" y1="{top}" y2="{height - bottom}" '
                     f'stroke="#e3e7ea"/><text x="{px(v):.1f}" y="{height - bottom + 18}" '
                     f'text-anchor="middle">{v:.6g}</text>')
    for v in round_ticks(y_lo, y_hi, 5):
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{py(v):.1f}" y2="{py(v):.1f}" '
                     f'stroke="#e3e7ea"/><text x="{left - 8}" y="{py(v) + 4:.1f}" '
                     f'text-anchor="end">{v:.6g}</text>')
    line = " ".join(f"{px(a):.1f},{py(b):.1f}" for a, b in zip(x, y, strict=True))
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f6f8b" stroke-width="2"/>')
    parts += [f'<circle cx="{px(a):.1f}" cy="{py(b):.1f}" r="3" fill="#1f6f8b"/>'
              for a, b in zip(x, y, strict=True)]
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 6}" text-anchor="middle">'
                 f"{x_name}</text>"
                 f'<text x="14" y="{(top + height - bottom) / 2}" text-anchor="middle" '
                 f'transform="rotate(-90 14 {(top + height - bottom) / 2})">{y_name}</text></svg>')
    return "".join(parts)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
@page {{ size: A4; margin: 11mm; }}
body {{ font: 14px/1.4 system-ui, "DejaVu Sans", sans-serif; color: #1c2126; max-width: 1100px;
  margin: 24px auto; padding: 0 16px; }}
h1 {{ font-size: 22px; margin: 0; }} h2 {{ font-size: 15px; margin: 10px 0 4px; }}
.ended {{ color: #55606a; margin: 2px 0 12px; }}
.grid {{ display: grid; grid-template-columns: 1fr 1fr; gap: 12px 24px; }}
figure {{ margin: 0; }} img {{ width: 100%; height: auto; border-radius: 4px; }}
figcaption {{ color: #55606a; font-size: 12px; }}
table {{ border-collapse: collapse; width: 100%; font-size: 13px; }}
th {{ text-align: left; font-weight: normal; color: #55606a; padding: 2px 14px 2px 0;
  vertical-align: top; }}
td {{ padding: 2px 0; font-variant-numeric: tabular-nums; vertical-align: top; }}
svg {{ width: 100%; height: auto; display: block; }}
ul {{ margin: 0; padding-left: 18px; font-size: 13px; }}
code {{ background: #f0f2f4; padding: 1px 5px; border-radius: 3px; overflow-wrap: anywhere; }}
footer {{ color: #55606a; font-size: 12px; margin-top: 10px; }}
footer p {{ margin: 4px 0; }}
@media print {{
  body {{ font-size: 10px; margin: 0; padding: 0; max-width: none; }}
  h1 {{ font-size: 17px; }} h2 {{ font-size: 12px; }}
  table, ul {{ font-size: 9.5px; }} figcaption, footer {{ font-size: 9px; }}
  .grid {{ gap: 6px 16px; }}
}}
</style></head><body>
<h1>{title}</h1><p class="ended">{ended}</p>
<div class="grid">
<div>{above}</div><div>{side}<h2>Force over depth</h2>{plot}</div>
<div>{depth}</div><div>{markers}</div>
<div><h2>Result</h2>{figures}</div><div><h2>Set-up</h2>{facts}{notes}</div>
</div>
<footer><p>Made by <code>{command}</code></p><p>{versions}. Forces are in the world frame, z up out
of the gel; depth counts from the highest point of the gel at rest.</p></footer>
</body></html>
"""
