"""Carries out a launch in the simulator, from the form's values to buffers in files.

The twin of `toolchain.gpu.launch_runner`: requests, fills, outputs and results are the same. There
are no guards and no poison, as every byte is watched: an access out of bounds is a fault, and bytes
that were never written are known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.device import SIMULATED_DEVICE
from jitstudio.core.launch.request import (
    ADDRESS_BYTES,
    Buffer,
    Direction,
    FillKind,
    LaunchRequest,
)
from jitstudio.core.launch.result import (
    BufferResult,
    ConsoleText,
    LaunchEvent,
    LaunchOutcome,
    LaunchProgress,
    LaunchResult,
    SimulationForecast,
)
from jitstudio.core.launch.simulation import AccessKind, Simulation
from jitstudio.numerics.dtypes import NumericsError, new_buffer, open_buffer
from jitstudio.numerics.fills import generate
from jitstudio.ptx.tokens import PtxReadError
from jitstudio.simulator.observers.counts import Counter
from jitstudio.simulator.observers.proxies import AsyncProxy
from jitstudio.simulator.observers.races import RaceDetector
from jitstudio.simulator.ptx.linking import link_ptx
from jitstudio.simulator.ptx.program import PtxProgram
from jitstudio.simulator.ptx.reading import read_program
from jitstudio.simulator.running.estimate import WorkEstimate, estimate
from jitstudio.simulator.running.orders import ComparedOrders, compare_orders
from jitstudio.simulator.running.simulate import simulate
from jitstudio.simulator.state.memory import place
from jitstudio.simulator.state.model import (
    Allocation,
    BoundTexels,
    FilledVariable,
    Observer,
    SimulatedLaunch,
    SimulationLimits,
    SimulationOutcome,
    SimulationResult,
)

Tell = Callable[[LaunchEvent], None]

LONG = 10.0
"""Seconds from which on a forecast of the duration is shown."""

_SHARE_OF_TIME = 0.8
"""Of the time that is left: a simulation that ends by itself can say where it was."""

_MEASURED, _FAR_OFF = 3.0, 1.5
"""Seconds of the run that give a better forecast, and the factor that is worth a new one."""

_MINUTES = 180.0
"""Seconds from which on durations are shown as minutes."""

_VARIABLES = 1 << 20
POISON = 0xFF
"""Stands for bytes of outputs that were never written, as on a GPU: NaN in all float types."""
_MOST_TEXT = 4 << 20
_DROPPED = "\n… the kernel has printed more than this console takes; the rest is left out.\n"
# How tileiras marks a kernel: PTX ISA, ".language".
_OF_TILES = b"\n.language 7\n"
_OUTCOMES = {
    SimulationOutcome.FINISHED: LaunchOutcome.RAN,
    SimulationOutcome.FAULTED: LaunchOutcome.WRONG,
    SimulationOutcome.TRAPPED: LaunchOutcome.FAILED,
    SimulationOutcome.DEADLOCKED: LaunchOutcome.FAILED,
    SimulationOutcome.REFUSED: LaunchOutcome.REFUSED,
    SimulationOutcome.OUT_OF_STEPS: LaunchOutcome.TIMED_OUT,
    SimulationOutcome.TIMED_OUT: LaunchOutcome.TIMED_OUT,
    SimulationOutcome.CANCELLED: LaunchOutcome.CANCELLED,
}


@dataclass(frozen=True)
class PreparedLaunch:
    """A launch as the machine takes it.

    Attributes:
        program: The PTX.
        launch: Kernel, threads and arguments.
    """

    program: PtxProgram
    launch: SimulatedLaunch


def prepare(request: LaunchRequest, prepared: Mapping[str, Path], seconds: float) -> PreparedLaunch:
    """Returns a launch with its code read and its buffers filled.

    Args:
        request: The launch; `code` is PTX, of several modules with a zero byte between them.
        prepared: Files with the content of those buffers that are filled by a file or expression.
        seconds: How long the simulation may take.

    Raises:
        PtxReadError: The PTX cannot be read.
        NumericsError: A buffer cannot be filled.
        OSError: A file with its content cannot be read.
    """
    modules = request.code.decode("utf-8", "replace").split("\0")
    program = read_program(link_ptx(modules))
    # Addresses are needed first: parameters and contents of buffers may hold them.
    buffers = _allocated(request)
    addresses = dict(zip(buffers, place([buffer.bytes for buffer in buffers]), strict=True))
    bound = _bound(addresses)
    named_addresses = {buffer.name: address for buffer, address in addresses.items()}
    named_addresses |= {texels.name: texels.handle for texels in bound}
    contents = {
        buffer: _content(buffer, prepared, request.poison and not buffer.symbol)
        for buffer in (*buffers, *request.variables)
    }
    config = request.config
    launch = SimulatedLaunch(
        request.kernel,
        config.grid,
        config.block,
        request.parameter_space(named_addresses),
        tuple(
            Allocation(
                buffer.name,
                address,
                buffer.bytes,
                _with_addresses(contents[buffer], request.addresses_in(buffer, named_addresses)),
            )
            for buffer, address in addresses.items()
        ),
        bound=bound,
        variables=tuple(
            FilledVariable(b.name, b.symbol, contents[b], request.addresses_in(b, named_addresses))
            for b in request.variables
        ),
        shared_bytes=config.shared,
        cluster=config.cluster,
        cooperative=config.cooperative,
        limits=SimulationLimits(seconds=seconds),
        seed=request.seed or None,
        only_blocks=request.blocks or None,
    )
    return PreparedLaunch(program, launch)


def _allocated(request: LaunchRequest) -> list[Buffer]:
    """Returns the buffers that the launch allocates memory for."""
    return [buffer for buffer in request.buffers if buffer.length and not buffer.symbol]


def _with_addresses(content: bytes | None, addresses: Mapping[int, int]) -> bytes | None:
    """Returns the content of a buffer, with addresses put in at some bytes."""
    if content is None or not addresses:
        return content
    data = bytearray(content)
    for at, address in addresses.items():
        data[at : at + ADDRESS_BYTES] = address.to_bytes(ADDRESS_BYTES, "little")
    return bytes(data)


def _bound(addresses: Mapping[Buffer, int]) -> tuple[BoundTexels, ...]:
    """Returns the textures and surfaces among buffers; handles count from 1."""
    with_texels = [(buffer, at) for buffer, at in addresses.items() if buffer.texels is not None]
    return tuple(
        BoundTexels(buffer.name, handle, at, buffer.element, buffer.texels)
        for handle, (buffer, at) in enumerate(with_texels, 1)
        if buffer.texels is not None
    )


def launch(
    request: LaunchRequest,
    prepared: Mapping[str, Path],
    folder: Path,
    asked_at: float,
    tell: Tell,
) -> LaunchResult:
    """Launches a kernel in the simulator.

    Args:
        request: The launch.
        prepared: See `prepare`.
        folder: For the outputs.
        asked_at: When the launch was asked for, by `time.monotonic`.
        tell: Receives events.
    """
    started, seconds_left = time.monotonic(), request.timeout - (time.monotonic() - asked_at)
    limit = round(max(_SHARE_OF_TIME * seconds_left, 0.1), 1)
    try:
        tell(LaunchProgress("filling the buffers"))
        ready = prepare(request, prepared, limit)
        tell(LaunchProgress("estimating how long it will take"))
        observers = partial(_observers, ready)
        expected = estimate(ready.program, ready.launch, observers)
        forecast = _Forecast(ready.launch, expected, request.timeout, tell)
        tell(LaunchProgress("simulating the kernel"))
        result = simulate(
            ready.launch,
            ready.program,
            observers(),
            progress=forecast.report,
            steps=expected.steps,
        )
        if result.outcome is SimulationOutcome.REFUSED and not result.steps:
            return _failed(request, LaunchOutcome.REFUSED, result.message)
        orders = _orders(request, ready, result, started + limit, tell)
        return _finished(request, ready, result, orders, folder, tell)
    except (PtxReadError, NumericsError) as refused:
        return _failed(request, LaunchOutcome.REFUSED, str(refused))
    except OSError as error:
        message = f"The outputs cannot be kept in '{folder}': {error.strerror or error}."
        return _failed(
            request, LaunchOutcome.FAILED, message, "Make room there, or set TMPDIR elsewhere."
        )


class _Forecast:
    """Tells how long a simulation will take if that is long, and its progress.

    A forecast from before the run is replaced once some seconds of the run show that it is far off.
    """

    def __init__(
        self, launch: SimulatedLaunch, expected: WorkEstimate, limit: float, tell: Tell
    ) -> None:
        self._blocks = min(launch.only_blocks or launch.blocks, launch.blocks)
        self._limit, self._tell = limit, tell
        self._expected, self._is_measured = expected.seconds, False
        self._begun = time.monotonic()
        self._foretell(expected.seconds)

    def report(self, share: float, steps: int) -> None:
        """Tells the share that is done, and the time left; without a share, the steps done."""
        passed = time.monotonic() - self._begun
        done = f"{share:.0%}" if share else f"{steps:,} steps in {_duration(passed)}"
        doing, left = f"simulating the kernel, {done}", ""
        if 0 < share < 1 and passed > _MEASURED:
            total = passed / share
            left = f", about {_duration(total - passed)} left"
            if not self._is_measured:
                self._is_measured = True
                # A forecast that changes all the time is no help.
                if not total / _FAR_OFF < self._expected < total * _FAR_OFF:
                    self._foretell(total, passed)
        self._tell(LaunchProgress(doing + left))

    def _foretell(self, seconds: float, passed: float = 0.0) -> None:
        if seconds > LONG:
            fewer = max(1, int(self._blocks * LONG / seconds))
            forecast = SimulationForecast(seconds, fewer, self._blocks, passed, self._limit)
            self._tell(forecast)


def _observers(ready: PreparedLaunch) -> tuple[Observer, ...]:
    observers: tuple[Observer, ...] = Counter(), _race_detector(ready)
    if AsyncProxy.needed(ready.program):
        observers = (*observers, AsyncProxy())
    return observers


def _race_detector(ready: PreparedLaunch) -> RaceDetector:
    return RaceDetector(ready.launch.kernel, _global_bytes(ready.launch), ready.program)


def _duration(seconds: float) -> str:
    return f"{seconds:,.0f} s" if seconds < _MINUTES else f"{seconds / 60:,.0f} min"


def _orders(
    request: LaunchRequest,
    ready: PreparedLaunch,
    result: SimulationResult,
    end: float,
    tell: Tell,
) -> ComparedOrders:
    """Compares a run with the other orders that the request asks for."""
    seeds = range(request.seed + 1, request.seed + request.seeds)
    if result.outcome is not SimulationOutcome.FINISHED or not seeds:
        return ComparedOrders()
    return compare_orders(
        ready.launch,
        ready.program,
        result,
        [*_allocated(request), *request.variables],
        seeds,
        lambda: (_race_detector(ready),),
        lambda: end - time.monotonic(),
        lambda seed, share, _steps: tell(
            LaunchProgress(f"simulating the kernel with seed {seed}, {share:.0%}")
        ),
    )


def _global_bytes(launch: SimulatedLaunch) -> int:
    """Returns about how far global memory reaches, from its variables to the last allocation."""
    if not launch.allocations:
        return _VARIABLES
    first, last = launch.allocations[0], launch.allocations[-1]
    return last.address + last.size - first.address + _VARIABLES


def _finished(
    request: LaunchRequest,
    ready: PreparedLaunch,
    result: SimulationResult,
    orders: ComparedOrders,
    folder: Path,
    tell: Tell,
) -> LaunchResult:
    console = result.output
    if len(console) > _MOST_TEXT:
        console = console[:_MOST_TEXT] + _DROPPED
    if console:
        tell(ConsoleText(console))
    outcome = _OUTCOMES[result.outcome]
    has_said = any(fault.fatal for fault in result.faults)
    diagnostics = () if has_said or not result.message else (_error(result.message),)
    return LaunchResult(
        outcome,
        request.title,
        device=SIMULATED_DEVICE.name,
        buffers=tuple(_outputs(request, ready, result, folder)),
        console=console,
        diagnostics=diagnostics,
        moved_bytes=sum(buffer.bytes for buffer in request.buffers),
        simulation=Simulation(
            result.instructions,
            result.seconds,
            result.blocks,
            ready.launch.blocks,
            result.exact,
            result.inexact_functions,
            result.lines,
            result.samples,
            (*result.races, *orders.races),
            (*result.faults, *orders.faults),
            request.seed,
            orders.compared,
            orders.differences,
            heap_left=result.heap_left,
            library=result.library,
            is_of_tiles=_OF_TILES in request.code,
        ),
    )


def _outputs(
    request: LaunchRequest, ready: PreparedLaunch, result: SimulationResult, folder: Path
) -> list[BufferResult]:
    allocations = {allocation.name: allocation for allocation in ready.launch.allocations}
    # The order of `memory_after`.
    names = [*allocations, *(variable.name for variable in ready.launch.variables)]
    places = {name: index for index, name in enumerate(names)}
    outputs = []
    for number, spec in enumerate(request.buffers):
        index = places.get(spec.name)
        path_of_content, unwritten = "", None
        if index is not None and index < len(result.memory) and spec.direction is not Direction.IN:
            path = folder / f"{number}.npy"
            target = new_buffer(path, spec.element, spec.length)
            content = np.frombuffer(result.memory[index], np.uint8)
            if spec.direction is Direction.OUT and request.poison:
                # A check that expects zeros must not pass on bytes that were never written.
                content = np.where(result.written[index].reshape(-1), content, np.uint8(POISON))
            target.reshape(-1).view(np.uint8)[:] = content
            target.flush()
            path_of_content = str(path)
            # A run that ended early, or of some blocks only, rightly leaves bytes unwritten.
            is_whole = result.outcome is SimulationOutcome.FINISHED and not request.blocks
            if is_whole and spec.direction is Direction.OUT and request.poison:
                written = result.written[index].reshape(spec.length, -1).any(axis=1)
                unwritten = np.flatnonzero(~written)
        outputs.append(
            BufferResult(
                spec.name,
                spec.element,
                spec.length,
                spec.direction,
                path_of_content,
                None if unwritten is None else int(unwritten.size),
                int(unwritten[0]) if unwritten is not None and unwritten.size else None,
                shape=spec.shape,
                writers=_writers(result, allocations[spec.name])
                if spec.name in allocations
                else (),
            )
        )
    return outputs


def _writers(result: SimulationResult, allocation: Allocation) -> tuple[tuple[str, int], ...]:
    """Returns the source lines that have written to an allocation."""
    end = allocation.address + allocation.size
    places = {
        (sample.place.file, sample.place.line)
        for sample in result.samples
        if sample.kind is not AccessKind.READ and sample.place.line
        if any(allocation.address <= address < end for _, address in sample.lanes)
    }
    return tuple(sorted(places))


def _content(buffer: Buffer, prepared: Mapping[str, Path], poison: bool) -> bytes | None:
    """Returns the content of a buffer before the launch; None if not filled or only written."""
    if buffer.fill.kind in (FillKind.UNFILLED, FillKind.INITIAL):
        return None
    if buffer.direction is Direction.OUT and poison:
        return None
    path = prepared.get(buffer.name)
    elements: np.ndarray[Any, Any] = open_buffer(path, buffer.element) if path else generate(buffer)
    return np.ascontiguousarray(elements).tobytes()


def _failed(
    request: LaunchRequest, outcome: LaunchOutcome, message: str, explanation: str = ""
) -> LaunchResult:
    diagnostics = (_error(message, explanation),)
    device = SIMULATED_DEVICE.name
    return LaunchResult(outcome, request.title, device=device, diagnostics=diagnostics)


def _error(message: str, explanation: str = "") -> Diagnostic:
    return Diagnostic(Severity.ERROR, "", None, None, message, explanation=explanation)
