"""Controllers that the user writes, as Python functions."""

import copy
import gc
import pickle
import weakref
from types import MappingProxyType
from typing import Callable

import numpy as np
import pytest
from support import models, swing

import taut


def hanging() -> taut.Model:
    """A mass of 2 kg on a cable."""
    model = taut.Model("hanging")
    model.set("environment.gravity", [0, 0, -9.81])
    hook, mass = model.add_node("hook", [0, 0, 0], fixed=True), model.add_node("mass", [0, 0, -1.1], mass=2.0)
    model.add_cable([hook, mass], stiffness=200.0, rest_length=1.0, damping=2.0, name="rope")
    return model


def test_it_sees_the_motion_and_its_commands_are_reached() -> None:
    model = hanging()
    seen: list[tuple[float, np.ndarray, np.ndarray, float, float, float, float]] = []

    def drive(now: taut.Observation) -> list[float]:
        assert now.nodes.shape == (2, 3) and now.velocities.shape == (2, 3) and now.joints.shape == (0,)
        assert now.contact_forces is None
        seen.append(
            (
                now.time,
                now.nodes,
                now.velocities,
                now.lengths[0],
                now.tensions[0],
                now.rest_lengths[0],
                now.length_rates[0],
            )
        )
        assert np.isnan(now.commands[0]) if len(seen) == 1 else now.commands[0] == 1.0 + 0.1 * seen[-2][0]
        return [1.0 + 0.1 * now.time]

    run = model.run(duration=0.5, control=drive, rate=50.0, output_step=0.02, integrator="rk4", step=1e-3)
    assert [round(s[0], 12) for s in seen] == [round(0.02 * i, 12) for i in range(25)]
    for k, (time, x, v, length, tension, rest, rate) in enumerate(seen):
        assert np.allclose(x, run.nodes[k], atol=1e-12) and np.allclose(v, run.velocities[k], atol=1e-10)
        assert length == pytest.approx(run.lengths[k, 0], abs=1e-12)
        assert rest == pytest.approx(run.rest_lengths[k, 0], abs=1e-12)
        assert rate == pytest.approx(-v[1, 2], abs=1e-12)
        # T = k (l - l0) + c (l' - l0'), with the rest length winding at 0.1 m/s times 0.02 s per 0.02 s from the second on.
        if k > 1:
            assert abs(tension - (200 * (length - rest) + 2.0 * rate)) <= 2.0 * 0.1 * 1.001
    # What is commanded at an instant is the rest length at the next one.
    for k in range(1, 25):
        assert run.rest_lengths[k, 0] == pytest.approx(1.0 + 0.1 * 0.02 * (k - 1), abs=1e-12)


def test_answers_may_be_a_list_a_dict_or_nothing() -> None:
    model = taut.generate("six_bar")
    names = model.cables

    def run(answer: object) -> np.ndarray:
        return model.run(
            duration=0.2, control=lambda now: answer, rate=50.0, integrator="symplectic"
        ).rest_lengths[-1]

    start = run(None)
    assert np.array_equal(start, model.run(duration=0.2, integrator="symplectic").rest_lengths[-1])
    goal = start * np.linspace(0.9, 1.0, 24)
    assert np.allclose(run(goal), goal, atol=1e-12) and np.array_equal(run(goal), run(list(goal)))
    assert np.array_equal(run(goal), run(dict(zip(names, goal))))
    assert np.array_equal(run(goal), run(MappingProxyType(dict(zip(names, goal)))))
    some = run({names[3]: 0.5})
    assert some[3] == pytest.approx(0.5, abs=1e-12) and np.array_equal(np.delete(some, 3), np.delete(start, 3))


def test_what_was_not_commanded_yet_may_stay_so() -> None:
    def one(now: taut.Observation) -> np.ndarray:
        commands = now.commands
        commands[3] = 0.5
        return commands

    run = taut.generate("six_bar").run(duration=0.2, control=one, rate=50.0, integrator="symplectic")
    assert run.rest_lengths[-1, 3] == pytest.approx(0.5, abs=1e-12)
    assert np.array_equal(np.delete(run.rest_lengths[-1], 3), np.delete(run.rest_lengths[0], 3))


def test_the_speed_of_winches_is_a_limit() -> None:
    run = hanging().run(duration=1.0, control=lambda now: [0.5], rate=10.0, speed=0.1)
    assert run.rest_lengths[-1, 0] == pytest.approx(0.9, abs=1e-9)


