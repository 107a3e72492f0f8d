import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.plan import Job, Ref
from jitstudio.core.tools import Tool
from jitstudio.toolchain import disassembly, nvrtc
from tests.support import KERNEL

K = CodeKind


def disassembled(cubin, *options):
    return disassembly.disassemble(
        Job(Tool.NVDISASM, "k.cu", ((Ref(K.CUBIN, "k.cu"), cubin),), (K.SASS,), options)
    )


def test_a_cubin_becomes_sass():
    source = ((Ref(K.CUDA, "k.cu"), KERNEL.encode()),)
    cubin = nvrtc.compile_cuda(Job(Tool.NVRTC, "k.cu", source, (K.CUBIN,), ("-arch=sm_90",))).made[
        K.CUBIN
    ]
    report = disassembled(cubin, "-c")
    assert report.ok
    assert report.ms > 0
    text = report.made[K.SASS].decode()
    assert ".text.fine:" in text
    assert "EXIT" in text


@pytest.mark.parametrize("cubin", [b"hello", b"\x7fELF" + bytes(200)])
def test_what_is_no_cubin_is_named_as_the_user_knows_it(cubin):
    report = disassembled(cubin, "-c")
    assert not report.ok
    assert "k.cubin" in report.error_log
    assert "/dev/fd" not in report.error_log
    assert report.made == {}


def test_an_unknown_option_is_refused():
    report = disassembled(b"\x7fELF", "--bogus")
    assert not report.ok
    assert "bogus" in report.error_log
