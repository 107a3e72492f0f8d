"""The whole table, and where in it a flag is."""

from __future__ import annotations

from jitstudio.core.options.rows import code, elsewhere, language, link, reading
from jitstudio.core.options.spec import Group, Kind, OptionSpec

_ORDER = {group: place for place, group in enumerate(Group)}
OPTIONS: tuple[OptionSpec, ...] = tuple(
    sorted(
        (*code.ROWS, *language.ROWS, *link.ROWS, *reading.ROWS, *elsewhere.ROWS),
        key=lambda spec: _ORDER[spec.group],
    )
)
"""Every option, group by group."""

_BY_FLAG = {flag: spec for spec in OPTIONS for flag in spec.flags}
_GLUED = {flag: spec for flag, spec in _BY_FLAG.items() if spec.glued and not flag.startswith("--")}


def find(text: str) -> tuple[OptionSpec | None, str | None]:
    """The row of an option such as ``-O3`` or ``--std=c++20``, and the value that it names."""
    flag, equals, value = text.partition("=")
    if flag in _BY_FLAG:
        return _BY_FLAG[flag], value if equals else None
    for flag, spec in _GLUED.items():
        value = text.removeprefix(flag).lstrip(" ")
        if value != text and (spec.value.kind is not Kind.CHOICE or value.isdigit()):
            return spec, value
    return None, None
