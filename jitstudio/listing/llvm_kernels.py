"""The kernels that a module of LLVM IR defines, with their parameters."""

from __future__ import annotations

import re

from jitstudio.core.code import Source, is_bitcode
from jitstudio.core.launch.request import Parameter, Signature
from jitstudio.core.launch.types import LLVM_SCALARS, Pointer, Type

_COMMENT = re.compile(r";[^\n]*")
_NAME = r'(?:[\w.$-]+|"[^"\n]*")'
_DEFINITION = re.compile(
    rf"^[ \t]*define\b(?P<words>[^@\n(]*)@(?P<name>{_NAME})\s*\(", re.MULTILINE
)
_ANNOTATION = re.compile(
    rf'^!\w+\s*=\s*(?:distinct\s*)?!\{{[^\n]*?@(?P<name>{_NAME})\s*,\s*!"kernel"\s*,\s*i32\s+1\b',
    re.MULTILINE,
)
_MARK = re.compile(r"[](){}<>[,]")
_PARAMETER_NAME = re.compile(rf"\s%({_NAME})\Z")
_ADDRESS = re.compile(r"ptr\b|.*\*\s*(?:$|\s)", re.DOTALL)
_WORD = re.compile(r"(?P<word>\w+)\b(?![\s\w()]*\*)")
# Typed pointers tell what they point at.
_TARGET = re.compile(r"(?P<word>\w++)\s*+(?:addrspace\(\d++\))?\s*+\*(?!.*\*)", re.DOTALL)
_KERNEL = re.compile(r"\bptx_kernel\b")
_ONLY_READ = re.compile(r"\breadonly\b")
_BY_VALUE = re.compile(r"\bbyval\b")


def llvm_signatures(source: Source) -> tuple[Signature, ...]:
    """The kernels of a module, by their calling convention or by `!nvvm.annotations`."""
    if is_bitcode(source.content):
        return ()
    text = _COMMENT.sub("", source.content.decode("utf-8", "replace"))
    annotated = {_plain(match["name"]) for match in _ANNOTATION.finditer(text)}
    found = list(_DEFINITION.finditer(text))
    ends = [*(match.start() for match in found), len(text)][1:]
    return tuple(
        Signature(
            name=_plain(match["name"]),
            parameters=_parameters(text[match.end() : end]),
            module=source.name,
            line=text.count("\n", 0, match.start()) + 1,
        )
        for match, end in zip(found, ends, strict=True)
        if _KERNEL.search(match["words"]) or _plain(match["name"]) in annotated
    )


def _parameters(text: str) -> tuple[Parameter, ...]:
    """What is listed up to the closing bracket."""
    depth, begin, parts = 0, 0, []
    for mark in _MARK.finditer(f"{text})"):
        if depth == 0 and mark[0] in ",)":
            parts.append(text[begin : mark.start()])
            begin = mark.end()
        if depth == 0 and mark[0] == ")":
            break
        depth += (mark[0] in "(<{[") - (mark[0] in ")>}]")
    return tuple(_parameter(part) for part in parts if part.strip())


def _parameter(text: str) -> Parameter:
    spelling = text.strip()
    name = _PARAMETER_NAME.search(spelling)
    if name is not None:
        spelling = spelling[: name.start()].rstrip()
    # LLVM numbers what has no name; such a number says nothing.
    shown = _plain(name[1]) if name else ""
    return Parameter("" if shown.isdigit() else shown, spelling, _type(spelling))


def _type(spelling: str) -> Type | None:
    if _BY_VALUE.search(spelling):
        return None
    if _ADDRESS.match(spelling):
        target = _TARGET.match(spelling)
        known = LLVM_SCALARS.get(target["word"]) if target else None
        return Pointer(known, bool(_ONLY_READ.search(spelling)))
    word = _WORD.match(spelling)
    return LLVM_SCALARS.get(word["word"]) if word else None


def _plain(name: str) -> str:
    return name.strip('"')
