"""The open project, and whether the window holds anything that the project file lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from os.path import isabs
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.commands.project_files import (
    OpenProject,
    Resolve,
    file_launch,
    file_sweep,
    path_in_project,
)
from jitstudio.commands.trust import OWN, RESTRICTED, TrustLevel
from jitstudio.core.axes import VariantDraft
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.format import ProjectFormatError, dump, load
from jitstudio.core.project.project import Member, Project
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import BuildSettings, CodeTrust, Switch
from jitstudio.gui.state.document_files import digest
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.file_text import Encoding
from jitstudio.gui.state.launch_specs import LaunchSpecs, StepRecordings, VariantDrafts
from jitstudio.gui.state.session_format import SavedProject

_COMPARE_AFTER_MS = 100
_MARK = "\ufeff"


class ProjectState(QObject):
    """The project that documents, settings, launches and sweeps belong to, if any.

    Attributes:
        layout: The named arrangement of panes that it is worked on with.
        is_resumed: Whether it was open when the last session ended, with panes as they are.

    Signals:
        changed: Another project, or none, is open, or it is saved or unsaved now.
        opened: Another project is open.
    """

    changed = Signal()
    opened = Signal()

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        launches: LaunchSpecs,
        sweeps: VariantDrafts,
        parent: QObject | None = None,
        recordings: StepRecordings | None = None,
    ) -> None:
        super().__init__(parent)
        self.layout = ""
        self.is_resumed = False
        self._documents = documents
        self._settings = settings
        self._launches = launches
        self._sweeps = sweeps
        self._recordings = recordings or StepRecordings(self)
        self._path: Path | None = None
        self._on_disk: str | None = None
        # What the window does not hold but the file does.
        self._carried = Project()
        self._standing = RESTRICTED
        # The settings from before the project, as one would say them.
        self._own = Project()
        # Which of the programs that are open its file holds.
        self._program = ""
        self._saved: Project | None = None
        self._edited: set[Document] = set()
        self._is_modified = False
        self._pause = QTimer(self, singleShot=True, interval=_COMPARE_AFTER_MS)
        self._pause.timeout.connect(self.compare)
        for signal in (
            documents.added,
            documents.removed,
            documents.moved,
            documents.changed,
            settings.changed,
            launches.changed,
            sweeps.changed,
            self._recordings.changed,
        ):
            signal.connect(self._on_changed)
        documents.edited.connect(self._on_edited)

    @property
    def path(self) -> Path | None:
        """The file of the project; None while none is open."""
        return self._path

    @property
    def on_disk(self) -> str | None:
        """The digest of the project file, as last read or written."""
        return self._on_disk

    @property
    def title(self) -> str:
        """The title of the project; empty while none is open."""
        return self._path.name if self._path is not None else ""

    @property
    def is_modified(self) -> bool:
        """Whether part of the project is not saved."""
        return self._is_modified

    @property
    def standing(self) -> TrustLevel:
        """The trust in the open project; without a project, the user's own texts are trusted."""
        return self._standing if self._path is not None else OWN

    def trust(self, trusted: bool) -> None:
        """Lets the open project do all that the user's own code may, or no longer."""
        self._set_trust(replace(self._standing, trusted=trusted))
        self.changed.emit()

    def keeps(self, document: Document) -> bool:
        """Returns whether the text of a document is kept in the project file itself."""
        return self._path is not None and not _is_in(document, self._path.parent)

    def files_in(self, folder: Path) -> Iterator[Document]:
        """Returns the documents that a project in a folder names by their files."""
        return (document for document in self._documents if _is_in(document, folder))

    def open(self, opened: OpenProject, standing: TrustLevel = RESTRICTED) -> None:
        """Takes over a whole project; documents that are open stay beside the project's."""
        project = opened.project
        self.is_resumed = False
        self._begin(opened.path, standing)
        self._program = ""
        self._on_disk = digest(opened.content)
        self._carried = _carried(opened)
        self.layout = project.layout
        self._settings.take_from(project)
        for program in {module.program for module in project.modules} - {""}:
            self._settings.set_link(program, project.links.get(program, LinkMode.NONE))
        specs = {launch.spec.kernel: launch.spec for launch in opened.launches}
        self._launches.replace_all(specs.values(), project.kernel)
        self._sweeps.replace_all(sweep.draft for sweep in opened.sweeps)
        self._recordings.replace_all(project.steps, project.recordings)
        for opened_member in opened.members:
            if opened_member.content is not None:
                self._documents.add(
                    _document(opened_member.member, opened_member.content, opened_member.path)
                )
        self._documents.current = self._documents.named(project.current) or next(
            iter(self._documents), None
        )
        self._take_as_saved()
        self.opened.emit()

    def close(self) -> None:
        """Leaves the project; the settings are the earlier ones again."""
        if self._path is not None:
            self._settings.take_from(self._own)
        self._path, self._on_disk = None, None
        self._carried = Project()
        self._set_trust(OWN)
        self._take_as_saved()

    def reset(self) -> None:
        """Forgets all that a project says, apart from the target."""
        self._settings.take_from(Project(arch=self._settings.arch))
        self._launches.replace_all((), "")
        self._sweeps.replace_all(())
        self._recordings.replace_all((), ())

    def mark_saved(self, path: Path, project: Project, content: bytes) -> None:
        """Marks the project as saved to `path`; `project` and `content` are from `capture`.

        Text typed since then, while the disk was slow, stays unsaved.
        """
        self._carried = replace(self._carried_to(path.parent), unknown=project.unknown)
        if self._path is None:
            # Another tab may be looked at by now.
            saved_names = {module.name for module in project.modules if not module.program}
            programs = (
                document.program for document in self._documents if document.name in saved_names
            )
            self._program = next(programs, self._settings.program)
        # What belonged to no project is the user's own.
        self._begin(path, self.standing)
        self._on_disk = digest(content)
        saved = {member.name: member.text for member in (*project.modules, *project.headers)}
        own = [document for document in self._documents if document.path is None]
        typed = {document for document in own if saved.get(document.name) != _text(document)}
        for document in own:
            document.set_modified(document in typed)
        self._take_as_saved()
        self._edited |= typed
        self.compare()

    def capture(self, path: Path, resolve: Resolve = Path.resolve) -> Project:
        """Returns the project of the window, for a project file at `path`.

        Args:
            path: The file.
            resolve: Follows the links of the paths that are asked for.
        """
        return self._project(path.parent, resolve, with_texts=True)

    def paths(self, path: Path) -> frozenset[Path]:
        """Returns the paths whose links `capture` follows: a disk may take a while to say."""
        asked: set[Path] = set()

        def note(path: Path) -> Path:
            asked.add(path)
            return path

        self._project(path.parent, note, with_texts=False)
        return frozenset(asked)

    def left_behind(self, path: Path) -> tuple[str, ...]:
        """Returns the parts that a file at `path` would lose: there, paths mean other files."""
        if self._path is None or path.parent == self._path.parent:
            return ()
        carried = self._carried
        return (
            *(member.name for member in carried.members),
            *(f"{spec.kernel}: {name}" for spec in carried.launches for name, _ in spec.arguments),
            *(f"{draft.kernel}: {axis.name}" for draft in carried.sweeps for axis in draft.axes),
        )

    def remembered(self) -> SavedProject | None:
        """Returns the record of the project for the next start; None while no project is open."""
        if self._path is None:
            return None
        if self._pause.isActive():
            self.compare()
        carried, sweeps = dump(self._carried), self._typed()
        return SavedProject(
            path=str(self._path),
            modified=self._is_modified,
            carried=carried.decode(),
            sweeps=dump(sweeps).decode(),
            on_disk=self._on_disk,
            trusted=self._standing.trusted,
            concerns=self._standing.concerns,
            own=dump(self._own).decode(),
            program=self._program,
        )

    def resume(self, saved: SavedProject) -> None:
        """Goes on with a project whose documents, settings and launches are back already.

        Raises:
            ProjectFormatError: The stored project is damaged; no project is open then.
        """
        nothing_set = Project(arch=self._settings.arch)
        try:
            carried, typed = load(saved.carried.encode()), load(saved.sweeps.encode())
            own = load(saved.own.encode()) if saved.own else nothing_set
        except ProjectFormatError:
            # What is left of it is not the user's own for that.
            self._settings.take_from(nothing_set)
            self._settings.trust = saved.code_trust
            raise
        self.is_resumed = True
        self._begin(Path(saved.path), TrustLevel(saved.trusted, saved.concerns))
        self._program = saved.program
        self._on_disk, self._own = saved.on_disk, own
        self._carried = carried
        self._sweeps.replace_all(typed.sweeps)
        self._recordings.replace_all(typed.steps, typed.recordings)
        self._take_as_saved()
        if saved.modified:
            self._saved = None
            self.compare()

    def take_settings_before(self, saved: SavedProject | None) -> None:
        """Builds with the settings from before a project that is not resumed."""
        with suppress(ProjectFormatError):
            if saved is not None:
                self._settings.take_from(load(saved.own.encode()))

    @Slot()
    def compare(self) -> None:
        """Compares the project with its saved state."""
        self._pause.stop()
        was = self._is_modified
        self._edited.intersection_update(self._documents)
        self._is_modified = self._path is not None and (
            any(self._has_unsaved_text(document) for document in self._documents)
            or _essence(self._project(self._path.parent, with_texts=False)) != self._saved
        )
        if self._is_modified is not was:
            self.changed.emit()

    def _typed(self) -> Project:
        """Returns the drafts of variants, the steps and the recordings, as a project."""
        recordings = self._recordings
        return Project(
            sweeps=self._sweeps.drafts, steps=recordings.all, recordings=recordings.recordings
        )

    def _has_unsaved_text(self, document: Document) -> bool:
        # A file elsewhere says nothing about the copy of its text in the project.
        return (
            document in self._edited
            and self.keeps(document)
            and (document.path is not None or document.is_modified)
        )

    def _take_as_saved(self) -> None:
        self._edited.clear()
        self._saved = None
        if self._path is not None:
            self._saved = _essence(self._project(self._path.parent, with_texts=False))
        self._is_modified = False
        self._pause.stop()
        self.changed.emit()

    def _begin(self, path: Path, standing: TrustLevel) -> None:
        """Takes the project in a file as the open project."""
        if self._path is None:
            self._own = _settings_only(self._settings)
        self._path = path
        self._set_trust(standing)

    def _set_trust(self, standing: TrustLevel) -> None:
        self._standing = standing
        folder = str(self._path.parent) if self._path is not None else ""
        self._settings.trust = CodeTrust(folder, standing.trusted)

    def _project(
        self, folder: Path, resolve: Resolve | None = None, *, with_texts: bool
    ) -> Project:
        """Returns the project; without `resolve` no disk is asked, as paths are final already."""
        resolve = resolve or _as_it_is
        current = self._documents.current
        ours = [document for document in self._documents if not document.is_preview]
        # One that is not saved yet will hold what is looked at.
        program = self._settings.program if self._path is None else self._program
        carried = self._carried_to(folder)
        # What the file calls the programs that are open: its own by no name at all.
        titles = {document.program: document.program for document in ours} | {program: ""}
        apart = [d.name for d in ours if not (d.program or d.is_header)]
        if program and apart:
            titles[""] = self._documents.unique_program(apart[0])
        members = [
            (d, _member(d, folder, titles[d.program], resolve, with_text=with_texts)) for d in ours
        ]
        names = {member.name for _, member in members}
        unread = tuple(member for member in carried.modules if member.name not in names)
        links = {m.program: carried.links.get(m.program, LinkMode.NONE) for m in unread}
        links |= {title: self._settings.link_of(program) for program, title in titles.items()}
        return replace(
            _settings_only(self._settings, program),
            modules=(
                *(member for document, member in members if not document.is_header),
                *unread,
            ),
            headers=(
                *(member for document, member in members if document.is_header),
                *(member for member in carried.headers if member.name not in names),
            ),
            # In an order that using them does not change.
            launches=tuple(
                sorted(self._filed(folder, carried, resolve), key=lambda spec: spec.kernel)
            ),
            # The one used last is the last.
            kernel=self._launches.specs[-1].kernel if self._launches.specs else "",
            sweeps=tuple(
                sorted(self._filed_sweeps(folder, carried, resolve), key=lambda s: s.kernel)
            ),
            steps=tuple(sorted(self._recordings.all, key=lambda recorded: recorded.kernel)),
            recordings=tuple(
                sorted(self._recordings.recordings, key=lambda recorded: recorded.kernel)
            ),
            layout=self.layout,
            current=current.name if current is not None else "",
            links={
                title: link for title, link in links.items() if title and link is not LinkMode.NONE
            },
            unknown=carried.unknown,
        )

    def _carried_to(self, folder: Path) -> Project:
        """Returns the carried parts for a project file in `folder`: paths depend on the folder."""
        stays = self._path is None or self._path.parent == folder
        return self._carried if stays else Project(unknown=self._carried.unknown)

    def _filed(self, folder: Path, carried: Project, resolve: Resolve) -> Iterator[LaunchSpec]:
        """Yields the launches, with the withheld arguments where nothing has been typed."""
        withheld = {spec.kernel: dict(spec.arguments) for spec in carried.launches}
        for spec in self._launches.specs:
            filed = file_launch(spec, folder, resolve)
            arguments = withheld.get(spec.kernel, {}) | dict(filed.arguments)
            yield replace(filed, arguments=tuple(arguments.items()))

    def _filed_sweeps(
        self, folder: Path, carried: Project, resolve: Resolve
    ) -> Iterator[VariantDraft]:
        """Yields the sweeps, with the withheld axes where no others have been typed."""
        withheld = {draft.kernel: draft.axes for draft in carried.sweeps}
        for draft in self._sweeps.drafts:
            filed = file_sweep(draft, folder, resolve)
            typed = {(axis.kind, axis.name) for axis in filed.axes}
            more = withheld.get(draft.kernel, ())
            untouched = (axis for axis in more if (axis.kind, axis.name) not in typed)
            yield replace(filed, axes=(*untouched, *filed.axes))

    @Slot()
    def _on_changed(self) -> None:
        if self._path is not None:
            self._pause.start()

    @Slot(Document)
    def _on_edited(self, document: Document) -> None:
        if not document.is_preview:
            self._edited.add(document)
        self._on_changed()


