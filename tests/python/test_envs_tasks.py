"""Rolling and Reach: what they reward is what happens, and it can be learned."""

import math
from typing import Any

import numpy as np
import pytest
from support import models

import taut
from taut.envs import Reach, Rolling, six_bar_on_ground, tower_on_base


def play(env: Any, policy: Any, seed: int = 0, **options: Any) -> tuple[float, dict[str, Any]]:
    """The sum of rewards of an episode, and the sums of their terms."""
    env.reset(seed=seed, **options)
    total, terms, over = 0.0, {}, False
    while not over:
        _, reward, terminated, truncated, info = env.step(policy(env.time))
        total += reward
        for name, term in info["reward"].items():
            terms[name] = terms.get(name, 0.0) + term
        over = terminated or truncated
    return total, terms


def wave(t: float) -> Any:
    return np.sin(3 * t + np.arange(24))


# -- Rolling -------------------------------------------------------------------------------------------------------


def test_the_robot_rests_where_it_is_put() -> None:
    """It stands on three nodes, in equilibrium: the ground carries its weight, and without action nothing moves."""
    env = Rolling(duration=3.0)
    env.reset(seed=0)
    sim = env.simulation
    start = sim.nodes.copy()
    assert (sim.contact_forces[:, 2] > 1.0).sum() == 3
    assert sim.contact_forces[:, 2].sum() == pytest.approx(6 * 9.81, rel=1e-6)
    total, terms = play(env, lambda t: np.zeros(24))
    assert np.abs(sim.nodes - start).max() < 1e-5 and abs(total) < 1e-5  # m; what a tolerance of 1e-4 leaves


def test_progress_sums_to_the_way_of_the_centre_of_mass() -> None:
    for direction in ([1, 0], [0, -2], [3, 4]):
        env = Rolling(direction=direction, duration=6.0, effort=0.0)
        env.reset(seed=0)
        start = env.centre(env.simulation)
        total, terms = play(env, wave)
        way = (env.centre(env.simulation) - start)[:2] @ np.array(direction) / math.hypot(*direction)
        assert total == pytest.approx(way, abs=1e-12) == pytest.approx(terms["progress"], abs=1e-12)
        assert abs(way) > 0.02


def test_the_centre_of_mass_is_that_of_the_weight() -> None:
    """The engine's energy of gravity is m g z of the centre of mass: another route to its height."""
    uneven = {"bars.0.mass": 3.0, "bars.1.com": 0.2, "nodes.n5.mass": 0.7, "cables.3.mass": 0.3}
    for model, changes, mass in (
        (six_bar_on_ground(), uneven, 6 + 2 + 0.7 + 0.3),
        (six_bar_on_ground(), {}, 6.0),
        (taut.generate("lander"), {"environment.gravity": [0, 0, -9.81], "environment.ground": {"height": -2}}, 11.0),
    ):
        env = Rolling(model, set=changes, settle=False)
        env.reset(seed=0)
        for step in range(6):
            *_, info = env.step(np.full(env.action_space.shape, 0.3))
            assert env.centre(env.simulation)[2] * mass * 9.81 == pytest.approx(info["energy"]["gravity"], abs=1e-9)
    # Drawn masses count at once.
    for key, what, bare in (("bars.*.mass", (0.2, 5.0, "each"), 0.0), ("cables.*.mass", (0.1, 0.5, "each"), 6.0)):
        env = Rolling(randomise={key: what})
        _, info = env.reset(seed=2)
        weight = 9.81 * (bare + sum(info["drawn"][key]))
        assert env.centre(env.simulation)[2] * weight == pytest.approx(info["energy"]["gravity"], abs=1e-9)


def test_effort_costs_the_work_of_the_winches() -> None:
    free, dear = Rolling(duration=2.0, effort=0.0), Rolling(duration=2.0, effort=0.01)
    (a, terms_a), (b, terms_b) = play(free, wave), play(dear, wave)
    assert terms_a["progress"] == terms_b["progress"] and terms_a["effort"] == 0.0
    assert a - b == pytest.approx(-terms_b["effort"], abs=1e-12)
    work, seen = 0.0, free.reset(seed=0)
    for _ in range(40):
        *_, info = free.step(wave(free.time))
        work += free.work
    assert work == pytest.approx(-terms_b["effort"] / 0.01, rel=1e-12)
    # What winches take in sum is no more than what each of them took and gave.
    assert work > abs(info["energy"]["work"]) > 1.0


