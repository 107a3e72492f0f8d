"""What goes through the socket, and what else may come to it: it is answered with a sentence."""

import contextlib
import os
import socket
import struct
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from jitstudio.commands import handover as handovers
from jitstudio.commands.handover import HandoverServer, NoWindow, hand_over, windows
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.handover import (
    HEAD_BYTES,
    LARGEST_MESSAGE,
    MARK,
    VERSION,
    HandedCode,
    Handover,
    HandoverAnswer,
    HandoverError,
    answer,
    length_in,
    message,
    read_answer,
    read_message,
)

CODE = HandedCode("größer.ptx", CodeKind.PTX, b".version 8.0\n\xff")
HANDED = Handover((CODE, HandedCode("k.cubin", CodeKind.CUBIN, bytes(3_000_000))), ("/tmp/a.cu",))


def head(length, mark=MARK, version=VERSION):
    return struct.pack("<9sHQ", mark, version, length)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return the folder of the sockets, whose path is too long for one."""
    found = tmp_path / ("long" * 30)
    monkeypatch.setenv("JITSTUDIO_RUNTIME_DIR", str(found))
    monkeypatch.setattr(handovers, "_QUIET_SECONDS", 0.3)
    return found


@pytest.fixture
def taken():
    return []


@pytest.fixture
def window(taken):
    """Return a server that has all it takes put into `taken`."""

    def take(handover):
        taken.append(handover)
        return HandoverAnswer(tuple(code.name for code in handover.code))

    server = HandoverServer(take)
    yield server
    server.close()


def said(sent, *, ends=True):
    """Return what a window says to these bytes."""
    (path,) = windows()
    with socket.socket(socket.AF_UNIX) as client, handovers._short(path) as name:
        client.settimeout(10)
        client.connect(name)
        with contextlib.suppress(OSError):
            client.sendall(sent)
            if ends:
                client.shutdown(socket.SHUT_WR)
        return read_answer(handovers._receive(client, 10, 10)).problem


def test_a_message_comes_back_as_it_was():
    sent = message(HANDED)
    assert length_in(sent) == len(sent) - HEAD_BYTES
    assert read_message(sent[HEAD_BYTES:]) == HANDED
    given = HandoverAnswer(("a.ptx",), "no " * 5000)
    assert read_answer(answer(given)[HEAD_BYTES:]).problem == given.problem[:4096]


@pytest.mark.parametrize(
    ("handover", "words"),
    [
        (Handover(), "nothing in it to show"),
        (Handover((CODE,) * 101), "at most 100 tabs"),
        (Handover((HandedCode("../up.ptx", CodeKind.PTX, b""),)), "not the name of a tab"),
        (Handover((HandedCode("a\n.ptx", CodeKind.PTX, b""),)), "not the name of a tab"),
        (Handover((HandedCode("a" * 300, CodeKind.PTX, b""),)), "not the name of a tab"),
        (Handover((HandedCode("", CodeKind.PTX, b""),)), "not the name of a tab"),
        (Handover((HandedCode("..", CodeKind.PTX, b""),)), "not the name of a tab"),
        (Handover((HandedCode("ö" * 99 + ".ptx", CodeKind.PTX, b""),)), "at most 200 bytes"),
        (Handover((HandedCode("a.cu", CodeKind.PYTHON, b""),)), r"is Python, whose .* '\.py'"),
        (Handover((HandedCode("a.sass", CodeKind.SASS, b""),)), "is SASS, which no tab holds"),
        (Handover(paths=("relative.cu",)), "not an absolute path"),
        (Handover(paths=("/a\0b",)), "not an absolute path"),
    ],
)
def test_what_cannot_be_opened_is_refused_at_both_ends(handover, words, window, monkeypatch):
    with pytest.raises(HandoverError, match=words):
        message(handover)
    monkeypatch.setattr("jitstudio.core.handover._check", lambda _handover: None)
    sent = message(handover)
    monkeypatch.undo()
    with pytest.raises(HandoverError, match=words):
        read_message(sent[HEAD_BYTES:])


def test_code_is_named_by_its_kind():
    sources = [Source(name, CodeKind.PYTHON, b"") for name in ("a.py", "mine", "a.cu")]
    assert [code.name for code in Handover.of(sources).code] == ["a.py", "mine.py", "a.cu.py"]


def test_a_window_gets_what_is_handed_over(window, taken, folder):
    assert hand_over(HANDED).tabs == ("größer.ptx", "k.cubin")
    assert taken == [HANDED]
    (path,) = windows()
    assert (path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    window.close()
    assert windows() == []
    with pytest.raises(NoWindow, match=r"No window of jitstudio is open\."):
        hand_over(HANDED)


def test_of_two_windows_the_one_used_last_gets_it():
    servers = [HandoverServer(lambda _, n=n: HandoverAnswer((f"{n}",))) for n in (1, 2)]
    os.utime(servers[0]._path, (1, 1))
    assert hand_over(HANDED).tabs == ("2",)
    os.utime(servers[1]._path, (0, 0))
    servers[0].touch()
    assert hand_over(HANDED).tabs == ("1",)
    servers[0].close()
    assert hand_over(HANDED).tabs == ("2",)
    servers[1].close()


def test_what_a_killed_window_has_left_is_passed_over_and_removed(window, folder, taken):
    left = folder / "1-killed.window"
    with socket.socket(socket.AF_UNIX) as killed, handovers._short(left) as name:
        killed.bind(name)
        os.utime(left, (2**33, 2**33))
    (folder / "2-text.window").write_text("")
    assert windows()[0] == left
    hand_over(HANDED)
    assert taken
    assert not left.exists()


def test_a_folder_of_others_is_not_used(window, folder):
    folder.chmod(0o770)
    with pytest.raises(HandoverError, match="can be written to by another user"):
        hand_over(HANDED)
    folder.chmod(0o700)


@pytest.mark.skipif(os.getuid() != 0, reason="gives a folder to another user")
def test_a_folder_of_another_user_hides_no_window(window, folder, tmp_path, monkeypatch):
    foreign, writable = tmp_path / "foreign", tmp_path / "writable"
    for each in (foreign, writable):
        each.mkdir()
    os.chown(foreign, 12345, 12345)
    writable.chmod(0o777)
    monkeypatch.setattr(handovers, "runtime_folders", lambda: (foreign, writable, folder))
    assert hand_over(HANDED).tabs == ("größer.ptx", "k.cubin")
    monkeypatch.setattr(handovers, "runtime_folders", lambda: (foreign,))
    with pytest.raises(NoWindow):
        hand_over(HANDED)


def test_another_users_program_is_refused(window, taken, monkeypatch):
    monkeypatch.setattr(handovers, "_peer", lambda _client: os.getuid() + 1)
    assert said(message(HANDED)) == "The program is another user's."
    assert taken == []


def test_garbage_is_answered_with_a_sentence(window, taken):
    sent = message(HANDED)
    body = sent[HEAD_BYTES:]
    for bad, words in (
        (b"", "ends before its head"),
        (b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", "none of jitstudio"),
        (os.urandom(5000), "none of jitstudio"),
        (head(4, version=2) + b"abcd", "has version 2, and this jitstudio knows version 1"),
        (head(LARGEST_MESSAGE + 1), "takes at most 268,435,456"),
        (head(2**63), "9,223,372,036,854,775,808 bytes, and"),
        (head(2**63) + bytes(3_000_000), "9,223,372,036,854,775,808 bytes, and"),
        (head(100) + b"half of it", "ends after 10 of 100 bytes"),
        (sent[: len(sent) // 2], "ends after"),
        (head(4) + b"\xff" * 4, "cannot be read"),
        (head(len(body)) + bytes(len(body)), "cannot be read"),
        (head(60) + b"\x38\0\0\0" + b"[" * 56, "cannot be read"),
    ):
        assert words in said(bad), bad[:40]
    assert taken == []
    hand_over(HANDED)
    assert taken == [HANDED]


def test_a_program_that_never_ends_is_let_go(window, taken):
    assert "does not come to its end" in said(head(10_000) + b"a", ends=False)
    assert "does not come to its end" in said(b"", ends=False)
    hand_over(HANDED)
    assert taken == [HANDED]


def test_a_window_that_hangs_is_said_to(folder, monkeypatch):
    monkeypatch.setattr(handovers, "_ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(handovers, "_TAB_SECONDS", 0.0)
    folder.mkdir(mode=0o700)
    hung = folder / "1-hung.window"
    with socket.socket(socket.AF_UNIX) as window, handovers._short(hung) as name:
        window.bind(name)
        window.listen()
        with pytest.raises(HandoverError, match="The window does not answer within"):
            hand_over(HANDED)
        with pytest.raises(HandoverError, match="The window does not answer within"):
            hand_over(Handover(paths=("/a.cu",)))


def test_many_tabs_are_waited_for_longer(folder, monkeypatch):
    monkeypatch.setattr(handovers, "_ANSWER_SECONDS", 0.1)

    def take(handover):
        time.sleep(0.5)
        return HandoverAnswer(handover.paths)

    server = HandoverServer(take)
    paths = tuple(f"/{number}.cu" for number in range(20))
    assert hand_over(Handover(paths=paths)).tabs == paths
    server.close()


def test_a_thousand_programs_at_once_leave_the_window_alive(window, taken):
    (path,) = windows()
    idle = []
    for _ in range(200):
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        with handovers._short(path) as name, contextlib.suppress(BlockingIOError):
            one.connect(name)
        idle.append(one)
    for _ in range(1000):
        with socket.socket(socket.AF_UNIX) as one, handovers._short(path) as name:
            one.setblocking(False)
            with contextlib.suppress(OSError):
                one.connect(name)
                one.send(b"x" * 30)
    for one in idle:
        one.close()
    until = time.monotonic() + 20
    while not taken and time.monotonic() < until:
        with contextlib.suppress(HandoverError):
            hand_over(HANDED)
    assert taken == [HANDED]
    names = [thread.name for thread in threading.enumerate()]
    assert len([name for name in names if "_serve" in name]) <= handovers._MOST_CLIENTS


def test_a_large_message_is_refused_before_it_is_sent(window, monkeypatch):
    monkeypatch.setattr("jitstudio.core.handover.LARGEST_MESSAGE", 1000)
    with pytest.raises(HandoverError, match=r"bytes, and a window takes at most 1,000\. Hand over"):
        hand_over(HANDED)


def test_without_a_display_no_window_is_started(monkeypatch):
    for name in handovers._DISPLAYS:
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(NoWindow, match="there is no display"):
        handovers.start_window()
    assert not Path(os.environ["JITSTUDIO_RUNTIME_DIR"]).exists()


def test_several_calls_start_one_window(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    started = []
    process = SimpleNamespace(poll=lambda: None)
    monkeypatch.setattr(handovers, "_start", lambda: started.append(process) or process)
    waiting = [handovers.start_window() for _ in range(3)]
    assert len(started) == 1
    server = HandoverServer(lambda _handover: HandoverAnswer(("k.ptx",)))
    assert [each.hand_over(HANDED).tabs for each in waiting] == [("k.ptx",)] * 3
    assert handovers.start_window().hand_over(HANDED).tabs == ("k.ptx",)
    server.close()
    assert len(started) == 1

    # One that ends at once is no reason for others to wait.
    process.poll = lambda: 7
    first, second = handovers.start_window(), handovers.start_window()
    with pytest.raises(NoWindow, match="has ended with status 7"):
        first.hand_over(HANDED)
    with pytest.raises(NoWindow, match="has ended before it could be used"):
        second.hand_over(HANDED)
    assert len(started) == 2


def test_a_window_that_takes_nothing_says_so():
    off = HandoverServer(None)
    assert windows() == []
    with pytest.raises(HandoverError, match="Turn on 'Accept kernels from programs'") as refused:
        hand_over(HANDED)
    assert not isinstance(refused.value, NoWindow)
    on = HandoverServer(lambda _handover: HandoverAnswer(("k.ptx",)))
    os.utime(on._path, (1, 1))
    assert hand_over(HANDED).tabs == ("k.ptx",)
    on.close()
    off.close()
