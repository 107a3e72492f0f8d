"""What is taken of objects that carry what those of the packages do, and what is refused.

The same with the packages themselves: `test_packages.py`.
"""

from collections import namedtuple
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from jitstudio.core.captured import CapturedKernel, pack, unpack
from jitstudio.core.captured import KernelLanguage as L
from jitstudio.core.code import CodeKind
from jitstudio.python.things import NotCompiled, found_in, sources_of

RECORDED = unpack((Path(__file__).parents[1] / "data/captured/add_kernel.jitkernel").read_bytes())
PTX = RECORDED.representation(L.PTX).text
CUBIN = RECORDED.representation(L.CUBIN).content


def triton_kernel():
    """Return what Triton 3.9 made of the recorded kernel, under its names."""
    words = {"ttir": L.TTIR, "ttgir": L.TTGIR, "llir": L.LLVM_IR, "ptx": L.PTX}
    asm = {word: RECORDED.representation(language).text for word, language in words.items()}
    metadata = namedtuple("KernelMetadata", "name num_warps triton_version")
    source = RECORDED.source
    code = SimpleNamespace(co_filename=source.file)
    lines = source.text.splitlines(keepends=True)[4:]
    function = SimpleNamespace(
        fn=SimpleNamespace(__code__=code, __name__="add_kernel"),
        raw_src=lines,
        starting_line_number=5,
        arg_names=["x_ptr"],
    )
    return SimpleNamespace(
        asm={"source": asm["ttir"], **asm, "cubin": CUBIN},
        metadata=metadata("add_kernel", 4, "3.9.0"),
        src=SimpleNamespace(fn=function),
    )


def test_a_triton_kernel_is_taken_with_the_lines_that_are_known_of_its_function():
    (found,) = found_in(triton_kernel())
    assert (found.name, found.origin, found.target) == (
        "add_kernel",
        "Triton 3.9.0",
        RECORDED.target,
    )
    assert found.representations[1:] == RECORDED.representations[1:]
    # Its file is not on this machine.
    assert (found.source.file, found.source.first_line) == (RECORDED.source.file, 5)
    assert RECORDED.source.text.endswith(found.source.text)
    assert found.facts == {"num_warps": "4"}


@pytest.mark.parametrize("kept", [lambda k: {0: ({"a": k}, {}, None)}, lambda k: {0: {"a": k}}])
def test_a_triton_function_has_its_kernels_of_each_version_of_triton(kept):
    kernel = triton_kernel()
    function = kernel.src.fn
    function.device_caches = kept(kernel)
    tuned = SimpleNamespace(fn=function, arg_names=["x_ptr"], configs=[])
    assert found_in([function, tuned]) == found_in([kernel, kernel])
    del function.device_caches
    with pytest.raises(NotCompiled, match="'add_kernel' is a Triton"):
        found_in(tuned)


def test_code_alone_is_taken_by_what_it_is(tmp_path):
    packed = pack(RECORDED)
    file = tmp_path / "kept.bin"
    file.write_bytes(CUBIN)
    for thing, name, kind in (
        (PTX, "add_kernel.ptx", CodeKind.PTX),
        (PTX.encode() + b"\0", "add_kernel.ptx", CodeKind.PTX),
        (bytearray(CUBIN), "kernel.cubin", CodeKind.CUBIN),
        (b"\x93CUPYNE\0\1\0\0\0\1\0\0\0f" + CUBIN, "kernel.cubin", CodeKind.CUBIN),
        (b"\x50\xed\x55\xba" + bytes(40), "kernel.fatbin", CodeKind.FATBIN),
        (b"BC\xc0\xde" + bytes(40), "kernel.bc", CodeKind.LLVM_IR),
        (packed, "kernel.jitkernel", CodeKind.CAPTURED),
        ("__global__ void f() {}\n", "kernel.cu", CodeKind.CUDA),
        ("define void @f() {\n ret void\n}\n", "kernel.ll", CodeKind.LLVM_IR),
        (file, "kept.bin.cubin", CodeKind.CUBIN),
        (str(file), "kept.bin.cubin", CodeKind.CUBIN),
    ):
        (found,) = found_in(thing)
        assert (found.name, found.kind) == (name, kind)
    assert found_in(CUBIN, name="mine")[0].name == "mine.cubin"
    assert found_in(CUBIN, name="mine.cubin")[0].content == CUBIN


def test_several_have_names_of_their_own():
    given = {"(float32[:],)": PTX, "(float64[:],)": PTX}
    names = [source.name for source in sources_of(found_in(given))]
    assert names == ["(float32[:],).ptx", "(float64[:],).ptx"]
    sources = sources_of(found_in([triton_kernel(), PTX, triton_kernel(), PTX]))
    assert [source.name for source in sources] == [
        *("add_kernel.jitkernel", "add_kernel.ptx"),
        *("add_kernel-2.jitkernel", "add_kernel-2.ptx"),
    ]
    assert isinstance(unpack(sources[0].content), CapturedKernel)


class Angry:
    """Has what a Triton kernel has, and fails when it is asked for it."""

    metadata = None

    @property
    def asm(self):
        raise RuntimeError("not now")


def test_what_holds_no_kernel_is_refused_with_what_is_taken(tmp_path):
    taken = r"Taken are .*Triton's CompiledKernel, a function of triton\.jit.* lists of these\."
    for thing in (7, None, object(), Angry(), len, {"a": 1.5}, "first line\nsecond line\n"):
        with pytest.raises(TypeError, match=taken):
            found_in(thing)
    with pytest.raises(TypeError, match="These 4 bytes are neither a cubin"):
        found_in(b"\0\1\2\3")
    with pytest.raises(TypeError, match="More than 1,000 objects"):
        found_in([PTX] * 1001)
    endless = []
    endless.append(endless)
    with pytest.raises(TypeError, match="More than 1,000 objects"):
        found_in(endless)
    with pytest.raises(OSError, match="No such file"):
        found_in(tmp_path / "absent.cubin")
    with pytest.raises(NotCompiled, match="only amdgcn, hsaco: it is for no NVIDIA GPU"):
        found_in(SimpleNamespace(asm={"amdgcn": "", "hsaco": b""}, metadata=None))


class Endless(dict):
    def items(self):
        return ((str(number), RECORDED) for number in count())


def test_what_has_no_end_is_refused():
    with pytest.raises(TypeError, match="More than 1,000 objects"):
        found_in(Endless())
    numbers = count()
    with pytest.raises(TypeError, match="More than 1,000 objects"):
        found_in(RECORDED for number in numbers if number < 5000 or pytest.fail("it goes on"))
    assert next(numbers) < 5000
