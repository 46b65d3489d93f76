"""What a result of the full tier depends on, as hashes of files.

A piece of the full tier depends on three sets of files:

  test      its own test: the body of the test, the rest of its file without the other tests of that
            file, and headers that no other test file includes
  inputs    scenes and data that the test reads, and the command that starts it
  library   what it runs, by room: folders of the library, the build files, and headers that several
            test files share. For C++ these are the files that the test reaches through #include,
            with the .cpp files behind each header; for Python all of the library.

Only what can change a result counts: comments, blank lines and layout are taken out before hashing.
The files are those of the working tree, or of any commit, so that a result can be given its hashes
afterwards.
"""

import ast
import functools
import hashlib
import io
import pathlib
import posixpath
import re
import subprocess
import tarfile
import tokenize

HEX = 12  # digits kept of a hash
CODE = (".cpp", ".h")
BUILD_FILES = re.compile(r"^(?:CMakeLists\.txt|pyproject\.toml|cmake/.*|python/CMakeLists\.txt|tests/CMakeLists\.txt)$")
DATA = re.compile(r"^(?:scenes|examples|tests/python/data|tests/data)/")


class WorkTree:
    """The files of a checkout as they lie on disk."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"],
            capture_output=True, text=True, check=False)
        if listed.returncode == 0:
            found = [name for name in listed.stdout.split("\0") if name]
        else:  # a source archive without git
            found = [p.relative_to(root).as_posix() for p in self.root.rglob("*") if p.is_file()]
        self.names = frozenset(name for name in found if (self.root / name).is_file())

    def read(self, name):
        return (self.root / name).read_bytes()


class CommitTree:
    """The files of a commit, without its documentation and results."""

    def __init__(self, root, commit):
        done = subprocess.run(
            ["git", "-C", str(root), "archive", "--format=tar", commit, "--", ".",
             ":(exclude)docs", ":(exclude)results"], capture_output=True, check=False)
        if done.returncode != 0:
            raise LookupError(done.stderr.decode(errors="replace").strip())
        self._files = {}
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            for member in archive:
                if member.isfile():
                    self._files[member.name] = archive.extractfile(member).read()
        self.names = frozenset(self._files)

    def read(self, name):
        return self._files[name]


_CXX_TOKEN = re.compile(
    r'(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)'
    r'|(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<text>"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\')', re.DOTALL)


_LIBRARY_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"haptos/[^"\n]*"', re.MULTILINE)


class CxxText:
    """C++ without comments, its literals taken out so that braces and blanks can be counted.

    Includes of the library are taken out too: what they reach is hashed by itself, and where a
    header lies is no part of a test.
    """

    def __init__(self, source):
        self.literals = []
        source = _LIBRARY_INCLUDE.sub("", source)

        def take(match):
            if match.group("comment") is not None:
                return " "
            self.literals.append(match.group(0))
            return f"\0{len(self.literals) - 1}\0"

        self.bare = _CXX_TOKEN.sub(take, source)

    def normal(self, bare):
        """One line, blanks only where two words would run together, literals put back."""
        line = re.sub(r"\s+", " ", bare)
        line = re.sub(r" (?=[^\w\0])|(?<=[^\w\0]) ", "", line)
        return re.sub("\0(\\d+)\0", lambda m: self.literals[int(m.group(1))], line).strip()


_CXX_TEST = re.compile(r"^[ \t]*(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


def _closing_brace(bare, start):
    depth = 0
    for i in range(bare.index("{", start), len(bare)):
        depth += (bare[i] == "{") - (bare[i] == "}")
        if depth == 0:
            return i + 1
    return len(bare)


def cxx_tests(source):
    """(text, spans): the file as CxxText and {"Suite.Test": (start, end)} in its bare text."""
    text = CxxText(source)
    spans = {}
    for match in _CXX_TEST.finditer(text.bare):
        end = _closing_brace(text.bare, match.end()) if "{" in text.bare[match.end():] else match.end()
        spans[f"{match.group(1)}.{match.group(2)}"] = (match.start(), end)
    return text, spans


def _without(text, spans):
    kept, at = [], 0
    for start, end in sorted(spans):
        kept.append(text[at:start])
        at = max(at, end)
    return " ".join(kept + [text[at:]])


def cxx_own(source, test):
    """The normal text of one test: its body and what of its file is not another test."""
    text, spans = cxx_tests(source)
    others = [span for name, span in spans.items() if name != test]
    return text.normal(_without(text.bare, others))


def _imports_library(node):
    """Whether a statement only says where in the library something lies."""
    if isinstance(node, ast.ImportFrom):
        return node.level == 0 and (node.module or "").split(".")[0] == "haptos"
    return isinstance(node, ast.Import) and all(a.name.startswith("haptos.") for a in node.names)


def python_normal(source, drop=()):
    """Python without comments, docstrings, blank lines and the functions named in `drop`.

    Imports of the library are taken out too: all of it is hashed by itself, and where a module lies is
    no part of a test.
    """
    lines = source.splitlines(keepends=True)
    try:
        tree = ast.parse(source)
        comments = [t for t in tokenize.generate_tokens(io.StringIO(source).readline)
                    if t.type == tokenize.COMMENT]
    except (SyntaxError, tokenize.TokenError, ValueError):
        return source
    for token in comments:
        row, column = token.start
        lines[row - 1] = lines[row - 1][:column] + "\n"
    gone = []
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and body
                and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
                and isinstance(body[0].value.value, str)):
            gone.append((body[0].lineno, body[0].end_lineno))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name in drop:
            gone.append((min([node.lineno] + [d.lineno for d in node.decorator_list]),
                         node.end_lineno))
        if _imports_library(node):
            gone.append((node.lineno, node.end_lineno))
    for first, last in gone:
        lines[first - 1:last] = [""] * (last - first + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def python_full_tests(source):
    """(full, every): names of the top-level tests that are marked full, and of all of them."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return [], []
    module = any(isinstance(node, ast.Assign) and "mark.full" in ast.unparse(node.value)
                 and any(getattr(t, "id", "") == "pytestmark" for t in node.targets)
                 for node in tree.body)
    every = [node for node in tree.body
             if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    full = [node.name for node in every
            if module or any("mark.full" in ast.unparse(d) for d in node.decorator_list)]
    return full, [node.name for node in every]


def _lines_normal(source):
    """Text with # comments on lines of their own: shell, YAML, TOML, CMake."""
    lines = [line.rstrip() for line in source.splitlines()]
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("#"))


