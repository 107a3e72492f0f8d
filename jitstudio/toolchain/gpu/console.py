"""What a kernel prints, as it comes.

Device printf reaches file descriptor 1 of the process and a failed assert descriptor 2, each when
the driver synchronises; both are files here, of which a thread reads what is new.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from jitstudio.toolchain.capture import STDERR, STDOUT

_GLANCE = 0.03
_MOST = 4 << 20
_DROPPED = "\n… the kernel has printed more than this console takes; the rest is left out.\n"


class Console:
    """Listens for as long as its block lasts.

    Args:
        on_text: Called with what is new, in a thread of its own.
    """

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._ended = threading.Event()
        self._muted = threading.Event()
        self._looking = threading.Lock()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._places = {descriptor: os.fstat(descriptor).st_size for descriptor in (STDOUT, STDERR)}
        self._parts: list[str] = []
        self._size = 0

    @property
    def text(self) -> str:
        """All that was printed; complete behind the block."""
        return "".join(self._parts)

    def mute(self) -> None:
        """Leave out what is printed from now on: the same, launch after launch.

        What is written to stderr, as by a failed assert, is heard all the same.
        """
        self._look()
        self._muted.set()

    def __enter__(self) -> Console:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._look()

    def _listen(self) -> None:
        while not self._ended.wait(_GLANCE):
            self._look()

    def _look(self) -> None:
        with self._looking:
            for descriptor in self._places:
                self._look_at(descriptor)

    def _look_at(self, descriptor: int) -> None:
        place, end = self._places[descriptor], os.fstat(descriptor).st_size
        self._places[descriptor] = max(place, end)
        muted = descriptor == STDOUT and self._muted.is_set()
        if end > place and not muted and self._size <= _MOST:
            read = os.pread(descriptor, min(end - place, _MOST), place)
            self._size += end - place
            more = _DROPPED if self._size > _MOST else ""
            # A character cut in two by the glance shows as a mark; printf from devices is ASCII.
            self._tell(read.decode("utf-8", "replace") + more)

    def _tell(self, text: str) -> None:
        self._parts.append(text)
        self._on_text(text)
