"""How long the views of code take, on this machine. Run by hand: it prints, it judges nothing.

From the root of the checkout: `python -m tests.bench.listing`, with QT_QPA_PLATFORM=offscreen where
there is no screen.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import median
from time import perf_counter, sleep

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.search import Matcher, Query, TextSearch
from jitstudio.gui.editor.code_editor import CodeEditor
from jitstudio.gui.kit.fonts import load_fonts
from jitstudio.gui.kit.theme import Theme, apply_theme
from jitstudio.gui.listing.listing_view import ListingView
from jitstudio.listing.lexers.cuda_cxx import CudaCxxLexer
from jitstudio.listing.lexers.ptx import PtxLexer
from jitstudio.listing.lines import LineClass

PTX = """\
	ld.param.u64 	%rd1, [_Z9vectorAddPKfS0_Pfi_param_0];
	mov.u32 	%r2, %ntid.x; // 1.5e-3
	mad.lo.s32 	%r5, %r3, %r2, %r4;
	setp.ge.s32 	%p1, %r5, %r1;
	@%p1 bra 	$L__BB0_2;
""".splitlines()
KERNEL = """\
.visible .entry NUMBER(
	.param .u64 NUMBER_param_0
)
{
	.reg .b64 	%rd<4>;
	.loc	1 NUMBER 3
	ld.param.u64 	%rd1, [NUMBER_param_0];
$L__BB0_1:
	// Comes back.
	bra 	$L__BB0_1;
}

"""
CUDA = """\
__global__ void saxpy_NUMBER(float a, const float* x, float* y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;  // one element for each thread
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

/* A comment that
   goes on. */
"""


def measure(name: str, act: Callable[[], None], times: int = 1) -> None:
    """Print how long something takes: the median, and the worst."""
    taken: list[float] = []
    for _ in range(times):
        start = perf_counter()
        act()
        taken.append((perf_counter() - start) * 1000)
    sys.stdout.write(f"{name:<52} {median(taken):8.2f} ms   worst {max(taken):8.2f} ms\n")


def measure_listing(theme: Theme) -> None:
    """Time the listing view."""
    view = ListingView()
    view.resize(1200, 1300)
    view.show()
    lexer = PtxLexer()
    lines = PTX * 60_000
    bar = view.verticalScrollBar()
    measure("set_lines, 300,000 lines", lambda: view.set_lines(lines, lexer), 5)

    def scroll(count: int) -> None:
        bar.setValue(bar.value() + count)
        QApplication.processEvents()

    measure("scroll by a page, lines never seen", lambda: scroll(bar.pageStep()), 200)
    measure("scroll by three lines", lambda: scroll(3), 200)
    measure("paint a whole page again", lambda: view.viewport().repaint(), 50)
    measure("jump to the end", lambda: bar.setValue(bar.maximum()))
    measure("select all and copy", lambda: (view.select_all(), view.copy()))
    measure("find all of a word", lambda: search_all(view))
    long_line = ["ld.param.u64 %rd1, [a]; " * 450_000]
    measure("set_lines, one line of 10 MB", lambda: view.set_lines(long_line, lexer))
    measure("go to its end", lambda: QTest.keyClick(view, Qt.Key.Key_End))
    measure("paint it", lambda: view.viewport().repaint(), 20)


def measure_hiding(theme: Theme) -> None:
    """Time filters, folds and rebuilds of 300,000 lines in 25,000 kernels."""
    view = ListingView()
    view.resize(1200, 1300)
    view.show()
    lexer, kind = PtxLexer(), CodeKind.PTX
    text = "".join(KERNEL.replace("NUMBER", f"k{number}") for number in range(25_000))
    lines = tuple(text.splitlines())
    newer = ("// One line more.", *lines)

    def outlined() -> None:
        """Wait for what is found out behind the window."""
        told: list[int] = []
        view.visibility.hidden_count_changed.connect(told.append)
        while not told:
            QApplication.processEvents()
            sleep(0.001)
        view.visibility.hidden_count_changed.disconnect(told.append)

    view.set_lines(lines, lexer, kind)
    measure("read 25,000 kernels, behind the window", outlined)
    view.go_to(200_000)
    filters = frozenset(LineClass) - {LineClass.CODE}
    measure("leave out all but code", lambda: view.visibility.set_filters(filters))
    measure("fold one, and unfold it", lambda: (view.fold(), view.unfold()), 20)
    measure("fold all", view.fold_all)
    measure("go into a fold", lambda: view.go_to(250_008))

    def rebuild() -> None:
        view.set_lines(newer, lexer, kind, keep_position=True)

    measure("a newer text, at the same place", rebuild)
    outlined()
    bar = view.verticalScrollBar()
    bar.setValue(0)
    measure("scroll by a page of folds", lambda: bar.setValue(bar.value() + bar.pageStep()), 100)


def search_all(view: ListingView) -> None:
    """Find all of a word, without pauses."""
    search = TextSearch(view, Matcher(Query("mad")))
    search.start()
    while not search.is_finished:
        QApplication.processEvents()


def colour_all(editor: CodeEditor) -> None:
    """Let the highlighter come to its end."""
    while not editor.highlighter.is_complete:
        QApplication.processEvents()


def measure_editor(theme: Theme) -> None:
    """Time typing into an editor with 10,000 lines."""
    editor = CodeEditor(CudaCxxLexer())
    editor.resize(1200, 1300)
    editor.show()
    text = "".join(CUDA.replace("NUMBER", str(number)) for number in range(1000))
    measure("setPlainText, 10,000 lines", lambda: editor.setPlainText(text))
    measure("... and all of it coloured, in slices", lambda: colour_all(editor))
    editor.go_to(5000, 9)

    def key(name: Qt.Key | str) -> None:
        QTest.keyClick(editor, name)
        QApplication.processEvents()

    measure("type a letter, painted", lambda: key("x"), 300)
    measure("Enter, painted", lambda: key(Qt.Key.Key_Return), 100)
    editor.go_to(1, 1)
    measure("type /* at the top: every line changes colour", lambda: (key("/"), key("*")))


def main() -> None:
    """Print all times."""
    app = QApplication([])
    load_fonts(app)
    theme = Theme.load("dark")
    apply_theme(app, theme)
    measure_listing(theme)
    measure_hiding(theme)
    measure_editor(theme)


if __name__ == "__main__":
    main()
