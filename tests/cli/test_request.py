import pytest

from jitstudio.cli.request import UsageError, assign_name_expressions, source_from
from jitstudio.core.code import CodeKind
from tests.support import SAMPLES, cuda, ptx

SAXPY = cuda("template <class T> __global__ void saxpy(T a);", "a.cu")
DOT = cuda("namespace my { template <class T> __global__ void dot(T a); }", "b.cu")


def test_a_file_becomes_a_module_that_knows_its_folder(tmp_path):
    path = tmp_path / "k.CU"
    path.write_bytes(b"x\xff")
    source = source_from(str(path), ["k<int>"])
    assert (source.kind, source.content) == (CodeKind.CUDA, b"x\xff")
    assert source.folder == str(tmp_path)
    assert source.name_expressions == ("k<int>",)


@pytest.mark.parametrize("name", ["k.h", "k.sass", "k", "k.txt"])
def test_a_file_that_no_tool_takes_is_refused_before_it_is_read(name):
    with pytest.raises(UsageError, match="no ending that tells its kind"):
        source_from(name)


def test_an_expression_goes_to_the_module_that_mentions_its_name():
    given = assign_name_expressions((SAXPY, DOT), ["saxpy<float>", "my::dot<int>", "&my::dot<int>"])
    assert [source.name_expressions for source in given] == [
        ("saxpy<float>",),
        ("my::dot<int>", "&my::dot<int>"),
    ]


def test_an_expression_that_nobody_mentions_goes_to_all_so_that_nvrtc_says_so():
    given = assign_name_expressions((SAXPY, DOT), ["axpy<float>"])
    assert [source.name_expressions for source in given] == [("axpy<float>",)] * 2


def test_only_cuda_takes_expressions():
    given = assign_name_expressions((ptx("c.ptx", "saxpy"), SAXPY), ["saxpy<float>"])
    assert [source.name_expressions for source in given] == [(), ("saxpy<float>",)]
    with pytest.raises(UsageError, match=r"needs a CUDA C\+\+ module"):
        assign_name_expressions((ptx("c.ptx", ""),), ["saxpy<float>"])


@pytest.mark.parametrize("word", ["--option=", "--name-expression=", "--fat=", "--fat=,"])
def test_an_empty_word_is_a_usage_error(run, word):
    ran = run("build", SAMPLES / "vector_add.cu", word)
    assert ran.code == 2
    assert f"{word.partition('=')[0]} is empty" in ran.err
