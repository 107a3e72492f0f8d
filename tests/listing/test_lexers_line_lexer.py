"""What holds for every lexer, whatever it is given."""

import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from time import process_time

import pygments
import pytest
from pygments.formatters import HtmlFormatter
from pygments.lexers import LEXERS as LEXERS_OF_PYGMENTS
from pygments.lexers import get_lexer_by_name
from pygments.token import Error, Whitespace

from jitstudio.core.code import CodeKind
from jitstudio.listing.lexers.plugins import CudaCxxPlugin, NvvmIrPlugin, PtxPlugin, SassPlugin
from tests.support import SAMPLES

LEXERS = {
    lexer.aliases[0]: lexer
    for lexer in (CudaCxxPlugin(), NvvmIrPlugin(), PtxPlugin(), SassPlugin())
}
TEXTS = {
    "cuda-cxx": (SAMPLES / "histogram.cu").read_text(encoding="utf-8")
    + '#define A(x) \\\n  "b\\n" /* c\n d */ R"e(f\n\n)e"  // g \\\n h\n',
    "nvvm-ir": (SAMPLES / "fill_typed.ll").read_text(encoding="utf-8"),
    "nvidia-ptx": (SAMPLES / "scale.ptx").read_text(encoding="utf-8"),
    "nvidia-sass": "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n"
    "  /*0010*/  @!P0 LDG.E R2, desc[UR4][R2.64+0x4] ;  /* 0x0000000402027981 */\n"
    "  /*0020*/  BRX R4 -0x580   (*\"BRANCH_TARGETS .L_x_1\"*);\n",
}  # fmt: skip
ODD_LINES = (
    "",
    "   \t ",
    "\0\0 \x01",
    '"',
    '"""""',
    "'",
    "\\",
    '"\\',
    "/*",
    "*/",
    "/*/",
    "//\\",
    "é ä 漢字 \U0001f600 \u2028 \x85 \ud800",
    'R"(',
    ')"',
    "0x 0f 1e 1' .",
    "@ @! %% $$ ## `` :: ..",
    "#",
    "#include",
    "\r",
    "a\nb\n",
)
every_lexer = pytest.mark.parametrize("name", LEXERS)


def joined(lexer, text):
    return "".join(value for _, _, value in lexer.get_tokens_unprocessed(text))


def line_tokens(lexer, text):
    """The tokens of a text by `lex_line`, as Pygments counts them."""
    found, state, offset = [], 0, 0
    for line in text.split("\n"):
        tokens, state = lexer.lex_line(line, state)
        found += [(offset + at, token, line[at : at + size]) for at, size, token in tokens]
        offset += len(line) + 1
    return found


def broken_texts(text):
    """The text cut off, with pieces missing, and with characters that do not belong there."""
    random = Random(7)
    for _ in range(20):
        start, end = sorted(random.choices(range(len(text)), k=2))
        yield text[:end]
        yield text[start:]
        yield text[:start] + text[end:]
        yield text[:start] + random.choice(ODD_LINES) + text[start:]


@every_lexer
def test_tokens_cover_all_but_blanks(name):
    for text in (TEXTS[name], *broken_texts(TEXTS[name])):
        state = 0
        for line in text.split("\n"):
            tokens, state = LEXERS[name].lex_line(line, state)
            end = 0
            for start, length, _ in tokens:
                assert length > 0
                assert line[end:start].strip() == "", line
                end = start + length
            assert end <= len(line)
            assert line[end:].strip() == "", line


@every_lexer
def test_line_and_text_agree(name):
    for text in (TEXTS[name], *broken_texts(TEXTS[name])):
        whole = LEXERS[name].get_tokens_unprocessed(text)
        assert [row for row in whole if row[1] is not Whitespace] == line_tokens(LEXERS[name], text)


@every_lexer
def test_the_text_is_reproduced(name):
    for text in (TEXTS[name], *broken_texts(TEXTS[name])):
        assert joined(LEXERS[name], text) == text


