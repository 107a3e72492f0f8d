"""Plain files of PTX, machine code and captured kernels, and the dumps of XLA.

Files whose names differ only in the ending belong together: ``k.ptx``, ``k.cubin`` and ``k.mlir``,
as
CuTe DSL, Warp and nvcc --keep leave them. With `--xla_dump_to`, XLA writes
``module_0001.jit_f.ptx``, ``module_0001.jit_f.ir-with-opt.ll`` and
``module_0001.jit_f/module.mlir``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import PurePosixPath

from jitstudio.core.captured import (
    CapturedKernel,
    KernelLanguage,
    Representation,
    unpack,
)
from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import cubin_target
from jitstudio.kernel_caches.entry import CacheEntry, Folder, Incomplete, name_in, read_below

_CODES = (KernelLanguage.CUBIN, KernelLanguage.PTX)
_CAPTURED = CodeKind.CAPTURED.ending
_XLA = re.compile(r"(?P<module>module_\d+\.[^.]+).*")
_XLA_LLVM = (".ir-with-opt.ll", ".ll", ".ir-no-opt.ll")
_XLA_MLIR = "module.mlir"
_WARP = "wp_"
_BINARY = b"\x7fELF"


def entries(folder: Folder) -> Iterator[CacheEntry]:
    """Yields the kernels in files that no other reader has taken."""
    for name in [name for name in folder.names if name.endswith(_CAPTURED)]:
        with folder.noting(name):
            yield _packed(folder, name)
    endings = tuple(language.ending for language in _CODES)
    dumped = {match["module"] for name in folder.names if (match := _XLA.fullmatch(name))}
    if dumped and not any(name.endswith(endings) for name in folder.names):
        folder.notes.add(f"XLA has dumped {len(dumped):,} modules here, but no PTX of them.")
    for stem in dict.fromkeys(
        PurePosixPath(name).stem for name in folder.names if name.endswith(endings)
    ):
        with folder.noting(stem):
            yield _entry(folder, stem)


def _packed(folder: Folder, name: str) -> CacheEntry:
    kernel = unpack(folder.read(name))
    code = next(filter(None, map(kernel.representation, _CODES)), None)
    if code is None:
        raise Incomplete("it has neither PTX nor machine code")
    source = kernel.source.file if kernel.source else ""
    return CacheEntry(
        folder.member(name),
        kernel.origin,
        folder.date(name),
        source,
        code,
        # Read again: all kernels together may need more memory than there is.
        lambda: unpack(folder.read(name)),
    )


def _entry(folder: Folder, stem: str) -> CacheEntry:
    language = next(
        code_language for code_language in _CODES if stem + code_language.ending in folder.names
    )
    name = stem + language.ending
    code = folder.representation(language, name)
    if language is KernelLanguage.CUBIN and cubin_target(code.content) is None:
        raise Incomplete("it is not a cubin, half of one, or machine code for GPUs of others")
    if language is KernelLanguage.PTX and code.content.startswith(_BINARY):
        raise Incomplete("it is called PTX, but is none")
    files = _files(folder, stem)
    source = next((files[kind] for kind in files if kind.is_source), "")
    return CacheEntry(
        member=folder.member(name),
        origin=_origin(stem),
        date=folder.date(name),
        source=folder.member(source) if source else "",
        code=code,
        captured=partial(_captured, folder, stem, files),
    )


def _files(folder: Folder, stem: str) -> dict[KernelLanguage, str]:
    """Returns the file of each language with this stem, in the order of the languages."""
    # Several targets share a source: k.cu of k.sm_90.cubin.
    stems = (stem, stem.partition(".")[0])
    files = {}
    for language in KernelLanguage:
        names = [
            candidate + language.ending
            for candidate in stems
            if language.is_source or candidate == stem
        ]
        if language is KernelLanguage.LLVM_IR and (match := _XLA.fullmatch(stem)):
            names += [
                candidate + ending for candidate in (stem, match["module"]) for ending in _XLA_LLVM
            ]
        if name := next((candidate for candidate in names if candidate in folder.names), None):
            files[language] = name
    return files


def _origin(stem: str) -> str:
    if _XLA.fullmatch(stem):
        return "XLA"
    return "Warp" if stem.startswith(_WARP) else ""


def _captured(folder: Folder, stem: str, files: dict[KernelLanguage, str]) -> CapturedKernel:
    representations = [
        folder.representation(language, name, name if language.is_source else "")
        for language, name in files.items()
    ]
    # The languages are in the order in which compilers make them: the code comes last.
    return CapturedKernel(
        name_in(representations[-1], stem),
        _origin(stem) or "another compiler",
        (*_mlir(folder, stem), *representations),
    )


def _mlir(folder: Folder, stem: str) -> Iterator[Representation]:
    """Yields the input of XLA, which is in a separate folder."""
    match = _XLA.fullmatch(stem)
    if match is not None:
        inner = folder.root / folder.inner
        try:
            content = read_below(inner, match["module"], _XLA_MLIR)
            yield Representation(KernelLanguage.MLIR, content)
        except OSError:
            return
