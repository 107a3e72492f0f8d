"""Where files lie: those that ship beside the code, and those that can be made again.

Standard library only, so that the command line can use it too.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
# An installed wheel carries the files inside the package; a checkout has them beside it.
_PLACES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


def resource(name: str) -> Path:
    """The path of a shipped file or folder.

    Args:
        name: Its place below `resources`, such as ``themes/dark.toml``.

    Raises:
        FileNotFoundError: If no place has it; the message names the places.
    """
    found = next((path for place in _PLACES if (path := place / name).exists()), None)
    if found is None:
        places = " nor ".join(str(place) for place in _PLACES)
        raise FileNotFoundError(
            f"{name!r} is neither in {places}: the installation is incomplete. "
            "Install jitstudio again."
        )
    return found


def cache_folder() -> Path:
    """The folder in the user's cache folder that is ours; it need not be there yet."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "jitstudio"


def config_folder() -> Path:
    """The folder of ours in the user's folder of settings; it need not be there yet."""
    if own := os.environ.get("JITSTUDIO_CONFIG_DIR"):
        return Path(own)
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or "~"
    else:
        base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "jitstudio"
