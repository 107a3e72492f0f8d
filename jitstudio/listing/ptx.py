"""The kernels of a PTX text: their names, parameters, and their use of pointers.

Whether a kernel reads or writes what its pointers point at is found by following the address in a
parameter from register to register, whatever way control takes: through moves and arithmetic to
the instructions that load from it or store to it. Where it leaves the registers, into a function or
into memory, nothing is known.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache

from jitstudio.core.launch.c_types import PTX_SCALARS, padded
from jitstudio.core.launch.request import Direction, ParameterSlot
from jitstudio.core.launch.texels import TexelUse
from jitstudio.core.launch.types import HandleKind, Opaque, Pointer, Type
from jitstudio.ptx.scanner import NAME, bare_ptx, integer_of
from jitstudio.ptx.skimming import FunctionText, instruction_at, kernel_texts, opcode_of

_NUMBER = r"0[xX][\da-fA-F]{1,9}+|0[bB][01]{1,32}+|\d{1,9}+"
_PARAMETER = re.compile(
    rf"""\s*+\.param\b
        (?:\s*+\.align\s++(?P<align>{_NUMBER})U?)?
        \s*+\.(?P<type>[a-z]\w*+)
        (?P<pointer>\s*+\.ptr\b(?:\s*+\.(?:const|global|shared|local)\b)?)?
        (?:\s*+\.align\s++(?P<behind>{_NUMBER})U?)?
        \s*+(?P<name>{NAME})
        \s*+(?P<array>\[\s*+(?P<count>{_NUMBER})?U?\s*+\])?\s*+""",
    re.VERBOSE,
)
_OPAQUE_SIZES = {"texref": 8, "samplerref": 8, "surfref": 8, "b128": 16, "f16x2": 4}


@dataclass(frozen=True)
class PtxParameter:
    """A parameter of a kernel as declared in PTX.

    Attributes:
        name: Its name in the PTX.
        type: Such as ``.f32``, ``.u64.ptr`` or ``.b8[12]``.
        slot: Where it lies.
        pointer: Whether PTX says that it is an address.
    """

    name: str
    type: str
    slot: ParameterSlot
    pointer: bool = False

    @property
    def guess(self) -> Type:
        """The most likely type, for want of a source: 64 bits are taken for an address."""
        kind = self.type.removeprefix(".")
        if self.pointer or kind in ("u64", "b64"):
            return Pointer(None)
        return PTX_SCALARS.get(kind) or Opaque(self.type, self.slot.size, self.slot.align)


def parameter_slots(ptx: str) -> dict[str, tuple[PtxParameter, ...]]:
    """Returns the parameters of every kernel that a PTX text defines, by the kernel's name.

    A kernel whose parameters cannot be read is left out.
    """
    return _slots(kernel_texts(bare_ptx(ptx)))


def _slots(kernels: Iterable[FunctionText]) -> dict[str, tuple[PtxParameter, ...]]:
    slots = {}
    for kernel in kernels:
        # A number such as 09, which is none in PTX.
        with suppress(ValueError):
            if (parameters := _parameters(kernel.parameters)) is not None:
                slots[kernel.name] = parameters
    return slots


def _parameters(text: str) -> tuple[PtxParameter, ...] | None:
    parameters: list[PtxParameter] = []
    end = 0
    for declaration in text.split(",") if text.strip() else ():
        match = _PARAMETER.fullmatch(declaration)
        size = _size_of(match["type"]) if match else None
        if match is None or size is None:
            return None
        # Behind `.ptr` it is that of what is pointed at.
        own = match["align"] or (None if match["pointer"] else match["behind"])
        align = integer_of(own) if own else size
        count = integer_of(match["count"] or "0") if match["array"] else 1
        extent = size * count
        slot = ParameterSlot(padded(end, align), extent, align)
        pointer = ".ptr" if match["pointer"] else ""
        array = f"[{count}]" if match["array"] else ""
        written = f".{match['type']}{pointer}{array}"
        parameters.append(PtxParameter(match["name"], written, slot, bool(pointer)))
        end = slot.offset + slot.size
    return tuple(parameters)


def _size_of(kind: str) -> int | None:
    scalar = PTX_SCALARS.get(kind)
    return scalar.size if scalar else _OPAQUE_SIZES.get(kind)


Access = dict[int, Direction | None]
"""What happens behind the pointers among the parameters of a kernel, by their index."""

OPERAND_NAME = re.compile(r"(?<![\w$%.])[A-Za-z_$%][\w$%]*+")
"""A register or another name among operands."""
_BRACKET = re.compile(r"[\[\]]")


class _Effect(Enum):
    """Effects of an instruction on the memory at an address."""

    READ = "read"
    WRITE = "write"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class _Memory:
    """An instruction on memory.

    Attributes:
        addresses: What it does with each of its operands in brackets; with more, as the last.
        others: What it does with registers that are in none.
    """

    addresses: tuple[tuple[_Effect, ...], ...]
    others: tuple[_Effect, ...] = ()


class _Plain(Enum):
    """An instruction that touches no memory but the parameters."""

    LOAD_PARAMETER = "ld.param"
    CARRY = "carry"
    END = "end"


_Rule = _Memory | _Plain

_READ, _WRITE, _UNKNOWN = (_Effect.READ,), (_Effect.WRITE,), (_Effect.UNKNOWN,)
_BOTH = _READ + _WRITE
_LOAD = _Memory((_READ,))
_STORE = _Memory((_WRITE,), _UNKNOWN)
_UPDATE = _Memory((_BOTH,), _UNKNOWN)
_HINT = _Memory(((),))
_ESCAPE = _Memory((_UNKNOWN,), _UNKNOWN)
# An instruction that is not listed may do anything with an address.
_UNLISTED = _Memory((_UNKNOWN,))
# By the words an opcode begins with; the most words that fit are right.
_RULES: dict[str, _Rule] = {
    **dict.fromkeys(("ld.param", "ld.param::entry", "ld.param::func"), _Plain.LOAD_PARAMETER),
    **dict.fromkeys(("ld", "ldu", "tex", "tld4", "suld", "ldmatrix", "wmma.load"), _LOAD),
    "multimem.ld_reduce": _LOAD,
    **dict.fromkeys(("st", "sust", "stmatrix", "wmma.store", "multimem.st"), _STORE),
    **dict.fromkeys(("atom", "red", "sured", "multimem.red"), _UPDATE),
    "cp.async": _Memory((_WRITE, _READ, _BOTH)),
    "cp.reduce.async": _Memory((_BOTH, _READ, _BOTH)),
    # The map of a tensor holds an address that is not its own.
    **dict.fromkeys(("cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor"), _UNLISTED),
    **dict.fromkeys(("prefetch", "prefetchu", "applypriority", "txq", "suq"), _HINT),
    **dict.fromkeys(("cp.async.bulk.prefetch", "createpolicy"), _HINT),
    "discard": _Memory((_WRITE,)),
    "call": _ESCAPE,
    **dict.fromkeys(("setp", "set", "isspacep", "bra", "bar", "barrier", "ret"), _Plain.END),
}
# No address is computed in floating point, nor in predicates.
_FLOATING = frozenset(["f16", "f16x2", "bf16", "bf16x2", "tf32", "f32", "f32x2", "f64", "pred"])
_DIRECTIONS = {
    (True, False): Direction.IN,
    (False, True): Direction.OUT,
    (True, True): Direction.INOUT,
}


@dataclass(frozen=True)
class KernelUse:
    """The use of a kernel's 64-bit parameters.

    Attributes:
        access: `Direction.IN` for what is only read, `OUT` for what is only written; None where
            neither is seen or where the address goes to where nobody can follow.
        texels: Those that are textures and surfaces, by their index.
    """

    access: Access
    texels: dict[int, TexelUse]


def kernel_uses(ptx: str) -> dict[str, KernelUse]:
    """Returns the use of the parameters of kernels in a PTX text, by lowered names."""
    bare = bare_ptx(ptx)
    kernels = tuple(kernel_texts(bare))
    slots = _slots(kernels)
    return {
        kernel.name: _use(slots[kernel.name], bare[kernel.body : kernel.end])
        for kernel in kernels
        if kernel.name in slots
    }


def _use(parameters: Iterable[PtxParameter], body: str) -> KernelUse:
    flow = Flow.of(body)
    wide = [(i, p.name) for i, p in enumerate(parameters) if isinstance(p.guess, Pointer)]
    fetches = fetches_of(flow.statements)
    texels = {i: use for i, name in wide if (use := use_of(flow.registers(name), fetches))}
    return KernelUse({i: flow.direction(name) for i, name in wide}, texels)


@dataclass(frozen=True)
class Flow:
    """The flow of values in a function.

    Attributes:
        loaded: The registers that are loaded from a parameter, by what represents its address.
        carried: The registers that are computed from each name.
        touched: The names in addresses, and others that come to memory, by what is done with them.
        statements: Opcode and operands of each instruction.
    """

    loaded: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    carried: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    touched: dict[_Effect, set[str]] = field(default_factory=lambda: {e: set() for e in _Effect})
    statements: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, body: str) -> Flow:
        """Returns the flow in the instructions of a function."""
        flow = cls()
        for statement in body.split(";"):
            if instruction := instruction_at(statement):
                opcode, operands = opcode_of(instruction), instruction["operands"]
                flow.statements.append((opcode, operands))
                flow._add(_rule(opcode), operands)
        return flow

    def direction(self, parameter: str) -> Direction | None:
        """Returns the direction of access behind a pointer; None if unknown or unseen."""
        # A parameter has an address itself, and a compiler may choose between two of them.
        places = self._reached((parameter,))
        if not all(places.isdisjoint(names) for names in self.touched.values()):
            return None
        reached = self.registers(parameter)
        read, written, unknown = (not reached.isdisjoint(self.touched[e]) for e in _Effect)
        return None if unknown else _DIRECTIONS.get((read, written))

    def effects_on(self, variable: str) -> tuple[bool, bool, bool]:
        """Returns whether a variable is read, is written, or goes to where nobody can follow."""
        reached = self.reached_from(variable)
        read, written, unknown = (not reached.isdisjoint(self.touched[e]) for e in _Effect)
        return read, written, unknown

    def reached_from(self, variable: str) -> set[str]:
        """Returns a variable's name with the registers that the address may come to."""
        return self._reached((variable,))

    def registers(self, parameter: str) -> set[str]:
        """Returns the registers that a parameter may come to."""
        places = self._reached((parameter,))
        return self._reached(r for place in places for r in self.loaded.get(place, ()))

    def _reached(self, registers: Iterable[str]) -> set[str]:
        """Returns all registers that values may come to from these."""
        reached = set(registers)
        waiting = list(reached)
        while waiting:
            new = set(self.carried.get(waiting.pop(), ())) - reached
            reached |= new
            waiting += new
        return reached

    def _add(self, rule: _Rule, operands: str) -> None:
        if rule is _Plain.END:
            return
        if rule is _Plain.CARRY and "[" in operands:
            rule = _UNLISTED
        if isinstance(rule, _Memory):
            self._touch(rule, operands)
            return
        into = self.loaded if rule is _Plain.LOAD_PARAMETER else self.carried
        names = OPERAND_NAME.findall(operands)
        results = 1
        if operands.startswith("{"):
            results = operands.partition("}")[0].count(",") + 1
        for source in names[results:]:
            into[source] += names[:results]

    def _touch(self, memory: _Memory, operands: str) -> None:
        """Takes note of the names inside and outside of brackets, which take turns."""
        parts = _BRACKET.split(operands)
        for number, address in enumerate(parts[1::2]):
            self._note(memory.addresses[min(number, len(memory.addresses) - 1)], address)
        if memory.others:
            for other in parts[::2]:
                self._note(memory.others, other)

    def _note(self, effects: tuple[_Effect, ...], operand: str) -> None:
        names = OPERAND_NAME.findall(operand)
        for effect in effects:
            self.touched[effect].update(names)


