import json
import re
from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.diagnostics import FixKind, Severity, diagnose
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.core.plan import Job, Ref
from jitstudio.core.result import Phase
from jitstudio.core.tools import Tool
from jitstudio.toolchain import nvrtc
from jitstudio.toolchain.nvrtc import split_phases, tidy
from tests.support import ENDLESS_TEMPLATES, KERNEL, cuda, request, sample

K = CodeKind
BAD_ASSEMBLY = """\
extern "C" __global__ void k(int* p) {
  asm("frobnicate.b32 %0, 1;" : "=r"(p[0]));
}
"""


def compiled(text, *options, makes=(K.PTX,), name="k.cu", **more):
    content = text if isinstance(text, bytes) else text.encode()
    return nvrtc.compile_cuda(
        Job(Tool.NVRTC, name, ((Ref(K.CUDA, name), content),), makes, options, **more)
    )


def test_the_version_has_two_numbers():
    major, minor = map(int, nvrtc.version().split("."))
    assert (major, minor) >= (13, 0)


def test_supported_archs_are_sorted_and_name_hopper_and_blackwell():
    archs = nvrtc.supported_archs()
    assert list(archs) == sorted(archs)
    assert {"sm_90", "sm_100"} <= {arch.sm for arch in archs}


def test_ptx_is_text_without_a_nul():
    report = compiled(KERNEL, "-arch=compute_90")
    assert report.ok
    text = report.code[K.PTX].decode()
    assert ".target sm_90" in text
    assert ".visible .entry fine(" in text
    assert "\0" not in text
    assert report.ms > 0


def test_one_compile_makes_ptx_and_cubin():
    report = compiled(KERNEL, "-arch=sm_90", makes=(K.PTX, K.CUBIN))
    assert tuple(cubin_resources(report.code[K.CUBIN])) == ("fine",)
    assert b".entry fine(" in report.code[K.PTX]


def test_ltoir_is_made():
    report = compiled(KERNEL, "-arch=compute_90", "-dlto", makes=(K.LTOIR,))
    assert report.ok
    assert len(report.code[K.LTOIR]) > 500


def test_two_compiles_do_not_share_memory():
    first = compiled(KERNEL, "-arch=compute_90").code[K.PTX]
    second = compiled(KERNEL.replace("fine", "other"), "-arch=compute_90").code[K.PTX]
    assert b".entry fine(" in first
    assert b".entry other(" in second


def test_name_expressions_instantiate_and_are_lowered():
    text = sample("saxpy.cu").content
    expressions = ("saxpy<float>", "saxpy<double>")
    report = compiled(text, "-arch=compute_90", name_expressions=expressions)
    assert report.lowered == [
        ("saxpy<float>", "_Z5saxpyIfEvT_PKS0_PS0_i"),
        ("saxpy<double>", "_Z5saxpyIdEvT_PKS0_PS0_i"),
    ]


def test_a_header_in_memory_is_found():
    text = '#include "inner.cuh"\n__global__ void k(int* p) { *p = answer(); }\n'
    header = Header("inner.cuh", b"__device__ int answer() { return 42; }\n")
    report = compiled(text, "-arch=compute_90", headers=(header,))
    assert report.ok
    assert b"42" in report.code[K.PTX]


def test_a_warning_of_a_good_compile_is_in_the_log():
    report = compiled("__global__ void k() { int x; }\n", "-arch=compute_90")
    assert report.ok
    assert "k.cu(1): warning #177-D" in report.log
    assert report.error_log == ""


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("__global__ void k() { x; }", (), 'k.cu(1): error: identifier "x" is undefined'),
        ('#include "none.h"', (), 'cannot open source file "none.h"'),
        (KERNEL, ("--bogus",), "unrecognized option --bogus"),
        (ENDLESS_TEMPLATES, (), "excessive recursion at instantiation"),
        ("int x = " + "y+" * 200_000, (), 'identifier "y" is undefined'),
    ],
)
def test_a_failed_compile_leaves_its_log(text, options, words):
    report = compiled(text, "-arch=compute_90", *options)
    assert not report.ok
    assert words in report.error_log
    assert report.code == {}


def test_an_arch_it_does_not_know_is_refused():
    report = compiled(KERNEL, "-arch=compute_52")
    assert not report.ok
    assert "invalid value for --gpu-architecture" in report.error_log


def test_what_ptxas_refuses_can_be_read_in_the_ptx():
    report = compiled(BAD_ASSEMBLY, "-arch=sm_90", makes=(K.PTX, K.CUBIN))
    assert not report.ok
    assert "line 26; error" in report.error_log
    assert "frobnicate" in report.code[K.PTX].decode().splitlines()[25]
    assert K.CUBIN not in report.code


