"""Two kernels as nvdisasm prints them for sm_90, for what stands beside SASS."""

from functools import cache

from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import ListingRows, read_code, read_live, with_live

_HEAD = """\
\t.section\t.text.{name},"ax",@progbits
        .type           {name},@function
        .other          {name},@"STO_CUDA_ENTRY STV_DEFAULT"
.text.{name}:
"""
# Address, instruction, both halves of the encoding, the lines above it, live registers.
_HISTOGRAM = """\
0000 LDC R1, c[0x0][0x28]|00000a00ff017b82 000fe20000000800|k.cu:7 21|1 0 0
0010 S2R R7, SR_TID.X|0000000000077919 000e220000002100|k.cu:10 34|2 0 0
0020 ISETP.GE.AND P0, PT, R7, 0x100, PT|000001000700780c 001fda0003f06270|k.cu:10 35|2 1 0
0030 @P0 EXIT|000000000000094d 000fea0003800000|k.cu:10 36|2 1 0
0040 S2R R5, SR_CgaCtaId|0000000000057919 000e220000008800|h.cuh:3<k.cu:10 42|3 0 0
0050 LDC R4, c[0x0][RZ]|00000000ff047b82 000ea20000000800|h.cuh:3<k.cu:10 41|4 0 0
0060 MOV R0, 0x400|0000040000007802 000fe20000000f00|k.cu:11 42|5 0 2
0070 IMAD.MOV.U32 R3, RZ, RZ, R7|000000ffff037224 000fc600078e0007|k.cu:11 43|6 0 2
0080 LEA R0, R5, R0, 0x18|0000000005007211 003fce00078ec0ff|k.cu:11 43|4 0 2
0090 IMAD R2, R3, 0x4, R0|0000000403027824 001fe400078e0200|k.cu:11 48|2 0 0
00a0 STS [R2], RZ|000000ff02007388 0001e40000000800|k.cu:12 50|5 0 0
00b0 EXIT|000000000000794d 000fea0003800000||1 0 0
"""
_EMPTY = "0000 EXIT|000000000000794d 000fea0003800000|k.cu:20 60|1 0 0\n"
_KERNELS = {"histogram": _HISTOGRAM, "empty": _EMPTY}

PEAKS = (7, 10)
"""The instructions of the first kernel where six and five registers are alive."""


def _places(words: str) -> str:
    where, _, ptx = words.partition(" ")
    frames = [frame.rpartition(":") for frame in where.split("<") if frame]
    lines = []
    for (file, _, line), caller in zip(frames, [*frames[1:], None], strict=False):
        inlined = f' inlined at "{caller[0]}", line {caller[2]}' if caller else ""
        lines.append(f'\t//## File "{file}", line {line}{inlined}\n')
    if ptx:
        lines.append(f'\t//## File ".nv_debug_ptx_txt", line {ptx}\n')
    return "".join(lines)


def _texts() -> tuple[str, str, list[str]]:
    code, live, shown = [], ["// | GPR | PRED | UGPR |\n"], []
    for name, rows in _KERNELS.items():
        head = _HEAD.format(name=name)
        code.append(head)
        live.append(head + "// | GPR | PRED | UGPR |\n")
        shown += head.splitlines()
        for row in rows.splitlines():
            words, halves, places, counts = row.split("|")
            address, _, text = words.partition(" ")
            low, high = halves.split()
            line = f"        /*{address}*/  {text} ;"
            code.append(f"{_places(places)}{line}  /* 0x{low} */\n    /* 0x{high} */\n")
            live.append(f"{line} // | {' | '.join(counts.split())} |\n")
            shown.append(line)
        live.append("// Legend:\n")
    return "".join(code), "".join(live), shown


@cache
def sass() -> tuple[list[str], Disassembly]:
    """The lines that a pane shows, and the code in them."""
    code, live, shown = _texts()
    return shown, with_live(read_code(code), read_live(live))


def rows() -> ListingRows:
    """Which of these lines is which instruction."""
    return ListingRows(*sass())


def line_of(index: int, kernel: int = 0) -> int:
    """The line of an instruction, from 0."""
    return rows().line(sass()[1].functions[kernel], index)
