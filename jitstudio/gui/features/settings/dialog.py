"""All settings and compilers in a list that can be searched; changes apply at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFontComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from jitstudio.core.toolchain_folders import COMPILERS, ToolchainFolder
from jitstudio.core.tools import Tool
from jitstudio.gui.kit.command_keys import follow_keys
from jitstudio.gui.kit.dialogs import open_dialog
from jitstudio.gui.kit.fonts import fit_dialog, follow_letters, scaled
from jitstudio.gui.kit.parts import FieldName, explain_by, heading, muted, show_icon, text_label
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.shell.synonyms import also_called
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import BUILD, CONTEXT, SETTINGS, Setting, SettingValue
from jitstudio.gui.state.toolchain import OtherToolchains

# ---- The other versions of the compilers: a list of folders

_FOLDER = Qt.ItemDataRole.UserRole
_MOST_LINES = 5


class ToolchainsRow(QWidget):
    """Shows the folders of compilers with the tools of each; folders can be added and removed.

    Args:
        toolchains: The folders.
        ask: Asks the user for one.
    """

    def __init__(
        self,
        toolchains: OtherToolchains,
        ask: Callable[[], Path | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._toolchains, self._ask = toolchains, ask
        title = QLabel(self.tr("Other versions of the compilers"), self)
        sentence = text_label(self, "toolchainsSentence")
        sentence.setText(
            self.tr(
                "Folders with another NVRTC, nvJitLink or libNVVM: a virtual environment, a folder "
                "of packages or a CUDA toolkit. Compare Targets and Options builds with them, and "
                "--toolchain in the terminal."
            )
        )
        muted(sentence)
        self._list = QListWidget(self)
        self._list.setObjectName("toolchains")
        self._list.setAccessibleName(title.text())
        explain_by(self, "toolchains")
        self._list.setWhatsThis(sentence.text())
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        title.setBuddy(self._list)
        self._add = _folder_button(self.tr("Add &Folder…"), "addToolchain")
        self._remove = _folder_button(self.tr("Re&move"), "removeToolchain")
        self._problem = text_label(self, "toolchainsProblem")
        self._problem.hide()
        buttons = QHBoxLayout()
        buttons.addWidget(self._add)
        buttons.addWidget(self._remove)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 4)
        column.setSpacing(4)
        for widget in (title, sentence, self._list, self._problem):
            column.addWidget(widget)
        column.addLayout(buttons)
        self._words = f"{title.text()} {sentence.text()} nvcc cuda".casefold()
        self._add.clicked.connect(self._on_add)
        self._remove.clicked.connect(self._on_remove)
        self._list.itemSelectionChanged.connect(self._on_selected)
        toolchains.changed.connect(self._on_changed)
        toolchains.failed.connect(self._on_failed)
        follow_letters(self, ToolchainsRow._fit)
        self._on_changed()
        toolchains.read()

    def matches(self, wanted: list[str]) -> bool:
        """Returns whether the texts of the row contain all words of `wanted`."""
        return all(word in self._words for word in wanted)

    @Slot()
    def _on_changed(self) -> None:
        self._problem.hide()
        self._list.clear()
        for name, folder in (self._toolchains.found or {}).items():
            item = QListWidgetItem(self._line(name, folder), self._list)
            item.setData(_FOLDER, folder.folder)
            item.setToolTip(
                plain_tooltip("\n".join(filter(None, (folder.folder, *_wrong(folder)))))
            )
        self._list.setVisible(self._list.count() > 0)
        self._on_selected()
        self._fit()

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        self._problem.setText(problem)
        self._problem.show()

    @Slot()
    def _on_selected(self) -> None:
        self._remove.setEnabled(bool(self._list.selectedItems()))

    @Slot()
    def _on_add(self) -> None:
        if folder := self._ask():
            self._toolchains.add(str(folder))

    @Slot()
    def _on_remove(self) -> None:
        for item in self._list.selectedItems():
            self._toolchains.remove(str(item.data(_FOLDER)))

    def _line(self, name: str, folder: ToolchainFolder) -> str:
        tools = ", ".join(tool.value for tool in COMPILERS if tool in folder.files)
        what = tools or self.tr("no compilers there")
        if Tool.NVRTC in folder.files and folder.header_problem:
            what = self.tr("{tools}, no headers").format(tools=what)
        return "   ".join(dict.fromkeys((name, folder.folder, what)))

    def _fit(self) -> None:
        lines = min(self._list.count(), _MOST_LINES)
        height = max(self._list.sizeHintForRow(0), self.fontMetrics().height())
        self._list.setFixedHeight(lines * height + 2 * self._list.frameWidth() + 2)


def _wrong(folder: ToolchainFolder) -> tuple[str, ...]:
    return folder.problem, folder.header_problem


def _folder_button(text: str, name: str) -> QPushButton:
    button = QPushButton(text)
    button.setObjectName(name)
    button.setAutoDefault(False)
    return button


# As wide as a choice, and as high.
_WIDTH, _PADDING = 170, 10


@dataclass(frozen=True)
class SettingEditor:
    """A control with a function that shows a value there.

    Attributes:
        widget: The control.
        show: Makes it show a value.
        browse: The button that chooses a file; None where the value is no path. Both have a line of
            their own.
    """

    widget: QWidget
    show: Callable[[SettingValue], None]
    browse: QPushButton | None = None


def translated(text: str) -> str:
    """Returns a text of the table of settings in the language of the user."""
    return QCoreApplication.translate(CONTEXT, text)


def editor_for(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    """Returns a control that reports each value that the user chooses."""
    special = _font if setting.is_font else _path if setting.is_path else None
    make = special or _MAKERS[type(setting.default)]
    editor = make(setting, tell)
    widget = editor.widget
    widget.setObjectName(setting.key)
    widget.setAccessibleName(translated(setting.title))
    widget.setAccessibleDescription(setting.explanation)
    widget.setWhatsThis(setting.explanation)
    return editor


def _tick(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    box = QCheckBox()
    box.toggled.connect(tell)
    return SettingEditor(box, lambda value: box.setChecked(bool(value)))


def _number(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    spin = QSpinBox()
    spin.setRange(int(setting.least), int(setting.most))
    spin.setSingleStep(int(setting.step))
    return _spun(spin, setting, tell)


def _fraction(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    spin = QDoubleSpinBox(decimals=1)
    spin.setRange(setting.least, setting.most)
    spin.setSingleStep(setting.step)
    return _spun(spin, setting, tell)


def _spun(
    spin: QSpinBox | QDoubleSpinBox, setting: Setting, tell: Callable[[SettingValue], None]
) -> SettingEditor:
    spin.setSuffix(f" {translated(setting.unit)}")
    # Not each digit of a number on its way.
    spin.setKeyboardTracking(False)
    spin.setFixedSize(scaled(_WIDTH), spin.fontMetrics().height() + _PADDING)
    spin.valueChanged.connect(tell)
    return SettingEditor(spin, spin.setValue)  # type: ignore[arg-type]


def _choice(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    combo = QComboBox()
    for choice in setting.choices:
        combo.addItem(translated(choice.title), choice.value)
    combo.setMinimumWidth(scaled(_WIDTH))
    combo.activated.connect(lambda index: tell(combo.itemData(index)))
    return SettingEditor(combo, lambda value: combo.setCurrentIndex(combo.findData(value)))


def _font(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    combo = QFontComboBox()
    combo.setFontFilters(QFontComboBox.FontFilter.MonospacedFonts)
    combo.setEditable(False)
    combo.setFixedWidth(scaled(_WIDTH))
    combo.activated.connect(lambda index: tell(combo.itemText(index)))
    return SettingEditor(combo, lambda value: combo.setCurrentIndex(combo.findText(str(value))))


def _path(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    edit = QLineEdit()
    edit.setPlaceholderText(setting.instead)
    edit.setClearButtonEnabled(True)
    # Not each letter of a path on its way.
    edit.editingFinished.connect(lambda: tell(edit.text().strip()))
    browse = QPushButton(QCoreApplication.translate("SettingRow", "Browse…"))
    browse.setObjectName(f"{setting.key}Browse")
    browse.setAutoDefault(False)

    def choose() -> None:
        folder = str(Path(edit.text().strip() or setting.instead).parent)
        dialog = QFileDialog(edit.window(), translated(setting.title), folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(tell)
        open_dialog(dialog)

    browse.clicked.connect(choose)
    return SettingEditor(edit, lambda value: edit.setText(str(value)), browse)


_MAKERS: dict[type, Callable[[Setting, Callable[[SettingValue], None]], SettingEditor]] = {
    bool: _tick,
    int: _number,
    float: _fraction,
    str: _choice,
}


_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class SettingRow(QWidget):
    """Shows a setting with the present value, and applies a change at once."""

    def __init__(
        self, setting: Setting, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._setting = setting
        self._preferences = preferences
        self._editor = editor_for(setting, self._on_chosen)
        title = FieldName(translated(setting.title), self._editor.widget, self)
        sentence = text_label(self, f"{setting.key}Sentence")
        follow_keys(sentence, lambda it: it.setText(setting.explanation))
        muted(sentence)
        self._reset = QToolButton(self, autoRaise=True)
        self._reset.setObjectName(f"{setting.key}Reset")
        message = self.tr("Reset '{title}' to its default").format(title=translated(setting.title))
        show_icon(self._reset, "reset")
        self._reset.setToolTip(message)
        self._reset.setAccessibleName(message)
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
        if self._editor.browse is None:
            grid.addWidget(self._editor.widget, 0, 1, 2, 1, _MIDDLE)
            grid.addWidget(self._reset, 0, 2, 2, 1, _MIDDLE)
        else:
            for column, part in enumerate((self._editor.widget, self._editor.browse, self._reset)):
                grid.addWidget(part, 2, column, _MIDDLE)
        self._editor.widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._editor.widget.installEventFilter(self)
        texts = translated(setting.title), setting.explanation, translated(setting.group)
        self._words = " ".join((*texts, also_called(translated(setting.title))))
        preferences.changed.connect(self._on_changed)
        self._show()

    @property
    def key(self) -> str:
        """The key of the setting."""
        return self._setting.key

    def take_keyboard(self) -> None:
        """Gives the control the keyboard."""
        self._editor.widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def matches(self, wanted: list[str]) -> bool:
        """Returns whether the texts of the row, or synonyms of the title, contain all words."""
        words = self._words.casefold()
        return all(word in words for word in wanted)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leaves the wheel to the list: scrolling past a field must not change the value."""
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


