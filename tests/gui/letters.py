"""Letters as they are at the first start, whatever a test has made of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from jitstudio.gui.kit.fonts import CODE_FAMILY, LETTERS


@contextmanager
def usual_letters() -> Iterator[None]:
    """Put size and family back in the end; they are those of the whole application."""
    try:
        yield
    finally:
        LETTERS.set_zoom(1.0)
        LETTERS.set_family(CODE_FAMILY)
