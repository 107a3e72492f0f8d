import re
from dataclasses import replace

import pytest

from jitstudio.core.code import LINKED, CodeKind, Source
from jitstudio.core.diagnostics import Severity
from jitstudio.core.explanations import explained
from jitstudio.core.plan import UNKNOWN, Job, Ref
from jitstudio.core.result import Outcome
from jitstudio.core.tools import Tool
from jitstudio.toolchain.runner import run
from tests.core.explaining import is_told
from tests.support import KERNEL, cuda, ptx, request, sample, sample_header

K = CodeKind


def kinds(result):
    return [(artifact.kind.value, artifact.name) for artifact in result.artifacts]


def test_cuda_becomes_everything(built):
    result = built(request(cuda(KERNEL), emit="ptx,sass,cubin,ltoir"))
    assert result.outcome is Outcome.BUILT
    assert kinds(result) == [
        ("ltoir", "kernel.cu"),
        ("ptx", "kernel.cu"),
        ("cubin", "kernel.cu"),
        ("sass", "kernel.cu"),
    ]
    assert [stage.tool for stage in result.stages] == [Tool.NVRTC, Tool.NVRTC, Tool.NVDISASM]
    assert all(stage.ok and stage.version and stage.ms > 0 for stage in result.stages)
    assert [kernel.name for kernel in result.kernels] == ["fine"]
    assert result.diagnostics == ()


@pytest.mark.parametrize(
    ("name", "arch"), [("fill_typed.ll", "sm_90"), ("fill_opaque.ll", "sm_100")]
)
def test_ir_becomes_sass(built, name, arch):
    result = built(request(sample(name), emit="ptx,sass", arch=arch))
    assert result.outcome is Outcome.BUILT
    assert kinds(result) == [("ptx", name), ("sass", name)]
    assert [kernel.name for kernel in result.kernels] == ["fill"]


def test_a_job_tells_its_start_and_its_end(capture):
    events = []
    source = (Ref(K.CUDA, "kernel.cu"), KERNEL.encode())
    job = Job(Tool.NVRTC, "kernel.cu", (source,), (K.PTX,), ("-arch=compute_90",))
    assert run(job, events.append, capture).searches is not None
    started, finished = events
    assert (started.tool, started.source, started.options) == (
        Tool.NVRTC,
        "kernel.cu",
        ("-arch=compute_90",),
    )
    assert finished.stage.version == started.version
    assert [artifact.kind for artifact in finished.artifacts] == [K.PTX]
    # Nobody asks what a result rests on that is not kept.
    assert run(replace(job, cacheable=False), events.append, capture) == UNKNOWN


@pytest.mark.parametrize("kinds", [(K.PTX,), (K.CUBIN,)])
def test_kernels_are_listed_of_what_is_for_the_user_only(capture, kinds):
    events = []
    source = (Ref(K.CUDA, "kernel.cu"), KERNEL.encode())
    job = Job(Tool.NVRTC, "kernel.cu", (source,), kinds, ("-arch=sm_90",))
    run(job, events.append, capture)
    run(replace(job, final=False), events.append, capture)
    mine, of_a_link = events[1], events[3]
    assert [kernel.name for kernel in mine.kernels] == ["fine"]
    assert of_a_link.kernels == ()
    assert mine.artifacts == of_a_link.artifacts


def test_machine_code_tells_what_its_kernel_needs(built):
    (kernel,) = built(request(cuda(KERNEL), emit="ptx,cubin")).kernels
    assert kernel.resources.registers > 0
    (named,) = built(request(cuda(KERNEL))).kernels
    assert named.resources is None


def test_lowered_names_are_told_with_their_demangled_form(built):
    source = sample("saxpy.cu", "saxpy<float>", "saxpy<double>")
    result = built(request(source))
    assert [(name.expression, name.lowered) for name in result.lowered_names] == [
        ("saxpy<float>", "_Z5saxpyIfEvT_PKS0_PS0_i"),
        ("saxpy<double>", "_Z5saxpyIdEvT_PKS0_PS0_i"),
    ]
    readable = "void saxpy<float>(float, float const*, float*, int)"
    assert result.lowered_names[0].demangled == readable
    assert readable in {kernel.demangled for kernel in result.kernels}


def test_a_refused_name_expression_is_listed_without_a_lowered_name(built):
    result = built(request(sample("saxpy.cu", "saxpy<float>", "nothing")))
    assert result.outcome is Outcome.FAILED
    right, wrong = result.lowered_names
    assert (right.lowered, right.error) == ("_Z5saxpyIfEvT_PKS0_PS0_i", "")
    assert (wrong.lowered, wrong.error) == ("", 'identifier "nothing" is undefined')
    (told,) = result.diagnostics
    assert told.message.endswith(f"'nothing': {wrong.error}")


@pytest.mark.parametrize("emit", ["ptx", "cubin"])
def test_a_template_that_nobody_asks_for_is_warned_of(built, emit):
    result = built(request(sample("saxpy.cu"), emit=emit))
    assert result.outcome is Outcome.BUILT
    (warning,) = result.diagnostics
    assert warning.severity is Severity.WARNING
    assert warning.message == "Compiled, but there is no kernel in the result."


