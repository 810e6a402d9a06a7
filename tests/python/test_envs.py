"""The base class of environments: actions, observations, draws, noise, delay, seeds, and what goes wrong."""

import copy
import hashlib
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taut
from taut.envs import Environment, Rolling
from taut.envs.spaces import Box

G = 9.81


class Tower(Environment):
    """A prism on a fixed base; its reward is the height of a node."""

    def __init__(self, **options: Any) -> None:
        model = options.pop("model", None) or taut.generate("prism", fixed=1, damping=5.0)
        super().__init__(model, **{"integrator": "dopri5", "tolerance": 1e-9, "duration": 1.0, **options})

    def reward(self, sim: taut.Simulation, action: Any) -> float:
        return float(sim.nodes[3, 2])


class Hoist(Environment):
    """A load on a rope."""

    def __init__(self, **options: Any) -> None:
        model = taut.Model("hoist")
        hook = model.add_node("hook", [0, 0, 2], fixed=True)
        load = model.add_node("load", [0, 0, 1], mass=2.0)
        model.add_cable([hook, load], stiffness=800.0, damping=40.0, rest_length=1.0 - 2.0 * G / 800.0, name="rope")
        model.set({"environment.gravity": [0, 0, -G], "simulation.integrator": "dopri5"})
        super().__init__(model, **{"duration": 2.0, "tolerance": 1e-9, **options})

    def reward(self, sim: taut.Simulation, action: Any) -> float:
        return 0.0


class Ball(Environment):
    """A ball that falls, beside a rope that has no part in it."""

    def __init__(self, **options: Any) -> None:
        model = taut.Model("ball")
        a = model.add_node("a", [0, 0, 0], fixed=True)
        b = model.add_node("b", [1, 0, 0], fixed=True)
        model.add_node("ball", [0, 0, 5], mass=1.0)
        model.add_cable([a, b], stiffness=100.0, rest_length=0.9)
        model.add_cable([a, b], stiffness=200.0, rest_length=0.9, name="second")
        model.set({"environment.gravity": [0, 0, -G], "simulation.integrator": "rk4"})
        super().__init__(model, **{"duration": 1.0, **options})

    def observe(self, sim: taut.Simulation) -> Any:
        return {"ball": sim.nodes[2], "height": sim.nodes[2, 2]}

    def reward(self, sim: taut.Simulation, action: Any) -> float:
        return 0.0


def episode(env: Any, seed: int | None, steps: int = 8, **options: Any) -> list[Any]:
    """Observations, rewards, times and what was drawn under actions of a seed of their own."""
    rng = np.random.default_rng(99)
    seen, info = env.reset(seed=seed, **options)
    story = [seen, info["seed"], sorted(info.get("drawn", {}).items())]
    for _ in range(steps):
        seen, reward, terminated, truncated, info = env.step(rng.uniform(-1, 1, env.action_space.shape))
        story += [seen, reward, terminated, truncated, info["time"]]
        if terminated or truncated:
            break
    return story


def digest(story: list[Any]) -> str:
    """Of every bit of an episode."""
    code = hashlib.sha256()
    for part in story:
        code.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return code.hexdigest()


# -- the interface -------------------------------------------------------------------------------------------------


def test_an_episode_has_the_form_of_gymnasium() -> None:
    env = Tower(rate=20)
    assert env.unwrapped is env and env.spec is None and env.render_mode is None and env.render() is None
    assert env.metadata["render_modes"] == ["rgb_array", "ansi"] and env.metadata["render_fps"] == 20
    seen, info = env.reset(seed=3)
    assert env.np_random_seed == 3 and info["seed"] == 3 and info["time"] == 0.0 and "drawn" not in info
    assert seen in env.observation_space and seen.dtype == np.float64 and env.observation_space.shape == (6 * 6 + 9,)
    assert env.action_space.shape == (9,) and env.inputs == list(env.simulation.inputs)
    assert env.parts == {"nodes": slice(0, 18), "velocities": slice(18, 36), "rest_lengths": slice(36, 45)}
    assert np.array_equal(seen[:18].reshape(6, 3), env.simulation.nodes)
    for step in range(1, 21):
        seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert seen in env.observation_space and type(reward) is float and not terminated
        assert info["time"] == env.time == pytest.approx(step / 20, rel=1e-15)
        assert env.simulation.time == pytest.approx(step / 20, rel=1e-12)
        assert truncated == (step == 20)  # the duration is 1 s
    with pytest.raises(RuntimeError, match="reset"):
        env.step(env.action_space.sample())
    env.reset()
    env.close()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(env.action_space.sample())
    with Tower() as again, pytest.raises(RuntimeError, match="reset"):
        again.step(again.action_space.sample())


