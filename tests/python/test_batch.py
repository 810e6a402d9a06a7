"""Batches in Python: against simulations, hard to misuse, without copies."""

import gc
import pickle
import threading
import weakref

import numpy as np
import pytest
from support import models, swing

import taut


def prism(**more: object) -> taut.Model:
    return taut.generate("prism", damping=2.0, **more)  # type: ignore[arg-type]


def robots(count: int = 5, **options: object) -> taut.Batch:
    return taut.Batch(prism(), count, step=1e-3, **options)  # type: ignore[arg-type]


def simulation(batch: taut.Batch, robot: int) -> taut.Simulation:
    return taut.Simulation(
        batch.model(robot), integrator="symplectic", formulation="nodal", constraints="projection", step=batch.step_size
    )


def test_each_robot_moves_as_its_simulation() -> None:
    rng = np.random.default_rng(1)
    batch = robots()
    batch.set({"cables.*.stiffness": rng.uniform(300, 900, 5), "bars.*.mass": rng.uniform(0.5, 2, 5)})
    sims = [simulation(batch, i) for i in range(5)]
    lengths = np.array([sim.rest_lengths for sim in sims])
    assert batch.inputs == sims[0].inputs
    for call in range(4):
        commands = lengths * rng.uniform(0.9, 1.05, lengths.shape)
        batch.step(commands, steps=25)
        for i, sim in enumerate(sims):
            sim.command(commands[i])
            sim.advance(0.025)
            # Another order of additions, over 100 steps of a motion that is not chaotic.
            assert np.allclose(batch.nodes[i], sim.nodes, rtol=0, atol=1e-11)
            assert np.allclose(batch.velocities[i], sim.velocities, rtol=0, atol=1e-9)
            assert np.allclose(batch.tensions[i], sim.tensions, rtol=0, atol=1e-7)
    assert np.allclose(batch.time, 0.1) and not batch.done.any()
    assert batch.largest_bar_length_error < 1e-14
    # Evenly: constant speed over the call.
    batch.step(lengths, steps=50, evenly=True)
    for i, sim in enumerate(sims):
        sim.command(lengths[i], over=0.05)
        sim.advance(0.05)
        assert np.allclose(batch.nodes[i], sim.nodes, rtol=0, atol=1e-11)


def test_arrays_are_views_that_keep_their_batch() -> None:
    batch = robots()
    nodes, velocities, done = batch.nodes, batch.velocities, batch.done
    assert nodes.shape == velocities.shape == (5, 6, 3) and done.shape == (5,) and batch.tensions.shape == (5, 9)
    assert nodes.dtype == np.float64 and done.dtype == np.uint8
    assert not any(array.flags.writeable for array in (nodes, velocities, done, batch.tensions))
    assert np.array_equal(nodes, np.broadcast_to(batch.model(0).positions, nodes.shape))
    before = nodes.copy()
    batch.step(steps=100)
    assert not np.array_equal(nodes, before) and np.shares_memory(nodes, batch.nodes)
    assert np.array_equal(nodes, batch.numpy("nodes")) and batch.numpy("tensions").shape == (5, 9)
    kept, gone = nodes.copy(), weakref.ref(batch)
    del batch, velocities, done
    gc.collect()
    assert gone() is not None and np.array_equal(nodes, kept)
    del nodes
    gc.collect()
    assert gone() is None


def test_single_precision_is_float32_and_near() -> None:
    exact, single = robots(), robots(precision="single")
    assert single.nodes.dtype == single.velocities.dtype == single.tensions.dtype == np.float32
    for batch in exact, single:
        batch.step(steps=200)
    assert 0 < np.abs(exact.nodes - single.nodes).max() < 1e-4
    assert "single" in repr(single)


