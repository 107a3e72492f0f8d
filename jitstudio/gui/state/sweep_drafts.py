"""What was typed for the sweep of each kernel, as long as the program runs or in a project."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from jitstudio.core.launch.request import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.sweep.draft import SweepDraft, fresh_draft, generic_name


class SweepDrafts(QObject):
    """The drafts by kernel; all instances of a template are one.

    Signals:
        changed: A draft is another one than before.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts: dict[str, SweepDraft] = {}

    @property
    def drafts(self) -> tuple[SweepDraft, ...]:
        """All that were typed."""
        return tuple(self._drafts.values())

    def of(self, form: KernelForm, spec: LaunchSpec) -> SweepDraft:
        """What was typed last for this kernel, else what a fresh form shows."""
        known = self._drafts.get(generic_name(form.title))
        return known if known is not None else fresh_draft(form, spec)

    def remember(self, title: str, draft: SweepDraft) -> None:
        """Keep what was typed for the kernel of this title."""
        self._drafts[generic_name(title)] = draft
        self.changed.emit()

    def replace_all(self, drafts: Iterable[SweepDraft]) -> None:
        """Keep these and no others."""
        self._drafts = {generic_name(draft.kernel): draft for draft in drafts}
        self.changed.emit()
