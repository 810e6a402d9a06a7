"""Models in Python: read, generated, made by hand, changed by key; as values."""

import copy
import os
import pickle
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from support import command, models, swing

import taut


def test_a_file_gives_what_the_program_reads(tmp_path: Path) -> None:
    model = taut.load(models / "six_bar_rolling.toml")
    assert model.name == "six-bar robot, rolling"
    assert len(model.nodes) == 12 and len(model.bars) == 6 and len(model.cables) == 24
    # A bar joins the nodes that its name says, a cable likewise, and lies between their positions.
    for name, (a, b) in zip(model.bars, model.bar_nodes):
        assert name == f"{model.nodes[a]}-{model.nodes[b]}"
        assert np.linalg.norm(model.positions[b] - model.positions[a]) == pytest.approx(1.0, rel=1e-12)


def test_a_generated_model_is_that_of_the_program(tmp_path: Path) -> None:
    text = command("examples", "prism", "--set", "bars=5", "--set", "radius=0.7")
    assert taut.generate("prism", bars=5, radius=0.7) == taut.loads(text)
    assert taut.generate("six_bar", rod_length=2.0) == taut.generate("six_bar", length=2.0)
    with pytest.raises(taut.InputError, match="another word for length"):
        taut.generate("six_bar", rod_length=2.0, length=1.0)
    kinds = taut.generators()
    assert kinds["six_bar"]["parameters"]["length"]["standard"] == 1.0
    assert "m, of each rod" in kinds["six_bar"]["parameters"]["length"]["help"]


def test_made_by_hand_it_is_the_model_of_the_same_file() -> None:
    text = """
    name = "swing"
    [environment]
    gravity = [0, 0, -9.81]
    [nodes]
    pin = { at = [0, 0, 0], fixed = true }
    tip = [1, 0, 0]
    hook = { at = [0, 0, 1], fixed = true }
    [[bars]]
    name = "beam"
    nodes = ["pin", "tip"]
    mass = 0.5
    [[cables]]
    name = "rope"
    nodes = ["hook", "tip"]
    stiffness = 500
    rest_length = 1.4
    damping = 1.0
    """
    assert swing() == taut.loads(text)


def test_keys_are_set_and_got_by_path() -> None:
    model = taut.generate("six_bar")
    assert model.set("cables.*.stiffness", 800.0) is model
    assert model.get("cables.*.stiffness") == [800.0] * 24
    model.set("cables.n1-n5.stiffness", 900)
    assert model.get("cables.n1-n5.stiffness") == 900.0 and model.get("cables.n1-n6.stiffness") == 800.0
    model.set({"environment.gravity": np.array([0, 0, -1.62]), "simulation.duration": np.float32(2)})
    assert model.get("environment.gravity") == [0, 0, -1.62]
    assert model.get("simulation.duration") == 2.0
    assert model.get("nodes.n1.at.x") == model.positions[0, 0]
    # What was set is what the engine takes: tension = k (l - l0).
    run = model.run(duration=0.01)
    stretch = run.lengths - run.rest_lengths
    assert run.tensions[0, 1] == pytest.approx(800.0 * stretch[0, 1], rel=1e-12)
    assert run.tensions[0, 0] == pytest.approx(900.0 * stretch[0, 0], rel=1e-12)


@pytest.mark.parametrize(
    "key, value, words",
    [
        ("cables.*.stifness", 1.0, 'did you mean "stiffness"'),
        ("cable.*.stiffness", 1.0, 'did you mean "cables"'),
        ("cables.n1-n50.stiffness", 1.0, "n1-n50"),
        ("cables.*.stiffness", -1.0, "stiffness"),
        ("cables.*.stiffness", float("nan"), "stiffness"),
        ("cables.*.stiffness", "much", "stiffness"),
        ("simulation.integrator", "dopri6", 'did you mean "dopri5"'),
        ("", 1.0, "not a key"),
        ("environment.gravity", [0, 0], "gravity"),
    ],
)
def test_a_wrong_key_or_value_is_refused_and_changes_nothing(key: str, value: object, words: str) -> None:
    model = taut.generate("six_bar")
    before = model.copy()
    with pytest.raises(taut.InputError, match=words) as caught:
        model.set(key, value)
    assert caught.value.places and all(isinstance(place, taut.Place) for place in caught.value.places)
    assert model == before
    with pytest.raises((taut.InputError, TypeError)):
        model.set("cables.*.stiffness", object())
    if key not in ("", "cables.*.stiffness", "simulation.integrator", "environment.gravity"):
        with pytest.raises(taut.InputError, match=words):
            model.get(key)


