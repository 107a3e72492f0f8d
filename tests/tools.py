"""What the real tools make, once in a run of the tests: nvdisasm takes its time to start."""

import hashlib
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from uuid import uuid4

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
from jitstudio.core.request import BuildRequest
from jitstudio.core.resources import cubin_resources
from jitstudio.core.result import Artifact, BuildResult
from jitstudio.toolchain import locate
from jitstudio.worker.builder import Builder


class Tools:
    """Builds and disassembles, and keeps all of it for the other processes of the run.

    Attributes:
        folder: Where; shared by these processes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def builder(self) -> Builder:
        """For requests that may fail."""
        return Builder(store=Store(self.folder))

    def close(self) -> None:
        self.builder.close()

    def build(self, wanted: BuildRequest) -> BuildResult:
        """What becomes of a request; it has to succeed."""
        result = self.builder.build(wanted)
        assert result.ok, (result.reason, result.diagnostics)
        return result

    def cubin(self, wanted: BuildRequest) -> Artifact:
        """The one cubin that is made."""
        (cubin,) = (a for a in self.build(wanted).artifacts if a.kind is CodeKind.CUBIN)
        return cubin

    def printed(self, cubin: bytes, *options: str) -> str:
        """What nvdisasm prints of a cubin."""
        name = hashlib.sha256(b"\0".join((cubin, *map(str.encode, options)))).hexdigest()
        kept = self.folder / f"{name}.txt"
        if not kept.exists():
            given = self.folder / f"{uuid4()}.cubin"
            given.write_bytes(cubin)
            done = subprocess.run(
                [locate.nvdisasm(), *options, given], capture_output=True, text=True, check=True
            )
            given.with_suffix(".part").write_text(done.stdout, "utf-8")
            # Another process may be at it, too: each file is whole from the start.
            given.with_suffix(".part").replace(kept)
            given.unlink()
        return kept.read_text("utf-8")

    def code(self, cubin: bytes) -> Disassembly:
        """The code of a cubin, without live registers."""
        return read_code(self.printed(cubin, *CODE_OPTIONS))

    def read(self, cubin: bytes) -> Disassembly:
        """All that is known of a cubin."""
        with ThreadPoolExecutor() as pool:
            counted = pool.submit(self.printed, cubin, *LIVE_OPTIONS)
            read = replace(self.code(cubin), resources=cubin_resources(cubin))
        return with_live(read, read_live(counted.result()))
