"""Batches: many robots of one model, advanced together."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple

import numpy as np

from taut import _taut
from taut._errors import InputError
from taut._model import Model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Batch", "BatchRows"]


class BatchRows(NamedTuple):
    """What ``Batch.step(..., record=k)`` keeps: a row after every k steps. R stands for rows, n for robots."""

    time: NDArray[np.float64]
    """(R, n), s."""
    nodes: NDArray[np.floating[Any]]
    """(R, n, N, 3), m."""
    velocities: NDArray[np.floating[Any]]
    """(R, n, N, 3), m/s."""


class Batch(_taut.Robots):
    """Many robots of one model, each with its own numbers, start, commands and time.

    >>> batch = taut.Batch(model, 4096, step=1e-3)
    >>> batch.set("cables.*.stiffness", rng.uniform(500, 2000, 4096))
    >>> for _ in range(1000):
    ...     batch.step(policy(batch.nodes, batch.velocities), steps=10)
    ...     batch.reset(batch.done)

    A call of ``step`` is what ``Simulation.advance(steps * step)`` does with integrator "symplectic" in formulation "nodal",
    to rounding. What a robot does depends on nothing but its own numbers, start and commands.

    ``nodes``, ``velocities`` and ``done`` are read-only views of the memory that the robots live in: they show the present
    state without a copy, for as long as they are kept. Copy what must stay. On a card ``nodes``, ``velocities`` and
    ``tensions`` are objects that other libraries take by DLPack, ``torch.from_dlpack(batch.nodes)``; those are views of the
    present state, too, and must not be written to.
    """

    done_names = ("no", "diverged", "fallen", "outside")
    """What the codes of ``done`` mean."""

    def __init__(
        self,
        model: Model,
        robots: int,
        *,
        device: str = "cpu",
        precision: str = "double",
        step: float | None = None,
        threads: int | None = None,
        speed: float | None = None,
        fallen: float | None = None,
        bounds: float | None = None,
        unit: str | None = None,
        set: Mapping[str, Any] | None = None,
    ) -> None:
        """Stand at t = 0.

        robots: how many. step: s; where absent, what the model says.
        device: "cpu" or "cuda"; precision: "double" or "single".
        threads: of the processor; one for each core where absent. Results do not depend on it.
        speed: m/s, the most by which a rest length changes; no limit where absent.
        fallen: m; a robot whose nodes are lower in the mean is done. bounds: m; one with a node farther from the origin than
        that, along x or y, is done. Both are looked at after each call of ``step``.
        unit: of the processor: "avx512", "avx2", "narrow", "scalar"; the widest there is where absent.
        set: further values by key path, for this batch only.

        Raises InputError: more robots than memory holds, a model that a batch cannot take, a device that is not there.
        """
        if not isinstance(model, Model):
            raise TypeError(f"expected a taut.Model, got {type(model).__name__}; taut.load reads a file")
        draft = model._draft
        if set:
            draft = _taut.Draft(draft)
            draft.set(dict(set))
        if threads is not None and threads < 1:
            raise InputError(f"threads: is {threads}, expected 1 or more")
        given = {
            "device": device,
            "precision": precision,
            "step": step,
            "threads": threads,
            "speed": speed,
            "fallen": fallen,
            "bounds": bounds,
            "unit": unit,
        }
        super().__init__(draft, operator.index(robots), {k: v for k, v in given.items() if v is not None})
        self.precision = precision

    precision: str
    """"double" or "single"."""

    def set(self, key: str | Mapping[str, ArrayLike], values: ArrayLike | None = None) -> Batch:
        """Set numbers by their key path, one for all robots or one for each; returns the batch.

        >>> batch.set("cables.*.stiffness", rng.uniform(500, 2000, len(batch)))
        >>> batch.set({"environment.ground.friction": mu, "nodes.a1.at": positions})

        A key that is a vector takes (3,) for all, or (n, 3). A dict sets all of its values at once: they are judged together.
        The robots then stand at their start again. Raises InputError, which names the robot, and changes nothing where a value
        cannot be, or where it would make a structure of another shape.
        """
        if isinstance(key, str) and values is None:
            raise TypeError("set: expected a key and its values, or a dict")
        self._set_values(dict(key) if isinstance(key, Mapping) else {key: values})
        return self

    def step(
        self,
        commands: ArrayLike | None = None,
        steps: int = 10,
        *,
        evenly: bool = False,
        record: int | None = None,
    ) -> BatchRows | None:
        """Go on by some steps.

        commands: rest lengths, (n, len(inputs)), m, from now on; where absent, the last ones go on to count, or the signals of
        the model where nothing was commanded yet. They are reached at once (or no faster than ``speed``), with ``evenly`` at
        constant speed at the end of the call.
        record: after how many steps a row is kept; returned as ``BatchRows``. It divides ``steps``, and the call is then as
        many calls of so many steps.

        A robot whose motion is no number any more is done: it stays as it was before. Raises InputError where a command cannot
        be, and then nothing has moved. Ctrl-C is heard between calls.
        """
        steps = operator.index(steps)
        if not 1 <= steps <= 2_000_000_000:
            raise InputError(f"steps: is {steps}, expected 1 or more")
        if record is None:
            self._step(commands, steps, evenly)
            return None
        every = operator.index(record)
        if every < 1 or steps % every != 0:
            raise InputError(f"record: is {record}, expected a number that divides the {steps} steps")
        if evenly and every < steps:
            raise InputError("record: with evenly=True the commands are reached in one call; expected one or the other")
        count, n = steps // every, len(self)
        kind = np.float32 if self.precision == "single" else np.float64
        shape = (count, n, *self._copied("nodes").shape[1:])
        rows = BatchRows(np.empty((count, n)), np.empty(shape, kind), np.empty(shape, kind))
        for row in range(count):
            self._step(commands if row == 0 else None, every, evenly and row == 0)
            rows.time[row], rows.nodes[row], rows.velocities[row] = self.time, *self._states()
        return rows

    def _states(self) -> tuple[Any, Any]:
        if isinstance(self.nodes, _taut.CardArray):
            return self._copied("nodes"), self._copied("velocities")
        return self.nodes, self.velocities

    def numpy(self, name: str) -> NDArray[np.float64]:
        """A copy of "nodes", "velocities" or "tensions" as a numpy array, wherever the robots live."""
        if name not in ("nodes", "velocities", "tensions"):
            raise InputError(f"numpy: is {name!r}, expected nodes, velocities or tensions")
        return self._copied(name)

    def model(self, robot: int) -> Model:
        """The model of one robot, with all values that were set: to run, to judge, to save."""
        index = operator.index(robot)
        if not -len(self) <= index < len(self):
            raise IndexError(f"robot {robot} of {len(self)}")
        return Model._of(self._draft_of(index % len(self)))

    def __repr__(self) -> str:
        return f"<taut.Batch of {len(self)} robots, {self.device}, {self.precision} precision>"
