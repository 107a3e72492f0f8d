"""The pages that teach: their commands run, and what they show is what these print.

An indented block is a text to save, if its first line is a comment with a name of a file; or a
comment, for what is no file; or commands; or lines that the commands above it print.
"""

import re
import shlex
import subprocess
from itertools import groupby

import pytest

from jitstudio.cli import COMMANDS
from jitstudio.help.manual import pages

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("shared_cache")]

PAGES = ("start", "zero", "first-sass")
_FILE = re.compile(r"// (\w+\.cu)$")
# `diff` says by its status that there is a difference, `lesson check` that a goal is not reached.
_STATUS = {"diff": 1, "lesson check": 5}
_SHELL = ("sed ",)
_NOT_HERE = "python3 -m pip install"


def blocks_of(page):
    """The indented blocks of a page, as lists of lines."""
    lines = page.text.splitlines()
    for is_code, block in groupby(lines, lambda line: line.startswith("    ")):
        if is_code:
            yield [line[4:] for line in block]


def squeezed(text):
    """A text without what layout adds: blanks, and the gap behind a sign of a difference."""
    return re.sub(r"\s+", " ", text).strip()


class Reader:
    """Somebody who does what a page says, in a folder of his own."""

    def __init__(self, run, folder):
        self.run, self.folder, self.printed, self.commands = run, folder, "", 0

    def take(self, block):
        """Saves a file, runs commands, or looks for lines in what was printed."""
        file = _FILE.match(block[0])
        if file is not None:
            (self.folder / file[1]).write_text("\n".join(block) + "\n")
        elif block[0].startswith("//") or block[0].startswith(_NOT_HERE):
            return
        elif block[0].startswith(("jitstudio ", *_SHELL)):
            self.printed = ""
            for line in block:
                self.carry_out(line)
        else:
            printed = {squeezed(line) for line in self.printed.splitlines()}
            missing = [line for line in map(squeezed, block) if line not in printed]
            assert [line for line in missing if not self.begins_one(line, printed)] == []

    @staticmethod
    def begins_one(line, printed):
        """Whether a line of the page is the beginning of a printed one."""
        return any(one.startswith(f"{line},") for one in printed)

    def carry_out(self, line):
        """Runs a command of the page, which has to end as it says."""
        if line.startswith(_SHELL):
            subprocess.run(["bash", "-c", line], cwd=self.folder, check=True)
            return
        words = shlex.split(line)[1:]
        assert words[0] in COMMANDS, line
        ran = self.run(*words)
        expected = _STATUS.get(words[0]) or _STATUS.get(" ".join(words[:2])) or 0
        assert ran.code == expected, (line, ran.err)
        self.printed += f"{ran.out}\n{ran.err}\n"
        self.commands += 1


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_teaches_can_be_done(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    reader = Reader(run, tmp_path)
    for block in blocks_of(pages()[name]):
        reader.take(block)
    assert reader.commands >= 5


def test_the_first_sass_is_the_whole_kernel_in_order(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("sample", "vector_add").code == 0
    out = run("build", "vector_add/vector_add.cu", "--arch", "sm_90", "--emit", "sass").out
    pattern = re.compile(r"^ */\*[0-9a-f]{4}\*/.*;$", re.M)
    built = [squeezed(line) for line in pattern.findall(out)]
    text = pages()["first-sass"].text.partition("## Another target")[0]
    shown = [squeezed(line) for line in pattern.findall(text)]
    assert shown == built[: len(shown)]
    # The rest fills up the code.
    assert {line.partition("*/ ")[2] for line in built[len(shown) :]} == {"NOP;"}
    assert len([line for line in shown if "NOP" not in line and "BRA" not in line]) == 20
    opcodes = set(re.findall(r"`([A-Z][A-Z0-9.]+)`", text.partition("## What to look at")[0]))
    named = {word for line in shown for word in re.findall(r"[A-Z][A-Z0-9_.]+", line)}
    assert [x for x in opcodes - {"R254"} if not any(n.startswith(x) for n in named)] == []


def test_without_the_test_of_the_index_the_simulator_names_the_line(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = pages()["zero"]
    (lines,) = (b for b in blocks_of(page) if _FILE.match(b[0]))
    (command,) = (b[0] for b in blocks_of(page) if b[0].startswith("jitstudio run"))
    line = next(n for n, text in enumerate(lines, 1) if "if (i < n)" in text)
    kept = [text for text in lines if "if (i < n)" not in text]
    (tmp_path / "scale.cu").write_text("\n".join(kept) + "\n")
    assert "leaves the last 24 without work" in squeezed(page.text)
    ran = run(*shlex.split(command)[1:])
    assert ran.code == 5
    assert f"scale.cu:{line}" in ran.out + ran.err
    assert "Thread (232, 0, 0) of block (3, 0, 0) reads 4 bytes" in ran.err
    assert "23 more threads do so" in ran.err
