"""Names of the constants in the machine code that is looked at."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.sass.constant_names import ConstantNames, NamedConstant
from jitstudio.core.launch.request import KernelForm
from jitstudio.gui.kit.background import Background
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection


class ConstantAt(NamedTuple):
    """A constant at a place of the listing.

    Attributes:
        constant: The operand with its names.
        span: Its columns in the line: the first, and the one behind the last.
        form: The kernel by its declaration or PTX; None where neither is known.
    """

    constant: NamedConstant
    span: tuple[int, int]
    form: KernelForm | None


class _Forms(NamedTuple):
    inspection: Inspection
    by_name: dict[str, KernelForm]


class ConstantNamings(QObject):
    """Reads the signatures of the kernels in the background, the first time that names are wanted.

    Signals:
        known: The names of the current inspection are known now.
    """

    known = Signal()

    def __init__(self, disassembly: CurrentDisassembly, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disassembly = disassembly
        self._wanted: Inspection | None = None
        self._forms: _Forms | None = None
        self._names: dict[str, ConstantNames] = {}
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)

    @property
    def is_known(self) -> bool:
        """Whether the names of the current inspection are known, or there is no inspection."""
        inspection = self._disassembly.current
        return inspection is None or (
            self._forms is not None and self._forms.inspection is inspection
        )

    def want(self) -> None:
        """Reads the signatures for the current inspection, unless that is done."""
        inspection = self._disassembly.current
        if inspection is not None and inspection is not self._wanted:
            self._wanted = inspection
            self._reading.start(_reading(inspection))

    def at(self, line: int, text: str, column: int) -> ConstantAt | None:
        """Returns the constant at a place of the SASS; None without one that has a name.

        Args:
            line: The line, from 0.
            text: Its text, as it is shown.
            column: The column, from 0.
        """
        self.want()
        inspection, forms = self._disassembly.current, self._forms
        spot = inspection.rows.spot(line) if inspection is not None else None
        if inspection is None or forms is None or spot is None or not self.is_known:
            return None
        operands = spot.function.operands[spot.index]
        start = text.find(operands) if operands else -1
        if start < 0:
            return None
        kernel = spot.function.name
        if kernel not in self._names:
            self._names[kernel] = ConstantNames(
                inspection.code.constants, kernel, forms.by_name.get(kernel)
            )
        named = self._names[kernel].named(spot.function.opcodes[spot.index], operands)
        for constant in named:
            span = start + constant.span[0], start + constant.span[1]
            if span[0] <= column < span[1]:
                return ConstantAt(constant, span, forms.by_name.get(kernel))
        return None

    @Slot(object)
    def _on_read(self, forms: _Forms) -> None:
        self._forms, self._names = forms, {}
        self.known.emit()


def _reading(inspection: Inspection) -> Callable[[Event], _Forms]:
    def read(_stop: Event) -> _Forms:
        from jitstudio.listing.kernels.forms import unit_forms

        return _Forms(
            inspection, unit_forms(inspection.request, inspection.result, inspection.name)
        )

    return read
