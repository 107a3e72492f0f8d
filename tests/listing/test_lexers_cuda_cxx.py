import pytest

from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer

LEXER = CudaCxxLexer()

FRAGMENTS = {
    "__global__ void __launch_bounds__(256) k(const float4* __restrict__ p)": [
        "__global__ Name.Decorator",
        "void Keyword.Type",
        "__launch_bounds__ Name.Decorator",
        "( Punctuation",
        "256 Literal.Number.Integer",
        ") Punctuation",
        "k Name.Function",
        "( Punctuation",
        "const Keyword",
        "float4 Keyword.Type",
        "* Operator",
        "__restrict__ Keyword",
        "p Name",
        ") Punctuation",
    ],
    "blockIdx.x * blockDim.x": [
        "blockIdx Name.Builtin.Pseudo",
        ". Operator",
        "x Name",
        "* Operator",
        "blockDim Name.Builtin.Pseudo",
        ". Operator",
        "x Name",
    ],
    "__shfl_down_sync(~0u, x, 16);": [
        "__shfl_down_sync Name.Builtin",
        "( Punctuation",
        "~ Operator",
        "0u Literal.Number.Integer",
        ", Punctuation",
        "x Name",
        ", Punctuation",
        "16 Literal.Number.Integer",
        "); Punctuation",
    ],
    "atomicAdd_block(&x, __float2half(1)); __syncthreads();": [
        "atomicAdd_block Name.Builtin",
        "( Punctuation",
        "& Operator",
        "x Name",
        ", Punctuation",
        "__float2half Name.Builtin",
        "( Punctuation",
        "1 Literal.Number.Integer",
        ")); Punctuation",
        "__syncthreads Name.Builtin",
        "(); Punctuation",
    ],
    "k<<<1, 2>>>(nullptr);": [
        "k Name",
        "<<< Operator",
        "1 Literal.Number.Integer",
        ", Punctuation",
        "2 Literal.Number.Integer",
        ">>> Operator",
        "( Punctuation",
        "nullptr Keyword.Constant",
        "); Punctuation",
    ],
    "template <typename T> struct Box final { __nv_bfloat16 b; };": [
        "template Keyword",
        "< Operator",
        "typename Keyword",
        "T Name.Class",
        "> Operator",
        "struct Keyword",
        "Box Name.Class",
        "final Keyword",
        "{ Punctuation",
        "__nv_bfloat16 Keyword.Type",
        "b Name",
        "; Punctuation",
        "}; Punctuation",
    ],
    "enum class Way { up };": [
        "enum Keyword",
        "class Keyword",
        "Way Name.Class",
        "{ Punctuation",
        "up Name",
        "}; Punctuation",
    ],
    "co_await std::move(x)": [
        "co_await Keyword",
        "std Name.Namespace",
        ":: Operator",
        "move Name.Function",
        "( Punctuation",
        "x Name",
        ") Punctuation",
    ],
    "1'000'000ull 0xFF'FFu 0b10'10 0x1.8p3f 1e-5f .5 1. 42_km 0777": [
        "1'000'000ull Literal.Number.Integer",
        "0xFF'FFu Literal.Number.Hex",
        "0b10'10 Literal.Number.Bin",
        "0x1.8p3f Literal.Number.Float",
        "1e-5f Literal.Number.Float",
        ".5 Literal.Number.Float",
        "1. Literal.Number.Float",
        "42_km Literal.Number.Integer",
        "0777 Literal.Number.Integer",
    ],
    r"""printf("a\t%d\x41\u00e9", u8"b", '\'', L'c');""": [
        "printf Name.Builtin",
        "( Punctuation",
        '"a Literal.String',
        r"\t Literal.String.Escape",
        "%d Literal.String",
        r"\x41 Literal.String.Escape",
        r"\u00e9 Literal.String.Escape",
        '" Literal.String',
        ", Punctuation",
        'u8"b" Literal.String',
        ", Punctuation",
        r"'\'' Literal.String.Char",
        ", Punctuation",
        "L'c' Literal.String.Char",
        "); Punctuation",
    ],
    "[[nodiscard, gnu::aligned(4)]] int x[2];": [
        "[[nodiscard, gnu::aligned(4)]] Name.Decorator",
        "int Keyword.Type",
        "x Name",
        "[ Punctuation",
        "2 Literal.Number.Integer",
        "]; Punctuation",
    ],
    "a[b[0]] /* c */ // d": [
        "a Name",
        "[ Punctuation",
        "b Name",
        "[ Punctuation",
        "0 Literal.Number.Integer",
        "]] Punctuation",
        "/* c */ Comment",
        "// d Comment",
    ],
    "#include <cuda_fp16.h> // half": [
        "#include Comment.Preproc",
        "<cuda_fp16.h> Comment.PreprocFile",
        "// half Comment",
    ],
    '  # include "a.h"': ["# include Comment.Preproc", '"a.h" Comment.PreprocFile'],
    "#if defined(__CUDA_ARCH__) && x >= 900": [
        "#if Comment.Preproc",
        "defined Keyword",
        "( Punctuation",
        "__CUDA_ARCH__ Name.Constant",
        ") Punctuation",
        "&& Operator",
        "x Name",
        ">= Operator",
        "900 Literal.Number.Integer",
    ],
    "#define JOIN(a, b) #a a##b": [
        "#define Comment.Preproc",
        "JOIN Name.Function",
        "( Punctuation",
        "a Name",
        ", Punctuation",
        "b Name",
        ") Punctuation",
        "# Operator",
        "a Name",
        "a Name",
        "## Operator",
        "b Name",
    ],
    "#pragma unroll 4": [
        "#pragma Comment.Preproc",
        "unroll Name",
        "4 Literal.Number.Integer",
    ],
    "#error don't": ["#error don't Comment.Preproc"],
    "größe = 1;": [
        "größe Name",
        "= Operator",
        "1 Literal.Number.Integer",
        "; Punctuation",
    ],
}


