"""Gymnasium where it is installed, else what stands in for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from taut.envs import _plain, spaces

__all__ = ["Box", "Env", "VectorEnv", "autoreset_mode", "installed", "register"]

if TYPE_CHECKING:
    from taut.envs._plain import Env, VectorEnv
    from taut.envs.spaces import Box

    installed: Any = None
else:
    try:
        import gymnasium as installed
        from gymnasium import Env
        from gymnasium.spaces import Box
        from gymnasium.vector import VectorEnv
    except ImportError:
        installed, Env, VectorEnv, Box = None, _plain.Env, _plain.VectorEnv, spaces.Box


def autoreset_mode(name: str) -> Any:
    """Gymnasium's word, from 1.1 on its enum, for an autoreset mode: NextStep, SameStep or Disabled."""
    modes = getattr(getattr(installed, "vector", None), "AutoresetMode", None)
    return modes(name) if modes is not None else name


def register(name: str, version: int = 0) -> None:
    """Make ``taut.envs.NAME`` known to Gymnasium as "taut/NAME-vVERSION", if it is installed and was not told yet."""
    word = f"taut/{name}-v{version}"
    if installed is None or word in installed.registry:
        return
    installed.register(
        id=word, entry_point=f"taut.envs:{name}", vector_entry_point=f"taut.envs:{name.lower()}_vector"
    )