def digest(*parts):
    hashed = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", errors="surrogateescape")
        hashed.update(str(len(data)).encode() + b":" + data)
    return hashed.hexdigest()[:HEX]


_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_LITERAL = re.compile(r'["\']([\w./-]+)["\']')
_OUTSIDE = re.compile(r'(?:HAPTOS_OUTSIDE_FILE\([^,]*,|outside_file\()\s*f?["\']([^"\'{}]+)["\']')


def room(name):
    """The room of a file of the library: a folder of haptos/, of python/, tests or build."""
    if BUILD_FILES.match(name):
        return "build"
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("haptos", "python") and len(parts) > 2 else parts[0]


class Source:
    """The files of one tree and what follows from them; everything is worked out once."""

    def __init__(self, tree):
        self.tree = tree
        self.names = tree.names
        self.includes = functools.lru_cache(None)(self._includes)
        self.file_hash = functools.lru_cache(None)(self._file_hash)
        self.reached = functools.lru_cache(None)(self._reached)

    def text(self, name):
        return self.tree.read(name).decode("utf-8", errors="surrogateescape")

    def _file_hash(self, name):
        if name.endswith(CODE):
            text = CxxText(self.text(name))
            return digest(text.normal(text.bare))
        if name.endswith(".py"):
            return digest(python_normal(self.text(name)))
        if name.endswith((".sh", ".yaml", ".toml", ".cmake", "CMakeLists.txt")) or name.startswith("scripts/"):
            return digest(_lines_normal(self.text(name)))
        return digest(self.tree.read(name))

    def _includes(self, name):
        """Files of the project that a C++ file includes."""
        found = []
        for text in _INCLUDE.findall(self.text(name)):
            for path in (text, posixpath.normpath(posixpath.join(posixpath.dirname(name), text))):
                if path in self.names:
                    found.append(path)
                    break
        return tuple(found)

    @functools.cached_property
    def behind(self):
        """{header: .cpp files that may define what it declares}.

        In the library these are the files of its room, haptos/sim and all within, that include it;
        in tests the file of the same name.
        """
        found = {}
        for name in self.names:
            if not name.endswith(".cpp"):
                continue
            for header in self.includes(name):
                if (room(name) == room(header) if name.startswith("haptos/")
                        else name == header[:-2] + ".cpp"):
                    found.setdefault(header, []).append(name)
        return found

    def _reached(self, name):
        """All files that a C++ file reaches through its includes, itself among them."""
        seen, todo = set(), [name]
        while todo:
            file = todo.pop()
            if file not in seen:
                seen.add(file)
                todo += self.includes(file)
                todo += self.behind.get(file, ())
        return frozenset(seen)

    @functools.cached_property
    def shared(self):
        """Headers of tests/ that more than one .cpp file of tests/ reaches."""
        count = {}
        for name in self.names:
            if name.startswith("tests/") and name.endswith(".cpp"):
                for file in self.reached(name):
                    count[file] = count.get(file, 0) + 1
        return frozenset(f for f, n in count.items() if n > 1 and f.startswith("tests/"))

    @functools.cached_property
    def tests(self):
        """{"Suite.Test": file} of every gtest test."""
        found = {}
        for name in sorted(self.names):
            if name.startswith("tests/") and name.endswith(".cpp"):
                found |= {test: name for test in cxx_tests(self.text(name))[1]}
        return found

    def every_library_file(self):
        return {n for n in self.names
                if BUILD_FILES.match(n) or n.startswith("haptos/") or n.startswith("python/")}

    def read_by(self, text):
        """Files of the checkout that the literals of a test name.

        Of a folder these are the files in it whose own names the test has too; all if it has none.
        """
        found, literals = set(), {literal.strip("/") for literal in _LITERAL.findall(text)}
        for path in literals:
            if path in self.names and DATA.match(path):
                found.add(path)
            elif path and DATA.match(path + "/"):
                within = {n for n in self.names if n.startswith(path + "/")}
                found |= {n for n in within if posixpath.basename(n) in literals} or within
        return found