def test_energy_balances_over_an_episode() -> None:
    env = Rolling(duration=6.0)
    _, info = env.reset(seed=0)
    balance = info["energy"]["balance"]
    dissipated = 0.0
    for _ in range(120):
        *_, info = env.step(wave(env.time))
        energy = info["energy"]
        assert energy["dissipated"] >= dissipated - 1e-9
        dissipated = energy["dissipated"]
        # kinetic + elastic + gravity + contact + dissipated - work stays, but for the tolerance of the integrator.
        assert energy["balance"] == pytest.approx(balance, abs=1e-3 * max(1.0, energy["work"]))
    assert dissipated > 10.0


def test_a_random_direction_is_drawn_observed_and_followed() -> None:
    env = Rolling(direction="random", effort=0.0)
    angles = []
    for seed in range(60):
        seen, _ = env.reset(seed=seed)
        assert seen[env.parts["direction"]] == pytest.approx(env.direction, abs=0) and math.hypot(*env.direction) == pytest.approx(1)
        angles.append(math.atan2(env.direction[1], env.direction[0]))
    assert np.histogram(angles, 4, (-math.pi, math.pi))[0].min() >= 6
    env.reset(seed=1)
    assert math.atan2(env.direction[1], env.direction[0]) == angles[1]
    there = [play(Rolling(direction=d, duration=2.0, effort=0.0), wave)[0] for d in ([1, 1], [-1, -1])]
    chosen = play(Rolling(direction="random", duration=2.0, effort=0.0), wave, options={"direction": [2, 2]})[0]
    assert there[0] == pytest.approx(-there[1], abs=1e-12) and chosen == pytest.approx(there[0], abs=1e-12)


def test_the_observation_does_not_know_where_on_the_ground_the_robot_is() -> None:
    here, there = six_bar_on_ground(), six_bar_on_ground()
    there.set({f'nodes."{name}".at': at + [64.0, -32.0, 0.0] for name, at in zip(there.nodes, there.positions)})
    a, b = Rolling(here).reset(seed=0)[0], Rolling(there).reset(seed=0)[0]
    assert np.allclose(a, b, atol=1e-6)


def test_models_that_cannot_roll_are_refused() -> None:
    with pytest.raises(taut.InputError, match="has no ground"):
        Rolling(taut.generate("six_bar"))
    with pytest.raises(taut.InputError, match="no input"):  # its own controller drives all cables
        Rolling(models / "six_bar_rolling.toml")
    for direction in ("left", [0, 0], [1], None):
        with pytest.raises(taut.InputError, match="direction: is"):
            Rolling(direction=direction)  # type: ignore[arg-type]
    with pytest.raises(taut.InputError, match="effort: is -1"):
        Rolling(effort=-1)
    with pytest.raises(taut.InputError, match="direction"):
        Rolling().reset(options={"direction": "up"})
    assert Rolling(models / "six_bar_rolling.toml", set={"controllers.roller.inputs": ["n1-n5", "n1-n6"]}).action_space.shape == (22,)


def search(env: Any, trials: int, spread: float, seed: int = 0) -> tuple[float, float]:
    """Random search for the best constant action: the reward of none, and the best."""
    rng = np.random.default_rng(0)
    best = np.zeros(env.action_space.shape)
    first = most = play(env, lambda t: best, seed)[0]
    for _ in range(trials):
        trial = np.clip(best + rng.normal(0.0, spread, best.shape), -1, 1)
        reward = play(env, lambda t: trial, seed)[0]
        if reward > most:
            best, most = trial, reward
    return first, most


def test_rolling_can_be_learned() -> None:
    first, best = search(Rolling(duration=4.0), 15, 0.5)
    assert abs(first) < 1e-3 and best > 0.15  # m: a quarter of a roll at least, with what the winches cost


# -- Reach ---------------------------------------------------------------------------------------------------------


