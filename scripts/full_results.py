"""Results of the full tier: results/full.json, what it holds and what it is still worth.

{
  "pieces": {
    "<piece>": {
      "result": "passed" | "failed" | "timed out" | "skipped",
      "reason": "why it was skipped or failed; absent when it passed",
      "content": {"test": hash, "inputs": hash, "library": key, "outside": {file: hash}},
      "commit": "the commit it ran at",
      "date": "2025-01-31T12:00:00Z",
      "seconds": 12.3,
      "figures": {"name": {"value": 1.5, "unit": "N", "bound": "at most 2"}},
      "log": {"file": "build/full_logs/...", "sha256": "...", "tail": ["last lines"]},
      "machine": "CPU model, cores; compiler"
    }
  },
  "libraries": {key: {room: hash}}
}

A result belongs to the files it ran on, not to a commit: "content" has their hashes (content.py says
which files, and what of them counts). What a result is worth:

  fresh    a pass, and test, inputs and library are those of the result
  stale    a pass, and a room of the library has changed since; docs/decisions/0014 says how long
           this is borne
  changed  a pass, and the test itself or what it reads has changed since
  failed, missing, skipped, pending
"""

import dataclasses
import datetime
import fnmatch
import functools
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess

import content

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10; scripts/requirements.txt has tomli
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIECES = pathlib.Path("tests/full/pieces.toml")
PARAMETERS = pathlib.Path("tests/full/parameters.txt")
PENDING = pathlib.Path("tests/full/pending.txt")
KNOWN_SKIPS = pathlib.Path("tests/known_skips.toml")
RESULTS = pathlib.Path("results/full.json")
LOGS = pathlib.Path("build/full_logs")
MAX_STALE_DAYS = 21
MAX_STALE_COMMITS = 200
NOT_CODE = re.compile(r"^(?:docs/|results/)|\.md$")


class PiecesError(Exception):
    """tests/full/pieces.toml, or a list beside it, is not as it must be; the message is one sentence."""


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
    # Files that make the test, and others that it reads; a folder ends with /. pieces.toml only.
    tests: tuple = ()
    inputs: tuple = ()
    library: tuple = ()


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
    lists = ("tests", "inputs", "library")
    for entry in entries:
        missing = {"name", "command", "timeout"} - entry.keys()
        unknown = entry.keys() - {"name", "command", "timeout", "passing_codes", "why", *lists}
        name = entry.get("name", "?")
        if missing or unknown:
            raise PiecesError(f"{PIECES}: piece {name}: " + "; ".join(
                [f"{key} is missing" for key in sorted(missing)]
                + [f"{key} is not known" for key in sorted(unknown)]) + ".")
        if name in seen:
            raise PiecesError(f"{PIECES}: piece {name} is there twice; give each its own name.")
        for file in (file for key in lists for file in entry.get(key, ())):
            if not (root / file).exists() or file.endswith("/") != (root / file).is_dir():
                raise PiecesError(f"{PIECES}: piece {name}: {file} does not exist (a folder ends with /).")
        seen.add(name)
        pieces.append(Piece(name, ["bash", "-c", entry["command"]], float(entry["timeout"]),
                            passing_codes=tuple(entry.get("passing_codes", (0,))),
                            **{key: tuple(entry.get(key, ())) for key in lists}))
    return pieces


def fuzz_pieces(root=ROOT):
    """One piece for each tests/fuzz/fuzz_<name>.cpp."""
    sources = sorted((root / "tests/fuzz").glob("fuzz_*.cpp"))
    names = [source.stem.removeprefix("fuzz_") for source in sources]
    # The first one also compiles the library, which takes minutes.
    return [Piece(f"fuzz:{name}", ["scripts/fuzz", name], timeout=1800) for name in names]


# The browser's tests are a piece of pieces.toml, which skips where there is no browser.
PYTHON_PIECES_OF_THEIR_OWN = ("test_browser",)


