import pytest

from jitstudio.analysis.sass.listing_rows import ListingRows
from jitstudio.analysis.sass.model import NOWHERE
from jitstudio.analysis.sass.reading import read_code

LISTING = """\
	.target	sm_90

	.section	.text.twice,"ax",@progbits
        .type           twice,@function
twice:
.text.twice:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/              @!P0 BRA `(.L_x_0) ;
	.section	.text.once,"ax",@progbits
        .type           once,@function
once:
.text.once:
        /*0000*/                   EXIT ;
""".splitlines()
CODE = read_code("\n".join(LISTING))
TWICE, ONCE = CODE.functions


@pytest.fixture(scope="module")
def rows():
    return ListingRows(LISTING, CODE)


def test_an_instruction_is_found_by_its_line(rows):
    found = {
        line: (spot.function.name, spot.index)
        for line in range(-1, len(LISTING) + 1)
        if (spot := rows.spot(line))
    }
    assert found == {6: ("twice", 0), 8: ("twice", 1), 13: ("once", 0)}


def test_a_line_is_found_by_its_instruction(rows):
    assert [rows.line(TWICE, n) for n in range(2)] == [6, 8]
    assert list(rows.lines(TWICE)) == [6, 8]
    assert list(rows.lines(ONCE)) == [13]


def test_what_the_text_lacks_has_no_line():
    rows = ListingRows(LISTING[:8], CODE)
    assert list(rows.lines(TWICE)) == [6, NOWHERE]
    assert rows.line(ONCE, 0) == NOWHERE
    assert rows.spot(8) is None


def test_a_text_of_another_cubin_has_no_instructions():
    rows = ListingRows([line.replace("twice", "thrice") for line in LISTING[:9]], CODE)
    assert all(rows.spot(line) is None for line in range(9))
