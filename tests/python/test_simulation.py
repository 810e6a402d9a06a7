"""Simulations in Python: stepped from outside, exact, and hard to break."""

import copy
import gc
import inspect
import os
import pickle
import signal
import threading
from types import MappingProxyType

import numpy as np
import pytest
from support import models, swing

import taut

METHODS = [("symplectic", "nodal"), ("rk4", "minimal"), ("dopri5", "nodal"), ("cvode", "quaternion")]


def six(**options: object) -> taut.Simulation:
    return taut.Simulation(taut.generate("six_bar"), **options)  # type: ignore[arg-type]


def all_of(sim: taut.Simulation) -> list[np.ndarray]:
    names = ("nodes", "velocities", "tensions", "lengths", "rest_lengths", "bar_forces", "_energy_row")
    return [np.array(getattr(sim, name)) for name in names]


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b))


def test_steps_that_divide_a_run_give_its_rows() -> None:
    model = swing()
    run = model.run(duration=0.5, integrator="rk4", step=1e-3)
    sim = taut.Simulation(model, integrator="rk4", step=1e-3)
    for row in range(1, 51):
        sim.advance(0.01)
        # The same steps, but for how times are added up: 0.01 + 0.01 + ... against multiples of 0.01.
        assert sim.time == pytest.approx(run.t[row], abs=1e-15)
        assert np.allclose(sim.nodes, run.nodes[row], rtol=0, atol=1e-12)
        assert np.allclose(sim.tensions, run.tensions[row], rtol=0, atol=1e-9)
        assert np.allclose(sim._energy_row, run.energy[row].tolist(), rtol=0, atol=1e-11)
    assert sim.energy["kinetic"] == sim.energy.kinetic == sim._energy_row[0]


def test_one_step_of_leapfrog_agrees_with_numpy() -> None:
    # A mass on a spring, m x'' = -k (x - l0): kick by half, drift, kick by half.
    model = taut.Model()
    a, b = model.add_node("a", [0, 0, 0], fixed=True), model.add_node("b", [1.2, 0, 0], mass=2.0)
    model.add_cable([a, b], stiffness=50.0, rest_length=1.0)
    model.set("environment.gravity", [0, 0, 0])
    sim = taut.Simulation(model, integrator="symplectic", step=1e-3)
    x, v, h = 1.2, 0.0, 1e-3
    for _ in range(100):
        sim.advance(h)
        v -= h / 2 * 25.0 * (x - 1.0)
        x += h * v
        v -= h / 2 * 25.0 * (x - 1.0)
        assert sim.nodes[1, 0] == pytest.approx(x, rel=1e-13)
        assert sim.velocities[1, 0] == pytest.approx(v, rel=1e-11)


@pytest.mark.parametrize("integrator, formulation", METHODS)
def test_snapshots_are_exact_however_they_travel(integrator: str, formulation: str) -> None:
    sim = six(integrator=integrator, formulation=formulation, step=1e-3)
    lengths = np.array(sim.rest_lengths)
    sim.advance(0.1)
    sim.command(lengths * np.linspace(0.9, 1.1, 24), over=0.2)
    sim.advance(0.05)
    here = sim.snapshot()
    travelled = [here, copy.copy(here), copy.deepcopy(here), pickle.loads(pickle.dumps(here))]
    sim.advance(0.2)
    there = all_of(sim)
    twin = six(integrator=integrator, formulation=formulation, step=1e-3)
    for snapshot in travelled:
        assert snapshot.time == pytest.approx(0.15, abs=1e-15)
        for who in (sim, twin):
            who.restore(snapshot)
            assert who.time == snapshot.time
            who.advance(0.2)
            assert same(all_of(who), there)


def test_simulations_are_values() -> None:
    sim = six(integrator="symplectic", step=1e-3)
    sim.command({"n1-n5": 0.5}, over=0.3)
    sim.advance(0.1)
    others = [copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))]
    sim.advance(0.3)
    for other in others:
        other.advance(0.3)
        assert same(all_of(other), all_of(sim))
        other.advance(0.1)
    assert sim.time == pytest.approx(0.4)


def test_reset_goes_back_to_the_start() -> None:
    sim = six(integrator="dopri5")
    start = all_of(sim)
    sim.advance(0.2)
    first = all_of(sim)
    sim.command(np.array(sim.rest_lengths) * 0.9)
    sim.advance(0.1)
    sim.reset()
    assert sim.time == 0.0 and same(all_of(sim), start)
    sim.advance(0.2)
    assert same(all_of(sim), first)


