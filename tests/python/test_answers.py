"""What models answer at rest: every number is the command's, arrays lie as they are described, and wrong options say what
was expected."""

import copy
import json
import pickle
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest
from scipy.linalg import expm
from support import answer, command, models, program, source

import taut
from taut._answers import NoEquilibrium, Path as EquilibriumPath, Triplets


def page_models() -> dict[str, str]:
    """The model files that the pages show."""
    found = {}
    for page in ("form", "statics"):
        text = (source / "docs" / f"{page}.md").read_text()
        for name, body in re.findall(r"<!-- file (\S+)\.toml -->\n```toml\n(.*?)```", text, re.S):
            found[name] = body
    return found


generated = ("prism", "six_bar", "tower", "x_module", "cable_dome", "pendulum", "single_strut", "jansen", "wheel")
shipped = ("stacked_simple", "stacked_plates", "stacked_measured", "three_dof_mechanism", "six_bar_drop")
all_models = (*generated, *shipped, "guess", "cross", "arch", "x")
machines = ("single_strut", "jansen", "three_dof_mechanism")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    for kind in generated:
        command("examples", kind, "-o", folder / f"{kind}.toml")
    for name, text in page_models().items():
        (folder / f"{name}.toml").write_text(text)
    found = {path.stem: path for path in folder.iterdir()}
    found.update({name: models / f"{name}.toml" for name in shipped})
    return found


