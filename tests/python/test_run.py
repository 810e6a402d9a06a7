"""Runs in Python: to the last bit those of the program, as arrays, files, pictures."""

import csv
import gc
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support import command, models, swing

import taut


def table(file: Path) -> tuple[list[str], np.ndarray]:
    with open(file, newline="") as stream:
        rows = list(csv.reader(stream))
    return rows[0], np.array([[float(x) for x in row] for row in rows[1:]])


@pytest.mark.parametrize(
    "model, options",
    [
        ("six_bar_rolling.toml", {"duration": 1.0}),
        ("six_bar_rolling.toml", {"duration": 0.3, "integrator": "symplectic", "step": 1e-4}),
        ("tensegrity_manipulator.toml", {"duration": 0.2}),
        ("stacked.toml", {"duration": 0.05, "integrator": "cvode", "tolerance": 1e-9}),
    ],
)
def test_every_number_is_that_of_the_program(tmp_path: Path, model: str, options: dict[str, object]) -> None:
    words = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)]
    file = models / model
    command("run", file, "--csv", "--no-report", "-o", tmp_path / "out", *words)
    run = taut.load(file).run(**options)  # type: ignore[arg-type]
    kept = taut.open(tmp_path / "out")
    for name in ("t", "nodes", "velocities", "tensions", "lengths", "rest_lengths", "bar_forces", "constraint_error"):
        assert np.array_equal(getattr(run, name), getattr(kept, name)), name
    assert np.array_equal(run.energy, kept.energy)
    assert run.events == kept.events
    for key, value in run.summary.items():
        if key not in ("wall_s", "real_time_factor", "versions"):
            assert kept.summary[key] == value, key
    # The table is a second door to the same numbers.
    columns, rows = table(tmp_path / "out" / "energy.csv")
    assert columns[1:] == list(run.energy.dtype.names)
    assert np.array_equal(rows[:, 0], run.t)
    for k, name in enumerate(columns[1:], start=1):
        assert np.array_equal(rows[:, k], run.energy[name])


def test_arrays_have_the_shapes_that_they_say_and_obey_physics() -> None:
    step = 1e-3
    run = swing().run(duration=0.5, tolerance=1e-11, output_step=step)
    assert run.t.shape == (501,) and run.nodes.shape == (501, 3, 3) and run.tensions.shape == (501, 1)
    assert run.bar_forces.shape == (501, 1) and run.support_forces is not None
    assert run.support_names == ["pin", "hook"] and run.support_forces.shape == (501, 2, 3)
    assert run.contact_forces is None and run.joints is None and run.bar_lengths is None
    # A bar that keeps its length, a cable as long as its nodes are apart.
    tip, hook = run.nodes[:, 1], run.nodes[:, 2]
    assert np.allclose(np.linalg.norm(tip, axis=1), 1.0, rtol=0, atol=1e-10)
    assert np.allclose(np.linalg.norm(tip - hook, axis=1), run.lengths[:, 0], rtol=0, atol=1e-14)
    # Newton for the whole: supports and weight are what the momentum changes by. Centre of mass: the middle of the bar.
    momentum = 0.5 * 0.5 * run.velocities[:, 1]
    force = run.support_forces.sum(axis=1) + [0, 0, -0.5 * 9.81]
    impulse = np.concatenate([[np.zeros(3)], np.cumsum((force[1:] + force[:-1]) / 2 * step, axis=0)])
    # The trapezoidal rule: (step * frequency)^2 / 12, with a frequency of the rope of 50/s, and where it jumps taut a step.
    assert np.abs(momentum - momentum[0] - impulse).max() < 1e-3 * np.abs(impulse).max()
    assert np.abs(run.energy.balance - run.energy.balance[0]).max() < 1e-8
    assert np.allclose(run.energy["kinetic"], 0.5 * 0.5 / 3.0 * (run.velocities[:, 1] ** 2).sum(axis=1), atol=1e-9)


