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
        # Methods of classes that nobody sees, and functions by pointers.
        ("Options o(argc, argv); o.read(n);", (None, 1)),
        ("Options *o = options(); o->read(n, 3);", (None, 1)),
        ("auto o = options(); o.read(u);", (100, None)),
        ("S s; s.read(n);", (None, 1)),
        ("auto f = pick(); f(n);", (None, 1)),
        ("table[2](n);", (None, 1)),
        ("(*pick())(u);", (100, None)),
        ("S s{7}; s.read(u); n = s.v;", (None, None)),
        ("Options o; o.v = 7; o.read(); n = o.v;", (None, 1)),
        # What says that it takes values, and methods of C++'s own classes.
        ("std::function<void(int)> f = pick(); f(n);", (100, 1)),
        ("std::mt19937 r(n); r.discard(n);", (100, 1)),
        ("S s; s.look(n);", (100, 1)),
    ],
)
def test_functions_without_a_body_may_change_what_they_take_by_reference(body, expected):
    before = """
        void parse(int, char**, int& n, unsigned* u); void look(const int& n, unsigned u);
        struct S { int v; void read(int& n); void look(int n) const; };
        extern void (*table[4])(int&);
    """
    assert numbers(body, before) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int& r = n; r = 40;", (40, 1)),
        ("int& r = n; n = 40; u = r;", (40, 40)),
        ("int& r = n; { int n = 3; r = 40; }", (None, 1)),
        ("int* p = &n; *p = 9;", (9, 1)),
        ("int* p = &n; (*p)++; p[0] += 2;", (103, 1)),
        ("int* p = &n; int m = 5; p = &m; *p = 9;", (None, 1)),
        ("int m = 5; int* p = rand() ? &n : &m; *p = 9;", (None, 1)),
        ("int m = 5; int& r = rand() ? n : m; r = 9;", (None, 1)),
        ("S s{3}; S* q = &s; q->v = 50; n = s.v;", (50, 1)),
        ("S s{3}; S& q = s; q.v = 50; n = s.v; s.v = 7; u = q.v;", (50, 7)),
        ("int* q = new int(5); *q = 6; n = *q; int** qq = &q; **qq = 8; u = *q;", (6, 8)),
        ("int* q = new int[5]; q[0] = 6; int* p = q; p[0] = 8; n = q[0];", (None, 1)),
        ("W w{n}; w.go();", (None, 1)),
        ("V v(n); v.go();", (None, 1)),
        ("stay(&n); *kept = 7;", (None, 1)),
        (
            "int m[2] = {1, 2}; for (int i = 0; i < 2; i++) { int& r = m[i]; r = 5; } n = m[1];",
            (None, 1),
        ),
        ("auto f = [&](int i) { n = i; }; std::for_each(x, y, f);", (None, 1)),
        ("int& r(n); r = 4;", (None, 1)),
        ("auto r = std::ref(n); n = 3; r.get() = 5;", (None, 1)),
        ("std::reference_wrapper<int> r = n; n = 3; r.get() = 5;", (None, 1)),
        (
            "std::vector<std::reference_wrapper<unsigned>> all{u}; u = 4; all[0].get() = 5;",
            (100, None),
        ),
        ("auto both = std::tie(n, u); n = 2; std::get<0>(both) = 5;", (None, None)),
        ("std::thread t(work, std::ref(n)); n = 7; t.join();", (None, 1)),
        ("int* p(&n); *p = 4;", (None, 1)),
        ("int* p{&n}; *p = 4;", (4, 1)),
        ("std::pair<int&, unsigned&> both(n, u); both.first = 3;", (None, None)),
        ("std::thread t([&] { n = 5; }); t.join();", (None, 1)),
        ("auto f = [&r = n] { r = 5; }; f();", (None, 1)),
        ("int m[2] = {1, 2}; auto& [x, y] = m; x = 9; n = m[0];", (None, 1)),
        # What is only read stays known, and so does memory.
        ("const int& r = n; const int* p = &n; u = r + *p;", (100, 200)),
        ("float* d; float** pp = &d; cudaMalloc(pp, 8); set(n);", (5, 1)),
    ],
)
def test_what_references_and_pointers_change_is_followed_or_forgotten(body, expected):
    before = """
        struct S { int v; };
        struct W { int& r; void go() { r = 44; } };
        struct V { int& r; V(int& x) : r(x) {} void go() { r = 44; } };
        int* kept;
        void stay(int* p) { kept = p; }
        void set(int& x) { int& y = x; int* z = &y; *z = 5; }
    """
    assert numbers(body, before) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("u = ~0u;", (100, 0xFFFFFFFF)),
        ("u = 0u - 1;", (100, 0xFFFFFFFF)),
        ("u = (unsigned)-5;", (100, 0xFFFFFFFB)),
        ("u = static_cast<unsigned>(-5);", (100, 0xFFFFFFFB)),
        ("u = 3000000000u * 2;", (100, 1705032704)),
        ("u = (0u - 1) / 2; n = -1 < 1u;", (0, 0x7FFFFFFF)),
        ("u = -1 > 0; n = u - 2 > 5;", (1, 0)),
        ("u--; u--; n = u == 0xFFFFFFFF;", (1, 0xFFFFFFFF)),
        ("unsigned w = 1u << 31; size_t s = w * 2; n = s;", (0, 1)),
        ("size_t s = 5; s -= 6; n = s > 7; u = s;", (1, 0xFFFFFFFF)),
        ("n = -7 / 2; u = n + 4;", (-3, 1)),
    ],
)
def test_numbers_without_a_sign_are_those_of_their_width(body, expected):
    assert numbers(body) == expected


