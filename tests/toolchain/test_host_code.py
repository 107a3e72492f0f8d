"""Whole programs through the real NVRTC: host code set aside, the host's headers stood in for."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from jitstudio.core.code import CodeKind, Header
from jitstudio.core.diagnostics import Severity
from jitstudio.core.plan import Job, Ref
from jitstudio.core.result import HostCodeAside
from jitstudio.core.tools import Tool
from jitstudio.toolchain.device_part import device_part
from jitstudio.toolchain.headers import stand_in_folder
from jitstudio.toolchain.nvrtc import compile_cuda
from jitstudio.toolchain.rounds import NextRound
from tests.support import cuda, request

TUTORIAL = """\
#include <cstdio>
#include <cuda_runtime.h>
#include <iostream>
#include <vector>

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \\
    fprintf(stderr, "%s\\n", cudaGetErrorString(e)); exit(EXIT_FAILURE); } } while (0)
const int N = 1 << 20;

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    std::vector<float> x(N, 1.0f), y(N, 2.0f);
    float *d_x, *d_y;
    CHECK(cudaMalloc(&d_x, N * sizeof(float)));
    CHECK(cudaMalloc(&d_y, N * sizeof(float)));
    saxpy<<<(N + 255) / 256, 256>>>(N, 2.0f, d_x, d_y);
    CHECK(cudaDeviceSynchronize());
    std::cout << y[0] << std::endl;
}
"""
ALONE = "\n".join([""] * 9 + TUTORIAL.splitlines()[9:15]) + "\n"


def ptx(result):
    (made,) = [a for a in result.artifacts if a.kind is CodeKind.PTX]
    return made.text


def test_a_tutorial_builds_as_its_kernel_alone(built):
    options = ("-lineinfo",)
    result = built(request(cuda(TUTORIAL), options=options))
    assert result.ok, result.stages[0].error_log
    alone = built(request(cuda(ALONE), options=options))
    assert ptx(result) == ptx(alone)
    (stage,) = result.stages
    assert stage.host_code == (HostCodeAside("kernel.cu", ((8, 8), (17, 26))),)
    assert "11 lines of host" in stage.log
    assert "(lines 8, 17-26)." in stage.log
    assert stage.stand_ins == ("cstdio", "cuda_runtime.h", "iostream", "vector")
    assert result.diagnostics == ()


def test_kept_host_code_is_refused_as_ever(built):
    result = built(replace(request(cuda(ALONE + "int main() {}\n")), keep_host_code=True))
    assert "not allowed in JIT mode" in result.stages[0].error_log
    assert result.stages[0].host_code == ()


def test_errors_keep_their_place(built):
    text = f"void host() {{\n  exit(1);\n}}\n{ALONE.lstrip()}".replace(
        "float *y)", "float *y, q z)"
    )
    (error,) = built(request(cuda(text))).diagnostics[:1]
    assert (error.line, error.column) == (4, text.splitlines()[3].index("q z") + 1)


def test_an_unmarked_function_that_is_called_is_named(built):
    text = "int twice(int a) { return 2 * a; }\n__global__ void k(int *p) { *p = twice(*p); }\n"
    result = built(request(cuda(text)))
    assert "'twice', line 1, is host code" in result.stages[0].error_log


def test_what_is_constexpr_or_virtual_stays(built):
    text = """\
constexpr int square(int a) { return a * a; }
struct Shape {
    float side;
    Shape(float a) : side(a) { }
    virtual float area() const { return side * side; }
    constexpr int sides() const { return 4; }
    __device__ float twice() const { return 2 * side; }
};
const int unused = 3;
__global__ void k(Shape s, float *p) { *p = s.twice() + square(3) + sizeof(s) + s.sides(); }
int main() { return unused; }
"""
    result = built(request(cuda(text)))
    assert result.ok, result.stages[0].error_log
    assert "square" not in ptx(result)
    assert "unused" not in ptx(result)
    assert result.diagnostics == ()


def test_what_is_set_aside_moves_no_member(built):
    text = """\
