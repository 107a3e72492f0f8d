"""All settings in one list that can be searched; what is changed holds at once."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from jitstudio.gui.features.settings.editors import translated
from jitstudio.gui.features.settings.row import SettingRow
from jitstudio.gui.kit.parts import heading, text_label
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import BUILD, SETTINGS

_SIZE = (680, 620)
_MARGIN = 14
_HEADING_SCALE = 1.15


class SettingsDialog(QDialog):
    """Shows and changes the settings of the table.

    Args:
        preferences: Whose settings.
        theme: Its colours.
        empty_cache: The command that stands beside the settings of the cache.

    Signals:
        reset_all_requested: The user wants all settings as they were at the first start.
    """

    reset_all_requested = Signal()

    def __init__(
        self,
        preferences: Preferences,
        theme: Theme,
        empty_cache: QAction,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        self.setWindowTitle(self.tr("Settings"))
        self.resize(*_SIZE)
        self._search = QLineEdit(clearButtonEnabled=True)
        self._search.setObjectName("settingsSearch")
        self._search.setPlaceholderText(self.tr("Search settings"))
        self._search.setAccessibleName(self.tr("Search settings"))
        self._search.setWhatsThis(self.tr("Shows only those settings that have all these words."))
        self._search.textChanged.connect(self._on_search_changed)
        self._rows: dict[str, list[SettingRow]] = {}
        self._headings: dict[str, QLabel] = {}
        self._empty_cache = _button(empty_cache)
        self._none = text_label(self, "noSetting")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        # Enter belongs to the fields.
        buttons.button(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        reset = buttons.addButton(self.tr("&Reset all"), QDialogButtonBox.ButtonRole.ResetRole)
        reset.setObjectName("resetAll")
        reset.setAutoDefault(False)
        reset.setWhatsThis(self.tr("Makes all settings what they were at the first start."))
        reset.clicked.connect(self.reset_all_requested)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        column.setSpacing(10)
        column.addWidget(self._search)
        self._area = self._make_list(preferences)
        column.addWidget(self._area, 1)
        column.addWidget(buttons)
        self.set_theme(theme)
        self._on_search_changed("")

    @property
    def shown(self) -> list[str]:
        """The keys of the settings that the search leaves."""
        rows = (row for rows in self._rows.values() for row in rows)
        return [row.key for row in rows if not row.isHidden()]

    def go_to(self, key: str) -> None:
        """Bring this setting into sight, and give it the keyboard."""
        self._search.clear()
        row = next(row for rows in self._rows.values() for row in rows if row.key == key)
        self._area.ensureWidgetVisible(row)
        row.take_keyboard()

    @Slot(object)
    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        for rows in self._rows.values():
            for row in rows:
                row.set_theme(theme)

    def _make_list(self, preferences: Preferences) -> QScrollArea:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(2, 0, _MARGIN, 0)
        column.setSpacing(2)
        column.addWidget(self._none)
        for group, settings in groupby(SETTINGS, key=lambda setting: setting.group):
            self._headings[group] = title = heading(translated(group), _HEADING_SCALE)
            title.setContentsMargins(0, 12, 0, 2)
            self._rows[group] = [SettingRow(setting, preferences) for setting in settings]
            column.addWidget(title)
            for row in self._rows[group]:
                column.addWidget(row)
            if group == BUILD:
                column.addWidget(self._empty_cache, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setObjectName("settingsList")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(content)
        return area

    @Slot(str)
    def _on_search_changed(self, text: str) -> None:
        wanted = text.casefold().split()
        for group, rows in self._rows.items():
            for row in rows:
                row.setVisible(row.matches(wanted))
            self._headings[group].setVisible(any(not row.isHidden() for row in rows))
        self._empty_cache.setVisible("build.cache" in self.shown)
        self._none.setText(self.tr("No setting has '{text}' in it.").format(text=text))
        self._none.setVisible(not self.shown)


def _button(action: QAction) -> QPushButton:
    button = QPushButton(action.text().replace("&", ""))
    button.setObjectName("emptyCacheButton")
    button.setToolTip(action.toolTip())
    button.setWhatsThis(action.toolTip())
    button.setAutoDefault(False)
    button.clicked.connect(action.trigger)
    return button