def python_pieces(source):
    """One piece for each function of tests/python that is marked full, with all its parameters."""
    pieces = []
    for file in sorted(source.names):
        match = re.fullmatch(r"tests/python/(test_\w+)\.py", file)
        if not match or match.group(1) in PYTHON_PIECES_OF_THEIR_OWN:
            continue
        for test in content.python_full_tests(source.text(file))[0]:
            command = [".venv/bin/python", "-m", "pytest", "-q", "-rPs", "-m", "full", f"{file}::{test}"]
            pieces.append(Piece(f"python:{match.group(1)}::{test}", command, timeout=7200))
    return pieces


def plain_name(name):
    """A gtest name as results have it: a bare index becomes the value behind it, which says more.

    gtest prints "Suite.Test/0  # GetParam() = 0.3"; newer versions of CMake make this change too.
    """
    name = re.sub(r"/\d+\s+# GetParam\(\) = ", "/", name)
    return re.sub(r"\s+# (?:GetParam\(\)|TypeParam) = .*$", "", name)


def read_parameters(root=ROOT):
    """Names of the parameterized Full... tests as the test executables list them."""
    path = root / PARAMETERS
    if not path.exists():
        return []
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def gtest_of(name):
    """ "Suite.Test" of a gtest name with or without instance and parameter."""
    match = re.search(r"(\w+\.\w+)", name)
    return match.group(1) if match else name


def gtest_names(source, root=ROOT):
    """Names of the Full... tests: those in the sources, parameterized ones as the list has them.

    A parameterized test that the list lacks stands there by its plain name, which no result has.
    """
    listed = {}
    for name in read_parameters(root):
        listed.setdefault(gtest_of(name), []).append(name)
    names = []
    for test in sorted(t for t in source.tests if t.startswith("Full")):
        names += listed.get(test, [test])
    return names


def parts_of(piece, source):
    """What a piece depends on; None where its test is not there."""
    kind, _, rest = piece.name.partition(":")
    if kind == "ctest":
        return content.parts_of_gtest(source, gtest_of(rest))
    if kind == "python":
        file, _, test = rest.partition("::")
        return content.parts_of_python(source, f"tests/python/{file}.py", test)
    if kind == "fuzz":
        return content.parts_of_fuzz(source, rest)
    return content.parts_of_command(source, piece.command[-1], piece.tests, piece.inputs, piece.library)


def outside_hashes(parts, root=ROOT):
    """{name: hash} of the single outside files that a test asks for and that are here."""
    chosen = os.environ.get("HAPTOS_OUTSIDE_DATA")
    folder = pathlib.Path(chosen) if chosen else root.parent / "shared/data"
    return {name: content.digest((folder / name).read_bytes())
            for name in parts.outside if (folder / name).is_file()}


def wanted_pieces(source, root=ROOT):
    """Every piece that must have a result; gtest ones without the command that runs them."""
    gtests = [Piece(f"ctest:{name}", [], 0.0, is_gtest=True) for name in gtest_names(source, root)]
    return read_pieces(root) + fuzz_pieces(root) + python_pieces(source) + gtests


# ------------------------------------------------------------------------------- the record


def read_results(root=ROOT):
    path = root / RESULTS
    if not path.exists():
        return {"pieces": {}, "libraries": {}}
    results = json.loads(path.read_text(encoding="utf-8"))
    results.setdefault("libraries", {})
    return results


def write_results(results, root=ROOT):
    """Replaces results/full.json in one move, so an interruption leaves the old or the new one."""
    used = {e.get("content", {}).get("library") for e in results["pieces"].values()}
    libraries = {k: v for k, v in results.get("libraries", {}).items() if k in used}
    path = root / RESULTS
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".json.part")
    draft.write_text(json.dumps({"libraries": libraries, "pieces": results["pieces"]}, indent=1,
                                sort_keys=True) + "\n", encoding="utf-8")
    os.replace(draft, path)


