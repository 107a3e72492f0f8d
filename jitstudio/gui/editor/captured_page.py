"""The tab of a captured kernel: source and intermediate representations, read-only.

Its PTX and machine code are in the panes of every build.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QToolButton, QVBoxLayout, QWidget

from jitstudio.core.captured import CapturedError, CapturedKernel, KernelLanguage, unpack
from jitstudio.core.code import CodeKind
from jitstudio.gui.code.code_view import CodeView
from jitstudio.gui.code.languages import CodeLexer, stage_lexer
from jitstudio.gui.editor.source_page import SourcePage
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.fonts import scaled
from jitstudio.gui.kit.parts import Banner, TurningSplitter, explain_by, icon_button
from jitstudio.gui.kit.presentation import plain_tooltip
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.gui.state.documents import Document
from jitstudio.listing.lines import shown_lines
from jitstudio.listing.sass import TextExtent

# What the panes of a build show, and what nothing can show.
_ELSEWHERE = (KernelLanguage.PTX, KernelLanguage.CUBIN)
_WIDE = 0.9
# Two lines of IR that can be read, in pixels.
_LEAST_WIDTH = 900
# From here on all representations and the words of the buttons have room, in pixels.
_ROOMY_WIDTH = 620


@dataclass(frozen=True)
class StageText:
    """A representation in shown form.

    Attributes:
        language: The language; None for the details of the kernel.
        lines: Its text.
        extent: How much room that takes.
        start: The line where the kernel begins, from 0.
        first_number: The number of its first line.
        file: The name of the file in line tables; empty where none names the file.
    """

    language: KernelLanguage | None
    lines: list[str]
    extent: TextExtent
    start: int = 0
    first_number: int = 1
    file: str = ""

    @property
    def title(self) -> str:
        """The name to show."""
        if self.language is None:
            return QCoreApplication.translate("CapturedPage", "Details")
        return self.language.title

    @property
    def lexer(self) -> CodeLexer | None:
        """Finds the tokens."""
        return stage_lexer(self.language) if self.language is not None else None

    @property
    def folds_as(self) -> CodeKind | None:
        """The language whose folding applies; None where no braces surround blocks."""
        if self.language in (None, KernelLanguage.PYTHON):
            return None
        is_llvm = self.language is KernelLanguage.LLVM_IR
        return CodeKind.LLVM_IR if is_llvm else CodeKind.CUDA


@dataclass(frozen=True)
class CapturedTexts:
    """A captured kernel in shown form.

    Attributes:
        kernel: The kernel.
        target: The target architecture of the code; empty where unknown.
        stages: Its texts.
    """

    kernel: CapturedKernel
    target: str
    stages: tuple[StageText, ...]


class StageView(QWidget):
    """Shows a representation of a kernel, below a bar to choose from.

    Attributes:
        bar: The representations.
        row: The bar, and buttons next to it.
        view: The text.

    Signals:
        stage_changed: Another representation is shown.
        entered: It has got the keyboard.
    """

    stage_changed = Signal()
    entered = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self.view = ListingView()
        self.view.setAccessibleName(self.tr("Content of {name}").format(name=name))
        self.bar = QTabBar(drawBase=False, expanding=False)
        self.bar.setObjectName("stageBar")
        self.bar.setAccessibleName(self.tr("Representations of the kernel"))
        self.bar.setUsesScrollButtons(True)
        self.bar.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.bar.currentChanged.connect(self._on_chosen)
        for part in (self.bar, self.view):
            part.installEventFilter(self)
        self.row = QWidget()
        self._buttons = QHBoxLayout(self.row)
        self._buttons.setContentsMargins(0, 0, 4, 0)
        self._buttons.addWidget(self.bar, 1)
        self._last: QWidget = self.bar
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.row)
        column.addWidget(self.view, 1)
        self.setFocusProxy(self.view)
        self._stages: tuple[StageText, ...] = ()
        self._shown: StageText | None = None
        self._wanted_line = 0
        # Where the caret was in each representation.
        self._lines: dict[KernelLanguage | None, int] = {}

    @property
    def stage(self) -> KernelLanguage | None:
        """The shown representation; None before the first, and for the details."""
        return self._shown.language if self._shown is not None else None

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Sends `entered`."""
        if event.type() is QEvent.Type.FocusIn:
            self.entered.emit()
        return False

    def add_button(self, button: QToolButton) -> None:
        """Puts a button at the end of the row."""
        self._buttons.addWidget(button)
        QWidget.setTabOrder(self._last, button)
        self._last = button

    def show_stages(self, stages: Sequence[StageText], first: int = 0) -> None:
        """Shows `stages`, first the representation shown before, or else number `first`."""
        before, self._stages, self._shown = self._shown, tuple(stages), None
        self.bar.blockSignals(True)  # one text is shown below, not one for each that is added
        while self.bar.count():
            self.bar.removeTab(0)
        for at, text in enumerate(stages):
            self.bar.addTab(text.title)
            if text.file:
                self.bar.setTabToolTip(at, plain_tooltip(text.file))
        alike = (before is not None and text.language is before.language for text in stages)
        self.bar.setCurrentIndex(next((at for at, same in enumerate(alike) if same), first))
        self.bar.blockSignals(False)
        self._on_chosen(self.bar.currentIndex())

    @property
    def stage_name(self) -> str:
        """The same as a word for the next start; empty for none and for the details."""
        stage = self.stage
        return stage.value if stage is not None else ""

    def show_stage(self, stage: KernelLanguage) -> None:
        """Shows another representation, if there is that."""
        for at, text in enumerate(self._stages):
            if text.language is stage:
                self.bar.setCurrentIndex(at)

    def go_to(self, line: int) -> None:
        """Brings a line of the shown text into view, counted from the first."""
        self._wanted_line = line
        self.view.setFocus()
        if line:
            self.view.go_to(line)

    @Slot(int)
    def _on_chosen(self, index: int) -> None:
        if not 0 <= index < len(self._stages):
            return
        if self._shown is not None:
            self._lines[self._shown.language] = self.view.line
        self._shown = text = self._stages[index]
        self.view.set_lines(
            text.lines,
            text.lexer,
            text.folds_as,
            extent=text.extent,
            first_number=text.first_number,
        )
        line = self._wanted_line or self._lines.get(text.language, 0)
        self._wanted_line = 0
        if line:
            self.view.go_to(line)
        elif text.start:
            self.view.come_up(text.start, text.start)
        self.stage_changed.emit()


