"""Builds of the user's besides the open text: exports, comparisons, more SASS."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QElapsedTimer, QObject, Signal, Slot

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.prebuilt import machine_code
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import Outcome
from jitstudio.gui.services.build_service import BuildOutput, BuildService, Listing
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.outputs import Built, Outputs


@dataclass(frozen=True, eq=False)
class SideBuild:
    """A side build, waiting or running.

    Attributes:
        doing: The action, in words for the user.
        handle: Its request.
        clock: Since when it runs.
    """

    doing: str
    handle: RequestHandle
    clock: QElapsedTimer = field(default_factory=QElapsedTimer)


class SideBuilds(QObject):
    """Runs side builds one after another, in processes that leave the cores to builds of edits.

    Args:
        service: Builds them and nothing else.

    Signals:
        changed: Another one runs now, or none.
    """

    changed = Signal()

    def __init__(self, service: BuildService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._numbers = itertools.count()
        self._all: dict[int, SideBuild] = {}

    @property
    def current(self) -> SideBuild | None:
        """The build that runs, or is about to; None where there is none."""
        return next(iter(self._all.values()), None)

    def build(self, request: BuildRequest, doing: str) -> RequestHandle:
        """Builds `request`; an unfinished build that does the same is forgotten.

        Args:
            request: The request.
            doing: The action, in words for the user.

        Returns:
            The handle; see `BuildService.build`. Its `dropped` or a cancelled result says that the
            user has cancelled it, or wanted it anew.
        """
        handle = self._service.build(request, doing)
        number = next(self._numbers)
        build = self._all[number] = SideBuild(doing, handle)
        handle.started.connect(build.clock.start)
        for end in (handle.finished, handle.failed, handle.dropped):
            end.connect(partial(self._on_ended, number))
        self.changed.emit()
        return handle

    def cancel(self) -> None:
        """Cancels the running side build."""
        if (build := self.current) is not None:
            build.handle.cancel()

    def _on_ended(self, number: int, *_answer: object) -> None:
        del self._all[number]
        self.changed.emit()


# ---- The SASS of another function, where a build has made that of one only

_TAG = "function"
_MOST_KEPT = 16


class FunctionListings(QObject):
    """Has the machine code of a good build printed, of which the rest is known already.

    Args:
        outputs: Shows the printed listings.
        service: Prints one function.
        side_builds: Prints all, which takes long.

    Signals:
        began: This function is printed, by its lowered name.
        failed: It cannot be; a message for the user.
    """

    began = Signal(str)
    failed = Signal(str)

    def __init__(
        self,
        outputs: Outputs,
        service: BuildService,
        side_builds: SideBuilds,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._outputs = outputs
        self._service = service
        self._side_builds = side_builds
        self._printing: RequestHandle | None = None
        # Those of the build that was looked at last, by module and function.
        self._built: Built | None = None
        self._kept: OrderedDict[tuple[str, str], Listing] = OrderedDict()

    def show(self, listing: Listing, function: str) -> None:
        """Shows another function in place of the listed function, in a moment.

        One that is still printed for the same machine code is forgotten.
        """
        self.stop()
        if function == listing.function or (request := self._request(listing, function)) is None:
            return
        self._keep(listing)
        if (printed := self._kept.get((listing.name, function))) is not None:
            self._outputs.replace_listing(listing, printed)
        else:
            self._follow(self._service.build(request, _TAG), listing)
            self.began.emit(function)

    def show_all(self, listing: Listing) -> None:
        """Shows all functions in place of the listed function, once nvdisasm has printed all."""
        self.stop()
        if (request := self._request(listing, None)) is not None:
            doing = self.tr("Disassembling {name}").format(name=listing.name)
            self._follow(self._side_builds.build(request, doing), listing)

    def stop(self) -> None:
        """Drops the listing that is being printed."""
        if self._printing is not None:
            self._printing.ignore()
            self._printing.cancel()
            self._printing = None

    def _keep(self, listing: Listing) -> None:
        """Keeps a listing, so that a step back is immediate until the next build."""
        if self._built is not self._outputs.good:
            self._built = self._outputs.good
            self._kept.clear()
        self._kept[listing.name, listing.function] = listing
        self._kept.move_to_end((listing.name, listing.function))
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def _request(self, listing: Listing, function: str | None) -> BuildRequest | None:
        """Returns the request that prints a function, or all; None without known machine code."""
        built = self._outputs.good
        if built is None or not self._outputs.is_good(listing):
            return None
        return _printing(built, listing, function)

    def _follow(self, handle: RequestHandle, listing: Listing) -> None:
        self._printing = handle
        handle.finished.connect(partial(self._on_printed, listing))
        handle.failed.connect(self._on_failed)

    def _on_printed(self, listing: Listing, output: BuildOutput) -> None:
        self._printing = None
        if output.result.ok:
            self._outputs.replace_listing(listing, *output.listings)
        elif output.result.outcome is not Outcome.CANCELLED:
            self.failed.emit(output.result.reason)

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._printing = None
        self.failed.emit(message)


def _printing(built: Built, listing: Listing, function: str | None) -> BuildRequest | None:
    cubin = machine_code(built.request, built.result, listing.name)
    if cubin is None:
        return None
    return replace(
        built.request,
        sources=(Source(listing.name, CodeKind.CUBIN, cubin.content),),
        emit=frozenset({CodeKind.SASS}),
        link=LinkMode.NONE,
        headers=(),
        libraries=(),
        function=function,
    )
