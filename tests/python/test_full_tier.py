"""scripts/test_full, scripts/check_full_results and scripts/summarize_tests."""

import importlib.machinery
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import full_results  # noqa: E402  (found through the line above)


def load_script(name):
    loader = importlib.machinery.SourceFileLoader(f"script_{name}", str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


test_full = load_script("test_full")
check_full_results = load_script("check_full_results")
summarize_tests = load_script("summarize_tests")


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
           '[[piece]]\nname = "count"\ntimeout = 20\n'
           'command = "echo x >> ran; echo FIGURE peak force = 1.5e-1 N"\n')
    return tmp_path


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


def test_a_pass_outlives_commits_of_results_and_documents_but_not_of_code(checkout):
    run_all(checkout)
    commit(checkout, "docs/page.md", "text")
    run_all(checkout)
    assert times_run(checkout) == 1
    assert check_full_results.problems(checkout) == ([], [], 1)
    commit(checkout, "haptos/base/a.h", "code")
    assert check_full_results.problems(checkout) == ([], [], 1)  # one commit behind is fresh
    run_all(checkout)
    assert times_run(checkout) == 2


def test_a_result_too_many_commits_behind_is_stale(checkout, monkeypatch):
    monkeypatch.setattr(full_results, "MAX_COMMITS_BEHIND", 2)
    run_all(checkout)
    for i in range(2):
        commit(checkout, "haptos/a.h", str(i))
    assert check_full_results.problems(checkout)[0] == []
    commit(checkout, "haptos/a.h", "one too many")
    bad, _, _ = check_full_results.problems(checkout)
    assert len(bad) == 1 and "3 commits behind HEAD" in bad[0]


def test_a_result_from_another_branch_is_not_accepted(checkout):
    git(checkout, "checkout", "-q", "-b", "other")
    commit(checkout, "haptos/other.h", "code")
    run_all(checkout)
    results = full_results.read_results(checkout)
    git(checkout, "checkout", "-q", "-")
    full_results.write_results(results, checkout)
    bad, _, _ = check_full_results.problems(checkout)
    assert len(bad) == 1 and "is not an ancestor of HEAD" in bad[0]


def test_a_result_from_uncommitted_code_is_not_accepted(checkout):
    (checkout / "new.h").write_text("code")
    run_all(checkout)
    bad, _, _ = check_full_results.problems(checkout)
    assert len(bad) == 1 and "uncommitted changes" in bad[0]


def test_missing_results_fail_and_no_pieces_pass(checkout):
    bad, _, count = check_full_results.problems(checkout)
    assert (bad, count) == (["count: has no result"], 1)
    commit(checkout, "tests/full/pieces.toml", "# nothing yet\n")
    assert check_full_results.problems(checkout) == ([], [], 0)


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


def test_full_suites_are_found_in_the_sources(checkout):
    commit(checkout, "tests/laws/a.cpp",
           "TEST(FullMatrix, EveryLaw) {}\nTEST(Quick, NotThis) {}\nTEST_P(FullSweep, Each) {}\n")
    names = full_results.full_tests_in_sources(checkout)
    assert names == ["FullMatrix.EveryLaw", "FullSweep.Each"]
    full_results.write_results(
        {"pieces": {"ctest:All/FullSweep.Each/0": {"result": "passed", "commit": "none"}}}, checkout)
    bad, _, count = check_full_results.problems(checkout)
    assert count == 3  # the piece of the checkout, FullMatrix and one parameter of FullSweep
    assert "ctest:FullMatrix.EveryLaw: has no result" in bad


def test_a_piece_with_an_unknown_key_is_refused(checkout):
    commit(checkout, "tests/full/pieces.toml", '[[piece]]\nname = "a"\ncommand = "b"\ntimeot = 3\n')
    with pytest.raises(full_results.PiecesError) as caught:
        full_results.read_pieces(checkout)
    assert str(caught.value) == (
        "tests/full/pieces.toml: piece a: timeout is missing; timeot is not known.")


def test_results_are_replaced_in_one_move(checkout):
    full_results.write_results({"pieces": {}}, checkout)
    files = sorted(p.name for p in (checkout / "results").iterdir())
    assert files == ["full.json"]
    assert json.loads((checkout / "results/full.json").read_text()) == {"pieces": {}}


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
    assert lines[-1] == "2 passed, 3 failed, 2 skipped"
    assert "skipped: A.Skips: outside data not found: mesh.stl" in lines
    assert "skipped: tests.python.test_a::test_skips: needs a device" in lines
    assert "failed: A.Lost: Unable to find executable" in lines


def test_a_report_that_is_missing_counts_as_a_failure(tmp_path, capsys):
    (tmp_path / "p.xml").write_text(PYTEST_REPORT.replace("error", "skipped"))
    assert summarize_tests.main([str(tmp_path / "c.xml"), str(tmp_path / "p.xml")]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 1 failed, 2 skipped"
