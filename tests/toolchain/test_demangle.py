import pytest

from jitstudio.toolchain.demangle import demangle


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
    assert demangle(name) == readable
