"""Everything here runs on a real GPU, and says why it does not where there is none."""

from collections.abc import Iterator

import pytest

from jitstudio.worker.builder import Builder
from jitstudio.worker.launcher import Launcher
from tests.launching import Bench


@pytest.fixture(scope="session")
def _bench() -> Iterator[Bench]:
    builder, launcher = Builder(), Launcher()
    yield Bench(builder, launcher, launcher.devices())
    launcher.close()
    builder.close()


@pytest.fixture
def bench(_bench: Bench) -> Bench:
    """Compilers and a GPU, warm from one test to the next."""
    if _bench.devices.problem:
        pytest.skip(_bench.devices.problem)
    return _bench


@pytest.fixture(scope="module", autouse=True)
def _as_for_users(own_workers):
    """What a driver keeps in a process is not shared by a fork."""
