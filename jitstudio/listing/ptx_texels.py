"""Which parameters of a kernel in PTX are textures and surfaces, and what their texels may be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass

from jitstudio.core.launch.texels import TexelUse
from jitstudio.core.launch.types import HandleKind

_NAME = re.compile(r"(?<![\w$%.])[A-Za-z_$%][\w$%]*+")
_HANDLE = re.compile(r"\[\s*+(?P<name>[\w$%]++)")
_RESULTS = re.compile(r"\{(?P<names>[^{}]*+)\}")
_KINDS = {
    "tex": HandleKind.TEXTURE,
    "tld4": HandleKind.TEXTURE,
    "txq": HandleKind.TEXTURE,
    "suld": HandleKind.SURFACE,
    "sust": HandleKind.SURFACE,
    "sured": HandleKind.SURFACE,
    "suq": HandleKind.SURFACE,
}
_AXES = {"1d": 1, "2d": 2, "3d": 3}
# What is read as so many bits in one register; four integers are most likely a colour.
_ELEMENTS = {
    "f32": ("float", "float2", "float4"),
    "u32": ("unsigned int", "uint2", "uchar4"),
    "s32": ("int", "int2", "int4"),
    "b8": ("unsigned char", "uchar2", "uchar4"),
    "b16": ("unsigned short", "ushort2", "ushort4"),
    "b32": ("float", "float2", "float4"),
    "b64": ("int2", "int4", "int4"),
}
_USUAL = 2


_FETCH = re.compile(r"(?<![\w.$%])(?:tex|tld4|suld|sust|sured)\.")


def reaches_texels(ptx: str) -> bool:
    """Returns whether a PTX text has an instruction on textures or surfaces."""
    return _FETCH.search(ptx) is not None


@dataclass(frozen=True)
class Fetch:
    """An instruction on texels.

    Attributes:
        handle: The register or parameter that says which.
        use: What it does with them.
        is_access: Whether it reads or writes them rather than asks how large they are.
    """

    handle: str
    use: TexelUse
    is_access: bool


def fetches_of(statements: Iterable[tuple[str, str]]) -> list[Fetch]:
    """Returns the instructions on texels among those of a kernel, opcode and operands of each."""
    statements = list(statements)
    if not any(opcode.partition(".")[0] in _KINDS for opcode, _ in statements):
        return []
    named = Counter(name for _, operands in statements for name in _NAME.findall(operands))
    return [
        _fetch(opcode.split("."), operands, handle["name"], named)
        for opcode, operands in statements
        if opcode.partition(".")[0] in _KINDS and (handle := _HANDLE.search(operands))
    ]


def _fetch(words: list[str], operands: str, handle: str, named: Counter[str]) -> Fetch:
    axes = next((_AXES[word] for word in words if word in _AXES), 0)
    types = [word for word in words if word in _ELEMENTS]
    kinds = _ELEMENTS[types[0]] if types else _ELEMENTS["f32"]
    used = 1
    if words[0] == "tex" and (results := _RESULTS.match(operands)):
        names = [name.strip() for name in results["names"].split(",")]
        used = max((n for n, name in enumerate(names, 1) if named[name] > 1), default=1)
    elif words[0] in ("suld", "sust"):
        used = next((int(word[1]) for word in words if word in ("v2", "v4")), 1)
    linear = words[0] == "tex" and axes == 1 and words[-1] == "s32"
    element = kinds[min(used - 1, 2)]
    use = TexelUse(_KINDS[words[0]], axes or _USUAL, element, linear)
    return Fetch(handle, use, words[0] not in ("txq", "suq"))


def use_of(registers: Container[str], fetches: Iterable[Fetch]) -> TexelUse | None:
    """Returns what is done with the texels that one of these registers stands for, if anything."""
    found = [fetch for fetch in fetches if fetch.handle in registers]
    return max(found, key=lambda fetch: fetch.is_access).use if found else None
