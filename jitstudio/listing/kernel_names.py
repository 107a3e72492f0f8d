"""The names of kernels in words of C++, taken apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_ANONYMOUS = re.compile(r"(?:\(anonymous namespace\)|\{anonymous\}|`anonymous namespace')::")
_OPENING, _CLOSING = "(<[{", ")>]}"
_MANGLED_PART = re.compile(r"L?(\d+)")


@dataclass(frozen=True)
class KernelName:
    """A kernel's name, taken apart.

    Attributes:
        path: With its namespaces, without those that have no name.
        arguments: Those of the template, or of none.
        parameters: The types of its parameters; None where the name does not tell.
    """

    path: str
    arguments: tuple[str, ...] = ()
    parameters: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """The name to show a person."""
        return f"{self.path}<{', '.join(self.arguments)}>" if self.arguments else self.path


def read_name(text: str) -> KernelName:
    """Take apart a demangled name, a name expression, or a name that is in C or mangled.

    Of a mangled name only the path is read; demangle it first to know more.
    """
    if text.startswith("_Z"):
        return KernelName(_mangled_path(text))
    rest = _ANONYMOUS.sub("", text).strip().removeprefix("&").strip()
    if rest.startswith("("):  # the cast that chooses one of several overloads
        rest = rest[_partner(rest) + 1 :].strip().removeprefix("&").strip()
    parameters = None
    if rest.endswith(")"):
        start = _partner_before(rest)
        parameters = tuple(p for p in split(rest[start + 1 : -1]) if p != "void")
        rest = rest[:start]
    arguments: tuple[str, ...] = ()
    if rest.endswith(">"):
        start = _partner_before(rest)
        arguments = tuple(split(rest[start + 1 : -1]))
        rest = rest[:start]
    return KernelName(rest.split()[-1] if rest.split() else "", arguments, parameters)


def short_names(meanings: Mapping[str, str]) -> dict[str, str]:
    """Names without what they return and take, where that leaves each of them a name of its own.

    Args:
        meanings: What each lowered name means, as a demangler says it.
    """
    short = {name: _without_parameters(meaning) for name, meaning in meanings.items()}
    counts = Counter(short.values())
    return {name: one if counts[one] == 1 else meanings[name] for name, one in short.items()}


def meanings(names: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """What to show in place of each lowered name that means anything, as short as it may be.

    Args:
        names: Lowered names, all of which are known.
        known: What each means, as a demangler says it; one that means nothing means itself.
    """
    return short_names({name: known[name] for name in names if known[name] != name})


def _without_parameters(text: str) -> str:
    """`f<int>` of `void f<int>(int)`, and `f::tile` of `f(int)::tile`."""
    kept, at, start = [""], 0, 0
    while at < len(text):
        if text[at] not in _OPENING:
            at += 1
            continue
        end = at + _partner(text[at:]) + 1
        is_name = not text[start:at].endswith((" ", "::", "operator")) and text[start:at]
        if text[at] == "(" and is_name and text[end : end + 2] in ("", "::"):
            kept.append(text[start:at])
            start = end
        at = end
    if start != len(text):
        return "".join((*kept, text[start:]))
    # Of a function that ends the name, what it returns is in front of it.
    name = "".join(kept)
    return name if "operator" in name else _behind_the_last_blank(name)


def _behind_the_last_blank(text: str) -> str:
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in _CLOSING) - (text[at] in _OPENING)
        if text[at] == " " and depth == 0:
            return text[at + 1 :]
    return text


def split(listed: str) -> Iterator[str]:
    """The parts between the commas that are in no bracket."""
    depth, start = 0, 0
    for at, character in enumerate(f"{listed},"):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            if part := listed[start:at].strip():
                yield part
            start = at + 1


def _partner(text: str) -> int:
    """Where the bracket is closed that the text begins with; its end where it is not."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return at
    return len(text)


def _partner_before(text: str) -> int:
    """Where the bracket is opened that the text ends with; its start where it is not."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in _CLOSING) - (text[at] in _OPENING)
        if depth == 0:
            return at
    return 0


def _mangled_path(name: str) -> str:
    """The namespaces and the name of a mangled name, by the Itanium C++ ABI."""
    at = len("_ZN") if name.startswith("_ZN") else len("_Z")
    parts: list[str] = []
    while match := _MANGLED_PART.match(name, at):
        start = match.end()
        at = start + int(match[1])
        parts.append(name[start:at])
        if not name.startswith("_ZN"):
            break
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N_"))
