"""The calls of CUDA's runtime in host code that matter to its launches: these, and allocations.

What is copied to module variables is followed in `symbols`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tree_sitter import Node

from jitstudio.core.launch.request import HostBuffer, HostLaunch
from jitstudio.core.launch.values import Number
from jitstudio.listing.cuda.host_launches.assumed import (
    answers,
    assumptions,
    is_possible,
    whole_number,
)
from jitstudio.listing.cuda.host_launches.expressions import HostExpressions
from jitstudio.listing.cuda.host_launches.packs import spread_all
from jitstudio.listing.cuda.host_launches.symbols import Symbols
from jitstudio.listing.cuda.host_launches.values import (
    Dimensions,
    FunctionName,
    Names,
    Value,
    any_element,
    as_argument,
    attempt,
    calculated,
    dimensions,
)
from jitstudio.listing.cuda.syntax import children, operator, stripped, text_of

_PITCHED = "cudaMallocPitch"
# Where the bytes are among the arguments; the address is the first.
_ALLOCATIONS: dict[str, tuple[int, ...]] = {
    "cudaMalloc": (1,),
    "cudaMallocAsync": (1,),
    "cudaMallocManaged": (1,),
    "cudaMallocFromPoolAsync": (1,),
    "cudaMallocHost": (1,),
    "cudaHostAlloc": (1,),
    "cuMemAlloc": (1,),
    "cuMemAllocHost": (1,),
    "cuMemHostAlloc": (1,),
    _PITCHED: (2, 3),
}
_REGISTRATIONS = frozenset({"cudaHostRegister", "cuMemHostRegister"})
_MAPPINGS = frozenset({"cudaHostGetDevicePointer", "cuMemHostGetDevicePointer"})
_BY_ADDRESS = {"cudaLaunchKernel": False, "cudaLaunchCooperativeKernel": True}
_BY_CONFIG = "cudaLaunchKernelEx"
_BY_GRAPH = ("cudaGraphAddKernelNode", "cudaGraphKernelNodeSetParams")
_BY_DRIVER = "cuLaunchKernel"
_FROM_MODULE = "cuModuleGetFunction"
_PITCH = 512


class RuntimeCalls:
    """Follows the calls of the runtime, and notes the launches.

    Attributes:
        symbols: What follows the calls that are about module variables.
        tree: The id of the tree that is gone through.
    """

    def __init__(
        self,
        modules: Mapping[int, str],
        expressions: HostExpressions,
        launches: list[HostLaunch],
        *,
        assumes: bool,
    ) -> None:
        """Notes the launches of a text.

        Args:
            modules: The names of texts by the ids of their trees.
            expressions: What evaluates the expressions in it.
            launches: To which each is added that is met.
            assumes: See `HostExpressions`.
        """
        self._modules = modules
        self._expressions = expressions
        self._launches = launches
        self.tree = 0
        self._in_loop = False
        self._assumes = assumes
        self.symbols = Symbols(expressions, launches)
        self._allocations = 0

    def follow(self, call: Node, names: Names, *, in_loop: bool) -> bool:
        """Follows a call if it is a launch or allocates memory; returns whether it is one.

        Args:
            call: The call.
            names: What is known before it; then, what is known behind it.
            in_loop: Whether it may be done again, for other elements of an array.
        """
        function, listed = (call.child_by_field_name(f) for f in ("function", "arguments"))
        if function is None or listed is None:
            return False
        self._in_loop = in_loop
        arguments, name = list(spread_all(children(listed), names)), text_of(function)
        config = next((c for c in call.children if c.type == "kernel_call_syntax"), None)
        if config is not None:
            sizes = children(config)
            values = [self._expressions.argument(argument, names) for argument in arguments]
            self._launch(function, sizes, values, names, given=arguments)
        elif name in _ALLOCATIONS and len(arguments) > max(_ALLOCATIONS[name]):
            sizes = [arguments[at] for at in _ALLOCATIONS[name]]
            self._allocate(arguments[0], sizes, names, in_loop=in_loop)
            if name == _PITCHED and self._assumes:
                self._assume_pitch(arguments, names, call.start_point[0] + 1)
        elif name in _REGISTRATIONS and len(arguments) > 1:
            if not isinstance(self._expressions.argument(arguments[0], names), HostBuffer):
                self._allocate(arguments[0], arguments[1:2], names, in_loop=in_loop)
        elif name in _MAPPINGS and len(arguments) > 1:
            memory = self._expressions.argument(arguments[1], names)
            self._keep_memory(self._expressions.place(arguments[0], names), memory, names)
        elif name in _BY_ADDRESS and len(arguments) > 3:
            values = [
                as_argument(names.known(place)) for place in self._listed(arguments[3], names)
            ]
            sizes = [*arguments[1:3], *arguments[4:5]]
            self._launch(arguments[0], sizes, values, names, cooperative=_BY_ADDRESS[name])
        elif name == _BY_CONFIG and len(arguments) > 1:
            self._launch_by_config(arguments, names)
        elif name in _BY_GRAPH and arguments:
            self._launch_of_graph(arguments[-1], names)
        elif name == _BY_DRIVER and len(arguments) > 9:
            self._launch_by_driver(arguments, names)
        elif name == _FROM_MODULE and len(arguments) > 2:
            place = self._expressions.place(arguments[0], names)
            names.keep(place, FunctionName(text_of(arguments[2]).strip('"')))
        elif self._assumes and (taken := answers(name, [text_of(each) for each in arguments])):
            for address, number in zip(arguments, taken, strict=False):
                place = self._expressions.place(address, names)
                self._expressions.assume(place, names, call.start_point[0] + 1, number)
        else:
            return self.symbols.follow(name.partition("<")[0], arguments, names)
        return True

    def _listed(self, array: Node, names: Names) -> list[str]:
        """Returns the places whose addresses an array holds."""
        array = stripped(array)
        if array.type == "compound_literal_expression":
            listed = array.child_by_field_name("value")
            nodes = children(listed) if listed is not None else []
            return [self._expressions.place(node, names) for node in nodes]
        return names.addresses.get(text_of(array), [])

    def _launch(
        self,
        function: Node,
        sizes: Sequence[Node],
        arguments: Sequence[Number | HostBuffer | None],
        names: Names,
        *,
        given: Sequence[Node] = (),
        cooperative: bool = False,
    ) -> None:
        values = self._expressions.sizes(sizes, names)
        grid, block, shared = (*values, None, None, None)[:3]
        shared = shared if len(sizes) > 2 else 0
        sized = dimensions(grid), dimensions(block)
        sized_by = (*sized, shared)
        self._add(function, names, *sized_by, arguments, given=given, cooperative=cooperative)

    def _launch_by_config(self, arguments: Sequence[Node], names: Names) -> None:
        config, kernel, *rest = arguments
        place = self._expressions.place(config, names)
        given = [names.values.get(f"{place}.{part}") for part in ("gridDim", "blockDim")]
        shared = names.values.get(f"{place}.dynamicSmemBytes", 0)
        values = [self._expressions.argument(argument, names) for argument in rest]
        self._add(
            kernel, names, dimensions(given[0]), dimensions(given[1]), shared, values, given=rest
        )

    def _allocate(
        self, address: Node, sizes: Sequence[Node], names: Names, *, in_loop: bool
    ) -> None:
        numbers = [self._expressions.size(size, names) for size in sizes]
        known = [n for n in numbers if isinstance(n, int | float)]
        size = attempt(lambda *numbers: math.prod(numbers), known)
        place = self._expressions.place(address, names)
        if size is None or len(known) != len(numbers):
            names.lose(place)
            return
        self._allocations += 1
        memory = HostBuffer(whole_number(size), origin=self._allocations)
        self._keep_memory(place, memory, names)
        if in_loop and "[" in place:
            names.keep(any_element(place), HostBuffer(memory.bytes))

    def _keep_memory(self, place: str, memory: Number | HostBuffer | None, names: Names) -> None:
        """Remembers the memory that a pointer leads to; anything else is none."""
        if not isinstance(memory, HostBuffer):
            names.lose(place)
            return
        # Behind a pointer, too, as in a function that gets the address.
        for each in (place, names.resolved(f"{place}[0]")):
            names.keep(each, memory)

    def _assume_pitch(self, arguments: Sequence[Node], names: Names, line: int) -> None:
        """Takes the next multiple of 512 bytes for what the driver makes of the width of rows."""
        width, height = (self._expressions.size(each, names) for each in arguments[2:4])
        if isinstance(width, int) and isinstance(height, int):
            pitch = -(-int(width) // _PITCH) * _PITCH
            place = self._expressions.place(arguments[1], names)
            made = self._expressions.assume(place, names, line, pitch)
            size = calculated("*", made, height)
            memory = self._expressions.place(arguments[0], names)
            if isinstance(size, int):
                for each in (memory, f"{memory}[0]"):
                    names.keep(each, HostBuffer(size))

    def _launch_of_graph(self, params: Node, names: Names) -> None:
        """Notes the launch of a node of a graph, by its `cudaKernelNodeParams`."""
        place = self._expressions.place(params, names)
        given = [names.values.get(f"{place}.{part}") for part in ("gridDim", "blockDim")]
        shared = names.values.get(f"{place}.sharedMemBytes", 0)
        held = names.addresses.get(f"{place}.kernelParams", [])
        values = [as_argument(names.known(each)) for each in held]
        known = names.values.get(f"{place}.func")
        if isinstance(known, FunctionName):
            sizes = dimensions(given[0]), dimensions(given[1]), shared
            self._add(params, names, *sizes, values, named=str(known))

    def _launch_by_driver(self, arguments: Sequence[Node], names: Names) -> None:
        """Notes a launch by `cuLaunchKernel`."""
        axes = [self._expressions.size(each, names) for each in arguments[1:8]]
        grid, block = (self._three(axes[at : at + 3]) for at in (0, 3))
        held = self._listed(arguments[9], names)
        values = [as_argument(names.known(place)) for place in held]
        self._add(arguments[0], names, grid, block, axes[6], values)

    def _three(self, sizes: Sequence[Value | None]) -> Dimensions | None:
        known = [whole_number(size) for size in sizes if isinstance(size, int | float)]
        while len(known) > 1 and known[-1] == 1 and len(known) == len(sizes):
            known, sizes = known[:-1], sizes[:-1]
        return dimensions(tuple(known)) if known and len(known) == len(sizes) else None

    def _add(
        self,
        function: Node,
        names: Names,
        grid: Dimensions | None,
        block: Dimensions | None,
        shared: Value | None,
        arguments: Iterable[Number | HostBuffer | None],
        *,
        given: Sequence[Node] = (),
        cooperative: bool = False,
        named: str = "",
    ) -> None:
        texts, arguments = [text_of(each) for each in given], tuple(arguments)
        buffers = [each for each in arguments if isinstance(each, HostBuffer)]
        sizes = [size for each in buffers for size in (each.bytes, each.start)]
        # What was taken for something and cannot be tells nothing.
        if assumptions((grid,)) and not is_possible(grid=grid):
            grid = None
        if assumptions((block,)) and not is_possible(block=block):
            block = None
        if assumptions((shared,)) and not is_possible(shared=_number(shared)):
            shared = None
        by = assumptions((grid, block, shared, arguments, *sizes))
        launch = HostLaunch(
            kernel="",
            template="",
            module=self._modules.get(self.tree, next(iter(self._modules.values()), "")),
            line=function.start_point[0] + 1,
            grid=tuple(map(int, grid)) if grid else None,
            block=tuple(map(int, block)) if block else None,
            shared=None if (size := _number(shared)) is None else int(size),
            arguments=tuple(map(_plain, arguments)),
            cooperative=cooperative,
            inside=(*self.symbols.members(given, names), *self.symbols.known),
            assumed=tuple(sorted(by)),
            types=self._expressions.functions.types(texts, names),
        )
        for name in (named,) if named else self._named(function, names):
            kernel = self._expressions.functions.launched(name, texts, names)
            self._launches.append(replace(launch, kernel=kernel.name, template=kernel.template))

    def _named(self, function: Node, names: Names) -> Iterable[str]:
        """Returns the kernel that is launched: of any element of a table, all of it."""
        while (bare := stripped(function)).type == "pointer_expression" and operator(bare) == "*":
            function = bare.child_by_field_name("argument") or bare
        place = self._expressions.place(function, names)
        known = names.known(place)
        if "[]" in place:
            table = [
                str(value)
                for key, value in names.values.items()
                if isinstance(value, FunctionName) and any_element(key) == place
            ]
            if table:
                return dict.fromkeys(table)
        if not isinstance(known, FunctionName):
            return (text_of(stripped(function)).lstrip("&*").strip(),)
        return (str(known),)


def _number(value: Value | None) -> Number | None:
    return value if isinstance(value, int | float) else None


def _plain(value: Number | HostBuffer | None) -> Number | HostBuffer | None:
    """Returns what a kernel is given without a mark of what it depends on."""
    match value:
        case HostBuffer():
            return HostBuffer(int(value.bytes), int(value.start), value.origin)
        case int():
            return int(value)
        case float():
            return float(value)
    return None
