import time
from threading import Event

import pytest
from PySide6.QtCore import QTimer

from jitstudio.gui.state import file_reader
from jitstudio.gui.state.document_files import DocumentError
from jitstudio.gui.state.file_reader import FileReader


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


def test_what_is_waited_for_is_given_back_and_events_go_on_meanwhile(reader, qtbot):
    answers, waited, beats = Event(), [], []
    reader.waits.connect(lambda: waited.append(True))
    assert reader.outcome(lambda: "quick") == "quick"
    assert waited == []
    timer = QTimer(interval=5)
    timer.timeout.connect(lambda: [beats.append(1), len(beats) > 20 and answers.set()])
    timer.start()
    file_reader.MOMENT = 0.05
    assert reader.outcome(lambda: answers.wait(60) and "late") == "late"
    assert waited == [True]
    assert len(beats) > 20


def test_a_second_that_waits_is_refused_and_the_end_of_the_program_ends_the_wait(reader, qapp):
    answers, told = Event(), []

    def again():
        with pytest.raises(DocumentError) as error:
            reader.outcome(lambda: "second")
        told.append(str(error.value))
        qapp.exit()

    file_reader.MOMENT = 0.05
    QTimer.singleShot(10, again)

    def begin():
        with pytest.raises(DocumentError, match="The program ends before the disk answers"):
            reader.outcome(lambda: answers.wait(60))

    QTimer.singleShot(0, begin)
    qapp.exec()
    answers.set()
    assert told == ["The disk has not answered yet. Try again once it has."]
    with pytest.raises(DocumentError, match="no such"):
        reader.outcome(lambda: fail("no such"))


def fail(words):
    raise OSError(words)


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
