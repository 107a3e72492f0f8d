"""Formats CUDA C++ with clang-format, which has a separate wheel.

Only where the caller says so a ``.clang-format`` of the text's folder is read: clang-format itself
would look for one in all folders above, whatever their owner.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from xml.etree import ElementTree

from jitstudio.system.private import is_own

STYLE_NAMES = (".clang-format", "_clang-format")
_SECONDS = 30.0
_GLANCE = 0.1
_BINARY = "clang-format.exe" if sys.platform == "win32" else "clang-format"


class FormatError(RuntimeError):
    """The text could not be formatted; the message tells why, and a remedy."""


@dataclass(frozen=True)
class Style:
    """How to format.

    Attributes:
        indent: Columns of a level, where no file says so.
        folder: Where the text's file is; a style file there, or in a folder above, is used. None
            for nowhere.
    """

    indent: int = 4
    folder: Path | None = None


@dataclass(frozen=True)
class FormattingResult:
    """The changes of formatting.

    Attributes:
        edits: Start and end in UTF-16 units, and the replacement; in order.
        caret: Where the caret is then, in the same units.
        style_file: The file with the style; None where none was used.
        is_complete: Whether all of the text could be made sense of.
    """

    edits: tuple[tuple[int, int, str], ...]
    caret: int
    style_file: Path | None = None
    is_complete: bool = True


def clang_format() -> Path | None:
    """Returns the program of the wheel `clang-format`; None where that is not installed."""
    spec = find_spec("clang_format")
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    programs = (Path(folder, "data", "bin", _BINARY) for folder in folders)
    return next((path for path in programs if path.is_file()), None)


def style_file(folder: Path) -> Path | None:
    """Returns the style file for a folder: in there, or in the nearest folder above.

    Raises:
        FormatError: It belongs to another user.
    """
    for place in (folder, *folder.parents):
        for name in STYLE_NAMES:
            try:
                status = os.stat(place / name)
            except OSError:
                continue
            if not is_own(status) and (status.st_uid != 0 or status.st_mode & 0o022):
                raise FormatError(
                    f"'{place / name}' belongs to another user, so that nothing was formatted. "
                    "Copy it beside the file if you want it to be used."
                )
            return place / name
    return None


def formatted(
    text: str,
    name: str,
    style: Style,
    caret: int = 0,
    lines: tuple[int, int] | None = None,
    is_unwanted: Callable[[], bool] = lambda: False,
) -> FormattingResult:
    """Formats a text. Takes as long as clang-format does; not for the GUI thread.

    Args:
        text: CUDA C++.
        name: The name of the text, for its main include.
        style: How.
        caret: Where the caret is, in UTF-16 units.
        lines: The first and the last line to format, from 1; all where not given.
        is_unwanted: Whether nobody waits for it any more.

    Raises:
        FormatError: See the class.
    """
    program = clang_format()
    if program is None:
        raise FormatError(
            "clang-format is not installed. Install it for the Python of jitstudio, then format "
            f"again: {sys.executable} -m pip install clang-format"
        )
    style_path = style_file(style.folder) if style.folder is not None else None
    plain = f"{{BasedOnStyle: LLVM, IndentWidth: {style.indent}}}"
    content = text.encode("utf-8", "replace")
    command = [
        str(program),
        f"--style=file:{style_path}" if style_path else f"--style={plain}",
        # Whatever a header is called, clang-format shall not take it for Objective-C.
        f"--assume-filename={Path(name).stem or 'text'}.cu",
        "--output-replacements-xml",
        f"--cursor={len(_halves(text, caret).encode('utf-8', 'replace'))}",
    ]
    if lines is not None:
        command.append(f"--lines={lines[0]}:{lines[1]}")
    return _read(_run(command, content, is_unwanted), content, style_path)


def _run(command: list[str], content: bytes, is_unwanted: Callable[[], bool]) -> bytes:
    try:
        # In no folder of the user's: what lies there is none of its business.
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=Path(command[0]).parent,
        )
    except OSError as error:
        raise FormatError(
            f"clang-format cannot be started ('{command[0]}': {error.strerror}). Reinstall it: "
            f"{sys.executable} -m pip install --force-reinstall clang-format"
        ) from None
    deadline, unsent = monotonic() + _SECONDS, content
    with process:
        while True:
            try:
                out, errors = process.communicate(unsent, timeout=_GLANCE)
                break
            except subprocess.TimeoutExpired:
                # `communicate` takes input at its first call only, and refuses more.
                unsent = b""
                if is_unwanted() or monotonic() > deadline:
                    process.kill()
                    process.communicate()
                    raise FormatError(
                        f"clang-format was at it for {_SECONDS:.0f} s and was ended. Nothing was "
                        "changed; select fewer lines and format those."
                    ) from None
    if process.returncode:
        reason = errors.decode("utf-8", "replace").strip() or f"it ended with {process.returncode}"
        raise FormatError(f"clang-format could not format: {reason}. Nothing was changed.")
    return out


def _read(out: bytes, content: bytes, style_path: Path | None) -> FormattingResult:
    try:
        root = ElementTree.fromstring(out)
        changes = [
            (int(node.attrib["offset"]), int(node.attrib["length"]), node.text or "")
            for node in root.iter("replacement")
        ]
        caret = int(root.findtext("cursor", "0"))
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise FormatError(
            f"What clang-format said cannot be read: {error}. Nothing was changed."
        ) from None
    places = _units(content, (at for start, size, _ in changes for at in (start, start + size)))
    edits = tuple(
        (places[2 * number], places[2 * number + 1], text)
        for number, (_, _, text) in enumerate(changes)
    )
    anew = _applied(content, changes)
    return FormattingResult(
        edits, _units(anew, [caret])[0], style_path, root.get("incomplete_format") != "true"
    )


def _applied(content: bytes, changes: Iterable[tuple[int, int, str]]) -> bytes:
    pieces, done = [], 0
    for start, size, text in changes:
        pieces += [content[done:start], text.encode("utf-8")]
        done = start + size
    return b"".join((*pieces, content[done:]))


def _units(content: bytes, places: Iterable[int]) -> list[int]:
    """Returns positions in UTF-16 units for positions in bytes, given in order."""
    in_units: list[int] = []
    done = units = 0
    for place in places:
        passed = content[done:place].decode("utf-8", "replace")
        units += len(passed.encode("utf-16-le", "replace")) // 2
        in_units.append(units)
        done = place
    return in_units


def _halves(text: str, units: int) -> str:
    """Returns the beginning of a text, of so many UTF-16 units."""
    return text.encode("utf-16-le", "replace")[: 2 * units].decode("utf-16-le", "replace")