def test_masked_resets_leave_the_others() -> None:
    batch, other = robots(), robots()
    for each in batch, other:
        each.set("cables.*.stiffness", np.linspace(300, 900, 5))
        each.step(steps=30)
    mask = np.array([True, False, True, False, False])
    batch.reset(mask)
    assert batch.time.tolist() == [0, 0.03, 0, 0.03, 0.03]
    batch.step(steps=30)
    other_after_30 = other.nodes[mask].copy()
    other.step(steps=30)
    assert np.array_equal(batch.nodes[~mask], other.nodes[~mask])
    assert np.array_equal(batch.nodes[mask], other_after_30)
    batch.reset(batch.done)  # none
    assert batch.time[1] == 0.06
    batch.reset()
    assert not batch.time.any() and np.array_equal(batch.nodes[0], batch.model(0).positions)


def test_a_robot_that_diverges_stops_alone() -> None:
    model = swing()
    batch = taut.Batch(model, 3, step=0.02)
    assert batch.warnings == []
    batch.set("cables.rope.stiffness", [500.0, 1e12, 700.0])
    batch.step(steps=200)
    assert [taut.Batch.done_names[code] for code in batch.done] == ["no", "diverged", "no"]
    assert np.isfinite(batch.nodes).all()
    alone = taut.Batch(model, 1, step=0.02).set("cables.rope.stiffness", 700.0)
    alone.step(steps=200)
    assert np.array_equal(alone.nodes[0], batch.nodes[2])
    batch.reset(batch.done)
    assert batch.time.tolist() == [4.0, 0.0, 4.0] and not batch.done.any()
    coarse = taut.Batch(model, 1, step=0.5)
    assert "limit of stability" in coarse.warnings[0]


def test_fallen_and_outside_are_done() -> None:
    model = taut.generate("prism")
    model.set("environment.gravity", [0, 0, -9.81])
    batch = taut.Batch(model, 2, step=1e-3, fallen=-1.0)
    batch.step(steps=300)
    assert not batch.done.any()
    batch.step(steps=300)  # 1.77 m deep
    assert (batch.done == 2).all()
    model.set("environment.gravity", [9.81, 0, 0])
    batch = taut.Batch(model, 2, step=1e-3, bounds=1.5)
    batch.step(steps=600)
    assert (batch.done == 3).all()


def test_snapshots_go_on_to_the_last_bit() -> None:
    batch = robots()
    batch.set("cables.*.stiffness", np.linspace(300, 900, 5))
    batch.step(steps=20)
    snapshot = pickle.loads(pickle.dumps(batch.snapshot()))
    batch.step(steps=40)
    after = batch.nodes.copy()
    batch.restore(snapshot)
    assert np.allclose(batch.time, 0.02)
    batch.step(steps=40)
    assert np.array_equal(batch.nodes, after)
    for wrong in b"", snapshot[:-1], robots(4).snapshot(), robots(5, precision="single").snapshot():
        with pytest.raises(taut.InputError, match="of another batch"):
            batch.restore(wrong)
    assert np.array_equal(batch.nodes, after)


def test_rows_are_the_states_after_so_many_steps() -> None:
    batch, other = robots(), robots()
    rows = batch.step(steps=60, record=20)
    assert rows is not None and rows.nodes.shape == rows.velocities.shape == (3, 5, 6, 3)
    for row in range(3):
        other.step(steps=20)
        assert np.array_equal(rows.nodes[row], other.nodes) and np.array_equal(rows.velocities[row], other.velocities)
        assert np.array_equal(rows.time[row], other.time)
    for bad in 0, -1, 7, 120:
        with pytest.raises(taut.InputError, match="divides"):
            batch.step(steps=60, record=bad)