def test_what_an_episode_returned_does_not_change() -> None:
    env = Tower()
    first, _ = env.reset(seed=1)
    kept = first.copy()
    env.step(env.action_space.high)
    assert np.array_equal(first, kept)
    first[:] = 0.0  # nor does the environment see what is done to it
    assert np.array_equal(env.reset(seed=1)[0], kept)
    assert np.array_equal(env.reset(1)[0], kept)
    env = Tower(delay=2)
    env.reset(seed=1)
    for _ in range(2):  # the first one again, twice
        seen = env.step(np.ones(9))[0]
        assert np.array_equal(seen, kept)
        seen[:] = 0.0


def test_box_samples_what_it_contains() -> None:
    low, high = np.array([-1.0, 0.0, -math.inf, -math.inf]), np.array([2.0, math.inf, 5.0, math.inf])
    box = Box(low, high, dtype=np.float64, seed=4)
    samples = np.array([box.sample() for _ in range(4000)])
    assert all(sample in box for sample in samples)
    # Uniform on [-1, 2], exponential above 0 and below 5, normal: means and deviations, within 5 of their errors.
    for column, mean, deviation in ((0, 0.5, 3 / math.sqrt(12)), (1, 1.0, 1.0), (2, 4.0, 1.0), (3, 0.0, 1.0)):
        assert samples[:, column].mean() == pytest.approx(mean, abs=5 * deviation / math.sqrt(4000))
        assert samples[:, column].std() == pytest.approx(deviation, rel=0.12)
    assert np.array_equal(Box(low, high, dtype=np.float64, seed=4).sample(), samples[0])
    assert np.array([3.0, 1.0, 0.0, 0.0]) not in box and np.zeros(3) not in box and "four" not in box
    assert np.zeros(4, np.float32) in box and np.zeros(4) not in Box(-1, 1, (4,), np.float32)
    assert Box(-1, 1, (2,)) == Box([-1, -1], 1) != Box(-1, 2, (2,))
    assert not box.is_bounded() and Box(-1, 1, (2,)).is_bounded()
    with pytest.raises(ValueError, match="low is above high"):
        Box(1, -1, (2,))


def test_float32_and_own_space() -> None:
    env = Tower(dtype=np.float32, noise=0.01)
    env.observation_space = Box(-9, 9, env.observation_space.shape, np.float32)
    seen, _ = env.reset(seed=1)
    assert seen.dtype == np.float32 and seen in env.observation_space and env.observation_space.is_bounded()


# -- actions -------------------------------------------------------------------------------------------------------


def test_no_action_leaves_what_is_in_balance_at_rest() -> None:
    for kind in ("lengths", "rates"):
        env = Tower(action=kind, speed=0.5)
        env.reset(seed=0)
        start = env.simulation.nodes.copy()
        rewards = [env.step(np.zeros(9))[1] for _ in range(50)]
        # The generated prism is in equilibrium to rounding, and nothing moves its rest lengths.
        assert np.abs(env.simulation.nodes - start).max() < 1e-9
        assert np.ptp(rewards) < 1e-9 and env.work < 1e-9


def test_lengths_are_reached_at_the_speed_of_the_winch() -> None:
    env = Tower(rate=20, bounds=(0.9, 1.05), speed=0.2, duration=None)
    env.reset(seed=0)
    start = env.simulation.rest_lengths.copy()
    action = np.linspace(-1, 1, 9)
    target = start * np.where(action > 0, 1 + 0.05 * action, 1 + 0.1 * action)
    for step in range(1, 20):
        env.step(action)
        way = np.minimum(np.abs(target - start), 0.2 * step / 20)  # never faster, and no further
        assert np.allclose(env.simulation.rest_lengths, start + np.sign(action) * way, rtol=0, atol=1e-12)
    for _ in range(20):
        env.step(np.full(9, 40.0))  # beyond 1 is 1
    assert np.allclose(env.simulation.rest_lengths, 1.05 * start, rtol=1e-12)


