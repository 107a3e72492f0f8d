"""Cubin to SASS by nvdisasm, a program of its own."""

from __future__ import annotations

import subprocess
import tempfile

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.report import Report, text_of


def disassemble(job: Job) -> Report:
    """Disassemble one cubin."""
    program = locate.nvdisasm()
    report = Report()
    ((ref, cubin),) = job.inputs
    # A file without a name: a worker that is killed meanwhile leaves nothing behind.
    with tempfile.TemporaryFile() as file:
        file.write(cubin)
        file.flush()
        path = f"/dev/fd/{file.fileno()}"
        with report.timed():
            done = subprocess.run(
                [program, *job.options, path],
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
                pass_fds=[file.fileno()],
            )
        errors = text_of(done.stderr).replace(path, ref.file_name)
    report.ok = done.returncode == 0
    if report.ok:
        report.made[CodeKind.SASS] = done.stdout
        report.log = errors
        return report
    report.ended(Tool.NVDISASM, done.returncode, errors, ref.file_name)
    return report
