"""What is removed under a running worker is there again at its next call."""

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.core.request import DemangleRequest
from jitstudio.system.paths import unpacked_headers
from jitstudio.worker.builder import Builder
from tests.support import cuda, request

pytestmark = [pytest.mark.tools, pytest.mark.slow, pytest.mark.usefixtures("own_workers")]

HALF = '#include <cuda_fp16.h>\nextern "C" __global__ void k(__half* a) { a[0] = __hneg(a[0]); }\n'


@pytest.fixture
def builder(tmp_path, monkeypatch):
    """One with a cache folder and a folder for temporary files of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("JITSTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    builder = Builder(workers=1)
    yield builder
    builder.close()


def built(builder, number=0):
    wanted = replace(request(cuda(f"// {number}\n{HALF}")), use_cache=False)
    result = builder.build(wanted)
    return result.ok, [each.message for each in result.diagnostics]


def headers():
    folders = unpacked_headers()
    if not folders:
        pytest.skip("this NVRTC brings no headers along")
    return folders[0]


def empty_all(folder):
    shutil.rmtree(folder)


def take_one(folder):
    (folder / "cuda_fp16.h").unlink()


def take_one_below(folder):
    (folder / "cccl" / "cub" / "cub.cuh").unlink()


@pytest.mark.parametrize("harm", [empty_all, take_one, take_one_below])
def test_headers_that_are_removed_are_unpacked_again(builder, harm):
    assert built(builder) == (True, [])
    harm(headers())
    assert built(builder, 1) == (True, [])
    assert (headers() / "cuda_fp16.h").is_file()
    assert (headers() / "cccl" / "cub" / "cub.cuh").is_file()
    pid = builder._pool.first.pid
    assert built(builder, 2) == (True, [])
    assert builder._pool.first.pid == pid


def test_the_whole_cache_folder_may_go(builder, tmp_path):
    assert built(builder) == (True, [])
    shutil.rmtree(tmp_path / "cache")
    assert built(builder, 1) == (True, [])


def test_a_folder_for_temporary_files_that_is_swept_replaces_the_worker(builder):
    assert built(builder) == (True, [])
    (own,) = Path(tempfile.gettempdir()).glob("jitstudio-child-*")
    shutil.rmtree(own)
    assert built(builder, 1) == (True, [])
    shutil.rmtree(tempfile.gettempdir())
    assert built(builder, 2) == (True, [])
    assert builder.demangle(DemangleRequest(("_Z1fi",))) == {"_Z1fi": "f(int)"}


def test_a_folder_of_the_same_name_is_another_one(builder):
    assert built(builder) == (True, [])
    (own,) = Path(tempfile.gettempdir()).glob("jitstudio-child-*")
    shutil.rmtree(own)
    own.mkdir()
    assert built(builder, 1) == (True, [])