def test_rates_wind_until_the_bound() -> None:
    env = Tower(rate=50, action="rates", bounds=(0.95, 1.1), speed=0.1, inputs=["a*-b*"])
    assert env.inputs and set(env.inputs) < set(env.simulation.inputs)
    env.reset(seed=0)
    start = env.simulation.rest_lengths.copy()
    driven = np.array([name in env.inputs for name in env.model.cables])
    half = np.full(len(env.inputs), -0.5)
    for step in range(1, 51):
        env.step(half)
        expected = np.maximum(start - 0.5 * 0.1 * step / 50, 0.95 * start)
        assert np.allclose(env.simulation.rest_lengths[driven], expected[driven], rtol=0, atol=1e-12)
        assert np.array_equal(env.simulation.rest_lengths[~driven], start[~driven])


def test_bounds_by_name_and_in_metres() -> None:
    env = Tower(duration=None, bounds={"*": (0.9, 1.1), "a1-a2": (0.3, 0.95, "absolute")})
    env.reset(seed=0)
    start = env.simulation.rest_lengths.copy()
    which = env.model.cables.index("a1-a2")
    env.step(-np.ones(9))
    assert env.simulation.rest_lengths[which] == pytest.approx(0.3, rel=1e-12)
    assert np.allclose(np.delete(env.simulation.rest_lengths / start, which), 0.9, rtol=1e-12)


def arm() -> taut.Model:
    """A box of 1 m and 2 kg that turns about a hinge at its end."""
    return taut.loads(
        """
        environment = { gravity = [0, 0, 0] }
        bodies = [{ name = "arm", nodes = [], shape = "box", size = [1.0, 0.1, 0.1], mass = 2.0, centre = [0.5, 0, 0] }]
        joints = [{ name = "hinge", kind = "revolute", bodies = ["ground", "arm"], at = [0, 0, 0], axis = [0, 0, 1] }]
        simulation = { integrator = "dopri5", tolerance = 1e-10 }
        """
    )


class Arm(Environment):
    def observe(self, sim: taut.Simulation) -> Any:
        return sim.joints

    def reward(self, sim: taut.Simulation, action: Any) -> float:
        return -self.work


@pytest.mark.parametrize("action", [1.0, -0.5, 4.0])
def test_a_torque_is_its_action_times_the_limit(action: float) -> None:
    """Constant torque from rest: angle = T t^2 / 2 I, kinetic energy = work of the engine = torque times angle."""
    env = Arm(arm(), torque={"hinge": 3.0}, rate=20, duration=1.0)
    assert env.inputs == ["hinge"]
    env.reset(seed=0)
    limited = min(1.0, action)
    inertia = 2.0 * (1.0**2 + 0.1**2) / 12 + 2.0 * 0.5**2
    done = 0.0
    for step in range(1, 21):
        seen, reward, _, _, info = env.step([action])
        t = step / 20
        assert seen[0] == pytest.approx(3.0 * limited * t * t / (2 * inertia), rel=1e-8)
        done -= reward
    assert done == pytest.approx(3.0 * limited * seen[0], rel=1e-9)
    assert info["energy"]["kinetic"] == pytest.approx(done, rel=1e-8)
    assert info["energy"]["work"] == pytest.approx(done, rel=1e-8)
    with pytest.raises(taut.InputError, match='torque: "hinge" is a torque: give the one of action 1'):
        Arm(arm())
    with pytest.raises(taut.InputError, match='no input "hing" .did you mean "hinge"'):
        Arm(arm(), torque={"hing": 3.0})


def test_the_motion_is_that_of_a_bare_simulation() -> None:
    """... under the same commands, to the last bit: looking at it disturbs nothing."""
    env = Rolling(speed=0.3, bounds=(0.7, 1.2))
    sim = taut.Simulation(env.model)
    start = sim.rest_lengths.copy()
    rng = np.random.default_rng(1)
    env.reset(seed=0)
    for _ in range(60):
        action = rng.uniform(-1, 1, 24)
        env.step(action)
        target = start + action * np.where(action > 0, 1.2 * start - start, start - 0.7 * start)
        now = sim.rest_lengths.copy()
        sim.command(np.clip(target, now - 0.3 * 0.05, now + 0.3 * 0.05), over=0.05)
        sim.advance(0.05)
        assert np.array_equal(sim.nodes, env.simulation.nodes)
        assert np.array_equal(sim.velocities, env.simulation.velocities)


