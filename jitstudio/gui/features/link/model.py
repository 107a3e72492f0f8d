"""The modules that could take part in a link, in link order.

Knows `core.plan`, which tells the kind of each module in the link, and no widget. The order and the
ticks belong to the documents: a change is shown at once and reported by a signal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QMimeData,
    QModelIndex,
    QObject,
    Qt,
    Signal,
)

from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, StageResult
from jitstudio.core.tools import Tool
from jitstudio.gui.kit.presentation import MUTED_ROLE, ModelIndex, plain_tooltip
from jitstudio.gui.kit.tables import TitledModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP, counted

MIME_TYPE = "application/x-jitstudio-module-row"

MODULE, KIND, GOES_IN_AS = range(3)
_TITLES = (
    QT_TRANSLATE_NOOP("Columns", "Module"),
    QT_TRANSLATE_NOOP("Columns", "Kind"),
    QT_TRANSLATE_NOOP("Columns", "Goes in as"),
)


@dataclass(frozen=True)
class ModuleRow:
    """A module that could take part in a link.

    Attributes:
        key: The identity in signals.
        name: The name for the user.
        kind: The kind of code.
        included: Whether it is ticked.
    """

    key: int
    name: str
    kind: CodeKind
    included: bool


@cache
def linked_as(kind: CodeKind, mode: LinkMode) -> CodeKind | None:
    """Returns the kind of a module as the linker reads the module, or None."""
    request = BuildRequest((Source("module", kind, b""),), emit=frozenset({CodeKind.CUBIN}))
    try:
        steps = plan(replace(request, link=mode))
    except PlanError:
        return None
    return next((step.inputs[0].kind for step in steps if step.name == LINKED), None)


def link_warning(modules: tuple[ModuleRow, ...], mode: LinkMode) -> str:
    """Returns why a link of the modules makes no sense; empty where all is well."""
    ticked = [module for module in modules if module.included]
    if mode is LinkMode.NONE or not modules:
        return ""
    if not ticked:
        return QCoreApplication.translate(
            "Link", "No module is ticked, so there is nothing to link. Tick at least one."
        )
    lost = [module.name for module in ticked if linked_as(module.kind, mode) is None]
    if lost:
        text = QCoreApplication.translate("Link", "{modules} cannot be linked. Untick it.")
        return text.format(modules=", ".join(lost))
    if mode is LinkMode.PTX and any(module.kind is CodeKind.LTOIR for module in ticked):
        return QCoreApplication.translate(
            "Link", "A module of LTO-IR can only take part in an LTO link. Choose “Link LTO”."
        )
    return ""


def link_summary(result: BuildResult | None) -> str:
    """Returns the outcome of a build's link; empty where the build linked nothing."""
    if result is None:
        return ""
    stages = [stage for stage in result.stages if stage.source == LINKED]
    links = [stage for stage in stages if stage.tool is Tool.NVJITLINK]
    if not links:
        return ""
    failed = next((stage for stage in stages if not stage.ok), None)
    if failed is not None:
        return _failure(failed)
    facts = [_linking(links)]
    cubin = result.artifact(CodeKind.CUBIN, LINKED)
    if cubin is not None:
        text = QCoreApplication.translate("Link", "a cubin of {size:,} bytes")
        facts.append(text.format(size=len(cubin.content)))
    kernels = sum(kernel.module == LINKED for kernel in result.kernels)
    if kernels:
        singular = QCoreApplication.translate("Link", "{count} kernel")
        many = QCoreApplication.translate("Link", "{count} kernels")
        facts.append(counted(kernels, singular, many))
    return f"{', '.join(facts)}."


def _failure(stage: StageResult) -> str:
    if stage.crash is None:
        text = QCoreApplication.translate(
            "Link", "{tool} did not succeed. Problems and Log say why."
        )
        return text.format(tool=stage.tool.value)
    text = QCoreApplication.translate(
        "Link", "{tool} crashed ({signal}). Problems and Log say why."
    )
    return text.format(tool=stage.tool.value, signal=stage.crash.signal)


def _linking(links: Sequence[StageResult]) -> str:
    tool = links[0].tool.value
    if links[-1].cached:
        text = QCoreApplication.translate("Link", "Linked by {tool} from the cache")
        return text.format(tool=tool)
    text = QCoreApplication.translate("Link", "Linked by {tool} in {time:,.1f} ms")
    return text.format(tool=tool, time=sum(stage.ms for stage in links))


