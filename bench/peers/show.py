"""Prints the results of bench/peers/run.py as a table and FIGURE lines, and draws them.

Usage: python bench/peers/show.py [FOLDER] [--markdown] [--draw FILE.png]

FOLDER holds what run.py wrote, bench/peers/results where left out. --markdown prints only what
docs/peers.md shows: the least time at which an engine stays within an error, whatever the setting
and the time step.
"""

from __future__ import annotations

import argparse
import io
import json
import pathlib

COLOURS = {"haptos": "#c0392b", "mujoco": "#2c5f9e", "drake": "#d68910", "bullet": "#7d3c98",
           "ode": "#1e8449"}
NAMES = {"haptos": "Haptos", "mujoco": "MuJoCo", "drake": "Drake", "bullet": "Bullet", "ode": "ODE"}


def pick(data: dict, **case: float) -> list[dict]:
    return [r for r in data["rows"] if all(r[k] == v for k, v in case.items())]


def columns(scene: str) -> list[tuple[str, str, str]]:
    """Title, key and format of what is printed of a row, error first."""
    return {
        "slope": [("mu", "mu", ".2f"), ("x, m", "x", ".5f"), ("error, m", "error", ".1e"),
                  ("us a step", "us_per_step", ".1f"), ("ms per s", "ms", ".2f")],
        "stack": [("ratio", "ratio", "d"), ("moved, m", "error", ".1e"),
                  ("drift, m", "drift", ".1e"), ("force error", "force_error", ".1e"),
                  ("contacts", "own_contacts", ".0f"),
                  ("us a step", "us_per_step", ".0f"), ("ms per s", "ms", ".1f")],
        "balls": [("rms, m", "error", ".1e"), ("deepest, m", "deepest", ".1e"),
                  ("contacts", "contacts", ".0f"), ("lost", "lost", "d"),
                  ("us a step", "us_per_step", ".0f"), ("s per s", "seconds_per_s", ".3f")],
    }[scene]


def table(data: dict) -> None:
    shown = columns(data["scene"])
    shown += [("Newton", "iterations", ".1f")]  # of a step; 0 where the driver cannot tell
    head = ["engine", "setting", "dt, ms"] + [c[0] for c in shown]
    lines = [head]
    for r in data["rows"]:
        r = dict(r, ms=1e3 * r["seconds_per_s"])
        lines.append([NAMES[r["engine"]], r["setting"], f"{1e3 * r['dt']:g}"] +
                     [format(r[key], f) for _, key, f in shown])
    widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
    print("\n".join("  ".join(x.ljust(w) for x, w in zip(line, widths, strict=True)).rstrip()
                    for line in lines))


def show(data: dict, markdown: bool = False) -> None:
    if markdown:
        for title, lines in within(data):
            print(f"\n{title}\n")
            print("\n".join("| " + " | ".join(line) + " |" for line in lines))
        return
    versions = ", ".join(f"{NAMES[e]} {v}" for e, v in data["versions"].items())
    print(f"{data['scene']}, {data['date']}, {data['cpu']}, {data['cores']} cores, load "
          f"{data['load']}: {versions}\n")
    table(data)
    print()
    for r in data["rows"]:
        setting = r["setting"].replace(", ", "_").replace(" ", "_")
        case = "".join(f".{k}{r[k]:g}" for k in ("mu", "ratio") if k in r)
        name = f"peers.{data['scene']}.{r['engine']}.{setting}.dt{r['dt']:g}{case}"
        print(f"FIGURE {name}.error = {r['error']:.3g} m")
        print(f"FIGURE {name}.time = {r['seconds_per_s']:.3g} s per s")
    for r in data["rows"]:
        if r["not_converged"]:
            print(f"{NAMES[r['engine']]}, {r['setting']}, dt {r['dt']:g}: {r['not_converged']} "
                  "steps did not converge")


LEVELS = {"slope": (1, 0.1, 0.03, 0.01), "stack": (1e-2, 1e-3, 1e-4, 1e-5),
          "balls": (3e-3, 1e-3, 3e-4, 1e-4, 1e-5)}


