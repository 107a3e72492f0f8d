"""The cache of CuPy: ``~/.cupy/kernel_cache/HASH.cubin``, and the source where that was asked for.

`core.cubin` describes the part in front of the cubin. With `CUPY_CACHE_SAVE_CUDA_SOURCE` the source
is in ``HASH.cubin.cu``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation
from jitstudio.core.cubin import cubin_target, cupy_payload
from jitstudio.kernel_caches.entry import CacheEntry, Folder, Incomplete, name_in

_ORIGIN = "CuPy"
_NAME = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{32})(?:_2)?\.(cubin|ltoir)")
_ELF = b"\x7fELF"


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the entries of a folder of CuPy's cache; nothing for another folder."""
    for name in [name for name in folder.names if _NAME.fullmatch(name)]:
        source = f"{name}.cu" if f"{name}.cu" in folder.names else ""
        with folder.noting(name):
            if name.endswith(".ltoir"):
                raise Incomplete("it is LTO-IR, which has kernels to list once it is linked")
            code = _code(folder.read(name))
            yield CacheEntry(
                member=folder.member(name),
                origin=_ORIGIN,
                date=folder.date(name),
                source=folder.member(source) if source else "",
                code=code,
                captured=partial(_captured, folder, name, source, code),
            )
        folder.take(name, source)


def _code(content: bytes) -> Representation:
    payload = cupy_payload(content)
    if payload is None:
        raise Incomplete("its hash does not fit what it holds: it is half-written or damaged")
    if payload.startswith(_ELF):
        if cubin_target(payload) is None:
            raise Incomplete("it is machine code for GPUs of others, or damaged")
        return Representation(KernelLanguage.CUBIN, payload)
    if b".version" in payload:
        return Representation(KernelLanguage.PTX, payload.rstrip(b"\0"))
    raise Incomplete("it is neither a cubin nor PTX: another version of CuPy has written it")


def _captured(folder: Folder, name: str, source: str, code: Representation) -> CapturedKernel:
    sources = [folder.representation(KernelLanguage.CUDA, source, source)] if source else []
    return CapturedKernel(name_in(code, name), _ORIGIN, (*sources, code))
