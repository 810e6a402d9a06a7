"""Environments side by side on threads, and the same as those of Gymnasium."""

import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_envs import Tower, digest, episode

import taut
from taut.envs import Reach, Rolling, VectorEnvironment, tower_on_base

DRAWS = {"cables.*.stiffness": (0.8, 1.2, "relative")}
TOP = max(tower_on_base().positions, key=lambda position: position[2])


def short() -> Reach:
    """Episodes end by their duration, and some of them at the target."""
    return Reach(duration=0.4, within=0.05, target=near_the_top, randomise=DRAWS, noise=0.01, delay=1)


def near_the_top(rng: np.random.Generator) -> Any:
    return TOP + rng.normal(0.0, 0.06, 3)


def alone(count: int, steps: int, seed: int, mode: str, actions: Any) -> list[list[Any]]:
    """What `count` environments give one after the other, each by itself, with the same autoreset."""
    stories = []
    for i in range(count):
        env = short()
        seen, info = env.reset(seed=seed + i)
        story: list[Any] = [(seen, info["seed"])]
        over = False
        for k in range(steps):
            if over and mode == "next_step":
                seen, info = env.reset()
                story.append((seen, 0.0, False, False, info["seed"], None))
                over = False
                continue
            seen, reward, terminated, truncated, info = env.step(actions[k, i])
            over = terminated or truncated
            final = None
            if over and mode == "same_step":
                final = (seen, info)
                seen, info = env.reset()
            story.append((seen, reward, terminated, truncated, info.get("seed", 0), final))
        stories.append(story)
    return stories


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("threads", [1, 3])
def test_together_they_are_what_they_are_alone(mode: str, threads: int) -> None:
    count, steps = 5, 40
    envs = VectorEnvironment(short, count, threads, autoreset=mode)
    actions = np.random.default_rng(3).uniform(-1, 1, (steps, *envs.action_space.shape))
    expected = alone(count, steps, 11, mode, actions)
    seen, infos = envs.reset(seed=11)
    assert seen in envs.observation_space and seen.shape == (count, *envs.single_observation_space.shape)
    ends = 0
    for i in range(count):
        assert np.array_equal(seen[i], expected[i][0][0]) and infos["seed"][i] == expected[i][0][1] == 11 + i
    for k in range(steps):
        before, kept = seen, seen.copy()
        seen, rewards, terminations, truncations, infos = envs.step(actions[k])
        assert np.array_equal(before, kept)  # what was returned stays
        assert rewards.dtype == np.float64 and terminations.dtype == truncations.dtype == bool
        for i in range(count):
            single = expected[i][k + 1]
            assert np.array_equal(seen[i], single[0])  # to the last bit
            assert (rewards[i], terminations[i], truncations[i]) == single[1:4]
            if single[4]:
                assert infos["seed"][i] == single[4] and infos["_seed"][i] and infos["drawn"]["_cables.*.stiffness"][i]
            if single[5] is not None:
                assert np.array_equal(infos["final_obs"][i], single[5][0]) and infos["_final_obs"][i]
                assert infos["final_info"]["time"][i] == single[5][1]["time"]
        ends += int((terminations | truncations).sum())
    assert ends >= 20 and any(single[2] for story in expected for single in story[1:])  # by both ways
    envs.close()


def test_without_autoreset_the_learner_resets() -> None:
    envs = VectorEnvironment(lambda: Tower(rate=20, duration=0.1), 3, autoreset="disabled")
    envs.reset(seed=1)
    actions = np.zeros(envs.action_space.shape)
    envs.step(actions)
    *_, truncations, _ = envs.step(actions)
    assert truncations.all()
    with pytest.raises(taut.InputError, match="environment 0 has ended: reset it"):
        envs.step(actions)
    seen, infos = envs.reset(options={"reset_mask": np.array([True, False, False])})
    assert list(infos["_seed"]) == [True, False, False]
    with pytest.raises(taut.InputError, match="environment 1 has ended"):
        envs.step(actions)
    envs.reset(seed=[None, 5, 6], options={"reset_mask": np.array([False, True, True])})
    envs.step(actions)
    with pytest.raises(taut.InputError, match="reset_mask: expected 3 truth values"):
        envs.reset(options={"reset_mask": [True, False]})