def put_content(results, entry, hashes, outside):
    """Writes the hashes of a result; rooms that many results share stand once, under their key."""
    rooms = hashes["library"]
    key = content.digest(json.dumps(rooms, sort_keys=True))
    results.setdefault("libraries", {})[key] = rooms
    entry["content"] = {"test": hashes["test"], "inputs": hashes["inputs"], "library": key}
    if outside:
        entry["content"]["outside"] = outside


def complete(results, pieces, root=ROOT):
    """Gives results without hashes those of their commit's files; names of those it could not."""
    sources, left = {}, []
    for piece in pieces:
        entry = results["pieces"].get(piece.name)
        if entry is None or "content" in entry:
            continue
        commit = entry.get("commit", "none")
        if commit not in sources:
            try:
                sources[commit] = content.Source(content.CommitTree(root, commit))
            except LookupError:
                sources[commit] = None
        parts = sources[commit] and parts_of(piece, sources[commit])
        if not parts or entry.get("uncommitted"):
            left.append(piece.name)
            continue
        put_content(results, entry, parts.hashes(sources[commit]), {})
    return left


FIGURE = re.compile(
    r"^\s*FIGURE\s+(?P<name>\S.*?)\s*=\s*(?P<value>[-+0-9.eEinfa]+)(?:\s+(?P<unit>[^\s(].*?))??"
    r"(?:\s*\((?P<bound>(?:at most|at least|within) [^()]*)\))?\s*$")
_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_BOUND = re.compile(rf"(?:at most {_NUMBER}|at least {_NUMBER}|within {_NUMBER} to {_NUMBER})")


def figures_in(lines):
    """{name: {value, unit, bound}} of the FIGURE lines; the last one of a name counts."""
    figures = {}
    for line in lines:
        match = FIGURE.match(line)
        if match:
            try:
                value = float(match["value"])
            except ValueError:
                continue
            figures[match["name"]] = {"value": value, "unit": match["unit"] or ""}
            if match["bound"]:
                figures[match["name"]]["bound"] = match["bound"]
    return figures


def bounds_of(figure):
    """(least, most) that a figure may be; None on a side without a bound, or all where it has none."""
    if "bound" not in figure:
        return None
    match = _BOUND.fullmatch(figure["bound"])
    if not match:
        raise PiecesError(f"{RESULTS}: a bound is \"{figure['bound']}\"; write \"at most X\", "
                          "\"at least X\" or \"within X to Y\".")
    most, least, low, high = (None if g is None else float(g) for g in match.groups())
    return (least if low is None else low), (most if high is None else high)


def broken_bounds(figures):
    """Sentences about figures beyond their bounds. A figure that is not a number is beyond."""
    bad = []
    for name, figure in sorted(figures.items()):
        least, most = bounds_of(figure) or (None, None)
        value = figure["value"]
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            bad.append(f"{name} = {value:g} {figure['unit']}".rstrip() + f" is not {figure['bound']}")
    return bad


def tight_bounds(figures, share=0.02):
    """Names of figures that lie within `share` of a bound: one that was fitted to what was measured."""
    tight = []
    for name, figure in sorted(figures.items()):
        for bound in bounds_of(figure) or ():
            if bound and abs(figure["value"] - bound) <= share * abs(bound):
                tight.append(f"{name} = {figure['value']:g} ({figure['bound']})")
                break
    return tight


def keep_log(lines, piece, root=ROOT):
    """Writes the output of a piece, compressed, to build/full_logs; what the result says about it."""
    name = re.sub(r"[^\w.-]+", "_", piece.name) + ".log.gz"
    data = "".join(lines).encode("utf-8", errors="replace")
    path = root / LOGS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0))
    tail = [line.strip()[:160] for line in lines if line.strip()][-3:]
    return {"file": str(LOGS / name), "sha256": hashlib.sha256(data).hexdigest(), "tail": tail}


# ------------------------------------------------------------------------------- git


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


