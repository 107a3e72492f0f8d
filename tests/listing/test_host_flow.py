"""The numbers that a launch has behind branches, jumps and writes of host code."""

import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.listing.cuda.declarations import declarations
from jitstudio.listing.cuda.host_launches.program import host_launches
from jitstudio.listing.cuda.types import Types

KERNEL = "__global__ void k(float* a, int n, unsigned u) { }\n"


def numbers(body, before=""):
    """What is known of `n` and `u` where a program launches its kernel behind some code."""
    text = f"""{KERNEL}{before}
        int main(int argc, char** argv) {{
            float* a; cudaMalloc(&a, 4096); int n = 100; unsigned u = 1;
            {body}
            k<<<1, 64>>>(a, n, u);
        }}""".encode()
    source = Source("k.cu", CodeKind.CUDA, text)
    types = Types([declarations(text)])
    (launch,) = host_launches(source, types)
    (assumed,) = host_launches(source, types, assume=True)
    # Nothing that is unknown is ever stated without saying so.
    assert assumed.assumed or assumed == launch
    return launch.arguments[1:]


@pytest.mark.parametrize(
    ("body", "n"),
    [
        ("int m = 1; switch (m) { case 1: case 2: n = 7; break; default: n = 9; }", 7),
        ("int m = 2; switch (m) { case 1: case 2: n = 7; break; default: n = 9; }", 7),
        ("int m = 3; switch (m) { case 1: case 2: n = 7; break; default: n = 9; }", 9),
        ("int m = 3; switch (m) { case 1: n = 7; break; }", 100),
        ("switch (n) { case 100: n = 1; case 101: n += 1; break; default: n = 9; }", 2),
        ("switch (n) { case 100: { n = 1; break; } case 101: n += 1; }", 1),
        ("switch (n) { case 100: if (rand()) break; n = 3; }", None),
        ("switch (rand()) { case 1: n = 3; case 2: n += 1; }", None),
        ('switch (rand()) { case 1: scanf("%d", &n); }', None),
        ("switch (n++) { case 5: break; }", 101),
        ("do { if (rand()) break; n = 5; } while (0);", None),
        ("do { n = 5; } while (0);", 5),
    ],
)
def test_a_switch_goes_on_up_to_its_break(body, n):
    assert numbers(body) == (n, 1)


@pytest.mark.parametrize(
    ("body", "n"),
    [
        ("try { n = 12; } catch (...) { n = 13; }", 12),
        ("try { n = 12; f(); } catch (...) { n = 13; }", None),
        ("try { n = 12; throw 1; } catch (...) { u = 1; }", None),
        ("try { n = 12; f(); } catch (...) { n = 13; return 1; }", 12),
        ("try { f(); } catch (...) { load_options(n); }", None),
        ("goto s; n = 5; s: ;", None),
        ("again: n = n + 1; if (n < 200) goto again;", None),
        ("n = size();", None),
        ("goto s; u = 1; s: n = 5;", 5),
    ],
)
def test_what_is_jumped_over_is_not_run(body, n):
    before = "int size() { if (rand()) goto s; return 5; s: return 7; }"
    assert numbers(body, before)[0] == n


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int m = 3; if (n > m) std::swap(n, m);", (3, 1)),
        ("int m = 3; if (rand()) std::swap(n, m);", (None, 1)),
        ("parse(argc, argv, n, &u);", (None, None)),
        ("std::tie(n, u) = std::make_pair(3, 4u);", (None, None)),
        ("look(n, u);", (100, 1)),
        ("args::read(n);", (None, 1)),
        ("load_options(n);", (None, 1)),
        ("if (rand()) load_options(n);", (None, 1)),
        ("for (int i = 0; i < 3; i++) { u = n; load_options(n); }", (None, None)),
        # Those of C take values, and macros are none.
        ('printf("%d", n); cudaMemset(a, n, u); memset(a, n, u); srand(n);', (100, 1)),
        ("std::vector<int> v; v.push_back(n); std::fill(v.begin(), v.end(), n);", (100, 1)),
        ("CHECK(n); float f = sqrtf(n) + float(n);", (100, 1)),
    ],
)
def test_functions_without_a_body_may_change_what_they_take_by_reference(body, expected):
    before = "void parse(int, char**, int& n, unsigned* u); void look(const int& n, unsigned u);"
    assert numbers(body, before) == expected
