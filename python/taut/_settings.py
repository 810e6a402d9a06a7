"""Settings that runs, simulations and answers share."""

from __future__ import annotations

import operator
import os
from typing import Any, Mapping

from taut._errors import InputError


def settings(
    duration: float | None,
    output_step: float | None,
    integrator: str | None,
    step: float | None,
    tolerance: float | None,
    formulation: str | None,
    constraints: str | None,
    settle: bool | None,
    further: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Values by key path, in the order in which they count."""
    if further is not None and not isinstance(further, Mapping):
        raise TypeError(f"set: expected values by key path, as {{'environment.gravity': [0, 0, 0]}}, got {further!r}")
    given = dict(further or {})
    named = {
        "duration": duration,
        "output_step": output_step,
        "integrator": integrator,
        "step": step,
        "tolerance": tolerance,
        "formulation": formulation,
        "constraints": constraints,
        "settle": settle,
    }
    for key, value in named.items():
        if value is not None:
            given["simulation." + key] = value
    return given


def number(name: str, value: Any) -> float:
    """A real number that was given under a name."""
    if not isinstance(value, (str, bytes)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{name}: expected a number, got {value!r}")


def whole(name: str, value: Any) -> int:
    """A whole number likewise."""
    try:
        return min(max(operator.index(value), -(2**62)), 2**62)  # what is beyond is judged like that
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {value!r}") from None


def file_name(file: str | os.PathLike[str]) -> bytes:
    """The name of a file, as the system has it."""
    name = os.fsencode(file)
    if b"\0" in name:
        raise InputError(f"{os.fsdecode(name)!r}: the name of a file cannot hold a zero byte")
    return name


def text(name: str, value: Any) -> str:
    """A text likewise."""
    if isinstance(value, str):
        return value
    raise TypeError(f"{name}: expected a text, got {value!r}")


def control_settings(rate: float, speed: float | None, memory: int) -> tuple[float, float, int]:
    """What goes with a control function; without a speed there is no limit."""
    limit = float("inf") if speed is None else number("speed", speed)
    return number("rate", rate), limit, whole("memory", memory)


def source(start: Any) -> Any:
    """What something starts from, as the engine takes it."""
    from taut._run import Run

    if start is None:
        return None
    if isinstance(start, Run):
        return start._data
    if isinstance(start, tuple) and len(start) == 2 and isinstance(start[0], Run):
        return start[0]._data, number("start", start[1])
    if isinstance(start, (str, os.PathLike)):
        return file_name(start)
    raise TypeError(f"start: expected a run, (run, time), or a file as in \"run.h5@1.25\", got {start!r}")
