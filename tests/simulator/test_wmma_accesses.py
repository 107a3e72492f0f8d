"""Memory accesses of `wmma`: as many and as wide as in the SASS that ptxas makes."""

from collections import Counter

import numpy as np
import pytest

from jitstudio.core.code import CodeKind, Source
from jitstudio.simulator.observers import counts as observers
from tests.simulator.running import run
from tests.simulator.wmma_forms import HEAD, Form, forms
from tests.support import request

_WIDTHS = {"U8": 1, "64": 8, "128": 16}


def counts_of(form, stride=None):
    """The counts of the instruction of a form, with lines so far apart."""
    arrays = np.arange(1 << 13, dtype=np.uint8), np.zeros(1 << 13, np.uint8)
    text = HEAD + form.ptx
    done = run(
        text, form.name, (1, 1, 1), (32, 1, 1), *arrays, np.uint32(stride or form.stride),
        # Shared memory is read that nobody has written.
        observers=[observers.Counter()], finishes=form.space == "global",
    )  # fmt: skip
    at = next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith("wmma."))
    return next(line for line in done.result.lines if line.ptx_line == at)


def accesses_in_sass(opcodes, form):
    """How many accesses of each width, in bytes, a kernel makes for the matrix."""
    opcode = {"load": "LDG", "store": "STG"}[form.action]
    widths = Counter()
    for name in opcodes:
        if name.split(".")[0] == opcode:
            wide = next((w for part, w in _WIDTHS.items() if part in name.split(".")), 4)
            widths[wide] += 1
    return widths


@pytest.mark.tools
def test_accesses_are_those_of_the_machine_code(tools):
    checked = [form for form in forms() if form.space == "global"]
    text = HEAD + "".join(form.ptx for form in checked)
    source = Source("wmma.ptx", CodeKind.PTX, text.encode())
    code = tools.code(tools.cubin(request(source, emit="cubin", arch="sm_80")).content)
    by_name = {function.name: function for function in code.functions}
    for form in checked:
        widths = accesses_in_sass(by_name[form.name].opcodes, form)
        counts = counts_of(form)
        assert counts.requests == widths.total(), form
        # Each byte of the matrix is accessed once, by lanes of one width.
        (width,) = widths
        rows, columns = form.rows_and_columns
        assert width * 32 * counts.requests == rows * columns * form.bits // 8, form
        assert counts.bytes_used == width * 32 * counts.requests, form


# By hand from the addresses in the SASS: of each access, how many sectors the lanes touch.
@pytest.mark.parametrize(
    ("words", "stride", "requests", "sectors"),
    [
        ("load a row m16n16k16 global f16", 16, 4, 32),
        ("load a col m16n16k16 global f16", 16, 4, 32),
        ("load a row m16n16k16 global f16", 64, 4, 32),
        ("load a row m32n8k16 global f16", 16, 8, 64),
        ("load a row m8n32k16 global s8", 16, 1, 4),
        ("load a col m16n16k16 global s8", 16, 8, 32),
        ("load a col m16n16k8 global tf32", 16, 4, 16),
        ("load c row m16n16k16 global f32", 16, 4, 32),
        ("load c col m16n16k16 global f32", 16, 8, 32),
        ("load c row m8n32k16 global f32", 32, 8, 32),
        ("store d row m16n16k16 global f32", 16, 4, 32),
        ("store d col m16n16k16 global f16", 16, 4, 32),
        ("load c row m8n8k4 global f64", 8, 1, 16),
    ],
)
def test_sectors_are_those_of_each_access(words, stride, requests, sectors):
    counts = counts_of(Form(*words.split()), stride)
    assert (counts.requests, counts.sectors) == (requests, sectors)


def test_rows_in_the_same_banks_conflict_in_shared_memory():
    form = Form(*["load", "a", "row", "m16n16k16", "shared", "f16"])
    free, crowded = counts_of(form, 24), counts_of(form, 64)
    # Four matrices of 8 rows; 128 bytes apart, all rows are in the same four banks.
    assert (free.wavefronts, free.requests) == (4, 1)
    assert crowded.wavefronts == 4 * 8
    sums = Form(*["store", "d", "row", "m16n16k16", "shared", "f32"])
    assert counts_of(sums, 16).requests == 4


def test_generic_addresses_are_loaded_from_part_by_part():
    shared, generic = (
        counts_of(Form("load", "a", "row", "m16n16k16", space, "f16"), 24)
        for space in ("shared", "generic")
    )
    assert (shared.requests, generic.requests) == (1, 4)
