"""The page about a calibration: scores beside their nulls, pictures, reconstruction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from haptos.base.console import command_line
from haptos.base.units import show_length
from haptos.calibration.calibration import Calibration, contact_mask, predict
from haptos.look.html_page import caption, columns, figure, page, section, table, write_text
from haptos.look.images import save_png
from haptos.record.recording import versions
from haptos.tactile.image_metrics import ImageScore

SHOWN = 4  # held-out presses in the picture


def mean_score(scores: Sequence[ImageScore]) -> ImageScore:
    """The mean of each number."""
    return ImageScore(*(float(np.mean(v)) for v in zip(*scores, strict=True)))


def write_report(folder: Path, result: Calibration) -> None:
    """Writes report.html and the pictures presses.png and background.png."""
    save_png(folder / "background.png", _bytes(result.background))
    save_png(folder / "presses.png", _contact_sheet(result))
    lights, tables = mean_score(result.light_scores), mean_score(result.table_scores)
    fit = result.lights
    names = ("", "SSIM in the mask", "its null", "correlation", "L1", "its null", "PSNR [dB]",
             "whole SSIM", "its null", "worst SSIM")
    rows = [[name, f"{m.masked_ssim:.4f}", f"{m.masked_ssim_null:.4f}", f"{m.correlation:.4f}",
             f"{m.l1:.2f}", f"{m.l1_null:.2f}", f"{m.psnr:.1f}", f"{m.ssim:.4f}",
             f"{m.ssim_null:.4f}", f"{min(s.masked_ssim for s in scores):.4f}"]
            for name, m, scores in (("lights", lights, result.light_scores),
                                    ("table", tables, result.table_scores))]
    held = len(result.held_out)
    facts = [
        ("Presses", f"{len(result.presses)}, {held} of them held out"),
        ("Ball", f"radius {show_length(result.ball_radius)}; the shading fits "
                 f"{show_length(result.best_radius)} best, leaving "
                 f"{100 * result.radius_gain:.0f} % less"),
        ("Pitch", f"{result.pitch * 1e6:.4g} um per pixel"),
        ("Noise", f"{result.noise:.2f} grey values"),
        ("Lights leave", f"{fit.rms:.2f} grey values"),
        ("Specularity", f"{fit.specular:.3g}, shininess {fit.shininess:.0f}"),
        ("Ambient", _three(fit.ambient)),
    ]
    facts += [(f"Light {k + 1}", f"at ({', '.join(f'{1e3 * c:.2f}' for c in p)}) mm, colour "
               f"{_three(c)}") for k, (p, c) in enumerate(zip(fit.position, fit.colour,
                                                              strict=True))]
    ratio = [r.found / r.expected for r in result.reconstruction]
    checks = [[r.name, f"{1e3 * r.expected:.3f}", f"{1e3 * r.found:.3f}",
               f"{100 * (r.found / r.expected - 1):+.1f} %"] for r in result.reconstruction]
    wide = [
        section("Held-out presses, mean", columns(names, rows, [False, False]) + caption(
            "Errors of the change from the background, inside the circle, in grey values. A null "
            "is what the background alone scores. Most of a picture is background, so the whole "
            "SSIM says little.")),
        section("Each held-out press", columns(
            ("press", "lights SSIM", "table SSIM", "null", "lights correlation",
             "table correlation", "lights RMSE", "table RMSE"),
            [[p.name, f"{a.masked_ssim:.3f}", f"{b.masked_ssim:.3f}", f"{a.masked_ssim_null:.3f}",
              f"{a.correlation:.3f}", f"{b.correlation:.3f}", f"{a.mse**0.5:.2f}",
              f"{b.mse**0.5:.2f}"]
             for p, a, b in zip(result.held_out, result.light_scores, result.table_scores,
                                strict=True)],
            [a.masked_ssim < 0.95 or b.masked_ssim < 0.95
             for a, b in zip(result.light_scores, result.table_scores, strict=True)])),
        section("Reconstruction of held-out presses", columns(
            ("press", "cap [mm]", "found [mm]", "error"), checks,
            [abs(v - 1) > 0.2 for v in ratio]) + caption(
            "Gradients by a cubic inverse, depth by Poisson's equation; height of the cap over "
            f"0.8 of the circle's radius. Mean of found / cap: {np.mean(ratio):.3f}.")),
    ]
    write_text(folder / "report.html", page(
        "Calibration of a tactile sensor's RGB",
        f"Lights: masked SSIM {lights.masked_ssim:.3f} (null {lights.masked_ssim_null:.3f}), "
        f"table: {tables.masked_ssim:.3f} (null {tables.masked_ssim_null:.3f}), on {held} held-out "
        "presses.",
        cells=[section("What was found", table(facts)),
               section("Held-out presses", figure(
                   folder / "presses.png", "Each row: picture, lights, table, and twice the error "
                   "of both around grey. The circle found is white."))],
        wide=wide, warnings=list(result.warnings), command=command_line(),
        foot=", ".join(f"{k} {v}" for k, v in versions().items())))


def _contact_sheet(result: Calibration) -> np.ndarray:
    rows = []
    for p in result.held_out[:SHOWN]:
        inside = contact_mask(p.image.shape[:2], p.circle, 0.0)[..., None]
        models = [predict(m, p, result.ball_radius, result.pitch)
                  for m in (result.light_model, result.table_model)]
        errors = [np.where(inside, 128 + 2 * (m - p.image), 128) for m in models]
        seen = p.image.copy()
        angle = np.linspace(0, 2 * np.pi, 720)
        u = np.rint(p.circle.column + p.circle.radius * np.cos(angle)).astype(int)
        v = np.rint(p.circle.row + p.circle.radius * np.sin(angle)).astype(int)
        ok = (u >= 0) & (v >= 0) & (u < seen.shape[1]) & (v < seen.shape[0])
        seen[v[ok], u[ok]] = 255
        rows.append(np.concatenate([seen, *models, *errors], axis=1))
    return _bytes(np.concatenate(rows))


def _bytes(image: np.ndarray) -> np.ndarray:
    return np.clip(image + 0.5, 0, 255).astype(np.uint8)


def _three(values: Sequence[float]) -> str:
    return "(" + ", ".join(f"{float(v):.3g}" for v in values) + ")"
