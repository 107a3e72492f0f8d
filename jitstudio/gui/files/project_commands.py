"""New, open, save and close for projects: asks before replacing the content of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.commands.project_files import OpenProject, read_project
from jitstudio.commands.trust import TrustLevel, TrustStore
from jitstudio.core.code import PROJECT_ENDING
from jitstudio.core.project.format import LARGEST, dump
from jitstudio.core.project.project import Project
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.dialogs import ChangedFile, Dialogs, UnsavedChoice
from jitstudio.gui.shell.commands.actions import Actions
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.document_files import DocumentError, has_changed, resolved, write_file
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.project import ProjectState, outside
from jitstudio.gui.state.session import Session

# More sentences than this make no notice that anybody reads.
_MOST_PROBLEMS = 5


class ProjectCommands(QObject):
    """The commands of the File menu on projects.

    Args:
        files: Opens and saves single files.
        dialogs: Asks the user.

    Signals:
        failed: Something could not be read or written.
        reported: Something went well that cannot be seen otherwise.
        recent_changed: The list of recent files is another one.
        trust_wanted: The user is to say whether he trusts the open project.
    """

    failed = Signal(str)
    reported = Signal(str)
    recent_changed = Signal()
    trust_wanted = Signal()

    def __init__(
        self,
        project: ProjectState,
        documents: Documents,
        preferences: Preferences,
        session: Session,
        build_controller: BuildController,
        files: FileCommands,
        dialogs: Dialogs,
        actions: Actions,
    ) -> None:
        super().__init__(project)
        self._preferences = preferences
        self._session = session
        self._build_controller = build_controller
        self._project = project
        self._documents = documents
        self._files = files
        self._dialogs = dialogs
        self._disk = FileReader(self)
        self._disk.waits.connect(lambda: self.reported.emit(self.tr("Waiting for the disk")))
        self._reader = Background(self)
        self._reader.done.connect(self._on_read)
        self._reader.failed.connect(self._on_read_failed)
        self.recent_changed.connect(files.recent_changed)
        files.project_wanted.connect(self.open_path)
        self._trusted = TrustStore()
        self._close_action = actions["closeProjectAction"]
        self._trust_action = actions["trustProjectAction"]
        self._project.changed.connect(self._on_project_changed)
        self._on_project_changed()
        actions.bind(
            {
                "newProjectAction": self.new,
                "openProjectAction": self.open,
                "saveProjectAction": self.save,
                "saveProjectAsAction": self.save_as,
                "closeProjectAction": self.close,
                "trustProjectAction": self._on_trust_chosen,
            }
        )

    @Slot()
    def new(self) -> None:
        """Begins anew, with a single tab and no settings but the target."""
        if self._may_replace():
            self._clear()
            self._project.reset()
            self._files.new_cuda()

    @Slot()
    def open(self) -> None:
        """Asks for a project and opens the project."""
        path = self._dialogs.project_to_open(self._folder())
        if path is not None:
            self.open_path(path)

    @Slot(Path)
    def open_path(self, path: Path) -> None:
        """Reads a project, which replaces the open work."""
        self._reader.start(lambda _stop: self._read(resolved(path)))

    @Slot()
    def save(self) -> bool:
        """Saves the project; returns whether the file is now up to date."""
        path = self._project.path
        if path is None:
            return self.save_as()
        answer = ChangedFile.REPLACE
        try:
            if self._disk.outcome(partial(has_changed, path, self._project.on_disk)):
                answer = self._dialogs.about_changed_file(path)
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        if answer is ChangedFile.SAVE_AS:
            return self.save_as()
        return answer is ChangedFile.REPLACE and self._save(path)

    @Slot()
    def save_as(self) -> bool:
        """Asks for a name and saves the project under that name."""
        proposed = self._project.path or Path(self._folder(), self.tr("project") + PROJECT_ENDING)
        path = self._dialogs.project_to_save(proposed)
        try:
            target = None if path is None else self._disk.outcome(partial(resolved, path))
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        return target is not None and self._save(target)

    @Slot()
    def close(self) -> None:
        """Closes the project with all tabs."""
        if self._may_replace():
            self._clear()

    @Slot()
    def trust(self) -> None:
        """Trusts the open project like the user's own code, from now on."""
        path, standing = self._project.path, self._project.standing
        if path is not None:
            self._project.trust(True)
            self._keep(lambda: self._trusted.trust(path, None, standing.concerns))

    @Slot(bool)
    def _on_trust_chosen(self, on: bool) -> None:
        path, standing = self._project.path, self._project.standing
        if path is None or on is standing.trusted:
            return
        if not on:
            self._project.trust(False)
            self._keep(lambda: self._trusted.distrust(path))
        elif standing.concerns:
            self.trust_wanted.emit()
            self._on_project_changed()
        else:
            self.trust()

    def _keep(self, write: Callable[[], None]) -> None:
        try:
            self._disk.outcome(write)
        except DocumentError as error:
            self.failed.emit(str(error))

    def _read(self, path: Path) -> tuple[OpenProject, TrustLevel]:
        opened = read_project(path)
        return opened, self._trusted.standing(opened)

    def may_quit(self) -> bool:
        """Asks before the end, if the user wants to be asked; returns whether to end."""
        if self._preferences.value("session.on_quit") == "ask":
            answer = self._ask()
            if answer is UnsavedChoice.KEEP_OPEN:
                return False
            if answer is UnsavedChoice.DISCARD:
                self._discard()
        return self.may_end()

    def may_end(self) -> bool:
        """Asks if unsaved text would be lost; returns whether the window may close.

        Nobody is asked where the session keeps it.
        """
        session = self._session
        problem = session.keep()
        if not (problem or session.is_passing):
            return True
        # Text may be typed while the rest is saved.
        while names := self._names_of_unsaved():
            answer = self._dialogs.about_unkept(names, problem)
            if answer is UnsavedChoice.DISCARD:
                if problem:
                    self._discard()
                return True
            if answer is UnsavedChoice.KEEP_OPEN or not self._save_all(elsewhere=True):
                session.save()
                return False
        return True

    @Slot(object)
    def _on_read(self, read: tuple[OpenProject, TrustLevel]) -> None:
        opened, standing = read
        if not self._may_replace():
            self._stay()
            return
        self._clear()
        self._project.open(opened, standing)
        self._build_controller.hold()
        self._remember(opened.path)
        if opened.problems:
            self._show_problems(opened)
        self.reported.emit(self.tr("Opened {name}").format(name=opened.path.name))
        if standing.concerns and not standing.trusted:
            self.trust_wanted.emit()

    @Slot(str)
    def _on_read_failed(self, problem: str) -> None:
        self._stay()
        self.failed.emit(problem)

    def _stay(self) -> None:
        """Goes on with the open work: without a project, that is the user's own."""
        if self._project.path is None:
            self._build_controller.release()

    def _show_problems(self, opened: OpenProject) -> None:
        problems = [*opened.problems[:_MOST_PROBLEMS]]
        if more := len(opened.problems) - len(problems):
            problems.append(self.tr("There are {count} more.").format(count=more))
        head = self.tr("{name} is open, but not all of it.").format(name=opened.path.name)
        self.failed.emit(" ".join((head, *problems)))

    def _save(self, path: Path) -> bool:
        folder = path.parent
        current = self._documents.current
        modified = [d for d in self._project.files_in(folder) if d.is_modified]
        if not all(self._files.save_document(document) for document in modified):
            return False
        if current is not None and current in self._documents:
            self._documents.current = current
        left_behind = self._project.left_behind(path)
        try:
            links = self._disk.outcome(partial(_follow, self._project.paths(path)))
            project = self._project.capture(path, lambda path: links.get(path, path))
            data = dump(project)
            if len(data) > LARGEST:
                raise DocumentError(self._too_large(path))
            self._disk.outcome(partial(write_file, path, data))
        except DocumentError as error:
            self.failed.emit(str(error))
            return False
        self._project.mark_saved(path, project, data)
        if self._project.standing.trusted:
            # As the user has written it.
            self._keep(lambda: self._trusted.trust(path, data, ()))
        self._remember(path)
        self._report_saved(path, modified, project)
        if left_behind:
            text = self.tr(
                "{name} does not hold what the project had from files that could not be read, as "
                "it is in another folder: {parts}."
            )
            self.failed.emit(text.format(name=path.name, parts=", ".join(left_behind)))
        return True

    def _too_large(self, path: Path) -> str:
        text = self.tr(
            "'{name}' would be larger than the {size} MiB that can be opened again. "
            "Save large tabs as files in the project's folder first."
        )
        return text.format(name=path.name, size=LARGEST >> 20)

    def _report_saved(self, path: Path, modified: list[Document], project: Project) -> None:
        if modified:
            names = ", ".join(document.name for document in modified)
            text = self.tr("Saved {name} and its files {files}")
            self.reported.emit(text.format(name=path.name, files=names))
        else:
            self.reported.emit(self.tr("Saved {name}").format(name=path.name))
        if left_out := ", ".join(outside(project)):
            text = self.tr(
                "{name} names files outside its folder, which it will not read when it is opened: "
                "{files}. Put them beside it and save it again."
            )
            self.failed.emit(text.format(name=path.name, files=left_out))

    def _may_replace(self) -> bool:
        """Asks where something would be lost; returns whether all that is open may go."""
        return self._ask() is not UnsavedChoice.KEEP_OPEN

    def _ask(self) -> UnsavedChoice:
        """Asks about unsaved work, which is saved where the user wants; returns the choice."""
        # Text may be typed while the rest is saved.
        while names := self._names_of_unsaved():
            answer = self._dialogs.about_all_unsaved(names)
            if answer is not UnsavedChoice.SAVE:
                return answer
            if not self._save_all():
                return UnsavedChoice.KEEP_OPEN
        return UnsavedChoice.SAVE

    def _names_of_unsaved(self) -> list[str]:
        """Returns the names of unsaved work, as the user knows the parts."""
        self._project.compare()
        project = [self._project.title] if self._project.is_modified else []
        return [*project, *(document.name for document in self._unsaved())]

    def _save_all(self, *, elsewhere: bool = False) -> bool:
        """Saves all unsaved work; where refused, under another name if wanted."""
        if self._project.is_modified and not (self.save() or (elsewhere and self.save_as())):
            return False
        return all(
            self._files.save_document(document, elsewhere=elsewhere) for document in self._unsaved()
        )

    def _discard(self) -> None:
        """Discards the unsaved work: the next start shall not restore that."""
        if self._project.is_modified:
            self._clear()
        for document in self._unsaved():
            if document.on_disk is not None:
                # The next start reads the file.
                document.set_modified(False)
            else:
                self._documents.remove(document)

    def _unsaved(self) -> list[Document]:
        """Returns the documents with unsaved text; the project's texts belong to the project."""
        keeps = self._project.keeps
        return [d for d in self._documents if d.is_modified and (d.path or not keeps(d))]

    def _clear(self) -> None:
        self._build_controller.release()
        # While it is still known whose they are: closed tabs can be opened again.
        for document in list(self._documents):
            self._documents.remove(document)
        self._project.close()

    def _remember(self, path: Path) -> None:
        self._preferences.add_recent_file(path)
        self.recent_changed.emit()

    def _folder(self) -> str:
        recent = self._preferences.recent_files
        return str(recent[0].parent) if recent else ""

    @Slot()
    def _on_project_changed(self) -> None:
        is_open = self._project.path is not None
        self._close_action.setEnabled(is_open)
        self._trust_action.setEnabled(is_open)
        self._trust_action.setChecked(is_open and self._project.standing.trusted)


def _follow(paths: Iterable[Path]) -> dict[Path, Path]:
    """Returns the targets of links; a broken link maps to a path outside every project."""
    targets = {}
    for path in paths:
        try:
            targets[path] = path.resolve()
        except (OSError, RuntimeError, ValueError):
            targets[path] = Path("/", "no such file")
    return targets
