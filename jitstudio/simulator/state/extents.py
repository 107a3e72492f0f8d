"""The arrays that accesses must stay within: an address in one array must not reach the next.

On a GPU an access to the next array is an ordinary one, as there are bytes. PTX has one array for
all local variables of a function, and no members of structs. A build for a debugger (``-G``) says
where they lie, and leaves indices out of the constants of an address: by the constants it is known
which local variable, or which array in a struct, an index belongs to. Without ``-G`` accesses
within a function's local variables, or within a struct, are not checked; nor are they with it for
rows of an array of arrays, constant indices, pointers that have been in memory, and the array with
which a struct begins: `s.a[i]` and `((int*)&s)[i]` are the same PTX. NVRTC's debug information says
nothing of `__shared__` variables that a function declares; that of nvcc does.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.debug_info import DataLeaf, DebugVariable
from jitstudio.simulator.ptx.loaded_pointers import loaded_pointers
from jitstudio.simulator.ptx.origins import AddressOrigin, BasedAccess, origins_of, source_name
from jitstudio.simulator.ptx.program import PtxProgram, PtxVariable
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.memory import behind_end
from jitstudio.simulator.state.model import SimulatedLaunch, StateSpace

_POINTER_BYTES = 8
_GLOBAL = StateSpace.GLOBAL
# The array of all local variables of a function, as compilers and as messages call it.
_DEPOT, _LOCAL_VARIABLES = "__local_depot", "the function's local variables"


class Extent(NamedTuple):
    """A variable or a buffer: its name, and the addresses of its bytes in its space.

    The addresses of a local variable count from the start of the function's stack frame.
    """

    name: str
    space: StateSpace
    start: int
    end: int

    def distance(self, address: int) -> str:
        """Returns how far outside of the array an access begins."""
        if address < self.start:
            where = f"{self.start - address:,} bytes before the start"
        else:
            where = behind_end(address - self.end)
        return f"{where} of {self.name} ({self.end - self.start:,} bytes)"


class Extents:
    """The arrays that the accesses of a kernel must stay within, where their addresses tell.

    Args:
        image: The addresses of variables.
        launch: The buffers that the parameters point to.
    """

    def __init__(self, image: Image, launch: SimulatedLaunch) -> None:
        self._launch, self._image = launch, image
        self._variables = {name: self._of_variable(name) for name in image.spaces}
        self._buffers = [
            Extent(a.name, _GLOBAL, a.address, a.address + a.size) for a in launch.allocations
        ]
        self._parts = _Parts(image.program)
        self._locals = {
            function.name: {
                v.name: self._of_local(function.name, v)
                for v in function.variables.values()
                if v.space == "local"
            }
            for function in image.functions.values()
        }
        self._pointers: dict[int, str] = {}
        by_access: dict[tuple[int, StateSpace], set[Extent]] = {}
        for function in image.functions.values():
            self._pointers.update(loaded_pointers(image.program, function))
            for access in origins_of(image.program, function):
                if (extent := self._of_origin(access.origin, function.name)) is not None:
                    extent = self._narrowed(extent, access, function.name)
                    by_access.setdefault((access.number, extent.space), set()).add(extent)
        # An instruction with several arrays, such as behind a choice, is not checked.
        self._of_accesses = {key: next(iter(e)) for key, e in by_access.items() if len(e) == 1}

    @property
    def program(self) -> PtxProgram:
        """The PTX."""
        return self._image.program

    def of(self, number: int, space: StateSpace) -> Extent | None:
        """Returns the array that an instruction must stay within in a space; None where open."""
        return self._of_accesses.get((number, space))

    def pointer_of(self, number: int) -> str | None:
        """Returns the register with the pointer from memory that an address is based on."""
        return self._pointers.get(number)

    def of_pointers(self, pointers: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Extent]]:
        """Returns the index of each pointer's array or -1, and all arrays of global memory."""
        arrays = sorted(
            (e for e in (*self._buffers, *self._variables.values()) if e.space is _GLOBAL),
            key=lambda extent: extent.start,
        )
        starts, ends = (np.array([e[field] for e in arrays], np.int64) for field in (2, 3))
        places = np.searchsorted(starts, pointers, side="right") - 1
        inside = (places >= 0) & (pointers < ends[places]) if arrays else places >= 0
        return np.where(inside, places, -1), arrays

    def at(self, space: StateSpace, address: int, function: str = "") -> Extent | None:
        """Returns the array that holds a byte; in local memory, of a function."""
        for name, extent in (*self._variables.items(), *self._locals.get(function, {}).items()):
            if extent.space is space and extent.start <= address < extent.end:
                part = self._parts.at(function, name, address - extent.start, 0)
                return extent if part is None else _part_of(extent, part)
        # A buffer has the name of a parameter, which a variable may have, too.
        buffers = self._buffers if space is _GLOBAL else ()
        return next((b for b in buffers if b.start <= address < b.end), None)

    def _narrowed(self, extent: Extent, access: BasedAccess, function: str) -> Extent:
        """Returns the local variable or the array in a struct that an access belongs to."""
        if access.constant is None or access.origin.offset is not None:
            return extent
        part = self._parts.at(function, access.origin.name, access.constant, access.size)
        return extent if part is None else _part_of(extent, part)

    def _of_variable(self, name: str) -> Extent:
        image, start = self._image, self._image.addresses[name]
        # `extern __shared__ float a[]` has no size: it is all of the dynamic shared memory.
        size = image.program.variables[name].size
        end = start + size if size else image.shared_size - image.reserved
        return Extent(source_name(name), StateSpace(image.spaces[name]), start, end)

    def _of_local(self, function: str, variable: PtxVariable) -> Extent:
        start = self._image.locals[function][variable.name]
        name = source_name(variable.name)
        name = _LOCAL_VARIABLES if name.startswith(_DEPOT) else name
        return Extent(name, StateSpace.LOCAL, start, start + variable.size)

    def _of_origin(self, origin: AddressOrigin, function: str) -> Extent | None:
        if origin.is_local:
            return self._locals[function].get(origin.name)
        if origin.offset is None:
            return self._variables.get(origin.name)
        at = self._image.parameters[origin.name] + origin.offset
        pointer = int.from_bytes(self._launch.parameters[at : at + _POINTER_BYTES], "little")
        return next((b for b in self._buffers if b.start <= pointer < b.end), None)


