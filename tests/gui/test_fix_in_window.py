"""From a failure to its explanation, and by one press of a button to a build, in a real window."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import Outcome
from jitstudio.gui.state.documents import Document


def press_fix(driver):
    button = driver.find(QPushButton, "fixButton")
    return driver.next_result(lambda: QTest.mouseClick(button, Qt.MouseButton.LeftButton))


def test_a_version_that_is_too_new_is_explained_and_set(started):
    head = ".version 99.0\n.target sm_75\n.address_size 64\n"
    text = f"{head}.visible .entry k() {{ ret; }}\n"
    document = Document("k.ptx", CodeKind.PTX, text.encode())
    failed = started.next_result(lambda: started.state.documents.add(document))
    assert failed.outcome is Outcome.FAILED
    panel = started.pane("problems").explanation
    assert panel.text.startswith("This PTX says version 99.0 and nvJitLink")
    assert press_fix(started).outcome is Outcome.BUILT
    assert panel.text == ""
    started.trigger("undoAction")
    assert document.content.decode() == text


def test_a_fix_builds_though_nothing_else_does(started):
    started.state.settings.auto_build = False
    text = "template <typename T> __global__ void k(T* p) { *p = 1; }"
    started.state.documents.add(Document("k.cu", CodeKind.CUDA, text.encode()))
    built = started.next_result(lambda: started.trigger("buildAction"))
    assert built.kernels == ()
    assert [kernel.demangled for kernel in press_fix(started).kernels] == ["void k<float>(float*)"]
    assert started.document.name_expressions == ("k<float>",)


LACKING = """\
// For nvcc, which includes much by itself.
extern "C" __global__ void k(int* p, float* q) { *p = INT_MAX; *q = M_PI * std::fmin(1.f, *q); }
"""


def test_all_that_a_text_lacks_is_mended_by_one_press_and_one_undo(started):
    document = Document("k.cu", CodeKind.CUDA, LACKING.encode())
    failed = started.next_result(lambda: started.state.documents.add(document))
    assert failed.outcome is Outcome.FAILED
    built = started.next_result(lambda: started.trigger("mendAllAction"))
    assert [kernel.name for kernel in built.kernels] == ["k"]
    assert document.content.decode().count("#ifdef __CUDACC_RTC__") == 1
    started.trigger("undoAction")
    assert document.content.decode() == LACKING


CALLS = """\
namespace util { __device__ float half_of(float); }
extern "C" __global__ void k(float* p) { *p = util::half_of(*p); }
"""
DEFINES = "namespace util { __device__ float half_of(float x) { return x / 2; } }"


def test_a_function_that_another_tab_defines_is_linked_by_one_press(started):
    documents, problems = started.state.documents, started.pane("problems")
    for name, text in (("defines.cu", DEFINES), ("calls.cu", CALLS)):
        documents.add(Document(name, CodeKind.CUDA, text.encode()))
    started.wait(lambda: problems.explanation.fix is not None)
    started.wait(lambda: problems.explanation.fix.label == "Link with defines.cu")
    assert "takes no part in this build" in problems.explanation.text
    result = press_fix(started)
    assert result.outcome is Outcome.BUILT
    assert [kernel.name for kernel in result.kernels] == ["k"]
    # No other tab is linked with them.
    documents.current = documents.named("vector_add.cu")
    assert started.state.settings.link is LinkMode.NONE
