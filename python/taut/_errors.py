"""Errors of taut: where the input is wrong, when a motion had to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from taut._run import Run


class Place(NamedTuple):
    """Where a problem stands. Line and column count from 1; 0 where there is no file."""

    file: str
    line: int
    column: int
    key: str
    message: str


class InputError(ValueError):
    """The input cannot be used: a model, a setting, a command.

    ``places`` has one entry for every problem that was found.
    """

    def __init__(self, message: str, places: tuple[Place, ...] = ()) -> None:
        super().__init__(message)
        self.places = tuple(places)

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.places)


class RunError(RuntimeError):
    """A motion, or a search for an equilibrium, that began had to stop.

    ``time`` is the time it had reached, s; ``run`` what was computed until then (None where nothing was recorded).
    """

    def __init__(self, message: str, time: float = 0.0, run: Run | None = None) -> None:
        super().__init__(message)
        self.time = time
        self.run = run

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.time, self.run)


class Interrupted(RunError, KeyboardInterrupt):
    """Ctrl-C. What was computed until then is in ``run``; a Simulation stands at ``time`` and can go on."""
