"""Many environments side by side, on threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from taut._errors import InputError
from taut.envs._gym import Box, VectorEnv, autoreset_mode

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["VectorEnvironment"]

_MODES = {"next_step": "NextStep", "same_step": "SameStep", "disabled": "Disabled"}


class VectorEnvironment(VectorEnv):
    """``count`` environments that are stepped together, with the vector interface of Gymnasium.

    >>> envs = taut.envs.VectorEnvironment(taut.envs.Rolling, 8)
    >>> observations, infos = envs.reset(seed=1)              # seeds 1, 2, ... 8
    >>> observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())

    make: a function without arguments that gives an environment, each time a new one; a class will do.
    threads: None: one for each processor, but no more than environments. The engine works without the interpreter lock.
    autoreset: what happens when an episode ends, in the words of Gymnasium:
        "next_step" (its standard from 1.0 on): the step after begins the next episode: its action is ignored, the reward
        is 0, observation and info are those of reset(). "same_step" (its way before 1.0): the step that ends an episode
        begins the next at once; infos has the last of the old one in "final_obs" and "final_info". "disabled": an
        ended environment must be reset, ``reset(options={"reset_mask": mask})``, before the next step.

    Each environment gives what it gives alone, to the last bit. ``infos[key]`` is an array of all environments,
    ``infos["_" + key]`` says which of them had that key.
    """

    def __init__(
        self, make: Callable[[], Any], count: int, threads: int | None = None, *, autoreset: str = "next_step"
    ) -> None:
        self.closed = True  # until all of it is there
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
            raise InputError(f"count: is {count!r}; expected a whole number, 1 or more")
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise InputError(f"threads: is {threads!r}; expected a whole number, 1 or more")
        if autoreset not in _MODES:
            raise InputError(f"autoreset: is {autoreset!r}; expected one of {', '.join(_MODES)}")
        self.envs: list[Any] = [make() for _ in range(count)]
        if len({id(env) for env in self.envs}) < count:
            raise InputError("make: gave the same environment twice; expected a new one at each call")
        first = self.envs[0]
        self.num_envs, self.autoreset = int(count), autoreset
        self.metadata = {**first.metadata, "autoreset_mode": autoreset_mode(_MODES[autoreset])}
        self.render_mode = first.render_mode
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        for i, env in enumerate(self.envs):
            if env.observation_space != first.observation_space or env.action_space != first.action_space:
                raise InputError(f"make: environment {i} has other spaces than the first")
        self.observation_space = _batch(first.observation_space, self.num_envs)
        self.action_space = _batch(first.action_space, self.num_envs)
        workers = min(self.num_envs, threads or os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(workers, "taut-envs") if workers > 1 else None
        self._workers = workers
        self._ended = np.zeros(self.num_envs, bool)
        self._seen: NDArray[Any] = np.zeros(self.observation_space.shape, self.observation_space.dtype)
        self.closed = False

    # -- episodes ------------------------------------------------------------------------------------------------

    def reset(
        self, seed: int | Sequence[int | None] | None = None, *, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode in each environment, or in those where ``options["reset_mask"]`` is true.

        seed: of the first; the others have those that follow. Or one for each.
        options: for all of them.
        """
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise InputError(f"seed: {len(seeds)} seeds for {self.num_envs} environments; expected one for each")
        left = dict(options or {})
        mask = self._mask(left.pop("reset_mask", None))
        infos: list[dict[str, Any] | None] = [None] * self.num_envs

        def begin(i: int) -> None:
            if mask[i]:
                self._seen[i], infos[i] = self.envs[i].reset(seed=seeds[i], options=dict(left) or None)
                self._ended[i] = False

        self._each(begin)
        return self._seen.copy(), self._gathered(infos)

    def _mask(self, given: Any) -> NDArray[np.bool_]:
        if given is None:
            return np.ones(self.num_envs, bool)
        mask = np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise InputError(f"reset_mask: expected {self.num_envs} truth values, one of them true, got {given!r}")
        return mask

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """A control step of each environment."""
        acted = np.asarray(actions)
        if acted.shape != self.action_space.shape:
            raise InputError(f"actions: have shape {acted.shape}, expected {self.action_space.shape}: a row for each")
        count = self.num_envs
        if self.autoreset == "disabled" and self._ended.any():
            raise InputError(f"step: environment {int(np.argmax(self._ended))} has ended: reset it before the next step")
        rewards, terminations, truncations = np.zeros(count), np.zeros(count, bool), np.zeros(count, bool)
        infos: list[dict[str, Any] | None] = [None] * count

        def act(i: int) -> None:
            env = self.envs[i]
            if self._ended[i]:
                self._seen[i], infos[i] = env.reset()
                self._ended[i] = False
                return
            seen, rewards[i], terminations[i], truncations[i], info = env.step(acted[i])
            over = bool(terminations[i] or truncations[i])
            if over and self.autoreset == "same_step":
                final = {"final_obs": seen, "final_info": info}
                seen, info = env.reset()
                info = {**info, **final}
            else:
                self._ended[i] = over
            self._seen[i], infos[i] = seen, info

        self._each(act)
        return self._seen.copy(), rewards, terminations, truncations, self._gathered(infos)

    def _each(self, work: Callable[[int], None]) -> None:
        """work(i) for every environment: a free thread takes the next one. The first error of the lowest is raised."""
        if self.closed:
            raise RuntimeError("this VectorEnvironment is closed")
        errors: dict[int, BaseException] = {}
        turns = iter(range(self.num_envs))  # next() is one step of the interpreter: no two threads get the same

        def serve() -> None:
            for i in turns:
                try:
                    work(i)
                except BaseException as error:
                    errors[i] = error
                    if not isinstance(error, Exception):  # Ctrl-C
                        return

        if self._pool is None:
            serve()
        else:
            served = [self._pool.submit(serve) for _ in range(self._workers)]
            try:
                wait(served)
            except BaseException:  # Ctrl-C: none may be at work when this returns
                for _ in turns:
                    pass
                wait(served)
                raise
        if errors:
            i = min(errors)
            note = getattr(errors[i], "add_note", None)
            if note is not None:
                note(f"in environment {i} of {self.num_envs}")
            raise errors[i]

    def _gathered(self, infos: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        """As gymnasium.vector.VectorEnv._add_info: an array for each key, and under "_key" who had it."""
        count = self.num_envs
        gathered: dict[str, Any] = {}
        for key in dict.fromkeys(key for info in infos if info for key in info):
            values = [info.get(key) if info else None for info in infos]
            had = np.array([info is not None and key in info for info in infos])
            sample = values[int(np.argmax(had))]
            if isinstance(sample, dict):
                gathered[key] = self._gathered(values)
            else:
                kind = type(sample)
                if key != "final_obs" and (kind in (int, float, bool) or isinstance(sample, np.number)):
                    array = np.zeros(count, kind)
                elif key != "final_obs" and isinstance(sample, np.ndarray):
                    array = np.zeros((count, *sample.shape), sample.dtype)
                else:
                    array = np.full(count, None, object)
                for i in np.flatnonzero(had):
                    array[i] = values[i]
                gathered[key] = array
            gathered["_" + key] = had
        return gathered

    # -- the environments ----------------------------------------------------------------------------------------

    @property
    def unwrapped(self) -> Any:
        """The environment itself."""
        return self

    @property  # type: ignore[misc]
    def np_random(self) -> Any:
        """The generators of the environments."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> Any:
        """Their seeds."""
        return self.get_attr("np_random_seed")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A method of each environment, called; of other attributes their values."""
        found = [getattr(env, name) for env in self.envs]
        return tuple(one(*args, **kwargs) if callable(one) else one for one in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of each environment."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute: a list or tuple has one value for each environment, anything else is for all."""
        each = list(values) if isinstance(values, (list, tuple)) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise InputError(f"set_attr: {len(each)} values for {self.num_envs} environments; expected one for each")
        for env, value in zip(self.envs, each):
            setattr(env, name, value)

    def render(self) -> tuple[Any, ...]:
        """What each environment renders."""
        return self.call("render")

    def close(self, **kwargs: Any) -> None:
        """Close the environments and end the threads."""
        if self.closed:
            return
        self.closed = True
        if self._pool is not None:
            self._pool.shutdown()
        for env in self.envs:
            env.close()

    def __enter__(self) -> VectorEnvironment:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        return f"<VectorEnvironment of {self.num_envs} {self.envs[0]!r}>"


def _batch(space: Any, count: int) -> Any:
    shape = (count, *space.shape)
    return Box(np.broadcast_to(space.low, shape), np.broadcast_to(space.high, shape), shape, space.dtype)
