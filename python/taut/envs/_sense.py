"""From what an environment observes to what its learner sees: one array, with noise and delay."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Generic, Mapping, TypeVar

import numpy as np

from taut._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Delay", "Layout", "whole"]

Item = TypeVar("Item")


class Layout:
    """Where each part of an observation stands in the array that the learner sees."""

    def __init__(self, observed: Any, dtype: DTypeLike) -> None:
        """Of a first observation: an array, or arrays by name."""
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.named = isinstance(observed, Mapping)
        self.parts: dict[str, slice] = {}
        self.size = 0
        for name, value in self._items(observed):
            size = _numbers(name, value).size
            self.parts[name] = slice(self.size, self.size + size)
            self.size += size
        if self.size == 0:
            raise InputError("observe: returned nothing: expected an array of numbers, or arrays by name")

    @staticmethod
    def _items(observed: Any) -> list[tuple[str, Any]]:
        return list(observed.items()) if isinstance(observed, Mapping) else [("observation", observed)]

    def flat(self, observed: Any) -> NDArray[Any]:
        """All parts in a row. Raises InputError where an observation is not like the first, or holds no number."""
        out = np.empty(self.size, self.dtype)
        items = self._items(observed)
        if len(items) != len(self.parts):
            raise InputError(f"observe: returned {len(items)} parts, at first {len(self.parts)}")
        for name, value in items:
            where = self.parts.get(name)
            array = _numbers(name, value)
            if where is None or array.size != where.stop - where.start:
                raise InputError(
                    f'observe: "{name}" has {array.size} numbers, '
                    + ("but was not there at first" if where is None else f"at first {where.stop - where.start}")
                )
            out[where] = array.ravel()
        if not np.isfinite(out).all():
            bad = next(name for name, where in self.parts.items() if not np.isfinite(out[where]).all())
            raise InputError(f'observe: "{bad}" is not finite')
        return out

    def deviations(self, noise: Any) -> NDArray[np.float64] | None:
        """Standard deviation of the noise of each number; None for none at all."""
        if noise is None:
            return None
        sigma = np.zeros(self.size)
        if not isinstance(noise, Mapping):
            self._spread(sigma, "noise", noise)
        else:
            for name, value in noise.items():
                if name not in self.parts:
                    raise InputError(f'noise: there is no part "{name}" in the observation: {", ".join(self.parts)}')
                self._spread(sigma[self.parts[name]], f'noise "{name}"', value)
        return sigma if sigma.any() else None

    @staticmethod
    def _spread(sigma: NDArray[np.float64], what: str, value: Any) -> None:
        array = _numbers(what, value).ravel()
        if array.size not in (1, sigma.size):
            raise InputError(f"{what}: has {array.size} numbers, expected one, or one for each of {sigma.size}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise InputError(f"{what}: a standard deviation is a finite number, 0 or more")
        sigma[:] = array


def _numbers(name: str, value: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(value, float)
    except (TypeError, ValueError):
        raise InputError(f'"{name}": expected numbers, got {value!r}') from None


class Delay(Generic[Item]):
    """Gives back what was put in ``steps`` steps before; at first, what it began with."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._line: deque[Item] = deque()

    def begin(self, first: Item) -> None:
        self._line = deque([first] * self._steps)

    def __call__(self, now: Item) -> Item:
        if self._steps == 0:
            return now
        self._line.append(now)
        return self._line.popleft()


def whole(name: str, value: Any) -> int:
    """A number of control steps. Raises InputError where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        raise InputError(f"{name}: is {value!r}; expected a whole number of control steps, 0 or more")
    return int(value)
