"""The groups of options of a Scene, as attributes."""

from __future__ import annotations

from haptos import _core
from haptos.base.options import Options


class SceneOptions:
    """What a Scene has of options."""

    _core: _core.Scene

    def options(self, group: str) -> Options:
        """The options of a group: "sim", "newton", "solver", "contact", "point_contact"."""
        return Options(group, lambda: self._core.options()[group],
                       lambda values: self._core.set_options(group, values))

    @property
    def sim(self) -> Options:
        """Time step, gravity, threads."""
        return self.options("sim")

    @property
    def newton(self) -> Options:
        """The solver: tolerances and limits."""
        return self.options("newton")

    @property
    def solver(self) -> Options:
        """The linear solver: direct or iterative."""
        return self.options("solver")

    @property
    def contact(self) -> Options:
        """Contact: model ("barrier" or "mortar"), support, stiffness, quadrature, friction.

        contact.combine, the rule for the coefficients of two bodies, is set by name too: "product",
        "min", "max", "mean", "geometric"; it reads as their number, 0 to 4.
        """
        return self.options("contact")

    @property
    def point_contact(self) -> Options:
        """Contact of robots and rigid bodies: its law, near-rigid bound, stick."""
        return self.options("point_contact")
