"""Can a window be opened here? Asks the system, as Qt ends the process where none can.

Knows which system libraries Qt 6 needs on Linux and which Debian package has each.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import NamedTuple

# Without these the Qt modules cannot even be imported.
_FOR_QT = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
}
# Qt's plugin for X11 needs these as well.
_FOR_X11 = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
}
# Platforms of Qt that draw without any display.
_WINDOWLESS = ("offscreen", "minimal", "vnc")


class WindowCheck(NamedTuple):
    """Whether a window can be opened.

    Attributes:
        problem: Why not; empty if it can.
        missing: System libraries that are not here.
        packages: The Debian packages that bring them.
    """

    problem: str = ""
    missing: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    @property
    def remedy(self) -> str:
        """The command that installs missing packages on Debian and Ubuntu; empty without any."""
        return f"apt-get install -y {' '.join(self.packages)}" if self.packages else ""


def check_window() -> WindowCheck:
    """Looks for a display and for the libraries that a window needs."""
    if sys.platform != "linux":
        return WindowCheck()
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    needs_x11 = platform == "xcb" or not (platform or wayland)
    needed = _FOR_QT | (_FOR_X11 if needs_x11 else {})
    missing = {library: package for library, package in needed.items() if not _loads(library)}
    problem = ""
    if missing:
        problem = f"Qt needs system libraries that are missing: {', '.join(missing)}."
    elif platform not in _WINDOWLESS and not wayland:
        problem = _display_problem(os.environ.get("DISPLAY", ""))
    return WindowCheck(problem, tuple(missing), tuple(dict.fromkeys(missing.values())))


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _display_problem(display: str) -> str:
    """Tries to connect, as a DISPLAY that leads nowhere would end the process inside Qt."""
    if not display:
        return "There is no display: neither WAYLAND_DISPLAY nor DISPLAY is set."
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    try:
        if xcb.xcb_connection_has_error(connection):
            return f"There is no display: nothing answers at DISPLAY={display}."
    finally:
        xcb.xcb_disconnect(connection)
    return ""
