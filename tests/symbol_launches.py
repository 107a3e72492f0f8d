"""Launches that fill module variables and the pointers in structs, for the simulator and a GPU.

Each is a source and the words of `jitstudio run` behind it, whose checks hold on both.
"""

CONV = """\
__constant__ float mask[3];
__device__ int hits;
__global__ void conv(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        out[i] = in[i-1] * mask[0] + in[i] * mask[1] + in[i+1] * mask[2];
        atomicAdd(&hits, 1);
    }
}
"""
BUFFERS = ("--arg=n=256", "--arg=in=n:range:in", "--arg=out=n:zeros:inout", "--cover=n")
INNER = "--expect=out = where((i > 0) & (i < 255), 4 * i, 0)"

PLACES = """\
struct Range { int first, step; };
namespace a { __constant__ Range range; namespace { __device__ short shift[2][2]; } }
static __device__ double scale;
extern "C" __device__ unsigned long long seen = 40;
__device__ __managed__ int total;
template <int N> __constant__ float weights[N];
extern "C" __global__ void places(double *out)
{
    static __device__ int calls;
    int i = threadIdx.x;
    out[i] = (a::range.first + i * a::range.step + a::shift[1][0]) * scale + weights<2>[1];
    atomicAdd(&total, 2);
    atomicAdd(&seen, 1);
    atomicAdd(&calls, 1);
}
"""

POINTERS = """\
struct View { float *p; int n; };
__constant__ View view;
__device__ const float *table;
__device__ float *rows[2];
extern "C" __global__ void pointers(int n)
{
    int i = threadIdx.x;
    if (i < view.n) view.p[i] = table[i] + rows[1][i];
    if (i < n) rows[0][i] = i;
}
"""

VIEWS = """\
struct View { float *p; int n; int stride; };
struct Params { View a, b; float alpha; const float *more[2]; };
extern "C" __global__ void axpy(Params q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < q.a.n) q.b.p[i * q.b.stride] += q.alpha * q.a.p[i * q.a.stride] + q.more[1][i];
}
"""
Q = "--arg=q={a={n=64, stride=1}, b={n=64, stride=2}, alpha=2}"

ROWS = """\
extern "C" __global__ void many(float **rows, int n) {
    int i = threadIdx.x;
    if (i < n) rows[blockIdx.x][i] += 1;
}
"""

LIST = """\
struct View { float *p; int n; };
extern "C" __global__ void lengths(const View *views, int *out) {
    const View view = views[blockIdx.x];
    float sum = 0;
    for (int i = 0; i < view.n; ++i) sum += view.p[i];
    out[blockIdx.x] = int(sum);
}
"""

SHARED = """\
extern "C" __global__ void shift(const float *in, float *out, const float *end, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && out + i < end) out[i] = 2 * in[i] + 1;
}
"""

TEXTURES = """\
struct Lookup { cudaTextureObject_t tex; float scale; };
__constant__ cudaTextureObject_t steps;
extern "C" __global__ void look(Lookup lookup, float *out) {
    int i = threadIdx.x;
    out[i] = lookup.scale * tex1Dfetch<float>(lookup.tex, i) + tex1D<float>(steps, i + 0.5f);
}
"""

