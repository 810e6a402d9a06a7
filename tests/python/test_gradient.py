"""Gradients of runs from Python: shapes, agreement with differences, errors."""

from __future__ import annotations

import numpy as np
import pytest

import taut

MODEL = """
[nodes]
top = { at = [0, 0, 0], fixed = true }
mass = { at = [0, 0, -1.1], mass = 1.0, velocity = [0.1, 0, 2] }
[[cables]]
nodes = ["top", "mass"]
name = "c"
stiffness = 200.0
rest_length = 1.0
damping = 2.0
[simulation]
integrator = "dopri5"
tolerance = 1e-12
duration = 0.5
"""


def test_is_the_difference_of_runs() -> None:
    model = taut.loads(MODEL)
    g = model.gradient(["last(nodes.mass.z)", "first_time(went_slack)"], ["cables.*.stiffness", "nodes.mass.velocity"], motion=True)
    ends = [model.run(set={"cables.c.stiffness": 200.0 + off}).nodes[-1, 1] for off in (-0.02, 0.02)]
    slope = (ends[1] - ends[0]) / 0.04
    assert g.by["cables.c.stiffness"] == pytest.approx(slope[2], rel=1e-6)
    assert g.nodes["cables.c.stiffness"].shape == (51, 2, 3)
    assert np.allclose(g.nodes["cables.c.stiffness"][-1, 1], slope, rtol=1e-6, atol=1e-12)
    assert g.nodes["nodes.mass.velocity.x"][0] == pytest.approx(0.0)
    assert g.velocities["nodes.mass.velocity.x"][0, 1] == pytest.approx([1.0, 0.0, 0.0])
    assert len(g.t) == 51
    assert g.switches[0]["kind"] == "slack"
    assert g.switches[0]["by"] == pytest.approx(g.outcomes[1]["by"])
    assert g.not_differentiable == []
    assert "2 outcomes by 4 numbers" in repr(g)


def test_values_for_one_gradient() -> None:
    model = taut.loads(MODEL)
    there = model.gradient("last(nodes.mass.z)", "cables.c.damping", set={"cables.c.stiffness": 300.0})
    assert there.value == model.run(set={"cables.c.stiffness": 300.0}).nodes[-1, 1, 2]
    assert model.get("cables.c.stiffness") == 200.0


def test_says_what_is_wrong() -> None:
    model = taut.loads(MODEL)
    with pytest.raises(taut.InputError, match="stiffness"):
        model.gradient("last(nodes.mass.z)", "cables.c.stifness")
    with pytest.raises(taut.InputError, match="changes with time"):
        model.gradient("nodes.mass.z", "cables.c.stiffness")
    with pytest.raises(taut.RunError, match="has no gradient"):
        model.gradient("first_time(went_taut)", "cables.c.stiffness", set={"simulation.duration": 0.01})
