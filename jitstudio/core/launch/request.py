"""A launch, ready for the worker: nothing in a request needs to be looked up any more.

Also the kernel as its source declares it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.device import SIMULATOR, Dim3
from jitstudio.core.launch.spec import RunSettings
from jitstudio.core.launch.texels import Texels, TexelUse
from jitstudio.core.launch.types import Type

ADDRESS_BYTES = 8


class Direction(Enum):
    """Whether a kernel reads a buffer, writes to the buffer, or both."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


class FillKind(Enum):
    """Where the content of a buffer comes from.

    `UNFILLED`: from nowhere, so that who reads it before it is written is found: by the simulator,
    and by compute-sanitizer's initcheck.
    """

    ZEROS = "zeros"
    CONSTANT = "constant"
    RANGE = "range"
    RANDOM = "random"
    FILE = "file"
    EXPRESSION = "expr"
    VALUES = "values"
    INITIAL = "initial"
    UNFILLED = "unfilled"


@dataclass(frozen=True)
class Fill:
    """The content of a buffer before the launch.

    Attributes:
        kind: Where it comes from.
        numbers: `CONSTANT`: the value, or real and imaginary part of a complex one. `RANGE`: start
            and step. `RANDOM`: the seed, then the lowest and the highest value.
        text: `FILE`: the path, absolute; with ``::name`` behind it for an array of an .npz file.
            `EXPRESSION`: a NumPy expression over the other arguments and ``i``, the indices.
        data: `VALUES`: the bytes of all elements. `INITIAL`, what a module variable holds by
            itself: its bytes; empty where they are not known.
    """

    kind: FillKind = FillKind.ZEROS
    numbers: tuple[float | int, ...] = ()
    text: str = ""
    data: bytes = b""


@dataclass(frozen=True)
class ValueArgument:
    """An argument passed by value.

    Attributes:
        name: The parameter's.
        type: The type of the value.
        offset: Bytes from the start of the parameter space.
        data: The bytes that the kernel reads.
        number: The number in expressions; None where the value is no single number.
        members: The numbers inside by path, such as ``view.n``.
    """

    name: str
    type: Type
    offset: int
    data: bytes
    number: float | int | bool | None = None
    members: tuple[tuple[str, float | int | bool], ...] = ()

    @property
    def slot_bytes(self) -> int:
        """Bytes of the parameter space that the value takes."""
        return len(self.data)


@dataclass(frozen=True)
class Buffer:
    """So many elements that a kernel gets by their address, a texture, a surface or a name.

    Attributes:
        name: The parameter's; of a pointer in a struct its path, such as ``view.data``, of one in a
            buffer of pointers that with its index, such as ``rows[0]``.
        element: The type of an element.
        offset: Bytes to the address or handle from the start of the parameter space, or of the
            buffer that it is in.
        length: Elements; 0 for a null pointer or handle.
        fill: The content before the launch.
        direction: Whether the kernel reads or writes the buffer.
        texels: How a texture or surface reaches the elements; None for a pointer.
        inside: The argument that the address is a part of: a struct, which has it in the parameter
            space, or a buffer; empty for a parameter of its own.
        symbol: The lowered name of the module variable that these elements are, whose address is
            in no parameter; empty for memory that the launch makes.
        start: The element whose address the kernel gets; those before it are there, too.
    """

    name: str
    element: Type
    offset: int
    length: int
    fill: Fill = Fill()
    direction: Direction = Direction.IN
    texels: Texels | None = None
    inside: str = ""
    symbol: str = ""
    start: int = 0

    @property
    def start_bytes(self) -> int:
        """Bytes from the first element to the address that the kernel gets."""
        return self.start * self.element.size

    @property
    def shape(self) -> tuple[int, ...]:
        """Width, height and depth of a texture or surface; empty for a pointer."""
        return self.texels.shape if self.texels else ()

    @property
    def bytes(self) -> int:
        """Bytes of all elements."""
        return self.length * self.element.size

    @property
    def slot_bytes(self) -> int:
        """Bytes of the parameter space that the address or handle takes."""
        return ADDRESS_BYTES