def _settings_only(settings: BuildSettings, program: str = "") -> Project:
    """Returns the settings of a project that consists of this program."""
    return Project(
        arch=settings.arch,
        options=settings.options,
        link=settings.link_of(program),
        libdevice=Switch.LIBDEVICE in settings.switches,
        join_ir=Switch.JOIN_IR in settings.switches,
        driver_jit=Switch.DRIVER_JIT in settings.switches,
        compiler=settings.compiler,
        # One that has no version goes by its folder, which no file of a project names.
        toolchain="" if isabs(settings.toolchain_name) else settings.toolchain_name,
        keep_host_code=Switch.KEEP_HOST_CODE in settings.switches,
    )


def _carried(opened: OpenProject) -> Project:
    """Returns the parts of a project that the window does not take over."""
    count = len(opened.project.modules)
    return Project(
        modules=_unread(opened, 0, count),
        headers=_unread(opened, count, len(opened.members)),
        launches=tuple(
            LaunchSpec(launch.spec.kernel, launch.withheld)
            for launch in opened.launches
            if launch.withheld
        ),
        sweeps=tuple(sweep.withheld for sweep in opened.sweeps if sweep.withheld.axes),
        links=opened.project.links,
        unknown=opened.project.unknown,
    )


def _unread(opened: OpenProject, start: int, end: int) -> tuple[Member, ...]:
    return tuple(
        opened_member.member
        for opened_member in opened.members[start:end]
        if opened_member.content is None
    )


