"""The C++ names of lowered (mangled) names, as far as any pane has asked.

Names of functions stand in texts as the listing shows them, or by `LoweredNames.spelled`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from PySide6.QtCore import QObject, Signal, Slot

from jitstudio.gui.services.build_service import BuildService
from jitstudio.listing.kernel_names import lowered_names, meanings, spelled


class LoweredNames(QObject):
    """Asks the worker for each name once; the demangler is native code, which is not loaded here.

    The worker is asked rather than having it send names along with every build: nobody else needs
    them, they are few, and after the first build an edit hardly adds one.

    Signals:
        learnt: More names are known.
    """

    learnt = Signal()

    def __init__(self, service: BuildService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._known: dict[str, str] = {}
        # What is shown in place of each; overloads are told apart.
        self._shown: dict[str, str] = {}
        self._wanted: set[str] = set()
        self._is_asking = False

    @property
    def known(self) -> Mapping[str, str]:
        """The meaning of each name that was asked for; a name without meaning maps to the name."""
        return self._known

    def want(self, names: Set[str]) -> None:
        """Asks for the names of `names` that are not known yet."""
        self._wanted |= names - self._known.keys()
        self._ask()

    def spelled(self, text: str) -> str:
        """Returns a text with names as in C++; unknown names are asked for."""
        self.want(lowered_names(text.splitlines()))
        return spelled(text, self._shown)

    def _ask(self) -> None:
        if self._wanted and not self._is_asking:
            self._is_asking = True
            handle = self._service.demangle(sorted(self._wanted))
            handle.finished.connect(self._on_demangled)
            handle.failed.connect(self._on_failed)

    @Slot(object)
    def _on_demangled(self, names: dict[str, str]) -> None:
        self._is_asking = False
        self._known |= names
        self._shown = meanings(self._known, self._known)
        self._wanted -= names.keys()
        self.learnt.emit()
        self._ask()

    @Slot()
    def _on_failed(self) -> None:
        self._is_asking = False
