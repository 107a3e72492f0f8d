"""The kernel at the cursor is the kernel of all panes: Launch, Report, graph, SASS, key figures.

A cursor that moves into another kernel chooses that kernel, in a source as in PTX and SASS. A
kernel that was chosen from a list stays chosen until then, and lists follow each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Slot

from jitstudio.core.launch.request import KernelForm
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.launch_specs import LaunchSpecs
from jitstudio.gui.state.line_origins import UNKNOWN, BuiltLines, origins_of


def install(context: Context) -> None:
    """Lets the cursor choose the kernel."""
    state = context.state
    CaretKernelController(
        context.editors, state.documents, state.launches, state.launch_specs, state.disassembly
    )


class CaretKernelController(QObject):
    """Keeps the kernel of launches and that of the machine code at the cursor."""

    def __init__(
        self,
        editors: EditorTabs,
        documents: Documents,
        launches: LaunchController,
        specs: LaunchSpecs,
        disassembly: CurrentDisassembly,
    ) -> None:
        super().__init__(editors)
        self._editors = editors
        self._documents = documents
        self._launches = launches
        self._specs = specs
        self._disassembly = disassembly
        # Which lines of the current text were built.
        self._origins: BuiltLines | None = None
        self._followed: Document | None = None
        # The lowered names of the kernels at the cursor: the instances of a template share lines.
        self._here: frozenset[str] = frozenset()
        # The lowered name of the kernel that Launch led the panes to.
        self._launched = ""
        # Typing moves the cursor and edits the text: one look at both is enough.
        self._moved = QTimer(self, singleShot=True, interval=0)
        self._moved.timeout.connect(self._follow)
        editors.cursor_moved.connect(self._on_cursor_moved)
        launches.code_changed.connect(self._on_code_changed)
        specs.chosen.connect(self._on_chosen)
        specs.forms_changed.connect(self._on_forms_changed)
        disassembly.kernel_wanted.connect(self._on_kernel_wanted)
        documents.removed.connect(self._on_removed)

    @Slot()
    def _on_cursor_moved(self) -> None:
        self._moved.start()

    @Slot()
    def _on_code_changed(self) -> None:
        self._forget()
        self._moved.start()

    @Slot(Document)
    def _on_removed(self, document: Document) -> None:
        if document is self._followed:
            # Its text goes, and with it what follows that.
            self._origins = self._followed = None

    def _forget(self) -> None:
        if self._origins is not None:
            self._origins.deleteLater()
        self._origins = self._followed = None

    @Slot()
    def _follow(self) -> None:
        """Chooses the kernel that the cursor has moved into."""
        forms = {form.lowered: form for form in self._at_cursor()}
        if not forms or forms.keys() == self._here:
            return
        self._here = frozenset(forms)
        chosen = self._specs.form
        if chosen is None or chosen.lowered not in forms:
            self._specs.choose(next(iter(forms.values())).title)

    def _at_cursor(self) -> Iterator[KernelForm]:
        """Yields the kernels whose definition the cursor is in."""
        document = self._documents.current
        if document is None or not (line := self._built_line(document)):
            return
        for form in self._specs.forms:
            first, last = form.span
            if (form.module or form.unit) == document.name and first <= line <= last:
                yield form

    def _built_line(self, document: Document) -> int:
        """Returns the line of the cursor, from 1, when the text was built; 0 where unknown."""
        if document is not self._followed:
            self._forget()
            built = (s.content for s in self._launches.sources if s.name == document.name)
            if (content := next(built, None)) is not None:
                self._origins, self._followed = origins_of(document, content), document
        if self._origins is None:
            return 0
        # A line that was typed since is in the kernel of the line above it.
        for line in range(self._editors.position()[0] - 1, -1, -1):
            if (was := self._origins.built_line(line)) != UNKNOWN:
                return was + 1
        return 0

    @Slot()
    def _on_chosen(self) -> None:
        """Has the panes of machine code follow Launch."""
        if (form := self._specs.form) is not None:
            self._launched = form.lowered
            self._disassembly.set_kernel(form.lowered)

    @Slot()
    def _on_forms_changed(self) -> None:
        """Has Launch follow the panes where they lead to a kernel, as by a row of a library."""
        form, shown = self._specs.form, self._disassembly.kernel_to_come
        if form is None:
            return
        if any(other.lowered == shown for other in self._specs.forms):
            self._on_kernel_wanted(shown)
        elif form.lowered != self._launched:
            # Of the same kernel the panes may be at a function that it calls.
            self._on_chosen()

    @Slot(str)
    def _on_kernel_wanted(self, name: str) -> None:
        """Has Launch follow the panes of machine code."""
        chosen = self._specs.form
        if chosen is None or chosen.lowered == name:
            return
        form = next((form for form in self._specs.forms if form.lowered == name), None)
        if form is not None:
            self._specs.choose(form.title)
