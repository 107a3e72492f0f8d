"""Which text defines a function that a linker has missed."""

from threading import Event

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.problems.link_offers import _definers

PTX = """\
.extern .func (.param .b32 r) declared
(
.param .b32 p
)
;
.visible .func (.param .b32 r) _Z4halff(
.param .b32 p
)
{
ret;
}
"""
LLVM = "declare float @declared(float)\ndefine float @_Z4halff(float %x) {\nret float %x\n}\n"
CUDA = "__device__ int declared(int);\n__device__ float half(float x) { return x / 2; }\n"


@pytest.mark.parametrize(
    ("kind", "text"), [(CodeKind.PTX, PTX), (CodeKind.LLVM_IR, LLVM), (CodeKind.CUDA, CUDA)]
)
def test_a_text_defines_what_it_has_a_body_for(kind, text):
    missed = frozenset({"_Z4halff", "declared", "elsewhere"})
    assert _definers(missed, [("tab", kind, text)], Event()) == {"_Z4halff": "tab"}
