import pytest

from jitstudio.analysis.diff.widths import widths_of


@pytest.mark.parametrize(
    ("opcode", "operands"),
    [
        ("FADD", (1, 1, 1)),
        ("DFMA.RM", (2, 2, 2, 2)),
        ("IMAD.WIDE.U32", (2, 1, 1, 2)),
        ("IMAD.HI.U32", (1, 1, 1, 2)),
        ("IADD.64", (2, 2, 2)),
        ("SHF.L.U64.HI", (1, 1, 1, 1)),
        ("MUFU.RCP64H", (1, 1)),
        ("F2F.F64.F32", (2, 1)),
        ("F2F.F32.F64", (1, 2)),
        ("I2F.F64", (2, 1)),
        ("I2F.S64", (1, 2)),
        ("F2I.U64.TRUNC", (2, 1)),
        ("CS2R", (2,)),
        ("CS2R.32", (1,)),
        ("HMMA.16816.F32", (4, 4, 2, 4)),
        ("HMMA.16816.F16", (2, 4, 2, 2)),
        ("LDG.E.128.CONSTANT", (4,)),
        ("LDS.U16", (1,)),
        ("LDSM.16.M88.4", (4,)),
        ("RET.REL.NODEC", (2,)),
    ],
)
def test_operands_take_so_many_registers(opcode, operands):
    widths = widths_of(opcode)
    assert tuple(widths.of(at) for at in range(len(operands))) == operands


@pytest.mark.parametrize(("opcode", "registers"), [("LDG.E", 2), ("STS", 1), ("LDL.64", 1)])
def test_addresses_take_one_or_two(opcode, registers):
    assert widths_of(opcode).address == registers


@pytest.mark.parametrize(
    "opcode",
    ["HGMMA.64x64x16.F32", "TEX.B.LL", "LDG.E.ENL2.256", "HMMA.884.F32", "R2UR.FILL", "NEWOP.64"],
)
def test_what_is_not_certain_is_not_guessed(opcode):
    assert widths_of(opcode) is None
