"""Lists what the LTO link that is shown inlined."""

from __future__ import annotations

from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.analysis.correlation.inlined import Inlining, inlining
from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.features.link.inlined_list import InlinedList
from jitstudio.gui.features.link.inlined_model import InlinedRow
from jitstudio.gui.kit.background import Background, Paced
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.lowered_names import LoweredNames
from jitstudio.gui.state.outputs import Outputs
from jitstudio.listing.lines import split_at_newlines


class InlinedController(QObject):
    """Reads the PTX of the link, and shows the list while there is some."""

    def __init__(
        self,
        lowered_names: LoweredNames,
        outputs: Outputs,
        settings: BuildSettings,
        view: InlinedList,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._settings = settings
        self._outputs = outputs
        self._ptx: bytes | None = None
        self._inlining = Inlining((), ())
        self._reading = Background(self)
        self._reading.done.connect(self._on_read)
        self._names = lowered_names
        self._names.learnt.connect(self._show)
        outputs.result_changed.connect(self._on_result_changed)
        settings.link_changed.connect(self._on_result_changed)

    @Slot()
    def _on_result_changed(self) -> None:
        result = shown_link(self._settings, self._outputs)
        # None but of LTO links, and of builds that failed.
        made = result.artifact(CodeKind.PTX, LINKED) if result else None
        ptx = made.content if made else None
        if ptx is None:
            self._reading.stop()
            self._view.hide()
        elif ptx != self._ptx:
            self._reading.start(partial(_read, ptx))
        else:
            self._view.show()
        self._ptx = ptx

    @Slot(object)
    def _on_read(self, found: Inlining) -> None:
        self._inlining = found
        named = (name for one in found.found for name in (one.function, one.into))
        self._names.want({*found.untold, *named} - {""})
        self._show()
        self._view.show()

    @Slot()
    def _show(self) -> None:
        known = self._names.known
        rows = (
            InlinedRow(one, known.get(one.function, one.function), known.get(one.into, one.into))
            for one in self._inlining.found
        )
        untold = (known.get(name, name) for name in self._inlining.untold)
        self._view.show_rows(tuple(rows), tuple(untold))


def shown_link(settings: BuildSettings, outputs: Outputs) -> BuildResult | None:
    """The build whose link is shown: the newest that came as far as one; None without a link."""
    if settings.link is LinkMode.NONE:
        return None
    newest = outputs.result
    has_linked = newest is not None and any(stage.source == LINKED for stage in newest.stages)
    return newest if has_linked else outputs.figures


def _read(ptx: bytes, stop: Event) -> Inlining:
    lines = split_at_newlines(ptx.decode("utf-8", "replace"))
    return inlining(Paced(lines, stop))