@every_lexer
@pytest.mark.parametrize("line", ODD_LINES)
def test_an_odd_line_is_lexed_in_any_state(name, line):
    for state in (*range(16), 1 << 24, (1 << 24) + 12345, 1 << 30, -1):
        tokens, after = LEXERS[name].lex_line(line, state)
        assert sum(length for _, length, _ in tokens) <= len(line)
        assert 0 <= after < 2**31 - 1


@every_lexer
def test_blank_lines_keep_a_comment_open(name):
    lexer = LEXERS[name]
    _, inside = lexer.lex_line("/* a")
    assert inside == 1
    assert lexer.lex_line("", inside) == ([], inside)
    assert lexer.lex_line("b */", inside)[1] == 0


@pytest.mark.bench
@every_lexer
def test_time_grows_with_the_length_of_a_line(name):
    text = TEXTS[name].replace("\n", " ").replace("//", "").replace(";", "")

    def seconds(length):
        line = (text * (length // len(text) + 1))[:length]
        start = process_time()
        assert joined(LEXERS[name], line) == line
        return process_time() - start

    short = min(seconds(50_000) for _ in range(5))
    long = min(seconds(400_000) for _ in range(3))
    assert long < 30 * short  # eight times in theory, 64 times if it were quadratic


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("cuda-cxx", "__global__ void k();", '<span class="nd">__global__</span>'),
    ("nvvm-ir", "ret void", '<span class="kt">void</span>'),
    ("nvidia-ptx", "$L1: ret;", '<span class="nl">$L1</span>'),
    ("nvidia-sass", "EXIT ;", '<span class="k">EXIT</span>'),
])  # fmt: skip
def test_pygments_can_highlight_with_it(name, text, expected):
    assert expected in pygments.highlight(text, LEXERS[name], HtmlFormatter())


def test_no_name_is_one_that_pygments_gives_to_another_lexer():
    taken = {alias for _, _, aliases, _, _ in LEXERS_OF_PYGMENTS.values() for alias in aliases}
    assert not {alias for lexer in LEXERS.values() for alias in lexer.aliases} & taken


def test_the_plugins_for_pygments_are_these_lexers():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    plugins = project["project"]["entry-points"]["pygments.lexers"]
    found = {resolve_name(place) for place in plugins.values()}
    assert found == {type(lexer) for lexer in LEXERS.values()}


@every_lexer
def test_pygments_finds_it_by_name(name):
    if not entry_points(group="pygments.lexers", name="jitstudio-ptx"):
        pytest.skip("jitstudio is not installed, so Pygments cannot see its plugins")
    assert isinstance(get_lexer_by_name(name), type(LEXERS[name]))


# ---- The lexers on the samples, and on what the real tools make of them

LISTING_LEXERS = {CodeKind.PTX: PtxPlugin(), CodeKind.SASS: SassPlugin()}
SOURCE_LEXERS = {
    ".cu": CudaCxxPlugin(),
    ".cuh": CudaCxxPlugin(),
    ".ll": NvvmIrPlugin(),
    ".ptx": PtxPlugin(),
}
SOURCES = [path for path in SAMPLES.iterdir() if path.suffix in SOURCE_LEXERS]


def errors(lexer, text):
    return [value for _, token, value in lexer.get_tokens_unprocessed(text) if token is Error]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_samples_are_understood(path):
    assert errors(SOURCE_LEXERS[path.suffix], path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("kind", LISTING_LEXERS, ids=lambda kind: kind.value)
def test_listings_are_understood(kind, listings):
    texts = {what: text for what, made, text in listings if made is kind}
    assert len(texts) >= 12
    wrong = {what: errors(LISTING_LEXERS[kind], text) for what, text in texts.items()}
    assert {what: found for what, found in wrong.items() if found} == {}


@pytest.mark.parametrize("kind", LISTING_LEXERS, ids=lambda kind: kind.value)
def test_listings_are_reproduced(kind, listings):
    for what, made, text in listings:
        if made is kind:
            tokens = LISTING_LEXERS[kind].get_tokens_unprocessed(text)
            assert "".join(value for _, _, value in tokens) == text, what
