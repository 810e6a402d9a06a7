"""Simulations: a model that is stepped from outside."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, Callable, Mapping

from taut import _taut
from taut._model import Model
from taut._run import Event, Run
from taut._settings import control_settings, settings, text

if TYPE_CHECKING:
    import numpy as np

Snapshot = _taut.Snapshot
Observation = _taut.Observation

__all__ = ["Observation", "Simulation", "Snapshot"]


class Simulation(_taut.Stepper):
    """A model in motion: commands in, the motion out, as long as you like.

    >>> sim = taut.Simulation(model, integrator="symplectic", step=1e-3)
    >>> while sim.time < 5.0:
    ...     sim.command(policy(sim.nodes, sim.velocities))
    ...     sim.advance(0.01)

    ``nodes``, ``velocities``, ``tensions``, ``lengths``, ``rest_lengths``, ``bar_forces``, ``contact_forces`` and
    ``joints`` are read-only views of memory that the simulation keeps. Reading one brings it up to date and allocates
    nothing; an array that was read before shows the present state, too, once it is read again. Copy what must stay.

    What one ``advance`` leaves to the next is the state alone, so a restored snapshot goes on as it did the first time,
    to the last bit. A simulation is for one thread at a time; several run side by side, each in its own thread.
    """

    def __init__(
        self,
        model: Model,
        *,
        integrator: str | None = None,
        step: float | None = None,
        tolerance: float | None = None,
        formulation: str | None = None,
        constraints: str | None = None,
        settle: bool | None = None,
        control: Callable[[Observation], Any] | None = None,
        rate: float = 100.0,
        speed: float | None = None,
        memory: int = 0,
        set: Mapping[str, Any] | None = None,
    ) -> None:
        """Stand at t = 0.

        integrator, step, tolerance: step in s, tolerance as the error per step; where absent, what the model says.
        formulation, constraints, settle: as in ``[simulation]`` of a model file.
        control, rate, speed, memory: a function that commands; see ``control``.
        set: further values by key path, for this simulation only.

        Raises InputError where formulation, integrator or a controller refuse the model.
        """
        if not isinstance(model, Model):
            raise TypeError(f"expected a taut.Model, got {type(model).__name__}; taut.load reads a file")
        given = settings(None, None, integrator, step, tolerance, formulation, constraints, settle, set)
        super().__init__(model._draft, given)
        # What it was made of, for copies: the caller may change his own.
        self._given = (model.copy()._draft, copy.deepcopy(given))
        self._control: tuple[Any, ...] | None = None
        self._linear_names: tuple[list[str], list[str]] | None = None
        if control is not None:
            self.control(control, rate=rate, speed=speed, memory=memory)

    # -- commands ------------------------------------------------------------------------------------------------

    def control(
        self,
        function: Callable[[Observation], Any],
        *,
        rate: float = 100.0,
        speed: float | None = None,
        memory: int = 0,
    ) -> None:
        """Ask a function ``rate`` times per second from now on (its first time now), in place of the one before.

        It sees an ``Observation`` and returns a number for each of ``inputs``, a dict by name, or None to leave all as
        they are: rest lengths (m), which are reached at the next instant but no faster than ``speed`` (m/s), and
        torques (N m, N), which are held until then. ``memory`` numbers are kept for it in the state.
        """
        self._control_by(function, *control_settings(rate, speed, memory))
        self._control = (function, rate, speed, memory)

    # -- what it is now ------------------------------------------------------------------------------------------

    @property
    def energy(self) -> np.record:
        """J, by name, a copy: ``sim.energy["kinetic"]``, elastic, gravity, contact, dissipated, work, balance."""
        import numpy as np

        kind = np.dtype((np.record, [(name, float) for name in _taut.energy_names]))
        record: np.record = self._energy_row.copy().view(kind)[0]
        return record

    @property
    def joint_names(self) -> list[str]:
        """What the numbers in ``joints`` are."""
        return self._joint_columns()

    @property
    def model(self) -> Model:
        """The model in the state in which the simulation began: settled, where that was asked for."""
        return Model._of(self._draft())

    @property
    def events(self) -> list[Event]:
        """What has happened so far, in order of time."""
        return [Event(*event) for event in self._event_list()]

    @property
    def summary(self) -> dict[str, Any]:
        """How it has gone so far: integrator, steps, warnings, ..."""
        summary: dict[str, Any] = json.loads(self._summary_text())
        return summary

    def linearise(self, discrete: float | None = None, *, method: str = "exact") -> tuple[Any, Any]:
        """A, (n, n), and B, (n, m), of the motion about the present state, x' = A x + B u: copies.

        discrete: s; A and B of such a step instead, x[k+1] = A x[k] + B u[k], with u held meanwhile.
        method: of that: exact, trapezoid or euler.

        The n states are ``state_names``, deviations from now in m and m/s or rad and rad/s; the m inputs ``linear_inputs``.
        """
        A, B, states, inputs = self._linear(discrete, text("method", method))
        self._linear_names = states, inputs
        return A, B

    @property
    def state_names(self) -> list[str]:
        """What the states of ``linearise`` are."""
        return list(self._names_of_linear()[0])

    @property
    def linear_inputs(self) -> list[str]:
        """What the inputs of ``linearise`` are."""
        return list(self._names_of_linear()[1])

    def _names_of_linear(self) -> tuple[list[str], list[str]]:
        if self._linear_names is None:
            self.linearise()
        assert self._linear_names is not None
        return self._linear_names

    # -- recording -----------------------------------------------------------------------------------------------

    def record(self) -> None:
        """Keep the present state as a row of ``recorded``. Call it as often as you want rows."""
        self._record_row()

    @property
    def recorded(self) -> Run:
        """The rows that ``record`` kept, as a Run: to plot, to save, to look at."""
        return self._recorded_run()

    # -- as a value ----------------------------------------------------------------------------------------------

    def _parts(self) -> tuple[Any, ...]:
        rows = self.recorded
        return type(self), *self._given, self._control, self.snapshot(), rows if len(rows) > 0 else None

    def _attributes(self) -> dict[str, Any]:
        """What others have put into it, a subclass say."""
        return {name: value for name, value in self.__dict__.items() if name not in _own}

    def __reduce__(self) -> Any:
        return _restored, self._parts(), self._attributes()

    def __copy__(self) -> Simulation:
        sim = _restored(*self._parts())
        sim.__dict__.update(self._attributes())
        return sim

    def __deepcopy__(self, memo: Any) -> Simulation:
        sim = memo[id(self)] = _restored(*self._parts())
        sim.__dict__.update(copy.deepcopy(self._attributes(), memo))
        return sim

    def __repr__(self) -> str:
        return f"<taut.Simulation at t = {self.time:g} s, {len(self.inputs)} inputs>"


_own = ("_given", "_control", "_linear_names")


def _restored(
    kind: type[Simulation],
    draft: _taut.Draft,
    given: dict[str, Any],
    control: tuple[Any, ...] | None,
    snapshot: Snapshot,
    rows: Run | None,
) -> Simulation:
    sim = kind.__new__(kind)
    _taut.Stepper.__init__(sim, draft, given)
    sim._given = (draft, given)
    sim._control = None
    sim._linear_names = None
    if control is not None:
        function, rate, speed, memory = control
        Simulation.control(sim, function, rate=rate, speed=speed, memory=memory)
    sim.restore(snapshot)
    if rows is not None:
        sim._keep_rows(rows)
    return sim
