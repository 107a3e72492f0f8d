"""Preferences of the window, remembered from each start to the next; none of the work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from jitstudio.core.code import CodeKind
from jitstudio.gui.state.settings_table import BY_KEY, SETTINGS, SettingValue
from jitstudio.listing.lines import LineClass

LEAST_ZOOM, MOST_ZOOM = 0.5, 4.0
_MOST_RECENT = 10
_SETTINGS, _SHORTCUTS = "settings", "shortcuts"
# An INI file gives back neither an empty list nor one of one as what it was.
_BETWEEN_KEYS = "\t"
# Line tables are always made: in PTX every other line is one of theirs. In SASS labels for them
# are between the instructions.
_LEFT_OUT = {
    CodeKind.PTX.value: LineClass.DEBUG,
    CodeKind.SASS.value: LineClass.LABEL,
}
_THEME = "appearance.theme"
_FONT_FAMILY, _FONT_SIZE = "appearance.font_family", "appearance.font_size"


class Preferences(QObject):
    """Typed access to a `QSettings`, which is handed in so that tests have their own.

    QSettings returns strings for values that it once took as numbers and lists; the types are put
    right here and in the table of settings, and nowhere else.

    Signals:
        changed: The setting with this key has another value now.
    """

    changed = Signal(str)

    def __init__(self, store: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._values = {s.key: s.read(store.value(_place(s.key), s.default)) for s in SETTINGS}

    def value(self, key: str) -> SettingValue:
        """Returns the value of a setting; the default where the stored value makes no sense."""
        return self._values[key]

    def set_value(self, key: str, value: SettingValue) -> None:
        """Changes a setting; reported at once, and kept."""
        value = BY_KEY[key].read(value)
        if value != self._values[key]:
            self._values[key] = value
            self._store.setValue(_place(key), value)
            self.changed.emit(key)

    def is_default(self, key: str) -> bool:
        """Returns whether a setting has the value of the first start."""
        return self._values[key] == BY_KEY[key].default

    def reset(self, key: str) -> None:
        """Sets a setting back to the value of the first start."""
        self.set_value(key, BY_KEY[key].default)
        self._store.remove(_place(key))

    def reset_all(self) -> None:
        """Sets all settings back to the values of the first start."""
        for setting in SETTINGS:
            self.reset(setting.key)

    @property
    def theme(self) -> str:
        """`system`, `light`, `dark` or `high-contrast`."""
        return str(self.value(_THEME))

    @theme.setter
    def theme(self, mode: str) -> None:
        self.set_value(_THEME, mode)

    @property
    def font_family(self) -> str:
        """The font family of code."""
        return str(self.value(_FONT_FAMILY))

    @property
    def font_size(self) -> float:
        """The font size of code, in points."""
        return float(self.value(_FONT_SIZE))

    @font_size.setter
    def font_size(self, points: float) -> None:
        self.set_value(_FONT_SIZE, points)

    @property
    def recent_files(self) -> list[Path]:
        """The files opened or saved last, newest first."""
        stored = self._store.value("recent_files", [])
        listed = stored if isinstance(stored, list) else [stored]
        return [Path(str(entry)) for entry in listed if entry]

    def add_recent_file(self, path: Path) -> None:
        """Puts a file at the top of the recent ones."""
        others = [other for other in self.recent_files if other != path]
        self._store.setValue("recent_files", [str(p) for p in [path, *others][:_MOST_RECENT]])

    @property
    def recent_commands(self) -> list[str]:
        """The commands chosen last in the palette, newest first."""
        stored = self._store.value("recent_commands", [])
        return [str(entry) for entry in (stored if isinstance(stored, list) else [stored])]

    def add_recent_command(self, name: str) -> None:
        """Puts a command at the top of the recent ones."""
        others = [other for other in self.recent_commands if other != name]
        self._store.setValue("recent_commands", [name, *others][:_MOST_RECENT])

    @property
    def shortcuts(self) -> dict[str, tuple[str, ...]]:
        """The user's keys by ids of commands."""
        self._store.beginGroup(_SHORTCUTS)
        stored = {name: str(self._store.value(name, "")) for name in self._store.childKeys()}
        self._store.endGroup()
        return {
            name: tuple(filter(None, keys.split(_BETWEEN_KEYS))) for name, keys in stored.items()
        }

    @shortcuts.setter
    def shortcuts(self, keys_by_name: Mapping[str, Sequence[str]]) -> None:
        self._store.remove(_SHORTCUTS)
        for name, keys in keys_by_name.items():
            self._store.setValue(f"{_SHORTCUTS}/{name}", _BETWEEN_KEYS.join(keys))

    @property
    def gpu(self) -> str:
        """The UUID of the GPU that was chosen last; empty for none."""
        return str(self._store.value("gpu", ""))

    @gpu.setter
    def gpu(self, uuid: str) -> None:
        self._store.setValue("gpu", uuid)

    def filters(self, listing: str) -> frozenset[LineClass]:
        """Returns the classes of lines that are left out of a kind of listing."""
        stored = self._store.value(f"filters/{listing}", _LEFT_OUT[listing].name)
        names = {str(name) for name in (stored if isinstance(stored, list) else [stored])}
        return frozenset(of for of in LineClass if of.name in names and of is not LineClass.CODE)

    def set_filters(self, listing: str, filters: frozenset[LineClass]) -> None:
        """Remembers the classes of lines that are left out of a kind of listing."""
        # An empty list would come back as nothing at all, and so as what is left out at first.
        self._store.setValue(f"filters/{listing}", [of.name for of in sorted(filters)] or "")

    @property
    def columns(self) -> list[str]:
        """The columns next to SASS; see `listing.columns.sass_columns`."""
        return self._list("columns")

    @columns.setter
    def columns(self, names: list[str]) -> None:
        self._store.setValue("columns", names)

    @property
    def count_columns(self) -> list[str]:
        """Likewise next to PTX; see `listing.columns.count_columns`."""
        return self._list("count_columns")

    @count_columns.setter
    def count_columns(self, names: list[str]) -> None:
        self._store.setValue("count_columns", names)

    def _list(self, key: str) -> list[str]:
        stored = self._store.value(key, [])
        return [str(entry) for entry in (stored if isinstance(stored, list) else [stored])]

    def zoom(self, layout: str) -> float | None:
        """Returns how large all letters are in a layout; None until the user has zoomed."""
        try:
            zoom = float(str(self._store.value(f"zoom/{layout}")))
        except ValueError:
            return None
        return min(MOST_ZOOM, max(LEAST_ZOOM, zoom)) if isfinite(zoom) else None

    def set_zoom(self, layout: str, zoom: float) -> None:
        """Remembers how large all letters are in a layout."""
        self._store.setValue(f"zoom/{layout}", zoom)

    def layout(self, name: str) -> QByteArray | None:
        """Returns a remembered geometry or arrangement."""
        stored = self._store.value(f"layout/{name}")
        return stored if isinstance(stored, QByteArray) else None

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Remembers a geometry or arrangement."""
        self._store.setValue(f"layout/{name}", state)


def _place(key: str) -> str:
    return f"{_SETTINGS}/{key}"
