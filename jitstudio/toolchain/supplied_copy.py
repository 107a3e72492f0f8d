"""The copies of LLVM IR and of PTX that libNVVM and nvJitLink get: missing parts are supplied.

Clang, rustc and others leave out what libNVVM insists on, or say it in words of their own.
nvJitLink takes no PTX below ISA version 3.1, none older than its ``.target``, and none whose head
is not whole. All changes are on the first line, in the place of a value, or behind the end: no line
moves. Nothing is changed in a text that its tool may take as it is.

To add what else a tool insists on and a module lacks: here, in the copy; the text itself stays.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator

from jitstudio.core.arch import Arch
from jitstudio.core.ir_functions import ir_functions, kernel_annotation
from jitstudio.core.result import MARK, Supplied
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import target_at, version_at

_LAYOUT_OF_REST = (
    "i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64"
    "-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
)
# Triple and data layout of code with 64-bit and with 32-bit addresses: NVVM IR Specification,
# "Target Triple" and "Data Layout".
_WIDE = ("nvptx64-nvidia-cuda", f"e-p:64:64:64-{_LAYOUT_OF_REST}")
_NARROW = ("nvptx-nvidia-cuda", f"e-p:32:32:32-{_LAYOUT_OF_REST}")
# `target triple = "nvptx64-nvidia-cuda"`, and the data layout alike.
_TRIPLE = re.compile(r'target[ \t]++triple[ \t]*+=[ \t]*+"(?P<value>[^"\n]*+)"')
_LAYOUT = re.compile(r'target[ \t]++datalayout[ \t]*+=[ \t]*+"(?P<value>[^"\n]*+)"')
_VERSION = re.compile(r"!nvvmir\.version\b")
# What libNVVM takes: NVVM IR Specification, "Target Triple".
_TAKEN = re.compile(r"(?:nvptx|nvptx64|nvgpu)-[^-]*+-cuda")
_NUMBER = re.compile(r"!(\d{1,18}+)")
_CODE = re.compile(r"^[ \t]*+(?:define|declare|@)", re.MULTILINE)


class IrCopy:
    """A text of LLVM IR, with changes that each know a place in the original text.

    Attributes:
        name: The module.
        text: As it was given, each byte a character.
        supplied: What it lacks.
        kernel_line: The line of the function that the copy marks as a kernel; None without one.
    """

    def __init__(self, name: str, module: bytes) -> None:
        self.name = name
        self.text = module.decode("latin-1")
        self.supplied: tuple[Supplied, ...] = ()
        self.kernel_line: int | None = None
        self._changes: list[tuple[int, int, str]] = []
        self._free: int | None = None

    def branch(self) -> IrCopy:
        """Returns another copy of the same text with the same changes so far."""
        other = IrCopy.__new__(IrCopy)
        other.__dict__ |= self.__dict__ | {"_changes": [*self._changes]}
        return other

    @property
    def code(self) -> bytes:
        """The copy."""
        parts: list[str] = []
        at = 0
        for start, end, more in sorted(self._changes, key=lambda change: change[:2]):
            parts += self.text[at:start], more
            at = end
        return "".join((*parts, self.text[at:])).encode("latin-1")

    def change(self, start: int, more: str, end: int | None = None) -> None:
        """Puts `more` in the place of a span; without an end, before `start`."""
        self._changes.append((start, start if end is None else end, more))

    def append(self, lines: list[str]) -> None:
        """Puts lines behind the end."""
        self.change(len(self.text), "\n".join(("", *lines, "")))

    def take_number(self) -> int:
        """Returns a number that no metadata has."""
        if self._free is None:
            self._free = max(map(int, _NUMBER.findall(self.text)), default=-1) + 1
        self._free += 1
        return self._free - 1

    def supply(self, what: str, value: str, instead_of: str = "") -> None:
        """Notes a part that the text lacks, with the value in the copy."""
        self.supplied += (Supplied(self.name, what, value, instead_of),)


def supplied_copy(
    name: str,
    module: bytes,
    versions: tuple[int, int, int, int],
    entry: str = "",
    *,
    reads_opaque: bool = False,
) -> IrCopy:
    """Returns a copy of a module, with the missing parts that libNVVM requires.

    Args:
        name: The module.
        module: Its text.
        versions: Those that libNVVM takes, as it says them (`nvvmIRVersion`).
        entry: The function to be marked as a kernel; empty for none.
        reads_opaque: Whether libNVVM reads opaque pointers for the target.
    """
    copy = IrCopy(name, module)
    if module.startswith(BOM_UTF8):
        copy.change(0, "", len(BOM_UTF8))
        copy.supply(MARK, "")
    if not _CODE.search(copy.text):
        return copy
    layout, triple = _said(_LAYOUT, copy.text), _said(_TRIPLE, copy.text)
    own = _own(triple)
    if not (layout and layout["value"]):
        # Without one libNVVM does not even say that a module is for another machine.
        _say(copy, "datalayout", (own or _WIDE)[1], layout)
    if own and not (triple and _TAKEN.fullmatch(triple["value"])):
        _say(copy, "triple", own[0], triple)
    if not _said(_VERSION, copy.text):
        number = copy.take_number()
        numbers = ", ".join(f"i32 {version}" for version in versions)
        copy.append([f"!nvvmir.version = !{{!{number}}}", f"!{number} = !{{{numbers}}}"])
        copy.supply("!nvvmir.version", f"{versions[0]}.{versions[1]}")
    if entry:
        _mark_kernel(copy, entry, reads_opaque)
    return copy


def _mark_kernel(copy: IrCopy, entry: str, reads_opaque: bool) -> None:
    """Marks the function `entry` as a kernel, if unmarked and possible."""
    functions = ir_functions(copy.text)
    for function in (f for f in functions if f.name == entry and f.can_be_marked):
        lines = kernel_annotation(
            copy.text, function, copy.take_number(), reads_opaque=reads_opaque
        )
        copy.append(lines)
        copy.supply(f"mark of a kernel at @{entry}", lines[-1].partition(" = ")[2])
        copy.kernel_line = function.line


def has_foreign_layout(copy: IrCopy) -> bool:
    """Returns whether the module has another compiler's data layout, which libNVVM may refuse."""
    layout, own = _said(_LAYOUT, copy.text), _own(_said(_TRIPLE, copy.text))
    return bool(own and layout and layout["value"] not in ("", own[1]))


