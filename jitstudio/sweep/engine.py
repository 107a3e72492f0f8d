"""Carries out a sweep: builds on all cores of all sites while each GPU times a launch at a time."""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.core.sweep.plan import SweepPlan, Variant, expand
from jitstudio.core.sweep.result import SweepResult, VariantResult
from jitstudio.listing.kernels import kernel_forms
from jitstudio.sweep import rows, tasks
from jitstudio.sweep.preparation import Gpu, Ready, gpus_of, prepare
from jitstudio.sweep.sites import Site
from jitstudio.worker.builder import DEFAULT_TIMEOUT

_GLANCE = 1.0
"""Seconds after which a sweep looks whether its sites are still there."""

_CANCELLED = "The sweep was cancelled."
_GONE = "The machine that worked on it can no longer be reached."
_NO_GPU = "None of the chosen GPUs is there. Look at 'jitstudio devices'."


@dataclass(frozen=True)
class _Flight:
    """A task that is being worked on.

    Attributes:
        site: Where.
        gpu: The GPU that it occupies; None for a build.
        land: What to do with its result.
        fail: What to do with the words of an error in place of a result.
    """

    site: Site
    gpu: Gpu | None
    land: Callable[[Any], None]
    fail: Callable[[str], None]


class Sweep:
    """One sweep. `cancel` is safe from any other thread.

    Args:
        plan: What is varied.
        sites: Where the work is done; they stay open.
        devices: Ordinals of the GPUs to use at each site; None for all.
        on_row: Called in the thread of `run` with each row as it is done.
        timeout: Seconds a build may take.

    Raises:
        SweepError: The plan makes no sense.
    """

    def __init__(
        self,
        plan: SweepPlan,
        sites: Sequence[Site],
        *,
        devices: Collection[int] | None = None,
        on_row: Callable[[VariantResult], None] = lambda row: None,
        timeout: float | None = DEFAULT_TIMEOUT,
    ) -> None:
        self.variants = expand(plan)
        self._axes = plan.axes
        self._sites = tuple(sites)
        self._gpus = gpus_of(sites, devices)
        self._without_gpu = next((s.devices.problem for s in sites if s.devices.problem), _NO_GPU)
        self._on_row = on_row
        self._timeout = timeout
        # Equal builds are one.
        self._wanting: dict[BuildRequest, list[Variant]] = {}
        for variant in self.variants:
            self._wanting.setdefault(variant.build, []).append(variant)
        self._to_build = deque(self._wanting)
        self._to_launch: list[Ready] = []
        self._flights: dict[Future[Any], _Flight] = {}
        self._landed: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._rows: dict[int, VariantResult] = {}
        self._cancelled = threading.Event()

    def run(self) -> SweepResult:
        """Do all of it, in the calling thread, which waits."""
        start = time.perf_counter()
        self._dispatch()
        while self._flights:
            try:
                self._take_in(self._landed.get(timeout=_GLANCE))
            except queue.Empty:
                self._look_after_sites()
            self._dispatch()
        self._give_up()
        done = tuple(self._rows[variant.index] for variant in self.variants)
        return SweepResult(self._axes, done, (time.perf_counter() - start) * 1000)

    def cancel(self) -> None:
        """Let nothing new begin and end what is in progress."""
        self._cancelled.set()
        for site in self._sites:
            site.interrupt()

    def _dispatch(self) -> None:
        """Give work to whoever is free."""
        if self._cancelled.is_set():
            return
        while self._to_build and (site := self._freest()):
            self._build(site, self._to_build.popleft())
        busy = {flight.gpu for flight in self._flights.values()}
        for gpu in self._gpus:
            ready = next((r for r in self._to_launch if gpu in r.launches), None)
            if ready is not None and gpu not in busy:
                self._to_launch.remove(ready)
                self._launch(gpu, ready)

    def _freest(self) -> Site | None:
        """The site with the most cores free for builds."""
        builds = [flight.site for flight in self._flights.values() if flight.gpu is None]
        free = {site: site.jobs - builds.count(site) for site in self._sites}
        best = max(free, key=lambda site: free[site], default=None)
        return best if best is not None and free[best] > 0 else None

    def _build(self, site: Site, request: BuildRequest) -> None:
        future = site.compiling.submit(tasks.build_variant, site.session, request, self._timeout)
        land, fail = partial(self._built, request), partial(self._not_built, request)
        self._follow(future, _Flight(site, None, land, fail))

    def _launch(self, gpu: Gpu, ready: Ready) -> None:
        request = ready.launches[gpu]
        future = gpu.site.launching.submit(tasks.launch_variant, gpu.site.session, request)
        land, fail = partial(self._launched, gpu, ready), partial(self._not_launched, ready)
        self._follow(future, _Flight(gpu.site, gpu, land, fail))

    def _follow(self, future: Future[Any], flight: _Flight) -> None:
        self._flights[future] = flight
        future.add_done_callback(self._landed.put)

    def _take_in(self, future: Future[Any]) -> None:
        flight = self._flights.pop(future, None)
        if flight is None:
            return  # given up when its site was lost
        try:
            result = future.result()
        except Exception as error:  # whatever an executor or another machine may raise
            flight.fail(str(error) or type(error).__name__)
        else:
            flight.land(result)

    def _built(self, request: BuildRequest, result: BuildResult) -> None:
        variants = self._wanting[request]
        if not result.ok:
            for variant in variants:
                row = rows.unbuilt(variant, result.outcome, result.reason, result.total_ms)
                self._finish(row)
            return
        forms = kernel_forms(request.sources, result, request.headers)
        for variant in variants:
            match prepare(variant, result, forms, self._gpus, self._without_gpu):
                case Ready() as ready:
                    self._to_launch.append(ready)
                case row:
                    self._finish(row)

    def _not_built(self, request: BuildRequest, message: str) -> None:
        for variant in self._wanting[request]:
            self._finish(rows.unbuilt(variant, Outcome.CRASHED, message))

    def _launched(self, gpu: Gpu, ready: Ready, result: LaunchResult) -> None:
        self._finish(rows.launched(ready.row, result, gpu.site.name))

    def _not_launched(self, ready: Ready, message: str) -> None:
        self._finish(rows.unlaunched(ready.row, LaunchOutcome.CRASHED, message))

    def _finish(self, row: VariantResult) -> None:
        self._rows[row.variant.index] = row
        self._on_row(row)

    def _look_after_sites(self) -> None:
        """Give up what a lost site was doing; end what began just as the sweep was cancelled."""
        lost = [site for site in self._sites if not site.alive()]
        self._sites = tuple(site for site in self._sites if site not in lost)
        self._gpus = tuple(gpu for gpu in self._gpus if gpu.site not in lost)
        for future, flight in tuple(self._flights.items()):
            if flight.site in lost:
                del self._flights[future]
                flight.fail(_GONE)
        if self._cancelled.is_set():
            self.cancel()

    def _give_up(self) -> None:
        """Rows for what nobody can or shall work on any more."""
        why = _CANCELLED if self._cancelled.is_set() else _GONE
        for ready in self._to_launch:
            self._finish(rows.unlaunched(ready.row, LaunchOutcome.CANCELLED, why))
        for request in self._to_build:
            for variant in self._wanting[request]:
                self._finish(rows.unbuilt(variant, Outcome.CANCELLED, why))
