from array import array
from dataclasses import replace

from jitstudio.core.figures import FIGURES
from jitstudio.core.result import Resources
from jitstudio.gui.features.report.model import (
    FINDING_COLUMNS,
    class_rows,
    explanation,
    figures,
    findings_as_text,
    mix,
    place_text,
    read,
)
from jitstudio.listing.lines import NOWHERE
from tests.gui.readings import FAST_KERNEL, SLOW_KERNEL, reading

PEAK = "Live at the peak"


def by_name(found):
    return {figure.name: figure for figure in figures(found)}


def test_all_that_was_told_is_shown():
    told = by_name(reading(SLOW_KERNEL))
    assert told[FIGURES["shared_bytes"].label].text == "4,096"
    assert told["Most threads per block"].text == "128"
    assert told["Bytes spilled"].text == "0"
    assert told["Barriers"].text == "1"
    assert told["Registers"].text.isdigit()


def test_what_nobody_told_is_left_out():
    bare = reading(FAST_KERNEL)
    told = by_name(read(bare.function, Resources(registers=9), bare.arch))
    assert list(told) == ["Registers", "Code", PEAK]


def test_registers_that_nobody_counted_are_said_to_be_missing():
    bare = reading(FAST_KERNEL)
    function = replace(bare.function, live=array("H"))
    told = by_name(read(function, Resources(registers=9), bare.arch, unknown="By old code."))
    figure = told[PEAK]
    assert (figure.text, figure.meaning) == ("not counted", "By old code.")


def test_the_peak_leads_to_its_instruction():
    found = reading(SLOW_KERNEL)
    told = by_name(found)
    index = told[PEAK].index
    assert found.function.live_at(index).gpr == found.report.peak.gpr
    assert told["Registers"].index == NOWHERE


def test_findings_are_told_with_their_line():
    found = {one.rule: one for one in reading(SLOW_KERNEL).findings}
    assert set(found) == {"strided", "double"}
    assert place_text(found["strided"]) == "kernel.cu:4"
    assert place_text(found["double"]) == "kernel.cu:6"
    assert place_text(replace(found["double"], places=(), ptx_line=46)) == "PTX:46"
    assert place_text(replace(found["double"], places=(), ptx_line=0)) == ""
    reason, remedy = explanation(found["double"]).split("\n\n")
    assert "DMUL" in reason
    assert "0.1f" in remedy
    marks = {FINDING_COLUMNS[0].mark(one) for one in found.values()}
    assert marks == {"warning"}


def test_findings_are_copied_as_text():
    text = findings_as_text(reading(SLOW_KERNEL).findings)
    assert text.startswith("kernel.cu:4 Probably uncoalesced loads\n")
    assert text.count("\n\n") == 1


def test_a_clean_kernel_has_no_findings():
    assert reading(FAST_KERNEL).findings == ()


def test_classes_add_up():
    found = reading(FAST_KERNEL)
    rows = class_rows(found)
    assert sum(row.count for row in rows) == found.report.instructions
    assert abs(sum(row.share for row in rows) - 1) < 1e-9
    titles = {(row.group, row.title): row.count for row in rows}
    assert titles["memory", "global load, 32 bit"] == 1
    assert titles["memory", "global store, 32 bit"] == 1


def test_the_mix_has_no_empty_groups_and_the_frequent_opcodes_first():
    shown = mix(reading(FAST_KERNEL))
    assert all(count for _, count in shown.groups)
    counts = [count for _, count in shown.opcodes]
    assert counts == sorted(counts, reverse=True)
    assert dict(shown.opcodes)["LDG"] == 1
