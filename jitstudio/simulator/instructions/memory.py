"""Loads, stores and addresses: `ld st mov cvta isspacep prefetch` and their relatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jitstudio.simulator.instructions.table import (
    SPACES,
    AddsRows,
    Binding,
    Step,
    form,
    is_one_of,
    is_sink,
)
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    BracketOperand,
    PtxOperand,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from jitstudio.simulator.ptx.types import BITS, PREDICATE, TYPES, TypeKind
from jitstudio.simulator.state.faults import UnsupportedInstruction
from jitstudio.simulator.state.frames import Frame
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.loads_stores import load, store
from jitstudio.simulator.state.memory import CLUSTER_BITS, WINDOWS
from jitstudio.simulator.state.model import StateSpace
from jitstudio.simulator.state.wave import Wave

# PTX ISA, "Operation types": a strong operation is a fence, or has .relaxed, .acquire, .release,
# .acq_rel, .volatile or .mmio.
_STRONG = frozenset(["volatile", "relaxed", "acquire", "release", "mmio"])
_MOVED = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
_SHARED_WORDS = "shared/shared::cta/shared::cluster"
_PARAM_WORDS = "param/param::entry/param::func"
_SCOPES = "cta/cluster/gpu/sys"
_VECTOR = "v2/v4/v8"
_EVICTION = "L1::evict_normal/L1::evict_unchanged/L1::evict_first/L1::evict_last/L1::no_allocate"
_PREFETCH = "L2::64B/L2::128B/L2::256B"


def _moves(
    opcode: str, ordered: str, orders: dict[str, str], spaces: str, caching: str, size: str
) -> AddsRows:
    """Adds the rows of `ld` or `st`.

    Args:
        opcode: The opcode.
        ordered: Orders of memory that have a scope.
        orders: By what is needed for an order of memory, the state spaces that it is for.
        spaces: State spaces of plain accesses.
        caching: Operators of the cache.
        size: The words for sizes of prefetches.
    """

    def add(bind: Callable[[Binding], Step]) -> Callable[[Binding], Step]:
        form(opcode, _MOVED, words=f"weak {spaces} {caching} {_VECTOR}", count=2)(bind)
        for order, others in orders.items():
            form(opcode, _MOVED, needs=order, words=f"{others} {_VECTOR}", count=2)(bind)
        hints = f"{_EVICTION} {size} global {_VECTOR}"
        for needs, count in (("", 2), ("L2::cache_hint", 3)):
            words = f"weak {caching}/{hints}"
            form(opcode, _MOVED, needs=needs, words=words, count=count)(bind)
            needs = f"{ordered} {_SCOPES} {needs}"
            form(opcode, _MOVED, needs=needs, words=hints, count=count)(bind)
        return bind

    return add


_HINTS = f"{_EVICTION} {_PREFETCH}"


@_moves(
    "ld",
    "relaxed/acquire",
    {
        "volatile": f"global/{_SHARED_WORDS}/local {_PREFETCH}",
        f"relaxed/acquire {_SCOPES}": _SHARED_WORDS,
        "mmio relaxed sys": "global",
    },
    f"global/{_SHARED_WORDS}/local/const/{_PARAM_WORDS}",
    "ca/cg/cs/lu/cv",
    _PREFETCH,
)
@form("ld", _MOVED, needs="global nc", words=f"ca/cg/cs {_PREFETCH} {_VECTOR}", count=2)
@form("ld", _MOVED, needs="global nc", words=f"{_HINTS} {_VECTOR}", count=2)
@form("ld", _MOVED, needs="global nc L2::cache_hint", words=f"{_HINTS} {_VECTOR}", count=3)
@form("ldu", _MOVED, words="global v2/v4", count=2)
def ld(b: Binding) -> Step:
    first, address = b.instruction.operands[:2]
    if isinstance(address, BracketOperand):
        raise UnsupportedInstruction("its address has more than one part")
    parts = b.elements(first)
    if b.type.bits == 128:
        raise UnsupportedInstruction("elements of 128 bits are not simulated. Load two of .b64")
    in_vector = isinstance(first, VectorOperand)
    targets = [
        None if in_vector and is_sink(part) else b.target(part, b.type, wider=True)
        for part in parts
    ]
    space, dtype = b.space, b.type.dtype
    if (
        space is StateSpace.PARAM
        and isinstance(address, AddressOperand)
        and isinstance(address.base, SymbolOperand)
    ):
        # Parameters of functions are registers here; a kernel's are constant for all threads.
        return _move_from_parameter(b, address, targets)
    find = b.address(address)
    strong = b.any_of(_STRONG)
    count = len(targets)
    if count == 1 and targets[0] is not None:
        target = targets[0]

        def step(wave: Wave, f: Frame, s: Selection) -> None:
            f[target][s] = load(wave, space, find(f, s), dtype, 1, s, strong=strong)[0]

        return step

    def step_vector(wave: Wave, f: Frame, s: Selection) -> None:
        values = load(wave, space, find(f, s), dtype, count, s, strong=strong)
        for target, value in zip(targets, values, strict=True):
            if target is not None:
                f[target][s] = value

    return step_vector


def _move_from_parameter(b: Binding, address: AddressOperand, targets: list[int | None]) -> Step:
    assert isinstance(address.base, SymbolOperand)
    moves = []
    for index, target in enumerate(targets):
        offset = address.offset + address.base.offset + index * b.type.size
        slot = b.parameter(address.base.name, b.type.dtype, offset)
        if slot is None:
            raise UnsupportedInstruction(f"{address.base.name} is not a parameter")
        if target is not None:
            moves.append((target, slot))

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        for target, slot in moves:
            f[target][s] = f[slot][s]

    return step


@_moves(
    "st",
    "relaxed/release",
    {
        "volatile": f"global/{_SHARED_WORDS}/local",
        f"relaxed/release {_SCOPES}": _SHARED_WORDS,
        "mmio relaxed sys": "global",
    },
    f"global/{_SHARED_WORDS}/local/param/param::func",
    "wb/cg/cs/wt",
    "",
)
def st(b: Binding) -> Step:
    address, value = b.instruction.operands[:2]
    parts = b.elements(value)
    if b.type.bits == 128:
        raise UnsupportedInstruction("elements of 128 bits are not simulated. Store two of .b64")
    sources = [b.source(part, b.type, wider=True) for part in parts]
    space = b.space
    if (
        space is StateSpace.PARAM
        and isinstance(address, AddressOperand)
        and isinstance(address.base, SymbolOperand)
    ):
        # `st.param` passes an argument to a call, or returns a result.
        slots = []
        for index in range(len(sources)):
            offset = address.offset + address.base.offset + index * b.type.size
            slot = b.parameter(address.base.name, b.type.dtype, offset)
            if slot is None:
                raise UnsupportedInstruction(f"{address.base.name} is not a parameter")
            slots.append(slot)

        def step_parameter(_wave: Wave, f: Frame, s: Selection) -> None:
            for slot, source in zip(slots, sources, strict=True):
                f[slot][s] = f[source][s]

        return step_parameter
    if space is StateSpace.PARAM:
        raise UnsupportedInstruction("it names no parameter")
    find = b.address(address)
    strong = b.any_of(_STRONG)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        store(wave, space, find(f, s), [f[source][s] for source in sources], s, strong=strong)

    return step


# Moves.

_WHOLE = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"


@form("mov", _WHOLE, count=2)
def mov(b: Binding) -> Step:
    target, source = b.instruction.operands
    # `mov.b64 %rd, {%r1, %r2}` packs, `mov.b64 {%r1, %r2}, %rd` unpacks.
    is_vector = isinstance(source, VectorOperand) or isinstance(target, VectorOperand)
    if is_vector and b.type.kind is not TypeKind.BITS:
        raise UnsupportedInstruction("vectors are moved as bits, such as by mov.b64")
    if isinstance(source, VectorOperand):
        return _pack(b, target, source)
    if isinstance(target, VectorOperand):
        return _unpack(b, target, source)
    # All other special registers are arrays that never change while a wave runs.
    if isinstance(source, RegisterOperand) and source.name in CLOCKS:
        return _move_dynamic(b, target, source.name)
    if isinstance(source, SymbolOperand):
        return _move_address(b, target, source)
    place, value = b.target(target, b.type), b.source(source, b.type)
    name = source.name if isinstance(source, RegisterOperand) else ""

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[place][s] = f[value][s]

    def step_of_hardware(wave: Wave, f: Frame, s: Selection) -> None:
        wave.inexact[name] = f"{name} ({_HARDWARE[name]})"
        f[place][s] = f[value][s]

    return step_of_hardware if name in _HARDWARE else step


def _move_address(b: Binding, target: PtxOperand, source: SymbolOperand) -> Step:
    place = b.target(target, BITS[b.type.bits])
    variable = b.image.program.variables.get(source.name)
    if b.type.bits < 64 and variable is not None and variable.type.endswith("ref"):
        raise UnsupportedInstruction(f"{source.name} has an address of 64 bits")
    find = b.addresses(source)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[place][s] = find(f, s)

    return step


def _pack(b: Binding, target: PtxOperand, source: VectorOperand) -> Step:
    """Binds a move of elements into one register, the first element into the lowest bits."""
    width = b.type.bits // len(source.parts)
    part_type, kind = BITS[width], BITS[b.type.bits]
    place = b.target(target, kind)
    parts = [b.source(part, part_type) for part in source.parts]
    dtype = kind.dtype

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        value = f[parts[0]][s].astype(dtype)
        for index, part in enumerate(parts[1:], 1):
            value |= f[part][s].astype(dtype) << dtype.type(index * width)
        f[place][s] = value

    return step


def _unpack(b: Binding, target: VectorOperand, source: PtxOperand) -> Step:
    width = b.type.bits // len(target.parts)
    part_type, kind = BITS[width], BITS[b.type.bits]
    value = b.source(source, kind)
    places = [None if is_sink(p) else b.target(p, part_type) for p in target.parts]
    dtype = kind.dtype

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        whole = f[value][s]
        parts = [
            (whole >> dtype.type(i * width)).astype(part_type.dtype) for i in range(len(places))
        ]
        for place, part in zip(places, parts, strict=True):
            if place is not None:
                f[place][s] = part

    return step


@form("mov", "pred", count=2)
def mov_predicate(b: Binding) -> Step:
    target, source = b.instruction.operands
    place, (value, negated) = b.target(target, PREDICATE), b.predicate(source)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[place][s] = f[value][s] ^ negated

    return step


# Special registers with other values on a GPU, or that change while a wave runs.

_HARDWARE = dict.fromkeys(
    ("%warpid", "%nwarpid"),
    "the place of a warp in a multiprocessor of a GPU; compute it from %tid",
) | dict.fromkeys(("%smid", "%nsmid"), "which multiprocessor of a GPU it is")

CLOCKS = frozenset(
    ["%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"]
)


def _move_dynamic(b: Binding, target: PtxOperand, name: str) -> Step:
    """Binds a read of a clock, which counts the steps of the simulation."""
    wide = b.register_type(RegisterOperand(name)).bits
    if b.type.bits != wide:
        raise UnsupportedInstruction(f"{name} has {wide} bits")
    place = b.target(target, BITS[wide])
    upper = name.endswith("_hi")
    # A step counts as a cycle, and as a nanosecond.
    mask = (1 << b.type.bits) - 1

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        wave.clock_reads += 1
        wave.inexact[name] = f"{name} (counts the steps of the simulation)"
        now = wave.clock + wave.waited
        f[place][s] = (now >> 32 if upper else now) & mask

    return step


# Addresses.

_WINDOW_BY_WORD = {word: WINDOWS.get(space, 0) for word, space in SPACES.items()}
_GENERIC = f"global/{_SHARED_WORDS}/local/const/param/param::entry"


@form("cvta", "u64 u32", needs=_GENERIC, count=2)
def cvta(b: Binding) -> Step:
    return _converted_address(b, 1)


@form("cvta.to", "u64 u32", needs=_GENERIC, count=2)
def cvta_to(b: Binding) -> Step:
    return _converted_address(b, -1)


def _converted_address(b: Binding, sign: int) -> Step:
    target, source = b.instruction.operands
    space = next(w for w in b.instruction.modifiers if w in SPACES)
    # The window of global memory begins at 0: its addresses are generic ones (PTX ISA, "Generic
    # Addressing").
    shift = sign * _WINDOW_BY_WORD[space]
    place = b.target(target, b.type)
    if isinstance(source, SymbolOperand):
        if sign < 0:
            raise UnsupportedInstruction(f"{source.name} is not a register, and one is needed here")
        b.check_space(source.name, b.space)
    find = b.addresses(source, kind=b.type)

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[place][s] = find(f, s) + shift

    return step


@form("isspacep", needs=_GENERIC, count=2)
def isspacep(b: Binding) -> Step:
    target, source = b.instruction.operands
    word = next(w for w in b.instruction.modifiers if w in SPACES)
    if isinstance(source, SymbolOperand):
        raise UnsupportedInstruction(f"{source.name} is not a register, and one is needed here")
    place, find = b.target(target, PREDICATE), b.addresses(source)
    space = SPACES[word]
    windows = sorted(WINDOWS.values())

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        addresses = find(f, s)
        if space is StateSpace.GLOBAL:
            inside = (addresses < windows[0]) | (addresses >= windows[-1] + (1 << 36))
        else:
            inside = (addresses - WINDOWS[space] >> 36) == 0
            if word != "shared::cluster" and space is StateSpace.SHARED:
                # `.shared` means `.shared::cta`: addresses of the own block have no rank.
                inside &= (addresses & 0xFFFFFFFF) >> CLUSTER_BITS == 0
        f[place][s] = inside

    return step


def nothing(_b: Binding) -> Step:
    """Binds a hint, which changes no value."""

    def step(_wave: Wave, _f: Frame, _s: Selection) -> None:
        return

    return step


def _hint_at_address(b: Binding) -> Step:
    address, *sizes = b.instruction.operands
    b.address(address)
    if sizes:
        _one_of(sizes[0], range(128, 129))
    return nothing(b)


def hint_with_number(numbers: range) -> Callable[[Binding], Step]:
    """Returns a function that binds a hint with one of some numbers."""

    def bind(b: Binding) -> Step:
        _one_of(b.instruction.operands[0], numbers)
        return nothing(b)

    return bind


def _one_of(operand: PtxOperand, numbers: range) -> None:
    if not is_one_of(operand, numbers):
        raise UnsupportedInstruction(
            f"a number from {numbers[0]} to {numbers[-1]} by steps of {numbers.step} is needed"
        )


for _opcode, _needs, _words, _count in (
    ("prefetch", "L1/L2", "global/local", 1),
    ("prefetch", "global L2::evict_last/L2::evict_normal", "", 1),
    ("prefetch", "tensormap", "const/param", 1),
    ("prefetchu", "L1", "", 1),
    ("applypriority", "L2::evict_normal", "global", 2),
    ("discard", "L2", "global", 2),
):
    form(_opcode, needs=_needs, words=_words, count=_count)(_hint_at_address)
form("pmevent", count=1)(hint_with_number(range(16)))
form("pmevent.mask", count=1)(hint_with_number(range(1 << 16)))
form("griddepcontrol", needs="launch_dependents/wait", count=[0])(nothing)
# The number of registers of a warp is no limit here. PTX ISA, `setmaxnreg`: a multiple of 8.
form("setmaxnreg.inc/dec", "u32", needs="sync aligned", count=1)(
    hint_with_number(range(24, 257, 8))
)
_PRIORITY = "L2::evict_last/L2::evict_normal/L2::evict_first/L2::evict_unchanged"


@form("createpolicy.fractional", "b64", needs=_PRIORITY, count=(1, 2))
@form("createpolicy.fractional", "b64", needs=f"{_PRIORITY} {_PRIORITY}", count=(1, 2))
@form("createpolicy.range", "b64", needs=_PRIORITY, words="global", count=4)
@form("createpolicy.range", "b64", needs=f"{_PRIORITY} {_PRIORITY}", words="global", count=4)
@form("createpolicy.cvt", "b64", needs="L2", count=2)
def createpolicy(b: Binding) -> Step:
    """Binds the creation of a cache policy, which changes no value."""
    _, *others = b.instruction.operands
    # PTX ISA, `createpolicy`: the primary priority, and that of all other accesses.
    _, *other = [word for word in b.instruction.modifiers if word.startswith("L2::")] or [""]
    if other and other[0] in ("L2::evict_last", "L2::evict_normal"):
        raise UnsupportedInstruction(f".{other[0]} is a priority of the first accesses only")
    if b.has("range"):
        b.address(others[0])
        for size in others[1:]:
            b.source(size, TYPES["u32"])
    elif others:
        b.source(others[0], TYPES["f32" if b.has("fractional") else "b64"])
    place = b.target(b.instruction.operands[0], TYPES["u64"])

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        f[place][s] = np.uint64(0)

    return step


@form("mapa", "u32 u64", words="shared::cluster", count=3)
def mapa(b: Binding) -> Step:
    """Binds the mapping of an address to the shared memory of another block of the cluster."""
    target, source, rank = b.instruction.operands
    if isinstance(source, SymbolOperand):
        b.check_space(source.name, StateSpace.SHARED)
    place, find = b.target(target, b.type), b.addresses(source, kind=b.type)
    ranks = b.source(rank, TYPES["u32"])

    def step(_wave: Wave, f: Frame, s: Selection) -> None:
        addresses = find(f, s)
        low = addresses & ((1 << CLUSTER_BITS) - 1)
        high = addresses >> 32 << 32
        f[place][s] = high | low | ((f[ranks][s].astype(np.int64) + 1) << CLUSTER_BITS)

    return step


@form("getctarank", "u32 u64", words="shared::cluster", count=2)
def getctarank(b: Binding) -> Step:
    target, source = b.instruction.operands
    if isinstance(source, SymbolOperand):
        b.check_space(source.name, StateSpace.SHARED)
    place, find = b.target(target, TYPES["u32"]), b.addresses(source, kind=b.type)

    def step(wave: Wave, f: Frame, s: Selection) -> None:
        ranks = (find(f, s) & 0xFFFFFFFF) >> CLUSTER_BITS
        own_rank = wave.slots[s] % wave.layout.cluster_blocks
        f[place][s] = np.where(ranks > 0, ranks - 1, own_rank)

    return step
