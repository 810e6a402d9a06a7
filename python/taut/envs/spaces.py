"""Spaces of actions and observations where Gymnasium is not installed: its ``Space`` and ``Box``, with the same samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["Box", "Space"]


class Space:
    """A set of arrays of one shape and dtype that can be sampled."""

    def __init__(
        self, shape: tuple[int, ...], dtype: DTypeLike, seed: int | np.random.Generator | None = None
    ) -> None:
        self._shape = tuple(shape)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._np_random: np.random.Generator | None = None
        if isinstance(seed, np.random.Generator):
            self._np_random = seed
        elif seed is not None:
            self.seed(seed)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of every member."""
        return self._shape

    @property
    def np_random(self) -> np.random.Generator:
        """What ``sample`` draws from; seeded by the system unless ``seed`` was called."""
        if self._np_random is None:
            self.seed()
        assert self._np_random is not None
        return self._np_random

    def seed(self, seed: int | None = None) -> int:
        """Begin the samples anew; returns the seed."""
        sequence = np.random.SeedSequence(seed)
        self._np_random = np.random.Generator(np.random.PCG64(sequence))
        entropy: Any = sequence.entropy
        return int(entropy)

    def sample(self) -> NDArray[Any]:
        """A random member."""
        raise NotImplementedError

    def contains(self, x: object) -> bool:
        """Is x a member?"""
        raise NotImplementedError

    def __contains__(self, x: object) -> bool:
        return self.contains(x)


class Box(Space):
    """All arrays between ``low`` and ``high``, entry by entry; either may be infinite."""

    low: NDArray[Any]
    high: NDArray[Any]

    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        shape: tuple[int, ...] | None = None,
        dtype: DTypeLike = np.float32,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        if shape is None:
            shape = np.broadcast_shapes(np.shape(low), np.shape(high))
        super().__init__(shape, dtype, seed)
        self.low = np.broadcast_to(np.asarray(low, self.dtype), shape).copy()
        self.high = np.broadcast_to(np.asarray(high, self.dtype), shape).copy()
        if not (self.low <= self.high).all():
            raise ValueError("Box: low is above high in some entry, or not a number")
        self.bounded_below: NDArray[np.bool_] = np.isfinite(self.low)
        self.bounded_above: NDArray[np.bool_] = np.isfinite(self.high)

    def is_bounded(self, manner: str = "both") -> bool:
        """Is every entry bounded? manner: both, below or above."""
        below, above = bool(self.bounded_below.all()), bool(self.bounded_above.all())
        return {"both": below and above, "below": below, "above": above}[manner]

    def sample(self) -> NDArray[Any]:
        """Uniform where an entry is bounded, exponential on a half line, normal on the line."""
        rng, below, above = self.np_random, self.bounded_below, self.bounded_above
        sample = np.empty(self.shape)
        free, under, over, both = ~below & ~above, ~below & above, below & ~above, below & above
        sample[free] = rng.normal(size=free[free].shape)
        sample[over] = rng.exponential(size=over[over].shape) + self.low[over]
        sample[under] = -rng.exponential(size=under[under].shape) + self.high[under]
        sample[both] = rng.uniform(self.low[both], self.high[both], size=both[both].shape)
        return sample.astype(self.dtype)

    def contains(self, x: object) -> bool:
        """Is x an array of this shape, of a dtype that fits, within the bounds?"""
        array = np.asarray(x)
        return (
            array.dtype.kind in "biuf"
            and np.can_cast(array.dtype, self.dtype)
            and array.shape == self.shape
            and bool((array >= self.low).all() and (array <= self.high).all())
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Box)
            and self.shape == other.shape
            and self.dtype == other.dtype
            and bool((self.low == other.low).all() and (self.high == other.high).all())
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        def brief(bound: NDArray[Any]) -> str:
            return str(bound.min()) if bound.size and bound.min() == bound.max() else str(bound)

        return f"Box({brief(self.low)}, {brief(self.high)}, {self.shape}, {self.dtype})"