def test_a_refused_name_expression_fails_the_compile():
    report = compiled(KERNEL, "-arch=compute_90", name_expressions=("nothing",))
    assert not report.ok
    assert "__nv_name_map" in report.error_log
    assert report.lowered == []


TEMPLATE = """
template <typename T> __global__ void k(T *out) { *out = T(1); }
__global__ void plain(int *out) { *out = 2; }
"""


def test_a_wrong_name_expression_leaves_the_others_their_names():
    """Wrong by itself, by the body of its template, and as the list of all would swallow it."""
    wrong = {
        "k<q>": 'identifier "q" is undefined',
        "k<void>": "line 2: expression must be a pointer to a complete object type",
        "/*": "comment unclosed at end of file",
        "plain(": "expected an expression",
        "k": 'cannot determine which instance of function template "k" is intended',
    }
    asked = ("k<float>", *wrong, "plain", "k<double>")
    report = compiled(TEMPLATE, "-arch=sm_90", makes=(K.CUBIN,), name_expressions=asked)
    assert not report.ok
    assert report.refused == wrong
    assert dict(report.lowered) == {
        "k<float>": "_Z1kIfEvPT_",
        "k<double>": "_Z1kIdEvPT_",
        "plain": "_Z5plainPi",
    }


def test_names_of_a_source_with_errors_are_neither_right_nor_wrong():
    broken = TEMPLATE.replace("= 2", "= 2 +")
    report = compiled(broken, "-arch=sm_90", name_expressions=("k<float>", "k<q>"))
    assert not report.ok
    assert (report.lowered, report.refused) == ([], {})


def test_a_name_that_is_no_ascii_comes_back_in_the_log():
    report = compiled("x", "-arch=compute_90", name="größe 数.cu")
    assert report.error_log.startswith("größe 数.cu(1): error")


def test_optix_ir_is_made():
    report = compiled(KERNEL, "-arch=compute_90", "-optix-ir", makes=(K.OPTIXIR,))
    assert report.ok, report.error_log
    assert len(report.code[K.OPTIXIR]) > 500


def test_the_options_really_sent_are_told():
    ptx = compiled(KERNEL, "-arch=compute_90")
    assert ptx.options == ("-arch=compute_90", "--time=-")
    real = compiled(KERNEL, "-arch=sm_90", makes=(K.CUBIN,))
    assert real.options == ("-arch=sm_90", "--ptxas-options=-v", "--no-cache", "--time=-")
    assert "Used " in real.log


def test_phases_are_told_and_do_not_fill_the_log():
    report = compiled(KERNEL, "-arch=sm_90", makes=(K.PTX, K.CUBIN))
    names = [phase.name for phase in report.phases]
    assert names == ["CUDA C++ Frontend", "NVVM Optimizer", "PTX Translation"]
    assert 0 < sum(phase.ms for phase in report.phases) <= report.ms + 3
    assert "Frontend" not in report.log


def test_the_user_s_own_file_of_times_is_left_alone(tmp_path):
    report = compiled(KERNEL, "-arch=compute_90", f"--time={tmp_path / 'times.csv'}")
    assert report.options[-1] == f"--time={tmp_path / 'times.csv'}"
    assert report.phases == ()
    assert "Frontend" in (tmp_path / "times.csv").read_text()


def test_an_empty_log_is_not_written_over_what_python_shares(tmp_path):
    # It is one byte, its NUL; and of each bytes object of one byte there is one in all of Python.
    report = compiled(KERNEL, "-arch=compute_90", f"--time={tmp_path / 'times.csv'}")
    assert report.ok
    assert report.log == ""
    assert b"a b"[1:2] == bytearray([32])


def test_each_refused_name_expression_is_named():
    text = "template <class T> __global__ void k(T* p) {}\n"
    expressions = ("k<float>", "k<none>", "other")
    report = compiled(text, "-arch=compute_90", name_expressions=expressions)
    assert not report.ok
    assert 'name expression was: " k < none >"' in report.error_log
    assert 'name expression was: " other"' in report.error_log
    assert "k < float" not in report.error_log


def test_what_is_made_for_one_target_of_several_keeps_its_name_in_the_log():
    assert compiled("x", "-arch=compute_90", name="k.cu@compute_90").error_log.startswith("k.cu(1)")


