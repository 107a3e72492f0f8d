import pytest

from jitstudio.analysis.diff.names import PublicNames

# A function f and a variable v of a.cu, and the same of other.cu in a folder.
OURS = "_ZN27_INTERNAL_00000000_4_a_cu_k1fEi"
THEIRS = "_ZN31_INTERNAL_0f3a9c1e_8_other_cu_k1fEi"


def public(text, *more):
    return PublicNames([text, *more]).within(text)


def test_the_path_of_the_source_is_left_out():
    assert public(OURS) == public(THEIRS)
    assert "a_cu" not in public(OURS)
    assert public(OURS).endswith("1fEi")


def test_names_are_found_inside_of_operands_and_sections():
    for text in ("`({})", "R2, 32@lo({}) ;", ".nv.info.{}"):
        assert public(text.format(OURS)) == public(text.format(THEIRS))


@pytest.mark.parametrize("other", [THEIRS.replace("1fEi", "1gEi"), THEIRS.replace("_k1f", "_l1f")])
def test_other_names_stay_other_names(other):
    assert public(OURS) != public(other)


def test_names_that_only_their_paths_tell_apart_keep_them():
    assert public(OURS, THEIRS) == OURS
    assert public(THEIRS, OURS) == THEIRS


def test_a_digit_in_front_of_the_length_counts():
    ours, theirs = (name.replace("_ZN", "_ZN2a1") for name in (OURS, THEIRS))
    assert public(ours) == public(theirs)
    assert public(ours) != public(theirs.replace("2a1", "2a2"))


@pytest.mark.parametrize(
    "text", ["", "_Z1fi", "_INTERNAL_", "27_INTERNAL_00000000_4x", "_INTERNAL_00000000_99_a"]
)
def test_odd_names_are_no_error(text):
    assert public(text) in (text, "_INTERNAL_")
