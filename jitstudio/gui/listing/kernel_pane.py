"""The base of panes over machine code: a choice of the kernel, content, and words while none is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from jitstudio.analysis.sass.model import SassFunction
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.lazy_widget import Visibility, hint_label
from jitstudio.gui.kit.parts import FieldName, show_tip
from jitstudio.gui.listing.hints import disassembly_hint
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.state.current_disassembly import CurrentDisassembly, Inspection

_LEAST_LETTERS = 12

KernelNames = Sequence[tuple[str, str]]
"""Pairs of the lowered name and the shown name of a kernel or function."""


class KernelChoice(QComboBox):
    """A list of kernels and functions.

    Signals:
        chosen: The user wants to see the function with this lowered name.
    """

    chosen = Signal(str)

    def __init__(self, name: str, object_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(object_name)
        self.setAccessibleName(name)
        # A name in C++ can be as long as it likes.
        shortened = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.setSizeAdjustPolicy(shortened)
        self.setMinimumContentsLength(_LEAST_LETTERS)
        self.activated.connect(self._on_activated)

    def show_kernels(self, names: KernelNames, chosen: str) -> None:
        """Offers kernels, with the lowered name of the chosen one."""
        offered = [(self.itemData(at), self.itemText(at)) for at in range(self.count())]
        with QSignalBlocker(self):
            if offered != [*names]:
                self.clear()
                for lowered, shown in names:
                    self.addItem(shown, lowered)
            self.setCurrentIndex(self.findData(chosen))
        self.setEnabled(bool(names))
        show_tip(self, self.currentText())

    @Slot(int)
    def _on_activated(self, row: int) -> None:
        self.chosen.emit(self.itemData(row))


class KernelView(QWidget):
    """A pane about one kernel at a time.

    Args:
        name: The name of the pane, such as ``report``.
        parent: The parent widget.

    Attributes:
        kernels: The choice of the kernel.

    Signals:
        kernel_chosen: The user wants to see the function with this lowered name.
    """

    kernel_chosen = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}View")
        self.kernels = KernelChoice(self.tr("Kernel or function"), f"{name}Kernel", self)
        self.kernels.chosen.connect(self.kernel_chosen)

    def show_kernels(self, names: KernelNames, chosen: str) -> None:
        """Offers kernels, with the lowered name of the chosen one."""
        self.kernels.show_kernels(names, chosen)

    def show_reading(self, reading: Any) -> None:
        """Shows what was read of the chosen kernel."""
        raise NotImplementedError

    def show_hint(self, words: str) -> None:
        """Says why there is no kernel."""
        raise NotImplementedError


class KernelPane(KernelView):
    """A choice of the kernel above content, or words that say why there is no kernel.

    A subclass sets the content, and shows a reading there.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._hint = hint_label(self, f"{name}Hint", "")
        self._page = QWidget(self)
        self._stack = QStackedWidget(self)
        for page in (self._hint, self._page):
            self._stack.addWidget(page)
        self._choice = QWidget(self._page)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self._stack, 1)

    @property
    def hint(self) -> str:
        """The reason why there is no content; empty where there is content."""
        return self._hint.text() if self._stack.currentWidget() is self._hint else ""

    def set_content(self, content: QWidget) -> None:
        """Lays out the content below the choice; the keyboard goes there."""
        top = QHBoxLayout(self._choice)
        top.setContentsMargins(12, 6, 8, 6)
        top.setSpacing(8)
        top.addWidget(FieldName(self.tr("&Kernel"), self.kernels, self))
        top.addWidget(self.kernels, 1)
        column = QVBoxLayout(self._page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._choice)
        column.addWidget(content, 1)
        self.setFocusProxy(content)

    def add_above(self, view: QWidget) -> None:
        """Puts a view above the choice and the content, whether there is a kernel or not."""
        self._column.insertWidget(0, view)

    def set_choice_shown(self, is_shown: bool) -> None:
        """Shows or hides the choice, for a pane that has another."""
        self._choice.setVisible(is_shown)

    def show_reading(self, reading: Any) -> None:
        """Shows the content in place of the hint."""
        self._stack.setCurrentWidget(self._page)

    def show_hint(self, words: str) -> None:
        """Says why there is no content."""
        self._hint.setText(words)
        self._stack.setCurrentWidget(self._hint)


class KernelCode(NamedTuple):
    """The machine code of the kernel that is looked at.

    Attributes:
        inspection: The code of its module.
        function: Its own code.
        more: Other values that the reading follows from.
    """

    inspection: Inspection
    function: SassFunction
    more: Any = None


class KernelReader(QObject):
    """Keeps a pane at the kernel that is looked at, as long as the pane can be seen.

    Another kernel, build or document has the pane show another reading. While the same module is
    read again, the pane stays as it is.

    Args:
        view: The pane.
        disassembly: The machine code, read as long as a pane needs it.
        sass: The pane of SASS, which spells the names.
        read: Reads a kernel in a thread, for `show_reading`.
        more: Returns other values that the reading follows from; see `update`.
    """

    def __init__(
        self,
        view: KernelView,
        disassembly: CurrentDisassembly,
        sass: OutputPane,
        read: Callable[[KernelCode, Event], object],
        more: Callable[[SassFunction], object] = lambda _function: None,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._disassembly = disassembly
        self._sass = sass
        self._read = read
        self._more = more
        self._is_on = True
        self._shown: KernelCode | None = None
        self._background = Background(self)
        self._background.done.connect(view.show_reading)
        self._background.failed.connect(view.show_hint)
        disassembly.changed.connect(self.update)
        disassembly.kernel_changed.connect(self.update)
        sass.code.spelt.connect(self.update)
        view.kernel_chosen.connect(disassembly.set_kernel)
        view.show_hint(disassembly_hint(disassembly))
        Visibility(view, self, self._on_visibility_changed)

    @property
    def is_busy(self) -> bool:
        """Whether the pane shows another kernel in a moment."""
        return self._background.is_busy

    def set_on(self, on: bool) -> None:
        """Sets whether the pane shows machine code at all."""
        self._is_on = on
        self._forget()
        self.update()

    @Slot()
    def update(self) -> None:
        """Reads the current kernel, unless shown already or out of sight."""
        inspection, function = self._disassembly.current, self._disassembly.function
        outgoing = self._disassembly.outgoing
        may_stay = self._shown is not None and self._shown.inspection is outgoing
        if not (self._is_on and self._view.isVisible()) or may_stay:
            return
        if inspection is None or function is None:
            self._forget()
            self._view.show_hint(disassembly_hint(self._disassembly))
            return
        spelling = self._sass.code.spelling
        names = tuple((name, spelling.name(shown)) for name, shown in inspection.readable)
        self._view.show_kernels(names, function.name)
        code = KernelCode(inspection, function, self._more(function))
        if code != self._shown:
            self._shown = code
            self._background.start(lambda stop: self._read(code, stop))

    def _forget(self) -> None:
        self._shown = None
        self._background.stop()

    @Slot(bool)
    def _on_visibility_changed(self, visible: bool) -> None:
        self._disassembly.want(self._view.objectName(), visible)
        self.update()