@pytest.mark.parametrize("line", FRAGMENTS)
def test_a_fragment(line, spelt):
    assert spelt(LEXER, line) == FRAGMENTS[line]


@pytest.mark.parametrize(
    "line", ['R"(a"b)"', 'u8R"x(a)" )y" )x"', 'LR"()"', 'R"0123456789abcdef()0123456789abcdef"']
)
def test_a_raw_string_in_one_line(line, spelt):
    assert spelt(LEXER, line + ";") == [f"{line} Literal.String", "; Punctuation"]


def test_a_raw_string_ends_with_its_own_delimiter(spelt):
    assert spelt(LEXER, 'a = R"x(b', "", '  c )" )y"', ')x" + R"(', '#d )";') == [
        "a Name",
        "= Operator",
        'R"x(b Literal.String',
        '  c )" )y" Literal.String',
        ')x" Literal.String',
        "+ Operator",
        'R"( Literal.String',
        '#d )" Literal.String',
        "; Punctuation",
    ]


def test_the_state_in_a_raw_string_fits_a_text_block():
    _, state = LEXER.lex_line('R"\ud800(')
    assert 0 < state < 2**31 - 1


def test_a_directive_goes_on_behind_a_backslash(spelt):
    assert spelt(LEXER, "#define F(x) \\", "  #x /* a", "  b */ \\", "  #x", "#undef F")[6:] == [
        "# Operator",
        "x Name",
        "/* a Comment",
        "  b */ Comment",
        "\\ Comment.Preproc",
        "# Operator",
        "x Name",
        "#undef Comment.Preproc",
        "F Name",
    ]


def test_a_line_comment_goes_on_behind_a_backslash(spelt):
    assert spelt(LEXER, "// a \\", "b \\", "", "c") == [
        "// a \\ Comment",
        "b \\ Comment",
        "c Name",
    ]


def test_a_string_goes_on_behind_a_backslash(spelt):
    assert spelt(LEXER, '"a\\', 'b" c', '#define S "a\\', 'b" \\', "#c") == [
        '"a Literal.String',
        "\\ Literal.String.Escape",
        'b" Literal.String',
        "c Name",
        "#define Comment.Preproc",
        "S Name",
        '"a Literal.String',
        "\\ Literal.String.Escape",
        'b" Literal.String',
        "\\ Comment.Preproc",
        "# Operator",
        "c Name",
    ]


def test_a_string_that_is_not_closed_ends_with_its_line(spelt):
    assert spelt(LEXER, '"a\\n', "b") == [
        '"a Literal.String',
        "\\n Literal.String.Escape",
        "b Name",
    ]


def test_a_block_comment_may_span_lines(spelt):
    assert spelt(LEXER, "a /* b", "#include <c>", "*/ d") == [
        "a Name",
        "/* b Comment",
        "#include <c> Comment",
        "*/ Comment",
        "d Name",
    ]
