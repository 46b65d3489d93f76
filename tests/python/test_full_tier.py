"""scripts/test_full, check_full_results, content.py and summarize_tests."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, load_script

sys.path.insert(0, str(ROOT / "scripts"))

import content  # noqa: E402  (found through the line above)
import full_results  # noqa: E402

test_full = load_script("scripts/test_full")
check_full_results = load_script("scripts/check_full_results")
summarize_tests = load_script("scripts/summarize_tests")


def git(root, *arguments):
    subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@t.example", *arguments],
        check=True, capture_output=True)


def commit(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", name)


@pytest.fixture
def checkout(tmp_path):
    """A git checkout with one piece that appends to the file `ran` each time it runs."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("/ran\n/build/\n")
    commit(tmp_path, "tests/full/pieces.toml",
           '[[piece]]\nname = "count"\ntimeout = 20\ntests = ["tests/full/count.py"]\n'
           'command = "echo x >> ran; echo FIGURE peak force = 1.5e-1 N"\n')
    commit(tmp_path, "tests/full/count.py", "assert True\n")
    commit(tmp_path, "haptos/base/a.h", "// a comment\nint a = 1;\n")
    return tmp_path


def states(root):
    """{piece: state} of a checkout."""
    return {state.name: state for state in full_results.Judge(root).states()}


def kinds(root):
    return {name: state.kind for name, state in states(root).items()}


def faults(root):
    """Sentences of scripts/check_full_results about what is wrong."""
    judge = full_results.Judge(root)
    lines, _ = check_full_results.report(judge.states(), judge.history.now)
    return [line for line in lines if line.startswith("error")]


def run_all(root, **options):
    return test_full.run_all(full_results.read_pieces(root), root, **options)


def times_run(root):
    return len((root / "ran").read_text().split())


def test_a_pass_is_recorded_with_its_figures_and_not_run_again(checkout):
    assert run_all(checkout) == []
    entry = full_results.read_results(checkout)["pieces"]["count"]
    assert entry["result"] == "passed"
    assert entry["commit"] == full_results.head(checkout)
    assert entry["figures"] == {"peak force": {"value": 0.15, "unit": "N"}}
    assert run_all(checkout) == [] and times_run(checkout) == 1
    run_all(checkout, again=True)
    assert times_run(checkout) == 2


def test_a_pass_outlives_commits_that_change_no_code_and_no_longer(checkout):
    run_all(checkout)
    commit(checkout, "docs/page.md", "text")
    commit(checkout, "haptos/base/a.h", "/* another\n comment */ int a\n  = 1;  // and layout\n")
    assert kinds(checkout) == {"count": "fresh"}
    run_all(checkout)
    assert times_run(checkout) == 1
    commit(checkout, "haptos/base/a.h", "int a = 2;\n")
    state = states(checkout)["count"]
    assert state.kind == "stale" and state.rooms == ("haptos/base",) and state.age.commits == 2
    assert faults(checkout) == []  # for a while
    run_all(checkout)
    assert times_run(checkout) == 2 and kinds(checkout) == {"count": "fresh"}


def test_a_change_that_is_taken_back_leaves_the_result_fresh(checkout):
    run_all(checkout)
    old = (checkout / "haptos/base/a.h").read_text()
    commit(checkout, "haptos/base/a.h", "int a = 2;\n")
    assert kinds(checkout) == {"count": "stale"}
    commit(checkout, "haptos/base/a.h", old)
    assert kinds(checkout) == {"count": "fresh"}


def test_a_change_of_the_test_or_of_its_command_asks_for_a_new_run_at_once(checkout):
    run_all(checkout)
    commit(checkout, "tests/full/count.py", "# why\nassert True\n")
    assert kinds(checkout) == {"count": "fresh"}
    commit(checkout, "tests/full/count.py", "assert 1 < 2\n")
    assert faults(checkout) == ["error: results/full.json: count: changed: test"]
    run_all(checkout)
    assert faults(checkout) == []
    pieces = checkout / "tests/full/pieces.toml"
    commit(checkout, "tests/full/pieces.toml", pieces.read_text().replace("echo x", "echo y"))
    assert faults(checkout) == ["error: results/full.json: count: changed: inputs"]


