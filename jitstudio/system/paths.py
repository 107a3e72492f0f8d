"""The places of files: of those that ship next to the code, and those kept for the user.

Standard library only, so that the command line can use it too.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

_NAME = "jitstudio"
_DATA = ".local/share"
_PACKAGE = Path(__file__).resolve().parent.parent
# An installed wheel carries the files inside the package; a checkout has them next to it.
_PLACES = (_PACKAGE / "resources", _PACKAGE.parent / "resources")


@cache
def resource(name: str) -> Path:
    """Returns the path of a shipped file or folder.

    Args:
        name: Its place below `resources`, such as ``themes/dark.toml``.

    Raises:
        FileNotFoundError: If no place has it; the message names the places.
    """
    shipped = next((path for place in _PLACES if (path := place / name).exists()), None)
    if shipped is None:
        places = " nor ".join(str(place) for place in _PLACES)
        raise FileNotFoundError(
            f"{name!r} is neither in {places}: the installation is incomplete. "
            "Install jitstudio again."
        )
    return shipped


def cache_folder() -> Path:
    """Returns our folder for files that can be made again; the folder need not exist yet."""
    return _own("JITSTUDIO_CACHE_DIR") or usual_cache_folder()


def results_folder() -> Path:
    """Returns our folder for results of builds; the folder need not exist yet."""
    return _own("JITSTUDIO_CACHE_DIR") or usual_cache_folder() / "builds"


def usual_cache_folder() -> Path:
    """Returns the `cache_folder` where the user has not named another."""
    if sys.platform == "win32":
        return _chosen("LOCALAPPDATA", "AppData/Local")
    return _chosen("XDG_CACHE_HOME", ".cache")


def settings_folder() -> Path:
    """Returns our folder for the user's settings; the folder need not exist yet."""
    return _own("JITSTUDIO_CONFIG_DIR") or _chosen("XDG_CONFIG_HOME", ".config")


def data_folder() -> Path:
    """Returns our folder for the user's own work, as unsaved text; may not exist yet."""
    return _chosen("XDG_DATA_HOME", _DATA)


def passing_data_folder() -> Path:
    """Returns the `data_folder` while the home folder cannot be written to."""
    return fallback_folder() / _DATA / _NAME


def runtime_folders() -> tuple[Path, ...]:
    """Returns where sockets of our windows may be, of which the first is used; none need be there.

    A program and a window need not have the same environment: one may run in another login.
    """
    if own := _own("JITSTUDIO_RUNTIME_DIR"):
        return (own,)
    named = [os.environ.get("XDG_RUNTIME_DIR", "")]
    if sys.platform == "linux":
        named.append(f"/run/user/{os.getuid()}")
    there = (Path(base, _NAME) for base in dict.fromkeys(named) if os.path.isabs(base))
    usable = (folder for folder in there if folder.parent.is_dir() and _can_be_used(folder))
    return (*usable, fallback_folder() / "run")


UNPACKED_HEADERS = "nvrtc-headers-"
"""How the folders are called in which the headers that NVRTC brings along are unpacked."""


def unpacked_headers() -> tuple[Path, ...]:
    """Returns the folders with the headers that NVRTC brings along, the newest first."""
    places = header_places()
    folders = [at for place in places for at in place.glob(f"{UNPACKED_HEADERS}*") if at.is_dir()]
    folders.sort(reverse=True)
    return tuple(folder for at in folders for folder in (at, at / "cccl"))


def header_places() -> tuple[Path, ...]:
    """Returns the places of folders of headers: made in the first, or in the last.

    Headers that are in the usual place already serve as well: they are some 25 MB.
    """
    return tuple(dict.fromkeys((cache_folder(), usual_cache_folder(), fallback_folder())))


def home_folder() -> Path:
    """Returns the user's home folder, or the fallback folder where there is none.

    Containers often run as a user without an entry in the list of users, whose HOME is missing,
    ``/`` or cannot be written to.
    """
    home = os.path.expanduser("~")
    return Path(home) if os.path.isabs(home) and os.path.isdir(home) else fallback_folder()


def fallback_folder() -> Path:
    """Returns the folder for a home that cannot be written to; others may have made this."""
    user = os.getuid() if sys.platform != "win32" else os.getlogin()
    # Not `tempfile.gettempdir`: the last that it falls back to is the working directory, and what
    # lies in a project is not ours.
    named = (os.environ.get(variable, "") for variable in ("TMPDIR", "TEMP"))
    there = (folder for folder in named if os.path.isabs(folder) and os.path.isdir(folder))
    return Path(next(there, "/tmp"), f"{_NAME}-{user}")


def settle_own_folders() -> None:
    """Makes the folders that variables of ours name absolute: the working directory will change."""
    for variable in ("JITSTUDIO_CACHE_DIR", "JITSTUDIO_CONFIG_DIR", "JITSTUDIO_RUNTIME_DIR"):
        if folder := _own(variable):
            os.environ[variable] = str(folder)


def _own(variable: str) -> Path | None:
    """Returns the folder that a variable of our own names, or None."""
    named = os.environ.get(variable)
    return Path(named).absolute() if named else None


def _chosen(variable: str, usual: str) -> Path:
    """Returns our folder below the folder of a variable, the usual folder, or the fallback folder.

    A relative path in such a variable is to be ignored (XDG Base Directory Specification 0.8).
    """
    named = os.environ.get(variable, "")
    base = Path(named) if os.path.isabs(named) else home_folder() / usual
    folder = base / _NAME
    return folder if _can_be_used(folder) else fallback_folder() / usual / _NAME


def _can_be_used(folder: Path) -> bool:
    """Returns whether the folder, or the first existing folder above, can be written to."""
    there = next(path for path in (folder, *folder.parents) if os.path.lexists(path))
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)
