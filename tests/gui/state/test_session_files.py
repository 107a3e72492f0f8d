import threading

import pytest

from jitstudio.gui.state.session_files import FileWriter
from tests.gui.driver import pause


@pytest.fixture
def writer(tmp_path):
    writer = FileWriter(tmp_path / "kept")
    yield writer
    writer.finish()


def test_what_was_asked_for_last_is_in_the_file(writer, qtbot, tmp_path):
    hold, begun, told = threading.Event(), threading.Event(), []
    writer.written.connect(told.append)

    def slow():
        begun.set()
        hold.wait(60)
        return b"first"

    writer.write(slow)
    assert begun.wait(60)
    writer.write(lambda: b"never written")
    last = writer.write(lambda: b"last")
    hold.set()
    qtbot.waitUntil(lambda: told[-1:] == [last])
    assert (tmp_path / "kept").read_bytes() == b"last"
    assert len(told) == 2


def test_waiting_tells_how_it_went_and_tells_it_once(writer, tmp_path, full_disk):
    told = []
    writer.written.connect(told.append)
    writer.failed.connect(lambda number, problem: told.append((number, problem)))
    writer.write(lambda: b"fine")
    assert writer.finish() == ""
    with full_disk():
        writer.write(lambda: b"too much")
        problem = writer.finish()
    pause(10)
    assert problem
    assert told == [1, (2, problem)]
    assert (tmp_path / "kept").read_bytes() == b"fine"


def test_a_content_that_cannot_be_made_is_not_taken_for_written(writer):
    writer.write(lambda: (_ for _ in ()).throw(ValueError("no such content")))
    assert writer.finish() == "no such content"


def test_what_is_there_already_is_not_written_again(writer, tmp_path):
    def written(content):
        writer.write(lambda: content)
        assert writer.finish() == ""
        return (tmp_path / "kept").stat().st_ino

    first = written(b"text")
    assert written(b"text") == first
    assert written(b"more") != first
    (tmp_path / "kept").unlink()
    written(b"more")
    assert (tmp_path / "kept").read_bytes() == b"more"
