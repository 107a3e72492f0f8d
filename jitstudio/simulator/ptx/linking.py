"""Joins modules of PTX into one text, as a linker does: a module's own names stay its own."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

_HEAD = re.compile(r"^[^\S\n]*\.(version|target|address_size)\b([^\n]*)$", re.MULTILINE)
_VERSION = re.compile(r"^[^\S\n]*\.version\s+(\d{1,3})\.(\d{1,3})", re.MULTILINE)
_TARGET = re.compile(r"^[^\S\n]*\.target\s+sm_(\d{2,4})([af]?)", re.MULTILINE)
# What begins a line: what NVIDIA's compilers write, and what hands do.
_DECLARED = re.compile(
    r"^(?P<linking>(?:\.(?:visible|extern|weak|common)\s+)*)"
    r"\.(?:(?:entry|func)\s*(?:\.noreturn\s*)?(?:\([^)]*\)\s*)?(?P<function>[\w$]+)"
    r"|(?:global|const|shared)\b[^;={\n]*?(?P<variable>[\w$%]+)\s*(?:\[[^\]\n]*\]\s*)*(?P<end>[=;]))",
    re.MULTILINE,
)
_FILE_NUMBERS = re.compile(
    r"(?P<head>^[^\S\n]*\.(?:file|loc)\s+|,\s*inlined_at\s+)(?P<number>\d+)", re.MULTILINE
)
_LABEL = re.compile(r"\$L__info_string")
_FILES_EACH = 100_000
_OWN_SUFFIX = re.compile(r"\$module\d++")


def link_ptx(texts: Sequence[str]) -> str:
    """Returns one text of PTX with all that these modules hold.

    Args:
        texts: PTX; each keeps its lines, one module behind the other.
    """
    if len(texts) == 1:
        return texts[0]
    defined = Counter(
        name for text in texts for name, linking in _names(text) if "extern" not in linking
    )
    return "\n".join(
        _member(text, number, {name for name, count in defined.items() if count > 1}, defined)
        for number, text in enumerate((_headed(texts), *texts[1:]))
    )


@dataclass(frozen=True)
class LinkedLines:
    """Where the lines of what is executed stand in the PTX of its modules.

    Attributes:
        code: The name of what is executed.
        starts: Of several modules their names, each with the line at which its own PTX begins in
            what is executed; empty where that is the PTX of one.
    """

    code: str
    starts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, code: str, names: Sequence[str], texts: Sequence[str]) -> LinkedLines:
        """Returns them for the modules of these names, whose texts are linked in this order."""
        if len(texts) == 1:
            return cls(code)
        counts = (text.count("\n") + 1 for text in texts)
        return cls(code, tuple(zip(names, accumulate(counts, initial=1), strict=False)))

    def place_of(self, line: int) -> tuple[str, int]:
        """Returns the module that a line of what is executed is of, and its line there."""
        at = bisect_right(self.starts, line, key=lambda start: start[1]) - 1
        if at < 0:
            return self.code, line
        name, start = self.starts[at]
        return name, line - start + 1

    def line_of(self, name: str, line: int) -> int | None:
        """Returns where a line of a module is in what is executed; None for a module not in it."""
        start = dict(self.starts or ((self.code, 1),)).get(name)
        return None if start is None else start + line - 1


def own_names(text: str) -> str:
    """Returns the text with the names that it had in its own module; see `own_suffix`."""
    return _OWN_SUFFIX.sub("", text)


def own_suffix(number: int) -> str:
    """Returns what is put behind the names of a module that are its own, by its number."""
    return f"$module{number}"


def _names(text: str) -> list[tuple[str, str]]:
    """Returns the names that a module declares, and how they are linked."""
    found = _DECLARED.finditer(text)
    return [(m["function"] or m["variable"], m["linking"]) for m in found]


def _headed(texts: Sequence[str]) -> str:
    """Returns the first module with the newest version and target of all."""
    versions = [(int(m[1]), int(m[2])) for text in texts if (m := _VERSION.search(text))]
    targets = [(int(m[1]), m[2]) for text in texts if (m := _TARGET.search(text))]
    text = texts[0]
    if versions:
        text = _VERSION.sub(".version {}.{}".format(*max(versions)), text, count=1)
    if targets:
        text = _TARGET.sub(".target sm_{}{}".format(*max(targets)), text, count=1)
    return text


def _member(text: str, number: int, shared: set[str], defined: Counter[str]) -> str:
    """Returns a module fit to stand behind others.

    Args:
        text: The module.
        number: Which it is, from 0.
        shared: Names that several modules define.
        defined: How often each name is defined.
    """
    own = {name for name, linking in _names(text) if not linking and name in shared}
    if own:
        names = "|".join(map(re.escape, sorted(own, key=len, reverse=True)))
        text = re.sub(rf"(?<![\w$%.])(?:{names})(?![\w$])", rf"\g<0>{own_suffix(number)}", text)

    def declared(match: re.Match[str]) -> str:
        is_elsewhere = match["variable"] and defined[match["variable"]]
        is_left_out = "extern" in match["linking"] and is_elsewhere
        return "\n" * match[0].count("\n") if is_left_out else match[0]

    text = _DECLARED.sub(declared, text)
    if number:
        text = _HEAD.sub("", text)
        text = _LABEL.sub(rf"\g<0>_{number}_", text)
        text = _FILE_NUMBERS.sub(
            lambda m: f"{m['head']}{int(m['number']) + number * _FILES_EACH}", text
        )
    return text
