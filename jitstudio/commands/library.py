"""Kernels inside programs, libraries, wheels and caches, and a kernel of these as a module."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeGuard

from jitstudio.command_options.values import ModuleInput, UsageError
from jitstudio.commands.workers import Workers
from jitstudio.core.arch import Arch, machine_code_for, ptx_for
from jitstudio.core.code import CodeKind, Source, is_project, kind_of
from jitstudio.core.launch.entry import base_name
from jitstudio.core.library import (
    LibraryFailure,
    LibraryKernel,
    LibraryListing,
)
from jitstudio.core.request import BuildRequest
from jitstudio.kernel_caches.places import cache_named
from jitstudio.system.terminal import print_error

_PACKED = frozenset({CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY})
_MOST_NAMED = 10
# So many characters of a file in a folder choose it.
_LEAST = 6


def place_of(path: str) -> str:
    """Returns the folder of a cache by the cache's name: ``triton``, for instance.

    What is there by that name comes first; anything else is returned as it is.

    Raises:
        UsageError: There is no such cache on this machine.
    """
    cache = cache_named(path)
    if cache is None or os.path.lexists(path):
        return path
    folder = cache.folder(os.environ)
    if folder is not None and os.path.isdir(folder):
        return str(folder)
    where = f"'{folder}' is not there" if folder else "nothing says where"
    raise UsageError(
        f"There is no cache of {cache.title} here: {where}. Name its folder; it may be kept at "
        "another place, or not have been made yet."
    )


def only_holds_code(path: ModuleInput) -> TypeGuard[str]:
    """Returns whether a path may hold device code though the name is that of no module."""
    if isinstance(path, Source):
        return False
    if os.path.isdir(path) or (cache_named(path) and not os.path.lexists(path)):
        return True
    return kind_of(path) is None and not is_project(Path(path)) and os.path.isfile(path)


def holds_modules(path: ModuleInput) -> TypeGuard[str]:
    """Returns whether a file is a module that may be made of several."""
    return not isinstance(path, Source) and kind_of(path) in _PACKED


def kernel_request(
    path: str, kernel: str | None, wanted: Arch | None, timeout: float, workers: Workers
) -> tuple[BuildRequest, str]:
    """Returns the build that reads a kernel in a file or folder, and the lowered name.

    Args:
        path: The file or folder.
        kernel: Its name, lowered or demangled, with or without its parameters; in a folder also
            its file, or how that begins.
        wanted: The target to read it for; None for the newest one.
        timeout: Seconds that reading may take.
        workers: The workers that read.

    Raises:
        UsageError: It holds no such kernel, or several and none is named; or there is no cache.
        WorkerError: The worker itself failed.
    """
    path = place_of(path)
    reader = workers.library_reader
    library = reader.list(path, timeout=timeout)
    if isinstance(library, LibraryFailure):
        raise UsageError(library.message)
    chosen = _chosen(path, library, kernel, wanted)
    piece = library.pieces[chosen.piece]
    code = reader.take(path, piece, timeout=timeout)
    if isinstance(code, LibraryFailure):
        raise UsageError(code.message)
    name = str(Path(path, piece.member)) if library.folders else path
    source = Source(name, code.kind, code.content, str(Path(path).resolve().parent))
    return BuildRequest((source,), arch=wanted or piece.arch), chosen.name


def _chosen(
    path: str, library: LibraryListing, kernel: str | None, wanted: Arch | None
) -> LibraryKernel:
    names = {candidate.name: candidate.demangled for candidate in library.kernels}
    if kernel is None and len(names) != 1:
        raise UsageError(
            f"'{path}' holds {len(names):,} kernels. Choose one with --kernel, or see them with "
            f"jitstudio inspect --list {path}"
        )
    candidates = library.kernels if kernel is None else kernels_named(library, kernel)
    if not candidates:
        alike = [text for text in names.values() if kernel and kernel.lower() in text.lower()]
        raise UsageError(_no_such(path, kernel or "", alike))
    if len(same := {candidate.name for candidate in candidates}) > 1:
        raise UsageError(_several(path, kernel or "", [names[name] for name in same]))
    chosen = best_kernel(library, candidates, wanted)
    if chosen is None:
        targets = sorted({library.pieces[candidate.piece].target for candidate in candidates})
        raise UsageError(
            f"'{path}' has no code of '{kernel or candidates[0].demangled}' that runs on {wanted}. "
            f"It has it for {', '.join(targets)}: choose one of these with --arch."
        )
    piece = library.pieces[chosen.piece]
    others = [
        candidate
        for candidate in candidates
        if library.pieces[candidate.piece].target == piece.target
    ]
    if len(others) > 1:
        where = f" of {piece.member}" if piece.member and not library.folders else ""
        which = f"newest, {piece.member}," if library.folders else "first"
        print_error(f"The {which}{where} of {len(others):,} for {piece.target} is read.")
    return chosen


def _no_such(path: str, kernel: str, alike: Sequence[str]) -> str:
    rest = (
        f"There are: {_some(alike)}." if alike else f"See all with jitstudio inspect --list {path}"
    )
    return f"There is no kernel '{kernel}' in '{path}'. {rest}"


def _several(path: str, kernel: str, names: Sequence[str]) -> str:
    return f"'{kernel}' is the name of several kernels in '{path}'. Choose one: {_some(names)}."


def _some(names: Iterable[str]) -> str:
    first = sorted(set(names))
    more = len(first) - _MOST_NAMED
    return ", ".join(first[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def kernels_named(library: LibraryListing, name: str) -> tuple[LibraryKernel, ...]:
    """Returns the kernels that have this name, lowered or demangled, in all their targets.

    Where none has, those whose demangled name is this one without what it returns and takes; else
    without its template arguments, too.
    """
    for called in (
        # `_Z5saxpyPf`, or `saxpy(float*)`.
        lambda kernel: name in (kernel.name, kernel.demangled),
        # `saxpy<float>` for `void saxpy<float>(float*)`.
        lambda kernel: f" {name}(" in f" {kernel.demangled}",
        # `saxpy` for the same kernel.
        lambda kernel: name in ((base := base_name(kernel.demangled)), base.rpartition(" ")[2]),
        lambda kernel: _is_in(library, kernel, name),
    ):
        if matches := tuple(filter(called, library.kernels)):
            return matches
    return ()


def _is_in(library: LibraryListing, kernel: LibraryKernel, name: str) -> bool:
    is_file = bool(library.folders) and len(name) >= _LEAST
    return is_file and library.pieces[kernel.piece].member.startswith(name)


def best_kernel(
    library: LibraryListing, kernels: Iterable[LibraryKernel], wanted: Arch | None
) -> LibraryKernel | None:
    """Returns the kernel to read for a target; None where none of `kernels` fits.

    Args:
        library: The library with the kernels.
        kernels: The kernels to choose from.
        wanted: The target; None for the newest there is.
    """
    code: dict[Arch, LibraryKernel] = {}
    texts: dict[Arch, LibraryKernel] = {}
    # Of several for one target, the first; what is linked before what is not.
    for kernel in sorted(kernels, key=lambda kernel: library.pieces[kernel.piece].relocatable):
        piece = library.pieces[kernel.piece]
        (code if piece.kind is CodeKind.CUBIN else texts).setdefault(piece.arch, kernel)
    if wanted is None:
        by_target = code or texts
        return by_target[max(by_target)] if by_target else None
    if arch := machine_code_for(wanted, code):
        return code[arch]
    arch = ptx_for(wanted, texts)
    return texts[arch] if arch else None
