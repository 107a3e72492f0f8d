"""Programs on which ptxas remarks that the tensor cores wait, or that registers stay."""

from tests.core.failures import CUBIN, Failure
from tests.support import cuda, request

_HEAD = """\
typedef unsigned long long u64;
#define MM(d, a, b) asm volatile( \\
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" \\
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b))
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")
"""
_REGISTERS = """\
extern "C" __device__ void outside(float*);
extern "C" __global__ void BOUNDS k(float* out, const float* in, int n)
{
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        for (int i = threadIdx.x; i < n; i += 128) out[n + i] = in[i];
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        float sum = 0;
        for (int i = threadIdx.x - 128; i < n; i += 256) sum += in[i] * in[i];
        out[threadIdx.x] = sum;
    }
    END
}
"""


def products(body, *, bounds="128", parameters="float* out, u64 a, u64 b, int n"):
    """A kernel of one warp group that multiplies."""
    head = f'extern "C" __global__ void __launch_bounds__({bounds}) k({parameters})'
    text = f"{_HEAD}{head}\n{{\n{body}\n}}\n"
    return request(cuda(text), arch="sm_90a", **CUBIN)


def registers(bounds="__launch_bounds__(384, 1)", *options, end=""):
    """A kernel whose warps hand registers over."""
    text = _REGISTERS.replace("BOUNDS", bounds).replace("END", end)
    return request(cuda(text), arch="sm_90a", options=options, **CUBIN)


_OUT = "for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];"
_MANY = """\
    float d[40][4];
    for (int i = 0; i < 40; ++i) for (int j = 0; j < 4; ++j) d[i][j] = out[i * 4 + j];
    FENCE;
    for (int i = 0; i < 40; ++i) MM(d[i], a + i, b);
    COMMIT;
    WAIT;
    out += threadIdx.x * 160;
    for (int i = 0; i < 40; ++i) for (int j = 0; j < 4; ++j) out[i * 4 + j] = d[i][j];
"""
_SPILLING = """\
extern "C" __global__ void __launch_bounds__(1024, 2) k(float* p)
{
    float v[64];
    for (int i = 0; i < 64; ++i) v[i] = p[i * 1024 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 64; ++i) p[i * 1024 + threadIdx.x] = v[63 - i] * v[i];
}
"""
_RECURSIVE = """\
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void k(int* p)
{
    *p = fib(*p);
}
"""


def warned(option):
    """A kernel that spills, built with an option of ptxas that warns of memory."""
    return request(cuda(_SPILLING), options=(f"--ptxas-options={option}",), **CUBIN)


_IN_ORDER = f"float d[4] = {{}}; FENCE; MM(d, a, b); MM(d, a + 1, b); COMMIT; WAIT; {_OUT}"

RECURSIVE = request(cuda(_RECURSIVE), **CUBIN)

REMARKS = (
    Failure("wgmma-serialized-by-registers", products(_MANY, bounds="1024")),
    Failure(
        "wgmma-serialized-by-divergence",
        products(
            f"float d[4] = {{}}; if (threadIdx.x / 32 < n) {{ FENCE; MM(d, a, b); COMMIT; }} {_OUT}"
        ),
    ),
    Failure(
        "wgmma-serialized-by-divergence",
        products(
            "float d[4] = {}, e = 0; FENCE; for (int i = 0; i < out[threadIdx.x]; ++i) {"
            f"MM(d, a + i, b); COMMIT; if (threadIdx.x & n) e += d[0]; }} WAIT; d[1] += e; {_OUT}"
        ),
    ),
    Failure(
        "wgmma-wait-injected",
        products(
            "float d[4] = {}; FENCE; MM(d, a, b); COMMIT; out[threadIdx.x] = d[0];"
            f"MM(d, a, b); COMMIT; WAIT; {_OUT}"
        ),
    ),
    *(
        Failure("registers-bounded-in-source", registers(bounds, "--maxrregcount=32"))
        for bounds in (
            "__launch_bounds__(384, 1)",
            "__block_size__((384, 1, 1))",
            "__maxnreg__(64)",
        )
    ),
    Failure("setmaxnreg-without-bounds", registers("")),
    Failure("setmaxnreg-without-bounds", registers("__launch_bounds__(384)")),
    Failure("setmaxnreg-in-debug", registers("__launch_bounds__(384, 1)", "-G")),
    Failure(
        "setmaxnreg-in-a-part",
        registers("__launch_bounds__(384, 1)", "-rdc=true", end="outside(out);"),
    ),
    Failure("spills-warned", warned("--warn-on-spills")),
    Failure("local-memory-warned", warned("--warn-on-local-memory-usage")),
    Failure("stack-size", RECURSIVE),
)
"""What is remarked on, and by what it is explained."""

MENDED = (
    products(_MANY, bounds="128"),
    products(_IN_ORDER),
    registers(),
    registers("", "--maxrregcount=168"),
)
"""What follows the explanations, and is remarked on no more."""