@lru_cache(maxsize=4096)
def _rule(opcode: str) -> _Rule:
    words = opcode.split(".")
    for count in range(len(words), 0, -1):
        if rule := _RULES.get(".".join(words[:count])):
            return rule
    return _Plain.END if words[-1] in _FLOATING else _Plain.CARRY


# ---- Which parameters are textures and surfaces, and what their texels may be

_HANDLE = re.compile(r"\[\s*+(?P<name>[\w$%]++)")
_RESULTS = re.compile(r"\{(?P<names>[^{}]*+)\}")
_KINDS = {
    "tex": HandleKind.TEXTURE,
    "tld4": HandleKind.TEXTURE,
    "txq": HandleKind.TEXTURE,
    "suld": HandleKind.SURFACE,
    "sust": HandleKind.SURFACE,
    "sured": HandleKind.SURFACE,
    "suq": HandleKind.SURFACE,
}
_AXES = {"1d": 1, "2d": 2, "3d": 3}
# What is read as so many bits in one register; four integers are most likely a colour.
_ELEMENTS = {
    "f32": ("float", "float2", "float4"),
    "u32": ("unsigned int", "uint2", "uchar4"),
    "s32": ("int", "int2", "int4"),
    "b8": ("unsigned char", "uchar2", "uchar4"),
    "b16": ("unsigned short", "ushort2", "ushort4"),
    "b32": ("float", "float2", "float4"),
    "b64": ("int2", "int4", "int4"),
}
_USUAL = 2


