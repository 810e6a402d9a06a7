"""Where things are, for `pytest` by hand; CTest says it itself."""

import os
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
os.environ.setdefault("TAUT_SOURCE_DIR", str(root))
os.environ.setdefault("TAUT_BUILD_DIR", str(root / "build"))
os.environ.setdefault("TAUT_PROGRAM", os.environ["TAUT_BUILD_DIR"] + "/taut")
sys.path.insert(0, os.environ["TAUT_BUILD_DIR"] + "/python")
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ["TAUT_BUILD_DIR"] + "/python", os.environ.get("PYTHONPATH")]))
