"""Notebooks run as they stand and are kept without outputs."""

import json

import pytest
from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_kept_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [c for c in cells if c["cell_type"] == "code"]
    assert len(code) >= 3 and any(c["cell_type"] == "markdown" for c in cells)
    assert all(c["outputs"] == [] and c["execution_count"] is None for c in code)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_plots(path, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="needs the extra notebook")
    nbformat = pytest.importorskip("nbformat", reason="needs the extra notebook")
    pytest.importorskip("ipykernel", reason="needs the extra notebook")
    pytest.importorskip("matplotlib", reason="needs the extra notebook")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    pictures = [o.data["image/png"] for o in outputs if "data" in o and "image/png" in o.data]
    assert len(pictures) >= 2 and all(len(p) > 10_000 for p in pictures)
    printed = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stdout")
    balance = float(printed.split("balance")[1].split()[0])
    assert balance < 1e-3