def test_infos_are_arrays_with_masks() -> None:
    class Odd(Tower):
        def terminated(self, sim: taut.Simulation) -> bool:
            return False

        def act(self, sim: taut.Simulation, action: Any) -> None:
            if action[0] > 0.5:
                raise taut.RunError("broken")
            super().act(sim, action)

    envs = VectorEnvironment(Odd, 3, 1)
    envs.reset(seed=0)
    actions = np.zeros((3, 9))
    actions[1, 0] = 1.0
    _, rewards, terminations, _, infos = envs.step(actions)
    assert list(terminations) == [False, True, False] and rewards[1] == 0.0
    assert list(infos["_error"]) == [False, True, False] and infos["error"][1] == "broken" and infos["error"][0] is None
    assert infos["energy"]["elastic"][0] == infos["energy"]["elastic"][2] > 0.0 == infos["energy"]["elastic"][1]
    assert infos["time"].dtype == float and infos["_time"].all()


def test_the_environments_are_at_hand() -> None:
    with VectorEnvironment(lambda: Tower(render_mode="ansi"), 3, 2) as envs:
        assert envs.num_envs == len(envs) == 3 and not envs.closed and envs.unwrapped is envs
        envs.reset(seed=[4, None, 6])
        assert envs.np_random_seed[0] == 4 and envs.np_random_seed[2] == 6
        assert envs.call("reset", seed=2)[1][1]["seed"] == 2 and envs.get_attr("time") == (0.0, 0.0, 0.0)
        envs.set_attr("mark", [1, 2, 3])
        assert envs.get_attr("mark") == (1, 2, 3) and len(envs.render()) == 3
        with pytest.raises(taut.InputError, match="2 values for 3"):
            envs.set_attr("mark", [1, 2])
        assert envs.action_space.sample() in envs.action_space
        assert envs.metadata["render_fps"] == 50
    assert envs.closed
    with pytest.raises(RuntimeError, match="closed"):
        envs.reset()
    envs.close()
    before = threading.active_count()
    for _ in range(20):  # threads end with their environments, closed or not
        VectorEnvironment(Tower, 2, 2).reset()
    assert threading.active_count() <= before + 2


def test_mistakes_are_told_with_the_number_of_the_environment() -> None:
    envs = VectorEnvironment(Tower, 3, 2)
    envs.reset(seed=0)
    with pytest.raises(taut.InputError, match=r"actions: have shape \(9,\), expected \(3, 9\)"):
        envs.step(np.zeros(9))
    actions = np.zeros((3, 9))
    actions[2, 4] = np.nan
    with pytest.raises(taut.InputError, match="is nan for input 4") as refused:
        envs.step(actions)
    assert getattr(refused.value, "__notes__", ["in environment 2 of 3"]) == ["in environment 2 of 3"]
    one = Tower()
    for make, count, options, words in (
        (Tower, 0, {}, "count: is 0"),
        (Tower, 2, {"threads": 0}, "threads: is 0"),
        (Tower, 2, {"autoreset": "later"}, "expected one of next_step, same_step, disabled"),
        (lambda: one, 2, {}, "the same environment twice"),
        (iter([Tower(), Tower(inputs="a1-*")]).__next__, 2, {}, "environment 1 has other spaces"),
    ):
        with pytest.raises(taut.InputError, match=words):
            VectorEnvironment(make, count, **options)
    with pytest.raises(taut.InputError, match="2 seeds for 3"):
        envs.reset(seed=[1, 2])


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_the_step_and_the_next_episode_is_whole(threads: int) -> None:
    class Interrupted(Tower):
        armed = False

        def act(self, sim: taut.Simulation, action: Any) -> None:
            if self.armed:
                raise KeyboardInterrupt
            super().act(sim, action)

    envs = VectorEnvironment(Interrupted, 4, threads)
    first, _ = envs.reset(seed=3)
    envs.envs[1].armed = True
    with pytest.raises(KeyboardInterrupt):
        envs.step(envs.action_space.sample())
    envs.envs[1].armed = False
    assert np.array_equal(envs.reset(seed=3)[0], first)
    assert envs.step(np.zeros((4, 9)))[0].shape == first.shape


