"""Keeps the user's work, all documents and build settings, across ends of any kind.

The session is on the disk a second after each change, before an action that may take the machine
down, and at the end; it is read at the start. Each running jitstudio has a session file of its own,
held by a lock that dies with the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import (
    QCoreApplication,
    QDateTime,
    QLocale,
    QObject,
    QTimer,
    Signal,
    Slot,
)

from jitstudio.core import plain_files
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.document_files import DocumentError, overwrite_file, read_file
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_text import FileContent, FileText, compare
from jitstudio.gui.state.session_files import (
    FileWriter,
    SessionSlot,
    set_aside,
    slots_in,
    take_slot,
)
from jitstudio.gui.state.session_format import (
    SavedDocument,
    SavedProject,
    SavedSession,
    SessionFormatError,
    dump,
    load,
)
from jitstudio.gui.state.session_parts import SessionPart
from jitstudio.system.paths import fallback_folder
from jitstudio.system.private import make_private

if TYPE_CHECKING:
    # Most windows come up without any.
    from jitstudio.core.launch.spec import LaunchSpec
    from jitstudio.core.project.project import BreakLine

# What it may take to write it, so that it is on the disk as soon as the user wants.
_WRITING_MS = 400
# What a disk may take to wake up; the window comes up without the files of one that does not.
_PATIENCE = 1.0
# Bytes of a session file. Nobody types as much, and reading it keeps the window waiting.
_LARGEST = 64 << 20
# More sentences than this make no notice that anybody reads.
_MOST_PROBLEMS = 8


class _Unclosed(NamedTuple):
    """A session that is back, and whose end was not written.

    Attributes:
        kept: When it was written last, in seconds since the epoch.
        was_killed: Whether its process ended unexpectedly; else its end could not be written.
    """

    kept: float
    was_killed: bool


class Session(QObject):
    """Saves and restores documents, settings and launches in a session file.

    Args:
        folder: Where the session files are.
        elsewhere: Another such folder, from which unsaved text is taken over.

    Attributes:
        launches: The typed launches, in the order of the last use.
        project: The open project.
        left_project: The project that this start leaves closed; its settings are not ours.
        breakpoints: The lines to stop at, with the conditions.

    Signals:
        save_failed: The session cannot be written; reported once until it works again.
        save_works: It can be written again.
        restore_failed: Some or all of the last session cannot be brought back.
        recovered: The outcome for an earlier session, where that is not as expected.
    """

    save_failed = Signal(str)
    save_works = Signal()
    restore_failed = Signal(str)
    recovered = Signal(str)

    def __init__(
        self,
        folder: Path,
        documents: Documents,
        settings: BuildSettings,
        parent: QObject | None = None,
        elsewhere: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._folder, self._elsewhere = folder, elsewhere
        self._documents = documents
        self._settings = settings
        changed = self._on_changed
        self.launches: SessionPart[tuple[LaunchSpec, ...]] = SessionPart((), changed)
        self.project: SessionPart[SavedProject | None] = SessionPart(None, changed)
        self.left_project: SessionPart[SavedProject | None] = SessionPart(None, changed)
        self.breakpoints: SessionPart[tuple[tuple[BreakLine, str], ...]]
        self.breakpoints = SessionPart((), changed)
        self._library = ""
        self._complaint = ""
        self._unclosed: list[_Unclosed] = []
        self._is_watching = False
        self._reader = FileReader(self)
        self._unread: list[SavedDocument] = []
        self._problems: list[str] = []
        self._waiting: list[tuple[int, Callable[[], None]]] = []
        self._writer: FileWriter | None = None
        self._keep_in(*take_slot(folder))
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.save)
        self.set_interval(1)

    def _keep_in(self, slot: SessionSlot | None, problem: str) -> None:
        """Writes to `slot` from now on; `problem` tells why that cannot be, or is empty."""
        self._slot, self._problem = slot, problem
        if slot is not None and slot.is_writable:
            self._writer = FileWriter(slot.path, self)
            self._writer.written.connect(self._on_written)
            self._writer.failed.connect(self._on_write_failed)

    @property
    def library(self) -> str:
        """The file or folder whose kernels are listed, or were; empty for none."""
        return self._library

    @library.setter
    def library(self, path: str) -> None:
        self._library = path
        self._on_changed()

    @property
    def complaint(self) -> str:
        """The reason why the session is not kept at present; empty where all is well."""
        return self._complaint

    @property
    def is_passing(self) -> bool:
        """Whether the session is in a folder that may be emptied when the machine starts."""
        return fallback_folder() in self._folder.parents

    def set_interval(self, seconds: float) -> None:
        """Has each change on the disk after `seconds`."""
        self._timer.setInterval(max(_WRITING_MS // 2, round(seconds * 1000) - _WRITING_MS))

    def watch(self) -> None:
        """Saves after each change from now on, and at once, so that problems show early."""
        documents, settings = self._documents, self._settings
        self._is_watching = True
        for signal in (
            documents.added,
            documents.removed,
            documents.moved,
            documents.current_changed,
            documents.edited,
            documents.changed,
            settings.changed,
        ):
            signal.connect(self._on_changed)
        self.save()

    def restore(self, *, by_itself: bool = False) -> bool:
        """Opens the documents of the last session; returns whether there were any.

        Args:
            by_itself: Whether something is to be opened that belongs to no project. A session with
                one is left as it is then, for a later start, and the next one without is opened.

        A file that has gone meanwhile is left out; one whose disk does not answer is kept in the
        session, and opened once it does. A session that cannot be understood is set
        aside as a whole, not deleted, and nothing more of it is opened.
        """
        if by_itself:
            self._leave_project()
        if self._slot is None:
            return False
        front = None
        with self._or_set_aside(self._slot):
            saved = self._load(self._slot)
            if saved is not None:
                self._open_all(saved.documents)
                self._library = saved.library
                # Not before: options of a project that cannot be brought back are nobody's.
                self._restore_settings(saved)
                if saved.current is not None and 0 <= saved.current < len(saved.documents):
                    front = self._documents.named(saved.documents[saved.current].name)
                self.breakpoints.restore(saved.breakpoints)
                self.launches.restore(saved.launches)
                self.project.restore(saved.project)
        # After our own: the first save must hold all.
        for folder in filter(None, (self._folder, self._elsewhere)):
            self._adopt(folder, self._slot.path, with_projects=not by_itself)
        self._documents.current = front or self._documents.current
        if self._unclosed:
            self.recovered.emit(_recovery(self._unclosed, self._documents))
        return len(self._documents) > 0

    def resuming(
        self, resume: Callable[[SavedProject], None]
    ) -> Callable[[SavedProject | None], None]:
        """Returns `resume` for any session: without a project too, and reporting a damaged one."""

        def take(project: SavedProject | None) -> None:
            try:
                if project is not None:
                    resume(project)
            except ValueError as error:
                message = self.tr("The project of the last session cannot be brought back: {error}")
                self.restore_failed.emit(message.format(error=error))

        return take

    def _restore_settings(self, saved: SavedSession) -> None:
        self._settings.arch = saved.arch
        self._settings.options = saved.options
        for program, link in (("", saved.link), *saved.links.items()):
            self._settings.set_link(program, link)
        self._settings.works_switches = saved.switches
        self._settings.want_toolchain(saved.toolchain)

    def _load(self, slot: SessionSlot) -> SavedSession | None:
        if not slot.path.exists():
            return None
        saved_at = slot.path.stat().st_mtime
        saved = load(plain_files.read_file(slot.path, _LARGEST))
        if not saved.closed:
            self._unclosed.append(_Unclosed(saved_at, slot.was_killed))
        return saved

    @contextmanager
    def _or_set_aside(self, slot: SessionSlot) -> Iterator[None]:
        """Begins anew where the session in `slot` cannot be restored, whatever the reason.

        Any exception counts: it would come again at each start, and no window would.
        """
        try:
            yield
        except Exception as error:
            self._unread.clear()
            message = self.tr("The last session cannot be brought back: {error}. {kept}")
            reason = str(error) or type(error).__name__
            self.restore_failed.emit(message.format(error=reason, kept=set_aside(slot.path)))

    def _leave_project(self) -> None:
        """Leaves a session with a project for one without; its settings are not ours."""
        left = _with_project(self._slot.path) if self._slot is not None else None
        if self._slot is None or left is None or left.project is None:
            return
        self._slot.lock.unlock()
        self._writer = None
        self._keep_in(*take_slot(self._folder, lambda path: _with_project(path) is None))
        if self._slot is None or not self._slot.path.exists():
            self.left_project.restore(left.project)
        if left.project.modified or any(document.modified for document in left.documents):
            message = self.tr(
                "'{name}', which was open last, has unsaved changes. They are kept: start "
                "jitstudio without a file to go on with them."
            )
            self.recovered.emit(message.format(name=Path(left.project.path).name))

    def _adopt(self, folder: Path, own: Path, *, with_projects: bool) -> None:
        """Takes over the unsaved text of windows that are closed now."""
        if not folder.is_dir():
            return
        try:
            make_private(folder)
        except OSError:
            # Others could have put there what they want to see built.
            return
        for slot in slots_in(folder):
            if slot.path == own or not (with_projects or _with_project(slot.path) is None):
                slot.lock.unlock()
                continue
            with self._or_set_aside(slot):
                saved = self._load(slot)
                self._open_all(_unsaved(saved) if saved is not None else ())
            # Only what is in our own file as well may go.
            self.save()
            if not self.flush() and slot.is_writable:
                slot.path.unlink(missing_ok=True)
            slot.lock.unlock()

    @Slot()
    def save(self) -> None:
        """Writes the session now, without waiting for the disk."""
        self._write(closed=False)

    @Slot()
    def save_changes(self) -> None:
        """Writes the session now if anything has changed since the last time."""
        if self._timer.isActive():
            self.save()

    def save_before(self, act: Callable[[], None]) -> None:
        """Writes the session, and calls `act` once the write is done or has failed."""
        number = self._write(closed=False)
        if number:
            self._waiting.append((number, act))
        else:
            act()

    def flush(self) -> str:
        """Waits until the session is written; returns the reason of a failure, or nothing."""
        return self._writer.finish() if self._writer is not None else self._problem

    def _write(self, *, closed: bool) -> int:
        """Has the session written; returns the number of this write, 0 if there is no file."""
        self._timer.stop()
        if self._writer is None:
            self._complain(self._problem)
            return 0
        return self._writer.write(partial(dump, self._state(closed)))

    @Slot(int)
    def _on_written(self, number: int) -> None:
        if self._complaint:
            self._complaint = ""
            self.save_works.emit()
        self._go_on(number)

    @Slot(int, str)
    def _on_write_failed(self, number: int, problem: str) -> None:
        assert self._slot is not None
        message = self.tr("'{path}' cannot be written: {problem}")
        self._complain(message.format(path=self._slot.path, problem=problem))
        # Perhaps there is room again by then.
        self._timer.start()
        self._go_on(number)

    def _go_on(self, number: int) -> None:
        """Calls the actions that waited for write `number`."""
        ready = [act for ticket, act in self._waiting if ticket <= number]
        self._waiting = [(ticket, act) for ticket, act in self._waiting if ticket > number]
        for act in ready:
            act()

    def keep(self) -> str:
        """Writes the session as a finished one; returns the reason of a failure, or nothing.

        The end may still be put off: the next save is of a session that goes on.
        """
        self._write(closed=True)
        problem = self.flush()
        if problem and self._slot is not None and self._slot.is_writable:
            # A disk without room for a new file still has that of the old one.
            content = dump(self._state(closed=True))
            problem = overwrite_file(self._slot.path, content) and problem
        return problem

    def close(self) -> None:
        """Saves a last time and releases the session file; actions that wait are dropped."""
        self._waiting.clear()
        self.keep()
        self._timer.stop()
        if self._slot is not None:
            self._slot.lock.unlock()
        # What still changes while the window is taken apart is no work of the user's.
        self._slot, self._writer, self._problem = None, None, ""

    def _complain(self, problem: str) -> None:
        if problem and not self._complaint:
            message = self.tr(
                "Unsaved text is not kept: {problem}. Save your files yourself before you quit."
            )
            self._complaint = message.format(problem=problem)
            self.save_failed.emit(self._complaint)

    @Slot()
    def _on_changed(self) -> None:
        if self._is_watching and not self._timer.isActive():
            self._timer.start()

    def _state(self, closed: bool) -> SavedSession:
        # What is only looked at is on disk, and belongs to no work of the user's.
        documents = [d for d in self._documents if d.is_modified or not d.is_preview]
        current = self._documents.current
        return SavedSession(
            documents=(*(saved_document(document) for document in documents), *self._unread),
            current=documents.index(current) if current in documents else None,
            arch=self._settings.arch,
            options=self._settings.options,
            link=self._settings.link_of(""),
            switches=self._settings.works_switches,
            toolchain=self._settings.toolchain_name,
            launches=self.launches.value,
            breakpoints=self._breakpoints_in(documents),
            library=self._library,
            closed=closed,
            project=self.project.value,
            links={
                program: self._settings.link_of(program)
                for program in {document.program for document in documents} - {""}
            },
        )

    def _breakpoints_in(self, documents: Iterable[Document]) -> tuple[tuple[BreakLine, str], ...]:
        """Returns the breakpoints of open documents: another text of the name has other lines."""
        names = {document.name for document in documents} | {entry.name for entry in self._unread}
        return tuple(
            (at, condition)
            for at, condition in self.breakpoints.value
            if at.is_ptx or at.name in names
        )

    def _open_all(self, entries: Iterable[SavedDocument]) -> None:
        for entry in entries:
            self._unread.append(entry)
            if entry.content is not None and len(self._unread) == 1:
                # No disk is needed, and no tab before it waits for one.
                self._on_read(entry, entry.content)
                continue
            self._reader.start(partial(content_of, entry), partial(self._on_read, entry))
        answered = self._reader.settle(_PATIENCE)
        for problem in self._problems[:_MOST_PROBLEMS]:
            self.restore_failed.emit(problem)
        if more := len(self._problems[_MOST_PROBLEMS:]):
            self.restore_failed.emit(self.tr("There are {count} more.").format(count=more))
        self._problems.clear()
        if not answered:
            message = self.tr(
                "Their disk does not answer: {files}. The tabs come back once it does."
            )
            files = ", ".join(f"'{entry.path}'" for entry in self._unread[:_MOST_PROBLEMS])
            self.restore_failed.emit(message.format(files=files))

    def _on_read(
        self, entry: SavedDocument, content: FileText | FileContent | DocumentError
    ) -> None:
        if entry not in self._unread:
            return  # Its session was set aside.
        self._unread.remove(entry)
        if isinstance(content, DocumentError):
            self._problems.append(str(content))
            if self._is_watching:
                self.restore_failed.emit(self._problems.pop())
            return
        document = reopened(entry, content, self._documents)
        current = self._documents.current
        self._documents.add(document)
        if self._is_watching:
            # The user is at work in another one.
            self._documents.current = current


def _with_project(path: Path) -> SavedSession | None:
    """Returns the session in `path` if there is a project; None where that cannot be known."""
    try:
        saved = load(plain_files.read_file(path))
    except (OSError, SessionFormatError):
        return None
    return saved if saved.project is not None else None


def content_of(entry: SavedDocument) -> FileText | FileContent:
    """Returns the content of an entry, or of the file of the entry.

    Raises:
        DocumentError: The file cannot be read.
    """
    if entry.content is not None:
        return entry.content
    return compare(entry.kind, read_file(Path(entry.path)), None)


def reopened(
    entry: SavedDocument, content: FileText | FileContent, documents: Documents
) -> Document:
    """Returns the document of an entry, under a name that no open document has."""
    path = Path(entry.path) if entry.path else None
    document = Document(documents.unique_name(entry.name), entry.kind, content, path)
    document.options = entry.options
    document.name_expressions = entry.name_expressions
    document.included = entry.included
    document.is_library = entry.is_library
    document.program = entry.program
    document.cursor = entry.cursor
    document.confined_to = entry.confined_to
    document.stages = entry.stages
    if entry.content is not None:
        document.set_modified(entry.modified)
        # What the text began from: the file may have changed since.
        document.on_disk = entry.on_disk
    return document


def saved_document(document: Document) -> SavedDocument:
    """Returns the record of a document for the session."""
    # The text only where no file has it.
    keep = document.is_modified or document.path is None
    return SavedDocument(
        name=document.name,
        path=str(document.path or ""),
        kind=document.kind,
        content=document.held if keep else None,
        modified=document.is_modified,
        options=document.options,
        name_expressions=document.name_expressions,
        included=document.included,
        is_library=document.is_library,
        program=document.program,
        cursor=document.cursor,
        on_disk=document.on_disk,
        confined_to=document.confined_to,
        stages=document.stages,
    )


def _unsaved(saved: SavedSession) -> Iterator[SavedDocument]:
    """Yields the unsaved documents; the project stays behind, but not the lack of trust."""
    project = saved.project
    folder = project.code_trust.confined_to if project is not None else ""
    for document in saved.documents:
        if document.modified:
            # The links of that window are not taken over.
            yield document._replace(confined_to=document.confined_to or folder, program="")


def _recovery(unclosed: Sequence[_Unclosed], back: Iterable[Document]) -> str:
    """Returns the message after an unclean end: the kind of end, and the age of the texts."""
    translate = QCoreApplication.translate
    ended = translate("Session", "The last session could not be kept to its end.")
    if any(session.was_killed for session in unclosed):
        ended = translate("Session", "jitstudio was ended unexpectedly.")
    oldest = QDateTime.fromSecsSinceEpoch(int(min(session.kept for session in unclosed)))
    when = QLocale().toString(oldest, QLocale.FormatType.ShortFormat)
    none = translate("Session", "What was kept of it at {when} is back; that has no unsaved text.")
    singular = translate(
        "Session",
        "One tab with unsaved text is back, as it was kept at {when}: "
        "it is marked with a dot. Save it to keep it in a file.",
    )
    many = translate(
        "Session",
        "{count} tabs with unsaved text are back, as they were kept at {when} or later: "
        "they are marked with a dot. Save them to keep them in files.",
    )
    unsaved = sum(document.is_modified for document in back)
    message = counted(unsaved, singular, many, when=when) if unsaved else none.format(when=when)
    return f"{ended} {message}"