TIMES = """\
ptxas info    : Used 8 registers

File name, phase name, metric, unit
a, b.cu, CUDA C++ Frontend, 11, ms
a, b.cu, NVVM Optimizer, 6.5, ms
"""
WARNED = """\
/nv/cub/util.cuh(349): warning #1444-D: class "long4" was declared deprecated
  __CUB_ALIGN_BYTES(long4, 16)
  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

/nv/cuda_fp8.hpp(20): warning #1444-D: class "double4" was declared deprecated
      f(const double4 f) {
                      ^

k.cu(3): warning #177-D: variable "x" was declared but never referenced
  int x;
      ^
"""


def test_the_table_of_times_becomes_phases():
    log, phases = split_phases(TIMES)
    assert log == "ptxas info    : Used 8 registers"
    assert phases == (Phase("CUDA C++ Frontend", 11.0), Phase("NVVM Optimizer", 6.5))
    assert split_phases("k.cu(1): error") == ("k.cu(1): error", ())


def test_warnings_inside_nvidia_s_headers_are_counted_rather_than_shown():
    log = tidy(WARNED, ("/nv",))
    assert log.startswith("k.cu(3): warning #177-D")
    assert log.endswith("Warnings inside NVIDIA's own headers left out: 2.")
    assert "deprecated" not in log


def test_other_logs_stay_as_they_are():
    assert tidy(WARNED, ()) == WARNED
    assert tidy("k.cu(1): error: x\n", ("/nv",)) == "k.cu(1): error: x\n"


def test_nvrtc_is_asked_which_options_it_takes():
    assert all(map(nvrtc.takes, ("--no-cache", "--time=-", "--create-pch=headers.pch")))
    assert not nvrtc.takes("--no-such-option")
    assert not nvrtc.takes("--no-cach")


IN_HEADERS = """\
#include <cub/block/block_reduce.cuh>
struct S { int a; };
extern "C" __global__ void k(S *p)
{
    __shared__ typename cub::BlockReduce<S, 128>::TempStorage t;
    *p = cub::BlockReduce<S, 128>(t).Sum(*p);
}
__device__ void after() { wrong(); }
"""


def test_an_error_in_an_instance_of_cub_is_told_at_the_author_s_line(builder):
    result = builder.build(request(cuda(IN_HEADERS)))
    places = {(d.file, d.line) for d in result.diagnostics}
    assert places == {("kernel.cu", 6), ("kernel.cu", 8)}
    assert any("warp_reduce_shfl.cuh:" in d.message for d in result.diagnostics)


def test_the_author_s_errors_come_before_those_in_headers(tmp_path):
    (tmp_path / "a.h").write_text(
        "template <class T> __device__ int of(T t) { return t.member; }\n"
        + "".join(f"__device__ int f{n}() {{ return missing; }}\n" for n in range(9))
    )
    text = "#include <a.h>\n__global__ void k(int *p) { *p = wrong; }\n"
    text += "__global__ void j(int *p) { *p = of(1); }\n"
    report = compiled(text, "-arch=compute_90", f"-I{tmp_path}")
    assert report.error_log.startswith(f"{tmp_path}/a.h(2): error: ")
    installed = (str(tmp_path),)
    log, more = nvrtc.authors_first(report.error_log, installed)
    found = diagnose(Tool.NVRTC, "k.cu", False, "", log, header_folders=installed)
    own = [("k.cu", 2, 'identifier "wrong" is undefined')]
    own += [
        ("k.cu", 3, f'expression must have class type but it has type "int" (in {tmp_path}/a.h:1)')
    ]
    assert [(d.file, d.line, d.message) for d in found[:2]] == own
    assert [(d.file, d.line) for d in found[2:]] == [(f"{tmp_path}/a.h", n) for n in range(2, 7)]
    assert more == 4
    assert log.endswith('11 errors detected in the compilation of "k.cu".')


def test_warnings_in_headers_are_no_errors_left_out():
    warned = [f"/nv/a.h({n}): warning #2-D: odd\n  x\n  ^" for n in range(6)]
    wrong = [f"/nv/a.h({n}): error: wrong\n  x\n  ^" for n in range(6)]
    own = "k.cu(2): error: mine\n  x\n  ^"
    last = '1 error detected in the compilation of "k.cu".'
    log, more = nvrtc.authors_first("\n\n".join((*warned, own, last)), ("/nv",))
    assert (log, more) == ("\n\n".join((own, *warned, last)), 0)
    log, more = nvrtc.authors_first("\n\n".join((*warned, *wrong, own, last)), ("/nv",))
    assert (log, more) == ("\n\n".join((own, *wrong[:5], *warned, last)), 1)