# -- Gymnasium -----------------------------------------------------------------------------------------------------

# What taut uses of Gymnasium 1, and no more: a stand-in, so that this side runs where it is not installed.
STAND_IN = {
    "__init__.py": """
from gymnasium import spaces, vector
registry = {}
class Env:
    metadata = {"render_modes": []}
    render_mode = None
    spec = None
    _np_random = None
    _np_random_seed = None
    @property
    def unwrapped(self):
        return self
    @property
    def np_random_seed(self):
        return self._np_random_seed
    @property
    def np_random(self):
        return self._np_random
    @np_random.setter
    def np_random(self, value):
        self._np_random, self._np_random_seed = value, -1
    def close(self):
        pass
def register(id, entry_point, vector_entry_point=None):
    assert id not in registry
    registry[id] = entry_point
def make(id, **options):
    import importlib
    module, name = registry[id].split(":")
    return getattr(importlib.import_module(module), name)(**options)
""",
    "spaces.py": """
import numpy as np
class Box:
    def __init__(self, low, high, shape=None, dtype=np.float32, seed=None):
        self.low, self.high = np.full(shape, low, dtype), np.full(shape, high, dtype)
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
    def __eq__(self, other):
        return np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)
""",
    "vector.py": """
import enum
class AutoresetMode(enum.Enum):
    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"
class VectorEnv:
    closed = False
    spec = None
""",
}

SCRIPT = """
import json, gymnasium, taut.envs
from test_envs import digest, episode, MIXED, Tower
vector = taut.envs.reach_vector(2, threads=2, max_episode_steps=7)
rolling = gymnasium.make("taut/Rolling-v0", noise=0.01).unwrapped
print(json.dumps({
    "bases": [isinstance(rolling, gymnasium.Env), isinstance(rolling, taut.envs.Rolling),
              isinstance(rolling.action_space, gymnasium.spaces.Box), isinstance(vector, gymnasium.vector.VectorEnv),
              isinstance(rolling.observation_space, gymnasium.spaces.Box)],
    "registered": sorted(id for id in gymnasium.registry if id.startswith("taut/")),
    "mode": str(vector.metadata["autoreset_mode"]),
    "duration": vector.envs[0]._steps_in_all,
    "stories": [digest(episode(rolling, 3)), digest(episode(Tower(**MIXED), 7))],
}))
"""


def under(gymnasium: Path | None) -> dict[str, Any]:
    folders = [str(gymnasium)] if gymnasium else []
    path = os.pathsep.join([*folders, *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def require_the_same_under(gymnasium: Path | None) -> None:
    from test_envs import MIXED

    found = under(gymnasium)
    assert found["bases"] == [True] * 5 and found["registered"] == ["taut/Reach-v0", "taut/Rolling-v0"]
    assert found["mode"] in ("AutoresetMode.NEXT_STEP", "NextStep") and found["duration"] == 7
    assert found["stories"] == [digest(episode(Rolling(noise=0.01), 3)), digest(episode(Tower(**MIXED), 7))]


def test_under_gymnasium_they_are_its_environments_and_the_same_to_the_last_bit(tmp_path: Path) -> None:
    for name, text in STAND_IN.items():
        file = tmp_path / "gymnasium" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    require_the_same_under(tmp_path)


def test_with_gymnasium_itself() -> None:
    """Where it is installed: its own checker, and its vector environment beside ours."""
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it finds unbounded observations unusual
        for kind in (Rolling, Reach):
            check_env(kind())
    require_the_same_under(None)
    mode = "next_step" if gymnasium.__version__ >= "1" else "same_step"
    ours, theirs = VectorEnvironment(short, 3, autoreset=mode), gymnasium.vector.SyncVectorEnv([short] * 3)
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    assert np.array_equal(ours.reset(seed=7)[0], theirs.reset(seed=7)[0])
    for _ in range(20):
        action = ours.action_space.sample()
        a, b = ours.step(action), theirs.step(action)
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4]))
        assert set(a[4]) == set(b[4]) or mode == "same_step"  # there they had other names
