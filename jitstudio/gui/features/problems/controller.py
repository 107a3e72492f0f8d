"""Shows the problems of the newest build and of the last run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from threading import Event

from PySide6.QtCore import QObject, Slot

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Diagnostic, Fix, FixKind, Severity
from jitstudio.core.request import LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.gui.context import Context
from jitstudio.gui.features.problems.view import ProblemsView
from jitstudio.gui.kit.background import Background
from jitstudio.gui.shell.navigation import ProblemPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.build_controller import BuildController
from jitstudio.gui.state.build_settings import BuildSettings
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone
from jitstudio.gui.state.outputs import Outputs
from jitstudio.gui.state.problems import Problems
from jitstudio.listing.functions import functions
from jitstudio.listing.kernel_names import read_name
from jitstudio.listing.symbols import SymbolKind


def install(context: Context) -> None:
    """Makes the pane "Problems"."""
    state, shell = context.state, context.shell
    view = ProblemsView(parent=shell.layout.place("problems"))
    shell.layout.fill("problems", view)
    ProblemsController(view, state.problems, state.outputs, state.build_controller, shell)
    names = state.lowered_names
    view.model.spell_by(names.spelled)
    names.learnt.connect(lambda: view.model.spell_by(names.spelled))
    LinkOffersController(
        state.problems,
        state.documents,
        state.settings,
        state.build_controller,
        state.outputs,
        view,
    )
    view.location_activated.connect(context.navigator.go_to_source)
    context.navigator.lead(ProblemPlace, lambda _place: view.go_to_first())
    view.fix_requested.connect(context.fixer.apply)
    view.fixes_requested.connect(context.fixer.apply_all)
    # Of the newest build, which may have failed: old once the text has changed; others say why.
    shell.stale_marks.add(view.table, lambda: state.outputs.is_edited, says_why=False)
    shell.context_menus.add_to_tables(view)


class ProblemsController(QObject):
    """Keeps the list in step with the results, and carries out the commands on problems."""

    def __init__(
        self,
        view: ProblemsView,
        problems: Problems,
        outputs: Outputs,
        build_controller: BuildController,
        shell: Shell,
    ) -> None:
        super().__init__(view)
        self._view = view
        self._problems = problems
        self._outputs = outputs
        self._shell = shell
        # Whether the user waits for the build, which else follows the text by itself.
        self._is_asked = False
        shell.actions["buildAction"].triggered.connect(self._on_build_asked)
        build_controller.built.connect(self._on_built)
        build_controller.refused.connect(self._on_refused)
        view.model.counts_changed.connect(self._on_counts_changed)
        problems.changed.connect(self._on_problems_changed)
        shell.actions.bind(
            {
                "nextProblemAction": view.go_to_next,
                "previousProblemAction": view.go_to_previous,
                "mendAllAction": view.fix_all,
            }
        )
        show = shell.actions["focusProblemsAction"]
        shell.status.problems_requested.connect(show.trigger)

    @Slot()
    def _on_problems_changed(self) -> None:
        if self._problems.is_built:
            self._view.model.set_diagnostics(self._problems.all)
        else:
            self._view.model.clear()

    @Slot()
    def _on_build_asked(self) -> None:
        self._is_asked = True

    @Slot()
    def _on_refused(self) -> None:
        self._is_asked = False

    @Slot(object, BuildResult)
    def _on_built(self, subject: object, result: BuildResult) -> None:
        """Brings the list forward, once for a text that fails while someone types."""
        # What is published next is still the build before.
        is_news = self._is_asked or not _has_failed(self._outputs.result)
        self._is_asked = False
        if is_news and _has_failed(result) and subject == self._outputs.subject:
            self._shell.layout.bring_forward("problems")

    @Slot()
    def _on_counts_changed(self) -> None:
        """Shows the count in the tab, as another pane may be in front."""
        count = sum(map(self._view.model.count, (Severity.ERROR, Severity.WARNING)))
        self._shell.layout.show_count("problems", count)


def _has_failed(result: BuildResult | None) -> bool:
    """Returns whether a build has failed with errors to read; a cancelled build has not."""
    if result is None or result.ok:
        return False
    return any(diagnostic.severity is Severity.ERROR for diagnostic in result.diagnostics)


# ---- Offers to link with the tab that defines the function which a build has missed


class LinkOffersController(QObject):
    """Replaces the fix that asks for a file, where the function is in a tab already."""

    def __init__(
        self,
        problems: Problems,
        documents: Documents,
        settings: BuildSettings,
        build_controller: BuildController,
        outputs: Outputs,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._problems = problems
        self._documents = documents
        self._settings = settings
        self._build_controller = build_controller
        self._outputs = outputs
        self._background = Background(self)
        self._background.done.connect(self._on_found)
        outputs.result_changed.connect(self._on_result_changed)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        self._background.stop()
        missed = frozenset(filter(None, map(_missed, result.diagnostics if result else ())))
        linked = self._build_controller.modules()
        texts = [
            (document.name, document.kind, document.held.text)
            for document in self._documents
            if missed
            and takes_part_alone(document)
            and document not in linked
            and document.held
            # Another link is not taken apart for it.
            and not self._is_linked_elsewhere(document)
        ]
        if texts:
            self._background.start(partial(_definers, missed, texts))

    @Slot(object)
    def _on_found(self, definers: Mapping[str, str]) -> None:
        """Offers the tabs by the names of functions that they define."""
        result, module = self._outputs.result, self._build_controller.module
        if result is None or module is None or not definers:
            return
        offered = tuple(
            self._offered(diagnostic, definers.get(_missed(diagnostic), ""), module.name)
            for diagnostic in result.diagnostics
        )
        self._problems.explain_build(offered)

    def _is_linked_elsewhere(self, document: Document) -> bool:
        is_ours = document.program == self._settings.program
        linked = self._settings.link_of(document.program) is not LinkMode.NONE
        return not is_ours and linked and document.included

    def _offered(self, diagnostic: Diagnostic, definer: str, module: str) -> Diagnostic:
        if not definer:
            return diagnostic
        text = self.tr(
            "'{function}' is declared here, and the tab '{tab}' defines a function of that name, "
            "but takes no part in this build. Link with it."
        )
        label = self.tr("Link with {tab}").format(tab=definer)
        return replace(
            diagnostic,
            explanation=text.format(function=_missed(diagnostic), tab=definer),
            fix=Fix(label, FixKind.LINK_WITH, definer, module),
        )


def _missed(diagnostic: Diagnostic) -> str:
    """The lowered name of a function that no module of a build has; empty for other problems."""
    fix = diagnostic.fix
    return fix.value if fix is not None and fix.kind is FixKind.OPEN_FILES else ""


def _definers(
    missed: frozenset[str], texts: Sequence[tuple[str, CodeKind, str]], stop: Event
) -> Mapping[str, str]:
    """Returns, for each missed function, the first text that defines a function of that name."""
    definers: dict[str, str] = {}
    # PTX and LLVM IR have it as the linker prints it, C++ as it is written.
    spelt = {name: {name, read_name(name).path} for name in missed}
    for text_name, kind, text in texts:
        if stop.is_set() or missed <= definers.keys():
            break
        if not any(path.rpartition("::")[2] in text for paths in spelt.values() for path in paths):
            continue
        defined = _defined(kind, text)
        for name, paths in spelt.items():
            if paths & defined:
                definers.setdefault(name, text_name)
    return definers


def _defined(kind: CodeKind, text: str) -> set[str]:
    """Returns the functions that have a body in a text."""
    if kind is CodeKind.PTX:
        return {
            function.name for function in functions(kind, text.split("\n")) if function.is_defined
        }
    from jitstudio.listing.find_symbols import symbols

    return {symbol.name for symbol in symbols(kind, text) if symbol.kind is SymbolKind.FUNCTION}
