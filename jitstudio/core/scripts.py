"""Python files in a build, replaced by the kernels that a run of the file gives.

A Python file is run first. The kernels that come of it are modules of their own from then on, and
the plan is made anew for them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from jitstudio.core.captured import (
    CONSEQUENCES,
    LAUNCH,
    PARAMETER,
    CapturedError,
    CapturedKernel,
    unpack,
)
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest

# What is in the way in the name of a file, or is a sign there.
_NO_NAME = re.compile(r"[^\w$=,\[\]-]+")
_LONGEST = 80


def kernel_sources(
    packed: Sequence[bytes],
    script: str,
    request: BuildRequest,
    by_script: Mapping[str, Sequence[Source]],
) -> tuple[Source, ...]:
    """Returns the kernels of a Python file as modules, each under a unique name.

    Args:
        packed: What running it has given: packed captured kernels. What is none is left out.
        script: The name of the file.
        request: The build that it is in.
        by_script: The kernels of other Python files, which have their names.
    """
    read = [(content, kernel) for content in packed if (kernel := _read(content)) is not None]
    others = (*request.sources, *(kernel for kernels in by_script.values() for kernel in kernels))
    taken = {source.name for source in others}
    names = kernel_names([kernel for _, kernel in read], taken)
    of_script = next((source for source in request.sources if source.name == script), None)
    folder = of_script.folder if of_script else ""
    options = of_script.options if of_script else None
    return tuple(
        Source(name, CodeKind.CAPTURED, content, folder, options=options)
        for name, (content, _) in zip(names, read, strict=True)
    )


def with_kernels(request: BuildRequest, by_script: Mapping[str, Sequence[Source]]) -> BuildRequest:
    """Returns the build with the kernels of each Python file in the place of the file.

    Args:
        request: The build.
        by_script: The kernels of each Python file, by its name.
    """
    sources: list[Source] = []
    for source in request.sources:
        is_script = source.kind is CodeKind.PYTHON
        sources += by_script.get(source.name, ()) if is_script else (source,)
    return replace(request, sources=tuple(sources))


def _read(content: bytes) -> CapturedKernel | None:
    try:
        return unpack(content)
    except CapturedError:
        return None


def kernel_names(
    kernels: Sequence[CapturedKernel], taken: set[str] | None = None
) -> tuple[str, ...]:
    """Returns a name for each kernel, no two the same: ``add``, or ``add[BLOCK=256]``.

    Args:
        kernels: Those of one script. Of kernels with the same name, the name says in what they
            differ.
        taken: Names that others have.
    """
    used = set(taken or ())
    names = []
    for kernel in kernels:
        same = [other for other in kernels if other.name == kernel.name]
        differing = [
            f"{key.removeprefix(PARAMETER)}={value.lstrip('*')}"
            for key, value in kernel.facts.items()
            if key not in CONSEQUENCES
            and not key.startswith(LAUNCH)
            and any(other.facts.get(key) != value for other in same)
        ]
        inner = f"[{','.join(differing)}]" if differing else ""
        whole = _NO_NAME.sub("_", kernel.name + inner)[:_LONGEST] or "kernel"
        name, number = whole, 1
        while name in used:
            number += 1
            name = f"{whole}-{number}"
        used.add(name)
        names.append(name)
    return tuple(names)
