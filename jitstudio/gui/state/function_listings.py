"""The SASS of another function, or of all, where a build has made that of one only."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.prebuilt import machine_code
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import Outcome
from jitstudio.gui.services.build_service import BuildOutput, BuildService, Listing
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.outputs import Built, Outputs
from jitstudio.gui.state.side_builds import SideBuilds

_TAG = "function"
_MOST_KEPT = 16


class _Printing(NamedTuple):
    """A request that prints what takes the place of a listing."""

    handle: RequestHandle
    listing: Listing


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
        self._printing: _Printing | None = None
        # Those of the build that was looked at last, by module and function.
        self._built: Built | None = None
        self._listings: OrderedDict[tuple[str, str], Listing] = OrderedDict()

    def show(self, listing: Listing, function: str) -> None:
        """Shows another function in place of the listed function, in a moment.

        One that is still printed for the same machine code is forgotten.
        """
        self.stop()
        if function == listing.function or (request := self._request(listing, function)) is None:
            return
        self._keep(listing)
        if (printed := self._listings.get((listing.name, function))) is not None:
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
            handle = self._printing.handle
            # Others go on listening: it may be a side build.
            handle.finished.disconnect(self._on_printed)
            handle.failed.disconnect(self._on_failed)
            self._printing = None
            handle.cancel()

    def _keep(self, listing: Listing) -> None:
        """Keeps a listing, so that a step back is immediate until the next build."""
        if self._built is not self._outputs.good:
            self._built = self._outputs.good
            self._listings.clear()
        self._listings[listing.name, listing.function] = listing
        self._listings.move_to_end((listing.name, listing.function))
        if len(self._listings) > _MOST_KEPT:
            self._listings.popitem(last=False)

    def _request(self, listing: Listing, function: str | None) -> BuildRequest | None:
        """Returns the request that prints a function, or all; None without known machine code."""
        built = self._outputs.good
        if built is None or not self._outputs.is_good(listing):
            return None
        return _printing_request(built, listing, function)

    def _follow(self, handle: RequestHandle, listing: Listing) -> None:
        self._printing = _Printing(handle, listing)
        handle.finished.connect(self._on_printed)
        handle.failed.connect(self._on_failed)

    @Slot(object)
    def _on_printed(self, output: BuildOutput) -> None:
        printing, self._printing = self._printing, None
        assert printing is not None
        if output.result.ok:
            self._outputs.replace_listing(printing.listing, *output.listings)
        elif output.result.outcome is not Outcome.CANCELLED:
            self.failed.emit(output.result.reason)

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._printing = None
        self.failed.emit(message)


def _printing_request(built: Built, listing: Listing, function: str | None) -> BuildRequest | None:
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