def parse_date(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(
        tzinfo=datetime.timezone.utc)


@dataclasses.dataclass
class Age:
    """How long a result has been stale."""

    since: datetime.datetime
    commits: int  # that touched the files, by whatever branch they came; 0 where git cannot tell
    known: bool  # False: taken from the result's date, for want of history

    def days(self, now):
        return (now - self.since).total_seconds() / 86400


class History:
    """Commits on the way to HEAD that touched files."""

    def __init__(self, root=ROOT):
        self.root = root
        self.shallow = git("rev-parse", "--is-shallow-repository", root=root) == "true"
        stamp = git("show", "-s", "--format=%ct", "HEAD", root=root)
        self.now = (datetime.datetime.fromtimestamp(int(stamp), datetime.timezone.utc) if stamp
                    else datetime.datetime.now(datetime.timezone.utc))
        self.touched = functools.lru_cache(None)(self._touched)

    def _touched(self, commit):
        """[(time, files)] of the commits since `commit`, oldest first; None where it is not known.

        rev-list walks every parent, so a merge brings all its commits into the count.
        """
        log = git("log", "--no-merges", "--reverse", "--format=@%ct", "--name-only", "--no-renames",
                  f"{commit}..HEAD", root=self.root)
        if log is None:
            return None
        found = []
        for line in log.splitlines():
            if line.startswith("@"):
                found.append((int(line[1:]), set()))
            elif line:
                found[-1][1].add(line)
        return found

    def age(self, entry, files):
        """Since when `files` differ from what a result ran on."""
        date = parse_date(entry["date"])
        touched = None if self.shallow else self.touched(entry.get("commit", "none"))
        times = [t for t, names in touched or () if not files.isdisjoint(names)]
        if not times:
            return Age(date, 0, False)
        first = datetime.datetime.fromtimestamp(min(times), datetime.timezone.utc)
        return Age(max(first, date), len(times), True)


# ------------------------------------------------------------------------------- states


@dataclasses.dataclass
class State:
    """What the result of a piece is worth."""

    name: str
    kind: str  # fresh, stale, changed, failed, missing, skipped, pending
    reason: str = ""
    rooms: tuple = ()  # that have changed, when stale
    age: Age | None = None  # when stale
    fault: bool = False  # whether CI fails on it
    entry: dict | None = None


def known_skips(root=ROOT):
    """[(kind, pattern)] of the reasons for which a test may skip."""
    path = root / KNOWN_SKIPS
    if not path.exists():
        return []
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("skip", [])
    return [(e["kind"], re.compile(e["pattern"])) for e in entries]


def skip_kind(reason, known):
    """The kind of a reason to skip; None for a reason that nobody has allowed."""
    return next((kind for kind, pattern in known if pattern.search(reason)), None)


_PENDING = re.compile(r"(?P<name>\S.*?) \(since (?P<date>\d{4}-\d\d-\d\d)\): (?P<reason>\S.*)")


def read_pending(root=ROOT):
    """[(pattern, date, reason)] of the pieces that have never been run to their end."""
    path = root / PENDING
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if not line.strip() or line.startswith("#"):
            continue
        match = _PENDING.fullmatch(line.strip())
        if not match:
            raise PiecesError(f"{PENDING}: \"{line}\" is not of the form "
                              "\"name (since 2026-01-31): reason\".")
        found.append((match["name"], parse_date(match["date"] + "T00:00:00Z"), match["reason"]))
    return found


def differences(entry, libraries, hashes, outside):
    """(what of the test changed, rooms that changed) between a result and today's files."""
    had = entry.get("content")
    if had is None:
        return ["no hashes: scripts/test_full --complete works them out from its commit"], []
    own = [part for part in ("test", "inputs") if had[part] != hashes[part]]
    # Where the outside data is missing nothing can be said about it.
    own += [name for name, value in had.get("outside", {}).items()
            if name in outside and outside[name] != value]
    before, now = libraries.get(had["library"], {}), hashes["library"]
    rooms = sorted(r for r in before.keys() | now.keys() if before.get(r) != now.get(r))
    return own, rooms


class Judge:
    """Says what each recorded result is worth for the files of a checkout."""

    def __init__(self, root=ROOT, source=None):
        self.root = root
        self.source = source or content.Source(content.WorkTree(root))
        self.results = read_results(root)
        self.history = History(root)
        self.known = known_skips(root)
        self.pending = read_pending(root)
        self._hashes = {}

    def content_of(self, piece):
        """(parts, hashes, outside hashes) of a piece now; parameters of one test share them."""
        key = gtest_of(piece.name) if piece.is_gtest else piece.name
        if key not in self._hashes:
            parts = parts_of(piece, self.source)
            self._hashes[key] = (parts, parts and parts.hashes(self.source),
                                 parts and outside_hashes(parts, self.root))
        return self._hashes[key]

    def state(self, piece):
        entry = self.results["pieces"].get(piece.name)
        if entry is None:
            return self._pending(piece.name) or State(piece.name, "missing", "has no result", fault=True)
        if entry["result"] not in ("passed", "skipped"):
            return State(piece.name, "failed", f"{entry['result']}: {entry.get('reason', '')}",
                         fault=True, entry=entry)
        if entry["result"] == "skipped":
            reason = entry.get("reason", "")
            fault = skip_kind(reason, self.known) is None
            note = f" (no reason that {KNOWN_SKIPS} knows)" if fault else ""
            return State(piece.name, "skipped", reason + note, fault=fault, entry=entry)
        beyond = broken_bounds(entry.get("figures", {}))
        if beyond:
            return State(piece.name, "failed", "; ".join(beyond), fault=True, entry=entry)
        parts, hashes, outside = self.content_of(piece)
        own, rooms = differences(entry, self.results["libraries"], hashes, outside)
        if own:
            waits = self._pending(piece.name)
            if waits:
                waits.reason += f" (changed: {', '.join(own)})"
                return waits
            return State(piece.name, "changed", ", ".join(own), fault=True, entry=entry)
        if rooms:
            files = frozenset(n for n in parts.library if content.room(n) in rooms)
            age = self.history.age(entry, files)
            days = age.days(self.history.now)
            too_long = []
            if days > MAX_STALE_DAYS:
                too_long.append(f"{days:.0f} days (at most {MAX_STALE_DAYS})")
            if age.commits > MAX_STALE_COMMITS:
                too_long.append(f"{age.commits} commits (at most {MAX_STALE_COMMITS})")
            reason = "stale for " + " and ".join(too_long) if too_long else ""
            return State(piece.name, "stale", reason, tuple(rooms), age, bool(too_long), entry)
        return State(piece.name, "fresh", entry=entry)

    def _pending(self, name):
        """The state of a piece that pending.txt lets wait, while it may; else None."""
        for pattern, date, reason in self.pending:
            if fnmatch.fnmatchcase(name, pattern):
                days = (self.history.now - date).total_seconds() / 86400
                late = f" ({days:.0f} days, at most {MAX_STALE_DAYS})" if days > MAX_STALE_DAYS else ""
                return State(name, "pending", f"since {date:%Y-%m-%d}: {reason}{late}", fault=bool(late))
        return None

    def states(self):
        return [self.state(piece) for piece in wanted_pieces(self.source, self.root)]


# What `make test-full` runs first: what has no valid result at all, then the oldest.
_ORDER = ("missing", "pending", "failed", "changed", "skipped", "stale", "fresh")


def run_order(states):
    """Names in the order in which they are to be run, the oldest results first."""
    def key(state):
        when = state.age.since.timestamp() if state.age else 0.0
        return (_ORDER.index(state.kind), when, (state.entry or {}).get("date", ""), state.name)
    return [state.name for state in sorted(states, key=key)]
