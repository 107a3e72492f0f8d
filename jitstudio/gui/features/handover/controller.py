"""Opens the handovers of programs: kernels by `jitstudio.show`, files by `jitstudio show`."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication, QMainWindow

from jitstudio.commands.handover import HandoverServer
from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind
from jitstudio.core.handover import HandedCode, Handover, HandoverAnswer, HandoverError
from jitstudio.core.request import LinkMode
from jitstudio.gui.context import Context
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.background import reports_to
from jitstudio.gui.services.library_service import kept_file
from jitstudio.gui.shell.notice_bar import NoticeBar
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_text import FileContent, FileText, compare, editable
from jitstudio.gui.state.preferences import Preferences
from jitstudio.ptx.skimming import ptx_target

_KEY = "python.take"
# A window that starts is busy for a second or two; from tab to tab it takes less.
_PATIENCE = 30.0


def install(context: Context) -> None:
    """Accepts handovers of programs, unless the user has turned that off."""
    state, shell = context.state, context.shell
    HandoverController(
        state.documents,
        context.files,
        state.settings,
        state.preferences,
        shell.notices,
        shell.window,
    )


@dataclass(frozen=True, eq=False)
class _Tab:
    """Code that has arrived, ready to be opened.

    Attributes:
        code: As it has arrived.
        content: As a document takes it.
        path: Its file, if it has one.
        target: The target to build for; None where open.
    """

    code: HandedCode
    content: FileText | FileContent
    path: Path | None
    target: Arch | None = None


@dataclass(frozen=True, eq=False)
class _Arrived:
    """A handover as a thread receives it.

    Attributes:
        tabs: Code to open.
        paths: Files to open.
        answers: Receives None whenever a tab is open, and the answer to the program at the end.
    """

    tabs: tuple[_Tab, ...]
    paths: tuple[Path, ...]
    answers: SimpleQueue[HandoverAnswer | None]


class HandoverController(QObject):
    """Listens while the setting is on, and opens each item in a tab."""

    def __init__(
        self,
        documents: Documents,
        files: FileCommands,
        settings: BuildSettings,
        preferences: Preferences,
        notices: NoticeBar,
        window: QMainWindow,
    ) -> None:
        super().__init__(window)
        self._documents = documents
        self._files = files
        self._settings = settings
        self._preferences = preferences
        self._notices = notices
        self._window = window
        self._server: HandoverServer | None = None
        # A program may hand over many tabs at once: each takes some milliseconds.
        self._arriving: deque[tuple[_Arrived, Iterator[None]]] = deque()
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._on_turn)
        preferences.changed.connect(self._on_changed)
        window.installEventFilter(self)
        application = QApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self._on_about_to_quit)
        self._on_changed(_KEY)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Makes the window that the user turns to the receiver of handovers."""
        if event.type() is QEvent.Type.WindowActivate and self._server is not None:
            self._server.touch()
        return False

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        if key != _KEY:
            return
        self._on_about_to_quit()
        take = partial(_take, reports_to(self, HandoverController._open))
        try:
            server = HandoverServer(take if self._preferences.value(_KEY) else None)
        except OSError as error:
            message = self.tr(
                "Programs cannot hand over kernels to this window: no socket can be made: {error}. "
                "Open files instead."
            )
            said = message.format(error=error.strerror or error)
            self._notices.show_message(said)
            return
        self._server = server
        # The window may go before the program does.
        self.destroyed.connect(server.close)

    @Slot()
    def _on_about_to_quit(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    def _open(self, arrived: _Arrived) -> None:
        """Opens a handover, a tab at a turn, and answers once all tabs are open, or will not be."""
        self._arriving.append((arrived, self._opened(arrived)))
        self._turns.start()

    @Slot()
    def _on_turn(self) -> None:
        arrived, steps = self._arriving[0]
        is_done = True
        try:
            is_done = next(steps, self) is self
        except Exception as error:
            arrived.answers.put(HandoverAnswer(problem=f"The window has failed: {error!r}."))
            raise
        finally:
            if is_done:
                self._arriving.popleft()
            if not self._arriving:
                self._turns.stop()

    def _opened(self, arrived: _Arrived) -> Iterator[None]:
        """Opens a handover, the last tab in front; between two tabs the window handles events."""
        documents: list[Document] = []
        for tab in arrived.tabs:
            documents.append(self._opened_tab(tab))
            arrived.answers.put(None)
            yield
        names = [document.name for document in documents]
        if documents:
            if documents[-1] in self._documents:
                self._documents.current = documents[-1]
            self._files.opened.emit()
        problems: list[str] = []
        left = len(arrived.paths)

        def ended(tab: str, problem: str) -> None:
            nonlocal left
            left -= 1
            if problem:
                problems.append(problem)
            else:
                names.append(tab)
            arrived.answers.put(None)
            if not left:
                arrived.answers.put(HandoverAnswer(tuple(names), " ".join(problems)))

        if arrived.paths:
            self._files.open_paths(arrived.paths, ended=ended)
        else:
            arrived.answers.put(HandoverAnswer(tuple(names)))
        self._bring_up()

    def _opened_tab(self, tab: _Tab) -> Document:
        code, path = tab.code, tab.path
        if tab.target is not None:
            self._settings.arch = tab.target
        document = self._same(code, path)
        if document is None:
            name = self._documents.unique_name(code.name)
            document = Document(name, code.kind, tab.content, path)
            if self._settings.link_of("") is not LinkMode.NONE:
                # By itself, whatever is linked.
                document.program = self._documents.unique_program(name)
            self._documents.add(document)
        return document

    def _same(self, code: HandedCode, path: Path | None) -> Document | None:
        """Returns the tab that already has this code."""
        if path is not None:
            return self._documents.at_path(path)
        alike = (d for d in self._documents if d.kind is code.kind and d.path is None)
        return next((d for d in alike if d.content == code.content), None)

    def _bring_up(self) -> None:
        window = self._window
        if window.isMinimized():
            window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.raise_()
        window.activateWindow()
        # Where the desktop lets no program take the keyboard, the window asks for it.
        QApplication.alert(window)


def _take(open_: Callable[[object], None], handover: Handover) -> HandoverAnswer:
    """Has the window open a handover; called in a thread.

    Raises:
        HandoverError: The window does not answer, or the code cannot be kept.
    """
    answers: SimpleQueue[HandoverAnswer | None] = SimpleQueue()
    open_(_Arrived(tuple(map(_ready, handover.code)), tuple(map(Path, handover.paths)), answers))
    try:
        while (answer := answers.get(timeout=_PATIENCE)) is None:
            pass
    except Empty:
        message = QCoreApplication.translate(
            "Handover",
            "The window has opened no tab for {seconds:.0f} seconds. It may still open what you "
            "show; if it hangs, close it and try again.",
        )
        raise HandoverError(message.format(seconds=_PATIENCE)) from None
    return answer


def _ready(code: HandedCode) -> _Tab:
    """Returns the tab of a code; bytes are put into a file, so that the next start has the code."""
    if isinstance(text := editable(code.kind, code.content), FileText):
        target = ptx_target(text.text) if code.kind is CodeKind.PTX else None
        return _Tab(code, text, None, Arch.parse(target) if target else None)
    try:
        path = kept_file(code.name, code.content)
    except OSError as error:
        message = QCoreApplication.translate(
            "Handover", "'{name}' cannot be kept: {error}. Make room on the disk."
        )
        raise HandoverError(message.format(name=code.name, error=error.strerror)) from None
    return _Tab(code, compare(code.kind, code.content, None), path)