def test_a_change_under_way_is_seen_before_it_is_committed(checkout):
    run_all(checkout)
    (checkout / "haptos/base/a.h").write_text("int a = 3;\n")
    assert kinds(checkout) == {"count": "stale"}
    run_all(checkout)  # what the result ran on is in its hashes, so test and result go into one commit
    assert kinds(checkout) == {"count": "fresh"}
    git(checkout, "checkout", "-q", "haptos/base/a.h")
    assert kinds(checkout) == {"count": "stale"}


def test_a_result_that_is_stale_for_too_many_days_fails(checkout, monkeypatch):
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-01-01T00:00:00Z")
    run_all(checkout)
    results = full_results.read_results(checkout)
    results["pieces"]["count"]["date"] = "2030-01-01T00:00:00Z"
    full_results.write_results(results, checkout)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-03-01T00:00:00Z")
    commit(checkout, "haptos/base/a.h", "int a = 2;\n")
    assert faults(checkout) == []  # old, and stale since today only
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-03-22T00:00:00Z")
    commit(checkout, "docs/page.md", "21 days later")
    assert faults(checkout) == []
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-03-22T12:00:01Z")
    commit(checkout, "docs/page.md", "and a half")
    assert faults(checkout) == ["error: results/full.json: count: stale for 22 days (at most 21)"]


def test_commits_that_a_merge_brings_in_are_counted_one_by_one(checkout, monkeypatch):
    monkeypatch.setattr(full_results, "MAX_STALE_COMMITS", 3)
    run_all(checkout)
    git(checkout, "checkout", "-q", "-b", "other")
    for i in range(4):
        commit(checkout, "haptos/base/a.h", f"int a = {i + 2};\n")
    git(checkout, "checkout", "-q", "-")
    commit(checkout, "docs/page.md", "text")
    git(checkout, "merge", "-q", "--no-ff", "-m", "one merge", "other")
    assert faults(checkout) == ["error: results/full.json: count: stale for 4 commits (at most 3)"]


def test_a_result_of_a_branch_that_was_left_is_judged_by_its_files(checkout):
    git(checkout, "checkout", "-q", "-b", "other")
    commit(checkout, "tests/full/other.py", "pass\n")
    run_all(checkout)
    results = full_results.read_results(checkout)
    git(checkout, "checkout", "-q", "-")
    full_results.write_results(results, checkout)
    assert kinds(checkout) == {"count": "fresh"}
    # Where the commit is unknown, as in a fresh clone, the result's date stands for it.
    results["pieces"]["count"] |= {"commit": "0" * 40, "date": "2020-01-01T00:00:00Z"}
    full_results.write_results(results, checkout)
    commit(checkout, "haptos/base/a.h", "int a = 2;\n")
    (sentence,) = faults(checkout)
    assert "count: stale for" in sentence and "days (at most 21)" in sentence


def test_a_result_without_hashes_gets_those_of_its_commit(checkout):
    run_all(checkout)
    results = full_results.read_results(checkout)
    had = results["pieces"]["count"].pop("content")
    full_results.write_results(results, checkout)
    assert kinds(checkout) == {"count": "changed"}
    commit(checkout, "haptos/base/a.h", "int a = 2;\n")
    pieces = full_results.read_pieces(checkout)
    assert full_results.complete(results, pieces, checkout) == []
    full_results.write_results(results, checkout)
    assert full_results.read_results(checkout)["pieces"]["count"]["content"] == had
    assert kinds(checkout) == {"count": "stale"}


def test_files_that_change_while_a_piece_runs_leave_no_result(checkout):
    piece = full_results.Piece("p", ["bash", "-c", "echo 'int a = 9;' > haptos/base/a.h"], 20)
    assert test_full.run_all([piece], checkout) == ["p"]
    assert full_results.read_results(checkout)["pieces"] == {}


