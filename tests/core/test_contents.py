import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.fatbin import FatbinEntry, contents, entry_line
from tests.core.fatbins import container, entry
from tests.support import KERNEL, cuda, request


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
        "Its entries cannot be read: this is not a fatbin, or one of another layout.",
    ]


def test_a_cubin_tells_its_target_and_whether_it_keeps_its_ptx(host):
    for options, more in (
        (("-lineinfo",), ["Keeps the PTX that it was made from, without comments"]),
        (
            ("-lineinfo", "-rdc=true"),
            [
                "Not linked yet: it may call functions of other modules",
                "Keeps the PTX that it was made from, without comments",
            ],
        ),
    ):
        result = host.build(request(cuda(KERNEL), emit="cubin", arch="sm_80", options=options))
        code = result.artifacts[0].content
        assert contents(CodeKind.CUBIN, code).splitlines() == [
            f"cubin, {len(code):,} bytes",
            "Machine code for sm_80",
            *more,
        ]


def test_a_cubin_that_cannot_be_read_says_so():
    assert contents(CodeKind.CUBIN, b"hello").splitlines() == [
        "cubin, 5 bytes",
        "Its header cannot be read: this is not a cubin, or a damaged one.",
    ]


def test_other_kinds_are_kind_and_size():
    assert contents(CodeKind.LTOIR, bytes(1234)) == "LTO-IR, 1,234 bytes"
