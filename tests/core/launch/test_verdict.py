from dataclasses import replace

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.c_types import FLOAT
from jitstudio.core.launch.device import SIMULATOR
from jitstudio.core.launch.judging import judged
from jitstudio.core.launch.request import Direction, Expectation, LaunchConfig, LaunchRequest
from jitstudio.core.launch.result import (
    BufferResult,
    CheckResult,
    Counterpart,
    KernelFacts,
    LaunchOutcome,
    LaunchResult,
    OutOfBoundsWrite,
    SanitizerFinding,
    Timing,
    unchecked,
)

REQUEST = LaunchRequest(b"", CodeKind.CUBIN, "_Z1kv", "k", 0, (), 0, LaunchConfig())
RAN = LaunchResult(LaunchOutcome.RAN, "k")
OUT = BufferResult("out", FLOAT, 100, Direction.OUT)


def judge(**found):
    return judged(REQUEST, replace(RAN, **found))


def test_a_launch_without_fault_stays_as_it_is():
    assert judge(buffers=(replace(OUT, unwritten=0),)) == replace(
        RAN, buffers=(replace(OUT, unwritten=0),)
    )


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (
            {"seed": 3, "blocks": 2},
            "on a GPU, but in the simulator only: a number of blocks, a seed",
        ),
        ({"device": SIMULATOR, "repeats": 20}, "in the simulator: timed launches"),
    ],
)
def test_what_has_no_meaning_where_it_ran_is_named(asked, words):
    (told,) = judged(replace(REQUEST, **asked), RAN).diagnostics
    assert (told.severity, told.message) == (Severity.INFO, f"This has no meaning {words}.")


@pytest.mark.parametrize(
    ("stray", "words"),
    [
        (OutOfBoundsWrite(False, 0, 4), "4 bytes, right after 'out' (element 100)"),
        (OutOfBoundsWrite(False, 8, 12), "12 bytes, 8 bytes after 'out' (element 102)"),
        (OutOfBoundsWrite(True, 0, 4), "4 bytes, right before 'out' (element -1)"),
    ],
)
def test_a_write_out_of_bounds_is_placed(stray, words):
    result = judge(buffers=(replace(OUT, strays=(stray,)),))
    assert result.outcome is LaunchOutcome.WRONG
    (told,) = result.diagnostics
    assert told.message == f"The kernel wrote out of bounds: {words}."


@pytest.mark.parametrize(
    ("unwritten", "first", "words"),
    [
        (100, 0, "No element of 'out' was ever written."),
        (7, 93, "7 of 100 elements of 'out' were never written, the first at 93."),
    ],
)
def test_what_was_never_written_is_a_warning(unwritten, first, words):
    result = judge(buffers=(replace(OUT, unwritten=unwritten, first_unwritten=first),))
    assert result.ok
    (told,) = result.diagnostics
    assert (told.severity, told.message) == (Severity.WARNING, words)


def test_a_failed_check_is_the_reason():
    result = judge(checks=(CheckResult("out", "in * 2", False, 100, 3),))
    assert result.outcome is LaunchOutcome.WRONG
    assert result.reason == ("Ran, but something is wrong: 3 of 100 elements of 'out' are wrong.")


def test_a_check_that_could_not_be_made_is_no_pass():
    check = unchecked(Expectation("out", "m"), "m is not known")
    result = judge(checks=(check,))
    assert result.outcome is LaunchOutcome.WRONG
    assert "'out' could not be checked: m is not known." in result.reason


def test_failed_asserts_of_one_line_are_one_error():
    line = "k.cu:7: void k(int *): block: [0,1,0], thread: [{},0,0] Assertion `x > 0` failed."
    console = "printed\n" + "\n".join(line.format(n) for n in range(5)) + "\n"
    result = judged(REQUEST, replace(RAN, outcome=LaunchOutcome.FAILED, console=console))
    (told,) = result.diagnostics
    assert (told.file, told.line) == ("k.cu", 7)
    assert told.message == (
        "Assertion `x > 0` failed in void k(int *), thread (0,0,0) of block (0,1,0) and 4 more "
        "threads."
    )


def test_what_the_sanitizer_found_has_its_line():
    result = judge(findings=(SanitizerFinding("Race reported", "k", "k.cu", 3, 2),))
    assert result.outcome is LaunchOutcome.WRONG
    (told,) = result.diagnostics
    assert (told.file, told.line, told.message) == ("k.cu", 3, "Race reported in k (2 times).")


def test_what_the_driver_made_stands_beside_the_cubin():
    driver, cubin = (KernelFacts(registers, 0, 0, 0, 1024, 90, 90, ()) for registers in (24, 22))
    other = Counterpart(cubin, Timing((0.5,)))
    result = judge(facts=driver, timing=Timing((0.625,)), counterpart=other)
    (told,) = result.diagnostics
    assert (told.severity, told.message) == (
        Severity.INFO,
        (
            "The driver's compiler: 24 registers, 0 bytes of local memory, 0.625 ms. "
            "The cubin of the build: 22 registers, 0 bytes of local memory, 0.5 ms."
        ),
    )
