"""A whole program in a real window: built with no click, its host code drawn back."""

from PySide6.QtWidgets import QLabel

from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.editor.host_code import HostCodeVeil
from jitstudio.gui.state.build_settings import Switch
from jitstudio.gui.state.documents import Document

PROGRAM = """\
#include <vector>
__global__ void scale(float *x, float a) { x[threadIdx.x] *= a; }

int main()
{
    std::vector<float> host(64);
    scale<<<1, 64>>>(nullptr, 2.0f);
}
"""


def drawn_back(veil: HostCodeVeil) -> list[int]:
    return [line + 1 for line in range(12) if veil.is_host_code(line)]


def test_a_program_is_built_and_says_what_is_not_compiled(started):
    document = Document("program.cu", CodeKind.CUDA, PROGRAM.encode())
    built = started.next_result(lambda: started.state.documents.add(document))
    assert built.outcome is Outcome.BUILT
    assert [kernel.demangled for kernel in built.kernels] == ["scale(float*, float)"]
    editor = started.editor
    started.wait(lambda: editor.host_code.lines == 5)
    assert drawn_back(editor.host_code) == [4, 5, 6, 7, 8]
    (line,) = started.window.findChildren(QLabel, "hostCodeLine")
    assert (line.text(), line.isVisible()) == ("5 lines of host code are not compiled", True)
    # An option that only begins as another one, and one that is half typed, change nothing.
    for options in ('-DX="-default-device', "-DX=-default-device"):
        started.state.settings.options = options
        assert editor.host_code.lines == 5
    started.state.settings.options = "-default-device"
    assert editor.host_code.lines == 0
    started.state.settings.options = ""
    started.wait(lambda: editor.host_code.lines == 5)
    # The lines move along at once, and are looked for again once the keys rest.
    editor.textCursor().insertText("\n\n")
    assert drawn_back(editor.host_code) == [6, 7, 8, 9, 10]
    started.settle()
    failed = started.next_result(lambda: started.trigger("hostCodeAction"))
    assert failed.outcome is Outcome.FAILED
    assert Switch.KEEP_HOST_CODE in started.state.settings.switches
    started.wait(lambda: editor.host_code.lines == 0)
    assert not line.isVisible()
    assert document.content.decode() == "\n\n" + PROGRAM


def test_after_a_build_the_window_shows_what_it_has_set_aside(started):
    text = (
        '#include "marks.h"\nHD int twice(int argc) { return 2 * argc; }\n'
        "__global__ void k(int *p) { *p = twice(*p); }\nint main() { }\n"
    )
    started.state.settings.auto_build = False
    module = Document("marked.cu", CodeKind.CUDA, text.encode())
    started.state.documents.add(module)
    veil = started.editor.host_code
    # That line two is for the device, only the header says.
    started.wait(lambda: drawn_back(veil) == [2, 4])
    mark = Document("marks.h", CodeKind.HEADER, b"#define HD __host__ __device__\n")
    started.state.documents.add(mark)
    built = started.next_result(lambda: started.trigger("buildAction"))
    assert built.outcome is Outcome.BUILT
    assert [part.lines for stage in built.stages for part in stage.host_code] == [1]
    assert drawn_back(veil) == [4]
