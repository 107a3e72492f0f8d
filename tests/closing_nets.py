"""Closes windows in the midst of what they do: the part of `tests/nets.py` that finds late answers.

A window that goes while something is under way must not hear of it any more. Each round opens one,
begins some things of a seeded choice, closes it a moment later, and records what Python or Qt had
to complain of: nothing.
"""

from __future__ import annotations

import random
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import (
    QCoreApplication,
    QEventLoop,
    QMessageLogContext,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QMessageBox,
)
from shiboken6 import delete

from jitstudio.gui.shell.docking.dock import PaneDock
from jitstudio.gui.window.application import GarbageCollector, make_application
from jitstudio.help.samples import samples
from tests.gui.driver import Driver, pause

_ROUNDS = 300
_LATEST_MS = 600
_MOST_STEPS = 4
# What the offscreen platform says of itself.
_HARMLESS = "This plugin does not support"
# These lead out of the program, or end it before its time.
_LEFT_OUT = {"quitAction", "openCompilerExplorerAction", "reportBugAction"}


def record(folder: Path) -> Iterator[tuple[str, str]]:
    """Close windows in this folder; yields the name of each round and what was wrong with it."""
    app = make_application()
    keeper = GarbageCollector(app)
    for seed in range(_ROUNDS):
        yield f"round-{seed}", close_in_the_midst(app, folder / str(seed), seed)
    # The offscreen platform frees what was copied after the interpreter has ended: a crash.
    app.clipboard().clear()
    delete(keeper)


def close_in_the_midst(app: QApplication, folder: Path, seed: int) -> str:
    """Close a window after what this seed has it do; returns the complaints, a line each."""
    folder.mkdir()
    chance = random.Random(seed)
    did: list[str] = []
    with complaints() as heard, _no_questions():
        driver = Driver(app, folder)
        if chance.random() < 0.15:
            # Before all of it is there.
            driver.window.resize(1440, 900)
            driver.window.show()
            driver.window.open([])
        else:
            driver.start()
            for _ in range(chance.randrange(1, _MOST_STEPS)):
                _step(driver, chance, did)
        _wait(chance.choice((0, 0, chance.randrange(50), chance.randrange(_LATEST_MS))))
        _close(driver, chance)
    return "\n".join((" ".join(did), *heard)) if heard else ""


def _close(driver: Driver, chance: random.Random) -> None:
    driver.window.close()
    _wait(chance.choice((-1, 0, chance.randrange(30))))
    if chance.random() < 0.5:
        driver.window.deleteLater()
    else:
        delete(driver.window)
    pause(chance.randrange(100))


def _wait(milliseconds: int) -> None:
    """Run the event loop for so long; what is to happen at once may be left over."""
    if milliseconds > 0:
        loop = QEventLoop()
        QTimer.singleShot(milliseconds, loop.quit)
        loop.exec()
    elif not milliseconds:
        QCoreApplication.processEvents()


def _step(driver: Driver, chance: random.Random, did: list[str]) -> None:
    """Begin something, and wait for none of it or a little."""
    steps: Sequence[Callable[[Driver, random.Random], str]] = (
        *([_command] * 5),
        *([_pane] * 3),
        _type,
        _sample,
        _launch,
        _step_through,
        _search,
        _library,
        _close_tab,
        _close_tab,
        _capture,
        _lesson,
        _sweep,
    )
    did.append("?")
    did[-1] = chance.choice(steps)(driver, chance)
    _wait(chance.choice((-1, 0, 0, chance.randrange(200))))


def _command(driver: Driver, chance: random.Random) -> str:
    actions = [one for one in driver.window.findChildren(QAction) if one.objectName()]
    able = [one for one in actions if one.isEnabled() and one.objectName() not in _LEFT_OUT]
    action = chance.choice(sorted(able, key=QAction.objectName))
    name = action.objectName()
    action.trigger()
    return name