#define DIM(n) (n)
#define ALIGNED(n) __attribute__((aligned(n)))
struct vec { float x; };
struct A { char c; float a[(3) + 1]; int y; };
struct B { char c; vec m[DIM(3)], *n; unsigned long long mask[(64 + 63) / 64]; };
struct C { char c; vec v ALIGNED(16); int y; };
struct D { unsigned lo : (4); unsigned hi : 28; unsigned z : sizeof(int); int y; };
struct E { char c; const vec (E::*pm)(int); union { int i; float f[(3)]; }; char pad[(3)]; };
template <int K> struct F { float data[(K + 1) * K]; char (*call)(int); };
constexpr int q(4);
__global__ void k(int *p) {
    p[0] = sizeof(A); p[1] = sizeof(B); p[2] = sizeof(C); p[3] = sizeof(D); p[4] = sizeof(E);
    p[5] = sizeof(F<3>); p[6] = q;
}
"""
    kept = built(replace(request(cuda(text)), keep_host_code=True))
    assert kept.ok, kept.stages[0].error_log
    host = "int count = 0;\nint main() { return count; }\n"
    assert ptx(built(request(cuda(text + host)))) == ptx(kept)


@pytest.mark.parametrize(
    ("members", "traits"),
    [
        ("", 3),
        ("S(int a) : n(a) {}", 2),
        ("   S(int a);", 2),
        ("\n\tS(int a) noexcept; // ;\n", 2),
        ("\n\tS(){}\n", 2),
        ("__host__ S(const S &o) : n(o.n) { count++; }", 0),
        ("~S() { free(p); }", 1),
        ("  ~S();", 1),
        ("  S &operator=(const S &);", 1),
        ("S &operator=(const S &) noexcept { return *this; }", 1),
        ("template <class T> S(T a) : n(a) {}", 2),
    ],
)
def test_a_class_keeps_its_traits(built, members, traits):
    text = f"""\
int count;
struct S {{ int n; float *p;{members} }};
__global__ void k(int *p, S b) {{
    static_assert(__is_aggregate(S) + 2 * __is_trivially_copyable(S) == {traits}, "");
}}
"""
    result = built(request(cuda(text)))
    assert result.ok, result.stages[0].error_log
    assert result.diagnostics == ()


def test_headers_in_memory_lose_their_host_code_too(built):
    header = Header(
        "tools.cuh",
        b"#pragma once\n#include <string>\n#define HD __host__ __device__\n"
        b"inline void say(const std::string &what) { puts(what.c_str()); }\n"
        b"HD inline int twice(int a) { return 2 * a; }\n",
    )
    text = '#include "tools.cuh"\nHD int f(int a) { return twice(a); }\n'
    text += "__global__ void k(int *p) { *p = f(*p); }\nint main() { say(std::string()); }\n"
    result = built(request(cuda(text), headers=(header,)))
    assert result.ok, result.stages[0].error_log
    assert [part.name for part in result.stages[0].host_code] == ["kernel.cu", "tools.cuh"]


def test_a_real_header_wins(built, tmp_path):
    (tmp_path / "vector").write_text("#define REAL 1\n")
    text = "#include <vector>\n__global__ void k(int *p) { *p = REAL; }\n"
    result = built(request(cuda(text), options=(f"-I{tmp_path}",)))
    assert result.ok
    assert result.stages[0].stand_ins == ()


@pytest.mark.parametrize("std", ["11", "14", "17", "20"])
def test_device_code_may_use_what_stands_in(built, std):
    text = """\
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdlib.h>
#include <type_traits>
#include <utility>
using namespace std;
template <class T, typename enable_if<is_integral<T>::value, int>::type = 0>
__device__ T half_of(T a) { return a / 2; }
__global__ void k(float *p, uint32_t n, std::size_t m, uint u)
{
    p[0] = std::max(p[0], p[1]) + std::sqrt(p[2]) + numeric_limits<float>::max();
    p[1] = INFINITY + NAN + M_PI + FLT_MAX + INT_MAX + UINT32_MAX + RAND_MAX;
    p[2] = max(1, int(n)) + min(p[0], 2.0f) + abs(-2) + half_of(n) + m + u;
    swap(p[3], p[4]);
    auto both = std::make_pair(1, 2.0f);
    p[5] = both.second + numeric_limits<int>::lowest() + std::isnan(p[1]);
    if (std::is_same<typename decay<const int &>::type, int>::value) printf("%d", int(n));
    assert(n);
}
"""
    result = built(request(cuda(text), options=(f"-std=c++{std}",)))
    assert result.ok, result.stages[0].error_log


HEAVY = ("cooperative_groups.h", "cuda/std/type_traits", "cuda_fp16.h", "cuda_pipeline.h")


def test_stand_ins_and_headers_of_nvidia_go_together(built):
    # What marks its members must not be a word of these headers.
    kernel = "struct S { int n; S(int a) : n(a) { } virtual void f() { } constexpr int g(); };\n"
    kernel += "__global__ void k(S *p) { }\n"
    includes = "".join(f"#include <{name}>\n" for name in HEAVY)
    result = built(request(cuda(f"#include <vector>\n#include <ctime>\n{includes}{kernel}")))
    assert result.ok, result.stages[0].error_log


SUPPLIED = {
    "cub/cub.cuh",
    *(f"jitstudio/{name}.h" for name in ("gnu", "host", "platform", "pow", "thrust", "typeof")),
}


def test_every_stand_in_compiles_and_hides_none_of_nvidia(built):
    names = sorted(
        name
        for path in Path(stand_in_folder()).rglob("*")
        # What is given where a compile needs it is in none by itself.
        if path.is_file() and (name := str(path.relative_to(stand_in_folder()))) not in SUPPLIED
    )
    text = "".join(f"#include <{name}>\n" for name in names)
    result = built(request(cuda(text + "__global__ void k(int *p) { *p = 1; }\n")))
    assert result.ok, result.stages[0].error_log
    assert [*result.stages[0].stand_ins] == names


def test_what_host_code_launches_is_instantiated_and_what_is_misread_left_out(built):
    text = """\
