"""Readable C++ names, by the demangler of the C++ runtime that is on every Linux desktop.

cxxfilt does the same through the same library, but looks for it by starting other programs.
NVIDIA's own `cu++filt` is in none of the wheels.

A name refers back to its own parts, so that each reference can double what it says: 300 characters
may be worth terabytes. Names with many references are read in a process that can be ended.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import re
import select
import signal
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from time import monotonic
from typing import Any

# Each has `__cxa_demangle`: Itanium C++ ABI, "Demangler API".
_RUNTIMES = {"linux": ("libstdc++.so.6", "libc++abi.so.1"), "darwin": ("libc++abi.dylib",)}
# `S1_` is an earlier part, `T_` an argument of the template. From the last such letter before the
# end, so that a row of them takes linear time.
_REFERENCE = re.compile(r"[ST][0-9A-RU-Z]*+_")
_MOST_REFERENCES = 10
_LONGEST_PLAIN = 2_000
_LONGEST = 100_000
"""Characters of a name, and of what it is: more cannot be read."""
_PATIENCE, _BUDGET = 0.5, 2.0
"""Seconds for one name, and for all of a call that have many references."""


def demangle(name: str) -> str:
    """Returns the name in C++; see `demangled`."""
    return demangled((name,))[name]


def demangled(names: Iterable[str]) -> dict[str, str]:
    """Returns each name in C++; some names stay as they are, see below.

    Those are names that are not mangled, that nothing can read, or whose words would be too many or
    take too long. The format is the Itanium C++ ABI's, which NVRTC uses on every platform.
    """
    readable = {name: name for name in names}
    if _demangler() is None:
        return readable
    involved = []
    for name in readable:
        if not name.startswith("_Z") or len(name) > _LONGEST:
            continue
        if len(name) > _LONGEST_PLAIN or len(_REFERENCE.findall(name)) > _MOST_REFERENCES:
            involved.append(name)
        else:
            readable[name] = _read(name)
    end = monotonic() + _BUDGET
    while involved and monotonic() < end:
        read = _read_apart(involved, end)
        readable |= zip(involved, read, strict=False)
        # The one behind these is given up.
        del involved[: len(read) + 1]
    return readable


def _read(name: str) -> str:
    status = ctypes.c_int()
    # The text is the caller's to free: Itanium C++ ABI, "Demangler API".
    address = _demangler()(name.encode(), None, None, ctypes.byref(status))
    if not address:
        return name
    try:
        text = ctypes.cast(address, ctypes.c_char_p).value or b""
    finally:
        _free()(address)
    return text.decode(errors="replace") if status.value == 0 and len(text) <= _LONGEST else name


def _read_apart(names: Sequence[str], end: float) -> list[str]:
    """Reads names in a copy of this process, as many as the time suffices for."""
    if not hasattr(os, "fork"):
        return []
    source, sink = os.pipe()
    pid = os.fork()
    if pid == 0:
        _write_names(names, sink)
    os.close(sink)
    answer = b""
    try:
        while seconds := max(0.0, min(_PATIENCE, end - monotonic())):
            if not select.select([source], [], [], seconds)[0]:
                break
            piece = os.read(source, 1 << 16)
            if not piece:
                break
            answer += piece
    finally:
        os.close(source)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return [json.loads(line) for line in answer.split(b"\n")[:-1]]


def _write_names(names: Sequence[str], sink: int) -> None:
    """Writes the names in C++, a line each, and ends."""
    try:
        # The caller may be gone by the time it is due to end this.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(math.ceil(_BUDGET))
        with open(sink, "wb", buffering=0) as file:
            for name in names:
                file.write(json.dumps(_read(name)).encode() + b"\n")
    finally:
        os._exit(0)


@cache
def _demangler() -> Any:
    for library in _RUNTIMES.get(sys.platform, ()):
        try:
            runtime = ctypes.CDLL(library)
        except OSError:
            continue
        demangler = getattr(runtime, "__cxa_demangle")
        demangler.restype = ctypes.c_void_p
        return demangler
    return None


@cache
def _free() -> Any:
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    return free
