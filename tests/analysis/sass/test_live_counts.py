import random

import pytest

from jitstudio.analysis.sass.live_counts import read_live, with_live
from jitstudio.analysis.sass.model import LiveRegisters
from jitstudio.analysis.sass.reading import read_code
from tests.listing.mutations import mutated

LIVE = """\
	.section	.text.k,"ax",@progbits
.text.k:
                                                                                    // +-------+--------+
                                                                                    // | GPR   | UGPR   |
                                                                                    // |       |        |
                                                                                    // +-------+--------+
        /*0000*/                   S2R R0, SR_TID.X ;                               // |   1   |        |
        /*0010*/                   UMOV UR4, 0x10 ;                                 // |   2   |   1    |
        /*0020*/                   EXIT ;                                           // |       |        |
                                                                                    // Legend:
	.section	.text.other,"ax",@progbits
                                                                                    // | GPR   | PRED   | UPRED  |
        /*0000*/                   EXIT ;                                           // |  12   |   3    |   2    |
                                                                                    // Legend:
"""  # noqa: E501


def test_columns_are_known_by_their_heads():
    live = read_live(LIVE)
    assert live == {
        "k": {
            0x00: LiveRegisters(1, 0, 0, 0),
            0x10: LiveRegisters(2, 0, 1, 0),
            0x20: LiveRegisters(0, 0, 0, 0),
        },
        "other": {0: LiveRegisters(12, 3, 0, 2)},
    }


def test_live_registers_go_to_the_instruction_at_their_address():
    code = read_code(
        '\t.section\t.text.k,"ax",@progbits\n'
        "        /*0000*/                   S2R R0, SR_TID.X ;\n"
        "        /*0010*/                   UMOV UR4, 0x10 ;\n"
        "        /*0020*/                   EXIT ;\n"
        "        /*0030*/                   NOP ;\n"
    )
    (function,) = with_live(code, read_live(LIVE)).functions
    assert [function.live_at(n) for n in range(4)] == [
        LiveRegisters(1, 0, 0, 0),
        LiveRegisters(2, 0, 1, 0),
        LiveRegisters(0, 0, 0, 0),
        LiveRegisters(0, 0, 0, 0),
    ]


OTHER = read_code(
    '\t.section\t.text.other,"ax",@progbits\n'
    "        /*0000*/                   EXIT ;\n"
    "        /*0010*/                   MOV R1, R2 ;\n"
)


def test_a_function_whose_table_breaks_off_stays_without():
    live = read_live(LIVE[: LIVE.rindex("// Legend:")])
    assert "k" in live
    (function,) = with_live(OTHER, live).functions
    assert function.live_at(0) is None


def test_nothing_is_alive_where_control_never_comes():
    (function,) = with_live(OTHER, read_live(LIVE)).functions
    assert function.live_at(0) == LiveRegisters(12, 3, 0, 2)
    assert function.live_at(1) == LiveRegisters(0, 0, 0, 0)


def test_every_instruction_of_the_real_tools_has_its_live_registers(listed):
    highest = {}
    for one in listed:
        for function in with_live(read_code(one.code), read_live(one.live)).functions:
            rows = [function.live_at(index) for index in range(function.code_length)]
            assert None not in rows, (one.name, function.name)
            # Counts are of registers that there are.
            assert all(row.gpr <= 255 and row.pred <= 7 and row.ugpr <= 255 for row in rows)
            highest[one.name.partition("-")[2]] = max(row.gpr for row in rows)
    assert all(value > 0 for value in highest.values())
    assert highest["rich"] > highest["apply_transform.cu-lto"]


@pytest.mark.parametrize("end", range(0, len(LIVE), 53))
def test_a_truncated_table_tells_nothing_that_the_whole_one_does_not(end):
    whole = read_live(LIVE)
    for name, rows in read_live(LIVE[:end]).items():
        assert rows.items() <= whole[name].items()


def test_a_mutated_table_is_read_without_an_error():
    code = read_code('\t.section\t.text.k,"ax",@progbits\n        /*0000*/ EXIT ;\n')
    for seed in range(300):
        live = read_live(mutated(LIVE, random.Random(seed)))
        assert all(rows for rows in live.values())
        assert len(with_live(code, live).functions) == 1
