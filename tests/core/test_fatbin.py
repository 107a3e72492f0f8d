from jitstudio.core.code import CodeKind
from jitstudio.core.fatbin import FatbinEntry, fatbin_entries, without_names
from tests.core.fatbins import container, entry


def test_entries_are_listed_with_kind_and_target():
    content = container(
        entry(2, 90, b"x" * 16, flags=0x100011), entry(1, 100, b"y" * 8), entry(99, 80, b"")
    )
    assert fatbin_entries(content) == (
        FatbinEntry(CodeKind.CUBIN, "sm_90a", "k", 16, 16),
        FatbinEntry(CodeKind.PTX, "compute_100", "k", 8, 8),
        FatbinEntry(None, "sm_80", "k", 0, 0),
    )


def test_containers_may_follow_each_other():
    both = container(entry(2, 80, b"x" * 8)) + container(entry(2, 90, b"x" * 8))
    assert [one.target for one in fatbin_entries(both)] == ["sm_80", "sm_90"]


def test_other_bytes_have_no_entries():
    whole = container(entry(2, 90, b"x" * 8))
    assert fatbin_entries(b"") == fatbin_entries(b"hello, this is not a fatbin") == ()
    assert fatbin_entries(whole[:40]) == ()
    assert fatbin_entries(whole[:16] + bytes(56)) == ()


def test_names_are_taken_out_wherever_the_fatbin_lies():
    whole = container(entry(2, 80, b"x" * 8), entry(1, 90, b"y" * 8))
    within = without_names(b"\x7fELF    " + whole + bytes(5))
    assert len(within) == len(whole) + 13
    assert [one.name for one in fatbin_entries(within[8:])] == ["", ""]
    assert [one.target for one in fatbin_entries(within[8:])] == ["sm_80", "compute_90"]


def test_names_are_looked_for_in_any_bytes():
    whole = container(entry(2, 80, b"x" * 8), entry(1, 90, b"y" * 8))
    for size in range(len(whole)):
        assert len(without_names(whole[:size])) == size
