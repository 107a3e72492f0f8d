"""Tells in each editor how much of the text is not compiled, as host code."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QLabel

from jitstudio.core.code import CodeKind
from jitstudio.core.options import ALL_DEVICE, split_options
from jitstudio.core.result import BuildResult
from jitstudio.core.tools import Tool
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.editor.source_page import SourcePage
from jitstudio.gui.kit.parts import muted, text_label
from jitstudio.gui.kit.translating import counted
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Document, Documents
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.tab_options import options_of

_KINDS = (CodeKind.CUDA, CodeKind.HEADER)


class HostCodeController(QObject):
    """Draws excluded host code back: by our own judgement, and as in the last build."""

    def __init__(
        self,
        documents: Documents,
        settings: BuildSettings,
        outputs: Outputs,
        editors: EditorTabs,
    ) -> None:
        super().__init__(editors)
        self._documents = documents
        self._settings = settings
        self._outputs = outputs
        self._tabs = editors
        settings.changed.connect(self._update)
        documents.changed.connect(self._update)
        documents.removed.connect(self._update)
        documents.each(self._on_added)
        outputs.result_changed.connect(self._on_result_changed)

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
        for page in self._tabs.pages():
            if page.editor is not None:
                options = options_of(page.document, settings)
                has_host = page.document.kind in _KINDS and not _are_all_for_the_device(options)
                page.editor.host_code.show(is_on and has_host)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        request = self._outputs.request
        if result is None or request is None:
            return
        stages = [stage for stage in result.stages if stage.tool is Tool.NVRTC]
        aside = {part.name: part.ranges for stage in stages for part in stage.host_code}
        modules = {stage.source for stage in stages}
        texts = {part.name: part.content for part in request.sources if part.name in modules}
        texts |= {header.name: header.content for header in request.headers if stages}
        for page in self._tabs.pages():
            name = page.document.name
            is_same = name in texts and texts[name] == page.document.content
            if page.editor is not None and is_same:
                page.editor.host_code.show_built(aside.get(name, ()))

    @Slot()
    def _on_changed(self) -> None:
        veil = self.sender()
        for page in self._tabs.pages():
            if page.editor is not None and page.editor.host_code is veil:
                self._say(page, page.editor.host_code.lines)

    def _say(self, page: SourcePage, lines: int) -> None:
        line = page.findChild(QLabel, "hostCodeLine") or _add_line(page)
        singular = self.tr("{count:,} line of host code is not compiled")
        many = self.tr("{count:,} lines of host code are not compiled")
        line.setText(counted(lines, singular, many))
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
