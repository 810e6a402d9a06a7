"""Seeds of episodes, and the generators that belong to each."""

from __future__ import annotations

import numpy as np

from taut._errors import InputError

__all__ = ["Seeds"]

_STREAMS = ("draws", "noise")


class Seeds:
    """A sequence of episodes: the first has the seed that was given, the n-th one that is a function of it and of n."""

    def __init__(self) -> None:
        self.root: int | None = None  # what was given, or the system's
        self.seed = 0  # of the present episode
        self._episode = 0

    def next(self, given: int | None) -> None:
        """The episode that begins has the given seed, or that of the next in the sequence. Raises InputError."""
        if given is not None:
            if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not 0 <= given < 2**63:
                raise InputError(f"seed: is {given!r}; expected a whole number from 0 to 2**63 - 1")
            self.root = self.seed = int(given)
            self._episode = 0
        elif self.root is None:
            self.root = self.seed = _number(np.random.SeedSequence())
            self._episode = 0
        else:
            self._episode += 1
            self.seed = _number(np.random.SeedSequence(self.root, spawn_key=(0, self._episode)))

    @staticmethod
    def generator(seed: int) -> tuple[np.random.Generator, int]:
        """As gymnasium.utils.seeding.np_random."""
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed))), seed

    def stream(self, name: str) -> np.random.Generator:
        """A generator of the present episode for one purpose, so that what one draws does not shift the others."""
        key = (1 + _STREAMS.index(name),)
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=key)))


def _number(sequence: np.random.SeedSequence) -> int:
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
