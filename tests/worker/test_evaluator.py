import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from jitstudio.core.launch.request import Buffer, Expectation, Fill, FillKind
from jitstudio.core.launch.result import Mismatch
from jitstudio.numerics.dtypes import open_buffer, save_buffer
from jitstudio.worker.evaluator import CalculationError, HostEvaluator
from jitstudio.worker.host import WorkerError
from tests.numerics.kinds import BFLOAT, FLOAT, FLOAT4, INT

pytestmark = pytest.mark.tools

X = Buffer("x", FLOAT, 0, 4, Fill(FillKind.RANGE))
IN = Buffer("in", INT, 0, 4, Fill(FillKind.CONSTANT, (2,)))
SLOW = "erf(ones(10**8)).sum()"
CANCELLED = "The calculation was cancelled."
HUNGRY = "ones(2 * 10**8).sum()"


def once_busy(pid, act):
    """Do this as soon as the process calculates; one that waits takes no processor time."""
    stat = Path(f"/proc/{pid}/stat")

    def ticks():
        return sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13]))

    def wait(before):
        while ticks() < before + 5:
            time.sleep(0.005)
        act()

    threading.Thread(target=wait, args=(ticks(),), daemon=True).start()


@pytest.fixture
def calculator():
    made = HostEvaluator()
    yield made
    made.close()


@pytest.fixture
def fill(calculator, tmp_path):
    def fills(element, length, fill, others=(), prepared=None, **more):
        path = tmp_path / f"{len(os.listdir(tmp_path))}.npy"
        buffer = Buffer("out", element, 0, length, fill)
        calculator.fill(buffer, {"a": 2.5, "n": 4}, others, prepared or {}, path, **more)
        return open_buffer(path, element)

    return fills


@pytest.fixture
def check(calculator, tmp_path):
    def checks(got, expression, part="", **more):
        save_buffer(tmp_path / "got.npy", np.array(got, np.float32))
        return calculator.check(
            Expectation("out", expression, part),
            FLOAT,
            len(got),
            tmp_path / "got.npy",
            {"a": 2.5},
            (X, IN),
            {},
            1e-5,
            1e-8,
            **more,
        )

    return checks


def asked(text):
    return Fill(FillKind.EXPRESSION, text=text)


def refusal(fill, text, **more):
    with pytest.raises(CalculationError) as caught:
        fill(FLOAT, 4, asked(text), **more)
    return str(caught.value)


def test_an_expression_fills_a_buffer(fill):
    assert fill(FLOAT, 4, asked("a * x + in"), (X, IN)).tolist() == [2, 4.5, 7, 9.5]
    assert fill(BFLOAT, 3, asked("i / 2")).tolist() == [0, 0.5, 1]
    assert fill(FLOAT4, 2, asked("i")).tolist() == [[0] * 4, [1] * 4]
    assert fill(INT, 0, asked("i")).tolist() == []


def test_a_file_fills_a_buffer(fill, tmp_path):
    (tmp_path / "values.csv").write_text("value\n3\n4\n")
    assert fill(INT, 2, Fill(FillKind.FILE, text=str(tmp_path / "values.csv"))).tolist() == [3, 4]


def test_what_was_filled_before_can_be_referred_to(fill, tmp_path):
    squares = Buffer("squares", INT, 0, 3, asked("i * i"))
    save_buffer(tmp_path / "s.npy", np.array([0, 1, 4], np.int32))
    found = fill(INT, 3, asked("squares + 1"), (squares,), {"squares": tmp_path / "s.npy"})
    assert found.tolist() == [1, 2, 5]
    with pytest.raises(CalculationError, match="content of squares is"):
        fill(INT, 3, asked("squares + 1"), (squares,))


def test_what_cannot_be_filled_is_told(fill, tmp_path):
    assert refusal(fill, "nope + 1").startswith("The content of out: nope is not known ")
    told = "The content of out: There are 3 numbers, not 4 elements of float."
    assert refusal(fill, "arange(3)") == told
    with pytest.raises(CalculationError, match=r"no file .*nowhere\.npy"):
        fill(FLOAT, 4, Fill(FillKind.FILE, text=str(tmp_path / "nowhere.npy")))


def test_a_file_that_cannot_be_written_is_told(calculator, tmp_path):
    buffer = Buffer("out", FLOAT, 0, 4, asked("i"))
    with pytest.raises(CalculationError, match="The content of out cannot be kept: No such file"):
        calculator.fill(buffer, {}, (), {}, tmp_path / "no" / "folder.npy")


def test_a_check_says_whether_all_is_as_expected(check):
    good = check([2, 4.5, 7, 9.5], "a * x + in")
    assert (good.ok, good.count, good.problem) == (True, 4, "")
    bad = check([2, 4.5, 7, 9], "a * x + in")
    assert (bad.ok, bad.wrong, bad.largest_absolute) == (False, 1, 0.5)
    assert bad.mismatches == (Mismatch((3,), "9.0", "9.5"),)
    assert (bad.buffer, bad.expression) == ("out", "a * x + in")


