"""Worker processes that start quickly, and readings of machine code that are made once.

A start of Python with all imports takes a third of a second of a processor, nvdisasm half a second,
and the tests start more than a thousand of each. So a worker is forked from a process that has
imported its program: it runs the same `main` in the same surroundings (working directory,
environment, pipes, a session of its own), and is sealed after that as it always is. What a worker
has read of a cubin is kept in the program's own cache, in a folder for all processes and runs, and
so is what nvdisasm prints there. Tests of
the workers themselves have the fixture `own_workers`, under which none of it is so.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import IO

from jitstudio.cache.readings import ReadingCache
from jitstudio.cache.store import Store
from jitstudio.worker import code_readers, process
from tests import nvdisasm_texts

_SET_CHILD_SUBREAPER = 36  # prctl(2)

TEMPLATES: set[int] = set()
"""The processes that others are forked from."""

_IMPORTED_LATE = {
    "disassemble": "jitstudio.analysis.correlation.chains",
    "simulate": "numpy.ma",
}
# Each child is forked twice, as what has lost its parent goes to the next subreaper: this process.
_TEMPLATE = f"""
import gc, importlib, json, os, runpy, socket, sys, sysconfig
_, root, program, descriptor, kept_texts = sys.argv
{process.THIS_PACKAGE}
from jitstudio.worker import protocol
module = importlib.import_module(program)
main = module.main
# What each child would find out anew: how calls and replies are stored, and what it imports once it
# is sealed; NumPy takes a twentieth of a second.
for value in vars(module).values():
    if isinstance(value, protocol.WorkerProgram):
        for codec in (value.calls, *(service.replies for service in value.services)):
            codec._shape
sysconfig.get_config_vars()
if late := {_IMPORTED_LATE}.get(program.rpartition(".")[2]):
    importlib.import_module(late)
for name in ("cubin_reading", "disassembly"):
    if (module := sys.modules.get(f"jitstudio.toolchain.{{name}}")):
        module.subprocess = runpy.run_path(kept_texts)["KeptNvdisasm"]()
gc.freeze()
asked = socket.socket(fileno=int(descriptor))
while True:
    message, descriptors, _, _ = socket.recv_fds(asked, 1 << 17, 3)
    if not message:
        os._exit(0)
    told, tell = os.pipe()
    if not (first := os.fork()):
        if os.fork():
            os._exit(0)
        # Before anybody knows of it: a kill of a group that is not there yet would be lost.
        os.setsid()
        os.write(tell, str(os.getpid()).encode())
        break
    os.waitpid(first, 0)
    asked.send(os.read(told, 20))
    for number in (told, tell, *descriptors):
        os.close(number)
folder, environment, memory_limit = json.loads(message)
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
for number, descriptor in enumerate(descriptors):
    os.dup2(descriptor, number)
for number in (told, tell, asked.detach(), *descriptors):
    os.close(number)
# Each worker has its own list of the files that NVRTC opens, not one that all of them write.
if "jitstudio.toolchain.headers" in sys.modules:
    sys.modules["jitstudio.toolchain.headers"].TRACE.__init__()
main(memory_limit)
"""


class _Template:
    """A process that has imported a worker program and forks itself when asked."""

    def __init__(self, root: str, program: str) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        with other:
            words = [sys.executable, "-P", "-c", _TEMPLATE, root, program, str(other.fileno())]
            words += [nvdisasm_texts.__file__]
            environment = os.environ | process._LATER_THREADS
            self._process = subprocess.Popen(words, pass_fds=[other.fileno()], env=environment)
        TEMPLATES.add(self._process.pid)

    def fork(self, message: bytes, descriptors: Sequence[int]) -> int:
        """Start one; its process id."""
        with self._lock:
            socket.send_fds(self._socket, [message], descriptors)
            return int(self._socket.recv(20))

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


class _Forked:
    """What a worker needs of a `subprocess.Popen`."""

    def __init__(self, template: _Template, memory_limit: str, how: dict) -> None:
        message = json.dumps([os.getcwd(), dict(how["env"]), int(memory_limit)])
        calls, self_calls = os.pipe()
        self_answers, answers = os.pipe()
        self.stdin: IO[bytes] = open(self_calls, "wb", 0)  # noqa: SIM115
        self.stdout: IO[bytes] = open(self_answers, "rb", 0)  # noqa: SIM115
        self.returncode: int | None = None
        self._lock = threading.Lock()
        self.pid = template.fork(message.encode(), (calls, answers, how["stderr"].fileno()))
        os.close(calls)
        os.close(answers)

    def poll(self) -> int | None:
        with self._lock:
            if self.returncode is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
            return self.returncode


class QuickWorkers:
    """Takes the place of the start of workers, and of the stores that readings go into.

    Args:
        folder: Where readings are stored; shared by all processes.
    """

    def __init__(self, folder: Path) -> None:
        self._templates: dict[str, _Template] = {}
        self._lock = threading.Lock()
        self._readings = Store(folder)

    def begin(self) -> None:
        """From now on."""
        code_readers.ReadingCache = lambda _store: ReadingCache(self._readings)
        if sys.platform == "linux":
            process.subprocess = SimpleNamespace(Popen=self._start, PIPE=subprocess.PIPE)

    def end(self) -> None:
        """No longer."""
        code_readers.ReadingCache = ReadingCache
        process.subprocess = subprocess

    def close(self) -> None:
        """End all that was started for it."""
        self.end()
        self._readings.close()
        for template in self._templates.values():
            template.close()

    def _start(self, words: Sequence[str], **how: object) -> _Forked | subprocess.Popen:
        *first, root, program, memory_limit = words
        if first[0] != sys.executable:  # a tool is to start it
            return subprocess.Popen(words, **how)
        sys.audit("subprocess.Popen", first[0], words, None, None)
        with self._lock:
            if program not in self._templates:
                ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
                self._templates[program] = _Template(root, program)
        return _Forked(self._templates[program], memory_limit, how)