def test_work_of_a_winch_is_that_of_the_engine() -> None:
    env = Hoist(rate=100, speed=0.2, bounds=(0.7, 1.1))
    _, info = env.reset(seed=0)
    first, done = info["energy"], 0.0
    for _ in range(200):
        *_, info = env.step([-1.0])
        done += env.work
    energy = info["energy"]
    # All of it goes one way. The trapezoid of tension and way, at 100 Hz, beside the integral of the engine.
    assert done == pytest.approx(energy["work"] - first["work"], rel=2e-3) and done > 4.0
    # Where it went: 2 kg stand higher, the rope holds the same weight.
    assert energy["gravity"] - first["gravity"] == pytest.approx(2 * G * 0.3 * (1 - 2 * G / 800), rel=1e-3)
    assert abs(energy["balance"] - first["balance"]) < 1e-6 * done
    balance = energy["kinetic"] + energy["elastic"] + energy["gravity"] + energy["contact"]
    assert energy["balance"] == pytest.approx(balance + energy["dissipated"] - energy["work"], abs=1e-9)


@pytest.mark.parametrize(
    "action, words",
    [
        ([0.0] * 8 + [math.nan], r'action: is nan for input 8, "a3-b1"'),
        ([math.inf] + [0.0] * 8, "action: is inf for input 0"),
        (np.zeros(8), r"shape \(8,\), expected \(9,\)"),
        (np.zeros((1, 9)), r"shape \(1, 9\)"),
        (0.0, r"shape \(\)"),
        (["a"] * 9, "expected 9 numbers"),
        (None, "nan|shape|expected 9 numbers"),
    ],
)
def test_an_impossible_action_is_refused(action: Any, words: str) -> None:
    env = Tower()
    env.reset(seed=0)
    with pytest.raises(taut.InputError, match=words):
        env.step(action)
    before = env.simulation.nodes.copy()
    env.step(np.zeros(9))  # and changed nothing
    assert np.allclose(before, env.simulation.nodes, atol=1e-9)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"rate": 0}, "rate: is 0; expected a number above 0"),
        ({"duration": -1.0}, "duration: is -1.0"),
        ({"action": "speeds"}, 'expected "lengths" or "rates"'),
        ({"action": "rates"}, "need the speed"),
        ({"bounds": (1.1, 1.2)}, "0 < low <= 1 <= high"),
        ({"bounds": (0.8, 1.2, 1.3)}, "bounds: are"),
        ({"bounds": {"a1-a9": (0.8, 1.2)}}, 'no input "a1-a9" .did you mean "a1-a'),
        ({"speed": math.nan}, "speed: is nan"),
        ({"inputs": ["c*"]}, r'no input "c\*"'),
        ({"inputs": []}, "inputs: are none"),
        ({"delay": 1.5}, "delay: is 1.5; expected a whole number of control steps"),
        ({"action_delay": -1}, "action_delay: is -1"),
        ({"noise": {"nods": 1.0}}, 'no part "nods" in the observation: nodes, velocities, rest_lengths'),
        ({"noise": {"nodes": [1.0, 2.0]}}, "has 2 numbers, expected one, or one for each of 18"),
        ({"noise": -0.1}, "a standard deviation is"),
        ({"randomise": {"cables.*.stifness": (1, 2)}}, 'did you mean "stiffness"'),
        ({"randomise": {"cables.*.stiffness": 3.0}}, "cannot be 3.0: expected .low, high."),
        ({"randomise": {"cables.*.stiffness": ("gauss", 1, 2)}}, "cannot be"),
        ({"randomise": {"cables.*.stiffness": (2, 1)}}, "the low end is above the high one"),
        ({"randomise": {"cables.*.stiffness": ("log_uniform", 0, 1)}}, "needs ends above 0"),
        ({"randomise": {"cables.*.stiffness": ("normal", 1, -1)}}, "deviation of a normal draw is below 0"),
        ({"randomise": {"cables.*.stiffness": ("choice", [])}}, "cannot be"),
        ({"randomise": {"cables.*.EA": (0.8, 1.2, "relative")}}, "no number there that a relative draw could scale"),
        ({"randomise": {"environment.gravity": (0, 1, "each")}}, '"each" is for keys with'),
        ({"redraws": -1}, "redraws: is -1"),
        ({"render_mode": "human"}, "expected None"),
        ({"set": {"cables.*.stiffness": -1.0}}, "stiffness"),
        ({"step": -1.0}, "step"),
    ],
)
def test_an_impossible_setting_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(taut.InputError, match=words):
        Tower(**options).reset(seed=0)


