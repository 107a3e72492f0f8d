"""The texts of a compile that are the author's: the module, headers in memory, headers on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path

from jitstudio.core.code import split_variant
from jitstudio.core.options import OptionEffect, lies_in, read
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job
from jitstudio.listing.own_headers import quoted_headers, quoted_names

_MOST_HEADERS = 256
_LARGEST = 4 << 20


def include_folders(job: Job) -> Iterator[str]:
    """Yields the folders that the options name."""
    return option_values(job, OptionEffect.READS)


def option_values(job: Job, effect: OptionEffect) -> Iterator[str]:
    """Yields the values of the options that have an effect, in order."""
    for option in read(job.options):
        if option.spec and option.spec.effect is effect and option.value:
            yield option.value


def own_texts(job: Job) -> Iterator[bytes]:
    """Yields all texts that are the author's."""
    yield from texts_in_memory(job)
    yield from own_headers(job)


def own_headers(job: Job) -> tuple[bytes, ...]:
    """Returns the texts of included headers next to the module or in the user's folders.

    Those of quoted names, also of the headers themselves. They are read once for a compile.
    """
    beside = os.path.dirname(split_variant(job.name)[0])
    names = frozenset[str]().union(*map(quoted_names, texts_in_memory(job)))
    return _headers(names, beside, tuple(include_folders(job)), job.confined_to) if names else ()


# The compile, and the same without its host code.
@lru_cache(2)
def _headers(
    names: frozenset[str],
    beside: str,
    folders: tuple[str, ...],
    confined_to: tuple[str, ...] | None,
) -> tuple[bytes, ...]:
    headers = quoted_headers(
        ((beside, names),),
        (beside, *folders),
        partial(_text_at, confined_to),
        most=_MOST_HEADERS,
        place_of=place_of,
    )
    return tuple(headers.values())


def forget_headers() -> None:
    """Lets the next compile read the headers anew: they may have been edited."""
    _headers.cache_clear()


def texts_in_memory(job: Job) -> Iterator[bytes]:
    """Yields the texts of the module and of the headers in memory."""
    yield from (content for _, content in job.inputs)
    yield from (header.content for header in job.headers)


def place_of(name: str) -> str:
    """Returns the path of a file in the real folder: the file may be a link out of there."""
    return os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))


def text_at(job: Job, name: str) -> bytes | None:
    """Returns the text of a file; None if unreadable or not allowed for the job."""
    return _text_at(job.confined_to, name)


def _text_at(confined_to: tuple[str, ...] | None, name: str) -> bytes | None:
    if confined_to is None or lies_in(confined_to, name):
        with suppress(OSError):
            return read_file(Path(name), _LARGEST)
    return None
