"""Functions and programs for tests, from the text of a listing."""

from jitstudio.analysis.diff.program import CubinProgram
from jitstudio.analysis.sass.reading import read_code


def section(name, lines, *, is_kernel=True):
    """The section of a function; `lines` are instructions, and labels with their colons."""
    kernel = f'        .other {name},@"STO_CUDA_ENTRY STV_DEFAULT"\n' if is_kernel else ""
    text, address = [], 0
    for line in lines:
        if line.endswith(":"):
            text.append(line)
        else:
            text.append(f"        /*{address:04x}*/                   {line} ;")
            address += 16
    body = "\n".join(text)
    return (
        f'\t.section .text.{name},"ax",@progbits\n        .type {name},@function\n{kernel}'
        f"{name}:\n.text.{name}:\n{body}\n"
    )


def program(*sections, demangled=None):
    """A program of these sections."""
    return CubinProgram(read_code("\t.target sm_90\n" + "".join(sections)), (), demangled or {})