def test_memory_is_part_of_the_state() -> None:
    # Held at z = -1.2 m by the integral of the error. With k, m, c = 200, 2, 2 it is stable below a gain of c/m = 1/s.
    def integral(now: taut.Observation) -> list[float]:
        now.memory[0] += (now.nodes[1, 2] + 1.2) / 100.0
        now.memory[1] += 1
        return [1.0 + 0.5 * now.memory[0]]

    sim = taut.Simulation(hanging(), control=integral, rate=100.0, memory=2, integrator="rk4", step=1e-3)
    sim.advance(0.5)
    here = sim.snapshot()
    sim.advance(0.5)
    there = sim.nodes.copy()
    sim.restore(here)
    sim.advance(0.5)
    assert np.array_equal(sim.nodes, there)
    twin = copy.deepcopy(sim)
    for who in (sim, twin):
        who.advance(20.0)
    assert np.array_equal(sim.nodes, twin.nodes)
    # An integral ends without an error, and the cable carries the weight.
    assert sim.nodes[1, 2] == pytest.approx(-1.2, abs=1e-3)
    assert sim.tensions[0] == pytest.approx(2 * 9.81, rel=1e-2)


def force(now: taut.Observation) -> dict[str, float]:
    return {"rope": 1.0 - 0.01 * now.time}


def test_a_simulation_with_a_function_pickles() -> None:
    sim = taut.Simulation(hanging(), control=force, rate=20.0, integrator="rk4")
    sim.advance(0.3)
    other = pickle.loads(pickle.dumps(sim))
    for who in (sim, other):
        who.advance(0.3)
    assert np.array_equal(sim.nodes, other.nodes)


@pytest.mark.parametrize(
    "answer, words",
    [
        ([1.0, 2.0], "2 numbers for 1 inputs"),
        ({"ropes": 1.0}, 'did you mean "rope"'),
        ([float("inf")], "inf"),
        ([float("nan")], "nan for .rope"),
        ({"rope": float("nan")}, "nan for .rope"),
        ([-0.1], "rest length of .rope. is -0.1 m"),
        ("a text", "real number"),
        (object(), "number"),
    ],
)
def test_an_answer_that_cannot_be_ends_the_run_and_keeps_it(answer: object, words: str) -> None:
    with pytest.raises(taut.RunError, match=words) as caught:
        hanging().run(duration=1.0, control=lambda now: answer if now.time > 0.3 else [1.0], rate=10.0)
    error = caught.value
    assert error.time == pytest.approx(0.4, abs=0.1) and error.run is not None
    assert error.run.summary["status"] == "failed" and error.run.t[-1] == pytest.approx(error.time)


def test_what_the_function_raises_is_the_cause() -> None:
    class Lost(Exception):
        pass

    def lose(now: taut.Observation) -> None:
        if now.time > 0.25:
            raise Lost("which way?")

    with pytest.raises(taut.RunError, match="which way") as caught:
        hanging().run(duration=1.0, control=lose, rate=10.0)
    assert isinstance(caught.value.__cause__, Lost) and caught.value.run is not None
    sim = taut.Simulation(hanging(), control=lose, rate=10.0)
    with pytest.raises(taut.RunError, match="which way") as caught:
        sim.advance(1.0)
    assert isinstance(caught.value.__cause__, Lost) and sim.time == 0.0  # as before the call
    sim.advance(0.2)


def test_a_function_that_is_none_and_rates_that_cannot_be() -> None:
    with pytest.raises(TypeError, match="function"):
        hanging().run(duration=0.1, control=3)  # type: ignore[arg-type]
    for rate in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(taut.InputError, match="rate"):
            hanging().run(duration=0.1, control=force, rate=rate)
    with pytest.raises(taut.InputError, match="speed"):
        taut.Simulation(hanging(), control=force, speed=0.0)


def test_an_observation_is_for_its_instant_only() -> None:
    kept: list[taut.Observation] = []
    hanging().run(duration=0.1, control=lambda now: kept.append(now), rate=20.0)
    for read in ("time", "nodes", "memory", "commands", "tensions"):
        with pytest.raises(RuntimeError, match="only while"):
            getattr(kept[0], read)


