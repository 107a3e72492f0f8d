"""Keeps the includes of a build that nobody has vouched for inside its folders.

Where the kernel can confine a process, it does so and NVRTC finds no other file. Elsewhere, and to
say why, the names in the texts are looked at before the compile. After it the files that NVRTC has
opened are: a macro may name one that no text shows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jitstudio.core.options import Effect, lies_in, read, shown
from jitstudio.core.plan import HOW_TO_TRUST, NOT_TRUSTED, Job
from jitstudio.listing.includes import includes

_LARGEST = 16 << 20


@dataclass(frozen=True)
class _Text:
    """A text that includes others, and the folder that it is in."""

    name: str
    folder: str
    names: frozenset[str]


def stray_include(job: Job, toolchain: Sequence[str]) -> str:
    """Why a module may not be compiled as it includes a file from elsewhere; empty if it may.

    Args:
        job: A compile of CUDA C++.
        toolchain: The folders of the tools' own headers.
    """
    if job.confined_to is None:
        return ""
    searched = list(_folders(job))
    inside = frozenset(header.name for header in job.headers)
    waiting, seen = list(_texts(job)), set[str]()
    while waiting:
        text = waiting.pop()
        for name in sorted(text.names - inside):
            places = (text.folder, os.path.dirname(job.name), *searched)
            for folder in ("",) if os.path.isabs(name) else places:
                path = os.path.join(folder, name)
                if not os.path.exists(path) or os.path.isdir(path):
                    continue
                if lies_in(job.confined_to, path):
                    real = os.path.realpath(path)
                    if real not in seen:
                        seen.add(real)
                        waiting.append(_file(real))
                    break
                if lies_in(toolchain, path):
                    break
                if os.path.isabs(name) or ".." in Path(name).parts or _opens(path):
                    return _refusal(text.name, name, os.path.realpath(path))
    return ""


def stray_file(job: Job, opened: Iterable[str], toolchain: Sequence[str]) -> str:
    """Why the result of a compile is not to be used as it has read elsewhere; empty if it may be.

    Args:
        job: A compile of CUDA C++.
        opened: The files that NVRTC has opened.
        toolchain: The folders of the tools' own headers.
    """
    if job.confined_to is None:
        return ""
    allowed = (*job.confined_to, *toolchain)
    inside = {job.name, *(header.name for header in job.headers)}
    for name in sorted({*opened} - inside):
        if os.path.exists(name) and not lies_in(allowed, name):
            return _refusal(job.name, name, os.path.realpath(name))
    return ""


def _refusal(text: str, name: str, real: str) -> str:
    which = "" if real == name else f"which is '{shown(real)}', "
    includes_it = f"'{shown(text)}' includes '{shown(name)}'"
    return f"{NOT_TRUSTED} {includes_it}, {which}outside the project's folder. {HOW_TO_TRUST}"


def _folders(job: Job) -> Iterator[str]:
    for given in read(job.options):
        if given.spec and given.spec.effect is Effect.READS and given.value:
            yield given.value


def _texts(job: Job) -> Iterator[_Text]:
    forced = (
        given.value
        for given in read(job.options)
        if given.spec and given.spec.effect is Effect.INCLUDES and given.value
    )
    yield _Text("--pre-include", "", frozenset(forced))
    beside = os.path.dirname(job.name)
    expressions = "\n".join(job.name_expressions).encode()
    for content in (*(content for _, content in job.inputs), expressions):
        yield _Text(job.name, beside, includes(content).names)
    for header in job.headers:
        yield _Text(header.name, os.path.dirname(header.name), includes(header.content).names)


def _file(path: str) -> _Text:
    """A file of the project's; what is no file, or cannot be read, NVRTC will complain of."""
    content = b""
    if os.path.isfile(path):
        with suppress(OSError), open(path, "rb") as file:
            content = file.read(_LARGEST)
    return _Text(path, os.path.dirname(path), includes(content).names)


def _opens(path: str) -> bool:
    """Whether the file can be read: what the kernel keeps from us, NVRTC takes for missing."""
    try:
        os.close(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)))
    except OSError:
        return False
    return True
