"""Shows the problems of the newest build."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from jitstudio.core.result import BuildResult
from jitstudio.gui.context import Context
from jitstudio.gui.features.problems.link_offers import LinkOffersController
from jitstudio.gui.features.problems.view import ProblemsView
from jitstudio.gui.shell.navigation import ProblemPlace
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Makes the pane "Problems"."""
    state, shell = context.state, context.shell
    view = ProblemsView()
    shell.layout.fill("problems", view)
    ProblemsController(view, state.outputs, shell)
    LinkOffersController(
        view, state.documents, state.settings, state.build_controller, state.outputs
    )
    view.location_activated.connect(context.navigator.go_to_source)
    context.navigator.lead(ProblemPlace, lambda _place: view.go_to_first())
    view.fix_requested.connect(context.fixer.apply)
    view.fixes_requested.connect(context.fixer.apply_all)
    # Of the newest build, which may have failed: old once the text has changed; others say why.
    shell.stale_marks.add(view.table, lambda: state.outputs.is_edited, says_why=False)
    shell.context_menus.add_to_tables(view)


class ProblemsController(QObject):
    """Keeps the list in step with the results, and carries out the commands that go through it."""

    def __init__(self, view: ProblemsView, outputs: Outputs, shell: Shell) -> None:
        super().__init__(view)
        self._view = view
        outputs.result_changed.connect(self._on_result_changed)
        shell.actions.bind(
            {
                "nextProblemAction": view.go_to_next,
                "previousProblemAction": view.go_to_previous,
                "mendAllAction": view.mend_all,
            }
        )
        show = shell.actions["focusProblemsAction"]
        shell.status.problems_requested.connect(show.trigger)

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        if result is None:
            self._view.model.clear()
        else:
            self._view.model.set_diagnostics(result.diagnostics)
