import pytest

from jitstudio.core.arch import DEFAULT_ARCH, Arch, machine_code_for, ptx_for


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
    with pytest.raises(ValueError, match=r"is not a target architecture\. Write it like sm_90"):
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


def archs(words):
    return [Arch.parse(word) for word in words.split()]


@pytest.mark.parametrize(
    ("wanted", "there", "chosen"),
    [
        ("90", "80 90 100", "90"),
        ("89", "80 86 90", "86"),
        ("86", "89 90", None),
        ("80", "75 90", None),
        ("90a", "90 90a", "90a"),
        ("90", "90 90a", "90"),
        ("90", "90a", "90a"),
        ("90a", "90", "90"),
        ("103", "100a", None),
        ("103", "100f", "100f"),
        ("121", "120 120f", "120f"),
        ("90", "", None),
    ],
)
def test_machine_code_runs_on_its_major_from_its_minor_on(wanted, there, chosen):
    found = machine_code_for(Arch.parse(wanted), archs(there))
    assert found == (Arch.parse(chosen) if chosen else None)


@pytest.mark.parametrize(
    ("wanted", "there", "chosen"),
    [
        ("120", "80 90", "90"),
        ("80", "90", None),
        ("100", "90a", None),
        ("90", "80 90a", "90a"),
        ("103", "100f 90", "100f"),
        ("120", "100f 90", "90"),
    ],
)
def test_ptx_is_assembled_for_its_target_and_newer_ones(wanted, there, chosen):
    found = ptx_for(Arch.parse(wanted), archs(there))
    assert found == (Arch.parse(chosen) if chosen else None)
