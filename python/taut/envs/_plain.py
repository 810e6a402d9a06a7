"""What an environment inherits where Gymnasium is not installed: the attributes of its Env and VectorEnv."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.envs.spaces import Space

__all__ = ["Env", "VectorEnv"]


class _Seeded:
    metadata: dict[str, Any] = {"render_modes": []}
    render_mode: str | None = None
    spec: Any = None
    _np_random: np.random.Generator | None = None
    _np_random_seed: int | None = None

    @property
    def np_random(self) -> np.random.Generator:
        """What this environment draws from: PCG64 of the seed that ``reset`` was given."""
        if self._np_random is None:
            sequence = np.random.SeedSequence()
            entropy: Any = sequence.entropy
            self._np_random = np.random.Generator(np.random.PCG64(sequence))
            self._np_random_seed = int(entropy)
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random = value
        self._np_random_seed = -1

    @property
    def np_random_seed(self) -> int | None:
        """The seed behind ``np_random``; -1 where that was set directly."""
        self.np_random
        return self._np_random_seed

    def close(self) -> None:
        """Nothing is left to close."""


class Env(_Seeded):
    """As gymnasium.Env."""

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self

    def has_wrapper_attr(self, name: str) -> bool:
        """Is there such an attribute?"""
        return hasattr(self, name)

    def get_wrapper_attr(self, name: str) -> Any:
        """An attribute."""
        return getattr(self, name)

    def set_wrapper_attr(self, name: str, value: Any, *, force: bool = True) -> bool:
        """Set an attribute; returns whether it was set: ``force`` sets it even where it is new."""
        if force or hasattr(self, name):
            setattr(self, name, value)
            return True
        return False


class VectorEnv(_Seeded):
    """As gymnasium.vector.VectorEnv."""

    num_envs: int
    closed: bool = False
    single_observation_space: Space
    single_action_space: Space
    observation_space: Space
    action_space: Space
