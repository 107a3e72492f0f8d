"""`jitstudio inspect --list`: which kernels there are in programs, libraries, wheels and caches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields

from jitstudio.command_options.build import InspectOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import library_object, utc_time
from jitstudio.commands.library import place_of
from jitstudio.core.figures import FIGURES
from jitstudio.core.library import CodePiece, LibraryFailure, LibraryKernel, LibraryListing
from jitstudio.core.result import Resources
from jitstudio.system.terminal import print_error, say, table_lines
from jitstudio.worker.code_readers import LibraryReader

# Of the figures, those that a cubin tells; how much was spilled is in logs only.
_COLUMNS = [
    field.name for field in fields(Resources) if field.name not in ("spill_stores", "spill_loads")
]


def list_kernels(options: InspectOptions) -> int:
    """Prints the kernels in a file or folder; returns the exit status.

    Raises:
        UsageError: An argument is wrong.
        WorkerError: The worker itself failed.
    """
    if len(options.sources) != 1:
        raise UsageError(
            "--list takes one file or folder: a program, a library, a wheel, a fatbin, a cubin, a "
            "cache."
        )
    path = place_of(str(options.sources[0]))
    reader = LibraryReader()
    try:
        library = reader.list(path, timeout=options.timeout)
    finally:
        reader.close()
    kernels = _filtered(library, options) if isinstance(library, LibraryListing) else []
    if options.json:
        say(json.dumps(library_object(path, library, kernels), check_circular=False))
    elif isinstance(library, LibraryListing):
        _print(library, kernels)
    if isinstance(library, LibraryFailure):
        print_error(library.message)
        return exit_codes.OF_OUTCOME[library.outcome]
    return exit_codes.BUILT


def _filtered(library: LibraryListing, options: InspectOptions) -> list[LibraryKernel]:
    word = (options.kernel or "").lower()
    return [
        kernel
        for kernel in library.kernels
        if (word in kernel.name.lower() or word in kernel.demangled.lower())
        and options.arch in (None, library.pieces[kernel.piece].arch)
    ]


def _print(library: LibraryListing, kernels: Sequence[LibraryKernel]) -> None:
    columns = [column for column in _PLACES if any(map(column[1], library.pieces))]
    headings = ("code", *(FIGURES[name].heading for name in _COLUMNS))
    rows = [("kernel", "target", *(heading for heading, _ in columns), *headings)]
    for kernel in kernels:
        piece = library.pieces[kernel.piece]
        figures = (kernel.code_bytes, *(getattr(kernel.resources, name) for name in _COLUMNS))
        cells = ("-" if figure is None else str(figure) for figure in figures)
        places = (text_of(piece) for _, text_of in columns)
        rows.append((kernel.demangled, piece.target, *places, *cells))
    for line in table_lines(rows, left=2 + len(columns)):
        say(line)
    for note in library.notes:
        print_error(note)
    print_error(f"{len(kernels):,} of {len(library.kernels):,} kernels")


_PLACES: tuple[tuple[str, Callable[[CodePiece], str]], ...] = (
    ("date", lambda piece: utc_time(piece.date) if piece.date else ""),
    ("by", lambda piece: piece.origin),
    ("source", lambda piece: piece.source),
    ("in", lambda piece: piece.member),
)
