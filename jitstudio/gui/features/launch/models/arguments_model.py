"""The arguments of a kernel as a table: a row for each parameter, with text in editable cells.

Pointers in structs and module variables have rows as well. Knows the texts of `core.launch.spec`
and no widget. A pointer's text is shown in three cells: length, fill and direction; that of a
texture as texels, fill and sampling; that of a module variable as value, fill and direction.
Defaults for missing parts of the text are shown muted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QFont

from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.arguments import NULL, variable_parts
from jitstudio.core.launch.members import form_rows
from jitstudio.core.launch.problems import SpecProblem, argument_place
from jitstudio.core.launch.request import Direction, FillKind, FormParameter, KernelForm
from jitstudio.core.launch.shared import is_shared
from jitstudio.core.launch.texel_text import split_texels
from jitstudio.core.launch.texels import AddressMode, FilterMode
from jitstudio.core.launch.types import (
    REFERENCES,
    Array,
    Handle,
    HandleKind,
    Opaque,
    Pointer,
    Struct,
    Type,
)
from jitstudio.core.launch.value_text import value_text
from jitstudio.gui.kit.presentation import (
    MARK_ROLE,
    MUTED_ROLE,
    ModelIndex,
    one_line,
    plain_tooltip,
)
from jitstudio.gui.kit.tables import TitledModel

_DIRECTIONS = frozenset(direction.value for direction in Direction)


@dataclass(frozen=True)
class BufferLabels:
    """The texts of a buffer; empty where a default applies.

    Of a texture `length` has its texels and `direction` its sampling.
    """

    length: str
    fill: str = ""
    direction: str = ""

    @property
    def text(self) -> str:
        """The whole specification in a single text."""
        if self.is_alone:
            return self.length
        return ":".join((self.length, *filter(None, (self.fill, self.direction))))

    @property
    def is_alone(self) -> bool:
        """Whether there is neither fill nor direction: null, or the memory of another buffer."""
        return self.length == NULL or is_shared(self.length)


def buffer_labels(text: str) -> BufferLabels:
    """Takes ``n:random(1):in`` apart where `core.launch.arguments` does."""
    if is_shared(text):
        return BufferLabels(text.strip())
    length, _, rest = text.partition(":")
    before, _, last = rest.rpartition(":")
    direction = last.strip() if last.strip() in _DIRECTIONS else ""
    return BufferLabels(length.strip(), (before if direction else rest).strip(), direction)


def variable_labels(text: str) -> BufferLabels:
    """Takes ``{1, 2}:out`` apart where `core.launch.arguments` does."""
    value, rest = variable_parts(text)
    return replace(buffer_labels(f":{rest}"), length=value)


def texel_labels(text: str) -> BufferLabels:
    """Takes the text of a texture or surface apart where `core.launch.texel_text` does."""
    return BufferLabels(*split_texels(text))


def default_direction(kind: Pointer | Handle) -> str:
    """Returns the use of a buffer by the kernel where the text says nothing.

    Of a texture how it is read: as of a `cudaTextureDesc` of zeros.
    """
    if kind == Handle(HandleKind.TEXTURE):
        return f"{FilterMode.POINT.value},{AddressMode.CLAMP.value}"
    only_read = isinstance(kind, Pointer) and kind.const
    return (Direction.IN if only_read else Direction.INOUT).value


def default_fill(kind: Pointer | Handle, direction: str) -> FillKind:
    """Returns the default fill of a buffer of this direction."""
    is_read = kind == Handle(HandleKind.TEXTURE) or direction == Direction.IN.value
    return FillKind.RANDOM if is_read else FillKind.ZEROS


def example(kind: Type) -> str:
    """Returns an example of a value of this type, like ``{x=0, y=0}``."""
    match kind:
        case Struct():
            return f"{{{', '.join(f'{f.name}={example(f.type)}' for f in kind.fields)}}}"
        case Array():
            return f"{{{', '.join([example(kind.element)] * kind.count)}}}"
        case Pointer() | Handle():
            return NULL
        case Opaque():
            message = QCoreApplication.translate(
                "ArgumentWords", "{size} bytes in hexadecimal digits"
            )
            return message.format(size=kind.size)
    return "0"


def length_example(kind: Pointer | Handle) -> str:
    """Returns an example of the length of a buffer; with element type where necessary."""
    if isinstance(kind, Handle):
        return "float[w,h]"
    return "n" if kind.target else "float[n]"


def _has_fill(parameter: FormParameter) -> bool:
    return parameter.variable is not None or isinstance(parameter.type, REFERENCES)


PARAMETER, TYPE, VALUE, FILL, DIRECTION = range(5)
TINT_ROLE = Qt.ItemDataRole.UserRole + 4
"""The mark whose colour tints the whole row, or None."""

SAMPLING_ROLE = Qt.ItemDataRole.UserRole + 5
"""Whether the row is a texture."""

_BUFFER_FIELDS = {VALUE: "length", FILL: "fill", DIRECTION: "direction"}


class ArgumentsModel(TitledModel):
    """The parameters of a kernel, and the texts of the arguments.

    Signals:
        arguments_changed: The user changed the text of an argument.
    """

    arguments_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._form: KernelForm | None = None
        self._parameters: tuple[FormParameter, ...] = ()
        self._texts: dict[str, str] = {}
        self._problems: dict[str, tuple[SpecProblem, ...]] = {}
        self._font: QFont | None = None
        self._titles = (
            self.tr("Parameter"),
            self.tr("Type"),
            self.tr("Value or length"),
            self.tr("Fill"),
            self.tr("Access"),
        )
        self._help = {
            VALUE: self.tr("A number, the fields of a struct, or the elements of a buffer."),
            FILL: self.tr("What the buffer holds before the launch."),
            DIRECTION: self.tr("Whether the kernel reads the buffer, writes it, or both."),
        }
        self._texture_help = {
            FILL: self.tr("What the texels are before the launch."),
            DIRECTION: self.tr(
                "How the texture is read, with commas: point or linear; clamp, border, wrap or "
                "mirror, one for all axes or one for each; normalizedCoords, normalizedFloat, "
                "linearMemory."
            ),
        }

    @property
    def form(self) -> KernelForm | None:
        """The kernel shown."""
        return self._form

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """Parameter and text, in the form of `LaunchSpec`."""
        return tuple((p.name, self._texts.get(p.name, "")) for p in self._parameters)

    @property
    def places(self) -> tuple[str, ...]:
        """The places that problems with the rows have; see `SpecProblem.where`."""
        return tuple(argument_place(parameter.name) for parameter in self._parameters)

    def show(self, form: KernelForm | None, texts: Mapping[str, str]) -> None:
        """Shows a kernel with the texts; rows stay where the kernel is the same."""
        rows = form_rows(form, texts) if form else ()
        wanted = {row.name: texts.get(row.name, "") for row in rows}
        if form == self._form and rows == self._parameters:
            changed = [row for row, p in enumerate(self._parameters) if self._is_new(p, wanted)]
            self._texts = wanted
            for row in changed:
                self._emit_row_changed(row)
            return
        self.beginResetModel()
        self._form, self._parameters, self._texts, self._problems = form, rows, wanted, {}
        self.endResetModel()

    def show_problems(self, problems: tuple[SpecProblem, ...]) -> None:
        """Marks the rows with problems; problems of other fields are ignored."""
        problems_of_rows = {
            parameter.name: tuple(problem for problem in problems if problem.where == place)
            for parameter, place in zip(self._parameters, self.places, strict=True)
        }
        if problems_of_rows != self._problems and self.rowCount():
            self._problems = problems_of_rows
            # The values stay as they are: an open editor would be filled anew.
            roles = [MARK_ROLE, TINT_ROLE, Qt.ItemDataRole.ToolTipRole]
            last = self.index(self.rowCount() - 1, DIRECTION)
            self.dataChanged.emit(self.index(0, 0), last, roles)

    def set_code_font(self, font: QFont) -> None:
        """Shows code in this font."""
        self._font = font
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, DIRECTION))

    def parameter(self, row: int) -> FormParameter:
        """Returns the parameter of a row."""
        return self._parameters[row]

    def is_buffer(self, row: int) -> bool:
        """Returns whether the row is a pointer, texture, surface or module variable: has a fill."""
        return 0 <= row < len(self._parameters) and _has_fill(self.parameter(row))

    def has_texels(self, row: int) -> bool:
        """Returns whether the row is a texture or a surface."""
        return self.is_buffer(row) and isinstance(self.parameter(row).type, Handle)

    def is_texture(self, row: int) -> bool:
        """Returns whether the row is a texture, which has a sampling in place of a direction."""
        return self.is_buffer(row) and self.parameter(row).type == Handle(HandleKind.TEXTURE)

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the parameters."""
        return 0 if parent is not None and parent.isValid() else len(self._parameters)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Lets the text be edited; fill and direction where there is a buffer."""
        flags = super().flags(index)
        if not index.isValid() or index.column() < VALUE:
            return flags
        row = index.row()
        has_cell = index.column() == VALUE or (
            self.is_buffer(row) and not self._labels(row).is_alone
        )
        return flags | Qt.ItemFlag.ItemIsEditable if has_cell else flags

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns the text of a cell, or, muted, the default or the example."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one_line(self._written(row, column) or self._default(row, column))
            case Qt.ItemDataRole.EditRole:
                return self._written(row, column) or self._offered(row, column)
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self._tip(row, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row, column)
            case Qt.ItemDataRole.FontRole:
                return self._font
            case _ if role == MUTED_ROLE:
                return column == TYPE or not self._written(row, column)
            case _ if role == MARK_ROLE:
                return self._mark(row) if column == PARAMETER else None
            case _ if role == TINT_ROLE:
                return self._mark(row)
            case _ if role == SAMPLING_ROLE:
                return self.is_texture(row)
        return None

    def setData(self, index: ModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Changes the text of an argument, and reports the change."""
        if role != Qt.ItemDataRole.EditRole or not self.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return False
        row, text = index.row(), str(value).strip()
        if self.is_buffer(row):
            words = self._labels(row)
            words = replace(words, **{_BUFFER_FIELDS[index.column()]: text})
            text = words.text.lstrip(":") if self._is_variable(row) else words.text
        name = self.parameter(row).name
        if text != self._texts[name]:
            self._texts[name] = text
            self._emit_row_changed(row)
            self.arguments_changed.emit()
        return True

    def _is_variable(self, row: int) -> bool:
        """Returns whether the row is a module variable that is no pointer."""
        parameter = self.parameter(row)
        return parameter.variable is not None and not isinstance(parameter.type, REFERENCES)

    def _is_new(self, parameter: FormParameter, wanted: Mapping[str, str]) -> bool:
        return wanted[parameter.name] != self._texts[parameter.name]

    def _emit_row_changed(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, VALUE), self.index(row, DIRECTION))

    def _labels(self, row: int) -> BufferLabels:
        parameter = self.parameter(row)
        text = self._texts[parameter.name]
        if isinstance(parameter.type, REFERENCES):
            return (texel_labels if isinstance(parameter.type, Handle) else buffer_labels)(text)
        return variable_labels(text)

    def _written(self, row: int, column: int) -> str:
        """Returns the words of the source or of the text."""
        parameter = self.parameter(row)
        if column == PARAMETER:
            return parameter.name
        if column == TYPE:
            return parameter.spelling or parameter.type.name
        if _has_fill(parameter):
            return str(getattr(self._labels(row), _BUFFER_FIELDS[column]))
        return self._texts[parameter.name] if column == VALUE else ""

    def _offered(self, row: int, column: int) -> str:
        """Returns the initial text of an editor for an empty cell: a default, but no example."""
        return self._default(row, column) if column in (FILL, DIRECTION) else ""

    def _default(self, row: int, column: int) -> str:
        parameter = self.parameter(row)
        kind, variable = parameter.type, parameter.variable
        top = self._top(parameter)
        if top.variable is not None and not self._texts[parameter.name]:
            return self._unfilled(parameter, top) if column == VALUE else ""
        if variable is not None and not isinstance(kind, REFERENCES):
            if column == VALUE and not (self._labels(row).length or self._labels(row).fill):
                return self._unfilled(parameter, parameter)
            return Direction.INOUT.value if column == DIRECTION and variable.writes else ""
        if column == VALUE:
            return length_example(kind) if isinstance(kind, REFERENCES) else example(kind)
        if not isinstance(kind, REFERENCES) or (words := self._labels(row)).is_alone:
            return ""
        direction = words.direction or default_direction(kind)
        return direction if column == DIRECTION else default_fill(kind, direction).value

    def _top(self, parameter: FormParameter) -> FormParameter:
        """Returns the parameter or module variable that a row is a part of, or is."""
        by_name = {row.name: row for row in self._parameters}
        while parameter.inside in by_name:
            parameter = by_name[parameter.inside]
        return parameter

    def _unfilled(self, parameter: FormParameter, top: FormParameter) -> str:
        """Returns the text of an empty row: of a module variable or of an address inside.

        Args:
            parameter: The parameter of the row.
            top: The variable.
        """
        if parameter is not top and self._texts[top.name]:
            # A value for all of it says what is there.
            return ""
        if top.variable is None or not top.variable.is_initialised:
            return self.tr("not filled")
        initial_value = value_text(parameter.type, top.variable.initial) if parameter is top else ""
        return initial_value or self.tr("kept")

    def _mark(self, row: int) -> str | None:
        problems = self._problems.get(self.parameter(row).name, ())
        severities = {problem.severity for problem in problems}
        return next((s.value for s in Severity if s in severities), None)

    def _tip(self, row: int, column: int) -> str:
        parameter = self.parameter(row)
        problems = self._problems.get(parameter.name, ())
        message = [f"{problem.message} {problem.remedy}".rstrip() for problem in problems]
        slot = parameter.slot
        if column < VALUE and parameter.variable is not None:
            symbol, size = parameter.variable.symbol, slot.size
            where = self.tr("{space}, {size} bytes, {symbol} in the code").format(
                space=parameter.variable.space, size=size, symbol=symbol
            )
            message.append(f"{parameter.name}: {self._written(row, TYPE)}, {where}")
        elif column < VALUE:
            where = self.tr("{size} bytes at offset {offset}, aligned to {align}").format(
                size=slot.size, offset=slot.offset, align=slot.align
            )
            message.append(f"{parameter.name}: {self._written(row, TYPE)}, {where}")
        elif column == VALUE:
            message.append(self._value_help(row))
        elif self.is_buffer(row):
            message.append((self._texture_help if self.is_texture(row) else self._help)[column])
        return "\n\n".join(message)

    def _value_help(self, row: int) -> str:
        if self._is_variable(row):
            return self.tr(
                "What the variable holds before the launch, such as {example}: empty for what it "
                "holds by itself, or for its fill."
            ).format(example=example(self.parameter(row).type))
        if isinstance(self.parameter(row).type, Handle):
            return self.tr(
                "Type and extents of the texels such as float[w,h] or uchar4[640,480]: width, "
                "height and depth, expressions over the integer arguments. Write null for none."
            )
        if self.is_buffer(row):
            return self.tr(
                "Elements of the buffer: a number, or an expression over the integer arguments "
                "such as n*2. Write null for a null pointer, same(a) or same(a+16) for the memory "
                "of another buffer."
            )
        return self.tr("Such as {example}").format(example=self._default(row, VALUE))

    def _spoken(self, row: int, column: int) -> str:
        text = self._written(row, column) or self._default(row, column)
        problems = self._problems.get(self.parameter(row).name, ())
        message = (f"{p.severity.value}: {p.message} {p.remedy}".rstrip() for p in problems)
        return "; ".join(filter(None, (text, *message)))
