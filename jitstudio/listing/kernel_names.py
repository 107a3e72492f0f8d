"""The names of kernels in C++, taken apart, and listings with C++ names for lowered names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jitstudio.core.result import ABI_TAG, Kernel, told_apart

_ANONYMOUS = re.compile(r"(?:\(anonymous namespace\)|\{anonymous\}|`anonymous namespace')::")
_OPENING, _CLOSING = "(<[{", ")>]}"
_MANGLED_PART = re.compile(r"L?(\d+)")
_LOCAL_NAME = re.compile(r"E(\d{1,4}+)")
_DISCRIMINATOR = re.compile(r"_\d++|__\d++_|")
_UNNAMED = ("_GLOBAL__N_", "_INTERNAL_")
# Itanium C++ ABI, "Builtin types".
_BUILT_IN = {
    "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long",
    "x": "long long", "y": "unsigned long long", "f": "float", "d": "double",
}  # fmt: skip
# `Lin1E` and `f` in `ILin1EfE`, which is <-1, float>.
_ARGUMENT = re.compile(rf"L[a-z](n?+\d++)E|([{''.join(_BUILT_IN)}])")


@dataclass(frozen=True)
class KernelName:
    """A kernel's name, taken apart.

    Attributes:
        path: With its namespaces, without those that have no name.
        arguments: Those of the template, or of none.
        parameters: The types of its parameters; None where the name does not say.
    """

    path: str
    arguments: tuple[str, ...] = ()
    parameters: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """The name to show a person."""
        return f"{self.path}<{', '.join(self.arguments)}>" if self.arguments else self.path


def read_name(text: str) -> KernelName:
    """Takes apart a demangled name, a name expression, or a name that is in C or mangled.

    Of a mangled name only the path is read; demangle it first to know more.
    """
    if text.startswith("_Z"):
        return KernelName(_mangled_path(text)[0])
    rest = ABI_TAG.sub("", _ANONYMOUS.sub("", text)).strip().removeprefix("&").strip()
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
    """Returns names without tags, results and parameters, as far as they stay distinct.

    Args:
        meanings: What each lowered name means, as a demangler says it.
    """
    short = dict(meanings)
    # The tags of Numba tell apart what it has compiled for other types, and nobody reads them.
    for shorten in (_without_tags, lambda text: _without_parameters(_without_tags(text))):
        names = {name: shorten(meaning) for name, meaning in meanings.items()}
        counts = Counter(names.values())
        short |= {name: text for name, text in names.items() if counts[text] == 1}
    return short


def short_titles(kernels: Sequence[Kernel]) -> dict[tuple[str, str], str]:
    """Returns the short name of each kernel of a build, by module and lowered name.

    Args:
        kernels: All of the build; those of one name are told apart by their modules.
    """
    short = short_names({k.name: k.demangled for k in kernels if k.demangled})
    return told_apart(kernels, lambda kernel: short.get(kernel.name, kernel.name))


def meanings(names: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """Returns the text to show for each lowered name with a meaning, as short as possible.

    Args:
        names: Lowered names; those that are not known are left out.
        known: What each means, as a demangler says it; one that means nothing means itself.
    """
    return short_names({name: known[name] for name in names if known.get(name, name) != name})


def spelled(text: str, names: Mapping[str, str]) -> str:
    """Returns a text with these lowered names replaced by the shown names."""
    return "".join(shown for _, shown in _parts(text, names)) if _PREFIX in text else text


def _without_tags(text: str) -> str:
    return ABI_TAG.sub("", text)


def _without_parameters(text: str) -> str:
    """`f<int>` of `void f<int>(int)`, and `f::tile` of `f(int)::tile`."""
    pieces, at, start = [""], 0, 0
    while at < len(text):
        if text[at] not in _OPENING:
            at += 1
            continue
        end = at + _partner(text[at:]) + 1
        is_name = not text[start:at].endswith((" ", "::", "operator")) and text[start:at]
        if text[at] == "(" and is_name and text[end : end + 2] in ("", "::"):
            pieces.append(text[start:at])
            start = end
        at = end
    if start != len(text):
        return "".join((*pieces, text[start:]))
    # Of a function that ends the name, what it returns is in front of it.
    name = "".join(pieces)
    return name if "operator" in name else _behind_the_last_blank(name)


def _behind_the_last_blank(text: str) -> str:
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in _CLOSING) - (text[at] in _OPENING)
        if text[at] == " " and depth == 0:
            return text[at + 1 :]
    return text


def split(listed: str) -> Iterator[str]:
    """Yields the parts between the commas that are in no bracket."""
    depth, start = 0, 0
    for at, character in enumerate(f"{listed},"):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            if part := listed[start:at].strip():
                yield part
            start = at + 1


def _partner(text: str) -> int:
    """Returns where the bracket closes that begins the text; the end of the text if open."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth == 0:
            return at
    return len(text)


