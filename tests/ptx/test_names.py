"""Every name of ptxas's tables of instructions and modifiers has its help."""

import pytest

from jitstudio.analysis.reference import Topic, reference
from jitstudio.core.code import CodeKind
from tests.ptx.names import measured, written

PTX = reference(CodeKind.PTX)
ROWS = [entry.name for entry in PTX.entries if entry.topic is Topic.INSTRUCTION]
# ptxas knows them, and no page of NVIDIA's says what they do.
UNDOCUMENTED = {
    *("cctl", "cctlu", "trace.mark", ".1d_buffer", ".cond", ".inv", ".invall", ".im2col_no_offs"),
    *(".evict_first", ".evict_last", ".evict_normal", ".evict_unchanged", ".no_allocate"),
    *(".matrix::A", ".matrix::D", ".matrix::scaleA", ".matrix::scaleB", ".matrix::sparseMetadata"),
    *(".maxabs", ".mbarrier::meet_tx::bytes", ".multicast", ".no_membermask_overlap", ".safeadd"),
    *(".scratch", ".thread"),
    ".pzo",  # of cvt since PTX 9.4: its name is all that was found
}


def has_help(name):
    """Whether a row is for this instruction, whole, or for all of its forms."""
    found = PTX.explain(name, opens=True)
    is_whole = found and found.entry.topic is Topic.INSTRUCTION and not found.unknown
    return bool(is_whole) or any(row.startswith((f"{name}.", f"{name}::")) for row in ROWS)


def test_every_instruction_that_ptxas_knows_has_its_help():
    _, instructions, _ = written()
    assert len(instructions) > 230
    assert {name for name in instructions if not has_help(name)} == UNDOCUMENTED & {*instructions}


def test_every_modifier_that_ptxas_knows_has_its_help():
    parts = {f".{part}" for row in ROWS for part in row.split(".")[1:]}
    _, _, modifiers = written()
    assert len(modifiers) > 300
    without = {name for name in modifiers if name not in parts and PTX.explain(name) is None}
    assert without == UNDOCUMENTED & {*modifiers}


@pytest.mark.parametrize("name", ["clmad", "fabric.try_put", "spdecompress", "tensormap.query"])
def test_what_came_with_ptx_9_3_to_9_5_is_among_them(name):
    assert any(known.startswith(name) for known in written()[1])


@pytest.mark.bench
@pytest.mark.tools
def test_the_list_is_that_of_ptxas():
    assert measured() == written()
