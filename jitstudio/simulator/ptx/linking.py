"""Joins modules of PTX into a text, as a linker does: names of a module alone stay its own."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from jitstudio.ptx.scanner import INTEGER, bare_ptx, integer_of
from jitstudio.ptx.skimming import function_texts, target_at, variable_texts, version_at

_HEAD = re.compile(
    rf"\.(?:version[ \t]++\d++\.\d++|address_size\s++{INTEGER}|target\s++\w++(?>\s*+,\s*+\w++)*+)"
)
_ARCH = re.compile(r"_(\d{2,4})([af]?)")
_FILE_NUMBERS = re.compile(rf"(?:\.(?:file|loc)\s++|,\s*+inlined_at\s++)(?P<number>{INTEGER})")
_LABEL = re.compile(r"\$L__info_string")
# Every module counts its files from 1, so they are moved apart.
_FILES_EACH = 100_000
# `$` may stand in names of PTX, and no compiler writes this one.
_OWN_SUFFIX = re.compile(r"\$module\d++")


def link_ptx(texts: Sequence[str]) -> str:
    """Returns a text of PTX with all definitions of some modules.

    Args:
        texts: The PTX of each module; lines are kept, module behind module.
    """
    if len(texts) == 1:
        return texts[0]
    modules = [_Module(text, number) for number, text in enumerate(texts)]
    # Own names that several modules have are renamed; an `extern` is left out where defined.
    defined = Counter(name for module in modules for name in module.defined)
    return "\n".join((_headed(modules, defined), *(m.linked(defined) for m in modules[1:])))


@dataclass(frozen=True)
class LinkedLines:
    """The lines of linked PTX in the PTX of its modules.

    Attributes:
        code: The name of the linked PTX.
        starts: The names of several modules, each with the line at which its PTX begins in the
            linked one; empty for a single module.
    """

    code: str
    starts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, code: str, names: Sequence[str], texts: Sequence[str]) -> LinkedLines:
        """Returns the lines of modules with names, whose texts are linked in this order."""
        if len(texts) == 1:
            return cls(code)
        counts = (text.count("\n") + 1 for text in texts)
        return cls(code, tuple(zip(names, accumulate(counts, initial=1), strict=False)))

    def place_of(self, line: int) -> tuple[str, int]:
        """Returns the module of a linked line, and the line in that module."""
        at = bisect_right(self.starts, line, key=lambda start: start[1]) - 1
        if at < 0:
            return self.code, line
        name, start = self.starts[at]
        return name, line - start + 1

    def line_of(self, name: str, line: int) -> int | None:
        """Returns the linked line of a line of a module; None for a module that is not linked."""
        start = dict(self.starts or ((self.code, 1),)).get(name)
        return None if start is None else start + line - 1


def own_names(text: str) -> str:
    """Returns a text with names as in their own module, without `own_suffix`."""
    return _OWN_SUFFIX.sub("", text)


def own_suffix(number: int) -> str:
    """Returns the suffix of names that a module keeps to itself, by the module's number."""
    return f"$module{number}"


class _Module:
    """A module, with the changes by which its text can stand behind others.

    Attributes:
        text: The module.
        defined: The names that it defines, as often as it does so.
        own: The names that no other module can see: neither `.visible` nor `.weak` nor `.extern`.
    """

    def __init__(self, text: str, number: int) -> None:
        self.text = text
        self._bare = bare_ptx(text)
        self._number = number
        functions = tuple(function_texts(self._bare))
        self._variables = tuple(variable_texts(self._bare, functions))
        names = [
            *((function.name, function.linking) for function in functions),
            *((name, some.linking) for some in self._variables for name in some.names),
        ]
        self.defined = [name for name, linking in names if linking != "extern"]
        self.own = {name for name, linking in names if not linking}

    def linked(self, defined: Counter[str], head: Iterable[tuple[int, int, str]] = ()) -> str:
        """Returns the text fit to stand behind the texts of other modules.

        Args:
            defined: How often all modules define each name.
            head: Changes of the head of the first module: start, end and new text.
        """
        changes = [*head, *self._left_out(defined), *self._renamed(defined)]
        # A text has a single .version and .target; lines stay, as messages count them.
        if self._number:
            changes += [
                (*m.span(), "\n" * self.text.count("\n", *m.span()))
                for m in _HEAD.finditer(self._bare)
            ]
            changes += [(m.end(), m.end(), f"_{self._number}_") for m in _LABEL.finditer(self.text)]
            # `.loc 1 5 0` of the second module becomes `.loc 100001 5 0`.
            for match in _FILE_NUMBERS.finditer(self._bare):
                number = integer_of(match["number"]) + self._number * _FILES_EACH
                changes.append((*match.span("number"), str(number)))
        parts, at = list[str](), 0
        for start, end, value in sorted(changes):
            if start >= at:  # else it is in a declaration that is left out
                parts += self.text[at:start], value
                at = end
        return "".join((*parts, self.text[at:]))

    def _left_out(self, defined: Counter[str]) -> Iterator[tuple[int, int, str]]:
        """Yields the declarations of variables that another module defines."""
        for some in self._variables:
            if some.linking != "extern":
                continue
            rest = [
                self._bare[start:end]
                for name, (start, end) in zip(some.names, some.parts, strict=True)
                if not defined[name]
            ]
            if len(rest) < len(some.names):
                start = some.parts[0][0] if rest else some.start
                lines = "\n" * (self.text.count("\n", start, some.end) - "".join(rest).count("\n"))
                yield start, some.end, f"{','.join(rest)};{lines}" if rest else lines

    def _renamed(self, defined: Counter[str]) -> Iterator[tuple[int, int, str]]:
        """Yields a suffix behind each own name that other modules have, too."""
        own = sorted((name for name in self.own if defined[name] > 1), key=len, reverse=True)
        if own:
            names = re.compile(rf"(?<![\w$%.])(?:{'|'.join(map(re.escape, own))})(?![\w$])")
            for match in names.finditer(self._bare):
                yield match.end(), match.end(), own_suffix(self._number)


def _headed(modules: Sequence[_Module], defined: Counter[str]) -> str:
    """Returns the first module with the newest version and target of all modules."""
    first = modules[0]
    versions = [match for module in modules if (match := version_at(module.text))]
    targets = [match for module in modules if (match := target_at(module.text))]
    head = []
    if (own := version_at(first.text)) is not None:
        newest = max(versions, key=lambda match: tuple(map(int, match["value"].split("."))))
        head.append((*own.span("value"), newest["value"]))
    if (own := target_at(first.text)) is not None:
        # sm_90a is above sm_90, and sm_100 above both: by number, then by letter.
        newest = max(targets, key=_number_of)
        head.append((*own.span("value"), newest["value"]))
    return first.linked(defined, head)


def _number_of(target: re.Match[str]) -> tuple[int, str]:
    number, letter = _ARCH.search(target["value"]).groups()  # type: ignore[union-attr]
    return int(number), letter
