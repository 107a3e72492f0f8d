"""Files with device code, read in a process of its own."""

import os
import shutil

import pytest

from jitstudio.core.captured import unpack
from jitstudio.core.code import CodeKind
from jitstudio.core.library import LibraryFailure, LibraryListing
from jitstudio.core.result import Outcome
from jitstudio.worker.code_readers import LibraryReader
from tests.library_files import elf, wheel
from tests.support import ROOT, cuda, request

pytestmark = pytest.mark.tools


@pytest.fixture
def reader():
    reader = LibraryReader()
    yield reader
    reader.close()


def test_kernels_are_listed_and_taken_of_one_file_after_another(builder, reader, tmp_path):
    cubin = builder.build(request(cuda('extern "C" __global__ void k() {}'), emit="cubin"))
    content = cubin.artifact(CodeKind.CUBIN, "kernel.cu").content
    for name in ("a.whl", "b.whl"):
        (tmp_path / name).write_bytes(wheel({f"{name}.cubin": content}))
        # What a link leads to is what is read.
        (tmp_path / f"to-{name}").symlink_to(name)
        path = str(tmp_path / f"to-{name}")
        found = reader.list(path)
        assert isinstance(found, LibraryListing), found
        (kernel,), (piece,) = found.kernels, found.pieces
        assert (kernel.name, piece.member) == ("k", f"{name}.cubin")
        taken = reader.take(path, piece)
        assert (taken.kind, taken.content) == (CodeKind.CUBIN, content)


def test_a_reading_that_takes_too_long_is_ended_and_the_next_one_works(reader, tmp_path):
    slow = tmp_path / "slow"
    slow.write_bytes(b"\x50\xed\x55\xba" * (16 << 20))
    found = reader.list(str(slow), timeout=0.5)
    assert isinstance(found, LibraryFailure)
    assert found.outcome is Outcome.TIMED_OUT
    assert "stopped after 0.5 s" in found.message
    (tmp_path / "p").write_bytes(elf({".text": b"\x90" * 99}))
    assert "'p' holds no" in reader.list(str(tmp_path / "p")).message


def test_a_kernel_of_a_cache_comes_with_the_file_that_it_was_written_in(reader, tmp_path):
    captured = ROOT / "tests/data/captured/triton"
    (entry,) = captured.glob("3JFIOR7*")
    written = tmp_path / "scale.py"
    shutil.copy(captured / "scale.py", written)
    cache = tmp_path / "cache"
    shutil.copytree(entry, cache / "A")
    stage = cache / "A/scale_kernel.source"
    stage.write_bytes(stage.read_bytes().replace(b"/tmp/kernels", os.fsencode(tmp_path)))
    found = reader.list(str(cache))
    (piece,) = found.pieces
    assert piece.source == f"{written}:6"
    source = unpack(reader.take(str(cache), piece).content).source
    assert (source.content, source.file) == (written.read_bytes(), str(written))
    # Nothing but a Python file is read because a cache says so.
    written.rename(tmp_path / "scale.txt")
    stage.write_bytes(stage.read_bytes().replace(b"scale.py", b"scale.txt"))
    (piece,) = reader.list(str(cache)).pieces
    assert piece.source == f"{tmp_path / 'scale.txt'}:6"
    assert unpack(reader.take(str(cache), piece).content).source is None
