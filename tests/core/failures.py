"""Failures, each with the id of what explains it: builds that fail, and what people report."""

from dataclasses import replace
from typing import NamedTuple

from jitstudio.core.code import CodeKind, Source
from jitstudio.core.diagnostics import Diagnostic, FixKind, Severity
from jitstudio.core.request import BuildRequest, CudaCompiler
from jitstudio.core.result import BuildResult, Outcome, StageResult
from jitstudio.core.tools import Tool
from tests.support import CRASHING, KERNEL, SAMPLES, cuda, ptx, request

TYPED = (SAMPLES / "fill_typed.ll").read_text()
OPAQUE = (SAMPLES / "fill_opaque.ll").read_text()
TEMPLATE = "namespace math { template <typename T> __global__ void k(T* p) { *p = 1; } }"
SPECIALISATION = "namespace math { template <> __global__ void k<float>(float* p); }\n"
CALLER = cuda(
    'extern "C" __device__ int f(); extern "C" __global__ void k(int* p) { *p = f(); }', "a.cu"
)
CALLEE = cuda('extern "C" __device__ int f() { return 1; }', "b.cu")
OTHERWISE = cuda('extern "C" __device__ float f() { return 1; }', "b.cu")
WIDER = cuda('extern "C" __device__ int f(long long x) { return x; }', "b.cu")
NESTED = "__global__ void child() {} __global__ void k() { child<<<1, 1>>>(); }"
BOTH = cuda(
    'extern "C" __device__ int f() { return 2; }\n'
    'extern "C" __global__ void k(int* p) { *p = f(); }',
    "a.cu",
)
ONE, OTHER = (
    cuda('extern "C" __global__ void k(int* p) { *p = 1; }', name) for name in ("a.cu", "b.cu")
)
MAIN = """
int main() {
  fine<<<1, 1>>>(nullptr);  // }
  return 0;
}
"""


def ll(text):
    return Source("k.ll", CodeKind.LLVM_IR, text.encode())


def without(text, word):
    """LLVM IR that lacks the line with this word."""
    lines = text.splitlines(keepends=True)
    assert any(word in line for line in lines)
    return ll("".join(line for line in lines if word not in line))


def bare_ptx(version="8.0", target="sm_75"):
    text = (
        f".version {version}\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}\n"
    )
    return Source("k.ptx", CodeKind.PTX, text.encode())


def asm(text, **more):
    return request(cuda(f'extern "C" __global__ void k() {{ asm("{text}"); }}'), **more)


class Failure(NamedTuple):
    """What to build, what it is explained by, and what mends it."""

    id: str
    request: BuildRequest
    fix: FixKind | None = None


def kept(wanted):
    """A build whose text NVRTC gets as it is."""
    return replace(wanted, keep_host_code=True)


def whole(text):
    return kept(request(cuda(text)))


def including(header):
    return whole(f"#include {header}\n{KERNEL}")


def in_kernel(line, header=None):
    include = f"#include {header}\n" if header else ""
    return request(cuda(f"{include}__global__ void k(int* p) {{\n{line}\n}}\n"))


def kernel_of(parameters):
    return request(cuda(f"__global__ void k({parameters}) {{ }}\n"))


def by_nvcc(text, **words):
    return replace(request(cuda(text), **words), compiler=CudaCompiler.NVCC)