_FETCH = re.compile(r"(?<![\w.$%])(?:tex|tld4|suld|sust|sured)\s*+\.")


def reaches_texels(ptx: str) -> bool:
    """Returns whether a PTX text has an instruction on textures or surfaces."""
    return _FETCH.search(ptx) is not None


@dataclass(frozen=True)
class Fetch:
    """An instruction on texels.

    Attributes:
        handle: The register or parameter that says which.
        use: What it does with them.
        is_access: Whether it reads or writes them rather than asks how large they are.
    """

    handle: str
    use: TexelUse
    is_access: bool


def fetches_of(statements: Iterable[tuple[str, str]]) -> list[Fetch]:
    """Returns the instructions on texels in a kernel, by opcode and operands of all."""
    statements = list(statements)
    if not any(opcode.partition(".")[0] in _KINDS for opcode, _ in statements):
        return []
    named = Counter(name for _, operands in statements for name in OPERAND_NAME.findall(operands))
    return [
        _fetch(opcode.split("."), operands, handle["name"], named)
        for opcode, operands in statements
        if opcode.partition(".")[0] in _KINDS and (handle := _HANDLE.search(operands))
    ]


def _fetch(words: list[str], operands: str, handle: str, named: Counter[str]) -> Fetch:
    axes = next((_AXES[word] for word in words if word in _AXES), 0)
    types = [word for word in words if word in _ELEMENTS]
    kinds = _ELEMENTS[types[0]] if types else _ELEMENTS["f32"]
    used = 1
    if words[0] == "tex" and (results := _RESULTS.match(operands)):
        names = [name.strip() for name in results["names"].split(",")]
        used = max((n for n, name in enumerate(names, 1) if named[name] > 1), default=1)
    elif words[0] in ("suld", "sust"):
        used = next((int(word[1]) for word in words if word in ("v2", "v4")), 1)
    linear = words[0] == "tex" and axes == 1 and words[-1] == "s32"
    element = kinds[min(used - 1, 2)]
    use = TexelUse(_KINDS[words[0]], axes or _USUAL, element, linear)
    return Fetch(handle, use, words[0] not in ("txq", "suq"))


def use_of(registers: Container[str], fetches: Iterable[Fetch]) -> TexelUse | None:
    """Returns the use of the texels that any of these registers stands for; None if unused."""
    own = [fetch for fetch in fetches if fetch.handle in registers]
    return max(own, key=lambda fetch: fetch.is_access).use if own else None
