from time import process_time

import pytest
from pygments.token import Error

from jitstudio.core.code import CodeKind
from jitstudio.listing.kernel_names import DemangledListing, lowered_names
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lexers.sass import SassLexer
from jitstudio.toolchain.demangle import demangle

NAMES = {"_Z1fv": "f()", "_Z5saxpyIfEvT_": "void saxpy<float>(float)"}
LEXERS = {CodeKind.PTX: PtxLexer(), CodeKind.SASS: SassLexer()}
LINES = [
    ".entry _Z5saxpyIfEvT_(",
    "\t.param .f32 _Z5saxpyIfEvT__param_0 // _Z5saxpyIfEvT_, _Z1fv",
    "ret;",
    "call $_Z1fv_12, _Zunknown;",
]


def test_names_are_found_without_what_hangs_on_them():
    assert lowered_names(LINES) == {"_Z5saxpyIfEvT_", "_Z1fv", "_Zunknown"}


def test_lines_with_names_in_words():
    spelling = DemangledListing.of(LINES[:3], NAMES)
    assert spelling.lines == (
        ".entry void saxpy<float>(float)(",
        "\t.param .f32 void saxpy<float>(float)_param_0 // void saxpy<float>(float), f()",
        "ret;",
    )
    assert spelling.lowered == LINES[:3]
    assert spelling.stand_ins[0] == f".entry {'_' * 24}("
    assert {len(spelling.stand_ins[n]) - len(spelling.lines[n]) for n in (0, 1)} == {0}
    assert 2 not in spelling.stand_ins


@pytest.mark.parametrize(
    ("line", "lowered", "shown"), [(0, 0, 0), (0, 7, 7), (0, 21, 31), (0, 22, 32), (2, 3, 3)]
)
def test_columns_there_and_back(line, lowered, shown):
    spelling = DemangledListing.of(LINES, NAMES)
    assert spelling.to_shown(line, lowered) == shown
    assert spelling.to_lowered(line, shown) == lowered


def test_a_column_within_a_name_is_its_beginning():
    spelling = DemangledListing.of(LINES, NAMES)
    assert spelling.to_lowered(0, 20) == 7
    assert spelling.to_shown(0, 12) == 7


def test_the_samples_lose_no_name_and_lex_without_errors(listings):
    for what, kind, text in listings:
        lines = text.split("\n")
        names = {name: demangle(name) for name in lowered_names(lines)}
        assert all(shown != name for name, shown in names.items()), what
        spelling = DemangledListing.of(lines, names)
        assert not any("_Z" in line.replace("_ZZ9histogramE5local", "") for line in spelling.lines)
        for number, line in spelling.stand_ins.items():
            assert len(line) == len(spelling.lines[number])
            tokens, _ = LEXERS[kind].lex_line(line)
            assert all(token is not Error for _, _, token in tokens), line


@pytest.mark.bench
def test_hundreds_of_thousands_of_lines_take_little_time():
    lines = ["\tadd.f32 %f1, %f2, %f3;", "\tcall _Z1fv;"] * 150_000
    start = process_time()
    assert lowered_names(lines) == {"_Z1fv"}
    assert DemangledListing.of(lines, NAMES).lines[-1] == "\tcall f();"
    assert process_time() - start < 3
