import pytest

from jitstudio.core.arch import DEFAULT_ARCH, Arch


@pytest.mark.parametrize(
    ("text", "arch"),
    [
        ("sm_90", Arch(90)),
        ("compute_90", Arch(90)),
        ("90", Arch(90)),
        ("lto_90", Arch(90)),
        ("sm_90a", Arch(90, "a")),
        ("sm_100f", Arch(100, "f")),
        (" SM_121 ", Arch(121)),
    ],
)
def test_every_spelling_is_read(text, arch):
    assert Arch.parse(text) == arch


@pytest.mark.parametrize(
    "text", ["", "sm_", "sm90", "native", "sm_9", "sm_90b", "sm_1000", "sm_٩٠"]
)
def test_anything_else_is_refused_in_words(text):
    with pytest.raises(ValueError, match=r"is no target architecture\. Write it like sm_90"):
        Arch.parse(text)


def test_names_of_the_real_and_the_virtual_machine():
    arch = Arch.parse("sm_100f")
    assert (arch.sm, arch.compute, str(arch)) == ("sm_100f", "compute_100f", "sm_100f")


@pytest.mark.parametrize(
    ("arch", "capability"), [(Arch(75), "7.5"), (Arch(90, "a"), "9.0"), (Arch(121), "12.1")]
)
def test_capability_is_written_as_people_write_it(arch, capability):
    assert arch.capability == capability


def test_archs_sort_by_number_and_then_by_suffix():
    shuffled = [Arch(100), Arch(90, "a"), Arch(121), Arch(90)]
    assert [str(arch) for arch in sorted(shuffled)] == ["sm_90", "sm_90a", "sm_100", "sm_121"]


def test_the_default_is_hopper():
    assert DEFAULT_ARCH.sm == "sm_90"
