"""States of a window as they are stored: sealed, and brought up to this version's docks."""

from __future__ import annotations

import struct
from zlib import crc32

from PySide6.QtCore import QByteArray

from jitstudio.gui.shell.docking.layouts import BY_NAME
from jitstudio.gui.shell.pane_registry import DOCKS

# Of 31 bits, as Qt wants it.
VERSION = crc32(" ".join((*(pane.name for pane in DOCKS), *BY_NAME)).encode()) >> 1
"""Another one once docks or layouts are added: an older state would not know them."""
# Whose docks are those of now, besides some that have become parts of others.
_READABLE = (VERSION, 1_765_789_666)
RENAMED = {"options": "build"}
"""The docks of before that others have taken the place of."""
_MARK = b"jitstudio layout %d\n"
_SUM_SIZE = 4


def seal(state: QByteArray) -> QByteArray:
    """Returns a state sealed for storage.

    Qt reads a state as it comes, and may have applied half of a damaged state when it notices. A
    state without this program's mark, a readable version and the right sum is never shown to Qt.
    """
    content = bytes(state.data())
    return QByteArray(_MARK % VERSION + _sum(content) + content)


def unseal(sealed: QByteArray | None) -> QByteArray | None:
    """Returns the stored state; None for a state of an unknown version, or damaged."""
    opened = _opened(sealed)
    return None if opened is None else QByteArray(opened[1])


def unseal_docks(sealed: QByteArray | None) -> QByteArray | None:
    """Returns a stored state of docks for `QMainWindow.restoreState` of this version."""
    opened = _opened(sealed)
    if opened is None:
        return None
    version, state = opened
    if version != VERSION:
        for before, now in RENAMED.items():
            state = state.replace(_streamed(f"{before}Dock"), _streamed(f"{now}Dock"))
        # Behind Qt's own mark.
        state = state.replace(struct.pack(">i", version), struct.pack(">i", VERSION), 1)
    return QByteArray(state)


def _opened(sealed: QByteArray | None) -> tuple[int, bytes] | None:
    """Returns the version and the content of a stored state, if whole and readable."""
    for version in _READABLE:
        mark = _MARK % version
        if sealed is not None and sealed.startsWith(mark):
            content = bytes(sealed.data())[len(mark) :]
            expected, state = content[:_SUM_SIZE], content[_SUM_SIZE:]
            return (version, state) if _sum(state) == expected else None
    return None


def _sum(content: bytes) -> bytes:
    return crc32(content).to_bytes(_SUM_SIZE, "big")


def _streamed(text: str) -> bytes:
    """Returns a text in the form of a Qt stream: the size, then two bytes a letter."""
    letters = text.encode("utf-16-be")
    return struct.pack(">I", len(letters)) + letters
