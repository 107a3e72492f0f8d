import codecs
import random

import pytest

from jitstudio.gui.state.file_text import (
    Encoding,
    EncodingError,
    FileText,
    TextForm,
    line_changes,
    read_text,
)

BOM = codecs.BOM_UTF8
LE, BE = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
FILES = [
    b"",
    b"a",
    b"\n",
    b"\n\n",
    b"a\n",
    b"a\nb",
    b"a\r\nb\r\n",
    b"a\r\nb",
    b"\r\n",
    b"a\rb\r",
    b"a\rb",
    b"a\n\rb\r\n\r\r\n",
    b"a\r\nb\nc\n",
    b"a\nb\r\nc\rd",
    b"\r\r\n\n",
    b"tab\there\x0c\x0b\n",
    b"\x1b[31mred\n",
    BOM,
    BOM + b"a\n",
    BOM + b"a\r\nb",
    BOM + BOM + b"twice\n",
    b"middle " + BOM + b" mark\n",
    "grün 🚀 \u00a0\u2028\n".encode(),
    "paragraph\u2029separator\n".encode(),
    "\ufdd0 no \ufdd1 characters\r\n".encode(),
    "\u0085 next line\n".encode(),
    b"caf\xe9\n",
    b"caf\xe9\r\nna\xefve\n",
    b"\x80uro \x93quoted\x94\n",
    b"\x81 is in Latin-1 only\n",
    bytes(range(0xA0, 0x100)) + b"\n",
    LE,
    BE,
    LE + "a\r\nb\n".encode("utf-16-le"),
    BE + "grün 🚀\n".encode("utf-16-be"),
    LE + "no end \u2029 here".encode("utf-16-le"),
]


@pytest.mark.parametrize("content", FILES)
def test_what_was_read_is_written_byte_for_byte(content):
    assert read_text(content).encode() == content


@pytest.mark.parametrize("content", [f for f in FILES if b"\n" in f or f[:2] in (LE, BE)])
def test_a_line_more_changes_nothing_else(content):
    read = read_text(content)
    edited = FileText(f"new\n{read.text}", read.form).encode()
    end = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}[read.form.line_end_name.split(",")[0]]
    mark, codec = read.form.encoding.mark, read.form.encoding.codec
    assert edited == mark + f"new{end}".encode(codec) + content[len(mark) :]


@pytest.mark.parametrize(
    ("content", "encoding", "line_end"),
    [
        (b"a\n", "UTF-8", "LF"),
        (b"", "UTF-8", "LF"),
        (BOM + b"a\r\n", "UTF-8 with BOM", "CRLF"),
        (b"a\rb\r", "UTF-8", "CR"),
        (b"a\r\nb\r\nc\n", "UTF-8", "CRLF, mixed"),
        (b"caf\xe9\n", "Windows-1252", "LF"),
        (b"caf\xe9 \x9d\n", "Latin-1", "LF"),
        (LE + b"a\0\n\0", "UTF-16 LE", "LF"),
        (BE + b"\0a\0\n", "UTF-16 BE", "LF"),
    ],
)
def test_the_form_has_names(content, encoding, line_end):
    form = read_text(content).form
    assert (form.encoding.value, form.line_end_name) == (encoding, line_end)


@pytest.mark.parametrize(
    "content",
    [
        b"a\0b",
        b"\x7fELF\x02\xff",
        b"\xff\xfea",
        LE + b"\0\xd8",
        codecs.BOM_UTF32_LE + "a".encode("utf-32-le"),
        BOM + b"\xff\0",
    ],
)
def test_what_is_no_text_is_left_alone(content):
    assert read_text(content) is None


@pytest.mark.parametrize(
    ("old", "text", "new"),
    [
        (b"a\r\nb\nc\r\n", "a\nB\nc\n", b"a\r\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\nc\r\nd", "a\nb\nx\ny\nc\nd\ne", b"a\r\nb\nx\r\ny\r\nc\r\nd\r\ne"),
        (b"a\nb\r\nc\r\n", "", b""),
    ],
)
def test_lines_keep_the_ends_they_came_with(old, text, new):
    assert FileText(text, read_text(old).form).encode() == new


def test_lines_that_changed_places_keep_no_others_ends():
    read = read_text(b"same\r\n" * 4 + b"odd\n" + b"same\r\n" * 4)
    moved = read.text.replace("odd\n", "") + "odd"
    assert FileText(moved, read.form).encode() == b"same\r\n" * 8 + b"odd"


def test_a_character_that_the_encoding_has_not_is_named():
    form = read_text(b"caf\xe9\n").form
    text = FileText("a → b\n", form)
    with pytest.raises(EncodingError, match=r"^Windows-1252 has no →$") as caught:
        text.encode()
    assert caught.value.characters == "→"
    assert text.for_build() == "a → b\n".encode()


def test_half_a_pasted_character_is_a_question_mark():
    assert FileText("a\ud83d\n").encode() == b"a?\n"


@pytest.mark.parametrize(
    ("content", "built"),
    [
        (BOM + b"a\r\nb\r\n", b"a\nb\n"),
        (LE + "ü\r\n".encode("utf-16-le"), "ü\n".encode()),
        (b"caf\xe9\r\n", "café\n".encode()),
        (b"a\rb\nc", b"a\nb\nc"),
    ],
)
def test_compilers_get_plain_lines(content, built):
    assert read_text(content).for_build() == built


def test_a_new_text_is_utf_8_with_newlines():
    assert FileText("a\n").form == TextForm(Encoding.UTF_8, "\n")
    assert FileText("ü\n").encode() == "ü\n".encode()


def applied(old, new):
    lines = list(old)
    for change in reversed(line_changes(old, new)):
        lines[change.old] = new[change.new]
    return lines


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("abc", "abc", []),
        ("", "", []),
        ("abc", "aXc", [((1, 2), (1, 2))]),
        ("abc", "ac", [((1, 2), (1, 1))]),
        ("ac", "abc", [((1, 1), (1, 2))]),
        ("aaa", "aa", [((2, 3), (2, 2))]),
        ("1abc2", "3abc4", [((0, 1), (0, 1)), ((4, 5), (4, 5))]),
    ],
)
def test_only_lines_that_differ_change(old, new, changes):
    found = line_changes(old, new)
    assert [((c.old.start, c.old.stop), (c.new.start, c.new.stop)) for c in found] == changes


def test_the_changes_make_the_old_lines_the_new_ones():
    chance = random.Random(5)
    for _ in range(300):
        old, new = (chance.choices("abcd", k=chance.randrange(12)) for _ in range(2))
        assert applied(old, new) == new


def test_far_too_many_lines_are_one_change():
    old = [f"old {number}" for number in range(5000)]
    new = [f"new {number}" for number in range(5000)]
    (change,) = line_changes(["same", *old, "same"], ["same", *new, "same"])
    assert (change.old, change.new) == (slice(1, 5001), slice(1, 5001))