def outside_names(text):
    """Names of outside files that a test asks for."""
    return sorted(set(_OUTSIDE.findall(text)))


class Parts:
    """What a piece depends on: texts and files of the test, files of inputs and library."""

    def __init__(self, test_text, inputs, library, command="", outside=(), test_files=()):
        self.test_text, self.inputs, self.library = test_text, set(inputs), set(library)
        self.command, self.outside, self.test_files = command, outside, set(test_files)

    def hashes(self, source):
        """The record of a result: {"test", "inputs", "library": {room: hash}}."""
        rooms = {}
        for name in sorted(self.library):
            rooms.setdefault(room(name), []).append(f"{name} {source.file_hash(name)}")
        return {
            "test": digest(self.test_text),
            "inputs": digest(self.command, *(f"{n} {source.file_hash(n)}" for n in sorted(self.inputs))),
            "library": {name: digest(*files) for name, files in rooms.items()},
        }


def parts_of_gtest(source, test):
    """Parts of "Suite.Test"; None where no file has it."""
    file = source.tests.get(test)
    if file is None:
        return None
    own = cxx_own(source.text(file), test)
    reached = source.reached(file) - {file}
    private = sorted(n for n in reached if n.startswith("tests/") and n not in source.shared)
    for name in private:
        text = CxxText(source.text(name))
        own += "\n" + text.normal(text.bare)
    library = {n for n in reached if n not in private}
    library |= {n for n in source.names if BUILD_FILES.match(n) and not n.startswith("py")}
    return Parts(own, source.read_by(own), library, outside=outside_names(own), test_files=[file, *private])


def parts_of_python(source, file, test):
    """Parts of one function of tests/python."""
    if file not in source.names:
        return None
    text = source.text(file)
    full, every = python_full_tests(text)
    if test not in full:
        return None
    own = python_normal(text, drop=[name for name in every if name != test])
    library = source.every_library_file() | {"tests/python/conftest.py"} & source.names
    for module in re.findall(r"^(?:from|import) (\w+)", own, re.MULTILINE):
        library |= {f"tests/python/{module}.py"} & source.names
    return Parts(own, source.read_by(own), library, outside=outside_names(own))


def matching(source, patterns):
    """Files that the patterns name: files, or folders that end with /."""
    return {n for n in source.names for p in patterns
            if n == p or p.endswith("/") and n.startswith(p)}


def parts_of_fuzz(source, name):
    file = f"tests/fuzz/fuzz_{name}.cpp"
    if file not in source.names:
        return None
    reached = source.reached(file) - {file}
    own = CxxText(source.text(file))
    headers = [n for n in sorted(reached) if n.startswith("tests/") and n not in source.shared]
    text = own.normal(own.bare) + "".join(source.file_hash(n) for n in headers)
    library = {n for n in reached if n not in headers}
    library |= {"CMakeLists.txt", "scripts/fuzz"} & source.names
    return Parts(text, matching(source, [f"tests/fuzz/corpus/{name}/"]), library)


def parts_of_command(source, command, tests, inputs, library):
    """Parts of a piece of pieces.toml, which says its files itself."""
    text = "\n".join(f"{n} {source.file_hash(n)}" for n in sorted(matching(source, tests)))
    everything = source.every_library_file() | matching(source, library)
    return Parts(text, matching(source, inputs), everything, command)
