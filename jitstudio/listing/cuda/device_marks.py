"""Words that mark declarations as the device's in a text in which no line or column may move."""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitstudio.listing.cuda.heads import head_of
from jitstudio.listing.cuda.outline import Kind, OutlineItem, close_of

Mark = tuple[int, bytes]
"""Where a word of ``MARKS`` is put, or a ``;``."""

MARKS = {
    b"__hd_cx__": b"__host__ __device__ constexpr",
    b"__hd_v_": b"__host__ __device__ virtual",
    b"__hd_op_": b"__host__ __device__ operator",
    b"_J": b"__host__ __device__",
    b"__cx_": b"constexpr",
}
"""Words that mark device code where no column may move, with what they are to be defined as.

A function that nothing marks is of the host, though its result may be needed to compile, its
place in a table of virtual functions, or a constructor to tell what the class is.
"""
# Where there may be no room for more. No header of NVIDIA's has this word.
_SHORT = b"_J"
# Where nothing but the end of a line is behind it.
_INSERTED = b" _J"
_MARKED = {
    b"constexpr": b"__hd_cx__",
    b"virtual": b"__hd_v_",
    b"operator": b"__hd_op_",
    b"const": b"__cx_",
}
CONSTEXPR = re.compile(rb"\bconstexpr\b")
VIRTUAL = re.compile(rb"\bvirtual\b")
PLAIN_CONST = re.compile(rb"\bconst\b")
_OPERATOR = re.compile(rb"\boperator\b")
# What may be between the parameters of a constructor and its body.
_INITIAL = re.compile(rb"\btry\b|(?<!:):(?!:)")
_WORD_BYTE = re.compile(rb"\w")
# Two bytes of a line are enough for the shortest mark.
_ROOM = re.compile(rb"[^\r\n]{2}")


class DeviceMarks:
    """The words that are to be put into a text.

    Args:
        text: The text.
        code: The same without comments and quoted texts.
    """

    def __init__(self, text: bytes, code: bytes) -> None:
        self._text, self._code = text, code
        # With the place that has to stay, too.
        self._marks: list[tuple[int, bytes, int]] = []

    def put(self, declaration: OutlineItem, word: re.Pattern[bytes]) -> bool:
        """Makes a declaration the device's, by a macro in the place of a word."""
        match = word.search(self._text, declaration.start, declaration.body)
        if match is None or not word.search(declaration.head):
            return False
        self._marks.append((match.start(), _MARKED[match[0]], declaration.start))
        return True

    def put_on_special(
        self, declaration: OutlineItem, *, is_assignment: bool
    ) -> tuple[int, int] | None:
        """Makes a constructor, destructor or assignment the device's, without a body.

        Returns:
            Where the body is, with all before it but the parameters, empty without any; None where
            there is no room for a mark.
        """
        start, end = declaration.start, declaration.end
        is_definition = declaration.kind is Kind.FUNCTION
        at = self._end_of_parameters(declaration) if is_definition else start
        if is_assignment:
            is_marked = self.put(declaration, _OPERATOR)
        elif is_definition:
            room = _ROOM.search(self._text, at, end - 1) if at else None
            if room:
                self._marks.append((room.start(), _SHORT, start))
            is_marked = room is not None or self._put_at_end(declaration, at)
        else:
            is_marked = self._put_before(declaration) or self._put_at_end(declaration, end - 1)
        if not (is_marked and at):
            return None
        if not is_definition:
            return end, end
        self._marks.append((end - 1, b";", start))
        return at, end

    def _put_before(self, declaration: OutlineItem) -> bool:
        """Marks a declaration in the blanks before, if there is room."""
        start = declaration.start
        at = start - len(_SHORT) - (0 if self._text.startswith(b"~", start) else 1)
        around = self._text[max(0, at - 1) : start]
        is_free = at > 0 and not around[1:].strip(b" \t") and not _WORD_BYTE.match(around)
        if is_free and not declaration.template:
            self._marks.append((at, _SHORT, start))
            return True
        return False

    def _put_at_end(self, declaration: OutlineItem, at: int) -> bool:
        """Marks a declaration at a place, if no code behind in the same line would move."""
        code, end = self._code, declaration.end
        line_end = code.find(b"\n", end)
        rest = code[end : line_end if line_end >= 0 else len(code)]
        is_last = at > 0 and not rest.strip() and code[end - 1] in b";}"
        if is_last:
            self._marks.append((at, _INSERTED, declaration.start))
        return is_last

    def _end_of_parameters(self, declaration: OutlineItem) -> int:
        """Returns the end of the parameters with their qualifiers; 0 if unclear."""
        start, body = declaration.start, declaration.body
        text = self._code[start:body]
        owner = head_of(declaration.parent).name if declaration.parent else b""
        match = re.search(rb"(?:\boperator\s*+=|\b%s)\s*+(?=\()" % re.escape(owner), text)
        if match is None:
            return 0
        initial = _INITIAL.search(text, close_of(text, match.end(), b"(", b")"))
        end = len(text[: initial.start() if initial else None].rstrip())
        return start + end + bool(_WORD_BYTE.match(text, end - 1))

    def outside(self, spans: Iterable[tuple[int, int]]) -> tuple[Mark, ...]:
        """Returns the words for declarations that begin outside of some spans, in order."""
        aside = bytearray(len(self._text) if self._marks else 0)
        for start, end in spans if self._marks else ():
            aside[start:end] = b"\1" * (end - start)
        return tuple(sorted({(at, word) for at, word, needed in self._marks if not aside[needed]}))


def with_marks(text: bytes, marks: Iterable[Mark]) -> bytes:
    """Returns a text with its marks in place."""
    changed = bytearray(text)
    for start, word in sorted(marks, reverse=True):
        changed[start : start + (len(word) if word != _INSERTED else 0)] = word
    return bytes(changed)
