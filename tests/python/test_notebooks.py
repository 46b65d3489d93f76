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


# For the fast tier: a coarser pad in larger steps.
COARSE = {"PadGrading(1e-3, 1.5e-3, 0.8e-3, 2.5e-3, growth=1.3)":
          "PadGrading(2e-3, 2e-3, 1.6e-3, 3e-3, growth=1.3)", "dt=0.05": "dt=0.1",
          "icosphere(4e-3, 0.4e-3)": "icosphere(4e-3, 0.8e-3)"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_plots_coarse(path, tmp_path):
    run_notebook(path, tmp_path, COARSE)


@pytest.mark.full
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs_and_plots(path, tmp_path):
    run_notebook(path, tmp_path, {})


def run_notebook(path, tmp_path, changes):
    nbclient = pytest.importorskip("nbclient", reason="needs the extra notebook")
    nbformat = pytest.importorskip("nbformat", reason="needs the extra notebook")
    pytest.importorskip("ipykernel", reason="needs the extra notebook")
    pytest.importorskip("matplotlib", reason="needs the extra notebook")
    notebook = nbformat.read(path, as_version=4)
    for old, new in changes.items():
        cells = [c for c in notebook.cells if old in c.source]
        assert len(cells) == 1, old
        cells[0].source = cells[0].source.replace(old, new)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    pictures = [o.data["image/png"] for o in outputs if "data" in o and "image/png" in o.data]
    assert len(pictures) >= 2 and all(len(p) > 10_000 for p in pictures)
    printed = "".join(o.text for o in outputs if o.output_type == "stream" and o.name == "stdout")
    balance = float(printed.split("balance")[1].split()[0])
    assert balance < 2e-3  # the solver leaves 1e-3 of the load, which is more than the net force
