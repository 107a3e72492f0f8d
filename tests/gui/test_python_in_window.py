"""Python files in a real window: run by Build alone, their kernels tied to lines and drawn."""

import sys

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit

from jitstudio.core.code import CodeKind
from jitstudio.core.result import Outcome
from jitstudio.gui.state.outputs import Absence
from tests.gui.driver import pause

SCRIPT = '''
from cuda.core import Program

CODE = """
#line 7 "{path}"
extern "C" __global__ void {name}(float* x)
{{
    x[threadIdx.x] *= 2;
#line 1 "{path}"
    x[0] = 1;
}}
"""
for name in ("twice", "again"):
    Program(CODE.replace("twice", name), "c++").compile("cubin")
open("{ran}", "w")
'''
# Of the only statement, below the remark that the test writes above all.
_LINE = 9


@pytest.fixture
def script(tmp_path):
    """Its CUDA C++ says that it is of the file itself, as line tables of Python kernels do."""
    path = tmp_path / "s.py"
    text = SCRIPT.replace("{{", "{").replace("}}", "}").replace("{name}", "twice")
    path.write_text(text.replace("{path}", str(path)).replace("{ran}", "/dev/null"))
    return path


def test_a_script_runs_when_it_is_built_and_only_then(shared_driver, script):
    driver = shared_driver
    driver.start()
    driver.files.open_paths([script])
    outputs, builds = driver.state.outputs, driver.state.build_controller
    assert driver.document.kind is CodeKind.PYTHON
    # What runs it, and no example of options that it would not take.
    assert driver.find(QLabel, "readBy").toolTip().count(sys.executable) == 1
    assert "--use_fast_math" not in driver.find(QLineEdit, "optionsEdit").placeholderText()
    driver.editor.insertPlainText("# a remark\n")
    pause(3 * 50)
    assert not builds.builds_by_itself
    assert (builds.is_busy, outputs.result) == (False, None)
    assert outputs.output(CodeKind.PTX).absence is Absence.RUN_BY_BUILD
    result = driver.next_result(lambda: driver.trigger("buildAction"))
    assert (result.outcome, result.diagnostics) == (Outcome.BUILT, ())
    assert [x.name for x in outputs.output(CodeKind.SASS).listings] == ["twice", "again"]
    driver.show_output("SASS")
    disassembly, correlations = driver.state.disassembly, driver.state.correlations
    driver.wait(lambda: disassembly.current is not None)
    driver.wait(lambda: correlations.tied and correlations.tied.inspection is disassembly.current)
    assert correlations.of_source(driver.document, _LINE - 1).sass
    # A table that names a remark is wrong: it is the origin of nothing.
    assert correlations.tied.hues.sources[str(script)][1]
    assert not correlations.of_source(driver.document, 0)
    assert 0 not in correlations.coloured(driver.document)
    nodes = {n.title for n in driver.pane("pipeline").canvas.pipeline.nodes}
    assert {"s.py", "Python", "twice", "again", "twice.sass", "again.cubin"} <= nodes
    script_tab = driver.document
    canvas = driver.pane("pipeline").canvas
    canvas.activated.emit(next(n for n in canvas.pipeline.nodes if n.title == "again"))
    kernel = driver.document
    assert (kernel.name, kernel.kind) == ("again.jitkernel", CodeKind.CAPTURED)
    driver.state.documents.remove(kernel)
    driver.state.documents.current = script_tab
    driver.replace("*=", "=*")
    result = driver.next_result(lambda: driver.trigger("buildAction"))
    (said,) = result.diagnostics
    assert (said.file, said.line, result.outcome) == ("s.py", _LINE, Outcome.FAILED)
    driver.document.set_modified(False)
    driver.editors.close_current()
