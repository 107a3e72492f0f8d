import time
from threading import Event

import pytest

from jitstudio.gui.state.file_reader import FileReader
from jitstudio.gui.state.files import DocumentError


@pytest.fixture
def reader(qapp):
    return FileReader()


def test_what_is_quick_has_gone_on_in_order(reader):
    came = []
    for number, seconds in enumerate((0.02, 0.01, 0.0)):
        reader.start(lambda n=number, s=seconds: [n, time.sleep(s)][0], came.append)
    assert came == []
    assert reader.settle(10)
    assert came == [0, 1, 2]


def test_a_disk_that_does_not_answer_keeps_neither_the_window_nor_others_waiting(reader, qtbot):
    answers, came = Event(), []
    reader.start(lambda: answers.wait(60) and "late", came.append)
    reader.start(lambda: "quick", came.append)
    start = time.monotonic()
    assert not reader.settle(0.2)
    assert time.monotonic() - start < 5
    assert came == ["quick"]
    # Nor is it waited for again.
    reader.start(lambda: "next", came.append)
    assert reader.settle(10)
    assert came == ["quick", "next"]
    answers.set()
    qtbot.waitUntil(lambda: len(came) == 3)
    assert came[2] == "late"


@pytest.mark.parametrize(
    ("error", "told"),
    [(DocumentError("'k.cu' is gone."), "'k.cu' is gone."), (MemoryError(), "MemoryError")],
)
def test_what_goes_wrong_is_handed_over(reader, error, told):
    def fail():
        raise error

    came = []
    reader.start(fail, came.append)
    assert reader.settle(10)
    assert isinstance(came[0], DocumentError)
    assert str(came[0]) == told


def test_who_is_gone_is_not_told(qapp, qtbot):
    reader, answers, came = FileReader(), Event(), []
    reader.start(lambda: answers.wait(60), came.append)
    reader.settle(0)
    reader.deleteLater()
    qtbot.wait(10)
    answers.set()
    qtbot.wait(50)
    assert came == []
