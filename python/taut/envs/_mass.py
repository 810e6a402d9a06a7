"""The centre of mass of a structure, from its nodes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from taut._model import Model

__all__ = ["node_shares"]


def node_shares(model: Model) -> NDArray[np.float64]:
    """Fraction of the mass that each node stands for, (N, 1): sum(shares * nodes) is the centre of mass.

    Exact for node masses, bars and cables between two nodes. A body counts at the mean of its nodes; a longer cable has
    its mass by the lengths of its pieces at the start.
    """
    names = model.nodes
    mass = np.array([_number(m) for m in model.get("nodes.*.mass")])
    centres = model.get("bars.*.com") if model.bars else []
    for (a, b), bar, c in zip(model.bar_nodes, model.get("bars.*.mass") if model.bars else [], centres):
        at = 0.5 if c is None else float(c)
        mass[a] += (1.0 - at) * _number(bar)
        mass[b] += at * _number(bar)
    start: Any = model.positions.tolist()
    index = {name: i for i, name in enumerate(names)}
    for body, nodes in zip(model.get("bodies.*.mass") or [], model.get("bodies.*.nodes") or []):
        here = [index[str(node)] for node in (nodes or []) if str(node) in index]
        mass[here] += _number(body) / max(1, len(here))
    for path, whole in zip(model.cable_nodes, model.get("cables.*.mass") if model.cables else []):
        if _number(whole) > 0.0:
            ends = [(a, b, math.dist(start[a], start[b])) for a, b in zip(path, path[1:])]
            length = sum(piece for _, _, piece in ends)
            for a, b, piece in ends:
                mass[[a, b]] += 0.5 * _number(whole) * piece / length
    if not mass.sum() > 0.0:
        mass[:] = 1.0
    shares: NDArray[np.float64] = (mass / mass.sum()).reshape(-1, 1)
    return shares


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0