def test_contact_is_seen() -> None:
    model = taut.load(models / "six_bar_rolling.toml")
    model.set("controllers", []) if model.get("name") is None else None
    weights: list[float] = []

    def look(now: taut.Observation) -> None:
        assert now.contact_forces is not None and now.contact_forces.shape == (12, 3)
        assert now.contact is not None and np.array_equal(now.contact, now.contact_forces)
        weights.append(float(now.contact_forces[:, 2].sum()))

    run = model.run(duration=1.0, control=look, rate=50.0, output_step=0.02, integrator="rk4", step=2e-4)
    assert run.contact_forces is not None
    assert np.allclose(weights, run.contact_forces[:-1, :, 2].sum(axis=1), rtol=1e-6, atol=1e-6)
    assert max(weights) > 0


def test_it_works_beside_the_controllers_of_the_model() -> None:
    model = swing()
    model.add("controllers", "hold", kind="table", inputs=["rope"], path={"t": [0, 1], "values": [[1.4], [1.3]]})
    sim = taut.Simulation(model)
    assert sim.inputs == ()  # what controllers drive is theirs
    sim.advance(0.5)


def test_ctrl_c_in_the_function_keeps_the_run() -> None:
    def impatient(now: taut.Observation) -> None:
        if now.time > 0.195:
            raise KeyboardInterrupt

    with pytest.raises(taut.Interrupted) as caught:
        hanging().run(duration=1.0, control=impatient, rate=100.0)
    run = caught.value.run
    assert run is not None and run.summary["status"] == "interrupted"
    assert len(run) == 21 and caught.value.time == pytest.approx(0.2)


def test_ctrl_c_in_the_function_leaves_a_simulation_at_that_instant() -> None:
    presses = [0.2]

    def shorten(now: taut.Observation) -> list[float]:
        now.memory[0] += 1.0
        if presses and now.time >= presses[0] - 1e-9:
            presses.pop()
            raise KeyboardInterrupt
        return [1.0 - 0.1 * now.time + 0.01 * now.memory[0]]

    def simulation() -> taut.Simulation:
        return taut.Simulation(hanging(), integrator="rk4", step=2.0**-10, control=shorten, rate=64.0, memory=1)

    sim, presses[0] = simulation(), 0.25
    with pytest.raises(taut.Interrupted) as caught:
        sim.advance(1.0)
    assert sim.time == caught.value.time == 0.25
    sim.advance(0.75)  # the function is asked again, and goes on with what it remembered
    whole = simulation()
    whole.advance(1.0)
    assert np.array_equal(sim.nodes, whole.nodes) and np.array_equal(sim.rest_lengths, whole.rest_lengths)


@pytest.mark.parametrize("how", ["resize", "dtype"])
def test_memory_that_was_made_something_else_is_refused(how: str) -> None:
    def bend(now: taut.Observation) -> None:
        if how == "resize":
            now.memory.resize(0, refcheck=False)
        else:
            now.memory.dtype = np.int32

    with pytest.raises(taut.RunError, match="now.memory"):
        hanging().run(duration=0.1, control=bend, memory=5)


def test_numbers_beside_a_function_are_judged() -> None:
    model = hanging()
    sim = taut.Simulation(model)
    for size in (-1, 10**7, 10**30):
        with pytest.raises(taut.InputError, match="memory: is .* from 0 to 1000000"):
            model.run(duration=0.1, control=lambda now: None, memory=size)
        with pytest.raises(taut.InputError, match="memory: is .* from 0 to 1000000"):
            sim.control(lambda now: None, memory=size)
    for wrong in ({"rate": "often"}, {"speed": [1.0]}, {"memory": 1.5}):
        with pytest.raises(TypeError, match=f"{next(iter(wrong))}: expected a"):
            model.run(duration=0.1, control=lambda now: None, **wrong)  # type: ignore[arg-type]


class Robot:
    """It holds a simulation, which holds a method of it."""

    def __init__(self) -> None:
        self.sim = taut.Simulation(hanging(), control=self.policy)

    def policy(self, now: taut.Observation) -> None:
        pass


class Fallible(Robot):
    """Its simulation holds the error of its policy, with the frames of that."""

    def __init__(self) -> None:
        super().__init__()
        with pytest.raises(taut.RunError):
            self.sim.advance(0.1)

    def policy(self, now: taut.Observation) -> None:
        raise ValueError("lost")


def seen_by_itself() -> taut.Simulation:
    sim = taut.Simulation(hanging())
    sim.control(lambda now: sim.inputs and None)
    return sim


@pytest.mark.parametrize("make", [Robot, Fallible, seen_by_itself])
def test_a_simulation_whose_function_holds_it_is_freed(make: Callable[[], object]) -> None:
    kept = [weakref.ref(make()) for _ in range(5)]
    gc.collect()
    assert not any(one() is not None for one in kept)
