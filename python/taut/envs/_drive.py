"""From actions in [-1, 1] to commands: rest lengths by winches of limited speed, torques."""

from __future__ import annotations

import difflib
import math
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from taut._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from taut._simulation import Simulation

    Numbers = NDArray[np.float64]

__all__ = ["Drive"]


class Drive:
    """The inputs that actions drive, in the order of the simulation's ``inputs``.

    With l0 the rest length at the start of the episode and [low, high] its bounds:

        action "lengths"   target = l0 + a (high - l0) for a > 0, l0 + a (l0 - low) for a < 0
        action "rates"     target = l + a speed dt

    A rest length moves to its target at constant speed within the control step, no faster than ``speed``, and stays
    within its bounds. A torque is a times its limit, held over the step. The action 0 leaves rest lengths at, or moves
    them back to, those of the start ("lengths"), or where they are ("rates").
    """

    def __init__(
        self,
        sim: Simulation,
        cables: Sequence[str],
        *,
        period: float,
        action: str,
        inputs: Sequence[str] | None,
        bounds: Any,
        speed: Any,
        torque: Any,
    ) -> None:
        if action not in ("lengths", "rates"):
            raise InputError(f'action: is {action!r}; expected "lengths" or "rates"')
        self._period = period
        self._rates = action == "rates"
        self.names = _chosen(sim.inputs, inputs)
        self._all = len(self.names) == len(sim.inputs)
        index = {name: i for i, name in enumerate(cables)}
        winches = [i for i, name in enumerate(self.names) if name in index]
        motors = [i for i, name in enumerate(self.names) if name not in index]
        # Which entries of an action are rest lengths and torques; which cables they are.
        self._winches, self._motors = np.array(winches, int), np.array(motors, int)
        self._cables = np.array([index[self.names[i]] for i in winches], int)
        self._cable_names = [self.names[i] for i in winches]
        self._motor_names = [self.names[i] for i in motors]
        self._fractions, self._absolute = _bounds(self._cable_names, bounds)
        self._reach = self._numbers("speed", self._cable_names, speed, math.inf, "m/s") * period
        if self._rates and not np.isfinite(self._reach).all():
            raise InputError('speed: actions that are rates need the speed (m/s) of a winch: speed=0.2')
        self._limits = self._numbers("torque", self._motor_names, torque, math.nan, "N m, or N")
        if not np.isfinite(self._limits).all():
            raise InputError(
                f'torque: "{self._motor_names[int(np.argmax(~np.isfinite(self._limits)))]}" is a torque: give the one of '
                "action 1, torque=2.0 (N m, or N) or by name; or choose other inputs"
            )
        self._moves = [_coordinate(name, sim.joint_names) for name in self._motor_names]
        self._values = np.zeros(len(self.names))

    @staticmethod
    def _numbers(what: str, names: list[str], given: Any, standard: float, unit: str) -> Numbers:
        """One for each name: a number for all, or by name or pattern."""
        found = np.full(len(names), standard)
        items = given.items() if isinstance(given, Mapping) else [("*", given)] if given is not None else []
        for pattern, value in items:
            here = [i for i, name in enumerate(names) if fnmatchcase(name, pattern)]
            if not here and pattern != "*":
                raise _unknown(what, pattern, names)
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = math.nan
            if not number > 0.0:
                raise InputError(f"{what}: is {value!r}; expected a number above 0, {unit}, or numbers by name")
            found[here] = number
        return found

    @property
    def size(self) -> int:
        """Numbers in an action."""
        return len(self.names)

    @property
    def neutral(self) -> Numbers:
        """The action that moves nothing at the start."""
        return np.zeros(self.size)

    def begin(self, sim: Simulation) -> None:
        """An episode starts: its rest lengths are the initial ones."""
        start = sim.rest_lengths[self._cables]
        low, high = self._fractions[:, 0], self._fractions[:, 1]
        self.low = np.where(self._absolute, np.minimum(low, start), low * start)
        self.high = np.where(self._absolute, np.maximum(high, start), high * start)
        self.start = start
        if self._cables.size and not (self.low > 0.0).all():
            name = self._cable_names[int(np.argmin(self.low))]
            raise InputError(
                f'bounds: the rest length of "{name}" is {float(start.min()):g} m at the start, of which there are no '
                'fractions: give bounds in m, bounds={"' + name + '": (0.1, 0.5, "absolute")}, or choose other inputs'
            )
        self.work = 0.0

    def act(self, sim: Simulation, action: Numbers) -> None:
        """Command what an action says, for the control step that begins."""
        at = sim.rest_lengths[self._cables]
        a = action[self._winches]
        target = _between(at + a * self._reach, self.low, self.high) if self._rates else self._lengths(a)
        values = self._values
        values[self._winches] = _between(target, at - self._reach, at + self._reach)
        values[self._motors] = action[self._motors] * self._limits
        if self._all:
            sim.command(values, over=self._period)
        else:
            sim.command(dict(zip(self.names, values.tolist())), over=self._period)

    def stand(self, sim: Simulation, action: Numbers, over: float) -> None:
        """Move all rest lengths within ``over``, s, to where the action of "lengths" has them in the end."""
        if self._motor_names:
            raise InputError(f'"{self._motor_names[0]}" is a torque: only rest lengths have a pose where they stand')
        sim.command(dict(zip(self.names, self._lengths(action).tolist())), over=over)

    def _lengths(self, a: Numbers) -> Numbers:
        lengths: Numbers = self.start + a * np.where(a > 0.0, self.high - self.start, self.start - self.low)
        return _between(lengths, self.low, self.high)

    def before(self, sim: Simulation) -> None:
        """A step begins: what its work is counted from."""
        self._lengths_before, self._tensions_before = sim.rest_lengths[self._cables], sim.tensions[self._cables]
        self._positions_before = self._positions(sim)

    def commanded(self, sim: Simulation) -> None:
        """The winches have begun to turn: a damper feels that at once."""
        self._tensions = sim.tensions[self._cables]

    def after(self, sim: Simulation) -> None:
        """The step is over: what the motors have done, J, goes into ``work``.

        Of a winch, its mean tension times the way of its rest length, of a motor its torque times its way, each counted
        as positive: no motor gets back what another one gives. The mean is that of the ends of the step while the winch
        turns: at the second one, where it stands again, without the jump that its start made in the damper.
        """
        jump = self._tensions - self._tensions_before
        end = np.maximum(0.0, sim.tensions[self._cables] + jump)
        way = np.abs(sim.rest_lengths[self._cables] - self._lengths_before)
        self.work = 0.5 * float(np.add.reduce(way * (self._tensions + end)))
        if self._moves:
            ways = zip(self._moves, self._positions_before, self._positions(sim), self._values[self._motors].tolist())
            for move, before, now, torque in ways:
                turn = 0.5 * (before + now) * self._period if move[1] else now - before
                self.work += abs(torque * turn)

    def _positions(self, sim: Simulation) -> list[float]:
        if not self._moves:
            return []
        joints = sim.joints
        return [float(joints[column]) if column >= 0 else 0.0 for column, _ in self._moves]


