"""What scripts/tidy takes for changed."""

import subprocess

from conftest import load_script


def test_of_a_file_that_moved_only_the_lines_with_other_text_have_changed(tmp_path):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words], cwd=tmp_path,
                       check=True, capture_output=True)

    git("init", "-q")
    lines = [f"int number_{k}();" for k in range(20)]
    (tmp_path / "old.cpp").write_text("\n".join(lines) + "\n")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("mv", "old.cpp", "new.cpp")
    lines[4] = "double other();"
    (tmp_path / "new.cpp").write_text("\n".join(lines) + "\n")
    (tmp_path / "fresh.h").write_text("int a;\nint b;\n")
    git("add", "-A")
    assert load_script("scripts/tidy").changed_lines("HEAD", tmp_path) == {"new.cpp": [[5, 5]], "fresh.h": [[1, 2]]}