def test_arrays_are_views_that_nobody_can_write_and_that_outlive_the_run() -> None:
    run = swing().run(duration=0.2)
    nodes = run.nodes
    assert not nodes.flags.writeable and not nodes.flags.owndata
    assert nodes.ctypes.data == run.nodes.ctypes.data
    with pytest.raises(ValueError):
        nodes[0, 0, 0] = 1.0
    with pytest.raises(ValueError):
        run.energy["kinetic"][0] = 1.0
    before = nodes.copy()
    del run
    gc.collect()
    np.zeros(100000)
    assert np.array_equal(nodes, before)


def test_a_run_goes_on_from_a_run() -> None:
    model = swing()
    options = {"integrator": "symplectic", "step": 1e-3}
    whole = model.run(duration=1.0, **options)  # type: ignore[arg-type]
    half = model.run(duration=0.5, **options)  # type: ignore[arg-type]
    rest = model.run(duration=1.0, start=half, **options)  # type: ignore[arg-type]
    assert rest.t[0] == 0.5 and np.array_equal(rest.nodes, whole.nodes[50:])
    early = model.run(duration=1.0, start=(half, 0.3), **options)  # type: ignore[arg-type]
    assert early.t[0] == 0.3 and np.array_equal(early.nodes, whole.nodes[30:])
    with pytest.raises(taut.InputError, match="no row at t = 0.333"):
        model.run(duration=1.0, start=(half, 0.333))
    with pytest.raises(taut.InputError, match="stiffness"):
        swing().set("cables.rope.stiffness", 600).run(duration=1.0, start=half)


def test_files_and_pickles_bring_all_of_it_back(tmp_path: Path) -> None:
    run = taut.load(models / "six_bar_rolling.toml").run(duration=0.5)
    run.save(tmp_path / "deep" / "six.h5")
    run.save(tmp_path / "deep" / "six.h5")  # in its own place, too
    for other in (taut.open(tmp_path / "deep" / "six.h5"), pickle.loads(pickle.dumps(run))):
        assert np.array_equal(other.nodes, run.nodes) and np.array_equal(other.energy, run.energy)
        assert other.events == run.events and other.model == run.model
        assert other.contact_forces is not None and np.array_equal(other.contact_forces, run.contact_forces)
    run.save_csv(tmp_path / "tables")
    columns, rows = table(tmp_path / "tables" / "nodes.csv")
    assert np.array_equal(rows[:, 1:].reshape(run.nodes.shape), run.nodes)
    (tmp_path / "text.h5").write_text("no HDF5")
    for wrong in ("text.h5", "none.h5"):
        with pytest.raises(taut.InputError):
            taut.open(tmp_path / wrong)
    with pytest.raises(taut.InputError):
        run.save(tmp_path)


def test_pictures(tmp_path: Path) -> None:
    run = swing().run(duration=0.3)
    plot = run.plot("tensions", title="how it swings")
    assert plot.svg.startswith("<?xml") and "how it swings" in plot.svg and plot._repr_svg_() == plot.svg
    plot.save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text() == plot.svg
    run.save(tmp_path / "run.h5")
    for what in taut.plottables:
        try:
            svg = run.plot(what).svg
        except taut.InputError:
            continue  # this run has none of it
        assert command("plot", tmp_path / "run.h5", "--what", what, "-o", tmp_path / f"{what}.svg") is not None
        # The program writes its file's name as the title.
        assert svg.count("<polyline") == (tmp_path / f"{what}.svg").read_text().count("<polyline")
    with pytest.raises(taut.InputError, match='did you mean "tensions"'):
        run.plot("tension")
    run.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<html" in page and len(page) > 100_000
    shown = run._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;html" in shown


def test_exports_are_those_of_the_program(tmp_path: Path) -> None:
    run = swing().run(duration=0.1)
    run.save(tmp_path / "run.h5")
    (tmp_path / "theirs").mkdir()
    command("export", tmp_path / "run.h5", "--to", "gltf", "-o", tmp_path / "theirs" / "a.glb", "--every", 2)
    command("export", tmp_path / "run.h5", "--to", "vtk", "-o", tmp_path / "theirs" / "a.pvd")
    run.export(tmp_path / "ours" / "a.glb", every=2)
    run.export(tmp_path / "ours" / "a.pvd")
    ours = {p.relative_to(tmp_path / "ours"): p.read_bytes() for p in (tmp_path / "ours").rglob("*") if p.is_file()}
    theirs = {p.relative_to(tmp_path / "theirs"): p.read_bytes() for p in (tmp_path / "theirs").rglob("*") if p.is_file()}
    assert ours == theirs and {p.suffix for p in ours} >= {".glb", ".pvd", ".vtp"}
    for wrong in ("a.obj", "a", "run.h5"):
        with pytest.raises(taut.InputError, match="cannot write"):
            run.export(tmp_path / wrong)


