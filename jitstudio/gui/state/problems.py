"""The problems of the newest build and of the last run, for the pane and the editors."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.launch.run_problems import RunProblem, run_problems
from jitstudio.core.result import BuildResult
from jitstudio.gui.state.documents import Documents
from jitstudio.gui.state.launch_controller import LaunchController
from jitstudio.gui.state.outputs import Outputs


class Problems(QObject):
    """Follows builds and launches of the code that is looked at.

    Signals:
        changed: There are other problems now.
    """

    changed = Signal()

    def __init__(
        self,
        documents: Documents,
        outputs: Outputs,
        launches: LaunchController,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._documents = documents
        self._outputs = outputs
        self._launches = launches
        self._of_build: tuple[Diagnostic, ...] = ()
        self._of_run: tuple[RunProblem, ...] = ()
        outputs.result_changed.connect(self._on_result_changed)
        launches.running_changed.connect(self._on_run_changed)
        launches.code_changed.connect(self._on_run_changed)

    @property
    def is_built(self) -> bool:
        """Whether there has been a build, so that no problems means that none was found."""
        return self._outputs.result is not None

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """The problems of the build, then those of the run."""
        return (*self._of_build, *self._of_run)

    def explain_build(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Takes the diagnostics of the newest build with other explanations and fixes."""
        self._of_build = diagnostics
        self.changed.emit()

    @Slot(object)
    def _on_result_changed(self, result: BuildResult | None) -> None:
        self._of_run = self._problems_of_run()
        self.explain_build(result.diagnostics if result is not None else ())

    @Slot()
    def _on_run_changed(self) -> None:
        of_run = self._problems_of_run()
        if of_run != self._of_run:
            self._of_run = of_run
            self.changed.emit()

    def _problems_of_run(self) -> tuple[RunProblem, ...]:
        result = self._launches.result
        return tuple(map(self._named, run_problems(result))) if result is not None else ()

    def _named(self, problem: RunProblem) -> RunProblem:
        """Returns a problem with its file called as the document is, not as in line tables."""
        document = self._documents.spelt(problem.file) if problem.file else None
        return replace(problem, file=document.name) if document is not None else problem
