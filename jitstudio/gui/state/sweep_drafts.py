"""What was typed for the sweep of each kernel, as long as the program runs."""

from __future__ import annotations

from jitstudio.core.launch.signature import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.sweep.draft import SweepDraft, fresh_draft, generic_name


class SweepDrafts:
    """The drafts by kernel; all instances of a template are one."""

    def __init__(self) -> None:
        self._drafts: dict[str, SweepDraft] = {}

    def of(self, form: KernelForm, spec: LaunchSpec) -> SweepDraft:
        """What was typed last for this kernel, else what a fresh form shows."""
        known = self._drafts.get(generic_name(form.title))
        return known if known is not None else fresh_draft(form, spec)

    def remember(self, title: str, draft: SweepDraft) -> None:
        """Keep what was typed for the kernel of this title."""
        self._drafts[generic_name(title)] = draft
