"""`jitstudio inspect --list`: which kernels there are in programs, libraries, wheels and caches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import fields

from jitstudio.commands import exit_codes
from jitstudio.commands.build_options import InspectOptions
from jitstudio.commands.json_output import library_object, utc_time
from jitstudio.commands.library import place_of
from jitstudio.commands.values import UsageError
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
        found = reader.list(path, timeout=options.timeout)
    finally:
        reader.close()
    kernels = _filtered(found, options) if isinstance(found, LibraryListing) else []
    if options.json:
        say(json.dumps(library_object(path, found, kernels), check_circular=False))
    elif isinstance(found, LibraryListing):
        _print(found, kernels)
    if isinstance(found, LibraryFailure):
        print_error(found.message)
        return exit_codes.OF_OUTCOME[found.outcome]
    return exit_codes.BUILT


def _filtered(found: LibraryListing, options: InspectOptions) -> list[LibraryKernel]:
    word = (options.kernel or "").lower()
    return [
        one
        for one in found.kernels
        if (word in one.name.lower() or word in one.demangled.lower())
        and options.arch in (None, found.pieces[one.piece].arch)
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
