"""The copy of PTX that nvJitLink gets: what its head lacks is supplied, and no line moves.

nvJitLink takes no PTX below ISA version 3.1, none older than its ``.target``, and none whose head
is not whole. Nothing is changed that it would take as it is.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8

from jitstudio.core.arch import Arch
from jitstudio.core.result import MARK, Supplied

_VERSION = re.compile(rb'^[^/"\n.]*+\.version[ \t]++(?P<value>\d{1,4}+\.\d{1,4}+)', re.MULTILINE)
_TARGET = re.compile(
    rb'^[^/"\n]*?\.target[ \t]++(?:sm|compute)_(?P<value>\d{2,3}+[af]?+)', re.MULTILINE
)
_CODE = re.compile(rb"^[ \t]*+(?:\.(?:visible|weak|extern)\s++)?\.(?:entry|func|global)\b", re.M)
_OLDEST = (3, 1)
# The oldest version of the PTX ISA that has a target, where that is younger than `_OLDEST`:
# PTX ISA, "Release Notes"; a test holds it to what nvJitLink says.
_VERSION_OF_TARGET = {
    "32": (4, 0), "37": (4, 1), "50": (4, 0), "52": (4, 1), "53": (4, 2), "60": (5, 0),
    "61": (5, 0), "62": (5, 0), "70": (6, 0), "72": (6, 1), "75": (6, 3), "80": (7, 0),
    "86": (7, 1), "87": (7, 4), "88": (9, 0), "89": (7, 8), "90": (7, 8), "90a": (8, 0),
    "100": (8, 6), "100a": (8, 6), "100f": (8, 8), "101": (8, 6), "101a": (8, 6), "101f": (8, 8),
    "103": (8, 8), "103a": (8, 8), "103f": (8, 8), "110": (9, 0), "110a": (9, 0), "110f": (9, 0),
    "120": (8, 7), "120a": (8, 7), "120f": (8, 8), "121": (8, 8), "121a": (8, 8), "121f": (8, 8),
}  # fmt: skip


def oldest_version(target: str) -> tuple[int, int]:
    """Returns the oldest version that nvJitLink takes of PTX for a target such as ``90a``."""
    return _VERSION_OF_TARGET.get(target, _OLDEST)


def supply_ptx(name: str, ptx: bytes, arch: Arch) -> tuple[bytes, tuple[Supplied, ...]]:
    """Returns PTX whose head is whole, and what was supplied; the same text where nothing is.

    Args:
        name: What the text is called.
        ptx: The text.
        arch: The target of a text that says none.
    """
    text = ptx.removeprefix(BOM_UTF8)
    supplied = [Supplied(name, MARK, "")] if text != ptx else []
    version, target = _VERSION.search(text), _TARGET.search(text)
    if not _CODE.search(text):
        return text, tuple(supplied)
    wanted = oldest_version(target["value"].decode() if target else f"{arch.number}{arch.suffix}")
    said = tuple(map(int, version["value"].split(b"."))) if version else (0, 0)
    start, end = version.span("value") if version else (0, 0)
    head = text[start:end]
    if said < wanted:
        value = ".".join(map(str, wanted))
        supplied.append(Supplied(name, ".version", value, head.decode()))
        head = value.encode() if version else f".version {value} ".encode()
    if target is None:
        supplied += [Supplied(name, ".target", arch.sm), Supplied(name, ".address_size", "64")]
        head = head.rstrip() + f" .target {arch.sm} .address_size 64 ".encode()
    return text[:start] + head + text[end:], tuple(supplied)
