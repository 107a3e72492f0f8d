"""Notices that a folder of a cache has got another content, without keeping the window waiting."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event
from time import time

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.gui.kit.background import Background

_EVERY_MS = 2_000
# So many times what reading the folder has taken.
_REST = 2
# Clocks of file systems go in steps.
_STEP = 0.05
_MOST_INNER = 10_000


class FolderWatch(QObject):
    """Looks every two seconds or less often, in the background, while somebody sees the list.

    The system can tell of changes by itself, but not of thousands of folders nor over a network.

    Args:
        seen_in: Where it is listed.

    Signals:
        changed: Something was added to one of the folders, or removed.
    """

    changed = Signal()

    def __init__(self, seen_in: QWidget) -> None:
        super().__init__(seen_in)
        self._seen_in = seen_in
        self._root = Path()
        self._inner: tuple[str, ...] = ()
        self._since = 0.0
        self._stamps: dict[str, float] = {}
        self._background = Background(self)
        self._background.done.connect(self._on_looked)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)

    def start(self, root: Path, inner: Sequence[str], since: float) -> None:
        """Watches a folder instead of the one before; does nothing for a file.

        Args:
            root: The folder.
            inner: Further places in there to watch: folders, and files that grow.
            since: When its content was not known yet, in seconds since 1970.
        """
        self.stop()
        self._root, self._inner, self._since = root, tuple(inner), since - _STEP
        # What is added all the time shall not keep a processor busy with a large cache.
        reading_ms = round((time() - since) * 1000)
        self._timer.start(max(_EVERY_MS, _REST * reading_ms))

    def stop(self) -> None:
        """Watches nothing."""
        self._timer.stop()
        self._background.stop()
        self._stamps = {}

    @Slot()
    def look(self) -> None:
        """Looks for changes now, if something is watched."""
        is_wanted = self._timer.isActive() and self._seen_in.isVisible()
        if is_wanted and not self._background.is_busy:
            self._background.start(partial(_look, self._root, self._inner))

    @Slot(object)
    def _on_looked(self, stamps: dict[str, float]) -> None:
        before, self._stamps = self._stamps, stamps
        if not stamps:
            self._timer.stop()
        is_gone = not stamps and bool(self._inner)
        is_other = any(stamps.get(path) != stamp for path, stamp in before.items())
        added = (stamp for path, stamp in stamps.items() if path not in before)
        if is_gone or is_other or any(stamp > self._since for stamp in added):
            self.changed.emit()


def _look(root: Path, inner: tuple[str, ...], stop: Event) -> dict[str, float]:
    """Returns the last change of each place, in seconds since 1970; empty for other than folders.

    Folders next to the root are included, known or not.
    """
    paths = dict.fromkeys(("", *inner))
    try:
        with os.scandir(root) as entries:
            for entry in entries:
                if len(paths) < _MOST_INNER + len(inner) and entry.is_dir(follow_symlinks=False):
                    paths[entry.name] = None
    except OSError:
        return {}  # it is a file, or gone
    stamps = {}
    for path in paths:
        if stop.is_set():
            break
        try:
            status = os.stat(root / path)
        except OSError:
            continue
        stamps[path] = status.st_mtime
    return stamps
