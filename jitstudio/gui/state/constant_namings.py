"""Names of the constants in the machine code that is looked at."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.sass.constant_names import ConstantNames, NamedConstant
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.reading import InstructionRef
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
        self._names: dict[SassFunction, ConstantNames] = {}
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
        inspection = self._disassembly.current
        spot = inspection.rows.spot(line) if inspection is not None else None
        if spot is None:
            return None
        operands = spot.function.operands[spot.index]
        start = text.find(operands) if operands else -1
        for constant in self._named(spot) if start >= 0 else ():
            span = start + constant.span[0], start + constant.span[1]
            if span[0] <= column < span[1]:
                return ConstantAt(constant, span, self._form(spot.function.name))
        return None

    def names_of(self, spot: InstructionRef) -> str:
        """Returns the names of the constants of an instruction; empty until they are known."""
        return ", ".join(constant.name for constant in self._named(spot))

    def _named(self, spot: InstructionRef) -> tuple[NamedConstant, ...]:
        function, inspection = spot.function, self._disassembly.current
        if inspection is None or not self.is_known:
            return ()
        if function not in self._names:
            if inspection.code.function(function.name) is not function:
                # Of the listing before, which is shown until this one is.
                return ()
            form, banks = self._form(function.name), inspection.code.constants
            self._names[function] = ConstantNames(banks, function.name, form)
        return self._names[function].named(
            function.opcodes[spot.index], function.operands[spot.index]
        )

    def _form(self, kernel: str) -> KernelForm | None:
        return self._forms.by_name.get(kernel) if self._forms is not None else None

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