class ModulesModel(TitledModel):
    """The modules of the link, a row per module.

    Signals:
        inclusion_changed: The user ticked or unticked the module of this key.
        order_changed: The user moved a module; all keys in their new order.
    """

    # An int of Qt has 32 bits, and a key may be the id of an object.
    inclusion_changed = Signal(object, bool)
    order_changed = Signal(tuple)

    _titles = _TITLES

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._modules: tuple[ModuleRow, ...] = ()
        self._mode = LinkMode.NONE

    @property
    def modules(self) -> tuple[ModuleRow, ...]:
        """The rows, in link order."""
        return self._modules

    def set_modules(self, modules: tuple[ModuleRow, ...]) -> None:
        """Shows other modules, or the same ones after a document changed."""
        if modules == self._modules:
            return
        self.beginResetModel()
        self._modules = modules
        self.endResetModel()

    def set_mode(self, mode: LinkMode) -> None:
        """Shows the kind that each module has in a link of `mode`."""
        self._mode = mode
        if self._modules:
            last = len(self._modules) - 1
            self.dataChanged.emit(self.index(0, GOES_IN_AS), self.index(last, GOES_IN_AS))

    def row_of(self, key: int) -> int | None:
        """Returns the row of a module, or None."""
        return next((row for row, m in enumerate(self._modules) if m.key == key), None)

    def move(self, row: int, to: int) -> bool:
        """Moves the module at `row` to the row `to`."""
        count = len(self._modules)
        if row == to or not (0 <= row < count and 0 <= to < count):
            return False
        # Qt counts the place before the row is taken out.
        self.beginMoveRows(QModelIndex(), row, row, QModelIndex(), to + (to > row))
        rest = self._modules[:row] + self._modules[row + 1 :]
        self._modules = (*rest[:to], self._modules[row], *rest[to:])
        self.endMoveRows()
        self.order_changed.emit(tuple(module.key for module in self._modules))
        return True

    def rowCount(self, parent: ModelIndex | None = None) -> int:
        """Returns the number of modules."""
        return 0 if parent is not None and parent.isValid() else len(self._modules)

    def flags(self, index: ModelIndex) -> Qt.ItemFlag:
        """Returns flags for ticking and dragging modules; drops land between rows."""
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        flags = super().flags(index) | Qt.ItemFlag.ItemIsDragEnabled
        if index.column() == MODULE:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Returns names, kinds and the tick."""
        if not index.isValid():
            return None
        module = self._modules[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(module, index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self._text(module, index.column()))
            case Qt.ItemDataRole.CheckStateRole if index.column() == MODULE:
                return Qt.CheckState.Checked if module.included else Qt.CheckState.Unchecked
            case _ if role == MUTED_ROLE:
                return index.column() != MODULE
        return None

    def _text(self, module: ModuleRow, column: int) -> str:
        if column == MODULE:
            return module.name
        if column == KIND:
            return module.kind.title
        if self._mode is LinkMode.NONE:
            return self.tr("not linked")
        kind = linked_as(module.kind, self._mode)
        if kind is None:
            return self.tr("cannot be linked")
        as_it_is = self.tr("{kind}, as it is").format(kind=kind.title)
        return as_it_is if kind is module.kind else kind.title

    def setData(self, index: ModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ticks or untick a module."""
        checkable = index.isValid() and index.column() == MODULE
        if role != Qt.ItemDataRole.CheckStateRole or not checkable:
            return False
        row = index.row()
        included = Qt.CheckState(value) is Qt.CheckState.Checked
        changed = replace(self._modules[row], included=included)
        self._modules = (*self._modules[:row], changed, *self._modules[row + 1 :])
        self.dataChanged.emit(self.index(row, MODULE), self.index(row, GOES_IN_AS))
        self.inclusion_changed.emit(changed.key, included)
        return True

    def moveRows(
        self,
        source_parent: ModelIndex,
        source_row: int,
        count: int,
        target_parent: ModelIndex,
        before: int,
    ) -> bool:
        """Moves a single row; views call this for drags inside the table."""
        if count != 1 or source_parent.isValid() or target_parent.isValid():
            return False
        return self.move(source_row, before - (before > source_row))

    def supportedDropActions(self) -> Qt.DropAction:
        """Returns the move action: rows are moved and never copied."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Returns the type of this model's rows: no other data can be dropped."""
        return [MIME_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Returns the dragged row."""
        mime = QMimeData()
        mime.setData(MIME_TYPE, str(indexes[0].row()).encode())
        return mime

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: ModelIndex
    ) -> bool:
        """Moves the dragged row before `row`, onto `parent`, or to the end."""
        if action != Qt.DropAction.MoveAction or not data.hasFormat(MIME_TYPE):
            return False
        dragged = int(data.data(MIME_TYPE).toStdString())
        if parent.isValid():
            return self.move(dragged, parent.row())
        before = len(self._modules) if row < 0 else row
        return self.moveRows(QModelIndex(), dragged, 1, QModelIndex(), before)
