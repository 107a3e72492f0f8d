"""The key figures of a kernel: their values, their words, and what a change makes of them."""

import re

import pytest

from jitstudio.analysis.key_figures import (
    Alarm,
    Earlier,
    Figure,
    KeyFigures,
    code_figures,
    figures_line,
    in_words,
    run_figures,
)
from jitstudio.core.arch import Arch
from jitstudio.core.launch.result import CheckResult, LaunchOutcome, LaunchResult
from jitstudio.core.launch.simulation import LineCounts, Simulation
from jitstudio.core.result import Resources

SM_90 = Arch.parse("sm_90")


def needs(registers=32, spilled=0, reloaded=0, **more):
    more = {"shared_bytes": 0, "barriers": 0} | more
    return Resources(registers, spilled, reloaded, **more)


def words(now, *earlier):
    return {figure.figure: figure for figure in in_words(now, earlier)}


def before(figures):
    return Earlier(figures, "the build before")


def test_a_line_has_the_known_figures_in_their_order():
    figures = code_figures(needs(128), SM_90, 1174)
    line = figures_line("saxpy<float>", in_words(figures))
    # 128 registers of 256 threads: two blocks of the 65,536 of a multiprocessor, so 16 of 64 warps.
    assert line == "saxpy<float> · 128 regs · 0 spills · 25 % occupancy · 1,174 instr"


def test_what_is_not_known_is_left_out():
    assert in_words(code_figures(None, SM_90)) == ()
    assert set(words(code_figures(needs(32), Arch.parse("sm_199")))) == {
        Figure.REGISTERS,
        Figure.SPILLS,
    }
    # A cubin that was opened: nobody reports what ptxas spilled.
    assert Figure.SPILLS not in words(code_figures(Resources(registers=8), SM_90))


def test_changes_are_against_the_build_before_and_the_baseline():
    now = code_figures(needs(128), SM_90, 1174)
    earlier = code_figures(needs(120), SM_90, 1186)
    pinned = Earlier(code_figures(needs(116), SM_90, 1174), "baseline a.cu", is_baseline=True)
    said = words(now, before(earlier), pinned)
    assert said[Figure.REGISTERS].text == "128 regs (+8, +12 since baseline)"
    assert said[Figure.INSTRUCTIONS].text == "1,174 instr (\N{MINUS SIGN}12)"
    meaning = said[Figure.REGISTERS].meaning
    assert "120 in the build before." in meaning
    assert "116 in baseline a.cu." in meaning
    assert said[Figure.SPILLS] == words(now)[Figure.SPILLS]


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        (0, "▲ 48 B spilled (+48)"),
        (48, "48 B spilled"),
        (64, "48 B spilled (\N{MINUS SIGN}16)"),
    ],
)
def test_spills_are_an_error_and_more_of_them_point_upwards(earlier, text):
    spilling = words(code_figures(needs(spilled=48), SM_90), before(KeyFigures(spills=earlier)))
    assert (spilling[Figure.SPILLS].text, spilling[Figure.SPILLS].alarm) == (text, Alarm.ERROR)


def test_values_that_are_only_read_back_are_spilled_too():
    assert code_figures(needs(spilled=0, reloaded=16), SM_90).spills == 16


def test_spills_that_are_gone_are_no_alarm():
    gone = words(code_figures(needs(), SM_90), before(KeyFigures(spills=48)))[Figure.SPILLS]
    assert (gone.text, gone.alarm) == ("0 spills (\N{MINUS SIGN}48)", Alarm.NONE)


def test_an_occupancy_that_falls_warns_and_one_that_rises_does_not():
    low, high = code_figures(needs(128), SM_90), code_figures(needs(64), SM_90)
    fallen = words(low, before(high))[Figure.OCCUPANCY]
    assert (fallen.text, fallen.alarm) == ("▼ 50 → 25 % occupancy", Alarm.WARNING)
    assert "16 of 64 warps with 256 threads per block" in fallen.meaning
    assert "registers" in fallen.meaning
    risen = words(high, before(low))[Figure.OCCUPANCY]
    assert (risen.text, risen.alarm) == ("25 → 50 % occupancy", Alarm.NONE)