def words_of(options: dict[str, Any]) -> Iterator[str]:
    """Keyword arguments as options of the command."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif name == "prestress":
            yield from (option, ",".join(map(repr, value)))
        elif isinstance(value, dict):
            for members, number in value.items():
                yield from (option, f"{members}={number!r}")
        elif isinstance(value, list):
            for entry in value:
                yield from (option, entry)
        else:
            yield from (option, str(value))


# -- every number is the command's -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", all_models)
@pytest.mark.parametrize("question", ["check", "statics", "modes", "linearise"])
def test_a_model_answers_as_the_command_does(files: dict[str, Path], question: str, name: str) -> None:
    said = answer(question, files[name])
    found = getattr(taut.load(files[name]), question)()
    assert found.as_dict() == said
    assert json.loads(json.dumps(found.as_dict())) == said
    for field in said:
        getattr(found, field)
    assert len(repr(found)) < 120 and repr(found).startswith(f"<taut.{type(found).__name__}: ")


cases: list[tuple[str, str, dict[str, Any]]] = [
    ("statics", "six_bar", {"forces": "bounded"}),
    ("statics", "x", {"forces": "least-prestress", "min_tension": 0.5, "compliance": ["c", "d"], "matrices": True}),
    ("statics", "cable_dome", {"max_tension": 30.0, "max_compression": 4, "tolerance": 1e-3}),
    ("statics", "single_strut", {"min_tension": 5, "compliance": ["tip"], "matrices": True}),
    ("modes", "prism", {"count": 5, "prestress": [0.5, 1.0, 2.0]}),
    ("modes", "guess", {"settle": True, "count": 3}),
    ("modes", "six_bar", {"formulation": "minimal", "count": 4}),
    ("modes", "single_strut", {"settle": True}),
    ("linearise", "six_bar", {"formulation": "quaternion", "matrices": True}),
    ("linearise", "prism", {"formulation": "point_mass", "inputs": "all", "lengths": "states", "matrices": True}),
    ("linearise", "prism", {"discretise": "exact", "step": 0.01}),
    ("linearise", "single_strut", {"discretise": "trapezoid", "matrices": True}),
    ("design", "x", {}),
    ("design", "single_strut", {"safety": 2}),
    ("design", "prism", {"hollow": 0.9, "bar_material": "aluminium", "cable_strength": 4e8, "cut_at": "loaded"}),
    ("design", "wheel", {"least_diameter": 0.002, "bar_density": 1000.0, "cable_modulus": 1e10}),
    ("form", "prism", {}),
    ("form", "guess", {"tolerance": 1e-6, "steps": 1000}),
    ("form", "single_strut", {}),
    ("form", "jansen", {"method": "newton"}),
    ("form", "guess", {"method": "newton", "tolerance": 1e-6}),
    ("form", "guess", {"method": "force_density", "pretension": 50.0, "groups": "lengths", "mean_length": 2}),
    ("form", "cross", {"method": "force_density", "density": {"cables": 50}}),
    ("form", "guess", {"method": "optimise", "length": {"cables": 1.0}, "pretension": 50}),
    ("form", "guess", {"method": "optimise", "maximise": ["a1-b2", "a2-b*"], "length": {"a1-a2": 1.0}}),
    ("form", "arch", {"method": "newton", "path": "loads", "arc_length": True, "to": 0.5}),
    ("form", "icosahedron", {"method": "newton", "path": "rest_lengths", "rest_length": {"n1-n5,n1-n6": 0.5, "n2-n7": 0.52}, "steps": 400}),
    ("form", "jansen", {"method": "newton", "path": "weight"}),
    ("form", "stacked_measured", {"method": "prestress"}),
    ("form", "three_dof_mechanism", {"method": "prestress", "least_tension": 2, "reach": 0.1}),
]


@pytest.mark.parametrize("question, name, options", cases, ids=lambda entry: str(entry))
def test_options_are_those_of_the_command(
    files: dict[str, Path], tmp_path: Path, question: str, name: str, options: dict[str, Any]
) -> None:
    words: list[Any] = [question, files[name], *words_of(options)]
    model = taut.load(files[name])
    if question != "form":
        assert getattr(model, question)(**options).as_dict() == answer(*words)
        return
    words += ["-o", tmp_path / "stands.toml"]
    if "path" in options:
        words += ["--record", tmp_path / "path.csv"]
    shown = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True)
    said = json.loads(shown.stdout)
    said.pop("file")
    if "path" in said:
        said["path"].pop("file")
    if shown.returncode == 1:
        with pytest.raises(taut.RunError) as failed:
            model.form(**options)
        assert isinstance(failed.value, NoEquilibrium)
        assert failed.value.formed.as_dict() == said
        return
    assert shown.returncode == 0, shown.stderr
    stands = model.form(**options)
    assert stands.formed is not None and model.formed is None
    assert stands.formed.as_dict() == said
    assert stands.toml == (tmp_path / "stands.toml").read_text()


def test_a_recorded_state_may_take_the_place_of_the_start(files: dict[str, Path], tmp_path: Path) -> None:
    for name in ("prism", "single_strut"):
        model = taut.load(files[name])
        run = model.run(duration=0.1, output_step=0.05)
        file = tmp_path / f"{name}.h5"
        run.save(file)
        for question in ("check", "statics", "modes", "linearise"):
            last = answer(question, files[name], "--from", file)
            assert getattr(model, question)(start=str(file)).as_dict() == last
            assert getattr(model, question)(start=file).as_dict() == last
            assert getattr(model, question)(start=run).as_dict() == last
            before = answer(question, files[name], "--from", f"{file}@0.05")
            assert getattr(model, question)(start=(run, 0.05)).as_dict() == before
            assert getattr(model, question)(start=f"{file}@0.05").as_dict() == before
    with pytest.raises(taut.InputError, match="has no row at t = 3 s"):
        model.check(start=(run, 3.0))
    with pytest.raises(taut.InputError, match="in the run"):
        taut.load(files["prism"]).statics(start=run)


# -- the numbers mean what they are said to mean -------------------------------------------------------------------------


def test_the_matrices_of_statics_hold_their_forces(files: dict[str, Path]) -> None:
    # Aᵀ's null space counts the states of self-stress; member forces balance the load through A.
    model = taut.load(files["x"])
    s = model.statics(matrices=True, min_tension=0.5)
    A = s.matrices.equilibrium.dense()
    assert A.shape == (len(s.matrices.coordinates), len(s.matrices.members)) == s.matrices.equilibrium.shape
    assert A.shape[1] - np.linalg.matrix_rank(A) == s.self_stress_states == 1
    t = np.array([s.member_forces[name] for name in s.matrices.members])
    load = {"c.y": -1.0, "d.y": -1.0}
    np.testing.assert_allclose(A @ t, [load.get(c, 0.0) for c in s.matrices.coordinates], atol=1e-12)
    q = np.array([s.self_stress_forces[0][name] for name in s.matrices.members])
    np.testing.assert_allclose(A @ q, 0.0, atol=1e-12)
    # Nothing is free to move as a whole here, so that the softest eigenvalue is that of the whole stiffness.
    K = np.asarray(s.matrices.material_stiffness) + np.asarray(s.matrices.geometric_stiffness)
    np.testing.assert_allclose(K, K.T, atol=1e-12)
    # Bars are rigid: a motion keeps their lengths.
    bars = A[:, [name in model.bars for name in s.matrices.members]]
    free = np.linalg.svd(bars.T)[2][np.linalg.matrix_rank(bars) :].T
    lowest = np.linalg.eigvalsh(free.T @ K @ free)[0]
    assert s.min_stiffness_eigenvalue == pytest.approx(lowest, rel=1e-9)


def test_compliance_is_the_inverse_of_the_stiffness(files: dict[str, Path]) -> None:
    model = taut.load(files["x"]).set("bars.*.EA", 1e4)
    s = model.statics(matrices=True, min_tension=0.5, compliance="c")
    K = s.matrices.material_stiffness.dense() + s.matrices.geometric_stiffness.dense()
    at = [s.matrices.coordinates.index(c) for c in ("c.x", "c.y")]
    given = s.compliance["c"]
    assert given is not None and given.shape == (3, 3)
    np.testing.assert_allclose(given[:2, :2], np.linalg.inv(K)[np.ix_(at, at)], rtol=1e-9)


def test_shapes_lie_mode_by_mode_and_node_by_node(files: dict[str, Path]) -> None:
    # A frame hangs on springs: nodes of known mass, so that sᵀ M s = 1 and the force of an acceleration can be summed.
    net = taut.generate("net")
    m = net.modes(count=7)
    assert m.shapes.shape == (7, len(net.nodes), 3) and m.nodes == net.nodes and len(m) == 7
    masses = np.array([net.get(f"nodes.{name}.mass") or 0.0 for name in net.nodes])
    np.testing.assert_allclose(np.einsum("mni,n,mni->m", m.shapes, masses, m.shapes), 1.0, rtol=1e-9)
    np.testing.assert_allclose(np.abs(np.einsum("mni,n->mi", m.shapes, masses)), np.abs(m.participation), atol=1e-9)
    np.testing.assert_allclose(m.effective_mass, m.participation**2)
    np.testing.assert_allclose(np.abs(m.eigenvalues.imag) / (2 * np.pi), m.damped_frequencies_hz)
    assert m.eigenvalues.dtype == np.complex128 and m.overdamped.dtype == bool
    assert m.frequencies is m.frequencies_hz


@pytest.mark.parametrize("name", ["prism", "single_strut"])
def test_the_linear_model_moves_as_the_modes_do(files: dict[str, Path], name: str) -> None:
    model = taut.load(files[name])
    lin = model.linearise(discretise="exact", step=0.003)
    n, u = len(lin.states), len(lin.inputs)
    assert lin.A.shape == (n, n) and lin.B.shape == (n, u)
    whole = expm(np.block([[lin.A, lin.B], [np.zeros((u, n + u))]]) * 0.003)
    np.testing.assert_allclose(lin.Ad, whole[:n, :n], atol=1e-9 * np.abs(whole).max())
    np.testing.assert_allclose(lin.Bd, whole[:n, n:], atol=1e-9 * np.abs(whole).max())
    A, B = lin
    assert A is lin.Ad and B is lin.Bd
    A, B = model.linearise()
    np.testing.assert_array_equal(A, lin.A)
    # The sum of all eigenvalues is the trace, that of their squares the trace of the square.
    scale = np.abs(lin.eigenvalues).max()
    assert abs(lin.eigenvalues.sum() - np.trace(lin.A)) < 1e-9 * scale * n
    assert abs((lin.eigenvalues**2).sum() - np.trace(lin.A @ lin.A)) < 1e-9 * scale**2 * n


def test_the_whole_equations_give_the_linear_ones(files: dict[str, Path]) -> None:
    # Of a machine without loops: v' = M⁻¹ (B_full du - c), so that the lower rows of B are M⁻¹ B_full.
    lin = taut.load(files["single_strut"]).linearise(matrices=True)
    v = len(lin.velocities)
    assert lin.c.shape == (v,) and lin.M.shape == (v, v)
    assert not hasattr(lin, "G") or lin.G.shape[1] == v
    if not hasattr(lin, "G"):
        np.testing.assert_allclose(lin.B[-v:], np.linalg.solve(lin.M, lin.B_full), rtol=1e-9, atol=1e-12)


def test_a_path_has_its_table(files: dict[str, Path], tmp_path: Path) -> None:
    words = ["form", files["arch"], "--method", "newton", "--path", "loads", "--arc-length", "--nodes", "top"]
    command(*words, "--record", tmp_path / "path.csv", "-o", tmp_path / "stands.toml")
    stands = taut.load(files["arch"]).form(method="newton", path="loads", arc_length=True, nodes="top")
    assert stands.formed is not None
    path = stands.formed.path
    table = np.genfromtxt(tmp_path / "path.csv", delimiter=",", names=True)
    assert isinstance(path, EquilibriumPath) and len(table) == path.points == len(path.factor)
    for column in ("factor", "arc_length", "unstable", "stiffness"):
        np.testing.assert_array_equal(getattr(path, column), table[column])
    assert path.nodes == ["top"] and path.positions.shape == (path.points, 1, 3)
    np.testing.assert_array_equal(path.positions[:, 0, 2], table["topz"])
    assert path.events[0]["kind"] == "limit point" and path.reached == path.factor[-1]
    # It ends in the shape that it found, and without going on through the limit point it fails there, path in hand.
    np.testing.assert_allclose(stands.positions[stands.nodes.index("top")], path.positions[-1, 0], rtol=1e-9)
    with pytest.raises(taut.RunError, match="limit point") as failed:
        taut.load(files["arch"]).form(method="newton", path="loads")
    assert isinstance(failed.value, NoEquilibrium)
    assert failed.value.formed.path.points > 5 and not failed.value.formed.converged


def test_a_form_is_a_model_of_its_own(files: dict[str, Path]) -> None:
    model = taut.load(files["guess"])
    before = model.toml
    stands = model.form()
    assert model.toml == before and not model.check().balanced
    assert stands.check().balanced and stands.nodes == model.nodes
    assert stands.formed is not None and stands.formed.converged
    assert stands.copy().formed == stands.formed and stands.copy().set("environment.gravity", [0, 0, -1]).formed is None


# -- answers are values --------------------------------------------------------------------------------------------------


def test_answers_are_values(files: dict[str, Path]) -> None:
    model = taut.load(files["prism"])
    answers = [
        model.check(),
        model.statics(matrices=True, compliance=model.nodes[:1]),
        model.modes(count=4, prestress=[1, 2]),
        model.modes(formulation="minimal"),
        model.linearise(discretise="euler", matrices=True),
        model.design(),
        model.form().formed,
        taut.load(files["arch"]).form(method="newton", path="loads", arc_length=True).formed,
    ]
    for one in answers:
        for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
            assert other == one and type(other) is type(one)
            assert other.as_dict() == one.as_dict()
        assert one != answers[0] or one is answers[0]
        with pytest.raises(TypeError):
            hash(one)
    changed = copy.deepcopy(answers[4])
    changed.A[0, 0] += 1.0
    assert changed != answers[4]
    triplets = answers[1].matrices.equilibrium
    assert isinstance(triplets, Triplets) and pickle.loads(pickle.dumps(triplets)) == triplets
    assert triplets != answers[1].matrices.material_stiffness


def test_a_failed_search_can_be_sent_to_another_process(files: dict[str, Path]) -> None:
    with pytest.raises(taut.RunError) as failed:
        taut.generate("prism").set("environment.gravity", [0, 0, -9.81]).form()
    again = pickle.loads(pickle.dumps(failed.value))
    assert isinstance(again, NoEquilibrium) and again.formed == failed.value.formed
    assert str(again) == str(failed.value) and "falls freely" in str(again)


def test_what_is_not_there_says_why(files: dict[str, Path]) -> None:
    found = taut.load(files["prism"]).check()
    with pytest.raises(AttributeError, match="belongs to other models"):
        found.topology
    with pytest.raises(AttributeError, match="did you mean 'imbalance'"):
        found.imbalanc  # type: ignore[attr-defined]
    assert "<taut.Check: in balance, " in repr(found)


# -- what cannot be ------------------------------------------------------------------------------------------------------

nan, inf = float("nan"), float("inf")
wrong: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    ("statics", {"forces": "least-nrm"}, taut.InputError, 'forces: "least-nrm" is not known.*did you mean "least-norm"'),
    ("statics", {"forces": 3}, TypeError, "forces: expected a text, got 3"),
    ("statics", {"tolerance": nan}, taut.InputError, "tolerance: expected a number above 0, 0.1 at most, not nan"),
    ("statics", {"tolerance": 0.2}, taut.InputError, "tolerance: expected a number above 0, 0.1 at most, not 0.2"),
    ("statics", {"min_tension": -1}, taut.InputError, "min_tension: expected a number of 0 or above, not -1"),
    ("statics", {"max_tension": inf}, taut.InputError, "max_tension: expected a number of 0 or above, not inf"),
    ("statics", {"max_compression": "3"}, TypeError, "max_compression: expected a number, got '3'"),
    ("statics", {"min_tension": 5, "max_tension": 3}, taut.InputError, "min_tension: is 5 N, more than max_tension"),
    ("statics", {"compliance": "a12"}, taut.InputError, 'compliance: there is no node "a12".*did you mean "a1"'),
    ("statics", {"compliance": [1]}, TypeError, "compliance: expected a name or a sequence of names, got 1"),
    ("statics", {"matrices": "no"}, TypeError, "matrices: expected True or False, got 'no'"),
    ("statics", {"force": "bounded"}, TypeError, "force"),
    ("statics", {"start": 3}, TypeError, ""),
    ("statics", {"start": "no.h5"}, taut.InputError, "no.h5: there is no such file"),
    ("check", {"start": "no.h5@x"}, taut.InputError, "is not a time in seconds"),
    ("modes", {"count": 0}, taut.InputError, "count: expected a whole number from 1 to 1000000, not 0"),
    ("modes", {"count": 2.5}, TypeError, "count: expected a whole number, got 2.5"),
    ("modes", {"count": 10**30}, taut.InputError, "count: 1000000000000000000000000000000 is more than can be counted"),
    ("modes", {"count": -(2**62)}, taut.InputError, "count: expected a whole number"),
    ("modes", {"prestress": [1, nan]}, taut.InputError, "prestress: expected a positive number, not nan"),
    ("modes", {"prestress": []}, taut.InputError, "prestress: is empty"),
    ("modes", {"prestress": "1,2"}, TypeError, "prestress: expected a number or a sequence of numbers"),
    ("modes", {"prestress": [[1, 2]]}, TypeError, "prestress: expected a number"),
    ("modes", {"formulation": "minimall"}, taut.InputError, 'did you mean "minimal"'),
    ("modes", {"settle": 1}, TypeError, "settle: expected True or False, got 1"),
    ("linearise", {"inputs": "bars"}, taut.InputError, 'inputs: "bars" is not known: expected one of cables, all'),
    ("linearise", {"lengths": "state"}, taut.InputError, 'did you mean "states"'),
    ("linearise", {"discretise": "exakt"}, taut.InputError, 'did you mean "exact"'),
    ("linearise", {"step": 0.0}, taut.InputError, "step: expected a positive number, not 0"),
    ("linearise", {"formulation": "multibody", "step": nan}, taut.InputError, "step: expected a positive number"),
    ("linearise", {"discretise": "exact", "step": 1e20}, taut.RunError, "take a step below"),
    ("form", {"method": "relaxx"}, taut.InputError, 'method: "relaxx" is not known.*did you mean "relax"'),
    ("form", {"method": None}, TypeError, ""),
    ("form", {"density": {"cables": 1}}, taut.InputError, "density: belongs to method force_density, not to relax"),
    ("form", {"method": "newton", "to": 2}, taut.InputError, "to: belongs to method newton with path: expected path"),
    ("form", {"method": "newton", "path": "lods"}, taut.InputError, 'did you mean "loads"'),
    ("form", {"method": "newton", "path": "loads"}, taut.InputError, "no load acts"),
    ("form", {"steps": 0}, taut.InputError, "steps: expected a positive number, not 0"),
    ("form", {"tolerance": nan}, taut.InputError, "tolerance: expected a positive number, not nan"),
    ("form", {"method": "prestress", "reach": 0.0}, taut.InputError, "reach: expected a positive number, not 0"),
    ("form", {"method": "prestress", "least_tension": -2}, taut.InputError, "least_tension: expected a number of 0"),
    ("form", {"method": "force_density", "density": {"cables": nan}}, taut.InputError, 'density: "cables": expected a'),
    ("form", {"method": "force_density", "density": {"cable": 1}}, taut.InputError, 'there is no cable or bar "cable"'),
    ("form", {"method": "force_density", "density": {1: 1}}, TypeError, "density: expected a dict of numbers by names"),
    ("form", {"method": "force_density", "density": {"cables": "x"}}, TypeError, "density: expected a dict of numbers"),
    ("form", {"method": "force_density", "density": 3}, TypeError, "density: expected a dict of numbers by names"),
    ("form", {"method": "force_density", "density": {"cables": -1}}, taut.InputError, "a cable cannot push"),
    ("form", {"method": "force_density", "group": ["cables,bars"]}, taut.InputError, "holds cables and bars"),
    ("form", {"method": "force_density", "group": [["a1-a2", 3]]}, TypeError, "group: expected names of members"),
    ("form", {"method": "force_density", "groups": "length"}, taut.InputError, 'did you mean "lengths"'),
    ("form", {"method": "optimise", "length": {"bars": 1}}, taut.InputError, "; maximise and minimise say which"),
    ("design", {"bar_material": "steal"}, taut.InputError, 'bar_material: "steal" is not known.*did you mean "steel"'),
    ("design", {"safety": nan}, taut.InputError, "safety: expected a positive number, not nan"),
    ("design", {"hollow": 1.0}, taut.InputError, "hollow: must be 0 or more and below 1"),
    ("design", {"cable_modulus": 0}, taut.InputError, "cable_modulus: expected a positive number, not 0"),
    ("design", {"cut_at": "load3d"}, taut.InputError, 'did you mean "loaded"'),
    ("design", {"weight": None, "least_diameter": -1}, taut.InputError, "least_diameter: expected a number of 0"),
]


@pytest.mark.parametrize("question, options, error, text", wrong, ids=lambda entry: str(entry)[:60])
def test_wrong_options_say_what_was_expected(
    question: str, options: dict[str, Any], error: type[Exception], text: str
) -> None:
    model = taut.generate("prism")
    with pytest.raises(error, match=text) as refused:
        getattr(model, question)(**options)
    assert "--" not in str(refused.value)
    if isinstance(refused.value, taut.InputError):
        assert len(refused.value.places) == 1 and refused.value.places[0].message in str(refused.value)
    # Nothing of it stays.
    assert model.check().balanced and model == taut.generate("prism")


def test_a_model_that_run_would_refuse_is_refused() -> None:
    model = taut.generate("prism").set({"simulation.formulation": "minimal", "cables.*.damping": 1.0})
    assert model.check().ok
    machine = taut.generate("single_strut").set("simulation.formulation", "minimal")
    said = json.loads(
        subprocess.run(
            [program, "check", "/dev/stdin", "--json"], input=machine.toml, capture_output=True, text=True
        ).stdout
    )
    if said["ok"]:
        assert machine.check().ok
    else:
        with pytest.raises(taut.InputError, match=re.escape(said["errors"][0]["message"][:40])):
            machine.check()


# -- long work -----------------------------------------------------------------------------------------------------------

endless = """
import os, signal, sys, threading, taut
main = threading.get_ident()

