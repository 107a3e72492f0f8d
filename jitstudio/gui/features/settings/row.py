"""One setting: its name, what it does, its control, and the way back to its default."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from jitstudio.gui.features.settings.editors import editor_for, translated
from jitstudio.gui.kit.command_keys import follow_keys
from jitstudio.gui.kit.icons import icon
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.kit.theme import Theme
from jitstudio.gui.shell.synonyms import also_called
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import Setting, SettingValue

_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class SettingRow(QWidget):
    """Shows one setting as it is, and changes it at once."""

    def __init__(
        self, setting: Setting, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._setting = setting
        self._preferences = preferences
        self._editor = editor_for(setting, self._on_chosen)
        title = QLabel(translated(setting.title), self)
        title.setBuddy(self._editor.widget)
        sentence = text_label(self, f"{setting.key}Sentence")
        follow_keys(sentence, lambda it: it.setText(setting.explanation))
        sentence.setForegroundRole(sentence.palette().ColorRole.PlaceholderText)
        self._reset = QToolButton(self, autoRaise=True)
        self._reset.setObjectName(f"{setting.key}Reset")
        told = self.tr("Reset '{title}' to its default").format(title=translated(setting.title))
        self._reset.setToolTip(told)
        self._reset.setAccessibleName(told)
        self._reset.clicked.connect(self._on_reset)
        # The room stays when the button goes: the controls shall not move.
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(policy)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 4)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        grid.addWidget(title, 0, 0)
        grid.addWidget(sentence, 1, 0)
        grid.addWidget(self._editor.widget, 0, 1, 2, 1, _MIDDLE)
        grid.addWidget(self._reset, 0, 2, 2, 1, _MIDDLE)
        self._editor.widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._editor.widget.installEventFilter(self)
        texts = translated(setting.title), setting.explanation, translated(setting.group)
        self._words = " ".join((*texts, also_called(translated(setting.title))))
        preferences.changed.connect(self._on_changed)
        self._show()

    @property
    def key(self) -> str:
        """Of the setting."""
        return self._setting.key

    def take_keyboard(self) -> None:
        """Give the control the keyboard."""
        self._editor.widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def matches(self, wanted: list[str]) -> bool:
        """Whether all these words are somewhere in its texts, or in other words for its title."""
        words = self._words.casefold()
        return all(word in words for word in wanted)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self._reset.setIcon(icon("reset", theme.ui.text))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave the wheel to the list: who scrolls by does not mean to change what is there."""
        if event.type() == QEvent.Type.Wheel and not self._editor.widget.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        self._editor.show(self._preferences.value(self.key))
        self._reset.setVisible(not self._preferences.is_default(self.key))

    def _on_chosen(self, value: SettingValue) -> None:
        self._preferences.set_value(self.key, value)

    @Slot()
    def _on_reset(self) -> None:
        self._preferences.reset(self.key)
        self._editor.widget.setFocus()

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        if key == self.key:
            self._show()
