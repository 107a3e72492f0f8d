"""What the real tools make, once for all processes and runs of the tests (see `kept`)."""

import fcntl
import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import (
    CODE_OPTIONS,
    LIVE_OPTIONS,
    read_code,
    read_live,
    with_live,
)
from jitstudio.cache.store import Store
from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Artifact, BuildResult
from jitstudio.toolchain import locate
from jitstudio.worker.builder import Builder
from tests.nvdisasm_texts import KeptNvdisasm


class Tools:
    """Builds and disassembles, and keeps all of it for other processes and runs.

    Attributes:
        folder: Where; shared by these processes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._nvdisasm = KeptNvdisasm()

    @cached_property
    def builder(self) -> Builder:
        """For requests that may fail."""
        return Builder(store=Store(self.folder))

    def close(self) -> None:
        self.builder.close()

    @contextmanager
    def _alone(self, work: bytes) -> Iterator[str]:
        """Within the block no other process does the same; gives a name for what comes of it."""
        name = hashlib.sha256(work).hexdigest()
        with open(self.folder / f"{name}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield name

    def attempt(self, wanted: BuildRequest) -> BuildResult:
        """What becomes of a request."""
        # A set has another order in each process.
        emit = sorted(kind.value for kind in wanted.emit)
        with self._alone(repr((emit, replace(wanted, emit=frozenset()))).encode()):
            return self.builder.build(wanted)

    def build(self, wanted: BuildRequest) -> BuildResult:
        """What becomes of a request that has to succeed."""
        result = self.attempt(wanted)
        assert result.ok, (result.reason, result.diagnostics)
        return result

    def cubin(self, wanted: BuildRequest) -> Artifact:
        """The one cubin that is made."""
        (cubin,) = (a for a in self.build(wanted).artifacts if a.kind is CodeKind.CUBIN)
        return cubin

    def printed(self, cubin: bytes, *options: str) -> str:
        """What nvdisasm prints of a cubin."""
        with self._alone(b"\0".join((cubin, *map(str.encode, options)))) as name:
            content = self.folder / f"{name}.cubin"
            content.write_bytes(cubin)
            words = [locate.nvdisasm(), *options, content]
            printed = self._nvdisasm.run(words, capture_output=True, check=True).stdout
            content.unlink()
            return printed.decode()

    def code(self, cubin: bytes) -> Disassembly:
        """The code of a cubin, without live registers."""
        return read_code(self.printed(cubin, *CODE_OPTIONS))

    def read(self, cubin: bytes) -> Disassembly:
        """All that is known of a cubin."""
        with ThreadPoolExecutor() as pool:
            counted = pool.submit(self.printed, cubin, *LIVE_OPTIONS)
            read = replace(self.code(cubin), resources=cubin_resources(cubin))
        return with_live(read, read_live(counted.result()))
