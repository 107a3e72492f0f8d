"""The headers of a program: those in memory, and those next to its texts that these include."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from jitstudio.core.code import CodeKind, Header, split_variant
from jitstudio.core.options import OptionEffect, lies_in, read
from jitstudio.core.plain_files import read_file
from jitstudio.core.request import BuildRequest
from jitstudio.listing.includes import includes

_MOST = 64
_LARGEST = 1 << 20


def own_headers(request: BuildRequest) -> tuple[Header, ...]:
    """Returns the headers in memory of a build, and the files that its texts include by quotes.

    Files are looked for next to the text that includes them, and in the folders of the options;
    what the build may not read is left out. The window calls it in the background.
    """
    folders = [
        os.path.join(request.folder, given.value)
        for given in read(request.options)
        if given.spec and given.spec.effect is OptionEffect.READS and given.value
    ]
    waiting = deque(
        (source.folder or os.path.dirname(split_variant(source.name)[0]), source.content)
        for source in request.sources
        if source.kind is CodeKind.CUDA
    )
    waiting += [(os.path.dirname(header.name), header.content) for header in request.headers]
    inside = {header.name for header in request.headers}
    found: dict[str, Header] = {}
    while waiting and len(found) < _MOST:
        folder, text = waiting.popleft()
        for path in _included(text, (folder, *folders), inside):
            if path in found or not _may_read(request, path):
                continue
            with suppress(OSError):
                found[path] = Header(path, read_file(Path(path), _LARGEST))
                waiting.append((os.path.dirname(path), found[path].content))
    return (*request.headers, *found.values())


def _included(text: bytes, folders: tuple[str, ...], inside: set[str]) -> Iterator[str]:
    """Yields the files that a text includes by quotes, those aside that are in memory."""
    for name in sorted(includes(text).quoted - inside) if b'"' in text else ():
        paths = (os.path.join(folder, name) for folder in folders)
        if path := next(filter(os.path.isfile, paths), None):
            yield os.path.normpath(path)


def _may_read(request: BuildRequest, path: str) -> bool:
    return request.confined_to is None or lies_in(request.confined_to, path)
