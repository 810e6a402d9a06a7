"""Builds taut as a wheel, for `pip install .` (PEP 517 and 660). Debian 12 has no scikit-build-core.

The engine is built by `./dev module` in the folder that `./dev` uses anyway; nothing is installed on the machine. Needs
nothing but the standard library.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]

# An archive of the same files is the same archive.
moment = (1980, 1, 1, 0, 0, 0)


def _version() -> str:
    found = re.search(r"project\(taut VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())
    assert found, "CMakeLists.txt has no version"
    return found.group(1)


def _tag() -> str:
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def _metadata() -> str:
    return (
        "Metadata-Version: 2.1\n"
        "Name: taut\n"
        f"Version: {_version()}\n"
        "Summary: Tensegrity structures and robots: statics, motion, control\n"
        "License: Apache-2.0\n"
        "Requires-Python: >=3.10\n"
        "Requires-Dist: numpy>=1.21\n"
        "Description-Content-Type: text/markdown\n"
        "\n" + (root / "README.md").read_text(encoding="utf-8")
    )


def _build() -> Path:
    """Build the module for this Python; returns the build folder."""
    environment = {"TAUT_NO_INSTALL": "1", **os.environ, "TAUT_PYTHON": sys.executable}
    done = subprocess.run([root / "dev", "module"], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise SystemExit(
            "\ntaut: the module could not be built; the first error above says why.\n"
            "Where a package is missing: `./dev python` installs those that the build needs."
        )
    return root / done.stdout.rstrip().rsplit("\n", 1)[-1]


class _Wheel:
    def __init__(self, folder: str, tag: str) -> None:
        self.info = f"taut-{_version()}.dist-info"
        self.name = f"taut-{_version()}-{tag}.whl"
        self.tag = tag
        self.records: list[tuple[str, str, str]] = []
        self.archive = zipfile.ZipFile(Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED)

    def add(self, name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(name, moment)
        entry.external_attr = 0o644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append((name, f"sha256={digest}", str(len(data))))

    def finish(self) -> str:
        self.add(f"{self.info}/METADATA", _metadata().encode())
        self.add(
            f"{self.info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: taut\nRoot-Is-Purelib: false\nTag: {self.tag}\n".encode(),
        )
        for name in ("LICENSE", "NOTICE"):
            self.add(f"{self.info}/{name}", (root / name).read_bytes())
        lines = io.StringIO()
        csv.writer(lines, lineterminator="\n").writerows([*self.records, (f"{self.info}/RECORD", "", "")])
        self.archive.writestr(zipfile.ZipInfo(f"{self.info}/RECORD", moment), lines.getvalue())
        self.archive.close()
        return self.name


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """A wheel with the package and the engine."""
    folder = _build()
    with tempfile.TemporaryDirectory() as scratch:
        install = ["cmake", "--install", folder, "--component", "python", "--strip", "--prefix", scratch]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
        wheel = _Wheel(wheel_directory, _tag())
        for file in sorted(Path(scratch).rglob("*")):
            if file.is_file():
                wheel.add(file.relative_to(scratch).as_posix(), file.read_bytes())
    return wheel.finish()


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """A wheel that points to this checkout: changes of python/taut are seen at once."""
    wheel = _Wheel(wheel_directory, _tag())
    wheel.add("taut.pth", f"{_build() / 'python'}\n".encode())
    return wheel.finish()


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """What git tracks."""
    name = f"taut-{_version()}"
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=root, text=True).split("\0")
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in filter(None, files):
            archive.add(root / file, f"{name}/{file}", recursive=False)
        data = _metadata().encode()
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return f"{name}.tar.gz"