@contextmanager
def _no_questions() -> Iterator[None]:
    timer = QTimer(interval=20)
    timer.timeout.connect(_end_modal)
    timer.start()
    yield
    timer.stop()


def _end_modal() -> None:
    """End a dialog that has the event loop until it is closed; one for unsaved text discards it."""
    modal = QApplication.activeModalWidget()
    if isinstance(modal, QMessageBox):
        modal.done(QMessageBox.StandardButton.Discard)
    elif modal is not None:
        modal.close()


def _pane(driver: Driver, chance: random.Random) -> str:
    docks = sorted(driver.window.findChildren(PaneDock), key=PaneDock.objectName)
    dock = chance.choice(docks)
    driver.shell.layout.bring_up(dock.content)
    return dock.objectName()


def _type(driver: Driver, chance: random.Random) -> str:
    editor = driver.editors.page.editor if driver.editors.page is not None else None
    if editor is not None:
        editor.insertPlainText(chance.choice(("x", "// so\n", "__global__ void f() {}\n", "thr")))
    return "type"


def _sample(driver: Driver, chance: random.Random) -> str:
    sample = chance.choice(samples())
    driver.files.open_sample(sample)
    return f"sample:{sample.title}"


def _launch(driver: Driver, _chance: random.Random) -> str:
    driver.trigger("focusLaunchAction")
    driver.trigger("runAction")
    return "launch"


def _step_through(driver: Driver, chance: random.Random) -> str:
    driver.state.stepping.begin()
    if chance.random() < 0.5:
        pause(100)
        driver.state.stepping.record()
    return "step"


def _search(driver: Driver, chance: random.Random) -> str:
    driver.trigger("findInAllAction")
    field = QApplication.focusWidget()
    if isinstance(field, QLineEdit):
        field.insert(chance.choice(("a", "add", "thread")))
    return "search"


def _library(driver: Driver, _chance: random.Random) -> str:
    driver.files.open_paths([Path(sys.prefix)])
    return "library"


def _close_tab(driver: Driver, _chance: random.Random) -> str:
    driver.find(QAction, "closeTabAction").trigger()
    return "close-tab"


def _capture(driver: Driver, _chance: random.Random) -> str:
    driver.trigger("captureAction")
    dialog = driver.find(QDialog, "captureDialog")
    driver.find(QLineEdit, "captureProgram").setText(f"{sys.executable} -c pass")
    dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok).click()
    return "capture"


def _sweep(driver: Driver, _chance: random.Random) -> str:
    driver.trigger("matrixAction")
    driver.find(QAbstractButton, "variantsRun").click()
    return "sweep"


def _lesson(driver: Driver, _chance: random.Random) -> str:
    driver.trigger("lessonsAction")
    driver.pane("lessons").open_wanted.emit(0)
    _wait(300)
    driver.pane("lessons").check_wanted.emit()
    return "lesson"


@contextmanager
def complaints() -> Iterator[list[str]]:
    """Collects what is raised where nobody catches it, and what Qt warns of."""
    heard: list[str] = []

    def raised(kind, error, trace, *_more) -> None:
        heard.append("".join(traceback.format_exception(kind, error, trace)))

    def unraisable(told) -> None:
        raised(told.exc_type, told.exc_value, told.exc_traceback)
        heard.append(f"in {told.object!r}: {told.err_msg}")

    def thread(told) -> None:
        raised(told.exc_type, told.exc_value, told.exc_traceback)

    def warned(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if kind != QtMsgType.QtDebugMsg and not text.startswith(_HARMLESS):
            heard.append(f"Qt: {text}")
        if kind == QtMsgType.QtFatalMsg:
            sys.__stderr__.write(f"{text}\n")

    before = sys.excepthook, sys.unraisablehook, threading.excepthook
    sys.excepthook, sys.unraisablehook, threading.excepthook = raised, unraisable, thread
    handler = qInstallMessageHandler(warned)
    try:
        yield heard
    finally:
        qInstallMessageHandler(handler)
        sys.excepthook, sys.unraisablehook, threading.excepthook = before