def test_a_check_that_cannot_be_done_says_why(check):
    result = check([1, 2], "x")
    assert (result.ok, result.problem) == (False, "There are 4 numbers, not 2 elements of float.")
    assert check([1, 2], "y").problem.startswith("y is not known ")


def test_a_file_that_is_lost_is_told(calculator, tmp_path):
    given = (FLOAT, 1, tmp_path / "gone.npy", {}, (), {}, 0, 0)
    result = calculator.check(Expectation("out", "0"), *given)
    assert result.problem == "A file of the launch is lost: No such file or directory."


def test_an_expression_that_takes_too_long_is_ended_and_the_next_works(fill, check):
    start = time.perf_counter()
    words = "The calculation was stopped after 0.5 s, its time limit."
    assert refusal(fill, SLOW, timeout=0.5).startswith(words)
    assert time.perf_counter() - start < 30
    assert fill(INT, 2, asked("i")).tolist() == [0, 1]
    assert check([0], SLOW, timeout=0.5).problem.startswith(words)
    assert check([0], "0").ok


def test_an_expression_may_not_take_all_memory(tmp_path):
    small = HostEvaluator(memory_limit=1 << 30)
    try:
        save_buffer(tmp_path / "got.npy", np.zeros(1, np.float32))
        given = [FLOAT, 1, tmp_path / "got.npy", {}, (), {}, 0, 0]
        result = small.check(Expectation("out", HUNGRY), *given)
        assert "not enough memory" in result.problem
        # Nor may what it refers to.
        given[4] = (Buffer("x", FLOAT, 0, 10**9, Fill(FillKind.RANGE)),)
        result = small.check(Expectation("out", "x"), *given)
        assert result.problem.startswith("The calculation needed more memory than there is for it.")
        assert small.check(Expectation("out", "0"), *given).ok
    finally:
        small.close()


def test_even_without_a_limit_of_its_own_a_calculation_is_bounded(fill):
    assert "not enough memory" in refusal(fill, "ones(6 * 10**8).sum()")


def test_a_process_that_dies_is_told_and_replaced(calculator, fill):
    fill(INT, 1, asked("i"))
    pid = calculator.pid
    once_busy(pid, lambda: os.kill(pid, 11))
    assert "The calculation's process crashed (SIGSEGV" in refusal(fill, SLOW)
    assert fill(INT, 2, asked("i")).tolist() == [0, 1]
    assert calculator.pid not in (None, pid)


def test_a_calculation_can_be_cancelled(calculator, fill):
    fill(INT, 1, asked("i"))
    once_busy(calculator.pid, calculator.cancel)
    assert refusal(fill, SLOW) == CANCELLED
    calculator.cancel()
    assert fill(INT, 2, asked("i")).tolist() == [0, 1]


def test_closing_ends_what_is_in_progress(calculator, fill):
    closing = threading.Timer(0.5, calculator.close)
    closing.start()
    assert refusal(fill, SLOW) == CANCELLED
    closing.join()
    assert calculator.pid is None
    with pytest.raises(WorkerError, match="closed"):
        fill(INT, 2, asked("i"))


def test_the_parent_loads_nothing_that_calculates(environment):
    code = "import sys, jitstudio.worker.evaluator; print('numpy' in sys.modules)"
    words = [sys.executable, "-c", code]
    assert subprocess.check_output(words, text=True, env=environment).strip() == "False"


def test_the_child_loads_no_native_compiler(environment):
    code = "import sys, jitstudio.worker.children.evaluate; print(*sys.modules)"
    words = [sys.executable, "-c", code]
    modules = subprocess.check_output(words, text=True, env=environment).split()
    assert "jitstudio.numerics.evaluation" in modules
    assert not {"cuda", "jitstudio.toolchain", "PySide6"} & set(modules)


def test_a_part_is_checked_by_itself_and_i_is_its_indices(check):
    bad = check([9, 2, 4, 9], "x[i - 1] + i", "[1:-1]")
    assert (bad.ok, bad.count, bad.left_out, bad.target) == (False, 2, 2, "out[1:-1]")
    assert bad.mismatches == (Mismatch((1,), "2.0", "1.0"), Mismatch((2,), "4.0", "3.0"))
    assert check([9, 1, 3, 9], "x[i - 1] + i", "[1:-1]").ok
    assert check([9, 1, 3, 9], "x", "[1:-1]").problem == (
        "There are 4 numbers, not 2, as out[1:-1] has."
    )
    assert "has no elements" in check([9, 1, 3, 9], "0", "[3:1]").problem
