"""A disk that is full."""

import resource
from contextlib import contextmanager

import pytest


@pytest.fixture
def full_disk():
    """Within its block no file can grow, as on a disk with no space left."""

    @contextmanager
    def full():
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return full
