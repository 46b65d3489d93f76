"""A data set of presses for PyTorch. Importable without it; a PressDataset needs it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from haptos.base.errors import refuse
from haptos.press.file import PressSet, open_presses

if TYPE_CHECKING:
    Base: Any = object
else:
    try:
        from torch.utils.data import Dataset as Base
    except ImportError:
        Base = object


class PressDataset(Base):
    """A file of haptos.presses() as a map-style torch.utils.data.Dataset.

        from torch.utils.data import DataLoader
        from haptos.learn.presses import PressDataset
        loader = DataLoader(PressDataset("presses.h5", ("rgb", "force")), batch_size=16)

    An item is a dict of tensors by field. Each process of a loader opens the file for itself.
    """

    def __init__(self, file: str | os.PathLike[str],
                 fields: Sequence[str] = ("rgb", "depth", "force"), *, good: bool = True,
                 transform: Callable[[dict[str, Any]], Any] | None = None) -> None:
        """fields: names as haptos.open_presses(file) lists them, "press/young" among them; good:
        leave out presses that failed or did not converge; transform: called with each item. Raises
        InputError without torch, and for a file or a field that is not there."""
        try:
            import torch  # noqa: F401
        except ImportError:
            refuse("PressDataset", "", "needs torch, which is not installed",
                   "run pip install torch, or read the file with haptos.open_presses()")
        self.file = os.path.abspath(file)
        self.fields = (fields,) if isinstance(fields, str) else tuple(fields)
        self._transform = transform
        self._open: tuple[int, PressSet] | None = None  # of which process, what
        with open_presses(self.file) as presses:
            for name in self.fields:
                if presses[name].dtype.kind not in "fiu":
                    refuse("field", name, "holds no numbers", "leave it out", file=self.file)
            self.indices = np.flatnonzero(presses.good) if good else np.arange(len(presses))

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, item: int) -> Any:
        import torch

        k, presses = int(self.indices[item]), self._presses()
        made = {}
        for name in self.fields:
            value = np.asarray(presses[name][k])
            if value.dtype.kind == "u" and value.dtype.itemsize > 1:
                value = value.astype(np.int64)  # torch has no other unsigned whole numbers
            made[name] = torch.from_numpy(np.array(value))
        return made if self._transform is None else self._transform(made)

    def _presses(self) -> PressSet:
        if self._open is None or self._open[0] != os.getpid():
            self._open = (os.getpid(), open_presses(self.file))
        return self._open[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": None}
