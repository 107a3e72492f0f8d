"""Formatting with the real clang-format."""

import subprocess
import sys

import pytest

from jitstudio.gui.services import formatting
from jitstudio.gui.services.formatting import (
    FormatError,
    Style,
    clang_format,
    formatted,
    style_file,
)

pytestmark = pytest.mark.slow

pytest.importorskip("clang_format")
MESSY = """\
#include <cuda_fp16.h>
// é 😀 é
__global__ void k(int*p,int n){int i=threadIdx.x;   if(i<n){k<<<1,2>>>(p,n);}
/* 😀 */ const char*s="ä";}
"""


def applied(text, result):
    data = text.encode("utf-16-le")
    for start, end, new in reversed(result.edits):
        data = data[: 2 * start] + new.encode("utf-16-le") + data[2 * end :]
    return data.decode("utf-16-le")


def by_itself(text, *options):
    command = [str(clang_format()), "--assume-filename=a.cu", *options]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout


def test_it_is_what_clang_format_itself_makes(tmp_path):
    result = formatted(MESSY, "a.cu", Style(indent=3))
    plain = "--style={BasedOnStyle: LLVM, IndentWidth: 3}"
    assert applied(MESSY, result).encode() == by_itself(MESSY, plain)
    assert "k<<<1, 2>>>(p, n);" in applied(MESSY, result)
    assert result.is_complete
    some = formatted(MESSY, "a.cu", Style(indent=3), lines=(4, 4))
    assert applied(MESSY, some).encode() == by_itself(MESSY, plain, "--lines=4:4")
    assert applied(MESSY, some).startswith(MESSY[: MESSY.index("/*")])
    done = applied(MESSY, result)
    assert formatted(done, "a.cu", Style(indent=3)).edits == ()
    # The caret stays where it was in the code.
    for word in ("threadIdx", "ä", "n);"):
        caret = len(MESSY[: MESSY.index(word)].encode("utf-16-le")) // 2
        moved = formatted(MESSY, "a.cu", Style(indent=3), caret).caret
        assert moved == len(done[: done.index(word)].encode("utf-16-le")) // 2


def test_the_nearest_style_file_counts_where_it_may(tmp_path):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    style = tmp_path / "a" / ".clang-format"
    style.write_text("BasedOnStyle: LLVM\nIndentWidth: 7\nPointerAlignment: Left\n")
    result = formatted(MESSY, "a.cu", Style(folder=folder))
    assert (result.style_file, style_file(folder)) == (style, style)
    assert "\n       int i" in applied(MESSY, result)
    assert "int* p" in applied(MESSY, result)
    assert "\n    int i" in applied(MESSY, formatted(MESSY, "a.cu", Style()))
    style.write_text("Nonsense: 3\n")
    with pytest.raises(FormatError, match="unknown key 'Nonsense'"):
        formatted(MESSY, "a.cu", Style(folder=folder))


def test_the_style_file_of_another_user_is_not_read(tmp_path, monkeypatch):
    style = tmp_path / ".clang-format"
    style.write_text("IndentWidth: 7\n")
    style.chmod(0o666)
    monkeypatch.setattr(formatting, "is_own", lambda _status: False)
    with pytest.raises(FormatError, match=r"\.clang-format' belongs to another"):
        formatted(MESSY, "a.cu", Style(folder=tmp_path))


def test_what_is_missing_or_hangs_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(formatting, "clang_format", lambda: None)
    with pytest.raises(FormatError, match="pip install clang-format"):
        formatted(MESSY, "a.cu", Style())
    program = tmp_path / "clang-format"
    program.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    program.chmod(0o755)
    monkeypatch.setattr(formatting, "clang_format", lambda: program)
    with pytest.raises(FormatError, match="was ended"):
        formatted(MESSY, "a.cu", Style(), is_unwanted=lambda: True)
    program.write_text(f"#!{sys.executable}\nprint('no XML')\n")
    with pytest.raises(FormatError, match="cannot be read"):
        formatted(MESSY, "a.cu", Style())
    program.write_text("#!/nowhere\n")
    with pytest.raises(FormatError, match="cannot be started"):
        formatted(MESSY, "a.cu", Style())


def test_code_with_an_error_in_it_is_told():
    assert not formatted("void f( { } }} int (\n", "a.cu", Style()).is_complete
