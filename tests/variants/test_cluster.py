"""Whole sweeps on a Dask cluster of two processes, as real as one on two machines."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from importlib.util import find_spec

import pytest

from jitstudio.variants import sites
from jitstudio.variants.engine import VariantRun
from jitstudio.variants.sites import ClusterCertificates, SiteError
from tests.support import ROOT, SLOW
from tests.variants.plans import power_plan

is_missing = pytest.mark.skipif(
    find_spec("distributed") is None, reason="needs the package distributed"
)
pytestmark = [pytest.mark.tools, is_missing]

QUICK = 30.0
"""Seconds within which a cancelled sweep must be over; far less than the slow code takes."""


@pytest.fixture(scope="module")
def scheduler():
    import distributed

    # The processes find a checkout that is not installed.
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    with (
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            protocol="tcp",
            host="127.0.0.1",
            dashboard_address=":0",
            env={"PYTHONPATH": paths},
        ) as cluster,
    ):
        patch.setenv("PYTHONPATH", paths)
        yield cluster.scheduler_address


@pytest.fixture
def places(scheduler):
    with sites.cluster(scheduler) as found:
        yield found


def compiled_only(places):
    """The same places without their GPUs."""
    return tuple(replace(site, devices=replace(site.devices, devices=())) for site in places)


@pytest.mark.bench
def test_each_worker_is_a_site_with_its_own_threads(places):
    assert len({site.name for site in places}) == 2
    assert {site.jobs for site in places} == {1}
    assert all(site.alive() for site in places)


def test_variants_are_built_by_all_workers(places):
    plan = power_plan("-DPOWER=1,2", "T=float,double")
    result = VariantRun(plan, compiled_only(places)).run()
    assert [row.outcome for row in result.rows] == ["missing"] * 4
    assert all(row.registers and row.compile_ms for row in result.rows)


def test_a_worker_is_there_while_the_client_asks_by_itself(scheduler, monkeypatch):
    import distributed

    asked = distributed.Client._update_scheduler_info

    async def asked_in_between(client, n_workers=0):
        await asked(client, n_workers=n_workers)
        await asked(client)

    monkeypatch.setattr(distributed.Client, "_update_scheduler_info", asked_in_between)
    with sites.cluster(scheduler) as places:
        assert [site.alive() for site in places] == [True, True]


@pytest.mark.bench
def test_a_variant_that_cannot_be_built_there_is_a_row(places):
    good, bad = (
        VariantRun(power_plan("-DPOWER=3,oops", "T=float"), compiled_only(places)).run().rows
    )
    assert (good.outcome, bad.outcome) == ("missing", "build-failed"), good.message
    assert "oops" in bad.message


@pytest.mark.bench
def test_builds_on_other_machines_are_cancelled_too(places):
    plan = replace(power_plan("-DPOWER=1,2,3,4", kernel="slow"), build=SLOW)
    sweep = VariantRun(plan, compiled_only(places))
    rows = []
    thread = threading.Thread(target=lambda: rows.extend(sweep.run().rows))
    thread.start()
    time.sleep(2)
    sweep.cancel()
    thread.join(QUICK)
    assert not thread.is_alive()
    assert [row.outcome for row in rows] == ["build-cancelled"] * 4


def test_the_command_line_gives_its_work_to_the_cluster(scheduler, run, tmp_path):
    source = tmp_path / "k.cu"
    source.write_text('extern "C" __global__ void k(int* p) { *p = N; }')
    ran = run(
        *("sweep", source, "--kernel", "k", "--axis", "-DN=1,2", "--grid", "1", "--arg", "p=1"),
        *("--dask", scheduler, "--devices", "4711", "--json"),
    )
    assert ran.code == 3
    assert [row["outcome"] for row in ran.json["variants"]] == ["missing", "missing"]
    assert all(row["registers"] for row in ran.json["variants"])


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """An authority, a certificate for this machine, and one that another authority has signed."""
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    new = ("req", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    for name in ("ca", "other"):
        openssl(
            *new, "-x509", "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem"
        )
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost")
    openssl(*new, "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "request.pem")
    sign = ("-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "cert.pem")
    openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", *sign)
    return folder


def by(folder, authority="ca.pem"):
    return [str(folder / name) for name in (authority, "cert.pem", "key.pem")]


@pytest.fixture(scope="module")
def encrypted(certificates, scheduler):
    import distributed

    ca, cert, key = by(certificates)
    security = distributed.Security(
        tls_ca_file=ca,
        require_encryption=True,
        **{f"tls_{role}_cert": cert for role in ("scheduler", "worker", "client")},
        **{f"tls_{role}_key": key for role in ("scheduler", "worker", "client")},
    )
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        protocol="tls",
        host="127.0.0.1",
        dashboard_address=":0",
        security=security,
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.bench
def test_a_cluster_is_reached_by_tls(encrypted, certificates, run, tmp_path):
    assert encrypted.startswith("tls://")
    source = tmp_path / "k.cu"
    source.write_text('extern "C" __global__ void k(int* p) { *p = N; }')
    words = ("sweep", source, "--kernel", "k", "--axis", "-DN=1,2", "--grid", "1", "--arg", "p=1")
    more = ("--devices", "4711", "--json", "--dask", encrypted, "--dask-tls")
    ran = run(*words, *more, *by(certificates))
    assert [row["outcome"] for row in ran.json["variants"]] == ["missing", "missing"]
    assert all(row["registers"] for row in ran.json["variants"])


@pytest.mark.bench
def test_dask_s_own_configuration_names_the_certificates(encrypted, certificates):
    dask = pytest.importorskip("dask")
    ca, cert, key = by(certificates)
    settings = {"ca-file": ca, "client.cert": cert, "client.key": key}
    with (
        dask.config.set({f"distributed.comm.tls.{name}": path for name, path in settings.items()}),
        sites.cluster(encrypted) as places,
    ):
        assert len(places) == 1


@pytest.mark.parametrize("authority", ["other.pem", "none.pem", None])
@pytest.mark.bench
def test_whoever_has_another_certificate_is_not_trusted(
    encrypted, certificates, authority, monkeypatch
):
    monkeypatch.setattr(sites, "_CONNECTING", 2.0)
    given = ClusterCertificates(*by(certificates, authority)) if authority else None
    with (
        pytest.raises(SiteError, match=r"does not answer.*certificates"),
        sites.cluster(encrypted, certificates=given),
    ):
        pass


@pytest.mark.parametrize(
    "address",
    [
        "tcp://192.0.2.1:8786",
        "192.0.2.1:8786",
        "tcp://[2001:db8::1]:8786",
        "ws://192.0.2.1:8786",
        "ucx://192.0.2.1:8786",
        "tcp://0.0.0.0:8786",
        "tcp://no-such-host.invalid:8786",
        "tcp://127.0.0.1@192.0.2.1:8786",
        "",
    ],
)
def test_an_address_beyond_this_machine_wants_tls_or_a_flag(address, monkeypatch):
    with pytest.raises(SiteError, match="--dask-insecure"), sites.cluster(address):
        pass
    # Without the package nothing is sent to anybody.
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SiteError, match="pip install"), sites.cluster(address, insecure=True):
        pass


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:8786", "127.1.2.3:8786", "localhost:8786", "tcp://[::1]:8786", "tls://far:1"],
)
def test_this_machine_wants_neither(address):
    assert sites._is_safe(address)


def test_flags_for_a_cluster_without_one_are_wrong(run, tmp_path):
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(int* p) { *p = N; }')
    words = ("sweep", "k.cu", "--kernel", "k", "--axis", "-DN=1", "--grid", "1", "--arg", "p=1")
    ran = run(*words, "--dask-insecure")
    assert (ran.code, "--dask ADDRESS" in ran.err) == (2, True)


def test_a_scheduler_that_does_not_answer_is_told(monkeypatch):
    monkeypatch.setattr(sites, "_CONNECTING", 0.2)
    with pytest.raises(SiteError, match="does not answer"), sites.cluster("tcp://127.0.0.1:9"):
        pass


def test_a_scheduler_that_takes_the_connection_and_is_silent_is_told_in_time():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        start = time.monotonic()
        with (
            pytest.raises(SiteError, match="does not answer"),
            sites.cluster(address, timeout=0.5),
        ):
            pass
        assert time.monotonic() - start < 10


def test_without_the_package_the_command_that_brings_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SiteError, match=r"pip install 'jitstudio\[cluster\]'"),
        sites.cluster("tcp://127.0.0.1:9"),
    ):
        pass
