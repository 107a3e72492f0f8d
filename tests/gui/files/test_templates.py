import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome
from jitstudio.gui.files.templates import (
    CUDA_TEMPLATE,
    HEADER_TEMPLATE,
    PTX_TEMPLATE,
    llvm_template,
)

EMIT = frozenset({CodeKind.PTX, CodeKind.SASS})


@pytest.mark.parametrize(
    ("template", "arch"),
    [
        (CUDA_TEMPLATE, Arch(75)),
        (CUDA_TEMPLATE, Arch(120)),
        (PTX_TEMPLATE, Arch(75)),
        (PTX_TEMPLATE, Arch(120)),
        (llvm_template(Arch(90)), Arch(90)),
        (llvm_template(Arch(100)), Arch(100)),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_new_tab_builds_at_once(builder, template, arch):
    source = Source(template.name, template.kind, template.text.encode())
    result = builder.build(BuildRequest((source,), arch, EMIT))
    assert (result.outcome, result.diagnostics) == (Outcome.BUILT, ())
    assert [kernel.name for kernel in result.kernels] == ["kernel"]


def test_a_new_header_can_be_included(builder):
    including = f"{HEADER_TEMPLATE.text}\n__global__ void k(float* p) {{ *p = twice(*p); }}"
    source = Source("k.cu", CodeKind.CUDA, including.encode())
    result = builder.build(BuildRequest((source,), Arch(90), EMIT))
    assert result.outcome is Outcome.BUILT


def test_llvm_ir_changes_its_dialect_at_compute_100():
    assert "ptr" not in llvm_template(Arch(90)).text.replace("nvptx", "")
    assert "ptr" in llvm_template(Arch(100)).text
