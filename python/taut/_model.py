"""Models: read, generated, made by hand, changed by key."""

from __future__ import annotations

import copy
import functools
import html
import os
from typing import TYPE_CHECKING, Any, Callable, Concatenate, Mapping, ParamSpec, Sequence, TypeVar

from taut import _answers, _taut
from taut._errors import InputError
from taut._run import Run, in_frame
from taut._settings import control_settings, file_name, settings, source, text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from taut._simulation import Observation, Simulation

__all__ = ["Model", "generate", "generators", "load", "loads"]


_P = ParamSpec("_P")
_R = TypeVar("_R")


def _of_draft(function: Callable[Concatenate[_taut.Draft, _P], _R]) -> Callable[Concatenate[Model, _P], _R]:
    """A function on a draft as a method of a model, with its words and options."""

    @functools.wraps(function)
    def method(self: Model, /, *args: _P.args, **keys: _P.kwargs) -> _R:
        return function(self._draft, *args, **keys)

    return method


class Model:
    """A structure and what is asked of it: all that a model file says.

    ``taut.load(file)``, ``taut.loads(text)`` and ``taut.generate(kind, ...)`` make one; ``Model()`` is empty, to be
    built with ``add_node``, ``add_bar``, ``add_cable`` and ``add``. Everything is in SI units.

    A model is a value: runs and simulations take a copy, so that changing it later changes nothing of theirs.
    """

    __slots__ = ("_draft", "_formed")

    def __init__(self, name: str = "") -> None:
        self._draft = _taut.Draft()
        self._formed: _answers.Form | None
        self._formed = None
        if name:
            self._draft.set({"name": name})

    @classmethod
    def _of(cls, draft: _taut.Draft, formed: _answers.Form | None = None) -> Model:
        model = cls.__new__(cls)
        model._draft = draft
        model._formed = formed
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
        self._formed = None
        return self

    def get(self, key: str) -> Any:
        """The value under a key path; with ``*`` a list, one for each entity. None where the model has no value there.

        >>> model.get("cables.a1-b2.rest_length")
        0.2
        """
        return self._draft.get(text("path", key))

    def add(self, section: str, name: str | None = None, /, **keys: Any) -> Model:
        """Add an entity to a section of the model file, with the keys that the file would have; returns the model.

        >>> model.add("actuators", cable="c1", rest_length={"t": [0, 1], "values": [0.2, 0.15]})

        A key that is a word of Python gets a stroke behind it: ``from_=0.1``.

        A key that is not one of the section's raises InputError here; all else that is wrong is said when the model is used,
        all at once.
        """
        keys = {key.removesuffix("_"): value for key, value in keys.items()}
        text("section", section)
        if section == "nodes":
            if name is None:
                raise TypeError("add: a node needs a name")
            text("name", name)
        elif name is not None:
            keys = {"name": name, **keys}
        self._draft.add(section, name or "", keys)
        self._formed = None
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
    def formed(self) -> _answers.Form | None:
        """How ``form`` found this shape; None for other models."""
        return self._formed

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

    check = _of_draft(_answers.check)
    statics = _of_draft(_answers.statics)
    modes = _of_draft(_answers.modes)
    linearise = _of_draft(_answers.linearise)
    design = _of_draft(_answers.design)
    form = _of_draft(_answers.form)

    # -- in motion -----------------------------------------------------------------------------------------------

    gradient = _of_draft(_answers.gradient)

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
        return _taut.run(self._draft, given, source(start), control, *control_settings(rate, speed, memory))

    def still(self) -> Run:
        """The start shape as a run of one row, with the forces at t = 0: for its arrays and its exports."""
        return _taut.still(self._draft)

    def report(self, file: str | os.PathLike[str], title: str = "") -> None:
        """Write the page of the model at rest: names, supports, loads, forces. As ``taut view`` of a model file.

        ``title`` serves where the model has no name.
        """
        page = _taut.model_page(self._draft, title or "model")
        if not page:
            raise InputError("no page can be made: taut was built without its viewer")
        with open(file, "w", encoding="utf-8") as out:
            out.write(page)

    def _repr_html_(self) -> str:
        page = _taut.model_page(self._draft, "model")
        return in_frame(page) if page else f"<pre>{html.escape(repr(self))}</pre>"

    def simulate(self, **options: Any) -> Simulation:
        """A ``Simulation`` of this model, with its options."""
        from taut._simulation import Simulation

        return Simulation(self, **options)

    # -- as a value ----------------------------------------------------------------------------------------------

    def copy(self) -> Model:
        """A model of its own with the same values."""
        model = self._of(_taut.Draft(self._draft), self._formed)
        getattr(model, "__dict__", {}).update(getattr(self, "__dict__", {}))
        return model

    def __copy__(self) -> Model:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Model:
        model = memo[id(self)] = self.copy()
        for name, value in getattr(self, "__dict__", {}).items():
            setattr(model, name, copy.deepcopy(value, memo))
        return model

    def __reduce__(self) -> Any:
        return type(self)._of, (self._draft, self._formed), getattr(self, "__dict__", None)

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
    return Model._of(_taut.Draft.from_file(file_name(file)))


def loads(text: str, name: str = "model") -> Model:
    """Read a model from the text of a model file; ``name`` is what errors call it."""
    if not isinstance(text, (str, bytes)):
        raise TypeError(f"loads: expected the text of a model file, got {type(text).__name__}; taut.load reads a file")
    return Model._of(_taut.Draft.from_text(text.encode() if isinstance(text, str) else text, file_name(name)))


def generate(kind: str, **parameters: Any) -> Model:
    """A model that a generator makes: ``taut.generate("six_bar", rod_length=1.0)``.

    ``taut.generators()`` lists the kinds and their parameters.
    """
    return Model._of(_taut.Draft.generated(text("kind", kind), parameters))


def generators() -> dict[str, dict[str, Any]]:
    """The kinds that ``generate`` knows: what each makes, and its parameters with their meaning and standard value."""
    return {
        kind: {
            "help": text,
            "parameters": {key: {"standard": value, "help": words} for key, (value, words) in parameters.items()},
        }
        for kind, text, parameters in _taut.generators()
    }
