"""Which PTX texts a cubin was made of, and what its line tables call the sources."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult


def ptx_of(request: BuildRequest, result: BuildResult, name: str) -> dict[str, str]:
    """The PTX texts that the cubin of this name can have been made of, by the module's name.

    After a link all modules may be in it; else the module alone.
    """
    made = ((a.name, a.content) for a in result.artifacts if a.kind is CodeKind.PTX)
    given = ((s.name, s.content) for s in request.sources if s.kind is CodeKind.PTX)
    texts: dict[str, str] = {}
    for module, content in (*given, *made):
        if name in (LINKED, module):
            texts[module] = content.decode("utf-8", "replace")
    return texts


def spellings(name: str, folder: str = "") -> Iterator[str]:
    """Yields what a line table may call a module or header of a build.

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