def test_errors_of_a_file_have_their_places(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('[nodes]\na = [0, 0, 0]\nb = [1, 0]\n\n[[cables]]\nnodes = ["a", "c"]\nstifness = 3\n')
    with pytest.raises(taut.InputError) as caught:
        taut.load(file)
    places = {(place.line, place.key): place for place in caught.value.places}
    assert (3, "nodes.b") in places and places[3, "nodes.b"].file == str(file)
    assert any(place.line == 7 and "stiffness" in place.message for place in caught.value.places)
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.places == caught.value.places and str(again) == str(caught.value)
    with pytest.raises(taut.InputError, match="cannot be opened|no such file"):
        taut.load(tmp_path / "none.toml")
    with pytest.raises(taut.InputError):
        taut.loads("[nodes")


def test_any_bytes_are_a_model_or_an_error() -> None:
    text = swing().toml
    rng = np.random.default_rng(7)
    for _ in range(300):
        letters = list(text)
        for at in rng.integers(0, len(letters), rng.integers(1, 6)):
            letters[at] = chr(rng.integers(1, 0x250))
        try:
            model = taut.loads("".join(letters))
            model.name, model.positions
        except taut.InputError:
            pass


def test_what_is_added_is_judged_when_it_is_used() -> None:
    model = swing()
    model.add_bar("tip", "nowhere", mass=1.0)  # may still come
    with pytest.raises(taut.InputError, match="nowhere"):
        model.run(duration=0.1)
    model.add_node("nowhere", [2, 0, 0])
    assert model.bars == ["beam", "tip-nowhere"]
    with pytest.raises(taut.InputError, match='did you mean "stiffness"'):
        model.add("cables", nodes=["pin", "tip"], stifness=3)
    with pytest.raises(taut.InputError, match='did you mean "cables"'):
        model.add("cable", nodes=["pin", "tip"], stiffness=3)
    with pytest.raises(taut.InputError, match="exists already"):
        model.add_node("nowhere", [3, 0, 0])
    model.add("actuators", cable="rope", rest_length={"kind": "ramp", "from": 1.4, "to": 1.2, "start": 0.1, "end": 0.2})


def test_words_of_python_get_a_stroke_behind_them() -> None:
    model = swing()
    model.add("loads", node="tip", force=[1, 0, 0], from_=0.1, to=0.2)
    assert model.get("loads.0.from") == 0.1 and model.get("loads.0.to") == 0.2


def test_keys_of_a_member_are_its_own() -> None:
    model = taut.generate("six_bar")
    model.set({"cables.n3-n7.damping": 2.0, "cables.n3-n7.damping_model": "vector"})
    assert [n for n in model.cables if model.get(f"cables.{n}.damping_model") == "vector"] == ["n3-n7"]
    for number, (name, (a, b)) in enumerate(zip(model.cables, model.cable_nodes)):
        assert model.get(f"cables.{number}.name") == name
        assert model.get(f"cables.{name}.nodes") == [model.nodes[a], model.nodes[b]]


def test_models_are_values() -> None:
    model = swing()
    model.set("cables.rope.stiffness", 600)
    for other in (model.copy(), copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert other == model
        other.set("cables.rope.stiffness", 700)
        assert other != model and model.get("cables.rope.stiffness") == 600
    assert taut.loads(model.toml) == model
    with pytest.raises(TypeError):
        hash(model)


def test_a_saved_model_is_read_by_the_program(tmp_path: Path) -> None:
    model = swing()
    model.save(tmp_path / "swing.toml")
    assert taut.load(tmp_path / "swing.toml") == model
    assert "swing" in command("check", tmp_path / "swing.toml")


def test_repr_says_what_it_is() -> None:
    assert repr(swing()) == "<taut.Model 'swing': 3 nodes, 1 bar, 1 cable>"
    broken = swing()
    broken.add_bar("tip", "x", mass=1.0)
    assert "not to be used yet" in repr(broken)


def test_what_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    ring: dict[str, object] = {}
    ring["height"] = ring
    deep: object = 1.0
    for _ in range(100_000):
        deep = [deep]
    model = taut.generate("prism", fixed=1)
    before = model.toml
    for use in (
        lambda: model.set("cables.*.stiffness", endless),
        lambda: model.set("cables.*.stiffness", deep),
        lambda: model.set("environment.ground", ring),
        lambda: model.set("environment" + 100_000 * ".ground", 1.0),
        lambda: model.add("loads", node="b1", force=endless),
        lambda: taut.generate("prism", fixed=endless),
        lambda: model.run(set={"environment.ground": ring}),
        lambda: taut.sweep(model, {"k": {"key": "cables.*.stiffness", "values": endless}}),
    ):
        with pytest.raises((taut.InputError, RecursionError)):
            use()
    assert model.toml == before


def test_numbers_beyond_all_doubles_are_refused() -> None:
    with pytest.raises(taut.InputError, match="simulation.duration: is a number that is too large"):
        taut.generate("prism").set("simulation.duration", 10**400)
    assert taut.generate("prism").set("simulation.duration", 10**5).get("simulation.duration") == 1e5


def test_parameters_of_generators_are_known_keys() -> None:
    model = taut.generate("prism", fixed=1, damping=3.0)
    assert model.get("generate.damping") == 3.0 and model.get("generate.kind") == "prism"
    with pytest.raises(taut.InputError, match='did you mean "damping"'):
        model.get("generate.dampign")
    with pytest.raises(TypeError, match="path: expected a text"):
        model.get(5)  # type: ignore[arg-type]


class Named(taut.Model):
    """With something of its own."""


def test_copies_of_a_subclass_are_whole() -> None:
    model = Named("mast")
    model.add_node("top", [0, 0, 1], mass=1.0)
    model.notes = ["oak"]  # type: ignore[attr-defined]
    for twin in (model.copy(), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert type(twin) is Named and twin == model and twin.notes == ["oak"]  # type: ignore[attr-defined]
    assert copy.deepcopy(model).notes is not model.notes  # type: ignore[attr-defined]


def test_names_of_files_are_those_of_the_system(tmp_path: Path) -> None:
    model = taut.generate("prism")
    odd = tmp_path / os.fsdecode(b"m\xff.toml")  # no UTF-8
    model.save(odd)
    for file in (odd, str(odd), os.fsencode(odd)):
        read = taut.load(file)
        assert np.array_equal(read.positions, model.positions)
        assert pickle.loads(pickle.dumps(read)) == read
    run = taut.load(odd).run(duration=0.01)
    run.save(odd.with_suffix(".h5"))
    assert np.array_equal(taut.open(odd.with_suffix(".h5")).nodes, run.nodes)
    odd.write_text("[nodes]\na = [0, 0]\n")
    with pytest.raises(taut.InputError) as caught:
        taut.load(odd)
    assert caught.value.places[0].file == str(odd) and str(caught.value).startswith(str(odd))


@pytest.mark.parametrize("call", [taut.load, taut.open, taut.generate("prism").still().save, taut.loads])
def test_what_is_no_name_of_a_file_is_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError):
        call(None)
    if call is taut.loads:
        with pytest.raises(ValueError):
            call("\ud800")
        return
    with pytest.raises(taut.InputError, match="zero byte"):
        call("a\0b")
    with pytest.raises(taut.InputError, match="xxxx"):
        call("x" * 1000)


def test_words_that_are_no_text_are_refused() -> None:
    for wrong in (
        lambda: taut.generate(3),  # type: ignore[arg-type]
        lambda: taut.Model().add_node(5, [0, 0, 0]),  # type: ignore[arg-type]
        lambda: taut.Model().add(5),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="expected a text, got [35]"):
            wrong()
    with pytest.raises(ValueError, match="surrogates"):
        taut.generate("prism").set("name", "\ud800")
