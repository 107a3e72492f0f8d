import pytest

from jitstudio.core.request import DemangleRequest
from jitstudio.toolchain.demangle import demangled
from jitstudio.worker.builder import Builder

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def doubling(times):
    """``f(A<int, int>, A<A<int, int>, A<int, int>>, ...)``: each is twice as long as the last."""
    parts = ["S_", *(f"S{a}{b}_".replace("S0", "S") for a in _DIGITS[:3] for b in _DIGITS)]
    pairs = "".join(f"S_I{part}{part}E" for part in parts[1 : times + 1])
    return f"_Z1f1AIiiE{pairs}"


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        (
            "_Z5saxpyIfEvT_PKS0_PS0_i",
            "void saxpy<float>(float, float const*, float*, int)",
        ),
        ("_ZN2ns4nodeC1Ev", "ns::node::node()"),
        ("vector_add", "vector_add"),
        ("_Zbroken", "_Zbroken"),
        ("i", "i"),
        ("", ""),
    ],
)
def test_names_in_words_of_cxx(name, readable):
    assert demangled([name]) == {name: readable}


def test_a_name_that_is_worth_terabytes_is_given_up_and_others_are_read():
    involved = [doubling(11), doubling(60), doubling(12), "_Z" + "P" * 90_000 + "i", doubling(13)]
    builder = Builder(workers=1)
    try:
        # In a process that is sealed, and that goes on.
        found = builder.demangle(DemangleRequest((*involved, "_Z1fv")), timeout=30)
        pid = builder.pid
        assert builder.demangle(DemangleRequest(("_Z1gv",))) == {"_Z1gv": "g()"}
        assert builder.pid == pid
    finally:
        builder.close()
    assert list(found) == [*involved, "_Z1fv"]
    assert found["_Z1fv"] == "f()"
    for name in (involved[1], involved[3]):
        assert found[name] == name
    sizes = [len(found[name]) for name in (involved[0], involved[2])]
    assert found[involved[0]].startswith("f(A<int, int>, A<A<int, int>, A<int, int> >, A<A<A<")
    assert 50_000 < sizes[0] < 100_000
    assert found[involved[2]] == involved[2]  # More than anybody reads.