TRAITS = "<cuda/std/type_traits>"
PTX_LINK = {"link": "ptx", "emit": "cubin"}
CUBIN = {"emit": "cubin"}
F = FixKind
PROVOKED = (
    Failure("nvvm-crash-of-address-space", CRASHING),
    Failure("ptx-too-new", request(bare_ptx(version="99.0"), **CUBIN), F.REPLACE_TEXT),
    Failure(
        "option-sent-anyway", request(cuda(KERNEL), options=("-arch=native",)), F.REMOVE_OPTION
    ),
    Failure("option-sent-anyway", request(ll(TYPED), options=("-arch", "sm_90")), F.REMOVE_OPTION),
    Failure("option-sent-anyway", request(cuda(KERNEL), options=("-dlto",)), F.REMOVE_OPTION),
    Failure("arch-too-old", request(cuda(KERNEL), arch="sm_52"), F.SET_ARCH),
    Failure("arch-too-old", request(ll(TYPED), arch="sm_52"), F.SET_ARCH),
    Failure("arch-too-old", request(ptx("k.ptx", ""), arch="sm_52", **CUBIN), F.SET_ARCH),
    Failure("arch-unknown", request(cuda(KERNEL), arch="sm_99"), F.SET_ARCH),
    Failure(
        "arch-specific-code",
        request(bare_ptx(target="sm_90a"), arch="sm_100", **CUBIN),
        F.SET_ARCH,
    ),
    Failure(
        "ptx-target-too-new", request(bare_ptx(target="sm_90"), arch="sm_80", **CUBIN), F.SET_ARCH
    ),
    Failure("ptx-target-unknown", request(bare_ptx(target="sm_175"), **CUBIN)),
    Failure(
        "feature-needs-arch", asm("cp.async.bulk.commit_group;", arch="sm_80", **CUBIN), F.SET_ARCH
    ),
    Failure("instruction-needs-a", asm("wgmma.fence.sync.aligned;", **CUBIN), F.SET_ARCH),
    Failure("quoted-name", request(cuda(f'#line 7 "a\\"b.cuh"\n{KERNEL}'), **CUBIN)),
    Failure("quoted-name", request(cuda(KERNEL, 'a"b.cu'), **CUBIN)),
    Failure("inline-ptx-at-a-line", asm("frobnicate;", **CUBIN)),
    Failure("header-of-c", including("<cstdint>"), F.REPLACE_TEXT),
    Failure("header-of-c", including("<stdint.h>"), F.REPLACE_TEXT),
    Failure("header-of-c", including("<cassert>"), F.REPLACE_TEXT),
    Failure("header-of-cxx", including("<type_traits>"), F.REPLACE_TEXT),
    Failure("header-of-cxx", including("<limits>"), F.REPLACE_TEXT),
    Failure("header-built-in", including("<math.h>"), F.REPLACE_TEXT),
    Failure("header-built-in", including("<cuda_runtime_api.h>"), F.REPLACE_TEXT),
    Failure("header-host-only", including("<iostream>"), F.REPLACE_TEXT),
    Failure("header-host-only", including("<string>"), F.REPLACE_TEXT),
    Failure("thrust", including("<thrust/host_vector.h>")),
    Failure("header-all-of-cub", including("<cub/cub.cuh>")),
    Failure("header-of-cupy", including("<cupy/complex.cuh>"), F.ADD_INCLUDE_FOLDER),
    Failure("header-of-cuda", including("<curand_kernel.h>"), F.ADD_INCLUDE_FOLDER),
    Failure("header-confined", replace(including('"../mine.h"'), confined_to=())),
    Failure("header-path-not-ascii", including('"C:/Users/榛/mine.h"'), F.OPEN_FILES),
    Failure("header-missing", including('"mine.h"'), F.ADD_INCLUDE_FOLDER),
    Failure("header-missing", including('"curve.cuh"'), F.ADD_INCLUDE_FOLDER),
    Failure("host-function", whole(KERNEL + MAIN), F.REPLACE_TEXT),
    Failure("header-of-tile-functions", whole("#include <cuda_tile.h>\n" + KERNEL), F.ADD_OPTION),
    Failure(
        "tile-functions-need-cpp20",
        replace(whole("#include <cuda_tile.h>\n" + KERNEL), options=("--enable-tile",)),
        F.ADD_OPTION,
    ),
    Failure("tile-functions-off", whole("__tile__ int f() { return 1; }\n" + KERNEL), F.ADD_OPTION),
    Failure(
        "unmarked-function",
        whole("int twice(int a) { return 2 * a; }\n" + KERNEL),
        F.ADD_OPTION,
    ),
    Failure(
        "host-function",
        whole(KERNEL + 'extern "C" void launch(int* p)\n{\n  fine<<<1, 1>>>(p);\n}\n'),
        F.REPLACE_TEXT,
    ),
    Failure(
        "host-function",
        whole("template <class T> static void\nrun(T* p) { cudaFree(p); }\n" + KERNEL),
        F.REPLACE_TEXT,
    ),
    Failure("unmarked-function", whole("void launch(int* p);\n" + KERNEL), F.ADD_OPTION),
    # With the function for the device, there is as much to complain of.
    Failure("unmarked-function-alone", whole("int pick() { throw 1; }\n" + KERNEL)),
    Failure("unmarked-variable-alone", whole("__device__ int g;\nint pick = g;\n" + KERNEL)),
    Failure(
        "host-function-called",
        request(
            cuda("int twice(int a) { return 2 * a; }\n__global__ void k(int *p) { *p = twice(1); }")
        ),
        F.INSERT_TEXT,
    ),
    Failure(
        "host-constructor-called",
        request(
            cuda(
                "struct P {\n  float x;\n  P(float a)\n  : x(a) {}\n};\n"
                "__global__ void k(float *o) { o[0] = P(1).x; }"
            )
        ),
        F.INSERT_TEXT,
    ),
    Failure(
        "host-constructor-called-elsewhere",
        request(
            cuda(
                "struct P { float x; P(float a) { x = a; } };\n"
                "__global__ void k(float *o) { o[0] = P(1).x; }"
            )
        ),
    ),
    Failure("host-call", whole("int main() { cudaMalloc(0, 1); }\n" + KERNEL)),
    Failure("device-runtime", in_kernel("cudaMalloc(0, 1);")),
    Failure("device-runtime", in_kernel("cudaGraphLaunch(cudaGetCurrentGraphExec(), 0);")),
    Failure("device-runtime", in_kernel("cudaGraphSetConditional(0, 1);")),
    Failure("type-of-cuda", kernel_of("half* p"), F.INSERT_TEXT),
    Failure("type-of-stdint", kernel_of("uint8_t* p"), F.INSERT_TEXT),
    Failure("type-of-stdint", in_kernel("int64_t n = 1; *p = n;"), F.INSERT_TEXT),
    Failure("type-of-the-host", kernel_of("uint* p"), F.INSERT_TEXT),
    Failure("type-unknown", kernel_of("missing_t* p")),
    Failure("unmarked-variable-of-unknown-type", kernel_of("missing_t* p")),
    Failure("unmarked-variable", whole("int total;\n" + KERNEL), F.ADD_OPTION),
    Failure("texture-reference", request(cuda("texture<float, 2> t;\n" + KERNEL))),
    Failure("unmarked-variable-of-texture", request(cuda("texture<float, 2> t;\n" + KERNEL))),
    Failure("name-of-mathematics", in_kernel("*p = INFINITY > NAN;"), F.INSERT_TEXT),
    Failure("constant-of-mathematics", in_kernel("*p = M_PI;"), F.INSERT_TEXT),
    Failure("limit-of-a-type", in_kernel("*p = INT_MAX;"), F.INSERT_TEXT),
    Failure("limit-of-a-type", in_kernel("*p = FLT_EPSILON;"), F.INSERT_TEXT),
    Failure("output-of-the-host", in_kernel('fprintf(stderr, "x");')),
    Failure("generator-of-the-host", in_kernel("*p = rand();")),
    Failure("end-of-the-host", in_kernel("exit(1);")),
    Failure(
        "std-of-cuda",
        in_kernel(
            "*p = cuda::std::is_void_v<int> + std::is_void_v<int>;", "<cuda/std/type_traits>"
        ),
        F.REPLACE_TEXT,
    ),
    Failure("std-of-built-in", in_kernel("*p = std::min(1, 2);"), F.REPLACE_TEXT),
    Failure("member-of-cuda-std", in_kernel("*p = cuda::std::gcd(4, 6);", TRAITS)),
    Failure("std-of-the-host", in_kernel("std::swap(p[0], p[1]);")),
    Failure("missing-semicolon", in_kernel("*p = 1")),
    Failure("bracket-not-closed", in_kernel("*p = (1;")),
    Failure("brace-too-many", in_kernel("}")),
    Failure("number-of-arguments", in_kernel("*p = __popc(1, 2);")),
    Failure("letter-in-code", in_kernel("*p = \u201c1\u201d;")),
    Failure(
        "name-expression-of-template",
        request(cuda(TEMPLATE, "k.cu", "math::k")),
        F.ADD_NAME_EXPRESSION,
    ),
    Failure("name-expression", request(cuda(KERNEL, "k.cu", "nothing"))),
    Failure("specialisation-without-body", request(cuda(TEMPLATE + SPECIALISATION))),
    Failure(
        "template-without-body", request(cuda("template <int N> __global__ void k(int* a);\n"))
    ),
    Failure("template-without-instance", request(cuda(TEMPLATE)), F.ADD_NAME_EXPRESSION),
    Failure("template-without-instance", request(cuda(TEMPLATE), **CUBIN), F.ADD_NAME_EXPRESSION),
    Failure(
        "kernel-annotation-missing", request(without(TYPED, "!nvvm.annotations")), F.INSERT_TEXT
    ),
    Failure(
        "kernel-annotation-missing",
        request(without(OPAQUE, "!nvvm.annotations"), arch="sm_100"),
        F.INSERT_TEXT,
    ),
    Failure(
        "kernel-annotation-missing",
        request(ll(TYPED.replace('!"kernel"', '!"kernal"'))),
        F.INSERT_TEXT,
    ),
    Failure("no-kernel", request(cuda("static __device__ int x;"))),
    # Otherwise these are supplied by another round.
    Failure("register-variable", kept(in_kernel("register int a = 1; *p = a;")), F.ADD_OPTION),
    Failure(
        "register-variable-in-a-standard",
        kept(replace(in_kernel("register int a = 1; *p = a;"), options=("-std=c++20",))),
        F.REPLACE_TEXT,
    ),
    Failure(
        "designated-initialiser",
        kept(in_kernel("struct P { int a, b; }; P q = {.a = 1, .b = 2}; *p = q.a;")),
        F.ADD_OPTION,
    ),
    Failure("launch-in-a-kernel", request(cuda(NESTED), **CUBIN)),
    Failure("device-runtime-missing", request(cuda(NESTED), **PTX_LINK), F.OPEN_FILES),
    Failure("prototypes-differ", request(CALLER, WIDER, **PTX_LINK)),
    Failure("prototypes-differ", request(CALLER, WIDER, link="lto", **CUBIN)),
    Failure("prototypes-differ", request(CALLER, OTHERWISE, link="lto", **CUBIN)),
    Failure("llvm-dialect", request(ll(OPAQUE)), F.SET_ARCH),
    Failure(
        "llvm-dialect",
        request(ll(TYPED.replace("entry:", "entry:\n  %frozen = freeze i32 1"))),
        F.SET_ARCH,
    ),
    Failure("ir-version-old", request(ll(TYPED.replace("i32 2, i32 0", "i32 1, i32 0")))),
    Failure(
        "nvvm-option-lineinfo", request(ll(TYPED), options=("libnvvm:-lineinfo",)), F.REMOVE_OPTION
    ),
    Failure("nvvm-option-unknown", request(ll(TYPED), options=("--bogus",)), F.REMOVE_OPTION),
    Failure(
        "option-unknown", request(cuda(KERNEL), options=("--bogus=3", "-lineinfo")), F.REMOVE_OPTION
    ),
    Failure(
        "option-unknown", request(cuda(KERNEL), options=("-maxrregcount 32",)), F.REMOVE_OPTION
    ),
    Failure("option-value", request(cuda(KERNEL), options=("-std=c++99",))),
    Failure("link-option", request(bare_ptx(), options=("-bogus",), **CUBIN), F.REMOVE_OPTION),
    Failure(
        "libdevice-missing",
        request(
            ll(
                TYPED.replace("entry:", "entry:\n  %s = call float @__nv_sinf(float 1.0)")
                + "declare float @__nv_sinf(float)\n"
            ),
            **CUBIN,
        ),
        F.USE_LIBDEVICE,
    ),
    Failure("undefined-reference", request(CALLER, **PTX_LINK), F.OPEN_FILES),
    Failure("undefined-reference", request(CALLER, link="lto", emit="cubin"), F.OPEN_FILES),
    Failure("duplicate-symbol", request(BOTH, CALLEE, **PTX_LINK)),
    Failure("duplicate-symbol", request(BOTH, CALLEE, link="lto", emit="cubin")),
    Failure("lto-of-nothing", request(bare_ptx(), link="lto", emit="cubin"), F.SET_LINK_MODE),
    Failure("duplicate-kernel-in-code", request(ONE, OTHER, link="ptx", emit="sass")),
    Failure("input-broken", request(Source("x.ltoir", CodeKind.LTOIR, b"garbage"), **CUBIN)),
    Failure("input-broken", request(Source("x.cubin", CodeKind.CUBIN, b"garbage"), emit="sass")),
    Failure(
        "stack-size",
        request(
            cuda(
                "__device__ __noinline__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
                'extern "C" __global__ void k(int* p) { *p = f(*p); }'
            ),
            **CUBIN,
        ),
    ),
    Failure(
        "shared-memory",
        request(
            cuda(
                "__global__ void k(int* p) {\n"
                "  __shared__ int a[20000]; a[*p] = 1; __syncthreads(); *p = a[3];\n}"
            ),
            **CUBIN,
        ),
    ),
)

