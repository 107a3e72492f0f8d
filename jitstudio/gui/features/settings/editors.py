"""The control of a setting, chosen by the type of its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFontComboBox,
    QSpinBox,
    QWidget,
)

from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.state.settings_table import CONTEXT, Setting, SettingValue

# As wide as a choice, and as high.
_WIDTH, _PADDING = 170, 10


@dataclass(frozen=True)
class SettingEditor:
    """A control and how to make it show a value."""

    widget: QWidget
    show: Callable[[SettingValue], None]


def translated(text: str) -> str:
    """A text of the table of settings in the language of the user."""
    return QCoreApplication.translate(CONTEXT, text)


def editor_for(setting: Setting, tell: Callable[[SettingValue], None]) -> SettingEditor:
    """A control that tells of each value that the user chooses."""
    make = _font if setting.is_font else _MAKERS[type(setting.default)]
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


_MAKERS: dict[type, Callable[[Setting, Callable[[SettingValue], None]], SettingEditor]] = {
    bool: _tick,
    int: _number,
    float: _fraction,
    str: _choice,
}
