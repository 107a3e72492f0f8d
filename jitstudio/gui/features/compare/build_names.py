"""What builds are called where two of them are compared, and in what they differ."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from jitstudio.core.options.parsing import join_options, read
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

_LINKS = {
    LinkMode.PTX: QT_TRANSLATE_NOOP("BuildNames", "PTX link"),
    LinkMode.LTO: QT_TRANSLATE_NOOP("BuildNames", "LTO link"),
}
_CLOCK = "%H:%M:%S"


def build_name(request: BuildRequest, at: datetime) -> str:
    """All that tells a build from others: subject, target, options, and when it was made."""
    parts = (_subject(request), request.arch.sm, join_options(request.options), f"{at:{_CLOCK}}")
    return ", ".join(filter(None, parts))


def what_differs(request: BuildRequest, other: BuildRequest) -> str:
    """What one build has and the other has not: subject, target, options; empty if neither.

    An option that only the other has is named, too: "without --use_fast_math".
    """
    return ", ".join(_differences(request, other))


def difference_titles(
    left: BuildRequest, left_at: datetime, right: BuildRequest, right_at: datetime
) -> tuple[str, str]:
    """What stands above two builds side by side: in what they differ, and when they were made."""
    translate = QCoreApplication.translate
    titles = (
        (translate("BuildNames", "Baseline: {facts}"), what_differs(left, right), left_at),
        (translate("BuildNames", "Now: {facts}"), what_differs(right, left), right_at),
    )
    first, second = (
        title.format(facts=", ".join(filter(None, (differs, f"{at:{_CLOCK}}"))))
        for title, differs, at in titles
    )
    return first, second


def _differences(request: BuildRequest, other: BuildRequest) -> Iterator[str]:
    if _subject(request) != _subject(other):
        yield _subject(request)
    if request.arch != other.arch:
        yield request.arch.sm
    own, others = _options(request), _options(other)
    if more := [option for option in own if option not in others]:
        yield " ".join(more)
    elif less := [option for option in others if option not in own]:
        without = QCoreApplication.translate("BuildNames", "without {options}")
        yield without.format(options=" ".join(less))


def _options(request: BuildRequest) -> list[str]:
    return [join_options(given.words) for given in read(request.options)]


def _subject(request: BuildRequest) -> str:
    """What was built, in a word or two."""
    if request.link in _LINKS:
        return QCoreApplication.translate("BuildNames", _LINKS[request.link])
    return request.sources[0].name
