"""The shown machine code, as the reader of SASS has analysed it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.analysis.occupancy.calculate import RegisterCost, limits_of, register_cost_of
from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly, SassFunction
from jitstudio.analysis.sass.reading import ListingRows
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.prebuilt import machine_code, ptx_of
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.services.analysis_service import AnalysisService, ReadListing
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.function_listings import FunctionListings
from jitstudio.gui.state.outputs import Built, Output, Outputs
from jitstudio.listing.kernel_names import short_titles


@dataclass(frozen=True, eq=False)
class Inspection:
    """The machine code of one module or of the link, as read.

    Attributes:
        name: Of the artifact: the module's, or `core.code.LINKED`.
        listing: Its SASS, as it is shown.
        code: The same as functions and instructions.
        rows: Which line of the listing is which instruction.
        request: The request of the build.
        result: The build that it is of.
    """

    name: str
    listing: Listing
    code: Disassembly
    rows: ListingRows
    request: BuildRequest
    result: BuildResult

    @property
    def readable(self) -> tuple[tuple[str, str], ...]:
        """Functions by lowered name and by readable name, kernels first.

        Those, too, of which another reading would have to be made.
        """
        of_build = self.result.kernels
        titles = short_titles(of_build)
        shown = {name: title for (_, name), title in titles.items()}
        shown |= {name: title for (module, name), title in titles.items() if module == self.name}
        kernels = {k.name for k in of_build if k.demangled} | {f.name for f in self.code.kernels}
        names = self.listing.functions or [function.name for function in self.code.functions]
        ordered = sorted(names, key=lambda name: name not in kernels)
        return tuple((name, shown.get(name, name)) for name in ordered)

    @property
    def target(self) -> Arch:
        """The architecture of the code; an opened cubin tells more reliably than the request."""
        return Arch.parse(self.code.target) if self.code.target else self.request.arch

    @cached_property
    def cost(self) -> RegisterCost:
        """The costs of the live registers: occupancy by count."""
        kernels = self.result.kernels
        own = tuple(kernel for kernel in kernels if kernel.module == self.name)
        return register_cost_of(self.code.functions, own or kernels, limits_of(self.target))


@dataclass(frozen=True)
class _Subject:
    listing: Listing
    built: Built


class CurrentDisassembly(QObject):
    """Has the shown SASS read, as long as a visible pane needs the reading.

    Signals:
        changed: There is another inspection, none any more, or one that is being read.
        kernel_changed: The name of the kernel or function that is looked at; empty for none.
        kernel_wanted: The name of the kernel or function to look at, read or not.
    """

    changed = Signal()
    kernel_changed = Signal(str)
    kernel_wanted = Signal(str)

    def __init__(
        self,
        outputs: Outputs,
        service: AnalysisService,
        function_listings: FunctionListings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._outputs = outputs
        self._service = service
        self._function_listings = function_listings
        self._wanted: set[str] = set()
        self._subject: _Subject | None = None
        self._reading: RequestHandle | None = None
        # A build that goes on has made what is looked at, and will make its cubin.
        self._is_awaited = False
        self._current: Inspection | None = None
        self._outgoing: Inspection | None = None
        self._owner: object = None
        self._problem = ""
        self._is_mishap = False
        self._kernel = ""
        self._kernel_to_come = ""
        # A listing is shown before the build that makes it has ended, and with it the cubin.
        outputs.result_changed.connect(self._on_result_changed)
        outputs.changed.connect(self._on_output_changed)
        self._listing: Listing | None = None

    @property
    def current(self) -> Inspection | None:
        """The inspection of the SASS that is looked at; None until the reading is done."""
        return self._current

    @property
    def is_reading(self) -> bool:
        """Whether there will be an inspection soon."""
        awaited = self._is_awaited and bool(self._wanted)
        return (
            self._current is None and not self._problem and (self._reading is not None or awaited)
        )

    @property
    def outgoing(self) -> Inspection | None:
        """The inspection before, while the same module is read again.

        Views of it may stay until then; views of another inspection may not.
        """
        return self._outgoing if self.is_reading else None

    @property
    def problem(self) -> str:
        """The reason why there is no inspection; empty where there is one, or will be."""
        return self._problem

    @property
    def may_read_again(self) -> bool:
        """Whether reading may succeed at another try after this failure."""
        return bool(self._problem) and self._is_mishap

    def read_again(self) -> None:
        """Reads again after a failure."""
        if self.may_read_again:
            self._reading, self._problem = None, ""
            self._read()
            self.changed.emit()

    @property
    def lacking(self) -> Output | None:
        """The output of SASS, where the reason for its absence is why nothing can be read."""
        outputs, result = self._outputs, self._outputs.result
        has_failed = result is not None and not result.ok
        is_why = self._listing is None and (has_failed or outputs.is_first_expected)
        return outputs.output(CodeKind.SASS) if is_why else None

    @property
    def kernel(self) -> str:
        """The lowered name of the kernel or function that is looked at; empty for none."""
        return self._kernel

    @property
    def kernel_to_come(self) -> str:
        """The kernel or function to look at as soon as the code is read."""
        return self._kernel_to_come or self._kernel

    @property
    def function(self) -> SassFunction | None:
        """The code of the kernel that is looked at."""
        return self._current.code.function(self._kernel) if self._current else None

    def set_kernel(self, name: str) -> None:
        """Looks at the kernel or function `name` from now on, if the code has that function.

        Where there is none yet, the next code that is read is looked for it: that of this function
        if another one alone is listed.
        """
        known = self._current.code.function(name) if self._current else None
        self._kernel_to_come = "" if known else name
        self._outputs.function = name
        if self._listing is not None and name in self._listing.functions:
            self._function_listings.show(self._listing, name)
        if known is not None and name != self._kernel:
            self._kernel = name
            self.kernel_changed.emit(name)
        self.kernel_wanted.emit(name)

    def want(self, user: str, wanted: bool) -> None:
        """Sets whether a user of the disassembly, known by a name, is visible."""
        if wanted:
            self._wanted.add(user)
            was_reading = self.is_reading
            self._read()
            if self.is_reading != was_reading:
                self.changed.emit()
        else:
            self._wanted.discard(user)

    def look_at(self, listing: Listing | None) -> None:
        """Looks at another SASS listing, or at none."""
        self._listing = listing
        self._find()

    def _find(self) -> None:
        """Finds out which build the listing is of."""
        subject, owner = self._subject_now(), None
        is_awaited = subject is None and self._listing is not None and self._outputs.is_unfinished
        if self._listing is not None and (subject or is_awaited):
            owner = (self._outputs.subject, self._listing.name)
        if (subject, is_awaited, owner) == (self._subject, self._is_awaited, self._owner):
            self._read()
            return
        outgoing = self._current or self._outgoing
        self._outgoing = outgoing if owner == self._owner else None
        self._subject, self._is_awaited, self._owner = subject, is_awaited, owner
        if self._reading is not None:
            self._reading.ignore()
        self._reading, self._current, self._problem = None, None, ""
        # Receivers can tell a pause from the end.
        self._read()
        self.changed.emit()

    def _subject_now(self) -> _Subject | None:
        listing, built = self._listing, self._outputs.good
        # While a build goes on, or after a failed one, a new listing is not of the good one.
        if listing is None or built is None or not self._outputs.is_good(listing):
            return None
        cubin = machine_code(built.request, built.result, listing.name)
        return _Subject(listing, built) if cubin is not None else None

    def _read(self) -> None:
        if not self._wanted or self._subject is None or self._current or self._reading:
            return
        listing, built = self._subject.listing, self._subject.built
        cubin = machine_code(built.request, built.result, listing.name)
        assert cubin is not None
        ptx = ptx_of(built.request, built.result, listing.name)
        request = AnalysisRequest.of_build(
            built.request, cubin.content, cubin.file_name, ptx, listing.function
        )
        self._reading = self._service.read(request, listing.lines)
        self._reading.finished.connect(self._on_read)
        self._reading.failed.connect(self._on_failed)

    def _set(self, inspection: Inspection | None, problem: str = "") -> None:
        self._current, self._outgoing, self._problem = inspection, None, problem
        if inspection is not None:
            self._keep_kernel(inspection)
        self.changed.emit()

    def _keep_kernel(self, inspection: Inspection) -> None:
        code, wanted = inspection.code, self._kernel_to_come
        self._kernel_to_come = ""
        if wanted not in ("", self._kernel) and code.function(wanted) is not None:
            self._kernel = wanted
            self.kernel_changed.emit(wanted)
        elif code.function(self._kernel) is None:
            # The first of the source: machine code has them in another order.
            functions = (code.function(kernel.name) for kernel in inspection.result.kernels)
            first = next(filter(None, (*functions, *code.kernels, *code.functions)), None)
            self._kernel = first.name if first else ""
            self.kernel_changed.emit(self._kernel)

    @Slot(object)
    def _on_result_changed(self, _result: BuildResult | None) -> None:
        self._find()
        if self._subject is None:
            # There may be another reason.
            self.changed.emit()

    @Slot(CodeKind)
    def _on_output_changed(self, kind: CodeKind) -> None:
        if kind is CodeKind.SASS and self._listing is None:
            # What is said in place of it may be something else.
            self.changed.emit()

    @Slot(object)
    def _on_read(self, answer: ReadListing | ReadingFailure) -> None:
        if isinstance(answer, ReadingFailure):
            self._is_mishap = answer.is_mishap
            self._set(None, answer.message)
        elif self._subject is not None:
            listing, built = self._subject.listing, self._subject.built
            code, rows = answer.code, answer.rows
            self._set(Inspection(listing.name, listing, code, rows, built.request, built.result))

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._is_mishap = True
        self._set(None, message)
