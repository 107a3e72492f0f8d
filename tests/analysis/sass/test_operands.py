"""What is read of operands, held against the marks of nvdisasm and against known texts."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.analysis.sass.liveness import Liveness, effects
from jitstudio.analysis.sass.opcodes import stem
from jitstudio.analysis.sass.operands import (
    ALL_REGISTERS,
    BARRIERS,
    GENERAL,
    GPR,
    NONE,
    PRED,
    UGPR,
    UPRED,
    MemoryAddress,
    decode,
    guard,
    numbers,
    operand,
    packed,
    register_number,
)
from jitstudio.core.code import CodeKind, Source
from tests.analysis.findings.conftest import SOURCE
from tests.analysis.reference_kernels import COPIES
from tests.analysis.registers import register_name
from tests.support import ROOT, cuda, request

# ---- What `nvdisasm -lrm narrow` marks: which registers each instruction reads, writes and keeps
#
# It is the judge of all that is read of operands: it knows the encodings.

OPTIONS = ("-c", "-lrm", "narrow")

_FIRST = {"GPR": GPR, "UGPR": UGPR, "PRED": PRED, "UPRED": UPRED}
_ADDRESS = re.compile(r"\s+/\*([0-9a-f]{4,})\*/")
_SECTION = re.compile(r"\s*\.section\s+\.text\.(\S+?),")


class Marks(NamedTuple):
    """Sets of registers: those read, those written, and all that are alive."""

    reads: int
    writes: int
    live: int


def read_marks(text: str) -> dict[str, dict[int, Marks]]:
    """By function and address; code that control never comes to has none."""
    found: dict[str, dict[int, Marks]] = {}
    marks: dict[int, Marks] = {}
    head: list[str] = []
    columns: list[tuple[int, int]] = []
    for line in text.splitlines():
        if section := _SECTION.match(line):
            marks, head, columns = found.setdefault(section[1], {}), [], []
            continue
        code, bar, table = line.partition("// |")
        if not bar:
            continue
        if not columns:
            head.append(table)
            columns = list(_columns(head)) if " # " in table else []
        elif address := _ADDRESS.match(code):
            cells = [(table[at : at + 1], 1 << number) for at, number in columns]
            marks[int(address[1], 16)] = Marks(
                sum(bit for cell, bit in cells if cell and cell in "vx"),
                sum(bit for cell, bit in cells if cell and cell in "^x"),
                sum(bit for cell, bit in cells if cell.strip()),
            )
    return found


def _columns(head: list[str]) -> Iterator[tuple[int, int]]:
    """The places of registers in a row; their numbers stand above them, a digit in each line."""
    title = next(line for line in head if "GPR" in line)
    digits = [line for line in head if re.fullmatch(r"[\d\s|#]*\d[\d\s|#]*", line)]
    for group in re.finditer(r"[^|]+", title):
        name = group[0].strip()
        for at in range(digits[-1].index("#", group.start()) + 2, group.end()) if name else ():
            number = "".join(line[at : at + 1] for line in digits).strip()
            if number:
                yield at, _FIRST[name] + int(number)


OPCODES = {
    path.stem: Source(path.name, CodeKind.CUDA, path.read_bytes())
    for path in sorted((ROOT / "tests" / "data" / "opcodes").glob("*.cu"))
}
RULES = cuda(SOURCE)
# Which predicates are meant by PR is not marked; and a call has what is called marked.
UNMARKED = ("CALL", "P2R", "R2P", "UP2UR", "UR2UP")
# nvdisasm marks one register where the same instruction has two for sm_90 and sm_100.
ODD = {("sm_120a", "TLD.LZ")}


def marked(tools, source, arch):
    """Each function with its marks."""
    cubin = tools.cubin(request(source, emit="cubin", arch=arch)).content
    marks = read_marks(tools.printed(cubin, *OPTIONS))
    return [(function, marks[function.name]) for function in tools.code(cubin).functions]


@pytest.mark.parametrize(
    ("arch", "source"),
    [
        *((arch, RULES) for arch in ("sm_75", "sm_90", "sm_120")),
        *(("sm_90a", source) for source in (*OPCODES.values(), COPIES)),
        *(("sm_120a", source) for source in OPCODES.values()),
        ("sm_100a", OPCODES["tensor"]),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_an_instruction_reads_and_writes_what_nvdisasm_marks(tools, arch, source):
    checked = 0
    for function, marks in marked(tools, source, arch):
        for one in function:
            mark = marks.get(one.address)
            if not mark or not mark.live or stem(one.opcode) in UNMARKED:
                continue
            does, condition = decode(one.opcode, one.operands), guard(one.predicate)
            reads = does.reads | (1 << condition if condition != NONE else 0)
            seen = GENERAL if (arch, one.opcode) in ODD else ~BARRIERS
            assert does.is_known, one.text
            assert names(reads & seen) == names(mark.reads & seen), one.text
            assert names(does.writes & seen) == names(mark.writes & seen), one.text
            checked += 1
    assert checked > 50


@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"])
def test_a_register_is_alive_where_nvdisasm_says(tools, arch):
    same = total = 0
    for function, marks in marked(tools, RULES, arch):
        if any(stem(opcode) == "CALL" for opcode in function.opcodes):
            continue
        graph, does = sass_graph(function), effects(function, function.code_length)
        liveness = Liveness(graph, does)
        for block in graph.blocks:
            for at, behind in enumerate(liveness.behind(block.id), block.start):
                if mark := marks.get(function.addresses[at]):
                    live = (behind | does[at].reads | does[at].kills) & GENERAL
                    # nvdisasm keeps what two results under opposite guards have replaced.
                    assert not live & ~mark.live, function[at].text
                    same += live == mark.live & GENERAL
                    total += 1
    assert same > 0.94 * total > 1000


def names(mask):
    return [register_name(number) for number in numbers(mask & ALL_REGISTERS)]


def test_a_name_and_its_number_belong_together():
    for number in numbers(ALL_REGISTERS):
        assert register_number(register_name(number)) == number
    assert {register_number(name) for name in ("RZ", "PT", "UPT", "SR_TID", "")} == {NONE}


@pytest.mark.parametrize(
    ("opcode", "operands", "reads", "writes"),
    [
        ("NOP", "", "", ""),
        ("IADD3", "R6, P1, R2, UR10, RZ", "R2 UR10", "R6 P1"),
        ("IADD3.X", "R3, P0, R0, UR5, RZ, P1, !PT", "R0 UR5 P1", "R3 P0"),
        ("LOP3.LUT", "P0, RZ, R4, 0x3, RZ, 0xc0, !PT", "R4", "P0"),
        ("SHFL.IDX", "PT, R5, R4, R3, 0x1f", "R3 R4", "R5"),
        ("P2R", "R6, PR, RZ, 0x2", "P1", "R6"),
        ("R2P", "PR, R3, 0x3", "R3", "P0 P1"),
        ("UR2UP", "UPR, UR3, 0x1", "UR3", "UP0"),
        ("FADD", "R9, |R2|.reuse, -R5", "R2 R5", "R9"),
        ("IMAD.WIDE.U32", "R4, R2, R3, R6", "R2 R3 R6 R7", "R4 R5"),
        ("IMNMX.U64", "PT, PT, R12, R10, R14, !PT, !PT", "R10 R11 R14 R15", "R12 R13"),
        ("ATOMS.CAST.SPIN", "P0, [R5], R8, R9", "R5 R8 R9", "P0"),
        ("LDG.E.SYS", "R4, [R2]", "R2 R3", "R4"),
        ("STG.E.SYS", "[R2.64+UR4], R5", "R2 R3 R5 UR4 UR5", ""),
        (
            "LDG.E.ENL2.256",
            "R8, R4, desc[UR4][R2.64]",
            "R2 R3 UR4 UR5",
            "R4 R5 R6 R7 R8 R9 R10 R11",
        ),
        ("HMMA.1688.F32.TF32", "R8, R4, R2, RZ", "R2 R3 R4 R5 R6 R7", "R8 R9 R10 R11"),
        ("LDTM.16dp256bit.x2", "R4, tmem[UR4]", "UR4", "R4 R5 R6 R7 R8 R9 R10 R11"),
        ("STTM.16dp128bit.x2", "tmem[UR4+0x9], R32", "R32 R33 R34 R35 UR4", ""),
        ("MATCH.ANY.U64", "R5, R8", "R8 R9", "R5"),
        ("RET.REL.NODEC", "R4 `(R6)", "R4 R5", ""),
        ("SUST.D.BA.3D.64.STRONG.SM.TRAP", "[R12], R4, R10", "R4 R5 R10 R12 R13 R14", ""),
        ("TEX", "R18, R16, R8, UR4, 2D", "R8 R9 UR4 UR5", "R16 R17 R18 R19"),
        ("TEX.SCR.F16.RN.LL", "R14, R15, R12, R20, 0x0, 0x58, 2D", "R12 R13 R20", "R14 R15"),
        ("TLD4.SCR.B", "R22, R20, R29, R33, 0x0, 0x58, 2D", "R29 R33", "R20 R21 R22 R23"),
        (
            "TXD",
            "R6, R4, R8, R12, 0x0, ARRAY_2D",
            "R8 R9 R10 R12 R13 R14 R15",
            "R4 R5 R6 R7",
        ),
        ("FFMA", "RZ, UR4, c[0x0][0x160], 0x1R2", "UR4", ""),
        ("WHAT.EVER", "R3, R4.H0_H0, SR_R5, `(R6)", "R4", "R3"),
    ],
)
def test_known_texts(opcode, operands, reads, writes):
    does = decode(opcode, operands)
    assert set(names(does.reads)) == set(reads.split())
    assert set(names(does.writes)) == set(writes.split())


@pytest.mark.parametrize(
    ("opcode", "operands"),
    [
        ("", ""),
        (".", ","),
        ("F2F.", "R1,"),
        ("HMMA", "R4, R2, R0, R8"),
        ("HGMMA.64x0x0", "R4"),
        ("LDG.E.128", "R999, [R999.64"),
        ("LDG.E.128", "R254, [R254.64"),
        ("IADD3", "R99999999999999999999, R1"),
        ("IADD3", "R00, R1, UR٣, R07"),
        ("DFMA", "]R2[, R4]"),
        ("TEX", ""),
        ("TXD.SCR", "R4, 2D, 0xyz"),
        ("SUST.2D", "R4"),
        ("R2P", "PR"),
    ],
)
def test_odd_texts_are_no_error(opcode, operands):
    does = decode(opcode, operands)
    assert not (does.reads | does.writes) & ~ALL_REGISTERS
    assert does.sources is not None
    assert does.address is None or does.address.offset == 0


@pytest.mark.parametrize(
    ("opcode", "operands", "sure"),
    [
        ("LDG.E.64", "R4, desc[UR4][R2.64]", "R4 R5"),
        ("ISETP.GE.AND", "P0, PT, R9, R3, P2", "P0"),
        ("STG.E", "desc[UR4][R2.64], R5", ""),
        ("R2P", "PR, R0, 0x7f", ""),
        ("BSSY", "B0, `(.L_x_0)", ""),
        # Not known; perhaps no load at all; one half; more than what is active of the warp.
        ("NEWOP", "R2, R3", ""),
        ("LDG.E.NEW", "R4, [R2.64]", ""),
        ("LDG.E", "R4, [R2.64], P0", ""),
        ("HADD2", "R2.H0_H0, R3, R4", ""),
        ("R2UR.FILL", "UR4, R5", ""),
    ],
)
def test_what_is_not_certain_is_no_sure_result(opcode, operands, sure):
    assert names(decode(opcode, operands).sure) == sure.split()


@pytest.mark.parametrize(
    ("opcode", "operands", "results", "sources"),
    [
        ("ISETP.GE.AND", "P0, PT, R7, UR4, PT", (PRED,), ["R7", "UR4", "PT"]),
        ("IADD3", "R2, PT, PT, R4, R5, R6", (2,), ["R4", "R5", "R6"]),
        ("LOP3.LUT", "P0, RZ, R2, 0x1, RZ, 0xc0, !PT", (PRED,), ["R2", "0x1", "RZ", "0xc0", "!PT"]),
        ("VOTE.ALL", "P1, P0", (PRED + 1,), ["P0"]),
        ("UISETP.NE.AND", "UP1, UPT, UR4, URZ, UPT", (UPRED + 1,), ["UR4", "URZ", "UPT"]),
        ("STG.E", "desc[UR4][R2.64], R7", (), ["desc[UR4][R2.64]", "R7"]),
        ("BRA.U", "!UP0, `(.L_x_6)", (), ["!UP0", "`(.L_x_6)"]),
        ("TEX", "R10, R8, R2, UR4, 2D", (10, 8), ["R2", "UR4", "2D"]),
        ("EXIT", "", (), []),
    ],
)
def test_results_and_sources(opcode, operands, results, sources):
    does = decode(opcode, operands)
    assert does.results == results
    assert [source.text for source in does.sources] == sources


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[R2]", MemoryAddress(2, NONE, 0)),
        ("[R1+0x8]", MemoryAddress(1, NONE, 8)),
        ("desc[UR4][R2.64+-0x20]", MemoryAddress(2, NONE, -32)),
        ("[R2.64+UR4+0x10]", MemoryAddress(2, UGPR + 4, 16)),
        ("[UR4]", MemoryAddress(UGPR + 4, NONE, 0)),
    ],
)
def test_addresses(text, address):
    assert decode("LDG.E", f"R0, {text}").address == address


def test_constants_are_no_addresses():
    does = decode("LDC.64", "R10, c[0x4][R0]")
    assert does.address is None
    assert (does.sources[0].bank, does.sources[0].register) == (4, GPR)


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
    assert [guard(text) for text in ("@!P3", "@UP0", "@PT", "")] == [PRED + 3, UPRED, NONE, NONE]
