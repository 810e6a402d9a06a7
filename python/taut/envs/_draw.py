"""Domain randomisation: values by key path that are drawn anew for every episode."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from taut._errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from taut._model import Model

    Array = NDArray[np.float64]

__all__ = ["Draws"]

_KINDS = ("uniform", "log_uniform", "normal", "choice")
_FORMS = (
    '(low, high), ("uniform", low, high), ("log_uniform", low, high), ("normal", mean, deviation), '
    '("choice", [values]), each with "relative" or "each" at the end if wanted, or a function of a numpy Generator'
)


class Draws:
    """What is drawn, by key path.

    ``(low, high)`` is uniform. "relative": the model gets its own value times what was drawn. "each", for keys with
    ``*``: a draw of its own for every entity; otherwise they share one.
    """

    def __init__(self, model: Model, given: Mapping[str, Any] | None) -> None:
        """Raises InputError: a key that is not known, a draw that is none, a value that is not there to be scaled."""
        self._draws = [_Draw(model, key, what) for key, what in (given or {}).items()]

    def __bool__(self) -> bool:
        return bool(self._draws)

    def draw(self, rng: np.random.Generator) -> tuple[dict[str, Any], dict[str, Any]]:
        """What was drawn, by the keys that were given; and the values by key path that a model takes."""
        drawn: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for one in self._draws:
            drawn[one.key], settings = one.draw(rng)
            values.update(settings)
        return drawn, values


class _Draw:
    def __init__(self, model: Model, key: str, what: Any) -> None:
        self.key = key
        self._base = model.get(key)
        self._relative = self._each = False
        if callable(what):
            self._sample: Callable[[np.random.Generator], Any] = what
        else:
            self._sample = self._sampler(self._words(what))
        self._many = "*" in key
        if self._each and not self._many:
            raise InputError(f'randomise "{key}": "each" is for keys with *')
        if self._relative:
            self._require_numbers()
        self._keys = _entity_keys(model, key, len(self._base)) if self._many and isinstance(self._base, list) else [key]
        # One key and one value where all entities have the same.
        self._alike = self._many and isinstance(self._base, list) and all(b == self._base[0] for b in self._base)

    def _refuse(self, what: object) -> InputError:
        return InputError(f'randomise "{self.key}": cannot be {what!r}: expected {_FORMS}')

    def _words(self, what: Any) -> list[Any]:
        """The kind and its numbers; "relative" and "each" go into flags."""
        if isinstance(what, (str, bytes)) or not isinstance(what, (Sequence, np.ndarray)):
            raise self._refuse(what)
        words = list(what)
        while words and isinstance(words[-1], str) and words[-1] in ("relative", "each"):
            self._relative |= words[-1] == "relative"
            self._each |= words[-1] == "each"
            words.pop()
        if not words or not isinstance(words[0], str):
            words.insert(0, "uniform")
        if words[0] not in _KINDS or len(words) != (2 if words[0] == "choice" else 3):
            raise self._refuse(what)
        return words

    def _sampler(self, words: list[Any]) -> Callable[[np.random.Generator], Any]:
        kind = words[0]
        if kind == "choice":
            values = list(words[1]) if isinstance(words[1], (list, tuple, np.ndarray)) else []
            if not values or (self._relative and not all(_numbers(_plain(value)) for value in values)):
                raise self._refuse(tuple(words))
            return partial(_choice, values)
        try:
            a, b = np.broadcast_arrays(*(np.asarray(word, float) for word in words[1:]))
        except (TypeError, ValueError):
            raise self._refuse(tuple(words)) from None
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise self._refuse(tuple(words))
        if kind == "normal":
            if (b < 0).any():
                raise InputError(f'randomise "{self.key}": the deviation of a normal draw is below 0')
            return partial(_normal, a, b)
        if (a > b).any():
            raise InputError(f'randomise "{self.key}": from {_plain(a)} to {_plain(b)}: the low end is above the high one')
        if kind == "uniform":
            return partial(_uniform, a, b - a)
        if (a <= 0).any():
            raise InputError(f'randomise "{self.key}": a log_uniform draw needs ends above 0, not {_plain(a)}')
        return partial(_log_uniform, a, b / a)

    def _require_numbers(self) -> None:
        base = self._base if self._many and isinstance(self._base, list) else [self._base]
        if not base or not all(_numbers(value) for value in base):
            raise InputError(
                f'randomise "{self.key}": the model has no number there that a relative draw could scale '
                f"(it has {self._base!r}): give absolute values, or set the key first"
            )

    def draw(self, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        drawn = [_plain(self._sample(rng)) for _ in self._keys] if self._each else _plain(self._sample(rng))
        if not self._relative:
            return drawn, dict(zip(self._keys, drawn)) if self._each else {self.key: drawn}
        if not self._many:
            return drawn, {self.key: _times(self._base, drawn)}
        if self._alike and not self._each:
            return drawn, {self.key: _times(self._base[0], drawn)}
        factors = drawn if self._each else [drawn] * len(self._keys)
        return drawn, {key: _times(base, factor) for key, base, factor in zip(self._keys, self._base, factors)}


def _choice(values: list[Any], rng: np.random.Generator) -> Any:
    return values[int(rng.integers(len(values)))]


def _uniform(low: Array, span: Array, rng: np.random.Generator) -> Any:
    return low + span * rng.random(low.shape)


def _normal(mean: Array, deviation: Array, rng: np.random.Generator) -> Any:
    return mean + deviation * rng.standard_normal(mean.shape)


def _log_uniform(low: Array, ratio: Array, rng: np.random.Generator) -> Any:
    # The power of the C library, as in the engine: numpy's own depends on the processor.
    return low * np.vectorize(math.pow, otypes=[float])(ratio, rng.random(low.shape))


def _numbers(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return bool(value) and all(_numbers(v) for v in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _times(base: Any, factor: Any) -> Any:
    return _plain(np.asarray(base, float) * np.asarray(factor, float))


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as Python's."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _entity_keys(model: Model, key: str, count: int) -> list[str]:
    """The key of each entity that a ``*`` stands for: nodes by name, all others by number."""
    section, _, rest = key.partition(".*")
    if "*" in rest:
        raise InputError(f'randomise "{key}": one * is understood, not more')
    names = [f'"{name}"' for name in model.nodes] if section == "nodes" else [str(i) for i in range(count)]
    return [f"{section}.{name}{rest}" for name in names]
