"""What Python adds to the engine, and what it does not: ratios and times of one run.

    ./dev python bench/python.py              # all of it, about two minutes
    ./dev python bench/python.py step run     # some: import, step, run, threads, memory

Times are processor time, the least of several repetitions in turn with what they are compared with; of threads that work side
by side, of the clock. The programs `taut` and `bench-step` of the same build are what Python is compared with; what needs one
that is not built is left out. README.md has the figures.
"""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from itertools import repeat
from pathlib import Path
from typing import Callable

import numpy as np

import taut


def best(work: Callable[[], object], count: int, repeats: int = 7) -> float:
    """Seconds of one call."""
    times = []
    for _ in range(repeats):
        began = time.thread_time()
        for _ in range(count):
            work()
        times.append((time.thread_time() - began) / count)
    return min(times)


def line(what: str, value: float, unit: str, goal: str = "") -> None:
    print(f"{what:<58} {value:10.3f} {unit:<6} {goal}")


def six(step: float = 1e-3) -> taut.Simulation:
    return taut.Simulation(taut.generate("six_bar"), integrator="symplectic", step=step)


def program(name: str) -> Path | None:
    """A program of the build that this module is of."""
    found = Path(taut._taut.__file__).resolve().parents[2] / name  # type: ignore[attr-defined]
    return found if found.exists() else None


def of_children() -> float:
    """Processor time of all programs that were started and have ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def importing() -> None:
    def seconds(code: str) -> float:
        before = of_children()
        subprocess.run([sys.executable, "-c", code], check=True)
        return of_children() - before

    pairs = [(seconds("import taut"), seconds("pass")) for _ in range(15)]
    line("import taut, in a process of its own", 1e3 * (min(a for a, _ in pairs) - min(b for _, b in pairs)), "ms", "80")


def stepping() -> None:
    sim = six()
    lengths = np.array(sim.rest_lengths)

    def trip() -> None:
        sim.command(lengths)
        sim.advance(0.01)

    compared = program("bench/bench-step")
    step = trip_here = step_there = trip_there = float("inf")
    for _ in range(7):
        step = min(step, 1e6 * best(lambda: sim.advance(1e-3), 10_000, 3))
        trip_here = min(trip_here, 1e6 * best(trip, 5_000, 3))
        if compared is not None:
            rows = dict(row.split() for row in subprocess.check_output([compared], text=True).splitlines())
            step_there, trip_there = min(step_there, float(rows["step_us"])), min(trip_there, float(rows["trip_us"]))
    line("advance(1e-3), one step of the six-bar", step, "us", "2")
    line("command(values); advance(0.01)", trip_here, "us")
    if compared is not None:
        line("  the same in C++", trip_there, "us")
        line("  what Python adds", trip_here - trip_there, "us", "1.5")
    line("nodes", 1e6 * best(lambda: sim.nodes, 50_000), "us")

    # What reading takes beside a loop that reads nothing: bytes at the highest point, objects that stay.
    def taken(work: Callable[[], object]) -> tuple[int, int]:
        work()
        tracemalloc.start()
        blocks = sys.getallocatedblocks()
        for _ in repeat(None, 1000):
            work()
        left, (_, highest) = sys.getallocatedblocks() - blocks, tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return highest, left

    nothing, reading = taken(lambda: sim), taken(lambda: sim.nodes)
    line("  bytes that 1000 reads take", reading[0] - nothing[0], "bytes", "0")
    line("  objects that are left of them", reading[1] - nothing[1], "", "0")


def running() -> None:
    taut_program = program("taut")
    if taut_program is None:
        return
    model = taut.generate("six_bar").set(
        {"simulation.integrator": "rk4", "simulation.step": 1e-4, "simulation.duration": 5.0}
    )
    model.set({"cables.*.damping": 1.0, "environment.gravity": [0, 0, -9.81]})
    here, there = [], []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "six.toml"
        model.save(file)
        words = [taut_program, "run", file, "--no-report", "-o", Path(folder) / "out"]
        for _ in range(9):
            began = time.process_time() + of_children()
            run = model.run()
            here.append(time.process_time() + of_children() - began)
            began = time.process_time() + of_children()
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
            read = taut.open(Path(folder) / "out" / "run.h5")
            there.append(time.process_time() + of_children() - began)
        same = all(np.array_equal(getattr(run, name), getattr(read, name)) for name in ("nodes", "velocities", "tensions"))
    line("model.run, 50 000 steps of rk4", 1e3 * min(here), "ms")
    line("  taut run --no-report, and taut.open of its file", 1e3 * min(there), "ms")
    line("  the first over the second", min(here) / min(there), "", "1.02")
    line("  equal to the last bit", float(same), "", "1")


def threading_() -> None:
    def alone(sims: list[taut.Simulation], dt: float, count: int) -> float:
        def work(sim: taut.Simulation) -> None:
            for _ in range(count):
                sim.advance(dt)

        threads = [threading.Thread(target=work, args=(sim,)) for sim in sims]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return time.perf_counter() - began

    for dt, count in ((1.0, 300), (0.1, 3000), (0.01, 30_000)):
        pairs = [(alone([six()], dt, count), alone([six(), six()], dt, count)) for _ in range(7)]
        one, two = min(a for a, _ in pairs), min(b for _, b in pairs)
        line(f"two threads over one, advance({dt:g})", 2 * one / two, "times", "1.9 where both have a core")


def memory() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    model, sim = taut.generate("six_bar"), six()
    text = model.toml

    def steps(count: int) -> None:
        for _ in range(count):
            sim.advance(1e-3)

    def resets(count: int) -> None:
        for _ in range(count):
            sim.reset()
            sim.advance(1e-3)
            sim.nodes

    def loads(count: int) -> None:
        for _ in range(count):
            taut.Simulation(taut.loads(text)).nodes

    for name, work, count in (("steps", steps, 1_000_000), ("resets", resets, 10_000), ("models and simulations", loads, 10_000)):
        work(count // 10)
        gc.collect()
        before = resident()
        work(count)
        gc.collect()
        line(f"memory after {count:.0e} {name}", (resident() - before) / 1024, "KiB", "flat")


parts = {"import": importing, "step": stepping, "run": running, "threads": threading_, "memory": memory}

if __name__ == "__main__":
    wrong = [word for word in sys.argv[1:] if word not in parts]
    if wrong:
        sys.exit(f"bench/python.py: {wrong[0]} is none of {', '.join(parts)}")
    for word, part in parts.items():
        if word in (sys.argv[1:] or parts):
            part()