def test_what_cannot_be_driven_is_said() -> None:
    with pytest.raises(taut.InputError, match="torque: .*B1-pulleyJt.* is a torque"):
        Tower(model=taut.generate("single_strut"))
    with pytest.raises(taut.InputError, match="no input"):
        Tower(model=taut.generate("pendulum"))
    with pytest.raises(NotImplementedError, match="write its reward"):
        env = Environment(taut.generate("prism"))
        env.reset(seed=0)
        env.step(np.zeros(9))


# -- noise and delay -----------------------------------------------------------------------------------------------


def test_observations_come_late_by_exactly_n_steps() -> None:
    prompt, late = Tower(rate=20), Tower(rate=20, delay=3)
    rng = np.random.default_rng(5)
    true, seen = [prompt.reset(seed=2)[0]], [late.reset(seed=2)[0]]
    for _ in range(12):
        action = rng.uniform(-1, 1, 9)
        true.append(prompt.step(action)[0])
        seen.append(late.step(action)[0])
    assert all(np.array_equal(seen[k], true[max(0, k - 3)]) for k in range(13))
    assert not np.array_equal(true[1], true[0])
    late.reset(seed=2)  # nothing of the old episode is left in the line
    assert np.array_equal(late.step(np.zeros(9))[0], true[0])


def test_actions_come_late_by_exactly_n_steps() -> None:
    rng = np.random.default_rng(6)
    actions = rng.uniform(-1, 1, (12, 9))
    prompt, late = Tower(rate=20), Tower(rate=20, action_delay=2)
    prompt.reset(seed=1), late.reset(seed=1)
    shifted = np.vstack([np.zeros((2, 9)), actions])
    for k in range(12):
        assert np.array_equal(late.step(actions[k])[0], prompt.step(shifted[k])[0])


def test_noise_has_its_deviation_and_no_mean() -> None:
    class Still(Tower):
        def observe(self, sim: taut.Simulation) -> Any:
            return {"nodes": self.model.positions, "clock": 7.0, "sensor": [0.0, 0.0]}

    env = Still(noise={"nodes": 0.002, "sensor": [0.5, 0.0]}, duration=None, rate=1000, tolerance=1e-3)
    rows = np.array([env.reset(seed=8)[0]] + [env.step(np.zeros(9))[0] for _ in range(1999)])
    off = rows - np.concatenate([env.model.positions.ravel(), [7.0, 0.0, 0.0]])
    nodes, count = off[:, env.parts["nodes"]], 2000 * 18
    # 36 000 normal numbers: mean and deviation within 5 of their standard errors, 4.55 % beyond two deviations.
    assert abs(nodes.mean()) < 5 * 0.002 / math.sqrt(count)
    assert nodes.std() == pytest.approx(0.002, rel=5 / math.sqrt(2 * count))
    assert (np.abs(nodes) > 0.004).mean() == pytest.approx(0.0455, abs=5 * math.sqrt(0.0455 / count))
    assert abs(np.corrcoef(nodes[1:, 0], nodes[:-1, 0])[0, 1]) < 5 / math.sqrt(2000)
    assert off[:, 19].std() == pytest.approx(0.5, rel=0.1)
    assert not off[:, 18].any() and not off[:, 20].any()  # parts without noise are exact
    env.reset(seed=8)  # nor is it what the environment draws from
    assert not np.allclose(nodes[0] / 0.002, env.np_random.standard_normal(21)[:18])


def test_noise_and_delay_change_nothing_but_what_is_seen() -> None:
    draws = {"cables.*.stiffness": (0.8, 1.2, "relative")}
    plain, noisy = Tower(randomise=draws), Tower(randomise=draws, noise=0.1, delay=1)
    a, b = plain.reset(seed=4), noisy.reset(seed=4)
    assert a[1] == b[1] and not np.array_equal(a[0], b[0])
    assert plain.step(np.ones(9))[1:] == noisy.step(np.ones(9))[1:]
    assert plain.np_random.random() == noisy.np_random.random()
    fixed = Tower()
    fixed.reset(seed=4), plain.reset(seed=4)  # nor do draws change what an environment draws for itself
    assert fixed.np_random.random() == plain.np_random.random()


# -- draws ---------------------------------------------------------------------------------------------------------


