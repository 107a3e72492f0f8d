"""What is remembered from one start to the next about the window itself, not about the work."""

from __future__ import annotations

from math import isfinite
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

_MOST_RECENT = 10
_THEMES = ("system", "light", "dark")


class Preferences:
    """Typed access to a `QSettings`, which is handed in so that tests have their own.

    QSettings gives back strings for what it once took as numbers and lists; the types are put
    right here and nowhere else.
    """

    def __init__(self, store: QSettings) -> None:
        self._store = store

    @property
    def theme(self) -> str:
        """`system`, `light` or `dark`."""
        mode = str(self._store.value("theme", _THEMES[0]))
        return mode if mode in _THEMES else _THEMES[0]

    @theme.setter
    def theme(self, mode: str) -> None:
        self._store.setValue("theme", mode)

    @property
    def font_size(self) -> float:
        """Of code, in points; 0 for the default."""
        try:
            size = float(str(self._store.value("font_size", 0)))
        except ValueError:
            return 0.0
        return size if isfinite(size) else 0.0

    @font_size.setter
    def font_size(self, points: float) -> None:
        self._store.setValue("font_size", points)

    @property
    def recent_files(self) -> list[Path]:
        """The files opened or saved last, newest first."""
        stored = self._store.value("recent_files", [])
        listed = stored if isinstance(stored, list) else [stored]
        return [Path(str(entry)) for entry in listed if entry]

    def add_recent_file(self, path: Path) -> None:
        """Put a file at the top of the recent ones."""
        others = [other for other in self.recent_files if other != path]
        self._store.setValue("recent_files", [str(p) for p in [path, *others][:_MOST_RECENT]])

    @property
    def gpu(self) -> str:
        """The UUID of the GPU that was chosen last; empty for none."""
        return str(self._store.value("gpu", ""))

    @gpu.setter
    def gpu(self, uuid: str) -> None:
        self._store.setValue("gpu", uuid)

    def layout(self, name: str) -> QByteArray | None:
        """A remembered geometry or arrangement."""
        stored = self._store.value(f"layout/{name}")
        return stored if isinstance(stored, QByteArray) else None

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Remember a geometry or arrangement."""
        self._store.setValue(f"layout/{name}", state)

    def forget_layout(self) -> None:
        """Go back to the arrangement of the first start."""
        self._store.remove("layout")
