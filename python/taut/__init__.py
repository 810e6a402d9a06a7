"""taut: tensegrity structures and robots, from a shape to its statics, motion and control.

    import taut

    model = taut.load("robot.toml")           # or taut.loads(text), taut.generate("six_bar"), taut.Model()
    model.set("cables.*.stiffness", 800.0)    # any key of the model file
    model.check().balanced                    # statics(), modes(), form(), linearise(), design()
    run = model.run(duration=2.0)             # the whole motion: run.t, run.nodes, run.tensions, run.energy, ...

    sim = taut.Simulation(model)              # or step by step
    while sim.time < 5.0:
        sim.command(policy(sim.nodes))
        sim.advance(0.01)

Everything is in SI units: m, kg, s, N, N m, J, rad. Arrays are numpy's, in the order of ``model.nodes``,
``model.cables`` and ``model.bars``. Errors are ``taut.InputError`` (with ``places``: file, line, column, key) and
``taut.RunError`` (with ``time`` and the ``run`` so far).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from taut import _taut
except ImportError as _error:
    from taut import _libraries

    _words = _libraries.explanation(_error)
    if _words is None:
        raise
    raise ImportError(_words) from _error
from taut._answers import Check, Design, Form, Gradient, Linear, Modes, NoEquilibrium, Statics
from taut._errors import InputError, Interrupted, Place, RunError
from taut._model import Model, generate, generators, load, loads
from taut._run import Event, Plot, Run, open
from taut._simulation import Observation, Simulation, Snapshot

if TYPE_CHECKING:
    from taut import envs
    from taut._batch import Batch, BatchRows
    from taut._sweep import Sweep, sweep

__version__: str = _taut.__version__
plottables: tuple[str, ...] = _taut.plottables

__all__ = [
    "Batch",
    "BatchRows",
    "Check",
    "Design",
    "Event",
    "Form",
    "Gradient",
    "InputError",
    "Interrupted",
    "Linear",
    "Model",
    "Modes",
    "NoEquilibrium",
    "Observation",
    "Place",
    "Plot",
    "Run",
    "RunError",
    "Simulation",
    "Snapshot",
    "Statics",
    "Sweep",
    "envs",
    "generate",
    "generators",
    "load",
    "loads",
    "open",
    "plottables",
    "sweep",
]


def __getattr__(name: str) -> Any:
    # Loaded when first used: they need numpy, or are not wanted by everyone.
    if name == "envs":
        import importlib

        return importlib.import_module("taut.envs")
    if name in ("sweep", "Sweep"):
        from taut import _sweep

        globals()["sweep"], globals()["Sweep"] = _sweep.sweep, _sweep.Sweep
        return globals()[name]
    if name in ("Batch", "BatchRows"):
        from taut import _batch

        globals()["Batch"], globals()["BatchRows"] = _batch.Batch, _batch.BatchRows
        return globals()[name]
    raise AttributeError(f"module 'taut' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
