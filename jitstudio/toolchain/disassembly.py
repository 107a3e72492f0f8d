"""Cubin to SASS by the program nvdisasm, as text."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence

from jitstudio.core.code import CodeKind
from jitstudio.core.cubin import function_index
from jitstudio.core.plan import Job
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.tool_output import Report, text_of


def restriction(cubin: bytes, functions: Sequence[str]) -> tuple[str, ...]:
    """Returns the options to print these functions alone; empty where nvdisasm knows them not."""
    indices = [function_index(cubin, function) for function in functions]
    if not indices or None in indices:
        return ()
    return ("-fun", ",".join(map(str, indices)))


def disassemble(job: Job) -> Report:
    """Disassembles the cubin of the job."""
    program = locate.nvdisasm()
    report = Report()
    ((ref, cubin),) = job.inputs
    report.options = (*job.options, *restriction(cubin, [job.function] if job.function else ()))
    # A file without a name: a worker that is killed meanwhile leaves nothing behind.
    with tempfile.TemporaryFile() as file:
        file.write(cubin)
        file.flush()
        path = f"/dev/fd/{file.fileno()}"
        with report.timed():
            done = subprocess.run(
                [program, *report.options, path],
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
                pass_fds=[file.fileno()],
            )
        errors = text_of(done.stderr).replace(path, ref.file_name)
    report.ok = done.returncode == 0
    if report.ok:
        report.code[CodeKind.SASS] = done.stdout
        report.log = errors
        return report
    report.ended(Tool.NVDISASM, done.returncode, errors, ref.file_name)
    return report
