"""The kernel to launch with arguments and configuration, and the typed launches of the others.

Typed launches are kept while other kernels are launched and signatures change, and so are the axes
that were typed to vary a launch: as long as the program runs, or in a project.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot

from jitstudio.core.axes import VariantDraft, fresh_draft, generic_name
from jitstudio.core.launch.arguments import default_arguments, first_launch
from jitstudio.core.launch.choice import choose_form
from jitstudio.core.launch.entry import base_name
from jitstudio.core.launch.members import row_about
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import KernelForm
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.project.project import RunRecording, StepRecording


class LaunchSpecs(QObject):
    """The kernels of a build, the chosen kernel, and the launches by kernel title.

    Signals:
        replaced: The chosen launch is another one than was typed: views show it anew.
        changed: The chosen launch has changed, replaced or typed.
        chosen: A kernel was chosen, by its title or with its launch.
        forms_changed: There are the kernels of another build; nobody has chosen among them.
        finishing: The text being typed is needed now: `edit` takes it before this comes back.
    """

    replaced = Signal()
    changed = Signal()
    chosen = Signal()
    forms_changed = Signal()
    finishing = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # The one used last is the last.
        self._specs: dict[str, LaunchSpec] = {}
        self._forms: tuple[KernelForm, ...] = ()
        self._form: KernelForm | None = None
        self._spec = LaunchSpec()
        self._waiting: LaunchSpec | None = None
        self._time_limit = LaunchSpec.timeout
        self._unreadable: tuple[SpecProblem, ...] = ()

    def set_time_limit(self, seconds: float) -> None:
        """Sets the time limit of launches that are not typed yet."""
        self._time_limit = seconds

    def finish(self) -> str:
        """Has the text being typed taken over; returns why that text cannot be read, or nothing."""
        self.finishing.emit()
        return self.unreadable

    @property
    def unreadable(self) -> str:
        """The reason why the typed text cannot be read, or nothing."""
        return next((problem.message for problem in self._unreadable), "")

    @property
    def forms(self) -> tuple[KernelForm, ...]:
        """The kernels that can be launched."""
        return self._forms

    @property
    def form(self) -> KernelForm | None:
        """The kernel that is chosen."""
        return self._form

    @property
    def spec(self) -> LaunchSpec:
        """The launch of the chosen kernel; the last launch where no kernel is chosen."""
        return self._spec

    @property
    def specs(self) -> tuple[LaunchSpec, ...]:
        """All remembered launches, in the order of the last use."""
        return tuple(self._specs.values())

    def remember_all(self, specs: Iterable[LaunchSpec]) -> None:
        """Keeps launches by kernel."""
        for spec in specs:
            self.remember(spec)

    def set_forms(self, forms: tuple[KernelForm, ...]) -> None:
        """Takes the kernels of a build; the chosen kernel stays, or the last used takes over."""
        self._forms, reason = forms, self.forms_changed
        if self._waiting is not None and (title := self._title_of(self._waiting.kernel)):
            self.remember(replace(self._waiting, kernel=title))
            self._waiting, reason = None, self.chosen
        else:
            titles = [form.title for form in forms]
            used = [title for title in self._specs if title in titles]
            title = self._spec.kernel
            if title not in titles:
                title = (used[-1:] or titles[:1] or [""])[0]
        self._turn_to(title)
        self._emit_replaced(reason)

    @Slot(str)
    def choose(self, title: str) -> None:
        """Turns to a kernel by title."""
        self.remember(self._spec)
        self._turn_to(title)
        self.remember(self._spec)
        self._emit_replaced(self.chosen)

    @Slot(object, tuple)
    def edit(self, spec: LaunchSpec, unreadable: tuple[SpecProblem, ...] = ()) -> None:
        """Takes in the user's edits of the chosen kernel's launch.

        Args:
            spec: The launch.
            unreadable: Problems of typed texts that no launch can hold.
        """
        self._spec, self._unreadable = spec, unreadable
        self.remember(spec)
        self.changed.emit()

    def show(self, spec: LaunchSpec) -> None:
        """Turns to another launch; as soon as the kernel is built, if that is still to come."""
        title = self._title_of(spec.kernel)
        self._waiting = None if title else spec
        self._spec = replace(spec, kernel=title or spec.kernel)
        self.remember(self._spec)
        self._turn_to(title)
        self._emit_replaced(self.chosen)

    def remember(self, spec: LaunchSpec) -> None:
        """Remembers a launch by kernel, with the texts of parameters that the kernel has lost."""
        known = self._specs.pop(spec.kernel, spec)
        arguments = dict(known.arguments) | dict(spec.arguments)
        self._specs[spec.kernel] = replace(spec, arguments=tuple(arguments.items()))

    def replace_all(self, specs: Iterable[LaunchSpec], kernel: str) -> None:
        """Replaces all launches.

        Args:
            specs: One for each kernel.
            kernel: The one to turn to, as soon as it is built.
        """
        self._specs = {spec.kernel: spec for spec in specs}
        self._waiting = None
        self._spec = self._specs.pop(kernel, LaunchSpec())
        if self._spec.kernel:
            self._specs[kernel] = self._spec
        self._turn_to(self._title_of(kernel))
        self._emit_replaced(self.chosen)

    def suggest(self, spec: LaunchSpec) -> None:
        """Remembers a launch unless the user has typed another for this kernel."""
        self._specs.setdefault(spec.kernel, spec)

    def fitted(self, form: KernelForm) -> LaunchSpec:
        """Returns the launch of a kernel, for the present parameters of the kernel.

        A kernel that is new takes the texts typed for another instance of its template.
        """
        defaults = default_arguments(form)
        known = self._specs.get(form.title) or self._sibling(form.title)
        if known is None:
            return replace(first_launch(form), timeout=self._time_limit)
        texts = dict(known.arguments)
        arguments = {name: texts.get(name, default) for name, default in defaults}
        # Such as `rows[1]`, beside what all rows are.
        parts = (name for name in texts if name not in arguments and row_about(form, name))
        arguments |= {name: texts[name] for name in parts}
        return replace(known, kernel=form.title, arguments=tuple(arguments.items()))

    def _turn_to(self, title: str) -> None:
        self._form = next((form for form in self._forms if form.title == title), None)
        if self._form is not None:
            self._spec = self.fitted(self._form)

    def _emit_replaced(self, reason: SignalInstance) -> None:
        """Emits that the launch is another one, and why: `chosen` or `forms_changed`."""
        self._unreadable = ()
        # Who leads by the reason chooses before others look.
        reason.emit()
        self.replaced.emit()
        self.changed.emit()

    def _title_of(self, kernel: str) -> str:
        """Returns the title of the kernel that a spec names; empty while that is not built."""
        try:
            return choose_form(kernel, self._forms if kernel else self._forms[:1]).title
        except SpecError:
            return ""

    def _sibling(self, title: str) -> LaunchSpec | None:
        name = base_name(title)
        return next((s for t, s in reversed(self._specs.items()) if base_name(t) == name), None)


MOST_RECORDED = 24 << 20
"""Bytes that all recordings of a project take: of its file no more than 64 MiB are read."""


class StepRecordings(QObject):
    """The simulated runs of the project: at most a step and a recording for each kernel.

    Signals:
        changed: Other steps or recordings are kept.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: dict[str, StepRecording] = {}
        self._recordings: dict[str, RunRecording] = {}

    @property
    def all(self) -> tuple[StepRecording, ...]:
        """All steps."""
        return tuple(self._steps.values())

    @property
    def recordings(self) -> tuple[RunRecording, ...]:
        """All recordings, in the order in which they were made."""
        return tuple(self._recordings.values())

    def of(self, kernel: str) -> StepRecording | None:
        """Returns the step of a kernel, by launch name."""
        return self._steps.get(kernel)

    def recording_of(self, kernel: str) -> RunRecording | None:
        """Returns the recording of a kernel, or the last of all recordings."""
        return self._recordings.get(kernel) or next(reversed(self.recordings), None)

    def has_recording_of(self, kernel: str) -> bool:
        """Returns whether there is a recording of exactly this kernel."""
        return kernel in self._recordings

    def keep(self, step: StepRecording) -> None:
        """Keeps a step in place of the earlier step of the kernel."""
        self._steps[step.kernel] = step
        self.changed.emit()

    def keep_recording(self, recording: RunRecording) -> tuple[str, ...]:
        """Keeps a recording in place of the earlier recording of the kernel.

        Returns:
            The kernels whose recordings had to go, those that were made first, as all together
            take at most `MOST_RECORDED` bytes.
        """
        self._recordings.pop(recording.kernel, None)
        self._recordings[recording.kernel] = recording
        gone = []
        while sum(len(kept_recording.data) for kept_recording in self.recordings) > MOST_RECORDED:
            gone.append(next(iter(self._recordings)))
            del self._recordings[gone[-1]]
        self.changed.emit()
        return tuple(gone)

    def remove_recording(self, kernel: str) -> None:
        """Keeps the recording of a kernel no longer."""
        if self._recordings.pop(kernel, None) is not None:
            self.changed.emit()

    def replace_all(
        self, steps: Iterable[StepRecording], recordings: Iterable[RunRecording]
    ) -> None:
        """Replaces all steps and recordings."""
        self._steps = {step.kernel: step for step in steps}
        self._recordings = {recording.kernel: recording for recording in recordings}
        self.changed.emit()


class VariantDrafts(QObject):
    """The drafts by kernel; all instances of a template share a draft.

    Signals:
        changed: A draft is another one than before.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts: dict[str, VariantDraft] = {}

    @property
    def drafts(self) -> tuple[VariantDraft, ...]:
        """All drafts."""
        return tuple(self._drafts.values())

    def of(self, form: KernelForm, spec: LaunchSpec) -> VariantDraft:
        """Returns the draft that was typed last for this kernel, or the draft of a fresh form."""
        known = self._drafts.get(generic_name(form.title))
        return known if known is not None else fresh_draft(form, spec)

    def remember(self, title: str, draft: VariantDraft) -> None:
        """Remembers the draft of the kernel of this title."""
        self._drafts[generic_name(title)] = draft
        self.changed.emit()

    def replace_all(self, drafts: Iterable[VariantDraft]) -> None:
        """Replaces all drafts."""
        self._drafts = {generic_name(draft.kernel): draft for draft in drafts}
        self.changed.emit()
