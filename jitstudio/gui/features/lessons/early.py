"""Has the pane made once a project is opened that may be a lesson."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot

from jitstudio.gui.context import Context
from jitstudio.gui.kit.background import Background
from jitstudio.gui.shell.docking.layout_manager import LayoutManager
from jitstudio.gui.state.project import ProjectState


def install(context: Context) -> None:
    """Follows the project."""
    LessonWatch(context.state.project, context.shell.layout)


class LessonWatch(QObject):
    """Looks for the text of a lesson beside the project."""

    def __init__(self, project: ProjectState, layout: LayoutManager) -> None:
        super().__init__(layout)
        self._project = project
        self._layout = layout
        self._looking = Background(self)
        self._looking.done.connect(self._on_looked)
        project.changed.connect(self._look)
        self._look()

    @Slot()
    def _look(self) -> None:
        path = self._project.path
        if path is None or "lessons" in self._layout.panes:
            self._looking.stop()
        else:
            self._looking.start(lambda _stop: _is_lesson(path.parent))

    @Slot(object)
    def _on_looked(self, is_lesson: bool) -> None:
        if is_lesson:
            # The pane reads the lesson, and comes forward.
            self._layout.want("lessons")


def _is_lesson(folder: Path) -> bool:
    # Few projects are lessons.
    from jitstudio.help.lessons import TEXT  # noqa: PLC0415

    return (folder / TEXT).is_file()
