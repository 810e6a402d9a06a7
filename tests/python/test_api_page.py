"""docs/python-api.md says what the docstrings say, and everything that users see has one."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_api", SOURCE / "docs/make-api.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_up_to_date(maker: ModuleType) -> None:
    page = (SOURCE / "docs/python-api.md").read_text(encoding="utf-8")
    assert page == maker.page(), "run PYTHONPATH=build/python /usr/bin/python3 docs/make-api.py"


def test_everything_has_a_docstring(maker: ModuleType) -> None:
    assert maker.missing() == []


def test_what_has_no_docstring_is_named(maker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    import taut

    monkeypatch.setattr(taut.Model.save, "__doc__", None)
    assert "taut.Model.save" in maker.missing()


def test_nothing_of_the_package_is_left_out(maker: ModuleType) -> None:
    import taut

    shown = {name for _, _, names in maker.GROUPS for name, _ in maker.found(names)}
    left_out = {name for name in taut.__all__ if "taut." + name not in shown and name not in ("envs", "plottables")}
    assert not left_out


def test_pages_shows_shapes_units_and_signatures(maker: ModuleType) -> None:
    page = maker.page()
    assert "| `nodes` | Positions, (T, N, 3), m |" in page
    assert "\n        duration: float | None = None,\n" in page
    assert "    advance(dt: float)\n" in page  # bound in C++, from the stub
