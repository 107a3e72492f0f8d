"""Makes panes: those in front with the window, others when they are first shown or asked for.

Some features without a pane wait as well, for the first of their commands.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from importlib import import_module
from inspect import GEN_RUNNING, getgeneratorstate

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Slot

from jitstudio.gui import features
from jitstudio.gui.context import Context
from jitstudio.gui.kit.fonts import scale_margins
from jitstudio.gui.kit.late_import import LateImport
from jitstudio.gui.kit.parts import text_label
from jitstudio.gui.shell.pane_registry import BY_NAME, EARLY, PANES

# The commands of features that do nothing before, by folder, or by folder and module.
_WITHOUT_PANE = {
    "build.export": (
        "exportAction",
        "copyCommandAction",
        "copyRunCommandAction",
        "copySweepCommandAction",
    ),
    "capture": ("captureAction",),
    "exports": (
        "exportAsAction",
        "openCompilerExplorerAction",
        "copyCompilerExplorerAction",
        "importAction",
        "copyProjectTextAction",
        "openClipboardAction",
    ),
    "variants": ("sweepAction", "matrixAction", "compareLinksAction"),
}
LATE = tuple(
    dict.fromkeys((*filter(None, (p.folder for p in PANES if not p.is_early)), *_WITHOUT_PANE))
)
"""The features that wait, as `module_of` takes them."""
COMMANDS = {command: pane.folder for pane in PANES for command in pane.commands} | {
    command: folder for folder, commands in _WITHOUT_PANE.items() for command in commands
}
"""The feature that each command has installed."""
_MARGIN = 12
_BY_PLACE = {place: pane.name for pane in PANES for place in pane.places}


def module_of(name: str) -> str:
    """Returns the module that installs a feature, by its folder or by folder and module."""
    return f"{features.__name__}.{name if '.' in name else f'{name}.controller'}"


def _panes_of(folder: str) -> list[str]:
    return [pane.name for pane in PANES if pane.folder == folder]


class PaneMaker(QObject):
    """Has the features of panes installed, each once.

    A pane that is seen is imported and made in turns of the event loop that keep no window waiting;
    a pane that is asked for is there at once.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._context: Context | None = None
        # Folders of features; a pane without one has nothing to be made.
        self._installed = {"", *EARLY}
        # Those that are being made, and those that wait behind the first.
        self._steps: dict[str, Generator[None]] = {}
        self._waiting: list[str] = []
        self._loader = LateImport(self)
        self._loader.done.connect(self._on_loaded)
        self._loader.failed.connect(self._on_failed)
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._on_turn)

    def begin(self, context: Context) -> Iterator[None]:
        """Makes the panes in front, in parts; from then on others once they are wanted."""
        self._context = context
        layout = context.shell.layout
        layout.make_panes_by(self.make)
        layout.pane_wanted.connect(self._on_wanted)
        context.shell.actions.handler_wanted.connect(self._on_handler_wanted)
        for name in layout.missing:
            yield from self._parts(BY_NAME[name].folder)

    def make(self, name: str) -> None:
        """Makes a pane now, unless that is done."""
        self.install(BY_NAME[name].folder)

    def install(self, folder: str) -> None:
        """Installs a feature now, unless that is done."""
        for _ in self._parts(folder):
            pass

    def lead(self, place: str) -> None:
        """Makes the pane whose feature leads to a class of places."""
        self.make(_BY_PLACE[place])

    def _parts(self, folder: str) -> Iterator[None]:
        """Goes on with a feature, part by part, wherever that was left."""
        if folder in self._installed:
            return
        steps = self._steps.setdefault(folder, self._installing(folder))
        # A feature may ask for the pane that it makes.
        while getgeneratorstate(steps) != GEN_RUNNING and next(steps, self) is not self:
            yield

    def _installing(self, folder: str) -> Generator[None]:
        context = self._context
        assert context is not None
        names = _panes_of(folder)
        layout = context.shell.layout
        try:
            parts = import_module(module_of(folder)).install(context)
            if parts is not None:
                yield from parts
        except Exception as error:  # the window goes on without the feature
            sys.excepthook(type(error), error, error.__traceback__)
            words = QCoreApplication.translate(
                "PaneMaker",
                "This pane is missing, by an error of jitstudio's own: {problem}. Start jitstudio "
                "again. If the pane is missing again, report the text in the terminal.",
            )
            self._say_why(folder, words.format(problem=f"{type(error).__name__}: {error}"))
        self._installed.add(folder)
        for name in names:
            # As those that come with the window, at the end of its making.
            scale_margins(layout.place(name))
        if names:
            layout.hand_on(names)
        context.shell.actions.catch_up()

    def _say_why(self, folder: str, words: str) -> None:
        """Says in the panes of a feature that are not made why they are not."""
        assert self._context is not None
        layout = self._context.shell.layout
        for name in _panes_of(folder):
            if name not in layout.panes:
                label = text_label(layout.place(name), "missingPane")
                label.setMargin(_MARGIN)
                label.setAlignment(Qt.AlignmentFlag.AlignTop)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
                label.setText(words)
                layout.fill(name, label)

    @Slot(str)
    def _on_wanted(self, name: str) -> None:
        self._want(BY_NAME[name].folder)

    def _want(self, folder: str) -> None:
        if folder not in self._installed and folder not in self._waiting:
            self._waiting.append(folder)
            if self._waiting == [folder]:
                self._load()

    @Slot(str)
    def _on_handler_wanted(self, command: str) -> None:
        if command in COMMANDS:
            self._want(COMMANDS[command])

    def _load(self) -> None:
        if self._waiting:
            self._loader.start(lambda: None, [module_of(self._waiting[0])])

    def _go_on(self) -> None:
        """Goes on with the next feature that waits."""
        self._waiting.pop(0)
        self._load()
        if not self._waiting:
            assert self._context is not None
            self._context.shell.layout.panes_made.emit()

    @Slot()
    def _on_loaded(self) -> None:
        self._turns.start()

    @Slot()
    def _on_turn(self) -> None:
        folder = self._waiting[0]
        steps = self._parts(folder)
        if next(steps, self) is self:
            self._turns.stop()
            self._go_on()

    @Slot(str)
    def _on_failed(self, problem: str) -> None:
        message = QCoreApplication.translate(
            "PaneMaker",
            "A part of jitstudio cannot be loaded: {problem}. Install jitstudio again, then start "
            "it again.",
        )
        assert self._context is not None
        words, folder = message.format(problem=problem), self._waiting[0]
        self._context.shell.notices.show_message(words)
        self._say_why(folder, words)
        self._installed.add(folder)
        self._go_on()
