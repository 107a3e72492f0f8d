"""The registers to which threads have given a value, for stepping through a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jitstudio.simulator.ptx.program import PtxFunction, PtxInstruction, result_names
from jitstudio.simulator.state.groups import Selection
from jitstudio.simulator.state.model import Threads


class WrittenRegisters:
    """The registers of all depths of calls that threads have written.

    Args:
        threads: The number of threads.

    Attributes:
        flags: By depth and function, an array of shape (registers, threads).
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self.flags: dict[tuple[int, str], NDArray[np.bool_]] = {}
        self._results: dict[int, list[int]] = {}

    def note(
        self, depth: int, function: PtxFunction, instruction: PtxInstruction, threads: Selection
    ) -> None:
        """Notes that threads have the results of an instruction."""
        flags = self._of(depth, function)
        if (rows := self._results.get(instruction.number)) is None:
            names = list(function.registers)
            rows = [names.index(name) for name in result_names(instruction) if name in names]
            self._results[instruction.number] = rows
        for row in rows:
            flags[row, threads] = True

    def begin_call(self, depth: int, function: PtxFunction, threads: Selection) -> None:
        """Notes that threads begin a function, in which only arguments have values."""
        flags = self._of(depth, function)
        flags[:, threads] = False
        arguments = {variable.name for variable in function.parameters}
        for row, name in enumerate(function.registers):
            if name in arguments:
                flags[row, threads] = True

    def has(
        self, depth: int, function: PtxFunction, name: str, numbers: Threads
    ) -> NDArray[np.bool_]:
        """Returns which threads have given a register a value."""
        row = list(function.registers).index(name)
        is_written: NDArray[np.bool_] = self._of(depth, function)[row, numbers]
        return is_written

    def _of(self, depth: int, function: PtxFunction) -> NDArray[np.bool_]:
        key = depth, function.name
        if (flags := self.flags.get(key)) is None:
            flags = self.flags[key] = np.zeros((len(function.registers), self._threads), np.bool_)
        return flags