def test_missing_results_fail_and_no_pieces_pass(checkout):
    assert faults(checkout) == ["error: results/full.json: count: has no result"]
    commit(checkout, "tests/full/pieces.toml", "# nothing yet\n")
    assert states(checkout) == {}


def test_a_piece_may_wait_for_its_first_run_with_a_reason_and_not_for_ever(checkout, monkeypatch):
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-01-02T00:00:00Z")
    commit(checkout, "tests/full/pending.txt", "# a list\ncou* (since 2030-01-01): takes a night\n")
    assert faults(checkout) == [] and kinds(checkout) == {"count": "pending"}
    run_all(checkout)
    assert kinds(checkout) == {"count": "fresh"}  # a result counts, pending or not
    commit(checkout, "tests/full/count.py", "assert 2 < 3\n")
    assert states(checkout)["count"].reason == "since 2030-01-01: takes a night (changed: test)"
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2030-02-01T00:00:00Z")
    commit(checkout, "docs/page.md", "a month later")
    assert faults(checkout) == ["error: results/full.json: count: pending: since 2030-01-01: takes a "
                                "night (31 days, at most 21) (changed: test)"]
    commit(checkout, "tests/full/pending.txt", "count: no date\n")
    with pytest.raises(full_results.PiecesError) as caught:
        full_results.Judge(checkout)
    assert str(caught.value) == ('tests/full/pending.txt: "count: no date" is not of the form '
                                 '"name (since 2026-01-31): reason".')


def test_what_has_no_valid_result_runs_first_and_then_the_oldest(checkout):
    ages = {name: full_results.Age(full_results.parse_date(f"2030-01-{day}T00:00:00Z"), 1, True)
            for name, day in (("young", "20"), ("old", "10"))}
    order = full_results.run_order(
        [full_results.State("done", "fresh"), full_results.State("young", "stale", age=ages["young"]),
         full_results.State("old", "stale", age=ages["old"]), full_results.State("new", "missing"),
         full_results.State("edited", "changed"), full_results.State("bad", "failed")])
    assert order == ["new", "bad", "edited", "old", "young", "done"]


def test_a_skip_needs_a_reason_that_is_known(checkout):
    commit(checkout, "tests/known_skips.toml", '[[skip]]\nkind = "outside data"\npattern = "^no mesh"\n')
    for reason, wrong in (("no mesh here", []), ("did not feel like it", [
            "error: results/full.json: count: skipped: did not feel like it "
            "(no reason that tests/known_skips.toml knows)"])):
        commit(checkout, "tests/full/pieces.toml", '[[piece]]\nname = "count"\ntimeout = 20\n'
               f'command = "echo {reason}; exit 77"\n')
        run_all(checkout, again=True)
        assert faults(checkout) == wrong and kinds(checkout) == {"count": "skipped"}


@pytest.mark.parametrize("bound, value, good", [
    ("at most 2", "1.5", True), ("at most 2", "2.5", False), ("at least -1e-3", "-2e-3", False),
    ("at least 1", "1", True), ("within 1 to 2", "1.5", True), ("within 1 to 2", "2.01", False),
    ("at most 2", "nan", False)])
def test_a_figure_beyond_its_bound_fails_the_piece(checkout, bound, value, good):
    line = f"FIGURE peak force = {value} N ({bound})"
    piece = full_results.Piece("p", ["bash", "-c", f"echo '{line}'"], 20)
    assert test_full.run_all([piece], checkout) == ([] if good else ["p"])
    entry = full_results.read_results(checkout)["pieces"]["p"]
    assert entry["figures"]["peak force"]["bound"] == bound
    assert entry["figures"]["peak force"]["unit"] == "N"
    assert good or f"is not {bound}" in entry["reason"]


