"""What the library raises. Bad input is InputError; a strict step that fails is StepError."""

from __future__ import annotations

from typing import Any, NoReturn

from haptos import _core


class InputError(ValueError):
    """Something a person gave is wrong; str() is one sentence that says what and how to mend it.

    file, line, column: where (\"\" and 0 where the input has none); element: what is wrong; value:
    as read; rule: what must hold; remedy: what to do.
    """

    def __init__(
        self,
        message: str,
        file: str = "",
        line: int = 0,
        column: int = 0,
        element: str = "",
        value: str = "",
        rule: str = "",
        remedy: str = "",
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column
        self.element = element
        self.value = value
        self.rule = rule
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            InputError,
            (str(self), self.file, self.line, self.column, self.element, self.value, self.rule,
             self.remedy),
        )


class UnknownName(InputError, KeyError):
    """A name that is not there, of a mapping; str() names the nearest one and lists what is."""

    def __str__(self) -> str:
        return ValueError.__str__(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (UnknownName, InputError.__reduce__(self)[1])


class SceneWarning(UserWarning):
    """Something about a scene that can be simulated but is hardly meant; compile(strict=True) makes
    an InputError of it."""


class StepError(RuntimeError):
    """A step set a status bit in strict mode; the state stays at the start of the step.

    report: what the step reported, a StepReport.
    """

    def __init__(self, message: str, report: Any = None) -> None:
        super().__init__(message)
        self.report = report


class PressError(RuntimeError):
    """A press test cannot be made as asked, which showed only while it ran; one sentence."""


def refuse(element: str, value: object, rule: str, remedy: str = "", file: str = "") -> NoReturn:
    """Raises InputError with the sentence that the C++ library makes of it."""
    sentence = _core.sentence(file, element, str(value), rule, remedy)
    raise InputError(sentence, file=file, element=element, value=str(value), rule=rule,
                     remedy=remedy)