def test_commands_by_list_by_name_and_their_work() -> None:
    sim = six(integrator="symplectic", step=1e-4)
    assert sim.inputs == tuple(taut.generate("six_bar").cables)
    lengths = np.array(sim.rest_lengths)
    before = sim.energy
    sim.command(lengths * 0.95)
    after = sim.energy
    # A rest length that jumps is work of its actuator: what the cables store more.
    k = 500.0
    stored = 0.5 * k * ((sim.lengths - 0.95 * lengths) ** 2 - (sim.lengths - lengths) ** 2).sum()
    assert after["elastic"] - before["elastic"] == pytest.approx(stored, rel=1e-12)
    assert after["work"] - before["work"] == pytest.approx(stored, rel=1e-12)
    assert after["balance"] == pytest.approx(before["balance"], abs=1e-12)
    # The same in whatever form the numbers come.
    forms = [
        lengths,
        list(lengths),
        tuple(lengths),
        np.repeat(lengths, 2)[::2],
        lengths[::-1].copy()[::-1],
        dict(zip(sim.inputs, lengths)),
        MappingProxyType(dict(zip(sim.inputs, lengths))),
    ]
    for form in forms:
        sim.command(form)
        assert np.array_equal(sim.rest_lengths, lengths)
        sim.command(lengths * 0.9)
    sim.command(lengths.astype(np.float32))
    assert np.array_equal(sim.rest_lengths, lengths.astype(np.float32).astype(float))
    sim.command(np.ones(24, dtype=int))
    assert np.array_equal(sim.rest_lengths, np.ones(24))
    # Some by name; moved there at constant speed.
    sim.reset()
    sim.command({"n1-n5": 0.4}, over=0.2)
    sim.advance(0.05)
    assert sim.rest_lengths[0] == pytest.approx(0.75 * lengths[0] + 0.25 * 0.4, rel=1e-12)
    sim.advance(0.2)
    assert sim.rest_lengths[0] == 0.4 and np.array_equal(sim.rest_lengths[1:], lengths[1:])


def test_torques_of_joints_are_inputs_too() -> None:
    model = taut.load(models / "three_dof_mechanism.toml")
    sim = taut.Simulation(model)
    assert sim.inputs and sim.joint_names and len(sim.joints) == len(sim.joint_names)
    sim.command({sim.inputs[0]: 0.5})
    sim.advance(0.01)
    assert np.isfinite(sim.nodes).all()


@pytest.mark.parametrize(
    "values, kind, words",
    [
        ([0.5] * 23, taut.InputError, "23 numbers for 24 inputs"),
        (np.full((24, 1), 0.5), taut.InputError, "2 dimensions"),
        ([float("nan")] * 24, taut.InputError, "nan"),
        ([0.5] * 23 + [float("inf")], taut.InputError, "inf"),
        ([0.5] * 23 + [-0.1], taut.InputError, "expected more than 0"),
        ({"n1-n5": 0.5, "n1-n66": 0.5}, taut.InputError, 'did you mean "n1-n6"'),
        ({"n1-n5": 0.4, "n1-n6": -1.0}, taut.InputError, "expected more than 0"),
        ({"n1-n5": "long"}, TypeError, "expected a number, got str"),
        (["long"] * 24, TypeError, "real number"),
        (np.full(24, 0.5 + 1j), TypeError, "real number"),
        (np.array([None] * 24), TypeError, "real number"),
        (None, TypeError, "expected values"),
        (np.ma.masked_array([0.5] * 24, mask=[True] + [False] * 23), taut.InputError, "nan"),
    ],
)
def test_a_command_that_cannot_be_changes_nothing(values: object, kind: type, words: str) -> None:
    sim = six(integrator="symplectic", step=1e-3)
    sim.advance(0.1)
    before = all_of(sim)
    with pytest.raises(kind, match=words):
        sim.command(values)  # type: ignore[arg-type]
    assert same(all_of(sim), before)
    sim.advance(0.1)
    other = six(integrator="symplectic", step=1e-3)
    other.advance(0.1)
    other.advance(0.1)
    assert same(all_of(sim), all_of(other))


