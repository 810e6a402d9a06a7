"""Threads that begin together, and those that are at work when the script is over: each in a process of its own."""

import subprocess
import sys

import pytest


def ends_well(script: str) -> None:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", (done.returncode, done.stderr)


@pytest.mark.parametrize(
    "use",
    [
        "model.positions",
        "model.run(duration=0.01).nodes",
        "taut.Simulation(model).nodes",
        "taut.Simulation(model).command([0.5] * 9)",
        "taut.Simulation(model).linearise()",
        "model.modes().shapes",
        "model.statics(matrices=True)",
    ],
)
def test_first_arrays_of_several_threads(use: str) -> None:
    """numpy is loaded by the first array of any kind: others wait for that without the interpreter lock."""
    ends_well(f"""
import taut, threading
model = taut.generate("prism", fixed=1)
threads = [threading.Thread(target=lambda: {use}) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
""")


@pytest.mark.parametrize(
    "work",
    [
        "taut.Simulation(model, integrator='symplectic').advance(0.5)",
        "taut.Simulation(model, integrator='symplectic', step=1e-6).advance(1e6)",
        "model.run(duration=0.2)",
        "model.run(duration=1e3, control=lambda now: None)",
        "model.check()",
    ],
)
def test_a_script_may_end_while_daemons_work(work: str) -> None:
    ends_well(f"""
import taut, threading, time
model = taut.generate("prism", fixed=1)
def work():
    while True: {work}
for _ in range(3): threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
""")


def test_what_runs_at_the_end_may_use_taut() -> None:
    ends_well("""
import atexit
atexit.register(lambda: taut.generate("prism", fixed=1).run(duration=0.1, control=lambda now: None).nodes.sum())
import taut
atexit.register(lambda: taut.generate("prism", fixed=1).run(duration=0.1, control=lambda now: None).nodes.sum())
""")


def test_runs_are_read_while_others_are_written() -> None:
    """A reader is a copy of the process: it must not be made while another thread holds what it needs."""
    ends_well("""
import pickle, tempfile, threading
import taut
model = taut.generate("prism", fixed=1).set("simulation.duration", 0.02)
run = model.run(duration=0.2)
over = threading.Event()
with tempfile.TemporaryDirectory() as folder:
    def write():
        stiffness = [100.0 + i for i in range(80)]
        taut.sweep(model, {"cables.*.stiffness": stiffness}, record={"z": "max(nodes.b1.z)"}, folder=folder, keep_runs=True)
        over.set()
    thread = threading.Thread(target=write)
    thread.start()
    while not over.is_set():
        assert len(pickle.loads(pickle.dumps(run))) == len(run)
    thread.join()
""")
