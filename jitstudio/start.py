"""Opens the window, or builds in the terminal instead. Imports little: every start waits."""

from __future__ import annotations

import builtins
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any
from zlib import crc32

from jitstudio.system.display import check_window


def open_window(files: Sequence[str]) -> int:
    """Opens the window on these files, or on the last session and returns the exit status."""
    if files and not os.path.exists(files[0]) and not Path(files[0]).suffix:
        # A word without an ending was meant as a command.
        from jitstudio.cli.without_window import refuse

        return refuse(files[0])
    check = check_window()
    if check.problem:
        from jitstudio.cli.without_window import build_in_terminal

        return build_in_terminal(check, files)
    # All that is loaded now stays: looking through it for garbage only makes the start longer.
    gc.disable()
    import_pyside()
    # Only here, where Qt's libraries are known to be present.
    from jitstudio.gui.window.application import run

    return run(files)


def import_pyside() -> None:
    """Imports PySide without work that PySide repeats in each process for little gain.

    It has its own Python code as text, and compiles that. It loads what writes stubs for type
    checkers. And it reads the source of all modules that are imported, to find those that use
    `__feature__`, other names for Qt's methods; none does.
    """
    builtins.compile = _compile_once
    try:
        import PySide6.QtCore  # noqa: F401
    finally:
        builtins.compile = _compile
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


_compile = builtins.compile
_CODE, _STUBS = "shibokensupport/", "/pyi_generator.py"
# For these versions of Python, `pyproject.toml` holds PySide to versions that start without stubs.
_IS_KNOWN = sys.version_info < (3, 12)


class _PySideCode(SourceFileLoader):
    """Code of a module of PySide's, kept where Python keeps that of the modules of this folder."""

    def __init__(self, text: bytes, name: str) -> None:
        super().__init__(name, str(Path(__file__).with_name(name.replace("/", "."))))
        self._text = text

    def get_data(self, path: str) -> bytes:
        """Returns the text, or the cached byte code."""
        return self._text if path == self.path else super().get_data(path)

    def path_stats(self, path: str) -> Mapping[str, int]:
        """Returns the identity of a text: a checksum, not the time of a file."""
        return {"mtime": crc32(self._text), "size": len(self._text)}


def _compile_once(source: Any, filename: Any, *args: Any, **options: Any) -> Any:
    """Compiles as `compile` does, but PySide's modules only once."""
    name = str(filename)
    if name.startswith(_CODE) and isinstance(source, bytes):
        is_left_out = _IS_KNOWN and name.endswith(_STUBS)
        return _PySideCode(b"" if is_left_out else source, name).get_code(name)
    return _compile(source, filename, *args, **options)
