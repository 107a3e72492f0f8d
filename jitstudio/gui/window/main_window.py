"""The window: up at once with the texts, and complete with panes and services a moment later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QMainWindow

from jitstudio.core.code import is_project
from jitstudio.gui.kit.focus_ring import FocusRing
from jitstudio.gui.kit.fonts import LETTERS, follow_letters, scale_margins
from jitstudio.gui.kit.late_import import LateImport
from jitstudio.gui.kit.theme import ThemeKeeper
from jitstudio.gui.shell.pane_registry import BY_NAME
from jitstudio.gui.state.user_state import UserState
from jitstudio.gui.window.window_frame import WindowFrame

if TYPE_CHECKING:
    # Loaded late: see `banned-module-level-imports` in pyproject.toml.
    from jitstudio.gui.window.window_builder import WindowBuilder
    from jitstudio.help.samples import Sample

# The rest is loaded once the texts are painted, or where the window is out of sight by then.
_PAINTED_MS, _UNSEEN_MS = 20, 300


def _window_builder() -> type[WindowBuilder]:
    from jitstudio.gui.window.window_builder import WindowBuilder

    return WindowBuilder


def _open_first_sample(user_state: UserState) -> Sample:
    # Only the first start shows one.
    from jitstudio.gui.state.sample_tabs import open_sample  # noqa: PLC0415
    from jitstudio.help.samples import samples  # noqa: PLC0415

    sample = samples()[0]
    open_sample(sample, user_state.documents, user_state.settings)
    return sample


class MainWindow(QMainWindow):
    """Shows the open documents in editors, and the panes around the editors.

    Attributes:
        user_state: What is open and chosen.
        keeper: The theme.
        frame: Commands, editors, notices and docks.

    Signals:
        completed: Everything is there.
    """

    completed = Signal()

    def __init__(self, user_state: UserState, keeper: ThemeKeeper) -> None:
        super().__init__()
        self.user_state = user_state
        self.keeper = keeper
        self.frame = WindowFrame(self, user_state)
        self._builder: WindowBuilder | None = None
        self._steps: Iterator[None] = iter(())
        self._is_complete = False
        self._is_bare = False
        self._is_ended = False
        self._wanted: tuple[Sequence[Path], Sample | None] | None = None
        self._load_timer = QTimer(self, singleShot=True, interval=_UNSEEN_MS)
        self._load_timer.timeout.connect(self._load)
        self._loader = LateImport(self)
        self._loader.done.connect(self._on_loaded)
        self._loader.failed.connect(self._on_load_failed)
        self._step = QTimer(self, interval=0)
        self._step.timeout.connect(self._on_step)
        self._features = LateImport(self)
        self._features.done.connect(self._on_features_loaded)
        self._features.failed.connect(self._on_load_failed)
        user_state.session.restore_failed.connect(self.frame.notices.show_message)
        user_state.session.recovered.connect(self.frame.notices.show_message)
        FocusRing(self)
        self.setAcceptDrops(True)
        self.setWindowTitle("jitstudio")
        self.frame.layout.zoom_changed.connect(LETTERS.set_zoom)
        self.frame.layout.restore()

    @property
    def builder(self) -> WindowBuilder:
        """The panes and services of the window; any missing part is made now."""
        if not self._is_complete:
            with self._or_bare():
                for waiting in (self._step, self._loader, self._features):
                    waiting.stop()
                if self._builder is None:
                    self._begin_building()
                for _ in self._steps:
                    pass
            self._end_building()
        assert self._builder is not None
        return self._builder

    def open(self, files: Sequence[Path]) -> None:
        """Brings back the last session, and opens these files; without either, the first sample.

        Files that are no projects are not opened inside of one: its session waits for a start
        without them.
        """
        user_state, sample = self.user_state, None
        by_itself = bool(files) and not any(map(is_project, files))
        if not user_state.session.restore(by_itself=by_itself) and not files:
            sample = _open_first_sample(user_state)
        self._wanted = files, sample
        user_state.session.watch()
        if self._is_complete:
            self.builder.begin(*self._wanted)
        else:
            self._load_timer.start()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keeps everything for the next start, or asks where that cannot be."""
        # Where the rest cannot be made now, the window stays to say so.
        event.ignore()
        builder = None if self._is_bare else self.builder
        event.accept()
        # A question comes in a later turn, in which the user may have closed them.
        self.frame.layout.reopen_closing()
        if builder is not None and not builder.context.projects.may_quit():
            event.ignore()
            return
        self.end()
        super().closeEvent(event)

    def may_end(self) -> bool:
        """Returns whether the window may end; asks only where unsaved text could not be kept."""
        return self._is_bare or self.builder.context.projects.may_end()

    def end(self) -> None:
        """Saves the session and closes the window, without a question; does nothing once closed."""
        if self._is_ended:
            return
        self._is_ended = True
        try:
            if self._is_complete:
                self.frame.layout.save()
        finally:
            # Qt aborts the program where a thread outlives its object.
            if self._builder is None:
                self.user_state.session.close()
            else:
                self._builder.state.close()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Makes the panes now that the texts are painted: Python runs a single thread at a time."""
        super().paintEvent(event)
        if self._load_timer.isActive() and self._load_timer.interval() != _PAINTED_MS:
            self._load_timer.start(_PAINTED_MS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Brings the other panes, or the text, back at an Escape that no widget has used."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.frame.layout.alone is not None:
            self.frame.layout.give_back()
        else:
            self.frame.actions["focusEditorAction"].trigger()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Takes files."""
        if not self._is_bare and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Opens files."""
        urls = event.mimeData().urls()
        paths = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
        self.builder.context.files.open_paths(paths)
        event.acceptProposedAction()

    @Slot()
    def _load(self) -> None:
        if not self._is_complete:
            self._loader.start(_window_builder)

    @contextmanager
    def _or_bare(self) -> Iterator[None]:
        """Is an editor at least where the rest cannot be made."""
        try:
            yield
        except Exception:
            self._is_bare = True
            self._step.stop()
            raise

    def _begin_building(self) -> None:
        self._builder = _window_builder()(self, self.frame, self.user_state, self.keeper)
        self._steps = self._builder.steps()

    def _end_building(self) -> None:
        self._is_complete = True
        follow_letters(self, scale_margins)
        if self._wanted is not None:
            self.builder.begin(*self._wanted)
        self.frame.actions.catch_up()
        self.completed.emit()

    @Slot()
    def _on_loaded(self) -> None:
        if not (self._is_complete or self._is_bare):
            with self._or_bare():
                self._begin_building()
            missing = (BY_NAME[name].folder for name in self.frame.layout.missing)
            wanted = _window_builder().features(filter(None, missing))
            self._features.start(lambda: None, wanted)

    @Slot()
    def _on_features_loaded(self) -> None:
        if not (self._is_complete or self._is_bare):
            self._step.start()

    @Slot(str)
    def _on_load_failed(self, problem: str) -> None:
        """Is an editor at least, from which text can be copied."""
        self._is_bare = True
        message = self.tr(
            "jitstudio is not installed as a whole: {problem}. What you type is kept. "
            "Install jitstudio again, then start it again."
        )
        self.frame.notices.show_message(message.format(problem=problem))

    @Slot()
    def _on_step(self) -> None:
        with self._or_bare():
            is_done = next(self._steps, self) is self
        if is_done:
            self._step.stop()
            self._end_building()
