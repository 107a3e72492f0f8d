import pytest

from jitstudio.core.code import CodeKind
from jitstudio.gui.features.editing.hover import Tips


@pytest.fixture
def tips(qapp):
    return Tips()


def read(tips, qtbot, kind):
    with qtbot.waitSignal(tips.known, timeout=20_000) as told:
        tips.want(kind)
    assert told.args == [kind]


def test_nobody_waits_for_texts_that_are_not_read_yet(tips, qtbot):
    with qtbot.waitSignal(tips.known, timeout=20_000):
        assert tips.tip(CodeKind.PTX, "ret;", 0) is None
        assert not tips.is_known(CodeKind.PTX)
    assert tips.is_known(CodeKind.PTX)
    assert tips.tip(CodeKind.PTX, "ret;", 0).line.startswith("ret: Goes back")


@pytest.mark.parametrize(
    ("kind", "line", "column", "begins", "span"),
    [
        (CodeKind.PTX, "\tld.global.f32 \t%f1, [%rd8];", 4, "ld{.sem}.global", (1, 14)),
        (CodeKind.PTX, "\tmov.u32 \t%r5, %tid.x;", 20, "%tid.x .u32: The index", (15, 21)),
        (CodeKind.SASS, "  /*0070*/  @P0 EXIT ;", 17, "EXIT: Ends", (16, 20)),
        (CodeKind.CUDA, "int i = threadIdx.x;", 10, "uint3 threadIdx: ", (8, 19)),
        (CodeKind.LLVM_IR, "%c = add i32 %a, %b", 6, "%d = add", (5, 8)),
    ],
)
def test_each_language_has_its_own(tips, qtbot, kind, line, column, begins, span):
    read(tips, qtbot, kind)
    tip = tips.tip(kind, line, column)
    assert tip.line.startswith(begins)
    assert tip.span == span


@pytest.mark.parametrize(
    ("kind", "line", "column"),
    [
        (CodeKind.PTX, "call vector_add;", 6),
        (CodeKind.PTX, "ret;" + " " * 6000, 0),
        (CodeKind.CUDA, "int mine;", 5),
        (CodeKind.SASS, "", 0),
    ],
)
def test_of_other_words_nothing_is_told(tips, qtbot, kind, line, column):
    read(tips, qtbot, kind)
    assert tips.tip(kind, line, column) is None


def test_texts_are_read_once(tips, qtbot):
    read(tips, qtbot, CodeKind.SASS)
    with qtbot.assertNotEmitted(tips.known, wait=200):
        tips.want(CodeKind.SASS)


def test_a_kind_that_nobody_writes_has_none(tips, qtbot):
    read(tips, qtbot, CodeKind.CUBIN)
    assert tips.tip(CodeKind.CUBIN, "abc", 0) is None
