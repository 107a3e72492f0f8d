"""Compares a pinned result with the newest, as long as the Compare pane can be seen."""

from __future__ import annotations

from functools import partial
from threading import Event
from weakref import WeakKeyDictionary

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from jitstudio.analysis.reading_request import AnalysisRequest, ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.code import TEXT_KINDS, Artifact, CodeKind
from jitstudio.core.prebuilt import cubin_of, ptx_of
from jitstudio.gui.context import Context
from jitstudio.gui.features.compare.model import (
    BuildComparison,
    ComparedBuild,
    CompareMode,
    compare,
    difference_titles,
)
from jitstudio.gui.features.compare.view import CompareView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.kit.command_keys import COMMAND_KEYS
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.services.analysis_service import AnalysisService, ReadListing
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.baselines import Baseline, Baselines
from jitstudio.gui.state.current_disassembly import CurrentDisassembly
from jitstudio.gui.state.lowered_names import LoweredNames
from jitstudio.gui.state.outputs import Built, Outputs
from jitstudio.gui.state.preferences import Preferences
from jitstudio.gui.state.settings_table import DEMANGLE

_Key = tuple[Built, Built, CompareMode]


def install(context: Context) -> None:
    """Makes the pane "Compare"."""
    state, shell = context.state, context.shell
    view = CompareView(parent=shell.layout.place("compare"))
    shell.layout.fill("compare", view)
    CompareController(
        view,
        state.outputs,
        state.disassembly,
        state.baselines,
        state.preferences,
        state.analysis_service,
        state.lowered_names,
        shell,
    )
    baselines, outputs = state.baselines, state.outputs
    shell.stale_marks.add(view, lambda: outputs.is_behind and baselines.chosen is not None)
    baselines.changed.connect(shell.stale_marks.update)


