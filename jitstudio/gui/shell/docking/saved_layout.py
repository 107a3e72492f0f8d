"""Keeps Qt's states apart from what only looks like one.

Qt reads a state as it comes, and may have done half of it when it finds that it is damaged. What
has not this program's mark, this version and the right sum is never shown to it.
"""

from __future__ import annotations

from zlib import crc32

from PySide6.QtCore import QByteArray

from jitstudio.gui.shell.docking.layouts import BY_NAME
from jitstudio.gui.shell.pane_registry import PANES

# Of 31 bits, as Qt wants it.
VERSION = crc32(" ".join((*(pane.name for pane in PANES), *BY_NAME)).encode()) >> 1
"""Another one once panes or layouts are added: an older state would not know them."""
_MARK = b"jitstudio layout %d\n" % VERSION
_SUM_SIZE = 4


def seal(state: QByteArray) -> QByteArray:
    """Returns a state as it is kept."""
    content = state.data()
    return QByteArray(_MARK + crc32(content).to_bytes(_SUM_SIZE, "big") + content)


def unseal(kept: QByteArray | None) -> QByteArray | None:
    """Returns the state that was kept; None for what is not one of this version, whole."""
    if kept is None or not kept.startsWith(_MARK):
        return None
    content = kept.data()[len(_MARK) :]
    expected, state = content[:_SUM_SIZE], content[_SUM_SIZE:]
    return QByteArray(state) if crc32(state).to_bytes(_SUM_SIZE, "big") == expected else None
