import pytest

from jitstudio.analysis.findings.operands import (
    GPR,
    NONE,
    PRED,
    UGPR,
    UPRED,
    Address,
    form_of,
    guard,
    operand,
    packed,
)


@pytest.mark.parametrize(
    ("opcode", "operands", "results", "sources"),
    [
        ("IMAD", "R5, R5, UR4, R0", (5,), ["R5", "UR4", "R0"]),
        ("ISETP.GE.AND", "P0, PT, R7, UR4, PT", (PRED,), ["R7", "UR4", "PT"]),
        ("IADD3", "R2, P0, R4, UR4, RZ", (2, PRED), ["R4", "UR4", "RZ"]),
        ("IADD3", "R2, PT, PT, R4, R5, R6", (2,), ["R4", "R5", "R6"]),
        ("LOP3.LUT", "P0, RZ, R2, 0x1, RZ, 0xc0, !PT", (PRED,), ["R2", "0x1", "RZ", "0xc0", "!PT"]),
        ("VOTE.ALL", "P1, P0", (PRED + 1,), ["P0"]),
        ("UMOV", "UR4, URZ", (UGPR + 4,), ["URZ"]),
        ("UISETP.NE.AND", "UP1, UPT, UR4, URZ, UPT", (UPRED + 1,), ["UR4", "URZ", "UPT"]),
        ("STG.E", "desc[UR4][R2.64], R7", (), ["desc[UR4][R2.64]", "R7"]),
        ("BRA.U", "!UP0, `(.L_x_6)", (), ["!UP0", "`(.L_x_6)"]),
        ("EXIT", "", (), []),
    ],
)
def test_results_and_sources(opcode, operands, results, sources):
    form = form_of(opcode, operands)
    assert form.results == results
    assert [source.text for source in form.sources] == sources


def test_all_registers_of_a_wide_result_are_written():
    assert form_of("LDG.E.128", "R4, desc[UR4][R2.64]").written == (4, 5, 6, 7)
    assert form_of("ULDC.64", "UR4, c[0x0][0x208]").written == (UGPR + 4, UGPR + 5)
    assert form_of("UIMAD.WIDE", "UR4, UR6, 0x4, UR8").written == (UGPR + 4, UGPR + 5)
    assert form_of("TEX", "R10, R8, R2, UR4, 2D").results == (10, 8)
    assert form_of("F2F.F32.F64", "R5, R4").written == (5,)


def test_what_is_read():
    form = form_of("IADD3.X", "R3, P0, R0, UR5, RZ, P1, !PT")
    assert form.reads == 1 << GPR | 1 << PRED + 1
    assert form_of("LDG.E", "R8, desc[UR4][R2.64]").reads == 0b1100


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[R2]", Address(2, NONE, 0)),
        ("[R1+0x8]", Address(1, NONE, 8)),
        ("desc[UR4][R2.64+-0x20]", Address(2, NONE, -32)),
        ("[R2.64+UR4+0x10]", Address(2, UGPR + 4, 16)),
        ("[UR4]", Address(UGPR + 4, NONE, 0)),
    ],
)
def test_addresses(text, address):
    assert form_of("LDG.E", f"R0, {text}").address == address


def test_constants_are_no_addresses():
    form = form_of("LDC.64", "R10, c[0x4][R0]")
    assert form.address is None
    assert (form.sources[0].bank, form.sources[0].register) == (4, 0)


def test_numbers():
    assert operand("0x4").constant == 4
    assert operand("-0x1").constant == -1
    assert operand("RZ").constant == 0
    assert operand("2.0999999").is_literal
    assert operand("2.0999999").constant is None
    assert not operand("SR_TID.X").is_literal
    assert operand("-R5.reuse").is_negative
    assert packed(operand("-19.1875"), operand("-19.203125")) == 0xCCCCCCCD


def test_guards():
    assert guard("@!P3") == PRED + 3
    assert guard("@UP0") == UPRED
    assert guard("@PT") == NONE
    assert guard("") == NONE
