"""Options of nvdisasm. Options whose output is no listing (graphs, JSON) are left out.

`-g` is no other name of `--print-line-info` here: it is the debug information of the compilers.
"""

from __future__ import annotations

from jitstudio.core.options.spec import OptionGroup, OptionSpec, choice, option, text

ROWS: tuple[OptionSpec, ...] = (
    option(
        OptionGroup.DISASSEMBLY,
        "Encodings",
        "Shows the bytes of every instruction.",
        disasm="--print-instruction-encoding",
        also="-hex",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Source lines",
        "Names the source line before the instructions made of it; needs line information.",
        disasm="--print-line-info",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Source lines with inlining",
        "Names the source line and the calls that were inlined to get there.",
        disasm="--print-line-info-inline",
        also="-gi",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "PTX lines",
        "Names the line of the PTX before the instructions made of it.",
        disasm="--print-line-info-ptx",
        also="-gp",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Live registers",
        "Shows in a column which registers are live; line numbers are left out then.",
        disasm="--print-life-ranges",
        also="-plr",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Form of live registers",
        "How live registers are shown: as a count, or as columns far or close together.",
        disasm="--life-range-mode",
        also="-lrm",
        value=choice("count", "wide", "narrow"),
        default="wide",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Space between functions",
        "Puts blank lines between functions.",
        disasm="--separate-functions",
        also="-sf",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Sorted sections",
        "Sorts the sections by name.",
        disasm="--sort-sections",
        also="-sort",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Only these functions",
        "The indices in the symbol table, with commas between, of the functions to show.",
        disasm="--cuda-function-index",
        also="-fun",
        value=text("1"),
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "No dataflow analysis",
        "Does not work out where indirect branches lead to.",
        disasm="--no-dataflow",
        also="-ndf",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "No paired instructions",
        "Writes instructions that issue together one by one.",
        disasm="--no-vliw",
        also="-novliw",
    ),
    option(
        OptionGroup.DISASSEMBLY,
        "Raw",
        "Leaves the listing as it is, without any layout.",
        disasm="--print-raw",
        also="-raw",
    ),
)
