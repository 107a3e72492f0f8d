"""Opens lessons as projects, and has the pupil's files checked by `jitstudio lesson check`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, Slot

from jitstudio.core.result import BuildResult, Outcome
from jitstudio.gui.context import Context
from jitstudio.gui.features.lessons.answers import goals_of, reason_of_end
from jitstudio.gui.features.lessons.class_dialog import ClassDialog
from jitstudio.gui.features.lessons.view import LessonsView
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.kit.owned_process import OwnedProcess
from jitstudio.gui.shell.notice_bar import NoticeAction
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.settings_table import CHECK_AS_BUILT
from jitstudio.gui.state.window_state import WindowState
from jitstudio.help.lesson_copies import copy_lesson, original_of, reset_copy, window_copies
from jitstudio.help.lesson_progress import LessonProgress, unkept
from jitstudio.help.lesson_solutions import explained_solution
from jitstudio.help.lessons import Lesson, LessonError, lessons, read_lesson

_RESET = "lessonReset"
"""By which the question about the starting text is known."""
OFFERED = frozenset(
    {"buildAction", "runAction", "simulateAction", "stepAction"}
    | {"linkNoneAction", "linkPtxAction", "linkLtoAction"}
    | {pane.action for pane in PANES if pane.text}
)
"""The commands that a lesson may offer, whoever has written it."""
# -P: what lies in the pupil's folder is none of our modules.
_COMMAND = ("-P", "-m", "jitstudio", "lesson", "check", "--json")


def install(context: Context) -> None:
    """Makes the pane "Lessons"."""
    view = LessonsView()
    context.shell.layout.fill("lessons", view)
    LessonsController(view, context.state, context.projects, context.shell)


class LessonsController(QObject):
    """Shows the lesson whose project is open.

    A lesson is a project in a folder with a `lesson.md`, ours or a teacher's.
    """

    def __init__(
        self, view: LessonsView, state: WindowState, projects: ProjectCommands, shell: Shell
    ) -> None:
        super().__init__(view)
        self._view = view
        self._project = project = state.project
        self._preferences = state.preferences
        self._projects = projects
        self._shell = shell
        self._folder: Path | None = None
        self._lesson: Lesson | None = None
        self._opened: Path | None = None
        self._titles: tuple[str, ...] = ()
        self._graded_by = ""
        self._lists, self._copies, self._reads, self._resets, self._explains = (
            Background(self) for _ in range(5)
        )
        self._keeps = Background(self)
        self._keeps.failed.connect(shell.notices.show_message)
        self._changes: tuple[str, ...] = ()
        # Whether the check is of the lesson that is open.
        self._is_check_awaited = False
        # Whether anything may have changed since the last check, and what a check would find.
        self._is_changed, self._is_built = True, False
        self._class: ClassDialog | None = None
        self._process = OwnedProcess(self)
        self._process.finished.connect(self._on_checked)
        self._process.errorOccurred.connect(self._on_error)
        self._lists.done.connect(self._on_listed)
        self._copies.done.connect(self._on_copied)
        self._copies.failed.connect(shell.notices.show_message)
        self._reads.done.connect(self._on_read)
        self._resets.done.connect(self._on_reset)
        self._resets.failed.connect(shell.notices.show_message)
        self._explains.done.connect(self._on_explained)
        view.open_wanted.connect(self._on_open_wanted)
        view.check_wanted.connect(self._on_check_wanted)
        view.checks_itself.connect(self._on_checks_itself)
        view.class_wanted.connect(self._on_class_wanted)
        view.reset_wanted.connect(self._on_reset_wanted)
        view.hint_shown.connect(self._on_hint_shown)
        view.command_wanted.connect(self._on_command_wanted)
        project.changed.connect(self._on_project_changed)
        state.documents.edited.connect(self._on_edited)
        state.settings.changed.connect(self._on_edited)
        state.build_controller.built.connect(self._on_built)
        state.preferences.changed.connect(self._on_preference_changed)
        shell.actions.bind({"lessonsAction": self._on_lessons})
        self._on_project_changed()
        self._on_preference_changed(CHECK_AS_BUILT)
        Visibility(view, self, self._on_visibility_changed)

    @Slot()
    def _on_lessons(self) -> None:
        self._shell.layout.bring_up(self._view)

    def _on_visibility_changed(self, is_seen: bool) -> None:
        if is_seen:
            self._list()

    def _list(self) -> None:
        self._lists.start(lambda _stop: (lessons(), LessonProgress().passed()))

    @Slot(object)
    def _on_listed(self, answer: tuple[tuple[Lesson, ...], frozenset[str]]) -> None:
        listed, passed = answer
        self._titles = tuple(lesson.title for lesson in listed)
        self._view.show_list(listed, passed)

    @Slot(int)
    def _on_open_wanted(self, place: int) -> None:
        self._copies.start(lambda _stop: _copied(place))

    @Slot(object)
    def _on_copied(self, project: Path) -> None:
        self._opened = project.parent.resolve()
        self._projects.open_path(project)

    @Slot()
    def _on_project_changed(self) -> None:
        path = self._project.path
        folder = path.parent if path is not None else None
        if folder == self._folder:
            return
        self._folder = folder
        self._is_check_awaited, self._is_changed = False, True
        self._process.kill()
        if folder is None:
            self._reads.stop()
            self._on_read((None, "", 0))
        else:
            self._reads.start(lambda _stop: _lesson_in(folder))

    @Slot(object)
    def _on_read(self, answer: tuple[Lesson | None, str, int]) -> None:
        lesson, self._graded_by, hints = answer
        self._lesson = lesson
        self._shell.notices.withdraw(_RESET)
        titles = self._titles
        known = lesson is not None and lesson.title in titles
        place = titles.index(lesson.title) if lesson and known else -1
        self._view.show_lesson(lesson, place, hints)
        if lesson is None or self._project.is_resumed:
            # Panes are as the user has left them.
            return
        self._shell.layout.show_wanted(("lessons", *lesson.panes))
        self._shell.layout.bring_up(self._view)
        if lesson.folder == self._opened:
            # A project of others waits until the user builds it; this copy is ours.
            self._opened = None
            self._shell.actions["buildAction"].trigger()

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        if key == CHECK_AS_BUILT:
            self._view.show_checks_itself(self._checks_itself)
            self._check_by_itself()

    @Slot(bool)
    def _on_checks_itself(self, by_itself: bool) -> None:
        self._preferences.set_value(CHECK_AS_BUILT, by_itself)

    @property
    def _checks_itself(self) -> bool:
        return bool(self._preferences.value(CHECK_AS_BUILT))

    @Slot()
    def _on_edited(self) -> None:
        self._is_changed, self._is_built = True, False

    @Slot(object, BuildResult)
    def _on_built(self, _subject: object, result: BuildResult) -> None:
        self._is_built = result.outcome is Outcome.BUILT
        if self._is_built:
            self._check_by_itself()
        elif self._checks_itself and self._lesson is not None and not self._process.is_running:
            problem = self.tr("Not checked, as the build has failed. Problems shows the reason.")
            self._view.show_problem(problem)

    def _check_by_itself(self) -> None:
        """Checks the text that was built, if the user wants that and there is a change."""
        is_wanted = self._checks_itself and self._lesson is not None
        if is_wanted and self._is_built and self._is_changed:
            self._check(by_itself=True)

    @Slot()
    def _on_check_wanted(self) -> None:
        self._check(by_itself=False)

    def _check(self, *, by_itself: bool) -> None:
        if self._folder is None or self._process.is_running or not self._projects.save():
            return
        self._view.show_checking(by_itself=by_itself)
        self._is_check_awaited, self._is_changed = True, False
        self._process.setWorkingDirectory(str(self._folder))
        by = ["--by", self._graded_by] if self._graded_by else []
        self._process.start(sys.executable, [*_COMMAND, str(self._folder), *by])

    @Slot()
    def _on_checked(self) -> None:
        said = self._process.output()
        if not self._is_check_awaited:
            return
        if not said:
            self._view.show_problem(reason_of_end(self._process.errors()))
            return
        report = json.loads(said)
        self._view.show_goals(
            goals_of(report), report["obstacles"], report["summary"], self._origin(report)
        )
        self._changes = tuple(change["text"] for change in report["changes"])
        if report["passed"] and (lesson := self._lesson) is not None:
            self._explains.start(lambda _stop: _explained(lesson))
        self._list()
        # What was built meanwhile.
        self._check_by_itself()

    @Slot(object)
    def _on_explained(self, explained: str) -> None:
        self._view.show_passed(self._changes, explained)

    @Slot()
    def _on_class_wanted(self) -> None:
        if self._class is None:
            self._class = ClassDialog(self._shell.window)
        self._class.show()
        self._class.raise_()
        self._class.activateWindow()
        self._class.ask()

    @Slot()
    def _on_reset_wanted(self) -> None:
        reset = NoticeAction("resetNow", self.tr("Reset"), self._reset)
        question = self.tr(
            "Put the starting text of “{title}” back? Your files are copied to a new folder first."
        )
        title = self._lesson.title if self._lesson else ""
        self._shell.notices.ask(_RESET, question.format(title=title), (reset,))

    def _reset(self) -> None:
        folder, lesson = self._folder, self._lesson
        # What is only typed is kept, too.
        if folder is not None and lesson is not None and self._projects.save():
            self._resets.start(lambda _stop: _put_back(lesson, folder))

    @Slot(object)
    def _on_reset(self, answer: tuple[Path | None, Path]) -> None:
        backup, project = answer
        if backup is None:
            said = self.tr("The lesson is as in the beginning.")
        else:
            said = self.tr("Your files are in {folder}.").format(folder=backup)
            # The pane shows the lesson as on the first day.
            self._folder, self._opened = None, project.parent.resolve()
            self._projects.open_path(project)
        self._shell.notices.show_message(said)

    @Slot(int)
    def _on_hint_shown(self, count: int) -> None:
        if (lesson := self._lesson) is not None:
            self._keeps.start(lambda _stop: _keep_hints(lesson, count))

    @Slot(str)
    def _on_command_wanted(self, name: str) -> None:
        if name in OFFERED:
            self._shell.actions[name].trigger()

    def _origin(self, report: dict[str, Any]) -> str:
        """Returns a sentence that says which conditions count."""
        if self._graded_by:
            return self.tr(
                "The conditions, target, options and launch are those that jitstudio came with, "
                "and not those of your copy."
            )
        files = (Path(report[f"{key}_file"]).name for key in ("conditions", "settings"))
        said = self.tr(
            "The conditions, target and options are those of {files} in this folder, which may "
            "have been changed. Your teacher checks by the original."
        )
        return said.format(files=", ".join(dict.fromkeys(files)))

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            problem = self.tr("The check cannot be started: {reason}.")
            self._view.show_problem(problem.format(reason=self._process.errorString()))


def _copied(place: int) -> Path:
    """Returns the project of the user's copy of a lesson, which is made if missing.

    Raises:
        LessonError: It cannot be made.
    """
    lesson = lessons()[place]
    folder = window_copies() / lesson.name
    copy_lesson(lesson, folder)
    project = read_lesson(folder).project
    if project is None:
        raise LessonError(f"'{folder}' has no project any more. Delete the folder to start over.")
    return project


def _put_back(lesson: Lesson, folder: Path) -> tuple[Path | None, Path]:
    """Puts the starting text back; returns the folder with the pupil's, and the project.

    Raises:
        LessonError: It is none of our lessons, or files cannot be written.
    """
    original = original_of(lesson)
    if original is None or original.project is None:
        raise LessonError(
            f"'{lesson.title}' is none of our lessons. In a terminal, 'jitstudio lesson reset "
            f"{folder} --by LESSON' takes the files of the teacher's folder."
        )
    backup = reset_copy(original, folder)
    _keep_hints(original, 0)
    return backup, folder / original.project.name


def _keep_hints(lesson: Lesson, count: int) -> None:
    """Keeps how many hints of a lesson were shown.

    Raises:
        LessonError: They cannot be kept.
    """
    try:
        LessonProgress().keep_hints(lesson, count)
    except OSError as error:
        raise LessonError(unkept(error)) from None


def _explained(lesson: Lesson) -> str:
    """Returns the explanation of the solution, if the lesson is one of ours."""
    original = original_of(lesson)
    return explained_solution(original) if original else ""


def _lesson_in(folder: Path) -> tuple[Lesson | None, str, int]:
    """Returns the lesson in a folder, the name of our lesson that it copies, hints shown.

    The conditions of a copy may have been changed, and so may its target, options and launch.
    """
    copies = window_copies().resolve()
    ours = {copies / lesson.name: lesson.name for lesson in lessons()}
    try:
        lesson = read_lesson(folder)
    except LessonError:
        return None, "", 0
    return lesson, ours.get(folder.resolve(), ""), LessonProgress().hints(lesson)
