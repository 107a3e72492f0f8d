"""The cache of CUDA itself, ``~/.nv/ComputeCache/X/Y/HASH``, written by the driver and by NVRTC.

The layout is not published; this is the layout of CUDA 13. A file is a header (a number that is 65,
the size of the key, the size of the result, a hash), the key and the result. The key begins with
the build date of the compiler, ``HOST64`` and the target; then come the PTX or the LLVM bitcode
that was compiled, and options. The result is a cubin or PTX, unpacked.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import partial

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation
from jitstudio.core.code import is_bitcode
from jitstudio.core.cubin import cubin_target
from jitstudio.kernel_caches.entry import CacheEntry, Folder, Incomplete, name_in
from jitstudio.ptx.skimming import ptx_target

_ORIGIN = "CUDA"
_NAME = re.compile(r"[0-9a-f]{8,}")
_PLACE = re.compile(r"(?:.*/)?[0-9a-f]/[0-9a-f]")
_HEADER = struct.Struct("<IQQ8x")
_LAYOUT = 65
_KEY = re.compile(rb"(\w{3} [ \d]\d \d{4})(\d\d:\d\d:\d\d)HOST\d\dsm_\d{2,3}[af]?")


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the entries of a folder of CUDA's cache; nothing for another folder."""
    if not _PLACE.fullmatch((folder.root / folder.inner).as_posix()):
        return
    for name in [name for name in folder.names if _NAME.fullmatch(name)]:
        with folder.noting(name):
            yield _entry(folder, name)
        folder.take(name)


def _entry(folder: Folder, name: str) -> CacheEntry:
    content = folder.read(name)
    if len(content) < _HEADER.size:
        raise Incomplete("it is half-written")
    layout, key_bytes, made_bytes = _HEADER.unpack_from(content)
    behind = _HEADER.size + key_bytes
    if layout != _LAYOUT:
        raise Incomplete("its layout is that of another version of CUDA, which is not known")
    if behind + made_bytes != len(content):
        raise Incomplete("it is half-written, or of another version of CUDA")
    code = _code(content[behind:])
    key = content[_HEADER.size : behind]
    return CacheEntry(
        member=folder.member(name),
        origin=_ORIGIN,
        date=folder.date(name),
        source="",
        code=code,
        captured=partial(_captured, name, key, code),
    )


def _code(result: bytes) -> Representation:
    if cubin_target(result):
        return Representation(KernelLanguage.CUBIN, result)
    text = result.rstrip(b"\0")
    if ptx_target(text.decode("utf-8", "replace")):
        return Representation(KernelLanguage.PTX, text)
    raise Incomplete("what was made is neither a cubin nor PTX, or is compressed")


def _captured(name: str, key: bytes, code: Representation) -> CapturedKernel:
    facts, before = {}, []
    if match := _KEY.match(key):
        facts["compiler built"] = f"{match[1].decode()} {match[2].decode()}"
        input_code, _, options = key[match.end() :].partition(b"\0 ")
        if is_bitcode(input_code):
            facts["made from"] = "LLVM bitcode"
        elif code.language is not KernelLanguage.PTX and ptx_target(
            input_code.decode("utf-8", "replace")
        ):
            before.append(Representation(KernelLanguage.PTX, input_code))
            if options.strip():
                facts["options"] = options.decode("utf-8", "replace").strip()
    return CapturedKernel(name_in(code, name), _ORIGIN, (*before, code), facts)
