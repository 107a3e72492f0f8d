import pytest

from jitstudio.core.code import (
    ENDINGS,
    LINKED,
    Artifact,
    CodeKind,
    is_bitcode,
    kind_of,
    split_variant,
)
from jitstudio.core.request import with_name_expressions
from tests.support import cuda, ptx


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("k.cu", CodeKind.CUDA),
        ("folder/K.CU", CodeKind.CUDA),
        ("k.cuh", CodeKind.CUDA),
        ("k.ll", CodeKind.LLVM_IR),
        ("k.bc", CodeKind.LLVM_IR),
        ("k.tar.ptx", CodeKind.PTX),
        ("k.cubin", CodeKind.CUBIN),
        ("k.fatbin", CodeKind.FATBIN),
        ("k.ltoir", CodeKind.LTOIR),
        ("libk.a", CodeKind.LIBRARY),
        ("k.o", CodeKind.OBJECT),
        ("k.txt", None),
        ("cu", None),
        (".cu", None),
    ],
)
def test_kind_follows_from_the_ending(name, kind):
    assert kind_of(name) is kind


def test_every_kind_has_a_title_and_an_ending_of_its_own():
    assert len({kind.title for kind in CodeKind}) == len(CodeKind)
    assert all(ENDINGS[kind.ending] is kind for kind in CodeKind)


def test_an_artifact_is_called_after_its_module():
    assert Artifact(CodeKind.SASS, "src/saxpy.cu", b"").file_name == "saxpy.sass"
    assert Artifact(CodeKind.CUBIN, LINKED, b"").file_name == "linked.cubin"


def test_text_of_an_artifact_survives_bytes_that_are_no_utf8():
    assert Artifact(CodeKind.PTX, "k.cu", b"// caf\xe9 \xc3\xa9").text == "// caf\ufffd é"


def test_what_is_made_for_one_target_of_several_is_called_after_it():
    assert split_variant("src/k.cu@sm_90a") == ("src/k.cu", "@", "sm_90a")
    assert split_variant("me@home.cu") == ("me@home.cu", "", "")
    assert Artifact(CodeKind.PTX, "k.cu@compute_90", b"").file_name == "k@compute_90.ptx"


def test_bitcode_is_known_by_its_first_bytes():
    assert is_bitcode(b"BC\xc0\xde\x35\x14")
    assert not is_bitcode(b"; BC\xc0\xde")
    assert not is_bitcode(b"")


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
