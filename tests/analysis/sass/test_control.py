"""Encodings whose control bits are known: from published descriptions, and from their effects."""

import pytest

from jitstudio.analysis.sass.control import Control, decode

# Of "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", figure 2.1 and table 2.1:
# reuse 4 bits, wait mask 6, read barrier 3, write barrier 3, yield 1, stall 4, from the top.
_LAYOUT = (("reuse", 4), ("wait_mask", 6), ("read", 3), ("write", 3), ("stay", 1), ("stall", 4))


def encoded(**fields):
    """The highest 23 bits of an instruction, put together field by field."""
    bits = 0
    for name, width in _LAYOUT:
        assert 0 <= fields[name] < 1 << width
        bits = bits << width | fields[name]
    return bits << 105 | 0x7B82


@pytest.mark.parametrize("reuse", [0, 5, 15])
@pytest.mark.parametrize("wait_mask", [0, 0b100001, 0b111111])
@pytest.mark.parametrize(("read", "write"), [(7, 7), (0, 5), (5, 0)])
@pytest.mark.parametrize(("stay", "stall"), [(0, 0), (1, 15), (0, 4)])
def test_each_field_is_at_its_place(reuse, wait_mask, read, write, stay, stall):
    word = encoded(reuse=reuse, wait_mask=wait_mask, read=read, write=write, stay=stay, stall=stall)
    assert decode(word) == Control(
        stall=stall,
        yields=not stay,
        write_barrier=None if write == 7 else write,
        read_barrier=None if read == 7 else read,
        wait_mask=wait_mask,
        reuse=reuse,
    )


# As nvdisasm prints them, the higher half first; the barriers follow from what loads and waits.
@pytest.mark.parametrize(
    ("high", "low", "control"),
    [
        # NOP
        (0x000FC00000000000, 0x0000000000007918, Control(0, True, None, None, 0, 0)),
        # S2R R0, SR_TID.X: the result comes when it comes, so that a barrier guards it
        (0x000E240000002100, 0x0000000000007919, Control(2, False, 0, None, 0, 0)),
        # IMAD R0, R3, UR4, R0: waits for what wrote R0
        (0x001FCA000F8E0200, 0x0000000403007C24, Control(5, True, None, None, 1, 0)),
        # STG.E desc[UR4][R2.64], R7: its operands are read later
        (0x000FE2000C101904, 0x0000000702007986, Control(1, False, None, None, 0, 0)),
        # EXIT
        (0x000FEA0003800000, 0x000000000000794D, Control(5, False, None, None, 0, 0)),
    ],
)
def test_known_encodings(high, low, control):
    assert decode(high << 64 | low) == control


def test_the_barriers_that_are_waited_for_are_counted_from_0():
    assert decode(
        encoded(reuse=0, wait_mask=0b101001, read=7, write=7, stay=1, stall=1)
    ).waits_for == (
        0,
        3,
        5,
    )
