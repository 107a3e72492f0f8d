"""The arrays that accesses must stay within: an address of one of them must not reach the next.

On a GPU such an access is an ordinary one, as the bytes are there; they are those of another array.
"""

from __future__ import annotations

from typing import NamedTuple

from jitstudio.simulator.ptx.origins import AddressOrigin, origins_of, source_name
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.state.image import Image
from jitstudio.simulator.state.memory import behind_end
from jitstudio.simulator.state.model import SimulatedLaunch, StateSpace

_POINTER_BYTES = 8


class Extent(NamedTuple):
    """A variable or a buffer: its name, and the addresses of its bytes in its space."""

    name: str
    space: StateSpace
    start: int
    end: int

    def distance(self, address: int) -> str:
        """Returns how far outside of it an access is that begins at an address."""
        if address < self.start:
            where = f"{self.start - address:,} bytes before the start"
        else:
            where = behind_end(address - self.end)
        return f"{where} of {self.name} ({self.end - self.start:,} bytes)"


class Extents:
    """What the accesses of a kernel must stay within, where their addresses tell it.

    Args:
        image: Where variables are.
        launch: With the buffers that the parameters point to.
    """

    def __init__(self, image: Image, launch: SimulatedLaunch) -> None:
        self._launch, self._image = launch, image
        self._variables = {name: self._of_variable(name) for name in image.spaces}
        self._buffers = [
            Extent(a.name, StateSpace.GLOBAL, a.address, a.address + a.size)
            for a in launch.allocations
        ]
        found: dict[tuple[int, StateSpace], set[Extent]] = {}
        for function in image.functions.values():
            for number, origin in origins_of(image.program, function):
                if (extent := self._of_origin(origin)) is not None:
                    found.setdefault((number, extent.space), set()).add(extent)
        self._of_accesses = {key: next(iter(e)) for key, e in found.items() if len(e) == 1}

    @property
    def program(self) -> PtxProgram:
        """The PTX."""
        return self._image.program

    def of(self, number: int, space: StateSpace) -> Extent | None:
        """Returns what an instruction must stay within in a space; None where that is open."""
        return self._of_accesses.get((number, space))

    def at(self, space: StateSpace, address: int) -> Extent | None:
        """Returns the variable or buffer that holds a byte."""
        there = (*self._variables.values(), *self._buffers)
        return next((e for e in there if e.space is space and e.start <= address < e.end), None)

    def _of_variable(self, name: str) -> Extent:
        image, start = self._image, self._image.addresses[name]
        # Without an extent of its own it is all of the dynamic shared memory.
        size = image.program.variables[name].size
        end = start + size if size else image.shared_size - image.reserved
        return Extent(source_name(name), StateSpace(image.spaces[name]), start, end)

    def _of_origin(self, origin: AddressOrigin) -> Extent | None:
        if origin.offset is None:
            return self._variables.get(origin.name)
        at = self._image.parameters[origin.name] + origin.offset
        pointer = int.from_bytes(self._launch.parameters[at : at + _POINTER_BYTES], "little")
        return next((b for b in self._buffers if b.start <= pointer < b.end), None)
