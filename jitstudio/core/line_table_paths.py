"""The paths of line tables: NVRTC spells other letters than ASCII by bytes in octal digits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from jitstudio.system.paths import UNPACKED_HEADERS

BUILT_IN_HEADER = "__nv_nvrtc_builtin_header.h"
"""What NVRTC calls the declarations that it knows without any file."""
COOPERATIVE_GROUPS = re.compile(r"(?:^|[/\\])cooperative_groups(?:\.h$|[/\\])")
# Such as .../nvrtc-headers-13.5-20923572/cuda/barrier, .../nvidia/cu13/include/cuda_fp16.hpp of a
# wheel, /usr/local/cuda-13.0/targets/x86_64-linux/include/cub/cub.cuh, CUDA\v13.0\include\cuda.h
OF_NVIDIA = re.compile(
    rf"{re.escape(BUILT_IN_HEADER)}$|[/\\]{UNPACKED_HEADERS}|{COOPERATIVE_GROUPS.pattern}"
    r"|[/\\]nvidia[/\\]\w+[/\\]include[/\\]"
    r"|[/\\](?:cuda|CUDA)(?:-[\d.]+)?[/\\](?:(?:targets[/\\][^/\\]+|v[\d.]+)[/\\])?include[/\\]"
)
"""Files whose lines are not the user's: inside NVRTC, in the folder that its headers are unpacked
to, of a wheel or a toolkit, and cooperative groups of any."""

# A character of UTF-8. ptxas takes the last backslash for the end of a folder, and writes a slash.
_CHARACTER = re.compile(r"\\(3[0-6][0-7])((?:[\\/]2[0-7]{2}){1,3})")


def plain_path(spelt: str) -> str:
    r"""Returns a path of a line table as the file is called: ``ä.cu`` for ``\303\244.cu``."""
    return _CHARACTER.sub(_character, spelt) if "\\" in spelt else spelt


def _character(match: re.Match[str]) -> str:
    rest = re.split(r"[\\/]", match[2][1:])
    try:
        return bytes(int(digits, 8) for digits in (match[1], *rest)).decode("utf-8")
    except ValueError:
        return match[0]


def spellings(name: str, folder: str = "") -> Iterator[str]:
    """Yields the names by which a line table may call a module or header of a build.

    NVRTC joins the name that it was given to its working directory, which is that of its process.

    Args:
        name: What the build calls it.
        folder: Where its file lies; empty where it has none.
    """
    yield name
    # A working directory may be gone.
    with suppress(OSError):
        yield os.path.join(os.getcwd(), name)
    if folder:
        yield os.path.join(folder, name)
