"""Drives a real window with a real worker, as a user would: for tests, screenshots, a run on X."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QEventLoop, QObject, QSettings, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget

from jitstudio.core.code import CodeKind
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.project.format import dump
from jitstudio.core.project.project import Member, Project
from jitstudio.core.result import BuildResult
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.launch.form.launch_form import LaunchForm
from jitstudio.gui.features.tabs.controller import ClosedTabs
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.kit.fonts import CODE_FAMILY, LETTERS
from jitstudio.gui.kit.theme import ThemeMode
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.docking.layouts import LAYOUTS
from jitstudio.gui.shell.pane_registry import PANES
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state import build_settings
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.settings_table import SETTINGS
from jitstudio.gui.state.window_state import WindowState
from jitstudio.gui.window.application import let_threads_take_turns, make_window
from jitstudio.gui.window.pane_maker import COMMANDS, LATE
from jitstudio.gui.window.window_builder import WindowBuilder
from jitstudio.help.samples import samples
from tests.support import QUICK_ARCH

PATIENCE = 60.0
KERNEL = 'extern "C" __global__ void kernel_of_project() {}\n'
"""What is in a project of `write_project`."""
# How often the event loop may find something to do before what goes on has no end.
_TURNS = 500
_Found = TypeVar("_Found", bound=QObject)


def write_project(path: Path, *members: Member, **fields: Any) -> Path:
    """Writes a project, with a module of its own where none is given; returns its path."""
    path.parent.mkdir(exist_ok=True)
    modules = members or (Member("k.cu", CodeKind.CUDA, KERNEL),)
    path.write_bytes(dump(Project(modules, **{"arch": QUICK_ARCH} | fields)))
    return path


def pause(milliseconds: int) -> None:
    """Run the event loop for so long, and until nothing is left for it to do at once.

    One thing leads to another, as a moved dock to other tabs and these to another title: where a
    machine is slow, the time is over before the first. Unlike `QTest.qWait`, which keeps Python's
    lock and so starves all threads of the program.
    """
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
    for _ in range(_TURNS):
        if not loop.processEvents():
            break


class Driver:
    """One window in a folder of its own.

    Attributes:
        window: The window.
        keeper: Its theme.
        results: Of all builds, in order.
    """

    def __init__(self, app: QApplication, folder: Path, mode: ThemeMode = ThemeMode.LIGHT) -> None:
        let_threads_take_turns()
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.window = make_window(app, store, folder / "sessions")
        self.keeper = self.window.keeper
        self.keeper.set_mode(mode)
        self._store, self._mode = store, mode
        self.results: list[BuildResult] = []
        self._is_watched = False
        self._first_values: dict[str, Any] = {}

    @property
    def builder(self) -> WindowBuilder:
        """All that is in the window besides its texts; it is made if it is not there yet."""
        builder = self.window.builder
        if not self._is_watched:
            self._is_watched = True
            builder.state.outputs.result_changed.connect(self._on_result)
        return builder

    @property
    def state(self) -> WindowState:
        """What is open, how it is built and what came of it."""
        return self.builder.state

    @property
    def shell(self) -> Shell:
        """What the window offers all features."""
        return self.builder.context.shell

    @property
    def editors(self) -> EditorTabs:
        """The tabs with the texts."""
        return self.builder.context.editors

    @property
    def listings(self) -> dict[CodeKind, OutputPane]:
        """The panes of PTX and SASS."""
        return dict(self.builder.context.listings)

    def pane(self, name: str) -> Any:
        """The pane of this name, such as `report`."""
        return self.shell.layout.pane(name)

    @property
    def files(self) -> FileCommands:
        """What the File menu does."""
        return self.builder.context.files

    @property
    def projects(self) -> ProjectCommands:
        """What it does with projects."""
        return self.builder.context.projects

    def _on_result(self, result: BuildResult | None) -> None:
        if result is not None:
            self.results.append(result)

    def start(self, files: Sequence[Path] = ()) -> None:
        """Show the window as the program does, and wait for what it builds by itself.

        One that was started before begins anew.
        """
        if self._first_values:
            # What is there meanwhile, nobody is to see.
            self.window.setUpdatesEnabled(False)
            try:
                self._begin_anew(files)
            finally:
                self.window.setUpdatesEnabled(True)
            return
        # The offscreen platform has a small screen, to which a window fits itself.
        self.window.resize(1440, 900)
        self.window.show()
        self.window.frame.layout.share_space()
        came: list[bool] = []
        self.window.completed.connect(lambda: came.append(True))
        was_complete = self._is_watched
        self.window.open(files)
        self.wait(lambda: was_complete or came)
        result = self.state.outputs.result
        if result is not None and not self.results:
            self.results.append(result)
        self.settle()
        preferences = self.state.preferences
        self._first_values = {s.key: preferences.value(s.key) for s in SETTINGS}

    def _begin_anew(self, files: Sequence[Path]) -> None:
        """Bring the window back to its first start: files or the sample, by the first settings."""
        settings, notices, layout = self.state.settings, self.shell.notices, self.shell.layout
        self.state.stepping.end()
        self.state.stepping.set_breakpoints({})
        # As `New project` does, without its question.
        self.projects._clear()
        self.state.project.reset()
        closed = self.window.findChild(ClosedTabs)
        while closed:
            closed.take()
        for recent in ("recent_files", "recent_commands"):
            self._store.remove(recent)
        settings.arch, settings.auto_build = build_settings.DEFAULT_ARCH, True
        for key in list(notices._rows):
            notices.withdraw(key)
        for baseline in self.state.baselines.items:
            self.state.baselines.remove(baseline)
        self.keeper.set_mode(self._mode)
        for key, value in self._first_values.items():
            if self.state.preferences.value(key) != value:
                self.state.preferences.set_value(key, value)
        layout.choose(LAYOUTS[0].name)
        layout.reset()
        layout.share_space()
        # A layout has the window painted again in a turn of its own.
        pause(0)
        self.window.setUpdatesEnabled(False)
        self.settle()
        self.results.clear()
        if files:
            self.files.open_paths(files)
            self.settle()
        else:
            self.next_result(lambda: self.files.open_sample(samples()[0]))
        # Another window may have come and gone meanwhile.
        self.window.show()
        self.window.activateWindow()
        if (page := self.editors.page) is not None:
            page.setFocus()

    def close(self) -> None:
        """Close the window as a user does, who may be asked, and end it whatever comes of that."""
        self.window.close()
        self.end()

    def end(self) -> None:
        """End the window with its workers and threads, without a question."""
        try:
            self.window.end()
        finally:
            self.window.hide()
            self.window.deleteLater()
            # The next window begins with its own.
            LETTERS.set_zoom(1.0)
            LETTERS.set_family(CODE_FAMILY)
            pause(0)

    def wait(self, what: Callable[[], object], patience: float = PATIENCE) -> None:
        """Run the event loop until this is so."""
        deadline = time.monotonic() + patience
        while not what():
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {patience} s in vain")
            pause(10)

    def next_result(self, act: Callable[[], object]) -> BuildResult:
        """Do something that makes a build end, and give back its result."""
        seen = len(self.results)
        act()
        self.wait(lambda: len(self.results) > seen)
        self.settle()
        return self.results[-1]

    def settle(self) -> None:
        """Wait until no build runs or is about to."""
        self.wait(lambda: not (self.state.build_controller.is_busy))

    def find(self, kind: type[_Found], name: str) -> _Found:
        """The part of the window with this object name; what it may be in is made."""
        found = self.window.findChild(kind, name)
        if found is None:
            for folder in LATE:
                self.builder.panes.install(folder)
            # A key may have asked for one of them.
            pause(0)
            found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {kind.__name__} called {name}"
        return found

    def trigger(self, action: str) -> None:
        """Choose a command; one whose feature is not there yet is carried out then."""
        actions = self.window.frame.actions
        if action not in actions:
            self.find(QAction, action).trigger()
            return
        waits = self._is_watched and action in actions.unbound and action in COMMANDS
        actions[action].trigger()
        if waits:
            self.builder.panes.install(COMMANDS[action])
            pause(0)

    @property
    def document(self) -> Document:
        """The current document."""
        document = self.state.documents.current
        assert document is not None
        return document

    @property
    def editor(self) -> CodeEditor:
        """The editor of the current tab."""
        page = self.editors.page
        assert page is not None
        assert page.editor is not None
        return page.editor

    def listing(self, name: str) -> ListingView:
        """`ptxView` or `sassView`."""
        return self.find(ListingView, name)

    def open_project(self, path: Path) -> None:
        """File > Open, and wait until it is open."""
        opened: list[bool] = []
        self.state.project.opened.connect(lambda: opened.append(True))
        self.files.open_paths([path])
        self.wait(lambda: opened)

    def open_sample(self, title: str) -> BuildResult:
        """File > Samples > the one whose title begins so."""
        sample = next(sample for sample in samples() if sample.title.startswith(title))
        return self.next_result(lambda: self.files.open_sample(sample))

    def launch_form(self) -> LaunchForm:
        """The form of the launch panel, brought to the front, with the kernels of the build."""
        self.trigger("focusLaunchAction")
        form = self.pane("launch").form
        self.wait(lambda: form.form is not None)
        return form

    def launch(self) -> LaunchResult:
        """Run what the form says, and wait for the result."""
        came: list[LaunchResult] = []
        self.state.launches.finished.connect(came.append)
        self.trigger("runAction")
        self.wait(lambda: came)
        self.state.launches.finished.disconnect(came.append)
        return came[0]

    def type(self, text: str, widget: QWidget | None = None) -> None:
        """Type as on a keyboard."""
        QTest.keyClicks(widget or self.editor, text)

    def press(
        self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Press a key in whatever has the keyboard."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def replace(self, old: str, new: str) -> None:
        """Change one place in the current document, by the editor, as one step of undo."""
        text = self.editor.toPlainText()
        assert text.count(old) >= 1, f"{old!r} is not in the text"
        cursor = self.editor.textCursor()
        cursor.setPosition(text.index(old))
        cursor.setPosition(text.index(old) + len(old), cursor.MoveMode.KeepAnchor)
        cursor.insertText(new)

    def choose_arch(self, arch: str) -> None:
        """Type a target into the field, with Enter."""
        edit = self.find(QComboBox, "archCombo").lineEdit()
        assert edit is not None
        # The widget with the keyboard would take Enter for a key of its own.
        edit.setFocus()
        edit.selectAll()
        QTest.keyClicks(edit, arch)
        QTest.keyClick(edit, Qt.Key.Key_Return)

    def set_options(self, options: str) -> None:
        """Type options instead of those in the field, with Enter."""
        edit = self.find(QLineEdit, "optionsEdit")
        edit.clear()
        self.state.settings.options = ""
        QTest.keyClicks(edit, options)
        QTest.keyClick(edit, Qt.Key.Key_Return)

    def show_output(self, title: str) -> None:
        """Bring the pane with this title to the front."""
        names = {pane.title: pane.name for pane in PANES}
        self.shell.layout.uncover(self.pane(names[title]))
        # The tabs follow when all docks have moved.
        pause(0)

    def grab(self, path: Path, widget: QWidget | None = None) -> None:
        """Save a picture of the window, or of a part of it, settled."""
        pause(300)
        shown = widget or self.window
        assert shown.grab().save(str(path)), f"{path} cannot be written"
