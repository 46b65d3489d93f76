"""Results of the full tier: results/full.json, what it holds and when an entry is still fresh.

{
  "pieces": {
    "<piece>": {
      "result": "passed" | "failed" | "timed out" | "skipped",
      "reason": "why it was skipped or failed; absent when it passed",
      "commit": "full hash of the commit it ran at",
      "uncommitted": true,           absent when the checkout was clean
      "date": "2025-01-31T12:00:00Z",
      "seconds": 12.3,
      "figures": {"name": {"value": 1.5, "unit": "N"}},
      "machine": "CPU model, cores"
    }
  }
}

A result belongs to the code it ran on. Documentation and results are not code: commits that touch
nothing else leave every result as fresh as it was. A merge counts as one commit, whatever it
brings in.
"""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; scripts/requirements.txt has tomli
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIECES = pathlib.Path("tests/full/pieces.toml")
RESULTS = pathlib.Path("results/full.json")
MAX_COMMITS_BEHIND = 60
NOT_CODE = re.compile(r"^(?:docs/|results/)|\.md$")


class PiecesError(Exception):
    """tests/full/pieces.toml is not as it must be; the message is one sentence."""


@dataclasses.dataclass
class Piece:
    """One separately run and recorded part of the full tier."""

    name: str
    command: list  # argument list; pieces.toml gives a line for bash
    timeout: float  # [s]
    directory: str = "."
    environment: dict = dataclasses.field(default_factory=dict)
    passing_codes: tuple = (0,)
    is_gtest: bool = False  # one gtest test, which says itself when it skips


def read_pieces(root=ROOT):
    """The pieces that tests/full/pieces.toml names; none when the file is missing."""
    path = root / PIECES
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("piece", [])
    except tomllib.TOMLDecodeError as error:
        raise PiecesError(f"{PIECES}: {error}") from error
    pieces, seen = [], set()
    for entry in entries:
        missing = {"name", "command", "timeout"} - entry.keys()
        unknown = entry.keys() - {"name", "command", "timeout", "passing_codes", "why"}
        name = entry.get("name", "?")
        if missing or unknown:
            raise PiecesError(f"{PIECES}: piece {name}: " + "; ".join(
                [f"{key} is missing" for key in sorted(missing)]
                + [f"{key} is not known" for key in sorted(unknown)]) + ".")
        if name in seen:
            raise PiecesError(f"{PIECES}: piece {name} is there twice; give each its own name.")
        seen.add(name)
        pieces.append(Piece(name, ["bash", "-c", entry["command"]], float(entry["timeout"]),
                            passing_codes=tuple(entry.get("passing_codes", (0,)))))
    return pieces


def fuzz_pieces(root=ROOT):
    """One piece for each tests/fuzz/fuzz_<name>.cpp."""
    sources = sorted((root / "tests/fuzz").glob("fuzz_*.cpp"))
    names = [source.stem.removeprefix("fuzz_") for source in sources]
    # The first one also compiles the library, which takes minutes.
    return [Piece(f"fuzz:{name}", ["scripts/fuzz", name], timeout=1800) for name in names]


# A gtest suite as it stands in a source file; parameterized ones are listed by ctest only.
_FULL_SUITE = re.compile(r"^\s*TEST(?:_[FP])?\(\s*(Full\w*)\s*,\s*(\w+)\s*\)", re.MULTILINE)


def full_tests_in_sources(root=ROOT):
    """Names "Suite.Test" of the Full... tests, read from the sources, so nothing need be built."""
    names = set()
    for path in (root / "tests").rglob("*.cpp"):
        for suite, test in _FULL_SUITE.findall(path.read_text(encoding="utf-8", errors="replace")):
            names.add(f"{suite}.{test}")
    return sorted(names)


def read_results(root=ROOT):
    path = root / RESULTS
    if not path.exists():
        return {"pieces": {}}
    return json.loads(path.read_text(encoding="utf-8"))


def write_results(results, root=ROOT):
    """Replaces results/full.json in one move, so an interruption leaves the old or the new one."""
    path = root / RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(draft, path)


def git(*arguments, root=ROOT):
    """The output of a git command, or None where it fails."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True,
                              check=False)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def head(root=ROOT):
    return git("rev-parse", "HEAD", root=root) or "none"


def uncommitted_code(root=ROOT):
    """Paths of changed or new files that are code."""
    status = git("status", "--porcelain", "--untracked-files=all", "--no-renames", root=root) or ""
    # git() strips the output, and with it the blank that may open the first line.
    paths = [line.split(maxsplit=1)[1].strip('"') for line in status.splitlines()]
    return [path for path in paths if not NOT_CODE.search(path)]


def code_changed_since(commit, root=ROOT):
    """Whether code differs between `commit` and HEAD; True where git cannot tell."""
    changed = git("diff", "--name-only", "--no-renames", commit, "HEAD", root=root)
    if changed is None:
        return True
    return any(not NOT_CODE.search(path) for path in changed.splitlines())


def staleness(entry, root=ROOT):
    """Why a result says too little about HEAD, in one sentence; None when it is fresh."""
    commit = entry.get("commit", "none")
    if entry.get("uncommitted"):
        return "it ran with uncommitted changes; commit them and run it again"
    if commit == head(root):
        return None
    if git("merge-base", "--is-ancestor", commit, "HEAD", root=root) is None:
        shallow = git("rev-parse", "--is-shallow-repository", root=root) == "true"
        return (f"its commit {commit[:12]} is not an ancestor of HEAD"
                + (" (this clone is shallow: fetch the whole history)" if shallow else ""))
    if not code_changed_since(commit, root):
        return None
    behind = int(git("rev-list", "--count", "--first-parent", f"{commit}..HEAD", root=root) or 0)
    if behind > MAX_COMMITS_BEHIND:
        return (f"its commit {commit[:12]} is {behind} commits behind HEAD "
                f"(at most {MAX_COMMITS_BEHIND})")
    return None
