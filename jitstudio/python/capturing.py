"""Runs a program and collects the machine code that its Python processes load on a GPU."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.core.plain_files import read_file
from jitstudio.python.injected.sitecustomize import CUPTI, FOLDER

INJECTED = Path(__file__).with_name("injected")
"""The folder of the module that each Python process of the program imports at its start."""

_LARGEST_LOG = 64 * 2**20
_MOST_LINES = 200_000


@dataclass(frozen=True)
class LoadPlace:
    """The line of Python that had a module loaded."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class LoadedModule:
    """Machine code that the program has loaded, once or more often.

    Attributes:
        code: The cubin as the driver has it.
        digest: The SHA-256 of the code in hexadecimal digits.
        loads: The number of loads, in all processes.
        place: The line of the program that had it loaded first; None where no Python was running
            in that thread.
    """

    code: bytes
    digest: str
    loads: int
    place: LoadPlace | None

    def captured(self, program: str) -> CapturedKernel:
        """Returns the module as a captured kernel, named after its first kernel.

        Args:
            program: The name of the program.
        """
        names = list(cubin_resources(self.code))
        name = names[0] if names else "module"
        facts = {"loaded": f"{self.loads:,} times" if self.loads > 1 else "once"}
        if self.place is not None:
            facts["from"] = f"{self.place}, in {self.place.function}"
        code = Representation(KernelLanguage.CUBIN, self.code)
        return CapturedKernel(name, f"loaded by {program}", (code,), facts)


@dataclass(frozen=True)
class Collection:
    """The modules that a program has loaded.

    Attributes:
        modules: In the order in which they were loaded first.
        is_attached: Whether at least one process was listened to.
        notes: The modules left out, and why: each note a sentence.
    """

    modules: tuple[LoadedModule, ...]
    is_attached: bool
    notes: tuple[str, ...]


def run_program(command: Sequence[str], folder: Path, *, quiet: bool = False) -> int:
    """Runs a program to its end; the modules that its Python processes load go to a folder.

    Args:
        command: The program and its arguments.
        folder: An empty folder.
        quiet: Whether the stdout of the program goes to stderr.

    Returns:
        The exit status; of a program ended by a signal the negated number of the signal.

    Raises:
        OSError: The program cannot be started.
    """
    path = os.pathsep.join(filter(None, (str(INJECTED), os.environ.get("PYTHONPATH"))))
    variables = {**os.environ, "PYTHONPATH": path, FOLDER: str(folder)}
    if (own := _own_cupti()) is not None:
        variables[CUPTI] = str(own)
    with (
        subprocess.Popen(command, env=variables, stdout=sys.stderr if quiet else None) as program,
        _passed_on(program),
    ):
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:
                # The terminal has sent the signal to the program, too, which may end in its own
                # way.
                continue


@contextmanager
def _passed_on(program: subprocess.Popen[bytes]) -> Iterator[None]:
    """Passes a request to end, such as SIGTERM, on to the program during the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: program.terminate())
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _own_cupti() -> Path | None:
    """Returns the CUPTI of jitstudio's environment, for programs without any; None without one."""
    path = Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "lib", "libcupti.so.13")
    return path if path.is_file() else None


def collected(folder: Path) -> Collection:
    """Returns the modules that the processes of a program have left in a folder."""
    loads: dict[str, list[dict[str, Any]]] = {}
    attached, notes = False, list[str]()
    for entry in _entries(folder, notes):
        if "attached" in entry:
            attached = True
        if "failed" in entry:
            notes.append(f"Process {entry.get('process')}: {entry['failed']}.")
        if isinstance(digest := entry.get("digest"), str):
            loads.setdefault(digest, []).append(entry)
    modules = []
    for digest, entries in loads.items():
        try:
            code = read_file(folder / f"{digest}.cubin") if digest.isalnum() else None
        except OSError:
            code = None
        if code is None:
            sizes = {size for entry in entries if type(size := entry.get("bytes")) is int}
            notes.append(
                f"{len(entries):,} loads of modules that are too large to be kept or have no code "
                f"({', '.join(f'{size:,} bytes' for size in sizes)})."
            )
            continue
        modules.append(LoadedModule(code, digest, len(entries), _place(entries[0])))
    return Collection(tuple(modules), attached, tuple(dict.fromkeys(notes)))


def _entries(folder: Path, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yields the lines that the processes have written, in the order of the processes."""
    for path in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns):
        try:
            lines = read_file(path, _LARGEST_LOG).splitlines()
        except OSError as error:
            notes.append(f"What a process has noted cannot be read: {error.strerror}.")
            continue
        if len(lines) > _MOST_LINES:
            notes.append(f"Of {len(lines):,} loads of one process {_MOST_LINES:,} are counted.")
        for line in lines[:_MOST_LINES]:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                # The process ended while writing, or the program has written there, too.
                continue
            if isinstance(entry, dict):
                yield entry


def _place(entry: dict[str, Any]) -> LoadPlace | None:
    """Returns the innermost line outside of installed packages and of Python itself."""
    places = []
    for frame in entry.get("stack") or ():
        match frame:
            case [str(file), int(line), str(function)]:
                places.append(LoadPlace(file, line, function))
    own = (place for place in places if _is_own(place.file))
    return next(own, places[0] if places else None)


def _is_own(file: str) -> bool:
    parts = Path(file).parts
    installed = {"site-packages", "dist-packages"}.intersection(parts)
    is_python = any(
        part in ("lib", "lib64") and re.fullmatch(r"python3(\.\d+)?t?", below)
        for part, below in pairwise(parts[:-1])
    )
    return not installed and not is_python and not file.startswith("<")
