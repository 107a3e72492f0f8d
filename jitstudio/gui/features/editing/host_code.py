"""Says in each editor how much of its text is not compiled as it is for the host only."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QLabel

from jitstudio.core.code import CodeKind
from jitstudio.core.options import ALL_DEVICE, split_options
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.source_page import SourcePage
from jitstudio.gui.kit.parts import muted, text_label
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Document, Documents

_KINDS = (CodeKind.CUDA, CodeKind.HEADER)


class HostCodeController(QObject):
    """Draws host code back where it is set aside."""

    def __init__(self, documents: Documents, settings: BuildSettings, editors: EditorTabs) -> None:
        super().__init__(editors)
        self._documents = documents
        self._settings = settings
        self._tabs = editors
        settings.changed.connect(self._update)
        documents.changed.connect(self._update)
        documents.removed.connect(self._update)
        documents.each(self._on_added)

    @Slot(Document)
    def _on_added(self, document: Document) -> None:
        page = self._tabs.page_of(document)
        if page is not None and page.editor is not None:
            page.editor.host_code.changed.connect(self._on_changed)
            self._update()

    @Slot()
    def _update(self) -> None:
        settings = self._settings
        is_on = Switch.KEEP_HOST_CODE not in settings.switches
        is_on = is_on and not _are_all_for_the_device(settings.options)
        for page in self._tabs.pages():
            if page.editor is not None:
                page.editor.host_code.show(is_on and page.document.kind in _KINDS)

    @Slot()
    def _on_changed(self) -> None:
        veil = self.sender()
        for page in self._tabs.pages():
            if page.editor is not None and page.editor.host_code is veil:
                self._say(page, page.editor.host_code.lines)

    def _say(self, page: SourcePage, lines: int) -> None:
        line = page.findChild(QLabel, "hostCodeLine") or _add_line(page)
        one = self.tr("{count:,} line of host code is not compiled")
        many = self.tr("{count:,} lines of host code are not compiled")
        line.setText(counted(lines, one, many))
        line.setVisible(lines > 0)


def _are_all_for_the_device(options: str) -> bool:
    """Returns whether unmarked functions are for the device; not while the text is half typed."""
    try:
        return any(option in ALL_DEVICE for option in split_options(options))
    except ValueError:
        return False


def _add_line(page: SourcePage) -> QLabel:
    line = muted(text_label(page, "hostCodeLine"))
    line.setContentsMargins(8, 2, 8, 3)
    page.column.addWidget(line)
    return line
