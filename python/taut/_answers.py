"""Answers about a structure or a machine at rest: what ``Model.check``, ``statics``, ``modes``, ``linearise``, ``form``
and ``design`` return; and about a run: ``gradient``.

An answer has the fields that the command prints with ``--json``, as attributes of the same names, in SI units. Some
fields are there for structures or for machines only, or where an option asked for them; the classes say which. Large
ones are numpy arrays. ``as_dict()`` gives all of it as plain Python, equal to what the command prints.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence, TypedDict, Union

from taut import _taut
from taut._errors import RunError
from taut._settings import source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from taut._model import Model
    from taut._run import Run

    Floats = NDArray[np.float64]
    Complexes = NDArray[np.complex128]
    Start = Union[Run, tuple[Run, float], str, os.PathLike[str], None]
    Members = Union[str, Sequence[Union[str, Sequence[str]]]]
    Numbers = Mapping[Any, float]

__all__ = [
    "Answer",
    "Check",
    "Design",
    "Form",
    "Gradient",
    "Linear",
    "Matrices",
    "Modes",
    "NoEquilibrium",
    "Path",
    "Statics",
    "Triplets",
    "check",
    "design",
    "form",
    "gradient",
    "linearise",
    "modes",
    "statics",
]


def _plain(value: Any) -> Any:
    """What json writes of a value: arrays as lists, complex numbers as pairs, what is no number as None."""
    if isinstance(value, (Answer, Triplets)):
        return value.as_dict() if isinstance(value, Answer) else value.as_list()
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _plain(value.tolist()) if hasattr(value, "tolist") else value


def _same(a: Any, b: Any) -> bool:
    if hasattr(a, "dtype") or hasattr(b, "dtype"):
        import numpy as np

        floats = getattr(a, "dtype", None) is not None and a.dtype.kind in "fc"
        return bool(np.array_equal(a, b, equal_nan=floats))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


class Answer:
    """What all answers share. An answer is a value: it compares, pickles and copies."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.__dict__.update(fields)

    def as_dict(self) -> dict[str, Any]:
        """All of it as dicts, lists, numbers and texts: what the command prints with ``--json``."""
        return {key: _plain(value) for key, value in self.__dict__.items()}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            text = f"{type(self).__name__} has no {name!r}"
            if name in getattr(type(self), "__annotations__", {}):
                text += " here: it belongs to other models, or an option asks for it"
            elif not name.startswith("_"):
                import difflib

                near = difflib.get_close_matches(name, self.__dir__(), 1)
                text += f" (did you mean {near[0]!r}?)" if near else ""
            raise AttributeError(text)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _same(self.__dict__, other.__dict__)

    __hash__ = None  # type: ignore[assignment]

    def _words(self) -> str:
        return ", ".join(self.__dict__)

    def __repr__(self) -> str:
        return f"<taut.{type(self).__name__}: {self._words()}>"


# -- check ---------------------------------------------------------------------------------------------------------------


class Check(Answer):
    """Whether the start shape is in balance."""

    ok: bool
    """True: a model that is refused raises InputError instead."""
    errors: list[Any]
    """None of them, for the same reason."""
    imbalance: float
    """The largest net force on a node, over the mean member force; of a machine on a coordinate of a joint."""
    in_balance: bool
    """The imbalance is not more than what rounding of the numbers in a file leaves, 1e-6."""
    mean_member_force: float
    """N."""
    slack: list[str]
    """Cables without tension."""
    degrees_of_freedom: int
    """Independent directions in which it can move."""
    redundant_constraints: int
    """Bars, bodies, constraints and loops that repeat what the others say."""
    parts: int
    """Connected parts of the structure."""
    worst_node: str | None
    """Of a structure: the node where the net force is largest."""
    rigid_motions: int
    """Of a structure: motions of the whole that its supports leave free."""
    weight_left_out: bool
    """Of a structure: something falls freely, and its weight does not count."""
    worst_coordinate: str | None
    """Of a machine: the coordinate where the net force is largest."""
    imposed_coordinates: int
    """Of a machine: coordinates that a drive imposes; they do not count as degrees of freedom."""
    loops: int
    """Of a machine: what closes loops in its tree of joints."""
    loop_constraints: int
    """Of a machine: equations that keep them closed."""
    topology: str
    """Of a machine: its tree and loops, a line each."""

    @property
    def balanced(self) -> bool:
        """``in_balance``."""
        return self.in_balance

    def _words(self) -> str:
        balance = "in balance" if self.in_balance else f"out of balance by {self.imbalance:.3g} of the mean member force"
        slack = _count(len(self.slack), "slack cable") if self.slack else "no slack cable"
        return f"{balance}, {_count(self.degrees_of_freedom, 'degree of freedom', 'degrees of freedom')}, {slack}"


def check(draft: _taut.Draft, *, start: Start = None) -> Check:
    """Is the start shape in balance, and which cables are slack? As ``taut check``.

    start: a run (its last row), a run and a time, or ``"run.h5@1.25"``: the state there instead of the model's start.

    Raises InputError for a model that ``run`` would refuse.
    """
    return Check(_taut.check(draft, source(start)))


# -- statics -------------------------------------------------------------------------------------------------------------


class Triplets:
    """A sparse matrix by its entries: ``values[k]`` stands at ``(rows[k], columns[k])``; those at one place add up.

    >>> scipy.sparse.coo_matrix((t.values, (t.rows, t.columns)), t.shape)
    """

    __slots__ = ("rows", "columns", "values", "shape")

    def __init__(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], values: Floats, shape: tuple[int, int]
    ) -> None:
        self.rows = rows
        self.columns = columns
        self.values = values
        self.shape = shape

    def dense(self) -> Floats:
        """The whole matrix."""
        import numpy as np

        matrix = np.zeros(self.shape)
        np.add.at(matrix, (self.rows, self.columns), self.values)
        return matrix

    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        dense = self.dense()
        return dense if dtype is None else dense.astype(dtype)

    def as_list(self) -> list[list[Any]]:
        """Of (row, column, value), as the command prints them."""
        entries = zip(self.rows.tolist(), self.columns.tolist(), self.values.tolist())
        return [list(entry) for entry in entries]

    def __reduce__(self) -> Any:
        return Triplets, (self.rows, self.columns, self.values, self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Triplets) and all(
            _same(getattr(self, name), getattr(other, name)) for name in Triplets.__slots__
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<taut.Triplets: {self.shape[0]} x {self.shape[1]}, {len(self.values)} entries>"


class Matrices(Answer):
    """Equilibrium matrix and tangent stiffness. ``np.asarray(m.equilibrium)`` or ``.dense()`` is the whole matrix."""

    coordinates: list[str]
    """What the rows are: coordinates of nodes, ``"a1.x"``; of a machine those of its joints."""
    members: list[str]
    """What the columns of ``equilibrium`` are."""
    equilibrium: Triplets
    """Forces of members (N) to forces along the coordinates."""
    material_stiffness: Triplets
    """Of a structure: by members that stretch, N/m."""
    geometric_stiffness: Triplets
    """Of a structure: by forces that turn, N/m. The tangent stiffness is the sum of both."""
    loops: Triplets
    """Of a machine: what closes its loops."""
    stiffness: Triplets
    """Of a machine: the tangent stiffness."""

    def _words(self) -> str:
        return f"{_count(len(self.coordinates), 'coordinate')}, {_count(len(self.members), 'member')}"


class Mechanism(TypedDict, total=False):
    """A motion that changes no length to first order."""

    kind: str
    """finite, infinitesimal or not decided."""
    nodes: list[str]
    text: str
    stiffening: float
    """N/m, by the self-stress."""
    shape: dict[str, list[float]]
    """How each node moves, relative."""
    joints: dict[str, float]
    """Of a machine: how each coordinate moves, relative."""


class Statics(Answer):
    """Self-stress, mechanisms, stability, forces and stiffness. Forces are in N, tension positive; torques in N m."""

    self_stress_states: int
    """Independent states of self-stress."""
    mechanisms: int
    """Independent motions that change no length to first order, besides rigid ones of the whole."""
    finite_mechanisms: int
    infinitesimal_mechanisms: int
    undecided_mechanisms: int
    rigid_motions: int
    """Motions of the whole that the supports leave free."""
    rank: int
    """Of the equilibrium matrix."""
    stability: str
    """super-stable, prestress-stable, unstable or no self-stress."""
    sign_feasible: bool
    """Some self-stress keeps all cables in tension."""
    idle: list[str]
    """Cables that no self-stress reaches."""
    member_forces: dict[str, float]
    """N by member: what balances weight and loads, chosen as ``forces`` says; without loads a self-stress."""
    forces_feasible: bool
    """Cables pull, and bounds are kept."""
    out_of_bounds: list[str]
    loads: str
    """What becomes of weight and loads: none, balanced, not held, on a mechanism."""
    self_stress_forces: list[dict[str, float]]
    """States of self-stress as forces, N; left out where they are more than 20."""
    min_stiffness_eigenvalue: float | None
    """N/m, of the tangent stiffness; None: nothing can move."""
    softest_motion: dict[str, list[float]] | None
    compliance: dict[str, Floats | None]
    """m/N, 3 × 3 by node; None where it gives way without limit. For the nodes that ``compliance`` named."""
    mechanism_list: list[Mechanism]
    matrices: Matrices
    """With ``matrices=True``."""

    parts: int
    """Of a structure, as all below: connected parts."""
    dimension: int
    """Of what the nodes span: 0 a place, 1 a line, 2 a plane, 3."""
    stability_of: str | None
    """The forces that ``stability`` is about: member_forces, self_stress or stabilising_forces."""
    self_stress_stability: str
    """Without loads, of a self-stress as small as need be."""
    stable_up_to: float | None
    """The part of the forces, unloaded, up to which it is stable."""
    by_other_forces: bool
    """It is stable with ``stabilising_forces``, not with the smallest self-stress."""
    stabilising_forces: dict[str, float]
    pushing: list[str]
    """Members that would have to push, where no self-stress keeps all cables in tension."""
    force_densities: dict[str, float]
    """N/m, of ``member_forces``."""
    conflict: list[str]
    """Members whose bounds exclude each other."""
    below_pretension: list[str]
    """Cables that carry less than at the start: the loads ask for it."""
    loaded_motion: dict[str, list[float]] | None
    """The motion along which loads push and nothing resists."""
    weight_left_out: bool
    """Nothing holds it against gravity."""
    reactions: dict[str, list[float]]
    """N, of each support."""
    self_stress: list[dict[str, float]]
    """States of self-stress as force densities, N/m: the largest of a cable is 1."""
    stress_matrix_eigenvalues: Floats
    """N/m, of the self-stress."""
    stable_with_forces: bool
    """Every motion is resisted with the forces at hand."""
    buckling_factor: float | None
    """Times the load at which it buckles."""

    imbalance: float
    """Of a machine, as all below: as in ``Check``."""
    in_balance: bool
    forces_of_start: bool
    """The forces are those of the start."""
    torques: dict[str, float]
    """N m or N, of springs and drives of joints."""
    self_stress_torques: list[dict[str, float]]
    softest_joints: dict[str, float] | None
    min_stiffness_under_torques: float | None
    """With torques that stay what they are, not drives that hold, N/m."""
    stable_under_torques: bool

    def __init__(self, fields: Mapping[str, Any]) -> None:
        import numpy as np

        super().__init__(fields)
        given = self.compliance.items()
        self.compliance = {node: None if rows is None else np.array(rows) for node, rows in given}
        if "stress_matrix_eigenvalues" in fields:
            self.stress_matrix_eigenvalues = np.array(fields["stress_matrix_eigenvalues"], dtype=float)
        if "matrices" in fields:
            entries = fields["matrices"].items()
            self.matrices = Matrices({key: Triplets(*e) if isinstance(e, tuple) else e for key, e in entries})

    def _words(self) -> str:
        return (
            f"{_count(self.self_stress_states, 'state of self-stress', 'states of self-stress')}, "
            f"{_count(self.mechanisms, 'mechanism')}, {self.stability}"
        )


def statics(
    draft: _taut.Draft,
    *,
    forces: str | None = None,
    min_tension: float | None = None,
    max_tension: float | None = None,
    max_compression: float | None = None,
    compliance: str | Sequence[str] | None = None,
    tolerance: float | None = None,
    matrices: bool | None = None,
    start: Start = None,
) -> Statics:
    """Self-stress, mechanisms, stability, forces under loads, stiffness. As ``taut statics``.

    forces: which of the forces that balance the loads with cables in tension: ``"least-norm"`` (the smallest in all),
        ``"least-prestress"`` (the least cable tension in all) or ``"bounded"`` (the smallest largest force).
    min_tension: N, of every cable; where absent its pretension. max_tension, max_compression: N, of every member.
    compliance: names of nodes: how far each gives way under a force on it.
    tolerance: members whose directions depend on others up to this fraction of them count as dependent, 1e-6.
    matrices: with the equilibrium matrix and the tangent stiffness.
    start: a run (its last row), a run and a time, or ``"run.h5@1.25"``: the state there instead of the model's start.
    """
    options = {
        "forces": forces,
        "min_tension": min_tension,
        "max_tension": max_tension,
        "max_compression": max_compression,
        "compliance": compliance,
        "tolerance": tolerance,
        "matrices": matrices,
    }
    return Statics(_taut.statics(draft, _given(options), source(start)))


# -- modes ---------------------------------------------------------------------------------------------------------------


class PrestressRow(TypedDict):
    """Frequencies with all tensions times a factor."""

    factor: float
    imbalance: float
    stable: bool
    frequencies_hz: Floats


class Modes(Answer):
    """Natural motions, the slowest first; arrays have a row for each of M modes."""

    frequencies_hz: Floats
    """(M,), undamped; 0 of a zero mode, negative of a motion that grows."""
    damping_ratios: Floats
    """(M,); NaN where a mode has no frequency."""
    damped_frequencies_hz: Floats
    """(M,)."""
    eigenvalues: Complexes
    """(M,), 1/s: the motion goes as exp(λt)."""
    overdamped: NDArray[np.bool_]
    """(M,): it creeps back without swinging."""
    shapes: Floats
    """(M, N, 3), m, of unit modal mass, in the order of ``nodes``."""
    nodes: list[str]
    participation: Floats
    """(M, 3), √kg, along x, y, z."""
    effective_mass: Floats
    """(M, 3), kg, along x, y, z."""
    moved_mass: Floats
    """(3,), kg: what does not go with the supports. Effective masses of all modes sum to it."""
    total_mass: float
    """kg."""
    degrees_of_freedom: int
    zero_modes: int
    rigid_motions: int | None
    """Motions of the whole that the supports leave free; None: not counted in a machine."""
    stable: bool
    """No motion grows."""
    complete: bool
    """No mode is missing among these."""
    in_balance: bool
    imbalance: float
    """Of the shape about which it moves, as in ``Check``."""
    slack: list[str]
    """Cables without tension: they do not act."""
    formulation: str
    coordinate_shapes: Floats
    """(M, C): how the ``coordinates`` of other formulations than nodal change."""
    coordinates: list[str]
    prestress: list[PrestressRow]
    """With ``prestress``."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        import numpy as np

        super().__init__(fields)
        for name in ("frequencies_hz", "damping_ratios", "damped_frequencies_hz", "moved_mass"):
            setattr(self, name, np.array(fields[name], dtype=float))
        self.eigenvalues = _complex(fields["eigenvalues"])
        self.overdamped = np.array(fields["overdamped"], dtype=bool)
        for name in ("participation", "effective_mass"):
            setattr(self, name, np.array(fields[name], dtype=float).reshape(-1, 3))
        for row in fields.get("prestress", ()):
            row["frequencies_hz"] = np.array(row["frequencies_hz"], dtype=float)

    @property
    def frequencies(self) -> Floats:
        """``frequencies_hz``."""
        return self.frequencies_hz

    def __len__(self) -> int:
        return len(self.frequencies_hz)

    def as_dict(self) -> dict[str, Any]:
        fields = super().as_dict()
        nodes = fields.pop("nodes")
        fields["shapes"] = [dict(zip(nodes, shape)) for shape in fields["shapes"]]
        if "coordinates" in fields:
            coordinates = fields.pop("coordinates")
            fields["coordinate_shapes"] = [dict(zip(coordinates, shape)) for shape in fields["coordinate_shapes"]]
        return fields

    def _words(self) -> str:
        stable = "stable" if self.stable else "unstable"
        if len(self) == 0:
            return "nothing can move"
        return f"{_count(len(self), 'mode')}, {self.frequencies[0]:.4g} to {self.frequencies[-1]:.4g} Hz, {stable}"


def modes(
    draft: _taut.Draft,
    *,
    count: int | None = None,
    settle: bool | None = None,
    prestress: float | Sequence[float] | Floats | None = None,
    formulation: str | None = None,
    start: Start = None,
) -> Modes:
    """Natural frequencies, shapes and damping about the start shape. As ``taut modes``.

    count: the lowest so many modes; where absent all of up to 200, else 20.
    settle: find the equilibrium near the start shape first.
    prestress: factors: frequencies with all tensions times each.
    formulation: nodal, point_mass, minimal, quaternion or multibody; where absent as the model wants it.
    start: a run (its last row), a run and a time, or ``"run.h5@1.25"``: about the state there, at rest.

    Raises RunError where settling finds no equilibrium.
    """
    options = {"count": count, "settle": settle, "prestress": prestress, "formulation": formulation}
    return Modes(_taut.modes(draft, _given(options), source(start)))


# -- linearise -----------------------------------------------------------------------------------------------------------


class Linear(Answer):
    """The motion near a state, x' = A x + B u; with ``discretise`` also x[k+1] = Ad x[k] + Bd u[k].

    ``A, B = model.linearise()``; with ``discretise`` these two are Ad and Bd.
    """

    formulation: str
    states: list[str]
    """What x is: coordinates of the formulation and their rates, from the state on."""
    inputs: list[str]
    """What u is: changes of rest lengths (m) and torques (N m), by name."""
    A: Floats
    B: Floats
    Ad: Floats
    """With ``discretise``."""
    Bd: Floats
    """With ``discretise``."""
    eigenvalues: Complexes
    """Of A, 1/s."""
    frequencies_hz: Floats
    """Of oscillations, ascending."""
    degrees_of_freedom: int
    imbalance: float
    """Of the start shape of a structure, as in ``Check``."""
    velocities: list[str]
    """With ``matrices``, as all below: what v is in M v' + c = B_full δu + Gᵀλ, G v' = gamma."""
    M: Floats
    c: Floats
    """(V,)."""
    B_full: Floats
    G: Floats
    """Where the formulation keeps constraints."""
    gamma: Floats
    """Likewise."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        import numpy as np

        super().__init__(fields)
        self.eigenvalues = _complex(fields["eigenvalues"])
        self.frequencies_hz = np.array(fields["frequencies_hz"], dtype=float)
        for name in ("c", "gamma"):
            if name in fields:
                setattr(self, name, fields[name][:, 0])

    def __iter__(self) -> Iterator[Floats]:
        discrete = "Ad" in self.__dict__
        yield self.Ad if discrete else self.A
        yield self.Bd if discrete else self.B

    def as_dict(self) -> dict[str, Any]:
        fields = super().as_dict()
        for name in ("c", "gamma"):
            if name in fields:
                fields[name] = [[value] for value in fields[name]]
        return fields

    def _words(self) -> str:
        discrete = ", discrete" if "Ad" in self.__dict__ else ""
        return f"{_count(len(self.states), 'state')}, {_count(len(self.inputs), 'input')}, {self.formulation}{discrete}"


def linearise(
    draft: _taut.Draft,
    *,
    formulation: str | None = None,
    inputs: str | None = None,
    lengths: str | None = None,
    discretise: str | None = None,
    step: float | None = None,
    matrices: bool | None = None,
    start: Start = None,
) -> Linear:
    """The motion near the start as a linear system, x' = A x + B u. As ``taut linearise``.

    formulation: nodal, minimal, quaternion, point_mass or multibody; where absent as the model says.
    inputs: ``"cables"``: their rest lengths, and torques of joints; ``"all"``: the lengths of bars too.
    lengths: ``"inputs"``, or ``"states"``: the lengths are states, and their rates the inputs.
    discretise: ``"euler"``, ``"trapezoid"`` or ``"exact"``: adds Ad and Bd. step: s, where absent as the model says.
    matrices: also M, c, B_full, G and gamma of the whole.
    start: a run (its last row), a run and a time, or ``"run.h5@1.25"``: about the state there.

    Raises RunError where numbers are not finite, or no digit of Ad would be right.
    """
    options = {
        "formulation": formulation,
        "inputs": inputs,
        "lengths": lengths,
        "discretise": discretise,
        "step": step,
        "matrices": matrices,
    }
    return Linear(_taut.linearise(draft, _given(options), source(start)))


# -- gradient ------------------------------------------------------------------------------------------------------------


class _Outcome(TypedDict):
    of: str
    value: float
    by: dict[str, float]


class _Switch(TypedDict):
    kind: str
    name: str
    time: float
    by: dict[str, float]


class Gradient(Answer):
    """How outcomes of a run change with numbers of its model.

    ``g = model.gradient("max(nodes.top.z)", "cables.*.stiffness")``; ``g.by["cables.a-b.stiffness"]``.
    """

    formulation: str
    integrator: str
    """dopri5 or cvode."""
    simulated_s: float
    parameters: dict[str, float]
    """The numbers, by key: a ``*`` is spelled out, and so are vectors."""
    outcomes: list[_Outcome]
    """``of``, ``value`` and the derivatives ``by`` key, in the units of outcome and number."""
    switches: list[_Switch]
    """What goes slack or taut, touches or lifts: ``kind``, ``name``, ``time``, and how the time changes ``by`` key."""
    not_differentiable: list[dict[str, Any]]
    """Where there is no derivative ``by`` a key: ``reason``; ``name`` and ``time`` of the cable or node, or the outcome ``of``
    which it is true. Empty: all exist."""
    warnings: list[str]
    t: Floats
    """With ``motion``, as all below: times of the rows, s."""
    nodes: dict[str, Floats]
    """By key: (T, N, 3), derivatives of the positions."""
    velocities: dict[str, Floats]
    """By key: (T, N, 3), of the velocities."""

    @property
    def value(self) -> float:
        """Of the first outcome."""
        return self.outcomes[0]["value"]

    @property
    def by(self) -> dict[str, float]:
        """Derivatives of the first outcome, by key."""
        return self.outcomes[0]["by"]

    def _words(self) -> str:
        corners = len(self.not_differentiable)
        text = f"{_count(len(self.outcomes), 'outcome')} by {_count(len(self.parameters), 'number')}"
        return text + (f", {corners} not differentiable" if corners else "")


def gradient(
    draft: _taut.Draft,
    outcome: str | Sequence[str],
    parameters: str | Sequence[str],
    *,
    motion: bool = False,
    set: Mapping[str, Any] | None = None,
) -> Gradient:
    """How outcomes of a run change with numbers of the model, right through slack and contact. As ``taut gradient``.

    outcome: an expression of the run as sweeps record it, ``"max(nodes.top.z)"``, or a list of them.
    parameters: key paths of numbers, such as ``"cables.*.stiffness"`` (each cable by itself) or ``"nodes.a.at"``.
    motion: also the derivatives of all positions and velocities at every row.
    set: values by key path, for this run only.

    Raises InputError for what has no gradient (controllers, hard ground, yield), RunError where the run fails.
    """
    if set:
        draft = _taut.Draft(draft)
        draft.set(dict(set))
    texts = [outcome] if isinstance(outcome, str) else list(outcome)
    keys = [parameters] if isinstance(parameters, str) else list(parameters)
    return Gradient(_taut.gradient(draft, texts, keys, motion))


# -- form ----------------------------------------------------------------------------------------------------------------


class PathEvent(TypedDict):
    """A point of a path where stability changes or a cable goes slack."""

    kind: str
    """limit point, bifurcation or switch."""
    factor: float
    arc_length: float
    node: str | None
    along: list[float]
    motions: int
    stability_lost: bool
    crosses: bool
    followed: bool
    cables: list[str]


class Path(Answer):
    """A path of equilibria; arrays have a row for each of P points."""

    kind: str
    """loads, weight or rest_lengths."""
    to: float
    """Where it should end."""
    reached: float
    """Where it ends."""
    points: int
    events: list[PathEvent]
    factor: Floats
    """(P,): of the load or weight, or the fraction of the way."""
    arc_length: Floats
    """(P,), in mean member lengths and ends of the path."""
    unstable: NDArray[np.int64]
    """(P,): directions in which the energy falls."""
    stiffness: Floats
    """(P,), N/m, the least."""
    positions: Floats
    """(P, n, 3), m, of the ``nodes`` that were asked for."""
    nodes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """What the command prints; the arrays are the table that it writes."""
        fields = super().as_dict()
        return {key: fields[key] for key in ("kind", "to", "reached", "points", "events")}

    def _words(self) -> str:
        return f"{_count(self.points, 'point')}, to {self.reached:.6g} of the {self.kind.replace('_', ' ')}"


class Form(Answer):
    """How an equilibrium was found. The fields of all methods come first, then those of some."""

    converged: bool
    reason: str
    """Why not, in a sentence."""
    stable: bool | None
    free_motion: str | None
    """What moves without anything that resists."""
    imbalance: float
    """The largest net force on a node, over the mean member force."""
    net_force: float
    """N, the largest."""
    mean_member_force: float
    """N."""
    largest_move: float
    """m, of a node, from the start."""
    moved_node: str | None
    tensions: dict[str, float]
    """N by cable."""
    rest_lengths: dict[str, float]
    """m by cable."""
    bar_forces: dict[str, float]
    """N by bar, tension positive."""

    start_imbalance: float
    """relax, prestress: of the start; of prestress with the best forces."""
    worst_node: str | None
    """relax: where the net force is largest."""
    worst_joint: str | None
    """relax of a machine: likewise."""
    steps: int
    """relax: of kinetic damping."""
    peaks: int
    """relax: of kinetic energy."""
    newton_steps: int
    """relax."""
    slack: list[str]
    """relax: cables without tension at the end."""

    iterations: int
    """All but relax."""
    notes: list[str]
    """force_density, optimise, newton: what is worth knowing all the same."""
    bar_lengths: dict[str, float]
    """force_density, optimise, newton: m by bar."""

    distance: float
    """prestress: m, root of the sum of squares of all moves."""
    unbalanced: list[dict[str, Any]]
    """prestress: ``node`` and ``force`` (N) of nodes that stay out of balance, worst first."""
    at_least: list[str]
    """prestress: cables that would push nearer to the shape, held at the least tension."""
    frequencies_hz: list[float]
    """prestress: the lowest, without rigid motions."""
    rigid_motions: int
    """prestress."""
    buckling: dict[str, Any] | None
    """prestress: ``found``, ``factor`` of the ``load`` (N) and ``node``."""
    strains: dict[str, float]
    """prestress of a machine: of cables on pulleys."""
    torques: dict[str, float]
    """prestress of a machine: of drives, N m or N."""

    force_densities: dict[str, float]
    """force_density: N/m by member."""
    groups: list[list[str]]
    """force_density: members that share a density."""
    lowest_eigenvalues: list[float]
    """force_density: of the stress matrix, over its size."""
    super_stable: bool
    """force_density."""

    lengths: dict[str, float]
    """optimise: m by member."""
    objective: float
    """optimise: what is made long less what is made short, m."""
    length_error: float
    """optimise: m, the largest."""

    path: Path
    """newton with ``path``."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        if "path" in fields:
            self.path = Path(fields["path"])

    def _words(self) -> str:
        if not self.converged:
            return f"no equilibrium: {self.reason}"
        stable = "nothing resists a motion" if self.free_motion else "stable" if self.stable else "unstable"
        return f"in equilibrium, {stable}, net force {self.imbalance:.1e} of the mean member force"


class NoEquilibrium(RunError):
    """There is no equilibrium, or none was found. ``formed`` says how far the search came: of a path its points."""

    def __init__(self, message: str, formed: Form) -> None:
        super().__init__(message)
        self.formed = formed

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.formed)


def form(
    draft: _taut.Draft,
    method: str = "relax",
    *,
    steps: int | None = None,
    tolerance: float | None = None,
    reach: float | None = None,
    least_tension: float | None = None,
    density: Numbers | None = None,
    group: Members | None = None,
    groups: str | None = None,
    mean_length: float | None = None,
    pretension: float | None = None,
    maximise: Members | None = None,
    minimise: Members | None = None,
    length: Numbers | None = None,
    path: str | None = None,
    to: float | None = None,
    rest_length: Numbers | None = None,
    arc_length: bool | None = None,
    branch: str | None = None,
    nodes: str | Sequence[str] | None = None,
) -> Model:
    """A new model that stands in equilibrium. As ``taut form``; how it was found is in its ``formed``.

    method: ``"relax"``: let go, stop the motion at each peak of kinetic energy, polish.
        ``"newton"``: Newton's method from the start, or a path of equilibria. ``"prestress"``: the equilibrium nearest
        to the shape with the tensions of ``[[targets]]``. ``"force_density"``: from force over length of members.
        ``"optimise"``: members as long or as short as the lengths of the others allow.

    Members are named by texts as ``"a*-b*"``, ``"c1,c2"``, ``"cables"``, ``"bars"``, or by lists of names.

    relax: steps (at most), tolerance (largest net node force, of the mean member force, that counts as balance).
    newton: tolerance; or a path of ``"loads"``, ``"weight"`` or ``"rest_lengths"`` and with it: to (its end, 1),
        rest_length (m by cables, at the end), arc_length (go on through limit points and bifurcations), branch
        (``"along"`` or ``"against"``, at the first bifurcation), steps (points, at most), nodes (of the table).
    prestress: reach (how far a node may move, m), least_tension (N).
    force_density: density (N/m by members), group (lists of members that share one), groups (the others: by
        ``"connections"``, ``"lengths"`` or ``"none"``), mean_length (m), pretension (N, mean over the cables).
    optimise: maximise, minimise (members), length (m by members), group (members of equal length), pretension (N).

    Raises NoEquilibrium, a RunError, where there is none or none was found.
    """
    options = {
        "steps": steps,
        "tolerance": tolerance,
        "reach": reach,
        "least_tension": least_tension,
        "density": density,
        "group": group,
        "groups": groups,
        "mean_length": mean_length,
        "pretension": pretension,
        "maximise": maximise,
        "minimise": minimise,
        "length": length,
        "path": path,
        "to": to,
        "rest_length": rest_length,
        "arc_length": arc_length,
        "branch": branch,
        "nodes": nodes,
    }
    fields, found, failure = _taut.form(draft, method, _given(options))
    formed = Form(fields)
    if found is None:
        raise NoEquilibrium(f"no equilibrium: {failure}", formed)
    from taut._model import Model

    return Model._of(found, formed)


# -- design --------------------------------------------------------------------------------------------------------------


class DesignedMember(TypedDict, total=False):
    """A member as it is to be made. Forces in N, tension positive; lengths in m."""

    name: str
    kind: str
    """bar or cable."""
    nodes: list[str]
    length: float
    """Under load."""
    force: float
    """Under load."""
    rest_length: float
    """Of the model: with its stiffness."""
    cut_length: float
    """Without force, of the designed member: what to cut."""
    outer_diameter: float
    inner_diameter: float
    mass: float
    """kg."""
    limit: str
    """What decided: yield, buckling, bending, least or none."""
    built_length: float
    """In the state that it is cut for."""
    built_force: float
    """Likewise."""
    moment: float
    """N m, of a bar of a machine."""
    wound: float
    """Of the cable of a pulley: on the drum."""
    wound_given: bool


class Design(Answer):
    """The least thickness of every member, and what it all weighs."""

    mass: float
    """kg."""
    bar_mass: float
    """kg."""
    cable_mass: float
    """kg."""
    safety: float
    hollow: float
    """Inner over outer radius of the bars."""
    bar_material: dict[str, Any]
    """``name``, ``density`` (kg/m³), ``modulus`` (Pa), ``strength`` (Pa)."""
    cable_material: dict[str, Any]
    largest_move: float
    """m, of a node, from the start shape to the equilibrium under load."""
    cut_at: str
    """What acts where members are cut for: unloaded, weight or loaded."""
    built_move: float
    """m, to the state that members are cut for."""
    stable: bool
    weight_left_out: bool
    """Something falls freely."""
    rounds: int
    """Until the weight agreed with the design."""
    members: list[DesignedMember]
    """Bars, then cables."""
    not_sized: list[dict[str, Any]]
    """Bodies of a machine: ``name`` and largest ``moment``, N m."""

    def _words(self) -> str:
        return f"{self.mass:.4g} kg: bars {self.bar_mass:.4g} kg, cables {self.cable_mass:.4g} kg"


def design(
    draft: _taut.Draft,
    *,
    safety: float | None = None,
    hollow: float | None = None,
    least_diameter: float | None = None,
    weight: bool | None = None,
    cut_at: str | None = None,
    bar_material: str | None = None,
    bar_density: float | None = None,
    bar_modulus: float | None = None,
    bar_strength: float | None = None,
    cable_material: str | None = None,
    cable_density: float | None = None,
    cable_modulus: float | None = None,
    cable_strength: float | None = None,
) -> Design:
    """The least thickness of every member, and its mass. As ``taut design``.

    safety: factor on every force, 1. hollow: bars are tubes: inner over outer radius, below 1. least_diameter: m.
    weight: members weigh what the design gives them, not what the model says.
    cut_at: what acts where members are cut for: ``"unloaded"``, ``"weight"`` or ``"loaded"``.
    bar_material, cable_material: steel, aluminium, carbon or polyethylene; density (kg/m³), modulus and strength (Pa)
        instead of the material's.

    Raises RunError where there is no equilibrium to design for.
    """
    options = {
        "safety": safety,
        "hollow": hollow,
        "least_diameter": least_diameter,
        "weight": weight,
        "cut_at": cut_at,
        "bar_material": bar_material,
        "bar_density": bar_density,
        "bar_modulus": bar_modulus,
        "bar_strength": bar_strength,
        "cable_material": cable_material,
        "cable_density": cable_density,
        "cable_modulus": cable_modulus,
        "cable_strength": cable_strength,
    }
    return Design(_taut.design(draft, _given(options)))


# -- what they share -----------------------------------------------------------------------------------------------------


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _complex(pairs: Any) -> Complexes:
    import numpy as np

    return np.array(pairs, dtype=float).reshape(-1, 2).view(np.complex128).reshape(-1)