template <typename T, int N> __global__ void scale(T *x) { static_assert(N > 0); *x *= N; }
template <int N> void run(float *x) { scale<float, N><<<1, 1>>>(x); }
int main() { run<4>(nullptr); scale<double, -1><<<1, 1>>>(p); }
"""
    result = built(request(cuda(text)))
    assert result.ok, result.stages[0].error_log
    assert [kernel.demangled for kernel in result.kernels] == ["void scale<float, 4>(float*)"]
    assert result.lowered_names == ()
    (said,) = (x for x in result.stages[0].log.splitlines() if "takes no 'scale<double, -1>'" in x)
    assert said.startswith("Line 3: ")
    wanted = built(request(cuda(text, "k.cu", "scale<int, 2>")))
    assert [name.expression for name in wanted.lowered_names] == ["scale<int, 2>"]
    assert len(wanted.kernels) == 2


def test_integers_are_the_host_s_where_only_an_own_header_names_them(built, tmp_path):
    (tmp_path / "w.cuh").write_text(
        "#include <cstdint>\n#include <cuda_fp16.h>\n"
        "__global__ void k(const __half *in, int64_t *out) { *out = __half2int_rn(*in); }\n"
    )
    source = replace(
        cuda('#include "w.cuh"\nint main() { k<<<1, 1>>>(0, 0); }\n'), folder=str(tmp_path)
    )
    result = built(request(source))
    assert [kernel.name for kernel in result.kernels] == ["_Z1kPK6__halfPl"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "stand_in"),
    [
        # Seconds, for the rule by which Thrust's header is stood in for below.
        pytest.param(
            (
                "#include <cub/block/block_reduce.cuh>\n#include <cub/device/device_scan.cuh>\n"
                "using Reduce = cub::BlockReduce<int, 32>;\n"
                "__global__ void k(int *p) { __shared__ Reduce::TempStorage s; "
                "*p = Reduce(s).Sum(*p); }\n"
            ),
            "<cub/device/device_scan.cuh>",
            marks=pytest.mark.bench,
        ),
        (
            (
                "#include <thrust/host_vector.h>\n__global__ void k(int *p) "
                "{ *p = thrust::get<1>(thrust::make_tuple(1, *p)); }\n"
            ),
            "<thrust/host_vector.h>",
        ),
    ],
)
def test_of_libraries_for_both_that_remains_which_is_for_the_device(built, text, stand_in):
    result = built(request(cuda(f"{text}int main() {{ k<<<1, 32>>>(0); }}\n")))
    assert result.ok, result.stages[0].error_log
    assert f"{stand_in} that was found is not for NVRTC: another stood in." in result.stages[0].log


def test_headers_on_disk_lose_their_host_code_where_it_fails_the_compile(built, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.h").write_text(
        '#pragma once\n#include "y.h"\n#include <vector>\nvoid say(std::vector<int> &v) {}\n'
        "HD int three(int a) { return 3 * a; }\n"
    )
    (tmp_path / "sub" / "y.h").write_text(
        "#pragma once\n#define HD __host__ __device__\nstatic int count = 0;\n"
    )
    name = str(tmp_path / "main.cu")
    text = '#include "sub/x.h"\n__global__ void k(int *p) { *p = three(*p); }\nint main() {}\n'
    result = built(request(cuda(text, name), options=("-lineinfo",)))
    assert result.ok, result.stages[0].error_log
    (stage,) = result.stages
    aside = {part.name: part.ranges for part in stage.host_code}
    inner = {path: str(tmp_path / "sub" / path) for path in ("x.h", "y.h")}
    assert aside == {name: ((3, 3),), inner["x.h"]: ((4, 4),), inner["y.h"]: ((3, 3),)}
    assert f'"{inner["x.h"]}"' in ptx(result)
    assert stage.error_log == ""
    broken = built(request(cuda(text.replace("three", "four"), name)))
    assert "four" in broken.stages[0].error_log


@pytest.mark.parametrize("place", ["plain", 'q"uote', "back\\slash", "great>er"])
def test_a_header_without_host_code_leaves_others_of_its_name_alone(built, tmp_path, place):
    common = '#include "detail.h"\n__device__ int from_%s() { return VALUE; }\n#undef VALUE\n'
    files = {
        "x/common.h": common % "x",
        "y/common.h": common % "y",
        "x/detail.h": '#include "more.h"\nint aside = 3;\n#define VALUE 100 + MORE\n',
        "y/detail.h": '#undef MORE\n#include "more.h"\nint more = 3;\n#define VALUE 200 + MORE\n',
        "x/more.h": "#define MORE 11\n",
        "y/more.h": "#define MORE 22\n",
        "z/detail.h": "#define VALUE 333\n",
    }
    root = tmp_path / place
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    text = """\
#include "x/common.h"
#include "y/common.h"
#include <detail.h>
__global__ void k(int *p) { p[0] = from_x(); p[1] = from_y(); p[2] = VALUE; }
"""
    options = (f"-I{root / 'z'}",)
    (stage,) = (result := built(request(cuda(text, str(root / "main.cu")), options=options))).stages
    assert result.ok, stage.error_log
    assert re.findall(r"[ ,](111|222|333|122|211);", ptx(result)) == ["111", "222", "333"]
    aside = [str(root / name) for name in ("x/detail.h", "y/detail.h")]
    assert [each.name for each in stage.host_code] == aside


def test_what_of_a_header_is_set_aside_is_said_once(built, tmp_path):
    many = "".join(f"int h{i}() {{ return 1; }}\n" for i in range(120))
    (tmp_path / "p.h").write_text(f"__device__ int bad() {{ return undefined; }}\n{many}")
    (tmp_path / "q.h").write_text("int q = 1;\n")
    text = '#include "p.h"\n#include "q.h"\n__global__ void k(int *p) { *p = 1; }\n'
    (stage,) = built(request(cuda(text, str(tmp_path / "main.cu")))).stages
    assert [each.name for each in stage.host_code] == [str(tmp_path / n) for n in ("p.h", "q.h")]
    assert stage.log.count("120 lines of host") == 1
    assert "undefined" in stage.error_log


@pytest.mark.parametrize(("include", "letter"), [("", "l"), ("#include <cuda/std/cstdint>\n", "x")])
def test_wide_integers_are_those_of_the_host_unless_nvidia_s_headers_differ(built, include, letter):
    text = f"#include <cstdint>\n{include}__global__ void k(int64_t a) {{ }}\n"
    result = built(request(cuda(text)))
    assert [kernel.name for kernel in result.kernels] == [f"_Z1k{letter}"]


def test_headers_outside_of_a_project_that_nobody_trusts_are_not_read(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "out.h").write_text("#define inline __device__\n")
    text = b'#include "../out.h"\ninline int f() { return 1; }\nint main() {}\n'
    source = (Ref(CodeKind.CUDA, "main.cu"), text)
    job = Job(Tool.NVRTC, str(project / "main.cu"), (source,), (CodeKind.PTX,), ())
    (free,) = device_part(job).job.inputs
    assert b"inline int f" in free[1]
    part = device_part(replace(job, confined_to=(str(project),)))
    assert b"inline int f" not in part.job.inputs[0][1]
    error = f"{tmp_path / 'out.h'}(1): error: A namespace scope variable without memory"
    assert NextRound(part).part(error, ()) is None


KERNEL = "__global__ void k(int *p) { *p = 1; }\n"


@pytest.mark.parametrize(
    ("header", "text"),
    [
        # Functions with a macro of the header's, or of no text, before their names.
        ("#define API\ntypedef enum { OK } Code;\nCode API start(int);\n", KERNEL),
        (
            "",
            "void CUDART_CB done(void *) { }\nstatic int APIENTRY later() { return 1; }\n" + KERNEL,
        ),
        # constexpr functions without a mark, which device code uses and which it does not.
        ("constexpr int twice(int n) { return 2 * n; }\n", KERNEL),
        (
            "constexpr int twice(int n) { return 2 * n; }\n",
            "constexpr int n = twice(2);\n__global__ void k(int *p) { *p = n + twice(*p); }\n",
        ),
        (
            (
                "template <class T> constexpr T none() { return T(0); }\n"
                "template <class T> struct M { T v = none<T>(); __device__ T g() { return v; } };\n"
            ),
            "__global__ void k(int *p) { M<int> m; *p = m.g(); }\n",
        ),
        # Types of the host that no device code uses.
        ("#include <pthread.h>\ntypedef pthread_t Thread;\nstatic Thread start();\n", KERNEL),
        ("", "#include <cuda.h>\nstruct Pool { CUmemAccessDesc access; };\n" + KERNEL),
        # Constants that NVRTC would set at run time.
        ("namespace w { const float up = 1.5f; const float down = -up; }\n", ""),
    ],
)
def test_the_compiler_decides_what_the_text_leaves_in_doubt(built, tmp_path, header, text):
    (tmp_path / "own.h").write_text(header)
    text = text or "__global__ void k(float *p) { *p = w::up + w::down; }\n"
    main = '#include "own.h"\n' + text + "int main() { return 0; }\n"
    result = built(request(cuda(main, str(tmp_path / "main.cu"))))
    assert result.ok, result.stages[0].error_log
    assert len(result.kernels) == 1
    # The same text in one file.
    alone = built(request(cuda(header + text + "int main() { return 0; }\n")))
    assert alone.ok, alone.stages[0].error_log
    assert [kernel.name for kernel in alone.kernels] == [kernel.name for kernel in result.kernels]


def test_a_mistake_in_device_code_stays_one(built):
    text = "#define API\nint API start(int);\n__global__ void k(int *p) { *p = unknown; }\n"
    (stage,) = built(request(cuda(text + "int main() { return start(1); }\n"))).stages
    assert not stage.ok
    assert '"unknown" is undefined' in stage.error_log
    assert "considered a host function" not in stage.error_log


@pytest.mark.parametrize("include", ["", "#include <cmath>\n", "#include <math.h>\n"])
def test_pow_of_a_float_and_a_double_is_that_of_doubles(built, include):
    text = "__global__ void k(float *o, float x) { *o = pow(x, 2.5) + pow(3, *o); }\n"
    result = built(request(cuda(include + text)))
    assert result.ok, result.stages[0].error_log
    assert "as with nvcc" in result.stages[0].log
    assert "fma.rn.f64" in ptx(result)
    plain = built(request(cuda(include + text.replace("2.5", "2.5f").replace("3,", "3.0f,"))))
    assert "as with nvcc" not in plain.stages[0].log
    assert "fma.rn.f64" not in ptx(plain)


def test_what_a_compile_is_supplied_with_is_no_reason_not_to_keep_its_result():
    text = b"__global__ void k(float *o) { *o = pow(*o, 2.5); }\n"
    source = (Ref(CodeKind.CUDA, "k.cu"), text)
    report = compile_cuda(
        Job(Tool.NVRTC, "k.cu", (source,), (CodeKind.PTX,), ("-arch=compute_90",))
    )
    assert report.ok, report.error_log
    assert [header.name for header in report.copies] == ["jitstudio/pow.h"]
    assert report.find_searches() is not None


def test_the_blocks_and_warps_of_cub_come_with_its_header_for_all(built):
    text = """\
