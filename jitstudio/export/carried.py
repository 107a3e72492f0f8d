"""The headers on disk that an export carries, so that it can be built where these are not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.options import OptionEffect, lies_in, read, rooted
from jitstudio.core.plain_files import read_file
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.listing.includes import includes
from jitstudio.paths import resource

_LARGEST = 4 << 20
_MOST = 500
_SHARED = "jitstudio/host.h"


def carried_headers(request: BuildRequest, result: BuildResult) -> tuple[Header, ...]:
    """Returns the headers on disk that modules include, from their own folders and those named.

    NVIDIA's are not among them. Of a build that nobody trusts only files are read that the build
    may read. A header that a tool got a copy of is left to `recipe_of`.

    Args:
        request: The build.
        result: What came of it.
    """
    modules = [source for source in request.sources if source.kind is CodeKind.CUDA]
    named = [
        given.value
        for given in read(rooted(request.options, request.folder))
        if given.spec and given.spec.effect is OptionEffect.READS and given.value
    ]
    found: dict[str, bytes] = {}
    known = {header.name for header in request.headers}
    for source in modules:
        folders = [folder for folder in (source.folder or request.folder, *named) if folder]
        _collect(request, source.content, folders, found, known)
    for header in request.headers:
        _collect(request, header.content, named, found, known)
    stand_ins = {name for stage in result.stages for name in stage.stand_ins}
    for name in sorted(stand_ins | ({_SHARED} if stand_ins else set())):
        found.setdefault(name, read_file(resource("host_headers") / name))
    return tuple(Header(name, text) for name, text in found.items())


def _collect(
    request: BuildRequest,
    text: bytes,
    folders: list[str],
    found: dict[str, bytes],
    known: set[str],
) -> None:
    """Adds what a text includes, and what that includes."""
    waiting = [(text, "")]
    while waiting:
        content, beside = waiting.pop()
        for name in sorted(includes(content).names):
            if name in known or len(found) >= _MOST:
                continue
            places = [beside, *folders] if beside else folders
            for path in _places(name, places):
                if request.confined_to is not None and not lies_in(request.confined_to, str(path)):
                    continue
                try:
                    held = read_file(path, _LARGEST)
                except OSError:
                    continue
                known.add(name)
                found[name] = held
                waiting.append((held, str(path.parent)))
                break


def _places(name: str, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            yield Path(path)