def test_a_recorded_figure_beyond_its_bound_is_no_pass(checkout):
    run_all(checkout)
    results = full_results.read_results(checkout)
    results["pieces"]["count"]["figures"]["peak force"]["bound"] = "at most 0.1"
    full_results.write_results(results, checkout)
    assert faults(checkout) == ["error: results/full.json: count: peak force = 0.15 N is not at most 0.1"]


def test_figures_are_read_with_and_without_unit_and_bound():
    figures = full_results.figures_in([
        "FIGURE a = 1", "FIGURE b = 2 m/s", "FIGURE c.d = -3e-4 (at most 0)",
        "FIGURE e = 5 % of the weight (within 4 to 6)", "FIGURE f = 6 m (exact 7)"])
    assert figures == {
        "a": {"value": 1.0, "unit": ""}, "b": {"value": 2.0, "unit": "m/s"},
        "c.d": {"value": -3e-4, "unit": "", "bound": "at most 0"},
        "e": {"value": 5.0, "unit": "% of the weight", "bound": "within 4 to 6"},
        "f": {"value": 6.0, "unit": "m (exact 7)"}}


def test_a_bound_just_above_what_was_measured_is_named():
    figures = {"close": {"value": 0.99, "unit": "", "bound": "at most 1"},
               "fair": {"value": 0.5, "unit": "", "bound": "at most 1"},
               "low": {"value": 1.01, "unit": "", "bound": "within 1 to 3"},
               "none": {"value": 1.0, "unit": ""}}
    assert full_results.tight_bounds(figures) == ["close = 0.99 (at most 1)", "low = 1.01 (within 1 to 3)"]


def test_the_log_of_a_piece_is_kept_whole_with_its_end_and_hash_in_the_result(checkout):
    piece = full_results.Piece("a:p/1", ["bash", "-c", "seq 1 500"], 20)
    test_full.run_all([piece], checkout)
    log = full_results.read_results(checkout)["pieces"]["a:p/1"]["log"]
    text = gzip.decompress((checkout / log["file"]).read_bytes())
    assert text.split() == [str(i).encode() for i in range(1, 501)]
    assert log["sha256"] == hashlib.sha256(text).hexdigest() and log["tail"] == ["498", "499", "500"]


GTEST_SKIP = "printf 'a.cpp:3: Skipped\\nno device\\n[  SKIPPED ] A.B (0 ms)\\n'"


@pytest.mark.parametrize(
    "command, is_gtest, timeout, result, reason",
    [
        ("exit 3", False, 20, "failed", "exit code 3"),
        ("sleep 60 & sleep 60", False, 0.3, "timed out", "ran past 0.3 s"),
        (GTEST_SKIP, True, 20, "skipped", "no device"),
        (GTEST_SKIP + "; exit 1", False, 20, "failed", "exit code 1"),
        ("echo 'no peer installed'; exit 77", False, 20, "skipped", "no peer installed"),
    ],
)
def test_what_is_not_a_pass_is_recorded_with_its_reason(
        checkout, command, is_gtest, timeout, result, reason):
    piece = full_results.Piece("p", ["bash", "-c", command], timeout, is_gtest=is_gtest)
    failed = test_full.run_all([piece], checkout)
    entry = full_results.read_results(checkout)["pieces"]["p"]
    assert entry["result"] == result and reason in entry["reason"]
    assert failed == ([] if result == "skipped" else ["p"])
    assert entry["seconds"] < 10


def test_a_skip_does_not_take_away_an_earlier_pass(checkout):
    test_full.run_all([full_results.Piece("p", ["true"], 20)], checkout)
    skip = full_results.Piece("p", ["bash", "-c", "exit 77"], 20)
    test_full.run_all([skip], checkout, again=True)
    assert full_results.read_results(checkout)["pieces"]["p"]["result"] == "passed"


TESTS = '''
#include "tests/laws/own.h"
#include "tests/shared.h"
#include "haptos/base/a.h"
// TEST(FullNone, InAComment) {}
constexpr double kBound = 1e-3;
TEST(FullMatrix, EveryLaw) { EXPECT_LT(f("}"), kBound); }
TEST(Quick, NotThis) { EXPECT_EQ(1, 1); }
TEST_P(FullSweep, Each) { EXPECT_TRUE(GetParam()); }
'''


