"""What is known of the machine code that is looked at, once it has been read."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from jitstudio.analysis.listing_rows import ListingRows
from jitstudio.analysis.model import Disassembly, SassFunction
from jitstudio.core.code import CodeKind
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.analysis_service import AnalysisService
from jitstudio.gui.service import Listing
from jitstudio.gui.state.outputs import Built, Outputs


@dataclass(frozen=True, eq=False)
class Inspection:
    """The machine code of one module or of the link, read.

    Attributes:
        name: Of the artifact: the module's, or `core.code.LINKED`.
        listing: Its SASS, as it is shown.
        code: The same as functions and instructions.
        rows: Which line of the listing is which instruction.
        request: What was asked for.
        result: The build that it is of.
    """

    name: str
    listing: Listing
    code: Disassembly
    rows: ListingRows
    request: BuildRequest
    result: BuildResult


@dataclass(frozen=True)
class _Subject:
    listing: Listing
    built: Built


class Inspections(QObject):
    """Has the SASS that is looked at read, as long as somebody who can be seen wants it.

    Signals:
        changed: There is another inspection, or none any more.
        kernel_changed: The name of the kernel or function that is looked at; empty for none.
    """

    changed = Signal()
    kernel_changed = Signal(str)

    def __init__(
        self, outputs: Outputs, service: AnalysisService, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._outputs = outputs
        self._service = service
        self._wanted: set[str] = set()
        self._subject: _Subject | None = None
        self._ticket = 0
        self._current: Inspection | None = None
        self._problem = ""
        self._kernel = ""
        service.finished.connect(self._on_finished)
        service.unreadable.connect(self._on_unreadable)
        # A listing is shown before the build that makes it has ended, and with it the cubin.
        outputs.result_changed.connect(self._on_result_changed)
        self._listing: Listing | None = None

    @property
    def current(self) -> Inspection | None:
        """What is known of the SASS that is looked at; None until it has been read."""
        return self._current

    @property
    def is_reading(self) -> bool:
        """Whether there will be an inspection soon; what was shown may stay until then."""
        return self._current is None and self._ticket != 0 and not self._problem

    @property
    def problem(self) -> str:
        """Why there is no inspection, in words; empty where there is one, or will be."""
        return self._problem

    @property
    def kernel(self) -> str:
        """The lowered name of the kernel or function that is looked at; empty for none."""
        return self._kernel

    @property
    def function(self) -> SassFunction | None:
        """The code of the kernel that is looked at."""
        return self._current.code.function(self._kernel) if self._current else None

    def set_kernel(self, name: str) -> None:
        """Look at this kernel or function from now on, if there is one of this name."""
        known = self._current.code.function(name) if self._current else None
        if known is not None and name != self._kernel:
            self._kernel = name
            self.kernel_changed.emit(name)

    def want(self, user: str, wanted: bool) -> None:
        """Say whether somebody, known by a name, can be seen and shows what has been read."""
        if wanted:
            self._wanted.add(user)
            self._read()
        else:
            self._wanted.discard(user)

    def look_at(self, listing: Listing | None) -> None:
        """Look at another SASS listing, or at none."""
        self._listing = listing
        self._find()

    def _find(self) -> None:
        """Find out which build the listing is of."""
        built = self._outputs.good
        listing = self._listing
        subject = None
        if listing is not None and built is not None:
            cubin = built.result.artifact(CodeKind.CUBIN, listing.name)
            is_old = listing.name in self._outputs.output(CodeKind.SASS).old
            # While a build goes on, or after a failed one, a new listing is not of the good one.
            if cubin is not None and (is_old or built.result is self._outputs.result):
                subject = _Subject(listing, built)
        if subject != self._subject:
            self._subject = subject
            self._ticket = 0
            self._set(None)
        self._read()

    def _read(self) -> None:
        if not self._wanted or self._subject is None or self._current or self._ticket:
            return
        listing, built = self._subject.listing, self._subject.built
        cubin = built.result.artifact(CodeKind.CUBIN, listing.name)
        assert cubin is not None
        self._ticket = self._service.read(cubin.content, cubin.file_name, listing.lines)

    def _set(self, inspection: Inspection | None, problem: str = "") -> None:
        if inspection is None and self._current is None and problem == self._problem:
            return
        self._current = inspection
        self._problem = problem
        if inspection is not None:
            self._keep_kernel(inspection.code)
        self.changed.emit()

    def _keep_kernel(self, code: Disassembly) -> None:
        if code.function(self._kernel) is None:
            first = next(iter((*code.kernels, *code.functions)), None)
            self._kernel = first.name if first else ""
            self.kernel_changed.emit(self._kernel)

    @Slot(object)
    def _on_result_changed(self, _result: BuildResult | None) -> None:
        self._find()

    @Slot(int, object, object)
    def _on_finished(self, ticket: int, code: Disassembly, rows: ListingRows) -> None:
        if ticket != self._ticket or self._subject is None:
            return
        listing, built = self._subject.listing, self._subject.built
        self._set(Inspection(listing.name, listing, code, rows, built.request, built.result))

    @Slot(int, str)
    def _on_unreadable(self, ticket: int, words: str) -> None:
        if ticket == self._ticket:
            self._set(None, words)


def nothing_read() -> str:
    """What a pane says while there is nothing that could be read."""
    return QCoreApplication.translate(
        "Inspections",
        "No machine code is shown yet.\n"
        "Build something that makes SASS: what it is made of appears here.",
    )