class CompareController(QObject):
    """Ties the Compare pane to the pinned results and to the newest result."""

    def __init__(
        self,
        view: CompareView,
        outputs: Outputs,
        disassembly: CurrentDisassembly,
        baselines: Baselines,
        preferences: Preferences,
        analysis_service: AnalysisService,
        lowered_names: LoweredNames,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        actions = shell.actions
        self._outputs = outputs
        self._disassembly = disassembly
        self._baselines = baselines
        self._preferences = preferences
        self._disassemblies = DisassemblyCache(analysis_service, self)
        self._view = view
        # What is shown, or is being compared.
        self._key: _Key | None = None
        self._titles = ("", "")
        self._background = Background(self)
        self._background.done.connect(self._on_compared)
        self._background.failed.connect(self._view.show_hint)
        # As it was compared, and the same with the names that are wanted.
        self._compared: BuildComparison | None = None
        self._names = lowered_names
        self._names.learnt.connect(self._spell)
        self._spelling = Background(self)
        self._spelling.done.connect(self._on_spelt)
        for signal in (
            self._outputs.result_changed,
            self._disassemblies.changed,
            self._disassembly.changed,
            self._view.matter_changed,
        ):
            signal.connect(self._update)
        self._baselines.changed.connect(self._on_baselines_changed)
        self._view.pin_requested.connect(actions["pinBaselineAction"].trigger)
        self._view.baseline_chosen.connect(self._on_baseline_chosen)
        self._view.baseline_renamed.connect(self._on_baseline_renamed)
        self._view.removal_requested.connect(self._on_removal_requested)
        self._preferences.changed.connect(self._on_preference_changed)
        self._view.texts.font_size_changed.connect(self._on_font_size_changed)
        self._on_preference_changed("")
        actions.bind(
            {
                "nextDifferenceAction": self._view.go_to_next,
                "previousDifferenceAction": self._view.go_to_previous,
            }
        )
        self._on_baselines_changed()
        Visibility(self._view, self, lambda _is_seen: self._update())

    @Slot()
    def _on_baselines_changed(self) -> None:
        items, chosen = self._baselines.items, self._baselines.chosen
        names = tuple(baseline.name for baseline in items)
        self._view.show_baselines(names, items.index(chosen) if chosen else -1)
        self._update()

    @Slot(int)
    def _on_baseline_chosen(self, place: int) -> None:
        self._baselines.choose(self._baselines.items[place])

    @Slot(int, str)
    def _on_baseline_renamed(self, place: int, name: str) -> None:
        self._baselines.rename(self._baselines.items[place], name)

    @Slot(int)
    def _on_removal_requested(self, place: int) -> None:
        self._baselines.remove(self._baselines.items[place])

    @Slot()
    def _update(self) -> None:
        """Compares the chosen baseline with the newest build, unless shown or out of sight."""
        built, chosen = self._outputs.good, self._baselines.chosen
        self._view.pin.setEnabled(built is not None)
        if not self._view.isVisible():
            return
        if chosen is None or built is None:
            self._show_hint(self._nothing_to_compare(chosen))
            return
        matter = self._view.matter
        if not self._is_read(chosen.built, built, matter):
            return
        pinned = chosen.built
        self._titles = difference_titles(pinned.request, pinned.at, built.request, built.at)
        key = (chosen.built, built, matter)
        if key == self._key:
            if self._view.compared is not None:
                self._view.texts.set_titles(*self._titles)
            return
        self._key = key
        left, right = self._side(chosen.built), self._side(built)

        def work(_stop: Event) -> BuildComparison:
            return compare(matter, left, right)

        self._spelling.stop()
        # Of other builds than the titles are.
        self._compared = None
        self._background.start(work)

    def _is_read(self, left: Built, right: Built, matter: CompareMode) -> bool:
        """Returns whether both builds are ready for comparison; says if that cannot be."""
        self._take_inspection()
        for built in (left, right):
            self._disassemblies.ask(built)
        words = _missing(matter, left, right)
        problems = [self._disassemblies.problem(built) for built in (left, right)]
        if words or (matter.is_code and any(problems)):
            self._show_hint(words or next(filter(None, problems)))
            return False
        waits = any(
            _cubin(built) and not self._disassemblies.code(built) and not problem
            for built, problem in zip((left, right), problems, strict=True)
        )
        # What is there stays until all that is compared is known.
        if waits and self._view.compared is None:
            self._view.show_hint(self.tr("Reading the SASS…"))
        return not waits

    def _take_inspection(self) -> None:
        """Takes over the inspection of the other panes, so that no cubin is read twice."""
        inspection, built = self._disassembly.current, self._outputs.good
        if inspection is None or built is None or inspection.result is not built.result:
            return
        cubin = _cubin(built)
        is_whole = not inspection.listing.function
        if is_whole and cubin is not None and cubin.name == inspection.name:
            self._disassemblies.take(built, inspection.code)

    def _side(self, built: Built) -> ComparedBuild:
        cubin = _cubin(built)
        code: Disassembly | None = self._disassemblies.code(built)
        return ComparedBuild(built.request, built.result, cubin.content if cubin else b"", code)

    def _show_hint(self, words: str) -> None:
        self._background.stop()
        self._spelling.stop()
        self._key = self._compared = None
        self._view.show_hint(words)

    def _nothing_to_compare(self, chosen: Baseline | None) -> str:
        if self._outputs.good is None:
            return self.tr("Nothing has been built yet.\nBuild something, and pin it.")
        if chosen is None:
            return self.tr(
                "Nothing is pinned yet.\n"
                "Pin this result ({keys}), then change the source, an option, the target "
                "or the link: what that does appears here."
            ).format(keys=COMMAND_KEYS.words("pinBaselineAction"))
        return ""

    @Slot(str)
    def _on_preference_changed(self, key: str) -> None:
        texts, shows_addresses = self._view.texts, self._preferences.value("listings.addresses")
        texts.set_font_size(self._preferences.font_size)
        for text in (texts.left, texts.right):
            text.set_addresses(bool(shows_addresses))
        if key == DEMANGLE:
            self._spell()

    @Slot(float)
    def _on_font_size_changed(self, points: float) -> None:
        self._preferences.font_size = points

    @Slot(object)
    def _on_compared(self, compared: BuildComparison) -> None:
        self._compared = compared
        self._spell()

    @Slot()
    def _spell(self) -> None:
        """Shows names in C++ or as the tools wrote them, like the listings do."""
        compared = self._compared
        if compared is None:
            return
        known: dict[str, str] = {}
        if self._preferences.value(DEMANGLE):
            self._names.want(compared.lowered_names)
            known = dict(self._names.known)
        self._spelling.start(lambda _stop: compared.spelt(known))

    @Slot(object)
    def _on_spelt(self, compared: BuildComparison) -> None:
        self._view.show_compared(compared, *self._titles)


def _missing(matter: CompareMode, left: Built, right: Built) -> str:
    """Returns why two builds cannot be compared; empty where they can."""
    both = (left, right)
    if matter.is_code and not all(map(_cubin, both)):
        return QCoreApplication.translate("CompareController", "One of the two has made no SASS.")
    if matter is CompareMode.PTX and not all(map(_has_ptx, both)):
        return QCoreApplication.translate("CompareController", "One of the two has made no PTX.")
    texts = (any(s.kind in TEXT_KINDS for s in built.request.sources) for built in both)
    if matter is CompareMode.SOURCE and not all(texts):
        return QCoreApplication.translate(
            "CompareController", "One of the two was not made from text."
        )
    return ""


def _cubin(built: Built) -> Artifact | None:
    return cubin_of(built.request, built.result)


def _has_ptx(built: Built) -> bool:
    return any(artifact.kind is CodeKind.PTX for artifact in built.result.artifacts)


class DisassemblyCache(QObject):
    """Has cubins read that are to be compared.

    Signals:
        changed: Another one has been read, or cannot be.
    """

    changed = Signal()

    def __init__(self, service: AnalysisService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._readings: WeakKeyDictionary[Built, Disassembly | str] = WeakKeyDictionary()
        self._awaited: set[Built] = set()

    def code(self, built: Built) -> Disassembly | None:
        """The code of a build's cubin; None until the code has been read, or where that failed."""
        answer = self._readings.get(built)
        return answer if isinstance(answer, Disassembly) else None

    def problem(self, built: Built) -> str:
        """Returns why a cubin cannot be read; empty where reading succeeded or goes on."""
        answer = self._readings.get(built)
        return answer if isinstance(answer, str) else ""

    def ask(self, built: Built) -> None:
        """Has the cubin of a build read, unless that was asked for or there is none."""
        cubin = cubin_of(built.request, built.result)
        if cubin is None or built in self._readings or built in self._awaited:
            return
        # A tag for each build: one that waits must not give way to the other one.
        tag = f"compare {id(built)}"
        ptx = ptx_of(built.request, built.result, cubin.name)
        request = AnalysisRequest.of_build(built.request, cubin.content, cubin.file_name, ptx)
        handle = self._service.read(request, tag=tag)
        handle.finished.connect(partial(self._on_read, built))
        handle.failed.connect(partial(self._settle, built))
        self._awaited.add(built)

    def take(self, built: Built, code: Disassembly) -> None:
        """Adds code that was read elsewhere."""
        self._readings.setdefault(built, code)

    def _on_read(self, built: Built, answer: ReadListing | ReadingFailure) -> None:
        self._settle(built, answer.message if isinstance(answer, ReadingFailure) else answer.code)

    def _settle(self, built: Built, answer: Disassembly | str) -> None:
        self._awaited.discard(built)
        self._readings[built] = answer
        self.changed.emit()
