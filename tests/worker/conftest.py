"""Tests of the workers themselves."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _as_for_users(own_workers):
    """What a start of a worker needs and does is what these tests are about."""