#include <cub/cub.cuh>
__global__ void k(int *p) {
  __shared__ typename cub::WarpReduce<int>::TempStorage space;
  *p = cub::WarpReduce<int>(space).Sum(*p);
}
int main() { cub::DeviceReduce::Sum(nullptr, size, p, p, 1); }
"""
    result = built(request(cuda(text)))
    assert result.ok, result.stages[0].error_log
    assert "<cub/cub.cuh> as a whole" in result.stages[0].log


CALLS = """\
struct P {
  float x;
  explicit P(float a)
      : x(a) { printf("made"); }
  P &operator=(const P &o) { x = o.x; return *this; }
};
struct Q { float x; Q(float a) { x = a; } };
template <class T> __device__ T made(float a) {
  return T(a);
}
__global__ void k(P *p, float *o) {
  *p = P(1.0f);
  o[0] = made<Q>(2).x;
  printf("%f", o[0]);
}
"""


@pytest.mark.parametrize("emit", ["ptx", "cubin"])
def test_a_call_of_a_constructor_of_the_host_is_named_with_its_place(built, emit):
    result = built(
        request(cuda(f"#include <cstdio>\n{CALLS}int main() {{ P a(1); }}\n"), emit=emit)
    )
    called = "calling a __host__ function ({}) from device code is not allowed"
    assert {(d.line, d.message) for d in result.diagnostics} == {
        (13, called.format('"P::P(float)", line 4')),
        (13, called.format('"P::operator=", line 6')),
        (10, called.format('"Q::Q(float)"')),
    }
    # One whose calls are in host code only, and what is defined elsewhere, do not matter.
    fine = CALLS.replace("*p = P(1.0f);", "*o = p->x;").replace("made<Q>(2).x", "1")
    assert built(request(cuda(f"#include <cstdio>\n{fine}"), emit=emit)).ok


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__device__ int f(int a) { register int b = a; return b; }", "'register' is left out"),
        ("struct P { int a, b; };\n__device__ P f(int a) { return P{.a = a, .b = 2}; }", "C++20"),
        ("__device__ int f(int a) { typeof(a) b = 1; return a + b; }", "typeof"),
        ("__device__ int f(__int128 a) { return a >> 100; }", "--device-int128"),
        ("#ifndef __linux__\n#error no\n#endif", "__linux__"),
        ("#if !defined(__unix__) || !defined(__GNUC__)\n#error no\n#endif", "__GNUC__"),
    ],
)
def test_what_nvcc_takes_from_the_host_s_compiler_is_supplied_and_said(built, text, said):
    result = built(request(cuda(f"{text}\n{KERNEL}int main() {{ return 0; }}\n")))
    assert result.ok, result.stages[0].error_log
    assert said in result.stages[0].log
    assert said not in built(request(cuda(KERNEL + "int main() { return 0; }\n"))).stages[0].log


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ('#ifndef N\n#error "Define N, please"\n#endif', ()),
        ("#ifndef __linux__\n#error no\n#endif\n#error N", ("platform",)),
        ("#ifndef __GNUC__\n#error no\n#endif", ("gnu",)),
        ("#ifndef __GNUC__\n#error no\n#endif\n#error N", ("gnu",)),
        ("#if !defined(__unix__) || !defined(__GNUC__)\n#error no\n#endif", ("platform", "gnu")),
        (
            "#ifndef __GNUC__\n#error\n#endif\n#ifndef __linux__\n#error\n#endif",
            ("gnu", "platform"),
        ),
    ],
)
def test_what_changes_nothing_is_not_supplied(built, text, needed):
    stage = built(request(cuda(f"{text}\n{KERNEL}"))).stages[0]
    given = [option for option in stage.options if option.startswith("--pre-include=")]
    assert given == [f"--pre-include=jitstudio/{name}.h" for name in needed]
    assert ("__linux__" in stage.log, "__GNUC__" in stage.log) == (
        "platform" in needed,
        "gnu" in needed,
    )
    assert stage.error_log.count("error: #error") == text.count("#error N") + text.count("Define N")


def test_a_standard_that_is_asked_for_stays(built):
    text = f"struct P {{ int a; }};\n__device__ P p() {{ return P{{.a = 1}}; }}\n{KERNEL}"
    result = built(request(cuda(text), options=("-std=c++17",)))
    assert not result.ok
    assert "c++20" not in " ".join(result.stages[0].options)


def test_wrong_headers_do_not_make_names_wrong(built, tmp_path):
    (tmp_path / "own.h").write_text("inline void report(int) {}\n")
    text = """\
