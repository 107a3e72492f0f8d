"""What nvdisasm has printed, kept across runs of the tests: it takes half a second to start.

All texts are in one file, as a sealed worker reads through a descriptor and can open nothing. A
text is kept by the program that printed it, its options and the content of the file; failures and
warnings are not kept. A caller with other options asks the program anew. Line tables hold the path
of the source: where the folder of a test is all that differs, the text is the same but for that.
"""

from __future__ import annotations

import hashlib
import os
import re
import struct
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import IO

_HEAD = struct.Struct("<32s32sQ")  # key, digest of the content, its length
# As `kept.folder_of` calls the folder of a test, and what stands for that in texts that are kept.
_OWN_FOLDER = re.compile(rb"/\w{30}-[0-9a-f]{8}(?![\w-])")
_ANY_FOLDER = b"/" + b"_" * 30 + b"-any-test"

PATH = Path(__file__).parent.parent / ".pytest_cache" / "nvdisasm"
"""The file of this checkout."""


class NvdisasmTexts:
    """The texts that are kept in a file.

    Args:
        path: The file, made if it is not there.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._places: dict[bytes, tuple[int, int, bytes]] = {}
        self._end = 0

    def find(self, key: bytes) -> bytes | None:
        """Returns the text that is kept by a key."""
        if key not in self._places:
            self._look()
        if key not in self._places:
            return None
        start, length, digest = self._places[key]
        packed = os.pread(self._file, length, start)
        return zlib.decompress(packed) if hashlib.sha256(packed).digest() == digest else None

    def add(self, key: bytes, text: bytes) -> None:
        """Keeps a text, for other processes too."""
        packed = zlib.compress(text, 1)
        head = _HEAD.pack(key, hashlib.sha256(packed).digest(), len(packed))
        # In a single call, so that processes do not write into each other's text.
        os.write(self._file, head + packed)

    def _look(self) -> None:
        """Takes in what was added since, by any process."""
        size = os.fstat(self._file).st_size
        while self._end + _HEAD.size <= size:
            key, digest, length = _HEAD.unpack(os.pread(self._file, _HEAD.size, self._end))
            start = self._end + _HEAD.size
            if start + length > size:
                break
            self._places[key] = (start, length, digest)
            self._end = start + length


class KeptNvdisasm:
    """Takes the place of the module `subprocess` where nvdisasm is all that is started.

    The last word of a command is the path of the content.

    Args:
        path: Where the texts are kept.
    """

    PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
    TimeoutExpired = subprocess.TimeoutExpired

    def __init__(self, path: Path = PATH) -> None:
        self._texts = NvdisasmTexts(path)

    def run(self, words: Sequence[str], **how: object) -> object:
        """Returns as `subprocess.run` does what the program printed."""
        entry = _Entry(self._texts, words)
        text = entry.find()
        if text is not None:
            return SimpleNamespace(returncode=0, stdout=text, stderr=b"")
        done = subprocess.run(words, **how)
        if done.returncode == 0 and not done.stderr:
            entry.add(done.stdout)
        return done

    def Popen(self, words: Sequence[str], **how: object) -> object:
        """Returns a process of nvdisasm, which may have ended already."""
        entry = _Entry(self._texts, words)
        text = entry.find()
        output = how["stdout"]
        if text is not None:
            output.write(text)
            output.flush()
            return _Ended()
        return _Keeping(entry, output, subprocess.Popen(words, **how))


class _Entry:
    """The place of what a command prints."""

    def __init__(self, texts: NvdisasmTexts, words: Sequence[str]) -> None:
        program, *options, path = words
        content = Path(path).read_bytes()
        folders = set(_OWN_FOLDER.findall(content))
        self._folder = folders.pop() if len(folders) == 1 else _ANY_FOLDER
        about = os.stat(program)
        of = (Path(program).name, about.st_size, about.st_mtime_ns, options)
        digest = hashlib.sha256(repr(of).encode())
        digest.update(content.replace(self._folder, _ANY_FOLDER))
        self._texts, self._key = texts, digest.digest()

    def find(self) -> bytes | None:
        text = self._texts.find(self._key)
        return None if text is None else text.replace(_ANY_FOLDER, self._folder)

    def add(self, text: bytes) -> None:
        self._texts.add(self._key, text.replace(self._folder, _ANY_FOLDER))


class _Ended:
    """A process that has printed all that it had to."""

    returncode = 0

    def __enter__(self) -> _Ended:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def poll(self) -> int:
        return self.returncode

    def communicate(self, timeout: float = 0) -> tuple[None, bytes]:
        return None, b""

    def kill(self) -> None:
        pass


class _Keeping:
    """A process whose text is kept once it has ended well."""

    def __init__(self, entry: _Entry, output: IO[bytes], running: subprocess.Popen) -> None:
        self._entry, self._output, self._running = entry, output, running

    def __enter__(self) -> _Keeping:
        return self

    def __exit__(
        self, kind: type | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._running.__exit__(kind, error, where)

    @property
    def returncode(self) -> int | None:
        return self._running.returncode

    def poll(self) -> int | None:
        return self._running.poll()

    def communicate(self, timeout: float | None = None) -> tuple[None, bytes]:
        _, errors = self._running.communicate(timeout=timeout)
        if self._running.returncode == 0 and not errors:
            size = os.fstat(self._output.fileno()).st_size
            self._entry.add(os.pread(self._output.fileno(), size, 0))
        return None, errors

    def kill(self) -> None:
        self._running.kill()
