"""What is known of module variables behind the copies of host code is surely there."""

import pytest

from jitstudio.core.launch.request import HostBuffer
from tests.listing.test_host_launches import launches
from tests.program_kernels import PROGRAMS

DECLARED = """\
__constant__ float c[4];
__constant__ float scale;
__global__ void k(float *p);
void any(float *h);
void zero(float *h) { for (int i = 0; i < 4; i++) h[i] = i; }
void set(const float *h) { cudaMemcpyToSymbol(c, h, 16); }
"""
START = "float *p; float g[4] = {5, 6, 7, 8}; cudaMemcpyToSymbol(c, g, sizeof g);"
KNOWN = "{1, 2, 3, 4}"


def of_variables(body, at=-1):
    """What is known of the module variables at a launch of a program with this body of `main`."""
    return dict(launches(f"{DECLARED}\nint main(int n) {{\n{body}\n}}\n")[at].inside)


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, sizeof h);", KNOWN),
        ("float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, &h[0], sizeof h);", KNOWN),
        ("float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, &h, 16, 0);", KNOWN),
        ("float h[4] = {1, 2, 3, 4}; set(h);", KNOWN),
        ("float h[4] = {1, 2, 3, 4}; const float *q = h; set(q);", KNOWN),
        ("float h[6] = {1, 2, 3, 4, 5, 6}; cudaMemcpyToSymbol(c, h, 16);", KNOWN),
        ("float h[4] = {1}; cudaMemcpyToSymbol(c, h, 16);", "{1, 0, 0, 0}"),
        ("float h[4]; h[0] = 1; h[1] = 2; h[2] = 3; h[3] = 4; set(h);", KNOWN),
        ("float h[4] = {1, 2, 3, 4}; if (cudaMemcpyToSymbol(c, h, 16)) return 1;", KNOWN),
        ("float *q; cudaGetSymbolAddress(&q, c); cudaMemset(q, 0, 16);", "zeros"),
        ("float h[4] = {1, 2, 3, 4}; if (0) { cudaMemcpyToSymbol(c, h, 16); k<<<1, 4>>>(p); }",
         "{5, 6, 7, 8}"),
        ("float h[4] = {5, 6, 7, 8}; if (p) cudaMemcpyToSymbol(c, h, 16);", "{5, 6, 7, 8}"),
        ("{ float *q; cudaGetSymbolAddress(&q, c); } float *q; cudaMemset(q, 0, 16);",
         "{5, 6, 7, 8}"),
    ],
)  # fmt: skip
def test_a_whole_copy_of_known_numbers_is_there(body, known):
    assert of_variables(START + body + "k<<<1, 4>>>(p);")["c"] == known


@pytest.mark.parametrize(
    "body",
    [
        "float h[4]; for (int i = 0; i < 4; i++) h[i] = i + 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; for (int i = 0; i < 4; i++) h[i] = i + 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; int i = 0; while (i < 4) h[i++] = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; if (n > 2) h[0] = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; h[n] = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; any(h); set(h);",
        "float h[4] = {9, 9, 9, 9}; zero(h); set(h);",
        "float h[4] = {9, 9, 9, 9}; memcpy(h, p, 16); set(h);",
        "float h[4] = {9, 9, 9, 9}; cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost); set(h);",
        "float h[4] = {9, 9, 9, 9}; for (float &x : h) x = 1; set(h);",
        "float h[4]; h[0] = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; for (int i = 0; i < 4; i++) *(h + i) = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; *(h + 1) = rand(); set(h);",
        "float *h = (float *)malloc(16); h[0] = h[1] = h[2] = h[3] = 1; any(h); set(h);",
        "float h[4] = {9, 9, 9, 9}, *q = h; q[0] = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}; float *q = &h[1]; *q = 1; set(h);",
        "float h[4] = {9, 9, 9, 9}, *q; q = h; for (int i = 0; i < 4; i++) *q++ = i; set(h);",
        "int h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, 16);",
        "float h[8] = {1, 2, 3, 4, 5, 6, 7, 8}; cudaMemcpyToSymbol(c, &h[2], 16);",
        "float h[8] = {1, 2, 3, 4, 5, 6, 7, 8}; cudaMemcpyToSymbol(c, h + 2, 16);",
        "float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, 2 * sizeof(float));",
        "float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, n * sizeof(float));",
        "float h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(c, h, 8, 8);",
        "float x = 2; for (int i = 0; i < 4; i++) cudaMemcpyToSymbol(c, &x, 4, 4 * i);",
        "float h[4] = {1, 2, 3, 4}; for (int i = 0; i < n; i++) cudaMemcpyToSymbol(c, h, 16);",
        "float h[4] = {1, 2, 3, 4}; if (p) cudaMemcpyToSymbol(c, h, 16);",
        "float h[4] = {1, 2, 3, 4}; if (p) set(h); else set(g);",
        "float h[4] = {1, 2, 3, 4}; switch (n) { case 1: cudaMemcpyToSymbol(c, h, 16); break; }",
        "float h[4] = {1, 2, 3, 4}; switch (rand()) { case 1: break; default: set(h); }",
        "float h[4] = {1, 2, 3, 4}; p ? set(h) : any(h);",
        "float h[4] = {1, 2, 3, 4}; p && cudaMemcpyToSymbol(c, h, 16);",
        "float *q; cudaGetSymbolAddress(&q, c); cudaMemset(q, 0, 4);",
        "float *q; cudaGetSymbolAddress(&q, c); cudaMemset(q + 1, 0, 4);",
        "float *q; cudaGetSymbolAddress(&q, c); cudaMemcpy(&q[1], g, 4, cudaMemcpyHostToDevice);",
    ],
)
def test_numbers_that_are_not_surely_there_are_not_known(body):
    assert of_variables(START + body + "k<<<1, 4>>>(p);")["c"] == "random"