def drawn(what: Any, key: str = "cables.*.stiffness", episodes: int = 400) -> Any:
    env = Ball(randomise={key: what})
    return np.array([env.reset(seed=seed)[1]["drawn"][key] for seed in range(episodes)])


def test_draws_follow_their_distributions() -> None:
    error = 5 / math.sqrt(400)
    flat = drawn((50.0, 150.0))
    assert 50 <= flat.min() < 53 and 147 < flat.max() <= 150
    assert flat.mean() == pytest.approx(100, abs=error * 100 / math.sqrt(12))
    normal = drawn(("normal", 100.0, 5.0))
    assert normal.mean() == pytest.approx(100, abs=error * 5) and normal.std() == pytest.approx(5, rel=0.2)
    logs = np.log10(drawn(("log_uniform", 1.0, 1e4)))
    assert 0 <= logs.min() and logs.max() <= 4 and logs.mean() == pytest.approx(2, abs=error * 4 / math.sqrt(12))
    assert logs.std() == pytest.approx(4 / math.sqrt(12), rel=0.15)
    either = drawn(("choice", [100.0, 300.0]))
    assert set(either) == {100.0, 300.0} and (either == 100).mean() == pytest.approx(0.5, abs=error / 2)
    assert (drawn(lambda rng: 10.0 * (1 + rng.integers(3)), episodes=60) % 10 == 0).all()


def test_what_is_drawn_is_what_the_model_has() -> None:
    key, each = "cables.*.stiffness", "cables.*.rest_length"
    env = Ball(randomise={key: (0.5, 2.0, "relative"), each: (0.9, 1.1, "relative", "each")})
    _, info = env.reset(seed=1)
    factor, factors = info["drawn"][key], info["drawn"][each]
    model = env.simulation.model
    # One factor for all, of each one's own value; and a factor for each.
    assert model.get(key) == pytest.approx([100 * factor, 200 * factor], rel=1e-15)
    assert len(factors) == 2 and factors[0] != factors[1]
    assert model.get(each) == pytest.approx([0.9 * f for f in factors], rel=1e-15)
    assert env.drawn == info["drawn"] and env.model.get(key) == [100.0, 200.0]
    # The next episode starts from the model again, not from the last draw.
    _, info = env.reset()
    assert env.simulation.model.get(key)[1] == pytest.approx(200 * info["drawn"][key], rel=1e-15)


def test_a_drawn_gravity_is_what_the_ball_falls_by() -> None:
    env = Ball(randomise={"environment.gravity": (0.1, 3.0, "relative"), "nodes.*.mass": (1.0, 2.0)}, duration=0.5)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        g = G * info["drawn"]["environment.gravity"]
        for step in range(1, 26):
            seen = env.step(np.zeros(2))[0]
            t = step / 50
            assert seen[3] == pytest.approx(5 - g * t * t / 2, abs=1e-12)  # RK4 is exact for a parabola


def test_absolute_vectors_and_settings_of_the_simulation() -> None:
    env = Ball(randomise={"environment.gravity": ([0, 0, -3], [0, 1, -2]), "simulation.step": ("choice", [1e-3, 2e-3])})
    steps = set()
    for seed in range(12):
        x, y, z = env.reset(seed=seed)[1]["drawn"]["environment.gravity"]
        assert x == 0 and 0 <= y <= 1 and -3 <= z <= -2
        steps.add(env.simulation.model.get("simulation.step"))
    assert steps == {1e-3, 2e-3}


def test_an_impossible_draw_is_named_or_drawn_again() -> None:
    draws = {"cables.*.stiffness": ("normal", 0.0, 100.0), "environment.gravity": (0.9, 1.1, "relative")}
    env = Ball(randomise=draws)
    bad = next(seed for seed in range(50) if math.isnan(attempt(env, seed)))
    with pytest.raises(taut.InputError, match=rf"seed {bad} .*cables.\*.stiffness = -\d.*negative") as refused:
        env.reset(seed=bad)
    assert "environment.gravity" in str(refused.value)
    patient = Ball(randomise=draws, redraws=40)
    assert all(attempt(patient, seed) >= 0 for seed in range(30))
    assert attempt(patient, bad) == attempt(patient, bad)
    with pytest.raises(taut.InputError, match="impossible model, with simulation.settle = True"):
        Ball().reset(seed=0, options={"set": {"simulation.settle": True}})  # nothing holds the ball


