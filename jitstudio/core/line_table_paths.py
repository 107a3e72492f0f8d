"""The paths of line tables: NVRTC spells what is not ASCII by its bytes in octal digits."""

from __future__ import annotations

import re

BUILT_IN_HEADER = "__nv_nvrtc_builtin_header.h"
"""What NVRTC calls the declarations that it knows without any file."""

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
