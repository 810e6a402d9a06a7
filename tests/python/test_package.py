"""The package: what importing costs, what it is made of, how it is installed, what it says where something is missing."""

import ast
import inspect
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from support import source

import taut
from taut import _libraries, _taut

build = Path(os.environ["TAUT_BUILD_DIR"])
python = sys.executable


def test_importing_taut_imports_no_numpy() -> None:
    # numpy alone takes longer than everything else.
    code = "import sys, taut; taut.generate('six_bar').check(); print('numpy' in sys.modules, 'taut.envs' in sys.modules)"
    assert subprocess.check_output([python, "-c", code], text=True).split() == ["False", "False"]


def test_everything_that_is_public_has_words() -> None:
    missing = []
    for name in taut.__all__:
        item = getattr(taut, name)
        if not inspect.getdoc(item):
            missing.append(name)
        if inspect.isclass(item):
            for member, value in inspect.getmembers(item):
                if not member.startswith("_") and not inspect.getdoc(value):
                    missing.append(f"{name}.{member}")
    own = [name for name in missing if name not in ("plottables",) and not name.startswith(("Event.", "Place."))]
    assert not [name for name in own if not name.endswith((".args", ".with_traceback", ".add_note"))], missing


def test_the_stub_has_what_the_module_has() -> None:
    tree = ast.parse((source / "python" / "taut" / "_taut.pyi").read_text())
    stub: dict[str, set[str]] = {"": set()}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            stub[""].add(node.name)
            stub[node.name] = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            stub[""].add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            stub[""].add(node.target.id)
    real = {name for name in vars(_taut) if not name.startswith("__") or name == "__version__"}
    assert real == stub[""]
    for name in real:
        item = getattr(_taut, name)
        if inspect.isclass(item):
            members = {m for m in vars(item) if not m.startswith("_")}
            assert members == {m for m in stub[name] if not m.startswith("_")}, name