def test_what_is_said_of_nvidia_s_headers_is_short(builder):
    text = "#include <cuda/memory_resource>\n__global__ void k(int *p) { *p = 1; }\n"
    result = builder.build(request(cuda(text)))
    about_code = [d for d in result.diagnostics if not (d.fix and d.fix.kind is FixKind.USE_NVCC)]
    assert 0 < len(about_code) <= 5
    (stage,) = result.stages
    lines = stage.log.splitlines()
    assert len(lines) <= 4
    assert re.search(r"^More errors inside NVIDIA's own headers, left out: \d+\.$", stage.log, re.M)
    assert any(line.startswith("Host code in NVIDIA's own headers") for line in lines)


def test_what_a_library_has_for_hosts_alone_is_one_error_where_it_is_used(builder):
    text = "#include <thrust/count.h>\n__global__ void k(int *p) { *p = thrust::count(p, p, 1); }\n"
    result = builder.build(request(cuda(text)))
    (error,) = [d for d in result.diagnostics if d.severity is Severity.ERROR]
    assert (error.file, error.line) == ("kernel.cu", 2)
    assert 'namespace "thrust" has no member "count"' in error.message


FENCE = """\
__device__ __forceinline__ void store_fence() { asm volatile("sfence{end}" ::: "memory"); }
extern "C" __global__ void k(int *p)
{
    p[0] = 1;
    store_fence();
    p[1] = 2;
}
"""


@pytest.mark.parametrize("end", ["", ";"])
@pytest.mark.parametrize("emit", ["cubin", "ptx cubin"])
def test_an_error_in_inline_assembly_is_told_at_its_line_of_the_source(end, emit, builder):
    text = FENCE.replace("{end}", end)
    built = request(cuda(text))
    built = replace(built, emit=frozenset(map(CodeKind, emit.split())))
    (error,) = builder.build(built).diagnostics
    assert (error.file, error.line) == ("kernel.cu", 1)
    assert re.search(r" \(kernel\.ptx:\d+, inlined at kernel\.cu\(5\)\)$", error.message)


@pytest.mark.parametrize("first", ["kernel.cu", "other.cu"])
@pytest.mark.parametrize(("link", "ptx"), [("ptx", "kernel"), ("lto", "linked")])
def test_an_error_in_inline_assembly_of_a_link_is_told_at_its_line(link, ptx, first, builder):
    texts = {
        "other.cu": 'extern "C" __global__ void o(int *p) { p[0] = 1; }',
        "kernel.cu": FENCE.replace("{end}", ";"),
    }
    modules = [cuda(text, name) for name, text in texts.items()]
    modules.sort(key=lambda module: module.name != first)
    errors = builder.build(request(*modules, link=link, emit="cubin")).diagnostics
    (error,) = (one for one in errors if one.severity is Severity.ERROR)
    assert (error.file, error.line) == ("kernel.cu", 1)
    assert re.search(rf" \({ptx}\.ptx:\d+, inlined at kernel\.cu\(5\)\)$", error.message)


def test_an_error_in_inline_assembly_of_a_header_is_told_there(builder):
    header = Header("fence.cuh", FENCE.replace("{end}", ";").encode())
    built = replace(request(cuda('#include "fence.cuh"\n'), emit="cubin"), headers=(header,))
    (error,) = builder.build(built).diagnostics
    assert (error.file, error.line) == ("fence.cuh", 1)


def test_a_trace_of_phases_tells_the_headers_that_the_module_includes(tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\n#include <cuda/std/array>\n')
    (tmp_path / "b.h").touch()
    text = f'#include "a.h"\n#include <cuda_fp16.h>\n{KERNEL}'
    options = ("-arch=compute_90", f"-I{tmp_path}", f"--fdevice-time-trace={tmp_path}/trace")
    phases = {phase.name: phase.ms for phase in compiled(text, *options).phases}
    assert set(phases) >= {"Header a.h", "Header cuda_fp16.h", "CUDA C++ Frontend"}
    assert not any(name.endswith(("b.h", "array")) for name in phases)
    assert phases["Header cuda_fp16.h"] < phases["CUDA C++ Frontend"]
    # As the trace says it.
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    whole = [e["dur"] for e in events if e.get("args", {}).get("detail") == f"{tmp_path}/a.h"]
    assert phases["Header a.h"] == max(whole) / 1000
    assert "Header cuda_fp16.h" not in {p.name for p in compiled(text, *options[:2]).phases}
    # A compile that fails leaves the trace of the one before.
    failed = compiled(f"{text}\n__device__ int x = wrong;", *options)
    assert not failed.ok
    assert (tmp_path / "trace.json").exists()
    assert not any(phase.name.startswith("Header") for phase in failed.phases)