@pytest.mark.parametrize(
    ("earlier", "text"),
    [
        # The build before has 128 registers, too: only the baseline with 32 has all warps.
        (128, "▼ 100 → 25 % occupancy since baseline"),
        (64, "▼ 50 → 25 % occupancy"),
        # Better than the build before, though worse than the baseline: it has not fallen.
        (168, "12 → 25 % occupancy"),
    ],
)
def test_an_occupancy_says_since_when_it_has_changed(earlier, text):
    pinned = Earlier(code_figures(needs(32), SM_90), "the baseline a.cu", is_baseline=True)
    now = code_figures(needs(128), SM_90)
    said = words(now, before(code_figures(needs(earlier), SM_90)), pinned)[Figure.OCCUPANCY]
    assert (said.text, said.alarm) == (text, Alarm.WARNING)
    assert "100 % in the baseline a.cu." in said.meaning


def test_one_of_a_kind_is_no_plural():
    code = words(code_figures(needs(1, spilled=1), SM_90, 1, threads=1))
    counted = words(KeyFigures(conflicts=1, sectors=1))
    every = [part for figure in (*code.values(), *counted.values()) for part in figure[1:3]]
    assert "1 reg" in every
    assert "1 byte per thread spilled to local memory for want of registers." in every
    assert "warps with 1 thread per block." in code[Figure.OCCUPANCY].meaning
    assert not [part for part in every if re.search(r"\b1 (?!pass\b)[a-z]+s\b", part)]
    assert words(KeyFigures(registers=21))[Figure.REGISTERS].meaning.startswith("21 registers ")


def test_the_block_of_the_launch_decides_the_occupancy():
    # 32 blocks of one warp: half of 64 warps.
    assert code_figures(needs(32), SM_90, threads=32).occupancy == 50
    assert code_figures(needs(32, max_threads=64), SM_90).filling.usage.threads == 64
    shared = code_figures(needs(32), SM_90, threads=256, dynamic_shared=100_000)
    assert shared.occupancy == 25


def checks(*holds):
    return tuple(CheckResult("y", "x", ok) for ok in holds)


def run(*, holds=(), lines=()):
    simulation = Simulation(1, 0.1, 1, 1, lines=tuple(lines))
    return run_figures(
        LaunchResult(LaunchOutcome.RAN, "k", checks=checks(*holds), simulation=simulation)
    )


def test_a_run_adds_its_checks_conflicts_and_sectors():
    lines = [
        LineCounts("a.cu", 1, 1, wavefronts=32, bank_conflicts=31, sectors=4),
        LineCounts("a.cu", 2, 2, sectors=8),
    ]
    said = words(run(holds=[True, True], lines=lines))
    assert [figure.text for figure in said.values()] == [
        "2 checks hold",
        "31 conflicts",
        "12 sectors",
    ]
    assert all(figure.alarm is Alarm.NONE for figure in said.values())


def test_a_failed_check_is_an_error():
    failed = words(run(holds=[True, False]))[Figure.CHECKS]
    assert (failed.text, failed.alarm) == ("1 of 2 checks failed", Alarm.ERROR)
    assert words(run(holds=[True]))[Figure.CHECKS].text == "1 check holds"


def test_counts_of_runs_go_from_before_to_now():
    now = KeyFigures(conflicts=0, sectors=4096)
    said = words(now, Earlier(KeyFigures(conflicts=15_872, sectors=4096), "the run before"))
    assert said[Figure.CONFLICTS].text == "15,872 → 0 conflicts"
    assert said[Figure.CONFLICTS].alarm is Alarm.NONE
    assert said[Figure.SECTORS].text == "4,096 sectors"
    worse = words(KeyFigures(conflicts=31), Earlier(now, "the run before"))[Figure.CONFLICTS]
    assert (worse.text, worse.alarm) == ("▲ 0 → 31 conflicts", Alarm.WARNING)


def test_a_gpu_counts_neither_conflicts_nor_sectors():
    figures = run_figures(LaunchResult(LaunchOutcome.RAN, "k", checks=checks(True)))
    assert set(words(figures)) == {Figure.CHECKS}
    # Without an access to shared memory there is nothing to count.
    assert Figure.CONFLICTS not in words(run(lines=[LineCounts("a.cu", 1, 1, sectors=4)]))


def test_figures_agree_where_none_is_known_to_differ():
    figures = code_figures(needs(128), SM_90)
    assert figures.agrees(code_figures(needs(128), SM_90, 10))
    assert not figures.agrees(code_figures(needs(127), SM_90))


def test_words_are_said_in_the_language_of_the_user():
    figures = code_figures(needs(128), SM_90, 1174)
    said = in_words(figures, (), lambda text: f"[{text}]")
    assert [figure.text for figure in said] == [
        "[128 regs]",
        "[0 spills]",
        "[25 % occupancy]",
        "[1,174 instr]",
    ]
