from dataclasses import replace

from jitstudio.cli.text_launch import print_launch
from jitstudio.cli.text_output import print_diagnostics, print_stages
from jitstudio.core.arch import Arch
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.launch.result import (
    CheckResult,
    KernelFacts,
    LaunchOutcome,
    LaunchResult,
    Mismatch,
    Timing,
)
from jitstudio.core.result import BuildResult, Outcome
from tests.devices import H200

# 4000 GB/s
GPU = replace(H200, memory_clock_khz=3_200_000, memory_bus_bits=5000)
RAN = LaunchResult(
    LaunchOutcome.RAN,
    "saxpy<float>",
    device="H200",
    facts=KernelFacts(16, 1024, 0, 0, 1024, 90, 90, (), 8, 0.75, 1024),
    timing=Timing((0.5, 0.25, 0.75)),
    checks=(CheckResult("y", "a * x", True, 1000, largest_absolute=1e-7),),
    moved_bytes=500_000_000,
    total_ms=20,
)


def printed(capsys, result, device=GPU):
    print_launch(result, device)
    return capsys.readouterr()


def test_a_launch_is_told_line_by_line(capsys):
    out, err = printed(capsys, RAN)
    assert out.splitlines() == [
        "kernel     saxpy<float>",
        "device     H200",
        "needs      16 registers a thread, 1,024 bytes of static shared memory, occupancy 75%",
        "time       median 0.5 ms, minimum 0.25 ms, quartiles 0.375 to 0.625 ms, of 3",
        "bandwidth  1,000 GB/s, 25% of the memory's peak",
        "check      y = a * x: all 1,000 elements as expected, largest error 1e-07, relative 0",
    ]
    assert err == "ran in 20 ms\n"


def test_without_a_known_peak_there_is_no_share_of_it(capsys):
    unknown = replace(GPU, memory_clock_khz=0)
    assert "bandwidth  1,000 GB/s\n" in printed(capsys, RAN, unknown).out


def test_a_failed_check_tells_its_first_mismatches(capsys):
    check = CheckResult("y", "a * x", False, 8, 2, 1.0, 0.5, (Mismatch((3, 1), "2.0", "4.0"),))
    out, _ = printed(capsys, replace(RAN, outcome=LaunchOutcome.WRONG, checks=(check,)))
    assert out.splitlines()[-2:] == [
        "WRONG      y = a * x: 2 of 8 elements differ, largest error 1, relative 0.5",
        "           y[3, 1] is 2.0, expected 4.0",
    ]


def test_a_check_of_a_part_says_which_and_what_was_left_out(capsys):
    check = CheckResult("y", "2", True, 254, part="[1:-1]", left_out=2)
    out, _ = printed(capsys, replace(RAN, checks=(check,)))
    assert out.splitlines()[-1] == (
        "check      y[1:-1] = 2: all 254 elements as expected, largest error 0, relative 0; "
        "2 others of y are not compared"
    )


def test_a_check_that_could_not_be_made_says_why(capsys):
    check = CheckResult("y", "b", False, problem="There is no 'b'.")
    out, _ = printed(capsys, replace(RAN, checks=(check,)))
    assert out.splitlines()[-1] == "CHECK      y = b: There is no 'b'."


def test_what_went_wrong_is_told_in_full_and_what_was_printed_not_again(capsys):
    error = Diagnostic(Severity.ERROR, "k.cu", 7, None, "An assert failed.", explanation="Look.")
    out, err = printed(
        capsys,
        LaunchResult(
            LaunchOutcome.TIMED_OUT,
            "k",
            console="hello\nthere\n",
            diagnostics=(error,),
        ),
    )
    assert len(out.splitlines()) == 1
    assert err.splitlines() == [
        "k.cu:7: error: An assert failed.",
        "    Look.",
        "timed out in 0 ms",
    ]


EXPLANATION = (
    "It is explained in words that go on for longer than one line of a terminal has room. " * 2
)
EXPLAINED = Diagnostic(Severity.ERROR, "k.cu", 3, 1, "no such thing", explanation=EXPLANATION)
PLAIN = Diagnostic(Severity.WARNING, "k.cu", 4, None, "never used")


def test_a_command_in_an_explanation_can_be_copied(capsys):
    command = "/home/somebody/work/kernels/.venv/bin/python -m pip install 'numba-cuda[cu13]'"
    explanation = f"The interpreter of this script lacks it. Install it with: {command}."
    print_diagnostics([Diagnostic(Severity.ERROR, "k.py", 1, None, "No.", explanation=explanation)])
    printed = capsys.readouterr().err.split()
    assert set(command.split()[:-1]) < set(printed)
    assert "'numba-cuda[cu13]'." in printed


def test_an_explanation_stands_below_its_diagnostic(capsys):
    print_stages(BuildResult(Outcome.FAILED, Arch(90), diagnostics=(EXPLAINED, PLAIN)))
    first, *indented, last = capsys.readouterr().err.splitlines()
    assert first == "k.cu:3:1: error: no such thing"
    assert " ".join(line.strip() for line in indented) == EXPLANATION.strip()
    assert len(indented) == 2
    assert all(line.startswith("    ") and len(line) <= 96 for line in indented)
    assert last == "k.cu:4: warning: never used"
