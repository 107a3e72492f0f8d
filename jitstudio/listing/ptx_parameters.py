"""Where the parameters of kernels lie, as PTX declares them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jitstudio.core.launch.request import Slot
from jitstudio.core.launch.types import PTX_SCALARS, Opaque, Pointer, Type, padded
from jitstudio.listing.ptx import entries

_COMMENT = re.compile(r"//[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)")
_ENTRY = re.compile(r"\.entry\s+(?P<name>[\w$%]+)\s*+(?:\((?P<parameters>[^()]*+)\))?")
_PARAMETER = re.compile(
    r"""\s*+\.param\b
        (?:\s*+\.align\s++(?P<align>\d{1,9}+))?
        \s*+\.(?P<type>[a-z]\w*+)
        (?P<pointer>\s*+\.ptr\b(?:\s*+\.(?:const|global|shared|local)\b)?(?:\s*+\.align\s++\d{1,9}+)?)?
        \s*+(?P<name>[\w$%]++)
        \s*+(?P<array>\[\s*+(?P<count>\d{0,9}+)\s*+\])?\s*+""",
    re.VERBOSE,
)
_OPAQUE_SIZES = {"texref": 8, "samplerref": 8, "surfref": 8, "b128": 16, "f16x2": 4}


@dataclass(frozen=True)
class PtxParameter:
    """A parameter of a kernel as PTX declares it.

    Attributes:
        name: Its name in the PTX.
        type: Such as ``.f32``, ``.u64.ptr`` or ``.b8[12]``.
        slot: Where it lies.
        pointer: Whether PTX says that it is an address.
    """

    name: str
    type: str
    slot: Slot
    pointer: bool = False

    @property
    def guess(self) -> Type:
        """What it most likely is, where nothing else tells: 64 bits are taken for an address."""
        kind = self.type.removeprefix(".")
        if self.pointer or kind in ("u64", "b64"):
            return Pointer(None)
        return PTX_SCALARS.get(kind) or Opaque(self.type, self.slot.size, self.slot.align)


def parameter_slots(ptx: str) -> dict[str, tuple[PtxParameter, ...]]:
    """The parameters of every kernel that a PTX text defines, by the kernel's name.

    A kernel whose parameters cannot be read is left out.
    """
    defined = frozenset(entries(ptx))
    found = _ENTRY.finditer(without_comments(ptx))
    read = {e["name"]: _parameters(e["parameters"] or "") for e in found if e["name"] in defined}
    return {name: parameters for name, parameters in read.items() if parameters is not None}


def without_comments(ptx: str) -> str:
    """The text with a space for each comment."""
    # A function, so that other threads get a turn while a text of megabytes is gone through.
    return _COMMENT.sub(lambda _comment: " ", ptx)


def _parameters(text: str) -> tuple[PtxParameter, ...] | None:
    parameters: list[PtxParameter] = []
    end = 0
    for declaration in text.split(",") if text.strip() else ():
        match = _PARAMETER.fullmatch(declaration)
        size = _size_of(match["type"]) if match else None
        if match is None or size is None:
            return None
        align = int(match["align"] or size)
        extent = size * int(match["count"] or 0) if match["array"] else size
        slot = Slot(padded(end, align), extent, align)
        pointer = ".ptr" if match["pointer"] else ""
        array = f"[{match['count']}]" if match["array"] else ""
        written = f".{match['type']}{pointer}{array}"
        parameters.append(PtxParameter(match["name"], written, slot, bool(pointer)))
        end = slot.offset + slot.size
    return tuple(parameters)


def _size_of(kind: str) -> int | None:
    scalar = PTX_SCALARS.get(kind)
    return scalar.size if scalar else _OPAQUE_SIZES.get(kind)
