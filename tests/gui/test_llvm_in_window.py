"""LLVM IR in a real window: libraries and joined modules."""

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.state.build_settings import Switch
from jitstudio.gui.state.documents import Document
from tests.support import typed_ir

KERNEL = typed_ir("""\
declare i32 @twice(i32)
define void @kernel(i32 addrspace(1)* %out) {
  %value = call i32 @twice(i32 21)
  store i32 %value, i32 addrspace(1)* %out
  ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (i32 addrspace(1)*)* @kernel, !"kernel", i32 1}""")
TWICE = typed_ir("""\
define i32 @twice(i32 %value) {
  %sum = add i32 %value, %value
  ret i32 %sum
}""")


@pytest.fixture
def started(started):
    """With two modules of LLVM IR, built on demand only."""
    driver = started
    driver.state.settings.auto_build = False
    for name, text in (("twice.ll", TWICE), ("kernel.ll", KERNEL)):
        driver.state.documents.add(Document(name, CodeKind.LLVM_IR, text.encode()))
    return driver


SCALE = """\
define void @scale(float* %data, i32 %n) {
  %value = load float, float* %data
  %twice = fmul float %value, 2.0
  store float %twice, float* %data
  ret void
}
"""


def test_the_only_function_is_marked_as_a_kernel_as_a_launch_does(started):
    started.state.documents.add(Document("scale.ll", CodeKind.LLVM_IR, SCALE.encode()))
    result = build(started)
    assert result.ok, result.diagnostics
    assert "kernel at @scale: " in result.stages[0].log
    assert ".entry scale" in started.listing("ptxView").toPlainText()
    assert not any("no kernel" in d.message for d in result.diagnostics)
    # LTO-IR is for a link, where another module may call it.
    controller = started.state.build_controller
    assert controller.request(frozenset({CodeKind.LTOIR})).entry == ""
    assert controller.request(frozenset({CodeKind.PTX})).entry == "scale"
    more = Document("two.ll", CodeKind.LLVM_IR, (SCALE + SCALE.replace("@scale", "@b")).encode())
    started.state.documents.add(more)
    assert controller.request(frozenset({CodeKind.PTX})).entry == ""


def build(driver):
    return driver.next_result(lambda: driver.trigger("buildAction"))


def test_a_library_gives_what_is_called(started):
    assert not build(started).ok
    documents = started.state.documents
    documents.current = documents.named("twice.ll")
    started.trigger("libraryAction")
    documents.current = documents.named("kernel.ll")
    result = build(started)
    assert result.ok
    assert [stage.source for stage in result.stages if stage.tool.value == "libNVVM"] == [
        "kernel.ll"
    ]
    # libNVVM picks single functions out of bitcode only, and the log says so.
    assert "twice.ll is text: " in result.stages[0].log
    assert ".entry kernel" in started.listing("ptxView").toPlainText()
    # Without debug metadata, its lines are tied to what became of them.
    started.show_output("SASS")
    correlations = started.state.correlations
    started.wait(lambda: correlations.tied is not None)
    document = documents.current
    lines = document.content.decode().split("\n")
    store = next(n for n, line in enumerate(lines) if "store i32" in line)
    shown = correlations.of_source(document, store)
    ptx = started.listing("ptxView").toPlainText().split("\n")
    sass = started.listing("sassView").toPlainText().split("\n")
    assert any("st.global" in ptx[line] for line in shown.ptx["kernel.ll"])
    assert any("STG" in sass[line] for line in shown.sass)


def test_joined_modules_are_one_program(started):
    documents = started.state.documents
    documents.named("vector_add.cu").included = False
    started.state.settings.link = LinkMode.PTX
    started.state.settings.turn(Switch.JOIN_IR, True)
    result = build(started)
    assert result.ok
    compiled = [stage for stage in result.stages if stage.tool.value == "libNVVM"]
    assert len(compiled) == 1


def test_the_command_is_for_llvm_ir_only(started):
    documents = started.state.documents
    action = started.find(type(started.window.menuBar().actions()[0]), "libraryAction")
    assert action.isEnabled()
    documents.current = documents.named("vector_add.cu")
    assert not action.isEnabled()
    assert not action.isChecked()
