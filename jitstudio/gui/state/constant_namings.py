"""Names of constants and registers in the machine code that is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.sass.constant_names import ConstantNames, NamedConstant
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.analysis.sass.operands import REGISTER, decode
from jitstudio.analysis.sass.reading import InstructionRef
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.request import KernelForm
from jitstudio.core.prebuilt import machine_code
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection
from jitstudio.listing.sass import NameInPlace, TextExtent, with_names
from jitstudio.simulator.ptx.register_variables import RegisterVariable, register_variables

_CONSTANT = "c[0x"


class ConstantAt(NamedTuple):
    """A constant at a place of the listing.

    Attributes:
        constant: The operand with its names.
        form: The kernel by its declaration or PTX; None where neither is known.
    """

    constant: NamedConstant
    form: KernelForm | None


class RegisterAt(NamedTuple):
    """A register at a place of the listing.

    Attributes:
        register: The register.
        variables: The variables of the source that it holds, each with the register of that part.
        span: Its columns in the line.
    """

    register: str
    variables: Sequence[RegisterVariable]
    span: tuple[int, int]


@dataclass(frozen=True, eq=False)
class NamedListing:
    """The constants and registers with a name in a listing.

    Attributes:
        inspection: The machine code.
        constants: By the line, from 0; their columns are those of the line.
        forms: The kernels by their declarations or PTX.
        names: What is drawn in place of the constants, by the line.
        extent: How much room the lines take with these names.
        registers: The variables in registers by function, as a build with -G says.
    """

    inspection: Inspection
    constants: Mapping[int, Sequence[NamedConstant]]
    forms: Mapping[str, KernelForm]
    names: Mapping[int, Sequence[NameInPlace]]
    extent: TextExtent | None
    registers: Mapping[str, Sequence[RegisterVariable]] = field(default_factory=dict)


class ConstantNamings(QObject):
    """Names the constants of a listing in the background, the first time that names are wanted.

    Signals:
        known: The names of the current inspection are known now.
        failed: They cannot be read; the reason, a sentence.
    """

    known = Signal()
    failed = Signal(str)

    def __init__(self, disassembly: CurrentDisassembly, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._disassembly = disassembly
        self._wanted: Inspection | None = None
        self._listing: NamedListing | None = None
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._reading.failed.connect(self.failed)

    @property
    def listing(self) -> NamedListing | None:
        """The names in the current inspection; None until they are known."""
        named = self._listing
        return named if named and named.inspection is self._disassembly.current else None

    @property
    def is_known(self) -> bool:
        """Whether the names of the current inspection are known, or there is no inspection."""
        return self._disassembly.current is None or self.listing is not None

    def want(self) -> None:
        """Names the constants of the current inspection, unless that is done."""
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
        named, spot = self.listing, self._spot(line, text)
        if named is None or spot is None:
            return None
        for constant in named.constants.get(line, ()):
            if constant.span[0] <= column < constant.span[1]:
                return ConstantAt(constant, named.forms.get(spot.function.name))
        return None

    def register_at(self, line: int, text: str, column: int) -> RegisterAt | None:
        """Returns the register at a place of the SASS; None where no variable is known.

        Args:
            line: The line, from 0.
            text: Its text, as it is shown.
            column: The column, from 0.
        """
        named, spot = self.listing, self._spot(line, text)
        if named is None or spot is None or spot.function.name not in named.registers:
            return None
        function, operands = spot.function, spot.function.operands[spot.index]
        start, address = text.find(operands), function.addresses[spot.index]
        uses = decode(function.opcodes[spot.index], operands).uses
        matches = REGISTER.finditer(operands) if start >= 0 else ()
        for match, use in zip(matches, uses, strict=False):
            first, end = start + match.start(), start + match.end()
            if not (first <= column < end and match[1].startswith("R")):
                continue
            numbers = range(int(match[1][1:]), int(match[1][1:]) + use.size)
            variables = [
                variable
                for variable in named.registers[function.name]
                if variable.register in numbers and variable.is_in(address, as_result=use.is_result)
            ]
            return RegisterAt(match[1], variables, (first, end)) if variables else None
        return None

    def _spot(self, line: int, text: str) -> InstructionRef | None:
        """Returns the instruction on a line; None where another text than the named is shown."""
        named = self.listing
        spot = named.inspection.rows.spot(line) if named is not None else None
        if named is None or spot is None or text != named.inspection.listing.lines[line]:
            return None
        return spot

    def names_of(self, line: int) -> str:
        """Returns the names of the constants of an instruction; empty until they are known."""
        named = self.listing
        constants = named.constants.get(line, ()) if named is not None else ()
        return ", ".join(constant.name for constant in constants)

    @Slot(object)
    def _on_read(self, named: NamedListing) -> None:
        self._listing = named
        self.known.emit()


def _reading(inspection: Inspection) -> Callable[[Event], NamedListing]:
    def read(stop: Event) -> NamedListing:
        from jitstudio.listing.kernels.forms import unit_forms

        forms = unit_forms(inspection.request, inspection.result, inspection.name)
        named = named_listing(inspection, forms, stop)
        cubin = machine_code(inspection.request, inspection.result, inspection.name)
        variables = register_variables(cubin.content if cubin is not None else b"")
        functions = (f for f in inspection.code.functions if f.name in variables)
        registers = {
            f.name: tuple(from_first_write(variable, f) for variable in variables[f.name])
            for f in functions
        }
        return replace(named, registers=registers)

    return read


def from_first_write(variable: RegisterVariable, function: SassFunction) -> RegisterVariable:
    """Returns a variable that begins where the register is written first.

    That of a variable narrower than a register is written by PRMT, which keeps the other bits: the
    debug information counts the register from the start of the function on.
    """
    begin = function.index_of(variable.begin)
    # The arguments of a function are there from address 0 on.
    if not variable.is_written or begin <= 0:
        return variable
    for index in range(begin, function.code_length):
        if (address := function.addresses[index]) >= variable.end:
            break
        for use in decode(function.opcodes[index], function.operands[index]).uses:
            if use.is_result and 0 <= variable.register - use.register < use.size:
                return variable._replace(begin=address)
    return variable


def named_listing(
    inspection: Inspection, forms: Mapping[str, KernelForm], stop: Event
) -> NamedListing:
    """Names the constants of a listing; takes half a second for 88,000 instructions."""
    namers: dict[SassFunction, ConstantNames] = {}
    constants: dict[int, tuple[NamedConstant, ...]] = {}
    for line, text in enumerate(Paced(inspection.listing.lines, stop)):
        spot = inspection.rows.spot(line) if _CONSTANT in text else None
        if spot is None:
            continue
        function, operands = spot.function, spot.function.operands[spot.index]
        if function not in namers:
            form = forms.get(function.name)
            namers[function] = ConstantNames(inspection.code.constants, function.name, form)
        named = namers[function].named(function.opcodes[spot.index], operands)
        start = text.find(operands)
        if named and start >= 0:
            constants[line] = tuple(
                replace(x, span=(start + x.span[0], start + x.span[1])) for x in named
            )
    names = {n: tuple(NameInPlace(*x.span, x.name) for x in xs) for n, xs in constants.items()}
    shown = list(inspection.listing.lines)
    for line, in_line in names.items():
        shown[line] = with_names(shown[line], in_line)
    extent = TextExtent.of(Paced(shown, stop), CodeKind.SASS) if names else None
    return NamedListing(inspection, constants, forms, names, extent)
