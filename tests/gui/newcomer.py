"""Somebody who has never seen the program, and has a keyboard but no mouse."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QStatusBar,
    QWidget,
)

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.features.pipeline.view import PipelineCanvas, PipelineView
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.window.main_window import MainWindow
from jitstudio.help.samples import samples
from tests.gui.driver import pause
from tests.gui.keyboards import Keyboard

_PATIENCE = 60.0
_MOST_TABS = 60
_MOST_TYPED = 2000
_Widget = TypeVar("_Widget", bound=QWidget)

SAMPLE = "SAXPY template"
TWO_MODULES = "Link by PTX or LTO: apply_transform + user_transform"
TARGET = Arch(120)
MENDED = "// mended by keyboard"


class Newcomer:
    """Does with keys all that a first day brings, and looks at what the window shows.

    Args:
        window: Shown, with its first sample in it.
        keyboard: All that touches it.
    """

    def __init__(self, window: MainWindow, keyboard: Keyboard) -> None:
        self._window = window
        self._keyboard = keyboard
        self._builder = window.builder
        self._state = window.builder.state

    def spend_a_day(self, project: Path) -> None:
        """From the first sample to a saved project of two linked modules."""
        self.begin()
        self.open_a_sample()
        self.break_it()
        self.find_the_error()
        self.mend_it()
        self.change_the_target()
        self.open_two_modules()
        self.link_them_otherwise()
        self.look_at_the_results()
        self.save(project)
        self.open_it_again(project)

    def begin(self) -> None:
        """The keyboard is in the text from the start."""
        self._wait("the first sample is built", lambda: self._is_built("vector_add.cu"))
        self._in(CodeEditor)

    def open_a_sample(self) -> None:
        """Help > Welcome, and Tab to the card of a sample."""
        self._menu("Alt+H", "W")
        self._in(QWidget, "welcomePage")
        self._wait("there are cards", lambda: self._window.findChildren(QWidget, "sampleCard"))
        self._tab_to(lambda widget: isinstance(widget, QAbstractButton) and widget.text() == SAMPLE)
        self._keyboard.press("Return")
        self._wait("the sample is built", lambda: self._is_built("saxpy.cu"))
        self._in(CodeEditor)

    def break_it(self) -> None:
        """Type what no compiler takes."""
        self._keyboard.press("Ctrl+End")
        self._keyboard.type("__global__ void broken( { }")
        self._wait("the build fails", lambda: not self._result.ok)

    def find_the_error(self) -> None:
        """F8 goes to its line, and the status bar tells what is wrong there."""
        broken = self._in(CodeEditor).position()
        self._keyboard.press("Ctrl+Home")
        self._wait("the cursor leaves", lambda: self._in(CodeEditor).position() == (1, 1))
        self._keyboard.press("F8")
        self._wait("F8 comes there", lambda: self._in(CodeEditor).position()[0] == broken[0])
        message = self._result.diagnostics[0].message
        bar = self._find(QStatusBar, "statusBar")
        self._wait("the message is told", lambda: message in bar.currentMessage())

    def mend_it(self) -> None:
        """Take it all back, and write a remark instead."""
        for _ in range(_MOST_TABS):
            if not self._in(CodeEditor).document().isUndoAvailable():
                break
            self._keyboard.press("Ctrl+Z")
            pause(20)
        self._keyboard.press("Ctrl+End")
        self._keyboard.type(MENDED)
        self._wait("it is whole", lambda: self._is_built("saxpy.cu"))

    def change_the_target(self) -> None:
        """Alt+T leads to the field, which takes what is typed instead of what was there."""
        self._keyboard.press("Alt+T")
        self._in(QWidget, "archCombo")
        self._keyboard.type(TARGET.sm)
        self._keyboard.press("Return")
        self._wait("it is built anew", lambda: self._is_built("saxpy.cu", TARGET))
        self._keyboard.type("sm_")
        self._keyboard.press("Esc")
        self._in(CodeEditor)
        assert self._find(QComboBox, "archCombo").currentText() == TARGET.sm

    def open_two_modules(self) -> None:
        """File > Samples, and down to the right one."""
        # From anywhere: what is opened has the keyboard afterwards.
        self._keyboard.press("Ctrl+8")
        self._in(QWidget, "logView")
        self._menu("Alt+F", "M")
        place = next(n for n, sample in enumerate(samples()) if sample.title == TWO_MODULES)
        for _ in range(place):
            self._keyboard.press("Down")
        self._wait("it is chosen", lambda: _chosen() == TWO_MODULES)
        self._keyboard.press("Return")
        self._wait("both are linked", lambda: self._is_linked(LinkMode.LTO))
        self._in(CodeEditor)

    def link_them_otherwise(self) -> None:
        """In the Link pane, up to the other choice; then to what has come of it."""
        self._keyboard.press("Ctrl+6")
        self._in(QAbstractButton, f"linkMode-{LinkMode.LTO.value}")
        self._keyboard.press("Up")
        self._wait("both are linked anew", lambda: self._is_linked(LinkMode.PTX))
        self._tab_to(lambda widget: widget.objectName() == "showLinkedSass")
        self._keyboard.press("Space")
        self._in(ListingView, "sassView")

    def look_at_the_results(self) -> None:
        """Each pane by its key, the text of a pane by the caret, and back to the editor."""
        for keys, name, word in (
            ("Ctrl+2", "ptxView", ".visible .entry"),
            ("Ctrl+3", "sassView", "EXIT"),
        ):
            self._keyboard.press(keys)
            view = self._in(ListingView, name)
            self._wait(f"{name} shows the module", lambda v=view, w=word: w in v.toPlainText())
            self._keyboard.press("Ctrl+F")
            self._in(QLineEdit)
            self._keyboard.type(word)
            self._keyboard.press("Return")
            self._keyboard.press("Esc")
            self._in(ListingView, name)
        self._keyboard.press("Ctrl+Alt+P")
        if self._in(PipelineView).is_folded:
            # It is in a small window.
            self._keyboard.press("Space")
        canvas = self._in(PipelineCanvas)
        self._keyboard.press("Home")
        self._wait("a node is chosen", lambda: canvas.current is not None)
        self._keyboard.press("Return")
        self._in(CodeEditor)
        self._command("go to problems")
        self._in(QWidget, "problemsView")
        self._keyboard.press("Ctrl+1")
        self._in(CodeEditor)

    def save(self, project: Path) -> None:
        """The project, under a name that the dialog is told."""
        Dialogs.project_to_save = lambda _self, _proposed: project
        self._keyboard.press("Ctrl+Alt+S")
        self._wait("it is saved", lambda: project.name in self._window.windowTitle())
        assert project.is_file()
        self._in(CodeEditor)

    def open_it_again(self, project: Path) -> None:
        """Close all, which leads back to the welcome page, and choose it from the recent ones."""
        self._command("close project")
        self._in(QWidget, "welcomePage")
        self._menu("Alt+F", "N", "Return")
        self._wait("it is open", lambda: project.name in self._window.windowTitle())
        self._in(CodeEditor)
        self._keyboard.press("Ctrl+B")
        self._wait("both are linked again", lambda: self._is_linked(LinkMode.PTX))

    def typing(self) -> Iterator[int]:
        """Type on and on; how much, each time that a little more was typed."""
        self._keyboard.press("Ctrl+End")
        before = self._in(CodeEditor).toPlainText()
        self._keyboard.press("Return")
        self._keyboard.type("//")
        for count in range(1, _MOST_TYPED):
            self._keyboard.type("x")
            whole = f"{before}\n//{'x' * count}"
            self._wait("it stands there", lambda w=whole: self._in(CodeEditor).toPlainText() == w)
            yield count

    def come_back(self, project: Path, typed: int) -> None:
        """All is as it was when the program was killed, and work goes on."""
        editor = self._in(CodeEditor)
        notices = self._builder.context.shell.notices
        self._wait("it says so", lambda: "ended unexpectedly" in notices.text)
        assert f"{project.name}*" in self._window.windowTitle()
        names = [document.name for document in self._state.documents]
        assert names[-2:] == ["apply_transform.cu", "user_transform.cu"]
        assert any(MENDED in document.held.text for document in self._state.documents)
        assert self._state.settings.link is LinkMode.PTX
        assert self._state.settings.arch == TARGET
        assert "x" * typed in editor.toPlainText()
        assert editor.position()[0] == editor.blockCount()
        self._keyboard.press("Ctrl+B")
        self._wait("both are linked again", lambda: self._is_linked(LinkMode.PTX))
        self._keyboard.press("Ctrl+Alt+S")
        self._wait("it is saved", lambda: f"{project.name} - " in self._window.windowTitle())
        assert "x" * typed in project.read_text()

    def leave(self) -> None:
        """Ctrl+Q."""
        self._keyboard.press("Ctrl+Q")

    @property
    def _result(self) -> BuildResult:
        result = self._state.outputs.result
        assert result is not None
        return result

    def _is_built(self, name: str, arch: Arch | None = None) -> bool:
        """Whether this is what is looked at, and all is well with its newest text."""
        module, result = self._state.build_controller.module, self._state.outputs.result
        return (
            module is not None
            and module.name == name
            and result is not None
            and result.ok
            and arch in (None, result.arch)
            and not self._state.build_controller.is_busy
        )

    def _is_linked(self, mode: LinkMode) -> bool:
        settings, build_controller = self._state.settings, self._state.build_controller
        result = self._state.outputs.result
        return (
            settings.link is mode
            and not build_controller.is_busy
            and result is not None
            and result.ok
            and any(artifact.name == LINKED for artifact in result.artifacts)
        )

    def _menu(self, *keys: str) -> None:
        for key in keys:
            before = QApplication.activePopupWidget()
            self._keyboard.press(key)
            if key != keys[-1]:
                self._wait(f"{key} opens a menu", lambda b=before: _has_opened(b))

    def _command(self, words: str) -> None:
        """By the command palette."""
        self._keyboard.press("Ctrl+Shift+P")
        self._in(QLineEdit, "commandPaletteField")
        self._keyboard.type(words)
        self._keyboard.press("Return")

    def _tab_to(self, is_it: Callable[[QWidget], bool]) -> None:
        """Press Tab until the keyboard is there."""
        for _ in range(_MOST_TABS):
            focus = QApplication.focusWidget()
            if focus is not None and is_it(focus):
                return
            self._keyboard.press("Tab")
            self._wait("Tab leads on", lambda f=focus: QApplication.focusWidget() is not f)
        raise AssertionError("Tab does not lead there")

    def _in(self, kind: type[_Widget], name: str = "") -> _Widget:
        """The widget of this kind and name that has the keyboard, or holds what has it."""
        found: list[_Widget] = []

        def look() -> bool:
            widget = QApplication.focusWidget()
            while widget is not None and not found:
                if isinstance(widget, kind) and name in ("", widget.objectName()):
                    found.append(widget)
                widget = widget.parentWidget()
            return bool(found)

        self._wait(f"the keyboard is in {name or kind.__name__}", look)
        return found[0]

    def _find(self, kind: type[_Widget], name: str) -> _Widget:
        found = self._window.findChild(kind, name)
        assert found is not None, name
        return found

    def _wait(self, what: str, is_so: Callable[[], object]) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not is_so():
            assert time.monotonic() < deadline, f"never so: {what}; {_situation()}"
            pause(20)


def _has_opened(before: QWidget | None) -> bool:
    popup = QApplication.activePopupWidget()
    return popup is not None and popup is not before


def _chosen() -> str:
    popup = QApplication.activePopupWidget()
    action = popup.activeAction() if isinstance(popup, QMenu) else None
    return action.text() if action is not None else ""


def _situation() -> str:
    focus, window = QApplication.focusWidget(), QGuiApplication.focusWindow()
    path = []
    while focus is not None:
        path.append(focus.objectName() or type(focus).__name__)
        focus = focus.parentWidget()
    return f"window {window}, keyboard in {' < '.join(path) or 'nothing'}"