@pytest.fixture
def suites(checkout):
    """A checkout with Full... suites, their headers and a library of two rooms."""
    commit(checkout, "tests/full/pieces.toml", "# none\n")
    commit(checkout, "haptos/geometry/b.h", "int b();\n")
    commit(checkout, "haptos/geometry/b.cpp", '#include "haptos/geometry/b.h"\nint b() { return 1; }\n')
    commit(checkout, "haptos/sim/c.h", "int c();\n")
    commit(checkout, "haptos/base/a.h", '#include "haptos/geometry/b.h"\n')
    commit(checkout, "tests/laws/own.h", "int own();\n")
    commit(checkout, "tests/shared.h", "int shared();\n")
    commit(checkout, "tests/laws/b.cpp", '#include "tests/shared.h"\n')
    commit(checkout, "tests/laws/a.cpp", TESTS)
    commit(checkout, "tests/full/parameters.txt", "# list\nAll/FullSweep.Each/0\nAll/FullSweep.Each/1\n")
    source = content.Source(content.WorkTree(checkout))
    results = {"pieces": {}, "libraries": {}}
    for piece in full_results.wanted_pieces(source, checkout):
        entry = {"result": "passed", "commit": full_results.head(checkout),
                 "date": "2030-01-01T00:00:00Z", "figures": {}}
        parts = full_results.parts_of(piece, source)
        full_results.put_content(results, entry, parts.hashes(source), {})
        results["pieces"][piece.name] = entry
    full_results.write_results(results, checkout)
    return checkout


MATRIX, SWEEP = "ctest:FullMatrix.EveryLaw", "ctest:All/FullSweep.Each/"


def test_full_suites_are_found_in_the_sources_and_their_parameters_in_the_list(suites):
    assert kinds(suites) == {MATRIX: "fresh", SWEEP + "0": "fresh", SWEEP + "1": "fresh"}
    assert len(full_results.read_results(suites)["libraries"]) == 1  # they share what they ran on
    with open(suites / "tests/full/parameters.txt", "a") as file:
        file.write("All/FullSweep.Each/2\n")
    assert faults(suites) == [f"error: results/full.json: {SWEEP}2: has no result"]
    (suites / "tests/full/parameters.txt").unlink()
    assert faults(suites) == ["error: results/full.json: ctest:FullSweep.Each: has no result"]


@pytest.mark.parametrize("file, old, new, expected", [
    ("tests/laws/a.cpp", "EXPECT_EQ(1, 1)", "EXPECT_EQ(2, 2)", "fresh fresh"),  # another test
    ("tests/laws/a.cpp", 'f("}")', 'f("{")', "changed fresh"),  # this test, and not the other
    ("tests/laws/a.cpp", "1e-3", "1e-2", "changed changed"),  # a constant of the file
    ("tests/laws/a.cpp", "// TEST", "// a test", "fresh fresh"),
    ("tests/laws/own.h", "own", "mine", "changed changed"),  # a header of this file alone
    ("tests/shared.h", "shared", "common", "stale stale"),  # a header of several files
    ("haptos/geometry/b.cpp", "1", "2", "stale stale"),  # reached through a.h and b.h
    ("haptos/sim/c.h", "int", "long", "fresh fresh"),  # not reached
])
def test_a_gtest_result_follows_its_own_test_and_what_it_includes(suites, file, old, new, expected):
    text = (suites / file).read_text()
    assert old in text
    (suites / file).write_text(text.replace(old, new))
    found = kinds(suites)
    assert f"{found[MATRIX]} {found[SWEEP + '0']}" == expected


