"""Carries out a plan: builds on all cores of all sites while each GPU times a launch at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from jitstudio.analysis.reading_request import ReadingFailure
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.argument_values import arguments_of
from jitstudio.core.launch.choice import Launchable, choose_form, launchable, launched_name
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.faults import SpecFaults
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import KernelForm, LaunchRequest
from jitstudio.core.launch.resolve import geometry, resolve
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.prebuilt import cubin_of
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.own_headers import own_headers
from jitstudio.variants import rows, tasks
from jitstudio.variants.plan import MOST_VARIANTS, Variant, VariantPlan, expand
from jitstudio.variants.rows import BlockResources, VariantReading, VariantRow, VariantTable
from jitstudio.variants.sites import Site

_GLANCE = 1.0
"""Seconds after which a run checks that its sites can still be reached."""

_CANCELLED = "The sweep was cancelled."
_GONE = "The machine that worked on it can no longer be reached."
_NO_GPU = "None of the chosen GPUs is there. Look at 'jitstudio devices'."


@dataclass(frozen=True)
class Gpu:
    """A GPU or the simulator, which takes launches, by the ordinal at a site."""

    site: Site
    ordinal: int


@dataclass(frozen=True)
class _Ready:
    """A variant that is built, with the launch for each GPU that can take it."""

    row: VariantRow
    launches: dict[Gpu, LaunchRequest]


@dataclass(frozen=True)
class _RunningCall:
    """A task in progress.

    Attributes:
        site: The site of the task.
        occupies: The GPU, `_CORE` or `_READER` that the task occupies.
        on_result: Takes the result.
        on_error: Takes the text of an error in place of a result.
    """

    site: Site
    occupies: Gpu | str
    on_result: Callable[[Any], None]
    on_error: Callable[[str], None]


_CORE, _READER = "core", "reader"


class VariantRun:
    """A run of a plan. `cancel` is safe from any other thread.

    Args:
        plan: The plan.
        sites: The sites that do the work; they stay open.
        devices: Ordinals of the GPUs to use at each site, or `SIMULATOR`; None for all GPUs.
        reads: Whether the machine code of each build is read, for the figures that need it.
        keeps_code: Whether the rows keep the artifacts of their builds.
        on_row: Called in the thread of `run` with a row whenever the row has come further.
        timeout: Seconds that a build may take.
        most: The most variants allowed.

    Raises:
        VariantError: The plan makes no sense.
    """

    def __init__(
        self,
        plan: VariantPlan,
        sites: Sequence[Site],
        *,
        devices: Collection[int] | None = None,
        reads: bool = False,
        keeps_code: bool = False,
        on_row: Callable[[VariantRow], None] = lambda row: None,
        timeout: float | None = DEFAULT_TIMEOUT,
        most: int = MOST_VARIANTS,
    ) -> None:
        self.variants = expand(plan, most)
        self._plan = plan
        self._sites = tuple(sites)
        self._gpus = gpus_of(sites, devices)
        self._without_gpu = next((s.devices.problem for s in sites if s.devices.problem), _NO_GPU)
        self._reads = reads
        self._keeps_code = keeps_code
        self._on_row = on_row
        self._timeout = timeout
        # Equal builds are done once.
        self._wanting: dict[BuildRequest, list[Variant]] = {}
        for variant in self.variants:
            self._wanting.setdefault(variant.build, []).append(variant)
        self._to_build = deque(self._wanting)
        self._to_launch: list[_Ready] = []
        self._to_read: deque[tuple[BuildRequest, BuildResult]] = deque()
        self._readings: dict[BuildRequest, VariantReading | ReadingFailure] = {}
        self._running: dict[Future[Any], _RunningCall] = {}
        self._ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._rows: dict[int, VariantRow] = {}
        self._cancelled = threading.Event()

    def run(self) -> VariantTable:
        """Carries out the plan in the calling thread, which waits."""
        start = time.perf_counter()
        try:
            self._work()
        except KeyboardInterrupt:
            # Ends the tasks in progress before the sites are closed, which waits for them.
            self.cancel()
            raise
        self._give_up()
        done = tuple(self._rows[variant.index] for variant in self.variants)
        return VariantTable(self._plan.axes, done, (time.perf_counter() - start) * 1000)

    def cancel(self) -> None:
        """Begins no new tasks and ends those in progress."""
        self._cancelled.set()
        for site in self._sites:
            site.interrupt()

    def _work(self) -> None:
        self._dispatch()
        while self._running:
            try:
                self._take(self._ended.get(timeout=_GLANCE))
            except queue.Empty:
                self._look_after_sites()
            self._dispatch()

    def _dispatch(self) -> None:
        """Gives tasks to all sites and GPUs that are free."""
        if self._cancelled.is_set():
            return
        while self._to_build and (site := self._freest()):
            self._build(site, self._to_build.popleft())
        busy = {call.occupies for call in self._running.values()}
        for gpu in self._gpus:
            ready = next((r for r in self._to_launch if gpu in r.launches), None)
            if ready is not None and gpu not in busy:
                self._to_launch.remove(ready)
                self._launch(gpu, ready)
        for site in self._sites:
            # One reading runs next to the builds, more where cores are free.
            while self._to_read and (not self._count(site, _READER) or self._free(site) > 0):
                self._read(site, *self._to_read.popleft())

    def _freest(self) -> Site | None:
        """Returns the site with the most cores free for builds."""
        best = max(self._sites, key=lambda site: site.jobs - self._count(site, _CORE), default=None)
        return best if best is not None and self._count(best, _CORE) < best.jobs else None

    def _free(self, site: Site) -> int:
        """Returns the cores of a site that neither build nor read."""
        return site.jobs - self._count(site, _CORE) - self._count(site, _READER)

    def _count(self, site: Site, occupies: str) -> int:
        calls = self._running.values()
        return sum(call.site is site and call.occupies == occupies for call in calls)

    def _build(self, site: Site, request: BuildRequest) -> None:
        future = site.compiling.submit(
            tasks.build_variant, site.session, request, site.workers, self._timeout
        )
        on_result, on_error = partial(self._built, request), partial(self._not_built, request)
        self._follow(future, _RunningCall(site, _CORE, on_result, on_error))

    def _launch(self, gpu: Gpu, ready: _Ready) -> None:
        request = ready.launches[gpu]
        future = gpu.site.launching.submit(tasks.launch_variant, gpu.site.session, request)
        on_result, on_error = partial(self._launched, gpu, ready), partial(self._crashed, ready)
        self._follow(future, _RunningCall(gpu.site, gpu, on_result, on_error))

    def _read(self, site: Site, request: BuildRequest, result: BuildResult) -> None:
        future = site.launching.submit(tasks.read_variant, site.session, request, result)
        on_result, on_error = partial(self._have_read, request), partial(self._unread, request)
        self._follow(future, _RunningCall(site, _READER, on_result, on_error))

    def _follow(self, future: Future[Any], call: _RunningCall) -> None:
        self._running[future] = call
        future.add_done_callback(self._ended.put)

    def _take(self, future: Future[Any]) -> None:
        call = self._running.pop(future, None)
        if call is None:
            return  # given up when its site was lost
        try:
            result = future.result()
        except Exception as error:  # whatever an executor or another machine may raise
            call.on_error(str(error) or type(error).__name__)
        else:
            call.on_result(result)

    def _built(self, request: BuildRequest, result: BuildResult) -> None:
        variants = self._wanting[request]
        row_result = result if self._keeps_code else replace(result, artifacts=())
        if not result.ok:
            for variant in variants:
                self._finish(rows.unbuilt(variant, result.outcome, result.reason, row_result))
            return
        if self._reads and cubin_of(request, result):
            self._to_read.append((request, result))
        plan = self._plan
        headers = own_headers(request) if plan.has_kernel else ()
        forms = kernel_forms(request.sources, result, headers) if plan.has_kernel else ()
        for variant in variants:
            prepared = self._prepare(variant, result, forms)
            if isinstance(prepared, _Ready):
                self._to_launch.append(
                    replace(prepared, row=replace(prepared.row, result=row_result))
                )
            else:
                self._finish(replace(prepared, result=row_result))

    def _prepare(
        self, variant: Variant, result: BuildResult, forms: tuple[KernelForm, ...]
    ) -> _Ready | VariantRow:
        """Returns the launches of a variant, or the row of a variant that is not launched."""
        row = rows.built(variant, result, "", None)
        try:
            form = choose_form(
                launched_name(result, variant.spec.kernel), forms, variant.build.sources
            )
            block = _block(variant.spec, form) if self._plan.has_block else None
            row = rows.built(variant, result, _key(result, form), block)
            if not self._plan.launches:
                return row
            kernels = {gpu: _launchable(variant, result, form, gpu) for gpu in self._gpus}
        except SpecError as error:
            return rows.refused(row, error.problem) if self._plan.launches else row
        if not self._gpus:
            return rows.unlaunched(row, LaunchOutcome.MISSING, self._without_gpu)
        launches: dict[Gpu, LaunchRequest] = {}
        faults: list[list[SpecProblem]] = []
        for gpu, kernel in kernels.items():
            resolution = resolve(variant.spec, kernel, gpu.site.devices, gpu.ordinal)
            if resolution.request:
                launches[gpu] = resolution.request
            faults.append([p for p in resolution.problems if p.severity is Severity.ERROR])
        if launches:
            return _Ready(row, launches)
        # The faults of the GPU that came closest say best what to change.
        return rows.refused(row, min(faults, key=len)[0])

    def _not_built(self, request: BuildRequest, message: str) -> None:
        for variant in self._wanting[request]:
            self._finish(rows.unbuilt(variant, Outcome.CRASHED, message))

    def _launched(self, gpu: Gpu, ready: _Ready, result: LaunchResult) -> None:
        self._finish(rows.launched(ready.row, result, gpu.site.name))

    def _crashed(self, ready: _Ready, message: str) -> None:
        self._finish(rows.unlaunched(ready.row, LaunchOutcome.CRASHED, message))

    def _have_read(self, request: BuildRequest, answer: VariantReading | ReadingFailure) -> None:
        self._readings[request] = answer
        rows_of_build = (self._rows.get(variant.index) for variant in self._wanting[request])
        for row in tuple(filter(None, rows_of_build)):
            self._finish(row)

    def _unread(self, request: BuildRequest, message: str) -> None:
        self._have_read(request, ReadingFailure(message))

    def _finish(self, row: VariantRow) -> None:
        match self._readings.get(row.variant.build):
            case ReadingFailure() as why:
                row = replace(row, message=row.message or why.message)
            case VariantReading(reports, notes):
                row = replace(row, reports=reports, notes=notes)
        self._rows[row.variant.index] = row
        self._on_row(row)

    def _look_after_sites(self) -> None:
        """Gives up the tasks of lost sites; ends tasks that began just as the run was cancelled."""
        lost = [site for site in self._sites if not site.alive()]
        self._sites = tuple(site for site in self._sites if site not in lost)
        self._gpus = tuple(gpu for gpu in self._gpus if gpu.site not in lost)
        for future, call in tuple(self._running.items()):
            if call.site in lost:
                del self._running[future]
                call.on_error(_GONE)
        if self._cancelled.is_set():
            self.cancel()

    def _give_up(self) -> None:
        """Makes rows for variants that cannot or shall not be carried out any more."""
        why = _CANCELLED if self._cancelled.is_set() else _GONE
        for ready in self._to_launch:
            self._finish(rows.unlaunched(ready.row, LaunchOutcome.CANCELLED, why))
        for request in self._to_build:
            for variant in self._wanting[request]:
                self._finish(rows.unbuilt(variant, Outcome.CANCELLED, why))


def gpus_of(sites: Sequence[Site], ordinals: Collection[int] | None) -> tuple[Gpu, ...]:
    """Returns the GPUs to use, once each: several workers of a cluster may see the same GPU.

    Args:
        sites: The sites to search.
        ordinals: The ordinals to use at each site, `SIMULATOR` among them; None for all GPUs.
    """
    by_uuid: dict[str, Gpu] = {}
    for site in sites:
        for device in site.devices.choices:
            if device.ordinal in ordinals if ordinals is not None else not device.is_simulated:
                by_uuid.setdefault(device.uuid, Gpu(site, device.ordinal))
    return tuple(by_uuid.values())


def _key(result: BuildResult, form: KernelForm) -> str:
    """Returns the key that distinguishes a kernel from those of other modules."""
    return result.kernel_keys.get((form.unit, form.lowered), form.lowered)


def _launchable(variant: Variant, result: BuildResult, form: KernelForm, gpu: Gpu) -> Launchable:
    """Returns the kernel as launched on a GPU, or in the simulator.

    Raises:
        SpecError: The build did not make the code.
    """
    is_simulated = gpu.ordinal == SIMULATOR
    kernel = launchable(variant.build, result, form, variant.spec.load, simulated=is_simulated)
    # A run of many variants asks for figures, not for advice, which would need the machine code.
    return kernel if not is_simulated else replace(kernel, counterpart=None, sources=())


def _block(spec: LaunchSpec, form: KernelForm) -> BlockResources:
    """Returns the block of a launch, as far as known without a GPU."""
    faults = SpecFaults()
    names = arguments_of(form, spec.arguments, "", faults).names
    launch_geometry = geometry(spec, form, names, faults)
    if not launch_geometry.has_block or form.cluster or spec.cluster.strip():
        return BlockResources(None)
    return BlockResources(launch_geometry.config.threads_per_block, launch_geometry.config.shared)
