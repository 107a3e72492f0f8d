"""`jitstudio run` takes from host code what it copies to module variables and puts into structs."""

import pytest

pytestmark = pytest.mark.usefixtures("shared_cache")

MASK = """\
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
int main()
{
    const int n = 256; float h[3] = {1, 2, 1}, *in, *out; int zero = 0, seen;
    cudaMalloc(&in, n * 4); cudaMalloc(&out, n * 4);
    SET
    conv<<<2, 128>>>(in, out, n);
    cudaMemcpyFromSymbol(&seen, hits, sizeof seen);
}
"""
SETS = {
    "to symbol": "cudaMemcpyToSymbol(mask, h, sizeof h); cudaMemcpyToSymbol(hits, &zero, 4);",
    "in a stream": "cudaMemcpyToSymbolAsync(mask, h, 12, 0, cudaMemcpyHostToDevice, 0);",
    "by address": "void *p; cudaGetSymbolAddress(&p, mask); cudaMemcpy(p, h, 12, "
    "cudaMemcpyHostToDevice); int *q; cudaGetSymbolAddress((void**)&q, hits); cudaMemset(q, 0, 4);",
    "in a function": "fill(h);",
}


@pytest.fixture
def simulated(run, tmp_path):
    """Runs the launch of a program in the simulator."""

    def launch(source, *words):
        (tmp_path / "k.cu").write_text(source)
        ran = run("run", tmp_path / "k.cu", "--device", "sim", *words, "--json")
        assert ran.code == 0, ran.out
        assert ran.json["checks"]
        return ran.json

    return launch


@pytest.mark.parametrize("name", SETS)
def test_what_is_copied_to_a_variable_is_there(simulated, name):
    source = MASK.replace("SET", SETS[name])
    if name == "in a function":
        fill = "void fill(const float *from) { cudaMemcpyToSymbol(mask, from, 12); }\nint main()"
        source = source.replace("int main()", fill)
    made = simulated(
        source,
        "--expect=out = where((i > 0) & (i < 255), in + in + roll(in, 1) + roll(in, -1), out)",
        "--expect=hits = 254",
        "--arg=out=n:zeros:inout",
    )
    assert not [d for d in made["diagnostics"] if "mask" in d["message"]]


@pytest.mark.parametrize("declared", ["float c[4]", "float c[4] = {1, 2, 3, 4}", "float c = 2"])
def test_what_only_a_run_would_tell_of_a_variable_is_said(run, tmp_path, declared):
    at = "[threadIdx.x]" if "[" in declared else ""
    source = f"""\
__constant__ {declared};
__global__ void k(float *p) {{ p[threadIdx.x] = c{at}; }}
int main()
{{
    float h[4], *p; cudaMalloc(&p, 16);
    for (int i = 0; i < 4; i++) h[i] = rand();
    cudaMemcpyToSymbol(c, h, sizeof c);
    k<<<1, 4>>>(p);
}}
"""
    (tmp_path / "k.cu").write_text(source)
    ran = run(
        "run", tmp_path / "k.cu", "--device", "sim", f"--expect=p = {'c' if at else 2}", "--json"
    )
    assert ran.json["ok"], ran.out
    holds = "random numbers" if at else "what it is declared with"
    (said,) = [d for d in ran.json["diagnostics"] if "Only a run" in d["message"]]
    assert said["severity"] == "info"
    assert f"what it copies to 'c': here it holds {holds}." in said["message"]
    filled = "constant(2)" if at else "2"
    ran = run("run", tmp_path / "k.cu", "--device", "sim", f"--set=c={filled}", "--json")
    assert not [d for d in ran.json["diagnostics"] if "Only a run" in d["message"]]


VIEW = """\
struct View { float *data; int n; };
struct Params { View in, out; float by; };
__constant__ View lookup;
__device__ float *table;
__global__ void scale(Params p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.in.n) p.out.data[i] = p.in.data[i] * p.by + lookup.data[i % lookup.n] + table[i];
}
int main()
{
    float *d_x, *d_y, *d_t, *d_l; Params p; View l;
    cudaMalloc(&d_x, 400); cudaMalloc(&d_y, 800); cudaMalloc(&d_t, 512); cudaMalloc(&d_l, 32);
    p.in.data = d_x; p.in.n = 100; p.out.data = d_y; p.out.n = 200; p.by = 2.5f;
    l.data = d_l; l.n = 8;
    cudaMemcpyToSymbol(lookup, &l, sizeof l);
    cudaMemcpyToSymbol(table, &d_t, sizeof d_t);
    scale<<<1, 128>>>(p);
}
"""


