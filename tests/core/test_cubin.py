"""Against cubins that NVRTC and nvJitLink have just made."""

import random
from pathlib import Path

import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.cubin import cubin_target, is_relocatable, keeps_ptx, kept_ptx
from tests.support import KERNEL, cuda, request, sample

LINES = ("-lineinfo",)


@pytest.fixture
def cubin(host):
    def made(arch="sm_90", options=LINES):
        result = host.build(request(cuda(KERNEL), emit="cubin,ptx", arch=arch, options=options))
        code = result.artifact(CodeKind.CUBIN, "kernel.cu").content
        return code, result.artifact(CodeKind.PTX, "kernel.cu").text

    return made


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_90a", "sm_100f", "sm_120"])
def test_a_cubin_tells_its_target(cubin, arch):
    assert str(cubin_target(cubin(arch)[0])) == arch


def test_the_ptx_is_kept_line_by_line(cubin):
    code, text = cubin()
    assert keeps_ptx(code)
    kept, full = kept_ptx(code).split("\n"), text.split("\n")
    said = [n for n, line in enumerate(kept) if line]
    assert len(said) > 10
    assert [kept[n].split() for n in said] == [full[n].split() for n in said]


def test_kept_ptx_can_be_built_again(cubin, host):
    text = kept_ptx(cubin()[0])
    result = host.build(request(Source("k.ptx", CodeKind.PTX, text.encode()), emit="sass"))
    assert result.ok, result.diagnostics
    assert [kernel.name for kernel in result.kernels] == ["fine"]


def test_a_link_of_several_modules_keeps_no_one_module(host):
    both = (sample("apply_transform.cu"), sample("user_transform.cu"))
    result = host.build(request(*both, emit="cubin", link="ptx", options=LINES))
    code = result.artifact(CodeKind.CUBIN, LINKED).content
    assert (keeps_ptx(code), kept_ptx(code)) == (False, "")
    result = host.build(request(*both, emit="cubin", link="lto", options=LINES))
    assert ".entry apply_transform(" in kept_ptx(result.artifact(CodeKind.CUBIN, LINKED).content)


def test_code_that_waits_for_a_link_is_known(cubin):
    assert is_relocatable(cubin(options=("-rdc=true",))[0])
    assert not is_relocatable(cubin()[0])


@pytest.mark.parametrize("content", [b"", b"hello", b"\x7fELF\x02", b"\x7fELF\x02" + bytes(100)])
def test_of_other_bytes_nothing_is_told(content):
    assert cubin_target(content) is None
    assert not is_relocatable(content)
    assert kept_ptx(content) == ""


def test_older_headers_have_the_letter_of_the_target():
    """As ptxas 12.8 has written them, of the same PTX but for its `.target`."""
    head = "7f454c460201013307" + "00" * 7 + "0200be0081" + "00" * 11 + "100a" + "00" * 6
    head += "1007" + "00" * 6 + "{}0040003800050040000c000100"
    assert str(cubin_target(bytes.fromhex(head.format("5a055a")))) == "sm_90"
    assert str(cubin_target(bytes.fromhex(head.format("5a0d5a")))) == "sm_90a"


def test_a_cubin_that_is_cut_short_is_no_error(cubin):
    code, _ = cubin()
    chance = random.Random(3)
    for size in (*range(70), *(chance.randrange(len(code)) for _ in range(100))):
        assert str(cubin_target(code[:size])) in ("None", "sm_90")
        assert kept_ptx(code[:size]) in ("", kept_ptx(code))


def test_a_module_from_the_cache_of_cupy_is_the_cubin_in_it():
    for file in (Path(__file__).parents[1] / "data/captured/cupy").glob("*.cubin"):
        content = file.read_bytes()
        module = Source(file.name, CodeKind.CUBIN, content)
        assert cubin_target(module.content) == Arch(90)
        # CuPy cuts its last byte off.
        assert content.endswith((module.content, module.content[:-1]))
        damaged = content[:-1] + bytes([content[-1] ^ 1])
        assert Source(file.name, CodeKind.CUBIN, damaged).content == damaged