def test_approach_sums_to_how_much_closer_the_node_came() -> None:
    env = Reach(duration=1.0, within=0.0)
    env.reset(seed=3)
    first = env.distance
    target = np.array(env.target)
    assert first == pytest.approx(math.dist(env.simulation.nodes[env.node], target), abs=1e-15)
    total, terms = play(env, lambda t: np.full(30, 0.4), seed=3)
    assert np.array_equal(env.target, target)
    assert total == pytest.approx(first - np.linalg.norm(env.simulation.nodes[env.node] - target), abs=1e-12)
    assert terms == {"approach": pytest.approx(total, abs=1e-12), "effort": 0.0, "reached": 0.0}


def test_the_tower_stands_and_its_top_is_what_is_to_reach() -> None:
    env = Reach()
    seen, _ = env.reset(seed=0)
    assert env.model.nodes[env.node] == "b2_1" and env.simulation.nodes[:, 2].max() == env.simulation.nodes[env.node, 2]
    assert np.array_equal(seen[env.parts["to_target"]], np.array(env.target) - env.simulation.nodes[env.node])
    start = env.simulation.nodes.copy()
    play(env, lambda t: np.zeros(30))
    assert np.abs(env.simulation.nodes - start).max() < 1e-6


def test_every_drawn_target_can_be_reached() -> None:
    """Whoever knows the action that the target was drawn from gets there: the pose is stable, and within the bounds."""
    env = Reach(duration=None, bonus=2.0)
    for seed in range(8):
        env.reset(seed=seed)
        assert env.distance > 2 * 0.02 and env.simulation.time == 0.0
        action = np.random.Generator(np.random.PCG64(seed)).uniform(-1.0, 1.0, 30)
        for _ in range(100):
            _, reward, terminated, _, info = env.step(action)
            if terminated:
                break
        assert terminated and env.distance <= 0.02 and info["reward"]["reached"] == 2.0 and reward > 1.9


def test_drawn_targets_are_away_from_the_start() -> None:
    env = Reach(within=0.1)
    away = []
    for seed in range(30):
        env.reset(seed=seed)
        away.append(env.distance)
    assert min(away) > 0.2 and max(away) > 0.4 and len(set(away)) == 30


def test_targets_of_the_user() -> None:
    fixed = Reach(target=[0.1, 0.2, 1.5])
    fixed.reset(seed=0)
    assert fixed.target == (0.1, 0.2, 1.5)
    free = Reach(target=lambda rng: [rng.random(), 0, 1], node="a2_1")
    targets = []
    for seed in (1, 2, 1):
        free.reset(seed=seed)
        targets.append(free.target)
    assert targets[0] == targets[2] != targets[1] and free.node == free.model.nodes.index("a2_1")
    free.reset(seed=1, options={"target": (1, 2, 3)})
    assert free.target == (1.0, 2.0, 3.0)
    for target, words in (([1, 2], "target: is"), ("top", "target: is"), ([0, 0, math.inf], "target: is")):
        with pytest.raises(taut.InputError, match=words):
            Reach(target=target)  # type: ignore[arg-type]
    with pytest.raises(taut.InputError, match='there is no node "b2_9" .did you mean'):
        Reach(node="b2_9")
    with pytest.raises(taut.InputError, match="within: is -1"):
        Reach(within=-1)


def test_any_manipulator_will_do() -> None:
    env = Reach(tower_on_base(stages=1, bars=4), action="rates", speed=0.2, randomise={"cables.*.stiffness": (0.9, 1.1, "relative")})
    for seed in range(3):
        env.reset(seed=seed)
        assert 0.02 < env.distance < 1.0
        env.step(env.action_space.high)
    with pytest.raises(taut.InputError, match="is a torque: only rest lengths have a pose"):
        Reach(models / "single_strut.toml", torque=0.1, rate=100).reset(seed=0)


def test_reaching_can_be_learned() -> None:
    env = Reach(duration=2.0)
    env.reset(seed=1)
    away = env.distance
    first, best = search(env, 30, 0.3, seed=1)
    assert abs(first) < 1e-3 and best > 0.6 * away