def test_a_header_that_moves_changes_no_test(suites):
    (suites / "haptos/base/text").mkdir()
    (suites / "haptos/base/a.h").rename(suites / "haptos/base/text/a.h")
    test = suites / "tests/laws/a.cpp"
    test.write_text(test.read_text().replace("haptos/base/a.h", "haptos/base/text/a.h"))
    assert set(kinds(suites).values()) == {"stale"}  # what it runs on may be another library


def test_python_tests_marked_full_are_pieces_of_their_own(checkout):
    commit(checkout, "tests/full/pieces.toml", "# none\n")
    commit(checkout, "scenes/a.yaml", "dt: 1 ms\n")
    text = ('"""Doc."""\nimport pytest\nLIMIT = 3\n\n@pytest.mark.full\ndef test_long():\n    """Why."""\n'
            '    assert read("scenes/a.yaml") < LIMIT  # note\n\ndef test_short():\n    assert LIMIT\n')
    commit(checkout, "tests/python/test_a.py", text)
    source = content.Source(content.WorkTree(checkout))
    (piece,) = full_results.python_pieces(source)
    assert piece.name == "python:test_a::test_long"
    assert piece.command[-1] == "tests/python/test_a.py::test_long"
    assert full_results.parts_of(piece, source).inputs == {"scenes/a.yaml"}

    def hashes():
        now = content.Source(content.WorkTree(checkout))
        return full_results.parts_of(piece, now).hashes(now)

    was = hashes()
    commit(checkout, "tests/python/test_a.py", text.replace("assert LIMIT", "assert True").replace(
        "Why.", "Because.").replace("# note", "# another"))
    assert hashes() == was
    commit(checkout, "tests/python/test_a.py", text.replace("= 3", "= 4"))
    assert hashes()["test"] != was["test"]
    commit(checkout, "scenes/a.yaml", "# a comment\ndt: 1 ms\n")
    assert hashes()["inputs"] == was["inputs"]
    commit(checkout, "scenes/a.yaml", "dt: 2 ms\n")
    assert hashes()["inputs"] != was["inputs"]


@pytest.mark.parametrize(("text", "files"), [
    ('load(ROOT / "scenes" / "a.yaml")', {"scenes/a.yaml"}),
    ('load("scenes/sub/b.yaml")', {"scenes/sub/b.yaml"}),
    ('for f in (ROOT / "scenes").glob("*"):', {"scenes/a.yaml", "scenes/sub/b.yaml"}),
    ('load(name)', set()), ('"docs"', set())])
def test_what_a_test_reads_is_what_its_literals_name(checkout, text, files):
    commit(checkout, "scenes/a.yaml", "dt: 1 ms\n")
    commit(checkout, "scenes/sub/b.yaml", "dt: 1 ms\n")
    assert content.Source(content.WorkTree(checkout)).read_by(text) == files


def test_parts_outside_the_checkout_are_compared_where_they_are(checkout, monkeypatch):
    monkeypatch.setenv("HAPTOS_OUTSIDE_DATA", str(checkout / "outside"))
    commit(checkout, "outside/ball.stl", "a ball")
    parts = content.Parts("", [], [], outside=["ball.stl", "gone.stl"])
    had = full_results.outside_hashes(parts, checkout)
    assert list(had) == ["ball.stl"]
    entry = {"content": {"test": "t", "inputs": "i", "library": "k", "outside": had}}
    hashes = {"test": "t", "inputs": "i", "library": {}}
    assert full_results.differences(entry, {"k": {}}, hashes, had) == ([], [])
    assert full_results.differences(entry, {"k": {}}, hashes, {}) == ([], [])
    assert full_results.differences(entry, {"k": {}}, hashes, {"ball.stl": "x"}) == (["ball.stl"], [])


def test_the_list_of_parameters_and_the_sources_agree_with_the_test_executables():
    """The executables are asked, so a parameter that was added cannot be overlooked."""
    listed = test_full.listed_tests(ROOT)
    if not listed:
        pytest.skip("no test executables in build/: scripts/build makes them")
    source = content.Source(content.WorkTree(ROOT))
    of_executables = {n for n in listed if full_results.gtest_of(n) in source.tests}
    assert of_executables == set(listed), "tests that scripts/content.py does not find in the sources"
    built = {n for n in full_results.gtest_names(source) if executable_of(n, source).exists()}
    assert built == set(listed), "run scripts/test_full --parameters and commit tests/full/parameters.txt"


