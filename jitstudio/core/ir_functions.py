"""The functions that LLVM IR defines: the kernels, and the functions that can become kernels.

A kernel has the calling convention ``ptx_kernel`` (LLVM, "User Guide for NVPTX Back-end", "Marking
Functions as Kernels") or is named by ``!nvvm.annotations`` (NVVM IR Specification, "Kernel
functions"). libNVVM before 12.8 passes over the convention, and all of them take annotations.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jitstudio.core.code import CodeKind, Source, is_bitcode
from jitstudio.core.source_facts import split_at_commas

_NAME = r'(?:[-\w$.]++|"[^"\n]*+")'
_COMMENT = re.compile(r'"[^"\n]*+"|(?P<comment>;[^\n]*+)')
_DEFINITION = re.compile(
    rf"^[ \t]*+(?P<define>define\b)(?P<words>[^@\n]*+)@(?P<name>{_NAME})\s*+\(", re.MULTILINE
)
# `!0 = !{void (i32*)* @k, !"kernel", i32 1}`, `!0 = !{ptr @k, !"maxntidx", i32 9, !"kernel"…`
_ANNOTATION = re.compile(
    rf'^!(?P<number>\d++)\s*+=[^\n@]*+@(?P<name>{_NAME})[^\n]*?!"kernel"\s*+,\s*+i32\s++1\b',
    re.MULTILINE,
)
_ANNOTATIONS = re.compile(r"^!nvvm\.annotations\s*+=(?P<nodes>[^\n]*+)", re.MULTILINE)
_NUMBER = re.compile(r"!(\d++)")
# LLVM, "CallingConv.h": PTX_Kernel is 71.
_KERNEL = re.compile(r"\b(?:ptx_kernel|cc\s*+71)\b")
_USE = re.compile(rf"@(?P<name>{_NAME})\s*+\(")
_RETURNS_NOTHING = re.compile(r"\bvoid\s*+$")
_OPAQUE = re.compile(r'(?<![%@\w.$"-])ptr\b')
# `float*`, `%T addrspace(1)*`, `[4 x i8]*`, `void (i32)*`, `%"a b"*`
_TYPED = re.compile(r'[\w.$\])}>"]\*')
_STRING = re.compile(r'"[^"\n]*+"')
_PARAMETER_NAME = re.compile(r'\s%(?:[-\w$.]+|"[^"\n]*")$')
_PARAMETER_ATTRIBUTE = re.compile(
    r"\s(?:noalias|nocapture|nonnull|readonly|readnone|writeonly|signext|zeroext|inreg|byval"
    r"|noundef|align \d+|dereferenceable\(\d+\))(?=\s|$)"
)
_DROPPED = re.compile(r"\b(?:internal|private|linkonce\w*+|available_externally)\b")


class IrFunction(NamedTuple):
    """A function that a module of LLVM IR defines.

    Attributes:
        name: As it is called in PTX.
        written_name: The same as the text has it, in quotation marks or not.
        start: The offset of its ``define``.
        line: The line of that, from 1.
        parameters: The offset behind the bracket that opens its parameters.
        is_kernel: Whether it is marked as a kernel.
        obstacle: Why it can be no kernel, to be read behind its name; empty if it can.
    """

    name: str
    written_name: str
    start: int
    line: int
    parameters: int
    is_kernel: bool
    obstacle: str

    @property
    def can_be_marked(self) -> bool:
        """Whether the function is no kernel and can become a kernel."""
        return not self.is_kernel and not self.obstacle


def without_comments(text: str) -> str:
    """Returns LLVM IR with blanks for comments: the rest keeps the place."""
    return _COMMENT.sub(lambda m: " " * len(m[0]) if m["comment"] else m[0], text)


def ir_functions(text: str) -> tuple[IrFunction, ...]:
    """Returns the functions that LLVM IR defines, in order."""
    code = without_comments(text)
    listed = {n for m in _ANNOTATIONS.finditer(code) for n in _NUMBER.findall(m["nodes"])}
    nodes = (match for match in _ANNOTATION.finditer(code) if match["number"] in listed)
    annotated = {_plain(match["name"]) for match in nodes}
    definitions = list(_DEFINITION.finditer(code))
    lines = _lines_of(code, [match.start("define") for match in definitions])
    heads = {match.start("name") for match in definitions}
    called = {_plain(m["name"]) for m in _USE.finditer(code) if m.start("name") not in heads}
    return tuple(
        IrFunction(
            name=(name := _plain(match["name"])),
            written_name=match["name"],
            start=match.start("define"),
            line=line,
            parameters=match.end(),
            is_kernel=name in annotated or bool(_KERNEL.search(match["words"])),
            obstacle=_obstacle(match["words"], is_called=name in called),
        )
        for match, line in zip(definitions, lines, strict=True)
    )


def _lines_of(text: str, places: Iterable[int]) -> Iterator[int]:
    """Yields the lines, from 1, of places in ascending order."""
    line, last = 1, 0
    for at in places:
        line += text.count("\n", last, at)
        last = at
        yield line


def kernel_annotation(
    text: str, function: IrFunction, number: int | None = None, *, reads_opaque: bool
) -> list[str]:
    """Returns the lines, for the end of a module, that mark a function as a kernel.

    Args:
        text: The module.
        function: One that can be marked.
        number: One that no metadata has; None for the first behind those of the module.
        reads_opaque: Whether libNVVM reads opaque pointers for the target, which decides where the
            module has no pointers.
    """
    code = without_comments(text)
    typed = not _OPAQUE.search(code) and ("*" in code or not reads_opaque)
    type_ = "ptr"
    if typed:
        parameters = split_at_commas(_bracketed(code, function.parameters - 1))
        type_ = f"void ({', '.join(map(_type_of, parameters))})*"
    if number is None:
        number = max(map(int, _NUMBER.findall(code)), default=-1) + 1
    node = f'!{number} = !{{{type_} @{function.written_name}, !"kernel", i32 1}}'
    return [f"!nvvm.annotations = !{{!{number}}}", node]


def typed_pointer_line(text: str) -> int:
    """Returns the first line of LLVM IR with a pointer that has a type; 0 where there is none."""
    code = _STRING.sub('""', without_comments(text))
    match = _TYPED.search(code)
    return code.count("\n", 0, match.start()) + 1 if match else 0


def _type_of(parameter: str) -> str:
    return _PARAMETER_ATTRIBUTE.sub("", _PARAMETER_NAME.sub("", parameter))


def _bracketed(text: str, start: int) -> str:
    """Returns the text between the bracket at `start` and the closing bracket."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at]
    return ""


def functions_of(sources: Iterable[Source]) -> tuple[IrFunction, ...]:
    """Returns the functions of all modules that are LLVM IR as text."""
    texts = (s.content for s in sources if s.kind is CodeKind.LLVM_IR and not is_bitcode(s.content))
    return tuple(f for text in texts for f in ir_functions(text.decode("utf-8", "replace")))


def _obstacle(words: str, *, is_called: bool) -> str:
    if not _RETURNS_NOTHING.search(words.rstrip()):
        return "returns a value, and a kernel returns nothing"
    if dropped := _DROPPED.search(words):
        return f"is {dropped[0]}, and is dropped if no other function calls it"
    return "is called by another function, and a kernel cannot be" if is_called else ""


def _plain(name: str) -> str:
    return name.strip('"')