def within(data: dict) -> list[tuple[str, list[list[str]]]]:
    """Tables (title, rows) of the least time within an error, for each case of a scene."""
    rows = data["rows"]
    if data["scene"] == "slope":  # the worst of the three frictions counts, and their mean time
        groups: dict[tuple, list[dict]] = {}
        for r in rows:
            groups.setdefault((r["engine"], r["setting"], r["dt"]), []).append(r)
        cases = {"slope": [dict(g[0], error=max(r["error"] for r in g),
                                seconds_per_s=sum(r["seconds_per_s"] for r in g) / len(g))
                           for g in groups.values() if len(g) == 3]}
    elif data["scene"] == "stack":
        cases = {f"stack, mass ratio {n}": pick(data, ratio=n) for n in (1, 1000)}
    else:
        cases = {"balls": [r for r in rows if not r["lost"]]}
    tables = []
    for title, group in cases.items():
        head = ["engine"] + [f"{e:g} m" for e in LEVELS[data["scene"]]] + ["least error"]
        lines = [head, ["---"] * len(head)]
        for engine in data["versions"]:
            own = [r for r in group if r["engine"] == engine]
            line = [NAMES[engine]]
            for level in LEVELS[data["scene"]]:
                good = [r for r in own if r["error"] <= level]
                if not good:
                    line.append("-")
                    continue
                r = min(good, key=lambda r: r["seconds_per_s"])
                line.append(f"**{1e3 * r['seconds_per_s']:.3g}** ({r['setting']}; "
                            f"{1e3 * r['dt']:g})")
            best = min(own, key=lambda r: r["error"])
            line.append(f"{best['error']:.1e} m, {1e3 * best['seconds_per_s']:.3g} "
                        f"({best['setting']}; {1e3 * best['dt']:g})")
            lines.append(line)
        tables.append((title, lines))
    return tables


PANELS = [
    ("slope, mu .49: error of 27.392 m", "slope", {"mu": 0.49}, "error", "m"),
    ("slope, mu .51: what moved", "slope", {"mu": 0.51}, "error", "m"),
    ("ten boxes: largest movement", "stack", {"ratio": 1}, "error", "m"),
    ("ten boxes, top 1000 times: largest movement", "stack", {"ratio": 1000}, "error", "m"),
    ("216 balls: root mean square penetration", "balls", {}, "error", "m"),
    ("ten boxes: error of the force on the ground", "stack", {"ratio": 1}, "force_error", ""),
]


def draw(scenes: dict[str, dict], out: pathlib.Path) -> None:
    import matplotlib
    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    from PIL import Image
    plt.rcParams.update({"font.size": 8})
    figure, axes = plt.subplots(3, 2, figsize=(9, 10))
    for ax, (title, scene, case, key, unit) in zip(axes.flat, PANELS, strict=True):
        floor = 1e-12 if key == "force_error" else 1e-7
        for engine, colour in COLOURS.items() if scene in scenes else ():
            rows = [r for r in pick(scenes[scene], **case) if r["engine"] == engine]
            for setting in dict.fromkeys(r["setting"] for r in rows):
                group = sorted((r for r in rows if r["setting"] == setting), key=lambda r: r["dt"])
                x = [r["seconds_per_s"] for r in group]
                y = [max(floor, r[key]) for r in group]
                ax.plot(x, y, color=colour, lw=0.7, alpha=0.6)
                ax.scatter(x, y, s=[8 + 1000 * r["dt"] for r in group], color=colour, alpha=0.8,
                           lw=0)
        ax.set(xscale="log", yscale="log", title=title,
               xlabel="CPU seconds per simulated second", ylabel=unit)
        ax.grid(True, which="major", lw=0.3)
        ax.set_axisbelow(True)
    handles = [plt.Line2D([], [], color=c, marker="o", lw=1, label=NAMES[e])
               for e, c in COLOURS.items()]
    figure.legend(handles=handles, loc="upper center", ncol=len(handles), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=100, metadata={"Software": None})
    Image.open(buffer).convert("RGB").quantize(256).save(out, optimize=True)
    print("wrote", out)


def load(folder: pathlib.Path) -> dict[str, dict]:
    return {data["scene"]: data for data in map(load_file, sorted(folder.glob("*.json")))}


def load_file(file: pathlib.Path) -> dict:
    data = json.loads(file.read_text())
    data["rows"] = [dict(zip(data["columns"], row, strict=True)) for row in data["rows"]]
    del data["columns"]
    return data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, nargs="?",
                        default=pathlib.Path(__file__).resolve().parent / "results")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--draw", type=pathlib.Path)
    args = parser.parse_args()
    scenes = load(args.folder)
    for data in scenes.values():
        show(data, args.markdown)
    if args.draw:
        draw(scenes, args.draw)


if __name__ == "__main__":
    main()
