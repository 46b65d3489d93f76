"""Writes the types of the keywords of Scene.add_...(), for editors and type checkers.

    python field_types.py FOLDER_OF_CORE OUT.pyi

Reads the tables of the compiled module; the build runs it.
"""

import sys
from pathlib import Path

NAMED = {"half_spaces": ("normal", "offset")}  # parameters of their own
TYPES = {"number": "float | str | None", "whole": "int", "flag": "bool", "word": "str | None", "text": "str",
         "friction": "float | Sequence[float] | None"}
HEAD = '''"""Keywords of Scene.add_...(), made by the build from the tables of fields."""

from collections.abc import Sequence
from typing import TypedDict

from numpy.typing import ArrayLike
'''


def lines(rows, section):
    for row in rows:
        if row["section"] != section or row["type"] == "part":
            continue
        names = ("position", "quaternion") if row["type"] == "pose" else (row["name"],)
        for name in names:
            if name not in NAMED.get(section, ()):
                yield f"    {name}: {TYPES.get(row['type'], 'ArrayLike | None')}"


def main(folder, out):
    sys.path.insert(0, folder)
    import _core

    rows = _core.field_table()
    parts = [HEAD]
    for section in dict.fromkeys(row["section"] for row in rows):
        name = "".join(word.capitalize() for word in section.split("_")) + "Fields"
        parts.append(f"\nclass {name}(TypedDict, total=False):\n" + "\n".join(lines(rows, section)) + "\n")
    Path(out).write_text("\n".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
