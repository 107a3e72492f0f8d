"""Keeps what the user has typed: all open documents and build settings, across ends of any kind.

The session is on the disk a second after each change, before what may take the machine down, and at
the end; it is read at the start. Each running jitstudio has a session file of its own, held by a
lock that dies with the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal, Slot

from jitstudio.core import plain_files
from jitstudio.core.file_text import FileText
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.editable import Found, compare
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.file_writer import FileWriter
from jitstudio.gui.state.files import DocumentError, read_file
from jitstudio.gui.state.session_format import (
    SavedDocument,
    SavedProject,
    SavedSession,
    dump,
    load,
)
from jitstudio.gui.state.session_slots import lock_of, set_aside, take_slot
from jitstudio.gui.translating import counted

if TYPE_CHECKING:
    from jitstudio.core.launch.spec import LaunchSpec
    from jitstudio.gui.state.launch_specs import LaunchSpecs
    from jitstudio.gui.state.project import ProjectState

# What it may take to write it, so that it is on the disk as soon as the user wants.
_WRITING_MS = 400
# What a disk may take to wake up; the window comes up without the files of one that does not.
_PATIENCE = 1.0
# More sentences than this make no notice that anybody reads.
_MOST_PROBLEMS = 8


class Session(QObject):
    """Saves and restores documents, settings and launches in one file.

    Signals:
        save_failed: The session cannot be written, in words; told once until it works again.
        save_works: It can be written again.
        restore_failed: Some or all of the last session cannot be brought back, in words.
        recovered: What a program that was ended unexpectedly left is back, in words.
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
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._settings = settings
        self._launches: LaunchSpecs | None = None
        self._project: ProjectState | None = None
        self._restored: SavedSession | None = None
        self._complaint = ""
        self._crashed = False
        self._is_watching = False
        self._reader = FileReader(self)
        self._unread: list[SavedDocument] = []
        self._problems: list[str] = []
        self._waiting: list[tuple[int, Callable[[], None]]] = []
        self._slot, self._problem = take_slot(folder)
        self._writer: FileWriter | None = None
        if self._slot is not None:
            self._writer = FileWriter(self._slot.path, self)
            self._writer.written.connect(self._on_written)
            self._writer.failed.connect(self._on_write_failed)
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.save)
        self.set_interval(1)

    def attach(self, launches: LaunchSpecs, project: ProjectState) -> None:
        """Keep these too, and give them what was restored: a window shows its texts before."""
        self._launches, self._project = launches, project
        self._hand_over()
        for part in (launches, project):
            part.changed.connect(self._on_changed)

    @property
    def complaint(self) -> str:
        """Why the session is not kept at present, in words; empty where it is."""
        return self._complaint

    def set_interval(self, seconds: float) -> None:
        """Have a change on the disk this long after it."""
        self._timer.setInterval(max(_WRITING_MS // 2, round(seconds * 1000) - _WRITING_MS))

    def watch(self) -> None:
        """Save after each change from now on; also at once, to tell early if it cannot be."""
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
            settings.auto_build_changed,
        ):
            signal.connect(self._on_changed)
        self.save()

    def restore(self) -> bool:
        """Open what was open last; whether there was anything.

        A file that has gone meanwhile is left out; one whose disk does not answer is kept in the
        session, and opened once it does. A session that cannot be understood is set
        aside as a whole, not deleted, and nothing more of it is opened.
        """
        if self._slot is None:
            return False
        front = None
        with self._or_set_aside(self._slot.path):
            self._restored = saved = self._load(self._slot.path)
            if saved is not None:
                self._open_all(saved.documents)
                # Not before: options of a project that cannot be brought back are nobody's.
                self._restore_settings(saved)
                if saved.current is not None and 0 <= saved.current < len(saved.documents):
                    front = self._documents.named(saved.documents[saved.current].name)
            self._hand_over()
        # After our own: the first save must hold both.
        self._adopt(self._slot.path)
        self._documents.current = front or self._documents.current
        if self._crashed:
            self.recovered.emit(_recovery(self._documents))
        return len(self._documents) > 0

    def _hand_over(self) -> None:
        """Give launches and project what was restored of them, once both are there."""
        saved = self._restored
        if saved is None or self._launches is None or self._project is None:
            return
        self._restored = None
        for spec in saved.launches:
            self._launches.remember(spec)
        if saved.project is not None:
            try:
                self._project.resume(saved.project)
            except ValueError as error:
                told = self.tr("The project of the last session cannot be brought back: {error}")
                self.restore_failed.emit(told.format(error=error))

    def _restore_settings(self, saved: SavedSession) -> None:
        self._settings.arch = saved.arch
        self._settings.options = saved.options
        for program, link in (("", saved.link), *saved.links.items()):
            self._settings.set_link(program, link)
        self._settings.auto_build = saved.auto_build
        self._settings.switches = saved.switches

    def _load(self, path: Path) -> SavedSession | None:
        if not path.exists():
            return None
        saved = load(plain_files.read_file(path))
        self._crashed = self._crashed or not saved.closed
        return saved

    @contextmanager
    def _or_set_aside(self, path: Path) -> Iterator[None]:
        """Begin without this session where it cannot be brought back, whatever the reason.

        Any exception counts: it would come again at each start, and no window would.
        """
        try:
            yield
        except Exception as error:
            self._restored = None
            self._unread.clear()
            told = self.tr("The last session cannot be brought back: {error}. {kept}")
            reason = str(error) or type(error).__name__
            self.restore_failed.emit(told.format(error=reason, kept=set_aside(path)))

    def _adopt(self, own: Path) -> None:
        """Take over what was typed in windows that are closed now and was never saved."""
        for path in sorted(own.parent.glob("session-*.json")):
            lock = lock_of(path)
            if path == own or "-unread-" in path.name or not lock.tryLock(0):
                continue
            with self._or_set_aside(path):
                saved = self._load(path)
                unsaved = [d for d in saved.documents if d.modified] if saved else []
                # The links of that window are not taken over.
                self._open_all(replace(document, program="") for document in unsaved)
            # Only what is in our own file as well may go.
            self.save()
            if not self.flush():
                path.unlink(missing_ok=True)
            lock.unlock()

    @Slot()
    def save(self) -> None:
        """Write the session now, without waiting for the disk."""
        self._write(closed=False)

    @Slot()
    def save_changes(self) -> None:
        """Write the session now if anything has changed since the last time."""
        if self._timer.isActive():
            self.save()

    def save_before(self, act: Callable[[], None]) -> None:
        """Write the session, and do something once it is on the disk, or cannot be."""
        number = self._write(closed=False)
        if number:
            self._waiting.append((number, act))
        else:
            act()

    def flush(self) -> str:
        """Wait until the session is written; why it could not be, or nothing."""
        return self._writer.finish() if self._writer is not None else self._problem

    def _write(self, *, closed: bool) -> int:
        """Have the session written; gives back the number of this time, 0 if there is no file."""
        self._timer.stop()
        if self._slot is None or self._writer is None:
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
        told = self.tr("'{path}' cannot be written: {problem}")
        self._complain(told.format(path=self._slot.path, problem=problem))
        # Perhaps there is room again by then.
        self._timer.start()
        self._go_on(number)

    def _go_on(self, number: int) -> None:
        """Do what had to wait."""
        ready = [act for ticket, act in self._waiting if ticket <= number]
        self._waiting = [(ticket, act) for ticket, act in self._waiting if ticket > number]
        for act in ready:
            act()

    def close(self) -> None:
        """Save a last time and let the session file go."""
        self._write(closed=True)
        self.flush()
        self._timer.stop()
        if self._slot is not None:
            self._slot.lock.unlock()
        # What still changes while the window is taken apart is no work of the user's.
        self._slot, self._writer, self._problem = None, None, ""

    def _complain(self, problem: str) -> None:
        if problem and not self._complaint:
            told = self.tr(
                "Unsaved text is not kept: {problem}. Save your files yourself before you quit."
            )
            self._complaint = told.format(problem=problem)
            self.save_failed.emit(self._complaint)

    @Slot()
    def _on_changed(self) -> None:
        if self._is_watching and not self._timer.isActive():
            self._timer.start()

    def _state(self, closed: bool) -> SavedSession:
        # What is only looked at is on disk, and belongs to no work of the user's.
        documents = [d for d in self._documents if d.is_modified or not d.is_aside]
        current = self._documents.current
        return SavedSession(
            documents=(*(_saved(document) for document in documents), *self._unread),
            current=documents.index(current) if current in documents else None,
            arch=self._settings.arch,
            options=self._settings.options,
            link=self._settings.link_of(""),
            auto_build=self._settings.auto_build,
            switches=self._settings.switches,
            launches=self._saved_launches(),
            closed=closed,
            project=self._saved_project(),
            links={
                program: self._settings.link_of(program)
                for program in {document.program for document in documents} - {""}
            },
        )

    def _saved_launches(self) -> tuple[LaunchSpec, ...]:
        if self._launches is not None:
            return self._launches.specs
        return self._restored.launches if self._restored is not None else ()

    def _saved_project(self) -> SavedProject | None:
        if self._project is not None:
            return self._project.remembered()
        return self._restored.project if self._restored is not None else None

    def _open_all(self, entries: Iterable[SavedDocument]) -> None:
        for entry in entries:
            self._unread.append(entry)
            self._reader.start(partial(_content, entry), partial(self._on_read, entry))
        answered = self._reader.settle(_PATIENCE)
        for problem in self._problems[:_MOST_PROBLEMS]:
            self.restore_failed.emit(problem)
        if more := len(self._problems[_MOST_PROBLEMS:]):
            self.restore_failed.emit(self.tr("There are {count} more.").format(count=more))
        self._problems.clear()
        if not answered:
            told = self.tr("Their disk does not answer: {files}. The tabs come back once it does.")
            files = ", ".join(f"'{entry.path}'" for entry in self._unread[:_MOST_PROBLEMS])
            self.restore_failed.emit(told.format(files=files))

    def _on_read(self, entry: SavedDocument, content: FileText | Found | DocumentError) -> None:
        if entry not in self._unread:
            return  # Its session was set aside.
        self._unread.remove(entry)
        if isinstance(content, DocumentError):
            self._problems.append(str(content))
            if self._is_watching:
                self.restore_failed.emit(self._problems.pop())
            return
        name = self._documents.unique_name(entry.name)
        path = Path(entry.path) if entry.path else None
        document = Document(name, entry.kind, content, path)
        document.name_expressions = entry.name_expressions
        document.included = entry.included
        document.is_library = entry.is_library
        document.program = entry.program
        document.cursor = entry.cursor
        if document.text is not None and entry.content is not None:
            document.text.setModified(entry.modified)
            # What the text began from: the file may have changed since.
            document.on_disk = entry.on_disk
        current = self._documents.current
        self._documents.add(document)
        if self._is_watching:
            # The user is at work in another one.
            self._documents.current = current


def _content(entry: SavedDocument) -> FileText | Found:
    """What an entry holds, or else its file."""
    if entry.content is not None:
        return entry.content
    return compare(entry.kind, read_file(Path(entry.path)), None)


def _saved(document: Document) -> SavedDocument:
    # The text only where no file has it.
    keep = document.text is not None and (document.is_modified or document.path is None)
    return SavedDocument(
        name=document.name,
        path=str(document.path or ""),
        kind=document.kind,
        content=document.held if keep else None,
        modified=document.is_modified,
        name_expressions=document.name_expressions,
        included=document.included,
        is_library=document.is_library,
        program=document.program,
        cursor=document.cursor,
        on_disk=document.on_disk,
    )


def _recovery(back: Iterable[Document]) -> str:
    """What to tell after an end that nobody wanted."""
    unsaved = sum(document.is_modified for document in back)
    if not unsaved:
        return QCoreApplication.translate(
            "Session",
            "jitstudio was ended unexpectedly. What was open is back; all of it is saved.",
        )
    one = QCoreApplication.translate(
        "Session",
        "jitstudio was ended unexpectedly. One tab with unsaved text is back: "
        "it is marked with a dot. Save it to keep it in a file.",
    )
    many = QCoreApplication.translate(
        "Session",
        "jitstudio was ended unexpectedly. {count} tabs with unsaved text are back: "
        "they are marked with a dot. Save them to keep them in files.",
    )
    return counted(unsaved, one, many)