#include "own.h"
template <typename T> __global__ void typed(T *x) {}
template <int N> __global__ void checked(int *x) { static_assert(N > 0); }
int main() { typed<float><<<1, 1>>>(nullptr); checked<-1><<<1, 1>>>(nullptr); }
"""
    result = built(request(cuda(text, str(tmp_path / "main.cu"))))
    assert result.ok, result.stages[0].error_log
    assert [kernel.name for kernel in result.kernels] == ["_Z5typedIfEvPT_"]


@pytest.fixture
def toolkit(tmp_path):
    """The folder of the headers of a toolkit that are for the host, too."""
    folder = tmp_path / "toolkit"
    (folder / "nvtx3").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("how", ["-I", "toolchain"])
def test_headers_of_a_toolkit_are_judged_wherever_they_are_found(toolkit, tmp_path, how):
    (toolkit / "cuda.h").write_text("typedef int CUresult;\nCUresult CUDAAPI cuInit(unsigned);\n")
    text = b'#include "own.h"\n#include <cuda.h>\n__global__ void k(CUresult *p) { *p = 1; }\n'
    (tmp_path / "own.h").write_text("int main() { return 0; }\n")
    source = (Ref(CodeKind.CUDA, "main.cu"), text)
    options = ("-arch=compute_90", *([f"-I{toolkit}"] if how == "-I" else []))
    job = Job(Tool.NVRTC, str(tmp_path / "main.cu"), (source,), (CodeKind.PTX,), options)
    error = f"{toolkit / 'cuda.h'}(2): error: A function without execution space annotations"
    rounds = NextRound(device_part(job), () if how == "-I" else (str(toolkit),))
    part = rounds.part(error, [str(toolkit / "cuda.h")])
    assert part is not None
    ((_, sent),) = part.job.inputs
    assert f"#include <{toolkit / 'cuda.h'}>".encode() in sent
    (header,) = part.job.headers
    assert b"cuInit" not in header.content
    assert b"typedef int CUresult" in header.content


def test_a_type_that_another_header_needs_comes_back(built, toolkit, tmp_path):
    (toolkit / "types.h").write_text(
        "#include <GL/gl.h>\ntypedef void (WINAPI *Callback)(int);\ntypedef GLuint Texture;\n"
        "struct Window { Texture texture; };\nstatic void open(Window *);\n"
    )
    (toolkit / "calls.h").write_text(
        '#include "types.h"\nstruct Arguments { Callback call; int *p; };\n'
        "static inline int use(Arguments *a) { return 0; }\n"
    )
    text = "#include <calls.h>\n#define WINAPI\n__global__ void k(Arguments a) { *a.p = 1; }\n"
    text = "#define WINAPI\n" + text + "int main() { return 0; }\n"
    options = (f"-I{toolkit}",)
    result = built(request(cuda(text, str(tmp_path / "main.cu")), options=options))
    assert result.ok, result.stages[0].error_log


# More functions than NVRTC refuses before it stops, as the headers of cuBLAS and NPP have.
MANY = 150


def test_headers_of_libraries_with_many_functions_are_judged_as_a_whole(built, toolkit, tmp_path):
    def functions(type_: str, stem: str) -> str:
        return "".join(
            f"{type_} LIBRARY_API {stem}{i}(library_t library,\n  side_t side);\n"
            for i in range(MANY)
        )

    common = "#define LIBRARY_API\n#define LIBRARY_DEPRECATED(why) [[deprecated(#why)]]\n"
    (toolkit / "common.h").write_text(
        f"#pragma once\n{common}typedef enum {{ OK, BAD }} status_t;\n"
        "typedef struct library *library_t;\ntypedef enum { LEFT, RIGHT } side_t;\n"
        "const char *LIBRARY_API status_name(status_t status);\n"
        f"{functions('status_t', 'common')}"
    )
    for name in ("dense", "sparse"):
        (toolkit / f"{name}.h").write_text(
            f'#pragma once\n#include "common.h"\n{functions("status_t", name)}'
            f"LIBRARY_DEPRECATED(age) status_t LIBRARY_API {name}_old(side_t side);\n"
        )
    text = (
        "#include <dense.h>\n#include <sparse.h>\n#include <cstdio>\n"
        "#define CHECK(call) if (status_t s = (call)) std::puts(status_name(s))\n"
        "__global__ void k(int *p, side_t side) { *p = side == LEFT; }\n"
        "int main() { CHECK(dense3(nullptr, RIGHT)); k<<<1, 1>>>(nullptr, LEFT); }\n"
    )
    options = (f"-I{toolkit}",)
    result = built(request(cuda(text, str(tmp_path / "main.cu")), options=options))
    assert result.ok, result.reason
    assert [kernel.name for kernel in result.kernels] == ["_Z1kPi6side_t"]


def test_a_header_that_takes_no_nvrtc_is_stood_in_for(built, toolkit, tmp_path):
    (toolkit / "nvtx3" / "nvToolsExt.h").write_text('#include "detail.h"\n')
    (toolkit / "nvtx3" / "detail.h").write_text("#ifndef _MSC_VER\n#error who are you\n#endif\n")
    text = f"#include <nvtx3/nvToolsExt.h>\n{KERNEL}int main() {{ nvtxRangePush(0); }}\n"
    options = (f"-I{toolkit}",)
    result = built(request(cuda(text, str(tmp_path / "work" / "main.cu")), options=options))
    assert result.ok, result.stages[0].error_log
    assert "<nvtx3/nvToolsExt.h> that was found" in result.stages[0].log


def test_wide_integers_are_as_nvidia_s_own_headers_say_where_a_folder_has_them(built, toolkit):
    (toolkit / "cuda_pipeline.h").write_text(
        "#pragma once\ntypedef unsigned int uint32_t;\ntypedef unsigned long long uint64_t;\n"
        "typedef uint64_t uintptr_t;\n"
    )
    text = f"#include <cuda_pipeline.h>\n#include <stdio.h>\n{KERNEL}"
    result = built(request(cuda(text), options=(f"-I{toolkit}",)))
    assert result.ok, result.stages[0].error_log


def test_headers_of_libraries_that_no_device_code_uses_are_not_read(built):
    result = built(request(cuda(f"#include <thrust/sort.h>\n#include <cub/cub.cuh>\n{KERNEL}")))
    assert result.ok, result.stages[0].error_log
    assert result.stages[0].host_code == (HostCodeAside("kernel.cu", ((1, 2),)),)


def test_host_code_that_does_not_parse_is_a_warning_with_its_line(built):
    text = f"{KERNEL}#define N 3\nint main() {{\n    int broken = ;\n    return N;\n}}\n"
    result = built(request(cuda(text)))
    assert result.ok
    (warning,) = result.diagnostics
    assert (warning.file, warning.line) == ("kernel.cu", 4)
    assert warning.severity is Severity.WARNING
    assert "nvcc will refuse this host code: nothing is after '='" in warning.message
    assert built(request(cuda(text.replace("= ;", "= N;")))).diagnostics == ()


def test_a_program_has_the_integers_of_the_host_in_nvidia_s_headers_too(built):
    text = """\
#include <cuda/std/cstdint>
#include <cuda_pipeline.h>
#include <cstdint>
__global__ void k(int64_t a, cuda::std::uint64_t *b, uintptr_t c) { *b = a + c; }
"""
    host = "int main() { return 0; }\n"
    result = built(request(cuda(text + host)))
    assert result.ok, result.stages[0].error_log
    assert [kernel.name for kernel in result.kernels] == ["_Z1klPmm"]
    # For NVRTC alone they are what its headers say.
    assert [kernel.name for kernel in built(request(cuda(text))).kernels] == ["_Z1kxPyy"]
    # A program that names none of them needs no other headers.
    plain = built(request(cuda(f"#include <cuda/std/cstdint>\n{KERNEL}{host}")))
    assert not any("cstdint" in header.name for header in plain.stages[0].copies)
