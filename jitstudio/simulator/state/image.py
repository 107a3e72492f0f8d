"""Addresses, stacks and initial content of the variables of a program, for one kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jitstudio.core.launch.request import ADDRESS_BYTES
from jitstudio.simulator.ptx.linking import own_names
from jitstudio.simulator.ptx.program import (
    AddressOperand,
    BracketOperand,
    PairOperand,
    PtxFunction,
    PtxOperand,
    PtxProgram,
    PtxVariable,
    RegisterOperand,
    SymbolOperand,
    VectorOperand,
)
from jitstudio.simulator.state.heap import HEAP_BYTES, Heap
from jitstudio.simulator.state.memory import WINDOWS, Arena, Region, global_arena
from jitstudio.simulator.state.model import FilledVariable, SimulatedLaunch, StateSpace
from jitstudio.simulator.state.special import SCRATCH
from jitstudio.simulator.state.texels import TexelArray

CODE_BASE = 0x7D00_0000_0000
"""The address of the first function; the others follow, `CODE_STEP` apart."""

CODE_STEP = 128
GRID_WORKSPACE = "the workspace of the grid"
"""A variable of cooperative launches in global memory, for the barrier of all blocks."""

_WORKSPACE_BYTES = 256
# `multi_warp_scratch` in cooperative_groups/details/memory.h is no larger.
_SCRATCH_BYTES = 288
# Above these bits stands the rank of a block: see `CLUSTER_BITS`.
_SHARED_END = 1 << 24


class ImageError(ValueError):
    """Variables that cannot be placed; the message is a sentence."""


@dataclass
class Image:
    """The memory of a kernel and of all functions that it may call.

    Attributes:
        program: The PTX.
        kernel: The kernel.
        functions: The kernel and the functions that it may call, by name.
        codes: The addresses of functions.
        spaces: The space of each variable that they use.
        addresses: The address of each variable in its space.
        locals: Offsets of local variables in the stack frame, by function and name.
        frame_bytes: Bytes of the stack frame of each function.
        parameters: Offsets of the kernel's parameters.
        shared_size: Bytes of shared memory of a block, dynamic and reserved ones included.
        reserved: How many of these, the last, are reserved for cooperative groups.
        dynamic: The offset of dynamic shared memory.
        global_arena: Global memory with the variables and the allocations.
        constant_arena: Constant memory.
        heap: The heap of `malloc`; None where nothing calls it.
        texels: Textures and surfaces by their handles.
    """

    program: PtxProgram
    kernel: PtxFunction
    functions: dict[str, PtxFunction]
    codes: dict[str, int]
    global_arena: Arena
    constant_arena: Arena
    spaces: dict[str, str] = field(default_factory=dict)
    addresses: dict[str, int] = field(default_factory=dict)
    locals: dict[str, dict[str, int]] = field(default_factory=dict)
    frame_bytes: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)
    shared_size: int = 0
    reserved: int = 0
    dynamic: int = 0
    heap: Heap | None = None
    texels: dict[int, TexelArray] = field(default_factory=dict)

    @property
    def is_recursive(self) -> bool:
        """Whether a function may call itself, directly or by way of others."""
        instructions = self.program.instructions
        calls = {
            name: {
                callee
                for instruction in instructions[function.start : function.end]
                for operand in instruction.operands
                for callee in _names(operand)
                if callee in self.functions
            }
            for name, function in self.functions.items()
        }
        # A function that calls none of the remaining ones cannot be part of a circle.
        while ends := [name for name, callees in calls.items() if not callees & calls.keys()]:
            for name in ends:
                del calls[name]
        return bool(calls)

    @property
    def local_bytes(self) -> int:
        """Bytes of local memory of a thread that has called every function once."""
        return max(sum(self.frame_bytes.values()), 16)

    def generic(self, name: str) -> int:
        """Returns the generic address of a variable."""
        space = self.spaces[name]
        windows = {s.value: base for s, base in WINDOWS.items()}
        return self.addresses[name] + windows.get(space, 0)


def make_image(program: PtxProgram, kernel: PtxFunction, launch: SimulatedLaunch) -> Image:
    """Returns the memory of a kernel, with all variables placed and filled.

    Raises:
        ImageError: If variables or allocations do not fit.
    """
    used, functions = _used(program, kernel)
    variables = [v for name, v in program.variables.items() if name in used]
    in_global = [v for v in variables if v.space == "global"]
    in_constant = [v for v in variables if v.space == "const"]
    try:
        extents = [(v.name, v.size, v.align) for v in in_global]
        if launch.cooperative:
            extents.append((GRID_WORKSPACE, _WORKSPACE_BYTES, 16))
        heap_bytes = HEAP_BYTES if "malloc" in used else 0
        arena, global_addresses = global_arena(extents, launch.allocations, heap_bytes)
    except ValueError as error:
        raise ImageError(f"The allocations of the launch cannot be placed: {error}.") from None
    constants, constant_size = _laid_out(in_constant, 0)
    regions = tuple(
        Region(constants[v.name], constants[v.name] + v.size, v.name) for v in in_constant
    )
    constant = Arena.of(StateSpace.CONSTANT, 0, constant_size, regions)
    constant.read_only = True
    image = Image(
        program,
        kernel,
        functions,
        {name: CODE_BASE + i * CODE_STEP for i, name in enumerate(functions)},
        arena,
        constant,
        heap=Heap(arena) if heap_bytes else None,
        texels={bound.handle: TexelArray(bound, arena) for bound in launch.bound},
    )
    _place_shared(image, [v for v in variables if v.space == "shared"], launch)
    # Tiles of more than a warp exchange values there; it lies behind the dynamic shared memory.
    if SCRATCH in used:
        image.reserved = _SCRATCH_BYTES
        image.shared_size = -(-image.shared_size // 16) * 16 + _SCRATCH_BYTES
    for variable in in_global + in_constant:
        image.spaces[variable.name] = variable.space
    image.addresses |= global_addresses | constants
    for name, function in functions.items():
        local = [v for v in function.variables.values() if v.space == "local"]
        image.locals[name], image.frame_bytes[name] = _laid_out(local, 0)
        image.frame_bytes[name] = -(-image.frame_bytes[name] // 16) * 16
    image.parameters, _ = _laid_out(kernel.parameters, 0)
    for variable in in_global:
        start = image.addresses[variable.name] - arena.base
        # Variables without an initialiser are zero (PTX ISA, "Global State Space").
        arena.fill(start, _content(image, variable))
    if launch.cooperative:
        # Size of the workspace, then the barrier: `grid_workspace` in
        # cooperative_groups/details/helpers.h.
        workspace = _WORKSPACE_BYTES.to_bytes(4, "little").ljust(_WORKSPACE_BYTES, b"\0")
        arena.fill(image.addresses[GRID_WORKSPACE] - arena.base, workspace)
    for variable in in_constant:
        constant.fill(image.addresses[variable.name], _content(image, variable))
    for filled in launch.variables:
        _fill(image, filled)
    return image


def place_of(image: Image, symbol: str) -> tuple[Arena, slice] | None:
    """Returns arena and bytes of a module variable; None for a variable the kernel does not use.

    Of variables that several modules call by one name, the kernel's counts.
    """
    name = symbol if symbol in image.addresses else ""
    name = name or next((n for n in image.addresses if own_names(n) == symbol), "")
    arena = {"global": image.global_arena, "const": image.constant_arena}.get(
        image.spaces.get(name, "")
    )
    if arena is None:
        return None
    start = image.addresses[name] - arena.base
    return arena, slice(start, start + image.program.variables[name].size)


def _fill(image: Image, filled: FilledVariable) -> None:
    """Fills a module variable with the content from the launch."""
    if (variable_place := place_of(image, filled.symbol)) is None:
        return
    arena, place = variable_place
    data = bytearray(arena.data[place].tobytes() if filled.data is None else filled.data)
    if len(data) != place.stop - place.start:
        raise ImageError(
            f"{filled.name} has {len(data):,} bytes in the source and "
            f"{place.stop - place.start:,} in the PTX. Build again, so that both agree."
        )
    for at, address in filled.addresses.items():
        data[at : at + ADDRESS_BYTES] = address.to_bytes(ADDRESS_BYTES, "little")
    arena.fill(place.start, bytes(data))


def parameter_bytes(kernel: PtxFunction) -> int:
    """Returns the bytes of the parameter space of a kernel."""
    return _laid_out(kernel.parameters, 0)[1]


def _laid_out(variables: Iterable[PtxVariable], start: int) -> tuple[dict[str, int], int]:
    """Returns the offsets of variables that follow one another, and the end of the last."""
    offsets: dict[str, int] = {}
    for variable in variables:
        align = max(variable.align, 1)
        start = -(-start // align) * align
        offsets[variable.name] = start
        start += variable.size
    return offsets, start


def _place_shared(image: Image, variables: list[PtxVariable], launch: SimulatedLaunch) -> None:
    static = [v for v in variables if v.size]
    dynamic = [v for v in variables if not v.size]
    offsets, size = _laid_out(static, 0)
    align = max((v.align for v in dynamic), default=16)
    # CUDA C++ Programming Guide, "__shared__": all external arrays begin at the same address.
    image.dynamic = -(-size // max(align, 16)) * max(align, 16)
    for variable in dynamic:
        offsets[variable.name] = image.dynamic
    image.shared_size = image.dynamic + launch.shared_bytes if launch.shared_bytes else size
    if image.shared_size >= _SHARED_END:
        raise ImageError(
            f"A block takes {image.shared_size:,} bytes of shared memory, and there is no GPU "
            "with that many. Ask for fewer."
        )
    image.addresses |= offsets
    image.spaces |= dict.fromkeys(offsets, "shared")


def _content(image: Image, variable: PtxVariable) -> bytes:
    data = bytearray(variable.data or bytes(variable.size))
    for at in variable.addresses:
        if at.symbol in image.codes:
            address = image.codes[at.symbol]
        elif at.symbol in image.addresses:
            name = at.symbol
            address = image.generic(name) if at.generic else image.addresses[name]
        else:
            raise ImageError(
                f"{variable.name} is to hold the address of {at.symbol}, which is not defined. "
                "Link the module that defines it."
            )
        # PTX ISA, "Initializers": `mask(symbol)` takes one byte of an address, by its shift.
        value = ((address + at.addend) >> at.shift) & ((1 << (8 * at.size)) - 1)
        data[at.offset : at.offset + at.size] = value.to_bytes(at.size, "little")
    return bytes(data)


def _used(program: PtxProgram, kernel: PtxFunction) -> tuple[set[str], dict[str, PtxFunction]]:
    """Returns the names that a kernel needs, and the functions among them."""
    used: set[str] = set()
    functions: dict[str, PtxFunction] = {}
    waiting = [kernel.name]
    while waiting:
        name = waiting.pop()
        if name in used:
            continue
        used.add(name)
        if (function := program.functions.get(name)) is not None:
            functions[name] = function
            for instruction in program.instructions[function.start : function.end]:
                for operand in instruction.operands:
                    waiting += _names(operand)
            # Targets of calls through pointers may be used nowhere else.
            for table in function.tables.values():
                waiting += table
        elif (variable := program.variables.get(name)) is not None:
            # A table of function pointers makes all of its functions needed.
            waiting += [at.symbol for at in variable.addresses]
    return used, dict(sorted(functions.items(), key=lambda item: item[1].start))


def _names(operand: PtxOperand) -> list[str]:
    match operand:
        case SymbolOperand(name):
            return [name]
        case RegisterOperand(name) if name == SCRATCH:
            return [name]
        case AddressOperand(SymbolOperand(name)):
            return [name]
        case VectorOperand(parts) | BracketOperand(parts):
            return [name for part in parts for name in _names(part)]
        case PairOperand(first, second):
            return _names(first) + _names(second)
    return []