def test_other_starts() -> None:
    batch = taut.Batch(swing(), 3, step=1e-3)
    angles = np.array([0.0, 0.3, -0.6])
    nodes = batch.nodes.copy()
    nodes[:, 1] = np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1)
    batch.place(nodes)
    assert np.array_equal(batch.nodes, nodes) and not batch.velocities.any()
    batch.step(steps=10)
    sim = taut.Simulation(swing().set("nodes.tip.at", nodes[2, 1]), integrator="symplectic", step=1e-3)
    sim.advance(0.01)
    assert np.allclose(batch.nodes[2], sim.nodes, rtol=0, atol=1e-12)
    batch.reset()
    assert np.array_equal(batch.nodes, nodes)
    batch.place(nodes[0])
    assert np.array_equal(batch.nodes[2], nodes[0])
    nodes[1, 1] *= 1.01
    with pytest.raises(taut.InputError, match="a bar is"):
        batch.place(nodes)
    with pytest.raises(taut.InputError, match=r"shape \(3, 2, 3\); expected \(3, 3, 3\)"):
        batch.place(nodes[:, :2])


def test_vectors_are_never_misread() -> None:
    # Three robots, three numbers, of a vector and of a number; and (3, 3).
    at = np.array([[1.0, 0, 0], [0, 1.0, 0], [0.6, 0, 0.8]])
    batch = taut.Batch(swing(), 3, step=1e-3)
    batch.set("nodes.tip.at", at)
    assert np.array_equal(batch.nodes[:, 1], at)
    batch.set("nodes.tip.at", at[1])
    assert np.array_equal(batch.nodes[:, 1], np.broadcast_to(at[1], (3, 3)))
    batch.set("nodes.tip.at", np.asfortranarray(at))
    assert np.array_equal(batch.nodes[:, 1], at)
    batch.set("cables.rope.stiffness", [1, 2, 3])
    assert [batch.model(i).get("cables.rope.stiffness") for i in range(3)] == [1, 2, 3]
    assert [batch.model(-1).get("cables.rope.stiffness")] == [3]
    with pytest.raises(IndexError):
        batch.model(3)


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("cables.rope.stiffness", [1, 2], r"has shape \(2,\)"),
        ("cables.rope.stiffness", np.ones((3, 2)), r"has shape \(3, 2\)"),
        ("cables.rope.stiffness", [[1, 2, 3]], r"has shape \(1, 3\)"),
        ("cables.rope.stiffness", [1, np.nan, 3], "nan"),
        ("cables.rope.stiffness", [1, 2, -3], "robot 2: is negative"),
        ("cables.rope.stifness", 3, "did you mean"),
        ("cables.nix.stiffness", 3, 'there is no "nix"'),
        ("nodes.pin.fixed", 0, "robot 0"),
        ("environment.ground.height", [0, 0.1, 0.2], "robot 0"),
    ],
)
def test_bad_values_change_nothing(key: str, values: object, words: str) -> None:
    batch = taut.Batch(swing(), 3, step=1e-3).set("cables.rope.damping", [1, 2, 3])
    batch.step(steps=10)
    before = batch.nodes.copy()
    with pytest.raises(taut.InputError, match=words):
        batch.set(key, values)  # type: ignore[arg-type]
    with pytest.raises(taut.InputError, match=words):
        batch.set({"bars.beam.mass": 7, key: values})  # type: ignore[dict-item]
    assert np.array_equal(batch.nodes, before) and batch.model(0).get("bars.beam.mass") == 0.5


def test_commands_are_converted_or_refused() -> None:
    batch = robots(2)
    right = np.broadcast_to(np.float32(0.5), (2, 9))
    batch.step(right)
    batch.step(np.asfortranarray(right))
    batch.step(right.tolist())
    with pytest.raises(taut.InputError, match=r"shape \(9, 2\); expected \(2, 9\)"):
        batch.step(right.T)
    with pytest.raises(taut.InputError, match=r"shape \(9,\)"):
        batch.step(right[0])
    for wrong in right.astype(complex), right.astype(str), "abc", [[1], [1, 2]]:
        with pytest.raises((TypeError, ValueError)):
            batch.step(wrong)  # type: ignore[arg-type]
    before = batch.nodes.copy()
    for value in (np.nan, np.inf, -0.1, 0.0):
        bad = np.array(right)
        bad[1, 3] = value
        with pytest.raises(taut.InputError, match="for robot 1"):
            batch.step(bad)
    for steps in (0, -1, 2**40):
        with pytest.raises(taut.InputError, match="steps"):
            batch.step(steps=steps)
    with pytest.raises(TypeError):
        batch.step(steps=1.5)  # type: ignore[arg-type]
    with pytest.raises(taut.InputError, match="evenly"):
        batch.step(steps=5, evenly=True)
    assert np.array_equal(batch.nodes, before)
    for mask in ([0, 1], np.array([1.0, 0.0]), [True], np.ones((2, 1), bool), "ab"):
        with pytest.raises(taut.InputError, match="truth values"):
            batch.reset(mask)  # type: ignore[arg-type]


