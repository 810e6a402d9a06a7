"""A structure that is to bring one of its nodes to a target."""

from __future__ import annotations

import difflib
import math
import os
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from taut._errors import InputError, RunError
from taut._model import Model, generate
from taut.envs._environment import Environment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from taut._simulation import Simulation

__all__ = ["Reach", "tower_on_base"]

_TRIES = 20  # poses that are drawn until one is away from the start


def tower_on_base(**parameters: Any) -> Model:
    """A tower of two prisms that stands on a fixed base under its weight, at rest.

    Parameters as for ``taut.generate("tower", ...)``; standard here: 2 stages, damping 30 N s/m.
    """
    model = generate("tower", **{"stages": 2, "fixed": 1, "damping": 30.0, **parameters})
    return model.set(
        {
            "name": "tower on a base",
            "environment.gravity": [0.0, 0.0, -9.81],
            "simulation.integrator": "dopri5",
            "simulation.tolerance": 1e-4,
            "simulation.settle": True,
        }
    )


class Reach(Environment):
    """Bring a node to a target: a manipulator, or a tower that bends.

    model: any model that stands; None: ``tower_on_base()``.
    node: its name; None: the one that is highest at the start.
    target: None: where the node stands in a pose that is drawn for each episode, so that it can be reached; or a
        position, m; or a function of a numpy Generator that gives one. ``reset(options={"target": [x, y, z]})`` chooses
        it for an episode.
    within: m; the episode is terminated when the node is as close as this.
    bonus: reward for that, m.
    effort: reward that a joule of the winches costs, m/J.
    pose_time: s, that a drawn pose has to come to rest.

    Others as for ``Environment``.

    Reward, m: "approach", by which the node came closer, less "effort" times the work of the winches, and the bonus when
    it is "reached". The sum of the first is the distance at the start less that at the end.

    Observation: "to_target" (m, from the node), "nodes" (m), "velocities" (m/s), "rest_lengths" (relative change since
    the start).
    """

    def __init__(
        self,
        model: Model | str | os.PathLike[str] | None = None,
        *,
        node: str | None = None,
        target: Sequence[float] | Callable[[np.random.Generator], Any] | None = None,
        within: float = 0.02,
        bonus: float = 0.0,
        effort: float = 0.0,
        pose_time: float = 2.0,
        rate: float = 20.0,
        duration: float | None = 5.0,
        bounds: Any = (0.85, 1.15),
        speed: Any = 0.3,
        **options: Any,
    ) -> None:
        super().__init__(
            tower_on_base() if model is None else model,
            rate=rate,
            duration=duration,
            bounds=bounds,
            speed=speed,
            **options,
        )
        names = self.model.nodes
        if node is not None and node not in names:
            near = difflib.get_close_matches(node, names, 1)
            raise InputError(f'node: there is no node "{node}"' + (f' (did you mean "{near[0]}"?)' if near else ""))
        heights = self.model.positions[:, 2]
        self.node = int(np.argmax(heights)) if node is None else names.index(node)
        self._given = target if target is None or callable(target) else _position(target)
        for name, value in {"within": within, "bonus": bonus, "effort": effort, "pose_time": pose_time}.items():
            if not (isinstance(value, (int, float)) and 0.0 <= value < math.inf):
                raise InputError(f"{name}: is {value!r}; expected a number, 0 or more")
        if pose_time == 0.0:
            raise InputError("pose_time: is 0 s; expected more")
        self._within, self._bonus, self._effort, self._pose_time = within, bonus, effort, pose_time

    def begin(self, sim: Simulation) -> None:
        self._lengths = np.where(sim.rest_lengths > 0.0, sim.rest_lengths, 1.0)
        if "target" in self.options:
            self.target = _position(self.options["target"])
        elif callable(self._given):
            self.target = _position(self._given(self.np_random))
        else:
            self.target = self._pose(sim) if self._given is None else self._given
        self.distance = self._away(sim)

    def _pose(self, sim: Simulation) -> tuple[float, float, float]:
        """Where the node stands under a random action. The simulation is at its start again then."""
        for left in range(_TRIES - 1, -1, -1):
            action = self.np_random.uniform(-1.0, 1.0, self.action_space.shape)
            try:
                self._drive.stand(sim, action, 0.5 * self._pose_time)
                sim.advance(self._pose_time)
                self.target = _position(sim.nodes[self.node])
            except RunError as error:
                if left == 0 or isinstance(error, KeyboardInterrupt):
                    raise
                continue
            finally:
                sim.reset()
            if self._away(sim) > 2.0 * self._within:
                break
        return self.target

    def _away(self, sim: Simulation) -> float:
        return math.dist(sim.nodes[self.node].tolist(), self.target)

    def observe(self, sim: Simulation) -> dict[str, Any]:
        return {
            "to_target": np.array(self.target) - sim.nodes[self.node],
            "nodes": sim.nodes,
            "velocities": sim.velocities,
            "rest_lengths": sim.rest_lengths / self._lengths - 1.0,
        }

    def reward(self, sim: Simulation, action: NDArray[np.float64]) -> dict[str, float]:
        before, self.distance = self.distance, self._away(sim)
        return {
            "approach": before - self.distance,
            "effort": -self._effort * self.work,
            "reached": self._bonus if self.terminated(sim) else 0.0,
        }

    def terminated(self, sim: Simulation) -> bool:
        return self.distance <= self._within


def _position(given: Any) -> tuple[float, float, float]:
    try:
        x, y, z = (float(part) for part in given)
    except (TypeError, ValueError):
        x = y = z = math.nan
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise InputError(f"target: is {given!r}; expected a position [x, y, z], m")
    return x, y, z