def test_nonsense_is_an_exception() -> None:
    sim = six(integrator="symplectic", step=1e-3)
    for dt in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(taut.InputError, match="advance"):
            sim.advance(dt)
    with pytest.raises(TypeError, match="^advance: expected a number, got str"):
        sim.advance("long")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="^over: expected a number, got str"):
        sim.command(np.ones(24), over="long")  # type: ignore[arg-type]
    with pytest.raises(taut.InputError, match="over|within"):
        sim.command(np.ones(24), over=-1.0)
    with pytest.raises(taut.InputError, match="another model"):
        sim.restore(taut.Simulation(taut.generate("prism")).snapshot())
    with pytest.raises(TypeError, match="^restore: expected what snapshot.* gave, got str"):
        sim.restore("yesterday")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="taut.load"):
        taut.Simulation("robot.toml")  # type: ignore[arg-type]
    with pytest.raises(taut.InputError, match='did you mean "rk4"'):
        six(integrator="rk5")
    with pytest.raises(taut.InputError):
        six(formulation="all")
    with pytest.raises(taut.InputError, match="method"):
        sim.linearise(discrete=0.01, method="best")
    sim.advance(0.1)


def test_damaged_snapshots_are_refused() -> None:
    sim = six(integrator="symplectic", step=1e-3)
    sim.advance(0.1)
    snapshot = sim.snapshot()
    data = snapshot.__reduce_ex__(2)
    state = bytearray(next(part for part in data if isinstance(part, bytes)))
    kind = type(snapshot)
    rng = np.random.default_rng(1)
    for _ in range(200):
        broken = bytearray(state)
        broken[rng.integers(0, len(broken))] ^= 1 << rng.integers(0, 8)
        with pytest.raises(taut.InputError):
            kind.__new__(kind).__setstate__(bytes(broken))
    for size in range(0, len(state), 37):
        with pytest.raises(taut.InputError):
            kind.__new__(kind).__setstate__(bytes(state[:size]))


def test_a_motion_that_diverges_leaves_the_simulation_where_it_was() -> None:
    model = swing()
    model.set("cables.rope.stiffness", 1e9)
    sim = taut.Simulation(model, integrator="rk4", step=0.01)
    time, raised = 0.0, None
    for _ in range(200):
        sim.record()
        try:
            sim.advance(0.05)
        except taut.RunError as error:
            raised = error
            break
        time = sim.time
    assert raised is not None and sim.time == time and np.isfinite(sim.nodes).all()
    assert raised.run is not None and raised.run.t[-1] == time  # what was recorded
    sim.reset()
    assert sim.time == 0.0


def test_arrays_are_views_of_the_present() -> None:
    sim = six(integrator="symplectic", step=1e-3)
    nodes = sim.nodes
    assert nodes.shape == (12, 3) and not nodes.flags.writeable and nodes is sim.nodes
    kept = nodes.copy()
    sim.command(np.array(sim.rest_lengths) * 0.9)
    sim.advance(0.1)
    assert not np.array_equal(sim.nodes, kept) and np.array_equal(nodes, sim.nodes)
    with pytest.raises(ValueError):
        nodes[0, 0] = 0.0


def test_a_view_is_safe_after_its_simulation() -> None:
    sim = six(integrator="symplectic", step=1e-3)
    nodes = sim.nodes
    before = nodes.copy()
    del sim
    gc.collect()
    for _ in range(50):
        six(integrator="symplectic", step=1e-3)
    assert np.array_equal(nodes, before)


def test_a_model_that_is_changed_later_is_not_that_of_the_simulation() -> None:
    model = taut.generate("six_bar")
    sim = taut.Simulation(model, integrator="symplectic", step=1e-3)
    model.set("cables.*.stiffness", 1.0)
    other = six(integrator="symplectic", step=1e-3)
    for who in (sim, other):
        who.command(np.array(who.rest_lengths) * 0.9)
        who.advance(0.1)
    assert same(all_of(sim), all_of(other))
    assert sim.model.get("cables.*.stiffness") == [500.0] * 24


def test_linearised_at_the_present_state() -> None:
    model = swing()
    model.set({"environment.gravity": [0, 0, 0], "cables.rope.damping": 0.0})
    sim = taut.Simulation(model, formulation="minimal")
    sim.command({"rope": 1.5}, over=0.1)
    sim.advance(0.37)
    A, B = sim.linearise()
    n = len(A)
    assert A.shape == (n, n) and B.shape == (n, 1) and len(sim.state_names) == n and sim.linear_inputs == ["rope"]
    # B by differences of the motion itself: a rest length that is longer by d for a short time.
    Ad, Bd = sim.linearise(discrete=1e-4)
    assert np.allclose(Ad, np.eye(n) + 1e-4 * A + 0.5e-8 * A @ A, atol=1e-9 * np.abs(A).max())
    assert np.allclose(Bd, 1e-4 * B + 0.5e-8 * A @ B, atol=1e-9 * np.abs(B).max())