def _chosen(inputs: Sequence[str], wanted: Sequence[str] | None) -> list[str]:
    if not inputs:
        raise InputError("the model has no input: an environment needs cables or joints that can be driven")
    if wanted is None:
        return list(inputs)
    patterns = [wanted] if isinstance(wanted, str) else list(wanted)
    if not patterns:
        raise InputError(f"inputs: are none; expected some of {', '.join(inputs[:8])}{', ...' if len(inputs) > 8 else ''}")
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in inputs):
            raise _unknown("inputs", pattern, inputs)
    return [name for name in inputs if any(fnmatchcase(name, pattern) for pattern in patterns)]


def _unknown(what: str, pattern: str, names: Sequence[str]) -> InputError:
    near = difflib.get_close_matches(pattern, names, 1)
    return InputError(
        f'{what}: there is no input "{pattern}"' + (f' (did you mean "{near[0]}"?)' if near else "; * stands for any text")
    )


def _bounds(names: list[str], given: Any) -> tuple[Numbers, NDArray[np.bool_]]:
    """Low and high of each: fractions of the rest length at the start, or m where marked as absolute."""
    ends = np.tile([0.8, 1.2], (len(names), 1))
    absolute = np.zeros(len(names), bool)
    for pattern, pair in given.items() if isinstance(given, Mapping) else [("*", given)]:
        here = [i for i, name in enumerate(names) if fnmatchcase(name, pattern)]
        if not here and pattern != "*":
            raise _unknown("bounds", pattern, names)
        words = tuple(pair) if isinstance(pair, (Sequence, np.ndarray)) else ()
        metres = len(words) == 3 and isinstance(words[2], str) and words[2] == "absolute"
        try:
            low, high = (float(word) for word in (words[:2] if metres else words))
        except (TypeError, ValueError):
            low = high = math.nan
        if not (0.0 < low <= high < math.inf and (metres or low <= 1.0 <= high)):
            raise InputError(
                f"bounds: are {pair!r}; expected (low, high), fractions of the rest length at the start with "
                '0 < low <= 1 <= high, or (low, high, "absolute") in m, or such pairs by name'
            )
        ends[here], absolute[here] = (low, high), metres
    return ends, absolute


def _coordinate(name: str, columns: Sequence[str]) -> tuple[int, bool]:
    """The column of a driven coordinate, and whether it is a rate; -1 where there is none."""
    if name.rpartition(".")[2] in ("wx", "wy", "wz", "vx", "vy", "vz") and name in columns:
        return columns.index(name), True
    for column in (name, name + ".angle", name + ".position"):
        if column in columns:
            return columns.index(column), False
    return -1, False


def _between(values: Numbers, low: Numbers, high: Numbers) -> Numbers:
    # A third of the time of np.clip.
    limited: Numbers = np.minimum(np.maximum(values, low), high)
    return limited
