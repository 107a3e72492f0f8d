"""Which lines of a source stand between two braces: what an editor can fold."""

from __future__ import annotations

import re

from jitstudio.core.code import CodeKind

_STRING = r'"(?>[^"\\\n]|\\.)*+"?'
_C_LIKE = re.compile(
    # A quote behind a digit separates digits.
    rf"//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)|{_STRING}|(?<!\w)'(?>[^'\\\n]|\\.)*+'?|([{{}}])"
)
_PATTERNS = {
    CodeKind.CUDA: _C_LIKE,
    CodeKind.HEADER: _C_LIKE,
    CodeKind.PTX: _C_LIKE,
    CodeKind.LLVM_IR: re.compile(rf";[^\n]*+|{_STRING}|([{{}}])"),
}


def folds(kind: CodeKind, text: str) -> dict[int, int]:
    """The last line before the closing brace, by the line of the opening one, from 0.

    Of several braces in a line it is the outermost that counts. There is nothing to fold where
    the brace is closed in the next line or never.
    """
    found: dict[int, int] = {}
    opened: list[int] = []
    line = at = 0
    pattern = _PATTERNS.get(kind)
    for match in pattern.finditer(text) if pattern else ():
        brace = match[1]
        if not brace:
            continue
        line += text.count("\n", at, match.start())
        at = match.start()
        if brace == "{":
            opened.append(line)
        elif opened:
            first = opened.pop()
            if line - first > 1:
                # An outer brace is closed later.
                found[first] = line - 1
    return found
