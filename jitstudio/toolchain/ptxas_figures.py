"""How ptxas is asked for the figures of kernels: by `-v`, or for their spills alone.

All figures but the spills are in the cubin as well, see `core/kernel_resources.py`. The log of `-v`
takes time with the square of the number of kernels: 2,000 that are assembled in 1.4 s take 7 s with
it. Of as many, ptxas is asked for warnings of spills, which it gives in proportion::

    ptxas warning : Registers are spilled to local memory in function 'k', 8 bytes spill stores, ...
"""

from __future__ import annotations

import re

from jitstudio.core.kernel_resources import read_verbose_log
from jitstudio.core.plan import Job
from jitstudio.toolchain.tool_output import Report

MANY = 200
"""From how many kernels on the log of `-v` takes longer than a tenth of the time without."""

_EACH, _SPILLS = "-v", "--warn-on-spills"
_SPILL = re.compile(r"^ptxas warning *+: Registers are spilled [^\n]*+\n?+", re.MULTILINE)
# With these the warnings say nothing, end the compile, or the user asks for them or for the log.
_OTHERWISE = re.compile(
    r"(?:^|[=,\s])--?"
    r"(?:v|verbose|w|disable-warnings|Werror|warning-as-error|warn-(?:on-)?spills)\b"
)
_KERNEL_WORDS = (b"__global__", b".entry")
_SAID = (
    f"Figures of more than {MANY} kernels are read off the machine code, spills off warnings of "
    "ptxas: its option -v would take longer than the rest. Give -v to ptxas to have its log."
)


def figures_option(job: Job) -> str:
    """Returns the option of ptxas that tells the figures of the kernels of a job."""
    if any(_OTHERWISE.search(option) for option in job.options):
        return _EACH
    texts = (*(content for _, content in job.inputs), *(h.content for h in job.headers))
    count = len(job.name_expressions) + sum(t.count(w) for t in texts for w in _KERNEL_WORDS)
    return _EACH if count <= MANY else _SPILLS


def take_spills(job: Job, report: Report) -> None:
    """Moves the warnings that jitstudio asked for, and the user did not, from the log."""
    if any(o.endswith(_SPILLS) for o in report.options or () if o not in job.options):
        report.spills = read_verbose_log(report.log)
        report.log = "\n".join(filter(None, (_SAID, _SPILL.sub("", report.log).strip())))
