"""The content of the output panes: the newest result, or the last good where the newest failed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum, auto

from PySide6.QtCore import QObject, Signal

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.gui.services.build_service import Listing

SHOWN_KINDS = (CodeKind.PTX, CodeKind.SASS, CodeKind.TILEIR)


class Absence(Enum):
    """The reasons why a pane has nothing to show."""

    NOTHING_BUILT = auto()
    HELD = auto()
    """Nothing is built before the user wants it: others may have written the open text."""
    RUN_BY_BUILD = auto()
    """A build runs the open text, and nothing is run before the user wants it."""
    BEING_BUILT = auto()
    FAILED = auto()
    NOT_MADE = auto()
    """The build makes none of this kind."""


@dataclass(frozen=True)
class OldOutput:
    """The reason why part of the output is not of the newest text.

    Attributes:
        failed: The newest build, which has failed; None where the text was edited since.
        built_at: The time of the build whose output is shown, as far as that is known.
    """

    failed: BuildResult | None
    built_at: datetime | None


@dataclass(frozen=True)
class Output:
    """The content of an output pane.

    Attributes:
        listings: One per module, or the linked one; empty if there is nothing to show.
        old: The modules whose listings are of an older text: the newest is not built, or failed.
        absence: Why, where there is nothing.
        reason: How the build has failed, if that is why: a sentence.
    """

    listings: tuple[Listing, ...] = ()
    old: frozenset[str] = frozenset()
    absence: Absence = Absence.NOTHING_BUILT
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Built:
    """A successful build with request and time."""

    request: BuildRequest
    result: BuildResult
    at: datetime = field(default_factory=datetime.now)

    def has_code_of(self, other: Built) -> bool:
        """Returns whether another build has made the same code."""
        return self is other or _are_alike(self.result.artifacts, other.result.artifacts)

    def is_same_as(self, other: Built) -> bool:
        """Returns whether another build has made the same code of the same texts."""
        has_texts = _are_alike(_texts(self.request), _texts(other.request))
        return has_texts and self.has_code_of(other)


def _texts(request: BuildRequest) -> tuple[Source, ...]:
    """Returns the modules of a build, whatever options they are built with."""
    return tuple(s if s.options is None else replace(s, options=None) for s in request.sources)


def _are_alike(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    # Hashes are made by the thread of the build: most that differ are told without a look at
    # many megabytes of code.
    return hash(some) == hash(others) and some == others


@dataclass
class _LastBuilds:
    """The last builds of a subject."""

    outputs: dict[CodeKind, Output]
    request: BuildRequest | None = None
    result: BuildResult | None = None
    good: Built | None = None
    good_listings: tuple[Listing, ...] = ()
    built_at: datetime | None = None
    is_unfinished: bool = False
    is_edited: bool = False


def _nothing_built(absence: Absence) -> _LastBuilds:
    return _LastBuilds(dict.fromkeys(SHOWN_KINDS, Output(absence=absence)))


class Outputs(QObject):
    """The outputs per kind of code, for the document or the link that is looked at.

    Builds are told apart by a subject (the document, or the link), so that switching between two
    tabs shows each one's own last result.

    Attributes:
        function: The function whose SASS a build makes where that of all takes long; empty for any.

    Signals:
        changed: The output of this kind is another one now.
        result_changed: This result is looked at now; None before the first build of a subject.
        forgotten: The builds of this subject are gone.
    """

    changed = Signal(CodeKind)
    result_changed = Signal(object)
    forgotten = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last_builds: dict[object, _LastBuilds] = {}
        self._subject: object = None
        self._is_run = False
        self.function = ""
        self._expected: object = None
        self._absence = Absence.NOTHING_BUILT
        self._shown = _nothing_built(self._absence).outputs

    def replace_listing(self, old: Listing, new: Listing) -> None:
        """Shows another function of the same machine code; nothing if that is shown no more."""
        for builds in self._last_builds.values():
            builds.good_listings = _with(builds.good_listings, old, new)
            for kind, output in builds.outputs.items():
                listings = _with(output.listings, old, new)
                builds.outputs[kind] = replace(output, listings=listings)
        self._show()

    @property
    def subject(self) -> object:
        """The subject that is looked at."""
        return self._subject

    @property
    def result(self) -> BuildResult | None:
        """The last result of the current subject."""
        return self._builds_of(self._subject).result

    @property
    def request(self) -> BuildRequest | None:
        """The request of `result`; None where no request could be made."""
        return self._builds_of(self._subject).request

    @property
    def good(self) -> Built | None:
        """The last successful build of the current subject; None where none has succeeded."""
        return self._builds_of(self._subject).good

    @property
    def shown_result(self) -> BuildResult | None:
        """The result whose kernels, names and links are shown: the last good, if any is."""
        return self.good.result if self.good is not None else self.result

    @property
    def is_behind(self) -> bool:
        """Whether `shown_result` is of an older text: the newest is not built, or failed."""
        builds = self._builds_of(self._subject)
        return builds.good is not None and (
            builds.is_edited or builds.result is not builds.good.result
        )

    @property
    def is_edited(self) -> bool:
        """Whether the text has changed since the last build."""
        return self._builds_of(self._subject).is_edited

    @property
    def old_reason(self) -> OldOutput | None:
        """The reason why part of the output is not of the newest text; None if all is."""
        builds = self._builds_of(self._subject)
        if not (self.is_behind or any(output.old for output in builds.outputs.values())):
            return None
        return OldOutput(None if builds.is_edited else builds.result, builds.built_at)

    @property
    def is_first_expected(self) -> bool:
        """Whether the first build of the current subject is running, or will be in a moment."""
        is_expected = self._expected is not None and self._expected == self._subject
        return is_expected and self.result is None

    def expect(self, subject: object) -> None:
        """Expects a build of `subject`, running or about to start; None for no build."""
        self._expected = subject
        self._show()

    @property
    def is_unfinished(self) -> bool:
        """Whether a build of the current subject has made listings, and goes on."""
        return self._builds_of(self._subject).is_unfinished

    def is_good(self, listing: Listing) -> bool:
        """Whether a listing was made by `good`, not by a build that goes on or has failed."""
        return listing in self._builds_of(self._subject).good_listings

    def output(self, kind: CodeKind) -> Output:
        """Returns the output of the pane of `kind`."""
        return self._shown[kind]

    def add(self, subject: object, listings: tuple[Listing, ...]) -> None:
        """Shows the listings of a running build before the end: PTX is there long before SASS."""
        builds = self._builds_of(subject)
        builds.is_unfinished = True
        for kind in SHOWN_KINDS:
            new = {listing.name: listing for listing in listings if listing.kind is kind}
            if new:
                before = builds.outputs[kind]
                old = before.old - new.keys()
                updated = [new.pop(listing.name, listing) for listing in before.listings]
                builds.outputs[kind] = Output((*updated, *new.values()), old)
        self._last_builds[subject] = builds
        self._show()

    def publish(
        self,
        subject: object,
        result: BuildResult,
        listings: tuple[Listing, ...],
        request: BuildRequest | None = None,
    ) -> None:
        """Takes in the result of a build of `subject`."""
        builds = self._builds_of(subject)
        for kind in SHOWN_KINDS:
            of_kind = tuple(listing for listing in listings if listing.kind is kind)
            if result.ok:
                builds.outputs[kind] = Output(of_kind, absence=Absence.NOT_MADE)
            else:
                builds.outputs[kind] = _after_failure(builds, kind, of_kind, result)
        builds.request, builds.result = request, result
        builds.is_edited = False
        builds.is_unfinished = False
        if result.ok:
            builds.built_at = datetime.now()
            builds.good = Built(request, result) if request else None
            builds.good_listings = listings
        self._last_builds[subject] = builds
        if subject == self._subject:
            self._show()
            self.result_changed.emit(result)

    def mark_edited(self, name: str | None = None) -> None:
        """Marks builds as outdated: the text, or the settings, have changed since.

        Args:
            name: The module or header; None for how all of them are built.
        """
        for builds in self._last_builds.values():
            if builds.result is not None and _concerns(builds.request, name):
                builds.is_edited = True
                for kind, output in builds.outputs.items():
                    every = frozenset(listing.name for listing in output.listings)
                    builds.outputs[kind] = replace(output, old=every)
        self._show()

    def show_subject(self, subject: object, is_run: bool = False) -> None:
        """Shows the last build of another subject.

        Args:
            subject: The document, or the link.
            is_run: Whether a build runs it.
        """
        if subject != self._subject:
            self._subject, self._is_run = subject, is_run
            self._show()
            self.result_changed.emit(self.result)

    def forget(self, subject: object) -> None:
        """Drops the outputs of a subject that is gone."""
        if self._last_builds.pop(subject, None) is None:
            return
        self.forgotten.emit(subject)
        if subject == self._subject:
            self._show()
            self.result_changed.emit(None)

    def clear(self) -> None:
        """Forgets everything."""
        gone, self._last_builds = self._last_builds, {}
        for subject in gone:
            self.forgotten.emit(subject)
        self._show()
        self.result_changed.emit(None)

    def hold(self, is_held: bool) -> None:
        """Sets whether building waits for the user."""
        self._absence = Absence.HELD if is_held else Absence.NOTHING_BUILT
        self._show()

    def _builds_of(self, subject: object) -> _LastBuilds:
        return self._last_builds.get(subject) or _nothing_built(self._absence)

    def _show(self) -> None:
        for kind, output in self._builds_of(self._subject).outputs.items():
            if self.is_first_expected and not output.listings:
                output = replace(output, absence=Absence.BEING_BUILT)
            elif self._is_run and output.absence is Absence.NOTHING_BUILT:
                output = replace(output, absence=Absence.RUN_BY_BUILD)
            if output != self._shown[kind]:
                self._shown[kind] = output
                self.changed.emit(kind)


def _with(listings: tuple[Listing, ...], old: Listing, new: Listing) -> tuple[Listing, ...]:
    return tuple(new if listing is old else listing for listing in listings)


def _after_failure(
    builds: _LastBuilds, kind: CodeKind, new_listings: tuple[Listing, ...], result: BuildResult
) -> Output:
    """Returns the new listings of a failed build, with the last good listings for the rest."""
    new = {listing.name: listing for listing in new_listings}
    old = frozenset(listing.name for listing in builds.outputs[kind].listings) - new.keys()
    listings = [new.pop(listing.name, listing) for listing in builds.outputs[kind].listings]
    listings += new.values()
    if not listings:
        return Output(absence=Absence.FAILED, reason=result.reason)
    return Output(tuple(listings), old)


def _concerns(request: BuildRequest | None, name: str | None) -> bool:
    """Returns whether a module, a header or the settings concern a build."""
    if request is None or name is None:
        return True
    modules = (*request.sources, *request.libraries)
    return name in {part.name for part in modules} | {part.name for part in request.headers}
