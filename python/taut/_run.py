"""Runs: a motion in memory, column by column."""

from __future__ import annotations

import html
import io
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from taut import _taut
from taut._settings import file_name, number, whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from taut._model import Model

__all__ = ["Event", "Plot", "Run", "open"]


class Event(NamedTuple):
    """Something that happened: ``kind`` is slack, taut, yielded or control."""

    time: float
    kind: str
    name: str
    what: str


class Plot:
    """A picture of curves, as SVG. A notebook shows it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the SVG file."""
        with io.open(file, "w", encoding="utf-8") as out:
            out.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<taut.Plot, {len(self.svg)} bytes of SVG>"


class Run:
    """The motion that ``Model.run`` computed or ``taut.open`` read. In a notebook it shows as its report page.

    Arrays have a row for each time in ``t``. They are read-only views of memory that the run keeps: they cost nothing,
    and stay valid as long as anyone holds them. Named columns (``energy``, ``joints``, ...) are record arrays:
    ``run.energy["kinetic"]`` or ``run.energy.kinetic``.
    """

    __slots__ = ("_data", "_summary")

    def __init__(self, data: _taut.RunData) -> None:
        self._data = data
        self._summary: dict[str, Any] | None = None

    # -- columns -------------------------------------------------------------------------------------------------

    @property
    def t(self) -> NDArray[np.float64]:
        """Times of the rows, (T,), s."""
        return self._always("t")

    @property
    def nodes(self) -> NDArray[np.float64]:
        """Positions, (T, N, 3), m."""
        return self._always("nodes")

    @property
    def velocities(self) -> NDArray[np.float64]:
        """Velocities of the nodes, (T, N, 3), m/s."""
        return self._always("velocities")

    @property
    def tensions(self) -> NDArray[np.float64]:
        """Tensions of the cables, (T, C), N, 0 where slack."""
        return self._always("tensions")

    @property
    def lengths(self) -> NDArray[np.float64]:
        """Lengths of the cables, (T, C), m."""
        return self._always("lengths")

    @property
    def rest_lengths(self) -> NDArray[np.float64]:
        """Rest lengths of the cables, (T, C), m."""
        return self._always("rest_lengths")

    @property
    def bar_forces(self) -> NDArray[np.float64]:
        """Forces of the bars, (T, B), N, tension positive."""
        return self._always("bar_forces")

    @property
    def bar_lengths(self) -> NDArray[np.float64] | None:
        """Of the bars that actuators drive, (T, D), m; None where there are none."""
        return self._sometimes("bar_lengths")

    @property
    def contact_forces(self) -> NDArray[np.float64] | None:
        """Forces of ground and collisions on the nodes, (T, N, 3), N; None where there is neither."""
        return self._sometimes("contact_forces")

    @property
    def support_forces(self) -> NDArray[np.float64] | None:
        """Forces of the supports on the nodes in ``support_names``, (T, S, 3), N; None where nothing is supported."""
        return self._sometimes("support_forces")

    @property
    def energy(self) -> np.recarray[Any, Any]:
        """Named columns, J: kinetic, elastic, gravity, contact, dissipated, work, balance."""
        columns = self._columns("energy")
        assert columns is not None  # of every run
        return columns

    @property
    def joints(self) -> np.recarray[Any, Any] | None:
        """Named columns of joints and pulleys, as in joints.csv; None where there are none."""
        return self._columns("joints")

    @property
    def controls(self) -> np.recarray[Any, Any] | None:
        """Named columns of the model's controllers, as in controls.csv; None where there are none."""
        return self._columns("controls")

    @property
    def frames(self) -> np.recarray[Any, Any] | None:
        """Named columns of the frames in [outputs]: m and rad; None where there are none."""
        return self._columns("frames")

    @property
    def constraint_error(self) -> NDArray[np.float64]:
        """How far the worst constraint is off, (T,), m."""
        return self._always("constraint_error")

    def _always(self, name: str) -> NDArray[np.float64]:
        numbers: NDArray[np.float64] = self._data.array(name)
        return numbers

    def _sometimes(self, name: str) -> NDArray[np.float64] | None:
        numbers: NDArray[np.float64] | None = self._data.array(name)
        return numbers

    def _columns(self, name: str) -> np.recarray[Any, Any] | None:
        numbers = self._data.array(name)
        if numbers is None:
            return None
        import numpy as np

        kind = np.dtype((np.record, [(column, float) for column in self._data.names(name)]))
        columns: np.recarray[Any, Any] = numbers.view(kind).reshape(len(numbers)).view(np.recarray)
        return columns

    # -- names and numbers ---------------------------------------------------------------------------------------

    @property
    def node_names(self) -> list[str]:
        """Names of the nodes, in the order of every array."""
        return self._data.names("nodes")

    @property
    def cable_names(self) -> list[str]:
        """Names of the cables, in the order of every array."""
        return self._data.names("cables")

    @property
    def bar_names(self) -> list[str]:
        """Names of the bars, in the order of every array."""
        return self._data.names("bars")

    @property
    def support_names(self) -> list[str]:
        """Names of the nodes that a support holds, in the order of ``support_forces``."""
        return self._data.names("supports")

    @property
    def events(self) -> list[Event]:
        """What went slack or taut, what yielded, what controllers noted; in order of time."""
        return [Event(*event) for event in self._data.events()]

    @property
    def summary(self) -> dict[str, Any]:
        """How the run went, as in summary.json: status, integrator, steps, energy_drift, warnings, ..."""
        if self._summary is None:
            self._summary = json.loads(self._data.summary_text())
        return self._summary

    @property
    def model(self) -> Model:
        """The model that was run."""
        from taut._model import Model

        return Model._of(self._data.draft())

    # -- files and pictures --------------------------------------------------------------------------------------

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write all of it as HDF5, as ``taut run`` does: ``run.save("run.h5")``; ``taut.open`` reads it."""
        self._data.save(file_name(file))

    def save_csv(self, folder: str | os.PathLike[str]) -> None:
        """Write the tables of ``taut run --csv`` into a folder."""
        self._data.save_csv(file_name(folder))

    def export(self, file: str | os.PathLike[str], every: int = 0) -> None:
        """Write the motion for other programs: ``.glb`` (glTF, Blender) or ``.pvd`` (VTK, ParaView).

        every: take only every so many rows, and the last; 0: all, as far as a .glb stays below 100 MB.
        """
        if not isinstance(every, int) or every < 0:
            raise TypeError(f"every: expected a number of rows, got {every!r}")
        self._data.export(file_name(file), whole("every", every))

    def report(self, file: str | os.PathLike[str], title: str = "") -> None:
        """Write the report page: one file that any browser opens, with the motion in 3-D, plots and numbers."""
        self._data.report(file_name(file), title or self._data.title())

    def plot(
        self,
        what: str = "tensions",
        select: str = "",
        start: float = float("-inf"),
        end: float = float("inf"),
        title: str = "",
    ) -> Plot:
        """Curves over time as a picture. As ``taut plot``.

        what: one of ``taut.plottables``.
        select: names with commas between, ``*`` and ``?`` for any text and letter; of nodes ``n1`` or ``n1.z``.
        start, end: s.
        """
        for name, value in (("what", what), ("select", select), ("title", title)):
            if not isinstance(value, str):
                raise TypeError(f"{name}: expected a text, got {value!r}")
        return Plot(self._data.plot(what, select, number("start", start), number("end", end), title))

    def _repr_html_(self) -> str:
        page = self._data.page(self._data.title())
        if page is None:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return in_frame(page)

    # -- as a value ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._data.rows()

    def __copy__(self) -> Run:
        return self  # nothing of it can be changed

    def __deepcopy__(self, memo: Any) -> Run:
        return self

    def __reduce__(self) -> Any:
        return _from_bytes, (self._data.to_bytes(),)

    def __repr__(self) -> str:
        summary = self.summary
        status = summary["status"] + (f" ({summary['reason']})" if "reason" in summary else "")
        return (
            f"<taut.Run {self._data.title()!r}: {status}, {len(self)} rows to t = {summary['simulated_s']:g} s, "
            f"{summary['integrator']} in {summary['formulation']}>"
        )


def in_frame(page: str) -> str:
    """A page within a page, as a notebook shows it."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts allow-downloads" '
        'style="width: 100%; height: 620px; border: 0"></iframe>'
    )


def open(file: str | os.PathLike[str]) -> Run:
    """Read a ``run.h5``, or the one in a folder that ``taut run`` wrote."""
    return _taut.open(file_name(file))


def _from_bytes(data: bytes) -> Run:
    return _taut.from_bytes(data)
