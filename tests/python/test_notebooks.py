"""The notebooks of examples/ run from top to bottom without an error, and are kept without outputs.

    /usr/bin/python3 tests/python/test_notebooks.py examples/notebooks/dome.ipynb     # clears outputs, sorts keys

What a notebook claims it asserts itself, in cells that a reader sees.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat", reason="Debian: python3-nbformat")

SOURCE = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(SOURCE.glob("examples/notebooks/*.ipynb"))
NAMES = ("dome", "first-steps", "identification", "rolling")
PAGES = {"dome": 1, "first-steps": 2, "rolling": 1}  # report pages that a notebook shows
KEPT = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def name_of(file: Path) -> str:
    return file.stem


class CellError(AssertionError):
    """A cell that raised: its text and what it raised."""


def tidy_text(file: Path) -> str:
    """The notebook without outputs, counts and what editors leave; keys sorted, ids by name and position."""
    book = nbformat.read(file, as_version=4)
    book.metadata = nbformat.from_dict(KEPT)
    for number, cell in enumerate(book.cells, start=1):
        cell.id = f"{file.stem}-{number:02d}"
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.validate(book)
    return str(nbformat.writes(book)) + "\n"


def execute(book: Any, folder: Path) -> None:
    """Run every cell by this Python, whatever kernels are installed. Raises CellError where a cell does."""
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient.client import NotebookClient
    from nbclient.exceptions import CellExecutionError

    class ThisPython(KernelSpecManager):  # type: ignore[misc]
        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            return KernelSpec(argv=argv, display_name=kernel_name, language="python")

    manager = AsyncKernelManager(kernel_name="this", kernel_spec_manager=ThisPython())
    try:
        NotebookClient(book, km=manager, timeout=300).execute(cwd=str(folder))
    except CellExecutionError as error:
        raise CellError(re.sub(r"\x1b\[[\d;]*m", "", str(error))) from None


def outputs_of(book: Any) -> list[Any]:
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.fixture
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No settings of whoever runs the tests, and nothing left behind."""
    pytest.importorskip("nbclient", reason="Debian: python3-nbclient")
    pytest.importorskip("ipykernel", reason="Debian: python3-ipykernel")
    for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    work = tmp_path / "work"
    work.mkdir()
    return work


def test_notebooks_are_found() -> None:
    assert [file.stem for file in NOTEBOOKS] == sorted(NAMES)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=name_of)
def test_notebook_runs(file: Path, quiet: Path) -> None:
    book = nbformat.read(file, as_version=4)
    failure = ""
    try:
        execute(book, quiet)
    except CellError as error:
        failure = f"{file}: {error}"
    if failure:
        pytest.fail(failure, pytrace=False)
    outputs = outputs_of(book)
    said = [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    assert not said, "warnings in the notebook"
    assert any("image/svg+xml" in output.get("data", {}) for output in outputs), "it shows no picture"
    pages = sum("<iframe" in output.get("data", {}).get("text/html", "") for output in outputs)
    assert pages == PAGES.get(file.stem, 0), "a run or a model in the last line of a cell is its page, in a frame"


@pytest.mark.parametrize("file", NOTEBOOKS, ids=name_of)
def test_notebook_is_kept_tidy(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text == tidy_text(file), f"run /usr/bin/python3 tests/python/test_notebooks.py {file.relative_to(SOURCE)}"


def test_a_failing_cell_fails(quiet: Path) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("assert 1 == 2, 'as it should'")])
    with pytest.raises(CellError, match="as it should"):
        execute(book, quiet)


if __name__ == "__main__":
    for notebook in map(Path, sys.argv[1:]):
        notebook.write_text(tidy_text(notebook), encoding="utf-8")