def attempt(env: Environment, seed: int) -> float:
    try:
        return float(env.reset(seed=seed)[1]["drawn"]["cables.*.stiffness"])
    except taut.InputError:
        return math.nan


def test_options_set_values_for_one_episode() -> None:
    env = Ball(randomise={"cables.*.stiffness": (50, 60)})
    env.reset(seed=1, options={"set": {"cables.*.stiffness": 500.0, "environment.gravity": [0, 0, -1]}})
    assert env.simulation.model.get("cables.*.stiffness") == [500.0, 500.0] and env.options["set"]
    env.reset(seed=1)
    assert max(env.simulation.model.get("cables.*.stiffness")) < 60 and env.options == {}
    with pytest.raises(taut.InputError, match="expected a dict"):
        env.reset(options={"set": 3})


# -- seeds ---------------------------------------------------------------------------------------------------------

MIXED: dict[str, Any] = {
    "randomise": {"cables.*.stiffness": ("log_uniform", 0.5, 2.0, "relative"), "bars.*.mass": (0.5, 1.5, "each")},
    "noise": {"nodes": 0.01},
    "delay": 1,
}


def test_an_episode_is_a_function_of_its_seed() -> None:
    env, other = Tower(**MIXED), Tower(**MIXED)
    one = digest(episode(env, 7))
    assert digest(episode(other, 7)) == one
    episode(env, 8, steps=3)  # whatever came before
    assert digest(episode(env, 7)) == one
    assert len({digest(episode(env, seed)) for seed in range(8)}) == 8


def test_an_episode_is_the_same_in_another_process() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_envs as t; "
        "print(t.digest(t.episode(t.Tower(**t.MIXED), 7)), t.digest(t.episode(t.Rolling(noise=0.01), 3)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [digest(episode(Tower(**MIXED), 7)), digest(episode(Rolling(noise=0.01), 3))]


def test_episodes_without_a_seed_follow_from_the_last_one() -> None:
    """... whatever happens in them; and info has the seed that repeats each."""
    env, other = Tower(**MIXED), Tower(**MIXED)
    stories = [digest(episode(env, 7)), digest(episode(env, None)), digest(episode(env, None))]
    assert len(set(stories)) == 3
    assert digest(episode(other, 7, steps=2)) != stories[0]
    other.np_random.random(100)
    assert digest(episode(other, None)) == stories[1]
    _, info = other.reset()
    assert digest(episode(Tower(**MIXED), info["seed"])) == stories[2]
    assert info["seed"] < 2**63


def test_seeds_that_are_none() -> None:
    first, second = Tower(**MIXED), Tower(**MIXED)
    assert not np.array_equal(first.reset()[0], second.reset()[0])  # seeded by the system, each for itself
    for seed in (-1, 1.5, "7", True, 2**63):
        with pytest.raises(taut.InputError, match="seed: is"):
            first.reset(seed=seed)  # type: ignore[arg-type]
    first.np_random, second.np_random = np.random.default_rng(3), np.random.default_rng(3)
    assert np.array_equal(first.reset()[0], second.reset()[0])
    assert np.array_equal(first.reset(seed=np.int64(5))[0], second.reset(seed=5)[0])  # type: ignore[arg-type]


def test_no_global_random_state_is_touched() -> None:
    np.random.seed(1)
    before = np.random.get_state()[1].copy()  # type: ignore[index,union-attr]
    episode(Tower(**MIXED), 7)
    assert np.array_equal(before, np.random.get_state()[1])  # type: ignore[index]


# -- what goes wrong -----------------------------------------------------------------------------------------------


def test_a_motion_that_diverges_ends_the_episode() -> None:
    # Leapfrog is unstable for steps above 2 / omega = 2 sqrt(m / k): here 0.03 s.
    env = Tower(integrator="symplectic", step=0.05, rate=20, duration=None, error_reward=-5.0, noise=0.01)
    for _ in range(2):  # and the next one begins as if nothing had been
        seen, _ = env.reset(seed=1)
        first = seen.copy()
        for _ in range(2000):
            last = seen
            seen, reward, terminated, truncated, info = env.step(np.ones(9))
            if terminated:
                break
        assert terminated and not truncated and reward == -5.0 and info["error"]
        assert np.array_equal(seen, last) and np.isfinite(seen).all()
        with pytest.raises(RuntimeError, match="reset"):
            env.step(np.ones(9))
        assert np.array_equal(env.reset(seed=1)[0], first)


