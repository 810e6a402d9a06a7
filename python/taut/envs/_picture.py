"""A structure as pixels, by numpy alone: enough to see what a policy does. ``taut view`` shows more."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from taut._model import Model
    from taut._simulation import Simulation

__all__ = ["picture"]

_WIDTH, _HEIGHT = 480, 360
_WHITE, _GRID, _BAR, _CABLE, _SLACK = (250, 250, 248), (214, 218, 214), (44, 62, 80), (192, 57, 43), (222, 184, 176)
_AZIMUTH, _ELEVATION = math.radians(-60.0), math.radians(18.0)


def picture(model: Model, sim: Simulation) -> NDArray[np.uint8]:
    """(360, 480, 3): bars dark, cables red, slack ones pale, the ground as a grid that stays where it is.

    Parallel projection; the picture follows the centre and is as wide as four times the start shape.
    """
    nodes, start = sim.nodes, model.positions
    centre = np.add.reduce(nodes) / len(nodes)
    middle = np.add.reduce(start) / len(start)
    reach = max(1e-9, float(np.sqrt(np.add.reduce((start - middle) ** 2, axis=1)).max()))
    image = np.empty((_HEIGHT, _WIDTH, 3), np.uint8)
    image[:] = _WHITE

    def draw(a: NDArray[Any], b: NDArray[Any], colour: tuple[int, int, int], width: int = 1) -> None:
        _line(image, _pixel(a - centre, reach), _pixel(b - centre, reach), colour, width)

    if model.get("environment.ground") is not None:
        height = float(model.get("environment.ground.height") or 0.0)
        for k in range(-4, 5):
            x, y = (reach * (round(float(c) / reach) + k) for c in centre[:2])
            draw(np.array([x, centre[1] - 4 * reach, height]), np.array([x, centre[1] + 4 * reach, height]), _GRID)
            draw(np.array([centre[0] - 4 * reach, y, height]), np.array([centre[0] + 4 * reach, y, height]), _GRID)
    for path, tension in zip(model.cable_nodes, sim.tensions.tolist()):
        for a, b in zip(path, path[1:]):
            draw(nodes[a], nodes[b], _CABLE if tension > 0.0 else _SLACK)
    for a, b in model.bar_nodes:
        draw(nodes[a], nodes[b], _BAR, 3)
    return image


def _pixel(r: NDArray[Any], reach: float) -> tuple[float, float]:
    """Where a position relative to the centre is seen: column and row."""
    ca, sa, ce, se = math.cos(_AZIMUTH), math.sin(_AZIMUTH), math.cos(_ELEVATION), math.sin(_ELEVATION)
    x, y, z = (float(c) for c in r)
    right, away = -sa * x + ca * y, ca * x + sa * y
    scale = _WIDTH / (4.0 * reach)
    return _WIDTH / 2 + scale * right, _HEIGHT / 2 - scale * (ce * z - se * away)


def _line(
    image: NDArray[np.uint8],
    a: tuple[float, float],
    b: tuple[float, float],
    colour: tuple[int, int, int],
    width: int,
) -> None:
    # What lies far outside is cut off, whatever its length.
    count = int(min(4.0 * _WIDTH, 2.0 + max(abs(b[0] - a[0]), abs(b[1] - a[1]))))
    columns = np.rint(np.linspace(a[0], b[0], count)).astype(int)
    rows = np.rint(np.linspace(a[1], b[1], count)).astype(int)
    for shift_row in range(-(width // 2), width // 2 + 1):
        for shift_column in range(-(width // 2), width // 2 + 1):
            r, c = rows + shift_row, columns + shift_column
            inside = (r >= 0) & (r < _HEIGHT) & (c >= 0) & (c < _WIDTH)
            image[r[inside], c[inside]] = colour
