"""The cache of Numba: ``__pycache__/MODULE.FUNCTION-LINE.pyXY.N.nbc``, a pickle per signature.

A pickle is a program that could do anything when loaded. None is loaded: its instructions are
listed by `pickletools`, and only the texts and bytes that they carry are read: the PTX and the
cubin of each target, and the LLVM IR that both were made from.
"""

from __future__ import annotations

import pickletools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation
from jitstudio.core.cubin import cubin_target
from jitstudio.kernel_caches.entry import CacheEntry, Folder, Incomplete
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import file_names, ptx_target

_ORIGIN = "Numba"
_NAME = re.compile(r"(?:(?P<module>\w+)\.)?(?P<function>[^/]+)-(?P<line>\d+)\.py\d+\.\d+\.nbc")
_PYTHON = KernelLanguage.PYTHON.ending
_CODE_LENGTH = 32
# Each byte of a pickle may be an instruction.
_LARGEST = 32 << 20
_LLVM = "; ModuleID"


@dataclass
class _Pickled:
    """The device code that a pickle carries."""

    cubins: list[bytes] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the entries of a folder of Numba's cache; nothing for another folder."""
    for name in [name for name in folder.names if name.endswith(".nbc")]:
        with folder.noting(name):
            pickled = _pickled(folder.read(name, _LARGEST))
            codes = [*_codes(pickled)]
            if not codes:
                raise Incomplete("it has no code for GPUs")
            for number, representations in enumerate(codes):
                yield _entry(folder, name, number, representations)
        folder.take(name)


def _entry(
    folder: Folder, name: str, number: int, representations: tuple[Representation, ...]
) -> CacheEntry:
    *_, code = representations
    match = _NAME.fullmatch(name)
    function = match["function"] if match else name
    source = ""
    if match:
        texts = (
            representation.text
            for representation in representations
            if representation.language is KernelLanguage.PTX
        )
        files = [file for text in texts for file in file_names(text, bare_ptx(text)).values()]
        path = next((f for f in files if f.endswith(_PYTHON)), "")
        if path or match["module"]:
            source = f"{path or match['module'] + _PYTHON}:{match['line']}"
    return CacheEntry(
        member=folder.member(name) + (f":{number}" if number else ""),
        origin=_ORIGIN,
        date=folder.date(name),
        source=source,
        code=code,
        captured=partial(CapturedKernel, function, _ORIGIN, representations),
        function=function.rpartition(".")[2],
    )


def _pickled(content: bytes) -> _Pickled:
    """Returns the code in a pickle, without running the pickle."""
    pickled = _Pickled()
    try:
        for _, argument, _ in pickletools.genops(content):
            if isinstance(argument, bytes | bytearray) and cubin_target(code := bytes(argument)):
                pickled.cubins.append(code)
            elif isinstance(argument, str) and len(argument) > _CODE_LENGTH:
                if argument.startswith(_LLVM):
                    pickled.modules.append(argument)
                elif ptx_target(argument):
                    pickled.texts.append(argument)
    except (ValueError, LookupError):
        raise Incomplete("it is not a pickle, or half of one") from None
    return pickled


def _codes(pickled: _Pickled) -> Iterator[tuple[Representation, ...]]:
    """Yields the representations of the kernel for each target, the code last."""
    llvm = tuple(
        Representation(KernelLanguage.LLVM_IR, text.encode("utf-8", "replace"))
        for text in pickled.modules
        # Of several modules, nobody knows which has the kernel.
        if len(pickled.modules) == 1
    )
    texts = {ptx_target(text): _ptx(text) for text in pickled.texts}
    has_cubin = False
    for cubin in pickled.cubins:
        target = cubin_target(cubin)
        ptx = texts.get(target.sm) if target else None
        yield (*llvm, *([ptx] if ptx else []), Representation(KernelLanguage.CUBIN, cubin))
        has_cubin = True
    if not has_cubin:
        yield from ((*llvm, ptx) for ptx in texts.values())


def _ptx(text: str) -> Representation:
    return Representation(KernelLanguage.PTX, text.rstrip("\0").encode("utf-8", "replace"))
