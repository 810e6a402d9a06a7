"""What Python adds to the engine, and what it does not: ratios and times of one run.

    ./dev python bench/python.py

Each line is the best of several repetitions; the first argument may be a path to the program bench-step of the same build,
whose times of the same loops in C++ are then put beside.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Callable

import numpy as np

import taut


def best(work: Callable[[], object], count: int, repeats: int = 7) -> float:
    """Seconds of one call."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        for _ in range(count):
            work()
        times.append((time.perf_counter() - began) / count)
    return min(times)


def line(what: str, value: float, unit: str, goal: str = "") -> None:
    print(f"{what:<58} {value:10.3f} {unit:<6} {goal}")


def six(step: float = 1e-3) -> taut.Simulation:
    return taut.Simulation(taut.generate("six_bar"), integrator="symplectic", step=step)


def in_cpp() -> dict[str, float]:
    program = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(taut.__file__).resolve().parents[2] / "build/bench/bench-step"
    if not program.exists():
        return {}
    text = subprocess.check_output([program], text=True)
    return {name: float(value) for name, value in (row.split() for row in text.splitlines())}


def main() -> None:
    command = [sys.executable, "-c", "import time; t = time.perf_counter(); import taut; print(time.perf_counter() - t)"]
    imports = [float(subprocess.check_output(command, text=True)) for _ in range(7)]
    line("import taut", 1e3 * min(imports), "ms", "at most 80")

    sim = six()
    lengths = np.array(sim.rest_lengths)
    cpp = in_cpp()
    step = 1e6 * best(lambda: sim.advance(1e-3), 20_000)
    line("advance(1e-3), one step of the six-bar", step, "us", "at most 2")

    def trip() -> None:
        sim.command(lengths)
        sim.advance(0.01)

    there_and_back = 1e6 * best(trip, 5_000)
    line("command(values); advance(0.01)", there_and_back, "us")
    if cpp:
        line("  the same in C++", cpp["trip_us"], "us")
        line("  what Python adds", there_and_back - cpp["trip_us"], "us", "at most 1.5")
    line("nodes", 1e6 * best(lambda: sim.nodes, 50_000), "us", "allocates nothing")

    def alone(sims: list[taut.Simulation], dt: float, count: int) -> float:
        def work(sim: taut.Simulation) -> None:
            for _ in range(count):
                sim.advance(dt)

        times = []
        for _ in range(5):
            threads = [threading.Thread(target=work, args=(sim,)) for sim in sims]
            began = time.perf_counter()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            times.append(time.perf_counter() - began)
        return min(times)

    for dt, count in ((1.0, 300), (0.1, 3000), (0.01, 30_000)):
        one, two = alone([six()], dt, count), alone([six(), six()], dt, count)
        line(f"two threads over one, advance({dt:g})", 2 * one / two, "times", "1.9 where both have a core")

    model = taut.generate("six_bar")
    run = best(lambda: model.run(duration=2.0, integrator="rk4", step=1e-4), 3)
    line("model.run of 20 000 steps", 1e3 * run, "ms")


main()
