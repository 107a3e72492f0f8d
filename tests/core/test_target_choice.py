import pytest

from jitstudio.core.arch import Arch
from jitstudio.core.target_choice import machine_code_for, ptx_for


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
