"""What sources and tools say cannot steer a terminal; a file or a pipe gets it as it is."""

import io
import os
import pty
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from jitstudio.cli.main import main
from jitstudio.system import terminal
from jitstudio.system.terminal import table_lines
from tests.support import KERNEL

# A title, the clipboard, a C1 introducer, DEL, a line written over, words turned round, no width.
HOSTILE = (
    "\x1b]0;title\x07 \x1b]52;c;aGk=\x07 \x9b31m \x7f over\rwritten \u202eevil\u2066 \u200b\ufeff"
)
FORBIDDEN = ("\x1b", "\x07", "\x9b", "\x7f", "\u202e", "\u2066", "\u200b", "\ufeff")


def test_what_steers_a_terminal_is_written_out():
    shown = terminal.shown(HOSTILE)
    assert not any(character in shown for character in (*FORBIDDEN, "\r"))
    assert r"\x1b]0;title\x07" in shown
    assert r"over\rwritten \u202eevil" in shown


@pytest.mark.parametrize("text", ["a\tb\nc", "grüße 漢字 \u3000 µs …", "", "x" * 10])
def test_what_people_write_stays(text):
    assert terminal.shown(text) == text
    assert terminal.shown(text.replace("\n", "\r\n")) == text


def test_a_pipe_gets_results_as_they_are_and_messages_written_out(monkeypatch):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    terminal.say(HOSTILE)
    terminal.pass_on(HOSTILE)
    terminal.print_error(HOSTILE)
    assert out.getvalue() == f"{HOSTILE}\n{HOSTILE}"
    assert not any(character in err.getvalue() for character in FORBIDDEN)


def test_progress_is_a_line_that_goes_where_something_else_is_said(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, stream)
    terminal.print_progress("5%")
    terminal.print_progress("10%\x1b")
    terminal.pass_on("printed")
    terminal.print_progress("what is printed stays")
    terminal.say("")
    cleared = "\r\x1b[K"
    assert stream.getvalue() == f"{cleared}5%{cleared}10%\\x1b{cleared}printed\n"
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    terminal.print_progress("nowhere else")
    assert sys.stderr.getvalue() == ""


@pytest.fixture
def in_a_terminal(monkeypatch, tmp_path):
    """Runs a command in this process; all that a terminal is sent by it."""

    def runs(*words):
        outer, inner = pty.openpty()
        reading = ThreadPoolExecutor().submit(_all_of, outer)
        with open(inner, "w", encoding="utf-8") as stream, monkeypatch.context() as during:
            during.chdir(tmp_path)
            during.setattr(sys, "stdout", stream)
            during.setattr(sys, "stderr", stream)
            with suppress(SystemExit):
                main(list(words))
        return reading.result()

    return runs


def _all_of(terminal: int) -> str:
    sent = b""
    # Once all of its writers are gone, it cannot be read.
    with suppress(OSError):
        while piece := os.read(terminal, 65536):
            sent += piece
    os.close(terminal)
    return sent.decode("utf-8", "replace")


@pytest.mark.parametrize(
    ("words", "content"),
    [
        (["build", "k.cu"], f'#error "{HOSTILE}"\n'.replace("\r", "")),
        (["build", "k.cu"], f'#pragma message("{HOSTILE}")\n{KERNEL}'.replace("\r", "")),
        (["build", "k.cu", "--emit", "ptx"], f'{KERNEL}__device__ char s[] = "\x1b]0;t\x07";\n'),
        (["build", "k.cu", "--json"], f'#error "{HOSTILE}"\n'.replace("\r", "")),
        (["build", f"{HOSTILE}.cu"], KERNEL),
        (["build", "k.cu", f"--{HOSTILE}"], KERNEL),
        (["build", "k.cu", f"--option={HOSTILE}"], KERNEL),
        (["build", "k.ptx"], f".version 8.0\n.target sm_80\n{HOSTILE}\n"),
        (["diff", "--what", "source", "k.cu", "other.cu"], f"// {HOSTILE}\n{KERNEL}"),
        ([f"--{HOSTILE}"], KERNEL),
    ],
)
@pytest.mark.tools
def test_no_command_sends_them_to_a_terminal(words, content, in_a_terminal, tmp_path):
    (tmp_path / "other.cu").write_text(KERNEL)
    for name in ("k.cu", "k.ptx"):
        (tmp_path / name).write_text(content)
    sent = in_a_terminal(*words)
    assert sent.strip()
    assert [c for c in FORBIDDEN if c in sent] == []
    # The terminal itself puts a return in front of each newline.
    assert "\r" not in sent.replace("\r\n", "")


def test_an_artifact_in_a_pipe_keeps_every_byte(run, tmp_path):
    (tmp_path / "k.ptx").write_text("// \x1b]0;t\x07\n")
    (tmp_path / "l.ptx").write_text("// other\n")
    ran = run("diff", "--what", "source", "k.ptx", "l.ptx")
    assert "\x1b]0;t\x07" in ran.out


def test_words_stand_left_and_numbers_right():
    rows = [("kernel", "target", "ms"), ("k", "sm_90", "12.5")]
    assert table_lines(rows, left=2) == [
        "kernel  target    ms",
        "k       sm_90   12.5",
    ]


def test_no_line_ends_in_spaces():
    assert table_lines([("a", ""), ("b", "")], left=2) == ["a", "b"]
