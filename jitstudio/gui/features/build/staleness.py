"""Marks every pane that shows what is not of the newest text, all in the same way."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.link.controller import shown_link
from jitstudio.gui.features.names.controller import shown_names
from jitstudio.gui.kit.theme import ThemeKeeper
from jitstudio.gui.shell.stale_mark import StaleMark
from jitstudio.gui.state.workspace import Workspace
from jitstudio.gui.window.panes import Panes


class StalenessController(QObject):
    """Ties the marks of the panes to `Staleness`.

    Attributes:
        marks: By the object name of the pane.
    """

    def __init__(self, workspace: Workspace, panes: Panes, keeper: ThemeKeeper) -> None:
        super().__init__(panes.tabs)
        self._staleness = workspace.staleness
        outputs, baselines = workspace.outputs, workspace.baselines
        ptx, sass = panes.outputs[CodeKind.PTX], panes.outputs[CodeKind.SASS]
        # What the mark lies over, and whether what is there is old.
        rows: tuple[tuple[QWidget, Callable[[], bool]], ...] = (
            (ptx.code_view, lambda: ptx.is_old),
            (sass.code_view, lambda: sass.is_old),
            (panes.report, lambda: sass.is_old),
            (panes.graph, lambda: panes.outputs[panes.graph.kind].is_old),
            (panes.kernels.table, lambda: outputs.is_behind),
            (panes.names, lambda: outputs.is_behind and shown_names(outputs) is outputs.figures),
            (panes.link, lambda: outputs.is_behind and shown_link(workspace) is outputs.figures),
            (panes.compare, lambda: outputs.is_behind and baselines.chosen is not None),
        )
        # Of the newest build, which may have failed: old once there is another text.
        lists = [StaleMark(view.table, keeper.theme) for view in (panes.problems, panes.log)]
        self._outputs, self._lists = outputs, lists
        self._pages = panes.tabs
        self._sass = sass
        self._marks = [(StaleMark(view, keeper.theme), is_old) for view, is_old in rows]
        for mark in (*lists, *(mark for mark, _ in self._marks)):
            keeper.theme_changed.connect(mark.set_theme)
        for signal in (
            workspace.staleness.changed,
            outputs.changed,
            outputs.result_changed,
            ptx.listing_changed,
            sass.listing_changed,
            panes.graph.kind_chosen,
            baselines.changed,
            workspace.documents.added,
        ):
            signal.connect(self._update)
        self._update()

    @Slot()
    def _update(self) -> None:
        words = self._staleness.words
        for mark, is_old in self._marks:
            mark.show_state(is_old(), words)
        for mark in self._lists:
            # Other panes say why.
            mark.show_state(self._outputs.is_edited, "")
        for page in self._pages.pages():
            if page.editor is not None:
                page.editor.pressure.set_old(self._sass.is_old)
