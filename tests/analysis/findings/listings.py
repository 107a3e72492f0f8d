"""Functions from a few lines of machine code, for what no compiler can be made to write."""

from jitstudio.analysis.findings.facts import FunctionFacts
from jitstudio.analysis.sass.reading import read_code

_HEAD = """\
\t.section\t.text.k,"ax",@progbits
\t.type\tk,@function
\t.other\tk,@"STO_CUDA_ENTRY STV_DEFAULT"
k:
.text.k:
"""


def facts_of(text: str) -> FunctionFacts:
    """A kernel of these instructions; a line that ends with a colon is a label."""
    lines = [line.strip() for line in text.strip().splitlines()]
    rows, address = [], 0
    for line in lines:
        if line.endswith(":"):
            rows.append(f"{line}\n")
        else:
            rows.append(f"        /*{address:04x}*/                   {line} ;\n")
            address += 16
    (function,) = read_code(_HEAD + "".join(rows)).functions
    return FunctionFacts(function, None)
