"""Turns edits into requests and builds, results into outputs. Nothing else starts a build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.events import Event
from jitstudio.core.launch.entry import with_entry
from jitstudio.core.options import split_options
from jitstudio.core.plan import PlanError, plan
from jitstudio.core.request import Assembler, BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.services.build_service import BuildOutput, BuildService, ListingsMade
from jitstudio.gui.services.request_queue import RequestHandle
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone
from jitstudio.gui.state.outputs import SHOWN_KINDS, Outputs
from jitstudio.gui.state.settings_table import BY_KEY

_PAUSE_MS = int(BY_KEY["build.pause"].default)
# What is looked at is there as a whole; but who passes tabs by does not look at each.
_TURN_MS = 50

# The cubin too: it can be saved, and the launch of a kernel will need it.
_MOST_SEARCHED = 1 << 17
_KERNEL_WORDS = (b"ptx_kernel", b'"kernel"')
SHOWN_AND_SAVED = frozenset((*SHOWN_KINDS, CodeKind.CUBIN))


@dataclass(frozen=True)
class LinkSubject:
    """The subject of a build that links a program; other subjects are documents."""

    program: str


@dataclass(frozen=True)
class _Pending:
    handle: RequestHandle
    subject: object
    request: BuildRequest


class BuildController(QObject):
    """Watches documents and settings, and keeps the outputs up to date.

    Signals:
        module_changed: A build without a link is about another document now, or another program
            is looked at.
        began: A build is running; its subject, request and plan, None where there is none.
        event_received: An event of that build.
        built: The result of a build of this subject, whether the build began or was refused.
        build_ended: No build is on its way any more.
        refused: There is nothing to build.
        worker_broke: The worker itself failed.
    """

    module_changed = Signal()
    began = Signal(object, BuildRequest, object)
    event_received = Signal(object)
    built = Signal(object, BuildResult)
    build_ended = Signal()
    refused = Signal(str)
    worker_broke = Signal(str)

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        outputs: Outputs,
        service: BuildService,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._settings = settings
        self._outputs = outputs
        self._service = service
        self._pending: _Pending | None = None
        self._is_paused = False
        # What waits until it is known where the compilers are, and whether that build runs it.
        self._owed: tuple[object, bool] | None = None
        self._module: Document | None = None
        self._pause_ms = _PAUSE_MS
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self.build)
        documents.added.connect(self._on_added)
        documents.edited.connect(self._on_edited)
        documents.saved.connect(self._on_saved)
        documents.moved.connect(self._on_changed)
        documents.removed.connect(self._on_removed)
        documents.current_changed.connect(self._on_current_changed)
        settings.changed.connect(self._on_changed)
        settings.trust_changed.connect(self._build_soon)
        settings.toolchain_changed.connect(self._on_toolchain_changed)
        settings.toolchain_settled.connect(self._on_toolchain_settled)
        settings.link_changed.connect(self._on_link_changed)
        settings.drafting_changed.connect(self._on_drafting_changed)
        settings.auto_build_changed.connect(self._on_auto_build_changed)
        service.broke.connect(self.worker_broke)
        # What is open already.
        alone = [d for d in (*documents, documents.current) if d and takes_part_alone(d)]
        if alone:
            self._set_module(alone[-1])

    @property
    def is_building(self) -> bool:
        """Whether a build is running."""
        return self._pending is not None

    @property
    def is_busy(self) -> bool:
        """Whether a build is running, or will start after the pause or with its compilers."""
        return self.is_building or self._pause.isActive() or self._owed is not None

    @property
    def builds_by_itself(self) -> bool:
        """Whether edits start a build: never where the build would run the user's program."""
        return self._settings.auto_build and not self.is_run

    @property
    def is_run(self) -> bool:
        """Whether a build runs the user's program."""
        return any(module.kind is CodeKind.PYTHON for module in self.modules())

    @property
    def is_held(self) -> bool:
        """Whether nothing is built before the user builds, launches or edits."""
        return self._is_paused

    @property
    def module(self) -> Document | None:
        """The document that a build without a link is about.

        Editing a header rebuilds the module that was looked at before it.
        """
        return self._module

    def modules(self, link: LinkMode | None = None) -> tuple[Document, ...]:
        """The modules of a build: all linked modules of the program, or the current module alone.

        Args:
            link: Another link than the settings say, if not None.
        """
        if (self._settings.link if link is None else link) is LinkMode.NONE:
            return (self._module,) if self._module else ()
        return linked_modules(self._documents, self._settings.program)

    def request(self, emit: frozenset[CodeKind], link: LinkMode | None = None) -> BuildRequest:
        """Returns the request that a build would carry out now.

        Args:
            emit: The kinds of code to make.
            link: Another link than the settings say, if not None.

        Raises:
            ValueError: Nothing takes part, or the options cannot be read; the message says why.
        """
        modules = self.modules(link)
        if not modules:
            raise ValueError(nothing_to_build(self._settings.link if link is None else link))
        return request_for(modules, self._documents, self._settings, emit, link)

    def set_pause(self, milliseconds: int) -> None:
        """Starts a build by itself so long after the last edit."""
        self._pause_ms = milliseconds

    def hold(self) -> None:
        """Builds nothing until the user builds, launches or edits: the text may be another's."""
        self._pause.stop()
        self._outputs.expect(None)
        self._abandon()
        self._is_paused = True
        self._owe_nothing()
        self._outputs.hold(True)
        self._outputs.clear()

    def release(self) -> None:
        """Builds as usual again: the open text is the user's own."""
        if self._is_paused:
            self._is_paused = False
            self._outputs.hold(False)

    def start(self) -> None:
        """Builds the open text as the window comes up, unless the build would run a program."""
        if self.builds_by_itself:
            self.build()

    @Slot()
    def build(self) -> None:
        """Builds the open text now, with the settings as they are."""
        self.release()
        self._pause.stop()
        modules = self.modules()
        if not modules:
            self._abandon()
            self._outputs.expect(None)
            self.refused.emit(nothing_to_build(self._settings.link))
            return
        subject = self._subject()
        self._outputs.show_subject(subject, self.is_run)
        self._outputs.expect(subject)
        waits = self._settings.awaits_toolchain
        self._owed = (subject, self.is_run) if waits else None
        if waits:
            return
        try:
            # Of a script also its kernels with all their stages, which may be opened.
            emit = SHOWN_AND_SAVED | ({CodeKind.CAPTURED} if self.is_run else set())
            request = request_for(modules, self._documents, self._settings, emit)
            request = replace(request, function=self._outputs.function)
        except ValueError as error:
            self._abandon()
            refusal = self._refusal(str(error))
            self.built.emit(subject, refusal)
            self._outputs.publish(subject, refusal, ())
            return
        if self._pending is not None:
            # The text has changed since.
            self._pending.handle.ignore()
        try:
            steps = plan(request)
        except PlanError:
            steps = None  # the builder says why, with an explanation
        handle = self._service.build(request, steps=steps)
        handle.progressed.connect(self._on_progressed)
        handle.finished.connect(self._on_finished)
        handle.dropped.connect(self._end)
        handle.failed.connect(self._end)
        self._pending = _Pending(handle, subject, request)
        self.began.emit(subject, request, steps)

    @Slot()
    def cancel(self) -> None:
        """Cancels the running build."""
        self._pause.stop()
        self._outputs.expect(None)
        self._owe_nothing()
        if self._pending is not None:
            self._pending.handle.cancel()

    def _set_module(self, module: Document | None) -> None:
        self._module = module
        self._settings.turn_to(module.program if module is not None else "")
        self._outputs.show_subject(self._subject(), self.is_run)
        self.module_changed.emit()

    def _subject(self) -> object:
        settings = self._settings
        return self._module if settings.link is LinkMode.NONE else LinkSubject(settings.program)

    def _refusal(self, message: str) -> BuildResult:
        text = Diagnostic(Severity.ERROR, "", None, None, message)
        return BuildResult(Outcome.REFUSED, self._settings.arch, diagnostics=(text,))

    @Slot()
    def _on_changed(self) -> None:
        self.release()
        self._build_soon()

    @Slot(Document)
    def _on_edited(self, document: Document) -> None:
        if not document.is_reloading:
            self.release()
        if document is self._module and document.program != self._settings.program:
            self._set_module(document)
        self._build_soon()

    @Slot(Document)
    def _on_saved(self, document: Document) -> None:
        # What includes it by a path reads its file.
        if document.is_header or document.is_preview:
            self._build_soon()

    @Slot()
    def _on_toolchain_changed(self) -> None:
        # What waits for the compilers is built as soon as they have settled.
        if self._owed is None:
            self._build_soon()

    @Slot()
    def _on_toolchain_settled(self) -> None:
        # Another one that is looked at by now was not asked for, and may be run by its build.
        if self._owed == (self._subject(), self.is_run):
            self.build()
        else:
            self._owe_nothing()

    def _owe_nothing(self) -> None:
        """Gives up the build that waits for its compilers."""
        was_owed, self._owed = self._owed is not None, None
        if was_owed and not self.is_building:
            self.build_ended.emit()

    @Slot()
    def _build_soon(self) -> None:
        self._build_after(self._pause_ms)

    def _build_after(self, milliseconds: int) -> None:
        if self.builds_by_itself and not (self._is_paused or self._settings.is_drafting):
            self._pause.start(milliseconds)
            self._outputs.expect(self._subject())
        else:
            self._wait()

    @Slot(bool)
    def _on_auto_build_changed(self, on: bool) -> None:
        if on:
            self._build_soon()
        else:
            self._wait()

    @Slot(bool)
    def _on_drafting_changed(self, is_drafting: bool) -> None:
        self._on_auto_build_changed(not is_drafting)

    def _wait(self) -> None:
        """Drops the build that the pause was counting down to."""
        self._pause.stop()
        self._outputs.expect(self._pending.subject if self._pending is not None else None)
        self._owe_nothing()

    @Slot(object)
    def _on_current_changed(self, document: Document | None) -> None:
        if document is None or not takes_part_alone(document) or document is self._module:
            return
        before = self._subject()
        self._set_module(document)
        if self._subject() != before:
            self._build_after(min(_TURN_MS, self._pause_ms))

    @Slot(LinkMode)
    def _on_link_changed(self, _mode: LinkMode) -> None:
        self._outputs.show_subject(self._subject(), self.is_run)

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        # Without a link the module that becomes current is built.
        settings = self._settings
        is_ours = document.included and document.program == settings.program
        if settings.link is not LinkMode.NONE and is_ours:
            self._build_soon()

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        gone: list[object] = [document]
        if all(other.program != document.program for other in self._documents):
            gone.append(LinkSubject(document.program))
        if self._pending is not None and self._pending.subject in gone:
            self._abandon()
        if document is self._module:
            current = self._documents.current
            others = [current, *self._documents] if current else []
            self._set_module(next((d for d in others if takes_part_alone(d)), None))
        for subject in gone:
            self._outputs.forget(subject)
        self._build_soon()

    @Slot(object)
    def _on_progressed(self, event: Event | ListingsMade) -> None:
        if isinstance(event, ListingsMade):
            if self._pending is not None:
                self._outputs.add(self._pending.subject, event.listings)
            return
        self.event_received.emit(event)

    @Slot(object)
    def _on_finished(self, output: BuildOutput) -> None:
        pending = self._pending
        if pending is None:
            return
        self.built.emit(pending.subject, output.result)
        self._end()
        self._outputs.publish(pending.subject, output.result, output.listings, pending.request)

    def _abandon(self) -> None:
        """Cancels the running build without a report: the subject of its result is gone."""
        if self._pending is not None:
            self._pending.handle.ignore()
            self._pending.handle.cancel()
            self._end()

    @Slot()
    def _end(self) -> None:
        self._pending = None
        if not self._pause.isActive():
            self._outputs.expect(None)
        self.build_ended.emit()


