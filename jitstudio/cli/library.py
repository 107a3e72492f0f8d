"""Kernels inside programs, libraries, wheels and caches: which there are, and one as a module."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TypeGuard

from jitstudio.cli.request import Given, UsageError, parsed_arch
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import library_object, utc_time
from jitstudio.core.arch import Arch, machine_code_for, ptx_for
from jitstudio.core.code import CodeKind, Source, is_project, kind_of
from jitstudio.core.figures import FIGURES
from jitstudio.core.launch.choice import base_name
from jitstudio.core.library import (
    CodePiece,
    LibraryFailure,
    LibraryKernel,
    LibraryListing,
)
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Resources
from jitstudio.kernel_caches.places import cache_named
from jitstudio.terminal import print_error, say, table_lines
from jitstudio.worker.code_readers import LibraryReader

_PACKED = frozenset({CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY})
# Of the figures, those that a cubin tells; how much was spilled is in logs only.
_COLUMNS = [
    field.name for field in fields(Resources) if field.name not in ("spill_stores", "spill_loads")
]
_MOST_NAMED = 10
# So many characters of a file in a folder choose it.
_LEAST = 6


def _place_of(path: str) -> str:
    """Returns the folder of a cache for the word that stands for it, such as ``triton``.

    What is there by that name comes first; anything else is returned as it is.

    Raises:
        UsageError: There is no such cache on this machine.
    """
    cache = cache_named(path)
    if cache is None or os.path.lexists(path):
        return path
    folder = cache.folder(os.environ)
    if folder is not None and folder.is_dir():
        return str(folder)
    where = f"'{folder}' is not there" if folder else "nothing says where"
    raise UsageError(
        f"There is no cache of {cache.title} here: {where}. Name its folder; it may be kept at "
        "another place, or not have been made yet."
    )


def only_holds_code(path: Given) -> TypeGuard[str]:
    """Returns whether a file or folder may hold device code though it is no module by its name."""
    if isinstance(path, Source):
        return False
    if os.path.isdir(path) or (cache_named(path) and not os.path.lexists(path)):
        return True
    return kind_of(path) is None and not is_project(Path(path)) and Path(path).is_file()


def holds_modules(path: Given) -> TypeGuard[str]:
    """Returns whether a file is a module that may be made of several."""
    return not isinstance(path, Source) and kind_of(path) in _PACKED


def list_kernels(arguments: argparse.Namespace) -> int:
    """Prints the kernels in a file or folder; returns the exit status.

    Raises:
        UsageError: An argument is wrong.
        WorkerError: The worker itself failed.
    """
    if len(arguments.sources) != 1:
        raise UsageError(
            "--list takes one file or folder: a program, a library, a wheel, a fatbin, a cubin, a "
            "cache."
        )
    (path,) = map(_place_of, arguments.sources)
    reader = LibraryReader()
    try:
        found = reader.list(path, timeout=arguments.timeout)
    finally:
        reader.close()
    kernels = _filtered(found, arguments) if isinstance(found, LibraryListing) else []
    if arguments.json:
        say(json.dumps(library_object(path, found, kernels), check_circular=False))
    elif isinstance(found, LibraryListing):
        _print(found, kernels)
    if isinstance(found, LibraryFailure):
        print_error(found.message)
        return exit_codes.OF_OUTCOME[found.outcome]
    return exit_codes.BUILT


def _filtered(found: LibraryListing, arguments: argparse.Namespace) -> list[LibraryKernel]:
    word = (arguments.kernel or "").lower()
    target = parsed_arch(arguments.arch) if arguments.arch else None
    return [
        one
        for one in found.kernels
        if (word in one.name.lower() or word in one.demangled.lower())
        and target in (None, found.pieces[one.piece].arch)
    ]


def _print(found: LibraryListing, kernels: Sequence[LibraryKernel]) -> None:
    columns = [each for each in _PLACES if any(map(each[1], found.pieces))]
    headings = ("code", *(FIGURES[name].heading for name in _COLUMNS))
    rows = [("kernel", "target", *(heading for heading, _ in columns), *headings)]
    for one in kernels:
        piece = found.pieces[one.piece]
        figures = (one.code_bytes, *(getattr(one.resources, name) for name in _COLUMNS))
        cells = ("-" if figure is None else str(figure) for figure in figures)
        places = (told(piece) for _, told in columns)
        rows.append((one.demangled, piece.target, *places, *cells))
    for line in table_lines(rows, left=2 + len(columns)):
        say(line)
    for note in found.notes:
        print_error(note)
    print_error(f"{len(kernels):,} of {len(found.kernels):,} kernels")


_PLACES: tuple[tuple[str, Callable[[CodePiece], str]], ...] = (
    ("date", lambda piece: utc_time(piece.date) if piece.date else ""),
    ("by", lambda piece: piece.origin),
    ("source", lambda piece: piece.source),
    ("in", lambda piece: piece.member),
)


def kernel_request(
    path: str, kernel: str | None, target: str | None, timeout: float
) -> tuple[BuildRequest, str]:
    """Returns the build that reads one kernel in a file or folder, and its lowered name.

    Args:
        path: The file or folder.
        kernel: Its name, lowered or demangled, with or without its parameters; in a folder also
            its file, or how that begins.
        target: The target to read it for; None for the newest one.
        timeout: Seconds that reading may take.

    Raises:
        UsageError: It holds no such kernel, or several and none is named; or there is no cache.
        WorkerError: The worker itself failed.
    """
    path = _place_of(path)
    wanted = parsed_arch(target) if target else None
    reader = LibraryReader()
    try:
        found = reader.list(path, timeout=timeout)
        if isinstance(found, LibraryFailure):
            raise UsageError(found.message)
        chosen = _chosen(path, found, kernel, wanted)
        piece = found.pieces[chosen.piece]
        code = reader.take(path, piece, timeout=timeout)
    finally:
        reader.close()
    if isinstance(code, LibraryFailure):
        raise UsageError(code.message)
    name = str(Path(path, piece.member)) if found.folders else path
    source = Source(name, code.kind, code.content, str(Path(path).resolve().parent))
    return BuildRequest((source,), arch=wanted or piece.arch), chosen.name


def _chosen(
    path: str, found: LibraryListing, kernel: str | None, wanted: Arch | None
) -> LibraryKernel:
    names = {one.name: one.demangled for one in found.kernels}
    if kernel is None and len(names) != 1:
        raise UsageError(
            f"'{path}' holds {len(names):,} kernels. Choose one with --kernel, or see them with "
            f"jitstudio inspect --list {path}"
        )
    there = found.kernels if kernel is None else kernels_named(found, kernel)
    if not there:
        alike = [text for text in names.values() if kernel and kernel.lower() in text.lower()]
        raise UsageError(_no_such(path, kernel or "", alike))
    if len(same := {one.name for one in there}) > 1:
        raise UsageError(_several(path, kernel or "", [names[name] for name in same]))
    chosen = best_kernel(found, there, wanted)
    if chosen is None:
        targets = sorted({found.pieces[one.piece].target for one in there})
        raise UsageError(
            f"'{path}' has no code of '{kernel or there[0].demangled}' that runs on {wanted}. "
            f"It has it for {', '.join(targets)}: choose one of these with --arch."
        )
    piece = found.pieces[chosen.piece]
    others = [one for one in there if found.pieces[one.piece].target == piece.target]
    if len(others) > 1:
        where = f" of {piece.member}" if piece.member and not found.folders else ""
        which = f"newest, {piece.member}," if found.folders else "first"
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
        lambda one: name in (one.name, one.demangled),
        lambda one: f" {name}(" in f" {one.demangled}",
        lambda one: name in ((base := base_name(one.demangled)), base.rpartition(" ")[2]),
        lambda one: _is_in(library, one, name),
    ):
        if found := tuple(filter(called, library.kernels)):
            return found
    return ()


def _is_in(library: LibraryListing, kernel: LibraryKernel, name: str) -> bool:
    is_file = bool(library.folders) and len(name) >= _LEAST
    return is_file and library.pieces[kernel.piece].member.startswith(name)


def best_kernel(
    library: LibraryListing, kernels: Iterable[LibraryKernel], wanted: Arch | None
) -> LibraryKernel | None:
    """Returns the kernel to read for a target, or None if none of these is for it.

    Args:
        library: What they are in.
        kernels: Those to choose from.
        wanted: The target; None for the newest there is.
    """
    code: dict[Arch, LibraryKernel] = {}
    texts: dict[Arch, LibraryKernel] = {}
    # Of several for one target, the first; what is linked before what is not.
    for one in sorted(kernels, key=lambda one: library.pieces[one.piece].relocatable):
        piece = library.pieces[one.piece]
        (code if piece.kind is CodeKind.CUBIN else texts).setdefault(piece.arch, one)
    if wanted is None:
        there = code or texts
        return there[max(there)] if there else None
    if arch := machine_code_for(wanted, code):
        return code[arch]
    arch = ptx_for(wanted, texts)
    return texts[arch] if arch else None
