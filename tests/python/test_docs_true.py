"""What README and docs name is there: Python names, commands with their options, tests; and their
Python snippets compile. Paths and links are the matter of scripts/check_links."""

import ast
import fnmatch
import functools
import importlib
import re
from pathlib import Path

import pytest
import typer

import haptos

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"(?<![\w./-])haptos((?:\.[A-Za-z_]\w*)+)")
TEST_FILE = re.compile(r"tests/(?:python|full)/\w+\.py")
GTEST = re.compile(r"(?<![\w./:*])((?:\w+/)?[A-Z]\w*)\.([A-Z*][\w*]*)(?![\w./])")
# Python words after haptos. that are no names of the package: files and web addresses.
FILES = {".yaml", ".yml", ".h5", ".py", ".org", ".readthedocs"}


def spans(text):
    """Code spans outside fenced blocks."""
    return SPAN.findall(FENCE.sub("", text))


def blocks(text, *languages):
    return [body for language, body in FENCE.findall(text) if language in languages]


def is_there(dotted):
    """Whether haptos.a.b is an attribute, or a module, of the package."""
    found = haptos
    name = "haptos"
    for part in dotted.strip(".").split("."):
        name += "." + part
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(name)
            except ImportError:
                return name
    return None


@functools.cache
def gtests():
    """{"Suite": {"Test", ...}} of the C++ tests."""
    found = {}
    pattern = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+)\s*,\s*(\w+)\s*\)")
    instance = re.compile(r"\bINSTANTIATE_(?:TYPED_)?TEST_SUITE_P\(\s*(\w+)\s*,\s*(\w+)")
    for path in (ROOT / "tests").rglob("*.cpp"):
        source = path.read_text(encoding="utf-8")
        own = {}
        for suite, test in pattern.findall(source):
            own.setdefault(suite, set()).add(test)
        # A parameterized suite has its instances' names before its own.
        for name, suite in instance.findall(source):
            own[f"{name}/{suite}"] = {test + end for test in own.get(suite, ()) for end in ("", "/0")}
        for suite, tests in own.items():
            found.setdefault(suite, set()).update(tests)
    return found


def page_name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_python_names_of_a_page_exist(page):
    text = page.read_text(encoding="utf-8")
    missing = set()
    for piece in [*spans(text), *blocks(text, "python", "py")]:
        for dotted in NAME.findall(piece):
            if "." + dotted.split(".")[1] not in FILES and (name := is_there(dotted)):
                missing.add(name)
    assert not missing, f"{page_name(page)} names what is not there: {sorted(missing)}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_snippets_of_a_page_compile(page):
    for body in blocks(page.read_text(encoding="utf-8"), "python", "py"):
        try:
            ast.parse(body)
        except SyntaxError as error:
            pytest.fail(f"{page_name(page)}: {error}: {body[:200]}")


@functools.cache
def commands():
    """{command: its options} of the command haptos."""
    from haptos.cli.main import app

    group = typer.main.get_command(app)
    return {name: {o for p in command.params for o in [*p.opts, *p.secondary_opts] if o.startswith("-")}
            | {"--help"} for name, command in group.commands.items()}


def told_commands(text):
    """Lines that start with haptos, of spans and of blocks; a backslash at the end goes on."""
    lines = spans(text)
    for body in blocks(text, "", "sh", "bash", "console", "text"):
        lines += body.replace("\\\n", " ").splitlines()
    for line in lines:
        line = re.sub(r"^\$ ", "", line.strip())
        if match := re.match(r"(?:\.venv/bin/)?haptos ([a-z]\w*)(?=\s|$)(.*)", line):
            yield match.group(1), match.group(2).split(" #")[0]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_of_a_page_exist_with_their_options(page):
    wrong = []
    for command, rest in told_commands(page.read_text(encoding="utf-8")):
        if command not in commands():
            wrong.append(f"haptos {command}")
            continue
        rest = re.split(r"\s(?:&&|\||;|>)\s", rest)[0]
        wrong += [f"haptos {command} {option}" for option in re.findall(r"(?<![\w-])(--[a-z][\w-]*)", rest)
                  if option not in commands()[command]]
    assert not wrong, f"{page_name(page)}: {wrong}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_tests_that_a_page_names_exist(page):
    text = page.read_text(encoding="utf-8")
    missing = {name for name in TEST_FILE.findall(text) if not (ROOT / name).is_file()}
    for span in [*spans(text), *blocks(text, "", "sh", "bash")]:
        if "pytest" in span:
            for file, chosen in re.findall(r"(tests/python/\w+\.py)[^`|&]*? -k (\"[^\"]+\"|'[^']+'|\w+)", span):
                source = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
                names = " ".join(re.findall(r"def (test_\w+)", source))
                for word in re.findall(r"\w+", chosen):
                    if word not in ("and", "or", "not") and word not in names:
                        missing.add(f"{file} -k {word}")
        elif re.search(r"gtest_filter|ctest", span) or GTEST.fullmatch(span):
            for suite, test in GTEST.findall(span):
                if not fnmatch.filter(gtests().get(suite, ()), test):
                    missing.add(f"{suite}.{test}")
    assert not missing, f"{page_name(page)}: {sorted(missing)}"


def test_the_checks_find_what_is_wrong(tmp_path):
    text = "`haptos.Scene` `haptos.Scen` `haptos pres --depth 1mm` `haptos press --deep 1mm`\n"
    assert [is_there(d) for piece in spans(text) for d in NAME.findall(piece)] == [None, "haptos.Scen"]
    told = list(told_commands(text))
    assert [t[0] for t in told] == ["pres", "press"]
    assert "pres" not in commands() and "--deep" not in commands()["press"]
    assert "--depth" in commands()["press"]
