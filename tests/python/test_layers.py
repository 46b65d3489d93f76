"""scripts/layers: which way includes point, and who may mention threads."""

import pytest

from conftest import load_script

layers = load_script("scripts/layers")


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def errors_of(root, name, text):
    """The errors about one file in a tree that holds a header in every folder."""
    for folder in layers.RANK:
        write(root, f"haptos/{folder}/a.h", "#pragma once\n")
    write(root, name, text)
    errors, _, _ = layers.check_tree(root)
    return errors


@pytest.mark.parametrize(
    "folder, other, allowed",
    [
        ("sim", "contact", True),
        ("contact", "geometry", True),
        ("contact", "contact", True),
        ("solve", "system", True),
        ("sim", "sensors", True),
        ("files", "sim", True),
        ("sensors", "contact", True),
        ("sensors", "sim", False),
        ("geometry", "scene", False),
        ("scene", "files", False),
        ("system", "contact", False),
        ("contact", "bodies", False),
        ("bodies", "contact", False),
        ("sensors", "render", False),
        ("solve", "contact", False),
        ("solve", "bodies", False),
        ("solve", "scene", False),
    ],
)
def test_an_include_points_down_or_stays_in_its_folder(tmp_path, folder, other, allowed):
    errors = errors_of(tmp_path, f"haptos/{folder}/b.cpp", f'\n#include "haptos/{other}/a.h"\n')
    assert len(errors) == (0 if allowed else 1)
    if not allowed:
        assert errors[0].startswith(f"haptos/{folder}/b.cpp:2: ")
        assert f"{other}/" in errors[0]


@pytest.mark.parametrize(
    "line, words",
    [
        ('#include "a.h"', 'must be written as "haptos/..."'),
        ('#include "../base/a.h"', 'must be written as "haptos/..."'),
        ("#include <haptos/base/a.h>", "in quotes"),
        ('#include "haptos/base/missing.h"', "does not exist"),
        ('#include "haptos/nowhere/a.h"', "is in no layer"),
        ("#include <thread>", "only base/parallel.*"),
        ("#include <tbb/parallel_for.h>", "only base/parallel.*"),
        ("std::thread t;", "mentions std::thread"),
        ("tbb::parallel_for(0, n, f);", "mentions tbb::"),
        ("#pragma omp parallel for", "mentions #pragma omp"),
        ("kernel<<<1, 32>>>(x);", "mentions <<<"),
        ("int a;  // see base/gone.h", "names base/gone.h, which does not exist"),
        ("// see haptos/base/gone.cpp", "names haptos/base/gone.cpp"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named_with_its_number(tmp_path, line, words):
    errors = errors_of(tmp_path, "haptos/geometry/b.cpp", f"// first line\n\n{line}\n")
    assert len(errors) == 1
    assert errors[0].startswith("haptos/geometry/b.cpp:3: ") and words in errors[0]


@pytest.mark.parametrize(
    "text",
    [
        "// std::thread and tbb:: in a comment\n",
        "// base/a.h and haptos/base/a.h are there, a.h is no path\n",
        "/* #include <thread>\n   kernel<<<1, 2>>> */\n",
        'const char* s = "std::thread // tbb::x";\n',
        "std::vector<std::vector<std::vector<int>>> nested;\n",
        "int n = 1'000'000; std::vector<int> v;\n",
        '#include "haptos/version.h"\n#include <vector>\n',
    ],
)
def test_comments_strings_and_templates_break_no_rule(tmp_path, text):
    assert errors_of(tmp_path, "haptos/geometry/b.cpp", text) == []


def test_only_the_parallel_files_of_base_may_mention_threads(tmp_path):
    text = "#include <tbb/parallel_for.h>\nstd::thread t;\n"
    assert errors_of(tmp_path, "haptos/base/parallel.cpp", text) == []
    assert len(errors_of(tmp_path, "haptos/scene/parallel.cpp", text)) == 2


def test_a_file_has_at_most_400_lines_and_a_folder_16_files(tmp_path):
    write(tmp_path, "haptos/base/long.h", "\n" * 401)
    errors, warnings, count = layers.check_tree(tmp_path)
    assert (len(errors), len(warnings), count) == (1, 0, 1)
    assert errors[0].startswith("haptos/base/long.h:1: has 401 lines")
    for k in range(17):
        write(tmp_path, f"haptos/geometry/mesh/{k}.h", "#pragma once\n")
    errors, _, _ = layers.check_tree(tmp_path)
    assert errors[1].startswith("haptos/geometry/mesh/:1: holds 17 files")


def test_folders_of_a_layer_do_not_include_each_other_in_a_circle(tmp_path):
    write(tmp_path, "haptos/geometry/mesh/a.h", '#include "haptos/geometry/query/b.h"\n')
    write(tmp_path, "haptos/geometry/query/b.h", "#pragma once\n")
    assert layers.check_tree(tmp_path)[0] == []
    write(tmp_path, "haptos/geometry/query/c.h", '#include "haptos/geometry/mesh/a.h"\n')
    errors, _, _ = layers.check_tree(tmp_path)
    assert len(errors) == 1 and "in a circle" in errors[0]
    assert "haptos/geometry/query/c.h -> haptos/geometry/mesh/a.h" in errors[0]


def test_modules_import_each_other_in_no_circle(tmp_path):
    write(tmp_path, "python/haptos/__init__.py", "from haptos.a import f\n")
    write(tmp_path, "python/haptos/a.py", "from haptos import b\n")
    write(tmp_path, "python/haptos/b.py", "def g():\n    from haptos.a import f\n")
    assert layers.check_python(tmp_path) == ([], [], 3)
    write(tmp_path, "python/haptos/b.py", "import haptos.a\n" + "\n" * 400)
    errors, warnings, _ = layers.check_python(tmp_path)
    assert errors == ["python/haptos/a.py:1: modules import each other in a circle: "
                      "haptos.a -> haptos.b -> haptos.a"]
    assert len(warnings) == 1 and warnings[0].startswith("python/haptos/b.py:1: has 401 lines")


def test_rooms_of_python_import_downwards_and_hold_at_most_16_modules(tmp_path):
    write(tmp_path, "python/haptos/look/a.py", "from haptos.scene import b\n")
    write(tmp_path, "python/haptos/scene/b.py", "def g():\n    from haptos.look import a\n")
    assert layers.check_python(tmp_path)[0] == []
    write(tmp_path, "python/haptos/scene/c.py", "from haptos.look.a import f\n")
    write(tmp_path, "python/haptos/attic/d.py", "")
    assert layers.check_python(tmp_path)[0] == [
        "python/haptos/attic/d.py:1: attic is no room of ROOMS in scripts/layers",
        "python/haptos/scene/c.py:1: scene may not import from look: haptos.look.a"]
    for k in range(16):
        write(tmp_path, f"python/haptos/look/more{k}.py", "")
    assert "python/haptos/look:1: holds 17 modules; a room holds at most 16" in layers.check_python(tmp_path)[0]


def test_the_script_exits_with_one_only_when_a_rule_is_broken(tmp_path, capsys):
    write(tmp_path, "haptos/base/a.h", "#pragma once\n")
    assert layers.main(["--root", str(tmp_path)]) == 0
    write(tmp_path, "haptos/base/b.h", '#include "haptos/sim/x.h"\n')
    assert layers.main(["--root", str(tmp_path)]) == 1
    assert "haptos/base/b.h:1: base/ includes sim/, a higher layer" in capsys.readouterr().out
