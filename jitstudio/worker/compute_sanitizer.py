"""Runs a launch under compute-sanitizer, which comes with the CUDA toolkit, not with wheels."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.launch.result import Finding
from jitstudio.core.launch.spec import Sanitizer
from jitstudio.core.tools import USUAL_TOOLKITS
from jitstudio.listing.sanitizer import findings
from jitstudio.worker.host import WorkerHost
from jitstudio.worker.messages import Program

_NAME = "compute-sanitizer"
_ROOTS = ("CUDA_HOME", "CUDA_PATH")
_MISSING = (
    f"{_NAME} is not installed. It comes with the CUDA toolkit (package cuda-sanitizer): install "
    "that, or put its folder on the PATH. The launch works without it."
)


class SanitizerMissing(RuntimeError):
    """It is not installed; the message says what to do."""


@dataclass
class Sanitized:
    """A launch process under the sanitizer.

    Attributes:
        host: The process.
        findings: What was found; known once the process has ended.
    """

    host: WorkerHost
    findings: tuple[Finding, ...] = ()


def find_sanitizer() -> str | None:
    """The program, on the PATH or in the toolkit's folder; None where there is none."""
    roots = [os.environ[name] for name in _ROOTS if os.environ.get(name)]
    folders = [str(Path(root) / "bin") for root in (*roots, *USUAL_TOOLKITS)]
    return shutil.which(_NAME) or shutil.which(_NAME, path=os.pathsep.join(folders))


@contextlib.contextmanager
def sanitized(tool: Sanitizer, program: Program) -> Iterator[Sanitized]:
    """Have a process under the sanitizer for the block; its findings are complete after it.

    Raises:
        SanitizerMissing: There is none.
    """
    found = find_sanitizer()
    if found is None:
        raise SanitizerMissing(_MISSING)
    with tempfile.TemporaryDirectory(prefix="jitstudio-sanitizer-") as folder:
        # A file for each process: whatever else ours may start must not overwrite its findings.
        logs = str(Path(folder) / "%p.txt")
        wrapper = [found, "--tool", tool.value, "--log-file", logs, "--target-processes", "all"]
        run = Sanitized(WorkerHost(0, program, wrapper))
        try:
            yield run
        finally:
            run.host.close()
            run.findings = findings(
                "\n".join(
                    log.read_text(encoding="utf-8", errors="replace")
                    for log in sorted(Path(folder).iterdir())
                )
            )
