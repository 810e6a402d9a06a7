"""The shared libraries that the engine needs, and Debian's packages of them."""

from __future__ import annotations

import re

packages = {
    "libfmt.so.9": "libfmt9",
    "libz.so.1": "zlib1g",
    "libtbb.so.12": "libtbb12",
    "libhdf5_serial.so.103": "libhdf5-103-1",
    "libsundials_cvode.so.6": "libsundials-cvode6",
    "libsundials_nvecserial.so.6": "libsundials-nvecserial6",
    "libklu.so.1": "libklu1",
    "libspqr.so.2": "libspqr2",
    "libcholmod.so.3": "libcholmod3",
    "libmpi.so.40": "libopenmpi3",
    "libstdc++.so.6": "libstdc++6",
    "libgcc_s.so.1": "libgcc-s1",
}


def explanation(error: ImportError) -> str | None:
    """What to do where a library is missing; None where something else is wrong."""
    found = re.match(r"(\S+\.so[.\d]*): cannot open shared object file", str(error))
    if not found:
        return None
    library = found.group(1)
    package = packages.get(library)
    all_of_them = " ".join(sorted(set(packages.values())))
    if package is None:
        return f"taut needs the shared library {library}, which is not on this machine"
    return (
        f"taut needs the shared library {library}, which is not on this machine. On Debian 12 it is in {package}:\n"
        f"    apt install {package}\n"
        f"All that taut needs: apt install {all_of_them}"
    )