def test_rows_that_are_recorded_are_a_run() -> None:
    model = taut.load(models / "six_bar_rolling.toml")
    run = model.run(duration=0.3, integrator="rk4", step=1e-3, output_step=0.02)
    sim = taut.Simulation(model, integrator="rk4", step=1e-3)
    sim.record()
    for _ in range(15):
        sim.advance(0.02)
        sim.record()
    kept = sim.recorded
    assert np.allclose(kept.t, np.linspace(0, 0.3, 16), atol=1e-12)
    assert np.allclose(kept.nodes[-1], run.nodes[-1], atol=1e-9)
    assert kept.summary["status"] == "done" and kept.summary["simulated_s"] == pytest.approx(0.3)
    assert kept.summary["energy_drift"] == pytest.approx(run.summary["energy_drift"], rel=1e-6)
    assert kept.summary["max_bar_length_error"] < 1e-12
    assert kept.plot("tensions").svg and "<iframe" in kept._repr_html_()
    # Back in time the later rows go.
    sim.reset()
    sim.record()
    assert len(sim.recorded) == 1 and len(kept) == 16


def test_two_threads_have_a_simulation_each() -> None:
    alone = six(integrator="symplectic", step=1e-4)
    alone.advance(1.0)
    expected = all_of(alone)
    found: list[list[np.ndarray]] = []

    def work() -> None:
        sim = six(integrator="symplectic", step=1e-4)
        for _ in range(100):
            sim.advance(0.01)
        found.append(all_of(sim))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    for state in found:
        assert same(state, found[0]) and np.allclose(state[0], expected[0], atol=1e-12)


def test_one_simulation_in_two_threads_is_an_exception() -> None:
    sim = six(integrator="symplectic", step=1e-4)
    began = threading.Event()
    go_on = threading.Event()

    def hold(now: taut.Observation) -> None:
        began.set()
        go_on.wait(30)

    sim.control(hold, rate=10.0)
    thread = threading.Thread(target=lambda: sim.advance(0.05))
    thread.start()
    assert began.wait(30)
    for use in (lambda: sim.advance(0.1), lambda: sim.nodes, lambda: sim.snapshot(), lambda: sim.reset()):
        with pytest.raises(RuntimeError, match="at work already"):
            use()
    go_on.set()
    thread.join()
    assert sim.time == pytest.approx(0.05)
    sim.nodes


def test_ctrl_c_stops_an_advance_where_it_is() -> None:
    sim = six(integrator="symplectic", step=1e-3)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(taut.Interrupted) as caught:
        sim.advance(1e7)
    assert 0.0 < sim.time < 1e7 and caught.value.time == sim.time
    there = sim.time
    sim.advance(0.1)
    assert sim.time == pytest.approx(there + 0.1)


def test_random_calls_never_break_it() -> None:
    rng = np.random.default_rng(11)
    sim = six(integrator="symplectic", step=1e-3)
    kept = [sim.snapshot()]
    numbers = [0.5, -1.0, 0.0, float("nan"), float("inf"), 1e300, 1e-300, 2.0]
    calls = 0
    for _ in range(1500):
        what = rng.integers(0, 9)
        try:
            if what == 0:
                sim.command(rng.choice(numbers, rng.integers(20, 26)))
            elif what == 1:
                sim.command({str(rng.choice(["n1-n5", "n2-n7", "x", ""])): rng.choice(numbers)}, over=rng.choice(numbers))
            elif what in (2, 3):
                sim.advance(float(rng.choice([0.001, 0.01, -1.0, float("nan"), 0.05])))
            elif what == 4:
                kept.append(sim.snapshot())
            elif what == 5:
                sim.restore(kept[rng.integers(0, len(kept))])
            elif what == 6:
                sim.reset()
            elif what == 7:
                sim.record()
            else:
                sim.nodes, sim.energy, sim.summary, sim.events
            calls += 1
        except (taut.InputError, taut.RunError, TypeError):
            pass
    assert calls > 500
    sim.reset()
    sim.advance(0.1)
    assert np.isfinite(sim.nodes).all()


def test_copies_are_of_the_simulation_whatever_became_of_the_model() -> None:
    model = taut.generate("prism", fixed=1)
    gravity = np.array([0.0, 0.0, -9.81])
    sim = taut.Simulation(model, set={"environment.gravity": gravity})
    sim.advance(0.1)
    model.set({"cables.*.stiffness": 50.0, "environment.gravity": [0, 0, -3]})
    gravity[2] = 5.0
    twins = [copy.copy(sim), copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))]
    sim.advance(0.3)
    for twin in twins:
        twin.advance(0.3)
        assert np.array_equal(twin.nodes, sim.nodes)
        assert twin.model == sim.model