def targets_of(copy: IrCopy) -> Iterator[tuple[str, str]]:
    """Yields the data layout and the triple that the module says."""
    for what, pattern in (("datalayout", _LAYOUT), ("triple", _TRIPLE)):
        if match := _said(pattern, copy.text):
            yield what, match["value"]


def supply_layout(copy: IrCopy) -> None:
    """Puts libNVVM's data layout in the place of another compiler's."""
    layout, own = _said(_LAYOUT, copy.text), _own(_said(_TRIPLE, copy.text))
    if own and layout:
        _say(copy, "datalayout", own[1], layout)


def _own(triple: re.Match[str] | None) -> tuple[str, str] | None:
    """Returns libNVVM's triple and data layout; None where the code is for another machine."""
    machine = triple["value"].partition("-")[0] if triple else ""
    return {"": _WIDE, "nvptx64": _WIDE, "nvgpu": _WIDE, "nvptx": _NARROW}.get(machine)


def _said(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Returns the first match outside of comments."""
    # A semicolon before the match, in the same line, begins a comment.
    matches = pattern.finditer(text)
    return next(
        (m for m in matches if text.rfind(";", 0, m.start()) <= text.rfind("\n", 0, m.start())),
        None,
    )


def _say(copy: IrCopy, what: str, value: str, match: re.Match[str] | None) -> None:
    """Gives a target a value; a first line that has code moves to the right."""
    if match:
        start, end = match.span("value")
        copy.change(start, value, end)
    else:
        begin = len(BOM_UTF8) if copy.text.startswith(BOM_UTF8.decode("latin-1")) else 0
        copy.change(begin, f'target {what} = "{value}" ')
    copy.supply(f"target {what}", value, match["value"] if match else "")


_PTX_CODE = re.compile(r"(?<![\w$%])\.(?:entry|func|global)\b")
_OLDEST = (3, 1)
# The oldest version of the PTX ISA that has a target, where that is younger than `_OLDEST`:
# PTX ISA, "Release Notes"; a test holds it to what nvJitLink says.
_VERSION_OF_TARGET = {
    "32": (4, 0), "37": (4, 1), "50": (4, 0), "52": (4, 1), "53": (4, 2), "60": (5, 0),
    "61": (5, 0), "62": (5, 0), "70": (6, 0), "72": (6, 1), "75": (6, 3), "80": (7, 0),
    "86": (7, 1), "87": (7, 4), "88": (9, 0), "89": (7, 8), "90": (7, 8), "90a": (8, 0),
    "100": (8, 6), "100a": (8, 6), "100f": (8, 8), "101": (8, 6), "101a": (8, 6), "101f": (8, 8),
    "103": (8, 8), "103a": (8, 8), "103f": (8, 8), "107": (9, 4), "107a": (9, 4), "107f": (9, 4),
    "110": (9, 0), "110a": (9, 0), "110f": (9, 0), "120": (8, 7), "120a": (8, 7), "120f": (8, 8),
    "121": (8, 8), "121a": (8, 8), "121f": (8, 8),
}  # fmt: skip


def oldest_version(target: str) -> tuple[int, int]:
    """Returns the oldest version of PTX that nvJitLink takes for a target, as ``90a``."""
    return _VERSION_OF_TARGET.get(target, _OLDEST)


def supply_ptx(name: str, ptx: bytes, arch: Arch) -> tuple[bytes, tuple[Supplied, ...]]:
    """Returns PTX with a whole head, and the supplied parts; the same text if there are none.

    Args:
        name: What the text is called.
        ptx: The text.
        arch: The target of a text that says none.
    """
    code = ptx.removeprefix(BOM_UTF8)
    supplied = [Supplied(name, MARK, "")] if code != ptx else []
    text = code.decode("latin-1")
    if not _PTX_CODE.search(bare_ptx(text)):
        return code, tuple(supplied)
    version, target = version_at(text), target_at(text)
    own = target["value"].partition("_")[2] if target else f"{arch.number}{arch.suffix}"
    wanted = oldest_version(own)
    written = tuple(map(int, version["value"].split("."))) if version else (0, 0)
    start, end = version.span("value") if version else (0, 0)
    head = text[start:end]
    if written < wanted:
        value = ".".join(map(str, wanted))
        supplied.append(Supplied(name, ".version", value, head))
        head = value if version else f".version {value} "
    if target is None:
        supplied += [Supplied(name, ".target", arch.sm), Supplied(name, ".address_size", "64")]
        head = f"{head.rstrip()} .target {arch.sm} .address_size 64 "
    return (text[:start] + head + text[end:]).encode("latin-1"), tuple(supplied)
