"""The base class of environments."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from taut import _taut
from taut._errors import InputError, RunError
from taut._model import Model, load
from taut._settings import settings
from taut._simulation import Simulation
from taut.envs._draw import Draws
from taut.envs._drive import Drive
from taut.envs._gym import Box, Env
from taut.envs._seeds import Seeds
from taut.envs._sense import Delay, Layout, whole

if TYPE_CHECKING:
    from typing import TypeVar

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from taut._run import Run

    Self = TypeVar("Self", bound="Environment")

__all__ = ["Environment"]

_TOO_FAST = 1e18  # J: more kinetic energy than this is no motion of a structure, and its numbers soon overflow


class Environment(Env):
    """A simulation as an environment for learning, with the interface of Gymnasium.

    >>> class Tall(taut.envs.Environment):
    ...     def observe(self, sim):
    ...         return {"nodes": sim.nodes, "velocities": sim.velocities}
    ...
    ...     def reward(self, sim, action):
    ...         return sim.nodes[:, 2].max()
    ...
    >>> env = Tall("tower.toml", rate=50, duration=5, randomise={"cables.*.stiffness": (0.8, 1.2, "relative")})
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

    Override ``reward``, and ``observe``, ``terminated`` and ``begin`` as you need.

    model: a taut.Model, or the path of a model file. It is copied.
    rate: control steps per second.
    duration: s, after which an episode is truncated; None: never.
    action: what actions in [-1, 1] are. "lengths": rest lengths, -1 and 1 the ``bounds``, 0 that of the start; "rates":
        speeds of the winches, -1 and 1 at their ``speed``. Joints get torques, -1 and 1 at their ``torque``. Actions
        beyond [-1, 1] are cut off.
    inputs: names, or patterns such as "n1-*", of the inputs that actions drive; None: all of ``Simulation.inputs``.
    bounds: of rest lengths, as fractions of those at the start, or (low, high, "absolute") in m; also by name or pattern.
    speed: m/s, the most by which a winch changes a rest length; None: no limit; also by name or pattern.
    torque: N m, or N, of the action 1; also by name or pattern.
    randomise: values by key path, drawn anew for each episode: (low, high), ("uniform", low, high), ("log_uniform",
        low, high), ("normal", mean, deviation), ("choice", [values]) or a function of a numpy Generator. With
        "relative" at the end it is the model's value times what was drawn; with "each" every entity of a ``*`` draws its
        own.
    redraws: how often an impossible model is drawn again before it is an error.
    noise: standard deviation of what is added to observations, in their units: a number, one for each entry, or either by
        the name of a part.
    delay: control steps by which observations come late.
    action_delay: control steps by which actions come late.
    integrator: as ``step`` (s), ``tolerance``, ``formulation``, ``settle`` and ``set`` what ``Simulation`` knows by that
        name.
    error_reward: the reward of a step in which the motion cannot go on.
    dtype: of observations.
    record: keep a row for every control step; ``recorded`` is the episode as a Run.
    render_mode: None, "rgb_array" (a picture) or "ansi" (a line of text).

    An episode is a function of its seed alone. ``reset()`` without a seed begins the next one of a sequence that belongs
    to the last given seed, whatever happened in the episodes before; ``info["seed"]`` is the seed that repeats it.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 50}

    simulation: Simulation
    """The motion, true and without noise."""

    def __init__(
        self,
        model: Model | str | os.PathLike[str],
        *,
        rate: float = 50.0,
        duration: float | None = 10.0,
        action: str = "lengths",
        inputs: Sequence[str] | None = None,
        bounds: Any = (0.8, 1.2),
        speed: float | Mapping[str, float] | None = None,
        torque: float | Mapping[str, float] | None = None,
        randomise: Mapping[str, Any] | None = None,
        redraws: int = 0,
        noise: Any = None,
        delay: int = 0,
        action_delay: int = 0,
        integrator: str | None = None,
        step: float | None = None,
        tolerance: float | None = None,
        formulation: str | None = None,
        settle: bool | None = None,
        set: Mapping[str, Any] | None = None,
        error_reward: float = 0.0,
        dtype: DTypeLike = np.float64,
        record: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.period = 1.0 / _above_zero("rate", rate)
        self._steps_in_all = math.inf if duration is None else max(1, round(_above_zero("duration", duration) * rate))
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise InputError(f"render_mode: is {render_mode!r}; expected None, {self.metadata['render_modes']}")
        self.metadata = {**self.metadata, "render_fps": rate}
        self.render_mode = render_mode
        self.model = model.copy() if isinstance(model, Model) else load(model)
        self.model.set(settings(None, None, integrator, step, tolerance, formulation, None, settle, set))
        self._draws = Draws(self.model, randomise)
        self._redraws = whole("redraws", redraws)
        self._noise_given, self._dtype = noise, np.dtype(dtype)
        self._error_reward, self._record = float(error_reward), record
        self._base = self.simulation = Simulation(self.model)
        self._drive = Drive(
            self.simulation,
            self.model.cables,
            period=self.period,
            action=action,
            inputs=inputs,
            bounds=bounds,
            speed=speed,
            torque=torque,
        )
        self._drive.begin(self.simulation)
        self.action_space = Box(-1.0, 1.0, (self._drive.size,), np.float64)
        self._acting: Delay[NDArray[np.float64]] = Delay(whole("action_delay", action_delay))
        self._seeing: Delay[NDArray[Any]] = Delay(whole("delay", delay))
        self._layout: Layout | None = None
        self._seeds = Seeds()
        self._own_random: np.random.Generator | None = None
        self._running = False
        self.steps = 0
        self.drawn: dict[str, Any] = {}
        self.options: dict[str, Any] = {}

    # -- what to override ----------------------------------------------------------------------------------------

    def begin(self, sim: Simulation) -> None:
        """An episode starts: remember what it needs, draw targets from ``self.np_random``, let the motion settle."""

    def observe(self, sim: Simulation) -> Any:
        """What the learner sees: an array, or arrays by name, always of the same sizes."""
        return {"nodes": sim.nodes, "velocities": sim.velocities, "rest_lengths": sim.rest_lengths}

    def reward(self, sim: Simulation, action: NDArray[np.float64]) -> float | Mapping[str, float]:
        """What a control step is worth, at its end: a number, or terms by name that are summed.

        ``self.work`` is the work of the motors in this step, J, ``self.time`` the time since the start of the episode, s.
        """
        raise NotImplementedError(f"{type(self).__name__}: write its reward(self, sim, action)")

    def terminated(self, sim: Simulation) -> bool:
        """Has the episode come to its end, good or bad?"""
        return False

    def act(self, sim: Simulation, action: NDArray[np.float64]) -> None:
        """Command what an action in [-1, 1] says; it was delayed and cut off before. Override it for another mapping."""
        self._drive.act(sim, action)

    # -- what it is now ------------------------------------------------------------------------------------------

    @property
    def np_random_seed(self) -> int | None:
        """The last seed that ``reset`` was given, or that it took from the system; -1 after ``np_random`` was set."""
        self.np_random
        return self._np_random_seed

    @property
    def time(self) -> float:
        """Since the start of the episode, s."""
        return self.steps * self.period

    @property
    def work(self) -> float:
        """Of the motors in the last control step, J: what each gave or took, all counted as positive."""
        return self._drive.work

    @property
    def inputs(self) -> list[str]:
        """The inputs that actions drive, in their order."""
        return list(self._drive.names)

    @property
    def observation_space(self) -> Box:
        """All real arrays of the size of what ``observe`` returns, unless it was set."""
        if "_observation_space" not in self.__dict__:
            self._observation_space = Box(-math.inf, math.inf, (self._look().size,), self._dtype)
        return self._observation_space

    @observation_space.setter
    def observation_space(self, space: Box) -> None:
        self._observation_space = space

    @property
    def parts(self) -> dict[str, slice]:
        """Where each part of what ``observe`` returns stands in the observation."""
        return dict(self._look().parts)

    @property
    def recorded(self) -> Run:
        """The episode so far as a Run, a row for every control step. Needs ``record=True``."""
        if not self._record:
            raise InputError("recorded: nothing was: make the environment with record=True")
        return self.simulation.recorded

    def _look(self) -> Layout:
        """How observations become one array: found by a first look at the start, with the generator of seed 0."""
        if self._layout is None:
            before = self._np_random
            self._np_random, _ = Seeds.generator(0)
            self._start_over(self._base)
            layout = Layout(self.observe(self._base), self._dtype)
            self._deviations = layout.deviations(self._noise_given)
            self._layout = layout
            self._np_random = before
        return self._layout

    # -- an episode ----------------------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, *, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode; returns the first observation and info.

        seed: it is a function of this. None: the next episode of the present sequence.
        options: ``{"set": {key: value, ...}}`` sets values by key path for this episode, over what is drawn; all of
            them are in ``self.options``.

        info: ``seed``; ``drawn``, where anything is, by key path (of a relative draw the factor); ``time`` (s); ``energy``
            (J, by name).

        Raises InputError that names the draw where a drawn model is impossible.
        """
        layout = self._look()
        self._sow(seed)
        self.options = dict(options or {})
        self._running = False
        self._place()
        self._running = True
        self._acting.begin(self._drive.neutral)
        seen = self._measured(layout)
        self._seeing.begin(seen)
        self._last = seen
        if self._record:
            self.simulation.record()
        info: dict[str, Any] = {"seed": self._seeds.seed, "time": 0.0, "energy": self._energy()}
        if self.drawn:
            info["drawn"] = self.drawn
        return seen.copy(), info

    def _sow(self, seed: int | None) -> None:
        if seed is None and self._np_random is not None and self._np_random is not self._own_random:
            seed = int(self._np_random.integers(2**63 - 1))  # the user has set np_random
        self._seeds.next(seed)
        self._np_random, _ = Seeds.generator(self._seeds.seed)
        self._np_random_seed, self._own_random = self._seeds.root, self._np_random
        self._noise: np.random.Generator | None = None

    def _place(self) -> None:
        """The simulation of this episode, at its start."""
        fixed = self.options.get("set", {})
        if not isinstance(fixed, Mapping):
            raise InputError(f'options: "set" is {fixed!r}; expected a dict of values by key path')
        self.drawn = {}
        if not self._draws and not fixed:
            self._start_over(self._base)
            return
        rng = self._seeds.stream("draws")
        for left in range(self._redraws, -1, -1):
            self.drawn, values = self._draws.draw(rng)
            try:
                self._start_over(Simulation(self.model, set={**values, **fixed}))
                return
            except (InputError, RunError) as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                if left == 0:
                    raise self._impossible(error, fixed) from error

    def _impossible(self, error: Exception, fixed: Mapping[str, Any]) -> InputError:
        what = ", ".join(f"{key} = {_brief(value)}" for key, value in {**self.drawn, **fixed}.items())
        return InputError(
            f"reset: the episode of seed {self._seeds.seed} has an impossible model, with {what}: {error}",
            getattr(error, "places", ()),
        )

    def _start_over(self, sim: Simulation) -> None:
        sim.reset()
        self.simulation = sim
        self.steps = 0
        self._drive.begin(sim)
        self.begin(sim)

    def step(
        self, action: ArrayLike
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """A control step: command, advance by 1 / rate, observe.

        info: ``time`` (s), ``energy`` (J, by name; work done on the structure is in its ``work``, and ``balance`` is what
            stays constant), ``reward`` (its terms, if it has names); ``error`` where the motion could not go on: then
            the episode is terminated, and the observation is the last one.
        """
        wanted = self._checked(action)
        if not self._running:
            raise RuntimeError("step: there is no episode: call reset() first, and again after each that has ended")
        sim = self.simulation
        try:
            self._drive.before(sim)
            self.act(sim, self._acting(wanted))
            self._drive.commanded(sim)
            sim.advance(self.period)
            energy = self._energy()
            if not abs(energy["kinetic"]) + abs(energy["balance"]) < _TOO_FAST:
                raise RunError(f"the motion diverged before t = {sim.time:g} s", sim.time)
        except RunError as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            return self._failed(str(error))
        self.steps += 1
        self._drive.after(sim)
        if self._record:
            sim.record()
        info: dict[str, Any] = {"time": self.time, "energy": energy}
        reward = self._rewarded(self.reward(sim, wanted), info)
        terminated = bool(self.terminated(sim))
        truncated = self.steps >= self._steps_in_all
        self._running = not (terminated or truncated)
        assert self._layout is not None
        self._last = self._seeing(self._measured(self._layout))
        return self._last.copy(), reward, terminated, truncated, info

    def _checked(self, action: ArrayLike) -> NDArray[np.float64]:
        try:
            wanted = np.asarray(action, float)
        except (TypeError, ValueError):
            raise InputError(f"action: expected {self._drive.size} numbers, got {action!r}") from None
        if wanted.shape != (self._drive.size,):
            raise InputError(f"action: has shape {wanted.shape}, expected {(self._drive.size,)}: one number for each input")
        if not np.isfinite(wanted).all():
            bad = int(np.argmin(np.isfinite(wanted)))
            raise InputError(f'action: is {wanted[bad]} for input {bad}, "{self._drive.names[bad]}"')
        limited: NDArray[np.float64] = np.minimum(np.maximum(wanted, -1.0), 1.0)
        return limited

    def _failed(self, error: str) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        self._running = False
        self.steps += 1
        return self._last.copy(), self._error_reward, True, False, {"time": self.time, "error": error}

    def _rewarded(self, value: float | Mapping[str, float], info: dict[str, Any]) -> float:
        if isinstance(value, Mapping):
            info["reward"] = terms = {name: float(term) for name, term in value.items()}
            reward = math.fsum(terms.values())
        else:
            reward = float(value)
        if not math.isfinite(reward):
            raise InputError(f"reward: is {value} at {self.time:g} s: it must be finite where the motion is")
        return reward

    def _measured(self, layout: Layout) -> NDArray[Any]:
        """The observation now, with its noise."""
        seen = layout.flat(self.observe(self.simulation))
        if self._deviations is not None:
            if self._noise is None:
                self._noise = self._seeds.stream("noise")
            seen += (self._deviations * self._noise.standard_normal(layout.size)).astype(self._dtype)
        return seen

    def _energy(self) -> dict[str, float]:
        return dict(zip(_taut.energy_names, self.simulation._energy_row.tolist()))

    # -- pictures ------------------------------------------------------------------------------------------------

    def render(self) -> Any:
        """What ``render_mode`` says: None; the structure as (height, width, 3) bytes; or a line of text."""
        if self.render_mode == "rgb_array":
            from taut.envs._picture import picture

            return picture(self.model, self.simulation)
        if self.render_mode == "ansi":
            centre = np.add.reduce(self.simulation.nodes) / len(self.model.nodes)
            return f"{self.time:8.3f} s  centre {centre[0]:8.4f} {centre[1]:8.4f} {centre[2]:8.4f} m"
        return None

    def close(self) -> None:
        """The episode is over. Nothing else is left to close."""
        self._running = False

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        actions = f"{self._drive.size} action{'s' if self._drive.size != 1 else ''}"
        return f"<{type(self).__name__} of {self.model.name!r}: {actions}, {1.0 / self.period:g} steps per second>"


def _above_zero(name: str, value: Any) -> float:
    if isinstance(value, (int, float, np.number)) and 0.0 < value < math.inf:
        return float(value)
    raise InputError(f"{name}: is {value!r}; expected a number above 0")


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."
