"""What the tests of the Python package share."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import taut

source = Path(os.environ["TAUT_SOURCE_DIR"])
program = os.environ["TAUT_PROGRAM"]
models = source / "models"


def command(*words: object, folder: Path | None = None, status: int = 0) -> str:
    """Run the program; what it printed."""
    done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def answer(*words: object) -> dict[str, object]:
    """The JSON of a command."""
    result: dict[str, object] = json.loads(command(*words, "--json"))
    return result


def swing() -> taut.Model:
    """A bar of 1 m that hangs from a pin and a cable."""
    model = taut.Model("swing")
    model.set("environment.gravity", [0, 0, -9.81])
    pin = model.add_node("pin", [0, 0, 0], fixed=True)
    tip = model.add_node("tip", [1, 0, 0])
    hook = model.add_node("hook", [0, 0, 1], fixed=True)
    model.add_bar(pin, tip, mass=0.5, name="beam")
    model.add_cable([hook, tip], stiffness=500, rest_length=1.4, damping=1.0, name="rope")
    return model
