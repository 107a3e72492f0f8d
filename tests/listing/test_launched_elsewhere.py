"""Instances that tables, headers and classes name, and what is said of those that nobody knows."""

import pytest

from jitstudio.core.code import CodeKind, Header, Source
from jitstudio.core.request import BuildRequest
from jitstudio.listing.cuda.host_code import find_host_code
from jitstudio.listing.own_headers import own_headers

KERNELS = """\
template <int R> __global__ void blur(const float *in, float *out, int n) { }
template <auto V, typename T> __global__ void add(T *data, int n) { }
template <template <class> class Op, class T> __global__ void fold(const T *a) { }
using Kernel = void (*)(const float *, float *, int);
template <class T> struct Sum { };
"""


@pytest.mark.parametrize(
    ("host", "instances"),
    [
        ("static const Kernel table[] = {blur<1>, &blur<2>};", ("blur<1>", "blur<2>")),
        ("static const std::array<Kernel, 2> t{{blur<1>, &blur<4>}};", ("blur<1>", "blur<4>")),
        ('const std::map<std::string, Kernel> by_name = {{"w", blur<16>}};', ("blur<16>",)),
        ("struct Named { const char *n; Kernel k = blur<3>; };", ("blur<3>",)),
        ("void f(float *d) { add<'c', float><<<1, 2>>>(d, 3); }", ("add<'c', float>",)),
        (
            (
                "template <int... N> void all(std::integer_sequence<int, N...>) "
                "{ (blur<N + 1><<<1, 1>>>(p, p, 1), ...); }\n"
                "void f() { all(std::make_integer_sequence<int, 2>{}); }"
            ),
            ("blur<0 + 1>", "blur<1 + 1>"),
        ),
        (
            (
                "template <std::size_t... I> void all(std::index_sequence<I...> s) "
                "{ int x[] = {(blur<I><<<1, 1>>>(p, p, 1), 0)...}; }\n"
                "void f() { all(std::index_sequence<3, 5>{}); }"
            ),
            ("blur<3>", "blur<5>"),
        ),
        (
            (
                "template <template <class> class Op, class T> struct C { "
                "template <int N> static void run(T *p) { fold<Op, T><<<N, 1>>>(p); "
                "blur<N><<<1, 1>>>(p, p, 1); } };\nint main() { C<Sum, float>::run<7>(p); }"
            ),
            ("fold<Sum, float>", "blur<7>"),
        ),
        (
            (
                "#define MAKE(N) void run_##N(float *p) { blur<N><<<1, 1>>>(p, p, 1); }\n"
                "MAKE(2)\nMAKE(3)\nint main() { run_2(0); run_3(0); }"
            ),
            ("blur<2>", "blur<3>"),
        ),
    ],
)
def test_all_that_names_a_kernel_is_an_instance(host, instances):
    assert find_host_code(f"{KERNELS}{host}\n".encode()).launched == instances


def test_launchers_of_headers_are_followed():
    header = b"""
        namespace lib { template <class T> __global__ void keys(const T *k) { }
        template <class T> inline void hash(const T *k, int n) { keys<<<n, 1>>>(k); } }
    """
    text = b'#include "h.h"\nint main() { short *s; lib::hash(s, 1); lib::hash<long>(0, 2); }\n'
    found = find_host_code(text, headers=(header,))
    assert found.launched == ("lib::keys<short>", "lib::keys<long>")
    # The header alone has none of them, and another text names it.
    assert find_host_code(header).doubts != ()
    assert find_host_code(header, mentioned=text + b"keys").doubts == ()


def test_a_launch_that_nobody_knows_is_said_with_its_line():
    text = f"{KERNELS}void f(float *p) {{ blur<1><<<1, 1>>>(p, p, 1);\nfold<<<1, 1>>>(q()); }}\n"
    said = [
        (doubt.line, doubt.reason.split(":")[0]) for doubt in find_host_code(text.encode()).doubts
    ]
    nothing = "No launch with known template arguments was found for {}, so that there is none of"
    assert (3, f"{nothing.format('fold')} its kernels") in said
    text = text.replace(
        "fold<<<1, 1>>>(q());", "fold<Sum, int><<<1, 1>>>(q());\nfold<<<1, 1>>>(q());"
    )
    (doubt,) = [d for d in find_host_code(text.encode()).doubts if "fold" in d.reason]
    assert (doubt.line, doubt.reason.partition(":")[0]) == (
        8,
        "The template arguments of fold could not be found out here",
    )


def test_headers_next_to_a_program_are_read(tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "a.h").write_text('#include "inc/b.h"\n')
    (tmp_path / "inc" / "b.h").write_text("// b\n")
    (tmp_path / "inc" / "c.h").write_text("// c\n")
    text = b'#include "a.h"\n#include "memory.h"\n#include "c.h"\n#include "missing.h"\n'
    memory = Header("memory.h", b"// m\n")
    source = Source(str(tmp_path / "k.cu"), CodeKind.CUDA, text)
    request = BuildRequest((source,), headers=(memory,))

    def names(request):
        return [header.name.removeprefix(f"{tmp_path}/") for header in own_headers(request)]

    assert names(request) == ["memory.h", "a.h", "inc/b.h"]
    folder = f"-I{tmp_path / 'inc'}"
    request = BuildRequest((source,), headers=(memory,), options=(folder,))
    assert names(request) == ["memory.h", "a.h", "inc/c.h", "inc/b.h"]
    confined = BuildRequest((source,), confined_to=(str(tmp_path / "inc"),))
    assert names(confined) == []
