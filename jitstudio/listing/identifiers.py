"""The names in a text, and the name that is being typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from threading import Event

from jitstudio.core.code import CodeKind
from jitstudio.core.cpp_text import HIDDEN, STRING
from jitstudio.ptx.scanner import COMMENT as PTX_COMMENT
from jitstudio.ptx.scanner import STRING as PTX_STRING

# One search keeps all other threads waiting, so that there are many small ones and rests between.
_PIECE = 8192
_REST = 0.001


@dataclass(frozen=True)
class _Spelling:
    """How a language writes names.

    Attributes:
        names: Passes over comments, strings and numbers; what is a name is the group.
        typed: What a cursor behind it may be completing.
    """

    names: re.Pattern[str]
    typed: re.Pattern[str]


_CUDA = _Spelling(
    re.compile(rf"{HIDDEN}|\b\d(?>'?[\w.])*+|(?P<name>[^\W\d][\w$]*+)(?!['\"])"),
    re.compile(r"(?:#|(?<![\w$]))[^\W\d][\w$]*\Z|#\Z"),
)
_SPELLINGS = {
    CodeKind.CUDA: _CUDA,
    CodeKind.HEADER: _CUDA,
    CodeKind.PTX: _Spelling(
        # Registers that are merely numbered are nothing to be reminded of.
        re.compile(
            rf"{PTX_COMMENT}|{PTX_STRING}|\b\d\w*+|\.[\w:]++|%\w*\d\b"
            r"|(?P<name>[%$]?[A-Za-z_$][\w$]*+)"
        ),
        re.compile(r"(?:[.%]|(?<![\w$:]))[A-Za-z_$][\w$:]*+\Z|[.%]\Z"),
    ),
    CodeKind.LLVM_IR: _Spelling(
        re.compile(rf";[^\n]*+|{STRING}|(?P<name>[%@][-A-Za-z_$.][-\w$.]*+)"),
        re.compile(r"(?:[%@]|(?<![-\w$.]))[A-Za-z_$.][-\w$.]*\Z|[%@]\Z"),
    ),
}


def identifiers(kind: CodeKind, text: str, stop: Event) -> frozenset[str]:
    """Returns all names of a text, without names in comments and strings.

    This is for the background: it gives way to other threads, and leaves off when asked to.
    """
    spelling = _SPELLINGS.get(kind)
    names: set[str] = set()
    at = 0
    while spelling is not None and at < len(text) and not stop.wait(_REST):
        end = text.find("\n", at + _PIECE) + 1 or len(text)
        names.update(match["name"] or "" for match in spelling.names.finditer(text, at, end))
        at = end
    names.discard("")
    return frozenset(names)


def typed_name(kind: CodeKind, before: str) -> str:
    """Returns the beginning of a name that a text ends with; empty without any."""
    spelling = _SPELLINGS.get(kind)
    match = spelling.typed.search(before) if spelling else None
    return match[0] if match else ""