@pytest.mark.parametrize("listed, name", [
    ("All/FullA.B/cone_0  # GetParam() = (\"cone\", 0)", "All/FullA.B/cone_0"),
    ("All/FullA.B/1  # GetParam() = (0.3, true)", "All/FullA.B/(0.3, true)"),
    ("FullA.B", "FullA.B"), ("All/FullA.B/(0.3, true)", "All/FullA.B/(0.3, true)")])
def test_a_bare_index_of_a_parameter_becomes_its_value(listed, name):
    assert full_results.plain_name(listed) == name
    assert full_results.gtest_of(name) == "FullA.B"


def executable_of(name, source):
    file = source.tests[full_results.gtest_of(name)]
    return ROOT / "build/tests" / f"test_{file.split('/')[1]}"


def symbols(objects):
    """{object: (symbols it asks for, symbols it defines)}; weak ones, which many define, left out."""
    done = subprocess.run(["nm", "-o", *objects], capture_output=True, text=True, check=True)
    found = {str(o): (set(), set()) for o in objects}
    for line in done.stdout.splitlines():
        file, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        if kind == "U":
            found[file][0].add(name)
        elif kind in "TDBR":
            found[file][1].add(name)
    return found


def test_what_the_linker_takes_for_a_test_is_among_what_its_result_depends_on():
    """Otherwise a file could change under a result that is called fresh."""
    objects = {p: p.relative_to(ROOT / "build/CMakeFiles/haptos.dir").as_posix()[:-2]
               for p in (ROOT / "build/CMakeFiles/haptos.dir").rglob("haptos/**/*.cpp.o")}
    source = content.Source(content.WorkTree(ROOT))
    of_tests = {file: ROOT / f"build/tests/CMakeFiles/test_{file.split('/')[1]}.dir/{file[6:]}.o"
                for test, file in source.tests.items() if test.startswith("Full")}
    of_tests = {file: path for file, path in of_tests.items() if path.exists()}
    if not objects or not of_tests or not shutil.which("nm"):
        pytest.skip("no test executables in build/: scripts/build makes them")
    file_of = {str(p): name for p, name in objects.items() if name in source.names}
    file_of |= {str(path): file for file, path in of_tests.items()}
    asks = symbols(list(file_of))
    owner = {name: file_of[o] for o, (_, defined) in asks.items() for name in defined}
    needs = {file_of[o]: {owner[n] for n in wanted if n in owner} for o, (wanted, _) in asks.items()}
    for file in of_tests:
        linked, todo = set(), [file]
        while todo:
            name = todo.pop()
            if name not in linked:
                linked.add(name)
                todo += needs[name]
        assert len(linked) > 1 and linked - source.reached(file) == set(), file


def test_what_pytest_collects_as_full_are_the_pieces():
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", "full",
                           "tests/python"], cwd=ROOT, capture_output=True, text=True, check=False)
    found = set()
    for line in done.stdout.splitlines():
        match = re.match(r"tests/python/(\w+)\.py::(\w+)", line)
        if match and match.group(1) not in full_results.PYTHON_PIECES_OF_THEIR_OWN:
            found.add(f"python:{match.group(1)}::{match.group(2)}")
    pieces = full_results.python_pieces(content.Source(content.WorkTree(ROOT)))
    # A module whose packages are missing cannot be collected; the pieces are read from the text.
    assert found and found <= {piece.name for piece in pieces}


def test_a_piece_with_an_unknown_key_is_refused(checkout):
    commit(checkout, "tests/full/pieces.toml", '[[piece]]\nname = "a"\ncommand = "b"\ntimeot = 3\n')
    with pytest.raises(full_results.PiecesError) as caught:
        full_results.read_pieces(checkout)
    assert str(caught.value) == (
        "tests/full/pieces.toml: piece a: timeout is missing; timeot is not known.")