@dataclass(frozen=True)
class SharedPointer:
    """A pointer into the memory of another buffer.

    Attributes:
        name: See `Buffer`.
        element: The type of the elements that the pointer leads to.
        offset: See `Buffer`.
        buffer: The name of the buffer.
        shift: Bytes from the start of that.
        inside: See `Buffer`.
    """

    name: str
    element: Type
    offset: int
    buffer: str = ""
    shift: int = 0
    inside: str = ""

    @property
    def slot_bytes(self) -> int:
        """Bytes of the parameter space that the pointer takes."""
        return ADDRESS_BYTES


Argument = ValueArgument | Buffer | SharedPointer
"""An argument of a kernel for a parameter, or for a part of a parameter."""


@dataclass(frozen=True)
class LaunchConfig:
    """The number of threads, and the memory that the threads share.

    Attributes:
        grid: Blocks in x, y and z, as in CUDA C++ also where there are clusters.
        block: Threads per block.
        cluster: Blocks per cluster, or None.
        shared: Bytes of dynamic shared memory per block.
        cooperative: Whether all blocks are resident at the same time.
    """

    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)
    cluster: Dim3 | None = None
    shared: int = 0
    cooperative: bool = False

    @property
    def threads_per_block(self) -> int:
        """Threads of a block."""
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]


@dataclass(frozen=True)
class Expectation:
    """The expected content of a buffer after a launch.

    Attributes:
        buffer: The name of the buffer.
        expression: A NumPy expression over the arguments as they were before the launch.
        part: The elements that are compared, as NumPy writes a part behind the name, such as
            ``[1:-1]`` or ``.reshape(8, 32)[1:, 0]``; empty for all of them.
        file: An .npy file with the content, which the expression then only names; empty for none.
    """

    buffer: str
    expression: str
    part: str = ""
    file: str = ""

    @property
    def target(self) -> str:
        """The buffer or the part, such as ``out[1:-1]``."""
        return self.buffer + self.part


