"""The lexers of what is shown of captured kernels: MLIR and Python."""

import pytest
from pygments.lexers import PythonLexer as ReferenceLexer
from pygments.token import Comment, Keyword, Name, Number, String

from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.listing.lexers.mlir import MlirLexer
from jitstudio.listing.lexers.python import PythonLexer
from tests.support import SAMPLES

SCRIPTS = sorted(SAMPLES.glob("*.py"))


def tokens(lexer, text):
    """The tokens of a text as (type, value), line by line."""
    found, state = [], 0
    for line in text.split("\n"):
        of_line, state = lexer.lex_line(line, state)
        end = 0
        for start, length, token in of_line:
            assert length > 0
            assert not line[end:start].strip(), line
            end = start + length
            found.append((token, line[start:end]))
        assert not line[end:].strip(), line
    return found


def test_triton_ir_is_understood():
    kernel = unpack((SAMPLES / "triton_swiglu.jitkernel").read_bytes())
    found = set()
    for language in (KernelLanguage.TTIR, KernelLanguage.TTGIR):
        found |= set(tokens(MlirLexer(), kernel.representation(language).text))
    assert found > {
        (Keyword, "tt.load"),
        (Keyword.Type, "!tt.ptr"),
        (Keyword.Type, "f32"),
        (Name.Attribute, "tt.divisibility"),
        (Name.Decorator, "#blocked"),
        (Name.Function, "@swiglu"),
        (Name.Variable, "%offsets"),
        (Number.Integer, "1024x"),
        (String, '"ttg.num-warps"'),
    }


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_python_has_the_strings_comments_and_numbers_that_pygments_finds(path):
    # Pygments also reads what is between the braces of f-strings.
    text = path.read_text(encoding="utf-8").replace('f"', '"')

    def kept(found):
        """Per kind, all characters but blanks: both cut strings into pieces of their own."""
        kinds = {Comment: "", String: "", Number: ""}
        for token, value in found:
            for kind in kinds:
                if token in kind:
                    kinds[kind] += "".join(value.split())
        return kinds

    expected = [(token, value) for _, token, value in ReferenceLexer().get_tokens_unprocessed(text)]
    assert kept(tokens(PythonLexer(), text)) == kept(expected)


def test_strings_of_python_end_where_they_do():
    lexer = PythonLexer()
    _, inside = lexer.lex_line('x = rb"""a" ""')
    assert inside
    assert lexer.lex_line("still inside ' #", inside)[1] == inside
    rest, after = lexer.lex_line('end\\""" """ + 1  # b', inside)
    assert after == 0
    assert (rest[-1][2], rest[0][2]) == (Comment, String)