def nothing_to_build(link: LinkMode) -> str:
    """Returns why there is no build where no module takes part."""
    if link is LinkMode.NONE:
        return QCoreApplication.translate(
            "BuildController", "There is nothing to build: open or write a kernel first."
        )
    return QCoreApplication.translate(
        "BuildController", "There is nothing to link: tick at least one module in the Link tab."
    )


# ---- From documents and settings, as they are now, to a request


def linked_modules(documents: Documents, program: str) -> tuple[Document, ...]:
    """Returns the documents that take part in the link of a program, in link order."""
    return tuple(
        d for d in documents if d.program == program and d.included and takes_part_alone(d)
    )


def request_for(
    modules: Iterable[Document],
    documents: Documents,
    settings: BuildSettings,
    emit: frozenset[CodeKind],
    link: LinkMode | None = None,
) -> BuildRequest:
    """Returns a request to build modules, whose results can be launched.

    Args:
        modules: The modules, in link order.
        documents: All that is open: headers among them can be included.
        settings: How to build.
        emit: The kinds of code to make.
        link: Another link than the settings say, if not None.

    Raises:
        ValueError: The options cannot be read; the message says why.
    """
    switches, trust = settings.switches, settings.trust
    modules = tuple(modules)
    headers = tuple(d for d in documents if d.is_header)
    libraries = tuple(d for d in documents if d.is_library)
    sources = tuple(module.as_source() for module in modules)
    strange = {d.confined_to for d in (*modules, *headers, *libraries)} - {""}
    # A module from elsewhere was opened by the user, and includes what lies next to it.
    folders = dict.fromkeys((trust.folder, *(s.folder for s in sources), *sorted(strange)))
    is_trusted = trust.is_trusted and not strange
    request = BuildRequest(
        sources=sources,
        arch=settings.arch,
        emit=emit,
        link=settings.link if link is None else link,
        options=split_options(settings.options),
        headers=tuple(header.as_header() for header in headers),
        compiler=settings.compiler,
        assembler=Assembler.DRIVER if Switch.DRIVER_JIT in switches else Assembler.NVJITLINK,
        libraries=tuple(library.as_source() for library in libraries),
        libdevice=Switch.LIBDEVICE in switches,
        join_ir=Switch.JOIN_IR in switches,
        keep_host_code=Switch.KEEP_HOST_CODE in switches,
        use_cache=Switch.CACHE in switches,
        precompile_headers=Switch.PRECOMPILE in switches,
        confined_to=None if is_trusted else tuple(filter(None, folders)),
        unsafe_options=Switch.UNSAFE in switches,
        folder=trust.folder,
        toolchain=settings.toolchain,
        python=settings.python,
    )
    # A long text is not searched in this thread; one that names a kernel has one.
    is_short = sum(len(source.content) for source in sources) <= _MOST_SEARCHED
    has_kernel = any(word in source.content for source in sources for word in _KERNEL_WORDS)
    return with_entry(request) if is_short and not has_kernel else request
