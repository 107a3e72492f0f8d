"""Writes the machine code that a Python program loads on a GPU, under `jitstudio capture`.

Python imports a module of this name at its start, from `PYTHONPATH`, in each process of the
program. The module belongs to the program: any Python from 3.8 on, the standard library alone,
nothing of jitstudio. CUPTI (CUDA Profiling Tools Interface, "Resource callbacks") calls back once
for each module that the driver has loaded. The folder named by the environment gets files
`DIGEST.cubin` and lines of JSON in `PROCESS.jsonl`: the start of the process, then one line a load.
"""

from __future__ import annotations

import ctypes
import glob
import hashlib
import json
import os
import sys
import threading
from contextlib import suppress
from typing import Any, Iterator

FOLDER = "JITSTUDIO_CAPTURE"
"""The variable that names the folder for modules."""
CUPTI = "JITSTUDIO_CUPTI"
"""The variable that names a CUPTI for programs whose own packages have none."""
LARGEST = 1 << 30
"""Bytes of the largest module that is written; larger modules are only counted."""
MOST = 4 << 30
"""Bytes of modules that a process writes."""

# From cupti_callbacks.h of CUDA 13.
_RESOURCE_DOMAIN = 3
_MODULE_LOADED = 6
_LIBRARIES = (
    "nvidia/cu13/lib/libcupti.so.13",
    "nvidia/cuda_cupti/lib/libcupti.so.*",
    "triton/backends/nvidia/lib/cupti/libcupti.so.*",
)
_TOOLKITS = ("extras/CUPTI/lib64/libcupti.so", "targets/*/lib/libcupti.so", "lib64/libcupti.so")
_DEEPEST = 64


class _ResourceData(ctypes.Structure):
    _fields_ = (
        ("context", ctypes.c_void_p),
        ("handle", ctypes.c_void_p),
        ("descriptor", ctypes.c_void_p),
    )


class _ModuleData(ctypes.Structure):
    _fields_ = (
        ("number", ctypes.c_uint32),
        ("size", ctypes.c_size_t),
        ("code", ctypes.c_void_p),
    )


_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(_ResourceData)
)


class Recorder:
    """Writes the modules that a process loads into a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._digests: set[str] = set()
        self._bytes = 0
        self._busy = threading.Lock()
        # C calls this object, which has to live as long as the process.
        self.callback = _CALLBACK(self._on_resource)

    def write(self, **entry: object) -> None:
        """Adds a line about this process."""
        path = os.path.join(self._folder, f"{os.getpid()}.jsonl")
        line = json.dumps(dict(entry, process=os.getpid())) + "\n"
        # The reader may have removed the folder: the program goes on without.
        with (
            suppress(OSError),
            open(path, "a", encoding="utf-8", errors="backslashreplace") as file,
        ):
            file.write(line)

    def _on_resource(self, _user: object, _domain: int, _event: int, data: Any) -> None:
        try:
            module = ctypes.cast(data.contents.descriptor, ctypes.POINTER(_ModuleData)).contents
            self._keep(module.code, module.size)
        except Exception as error:
            self.write(failed=f"a module could not be kept: {error}")

    def _keep(self, address: int | None, size: int) -> None:
        if not address or not size or size > LARGEST:
            self.write(digest="", bytes=size, stack=_stack())
            return
        code = ctypes.string_at(address, size)
        digest = hashlib.sha256(code).hexdigest()
        with self._busy:
            is_new = digest not in self._digests and self._bytes + size <= MOST
            if is_new:
                self._digests.add(digest)
                self._bytes += size
        if is_new:
            path = os.path.join(self._folder, digest + ".cubin")
            part = f"{path}.{os.getpid()}"
            with open(part, "wb") as file:
                file.write(code)
            os.replace(part, path)
        self.write(digest=digest, bytes=size, stack=_stack())


def _stack() -> list[tuple[str, int, str]]:
    """Returns file, line and function of the frames of this thread, innermost first."""
    frames: list[tuple[str, int, str]] = []
    frame: Any = sys._getframe()
    while frame is not None and len(frames) < _DEEPEST:
        code = frame.f_code
        if code.co_filename != __file__:
            frames.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return frames


def _candidates() -> Iterator[str]:
    """Yields the places of CUPTI: the program's packages first, which load their own, too."""
    for folder in sys.path:
        for pattern in _LIBRARIES:
            yield from sorted(glob.glob(os.path.join(folder or ".", pattern)), reverse=True)
    roots = (os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH"))
    for root in (*filter(None, roots), "/usr/local/cuda", "/opt/cuda"):
        for pattern in _TOOLKITS:
            yield from sorted(glob.glob(os.path.join(root, pattern)))
    yield from filter(None, (os.environ.get(CUPTI),))
    yield from ("libcupti.so.13", "libcupti.so.12")


def _library() -> tuple[ctypes.CDLL, str]:
    """Returns CUPTI and the path of its library.

    Raises:
        OSError: There is no CUPTI, or none that can be loaded.
    """
    reasons = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as error:
            reasons.append(str(error))
    raise OSError("; ".join(reasons[:1]) or "there is none")


def attach(folder: str) -> Recorder | None:
    """Has CUPTI report each module that is loaded from now on; returns None if CUPTI fails."""
    recorder = Recorder(folder)
    words: dict[str, object] = {
        "program": getattr(sys, "orig_argv", sys.argv),
        "python": sys.version.split()[0],
    }
    try:
        cupti, path = _library()
    except OSError as error:
        recorder.write(failed=f"CUPTI cannot be loaded: {error}", **words)
        return None
    subscriber = ctypes.c_void_p()
    status = cupti.cuptiSubscribe(ctypes.byref(subscriber), recorder.callback, None)
    status = status or cupti.cuptiEnableCallback(
        ctypes.c_uint32(1), subscriber, _RESOURCE_DOMAIN, _MODULE_LOADED
    )
    if status:
        text = ctypes.c_char_p()
        cupti.cuptiGetResultString(status, ctypes.byref(text))
        reason = text.value.decode("ascii", "replace") if text.value else f"status {status}"
        recorder.write(failed=f"CUPTI refuses: {reason}", cupti=path, **words)
        return None
    recorder.write(attached=path, **words)
    return recorder


def _import_own() -> None:
    """Imports the module of this name that the program would have without jitstudio."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    ours = sys.modules.pop("sitecustomize")
    # CUPTI calls this module as long as the process lives.
    sys.modules["jitstudio_capture"] = ours
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = ours


if __name__ == "sitecustomize":
    try:
        _recorder = attach(os.environ[FOLDER]) if os.environ.get(FOLDER) else None
    finally:
        _import_own()
