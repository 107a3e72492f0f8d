"""What explanations need to know of LLVM IR and PTX.

It is read as a person skims, not as a compiler parses: each function answers None where it is not
sure, and then there is no fix.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jitstudio.core.arch import Arch
from jitstudio.core.cuda_facts import split_at_commas

_DEFINITION = re.compile(
    r"^define\s++(?!internal\b|private\b|linkonce|available_externally)[^@(\n]*?\bvoid\s++"
    r"(?P<name>@[\w.$]++)\s*+(?=\()",
    re.MULTILINE,
)
_LLVM_COMMENT = re.compile(r";[^\n]*")
_METADATA = re.compile(r"^!(\d{1,18}+)\s*+=", re.MULTILINE)
_PARAMETER_NAME = re.compile(r"\s%[\w.$]+$")
_PARAMETER_ATTRIBUTE = re.compile(
    r"\s(?:noalias|nocapture|nonnull|readonly|readnone|writeonly|signext|zeroext|inreg|byval"
    r"|noundef|align \d+|dereferenceable\(\d+\))(?=\s|$)"
)
PTX_TARGET = re.compile(r"^[^\S\n]*+\.target\s++(sm_[0-9]{2,3}[af]?)\b", re.MULTILINE)

PTX_VERSION = re.compile(r"^[^\S\n]*+\.version\s++(\d{1,4}+\.\d{1,4}+)", re.MULTILINE)
LLVM_READ = re.compile(r"this libNVVM reads LLVM (\d++)")
_REFUSED_ATTRIBUTE = re.compile(r"': (\w++) function attribute is not supported")
_LACKING = re.compile(r"'(?P<what>[^']*+)' not supported on \.target '(?P<target>sm_\d++[af]?+)'")


class _Chip(NamedTuple):
    """Instructions that only targets with a letter have, from this number on.

    Attributes:
        has: Found in their names.
        number: The lowest target, by PTX ISA, "Target ISA Notes" of each.
        exact: Whether later families lack them again.
    """

    has: re.Pattern[str]
    number: int
    exact: bool = False


_CHIPS = (
    _Chip(re.compile(r"\bwgmma\b"), 90, exact=True),
    _Chip(re.compile(r"\btcgen05\b"), 100, exact=True),
    _Chip(re.compile(r"\bsetmaxnreg\b"), 90),
    _Chip(re.compile(r"mma with block scale|\.kind::mxf"), 120),
    _Chip(re.compile(""), 100),
)


def kernel_annotation(text: str, *, typed_pointers: bool) -> str | None:
    """The first function of an LLVM module as `!nvvm.annotations` names it: type and name."""
    code = _LLVM_COMMENT.sub("", text)
    match = _DEFINITION.search(code)
    if match is None:
        return None
    if not typed_pointers:
        return f"ptr {match['name']}"
    types = (_type_of(parameter) for parameter in split_at_commas(_bracketed(code, match.end())))
    return f"void ({', '.join(types)})* {match['name']}"


def free_metadata(text: str) -> str:
    """Returns the first number that no numbered metadata behind it uses, such as ``4``."""
    return str(max((int(number) for number in _METADATA.findall(text)), default=-1) + 1)


def ptx_target(text: str) -> str | None:
    """Returns the target that a PTX module is written for, such as ``sm_90a``."""
    match = PTX_TARGET.search(text)
    return match[1] if match else None


def _type_of(parameter: str) -> str:
    return _PARAMETER_ATTRIBUTE.sub("", _PARAMETER_NAME.sub("", parameter))


def _bracketed(text: str, start: int) -> str:
    """Returns what is between the bracket at `start` and its partner."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at]
    return ""


def first(pattern: re.Pattern[str], text: str) -> str | None:
    """Returns the first group where the pattern is found first."""
    match = pattern.search(text)
    return match[1] if match else None


def line_of(pattern: re.Pattern[str], text: str) -> str | None:
    """Returns the line of the first group where the pattern is found first, counted from 1."""
    match = pattern.search(text)
    return str(text.count("\n", 0, match.start(1)) + 1) if match else None


def chip_with(message: str, text: str) -> str | None:
    """Returns the lowest target with a letter that has what ptxas says its own lacks.

    Args:
        message: Of ptxas.
        text: The code, which may need other instructions, too.
    """
    lacking = _LACKING.search(message)
    if lacking is None:
        return None
    said = Arch.parse(lacking["target"])
    if sum(1 for chip in _CHIPS if chip.exact and chip.has.search(f"{text} {message}")) > 1:
        return None  # no target has both
    chip = next(chip for chip in _CHIPS if chip.has.search(lacking["what"]))
    stays = said.number >= chip.number and not (chip.exact and said.number >= chip.number + 20)
    found = Arch(said.number if stays else chip.number, "a")
    return None if found == said else found.sm


def refused_attribute(message: str, text: str) -> tuple[str, str] | None:
    """Returns what libNVVM refuses at a function as LLVM IR has it, and its line."""
    refused = _REFUSED_ATTRIBUTE.search(message)
    if refused is None:
        return None
    written = re.compile(rf"\s{refused[1]}(?:\([^()\n]*+\))?(?=[\s{{}}]|$)")
    for number, line in enumerate(text.split("\n"), 1):
        if found := written.search(line.partition(";")[0]):
            return found[0], str(number)
    return None
