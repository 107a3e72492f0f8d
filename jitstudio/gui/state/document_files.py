"""The files of documents: read whole, written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QIODevice, QSaveFile

from jitstudio.core import plain_files
from jitstudio.core.code import HEAD, CodeKind, kind_of, may_hold_code

_UNKNOWN = "\ufffd"


class DocumentError(RuntimeError):
    """A file cannot be read or written; the message is fit for a person."""


def read_file(path: Path) -> bytes:
    """Returns the bytes of a file.

    Raises:
        DocumentError: It cannot be read, or is larger than the limit.
    """
    try:
        if _is_utf_8(path):
            return plain_files.read_file(path)
        reason = _to_rename()
    except OSError as error:
        reason = error.strerror or str(error)
    message = QCoreApplication.translate("Files", "'{path}' cannot be opened: {reason}.")
    raise DocumentError(message.format(path=shown(path), reason=reason))


def has_changed(path: Path, known: str | None) -> bool:
    """Whether a file holds content not yet seen here; `known` is the digest of the last seen.

    Raises:
        DocumentError: It cannot be read.
    """
    if not os.path.exists(path):
        return False
    # Nothing that large was seen here, nor shall it be read to find out.
    return os.path.getsize(path) > plain_files.LARGEST or digest(read_file(path)) != known


def resolved(path: Path) -> Path:
    """Returns the file that a path means, links followed.

    Raises:
        DocumentError: The links lead in a circle, or the name is one that Qt cannot hold.
    """
    try:
        target = path.resolve()
    except (OSError, RuntimeError):
        # The latter is what pathlib raises up to Python 3.12.
        reason = QCoreApplication.translate("Files", "its links lead in a circle")
    else:
        if _is_utf_8(target):
            return target
        path, reason = target, _to_rename()
    message = QCoreApplication.translate("Files", "'{path}' cannot be opened: {reason}.")
    raise DocumentError(message.format(path=shown(path), reason=reason))


def shown(path: Path) -> str:
    """Returns a path for a person to read; bytes that are no UTF-8 as their numbers."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def write_file(path: Path, content: bytes) -> None:
    """Replaces the content of a file in a single step; links and permissions stay.

    Raises:
        DocumentError: The file cannot be written; the old content is still there.
    """
    try:
        problem = _write(path, content)
    except OSError as error:
        problem = error.strerror or str(error)
    except RuntimeError:
        # What pathlib raises up to Python 3.12.
        problem = QCoreApplication.translate("Files", "it is a link to itself")
    if problem:
        message = QCoreApplication.translate(
            "Files", "'{path}' cannot be written: {problem}. Save it under another name."
        )
        raise DocumentError(message.format(path=shown(path), problem=problem))


def replace_file(path: Path, content: bytes) -> str:
    """Puts a new file in the place of an old one; returns the reason of a failure, or nothing."""
    file = QSaveFile(str(path))
    opened = file.open(QIODevice.OpenModeFlag.WriteOnly)
    if opened and file.write(content) == len(content) and file.commit():
        return ""
    return file.errorString()


def overwrite_file(path: Path, content: bytes) -> str:
    """Writes over the content of a file, without room for a second; returns any failure."""
    try:
        _overwrite(path, content)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def rename_file(old: Path, new: Path) -> None:
    """Gives a file another name in the same folder.

    Raises:
        DocumentError: It cannot be renamed, or a file of that name is there; nothing has changed.
    """
    try:
        if new.exists():
            problem = QCoreApplication.translate("Files", "there is a file of that name")
        elif not _is_utf_8(new):
            problem = QCoreApplication.translate("Files", "its name is not in UTF-8")
        else:
            old.rename(new)
            return
    except OSError as error:
        problem = error.strerror or str(error)
    message = QCoreApplication.translate(
        "Files", "'{path}' cannot be renamed to '{name}': {problem}. Choose another name."
    )
    raise DocumentError(message.format(path=shown(old), name=new.name, problem=problem))


def digest(content: bytes) -> str:
    """Returns the SHA-256 of `content` in hexadecimal digits, as identification."""
    # Qt has a hash, too, but it is ten times slower.
    from hashlib import sha256

    return sha256(content).hexdigest()


def kind_of_file(path: Path) -> CodeKind:
    """Returns the kind that a file's ending says.

    Raises:
        DocumentError: The ending is none of the known ones.
    """
    kind = kind_of(path.name)
    if kind is None:
        message = QCoreApplication.translate(
            "Files",
            "'{name}' has no file extension that shows what it holds. Rename it to end in .cu, "
            ".cuh, .ll, .bc, .ptx, .cubin, .fatbin, .ltoir, .o or .a. Programs, libraries and "
            "wheels are known by what is in them; this is none.",
        )
        raise DocumentError(message.format(name=path.name))
    return kind


def holds_library(path: Path) -> bool:
    """Returns whether a file is no module by ending, but a program, library, wheel or folder."""
    if kind_of(path.name) is not None:
        return False
    if path.is_dir():
        return True
    try:
        with plain_files.open_file(path, sys.maxsize) as file:
            return may_hold_code(file.read(HEAD) or b"")
    except OSError:
        return False


def _not_ordinary() -> str:
    return QCoreApplication.translate("Files", "it is not an ordinary file")


def _is_utf_8(path: Path) -> bool:
    """Whether Qt can name this file: Qt drops undecodable bytes, and so names another file."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    # What Qt itself puts where it has read a name that it cannot hold.
    return _UNKNOWN not in str(path) or os.path.exists(path)


def _to_rename() -> str:
    return QCoreApplication.translate("Files", "its name is not in UTF-8. Rename it first")


def _write(path: Path, content: bytes) -> str:
    """Writes a file; returns the reason of a failure, or nothing."""
    target = path.resolve()
    if not _is_utf_8(target):
        return QCoreApplication.translate("Files", "its name is not in UTF-8")
    there = target.stat() if target.exists() else None
    if there is None:
        return replace_file(target, content)
    if not stat.S_ISREG(there.st_mode):
        return _not_ordinary()
    if there.st_nlink == 1 and os.access(target.parent, os.W_OK):
        return replace_file(target, content)
    _overwrite(target, content)
    return ""


def _overwrite(path: Path, content: bytes) -> None:
    """Writes into the existing file: a new file would have a single name, or no place."""
    before = path.read_bytes()
    with path.open("r+b", buffering=0) as file:
        try:
            _put(file.fileno(), content)
        except OSError:
            _put(file.fileno(), before)
            raise


def _put(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)
