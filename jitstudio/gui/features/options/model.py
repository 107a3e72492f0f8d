"""The table of options as a tree of groups, with the values that were typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont

from jitstudio.core.options import (
    OPTIONS,
    GivenOption,
    OptionGroup,
    OptionSpec,
    ValueKind,
    join_options,
    read,
    refusal,
    split_options,
)
from jitstudio.core.tools import Tool
from jitstudio.gui.kit.fonts import code_font, follow_letters
from jitstudio.gui.kit.presentation import MUTED_ROLE, ModelIndex, plain_tooltip, title_of
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

Values = tuple[str | None, ...]
"""The values that an option was given: none where it was not given, None where it takes none."""

_SPELLED = {"1": "true", "0": "false", "true": "true", "false": "false"}


class OptionValues:
    """A text of options that can also be changed row by row.

    A change of one row leaves the words of all others as they were typed. Options that no row can
    show (unknown ones, those sent to one of several tools, those with a value that makes no
    sense) are the `other` ones, and are kept as well.
    """

    def __init__(self, text: str = "") -> None:
        self._text = ""
        self._problem = ""
        self._given: tuple[GivenOption, ...] = ()
        self.set_text(text)

    @property
    def text(self) -> str:
        """The options, just as they were typed as long as no row was changed."""
        return self._text

    @property
    def problem(self) -> str:
        """The reason why the text cannot be read; empty for a readable text."""
        return self._problem

    @property
    def warning(self) -> str:
        """The reason why the options will be refused; empty if they will not."""
        return refusal(self._words(self._given))

    @property
    def other(self) -> str:
        """The options that no row shows."""
        return join_options(self._words([g for g in self._given if _row_of(g) is None]))

    def set_text(self, text: str) -> None:
        """Reads a text; an unreadable text leaves the values as they were."""
        self._text = text
        try:
            self._given = read(split_options(text))
            self._problem = ""
        except ValueError as error:
            self._problem = str(error)

    def values(self, spec: OptionSpec) -> Values:
        """Returns the values of an option; only the last where the option is not repeated."""
        values = tuple(_plain(g) for g in self._given if _row_of(g) is spec)
        return values if spec.repeated else values[-1:]

    def set_values(self, spec: OptionSpec, values: Values) -> None:
        """Gives an option the values `values` instead of the present ones."""
        words = [spec.written(value) for value in values]
        self._replace([_row_of(g) is spec for g in self._given], words)

    def set_other(self, text: str) -> None:
        """Replaces the options that no row shows.

        Raises:
            ValueError: The text cannot be read; the message is fit for a person.
        """
        self._replace([_row_of(g) is None for g in self._given], split_options(text))

    def reset(self) -> None:
        """Takes back all that rows were given; the other options stay."""
        self._replace([_row_of(g) is not None for g in self._given], ())

    def _replace(self, marked: Sequence[bool], words: Sequence[str]) -> None:
        """Puts words where the first of the marked options is, or at the end."""
        place = marked.index(True) if True in marked else len(marked)
        rest = [g for g, gone in zip(self._given, marked, strict=True) if not gone]
        before = self._words(rest[:place])
        self.set_text(join_options((*before, *words, *self._words(rest[place:]))))

    @staticmethod
    def _words(options: Sequence[GivenOption]) -> list[str]:
        return [word for option in options for word in option.words]


def _row_of(option: GivenOption) -> OptionSpec | None:
    """Returns the row that shows an option in this form, or None."""
    spec = option.spec
    if spec is None or spec.managed or (option.tool and len(spec.spellings) > 1):
        return None
    return spec if spec.accepts(option.value) else None


def _plain(option: GivenOption) -> str | None:
    if option.spec and option.value and option.spec.value.kind is ValueKind.TRUTH:
        return _SPELLED[option.value]
    return option.value


CHANGED_ROLE = Qt.ItemDataRole.UserRole + 10
"""Whether a row differs from the default."""
SPEC_ROLE = Qt.ItemDataRole.UserRole + 11
"""The row of the table; None for a group."""

NAME, VALUE, FLAG, TOOLS = range(4)
_TITLES = (
    QT_TRANSLATE_NOOP("Columns", "Option"),
    QT_TRANSLATE_NOOP("Columns", "Value"),
    QT_TRANSLATE_NOOP("Columns", "Written as"),
    QT_TRANSLATE_NOOP("Columns", "Sent to"),
)
_GROUPS: tuple[tuple[OptionGroup, tuple[OptionSpec, ...]], ...] = tuple(
    (group, tuple(specs)) for group, specs in groupby(OPTIONS, key=lambda spec: spec.group)
)
_CODE_SIZE = 9.0
# The id of the index of a group; that of an option is the place of its group.
_A_GROUP = 0xFFFF
_FREE = (ValueKind.TEXT, ValueKind.PATH, ValueKind.OPTION)
_TRUTH = {
    "true": QT_TRANSLATE_NOOP("Options", "on"),
    "false": QT_TRANSLATE_NOOP("Options", "off"),
}


class OptionsModel(QAbstractItemModel):
    """Options by group: name, value, flag and tools.

    Signals:
        text_changed: The user changed a row; the options as text.
        reread: The text was set, or cannot be read any more.
    """

    text_changed = Signal(str)
    reread = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._values = OptionValues()
        self._tools = frozenset(Tool)
        self._versions: Mapping[Tool, str] = {}
        self._bold = QFont()
        self._bold.setBold(True)
        follow_letters(self, OptionsModel.fit_letters)

    def fit_letters(self) -> None:
        """Shows code in the present font of code."""
        self._code = code_font(_CODE_SIZE)
        self.layoutChanged.emit()

    @property
    def values(self) -> OptionValues:
        """The values as typed."""
        return self._values

    @property
    def changed(self) -> bool:
        """Whether any option differs from the default."""
        return any(self._values.values(spec) for spec in OPTIONS)

    @Slot(str)
    def set_text(self, text: str) -> None:
        """Shows the options in `text`, without reporting a change of the user."""
        if text != self._values.text:
            self._values.set_text(text)
            self._refresh()
            self.reread.emit()

    def set_tools(self, tools: frozenset[Tool]) -> None:
        """Greys the options that none of the tools accepts."""
        before, self._tools = self._tools, tools
        last = len(_TITLES) - 1
        for row, (_, specs) in enumerate(_GROUPS):
            group = self.index(row, 0)
            for place, spec in enumerate(specs):
                takers = spec.spellings.keys()
                if bool(before & takers) is not bool(tools & takers):
                    self.dataChanged.emit(
                        self.index(place, 0, group), self.index(place, last, group)
                    )

    def set_versions(self, versions: Mapping[Tool, str]) -> None:
        """Takes in the versions of tools: older versions lack options."""
        self._versions = versions
        self._refresh()

    def set_values(self, spec: OptionSpec, values: Values) -> None:
        """Sets the values of an option, as an edit of the user."""
        if values != self._values.values(spec):
            self._values.set_values(spec, values)
            self._emit_changed()

    def set_other(self, text: str) -> None:
        """Replaces the options that no row shows, as the user's doing.

        Raises:
            ValueError: The text cannot be read.
        """
        if text != self._values.other:
            self._values.set_other(text)
            self._emit_changed()

    @Slot()
    def reset_all(self) -> None:
        """Goes back to the defaults everywhere; options that no row shows stay."""
        self._values.reset()
        self._emit_changed()

    def why_not(self, spec: OptionSpec) -> str:
        """Returns why an option has no effect here; empty if the option has."""
        if spec.managed:
            return self.tr("Not an option here: {reason}.").format(reason=spec.managed)
        lacking = {
            tool: version
            for tool, version in self._versions.items()
            if tool in spec.spellings and spec.too_new_for(tool, version)
        }
        if lacking and len(lacking) == len(spec.spellings):
            text = self.tr("{tool} {version} does not have it yet; {since} does.")
            return " ".join(
                text.format(tool=tool.value, version=version, since=spec.since[tool])
                for tool, version in lacking.items()
            )
        if not self._tools & spec.spellings.keys():
            tools = self.tr(" and ").join(tool.value for tool in spec.spellings)
            return self.tr("No part of this build: {tools}.").format(tools=tools)
        return ""

    def spec_at(self, index: ModelIndex) -> OptionSpec | None:
        """Returns the option at an index, or None for a group."""
        if not index.isValid() or index.internalId() == _A_GROUP:
            return None
        return _GROUPS[index.internalId()][1][index.row()]

    def index(self, row: int, column: int, parent: ModelIndex | None = None) -> QModelIndex:
        """Returns the index of a group, or of an option in a group."""
        parent = QModelIndex() if parent is None else parent
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() if parent.isValid() else _A_GROUP)

    def parent(self, index: ModelIndex | None = None) -> Any:
        """Returns the group of an option."""
        if index is None:
            return super().parent()
        if not index.isValid() or index.internalId() == _A_GROUP:
            return QModelIndex()
        return self.createIndex(index.internalId(), 0, _A_GROUP)

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of groups, or of options in a group."""
        if parent is None or not parent.isValid():
            return len(_GROUPS)
        is_group = parent.internalId() == _A_GROUP and parent.column() == 0
        return len(_GROUPS[parent.row()][1]) if is_group else 0

    def columnCount(self, _parent: ModelIndex | None = None) -> int:
        """The name, the value, the flag and the tools."""
        return len(_TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Returns the titles of the columns."""
        return title_of(_TITLES, section, orientation, role)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Returns the flags of a cell: editable, checkable or neither."""
        flags = super().flags(index)
        spec = self.spec_at(index)
        if spec is None or spec.managed or index.column() != VALUE or self._values.problem:
            return flags
        can = Qt.ItemFlag.ItemIsEditable if spec.takes_value else Qt.ItemFlag.ItemIsUserCheckable
        return flags | can

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, tick, font, tool tip and the words for screen readers."""
        spec = self.spec_at(index)
        if spec is not None:
            return self._option_data(spec, index.column(), role)
        if not index.isValid() or index.column() != NAME:
            return None
        group, specs = _GROUPS[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return group.value
            case Qt.ItemDataRole.FontRole:
                return self._bold
            case _ if role == CHANGED_ROLE:
                return any(self._values.values(spec) for spec in specs)
        return None

    def setData(self, index: ModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Takes a tick, or the values that an editor gives."""
        spec = self.spec_at(index)
        if spec is None or not self.flags(index) & (
            Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsUserCheckable
        ):
            return False
        if role == Qt.ItemDataRole.CheckStateRole:
            checked = Qt.CheckState(value) is Qt.CheckState.Checked
            value = (None,) if checked else ()
        self.set_values(spec, tuple(value))
        return True

    def _option_data(self, spec: OptionSpec, column: int, role: int) -> Any:
        values = self._values.values(spec)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(spec, column, values)
            case Qt.ItemDataRole.EditRole:
                return values
            case Qt.ItemDataRole.CheckStateRole if column == VALUE and not (
                spec.takes_value or spec.managed
            ):
                return Qt.CheckState.Checked if values else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.description(spec))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{spec.name}: {shown(spec, values)}"
            case Qt.ItemDataRole.AccessibleDescriptionRole | Qt.ItemDataRole.WhatsThisRole:
                return self.description(spec)
            case Qt.ItemDataRole.FontRole if column == FLAG:
                return self._code
            case Qt.ItemDataRole.FontRole if values and column != TOOLS:
                return self._bold
        more = {
            CHANGED_ROLE: bool(values),
            SPEC_ROLE: spec,
            MUTED_ROLE: bool(self.why_not(spec)) or (column != NAME and not values),
        }
        return more.get(role)

    def description(self, spec: OptionSpec) -> str:
        """Returns the effect of an option, the tools, and why the option would do nothing here."""
        tools = ", ".join(f"{tool.value} {flag}" for tool, flag in spec.spellings.items())
        parts = (spec.help, self.tr("Sent to {tools}.").format(tools=tools), self.why_not(spec))
        return "\n".join(part for part in parts if part)

    def _text(self, spec: OptionSpec, column: int, values: Values) -> str:
        match column:
            case 0:
                return spec.name
            case 1:
                return shown(spec, values) if spec.takes_value or spec.managed else ""
            case 2:
                return spec.usage
        return ", ".join(tool.value for tool in spec.spellings)

    def _emit_changed(self) -> None:
        self._refresh()
        self.text_changed.emit(self._values.text)

    def _refresh(self) -> None:
        last = len(_TITLES) - 1
        self.dataChanged.emit(self.index(0, 0), self.index(len(_GROUPS) - 1, last))
        for row, (_, specs) in enumerate(_GROUPS):
            group = self.index(row, 0)
            self.dataChanged.emit(self.index(0, 0, group), self.index(len(specs) - 1, last, group))


