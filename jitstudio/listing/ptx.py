"""What a PTX text says about itself, found without parsing the rest."""

from __future__ import annotations

import re

# Atomic groups and possessive repeats keep every match linear: nothing is tried twice.
_COMMENT = r"(?>//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))"
_GAP = rf"(?>\s|{_COMMENT})*+"
_PASSED_OR_ENTRY = re.compile(rf'{_COMMENT}|"[^"\n]*|\.entry\b{_GAP}([\w$%]+)')
# The next kernel ends the search too, or many without bodies would each search the whole text.
_BODY = re.compile(rf"(?>{_COMMENT}|[^;{{.]|\.(?!entry\b))*+\{{")


def entries(text: str) -> tuple[str, ...]:
    """The names of the kernels that a PTX text defines, in order.

    A declaration without a body names no kernel, nor does what stands in a comment or a string.
    """
    found = _PASSED_OR_ENTRY.finditer(text)
    return tuple(entry[1] for entry in found if entry[1] and _BODY.match(text, entry.end()))
