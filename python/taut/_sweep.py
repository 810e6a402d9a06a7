"""Sweeps: many runs of one model, one table."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from taut import _taut
from taut._errors import InputError, Interrupted, Place
from taut._model import Model
from taut._run import Run, open as open_run
from taut._settings import whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Counts", "Sweep", "sweep"]

_open_text = open
_statuses = ("done", "failed", "refused", "stopped")


class Counts(NamedTuple):
    """How far a sweep is: ``there`` of ``runs`` rows, ``computed`` of them by this call.

    ``failed``, ``refused`` and ``stopped`` count rows of that status; those that a progress function sees, of this call.
    """

    runs: int
    there: int
    computed: int
    failed: int
    refused: int
    stopped: int


class Sweep:
    """The rows that ``taut.sweep`` computed, one for each run. In a notebook it shows as its report page.

    >>> rows = taut.sweep(model, {"cables.*.stiffness": [400.0, 800.0]}, record={"sway": "max(nodes.b1.x)"})
    >>> rows.columns
    ('run', 'cables.*.stiffness', 'sway', 'status', 'reason')
    >>> rows["sway"].argmax()
    0

    ``rows["sway"]`` is a column, ``rows[3]`` a row, ``rows.table`` all of it as a numpy record array, ``rows.frame`` as a
    pandas.DataFrame. A run that failed or was refused is a row, too, with its ``status`` and ``reason``.
    """

    __slots__ = {
        "_parts": "",
        "_table": "",
        "counts": "How many rows there are, and of which status.",
        "engine": "What made the runs: \"run\" or \"batch\".",
        "engine_reason": "Why it was run and not batch; empty where a batch made them or nobody asked for one.",
        "folder": "Where the rows are on disk.",
    }

    counts: Counts
    """How many rows there are, and of which status."""
    engine: str
    """What made the runs: "run" or "batch"."""
    engine_reason: str
    """Why it was run and not batch; empty where a batch made them or nobody asked for one."""
    folder: str | None
    """Where the rows are on disk."""

    def __init__(self, parts: Sequence[Any], folder: str | None = None) -> None:
        self._parts = tuple(parts)
        self._table: Any = None
        self.folder = folder
        (_, _, _, planned), _, runs, _, statuses, _, computed, self.engine, self.engine_reason = parts
        status = [int((statuses == code).sum()) for code in range(len(_statuses))]
        self.counts = Counts(planned, len(runs), computed, *status[1:])

    # -- rows ----------------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What its report page is called."""
        return str(self._parts[0][0])

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: run, the parameters, repeat, the limit, the records, status, reason."""
        return ("run", *(name for name, *_ in self._parts[1]), "status", "reason")

    @property
    def table(self) -> np.recarray[Any, Any]:
        """All rows as a record array; fields are the ``columns``.

        ``run``, ``repeat`` and parameters that were given as ints are int64, all other numbers float64 (NaN where there is
        none), texts ``str``. Lists and booleans that a key takes are texts as in a model file.
        """
        if self._table is None:
            self._table = self._make_table()
        table: np.recarray[Any, Any] = self._table
        return table

    def _make_table(self) -> np.recarray[Any, Any]:
        import numpy as np

        _, columns, runs, values, statuses, reasons = self._parts[:6]
        fields: list[tuple[str, Any, Any]] = [("run", np.int64, runs)]
        for (name, _, texts, whole), numbers in zip(columns, values):
            if texts:
                words = np.array(texts)
                fields.append((name, words.dtype, words[numbers.astype(np.int64)]))
            else:
                fields.append((name, np.int64 if whole else np.float64, numbers))
        fields.append(("status", "U7", np.array(_statuses)[statuses]))
        fields.append(("reason", object, reasons))
        kind = np.dtype((np.record, [(name, kind) for name, kind, _ in fields]))
        table = np.empty(len(runs), kind).view(np.recarray)
        for name, _, numbers in fields:
            table[name] = numbers
        return table

    @property
    def frame(self) -> Any:
        """All rows as a pandas.DataFrame. Raises ImportError where pandas is not installed."""
        try:
            import pandas  # type: ignore[import]
        except ImportError as error:
            raise ImportError("Sweep.frame needs the package pandas: pip install pandas", name="pandas") from error
        return pandas.DataFrame({name: self.table[name] for name in self.columns})

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str) and which not in self.columns:
            raise _refused("column", _taut.unknown_word(which, self.columns))
        return self.table[which]

    def __len__(self) -> int:
        return self.counts.there

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table)

    # -- whole runs and pictures ---------------------------------------------------------------------------------

    def run(self, number: int) -> Run:
        """The whole motion of one run, where ``keep_runs`` has left it in the folder."""
        if self.folder is None:
            raise _refused("keep_runs", "no run is kept: expected taut.sweep(..., folder=..., keep_runs=True)")
        return open_run(os.path.join(self.folder, "runs", f"{number:06}"))

    def report(self, file: str | os.PathLike[str]) -> None:
        """Write the report page: one file that any browser opens, with any column against any other."""
        page = self._page()
        if page is None:
            raise InputError("no page can be made: this taut was built without its viewer")
        with _open_text(file, "w", encoding="utf-8") as out:
            out.write(page)

    def _page(self) -> str | None:
        return _taut.sweep_page(*self._parts[:6])

    def _repr_html_(self) -> str:
        page = self._page()
        if page is None:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return (
            f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: 620px; border: 0"></iframe>'
        )

    # -- as a value ----------------------------------------------------------------------------------------------

    def __reduce__(self) -> Any:
        return type(self), (self._parts, self.folder)

    def __repr__(self) -> str:
        counts = self.counts
        bad = "".join(
            f", {number} {word}" for word, number in zip(_statuses[1:], counts[-3:]) if number
        )
        return f"<taut.Sweep {self.title!r}: {counts.there} of {counts.runs} runs{bad}; {', '.join(self.columns)}>"


def sweep(
    model: Model | str | os.PathLike[str],
    parameters: Mapping[str, Any] | None = None,
    *,
    record: Mapping[str, str] | Sequence[str] | str | None = None,
    design: str | None = None,
    draws: int | None = None,
    seed: int | None = None,
    scramble: str | None = None,
    repeats: int | None = None,
    imperfections: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    bisect: Mapping[str, Any] | None = None,
    stop: str | None = None,
    engine: str | None = None,
    device: str | None = None,
    set: Mapping[str, Any] | None = None,
    name: str | None = None,
    threads: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    keep_runs: bool = False,
    report: bool = True,
    progress: Callable[[Counts], Any] | None = None,
) -> Sweep:
    """Many runs of one model, on all processors: ``taut sweep`` with Python's values.

    >>> rows = taut.sweep(model, {"cables.*.stiffness": [400, 800, 1600]}, record={"drift": "energy_drift"})
    >>> taut.sweep("sweep.toml")              # what a sweep file says

    parameters: what varies. Under the path of a key of the model, or under any other name for a number that only
    expressions use: a list or array of values; ``{"from": 1, "to": 2, "count": 5}``, also with ``"log": True``;
    ``{"distribution": "normal", "mean": 1, "std": 0.1}``; a text, which is an expression of the parameters before it; or a
    dict with the keys that ``[[parameters]]`` has in a sweep file, such as ``{"key": "cables.*.stiffness", "values": [...]}``.
    record: expressions on each run by name, or a list of them.
    design: "grid" (default), "random", "latin_hypercube", "sobol"; draws: how many runs are drawn; seed: of all draws;
    scramble: of Sobol points.
    imperfections: ``{"cables.*.rest_length": {"relative": {"distribution": "normal", "std": 0.005}}}``, other ones in each of
    so many repeats.
    bisect: the search for a limit: key, range, holds, ...; stop: a condition that ends a run.
    engine: "auto" (default), "run" or "batch": whether the runs are made one by one or as batches of robots side by side,
    which gives the same rows to rounding; "auto" takes batches where they can. ``Sweep.engine`` says which.
    device: what batches compute on, "cpu" (default) or "cuda".
    set: further values by key path, for all runs. name: title of the report.

    threads: one per processor where absent. Rows do not depend on it.
    folder: the rows are on disk as soon as they are known; the same call goes on where an earlier one ended, and leaves
    table.csv, table.h5 and (unless ``report=False``) report.html; ``keep_runs`` leaves every whole run, too. Without a folder
    all is in memory.
    progress: is called with ``Counts`` now and then, from any thread, one call at a time.

    Raises InputError before any run is started. A run that fails or is refused is a row with its reason. Ctrl-C raises
    Interrupted, with the rows up to then in its ``run``.
    """
    keys: dict[str, Any] = {
        "name": name,
        "design": design,
        "scramble": scramble,
        "draws": draws,
        "seed": seed,
        "repeats": repeats,
        "stop": stop,
        "engine": engine,
        "device": device,
        "parameters": parameters,
        "imperfections": imperfections,
        "bisect": bisect,
        "record": [record] if isinstance(record, str) else record,
    }
    given = {key: _plain(value, key) for key, value in keys.items() if value is not None}
    source: Any
    if isinstance(model, Model):
        source = model._draft
    elif isinstance(model, (str, os.PathLike)):
        source = os.fsdecode(model)
        if given or set:
            raise TypeError(
                f"a sweep file says itself what {'set' if not given else next(iter(given))} is: expected a taut.Model "
                "(taut.load reads a model file), or a sweep file alone"
            )
    else:
        raise TypeError(f"expected a taut.Model or the path of a sweep file, got {type(model).__name__}")

    def tell(*numbers: int) -> None:
        assert progress is not None
        progress(Counts(*numbers))

    place = None if folder is None else os.fsdecode(folder)
    if place is not None and (not place or "\0" in place):
        raise _refused("folder", f"is {place!r}: expected the path of a folder")
    parts, interrupted = _taut.sweep(
        source,
        given,
        dict(set or {}),
        place or "",
        _threads(threads),
        keep_runs,
        report,
        tell if progress is not None else None,
    )
    if parts is None:
        raise Interrupted("interrupted before the first run")
    rows = Sweep(parts, place)
    if interrupted:
        further = "" if place is None else f" and kept in {place}; the same call goes on from there"
        part: Any = rows
        raise Interrupted(f"interrupted: {len(rows)} of {rows.counts.runs} runs are done{further}", 0.0, part)
    return rows


def _refused(key: str, message: str) -> InputError:
    return InputError(f"{key}: {message}", (Place("", 0, 0, key, message),))


def _threads(given: int | None) -> int:
    if given is None:
        return 0
    if not 1 <= whole("threads", given) <= 4096:
        raise _refused("threads", f"is {given}, expected a number from 1 to 4096")
    return whole("threads", given)


def _plain(given: Any, what: str) -> Any:
    """The same with dicts for other mappings, and lists for ranges and tuples."""
    if isinstance(given, Mapping):
        for key in given:
            if not isinstance(key, str):
                raise TypeError(f"{what}: expected texts as keys, got {key!r}")
        return {key: _plain(value, f"{what}.{key}") for key, value in given.items()}
    if isinstance(given, (range, tuple, list)):
        return [_plain(value, what) for value in given]
    return given