class CapturedPage(SourcePage):
    """Shows a captured kernel: a single representation, or two next to each other.

    Attributes:
        banner: Says whose it is.
        copy_button: Opens a copy of the PTX to be edited.
        beside_button: Shows a second representation.
    """

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        self._halves = (StageView(document.name), StageView(document.name))
        self._half = first = self._halves[0]
        self._splitter = TurningSplitter(*self._halves, (1, 1), _WIDE)
        super().__init__(document, self._splitter, parent)
        explain_by(self, "captured")
        self._texts: CapturedTexts | None = None
        self.banner = Banner(self)
        self.copy_button = icon_button(
            first.row,
            self.tr("Edit PTX"),
            self.tr("Open a copy of the PTX to be edited"),
            "ptx",
            command="editPtxAction",
        )
        self.copy_button.setObjectName("editPtxButton")
        self.copy_button.hide()
        self._can_copy = False
        self.beside_button = icon_button(
            first.row,
            self.tr("Side by side"),
            self.tr("Show two representations next to each other"),
            "beside",
            command="besideAction",
        )
        self.beside_button.setObjectName("besideButton")
        self.beside_button.setCheckable(True)
        self.beside_button.toggled.connect(self._on_beside)
        for button in (self.beside_button, self.copy_button):
            first.add_button(button)
        self.column.insertWidget(0, self.banner)
        for half in self._halves:
            half.stage_changed.connect(self._on_stage_changed)
            half.view.line_changed.connect(self.line_changed)
            half.entered.connect(partial(self._work_in, half))
        self._reader = Background(self)
        self._reader.done.connect(self._on_read)
        self._reader.failed.connect(self._on_failed)
        document.reloaded.connect(self._on_reloaded)
        self._on_beside(False)
        self._on_reloaded()

    @property
    def bar(self) -> QTabBar:
        """The representations to choose from."""
        return self._half.bar

    @property
    def view(self) -> ListingView:
        """The text of the representation that the user works in."""
        return self._half.view

    @property
    def code_view(self) -> ListingView:
        """The text of the representation that the user works in."""
        return self._half.view

    @property
    def stage(self) -> KernelLanguage | None:
        """The representation that the user works in; None before the first, and for the details."""
        return self._half.stage

    @property
    def shown(self) -> Sequence[tuple[CodeView, KernelLanguage | None]]:
        """Both texts; a hidden text is of no representation."""
        return [(x.view, x.stage if not x.isHidden() else None) for x in self._halves]

    @property
    def line(self) -> int:
        """The line of the caret."""
        return self.view.line

    @property
    def kernel(self) -> CapturedKernel | None:
        """The kernel; None until read, and where that has failed."""
        return self._texts.kernel if self._texts is not None else None

    def show_stage(self, stage: KernelLanguage) -> None:
        """Shows another representation of the kernel in the text that the user works in."""
        self._half.show_stage(stage)

    def show_beside(self) -> bool:
        """Shows a second representation, or hides the second; returns whether that is possible."""
        self.beside_button.toggle()
        return self.kernel is not None

    def offer(self, edit_copy: QAction) -> None:
        """Shows a button for the command that opens a copy of the PTX to be edited."""
        self.copy_button.clicked.connect(edit_copy.trigger)
        self._can_copy = True
        self._follow_kernel()

    def go_to(self, line: int, column: int) -> None:
        """Brings a line of the text that the user works in into view, counted from the first."""
        self._half.go_to(line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts two texts below each other where they would be narrow."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._splitter.fit(self.size(), scaled(_LEAST_WIDTH))
        are_next = self._splitter.orientation() is Qt.Orientation.Horizontal
        parts = 2 if are_next and self.beside_button.isChecked() else 1
        is_narrow = self.width() // parts < scaled(_ROOMY_WIDTH)
        style = Qt.ToolButtonStyle
        for button in (self.beside_button, self.copy_button):
            button.setToolButtonStyle(
                style.ToolButtonIconOnly if is_narrow else style.ToolButtonTextBesideIcon
            )

    def _work_in(self, half: StageView) -> None:
        """Lets commands be about `half` from now on."""
        if half is not self._half:
            self._half = half
            self.setFocusProxy(half)
            self.aim_find_bar()
            self.line_changed.emit()

    @Slot(bool)
    def _on_beside(self, on: bool) -> None:
        first, second = self._halves
        had_keyboard = self._half is second and not on
        second.setVisible(on)
        # The second one has its width before it shows a line.
        self._fit()
        if on:
            if self._texts is not None and second.stage is None:
                stages = self._texts.stages
                second.show_stages(stages, _first_of(stages, self.document.stages, 1))
            self._on_stage_changed()
        elif had_keyboard:
            first.setFocus()
            self._work_in(first)
        if not on:
            self._note_stages()

    def _note_stages(self) -> None:
        """Has the next start show the same."""
        if self._texts is not None:
            shown = (half.stage_name for half in self._halves if not half.isHidden())
            self.document.stages = tuple(shown)

    @Slot()
    def _on_stage_changed(self) -> None:
        self._note_stages()
        self.stage_changed.emit()

    def _follow_kernel(self) -> None:
        kernel = self.kernel
        has_ptx = kernel is not None and kernel.representation(KernelLanguage.PTX) is not None
        self.copy_button.setVisible(has_ptx and self._can_copy)
        for half in self._halves:
            half.row.setVisible(kernel is not None)

    @Slot()
    def _on_reloaded(self) -> None:
        self._texts = None
        self._follow_kernel()
        self.banner.say("")
        for half in self._halves:
            half.view.clear(self.tr("Reading…"))
        # Once the tab is painted.
        read = partial(_read, self.document.content)
        QTimer.singleShot(0, self, partial(self._reader.start, read))

    @Slot(object)
    def _on_read(self, texts: CapturedTexts | str) -> None:
        if isinstance(texts, str):
            self._on_failed(texts)
            return
        self._texts = texts
        self.banner.say(_whose(texts))
        self._follow_kernel()
        languages = self.document.stages
        if len(languages) == len(self._halves):
            self.beside_button.setChecked(True)
        for at, half in enumerate(self._halves):
            if not half.isHidden():
                half.show_stages(texts.stages, _first_of(texts.stages, languages, at))

    @Slot(str)
    def _on_failed(self, why: str) -> None:
        message = self.tr("'{name}' cannot be read: {why}. Capture the kernel again.")
        text = message.format(name=self.document.name, why=why)
        self.banner.say("")
        for half in self._halves:
            half.view.clear(text)


def _first_of(stages: Sequence[StageText], languages: Sequence[str], half: int) -> int:
    """Returns the representation that a half shows first: that of the last start, or the next."""
    names = [text.language.value if text.language is not None else "" for text in stages]
    if half < len(languages) and languages[half] in names:
        return names.index(languages[half])
    return min(half, len(names) - 1)


def _whose(texts: CapturedTexts) -> str:
    """Returns the banner's words about a kernel."""
    kernel = texts.kernel
    if kernel.representation(KernelLanguage.PTX) is None:
        message = QCoreApplication.translate(
            "CapturedPage", "{kernel}, made by {origin} for {target}. It cannot be edited here."
        )
    else:
        message = QCoreApplication.translate(
            "CapturedPage",
            "{kernel}, made by {origin} for {target}. To change it, edit a copy of the PTX.",
        )
    unknown = QCoreApplication.translate("CapturedPage", "an unknown target")
    return message.format(kernel=kernel.name, origin=kernel.origin, target=texts.target or unknown)


def _read(content: bytes, _stop: Event) -> CapturedTexts | str:
    """Returns the texts of a captured kernel, or why there are none."""
    try:
        kernel = unpack(content)
    except CapturedError as error:
        return str(error)
    shown = [x for x in kernel.representations if x.language not in _ELSEWHERE]
    target = kernel.target
    name = target.sm if target is not None else ""
    stages: list[StageText] = []
    for representation in shown:
        if representation.language.is_text:
            lines = shown_lines(representation.text)
            first = representation.first_line if representation.language.is_source else 1
            start = _kernel_start(kernel.name, lines)
            extent = TextExtent.of(lines, None)
            stages.append(
                StageText(representation.language, lines, extent, start, first, representation.file)
            )
    details = _details(kernel, name)
    stages.append(StageText(None, details, TextExtent.of(details, None)))
    return CapturedTexts(kernel, name, tuple(stages))


_DEFINES = re.compile(r'^\s*+(?:def|define|tt\.func|func\.func|(?:extern "C" )?__global__)\b')


def _kernel_start(name: str, lines: list[str]) -> int:
    """Returns the line where a kernel is defined, from 0, or 0 where none can be told."""
    word = re.compile(rf"(?<!\w){re.escape(name.partition('<')[0])}(?!\w)")
    lines_of_definition = (
        at for at, line in enumerate(lines) if name and _DEFINES.match(line) and word.search(line)
    )
    return next(lines_of_definition, 0)


def _details(kernel: CapturedKernel, target: str) -> list[str]:
    """Returns the facts about a kernel, a line for each."""
    rows = list(_facts(kernel, target))
    width = max(len(name) for name, _ in rows)
    return [f"{name.ljust(width)}  {value}" for name, value in rows]


def _facts(kernel: CapturedKernel, target: str) -> Iterator[tuple[str, str]]:
    translate = QCoreApplication.translate
    yield translate("CapturedPage", "kernel"), kernel.name
    yield translate("CapturedPage", "made by"), kernel.origin
    if target:
        yield translate("CapturedPage", "target"), target
    for representation in kernel.representations:
        size = translate("CapturedPage", "{count:,} bytes").format(
            count=len(representation.content)
        )
        yield representation.language.title, f"{size}  {representation.file}".rstrip()
    for name, value in kernel.facts.items():
        yield name, " ".join(value.splitlines())