def test_results_are_replaced_in_one_move(checkout):
    results = {"pieces": {}, "libraries": {"unused": {}}}
    full_results.write_results(results, checkout)
    files = sorted(p.name for p in (checkout / "results").iterdir())
    assert files == ["full.json"]
    assert json.loads((checkout / "results/full.json").read_text()) == {
        "libraries": {}, "pieces": {}}


CTEST_REPORT = """<testsuite>
<testcase name="A.Good" classname="A.Good" status="run"/>
<testcase name="A.Bad" classname="A.Bad" status="fail"><failure message="Failed"/></testcase>
<testcase name="A.Lost" classname="A.Lost" status="notrun">
 <skipped message="Unable to find executable"/></testcase>
<testcase name="A.Skips" classname="A.Skips" status="notrun">
 <skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
 <system-out>[ RUN      ] A.Skips
/x/a.cpp:12: Skipped
outside data not found: mesh.stl

[  SKIPPED ] A.Skips (0 ms)
</system-out></testcase>
</testsuite>"""
PYTEST_REPORT = """<testsuites><testsuite>
<testcase classname="tests.python.test_a" name="test_good"/>
<testcase classname="tests.python.test_a" name="test_skips">
 <skipped type="pytest.skip" message="needs a device"/></testcase>
<testcase classname="tests.python.test_a" name="test_breaks"><error message="fixture"/></testcase>
</testsuite></testsuites>"""


def test_the_summary_adds_up_both_reports_and_gives_reasons(tmp_path, capsys):
    (tmp_path / "c.xml").write_text(CTEST_REPORT)
    (tmp_path / "p.xml").write_text(PYTEST_REPORT)
    assert summarize_tests.main([str(tmp_path / "c.xml"), str(tmp_path / "p.xml")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 passed, 4 failed, 1 skipped"
    assert "gates taken away by outside data: 1" in lines
    assert "skipped: A.Skips: outside data not found: mesh.stl" in lines
    assert ("failed: tests.python.test_a::test_skips: skipped for a reason that tests/known_skips.toml does "
            "not know: needs a device") in lines
    assert "failed: A.Lost: Unable to find executable" in lines


def test_a_report_that_is_missing_counts_as_a_failure(tmp_path, capsys):
    (tmp_path / "p.xml").write_text(PYTEST_REPORT.replace("error", "skipped"))
    assert summarize_tests.main([str(tmp_path / "c.xml"), str(tmp_path / "p.xml")]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 3 failed, 0 skipped"


def test_fewer_tests_than_the_floor_of_a_suite_fail(tmp_path, capsys):
    (tmp_path / "c.xml").write_text("<t>" + CTEST_REPORT[11:CTEST_REPORT.index("<testcase name=\"A.Bad")]
                                    + "</t>")
    (tmp_path / "floors.toml").write_text("[floors]\nunit = 1\n")
    (tmp_path / "suites.json").write_text(json.dumps({"tests": [
        {"name": "A.Good", "properties": [{"name": "TIMEOUT", "value": 300}, {"name": "LABELS", "value": ["unit"]}]},
        {"name": "A.Bare"}]}))
    arguments = ["--floors", str(tmp_path / "floors.toml"), "--suites", str(tmp_path / "suites.json"),
                 str(tmp_path / "c.xml")]
    assert summarize_tests.main(arguments) == 0
    (tmp_path / "floors.toml").write_text("[floors]\nunit = 2\nlaws = 1\n")
    assert summarize_tests.main(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "failed: floor of laws: 0 tests passed or were skipped with reason, at least 1 must" in lines
    assert "failed: floor of unit: 1 tests passed or were skipped with reason, at least 2 must" in lines
    assert lines[-1] == "1 passed, 2 failed, 0 skipped"
