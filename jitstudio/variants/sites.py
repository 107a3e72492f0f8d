"""The sites that build and launch variants: executors as in `concurrent.futures`.

A site is a machine, or a worker of a Dask cluster.
"""

from __future__ import annotations

import importlib
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, TypeVar
from uuid import uuid4

from jitstudio.core.launch.device import DeviceList
from jitstudio.variants import tasks
from jitstudio.worker.pool import cores

HERE = "here"
"""The name of this machine."""

_MOST_GPUS = 64
_CONNECTING = 20.0
_GRACE = 0.5
_SAFE = ("tls", "wss", "inproc")
_UNSAFE = (
    "'{address}' is not on this machine and not encrypted: whoever answers there can run code "
    "here, and whoever listens reads the sources. Use tls:// with certificates (--dask-tls), or "
    "--dask-insecure if you trust everybody on that network."
)
_TO_INSTALL = "python3 -m pip install 'jitstudio[cluster]'"

_T = TypeVar("_T")


class SiteError(RuntimeError):
    """A cluster cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class ClusterCertificates:
    """Paths of PEM files by which a cluster and its clients know each other.

    Attributes:
        authority: The certificate authority that has signed all certificates.
        certificate: The certificate of this side.
        key: The private key of the certificate.
    """

    authority: str
    certificate: str
    key: str


@dataclass(frozen=True, eq=False)
class Site:
    """A place that builds and launches.

    Attributes:
        name: The name to show.
        session: The session under which tasks keep their processes.
        compiling: Takes builds.
        launching: Takes launches, one at a time for each GPU, and readings of machine code.
        jobs: The number of builds for which there are cores.
        workers: Processes that each build may use; None for as many as there are cores.
        devices: The GPUs, or why there are none.
        call: Calls a function with an argument there at once, past all waiting tasks.
        alive: Whether the site can still be reached.
    """

    name: str
    session: str
    compiling: Executor
    launching: Executor
    jobs: int
    workers: int | None
    devices: DeviceList
    call: Callable[[Callable[[str], None], str], Any]
    alive: Callable[[], bool]

    def interrupt(self) -> None:
        """Ends the builds and launches in progress."""
        self.call(tasks.interrupt, self.session)


@contextmanager
def local(
    jobs: int | None = None, *, workers: int | None = 1, launches: bool = True
) -> Iterator[tuple[Site, ...]]:
    """Yields this machine, whose tasks run in threads that each wait for a process.

    Args:
        jobs: How many builds at a time; None for as many as there are cores.
        workers: Processes that each build may use; None for as many as there are cores.
        launches: Whether to look for GPUs.
    """
    session = uuid4().hex
    count = jobs or cores()
    compiling = ThreadPoolExecutor(count, "jitstudio-build")
    launching = ThreadPoolExecutor(_MOST_GPUS, "jitstudio-launch")
    try:
        devices = DeviceList()
        if launches:
            devices = launching.submit(tasks.list_devices, session).result()
        yield (
            Site(
                HERE,
                session,
                compiling,
                launching,
                count,
                workers,
                devices,
                call=lambda task, argument: task(argument),
                alive=lambda: True,
            ),
        )
    finally:
        for executor in (compiling, launching):
            executor.shutdown(wait=False, cancel_futures=True)
        # Now the threads have nothing left to wait for.
        tasks.close(session)
        for executor in (compiling, launching):
            executor.shutdown()


@contextmanager
def timing(*, launches: bool = False) -> Iterator[tuple[Site, ...]]:
    """Yields this machine with a single build at a time on all cores, so that times are true."""
    with local(1, workers=None, launches=launches) as sites:
        yield sites


@contextmanager
def cluster(
    address: str,
    *,
    certificates: ClusterCertificates | None = None,
    insecure: bool = False,
    timeout: float | None = None,
) -> Iterator[tuple[Site, ...]]:
    """Yields the workers of a Dask cluster, which must have jitstudio installed.

    Dask runs what it is sent, in both directions: the peer can run code here. So an address beyond
    this machine has to use TLS, which verifies the peer.

    Args:
        address: The address of the scheduler, such as ``tls://host:8786``.
        certificates: The certificates for TLS; None for those in Dask's own configuration.
        insecure: Whether anybody on the way may answer.
        timeout: Seconds within which the scheduler and its workers have to answer.

    Raises:
        SiteError: Dask is not installed here, the address is not safe, a certificate cannot be
            read, the scheduler does not answer, it has no workers, or one of them cannot run
            jitstudio.
    """
    if not (insecure or _is_safe(address)):
        raise SiteError(_UNSAFE.format(address=address))
    limit = threading.TIMEOUT_MAX if timeout is None else timeout
    patience, end = min(limit, _CONNECTING), time.monotonic() + limit
    client = _within(patience, address, lambda: _client(address, certificates, patience))
    session = uuid4().hex
    try:
        workers = _workers(client)
        if not workers:
            raise SiteError(f"The cluster at {address} has no workers. Start some: dask worker.")
        executors = {worker: client.get_executor(workers=[worker]) for worker in workers}
        device_lists = {w: e.submit(tasks.list_devices, session) for w, e in executors.items()}
        sites = tuple(
            _site(
                client, session, name, executors[name], about["nthreads"], device_lists[name], end
            )
            for name, about in workers.items()
        )
        yield sites
    finally:
        _call(client, tasks.close, session, None)
        client.close()


def _is_safe(address: str) -> bool:
    """Returns whether only the scheduler can answer: by TLS, or on this machine itself."""
    scheme, _, place = address.rpartition("://")
    if scheme in _SAFE:
        return True
    host, _, port = place.rpartition(":")
    host = (host if port.isdigit() else place).strip("[]")
    try:
        addresses = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False
    return all(ip_address(str(peer).partition("%")[0]).is_loopback for peer in addresses)


def _within(seconds: float, address: str, connect: Callable[[], _T]) -> _T:
    """Returns the result of `connect`, which has to come within some seconds.

    Dask's own limit does not hold while a peer that took the connection is silent.

    Raises:
        SiteError: There is no result in time.
    """
    ended: queue.SimpleQueue[_T | BaseException] = queue.SimpleQueue()

    def work() -> None:
        try:
            ended.put(connect())
        except BaseException as error:
            ended.put(error)

    # A thread that waits for ever does not keep the program from ending.
    threading.Thread(target=work, daemon=True).start()
    try:
        outcome = ended.get(timeout=seconds + _GRACE)
    except queue.Empty:
        raise SiteError(
            f"The scheduler at '{address}' does not answer within {seconds:g} s. "
            "Write its address like tls://host:8786, and see to the certificates."
        ) from None
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _client(address: str, certificates: ClusterCertificates | None, patience: float) -> Any:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise SiteError(
            f"A Dask cluster needs the package distributed. Install it: {_TO_INSTALL}"
        ) from None
    security = None
    if certificates is not None:
        security = distributed.Security(
            tls_ca_file=certificates.authority,
            tls_client_cert=certificates.certificate,
            tls_client_key=certificates.key,
            require_encryption=True,
        )
    try:
        return distributed.Client(
            address, timeout=patience, set_as_default=False, security=security
        )
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise SiteError(
            f"The scheduler at '{address}' does not answer: {error}. "
            "Write its address like tls://host:8786, and see to the certificates."
        ) from None


def _site(
    client: Any,
    session: str,
    worker: str,
    executor: Executor,
    threads: int,
    device_list: Any,
    end: float,
) -> Site:
    try:
        devices: DeviceList = device_list.result(max(0.0, end - time.monotonic()))
    except TimeoutError:
        raise SiteError(
            f"The Dask worker {worker} has not told its GPUs in time. Leave it out, or give it "
            "longer by --timeout."
        ) from None
    except Exception as error:  # whatever the other machine raised
        raise SiteError(
            f"The Dask worker {worker} cannot run jitstudio: {error}. Install it there, in the "
            f"version that is here: {_TO_INSTALL}"
        ) from error
    return Site(
        name=worker,
        session=session,
        compiling=executor,
        launching=executor,
        # A launch shall not wait for builds where there are threads enough.
        jobs=max(1, threads - len(devices.devices)),
        workers=1,
        devices=devices,
        call=lambda task, argument: _call(client, task, argument, [worker]),
        alive=lambda: _is_alive(client, worker),
    )


def _workers(client: Any) -> Mapping[str, Any]:
    """Returns the workers of a cluster by address, as the scheduler lists the workers now.

    `scheduler_info` asks, too, but returns the newest answer to anybody: that to the client itself,
    which asks every other second, has no workers in it.
    """
    workers: Mapping[str, Any] = client.sync(client.scheduler.identity)["workers"]
    return workers


def _is_alive(client: Any, worker: str) -> bool:
    if client.status != "running":
        return False
    try:
        return worker in _workers(client)
    except OSError:
        # Once that lasts the client is not running any more.
        return True


def _call(
    client: Any, task: Callable[[str], None], argument: str, workers: list[str] | None
) -> None:
    # A worker that is gone has nothing left to end.
    with suppress(Exception):
        client.run(task, argument, workers=workers, on_error="ignore")
