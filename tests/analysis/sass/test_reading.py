import random
import re

import pytest

from jitstudio.analysis.sass.model import (
    WORD_BYTES,
    FunctionPart,
    Label,
    LiveRegisters,
    SourceLocation,
)
from jitstudio.analysis.sass.reading import ListingRows, read_code, read_live, with_live
from jitstudio.listing.lines import NOWHERE
from tests.listing.mutations import mutated

LISTING = """\
	.target	sm_90

	.section	.nv.info.k,"",@"SHT_CUDA_INFO"
        /*0000*/ 	.byte	0x04
	.section	.text.k,"ax",@progbits
	.align	128
        .global         k
        .type           k,@function
        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"
        .type           $k$far,@function
        .type           $__internal_0_$__div,@function
k:
.text.k:
	//## File "/src/k.cuh", line 3 inlined at "/src/k.cuh", line 5
	//## File "/src/k.cuh", line 5 inlined at "/src/k.cu", line 14
	//## File "/src/k.cu", line 14
	//## File ".nv_debug_ptx_txt.12", line 20
        /*0000*/                   LDC R1, c[0x0][0x28] ;                                       /* 0x00000a00ff017b82 */
                                                                                                /* 0x000fe20000000800 */
.L_x_0:
	//## File "/src/k.cu", line 15
        /*0010*/              @!P0 BRA `(.L_x_0) ;                                              /* 0x0000000400008947 */
                                                                                                /* 0x000fea0003800000 */
	//## File ".nv_debug_ptx_txt.12", line 22
        /*0020*/                   NOP ;                                                        /* 0x0000000000007918 */
                                                                                                /* 0x000fc00000000000 */
        .type           $k$far,@function
$k$far:
        /*0030*/                   RET.REL.NODEC R20 `(k) ;                                     /* 0xffffffec14f07950 */
                                                                                                /* 0x000fec0003c3ffff */
$__internal_0_$__div:
        /*0040*/                   EXIT ;                                                       /* 0x000000000000794d */
                                                                                                /* 0x000fea0003800000 */
	.section	.text.other,"ax",@progbits
        .type           other,@function
other:
.text.other:
        /*0000*/                   EXIT ;                                                       /* 0x000000000000794d */
                                                                                                /* 0x000fea0003800000 */
"""  # noqa: E501


def test_a_listing_becomes_its_functions():
    code = read_code(LISTING)
    assert code.target == "sm_90"
    assert [(f.name, f.is_kernel, len(f)) for f in code.functions] == [
        ("k", True, 5),
        ("other", False, 1),
    ]
    assert code.functions[0].parts == (
        FunctionPart("k", 0, 3),
        FunctionPart("$k$far", 3, 4),
        FunctionPart("$__internal_0_$__div", 4, 5),
    )
    assert code.functions[0].labels == (Label(".L_x_0", 1),)


def test_an_instruction_is_read_to_its_last_bit():
    first, branch, *_ = read_code(LISTING).functions[0]
    assert (first.address, first.text) == (0, "LDC R1, c[0x0][0x28]")
    assert first.encoding == 0x000FE20000000800_00000A00FF017B82
    assert (branch.predicate, branch.opcode, branch.operands) == ("@!P0", "BRA", "`(.L_x_0)")


def test_lines_run_on_and_chains_are_whole():
    inlined, branch, nop, far, own = read_code(LISTING).functions[0]
    assert inlined.places == (
        SourceLocation("/src/k.cuh", 3),
        SourceLocation("/src/k.cuh", 5),
        SourceLocation("/src/k.cu", 14),
    )
    assert branch.places == nop.places == far.places == (SourceLocation("/src/k.cu", 15),)
    assert [i.ptx_line for i in (inlined, branch, nop, far)] == [20, 20, 22, 22]
    assert (own.places, own.ptx_line) == ((), 0)


def test_no_line_runs_on_into_another_section():
    other = read_code(LISTING).functions[1]
    assert list(other.place_ids) == [NOWHERE]
    assert list(other.ptx_lines) == [0]
    assert other.ptx_name == ""


def test_every_instruction_of_the_real_tools_is_the_one_nvdisasm_tells_as_json(listed):
    compared = 0
    for one in listed:
        code = read_code(one.code)
        told = {entry["function-name"]: entry for entry in one.json[1]}
        assert told.keys() == {function.name for function in code.functions}, one.name
        for function in code.functions:
            rows = told[function.name]["sass-instructions"]
            assert len(rows) == len(function) > 0
            assert told[function.name]["length"] == len(function) * WORD_BYTES
            for instruction, row in zip(function, rows, strict=True):
                compared += 1
                assert instruction.opcode == row["opcode"], one.name
                assert instruction.predicate == row.get("predicate", "")
                # What the linker filled in has an address there, and here its name still.
                if "@srel" not in instruction.operands:
                    assert squeezed(function, instruction) == _bare(row.get("operands", ""))
    assert compared > 400


def squeezed(function, instruction):
    """The operands with addresses for labels, as JSON has them, and no blanks."""
    addresses = {label.name: hex(at(function, label.index)) for label in function.labels}

    def address(found):
        return addresses.get(found[1], found[1])

    # JSON leaves out where a table of jumps leads.
    operands = re.sub(r"\(\*.*?\*\)", "", instruction.operands)
    return _bare(re.sub(r"`\(([^)]*)\)", address, operands))