def test_ir_without_the_annotation_of_a_kernel_is_warned_of(built):
    whole = sample("fill_typed.ll")
    bare = replace(whole, content=whole.content.replace(b"!nvvm.annotations", b"!no.annotations"))
    result = built(request(bare))
    assert result.outcome is Outcome.BUILT
    (warning,) = explained(request(bare), result).diagnostics
    assert warning.severity is Severity.WARNING
    assert is_told("kernel-annotation-missing", warning)
    assert built(request(whole)).diagnostics == ()


def test_a_device_function_is_nothing_to_warn_of_in_relocatable_code(built):
    source = sample("user_transform.cu")
    assert built(request(source, options=("-rdc=true",))).diagnostics == ()
    (warning,) = explained(request(source), built(request(source))).diagnostics
    assert is_told("no-kernel", warning)


def test_a_header_from_a_tab_is_found(built):
    header = sample_header("atomic_ops.cuh")
    result = built(request(sample("histogram.cu"), headers=(header,)))
    assert result.ok
    missing = built(request(sample("histogram.cu")))
    assert [(d.file, d.line) for d in missing.diagnostics] == [("histogram.cu", 4)]
    assert 'cannot open source file "atomic_ops.cuh"' in missing.diagnostics[0].message


def test_both_errors_of_the_broken_sample_are_found(built):
    result = built(request(sample("broken.cu"), emit="ptx,sass"))
    assert result.outcome is Outcome.FAILED
    assert [(d.line, d.column) for d in result.diagnostics] == [(7, 49), (9, 20)]
    assert result.artifacts == ()
    assert len(result.stages) == 1


@pytest.mark.parametrize("names", [("scale.ptx", "multiply.ptx"), ("multiply.ptx", "scale.ptx")])
def test_two_ptx_modules_are_linked(built, names):
    result = built(request(*map(sample, names), link="ptx", emit="cubin,sass"))
    assert result.outcome is Outcome.BUILT
    assert kinds(result) == [("cubin", LINKED), ("sass", LINKED)]
    assert [(kernel.module, kernel.name) for kernel in result.kernels] == [(LINKED, "scale")]


def test_lto_inlines_what_a_ptx_link_calls(built):
    sources = (sample("apply_transform.cu"), sample("user_transform.cu"))
    by_ptx = built(request(*sources, link="ptx", emit="sass"))
    by_lto = built(request(*sources, link="lto", emit="ptx,sass"))
    assert "CALL" in by_ptx.artifact(K.SASS, LINKED).text
    assert "CALL" not in by_lto.artifact(K.SASS, LINKED).text
    assert by_lto.artifact(K.PTX, LINKED).text.count(".entry") == 1


def test_a_module_that_fails_keeps_the_others_but_not_the_link(built):
    sources = (sample("apply_transform.cu"), cuda("oops", "bad.cu"))
    result = built(request(*sources, link="ptx", emit="cubin"))
    assert result.outcome is Outcome.FAILED
    assert [(stage.source, stage.ok) for stage in result.stages] == [
        ("apply_transform.cu", True),
        ("bad.cu", False),
    ]


def test_a_duplicate_is_a_warning_with_the_linkers_own_words(host):
    # In a process of its own: after an LTO link, nvJitLink 13.5 dies of a duplicate.
    body = ".visible .func f() { ret; }\n.entry %s() { ret; }"
    modules = (ptx("a.ptx", body % "a"), ptx("b.ptx", body % "b"))
    result = host.build(request(*modules, link="ptx", emit="cubin"))
    assert result.outcome is Outcome.BUILT
    (stage,) = result.stages
    assert "Multiple definition of 'f'" in stage.stderr
    assert [d.severity for d in result.diagnostics] == [Severity.WARNING]
    assert "Multiple definition of 'f'" in result.diagnostics[0].message


def test_an_unknown_option_is_refused_by_the_tool_itself(built):
    result = built(request(cuda(KERNEL), options=("-lineinfo", "--bogus")))
    assert result.outcome is Outcome.FAILED
    assert result.stages[0].options[:3] == ("-arch=compute_90", "-lineinfo", "--bogus")
    assert "--bogus" in result.diagnostics[0].message


def test_bitcode_is_no_text_and_reaches_libnvvm(built):
    result = built(request(Source("k.bc", K.LLVM_IR, b"BC\xc0\xde\xff\xff")))
    assert result.stages[0].tool is Tool.NVVM
    assert "Invalid bitcode" in result.diagnostics[0].message


@pytest.mark.bench
def test_a_comment_of_ten_megabytes_in_one_line_is_fine(built):
    result = built(request(cuda("//" + "x" * 10_000_000 + "\n" + KERNEL)))
    assert result.ok


def test_what_ptxas_refuses_still_shows_the_ptx(built):
    text = 'extern "C" __global__ void k(int* p) { asm("frob.b32 %0, 1;" : "=r"(*p)); }'
    result = built(request(cuda(text, "asm.cu"), emit="ptx,sass"))
    assert result.outcome is Outcome.FAILED
    (found,) = result.diagnostics
    assert (found.file, found.line) == ("asm.cu", 1)
    line = int(re.search(r"\(asm\.ptx:(\d+)\)$", found.message)[1])
    assert "frob" in result.artifact(K.PTX, "asm.cu").text.splitlines()[line - 1]