NVRTC, NVVM, LINKER = Tool.NVRTC, Tool.NVVM, Tool.NVJITLINK
# Not provoked. Said by: other versions, a driver, a launch, a worker that is not ours.
REPORTED = (
    ("nvcc-is-here", None, "nvcc is on this machine and may compile it: .... NVRTC stops at: x."),
    *(
        (id_, NVRTC, f"wgmma.mma_async instructions are serialized due to {cause} 'k' in line 9")
        for id_, cause in (
            ("wgmma-serialized-by-call", "the presence of Extern calls in the function"),
            (
                "wgmma-serialized-by-call",
                "wgmma pipeline crossing function boundary at a function call in the function",
            ),
            (
                "wgmma-serialized-by-inputs",
                "non wgmma instructions defining input registers of a wgmma in the function",
            ),
            (
                "wgmma-serialized-by-accumulators",
                "non wgmma instructions reading accumulator registers of  a wgmma in the function",
            ),
            ("wgmma-serialized-by-stage", "ill formed pipeline stage in the function"),
        )
    ),
    (
        "setmaxnreg-below-need",
        NVRTC,
        "'setmaxnreg' ignored to maintain minimum register requirements.",
    ),
    ("tile-target", Tool.TILEIRAS, "tileiras makes no code for sm_75."),
    ("not-trusted", None, "This project is not trusted. '--time=f' writes a file."),
    ("script-time-limit", Tool.PYTHON, "Python was stopped after 20 s, the time limit."),
    ("ptx-too-new", LINKER, "Unsupported .version 8.7; current version is '8.4'"),
    ("ptx-unloadable", None, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    ("driver-missing", Tool.DRIVER, "PTX cannot be assembled by the driver: no GPU is free."),
    ("no-image-for-gpu", None, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
    ("no-image-for-gpu", None, "no kernel image is available for execution on the device"),
    ("launch-out-of-resources", None, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    ("builtins-missing", NVRTC, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: NVRTC gave no log."),
    ("headers-of-another-cuda", NVRTC, 'identifier "NV_IS_DEVICE" is undefined'),
    (
        "headers-of-another-cuda",
        NVRTC,
        'no instance of overloaded function "__half::__half" matches the specified type',
    ),
    ("header-path-not-ascii", NVRTC, 'cannot open source file "C:\\Users\\榛刓\\mine.h"'),
    ("nvvm-crash", NVVM, "libNVVM crashed on this input (SIGSEGV: ...)."),
    ("ir-version-old", NVVM, "DBG version 0.0 incompatible with current version 3.2"),
    ("link-option", LINKER, "ERROR_NULL_INPUT (10)"),
    (
        "lto-from-newer-compiler",
        LINKER,
        "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library",
    ),
    ("lto-needed", LINKER, "ERROR_LTO_NOT_ENABLED (18)"),
    ("lto-for-newer-target", LINKER, "ERROR_ARCH_MISMATCH (13)"),
    ("tool-crash", NVRTC, "NVRTC crashed on this input (SIGSEGV: ...)."),
)


def reported(message, tool, severity=Severity.ERROR, **more):
    """A result that says this, of one module."""
    built = request(ll(TYPED), **more)
    stages = (StageResult(tool, "13.4", "k.ll", (), False, 1.0),) if tool else ()
    said = Diagnostic(severity, "k.ll", 1, None, message, tool)
    return built, BuildResult(Outcome.FAILED, built.arch, stages, diagnostics=(said,))


NVCC_FAILURES = (
    Failure("nvcc-option-unknown", by_nvcc(KERNEL, options=("--bogus",)), F.REMOVE_OPTION),
    Failure("nvcc-target-unknown", by_nvcc(KERNEL, arch="sm_30")),
    Failure(
        "nvcc-host-compiler-too-new",
        by_nvcc(
            "#error -- unsupported GNU version! gcc versions later than 15 are not supported!\n"
        ),
        F.ADD_OPTION,
    ),
    Failure("nvcc-header-missing", by_nvcc('#include "no.h"\n'), F.ADD_INCLUDE_FOLDER),
    Failure(
        "nvcc-extended-lambda",
        by_nvcc(
            "__global__ void k(int *p) { auto f = [] __device__ () { return 1; }; *p = f(); }\n"
        ),
        F.ADD_OPTION,
    ),
    Failure(
        "nvcc-constexpr-of-the-host",
        by_nvcc(
            "constexpr int one(int x) { return x; }\n__global__ void k(int *p) { *p = one(*p); }\n"
        ),
        F.ADD_OPTION,
    ),
    Failure("inline-ptx", by_nvcc('__global__ void k() { asm("bogus.op;"); }', emit="cubin")),
)
"""Those of nvcc, which is not on every machine."""
