from array import array
from dataclasses import replace

import pytest

from jitstudio.analysis.sass.model import (
    Control,
    Disassembly,
    FunctionPart,
    Label,
    LiveRegisters,
    SassFunction,
    SourceLocation,
    control_of,
)
from jitstudio.core.codec import Codec
from jitstudio.listing.lines import NOWHERE

ENCODING = 0x000FE20000000800_00000A00FF017B82


def function(*opcodes, name="k", is_kernel=True, live=(), **more):
    """A function whose instructions have these opcodes, and a line where it is not the last."""
    count = len(opcodes)
    words = {
        "predicates": ("",) * count,
        "operands": ("",) * count,
        "labels": (),
    } | more
    return SassFunction(
        name=name,
        is_kernel=is_kernel,
        addresses=array("Q", range(0, 16 * count, 16)),
        opcodes=opcodes,
        encodings=b"".join(ENCODING.to_bytes(16, "little") for _ in opcodes),
        place_ids=array("i", [0] * (count - 1) + [NOWHERE]),
        places=((SourceLocation("/src/k.cu", 3),),),
        ptx_lines=array("i", range(20, 20 + count)),
        ptx_name=".nv_debug_ptx_txt",
        parts=(FunctionPart(name, 0, count),),
        live=array("H", live),
        **words,
    )


def test_columns_are_seen_as_instructions():
    code = function("LDC", "EXIT", predicates=("", "@P0"), operands=("R1, c[0x0][0x28]", ""))
    first, last = code
    assert (first.address, last.address) == (0, 16)
    assert (first.text, last.text) == ("LDC R1, c[0x0][0x28]", "@P0 EXIT")
    assert (first.places, last.places) == ((SourceLocation("/src/k.cu", 3),), ())
    assert (first.ptx_line, last.ptx_line) == (20, 21)
    assert first.encoding == ENCODING
    assert first.control == control_of(ENCODING)
    assert first.live is None


def test_live_registers_are_four_numbers_an_instruction():
    code = function("LDC", "EXIT", live=(1, 0, 2, 0, 3, 1, 0, 0))
    assert [one.live for one in code] == [LiveRegisters(1, 0, 2, 0), LiveRegisters(3, 1, 0, 0)]


def test_without_encodings_there_is_no_control():
    code = function("LDC")
    bare = replace(code, encodings=b"")
    assert bare[0].encoding == 0
    assert bare[0].control is None


@pytest.mark.parametrize(
    ("address", "index"), [(0, 0), (16, 1), (32, 2), (8, NOWHERE), (48, NOWHERE), (-16, NOWHERE)]
)
def test_an_instruction_is_found_by_its_address(address, index):
    assert function("LDC", "NOP", "EXIT").index_of(address) == index


SELF = ".L_x_0"


@pytest.mark.parametrize(
    ("opcodes", "operands", "labels", "length"),
    [
        (("EXIT", "BRA", "NOP", "NOP"), ("", f"`({SELF})", "", ""), ((SELF, 1),), 1),
        # Another label in front of it, too.
        (("EXIT", "BRA", "NOP"), ("", f"`({SELF})", ""), (("f", 1), (SELF, 1)), 1),
        # A loop is no filling: it goes elsewhere.
        (("IADD3", "BRA", "NOP"), ("", f"`({SELF})", ""), ((SELF, 0),), 2),
        (("EXIT", "NOP"), ("", ""), (), 1),
        (("NOP", "EXIT"), ("", ""), (), 2),
        (("NOP",), ("",), (), 0),
    ],
)
def test_what_fills_the_last_line_is_no_code(opcodes, operands, labels, length):
    code = function(*opcodes, operands=operands, labels=tuple(Label(*one) for one in labels))
    assert code.code_length == length


def test_a_branch_to_itself_under_a_predicate_is_code():
    labels = (Label(SELF, 0),)
    code = function("BRA", operands=(f"`({SELF})",), predicates=("@P0",), labels=labels)
    assert code.code_length == 1


def test_functions_are_found_by_name():
    kernel, other = function("EXIT"), function("RET", name="f", is_kernel=False)
    code = Disassembly("sm_90", (kernel, other))
    assert code.kernels == (kernel,)
    assert code.function("f") is other
    assert code.function("g") is None


def test_it_goes_through_a_pipe_as_it_is():
    code = Disassembly("sm_90", (function("LDC", "EXIT"),))
    pipe = Codec(Disassembly)
    copy = pipe.load(b"".join(pipe.dump(code)))
    assert list(copy.functions[0]) == list(code.functions[0])
    assert copy.functions[0].addresses.typecode == "Q"


@pytest.mark.parametrize(
    "wrong",
    [
        {"operands": ("",)},
        {"addresses": array("Q")},
        {"encodings": b"1"},
        {"place_ids": array("i", [1, 0])},
        {"place_ids": array("i", [0, -2])},
        {"live": array("H", [1, 2])},
        {"labels": (Label("x", 3),)},
        {"parts": (FunctionPart("k", 1, 3),)},
    ],
)
def test_columns_that_do_not_fit_one_another_are_refused(wrong):
    with pytest.raises(ValueError, match="The columns of k do not fit one another"):
        replace(function("LDC", "EXIT"), **wrong)


# ---- Control bits

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


@pytest.mark.parametrize(
    ("reuse", "wait_mask", "read", "write", "stay", "stall"),
    [
        (0, 0, 7, 7, 0, 0),
        (15, 0, 7, 7, 0, 0),
        (0, 0b111111, 7, 7, 0, 0),
        (0, 0, 5, 7, 0, 0),
        (0, 0, 7, 5, 0, 0),
        (0, 0, 7, 7, 1, 0),
        (0, 0, 7, 7, 0, 15),
        (5, 0b100001, 0, 5, 1, 4),
        (15, 0b111111, 5, 0, 1, 15),
    ],
)
def test_each_field_is_at_its_place(reuse, wait_mask, read, write, stay, stall):
    word = encoded(reuse=reuse, wait_mask=wait_mask, read=read, write=write, stay=stay, stall=stall)
    assert control_of(word) == Control(
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
    assert control_of(high << 64 | low) == control


def test_the_barriers_that_are_waited_for_are_counted_from_0():
    assert control_of(
        encoded(reuse=0, wait_mask=0b101001, read=7, write=7, stay=1, stall=1)
    ).waits_for == (
        0,
        3,
        5,
    )