def test_a_wheel_holds_the_package_and_imports(tmp_path: Path) -> None:
    environment = {**os.environ, "TAUT_NO_INSTALL": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    environment.pop("PYTHONPATH", None)
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--root-user-action=ignore"]
    target = tmp_path / "site"
    subprocess.run([*install, "--target", target, source], check=True, env=environment)
    code = "import taut; print(taut.__file__); print(taut.generate('six_bar').run(duration=0.01).summary['status'])"
    environment["PYTHONPATH"] = str(target)
    where, status = subprocess.check_output([python, "-c", code], text=True, env=environment, cwd=tmp_path).split()
    assert Path(where).parent == target / "taut" and status == "done"
    shipped = {p.relative_to(target / "taut") for p in (target / "taut").rglob("*.py")}
    assert shipped == {p.relative_to(source / "python" / "taut") for p in (source / "python" / "taut").rglob("*.py")}
    assert (target / "taut" / "py.typed").exists()


def test_the_wheel_is_one(tmp_path: Path) -> None:
    sys.path.insert(0, str(source / "python" / "backend"))
    import taut_build

    name = taut_build.build_wheel(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert wheel.testzip() is None
        names = wheel.namelist()
        record = wheel.read(f"taut-{taut.__version__}.dist-info/RECORD").decode().splitlines()
        assert {line.rsplit(",", 2)[0] for line in record} == set(names)
        metadata = wheel.read(f"taut-{taut.__version__}.dist-info/METADATA").decode()
    assert f"Version: {taut.__version__}\n" in metadata
    again = tmp_path / "again"
    again.mkdir()
    assert taut_build.build_wheel(str(again)) == name
    assert (again / name).read_bytes() == (tmp_path / name).read_bytes()


def test_every_library_that_the_module_needs_has_its_package() -> None:
    module = Path(_taut.__file__)  # type: ignore[attr-defined]
    lines = subprocess.check_output(["objdump", "-p", module], text=True).splitlines()
    needed = [line.split()[1] for line in lines if line.strip().startswith("NEEDED")]
    of_every_system = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
    assert set(needed) - of_every_system <= set(_libraries.packages)


def test_a_missing_library_is_named_with_its_package(tmp_path: Path) -> None:
    # A copy of the package whose module needs a library that no machine has, and whose list knows it.
    package = tmp_path / "taut"
    package.mkdir()
    for file in (source / "python" / "taut").glob("*.py"):
        text = file.read_text()
        if file.name == "_libraries.py":
            text = text.replace("packages = {", 'packages = {\n    "libnowhere.so.1": "libnowhere1",')
        (package / file.name).write_text(text)
    library = tmp_path / "libnowhere.so.1"
    (tmp_path / "empty.c").write_text("")
    suffix = Path(_taut.__file__).name.partition(".")[2]  # type: ignore[attr-defined]
    empty = tmp_path / "empty.c"
    gcc = ["gcc", "-shared", "-fPIC"]
    subprocess.run([*gcc, empty, "-Wl,-soname,libnowhere.so.1", "-o", library], check=True)
    module = package / f"_taut.{suffix}"
    subprocess.run([*gcc, empty, "-Wl,--no-as-needed", library, "-o", module], check=True)
    library.unlink()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([python, "-c", "import taut"], capture_output=True, text=True, env=environment)
    assert done.returncode != 0 and "ImportError: taut needs the shared library libnowhere.so.1" in done.stderr
    assert "apt install libnowhere1" in done.stderr
    assert _libraries.explanation(ImportError("something else")) is None


def test_reading_what_is_now_allocates_nothing(tmp_path: Path) -> None:
    # A library before all others counts calls of malloc.
    (tmp_path / "count.c").write_text("""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stddef.h>
        static void* (*real)(size_t);
        static long calls;
        void* malloc(size_t size) {
          if (!real) real = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
          ++calls;
          return real(size);
        }
        long malloc_calls(void) { return calls; }
    """)
    library = tmp_path / "libcount.so"
    subprocess.run(["gcc", "-shared", "-fPIC", tmp_path / "count.c", "-o", library], check=True)
    script = """
import ctypes, itertools, taut
calls = ctypes.CDLL(None).malloc_calls
sim = taut.Simulation(taut.generate("six_bar"))
for name in "nodes", "velocities", "tensions", "lengths", "rest_lengths", "bar_forces", "contact_forces", "joints", "time":
    getattr(sim, name)
    before = calls()
    for _ in itertools.repeat(None, 1000):
        getattr(sim, name)
    assert calls() - before < 10, (name, calls() - before)
"""
    environment = {**os.environ, "LD_PRELOAD": str(library)}
    subprocess.run([python, "-c", script], check=True, env=environment)


def memory() -> int:
    """Bytes that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_stays_flat() -> None:
    # Each loop is run once to fill caches, then ten times as long; a leak of 100 bytes a turn would show.
    model = taut.generate("six_bar")
    sim = taut.Simulation(model, integrator="symplectic", step=1e-3)

    def loads(count: int) -> None:
        text = model.toml
        for _ in range(count):
            taut.loads(text).set("cables.*.stiffness", 700.0)

    def resets(count: int) -> None:
        for _ in range(count):
            sim.reset()
            sim.command(sim.rest_lengths)
            sim.advance(1e-3)
            sim.nodes, sim.energy, sim.snapshot()

    def steps(count: int) -> None:
        sim.reset()
        for _ in range(count):
            sim.advance(1e-3)

    def fails(count: int) -> None:
        for _ in range(count):
            with pytest.raises(taut.InputError):
                taut.loads("[nodes]\na = [0, 0]")
            with pytest.raises(taut.InputError):
                sim.command([1.0])

    for work, count in ((loads, 1000), (resets, 10_000), (steps, 1_000_000), (fails, 1000)):
        work(max(count // 10, 100))
        before = memory()
        work(count)
        assert memory() - before < 100 * count + 2_000_000, work.__name__
