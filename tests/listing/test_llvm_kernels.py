import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.launch.c_types import DOUBLE, FLOAT, INT
from jitstudio.core.launch.types import Pointer
from jitstudio.listing.kernels import llvm_signatures
from tests.support import sample

CONVENTION = """\
define float @helper(float %x) { ret float %x }
define weak_odr dso_local ptx_kernel void @"odd name"(ptr noundef readonly align 4 captures(none)
    %in, ptr %out, double %0, i32 noundef signext %n, %struct.P* byval(%struct.P) align 8 %p,
    float addrspace(1)* nocapture %f, <4 x float> %v, { i32, i32 } %pair) #0 {
  ret void
}
"""


def read(text):
    return llvm_signatures(Source("k.ll", CodeKind.LLVM_IR, text.encode()))


@pytest.mark.parametrize(("name", "target"), [("fill_typed.ll", INT), ("fill_opaque.ll", None)])
def test_a_kernel_by_annotation_is_found(name, target):
    (kernel,) = llvm_signatures(sample(name))
    assert (kernel.name, kernel.module) == ("fill", name)
    assert [(p.name, p.type) for p in kernel.parameters] == [("out", Pointer(target)), ("n", INT)]
    assert b"define" in sample(name).content.splitlines()[kernel.line - 1]


def test_a_kernel_by_calling_convention_is_found():
    (kernel,) = read(CONVENTION)
    assert kernel.name == "odd name"
    assert [(p.name, p.type) for p in kernel.parameters] == [
        ("in", Pointer(None, const=True)),
        ("out", Pointer(None)),
        ("", DOUBLE),
        ("n", INT),
        ("p", None),
        ("f", Pointer(FLOAT)),
        ("v", None),
        ("pair", None),
    ]


def test_bitcode_and_functions_tell_nothing():
    assert read("define void @k(i32 %n) { ret void }") == ()
    assert llvm_signatures(Source("k.bc", CodeKind.LLVM_IR, b"BC\xc0\xde define")) == ()


def test_no_beginning_of_a_text_is_too_odd():
    for text in (CONVENTION, sample("fill_typed.ll").content.decode()):
        assert max(len(read(text[:end])) for end in range(len(text) + 1)) == 1
