"""Parts of a report: tables, pictures and line plots, and the HTML file that holds them all."""

from __future__ import annotations

import base64
import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

#: Colours of the lines of a plot, in order.
COLOURS = ("#1f6f8b", "#c06a35", "#5d8a3a", "#7d5ba6")


def write_text(path: Path, text: str) -> None:
    """Writes a text file, whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_text(text, encoding="utf-8", errors="replace")
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def page(title: str, ended: str, *, cells: Sequence[str], wide: Sequence[str] = (),
         warnings: Sequence[str] = (), command: str, foot: str) -> str:
    """The whole file. cells: HTML in two columns; wide: HTML below, over both; the rest is text."""
    warned = "".join(f"<li>{html.escape(w)}</li>" for w in warnings)
    return _PAGE.format(
        title=html.escape(title), ended=html.escape(ended), command=html.escape(command),
        warnings=f'<ul class="warnings">{warned}</ul>' if warned else "",
        cells="\n".join(f"<div>{c}</div>" for c in cells if c), wide="\n".join(wide),
        foot=html.escape(foot))


def section(title: str, inside: str) -> str:
    """A heading and what stands under it; nothing where that is empty."""
    return f"<h2>{html.escape(title)}</h2>{inside}" if inside else ""


def table(rows: Sequence[tuple[str, str]]) -> str:
    """Names and values."""
    return "<table>" + "".join(
        f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows
    ) + "</table>"


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]], marked: Sequence[bool]) -> str:
    """A table with a row of heads; marked: which rows stand out."""
    lines = ["".join(f"<th>{html.escape(h)}</th>" for h in heads)]
    lines += ["".join(f"<td>{html.escape(c)}</td>" for c in row) for row in rows]
    kinds = ["", *(' class="marked"' if m else "" for m in marked)]
    return '<table class="columns">' + "".join(
        f"<tr{kind}>{line}</tr>" for kind, line in zip(kinds, lines, strict=True)) + "</table>"


def caption(text: str) -> str:
    """Small text under a plot."""
    return f'<p class="caption">{html.escape(text)}</p>'


def bullets(sentences: Sequence[str]) -> str:
    """A list of sentences; nothing where there are none."""
    inside = "".join(f"<li>{html.escape(s)}</li>" for s in sentences)
    return f"<ul>{inside}</ul>" if inside else ""


def listing(text: str) -> str:
    """Text word for word."""
    return f"<pre>{html.escape(text)}</pre>" if text else ""


def figure(path: Path, text: str) -> str:
    """A picture inside the page; nothing where the file is not there."""
    if not path.is_file():
        return ""
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    text = html.escape(text)
    return (f'<figure><img src="data:image/png;base64,{data}" alt="{text}">'
            f"<figcaption>{text}</figcaption></figure>")


def round_ticks(lo: float, hi: float, count: int) -> list[float]:
    """Round values that cut [lo, hi] into about `count` parts."""
    span = max(hi - lo, 1e-300)
    raw = span / count
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw * 0.999)
    first = np.ceil(lo / step - 1e-9)
    last = np.floor(hi / step + 1e-9)
    return [float(step * k) + 0.0 for k in np.arange(first, last + 1)]


def line_plot(x: Sequence[float], lines: Mapping[str, Sequence[float]], x_name: str,
              y_name: str) -> str:
    """Lines over x from 0 on, as SVG; with a key where there are several, with dots where few."""
    width, height, left, bottom, right = 560, 230, 66, 44, 14
    top = 14 if len(lines) == 1 else 28  # the key stands above the plot
    xs = np.asarray(x, float)
    ys = {name: np.asarray(y, float) for name, y in lines.items()}
    seen = np.concatenate([[0.0], *(y[np.isfinite(y)] for y in ys.values())])
    x_hi = float(np.max(xs, initial=0.0)) or 1.0
    y_lo, y_hi = float(seen.min()), float(seen.max())
    y_hi += 0.05 * (y_hi - y_lo) or 1.0

    def px(v: float) -> float:
        return left + v / x_hi * (width - left - right)

    def py(v: float) -> float:
        return height - bottom - (v - y_lo) / (y_hi - y_lo) * (height - bottom - top)

    label = html.escape(f"{y_name} over {x_name}")
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" font-size="12" fill="#3a434c" '
             f'aria-label="{label}">']
    for v in round_ticks(0, x_hi, 6):
        parts.append(f'<line x1="{px(v):.1f}" x2="{px(v):.1f}" y1="{top}" y2="{height - bottom}" '
                     f'stroke="#e3e7ea"/><text x="{px(v):.1f}" y="{height - bottom + 18}" '
                     f'text-anchor="middle">{v:.6g}</text>')
    for v in round_ticks(y_lo, y_hi, 5):
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{py(v):.1f}" y2="{py(v):.1f}" '
                     f'stroke="#e3e7ea"/><text x="{left - 8}" y="{py(v) + 4:.1f}" '
                     f'text-anchor="end">{v:.6g}</text>')
    at = left  # of the next entry of the key
    for k, (name, y) in enumerate(ys.items()):
        colour = COLOURS[k % len(COLOURS)]
        dots = [(px(a), py(b)) for a, b in zip(xs, y, strict=True) if np.isfinite(a + b)]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in dots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(dots) <= 40:
            parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>'
                      for a, b in dots]
        if len(ys) > 1:
            parts.append(f'<line x1="{at}" x2="{at + 16}" y1="12" y2="12" stroke="{colour}" '
                         f'stroke-width="2"/><text x="{at + 21}" y="16">{html.escape(name)}'
                         "</text>")
            at += 43 + 6.6 * len(name)
    parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 6}" text-anchor="middle">'
                 f"{html.escape(x_name)}</text>"
                 f'<text x="14" y="{(top + height - bottom) / 2}" text-anchor="middle" '
                 f'transform="rotate(-90 14 {(top + height - bottom) / 2})">'
                 f"{html.escape(y_name)}</text></svg>")
    return "".join(parts)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
@page {{ size: A4; margin: 11mm; }}
body {{ font: 14px/1.4 system-ui, "DejaVu Sans", sans-serif; color: #1c2126; max-width: 1100px;
  margin: 24px auto; padding: 0 16px; }}
h1 {{ font-size: 22px; margin: 0; overflow-wrap: anywhere; }}
h2 {{ font-size: 15px; margin: 10px 0 4px; overflow-wrap: anywhere; }}
.ended {{ color: #55606a; margin: 2px 0 12px; }}
.warnings {{ background: #fdf3d8; border-left: 4px solid #d9a521; padding: 8px 12px 8px 28px;
  margin: 0 0 12px; }}
.grid {{ display: grid; grid-template-columns: 1fr 1fr; gap: 12px 24px; }}
.grid > div {{ min-width: 0; break-inside: avoid; }}
figure {{ margin: 0; }} img {{ width: 100%; height: auto; border-radius: 4px; }}
figcaption, .caption {{ margin: 0; color: #55606a; font-size: 12px; }}
table {{ border-collapse: collapse; width: 100%; font-size: 13px; }}
th {{ text-align: left; font-weight: normal; color: #55606a; padding: 2px 14px 2px 0;
  vertical-align: top; }}
td {{ padding: 2px 0; font-variant-numeric: tabular-nums; vertical-align: top;
  overflow-wrap: anywhere; }}
.columns th, .columns td {{ text-align: right; padding: 1px 10px; }}
.columns th:last-child, .columns td:last-child {{ text-align: left; }}
.columns tr:nth-child(odd) td {{ background: #f6f7f8; }}
.columns tr.marked td {{ background: #fdf3d8; }}
.gallery {{ display: grid; gap: 4px 8px; font-size: 12px; color: #55606a; }}
.gallery a {{ color: inherit; text-decoration: none; }} .gallery a:hover {{ color: #1f6f8b; }}
.gallery .failed {{ background: #fdf3d8; padding: 6px; overflow-wrap: anywhere; }}
.gallery .waiting {{ background: #f0f2f4; padding: 6px; }}
.gallery img, img.strip {{ width: auto; max-width: 100%; display: block; }}
.strip {{ margin: 8px 0; }} .shape {{ display: flex; flex-wrap: wrap; gap: 8px 24px; }}
.shape > .plot {{ flex: 1 1 300px; max-width: 460px; }}
svg {{ width: 100%; height: auto; display: block; }}
ul {{ margin: 0; padding-left: 18px; font-size: 13px; overflow-wrap: anywhere; }}
code {{ background: #f0f2f4; padding: 1px 5px; border-radius: 3px; overflow-wrap: anywhere; }}
pre {{ background: #f6f7f8; padding: 10px 12px; border-radius: 4px; font-size: 12px; margin: 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }}
footer {{ color: #55606a; font-size: 12px; margin-top: 10px; }}
footer p {{ margin: 4px 0; }}
@media print {{
  body {{ font-size: 10px; margin: 0; padding: 0; max-width: none; }}
  h1 {{ font-size: 17px; }} h2 {{ font-size: 12px; }}
  table, ul {{ font-size: 9.5px; }} figcaption, .caption, footer, pre {{ font-size: 9px; }}
  .grid {{ gap: 6px 16px; }}
}}
</style></head><body>
<h1>{title}</h1><p class="ended">{ended}</p>{warnings}
<div class="grid">
{cells}
</div>
{wide}
<footer><p>Made by <code>{command}</code></p><p>{foot}</p></footer>
</body></html>
"""
