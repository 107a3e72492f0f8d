from jitstudio.core.request import with_name_expressions
from tests.support import cuda, ptx

SAXPY = cuda("template <class T> __global__ void saxpy(T a);", "a.cu", "saxpy<int>")
DOT = cuda("namespace my { template <class T> __global__ void dot(T a); }", "b.cu")


def test_what_a_module_has_already_comes_first_and_once():
    given = with_name_expressions((SAXPY, DOT), ["saxpy<float>", "saxpy<int>", "my::dot<int>"])
    assert [source.name_expressions for source in given] == [
        ("saxpy<int>", "saxpy<float>"),
        ("my::dot<int>",),
    ]


def test_other_kinds_of_code_are_left_alone():
    module = ptx("c.ptx", "saxpy")
    assert with_name_expressions((module,), ["saxpy<float>"]) == (module,)