def _bare(operands):
    return operands.replace(" ", "").replace(",", "")


def at(function, index):
    return index * WORD_BYTES if index == len(function) else function.addresses[index]


def test_every_line_of_the_real_tools_is_the_one_nvdisasm_tells_as_json(listed):
    compared = 0
    for one in listed:
        files = {}
        for function, entry in zip(read_code(one.code).functions, one.json[1], strict=True):
            now = None
            for instruction, row in zip(function, entry["sass-instructions"], strict=True):
                if "source-line" in row:
                    now = row["source-file-id"], row["source-line"]
                if instruction.places and now:
                    compared += 1
                    place = instruction.places[0]
                    assert place.line == now[1], (one.name, instruction)
                    assert files.setdefault(now[0], place.file) == place.file
    assert compared > 250


def test_every_encoding_of_the_real_tools_is_whole(listed):
    for one in listed:
        for function in read_code(one.code).functions:
            assert len(function.encodings) == WORD_BYTES * len(function)
            assert list(function.addresses) == [WORD_BYTES * n for n in range(len(function))]
            for instruction in function:
                # In all of these the opcode and the predicate are in the lowest 16 bits.
                always = instruction.encoding >> 12 & 0xF == 7
                assert always == (not instruction.predicate) or "UP" in instruction.text


def test_a_routine_of_the_assemblers_own_has_no_line(listed):
    rich = [one for one in listed if one.name.endswith("-rich")]
    for one in rich:
        (function,) = (f for f in read_code(one.code).functions if f.name == "rich")
        own = [part for part in function.parts if "$__internal" in part.name]
        assert own, one.name
        for part in own:
            assert set(function.place_ids[part.start : part.end]) == {NOWHERE}
            assert set(function.ptx_lines[part.start : part.end]) == {0}
        assert NOWHERE not in function.place_ids[: own[0].start]


def consistent(code):
    for function in code.functions:
        count = len(function)
        assert len(function.addresses) == len(function.place_ids) == len(function.ptx_lines)
        assert len(function.predicates) == len(function.operands) == count
        assert len(function.encodings) in (0, WORD_BYTES * count)
        assert all(NOWHERE <= place < len(function.places) for place in function.place_ids)
        assert all(0 <= label.index <= count for label in function.labels)
        assert all(0 <= part.start <= part.end <= count for part in function.parts)
        assert 0 <= function.code_length <= count
        assert len([instruction.text for instruction in function]) == count


@pytest.mark.parametrize("end", range(0, len(LISTING), 37))
def test_of_a_truncated_listing_the_whole_instructions_are_read(end):
    code = read_code(LISTING[:end])
    consistent(code)
    whole = {f.name: list(f.opcodes) for f in read_code(LISTING).functions}
    for function in code.functions:
        # The last word may have been cut short.
        read = list(function.opcodes)[:-1]
        assert read == whole.get(function.name, read)[: len(read)]


def test_of_a_mutated_listing_something_consistent_is_read(listed):
    real = next(one.code for one in listed if one.name.endswith("-rich"))
    for seed in range(20):
        consistent(read_code(mutated(LISTING, random.Random(seed))))
        consistent(read_code(mutated(real, random.Random(seed))))


@pytest.mark.parametrize("text", ["", "nothing\n", "/*0000*/ EXIT ;\n", "\0\n", "}\n" * 9])
def test_what_is_no_listing_has_no_functions(text):
    assert read_code(text).functions == ()


def test_long_lines_take_no_longer_than_their_length():
    head = '\t.section\t.text.k,"ax",@progbits\n'
    for line in ("        /*0000*/ " + "A" * 1_000_000, "\t//## File " + '"' * 1_000_000):
        consistent(read_code(f"{head}{line}\n"))


# ---- Live registers

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


# ---- Lines of a text

ROWS = """\
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
ROWS_CODE = read_code("\n".join(ROWS))
TWICE, ONCE = ROWS_CODE.functions


@pytest.fixture(scope="module")
def rows():
    return ListingRows(ROWS, ROWS_CODE)


def test_an_instruction_is_found_by_its_line(rows):
    found = {
        line: (spot.function.name, spot.index)
        for line in range(-1, len(ROWS) + 1)
        if (spot := rows.spot(line))
    }
    assert found == {6: ("twice", 0), 8: ("twice", 1), 13: ("once", 0)}


def test_a_line_is_found_by_its_instruction(rows):
    assert [rows.line(TWICE, n) for n in range(2)] == [6, 8]
    assert list(rows.lines(TWICE)) == [6, 8]
    assert list(rows.lines(ONCE)) == [13]


def test_what_the_text_lacks_has_no_line():
    rows = ListingRows(ROWS[:8], ROWS_CODE)
    assert list(rows.lines(TWICE)) == [6, NOWHERE]
    assert rows.line(ONCE, 0) == NOWHERE
    assert rows.spot(8) is None


def test_a_text_of_another_cubin_has_no_instructions():
    rows = ListingRows([line.replace("twice", "thrice") for line in ROWS[:9]], ROWS_CODE)
    assert all(rows.spot(line) is None for line in range(9))