def _part_of(extent: Extent, part: DataLeaf) -> Extent:
    start = extent.start + part.offset
    return Extent(part.name, extent.space, start, start + part.type.size)


class _Parts:
    """The variables and arrays of the source in the variables of a PTX text, by debug information.

    Args:
        program: The PTX.
    """

    def __init__(self, program: PtxProgram) -> None:
        self._program = program

    # Read when an access needs it: of a large module it takes as long as the rest of a start.
    @cached_property
    def _of_all(self) -> dict[str, list[DataLeaf]]:
        return _by_symbol(self._program.debug_info.variables)

    @cached_property
    def _of_functions(self) -> dict[str, dict[str, list[DataLeaf]]]:
        scopes = self._program.debug_info.functions.items()
        return {name: _by_symbol(scope.all_variables()) for name, scope in scopes}

    def at(self, function: str, symbol: str, at: int, size: int) -> DataLeaf | None:
        """Returns the array or the local variable that holds a byte of a variable of the PTX.

        Args:
            function: Its function, or the one that accesses it.
            symbol: The variable of the PTX.
            at: The byte, from the start of the variable.
            size: Bytes of the access; 0 to name the byte alone.
        """
        if not self._program.has_debug_info:
            return None
        known = (
            *self._of_functions.get(function, {}).get(symbol, ()),
            *self._of_all.get(symbol, ()),
        )
        holding = {x for x in known if x.offset <= at < x.offset + x.type.size}
        # Variables of scopes one behind the other may lie in one place.
        if len(holding) != 1:
            return None
        whole: DataLeaf = holding.pop()
        array = whole.type.array_at(whole.name, at - whole.offset)
        if array is None:
            return whole
        # `((int*)&s)[i]` goes through all of a struct, `*(float4*)&s.v` over several elements.
        is_first = not array.offset and array.type.size < whole.type.size
        if size and (is_first or size != array.type.step):
            return whole
        return DataLeaf(array.name, whole.offset + array.offset, array.type)


def _by_symbol(variables: Iterable[DebugVariable]) -> dict[str, list[DataLeaf]]:
    parts: dict[str, list[DataLeaf]] = {}
    for variable in variables:
        for place in variable.places:
            if place.symbol and variable.type.size:
                leaf = DataLeaf(variable.name, place.offset, variable.type)
                parts.setdefault(place.symbol, []).append(leaf)
    return parts
