"""Keeps the key figures of the kernel at the cursor over the code and over SASS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from jitstudio.analysis.key_figures import Earlier, Figure, run_figures
from jitstudio.core.code import CodeKind
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.result import BuildResult, Kernel
from jitstudio.gui.context import Context
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.features.figures.model import (
    OF_RUN,
    FigureHistory,
    KernelEntry,
    KernelKey,
    StripContent,
    kernel_entry,
    shown_figures,
    with_count,
)
from jitstudio.gui.features.figures.strip import FiguresStrip
from jitstudio.gui.kit.lazy_widget import Visibility
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.shell.navigation import CausePlace, KernelPlace, Navigator, Place, RunPlace
from jitstudio.gui.state.outputs import Built
from jitstudio.gui.state.window_state import WindowState
from jitstudio.listing.kernel_names import short_titles

_USER = "figures"
_RAN = frozenset({LaunchOutcome.RAN, LaunchOutcome.WRONG})


def install(context: Context) -> None:
    """Puts a strip over each source and over SASS."""
    state, shell = context.state, context.shell
    sass = context.listings[CodeKind.SASS]
    controller = FiguresController(state, context.navigator, context.editors, sass)
    controller.all_requested.connect(partial(shell.layout.bring_up_pane, "kernels"))
    shell.actions.bind({"focusFiguresAction": controller.take_keyboard})


class FiguresController(QObject):
    """Has what all strips show, and leads from a figure to its cause.

    Signals:
        all_requested: The user wants to see all kernels.
    """

    all_requested = Signal()

    def __init__(
        self, state: WindowState, navigator: Navigator, editors: EditorTabs, sass: OutputPane
    ) -> None:
        super().__init__(editors)
        self._outputs = state.outputs
        self._disassembly = state.disassembly
        self._baselines = state.baselines
        self._staleness = state.staleness
        documents = state.documents
        self._launches = state.launches
        self._specs = state.launch_specs
        self._navigator = navigator
        self._editors = editors
        self._history = FigureHistory()
        self._content = StripContent()
        self._config: LaunchConfig | None = None
        self._titled: BuildResult | None = None
        self._titles: Mapping[KernelKey, str] = {}
        # Over SASS where none is seen over the code: once is enough.
        self._over_sass = FiguresStrip(self._entries)
        self._over_sass.hide()
        self._looking = QTimer(self, singleShot=True, interval=0)
        self._looking.timeout.connect(self._look)
        self._sass = sass
        # A build, its kernels and a reading come one after another: one look at all is enough.
        self._changed = QTimer(self, singleShot=True, interval=0)
        self._changed.timeout.connect(self._update)
        self._outputs.result_changed.connect(self._on_result_changed)
        self._disassembly.changed.connect(self._on_disassembly_changed)
        self._launches.config_changed.connect(self._on_config_changed)
        self._launches.finished.connect(self._on_finished)
        for signal in (
            self._outputs.changed,
            self._staleness.changed,
            self._baselines.changed,
            self._specs.replaced,
        ):
            signal.connect(self._on_anything_changed)
        self._outputs.forgotten.connect(self._history.forget)
        documents.current_changed.connect(self._on_current_changed)
        sass.insert_above(self._over_sass)
        self._add(self._over_sass)
        Visibility(sass, self, self._on_visibility_changed)
        self._on_result_changed()
        self._on_current_changed()

    @property
    def _strips(self) -> list[FiguresStrip]:
        """The strips that there are: pages take theirs along as they are closed."""
        return [self._over_sass, *self._editors.findChildren(FiguresStrip)]

    def _add(self, strip: FiguresStrip) -> None:
        """Keeps a strip at the figures from now on."""
        strip.figure_activated.connect(self._on_figure_activated)
        strip.kernel_activated.connect(self._on_kernel_activated)
        strip.kernel_chosen.connect(self._on_kernel_chosen)
        strip.all_requested.connect(self.all_requested)
        strip.show_content(self._content)

    @Slot()
    def take_keyboard(self) -> None:
        """Gives the keyboard to the strip that is seen."""
        for strip in self._strips:
            if strip.isVisible():
                strip.take_keyboard()

    # ---- What is shown

    @Slot()
    def _update(self) -> None:
        content = self._content_now()
        if content != self._content:
            self._content = content
            for strip in self._strips:
                strip.show_content(content)

    def _content_now(self) -> StripContent:
        result, good = self._outputs.shown_result, self._outputs.good
        if result is None or good is None:
            return StripContent(hint=self._why_none(result))
        kernel = self._kernel_of(result)
        if kernel is None:
            return StripContent(hint=self.tr("This build has no kernel."))
        titles, key = self._titles_of(result), (kernel.module, kernel.name)
        is_old = self._outputs.is_behind and self._staleness.reason is not None
        subject, title = self._outputs.subject, titles[key]
        last = self._history.last(subject, key)
        counts = self._history.counts
        measured = counts.measured(good, kernel)
        is_awaited = measured.instructions is None and self._disassembly.is_reading
        now = with_count(measured, last.instructions if last and is_awaited else None)
        run_title = self._run_title(kernel)
        is_run_old = self._history.is_run_old(subject, run_title)
        note, reason = self._why_old(is_old=is_old, is_run_old=is_run_old)
        figures = shown_figures(
            now.figures(self._config),
            tuple(self._earlier(kernel, good)),
            self._history.runs(subject, run_title),
            is_old=is_old,
            is_run_old=is_run_old,
            is_count_old=is_awaited,
        )
        return StripContent(title, key, tuple(figures), len(result.kernels), note, reason)

    def _why_none(self, result: BuildResult | None) -> str:
        if result is not None:
            return self.tr("Nothing has been built yet that has key figures.")
        if self._outputs.is_first_expected:
            return self.tr("Building…")
        return self.tr("Registers, spills and occupancy appear here once a kernel is built.")

    def _why_old(self, *, is_old: bool, is_run_old: bool) -> tuple[str, str]:
        """Returns why figures are old, in a few words and in sentences."""
        reason = self._staleness.reason
        if is_old and reason is not None:
            why = reason.failed.reason if reason.failed is not None else ""
            said = self.tr("This is of the last good build.")
            return self.tr("last good build"), f"{said} {why}".strip()
        if is_run_old:
            return "", self.tr("The code has changed since this run: run it again.")
        return "", ""

    def _earlier(self, kernel: Kernel, good: Built) -> Iterator[Earlier]:
        """Yields the kernels that the figures of a kernel are compared with."""
        key, counts = (kernel.module, kernel.name), self._history.counts
        now = counts.measured(good, kernel)
        before = self._history.before(self._outputs.subject, key, now)
        if before is not None:
            yield Earlier(before.figures(self._config), self.tr("the build before"))
        chosen = self._baselines.chosen
        if chosen is None or chosen.built is good:
            return
        for pinned in chosen.built.result.kernels:
            if (pinned.module, pinned.name) == key:
                figures = counts.measured(chosen.built, pinned).figures(self._config)
                name = self.tr("the baseline {name}").format(name=chosen.name)
                yield Earlier(figures, name, is_baseline=True)

    def _titles_of(self, result: BuildResult) -> Mapping[KernelKey, str]:
        """Returns the names of all kernels, which take a while where there are thousands."""
        if self._titled is not result:
            self._titled, self._titles = result, short_titles(result.kernels)
        return self._titles

    def _entries(self, most: int) -> Iterator[KernelEntry]:
        """Yields the first kernels of the build for the list."""
        good = self._outputs.good
        if good is None:
            return
        titles = self._titles_of(good.result)
        for kernel in good.result.kernels[:most]:
            key = (kernel.module, kernel.name)
            figures = self._history.counts.measured(good, kernel).figures(None)
            yield kernel_entry(key, titles[key], figures)

    def _kernel_of(self, result: BuildResult) -> Kernel | None:
        """Returns the kernel at the cursor, or the first; of several with a name that of a unit."""
        form, kernels = self._specs.form, result.kernels
        first = next(iter(kernels), None)
        if form is None:
            return first
        named = (kernel for kernel in kernels if kernel.name == form.lowered)
        return min(named, key=lambda kernel: kernel.module != form.unit, default=first)

    def _run_title(self, kernel: Kernel) -> str:
        form = self._specs.form
        return form.title if form is not None and form.lowered == kernel.name else ""

    # ---- What happens

    @Slot()
    def _on_anything_changed(self) -> None:
        self._changed.start()

    @Slot()
    def _on_result_changed(self) -> None:
        good = self._outputs.good
        if good is not None:
            self._history.take_build(self._outputs.subject, good)
        self._changed.start()

    @Slot()
    def _on_disassembly_changed(self) -> None:
        inspection, good = self._disassembly.current, self._outputs.good
        if inspection is not None and good is not None and inspection.result is good.result:
            functions = inspection.code.functions
            counted = {(inspection.name, f.name): f.code_length for f in functions if f.is_kernel}
            self._history.counts.take(good, counted)
        self._changed.start()

    @Slot(object)
    def _on_config_changed(self, config: LaunchConfig | None) -> None:
        if config != self._config:
            self._config = config
            self._changed.start()

    @Slot(LaunchResult)
    def _on_finished(self, result: LaunchResult) -> None:
        built = self._launches.launched
        if built is not None and result.outcome in _RAN:
            self._history.take_run(built, result.kernel, run_figures(result))
            self._changed.start()

    @Slot()
    def _on_current_changed(self) -> None:
        """Puts a strip over a text that is looked at for the first time."""
        page = self._editors.page
        if page is not None and page.strip_room.layout() is None:
            strip = FiguresStrip(self._entries)
            page.strip_room.fill(strip)
            self._add(strip)
            Visibility(strip, self, self._on_visibility_changed)
        self._changed.start()

    def _on_visibility_changed(self, _is_seen: bool) -> None:
        # Strips are also hidden one by one as the window is destroyed, some when others are gone.
        self._looking.start()

    @Slot()
    def _look(self) -> None:
        """Shows the strip over SASS where no other is seen, and has the code read for them."""
        over_code = any(s.isVisible() for s in self._strips if s is not self._over_sass)
        self._over_sass.setVisible(not over_code)
        self._disassembly.want(_USER, over_code or self._sass.isVisible())

    # ---- Where figures lead

    @Slot(Figure)
    def _on_figure_activated(self, figure: Figure) -> None:
        result = self._outputs.shown_result
        for kernel in result.kernels if result is not None else ():
            if (kernel.module, kernel.name) == self._content.key:
                self._navigator.go_to(self._cause(figure, kernel))

    def _cause(self, figure: Figure, kernel: Kernel) -> Place:
        if figure in OF_RUN:
            return RunPlace(figure)
        if figure is Figure.INSTRUCTIONS:
            return KernelPlace(CodeKind.SASS, kernel)
        self._disassembly.set_kernel(kernel.name)
        if self._config is None:
            return CausePlace(figure, kernel.name)
        launched = self._config.threads_per_block, self._config.shared
        return CausePlace(figure, kernel.name, *launched)

    @Slot()
    def _on_kernel_activated(self) -> None:
        form = self._specs.form
        if form is not None and form.line:
            self._navigator.go_to_source(form.module, form.line)

    @Slot(tuple)
    def _on_kernel_chosen(self, key: KernelKey) -> None:
        unit, lowered = key
        forms = (form for form in self._specs.forms if form.lowered == lowered)
        if form := min(forms, key=lambda form: form.unit != unit, default=None):
            self._specs.choose(form.title)
