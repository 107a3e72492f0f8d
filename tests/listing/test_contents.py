import pytest

from jitstudio.core.code import CodeKind
from jitstudio.listing.contents import contents, entry_line
from jitstudio.listing.fatbin import FatbinEntry
from tests.listing.fatbins import container, entry


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (
            FatbinEntry(CodeKind.CUBIN, "sm_90a", "k.cu", 4096, 4096),
            "cubin for sm_90a: 4,096 bytes, k.cu",
        ),
        (
            FatbinEntry(CodeKind.PTX, "compute_90", "", 1000, 2500),
            "PTX for compute_90: 1,000 bytes, 2,500 unpacked",
        ),
        (FatbinEntry(None, "sm_80", "", 0, 0), "unknown kind for sm_80: 0 bytes"),
    ],
)
def test_an_entry_is_told_in_one_line(told, line):
    assert entry_line(told) == line


def test_a_fatbin_lists_its_entries():
    content = container(entry(2, 90, b"x" * 16), entry(1, 100, b"y" * 8))
    assert contents(CodeKind.FATBIN, content).splitlines() == [
        f"fatbin, {len(content)} bytes",
        "cubin for sm_90: 16 bytes, k",
        "PTX for compute_100: 8 bytes, k",
    ]


def test_a_fatbin_that_cannot_be_read_says_so():
    assert contents(CodeKind.FATBIN, b"hello").splitlines() == [
        "fatbin, 5 bytes",
        "Its entries cannot be read: this is no fatbin, or one of another layout.",
    ]


def test_other_kinds_are_kind_and_size():
    assert contents(CodeKind.CUBIN, bytes(1234)) == "cubin, 1,234 bytes"
