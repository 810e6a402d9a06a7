"""Environments for learning, with the interface of Gymnasium: a simulation that is observed, acted on and rewarded.

    import taut

    env = taut.envs.Rolling()                          # a six-bar robot that is to roll along x
    observation, info = env.reset(seed=1)              # an episode is a function of its seed
    for _ in range(400):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            break

``Environment`` is the base class with which to write one's own in 30 lines; ``Rolling`` and ``Reach`` are two;
``VectorEnvironment`` steps many at once on threads. All of it works without Gymnasium. Where that is installed, these are
its ``Env`` and ``VectorEnv``, spaces are its spaces, and "taut/Rolling-v0" and "taut/Reach-v0" are registered when this
package is imported: ``gymnasium.make("taut.envs:taut/Rolling-v0")``.
"""

from __future__ import annotations

from typing import Any

from taut.envs import spaces
from taut.envs._environment import Environment
from taut.envs._gym import register
from taut.envs._reach import Reach, tower_on_base
from taut.envs._rolling import Rolling, six_bar_on_ground
from taut.envs._vector import VectorEnvironment

__all__ = [
    "Environment",
    "Reach",
    "Rolling",
    "VectorEnvironment",
    "reach_vector",
    "rolling_vector",
    "six_bar_on_ground",
    "spaces",
    "tower_on_base",
]


def rolling_vector(num_envs: int = 1, **options: Any) -> VectorEnvironment:
    """``num_envs`` Rolling environments, with their options: what ``gymnasium.make_vec`` calls."""
    return _vector(Rolling, num_envs, options)


def reach_vector(num_envs: int = 1, **options: Any) -> VectorEnvironment:
    """``num_envs`` Reach environments, with their options: what ``gymnasium.make_vec`` calls."""
    return _vector(Reach, num_envs, options)


def _vector(kind: type[Environment], count: int, options: dict[str, Any]) -> VectorEnvironment:
    own = {key: options.pop(key) for key in ("threads", "autoreset") if key in options}
    most = options.pop("max_episode_steps", None)  # Gymnasium's word for a duration
    if most is not None:
        options["duration"] = most * kind(**options).period
    return VectorEnvironment(lambda: kind(**options), count, **own)


register("Rolling")
register("Reach")