@dataclass(frozen=True)
class LaunchRequest(RunSettings):
    """A launch with the repetitions.

    Attributes:
        code: The code to load.
        code_kind: `CUBIN`, `FATBIN`, or `PTX` for the driver's own compiler and the simulator.
        kernel: The lowered name.
        title: The name to show.
        device: The GPU's ordinal, or `SIMULATOR`.
        arguments: In order of the parameters; behind them the buffers whose addresses are inside
            of others, and the module variables that are filled or read back.
        parameter_bytes: Bytes of the whole parameter space.
        config: How many threads, and what they share.
        expectations: The contents to check after the first launch.
        counterpart: A cubin with the same kernel, timed after `code` to be compared with it, or
            read to see what it makes of the PTX that was simulated; empty for none.
        confined_to: See `BuildRequest`: that of the build that made the code.
        sources: The modules that were built; empty where nobody needs to look at them.
    """

    code: bytes
    code_kind: CodeKind
    kernel: str
    title: str
    device: int
    arguments: tuple[Argument, ...]
    parameter_bytes: int
    config: LaunchConfig
    expectations: tuple[Expectation, ...] = ()
    counterpart: bytes = b""
    confined_to: tuple[str, ...] | None = None
    sources: tuple[Source, ...] = ()

    @property
    def is_simulated(self) -> bool:
        """Whether the simulator carries out the launch."""
        return self.device == SIMULATOR

    @property
    def alone(self) -> LaunchRequest:
        """The launch without cubin and texts, which advice alone is compared with."""
        return replace(self, counterpart=b"", sources=())

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """The arguments that are buffers."""
        return tuple(a for a in self.arguments if isinstance(a, Buffer))

    @property
    def pointers(self) -> tuple[Buffer | SharedPointer, ...]:
        """The arguments that are addresses or handles."""
        return tuple(a for a in self.arguments if not isinstance(a, ValueArgument))

    @property
    def slots(self) -> tuple[Argument, ...]:
        """The arguments that are parameters, each with a place in the parameter space."""
        return tuple(a for a in self.arguments if is_slot(a))

    @property
    def variables(self) -> tuple[Buffer, ...]:
        """The module variables among the buffers."""
        return tuple(buffer for buffer in self.buffers if buffer.symbol)

    @property
    def values(self) -> dict[str, float | int | bool]:
        """The scalars by their names, for expressions."""
        scalars: dict[str, float | int | bool] = {}
        for argument in self.arguments:
            if isinstance(argument, ValueArgument):
                if argument.number is not None:
                    scalars[argument.name] = argument.number
                scalars.update(argument.members)
        return scalars

    def parameter_space(self, addresses: Mapping[str, int]) -> bytes:
        """Returns the bytes of the parameter space, as the kernel reads the parameters.

        Args:
            addresses: Addresses and handles of the buffers by their names; of null pointers none.
        """
        space = bytearray(self.parameter_bytes)
        values = [a for a in self.arguments if isinstance(a, ValueArgument)]
        for value in values:
            space[value.offset : value.offset + len(value.data)] = value.data
        around = {"", *(value.name for value in values)}
        for pointer in self.pointers:
            if pointer.inside in around and (pointer.inside or is_slot(pointer)):
                address = _address(pointer, addresses).to_bytes(ADDRESS_BYTES, "little")
                space[pointer.offset : pointer.offset + ADDRESS_BYTES] = address
        return bytes(space)

    def addresses_in(self, holder: Buffer, addresses: Mapping[str, int]) -> dict[int, int]:
        """Returns the addresses that a buffer of pointers or of structs holds, by their offsets.

        Args:
            holder: The buffer.
            addresses: See `parameter_space`.
        """
        inner = (pointer for pointer in self.pointers if pointer.inside == holder.name)
        return {pointer.offset: _address(pointer, addresses) for pointer in inner}


def is_slot(argument: Argument) -> bool:
    """Returns whether an argument is a parameter, with a place in the parameter space."""
    match argument:
        case Buffer(inside=inside, symbol=symbol):
            return not (inside or symbol)
        case SharedPointer(inside=inside):
            return not inside
    return True


def _address(pointer: Buffer | SharedPointer, addresses: Mapping[str, int]) -> int:
    """Returns the address or handle of a pointer; see `LaunchRequest.parameter_space`."""
    if isinstance(pointer, SharedPointer):
        return addresses[pointer.buffer] + pointer.shift
    return addresses.get(pointer.name, 0) + pointer.start_bytes


