import pytest

from jitstudio.analysis.correlation.chains import corrected
from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines
from jitstudio.analysis.sass.reading import read_code

HEAD = '\t.section\t.text.k,"ax",@progbits\n\t.type\tk,@function\nk:\n.text.k:\n'
CHAIN = """\
\t//## File "/k.cu", line 1 inlined at "/k.cu", line {call}
\t//## File "/k.cu", line {call}
"""
LINE = '\t//## File ".nv_debug_ptx_txt", line {}\n'
PTX = """\
.visible .entry k()
{
.loc 1 7 1
.loc 1 1 1, function_name $s, inlined_at 1 7 1
add.s32 %a, %b, %c;
add.s32 %a, %b, %c;
.loc 1 8 1
.loc 1 1 1, function_name $s, inlined_at 1 8 1
add.s32 %a, %b, %c;
}
.file 1 "/k.cu"
"""


def read(*rows):
    """Code of a call that nvdisasm tells, or None, and a line of PTX."""
    told = "".join(
        (CHAIN.format(call=call) if call else "")
        + LINE.format(line)
        + f"        /*{16 * at:04x}*/                   IADD3 R1, R2, R3, R4 ;\n"
        for at, (call, line) in enumerate(rows)
    )
    return read_code(HEAD + told)


def calls(code):
    (function,) = code.functions
    return [tuple(place.line for place in row.places) for row in function]


ROWS = ((7, 5), (None, 6), (None, 9))


def test_ptx_tells_the_call_that_nvdisasm_does_not_tell_anew():
    code = read(*ROWS)
    assert calls(code) == [(1, 7), (1, 7), (1, 7)]
    modules = {"k.cu": read_ptx_lines(PTX.split("\n"))}
    assert calls(corrected(code, modules)) == [(1, 7), (1, 7), (1, 8)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # No line is missing between 5 and 6, but there may be a `.loc` between 6 and 9.
        (ROWS, [(1, 7), (1, 7), (1,)]),
        (((7, 5), (None, 9), (8, 9), (None, 5)), [(1, 7), (1,), (1, 8), (1,)]),
        # Without a table of PTX only what was told anew is certain.
        (((7, 0), (None, 0), (8, 0)), [(1, 7), (1,), (1, 8)]),
        ((), []),
    ],
)
def test_without_ptx_only_certain_calls_stay(rows, expected):
    assert calls(corrected(read(*rows), {})) == expected


def test_what_has_no_place_has_none_afterwards():
    code = read((None, 5), (7, 6), (None, 9))
    assert calls(corrected(code, {})) == [(), (1, 7), (1,)]