def _essence(project: Project) -> Project:
    """Returns a project without the parts that looking at it changes."""
    launches = tuple(replace(s, arguments=tuple(sorted(s.arguments))) for s in project.launches)
    return replace(project, launches=launches, kernel="", layout="", current="", unknown={})


def _is_in(document: Document, folder: Path) -> bool:
    path = document.path
    return path is not None and path_in_project(folder, path, _as_it_is) is not None


def _as_it_is(path: Path) -> Path:
    """Returns `path` as is: links were followed when the document or project was opened."""
    return path


def _member(
    document: Document, folder: Path, program: str, resolve: Resolve, *, with_text: bool
) -> Member:
    path = path_in_project(folder, document.path, resolve) if document.path is not None else None
    if path is None and document.path is not None and document.text is None:
        # Machine code is no text to keep in the project: it is named, though it will not be read.
        path = document.path.as_posix()
    text = None
    if path is None:
        text = _text(document) if with_text else ""
    member = Member(document.name, document.kind, text, path or "")
    if document.is_header:
        return member
    return replace(
        member,
        options=document.options,
        name_expressions=document.name_expressions,
        included=document.included,
        is_library=document.is_library,
        program=program,
    )


def _text(document: Document) -> str:
    file_text = document.held
    if file_text is None:
        return document.content.decode("utf-8", "replace")
    mark = _MARK if file_text.form.encoding is Encoding.UTF_8_BOM else ""
    return f"{mark}{file_text.joined}"


def _document(member: Member, content: bytes, path: Path | None) -> Document:
    document = Document(member.name, member.kind, content, path)
    document.options = member.options
    document.name_expressions = member.name_expressions
    document.included = member.included
    document.is_library = member.is_library
    document.program = member.program
    return document


def outside(project: Project) -> Iterable[str]:
    """Returns the names of the modules that a project names but will not read."""
    return (m.name for m in project.members if m.text is None and Path(m.path).is_absolute())