CASES = {
    "values": (
        CONV,
        (*BUFFERS, "--set=mask={1, 2, 1}", "--set=hits:out", INNER, "--expect=hits = 254"),
    ),
    "a start": (
        CONV,
        (*BUFFERS, "--set=mask={1, 2, 1}", "--set=hits=1000:out", "--expect=hits = 1254"),
    ),
    "an expression": (
        CONV,
        (*BUFFERS, "--set=mask=expr(1 + (i == 1))", "--set=hits=0:out", INNER, "--expect=hits=254"),
    ),
    "all places": (
        PLACES,
        (
            *("--arg=out=8:zeros:out", "--grid=1", "--block=8"),
            *("--set=a::range={first=3, step=2}", "--set=a::shift={{1, 2}, {100, 4}}"),
            *("--set=scale=0.5", "--set=seen:out", "--set=total=1:out", "--set=weights={0, 0.25}"),
            *("--set=calls:out", "--expect=out = (103 + 2 * i) / 2 + 0.25"),
            *("--expect=seen = 48", "--expect=total = 17", "--expect=calls = 8"),
        ),
    ),
    "pointers in variables": (
        POINTERS,
        (
            *("--arg=n=32", "--grid=1", "--block=32", "--set=view={n=16}", "--set=table=n:range"),
            *("--set=view.p=n:zeros", "--set=rows[0]=n:zeros", "--set=rows[1]=n:constant(5)"),
            "--expect=view.p = where(i < 16, table + rows[1], 0)",
            "--expect=rows[0] = i",
        ),
    ),
    "structs": (
        VIEWS,
        (
            *(Q, "--arg=q.a.p=q.a.n:range:in", "--arg=q.b.p=128:constant(1)", "--grid=1"),
            *("--arg=q.more[0]=null", "--arg=q.more[1]=64:range(0,3)", "--block=64"),
            "--expect=q.b.p = where(i % 2 == 0, 1 + 5 * (i // 2), 1)",
        ),
    ),
    "structs in one text": (
        VIEWS,
        (
            "--arg=q={{64:range, 64, 1}, {p=64:zeros, stride=1}, alpha=2, more={null, 64:zeros}}",
            *("--grid=1", "--block=64", "--expect=q.b.p = 2 * q.a.p"),
        ),
    ),
    "rows": (
        ROWS,
        (
            *("--arg=rows=2", "--arg=n=32", "--arg=rows[]=n:range", "--arg=rows[1]=n:constant(7)"),
            *("--grid=2", "--block=32", "--expect=rows[0] = i + 1", "--expect=rows[1] = 8 + 0 * i"),
        ),
    ),
    "structs behind a pointer": (
        LIST,
        (
            *("--arg=views=3", "--arg=views[].p=8:constant(2)", "--arg=views[]={n=4}"),
            *("--arg=views[2].n=8", "--arg=out=3:zeros:out", "--grid=3", "--block=1"),
            "--expect=out = array([8, 8, 16])",
        ),
    ),
    "one buffer for three pointers": (
        SHARED,
        (
            *(
                "--arg=n=100",
                "--arg=in=64:range",
                "--arg=out=same(in+16*2)",
                "--arg=end=same(in+64)",
            ),
            *("--grid=4", "--block=32", "--expect=in[:32] = i", "--expect=out = 2 * in[i] + 1"),
        ),
    ),
    "one buffer in a struct": (
        VIEWS,
        (
            *(Q, "--arg=q.b.p=q.a.n*2:range", "--arg=q.a.p=same(q.more[1])", "--grid=1"),
            *("--arg=q.more[0]=null", "--arg=q.more[1]=same(q.b.p+64)", "--block=16"),
            "--expect=q.b.p[:32] = where(i % 2 == 0, i + 3 * q.b.p[64 + i // 2], i)",
        ),
    ),
    "rows of one buffer": (
        ROWS,
        (
            *(
                "--arg=rows=2",
                "--arg=n=32",
                "--arg=rows[0]=n*2:range",
                "--arg=rows[1]=same(rows[0]+n)",
            ),
            *("--arg=rows[]=null", "--grid=2", "--block=32", "--expect=rows[0] = i + 1"),
        ),
    ),
    "textures": (
        TEXTURES,
        (
            *("--arg=lookup={scale=10}", "--arg=lookup.tex=float[8]:range:linearMemory"),
            *("--set=steps=float[8]:range(0,2)", "--arg=out=8:zeros:out", "--grid=1", "--block=8"),
            "--expect=out = 12 * i",
        ),
    ),
}
