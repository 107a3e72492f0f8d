"""The headers of a program: in memory, and included from next to the program's texts."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
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
    """Returns the headers in memory of a build, and the files included by quotes.

    Files are looked for next to the text that includes them, and in the folders of the options;
    what the build may not read is left out. The window calls it in the background.
    """
    folders = [
        os.path.join(request.folder, option.value)
        for options in request.option_sets
        for option in read(options)
        if option.spec and option.spec.effect is OptionEffect.READS and option.value
    ]
    texts = [
        (source.folder or os.path.dirname(split_variant(source.name)[0]), source.content)
        for source in request.sources
        if source.kind is CodeKind.CUDA
    ]
    texts += [(os.path.dirname(header.name), header.content) for header in request.headers]
    inside = frozenset(header.name for header in request.headers)

    def content_of(path: str) -> bytes | None:
        if request.confined_to is None or lies_in(request.confined_to, path):
            with suppress(OSError):
                return read_file(Path(path), _LARGEST)
        return None

    named = ((folder, quoted_names(text)) for folder, text in texts)
    headers = quoted_headers(named, folders, content_of, most=_MOST, inside=inside)
    return (*request.headers, *(Header(*item) for item in headers.items()))


def quoted_names(text: bytes) -> Set[str]:
    """Returns the names that a text includes by quotes."""
    return includes(text).quoted if b'"' in text else frozenset()


def quoted_headers(
    texts: Iterable[tuple[str, Set[str]]],
    folders: Sequence[str],
    content_of: Callable[[str], bytes | None],
    *,
    most: int,
    inside: Set[str] = frozenset(),
    place_of: Callable[[str], str] = os.path.normpath,
) -> dict[str, bytes]:
    """Returns the files that texts include by quotes, and that these include, by their paths.

    Args:
        texts: The folder of each text, and the names that it includes by quotes.
        folders: Where to look behind the folder of the text.
        content_of: Reads a file; None for a file that may not be read, or cannot.
        most: So many files at most.
        inside: The names of headers that are no files.
        place_of: Returns the one path of a file that has several.
    """
    waiting = deque(texts)
    headers: dict[str, bytes] = {}
    while waiting and len(headers) < most:
        folder, names = waiting.popleft()
        for name in sorted(names - inside):
            paths = (os.path.join(place, name) for place in (folder, *folders))
            path = next((place_of(place) for place in paths if os.path.isfile(place)), "")
            if path and path not in headers and (content := content_of(path)) is not None:
                headers[path] = content
                waiting.append((os.path.dirname(path), quoted_names(content)))
    return headers
