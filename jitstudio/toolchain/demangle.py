"""Readable C++ names, by the demangler of the C++ runtime that is on every Linux desktop.

cxxfilt does the same through the same library, but looks for it by starting other programs.
NVIDIA's own `cu++filt` is in none of the wheels.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

_RUNTIMES = {"linux": ("libstdc++.so.6", "libc++abi.so.1"), "darwin": ("libc++abi.dylib",)}


def demangle(name: str) -> str:
    """The name in words of C++, or the name itself where it is not mangled or nothing can read it.

    The format is the Itanium C++ ABI's, which NVRTC uses on every platform.
    """
    demangler = _demangler()
    if demangler is None or not name.startswith("_Z"):
        return name
    status = ctypes.c_int()
    address = demangler(name.encode(), None, None, ctypes.byref(status))
    if not address:
        return name
    try:
        text = ctypes.cast(address, ctypes.c_char_p).value or b""
    finally:
        _free()(address)
    return text.decode() if status.value == 0 else name


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
