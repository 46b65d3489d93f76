"""haptos calibrate: pictures of a pressed ball become a sensor file."""

from __future__ import annotations

from typing import Any

from haptos.base.console import say
from haptos.cli.runs import check_folder
from haptos.tactile.rgb import calibrate


def run_calibrate(images: str, ball_radius: float, pitch: float | None, out: str | None,
                  overwrite: bool, **options: Any) -> None:
    """Calibrates, writes the results and says how good they are."""
    folder = check_folder(out, "calibration", overwrite)
    result = calibrate(images, ball_radius, pitch, folder, **options)
    from haptos.calibration.report import mean_score  # after calibrate(): needs scipy

    say("warning", (f"{warning}." for warning in result.warnings))
    for name, scores in (("lights", result.light_scores), ("table", result.table_scores)):
        print(f"{name}, {len(scores)} held-out presses: {mean_score(scores)}")
    ratio = [r.found / r.expected for r in result.reconstruction]
    print(f"reconstructed depth over the ball's: {sum(ratio) / len(ratio):.2f}")
    print(folder / "sensor.yaml")
    print(folder / "report.html")
    print(f"use it: haptos press sphere --sensor {folder / 'sensor.yaml'}")
