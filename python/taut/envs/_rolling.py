"""A free robot that is to get ahead on the ground."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from taut._errors import InputError
from taut._model import Model, generate
from taut.envs._environment import Environment
from taut.envs._mass import node_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from taut._simulation import Simulation

__all__ = ["Rolling", "six_bar_on_ground"]

_MASSLESS = ("cables", "environment", "simulation")  # sections that have no say in the centre of mass


def six_bar_on_ground(**parameters: Any) -> Model:
    """The six-bar robot of ``taut.generate("six_bar", ...)``, at rest on one of its closed triangles on a flat ground.

    Standard parameters here: stiffness 500 N/m, damping 20 N s/m.
    """
    model = generate("six_bar", **{"stiffness": 500.0, "damping": 20.0, **parameters})
    # (1, 1, 1) is normal to a triangle of cables: turn it down.
    axes = np.array([[1.0, -1.0, 0.0], [1.0, 1.0, -2.0], [1.0, 1.0, 1.0]])
    axes /= np.sqrt(np.add.reduce(axes**2, axis=1, keepdims=True))
    turned = np.add.reduce(model.positions[:, np.newaxis, :] * axes, axis=2)
    turned[:, 2] -= turned[:, 2].min()
    model.set({f'nodes."{name}".at': at for name, at in zip(model.nodes, turned)})
    return model.set(
        {
            "name": "six-bar robot on the ground",
            "environment.gravity": [0.0, 0.0, -9.81],
            "environment.ground": {"stiffness": 1e4, "damping": 1e2, "friction": 0.8, "slip_speed": 0.1},
            "simulation.integrator": "dopri5",
            "simulation.tolerance": 1e-4,
            "simulation.settle": True,
        }
    )


class Rolling(Environment):
    """Roll as far as you can in one direction: a robot that nothing holds, on the ground.

    model: any model with a ground and no need of a support; None: ``six_bar_on_ground()``.
    direction: [x, y], of which only the direction counts, or "random": drawn for each episode, and observed.
        ``reset(options={"direction": [x, y]})`` chooses it for an episode.
    effort: reward that a joule of the winches costs, m/J.

    Others as for ``Environment``.

    Reward, m: "progress", by which the centre of mass came ahead in the direction, less "effort" times the work of the
    winches. Without effort its sum over an episode is the way of the centre of mass in that direction.

    Observation: "nodes" (m, relative to the centre of mass along the ground, and upwards to z = 0), "velocities" (m/s),
    "rest_lengths" (relative change since the start), and the "direction" if it is random.
    """

    def __init__(
        self,
        model: Model | str | os.PathLike[str] | None = None,
        *,
        direction: Sequence[float] | str = (1.0, 0.0),
        effort: float = 1e-3,
        rate: float = 20.0,
        duration: float | None = 20.0,
        bounds: Any = (0.6, 1.2),
        speed: Any = 0.6,
        **options: Any,
    ) -> None:
        super().__init__(
            six_bar_on_ground() if model is None else model,
            rate=rate,
            duration=duration,
            bounds=bounds,
            speed=speed,
            **options,
        )
        if self.model.get("environment.ground") is None:
            raise InputError(
                f'Rolling: the model "{self.model.name}" has no ground: model.set("environment.ground", {{"height": 0.0}})'
            )
        self._random = isinstance(direction, str)
        if self._random and direction != "random":
            raise InputError(f'direction: is {direction!r}; expected [x, y] or "random"')
        self._wanted = (1.0, 0.0) if self._random else _unit(direction)
        if not (isinstance(effort, (int, float)) and 0.0 <= effort < math.inf):
            raise InputError(f"effort: is {effort!r}; expected a number, 0 or more, m/J")
        self._effort = float(effort)
        self._base_shares: NDArray[np.float64] | None = None

    def begin(self, sim: Simulation) -> None:
        self._lengths = np.where(sim.rest_lengths > 0.0, sim.rest_lengths, 1.0)
        changed = [*self.drawn, *self.options.get("set", {})]
        if all(key.split(".")[0] in _MASSLESS and not key.endswith(".mass") for key in changed):
            if self._base_shares is None:
                self._base_shares = node_shares(self.model)
            self._shares = self._base_shares
        else:
            self._shares = node_shares(sim.model)
        self.direction = self._wanted
        if self._random:
            angle = 2.0 * math.pi * float(self.np_random.random())
            self.direction = math.cos(angle), math.sin(angle)
        if "direction" in self.options:
            self.direction = _unit(self.options["direction"])
        self._at = self.centre(sim)

    def centre(self, sim: Simulation) -> NDArray[np.float64]:
        """The centre of mass now, m: exact, but that a body counts at the mean of its nodes."""
        centre: NDArray[np.float64] = np.add.reduce(self._shares * sim.nodes)
        return centre

    def observe(self, sim: Simulation) -> dict[str, Any]:
        nodes = sim.nodes.copy()
        nodes[:, :2] -= self.centre(sim)[:2]
        seen = {
            "nodes": nodes,
            "velocities": sim.velocities,
            "rest_lengths": sim.rest_lengths / self._lengths - 1.0,
        }
        if self._random:
            seen["direction"] = np.array(self.direction)
        return seen

    def reward(self, sim: Simulation, action: NDArray[np.float64]) -> dict[str, float]:
        before, self._at = self._at, self.centre(sim)
        way = (self._at - before).tolist()
        return {
            "progress": way[0] * self.direction[0] + way[1] * self.direction[1],
            "effort": -self._effort * self.work,
        }


def _unit(direction: Any) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in direction)
    except (TypeError, ValueError):
        x = y = 0.0
    length = math.hypot(x, y)
    if not 0.0 < length < math.inf:
        raise InputError(f'direction: is {direction!r}; expected [x, y] or "random"')
    return x / length, y / length