def _partner_before(text: str) -> int:
    """Returns where the bracket opens that ends the text; the start of the text if unopened."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in _CLOSING) - (text[at] in _OPENING)
        if depth == 0:
            return at
    return 0


def mangled_arguments(name: str) -> tuple[str, ...]:
    """Returns the template arguments behind the path of a mangled name, as C++ text.

    Empty where there are none, or any but numbers and the types of the language.
    """
    at = _mangled_path(name)[1]
    is_template, at = name[at : at + 1] == "I", at + 1
    arguments: list[str] = []
    while is_template and (match := _ARGUMENT.match(name, at)):
        at = match.end()
        arguments.append(_BUILT_IN.get(match[2]) or match[1].replace("n", "-"))
    return tuple(arguments) if name[at : at + 1] == "E" else ()


def _mangled_path(name: str) -> tuple[str, int]:
    """Returns namespaces and name of a mangled name, by the Itanium C++ ABI; and its end."""
    if name.startswith("_ZZ"):
        return _local_name(name), len(name)
    at = len("_ZN") if name.startswith("_ZN") else len("_Z")
    parts: list[str] = []
    while match := _MANGLED_PART.match(name, at):
        start = match.end()
        at = start + int(match[1])
        parts.append(name[start:at])
        if not name.startswith("_ZN"):
            break
    return "::".join(part for part in parts if not part.startswith(_UNNAMED)), at


def _local_name(name: str) -> str:
    """Returns the name of a variable in a function: `calls` of `_ZZ4convPKfPfiE5calls_0`."""
    for length in _LOCAL_NAME.finditer(name):
        end = length.end() + int(length[1])
        if end <= len(name) and _DISCRIMINATOR.fullmatch(name, end):
            return name[length.end() : end]
    return ""


# One inside of machine code hangs together of two: `$_Z6kernelv$_Z6calleev`.
_NAME = re.compile(r"(?<=\$)_Z\w+(?=\$_Z)|(?<=\w\$)_Z\w+|(?<![\w$])_Z[\w$]+")
_PREFIX = "_Z"
# Of the code behind a name, as in `_Z1fv_param_0`, which no demangler takes for a part of it.
_BEHIND = re.compile(r"_(?:param_\d+|\d+)$")
_STAND_IN = "_"


def lowered_names(lines: Sequence[str]) -> frozenset[str]:
    """Returns all mangled names in a listing, without the endings of compilers."""
    names = (match for line in lines if _PREFIX in line for match in _NAME.findall(line))
    return frozenset(_BEHIND.sub("", name) for name in names)


@dataclass(frozen=True)
class DemangledListing:
    """A listing with names in C++.

    Attributes:
        lowered: The lines as the tools wrote them.
        lines: The lines to show.
        stand_ins: For each line that differs: the line to show with one identifier in place of
            each such name, for readers of code that would stumble over `f<int>(float const*)`.
        names: What each lowered name is shown as.
    """

    lowered: Sequence[str]
    lines: Sequence[str]
    stand_ins: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def plain(cls, lines: Sequence[str]) -> DemangledListing:
        """Returns the lines as written by the tools."""
        return cls(lines, lines)

    @classmethod
    def of(cls, lines: Sequence[str], names: Mapping[str, str]) -> DemangledListing:
        """Returns the lines with these names replaced by their meanings."""
        shown = list(lines)
        stand_ins: dict[int, str] = {}
        for number, line in enumerate(lines):
            if _PREFIX in line:
                parts = [*_parts(line, names)]
                text = "".join(part[1] for part in parts)
                if text != line:
                    shown[number] = text
                    stand_ins[number] = "".join(
                        after if before == after else _STAND_IN * len(after)
                        for before, after in parts
                    )
        return cls(lines, tuple(shown), stand_ins, names)

    def name(self, lowered: str) -> str:
        """Returns a name, or a text with names, as shown."""
        return spelled(lowered, self.names)

    def to_lowered(self, line: int, column: int) -> int:
        """Returns the column in the line of the tools; within a name, where the name begins."""
        return self._move(line, column, shown=True)

    def to_shown(self, line: int, column: int) -> int:
        """Returns the column in the line that is shown."""
        return self._move(line, column, shown=False)

    def _move(self, line: int, column: int, *, shown: bool) -> int:
        if line not in self.stand_ins:
            return column
        here = there = 0
        for part in _parts(self.lowered[line], self.names):
            source, target = reversed(part) if shown else part
            if column < here + len(source) or (source == target and column == here + len(source)):
                return there + (column - here if source == target else 0)
            here, there = here + len(source), there + len(target)
        return there + column - here


def _parts(line: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yields a line in pieces: each as written, and as shown."""
    at = 0
    for match in _NAME.finditer(line):
        name = _BEHIND.sub("", match.group())
        if name in names:
            start, end = match.start(), match.start() + len(name)
            yield line[at:start], line[at:start]
            yield name, names[name]
            at = end
    yield line[at:], line[at:]
