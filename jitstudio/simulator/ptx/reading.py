"""Reads PTX text into a `PtxProgram`.

Follows "Syntax", "State Spaces, Types, and Variables" and "Directives" of the PTX ISA. An error
names the line of the text; an unknown instruction is read all the same, as it may never be
executed.
"""

from __future__ import annotations

import math
import struct
from collections import ChainMap
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from jitstudio.core.line_table_paths import plain_path
from jitstudio.ptx.constants import ABOVE_COMPARISONS, BEGINNINGS, constant, integer, offset
from jitstudio.ptx.initialisers import SymbolAddress, initialiser
from jitstudio.ptx.opcodes import JUMPS, LEAVING
from jitstudio.ptx.skimming import Place, file_names, without_tile_ir
from jitstudio.ptx.tokens import PtxTokens
from jitstudio.simulator.ptx.program import (
    NO_PLACE,
    AddressOperand,
    BracketOperand,
    ImmediateOperand,
    PairOperand,
    PtxFunction,
    PtxInstruction,
    PtxOperand,
    PtxProgram,
    PtxSourceLine,
    PtxVariable,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from jitstudio.simulator.ptx.types import TYPES, PtxType

_LINKING = frozenset([".extern", ".visible", ".weak", ".common"])
_SPACES = frozenset([".global", ".const", ".shared", ".local", ".param", ".tex"])
# Of functions, with the number of integers behind each: PTX ISA, "Performance-Tuning Directives"
# and "Cluster Dimension Directives".
_OF_FUNCTIONS = {
    ".maxnreg": 1, ".maxntid": 3, ".reqntid": 3, ".minnctapersm": 1, ".maxnctapersm": 1,
    ".reqnctapercluster": 3, ".maxclusterrank": 1, ".abi_preserve": 1, ".abi_preserve_control": 1,
    ".language": 1, ".noreturn": 0, ".explicitcluster": 0, ".blocksareclusters": 0, ".unique": 0,
}  # fmt: skip
# Handles of 64 bits: PTX ISA, "Texture Sampler and Surface Types".
_OPAQUE = {".texref": 8, ".samplerref": 8, ".surfref": 8}
# PTX ISA, "Vectors as Operands": elements are .x .y .z .w or .r .g .b .a.
_VECTOR_PARTS = ("xyzw", "rgba")
_MOST_REGISTERS = 1_000_000
_MOST_BYTES = 1 << 30


class _Declared(NamedTuple):
    """A register, a variable or a vector of registers that a name stands for in a scope."""

    register: str = ""
    variable: str = ""
    vector: int = 0


def read_program(text: str) -> PtxProgram:
    """Returns the functions, instructions and variables of a PTX text.

    Raises:
        PtxReadError: If the text cannot be read.
    """
    reader = _Reader(without_tile_ir(text))
    try:
        return reader.program()
    except RecursionError:
        raise reader.error("brackets are nested too deeply here") from None
    except (ArithmeticError, struct.error):
        raise reader.error("a number here does not fit its type") from None


class _Reader(PtxTokens):
    """Goes through the tokens of a text once."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._version, self._target = "", ""
        self.variables: dict[str, PtxVariable] = {}
        self._functions: dict[str, PtxFunction] = {}
        self._declared: set[str] = set()
        self.instructions: list[PtxInstruction] = []
        self.place = NO_PLACE
        self.chain: tuple[PtxSourceLine, ...] = ()
        self._chains: dict[Place, tuple[PtxSourceLine, ...]] = {}
        self._files = {n: plain_path(name) for n, name in file_names(text, self.bare).items()}

    def program(self) -> PtxProgram:
        """Returns the program of the whole text."""
        while self.peek().kind != "end":
            self._module_statement()
        return PtxProgram(
            self._version,
            self._target,
            self.variables,
            self._functions,
            frozenset(self._declared - self._functions.keys()),
            tuple(self.instructions),
            self.text,
        )

    # The module.

    def _module_statement(self) -> None:
        token = self.peek()
        if token.text in (".loc", ".file"):
            self.locate()
        elif token.text == ".version":
            self.position += 1
            self._version = self.take().text
        elif token.text == ".target":
            targets = self.targets()
            self._target = self._target or targets[0]
        elif token.text == ".address_size":
            self.position += 1
            if integer(self) != 64:
                raise self.error("only PTX with 64-bit addresses can be simulated")
        # Debug information, which `simulator.ptx.debug_info` reads from the text when it is needed.
        elif token.text == ".section":
            self.position += 1
            self.dot_word()
            if not self.is_next("{"):
                self.expect("{")
            self.skip_braces()
        elif token.text == ".pragma" or token.text == ".alias":
            self.skip_to(";")
        elif token.text == ";":
            self.position += 1
        else:
            self._declaration()

    def _declaration(self) -> None:
        self.attributes()
        token = self.peek()
        if token.text in (".entry", ".func"):
            self.position += 1
            self._function(token.text == ".entry")
        elif token.text in _SPACES:
            for variable in self.variable_list():
                self.variables.setdefault(variable.name, variable)
        elif token.text == ".reg":
            raise self.error("registers are declared in functions only")
        else:
            raise self.error(f"“{token.text[:40]}” begins no statement of PTX")

    def attributes(self) -> None:
        """Reads linking and attributes of a function or variable."""
        while True:
            if self.accept(".attribute"):
                self.skip_parentheses()
            elif self.peek().text in _LINKING:
                self.position += 1
            else:
                return

    def targets(self) -> list[str]:
        """Reads a ``.target``."""
        self.expect(".target")
        targets = [self.word()]
        while self.accept(","):
            targets.append(self.word())
        return targets

    def locate(self) -> None:
        """Reads a ``.file`` (`file_names` has all of them), or takes in a ``.loc``.

        No semicolon ends these directives: an instruction may follow on the same line.
        """
        if self.accept(".file"):
            self.number()
            while self.peek().kind == "string":
                self.position += 1
            while self.accept(","):
                self.number()
            return
        self.expect(".loc")
        place, self.chain = self._place(), ()
        if self.accept(","):
            self.expect("function_name")
            self.word()
            if self.accept("+"):
                self.number()
            self.expect(",")
            self.expect("inlined_at")
            call = self._place()
            # `inlined_at` names the place of the call, which may itself be of an inlined function.
            self.chain = (self._source(call), *self._chains.get(call, ()))[:64]
        self.place = self._source(place)
        self._chains[place] = self.chain

    def _place(self) -> Place:
        return self.number(), self.number(), self.number()

    def _source(self, place: Place) -> PtxSourceLine:
        return PtxSourceLine(self._files.get(place[0], ""), place[1])

    # Variables.

    def variable_list(self, ends: str = ";") -> list[PtxVariable]:
        """Reads a declaration of variables up to its end."""
        space = self.take().text[1:]
        # PTX ISA, "Texture State Space (deprecated)": equivalent to a .texref in .global.
        space = "global" if space == "tex" else space
        head = self._variable_head()
        variables = [self._variable(space, *head)]
        while self.accept(","):
            variables.append(self._variable(space, *head))
        self.expect(ends)
        return variables

    def _variable_head(self) -> tuple[str, int, int]:
        """Reads type, elements of a vector and alignment, between space and name."""
        align, vector = 0, 1
        while True:
            text = self.peek().text
            if text == ".align":
                self.position += 1
                align = integer(self)
            elif text == ".attribute":
                self.position += 1
                self.skip_parentheses()
            elif text in (".v2", ".v4", ".v8"):
                self.position += 1
                vector = int(text[2:])
            elif text in (".ptr", ".global", ".const", ".shared", ".local") or text.startswith(
                ".param"
            ):
                self.position += 1
            elif text in _OPAQUE or text[1:] in TYPES:
                self.position += 1
                if self.is_next(".ptr"):
                    self._pointer()
                return text, vector, align
            else:
                raise self.error(f"a type is expected here, and there is “{text[:40]}”")

    def _pointer(self) -> None:
        self.position += 1
        while self.peek().text in (".global", ".const", ".shared", ".local", ".param"):
            self.position += 1
        if self.accept(".align"):
            integer(self)

    def _variable(self, space: str, kind: str, vector: int, align: int) -> PtxVariable:
        name = self.word()
        element = _OPAQUE.get(kind) or TYPES[kind[1:]].size
        # `.global .b8 a[] = "x"` has the size of the initialiser, `.extern .shared .b8 a[]` none.
        size, unsized, type_text = element * vector, False, kind
        while self.accept("["):
            if self.accept("]"):
                unsized, type_text = True, f"{type_text}[]"
                continue
            count = integer(self)
            size *= count
            type_text += f"[{count}]"
            self.expect("]")
        if not 0 <= size <= _MOST_BYTES:
            raise self.error(f"{name} takes {size:,} bytes, which is too much to simulate")
        data: bytes | None = None
        addresses: tuple[SymbolAddress, ...] = ()
        if self.accept("="):
            data, addresses = initialiser(self, element)
            if unsized:
                size = len(data)
            data = data[:size].ljust(size, b"\0")
        elif unsized:
            size = 0
        return PtxVariable(name, space, size, align or element * vector, data, addresses, type_text)

    # Functions.

    def _function(self, is_kernel: bool) -> None:
        line = self.line()
        self.attributes()
        results = self.parameter_list() if self.is_next("(") else []
        name = self.word()
        parameters = self.parameter_list() if self.is_next("(") else []
        block: tuple[int, int, int] | None = None
        cluster: tuple[int, int, int] | None = None
        most = 0
        while not self.is_next("{"):
            word = self.peek().text
            if word == ";" or self.peek().kind == "end":
                self.accept(";")
                self._declared.add(name)
                return
            if word == ".pragma":
                self.skip_to(";")
                continue
            if word not in _OF_FUNCTIONS:
                raise self.error(f"“{word[:40]}” is not a directive of a function that is known")
            self.position += 1
            extent = self._extent() if _OF_FUNCTIONS[word] else (1, 1, 1)
            if word == ".reqntid":
                block = extent
            elif word == ".maxntid":
                most = math.prod(extent)
            elif word == ".reqnctapercluster":
                cluster = extent
        start = len(self.instructions)
        # A function without a line table has no lines, whatever is in front of it.
        self.place, self.chain, self._chains = NO_PLACE, (), {}
        body = _Body(self, name, parameters, results)
        body.read()
        self._functions[name] = PtxFunction(
            name,
            is_kernel,
            start,
            len(self.instructions),
            tuple(parameters),
            tuple(results),
            body.registers,
            body.variables,
            line,
            block,
            most,
            cluster,
            body.labels,
            body.tables,
            body.prototypes,
        )

    def _extent(self) -> tuple[int, int, int]:
        numbers = [integer(self)]
        while self.accept(","):
            numbers.append(integer(self))
        # PTX ISA, `.maxntid`: extents that are left out are 1.
        x, y, z = (*numbers, 1, 1)[:3]
        return x, y, z

    def parameter_list(self) -> list[PtxVariable]:
        self.expect("(")
        parameters: list[PtxVariable] = []
        while not self.accept(")"):
            space = self.dot_word()
            if space == ".reg":
                kind = self.dot_word()
                if kind[1:] not in TYPES:
                    raise self.error(f"“{kind[:40]}” is not a type")
                size = TYPES[kind[1:]].size
                parameters.append(PtxVariable(self.word(), "reg", size, size, type=kind))
            else:
                head = self._variable_head()
                parameters.append(self._variable("param", *head))
            if not self.is_next(")"):
                self.expect(",")
        return parameters


class _Body:
    """The instructions and declarations between the braces of a function."""

    def __init__(
        self,
        reader: _Reader,
        function: str,
        parameters: list[PtxVariable],
        results: list[PtxVariable],
    ) -> None:
        self._r = reader
        self._function = function
        self._start = len(reader.instructions)
        self._calls = False
        self.registers: dict[str, PtxType] = {}
        self.variables: dict[str, PtxVariable] = {}
        self.labels: dict[str, int] = {}
        self.tables: dict[str, tuple[str, ...]] = {}
        self.prototypes: dict[str, tuple[tuple[PtxVariable, ...], tuple[PtxVariable, ...]]] = {}
        # A `.param` in an inner scope may have the name of a register outside.
        self._frame_names = ChainMap[str, Any](self.registers, self.variables)
        self._scopes: list[dict[str, _Declared]] = [{}]
        # Labels may be used before their scope ends: uses are resolved at the end, by the scopes
        # that were open at them.
        self._uses: list[tuple[int, tuple[int, ...]]] = []
        self._scope_ids = [0]
        self._scope_count = 0
        self._labels_of: dict[tuple[int, str], str] = {}
        for parameter in (*parameters, *results):
            if parameter.space == "reg":
                self._add_register(parameter.name, TYPES[parameter.type[1:]])
            else:
                self._scopes[0][parameter.name] = _Declared(variable=parameter.name)

    def read(self) -> None:
        """Reads up to the brace that ends the function."""
        r = self._r
        r.expect("{")
        depth, end = 1, 0
        while depth:
            token = r.peek()
            if token.text in (".loc", ".file"):
                r.locate()
            elif token.text == "{":
                r.position += 1
                depth += 1
                self._scope_count += 1
                self._scopes.append({})
                self._scope_ids.append(self._scope_count)
            elif token.text == "}":
                end = r.line()
                r.position += 1
                depth -= 1
                if depth:
                    self._scopes.pop()
                    self._scope_ids.pop()
            elif token.text == ";":
                r.position += 1
            elif token.kind == "dot":
                self._directive(token.text)
            elif token.kind == "word" and r.tokens[r.position + 1].text == ":":
                r.position += 2
                self._label(token.text)
            else:
                self._instruction()
        self._resolve_labels()
        if self._reaches_end():
            number = len(r.instructions)
            r.instructions.append(
                PtxInstruction(
                    number, "ret", (), (), (), None, end, r.place, r.chain, "ret", self._function
                )
            )

    def _reaches_end(self) -> bool:
        """Returns whether control comes to the end of the function, where ptxas adds a `ret`."""
        body = self._r.instructions[self._start :]
        if not body or body[-1].guard is not None or body[-1].opcode not in LEAVING:
            return True
        at_end = {name for name, at in self.labels.items() if at == len(self._r.instructions)}
        # Debug information has a label at the end that no branch leads to.
        targets = {o.name for i in body for o in i.operands if isinstance(o, SymbolOperand)}
        targets.update(name for table in self.tables.values() for name in table)
        return not at_end.isdisjoint(targets)

    # Declarations.

    def _directive(self, word: str) -> None:
        r = self._r
        if word == ".reg":
            self._register_list()
        elif word == ".pragma":
            r.skip_to(";")
        elif word == ".target":
            r.targets()
        else:
            r.attributes()
            if r.peek().text not in _SPACES:
                raise r.error(
                    f"“{r.peek().text[:40]}” is not a directive that is known in a function"
                )
            for variable in r.variable_list():
                self._add_variable(variable)

    def _register_list(self) -> None:
        r = self._r
        r.position += 1
        vector = 1
        word = r.dot_word()
        if word == ".align":
            integer(r)
            word = r.dot_word()
        if word in (".v2", ".v4"):
            vector = int(word[2:])
            word = r.dot_word()
        if word[1:] not in TYPES:
            raise r.error(f"“{word[:40]}” is not a type of registers")
        kind = TYPES[word[1:]]
        while True:
            name = r.word()
            if r.accept("<"):
                count = integer(r, ABOVE_COMPARISONS)
                r.expect(">")
                if count + len(self.registers) > _MOST_REGISTERS:
                    raise r.error(f"{count:,} registers are too many to simulate")
                for index in range(count):
                    self._declare_register(f"{name}{index}", kind, vector)
            else:
                self._declare_register(name, kind, vector)
            if not r.accept(","):
                break
        r.expect(";")

    def _declare_register(self, name: str, kind: PtxType, vector: int) -> None:
        if vector == 1:
            self._add_register(name, kind)
            return
        self._scopes[-1][name] = _Declared(vector=vector)
        for parts in _VECTOR_PARTS:
            for part, canonical in zip(parts[:vector], "xyzw", strict=False):
                unique = f"{name}.{canonical}"
                self.registers.setdefault(unique, kind)
                self._scopes[-1][f"{name}.{part}"] = _Declared(register=unique)

    def _add_register(self, name: str, kind: PtxType) -> None:
        unique = _unique(name, self._frame_names)
        self.registers[unique] = kind
        self._scopes[-1][name] = _Declared(register=unique)

    def _add_variable(self, variable: PtxVariable) -> None:
        if variable.space in ("param", "local"):
            unique = _unique(variable.name, self._frame_names)
            self.variables[unique] = replace(variable, name=unique)
        else:  # shared, global and constant variables live as long as the module
            unique = variable.name
            if unique in self._r.variables:
                unique = f"{self._function}.{variable.name}"
                unique = _unique(unique, self._r.variables)
            self._r.variables[unique] = replace(variable, name=unique)
        self._scopes[-1][variable.name] = _Declared(variable=unique)

    def _label(self, name: str) -> None:
        r = self._r
        word = r.peek().text
        if word in (".branchtargets", ".calltargets"):
            r.position += 1
            targets = [r.word()]
            while r.accept(","):
                targets.append(r.word())
            r.expect(";")
            self.tables[name] = tuple(targets)
        elif word == ".callprototype":
            r.position += 1
            results = r.parameter_list() if r.is_next("(") else []
            r.word()  # _
            parameters = r.parameter_list() if r.is_next("(") else []
            r.skip_to(";")
            self.prototypes[name] = tuple(results), tuple(parameters)
        else:
            unique = _unique(name, self.labels)
            self.labels[unique] = len(r.instructions)
            self._labels_of[self._scope_ids[-1], name] = unique

    # Instructions.

    def _instruction(self) -> None:
        r = self._r
        line, guard, sign = r.line(), None, tuple[str, ...]()
        if r.accept("@"):
            negated = r.accept("!")
            name = r.word()
            predicate = self._name(name)
            if not isinstance(predicate, RegisterOperand):
                raise r.error(f"{name} is not a predicate")
            guard = RegisterOperand(predicate.name, negated)
            sign = (f"@{'!' * negated}{name}",)
        token = r.peek()
        if token.kind != "word":
            raise r.error(f"an instruction is expected here, and there is “{token.text[:40]}”")
        full_opcode = self._dotted(r.word())
        opcode, modifiers, types = _words(full_opcode)
        behind = r.peek().at
        self._calls = opcode == "call"
        operands: list[PtxOperand] = []
        if not r.is_next(";"):
            operands.append(self._operand())
            while r.accept(","):
                operands.append(self._operand())
        end = r.peek().at
        r.expect(";")
        if opcode == "call":
            operands = _call_operands(operands)
        number = len(r.instructions)
        self._uses.append((number, tuple(self._scope_ids)))
        r.instructions.append(
            PtxInstruction(
                number,
                opcode,
                modifiers,
                types,
                tuple(operands),
                guard,
                line,
                r.place,
                r.chain,
                " ".join((*sign, full_opcode, *r.bare[behind:end].split())),
                self._function,
            )
        )

    def _operand(self) -> PtxOperand:
        first = self._simple_operand()
        if self._r.accept("|"):
            return PairOperand(first, self._simple_operand())
        return first

    def _simple_operand(self) -> PtxOperand:
        r = self._r
        if r.is_next("{") and self._calls:
            raise r.error("the arguments and results of a call stand in parentheses")
        if r.accept("{"):
            return VectorOperand(self._list("}"))
        if r.is_next("(") and not self._calls:
            return ImmediateOperand(*constant(r).number)
        if r.accept("("):
            return VectorOperand(self._list(")"))
        if r.accept("["):
            return self._address()
        if r.is_next("!") and r.tokens[r.position + 1].kind == "word":
            r.position += 1
            operand = self._simple_operand()
            if not isinstance(operand, RegisterOperand):
                raise r.error("only a predicate can be negated")
            return RegisterOperand(operand.name, not operand.negated)
        token = r.peek()
        if token.kind == "number" or token.text in BEGINNINGS or token.text == "WARP_SZ":
            return ImmediateOperand(*constant(r).number)
        name = self._dotted(r.word())
        operand = self._name(name)
        if isinstance(operand, SymbolOperand):
            return SymbolOperand(operand.name, operand.offset + offset(r))
        return operand

    def _dotted(self, word: str) -> str:
        """Returns a word with its parts behind dots, such as ``.x`` of ``%tid .x``."""
        r = self._r
        while r.peek().kind == "dot":
            word += r.take().text
        return word

    def _list(self, end: str) -> tuple[PtxOperand, ...]:
        r = self._r
        parts: list[PtxOperand] = []
        while not r.accept(end):
            parts.append(self._operand())
            if not r.is_next(end):
                r.expect(",")
        return tuple(parts)

    def _address(self) -> PtxOperand:
        r = self._r
        base = self._simple_operand()
        if r.accept(","):
            return BracketOperand((base, *self._list("]")))
        if not isinstance(base, (RegisterOperand, SymbolOperand, ImmediateOperand)):
            raise r.error("an address is a register, a name or a number")
        added = offset(r)
        if r.accept(","):
            return BracketOperand((base, *self._list("]")))
        r.expect("]")
        if isinstance(base, SymbolOperand):
            return AddressOperand(SymbolOperand(base.name), base.offset + added)
        return AddressOperand(base, added)

    def _name(self, name: str) -> PtxOperand:
        """Returns the operand that a name stands for here; labels and functions stay names."""
        for scope in reversed(self._scopes):
            if (declared := scope.get(name)) is not None:
                if declared.vector:
                    return VectorOperand(
                        tuple(RegisterOperand(f"{name}.{p}") for p in "xyzw"[: declared.vector])
                    )
                if declared.register:
                    return RegisterOperand(declared.register)
                return SymbolOperand(declared.variable)
        if name.startswith("%"):
            return RegisterOperand(name)
        return SymbolOperand(name)

    def _resolve_labels(self) -> None:
        """Replaces labels of inner scopes by their unique names."""
        if len(self._labels_of) == len({name for _, name in self._labels_of}):
            return
        for number, scopes in self._uses:
            instruction = self._r.instructions[number]
            if instruction.opcode not in JUMPS:
                continue
            operands = tuple(self._resolved(o, scopes) for o in instruction.operands)
            self._r.instructions[number] = replace(instruction, operands=operands)

    def _resolved(self, operand: PtxOperand, scopes: tuple[int, ...]) -> PtxOperand:
        if isinstance(operand, SymbolOperand):
            for scope in reversed(scopes):
                if (unique := self._labels_of.get((scope, operand.name))) is not None:
                    return SymbolOperand(unique)
        return operand


def _unique(name: str, taken: object) -> str:
    """Returns a name that is not taken, with a number added where needed."""
    assert hasattr(taken, "__contains__")
    if name not in taken:
        return name
    count = 2
    while f"{name}#{count}" in taken:
        count += 1
    return f"{name}#{count}"


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, tuple[str, ...], tuple[PtxType, ...]]:
    """Returns the opcode, its modifiers and its types."""
    opcode, *words = text.split(".")
    modifiers = tuple(word for word in words if word not in TYPES)
    return opcode, modifiers, tuple(TYPES[word] for word in words if word in TYPES)


def _call_operands(operands: list[PtxOperand]) -> list[PtxOperand]:
    """Returns results, function, parameters and the prototype, if any."""
    if not operands or not isinstance(operands[0], VectorOperand):
        # `call f, (%r1);` returns nothing, `call f;` takes nothing, either.
        operands = [VectorOperand(()), *operands]
    if len(operands) < 3 or not isinstance(operands[2], VectorOperand):
        operands = [*operands[:2], VectorOperand(()), *operands[2:]]
    return operands
