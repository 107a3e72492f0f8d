import pytest

from jitstudio.analysis.reference import WordAt, openings, word_at
from jitstudio.core.code import CodeKind

PTX, SASS = CodeKind.PTX, CodeKind.SASS


def at(kind, line, mark):
    """The word at the first letter of `mark`."""
    return word_at(kind, line, line.index(mark))


@pytest.mark.parametrize(
    ("line", "mark", "text", "opens"),
    [
        ("\tld.global.f32 \t%f1, [%rd1+4];", "obal", "ld.global.f32", True),
        ("\tld.global.f32 \t%f1, [%rd1+4];", "rd1", "%rd1", False),
        ("@!%p1 bra \t$L__BB0_2;", "bra", "bra", True),
        ("@!%p1 bra \t$L__BB0_2;", "%p1", "%p1", False),
        ("{ add.s32 %r1, %r2, 1; ret; }", "add", "add.s32", True),
        ("{ add.s32 %r1, %r2, 1; ret; }", "ret", "ret", True),
        ("loop: add.s32 %r1, %r1, 1;", "add", "add.s32", True),
        ("loop: add.s32 %r1, %r1, 1;", "loop", "loop", False),
        ("{ .reg.b16 %h; }", ".reg", ".reg", True),
        ("{ .reg.b16 %h; }", ".b16", ".b16", False),
        ("\t.reg .pred %p<3>;", "%p", "%p", False),
        ("mov.u32 %r1, %tid.x;", "x;", "%tid.x", False),
        ("cp.async.wait_all;", "wait", "cp.async.wait_all", True),
        ("tcgen05.wait::ld.sync.aligned;", "ld", "tcgen05.wait::ld.sync.aligned", True),
        (".visible .entry k(", ".entry", ".entry", False),
    ],
)
def test_a_word_of_ptx(line, mark, text, opens):
    found = at(PTX, line, mark)
    start = line.index(text)
    assert found == WordAt(text, (start, start + len(text)), opens)


@pytest.mark.parametrize(
    ("line", "mark", "text", "opens"),
    [
        ("        /*0010*/              @!P0 EXIT ;", "EXIT", "EXIT", True),
        ("        /*0010*/              @!P0 EXIT ;", "P0", "P0", False),
        ("        /*0010*/              @!UPT UIADD3 URZ, ...", "UIADD3", "UIADD3", True),
        ("  /*0020*/ LDG.E.64.CONSTANT R2, desc[UR4][R2.64] ;", "64", "LDG.E.64.CONSTANT", True),
        ("  /*0020*/ LDG.E.64 R2, desc[UR4][R2.64.U32] ;", "64.U32", "R2.64.U32", False),
        ("  /*0020*/ LDG.E.64 R2, desc[UR4][R2.64] ;", "desc", "desc", False),
        ("  /*0000*/ { IMAD R1, R1, R2, RZ ;", "IMAD", "IMAD", True),
        ("        S2R R0, SR_TID.X ;", "SR_", "SR_TID.X", False),
        ("\t.section\t.text.k", ".section", ".section", True),
    ],
)
def test_a_word_of_sass(line, mark, text, opens):
    found = at(SASS, line, mark)
    assert (found.text, found.opens) == (text, opens)
    assert line[slice(*found.span)] == text


@pytest.mark.parametrize(
    ("kind", "line", "column"),
    [
        (PTX, "add.s32 %r1, %r2, 1; // add more", 24),
        (PTX, "add.s32  %r1", 8),
        (PTX, "add.s32", 7),
        (PTX, "", 0),
        (SASS, '//## File "add.cu", line 1', 12),
        (SASS, "/*0010*/ EXIT ;", 4),
        (SASS, "MOV R1, 0x1f ;", 10),
        (CodeKind.CUDA, "a + b", 2),
    ],
)
def test_between_words_and_in_comments_there_is_none(kind, line, column):
    assert word_at(kind, line, column) is None


@pytest.mark.parametrize(
    ("kind", "line", "mark", "text"),
    [
        (CodeKind.CUDA, "int i = threadIdx.x;", "thread", "threadIdx.x"),
        (CodeKind.CUDA, "atomicAdd(&sum[0], 1);", "Add", "atomicAdd"),
        (CodeKind.CUDA, "#pragma unroll", "pragma", "#pragma"),
        (CodeKind.LLVM_IR, "call void @llvm.nvvm.barrier0()", "nvvm", "@llvm.nvvm.barrier0"),
    ],
)
def test_a_word_of_a_source(kind, line, mark, text):
    assert at(kind, line, mark) == WordAt(text, at(kind, line, mark).span, opens=False)
    assert line[slice(*at(kind, line, mark).span)] == text


@pytest.mark.parametrize(
    ("kind", "line", "words"),
    [
        (PTX, "$L: @%p1 bra.uni $M; // add it", ["bra.uni"]),
        (PTX, "{ mov.u32 %r1, %tid.x; ret; }", ["mov.u32", "ret"]),
        (SASS, "  /*a010*/  @!P0 LDG.E R2, [R4] ;", ["LDG.E"]),
        (CodeKind.CUDA, "x = threadIdx.x; // y", ["x", "threadIdx.x"]),
        (PTX, "add.s32 %r1, %r2, %r3;" * 300, []),
    ],
)
def test_a_line_has_words_that_tell_what_it_does(kind, line, words):
    assert [word_at(kind, line, column).text for column in openings(kind, line)] == words