_SIZE = (680, 620)
_MARGIN = 14
_HEADING_SCALE = 1.15


class SettingsDialog(QDialog):
    """Shows and changes the settings of the table.

    Args:
        preferences: Whose settings.
        empty_cache: The command that is next to the settings of the cache.
        toolchains: Other versions of the compilers, and how the user is asked for one.

    Signals:
        reset_all_requested: The user wants all settings as they were at the first start.
    """

    reset_all_requested = Signal()

    def __init__(
        self,
        preferences: Preferences,
        empty_cache: QAction,
        toolchains: tuple[OtherToolchains, Callable[[], Path | None]],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("settingsDialog")
        explain_by(self, "settings")
        self.setWindowTitle(self.tr("Settings"))
        fit_dialog(self, _SIZE)
        self._search = QLineEdit(clearButtonEnabled=True)
        self._search.setObjectName("settingsSearch")
        self._search.setPlaceholderText(self.tr("Search settings"))
        self._search.setAccessibleName(self.tr("Search settings"))
        self._search.setWhatsThis(self.tr("Shows only those settings that have all these words."))
        self._search.textChanged.connect(self._on_search_changed)
        self._rows: dict[str, list[SettingRow]] = {}
        self._headings: dict[str, QLabel] = {}
        self._empty_cache = _button(empty_cache)
        self._toolchains = ToolchainsRow(*toolchains)
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
        self._on_search_changed("")

    @property
    def shown(self) -> list[str]:
        """The keys of the settings that the search leaves."""
        rows = (row for rows in self._rows.values() for row in rows)
        return [row.key for row in rows if not row.isHidden()]

    def go_to(self, key: str) -> None:
        """Brings a setting into sight, and gives the setting the keyboard."""
        self._search.clear()
        row = next(row for rows in self._rows.values() for row in rows if row.key == key)
        self._area.ensureWidgetVisible(row)
        row.take_keyboard()

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
                column.addWidget(self._toolchains)
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
        self._toolchains.setVisible(self._toolchains.matches(wanted))
        if not self._toolchains.isHidden():
            self._headings[BUILD].show()
        self._empty_cache.setVisible("build.cache" in self.shown)
        self._none.setText(self.tr("No setting has '{text}' in it.").format(text=text))
        self._none.setVisible(not self.shown and self._toolchains.isHidden())


def _button(action: QAction) -> QPushButton:
    button = QPushButton(action.text().replace("&", ""))
    button.setObjectName("emptyCacheButton")
    button.setToolTip(action.toolTip())
    button.setWhatsThis(action.toolTip())
    button.setAutoDefault(False)
    button.clicked.connect(action.trigger)
    return button