def interrupt():  # once the main thread is within the search: it gives the lock away there
    while sys._current_frames()[main].f_code.co_name != "form":
        pass
    os.kill(os.getpid(), signal.SIGINT)

model = taut.generate("six_bar").set("cables.*.rest_length", 0.3)
ask = taut._answers.form
try:
    threading.Thread(target=interrupt).start()
    while True:
        try:
            ask(model._draft, tolerance=1e-300, steps=10**12)
        except taut.RunError as error:
            if isinstance(error, KeyboardInterrupt):
                raise
except KeyboardInterrupt as error:
    print("ended by", type(error).__name__, flush=True)
"""


def test_ctrl_c_ends_a_search() -> None:
    ended = subprocess.run([sys.executable, "-c", endless], capture_output=True, text=True, timeout=120)
    assert (ended.stdout, ended.returncode) == ("ended by Interrupted\n", 0), ended.stderr


def test_several_threads_ask_at_once(files: dict[str, Path]) -> None:
    names = ("prism", "six_bar", "single_strut", "cable_dome")
    alone = {name: taut.load(files[name]).statics().as_dict() for name in names}
    wrongs: list[str] = []

    def ask(name: str) -> None:
        model = taut.load(files[name])
        for _ in range(5):
            if model.statics().as_dict() != alone[name]:
                wrongs.append(name)

    threads = [threading.Thread(target=ask, args=(name,)) for name in names * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrongs == []
