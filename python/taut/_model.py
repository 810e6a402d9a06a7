"""Models: read, generated, made by hand, changed by key."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

from taut import _answers, _taut
from taut._run import Run
from taut._settings import settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from taut._simulation import Observation, Simulation

__all__ = ["Model", "generate", "generators", "load", "loads"]


class Model:
    """A structure and what is asked of it: all that a model file says.

    ``taut.load(file)``, ``taut.loads(text)`` and ``taut.generate(kind, ...)`` make one; ``Model()`` is empty, to be
    built with ``add_node``, ``add_bar``, ``add_cable`` and ``add``. Everything is in SI units.

    A model is a value: runs and simulations take a copy, so that changing it later changes nothing of theirs.
    """

    __slots__ = ("_draft", "formed")

    formed: _answers.Form | None
    """How ``form`` found this shape; None for other models."""

    def __init__(self, name: str = "") -> None:
        self._draft = _taut.Draft()
        self.formed = None
        if name:
            self._draft.set({"name": name})

    @classmethod
    def _of(cls, draft: _taut.Draft, formed: _answers.Form | None = None) -> Model:
        model = cls.__new__(cls)
        model._draft = draft
        model.formed = formed
        return model

    # -- what it holds -------------------------------------------------------------------------------------------

    def set(self, key: str | Mapping[str, Any], value: Any = None) -> Model:
        """Set a value by its key path, as ``--set`` and sweeps know it; returns the model.

        >>> model.set("cables.*.stiffness", 800.0)
        >>> model.set({"environment.gravity": [0, 0, -1.62], "simulation.duration": 2.0})

        A dict sets all of its values at once: they are judged together. Raises InputError and changes nothing where a
        key is not known or a value cannot be.
        """
        self._draft.set(dict(key) if isinstance(key, Mapping) else {key: value})
        self.formed = None
        return self

    def get(self, key: str) -> Any:
        """The value under a key path; with ``*`` a list, one for each entity. None where the model has no value there.

        >>> model.get("cables.a1-b2.rest_length")
        0.2
        """
        return self._draft.get(key)

    def add(self, section: str, name: str | None = None, /, **keys: Any) -> Model:
        """Add an entity to a section of the model file, with the keys that the file would have; returns the model.

        >>> model.add("actuators", cable="c1", rest_length={"t": [0, 1], "values": [0.2, 0.15]})

        A key that is not one of the section's raises InputError here; all else that is wrong is said when the model is used,
        all at once.
        """
        if section == "nodes":
            if name is None:
                raise TypeError("add: a node needs a name")
        elif name is not None:
            keys = {"name": name, **keys}
        self._draft.add(section, name or "", keys)
        self.formed = None
        return self

    def add_node(self, name: str, position: ArrayLike, **keys: Any) -> str:
        """Add a node at a position, m; returns its name. Keys: ``mass`` (kg), ``fixed``, ``velocity`` (m/s), ..."""
        self.add("nodes", name, at=position, **keys)
        return name

    def add_bar(self, a: str, b: str, **keys: Any) -> str:
        """Add a bar between two nodes; returns its name, "a-b" unless ``name`` says another.

        Keys: ``mass`` (kg), ``EA`` (N) for an elastic one, ``radius`` (m), ...
        """
        self.add("bars", nodes=[a, b], **keys)
        return str(keys.get("name", f"{a}-{b}"))

    def add_cable(self, nodes: Sequence[str], **keys: Any) -> str:
        """Add a cable over two or more nodes; returns its name, "a-b-c" unless ``name`` says another.

        Keys: ``stiffness`` (N/m) or ``EA`` (N), ``rest_length`` (m) or ``pretension`` (N), ``damping`` (N s/m), ...
        """
        self.add("cables", nodes=list(nodes), **keys)
        return str(keys.get("name", "-".join(nodes)))

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._draft.title()

    @property
    def nodes(self) -> list[str]:
        """Names of the nodes, in the order of every array."""
        return self._draft.names("nodes")

    @property
    def bars(self) -> list[str]:
        """Names of the bars, in the order of every array."""
        return self._draft.names("bars")

    @property
    def cables(self) -> list[str]:
        """Names of the cables, in the order of every array."""
        return self._draft.names("cables")

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._draft.names("joints")

    @property
    def positions(self) -> NDArray[np.float64]:
        """Where the nodes are at the start, (N, 3), m; a copy."""
        return self._draft.positions()

    @property
    def bar_nodes(self) -> list[tuple[int, int]]:
        """The two nodes of each bar, as indices."""
        return self._draft.ends("bars")

    @property
    def cable_nodes(self) -> list[tuple[int, ...]]:
        """The nodes of each cable along its path, as indices."""
        return self._draft.ends("cables")

    @property
    def toml(self) -> str:
        """The model as the text of a model file, with everything written out."""
        return self._draft.to_toml()

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write a model file."""
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.toml)

    # -- at rest -------------------------------------------------------------------------------------------------

    def check(self, **options: Any) -> _answers.Check:
        """Is the start shape in balance, which cables are slack? As ``taut check``."""
        return _answers.check(self._draft, **options)

    def statics(self, **options: Any) -> _answers.Statics:
        """Self-stress, mechanisms, stability, forces under loads, stiffness. As ``taut statics``."""
        return _answers.statics(self._draft, **options)

    def modes(self, **options: Any) -> _answers.Modes:
        """Natural frequencies (Hz), shapes and damping about the start shape. As ``taut modes``."""
        return _answers.modes(self._draft, **options)

    def linearise(self, **options: Any) -> _answers.Linear:
        """The motion near the start as x' = A x + B u. As ``taut linearise``."""
        return _answers.linearise(self._draft, **options)

    def form(self, method: str = "relax", **options: Any) -> Model:
        """A new model that stands in equilibrium. As ``taut form``; how it was found is in its ``formed``.

        Raises RunError where there is no equilibrium, or none was found.
        """
        found, formed = _answers.form(self._draft, method, **options)
        return Model._of(found, formed)

    def design(self, **options: Any) -> _answers.Design:
        """The least thickness of every member, and its mass. As ``taut design``."""
        return _answers.design(self._draft, **options)

    # -- in motion -----------------------------------------------------------------------------------------------

    def run(
        self,
        *,
        duration: float | None = None,
        output_step: float | None = None,
        integrator: str | None = None,
        step: float | None = None,
        tolerance: float | None = None,
        formulation: str | None = None,
        constraints: str | None = None,
        settle: bool | None = None,
        start: Run | tuple[Run, float] | str | os.PathLike[str] | None = None,
        control: Callable[[Observation], Any] | None = None,
        rate: float = 100.0,
        speed: float | None = None,
        memory: int = 0,
        set: Mapping[str, Any] | None = None,
    ) -> Run:
        """Simulate, and return the whole motion. As ``taut run``.

        duration, output_step, step, tolerance: s, s, s and the error per step; where absent, what the model says.
        set: further values by key path, for this run only.
        start: a run (its last row), a run and a time, or ``"run.h5@1.25"``: go on from there.
        control: a function that is asked ``rate`` times per second; see ``Simulation.control``.

        Raises RunError where the motion cannot go on, with the rows up to then in its ``run``; Ctrl-C raises
        Interrupted, likewise.
        """
        given = settings(duration, output_step, integrator, step, tolerance, formulation, constraints, settle, set)
        source: Any = None
        if isinstance(start, Run):
            source = start._data
        elif isinstance(start, tuple):
            source = (start[0]._data, float(start[1]))
        elif start is not None:
            source = os.fspath(start)
        limit = float("inf") if speed is None else speed
        return _taut.run(self._draft, given, source, control, rate, limit, memory)

    def simulate(self, **options: Any) -> Simulation:
        """A ``Simulation`` of this model, with its options."""
        from taut._simulation import Simulation

        return Simulation(self, **options)

    # -- as a value ----------------------------------------------------------------------------------------------

    def copy(self) -> Model:
        """A model of its own with the same values."""
        return Model._of(_taut.Draft(self._draft), self.formed)

    def __copy__(self) -> Model:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Model:
        return self.copy()

    def __reduce__(self) -> Any:
        return Model._of, (self._draft, self.formed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and bool(self._draft == other._draft)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        try:
            counts = ", ".join(
                f"{len(names)} {kind if len(names) != 1 else single}"
                for kind, single, names in (
                    ("nodes", "node", self.nodes),
                    ("bars", "bar", self.bars),
                    ("cables", "cable", self.cables),
                    ("bodies", "body", self._draft.names("bodies")),
                    ("joints", "joint", self.joints),
                )
                if names
            )
        except ValueError as error:
            return f"<taut.Model, not to be used yet: {str(error).splitlines()[0]}>"
        return f"<taut.Model {self.name!r}: {counts or 'empty'}>"


def load(file: str | os.PathLike[str]) -> Model:
    """Read a model file. Raises InputError with every problem of it, each with its line and column."""
    return Model._of(_taut.Draft.from_file(os.fspath(file)))


def loads(text: str, name: str = "model") -> Model:
    """Read a model from the text of a model file; ``name`` is what errors call it."""
    return Model._of(_taut.Draft.from_text(text, name))


def generate(kind: str, **parameters: Any) -> Model:
    """A model that a generator makes: ``taut.generate("six_bar", rod_length=1.0)``.

    ``taut.generators()`` lists the kinds and their parameters.
    """
    return Model._of(_taut.Draft.generated(kind, parameters))


def generators() -> dict[str, dict[str, Any]]:
    """The kinds that ``generate`` knows: what each makes, and its parameters with their meaning and standard value."""
    return {
        kind: {
            "help": text,
            "parameters": {key: {"standard": value, "help": words} for key, (value, words) in parameters.items()},
        }
        for kind, text, parameters in _taut.generators()
    }
