"""Sweeps in Python: to the last bit the rows of the program, whatever the design, the door and the threads."""

import csv
import io
import math
import os
import pickle
import shutil
import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import command, source

import taut

# A sweep file less its first line, and the same as arguments.
SWEEPS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "grid": (
        "prism",
        """
        set = ["simulation.duration=0.05"]
        parameters = [
          { name = "k", key = "cables.*.stiffness", range = [500, 5000, 3] },
          { name = "c", key = "cables.*.damping", expression = "sqrt(k)/20" },
          { key = "simulation.integrator", values = ["dopri5", "rk4"] },
          { name = "p", values = [1, 2], together = "q" },
          { name = "q", values = [0.5, 0.25], together = "q" },
          { name = "start", key = "nodes.b1.velocity", values = [[0, 0, 0], [0, 0, 0.5]] },
        ]
        record = [
          { name = "slack", value = "count(slack_events)" },
          { name = "top", value = "max(nodes.*.z) + p" },
          { name = "drift", value = "energy_drift" },
        ]
        """,
        dict(
            set={"simulation.duration": 0.05},
            parameters={
                "k": {"key": "cables.*.stiffness", "from": 500, "to": 5000, "count": 3},
                "c": {"key": "cables.*.damping", "expression": "sqrt(k)/20"},
                "simulation.integrator": ["dopri5", "rk4"],
                "p": {"values": [1, 2], "together": "q"},
                "q": {"values": np.array([0.5, 0.25]), "together": "q"},
                "start": {"key": "nodes.b1.velocity", "values": [[0, 0, 0], (0, 0, 0.5)]},
            },
            record={"slack": "count(slack_events)", "top": "max(nodes.*.z) + p", "drift": "energy_drift"},
        ),
    ),
    "random": (
        "prism",
        """
        design = "random"
        runs = 12
        seed = 5
        parameters = [
          { name = "k", key = "cables.*.stiffness", log_range = [50.0, 5000.0] },
          { name = "m", key = "bars.*.mass", random = { distribution = "normal", mean = 1, std = 0.4, min = 0.1 } },
          { name = "n", random = { distribution = "choice", values = [1, 2, 5] } },
        ]
        record = [{ name = "top", value = "max(nodes.*.z)" }, { name = "twice", value = "2*n" }]
        """,
        dict(
            design="random",
            draws=12,
            seed=5,
            parameters={
                "k": {"key": "cables.*.stiffness", "from": 50.0, "to": 5000.0, "log": True},
                "m": {"key": "bars.*.mass", "distribution": "normal", "mean": 1, "std": 0.4, "min": 0.1},
                "n": {"distribution": "choice", "values": [1, 2, 5]},
            },
            record={"top": "max(nodes.*.z)", "twice": "2*n"},
        ),
    ),
    "latin_hypercube": (
        "prism",
        """
        design = "latin_hypercube"
        runs = 11
        parameters = [
          { key = "cables.*.stiffness", range = [500.0, 5000.0] },
          { key = "cables.a1-a2.rest_length", values = [0.7, 0.8] },
        ]
        record = [{ name = "max(nodes.*.z)", value = "max(nodes.*.z)" }]
        """,
        dict(
            design="latin_hypercube",
            draws=11,
            parameters={
                "cables.*.stiffness": {"range": [500.0, 5000.0]},
                "cables.a1-a2.rest_length": [0.7, 0.8],
            },
            record="max(nodes.*.z)",
        ),
    ),
    "sobol": (
        "prism",
        """
        design = "sobol"
        scramble = "shift"
        seed = 3
        runs = 16
        [[parameters]]
        name = "k"
        keys = ["cables.a1-a2.stiffness", "cables.a2-a3.stiffness"]
        range = [500.0, 5000.0]
        [[parameters]]
        name = "m"
        key = "bars.*.mass"
        random = { distribution = "triangular", low = 0.5, mode = 1.0, high = 2.0 }
        [[record]]
        name = "z"
        value = "last(nodes.b1.z)"
        """,
        dict(
            design="sobol",
            scramble="shift",
            seed=3,
            draws=16,
            parameters={
                "k": {"keys": ("cables.a1-a2.stiffness", "cables.a2-a3.stiffness"), "range": (500.0, 5000.0)},
                "m": {
                    "key": "bars.*.mass",
                    "random": {"distribution": "triangular", "low": 0.5, "mode": 1.0, "high": 2.0},
                },
            },
            record={"z": "last(nodes.b1.z)"},
        ),
    ),
    "imperfections": (
        "prism",
        """
        repeats = 5
        seed = 11
        runs = 2
        parameters = [{ name = "v", key = "nodes.b1.velocity.z", random = { distribution = "uniform", low = 0, high = 1 } }]
        imperfections = [
          { key = "cables.*.rest_length", relative = { distribution = "normal", std = 0.005 } },
          { key = "nodes.*.at", absolute = { distribution = "uniform", low = -0.001, high = 0.001 } },
        ]
        record = [{ name = "pull", value = "max(cables.*.tension)" }]
        """,
        dict(
            repeats=5,
            seed=11,
            draws=2,
            parameters={"v": {"key": "nodes.b1.velocity.z", "distribution": "uniform", "low": 0, "high": 1}},
            imperfections={
                "cables.*.rest_length": {"relative": {"distribution": "normal", "std": 0.005}},
                "nodes.*.at": {"absolute": {"distribution": "uniform", "low": -0.001, "high": 0.001}},
            },
            record={"pull": "max(cables.*.tension)"},
        ),
    ),
    "bisect": (
        "weight",
        """
        parameters = [{ name = "k", key = "cables.*.stiffness", values = [50, 100] }]
        record = [{ name = "least", value = "min(cables.rope.tension)" }]
        [bisect]
        name = "fastest"
        key = "nodes.m.velocity.z"
        range = [0.1, 3.0]
        tolerance = 1e-4
        holds = "count(slack_events) == 0"
        """,
        dict(
            parameters={"k": {"key": "cables.*.stiffness", "values": [50, 100]}},
            record={"least": "min(cables.rope.tension)"},
            bisect={
                "name": "fastest",
                "key": "nodes.m.velocity.z",
                "range": [0.1, 3.0],
                "tolerance": 1e-4,
                "holds": "count(slack_events) == 0",
            },
        ),
    ),
    "tables": (
        "weight",
        """
        set = ["cables.rope.law={ kind = \\"softplus\\", beta = 50 }"]
        parameters = [{ name = "law", key = "cables.rope.law", values = [{ kind = "spring" }, "linear"] }]
        record = [{ name = "pull", value = "max(cables.rope.tension)" }]
        """,
        dict(
            set={"cables.rope.law": {"kind": "softplus", "beta": 50}},
            parameters={"law": {"key": "cables.rope.law", "values": [{"kind": "spring"}, "linear"]}},
            record={"pull": "max(cables.rope.tension)"},
        ),
    ),
    "batch": (
        "prism",
        """
        set = ["simulation.integrator=symplectic", "simulation.duration=0.1"]
        engine = "batch"
        design = "random"
        runs = 40
        parameters = [{ name = "k", key = "cables.*.stiffness", log_range = [50.0, 5000.0] }]
        record = [{ name = "pull", value = "max(cables.*.tension)" }]
        """,
        dict(
            set={"simulation.integrator": "symplectic", "simulation.duration": 0.1},
            engine="batch",
            design="random",
            draws=40,
            parameters={"k": {"key": "cables.*.stiffness", "from": 50.0, "to": 5000.0, "log": True}},
            record={"pull": "max(cables.*.tension)"},
        ),
    ),
    "stop, refused, failed": (
        "weight",
        """
        stop = "nodes.m.z > lid"
        set = ["simulation.integrator=rk4", "simulation.step=0.01"]
        parameters = [
          { name = "lid", values = [-0.97, 0.0] },
          { key = "cables.*.stiffness", values = [100, 1e14] },
          { key = "cables.*.damping", values = [-5, 0] },
        ]
        record = [{ name = "end", value = "simulated_s" }]
        """,
        dict(
            stop="nodes.m.z > lid",
            set={"simulation.integrator": "rk4", "simulation.step": 0.01},
            parameters={"lid": [-0.97, 0.0], "cables.*.stiffness": [100, 1e14], "cables.*.damping": [-5, 0]},
            record={"end": "simulated_s"},
        ),
    ),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("prism", "weight"):
        shutil.copy(source / "tests/models" / f"{name}.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def program_table(model: str, sweep: str, name: str = "sweep") -> str:
    """The bytes of the program's table.csv for this sweep file, as text."""
    Path(f"{name}.toml").write_text(f'model = "{model}.toml"\n{sweep}')
    command("sweep", f"{name}.toml", "--no-report", "-o", f"{name}-program", folder=Path.cwd())
    with open(f"{name}-program/table.csv", newline="", encoding="utf-8") as file:
        return file.read()


def require_same(rows: taut.Sweep, table: str) -> None:
    header, *lines = csv.reader(io.StringIO(table))
    assert rows.columns == tuple(header) and len(rows) == len(lines)
    for k, name in enumerate(header):
        mine, theirs = rows[name], [line[k] for line in lines]
        if mine.dtype.kind in "if":
            assert np.array_equal(mine, np.array([float(x) for x in theirs]), equal_nan=True), name
        else:
            assert list(mine) == theirs, name


@pytest.mark.parametrize("name", SWEEPS)
def test_every_number_is_that_of_the_program(name: str, here: Path) -> None:
    model, file, arguments = SWEEPS[name]
    table = program_table(model, file)
    rows = taut.sweep(taut.load(f"{model}.toml"), **arguments)
    require_same(rows, table)
    if name == "stop, refused, failed":
        assert list(rows["status"]) == ["refused", "stopped", "refused", "failed", "refused", "done", "refused", "failed"]
        assert rows["reason"][0] == "cables.*.damping=-5: is negative (-5): expected 0 or more"
        assert (rows.counts.failed, rows.counts.refused, rows.counts.stopped) == (2, 4, 1)
    # The file by the other door, and the rows of a folder, which has the program's bytes.
    require_same(taut.sweep("sweep.toml"), table)
    require_same(taut.sweep(taut.load(f"{model}.toml"), **arguments, folder="mine", report=False), table)
    assert Path("mine/table.csv").read_bytes() == Path("sweep-program/table.csv").read_bytes()
    assert Path("mine/table.h5").read_bytes() == Path("sweep-program/table.h5").read_bytes()
    assert not Path("mine/report.html").exists()


def test_a_generated_model_varies_by_its_generator(here: Path) -> None:
    Path("made.toml").write_text('[generate]\nkind = "prism"\nfixed = 1\n[simulation]\nduration = 0.01\n')
    table = program_table(
        "made",
        """
        parameters = [
          { key = "generate.bars", values = [3, 4, 5] },
          { key = "generate.pretension", values = [10, 20] },
        ]
        record = [{ name = "taut", value = "first(sum(if(cables.*.tension > 0, 1, 0)))" }]
        """,
    )
    made = taut.generate("prism", fixed=1)
    made.set("simulation.duration", 0.01)
    parameters = {"generate.bars": range(3, 6), "generate.pretension": (10, 20)}
    rows = taut.sweep(made, parameters, record={"taut": "first(sum(if(cables.*.tension > 0, 1, 0)))"})
    require_same(rows, table)
    assert list(rows["taut"]) == [9, 9, 12, 12, 15, 15]
    # A shape that was made is no longer a generator's.
    with pytest.raises(taut.InputError, match="generate"):
        taut.sweep(made.run(duration=0.01).model, parameters)


# With a pretension of m g the weight hangs 1 m below whatever k is, and swings as z = -1 + (v/ω) sin ωt, ω = √(k/m).
def test_frequencies_of_a_weight_on_a_cable() -> None:
    g, v = 9.81, 0.1
    model = taut.Model("weight")
    model.set({"environment.gravity": [0, 0, -g], "simulation.duration": 4.0, "simulation.output_step": 0.001})
    model.add_node("top", [0, 0, 0], fixed=True)
    model.add_node("m", [0, 0, -1], mass=1.0, velocity=[0, 0, v])
    model.add_cable(["top", "m"], name="rope", stiffness=1.0, pretension=1.0)
    k, m = np.geomspace(50, 400, 5), np.array([0.5, 1, 2])
    rows = taut.sweep(
        model,
        {
            "k": {"key": "cables.rope.stiffness", "values": k},
            "m": {"key": "nodes.m.mass", "values": m},
            "cables.rope.pretension": f"{g}*m",
        },
        record={"half": "first_time(nodes.m.z < -1 - 1e-9)", "top": "max(nodes.m.z)", "slack": "count(slack_events)"},
        set={"simulation.integrator": "dopri5", "simulation.tolerance": 1e-11},
    )
    assert len(rows) == 15 and not rows["slack"].any()
    assert np.array_equal(rows["k"], np.repeat(k, 3)) and np.array_equal(rows["m"], np.tile(m, 5))
    omega = np.sqrt(rows["k"] / rows["m"])
    # The 1e-9 m are passed 1e-8 s later; between rows the crossing is found on a straight line.
    assert np.allclose(rows["half"], math.pi / omega, rtol=0, atol=1e-6)
    row_s = 0.001
    assert np.all(np.abs(rows["top"] - (v / omega - 1)) < v * omega * row_s**2 / 8 + 1e-9)


def test_rows_do_not_depend_on_threads(here: Path) -> None:
    model, _, arguments = SWEEPS["random"]
    prism = taut.load(f"{model}.toml")
    one, three, eight = (taut.sweep(prism, **arguments, threads=n).table for n in (1, 3, 8))
    assert one.tolist() == three.tolist() == eight.tolist()
    # From another thread than the main one, two at once.
    tables: list[Any] = []
    threads = [
        threading.Thread(target=lambda: tables.append(taut.sweep(prism, **arguments, threads=2).table))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [table.tolist() for table in tables] == [one.tolist()] * 2


def test_the_table_is_a_record_array(here: Path) -> None:
    rows = taut.sweep(
        taut.load("prism.toml"),
        {
            "simulation.integrator": ["dopri5", "rk4"],
            "nodes.b1.velocity": [[0, 0, 1], [0, 0, 0]],
            "simulation.settle": [False],
            "whole": [1, 2],
            "real": np.array([1, 2.5]),
            "twice": "2*real",
        },
        record={"slack": "count(slack_events)"},
        repeats=2,
        imperfections=[{"key": "cables.*.rest_length", "relative": {"distribution": "normal", "std": 0.001}}],
    )
    kinds = {name: kind.str for name, (kind, *_) in rows.table.dtype.fields.items()}
    assert kinds == {
        "run": "<i8",
        "simulation.integrator": "<U6",
        "nodes.b1.velocity": "<U9",
        "simulation.settle": "<U5",
        "whole": "<i8",
        "real": "<f8",
        "twice": "<f8",
        "repeat": "<i8",
        "slack": "<f8",
        "status": "<U7",
        "reason": "|O",
    }
    assert tuple(kinds) == rows.columns and isinstance(rows.table, np.recarray)
    assert len(rows) == len(rows.table) == 32 and list(rows["run"]) == list(range(32))
    assert rows.table.whole[2] == rows["whole"][2] == 1 and rows[2]["real"] == 2.5 == rows[2].twice / 2
    assert set(rows["simulation.integrator"]) == {"dopri5", "rk4"} and rows[0]["nodes.b1.velocity"] == "[0, 0, 1]"
    assert rows[0]["simulation.settle"] == "false" and sum(row["repeat"] for row in rows) == 16
    assert all(type(reason) is str for reason in rows["reason"])


def test_a_frame_where_pandas_is(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = taut.sweep(taut.load("weight.toml"), {"cables.rope.stiffness": [90, 100]}, record=["energy_drift"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas") as caught:
        rows.frame
    assert caught.value.name == "pandas"
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=dict))
    frame = rows.frame
    assert list(frame) == list(rows.columns) and list(frame["cables.rope.stiffness"]) == [90, 100]


def slow(folder: Path) -> taut.Model:
    """A model of which a run takes a tenth of a second."""
    model = taut.load(folder / "prism.toml")
    return model.set({"simulation.integrator": "rk4", "simulation.step": 1e-5})


def interrupting(counts: taut._sweep.Counts) -> None:
    if counts.there > 0:
        os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_keeps_the_rows_in_memory(here: Path) -> None:
    parameters = {"cables.*.stiffness": np.linspace(500, 600, 400)}
    with pytest.raises(taut.Interrupted, match="of 400 runs are done$") as caught:
        taut.sweep(slow(here), parameters, record={"z": "last(nodes.b1.z)"}, progress=interrupting)
    assert isinstance(caught.value, KeyboardInterrupt)
    rows: Any = caught.value.run
    assert 0 < len(rows) < 400 == rows.counts.runs and set(rows["status"]) == {"done"}
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.run.table.tolist() == rows.table.tolist()
    # What is there is right.
    run = rows[-1]
    alone = taut.sweep(slow(here), {"cables.*.stiffness": [run["cables.*.stiffness"]]}, record={"z": "last(nodes.b1.z)"})
    assert alone["z"][0] == run.z


def test_ctrl_c_before_the_first_run(here: Path) -> None:
    with pytest.raises(taut.Interrupted) as caught:
        taut.sweep(slow(here), {"cables.*.stiffness": [1, 2]}, progress=lambda counts: signal.raise_signal(signal.SIGINT))
    assert caught.value.run is None or len(caught.value.run) == 0


def test_the_same_call_goes_on_where_it_stopped(here: Path) -> None:
    parameters = {"cables.*.stiffness": np.linspace(500, 600, 40), "k": {"from": 1, "to": 2, "count": 2}}
    record = {"z": "last(nodes.b1.z) + k"}
    with pytest.raises(taut.Interrupted, match="kept in out; the same call goes on from there") as caught:
        taut.sweep(slow(here), parameters, record=record, folder="out", progress=interrupting)
    first: Any = caught.value.run
    assert 0 < len(first) < 80 and not Path("out/table.csv").exists()
    seen: list[taut._sweep.Counts] = []
    whole = taut.sweep(slow(here), parameters, record=record, folder="out", progress=seen.append)
    assert seen[0].there == len(first) and seen[0].computed == 0 and seen[-1].there == seen[-1].runs == 80
    assert whole.counts.computed == 80 - len(first) == seen[-1].computed and whole.counts.there == 80
    assert whole.table[first["run"]].tolist() == first.table.tolist()
    # As if it had not been stopped; and then there is nothing left to do.
    memory = taut.sweep(slow(here), parameters, record=record)
    assert memory.table.tolist() == whole.table.tolist()
    again = taut.sweep(slow(here), parameters, record=record, folder=Path("out"))
    assert again.counts.computed == 0 and again.table.tolist() == whole.table.tolist()
    assert Path("out/report.html").stat().st_size > 100_000 and Path("out/table.h5").exists()
    # A model from elsewhere with the same text is the same sweep, whatever has become of its file.
    model = slow(here)
    with open("prism.toml", "a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert taut.sweep(model, parameters, record=record, folder="out").counts.computed == 0
    assert taut.sweep(pickle.loads(pickle.dumps(model)), parameters, record=record, folder="out").counts.computed == 0


@pytest.mark.parametrize(
    "change",
    [
        {"record": {"z": "first(nodes.b1.z)"}},
        {"parameters": {"cables.*.stiffness": [500, 600.5]}},
        {"set": {"simulation.duration": 0.01}},
        {"seed": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_folder_belongs_to_one_sweep(here: Path, change: dict[str, Any]) -> None:
    call: dict[str, Any] = dict(parameters={"cables.*.stiffness": [500, 600]}, record={"z": "last(nodes.b1.z)"})
    model = taut.load("prism.toml")
    taut.sweep(model, **call, folder="out")
    before = Path("out/table.csv").read_bytes()
    with pytest.raises(taut.InputError, match="out.* has the rows of another sweep: take another folder, or remove it"):
        taut.sweep(model, **{**call, **change}, folder="out")
    model.set("bars.*.mass", 1.5)
    with pytest.raises(taut.InputError, match="has the rows of another sweep"):
        taut.sweep(model, **call, folder="out")
    assert Path("out/table.csv").read_bytes() == before


def test_what_the_progress_function_raises_ends_the_sweep(here: Path) -> None:
    def refuse(counts: taut._sweep.Counts) -> None:
        if counts.there > 0:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        taut.sweep(slow(here), {"cables.*.stiffness": np.linspace(500, 600, 400)}, progress=refuse, folder="out")
    assert Path("out/.rows/rows").exists() and not Path("out/table.csv").exists()
    # Everything works as before.
    assert len(taut.sweep(taut.load("prism.toml"), {"cables.*.stiffness": [500]})) == 1


def test_whole_runs_are_kept(here: Path) -> None:
    model = taut.load("prism.toml")
    rows = taut.sweep(
        model, {"cables.*.stiffness": [100, 200]}, record={"z": "max(nodes.b1.z)"}, folder="out", keep_runs=True
    )
    for row in rows:
        run = rows.run(row.run)
        alone = model.run(set={"cables.*.stiffness": int(row["cables.*.stiffness"])})
        assert np.array_equal(run.nodes, alone.nodes)
        assert run.nodes[:, run.node_names.index("b1"), 2].max() == row.z
    with pytest.raises(taut.InputError):
        rows.run(2)
    with pytest.raises(taut.InputError, match="keep_runs=True"):
        taut.sweep(model, {"k": [1]}).run(0)


def test_a_sweep_is_a_value_with_a_page(here: Path) -> None:
    rows = taut.sweep(
        taut.load("prism.toml"), {"cables.*.stiffness": [-1, 100, 200]}, record={"z": "max(nodes.b1.z)"}, name="three"
    )
    again = pickle.loads(pickle.dumps(rows))
    assert np.array_equal(again["z"], rows["z"], equal_nan=True) and again.counts == rows.counts
    assert repr(rows) == repr(again)
    assert repr(rows).startswith("<taut.Sweep 'three': 3 of 3 runs, 1 refused; run, cables.*.stiffness, z, status")
    rows.report("page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert '"title":"three"' in page and "1 of 3 runs failed or were refused; run 0: cables.*.stiffness=-1" in page
    assert rows._repr_html_().startswith("<iframe srcdoc=")


@pytest.mark.parametrize(
    "arguments, words, key",
    [
        ({"parameters": {"cables.*.stifness": [1]}}, 'did you mean "stiffness"', "cables.*.stifness"),
        ({"parameters": {"cables.*.stiffness": []}}, "is empty", 'parameters."cables.*.stiffness".values'),
        ({"parameters": {"k": [1, math.nan]}}, "finite number", "parameters.k.values[1]"),
        ({"parameters": {"k": [1, None]}}, "got NoneType", "parameters.k"),
        ({"parameters": {"k": {"from": 1, "to": 2}}}, "without a count", "k"),
        ({"parameters": {"k": {"from": 1, "count": 2}}}, "to: is missing", "parameters.k.to"),
        ({"parameters": {"k": {"from": 1, "to": 2, "cuont": 3}}}, 'did you mean "count"', "parameters.k.cuont"),
        ({"parameters": {"k": {"from": 1, "to": 2, "count": 0.5}}}, "whole number from 1", "parameters.k.count"),
        ({"parameters": {"k": {"from": 0, "to": 2, "count": 2, "log": True}}}, "above 0", "parameters.k.from"),
        ({"parameters": {"k": {"from": 1, "to": 2, "values": [3]}}}, "beside values", "parameters.k.from"),
        ({"parameters": {"k": {"values": [3], "count": 2}}}, "from and to", "parameters.k.count"),
        ({"parameters": {"k": {"distribution": "normal", "std": -1}}, "draws": 2}, "std = -1", "parameters.k"),
        ({"parameters": {"k": {"distribution": "norml", "std": 1}}, "draws": 2}, "normal", "parameters.k.distribution"),
        ({"parameters": {"k": {"distribution": "normal", "std": 1}}}, "draws: is missing", "draws"),
        ({"parameters": {"k": "2*j"}}, "unknown name j", "parameters.k.expression"),
        (
            {"parameters": {"simulation.integrator": "rk4"}},
            "stands in a list of values",
            'parameters."simulation.integrator".expression',
        ),
        (
            {"parameters": {"cables.*.stiffness": [1], "c": {"key": "cables.*.stiffness", "values": [2]}}},
            "once more",
            "c",
        ),
        ({"parameters": {"": [1]}}, "is missing", "parameters.key"),
        ({"parameters": {"pi": [1]}}, "means something in expressions", "parameters.name"),
        ({"record": {"z": "max(nodes.c1.z)"}}, 'did you mean "nodes.a1.z"', "record.z.value"),
        ({"record": ["energy_drift", "nodes.b1.z"]}, "changes with time", "record[1].value"),
        ({"record": {"a": "t + "}}, "record.a.value: column", "record.a.value"),
        ({"record": {"run": "steps"}}, "name of two columns", "record.name"),
        ({"stop": "1"}, "a condition is needed", "stop"),
        ({"design": "sobl", "draws": 2}, 'did you mean "sobol"', "design"),
        ({"design": "sobol"}, "draws: is missing", "draws"),
        ({"draws": 3}, "nothing is drawn", "draws"),
        ({"seed": -1}, "whole number from 0", "seed"),
        ({"scramble": "owen"}, "is for design", "scramble"),
        ({"repeats": 2}, "would repeat the same run", "repeats"),
        ({"bisect": {"key": "cables.*.stiffness", "range": [1, 2]}}, "bisect.holds: is missing", "bisect.holds"),
        (
            {"bisect": {"key": "cables.*.stiffness", "range": [1, 2], "holds": "steps"}},
            "bisect.holds: column",
            "bisect.holds",
        ),
        (
            {"imperfections": {"cables.*.law": {"relative": {"distribution": "normal", "std": 1}}}},
            "is not a number of the model",
            'imperfections."cables.*.law".key',
        ),
        ({"set": {"cables.*.stifness": 3}}, 'did you mean "stiffness"', "cables.*.stifness"),
        ({"parameters": {"cables.*.stiffness": [-1, -2]}}, "none of the 2 runs makes a model", "cables.*.stiffness"),
        ({"threads": 0}, "from 1 to 4096", "threads"),
        ({"threads": 5000}, "from 1 to 4096", "threads"),
        ({"keep_runs": True}, "expected a folder", "keep_runs"),
        ({"folder": ""}, "path of a folder", "folder"),
        ({"folder": "a\0b"}, "path of a folder", "folder"),
        ({"record": {"": "t"}}, "expected the name of a column", "record.name"),
        ({"draws": 2**70, "design": "random"}, "whole number from 1 to 1e9", "draws"),
        ({"folder": "prism.toml"}, "prism.toml", ""),
    ],
)
def test_mistakes_are_named_as_they_were_written(
    here: Path, arguments: dict[str, Any], words: str, key: str
) -> None:
    with pytest.raises(taut.InputError) as caught:
        taut.sweep(taut.load("prism.toml"), **arguments)
    assert words in str(caught.value) and "--set" not in str(caught.value)
    assert caught.value.places[0].key == key and caught.value.places[0].line == 0


def test_arguments_that_make_no_sense(here: Path) -> None:
    model = taut.load("prism.toml")
    with pytest.raises(TypeError, match="path of a sweep file, got int"):
        taut.sweep(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="taut.load reads a model file"):
        taut.sweep("prism.toml", {"k": [1]})
    with pytest.raises(TypeError, match="expected texts as keys, got 3"):
        taut.sweep(model, {3: [1]})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        taut.sweep(model, records={})  # type: ignore[call-arg]
    cycle: dict[str, Any] = {}
    cycle["k"] = cycle
    with pytest.raises(RecursionError):
        taut.sweep(model, cycle)
    with pytest.raises(UnicodeEncodeError):
        taut.sweep(model, {"\ud800": [1]})
    with pytest.raises(taut.InputError, match="nothing.toml: cannot be opened") as caught:
        taut.sweep("nothing.toml")
    assert caught.value.places[0].file == "nothing.toml"
    Path("sweep.toml").write_text('model = "prism.toml"\n[[parameters]]\nkey = "cables.*.stifness"\nvalues = [1]\n')
    with pytest.raises(taut.InputError, match="sweep.toml:3:7: cables.*.stifness: is not a known key"):
        taut.sweep("sweep.toml")
    with pytest.raises(taut.InputError, match='column: "stuffness" is not known.*did you mean "stiffness"'):
        taut.sweep(model, {"stiffness": [1]})["stuffness"]


# A pool of threads would be missing in a child, which would wait for it without end.
def test_no_thread_stays_behind(here: Path) -> None:
    before = len(os.listdir("/proc/self/task"))
    model = taut.load("prism.toml")
    parameters = {"cables.*.stiffness": [100, 200, 300]}
    taut.sweep(model, parameters, threads=3)
    assert len(os.listdir("/proc/self/task")) == before
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if len(taut.sweep(model, parameters, threads=3)) == 3 else 1
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_memory_is_flat(here: Path) -> None:
    def resident_pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    model = taut.load("weight.toml").set("simulation.duration", 0.01)

    def some() -> None:
        for _ in range(200):
            taut.sweep(model, {"cables.*.stiffness": [100, 200]}, record=["energy_drift"], threads=2).table

    some()
    before = resident_pages()
    for _ in range(5):
        some()
    # A kilobyte for each sweep would be 250 pages; the allocator keeps some for itself.
    assert resident_pages() - before < 100


@pytest.mark.parametrize("threads", ["two", 1.5, [2]])
def test_threads_are_a_whole_number(threads: object) -> None:
    with pytest.raises(TypeError, match="threads: expected a whole number"):
        taut.sweep(taut.generate("prism", fixed=1), {"k": [1.0]}, threads=threads)  # type: ignore[arg-type]


def test_says_which_engine_made_the_rows(here: Path) -> None:
    model = taut.load("prism.toml").set({"simulation.integrator": "symplectic", "simulation.duration": 0.1})
    stiffness = {"cables.*.stiffness": np.geomspace(100, 1000, 16)}

    def rows(engine: str | None = None, record: str = "last(nodes.b1.z)", given: taut.Model = model) -> taut.Sweep:
        return taut.sweep(given, stiffness, record={"z": record}, engine=engine)

    chosen, run = rows(), rows("run")
    assert (chosen.engine, chosen.engine_reason) == ("batch", "")
    assert (run.engine, run.engine_reason) == ("run", "")
    np.testing.assert_allclose(chosen["z"], run["z"], rtol=0, atol=1e-12)
    back = rows(record="energy_drift")
    assert back.engine == "run" and "energy_drift" in back.engine_reason
    copy = pickle.loads(pickle.dumps(chosen))
    assert copy.engine == "batch" and (copy["z"] == chosen["z"]).all()
    with pytest.raises(taut.InputError, match="engine: a batch cannot make these runs: simulation.integrator is"):
        rows("batch", given=taut.load("prism.toml"))
    with pytest.raises(taut.InputError, match="engine: "):
        rows("fast")
