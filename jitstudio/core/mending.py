"""All fixes that a build offers, carried out in one step.

Lines and texts of fixes are those of the text that was built, so that all its changes are found in
that, before any of them is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import Diagnostic, Edit, Fix, FixKind, edit_for

_ASKING = frozenset(
    {FixKind.ADD_INCLUDE_FOLDER, FixKind.OPEN_FILES, FixKind.LINK_WITH, FixKind.TRUST_PROJECT}
)
"""What the user has to choose or to allow."""


def mendable(diagnostics: Iterable[Diagnostic]) -> tuple[Fix, ...]:
    """Returns the fixes that can be carried out together, without a question to the user.

    Each is there once. Of several targets it is the newest, as that has what older ones have, and
    of directives that PTX has once, such as ``.version``, the first.
    """
    offered = dict.fromkeys(d.fix for d in diagnostics if d.fix and d.fix.kind not in _ASKING)
    archs = [fix for fix in offered if fix.kind is FixKind.SET_ARCH]
    newest = max(archs, key=lambda fix: Arch.parse(fix.value), default=None)
    chosen: dict[object, Fix] = {}
    for fix in offered:
        only = fix.kind in (FixKind.SET_ARCH, FixKind.SET_LINK_MODE)
        directive = fix.kind is FixKind.INSERT_TEXT and fix.value.startswith(".")
        key = fix.kind if only else (fix.file, fix.value.split()[0]) if directive else fix
        chosen.setdefault(key, newest if fix in archs and newest else fix)
    return tuple(chosen.values())


def edits_for(fixes: Iterable[Fix], text: str) -> list[Edit]:
    """Returns how the fixes change a text, from its end to its beginning.

    What a fix replaces and is not there, or is changed by another one before it, stays as it is.
    """
    found = sorted(filter(None, (edit_for(fix, text) for fix in fixes)), key=lambda e: e.start)
    edits: list[Edit] = []
    for edit in found:
        if not edits or edit.start >= edits[-1].end:
            edits.append(edit)
    return edits[::-1]
