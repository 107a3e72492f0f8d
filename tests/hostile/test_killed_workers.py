"""Workers killed at any moment: each build ends in words, and the next one is as good as ever."""

from __future__ import annotations

import os
import signal
import threading
import time
from random import Random

import pytest

from jitstudio.core.result import BuildResult, Outcome
from jitstudio.worker.builder import Builder
from tests.support import KERNEL, cuda, request

SOON_S = 0.4
"""A build of these modules takes about so long."""


def _build(host: Builder) -> BuildResult:
    """Build two modules, which two workers share, and link them."""
    modules = (cuda(KERNEL, "a.cu"), cuda(KERNEL.replace("fine", "other"), "b.cu"))
    return host.build(request(*modules, emit="ptx,cubin", link="lto"), timeout=60)


def _made(result: BuildResult) -> dict[tuple[str, str], bytes]:
    return {(made.kind.value, made.name): made.content for made in result.artifacts}


def _kill_some(count: int) -> None:
    rng = Random(count)
    host, calm = Builder(workers=2), Builder(workers=1)
    outcomes = set()
    try:
        expected = _made(_build(calm))
        for _ in range(count):
            alarm = threading.Timer(rng.uniform(0, SOON_S), _kill, (host, rng.random() < 0.5))
            alarm.start()
            result = _build(host)
            alarm.join()
            outcomes.add(result.outcome)
            if result.outcome is Outcome.BUILT:
                assert _made(result) == expected
            else:
                assert result.outcome is Outcome.CRASHED
                assert "next build works" in result.crash.message
        again = _build(host)
        assert again.outcome is Outcome.BUILT
        assert _made(again) == expected
    finally:
        host.close()
        calm.close()
    assert outcomes == {Outcome.BUILT, Outcome.CRASHED}


def _kill(host: Builder, first: bool) -> None:
    """Kill one of the workers and wait for its end."""
    running = [worker for worker in host._pool._hosts if worker.pid is not None]
    if running:
        worker = running[0 if first else -1]
        pid = worker.pid
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            while worker.pid == pid:
                time.sleep(0.005)


def test_nothing_is_lost_when_workers_are_killed():
    _kill_some(12)


@pytest.mark.bench
def test_nothing_is_lost_in_two_hundred_kills():
    _kill_some(200)