def shown(spec: OptionSpec, values: Values) -> str:
    """Returns the values of an option as text."""
    if spec.managed:
        return QCoreApplication.translate("Options", "set elsewhere")
    if not values:
        return default_text(spec)
    if not spec.takes_value:
        return QCoreApplication.translate("Options", "on")
    return ", ".join(value_text(spec, value or "") for value in values)


def value_text(spec: OptionSpec, value: str) -> str:
    """Returns a value of an option as text."""
    is_truth = spec.value.kind is ValueKind.TRUTH
    return QCoreApplication.translate("Options", _TRUTH[value]) if is_truth else value


def default_text(spec: OptionSpec) -> str:
    """Returns the text shown for an option without value."""
    if not spec.takes_value:
        return QCoreApplication.translate("Options", "off")
    if spec.default:
        text = QCoreApplication.translate("Options", "default ({value})")
        return text.format(value=value_text(spec, spec.default))
    if spec.value.kind in _FREE:
        return QCoreApplication.translate("Options", "none")
    return QCoreApplication.translate("Options", "default")


class OptionsFilter(QSortFilterProxyModel):
    """Shows only the options that a search matches, and only changed options if so set."""

    def __init__(self, model: OptionsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._search = ""
        self._changed_only = False
        self._model = model
        self.setRecursiveFilteringEnabled(True)
        self.setSourceModel(model)

    @Slot(str)
    def set_search(self, text: str) -> None:
        """Shows only the options that match the words."""
        self.beginFilterChange()
        self._search = text
        self.endFilterChange(self.Direction.Rows)

    @Slot(bool)
    def set_changed_only(self, changed_only: bool) -> None:
        """Sets whether only options that differ from the default are shown."""
        self.beginFilterChange()
        self._changed_only = changed_only
        self.endFilterChange(self.Direction.Rows)

    def filterAcceptsRow(self, row: int, parent: ModelIndex) -> bool:
        """Returns whether a row stays; a group stays with any option inside."""
        spec = self._model.spec_at(self._model.index(row, 0, parent))
        if spec is None or not spec.matches(self._search):
            return False
        return not self._changed_only or bool(self._model.values.values(spec))
