import threading
from types import SimpleNamespace

import pytest

from jitstudio.core.result import Outcome
from jitstudio.worker import pool as pool_module
from jitstudio.worker.builder import Builder
from jitstudio.worker.pool import MOST_WORKERS, Pool, default_size
from jitstudio.worker.sandbox.access import NOTHING, Need, SandboxAccess
from tests.support import GOOD, KERNEL, SLOW, cuda, request

pytestmark = [pytest.mark.tools, pytest.mark.usefixtures("own_workers")]


@pytest.fixture
def hosts():
    """Three that are not started; a pool looks at their process, and whether it suits."""
    return [SimpleNamespace(pid=None, name=name, suits=lambda need: True) for name in "abc"]


@pytest.fixture
def pool(hosts):
    return Pool(hosts)


def test_the_first_is_taken_first_and_a_warm_one_before_a_cold(pool, hosts):
    assert pool.take("m") is hosts[0]
    hosts[2].pid = 30
    assert pool.take("m") is hosts[2]
    assert pool.take("m") is hosts[1]
    assert pool.take("m") is None
    pool.give(hosts[1])
    assert pool.take("m") is hosts[1]


def test_one_that_would_have_to_be_replaced_is_taken_last(pool, hosts):
    hosts[0].pid = 10
    hosts[0].suits = lambda need: need == NOTHING
    more = Need(SandboxAccess(gpu=True))
    assert pool.take("m") is hosts[0]
    pool.give(hosts[0], "m")
    assert pool.is_home_free("m")
    assert [pool.take("m", more) for _ in hosts] == [hosts[1], hosts[2], hosts[0]]


def test_a_module_stays_with_the_process_that_had_it_first(pool, hosts):
    for number, host in enumerate(hosts):
        host.pid = number
    pool.give(pool.take("x"), "x")
    first, second = pool.take("m"), pool.take("m")
    pool.give(second, "m")
    pool.give(first, "m")
    assert pool.is_home_free("m")
    assert pool.take("m") is second
    assert not pool.is_home_free("m")
    pool.give(second, "m")
    second.pid = 99  # a new process knows nothing
    assert not pool.is_home_free("m")
    assert pool.take("m") is first
    pool.give(first, "m")
    assert pool.take("m") is first


def test_waiting_ends_with_a_free_worker_or_when_it_is_enough(pool, hosts):
    assert pool.wait(lambda: False)
    for _ in hosts:
        pool.take("m")
    assert not pool.wait(lambda: True)
    timer = threading.Timer(0.05, pool.give, (hosts[1],))
    timer.start()
    assert pool.wait(lambda: False)
    timer.join()


def test_the_size_is_that_of_the_machine_within_reason():
    assert 1 <= default_size() <= MOST_WORKERS


@pytest.mark.parametrize("yields", [False, True])
def test_workers_go_after_a_while_but_the_first_of_a_builder_that_yields_to_none(
    monkeypatch, yields
):
    monkeypatch.setattr(pool_module, "KEPT_WARM", 0.2)
    builder = Builder(workers=2, yields=yields)
    try:
        wanted = request(GOOD.sources[0], cuda(KERNEL))
        assert builder.build(wanted).ok
        hosts = builder._pool._hosts
        assert all(host.pid for host in hosts)
        first = hosts[0].pid
        builder._pool._alarm.join(5)
        assert [host.pid for host in hosts] == [None if yields else first, None]
        assert builder.build(wanted).ok
    finally:
        builder.close()


HEAVY = request(cuda(f"#include <cuda/std/array>\n{KERNEL}", "heavy.cu"))


def test_headers_are_precompiled_between_builds_and_nobody_waits_for_it():
    builder = Builder(workers=2)
    try:
        first = builder.build(HEAVY)
        assert "header yet: " in first.stages[0].log
        busy = builder.pid
        # A build in the meantime goes to the other worker.
        assert builder.build(GOOD).ok
        assert builder._pool._hosts[1].pid is not None
        builder.settle(60)
        again = builder.build(HEAVY)
        assert "Precompiled header used." in again.stages[0].log
        assert again.tool_ms < first.tool_ms
        assert builder.pid == busy
    finally:
        builder.close()


def test_with_one_worker_a_build_waits_for_its_chores_and_can_be_cancelled_meanwhile():
    builder = Builder(workers=1)
    try:
        builder.build(HEAVY)
        alarm = threading.Timer(0.3, builder.cancel, (7,))
        alarm.start()
        result = builder.build(SLOW, ticket=7)
        assert (result.outcome, result.stages) == (Outcome.CANCELLED, ())
        assert builder.build(GOOD).ok
    finally:
        builder.close()


def test_close_does_not_wait_for_chores():
    builder = Builder(workers=1)
    builder.build(HEAVY)
    closing = threading.Thread(target=builder.close)
    closing.start()
    closing.join(2)
    assert not closing.is_alive()
    assert builder.pid is None
