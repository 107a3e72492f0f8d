"""Reading a long text in pieces finds what reading it at once does."""

from random import Random
from time import process_time

import pytest

from jitstudio.core.cpp_text import HIDDEN
from jitstudio.listing import folds
from jitstudio.listing.kernels import forms
from jitstudio.ptx import pieces, scanner
from jitstudio.ptx.skimming import FunctionText, function_texts
from tests.support import cuda, request

WORDS = (
    *(
        "// c",
        "/* c */",
        "/*\n",
        "*/",
        '"s"',
        '"',
        "'x'",
        "'",
        'R"ab(',
        ')ab"',
        'u8R"(',
        ')"',
        "\\",
    ),
    *("\n", "\n", " ", " " * 70, "{", "}", "a", "x" * 90, "7'0", "# 1\n", "@@ d\n", "/", "*", "R"),
)
PATTERNS = {
    "cpp": folds._PATTERNS[folds.CodeKind.CUDA],
    "hidden": pieces.re.compile(HIDDEN),
    "ptx": folds._PATTERNS[folds.CodeKind.PTX],
    "ptx hidden": scanner._HIDDEN,
    "part": folds._PTX_PART,
}


def spans(found):
    return [match.span() for match in found]


@pytest.mark.parametrize("name", PATTERNS)
def test_pieces_are_no_borders(monkeypatch, name):
    random, pattern = Random(name), PATTERNS[name]
    for piece in range(130, 280):
        monkeypatch.setattr(pieces, "_PIECE", piece)
        text = "".join(random.choices(WORDS, k=random.randrange(300)))
        assert spans(pieces.matches(pattern, text)) == spans(pattern.finditer(text)), (piece, text)
        assert pieces.replaced(pattern, lambda m: m[0].upper(), text) == pattern.sub(
            lambda m: m[0].upper(), text
        )


def test_blanks_keep_the_lines():
    assert pieces.blank("ab\n\nc\n") == "  \n\n \n"


HEADS = (
    ".visible .entry a(.param .u64 p) { ret; }",
    ".visible\n\t.func b;",
    ".weak" + " " * 90 + ".func (.reg .b32 r) c() { }",
    ".entry.d { }",
    ".extern .func e(.param .b32 x)\n;",
    ".global .u32 g; .func f { { } }",
    ".entries .functions .entry",
)


def test_a_head_is_found_with_what_is_in_front():
    found = list(function_texts("\n".join(HEADS)))
    assert [(f.name, f.linking, f.is_kernel, f.body >= 0) for f in found] == [
        ("a", "visible", True, True),
        ("b", "visible", False, False),
        ("c", "weak", False, True),
        ("e", "extern", False, False),
        ("f", "", False, True),
    ]
    assert all(isinstance(f, FunctionText) for f in found)


def test_thousands_of_kernels_without_a_function_are_skimmed_quickly():
    """NVRTC writes no `.func` where everything is inlined."""
    body = "add.f32 %f1, %f2, %f3;\n" * 30
    text = "".join(f".visible .entry k{i}()\n{{\n{body}}}\n" for i in range(8000))
    start = process_time()
    assert sum(1 for _ in function_texts(text)) == 8000
    assert process_time() - start < 2  # some 0.1


def test_a_source_of_megabytes_is_left_out_of_the_form_and_that_is_said(builder, monkeypatch):
    source = cuda('extern "C" __global__ void k(float* data, int count) { data[count] = 1; }')
    built = builder.build(request(source, emit="ptx"))
    [whole] = forms.kernel_forms([source], built)
    assert ([p.name for p in whole.parameters], whole.notes) == (["data", "count"], ())
    monkeypatch.setattr(forms, "_LARGEST", len(source.content) - 1)
    [form] = forms.kernel_forms([source], built)
    assert [p.name for p in form.parameters] == ["arg0", "arg1"]
    assert [note for note in form.notes if "kernel.cu is not read" in note] == list(form.notes)
