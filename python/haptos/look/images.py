"""Saving pictures."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

from haptos.base.errors import refuse


def save_png(path: str | os.PathLike[str], image: ArrayLike) -> None:
    """Writes bytes (height, width, 3) or (height, width) as PNG, whole or not at all."""
    array = np.asarray(image)
    if array.dtype != np.uint8 or array.ndim not in (2, 3) or (array.ndim == 3
                                                               and array.shape[2] != 3):
        refuse("image", f"{array.dtype} {array.shape}", "must be bytes of shape (height, width, 3)",
               "make one with haptos.depth_picture()")
    path = Path(path)
    part = path.with_name(path.name + ".part")
    try:
        Image.fromarray(array).save(part, format="PNG", optimize=False)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
