"""Everything that nvdisasm knows of a cubin, read into columns.

Lines and encodings come of one run and live registers of another: nvdisasm cannot tell both at
once. The two run at the same time.
"""

from __future__ import annotations

import signal
import subprocess
import tempfile
from dataclasses import replace

from jitstudio.analysis.model import Disassembly
from jitstudio.analysis.reading import code, live
from jitstudio.analysis.request import Unreadable
from jitstudio.core.result import Outcome
from jitstudio.toolchain import locate
from jitstudio.toolchain.cubin import resources
from jitstudio.toolchain.errors import ToolMissing
from jitstudio.toolchain.report import text_of


def read_cubin(cubin: bytes, name: str) -> Disassembly | Unreadable:
    """Read the machine code of a cubin.

    Args:
        cubin: The file's content.
        name: How messages call it.

    Returns:
        The code, without live registers where nvdisasm cannot tell them; or why it is unreadable.
    """
    try:
        program = locate.nvdisasm()
    except ToolMissing as missing:
        return Unreadable(str(missing), Outcome.MISSING)
    # A file without a name: a worker that is killed meanwhile leaves nothing behind.
    with tempfile.TemporaryFile() as file:
        file.write(cubin)
        file.flush()
        path = f"/dev/fd/{file.fileno()}"

        def started(options: tuple[str, ...]) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [program, *options, path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[file.fileno()],
            )

        with started(code.OPTIONS) as reading, started(live.OPTIONS) as counting:
            listing, errors = reading.communicate()
            if reading.returncode:
                counting.kill()
                told = _why(reading.returncode, text_of(errors), path, name)
                return Unreadable(
                    told, Outcome.CRASHED if reading.returncode < 0 else Outcome.FAILED
                )
            # Read while the other one is still at work.
            read = code.read_code(listing.decode("utf-8", "replace"))
            read = replace(read, resources=resources(cubin))
            table, _ = counting.communicate()
            if counting.returncode:
                return read
            return live.with_live(read, live.read_live(table.decode("utf-8", "replace")))


def _why(status: int, errors: str, path: str, name: str) -> str:
    if status < 0:
        return (
            f"nvdisasm crashed on {name} ({signal.Signals(-status).name}). "
            "The cubin may be damaged: build it anew."
        )
    told = errors.replace(path, name) or f"nvdisasm ended with exit status {status}."
    return f"The machine code of {name} cannot be read: {told}"