def test_the_members_of_a_struct_are_those_of_the_host_code(simulated):
    made = simulated(
        VIEW,
        "--expect=p.out.data = where(i < 100, concatenate([p.in.data, zeros(100, float32)]) * 2.5"
        " + p.out.data * 0 + concatenate([tile(lookup.data, 12), lookup.data[:4],"
        " zeros(100, float32)]) + concatenate([table[:100], zeros(100, float32)]), p.out.data)",
    )
    lengths = {buffer["name"]: buffer["length"] for buffer in made["buffers"]}
    assert lengths == {
        "p.in.data": 100,
        "p.out.data": 200,
        "lookup": 1,
        "lookup.data": 8,
        "&table": 1,
        "table": 128,
    }


ROWS = """\
__global__ void many(float **rows, int n) { rows[blockIdx.x][threadIdx.x] += n; }
int main()
{
    float *h[3], **d;
    for (int i = 0; i < 3; ++i) cudaMalloc(&h[i], 64 * sizeof(float));
    cudaMalloc(&d, 3 * sizeof(float *));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    many<<<3, 64>>>(d, 64);
}
"""


def test_a_buffer_of_pointers_has_as_many_as_the_host_code_allocates(simulated):
    made = simulated(ROWS, "--expect=rows[2] = rows[2] + 64")
    assert [b["name"] for b in made["buffers"]] == ["rows", "rows[0]", "rows[1]", "rows[2]"]


NAMESPACES = """\
namespace a { __device__ int hits; __constant__ int k[2]; struct P { int n; }; __constant__ P p; }
__constant__ int k[2];
__global__ void count(int *out)
{
    out[0] = a::k[1] + a::p.n; out[1] = OTHER; atomicAdd(&a::hits, 1);
}
int main()
{
    int *d, one[2] = {1, 2}, two[2] = {3, 4}, seen = 5; a::P p; p.n = 100;
    cudaMalloc(&d, 8);
    cudaMemcpyToSymbol(k, one, sizeof one);
    SECOND
    cudaMemcpyToSymbol(a::p, &p, sizeof p);
    cudaMemcpyToSymbol(a::hits, &seen, sizeof seen);
    count<<<1, 1>>>(d);
    cudaMemcpyFromSymbol(&seen, a::hits, sizeof seen);
}
"""


@pytest.mark.parametrize(
    ("other", "second", "out"),
    [
        ("k[1]", "cudaMemcpyToSymbol(a::k, two, sizeof two);", (104, 2)),
        ("k[1]", "", (100, 2)),
        ("7", "", (100, 7)),
        ("7", "cudaMemcpyToSymbol(a::k, two, sizeof two);", (104, 7)),
    ],
)
def test_names_in_namespaces_are_whole(simulated, other, second, out):
    source = NAMESPACES.replace("OTHER", other).replace("SECOND", second)
    simulated(source, f"--expect=out=np.array({out})", "--expect=a::hits = 6")


def test_a_name_without_its_namespace_is_that_of_the_only_variable_called_so(simulated):
    source = NAMESPACES.replace("__constant__ int k[2];\n", "").replace("OTHER", "7")
    source = source.replace("SECOND", "").replace("__global__", "using namespace a;\n__global__")
    simulated(source, "--expect=out=np.array((102, 7))")


def test_kernels_of_one_name_in_two_namespaces_have_their_own_launches(simulated):
    source = """
    namespace a { __global__ void put(int *out, int n) { out[threadIdx.x] = n; } }
    namespace b { __global__ void put(int *out, int n) { out[threadIdx.x] = -n; } }
    int main()
    {
        int *d, *e; cudaMalloc(&d, 32 * 4); cudaMalloc(&e, 64 * 4);
        a::put<<<1, 32>>>(d, 7); b::put<<<1, 64>>>(e, 9);
    }"""
    made = simulated(source, "--kernel=a::put", "--expect=out = 7")
    assert made["buffers"][0]["length"] == 32
    made = simulated(source, "--kernel=b::put", "--expect=out = -9")
    assert made["buffers"][0]["length"] == 64
