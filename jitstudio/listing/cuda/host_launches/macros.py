"""Macros by which host code launches kernels, put in the place of their calls.

Those alone that name a kernel or launch one, themselves or by other macros, and those that get
either: all others stay as they are written. Lines stay where they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from jitstudio.core.cpp_text import HIDDEN
from jitstudio.listing.cuda.host_launches.brackets import past_blanks, split_for_macro
from jitstudio.listing.cuda.outline import close_of
from jitstudio.listing.cuda.words import words_in

_DEFINITION = re.compile(
    rb"^[ \t]*+#[ \t]*+define\b(?>[^\\\n]++|\\(?:\r\n|[\s\S]))*+", re.MULTILINE
)
_DEFINE = re.compile(rb"#[ \t]*+define[ \t]++(\w+)(\([^)]*+\))?(.*)", re.DOTALL)
_JOINED = re.compile(rb"\\\r?\n")
LAUNCH = re.compile(rb"<<[ \t]*+<|\b(?:cudaLaunch|cuLaunchKernel|cudaGraphAddKernelNode)\w*+")
"""What launches a kernel."""

_WORD = re.compile(rb"(?<![\w.:])[A-Za-z_]\w*")
_ANY_WORD = re.compile(rb"\w+")
_PASTED = re.compile(rb"(?<!\s)\s*+##\s*+")
# Not of `, ##__VA_ARGS__`.
_MAKES_NAME = re.compile(rb"\w[ \t]*+##|##[ \t]*+(?!__VA_ARGS__)\w")
_AS_STRING = re.compile(rb"(?<!#)#(?!#)\s*+[A-Za-z_]\w*+")
_OPTIONAL = re.compile(rb"__VA_OPT__\s*+\(")
_DEEPEST = 16
_LARGEST = 1 << 16


class Macro(NamedTuple):
    """A macro: the names of its parameters, None where it has no brackets, and its replacement."""

    parameters: tuple[bytes, ...] | None
    body: bytes

    @classmethod
    def of(cls, directive: bytes) -> tuple[bytes, Macro] | None:
        """Returns the name of a macro, and the macro, of its definition; None for none."""
        match = _DEFINE.match(directive)
        if match is None:
            return None
        listed = match[2]
        names = tuple(name.strip() for name in listed[1:-1].split(b",")) if listed else None
        return match[1], cls(names, _JOINED.sub(b" ", match[3]))

    def replaced(self, arguments: list[bytes]) -> bytes:
        """Returns what it stands for with these arguments."""
        names = self.parameters or ()
        values = dict(zip(names, arguments, strict=False))
        rest: list[bytes] = []
        if names and names[-1].endswith(b"..."):
            rest = arguments[len(names) - 1 :]
            word = names[-1].removesuffix(b"...").strip() or b"__VA_ARGS__"
            values[word] = b", ".join(rest)
        body = _AS_STRING.sub(b'""', self.body)
        while optional := _OPTIONAL.search(body):
            end = close_of(body, optional.end() - 1, b"(", b")")
            kept = body[optional.end() : end - 1] if any(rest) else b""
            body = body[: optional.start()] + kept + body[end:]
        text = _WORD.sub(lambda word: values.get(word[0], word[0]), body)
        return _PASTED.sub(b"", text)


def defined_macros(text: bytes) -> dict[bytes, Macro]:
    """Returns the macros that a text defines, by their names; of several the last."""
    macros = (Macro.of(match[0].lstrip()) for match in _DEFINITION.finditer(text))
    return dict(each for each in macros if each is not None)


def _with_users(names: set[bytes], words: Mapping[bytes, frozenset[bytes]]) -> set[bytes]:
    """Returns some macros and those that lead to them, by the words of the body of each."""
    users = set(names)
    while more := {n for n, w in words.items() if n not in users and not users.isdisjoint(w)}:
        users |= more
    return users


class LaunchMacros:
    """Puts macros in the place of their calls.

    Args:
        macros: The macros that a text knows.
        names: What is looked for: kernels, and what launches them.
    """

    def __init__(self, macros: Mapping[bytes, Macro], names: Collection[bytes]) -> None:
        self._macros = macros
        self._names = frozenset(names)
        words = {name: frozenset(_ANY_WORD.findall(m.body)) for name, m in macros.items()}
        leading = {
            name
            for name, macro in macros.items()
            if not words[name].isdisjoint(self._names) or LAUNCH.search(macro.body)
        }
        self._leading = frozenset(_with_users(leading, words) - self._names)
        pasting = {name for name, macro in macros.items() if _MAKES_NAME.search(macro.body)}
        self._pasting = frozenset(_with_users(pasting, words))
        self._looked_for = self._names | self._leading | self._pasting
        self._called = frozenset(n for n, m in macros.items() if m.parameters)

    @property
    def looked_for(self) -> frozenset[bytes]:
        """The words without which a text leads to nothing that is looked for."""
        return self._looked_for

    @property
    def leading(self) -> frozenset[bytes]:
        """Those that lead to a launch or to what is looked for."""
        return self._leading

    def expanded(self, text: bytes, words: Collection[bytes] | None = None) -> bytes:
        """Returns a text with what its macros stand for in their places.

        Args:
            text: The text.
            words: Its words, where they are known.
        """
        words = words_in(text) if words is None else words
        wanted = self._leading.intersection(words)
        if not self._names.isdisjoint(words) or b"<<<" in text:
            wanted |= self._called.intersection(words)
        return self._put(text, wanted, frozenset(), _LARGEST + 2 * len(text)) if wanted else text

    def _put(
        self, text: bytes, wanted: Iterable[bytes], open_: frozenset[bytes], room: int
    ) -> bytes:
        """Returns a text with some of its macros put in place, as far as there is room."""
        listed = b"|".join(map(re.escape, sorted(wanted, key=len, reverse=True)))
        pattern = re.compile(HIDDEN.encode() + rb"|(?<![\w.])(?P<name>" + listed + rb")\b")
        pieces, done = [], 0
        for match in pattern.finditer(text):
            name = match["name"]
            if name is None or match.start() < done:
                continue
            macro, end = self._macros[name], match.end()
            arguments: list[bytes] = []
            if macro.parameters is not None:
                at = past_blanks(text, end)
                if not text.startswith(b"(", at):
                    continue
                end = close_of(text, at, b"(", b")")
                arguments = split_for_macro(text[at + 1 : end - 1])
            call = text[match.start() : end]
            if name not in self._leading and not self._leads(call):
                continue
            if len(open_) >= _DEEPEST or len(call) + len(macro.body) > room:
                continue
            replacement = macro.replaced(arguments)
            again = (words_in(replacement) & (self._leading | self._called)) - open_ - {name}
            if again:
                room -= len(replacement)
                replacement = self._put(replacement, again, open_ | {name}, room)
            room -= len(replacement)
            lines = call.count(b"\n")
            pieces += [text[done : match.start()], replacement.replace(b"\n", b" "), b"\n" * lines]
            done = end
            if room < 0:
                break
        return b"".join((*pieces, text[done:]))

    def _leads(self, call: bytes) -> bool:
        words = words_in(call)
        return (
            not words.isdisjoint(self._names)
            or not words.isdisjoint(self._leading)
            or not words.isdisjoint(self._pasting)
            or LAUNCH.search(call) is not None
        )
