"""The axes that were typed for each kernel, as long as the program runs or in a project."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from jitstudio.core.axes import VariantDraft, fresh_draft, generic_name
from jitstudio.core.launch.request import KernelForm
from jitstudio.core.launch.spec import LaunchSpec


class VariantDrafts(QObject):
    """The drafts by kernel; all instances of a template are one.

    Signals:
        changed: A draft is another one than before.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts: dict[str, VariantDraft] = {}

    @property
    def drafts(self) -> tuple[VariantDraft, ...]:
        """All that were typed."""
        return tuple(self._drafts.values())

    def of(self, form: KernelForm, spec: LaunchSpec) -> VariantDraft:
        """Returns what was typed last for this kernel, else what a fresh form shows."""
        known = self._drafts.get(generic_name(form.title))
        return known if known is not None else fresh_draft(form, spec)

    def remember(self, title: str, draft: VariantDraft) -> None:
        """Keeps what was typed for the kernel of this title."""
        self._drafts[generic_name(title)] = draft
        self.changed.emit()

    def replace_all(self, drafts: Iterable[VariantDraft]) -> None:
        """Keeps these and no others."""
        self._drafts = {generic_name(draft.kernel): draft for draft in drafts}
        self.changed.emit()