def test_a_model_at_rest_is_a_run_of_one_row(tmp_path: Path) -> None:
    model = taut.load(models / "six_bar_rolling.toml")
    still = model.still()
    first = model.run(duration=0.01)
    assert len(still) == 1 and np.array_equal(still.nodes[0], first.nodes[0])
    assert np.array_equal(still.tensions[0], first.tensions[0])
    model.report(tmp_path / "ours.html", title="six_bar_rolling")
    command("view", models / "six_bar_rolling.toml", "-o", tmp_path / "theirs.html", "--no-open")
    assert (tmp_path / "ours.html").read_bytes() == (tmp_path / "theirs.html").read_bytes()
    assert model._repr_html_().startswith("<iframe srcdoc=")


def test_a_run_that_fails_keeps_what_it_computed() -> None:
    model = swing()
    model.set("cables.rope.stiffness", 1e9)
    with pytest.raises(taut.RunError) as caught:
        model.run(integrator="rk4", step=0.01, duration=10.0)
    error = caught.value
    assert error.run is not None and error.run.summary["status"] == "failed"
    assert error.run.t[-1] <= error.time <= 10.0 and np.isfinite(error.run.nodes).all()
    again = pickle.loads(pickle.dumps(error))
    assert again.time == error.time and np.array_equal(again.run.nodes, error.run.nodes)


def test_ctrl_c_stops_a_run_and_keeps_it() -> None:
    model = swing()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(taut.Interrupted) as caught:
        model.run(duration=1e7, integrator="symplectic", step=1e-3, output_step=1.0)
    assert isinstance(caught.value, KeyboardInterrupt)
    run = caught.value.run
    assert run is not None and run.summary["status"] == "interrupted" and len(run) > 0
    # Afterwards everything is as it was: a run runs, and Python's own handler hears the key.
    assert model.run(duration=0.1).summary["status"] == "done"
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)


def test_options_are_judged_like_keys() -> None:
    model = swing()
    for options, words in [
        ({"integrator": "rk5"}, "integrator"),
        ({"duration": -1.0}, "duration"),
        ({"duration": float("nan")}, "duration"),
        ({"step": 0.0, "integrator": "rk4"}, "step"),
        ({"set": {"cables.rope.stifness": 3}}, "stiffness"),
        ({"formulation": "nodall"}, 'did you mean "nodal"'),
    ]:
        with pytest.raises(taut.InputError, match=words):
            model.run(**options)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        model.run(durations=3)  # type: ignore[call-arg]
    assert model.run(duration=0.1, set={"cables.rope.stiffness": 600}).model.get("cables.rope.stiffness") == 600
    assert model.get("cables.rope.stiffness") == 500


def test_arguments_that_make_no_sense_say_what_was_expected() -> None:
    model = taut.generate("prism", fixed=1)
    run = model.run(duration=0.1)
    for start in (5, (1, 2), (), (run,), (run, 0.05, 1), [run, 0.05]):
        for ask in (lambda: model.run(duration=0.2, start=start), lambda: model.check(start=start)):
            with pytest.raises(TypeError, match="start: expected a run"):
                ask()
    with pytest.raises(TypeError, match="start: expected a number"):
        model.run(duration=0.2, start=(run, "end"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="set: expected values by key path"):
        model.run(set=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="what: expected a text"):
        run.plot(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="every: expected a number of rows"):
        run.export("run.glb", -1)
    with pytest.raises(taut.InputError, match="expected two times"):
        run.plot(start=float("nan"))
    # In words of Python.
    with pytest.raises(taut.InputError, match="^what: .*did you mean"):
        run.plot("tensons")
    with pytest.raises(taut.InputError, match="^select"):
        run.plot(select="nobody")
    with pytest.raises(taut.InputError, match="later end, duration counts"):
        model.run(duration=0.1, start=run)