@dataclass(frozen=True)
class InspectRequest:
    """A request for the driver's facts about a kernel, without a launch.

    Attributes:
        code, code_kind, kernel, device, confined_to: See `LaunchRequest`.
        config: Of which the occupancy is asked for.
    """

    code: bytes
    code_kind: CodeKind
    kernel: str
    device: int
    config: LaunchConfig = LaunchConfig()
    confined_to: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel in the source.

    Attributes:
        name: Empty where the source gives none.
        spelling: The type as the source writes it.
        type: The type; None where the source alone does not say, as for an unknown struct.
        default: The text that a form begins with; empty where the type decides.
        length: How many elements a buffer has at first; empty where other parameters decide.
    """

    name: str
    spelling: str
    type: Type | None
    default: str = ""
    length: str = ""


@dataclass(frozen=True)
class Signature:
    """A kernel in the source.

    Attributes:
        name: With its namespaces, without template arguments, such as ``math::saxpy``.
        parameters: In order.
        module: The module it is in.
        line: Where it is declared, from 1.
        span: See `KernelForm`.
        template_parameters: Names in order; empty for no template.
        block_hint: Most threads per block by ``__launch_bounds__``, or None.
        cluster: Blocks per cluster by ``__cluster_dims__``, or None.
        block: Threads that each block has to have, or None.
        remarks: Facts of the parameters that the source alone does not say; sentences.
    """

    name: str
    parameters: tuple[Parameter, ...]
    module: str = ""
    line: int = 0
    span: tuple[int, int] = (0, 0)
    template_parameters: tuple[str, ...] = ()
    block_hint: int | None = None
    cluster: tuple[int, int, int] | None = None
    block: int | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParameterSlot:
    """The place of a parameter in the parameter space: bytes from the start, and size in bytes."""

    offset: int
    size: int
    align: int


@dataclass(frozen=True)
class FormParameter:
    """A parameter to be filled in: the type and the place.

    Attributes:
        name: The source's name, else ``arg0``, ``arg1`` and so on; unique in its form.
        type: The type; `Opaque` where only the size is known.
        slot: The place in the parameter space.
        spelling: The type as the source writes it; empty where there is no source.
        access: Whether the kernel reads or writes behind a pointer; None where neither is known.
        default, length: See `Parameter`.
        texels: How the kernel reads or writes texels behind it; None where it is not seen to.
        inside: The row of the whole: see `Buffer.inside`; empty for a parameter.
        variable: The module variable of the row; None for a parameter or a part of a parameter.
    """

    name: str
    type: Type
    slot: ParameterSlot
    spelling: str = ""
    access: Direction | None = None
    default: str = ""
    length: str = ""
    texels: TexelUse | None = None
    inside: str = ""
    variable: ModuleVariable | None = None


@dataclass(frozen=True)
class ModuleVariable:
    """A variable outside of functions that a kernel uses: the place is the module's.

    Attributes:
        symbol: The lowered name.
        space: Such as ``__constant__``.
        initial: The bytes as the module is loaded; empty where these are not known.
        is_initialised: Whether the declaration has an initial value.
        read_at: The place where the kernel reads it, or a function that it calls, such as
            ``conv.cu:7``; empty where none is known.
        reads: Whether the kernel is seen to read the variable.
        writes: Whether the kernel may write the variable, and so read values of its own.
    """

    symbol: str
    space: str
    initial: bytes = b""
    is_initialised: bool = False
    read_at: str = ""
    reads: bool = False
    writes: bool = False


@dataclass(frozen=True)
class HostBuffer:
    """Memory that host code allocates.

    Attributes:
        bytes: How much.
        start: Bytes from its start to where a pointer leads.
        origin: Which allocation it is; 0 where that is not known. Buffers of one size are equal.
    """

    bytes: int
    start: int = 0
    origin: int = field(default=0, compare=False)

    def is_same(self, other: HostBuffer) -> bool:
        """Returns whether both buffers are surely of the same allocation."""
        return self.origin != 0 and self.origin == other.origin


@dataclass(frozen=True, order=True)
class HostAssumption:
    """A number that is taken where only a run of the host code would tell.

    Attributes:
        line: Where the host code gets it, from 1.
        name: The variable.
        value: What is taken.
    """

    line: int
    name: str
    value: int


@dataclass(frozen=True)
class HostLaunch:
    """A launch in host code; values that only a run of that code would tell are None.

    Attributes:
        kernel: The kernel's name as written there.
        template: The template arguments as written; empty for none.
        module: The module with the launch.
        line: Where, from 1.
        grid: Blocks along each axis.
        block: Threads per block along each axis.
        shared: Bytes of dynamic shared memory per block.
        arguments: In order.
        cooperative: Whether all blocks are resident at the same time.
        inside: What is known of module variables, by their names or those of their members, and
            of the members of arguments, by their index and path, such as ``0.data``. A text is as
            `core.launch.arguments` reads it.
        assumed: On what the numbers here depend that only a run would tell.
        types: The types of the arguments, as far as the text says; empty for unknown types.
    """

    kernel: str
    template: str
    module: str
    line: int
    grid: tuple[int, ...] | None
    block: tuple[int, ...] | None
    shared: int | None
    arguments: tuple[float | int | HostBuffer | None, ...]
    cooperative: bool = False
    inside: tuple[tuple[str, float | int | HostBuffer | str], ...] = ()
    assumed: tuple[HostAssumption, ...] = ()
    types: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class HostNeeds:
    """The things that a kernel's host has to prepare for, as far as the PTX shows.

    Attributes:
        grid_barrier: Whether the kernel has `grid.sync()` of cooperative groups.
        waits: Whether a loop goes round until another thread changes global memory.
        waits_at: The source line of that loop; 0 where no line table says it.
        unknown_stack: Whether there is recursion, or a call by address, so that no compiler knows
            the stack that a thread needs.
    """

    grid_barrier: bool = False
    waits: bool = False
    waits_at: int = 0
    unknown_stack: bool = False


@dataclass(frozen=True)
class KernelForm:
    """A kernel ready to be filled in.

    Attributes:
        lowered: The name to launch it by.
        title: Its name in C++, such as ``saxpy<float>``.
        parameters: In order.
        notes: Where source and PTX disagree, or what could not be found out; sentences.
        block_hint: See `Signature`.
        cluster: See `Signature`.
        block: See `Signature`.
        remarks: See `Signature`.
        module: The module that declares it; empty where unknown.
        unit: The module whose code it is in; empty where unknown.
        line: Where it is declared; 0 where unknown.
        span: The first and the last line of its definition, in `module` or, of PTX that was written
            by hand, in `unit`; zeros where unknown.
        complete: Whether the layout of all parameters is known; where not, it cannot be launched.
        host_launch: How the host code launches it; None where there is none, or nobody asked.
        variables: The module variables that it uses, in order of the code.
        needs: The things that a host has to prepare for.
    """

    lowered: str
    title: str
    parameters: tuple[FormParameter, ...]
    notes: tuple[str, ...] = ()
    block_hint: int | None = None
    cluster: tuple[int, int, int] | None = None
    block: int | None = None
    remarks: tuple[str, ...] = ()
    module: str = ""
    unit: str = ""
    line: int = 0
    span: tuple[int, int] = (0, 0)
    complete: bool = True
    host_launch: HostLaunch | None = None
    variables: tuple[FormParameter, ...] = ()
    needs: HostNeeds = HostNeeds()


# ---- What is evaluated on the host for a launch: contents of buffers, and comparisons

Number = float | int | bool


@dataclass(frozen=True)
class EvaluationContext:
    """The names that expressions may refer to.

    Attributes:
        values: Scalar arguments, by name.
        buffers: Buffers as they are before the launch.
        prepared: The .npy files of those that are not made from a few numbers, by name.
    """

    values: tuple[tuple[str, Number], ...] = ()
    buffers: tuple[Buffer, ...] = ()
    prepared: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class FillCalculation:
    """A request to write the content of a buffer, from a file or an expression, to an .npy file."""

    buffer: Buffer
    path: str
    context: EvaluationContext = EvaluationContext()


@dataclass(frozen=True)
class CheckCalculation:
    """A request to compare the content that a kernel has written with the expected content.

    Attributes:
        expectation: Of which buffer, and what.
        element, length: The type and the number of the buffer's elements.
        got: An .npy file with what was written.
        relative, absolute, integer_tolerance: See `RunSettings`.
        context: The names that the expression may refer to.
    """

    expectation: Expectation
    element: Type
    length: int
    got: str
    relative: float
    absolute: float
    integer_tolerance: int = 0
    context: EvaluationContext = EvaluationContext()


Calculation = FillCalculation | CheckCalculation


@dataclass(frozen=True)
class CalculationRefused:
    """The answer to a calculation that cannot be done: why, in sentences."""

    message: str
