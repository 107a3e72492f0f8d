"""From the words of a command line to a build request."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from jitstudio.core.arch import Arch
from jitstudio.core.code import EMITTED_KINDS, ENDINGS, CodeKind, Header, Source, kind_of
from jitstudio.core.options import rooted, without
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import default_emit
from jitstudio.core.request import Assembler, BuildRequest, LinkMode, with_name_expressions


class UsageError(ValueError):
    """The command line cannot be served as it is; the message says what to change."""


def request_from(arguments: argparse.Namespace, base: BuildRequest | None = None) -> BuildRequest:
    """Read all files that the arguments name.

    Args:
        arguments: The words of the command line.
        base: A build that takes the place of the sources, and that the other arguments change.

    Raises:
        UsageError: An argument is wrong or a file cannot be read.
    """
    if base is None:
        base = BuildRequest(tuple(source_from(path) for path in arguments.sources))
    for word in (*arguments.option, *arguments.name_expression):
        _check_utf8(word)
    for flag, words in (
        ("--option", arguments.option),
        ("--name-expression", arguments.name_expression),
        ("--fat", () if arguments.fat is None else (arguments.fat.strip(" ,"),)),
    ):
        if "" in words:
            raise UsageError(f"{flag} is empty. Say what it shall be, or leave it out.")
    _check_compared(arguments)
    sources = assign_name_expressions(base.sources, arguments.name_expression)
    link = LinkMode.LTO if arguments.lto else LinkMode.PTX if arguments.link else base.link
    headers = {header.name: header for header in base.headers}
    headers |= {header.name: header for header in map(_header, arguments.header)}
    fat_archs, fat_ptx = _fat_targets(arguments.fat or "")
    # Paths of a project begin in its folder, those that are typed here where we are.
    given = rooted(arguments.option, os.getcwd() if base.folder else "")
    return BuildRequest(
        sources=sources,
        arch=base.arch if arguments.arch is None else _arch(arguments.arch),
        emit=_emit(arguments, sources, link),
        link=link,
        options=(*without(base.options, given), *given),
        headers=tuple(headers.values()),
        assembler=Assembler.DRIVER if arguments.driver_jit else base.assembler,
        libdevice=arguments.libdevice or base.libdevice,
        libraries=(*base.libraries, *map(source_from, arguments.library)),
        join_ir=arguments.join_ir or base.join_ir,
        fat_archs=fat_archs,
        fat_ptx=fat_ptx,
        use_cache=not arguments.no_cache,
        # A single build is over before a precompiled header could be of use.
        precompile_headers=arguments.repeat > 1 and not arguments.no_pch,
        confined_to=base.confined_to,
        unsafe_options=arguments.unsafe_options,
        folder=base.folder,
    )


def source_from(path: str, name_expressions: Sequence[str] = ()) -> Source:
    """One module from a file; the kind follows from its ending.

    Raises:
        UsageError: The ending is unknown or the file cannot be read.
    """
    kind = kind_of(path)
    if kind is None or kind in (CodeKind.SASS, CodeKind.HEADER):
        endings = " ".join(
            e for e, k in ENDINGS.items() if k not in (CodeKind.SASS, CodeKind.HEADER)
        )
        raise UsageError(f"'{path}' has no ending that tells its kind. Known ones: {endings}")
    content = _read(path)
    # A file may be called by bytes that are no UTF-8; logs and JSON need a name that is.
    name = os.fsencode(path).decode("utf-8", "replace")
    return Source(name, kind, content, str(Path(path).resolve().parent), tuple(name_expressions))


def assign_name_expressions(
    sources: tuple[Source, ...], expressions: Sequence[str]
) -> tuple[Source, ...]:
    """Give each expression to the modules that `with_name_expressions` finds.

    Raises:
        UsageError: There is an expression but no CUDA C++ module.
    """
    if expressions and not any(source.kind is CodeKind.CUDA for source in sources):
        raise UsageError("--name-expression needs a CUDA C++ module.")
    return with_name_expressions(sources, expressions)


def _arch(text: str) -> Arch:
    try:
        return Arch.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _fat_targets(text: str) -> tuple[tuple[Arch, ...], tuple[Arch, ...]]:
    """The targets of which a fatbin takes the cubin, and those of which it takes the PTX."""
    words = list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    virtual = [word for word in words if word.startswith("compute_")]
    real = [word for word in words if word not in virtual]
    return tuple(map(_arch, real)), tuple(map(_arch, virtual))


def _emit(
    arguments: argparse.Namespace, sources: tuple[Source, ...], link: LinkMode
) -> frozenset[CodeKind]:
    packed = frozenset({CodeKind.FATBIN} if arguments.fat else ())
    if not arguments.emit:
        return packed or default_emit(sources, link)
    words = {kind.value: kind for kind in EMITTED_KINDS}
    wanted = [word.strip() for word in arguments.emit.split(",") if word.strip()]
    for word in wanted:
        if word not in words:
            raise UsageError(f"--emit does not know '{word}'. It takes: {','.join(words)}")
    return packed | {words[word] for word in wanted}


def _check_compared(arguments: argparse.Namespace) -> None:
    """Refuse what a comparison would pass over in silence."""
    wanted = {
        "--compare-links": arguments.compare_links,
        "--compare-targets": arguments.compare_targets is not None,
    }
    asked = [flag for flag, on in wanted.items() if on]
    if arguments.compare_options and not wanted["--compare-targets"]:
        raise UsageError("--compare-options needs --compare-targets, too.")
    given = {"--emit": arguments.emit, "--fat": arguments.fat, "-o": arguments.output}
    others = [flag for flag, value in given.items() if value is not None]
    if asked and (others := [*asked[1:], *others]):
        raise UsageError(
            f"{others[0]} is not for {asked[0]}, which only prints figures. "
            "Leave one of the two out."
        )


def _check_utf8(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(word).decode("utf-8", "replace")
        raise UsageError(f"'{shown}' is not UTF-8.") from None


def _header(text: str) -> Header:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise UsageError(f"--header takes NAME=PATH, not '{text}'.")
    _check_utf8(name)
    return Header(name, _read(path))


def _read(path: str) -> bytes:
    try:
        return read_file(Path(path))
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}.") from None


def read_text(path: str) -> str:
    """A file as text; bytes that are no UTF-8 show as replacement characters.

    Raises:
        UsageError: It cannot be read.
    """
    return _read(path).decode("utf-8", "replace")
