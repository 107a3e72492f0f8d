"""The host's 64-bit integers in NVIDIA's own headers, by which nvcc names kernels.

On Linux ``int64_t`` is ``long`` for the host, and so for device code that nvcc compiles. In headers
of NVIDIA's it is ``long long`` for NVRTC: as wide, but another type, and another lowered name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from jitstudio.core.code import Header
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job
from jitstudio.toolchain.headers import line_directive
from jitstudio.toolchain.own_texts import own_texts

NAMES = ("cuda/std/cstdint", "cuda_pipeline_helpers.h", "cuda_awbarrier_helpers.h")
"""The headers that say what these types are."""

# `uint64_t`, `int_fast64_t`, `uintptr_t`: the ones that have 64 bits.
_USED = re.compile(rb"\bu?int(?:_fast|_least)?(?:64|ptr|max)_t\b")
# `using int64_t = signed long long;`, where a host of 64 bits with Linux has `long`.
_OTHERWISE = re.compile(
    rb"(?P<before>\busing\s+\w+\s*=\s*|\btypedef\s+)(?P<sign>(?:un)?signed) long long\b"
)
_LARGEST = 1 << 20


def host_integers(job: Job, folders: Iterable[str]) -> tuple[Header, ...]:
    """Returns headers of NVIDIA's with the integers of the host, if a compile may name these.

    Args:
        job: A compile whose host code was set aside.
        folders: Where NVIDIA's headers lie.
    """
    if os.name != "posix" or not any(map(_USED.search, own_texts(job))):
        return ()
    in_memory = {header.name for header in job.headers}
    headers = []
    for name in NAMES:
        paths = (os.path.join(folder, name) for folder in folders)
        path = next(filter(os.path.isfile, paths), "")
        if path and name not in in_memory:
            with suppress(OSError):
                text = read_file(Path(path), _LARGEST)
                changed = _OTHERWISE.sub(rb"\g<before>\g<sign> long", text)
                headers.append(Header(name, line_directive(path) + changed))
    return tuple(headers)
