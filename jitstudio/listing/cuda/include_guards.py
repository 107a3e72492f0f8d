"""Conditions of the preprocessor that always hold: include guards, and ``#ifdef __cplusplus``.

What a guard encloses is compiled where nothing before has defined its name. That cannot be known
behind an ``#include``, and not where the lines have an ``#else``: such conditions stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from jitstudio.core.cpp_text import bare_cpp

_DIRECTIVE = re.compile(r"[ \t]*+#[ \t]*+(?P<word>\w++)[ \t]*+(?P<rest>[^\n]*+)")
# `#if !defined(NAME)` or `#if !defined NAME`
_NOT_DEFINED = re.compile(r"!\s*+defined\s*+(?:\(\s*+(?P<inner>\w++)\s*+\)|(?P<bare>\w++))")
# `#ifdef __cplusplus` or `#if defined(__cplusplus)`
_CPLUSPLUS = re.compile(r"(?>defined\s*+)?+\(?+\s*+__cplusplus\s*+\)?+")
# The compiler itself defines them, some on the GPU only.
_BUILT_IN = re.compile(r"__(?:cplusplus|CUDA\w*|NVCC\w*|NVRTC\w*|GNUC\w*|linux\w*|x86_64\w*)")


@dataclass
class _Condition:
    """An ``#if`` that is open.

    Attributes:
        lines: Those of its directives, which go if it always holds.
        always: Whether it does.
        other: Where the branch begins that is never compiled; None without one.
    """

    lines: list[int] = field(default_factory=list)
    always: bool = False
    other: int | None = None


def without_guards(text: str, defines: Collection[str] = ()) -> str:
    """Returns a text without the conditions that always hold; each line stays in place.

    Args:
        text: CUDA C++.
        defines: The names of macros that options define.
    """
    if "#" not in text:
        return text
    lines, bare = text.split("\n"), bare_cpp(text).split("\n")
    directives = [_DIRECTIVE.match(line) for line in bare]
    known, has_include = set(defines), False
    conditions: list[_Condition] = []
    for at, directive in enumerate(directives):
        if directive is None:
            continue
        word, rest = directive["word"], directive["rest"].strip()
        if word in ("if", "ifdef", "ifndef"):
            conditions.append(_Condition([at]))
            name = _guarded(word, rest)
            define = _definition_behind(bare, directives, at, name) if name else None
            is_free = not (has_include or name in known or _BUILT_IN.fullmatch(name))
            if define is not None and is_free:
                conditions[-1].lines.append(define)
                conditions[-1].always = True
            elif word != "ifndef" and _CPLUSPLUS.fullmatch(rest):
                conditions[-1].always = True
        elif word.startswith("el") and conditions:
            innermost = conditions[-1]
            innermost.always &= word == "else" and _is_cplusplus(bare[innermost.lines[0]])
            innermost.other = at
        elif word == "endif" and conditions:
            closed = conditions.pop()
            never = range(at if closed.other is None else closed.other, at + 1)
            for line in (*closed.lines, *never) if closed.always else ():
                lines[line] = ""
        elif word == "define":
            known.add(re.split(r"\W", rest, maxsplit=1)[0])
        has_include |= word == "include"
    return "\n".join(lines)


def _guarded(word: str, rest: str) -> str:
    """Returns the name that a condition asks not to be defined; empty for other conditions."""
    if word == "ifndef":
        return rest
    match = _NOT_DEFINED.fullmatch(rest) if word == "if" else None
    return (match["inner"] or match["bare"]) if match else ""


def _definition_behind(
    bare: list[str], directives: list[re.Match[str] | None], at: int, name: str
) -> int | None:
    """Returns the line that defines `name`, with nothing before; None without a definition."""
    for line in range(at + 1, len(bare)):
        directive = directives[line]
        if directive is not None:
            is_it = directive["word"] == "define" and directive["rest"].split()[:1] == [name]
            return line if is_it else None
        if bare[line].strip():
            return None
    return None


def _is_cplusplus(line: str) -> bool:
    directive = _DIRECTIVE.match(line)
    return directive is not None and bool(_CPLUSPLUS.fullmatch(directive["rest"].strip()))
