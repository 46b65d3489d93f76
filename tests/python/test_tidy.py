"""What scripts/tidy takes for changed."""

import importlib.machinery
import importlib.util
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load_tidy():
    loader = importlib.machinery.SourceFileLoader("tidy_script", str(ROOT / "scripts/tidy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


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
    assert load_tidy().changed_lines("HEAD", tmp_path) == {"new.cpp": [[5, 5]], "fresh.h": [[1, 2]]}
