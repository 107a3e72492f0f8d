"""Keeps what the user has typed: all open documents and build settings, across ends of any kind.

The session is written some seconds after each change and at the end, and read at the start. Each
running jitstudio has a session file of its own, held by a lock that dies with the process.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QIODevice, QLockFile, QObject, QSaveFile, QTimer, Signal, Slot

from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, DocumentError, Documents, read_file
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.session_format import (
    SavedDocument,
    SavedSession,
    SessionFormatError,
    dump,
    load,
)

_SAVE_AFTER_MS = 2000
_SLOTS = 16


@dataclass(frozen=True)
class _Slot:
    """A session file, and the lock that keeps other processes from it."""

    lock: QLockFile
    path: Path


class Session(QObject):
    """Saves and restores documents, settings and launches in one file.

    Signals:
        save_failed: The session cannot be written, in words; told once until it works again.
        restore_failed: Some or all of the last session cannot be brought back, in words.
    """

    save_failed = Signal(str)
    restore_failed = Signal(str)

    def __init__(
        self,
        folder: Path,
        documents: Documents,
        settings: BuildSettings,
        launches: LaunchSpecs,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._settings = settings
        self._launches = launches
        self._complained = False
        self._slot, self._problem = _take_slot(folder)
        self._timer = QTimer(self, singleShot=True, interval=_SAVE_AFTER_MS)
        self._timer.timeout.connect(self.save)

    def watch(self) -> None:
        """Save after each change from now on; also at once, to tell early if it cannot be."""
        documents, settings = self._documents, self._settings
        for signal in (
            documents.added,
            documents.removed,
            documents.moved,
            documents.current_changed,
            documents.edited,
            documents.changed,
            settings.changed,
            settings.auto_build_changed,
            self._launches.changed,
        ):
            signal.connect(self._on_changed)
        self.save()

    def restore(self) -> bool:
        """Open what was open last; whether there was anything.

        A file that has gone meanwhile is left out. A session that cannot be understood is set
        aside as a whole, not deleted, and nothing of it is opened.
        """
        if self._slot is None:
            return False
        saved = self._load(self._slot.path)
        opened = self._open_all(saved) if saved is not None else []
        # After our own: the first save must hold both.
        adopted = self._adopt(self._slot.path)
        if saved is not None and saved.current is not None and 0 <= saved.current < len(opened):
            self._documents.current = opened[saved.current] or self._documents.current
        return any(opened) or adopted

    def _open_all(self, saved: SavedSession) -> list[Document | None]:
        self._settings.arch = saved.arch
        self._settings.options = saved.options
        self._settings.link = saved.link
        self._settings.auto_build = saved.auto_build
        self._settings.switches = saved.switches
        for spec in saved.launches:
            self._launches.remember(spec)
        return [self._open(entry) for entry in saved.documents]

    def _load(self, path: Path) -> SavedSession | None:
        if not path.exists():
            return None
        try:
            return load(path.read_bytes())
        except (OSError, SessionFormatError) as error:
            self.restore_failed.emit(
                f"The last session cannot be brought back: {error}. {_set_aside(path)}"
            )
            return None

    def _adopt(self, own: Path) -> bool:
        """Take over what was typed in windows that are closed now and was never saved."""
        found = False
        for path in sorted(own.parent.glob("session-*.json")):
            lock = _lock_of(path)
            if path == own or "-unread-" in path.name or not lock.tryLock(0):
                continue
            saved = self._load(path)
            unsaved = [d for d in saved.documents if d.modified] if saved else []
            opened = [self._open(entry) for entry in unsaved]
            found = found or any(opened)
            # Only what is in our own file as well may go.
            self.save()
            if not self._complained:
                path.unlink(missing_ok=True)
            lock.unlock()
        return found

    @Slot()
    def save(self) -> None:
        """Write the session now."""
        self._timer.stop()
        if self._slot is None:
            self._complain(self._problem)
            return
        file = QSaveFile(str(self._slot.path))
        data = dump(self._state())
        if (
            file.open(QIODevice.OpenModeFlag.WriteOnly)
            and file.write(data) == len(data)
            and file.commit()
        ):
            self._complained = False
        else:
            self._complain(f"'{self._slot.path}' cannot be written: {file.errorString()}")

    def close(self) -> None:
        """Save a last time and let the session file go."""
        self.save()
        if self._slot is not None:
            self._slot.lock.unlock()
        # What still changes while the window is taken apart is no work of the user's.
        self._slot, self._problem = None, ""

    def _complain(self, problem: str) -> None:
        if problem and not self._complained:
            self._complained = True
            self.save_failed.emit(
                f"Unsaved text is not kept: {problem}. Save your files yourself before you quit."
            )

    @Slot()
    def _on_changed(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _state(self) -> SavedSession:
        documents = list(self._documents)
        current = self._documents.current
        return SavedSession(
            documents=tuple(_saved(document) for document in documents),
            current=documents.index(current) if current in documents else None,
            arch=self._settings.arch,
            options=self._settings.options,
            link=self._settings.link,
            auto_build=self._settings.auto_build,
            switches=self._settings.switches,
            launches=self._launches.specs,
        )

    def _open(self, entry: SavedDocument) -> Document | None:
        path = Path(entry.path) if entry.path else None
        typed = entry.content is not None
        try:
            content = read_file(Path(entry.path)) if entry.content is None else entry.content
        except DocumentError as error:
            self.restore_failed.emit(str(error))
            return None
        name = self._documents.unique_name(entry.name)
        document = Document(name, entry.kind, content, path, typed=typed)
        document.name_expressions = entry.name_expressions
        document.included = entry.included
        document.is_library = entry.is_library
        if document.text is not None and typed:
            document.text.setModified(entry.modified)
        self._documents.add(document)
        return document


def _saved(document: Document) -> SavedDocument:
    # The text only where no file has it.
    keep = document.text is not None and (document.is_modified or document.path is None)
    return SavedDocument(
        name=document.name,
        path=str(document.path or ""),
        kind=document.kind,
        content=document.file_content if keep else None,
        modified=document.is_modified,
        name_expressions=document.name_expressions,
        included=document.included,
        is_library=document.is_library,
    )


def _take_slot(folder: Path) -> tuple[_Slot | None, str]:
    """The first session file that no running jitstudio holds, or why there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return None, f"'{folder}' cannot be made: {error.strerror}"
    for number in range(1, _SLOTS + 1):
        path = folder / f"session-{number}.json"
        lock = _lock_of(path)
        if lock.tryLock(0):
            return _Slot(lock, path), ""
        if lock.error() is not QLockFile.LockError.LockFailedError:
            return None, f"'{folder}' cannot be written to"
    return None, f"{_SLOTS} windows keep their text in '{folder}' already"


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_suffix(".lock")))
    # Held for as long as the process lives: its age says nothing.
    lock.setStaleLockTime(0)
    return lock


def _set_aside(path: Path) -> str:
    """Rename a session that cannot be read, so that no later one takes its place."""
    number = 1
    while (aside := path.with_name(f"{path.stem}-unread-{number}.json")).exists():
        number += 1
    try:
        path.replace(aside)
    except OSError as error:
        return f"'{path}' cannot be set aside either: {error.strerror}."
    return f"It is kept as '{aside}'."
