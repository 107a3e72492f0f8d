"""The texts of a compile that are the author's: the module, headers in memory, headers on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from jitstudio.core.code import split_variant
from jitstudio.core.options import OptionEffect, lies_in, read
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job
from jitstudio.listing.own_headers import quoted_headers

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


def own_headers(job: Job) -> list[bytes]:
    """Returns the texts of included headers next to the module or in the user's folders.

    Those of quoted names, also of the headers themselves.
    """
    beside = os.path.dirname(split_variant(job.name)[0])
    headers = quoted_headers(
        ((beside, text) for text in texts_in_memory(job)),
        (beside, *include_folders(job)),
        partial(text_at, job),
        most=_MOST_HEADERS,
        place_of=place_of,
    )
    return list(headers.values())


def texts_in_memory(job: Job) -> Iterator[bytes]:
    """Yields the texts of the module and of the headers in memory."""
    yield from (content for _, content in job.inputs)
    yield from (header.content for header in job.headers)


def place_of(name: str) -> str:
    """Returns the path of a file in the real folder: the file may be a link out of there."""
    return os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))


def text_at(job: Job, name: str) -> bytes | None:
    """Returns the text of a file; None if unreadable or not allowed for the job."""
    if job.confined_to is None or lies_in(job.confined_to, name):
        with suppress(OSError):
            return read_file(Path(name), _LARGEST)
    return None
