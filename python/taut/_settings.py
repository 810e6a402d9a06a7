"""Settings that runs and simulations share."""

from __future__ import annotations

from typing import Any, Mapping


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