@pytest.mark.parametrize(
    ("body", "n"),
    [
        ("float f = 50.9f; n = f;", 50),
        ("n = 50.9;", 50),
        ("n *= 0.505;", 50),
        ("unsigned char w = 300; n = w;", 44),
        ("n = (unsigned char)300;", 44),
        ("n = static_cast<unsigned char>(300);", 44),
        ("signed char w = 200; n = w;", -56),
        ("bool b = 5; n = b;", 1),
        ("S s{300}; n = s.v;", 44),
        ("S s; s.v = 301; n = s.v;", 45),
        ("n = low(300);", 44),
        ("short h[2]; h[0] = 65537; n = h[0];", 1),
    ],
)
def test_an_assignment_converts_to_the_type_of_the_variable(body, n):
    before = "struct S { unsigned char v; }; int low(unsigned char v) { return v; }"
    found = numbers(body, before)[0]
    assert (found, type(found)) == (n, int)


@pytest.mark.parametrize(
    ("body", "n"),
    [
        ("for (int i = 0; i < 9; ++i) v.push_back(i);", 9),
        ("for (int i = 2; i != 9; i++) { v.push_back(i); v.emplace_back(3); }", 14),
        ("v.push_back(1);", None),
        ("for (int i = 0; i < 9; ++i) { if (rand()) break; v.push_back(i); }", None),
        ("for (int i = 0; i < 9; ++i) { v.push_back(i); if (i == 3) i += 2; }", None),
        ("for (int i = 0; i < 9; ++i) { v.push_back(i); if (i > 3) v.pop_back(); }", None),
        ("for (int i = 0; i < 9; ++i) { v.push_back(i); change(v); }", None),
        ("for (int i = 0; i < rand(); ++i) v.push_back(i);", None),
        ("for (int i = 0; i < 9; ++i) if (i % 2) v.push_back(i);", None),
        ("for (int j = 0; j < 2; ++j) for (int i = 0; i < 9; ++i) v.push_back(i);", None),
    ],
)
def test_a_vector_has_what_a_loop_that_is_counted_adds(body, n):
    assert numbers(f"std::vector<int> v; {body} n = v.size();")[0] == n