def test_in_a_branch_and_in_the_first_round_the_copy_is_there():
    copied = "float h[4] = {1, 2, 3, 4}; HEAD { cudaMemcpyToSymbol(c, h, 16); k<<<1, 4>>>(p); }"
    for head in ("if (p)", "for (int i = 0; i < n; i++)"):
        assert of_variables(START + copied.replace("HEAD", head))["c"] == KNOWN


def test_an_element_is_the_number_of_a_single_variable():
    body = "float *p, h[4] = {1, 2, 3, 4}; cudaMemcpyToSymbol(scale, &h[2], 4); k<<<1, 4>>>(p);"
    assert of_variables(body) == {"scale": "3"}


def test_tables_that_programs_calculate_in_loops_are_not_known():
    for name, variable in (("aes_ctr", "d_sbox"), ("stencil3d", "stencil")):
        for launch in launches((PROGRAMS / f"{name}.cu").read_text()):
            assert dict(launch.inside)[variable] == "random"


def test_elements_that_change_in_a_loop_leave_what_is_known_of_their_memory():
    body = """\
    float *d, *rows[2]; cudaMallocManaged(&rows[0], 64); cudaMallocManaged(&rows[1], 64);
    std::vector<float> v(100);
    for (int i = 0; i < 16; i++) rows[0][i] = v[i] = i;
    for (auto &x : v) x = rand();
    cudaMalloc(&d, v.size() * 4); two<<<1, 4>>>(d, rows[1]);"""
    assert [buffer.bytes for buffer in launches(f"int main() {{ {body} }}")[0].arguments] == [
        400,
        64,
    ]


@pytest.mark.parametrize(
    ("body", "argument"),
    [
        ("float *p; if (m) cudaMalloc(&p, 16); else cudaMalloc(&p, 32); one<<<1, 4>>>(p);", None),
        ("float *p; cudaMalloc(&p, 16); if (m) cudaMalloc(&p, 32); one<<<1, 4>>>(p);", None),
        ("std::vector<int> v(4); if (m) v.resize(8); one<<<1, 4>>>(v.size());", None),
        ("int n = 4; if (m) grow(n); one<<<1, 4>>>(n);", None),
        ("int n = 4; m && (n = 8); one<<<1, 4>>>(n);", None),
        ("int n = 4; m ? grow(n) : grow(n); one<<<1, 4>>>(n);", None),
        ("int n = 4; if (m) same(n); one<<<1, 4>>>(n);", 4),
        ("float *p; if (m) cudaMalloc(&p, 16); one<<<1, 4>>>(p);", HostBuffer(16)),
        ("int n = 4; n == 4 && (n = 8); one<<<1, 4>>>(n);", 8),
    ],
)
def test_memory_and_numbers_of_a_branch_are_not_known_behind_it(body, argument):
    functions = "void grow(int &n) { n = n * 2; }\nvoid same(int &n) { n = 4; }\n"
    (launch,) = launches(f"{functions}int main() {{ int m = rand(); {body} }}")
    assert launch.arguments == (argument,)