def test_copies_keep_recorded_rows() -> None:
    sim = six()
    sim.record()
    sim.advance(0.01)
    sim.record()
    for twin in (copy.deepcopy(sim), pickle.loads(pickle.dumps(sim))):
        assert np.array_equal(twin.recorded.nodes, sim.recorded.nodes)
        twin.advance(0.01)
        twin.record()
        assert len(twin.recorded) == 3 and len(sim.recorded) == 2


class Robot(taut.Simulation):
    """With something of its own."""

    def __init__(self, gains: list[float]) -> None:
        super().__init__(six().model)
        self.gains = gains


def test_copies_of_a_subclass_are_whole() -> None:
    robot = Robot([1.0, 2.0])
    robot.advance(0.01)
    for twin in (copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        assert type(twin) is Robot and twin.gains == [1.0, 2.0] and twin.gains is not robot.gains
        assert twin.time == robot.time
    assert copy.copy(robot).gains is robot.gains


def test_what_was_never_made_is_an_exception() -> None:
    class Hasty(taut.Simulation):
        def __init__(self) -> None:
            assert self.time == 0.0
            super().__init__(six().model)

    class Empty(taut.Simulation):
        def __init__(self) -> None:
            pass

    with pytest.raises(TypeError, match="super"):
        Hasty()
    with pytest.raises(TypeError, match="__init__"):
        Empty()
    sim = taut.Simulation.__new__(taut.Simulation)
    snapshot = taut.Snapshot.__new__(taut.Snapshot)
    for use in (
        lambda: sim.nodes,
        lambda: sim.advance(1.0),
        lambda: repr(sim),
        lambda: snapshot.time,
        lambda: pickle.dumps(snapshot),
        lambda: six().restore(snapshot),
        lambda: taut.Observation.__new__(taut.Observation).time,
        lambda: len(taut.Batch.__new__(taut.Batch)),
        lambda: taut.Batch.__new__(taut.Batch).nodes,
    ):
        with pytest.raises(TypeError, match="never made"):
            use()


def test_a_view_that_was_bent_is_made_anew() -> None:
    sim = six()
    expected = sim.nodes.copy()
    sim.nodes.shape = (-1,)
    assert np.array_equal(sim.nodes, expected)
    sim.nodes.dtype = np.int64
    assert np.array_equal(sim.nodes, expected)
    assert sim.nodes is sim.nodes


def test_names_of_the_linear_model_are_there_before_it() -> None:
    sim = taut.Simulation(taut.generate("prism", fixed=1))
    names = sim.state_names, sim.linear_inputs
    A, B = sim.linearise()
    assert A.shape == (len(names[0]), len(names[0])) and B.shape == (len(names[0]), len(names[1]))
    assert names == (sim.state_names, sim.linear_inputs)
    with pytest.raises(TypeError, match="discrete: expected a number"):
        sim.linearise("soon")  # type: ignore[arg-type]


def test_commands_by_name_are_those_of_the_list() -> None:
    by_name, by_list = six(), six()
    values = 0.95 * by_list.rest_lengths
    for over in (0.0, 0.05):
        by_name.command(dict(zip(by_name.inputs, values)), over=over)
        by_list.command(values, over=over)
        by_name.advance(0.1)
        by_list.advance(0.1)
        assert np.array_equal(by_name.nodes, by_list.nodes)
        assert by_name.energy == by_list.energy
        values = 0.9 * values


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_pickles(protocol: int) -> None:
    sim = six()
    sim.advance(0.01)
    model, twin, here, run = pickle.loads(pickle.dumps((sim.model, sim, sim.snapshot(), sim.recorded), protocol))
    assert model == sim.model and twin.time == here.time == sim.time and len(run) == 0
    assert same(all_of(twin), all_of(sim))


def test_what_cannot_be_pickled_is_an_exception() -> None:
    def keep(now: taut.Observation) -> None:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(now, protocol)
        with pytest.raises(TypeError, match="pickle"):
            copy.copy(now)

    taut.generate("six_bar").run(duration=0.01, control=keep)


def test_help_has_signatures() -> None:
    assert str(inspect.signature(six().advance)) == "(dt)"
    assert str(inspect.signature(six().command)) == "(values=None, *, over=0.0, **named)"
    assert str(inspect.signature(six().restore)) == "(snapshot)"
