"""Takes the place of nvdisasm, and of what reads its texts, where a cubin was read before.

A reading is stored as it comes from the process that reads: that is 20 times as quick to load as
the texts of nvdisasm are to read once more. It is found by a hash of all that it follows from: the
request, the file of nvdisasm, and the code that reads its texts.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import jitstudio
from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.cache.results import ToolFiles, fingerprint, surroundings
from jitstudio.cache.store import Store
from jitstudio.core.tools import Tool, ToolFile

READERS = (
    "analysis/correlation/chains.py",
    "analysis/correlation/ptx_lines.py",
    "analysis/sass/model.py",
    "analysis/sass/reading.py",
    "core/constant_banks.py",
    "core/cubin.py",
    "core/kernel_resources.py",
    "core/line_table_paths.py",
    "listing/functions.py",
    "listing/lines.py",
    "ptx/scanner.py",
    "ptx/pieces.py",
    "ptx/skimming.py",
    "toolchain/cubin_reading.py",
    "toolchain/demangle.py",
    "toolchain/disassembly.py",
)
"""The files of code, below the package, that a reading of a text of nvdisasm follows from."""


class ReadingCache:
    """Looks up readings of machine code in the store, and stores new ones.

    Args:
        store: Where; other results may be in it.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._files = ToolFiles(store)

    def find(self, request: AnalysisRequest) -> Disassembly | None:
        """Returns the stored reading that answers a request, or None."""
        file = self._files.recall(_surroundings(request))
        return self._store.fetch(Disassembly, _key(request, file)) if file is not None else None

    def keep(self, request: AnalysisRequest, file: ToolFile, code: Disassembly) -> None:
        """Stores a reading.

        Args:
            request: The request.
            file: The nvdisasm that has printed the code.
            code: The answer.
        """
        self._files.remember(_surroundings(request), file)
        self._store.put(_key(request, file), code)


def _surroundings(request: AnalysisRequest) -> bytes:
    # A process that reads what nobody trusts may answer anything: that is for its like only.
    return fingerprint(surroundings(Tool.NVDISASM, request.toolchain), request.confined_to)


def _key(request: AnalysisRequest, file: ToolFile) -> bytes:
    # Not the name, which is in messages only.
    parts = (request.cubin, request.function, request.counts_live, request.confined_to)
    ptx = tuple(sorted(request.ptx.items()))
    return fingerprint("reading", _code(), file, request.toolchain, parts, ptx)


@cache
def _code() -> bytes:
    """Returns a hash of the code that reads; of an installation without it, one of nothing."""
    digest = hashlib.sha256()
    for name in READERS:
        path = Path(jitstudio.__file__).parent / name
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.digest()