def test_what_cannot_be_made() -> None:
    for options, words in [
        ({"device": "gpu"}, "cpu or cuda"),
        ({"precision": "half"}, "double or single"),
        ({"threads": 0}, "threads"),
        ({"step": 0.0}, "step"),
        ({"step": -1e-3}, "step"),
        ({"step": float("nan")}, "step"),
        ({"unit": "sse9"}, "vector unit"),
        ({"speed": -1.0}, "speed"),
        ({"set": {"cables.*.stifness": 3}}, "did you mean"),
        ({"set": {"simulation.settle": True}}, "settle"),
    ]:
        with pytest.raises(taut.InputError, match=words):
            taut.Batch(prism(), 2, **options)  # type: ignore[arg-type]
    for count in (0, -3):
        with pytest.raises(taut.InputError, match="robots"):
            taut.Batch(prism(), count)
    with pytest.raises(taut.InputError, match=r"need .* GB; [0-9]+ fit"):
        taut.Batch(prism(), 10**15)
    with pytest.raises(taut.InputError, match="cannot take joints"):
        taut.Batch(taut.load(models / "single_strut.toml"), 2)
    with pytest.raises(TypeError):
        taut.Batch("prism.toml", 2)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        taut.Batch(prism(), 2.5)  # type: ignore[arg-type]


def test_threads_and_units_change_nothing_that_counts() -> None:
    stiffness = np.linspace(300, 900, 40)
    ends = []
    for options in ({"threads": 1}, {"threads": 3}, {"unit": "scalar"}):
        batch = taut.Batch(prism(), 40, step=1e-3, **options).set("cables.*.stiffness", stiffness)  # type: ignore[arg-type]
        batch.step(steps=100)
        ends.append(batch.nodes.copy())
    assert all(np.array_equal(end, ends[0]) for end in ends[1:])


def test_another_thread_is_refused_not_mixed() -> None:
    batch = robots(2000)
    errors: list[BaseException] = []

    def work() -> None:
        for _ in range(20):
            try:
                batch.step(steps=20)
            except RuntimeError as error:
                errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("give each thread a Batch of its own" in str(error) for error in errors)
    assert batch.time[0] == pytest.approx(0.02 * (40 - len(errors)))


def test_dlpack_hands_over_the_same_memory() -> None:
    for precision, kind in ("double", np.float64), ("single", np.float32):
        batch = robots(5, precision=precision)
        for name in ("nodes", "velocities", "tensions"):
            handed = batch._exchange(name)
            assert handed.__dlpack_device__() == (1, 0) and handed.dtype == np.dtype(kind).name
            array = np.from_dlpack(handed)  # type: ignore[arg-type]
            own = getattr(batch, name)
            assert array.shape == handed.shape == own.shape and array.strides == own.strides and array.dtype == kind
            assert np.shares_memory(array, own) and np.array_equal(array, own)
        batch.step(steps=50)
        assert np.array_equal(array, batch.tensions)
        # Capsules that nobody takes, and arrays that outlive the batch.
        for _ in range(100):
            batch._exchange("nodes").__dlpack__()
        gone, kept = weakref.ref(batch), array.copy()
        del batch, own, handed
        gc.collect()
        assert gone() is not None and np.array_equal(array, kept)
        del array
        gc.collect()
        assert gone() is None