def test_a_run_error_ends_the_episode_and_ctrl_c_does_not() -> None:
    class Fragile(Tower):
        error: Exception = taut.RunError("broken")

        def act(self, sim: taut.Simulation, action: Any) -> None:
            raise self.error

    env = Fragile()
    env.reset(seed=0)
    seen, reward, terminated, truncated, info = env.step(np.zeros(9))
    assert (reward, terminated, truncated, info["error"]) == (0.0, True, False, "broken") and np.isfinite(seen).all()
    env.error = taut.Interrupted("interrupted")
    env.reset(seed=0)
    with pytest.raises(KeyboardInterrupt):
        env.step(np.zeros(9))


def test_mistakes_of_an_own_class_are_told() -> None:
    class Wrong(Tower):
        value: Any = 0.0
        seen: Any = (1.0, 2.0)

        def observe(self, sim: taut.Simulation) -> Any:
            return self.seen

        def reward(self, sim: taut.Simulation, action: Any) -> Any:
            return self.value

    env = Wrong()
    env.reset(seed=0)
    for value, words in ((math.nan, "reward: is nan"), ({"a": 1.0, "b": math.inf}, "reward: is")):
        env.value = value
        with pytest.raises(taut.InputError, match=words):
            env.step(np.zeros(9))
    env.value = {"a": 1.0, "b": -0.25}
    *_, info = step = env.step(np.zeros(9))
    assert step[1] == 0.75 and info["reward"] == {"a": 1.0, "b": -0.25}
    for seen, words in (
        ((1.0,), "has 1 numbers, at first 2"),
        ((1.0, math.nan), "is not finite"),
        ("ab", "expected numbers"),
        ({"x": 1.0, "y": 2.0}, "returned 2 parts, at first 1"),
        ({"x": (1.0, 2.0)}, "was not there at first"),
    ):
        env.seen = seen
        with pytest.raises(taut.InputError, match=words):
            env.step(np.zeros(9))
    env = Wrong()
    env.seen = ()
    with pytest.raises(taut.InputError, match="returned nothing"):
        env.reset(seed=0)


# -- as a value, over time -----------------------------------------------------------------------------------------


def test_a_copy_goes_on_as_the_original() -> None:
    env = Rolling(randomise=MIXED["randomise"], noise=0.01, delay=2, action_delay=1)
    episode(env, 3, steps=5)
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    action = np.full(env.action_space.shape, -0.3)
    expected = [env.step(action) for _ in range(3)] + [env.reset()]
    for other in copies:
        got = [other.step(action) for _ in range(3)] + [other.reset()]
        for a, b in zip(expected, got):
            assert np.array_equal(a[0], b[0]) and a[1:] == b[1:]


def resident() -> int:
    """kB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads /proc")
def test_memory_is_flat_over_resets() -> None:
    for env, count in ((Tower(), 3000), (Tower(**MIXED), 600)):
        env.reset(seed=0)

        def resets(env: Environment = env, count: int = count) -> None:
            for _ in range(count):
                env.reset()
                env.step(np.zeros(9))

        resets()
        before = resident()
        resets()
        assert resident() - before < 600  # kB; a Simulation that stayed would be 600 times 50 kB


def test_an_episode_can_be_looked_at(tmp_path: Path) -> None:
    env = Tower(record=True, rate=20, render_mode="rgb_array")
    for seed in (1, 2):
        episode(env, seed, steps=8)
        run = env.recorded
        assert len(run) == 9 and run.t == pytest.approx(np.arange(9) / 20, abs=1e-12)
        assert np.array_equal(run.nodes[-1], env.simulation.nodes)
    image = env.render()
    assert image.shape == (360, 480, 3) and image.dtype == np.uint8
    dark = (image == (44, 62, 80)).all(axis=2)  # the bars
    assert 300 < dark.sum() < 20000 and dark[100:260, 160:320].any()
    line = Tower(render_mode="ansi").render()
    assert "0.000 s" in line and "centre" in line
    with pytest.raises(taut.InputError, match="record=True"):
        Tower().recorded


def test_taut_alone_loads_neither_numpy_nor_environments() -> None:
    script = (
        "import sys, taut; assert not {'numpy', 'taut.envs'} & set(sys.modules), 'eager'; "
        "taut.envs.Rolling; assert 'taut.envs' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
