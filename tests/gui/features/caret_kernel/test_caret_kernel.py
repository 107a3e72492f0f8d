"""The kernel at the cursor is the kernel of Launch, Report and SASS."""

import pytest
from PySide6.QtGui import QAction

from jitstudio.core.code import CodeKind
from tests.gui.driver import pause

TEXT = """__device__ __noinline__ int twice(int x) {
    return 2 * x;
}

template <class T>
__global__ void scale(T *data) {
    data[threadIdx.x] *= 2;
}
template __global__ void scale<float>(float *);
template __global__ void scale<int>(int *);

extern "C" __global__ void add(int *data) {
    data[threadIdx.x] = twice(data[threadIdx.x]);
}
"""


@pytest.fixture
def two_kernels(started, tmp_path):
    path = tmp_path / "two.cu"
    path.write_text(TEXT)
    started.next_result(lambda: started.files.open_paths([path]))
    started.wait(lambda: len(started.state.launch_specs.forms) == 3)
    return started


def chosen(driver):
    return driver.state.launch_specs.form.title


def put_cursor(driver, line):
    driver.editor.go_to(line)
    pause(50)
    return chosen(driver)


def test_the_cursor_chooses_the_kernel_of_launch_and_of_the_machine_code(two_kernels):
    driver, disassembly = two_kernels, two_kernels.state.disassembly
    assert put_cursor(driver, 13) == "add"
    driver.wait(lambda: disassembly.kernel == "add")
    assert put_cursor(driver, 5) == "scale<float>"
    driver.wait(lambda: disassembly.kernel.startswith("_Z5scaleIfE"))
    # Between two kernels and in a function that is none, the last stays.
    assert put_cursor(driver, 11) == "scale<float>"
    assert put_cursor(driver, 2) == "scale<float>"


def test_an_instance_that_was_chosen_stays_while_the_cursor_is_in_the_template(two_kernels):
    driver = two_kernels
    assert put_cursor(driver, 7) == "scale<float>"
    driver.state.launch_specs.choose("scale<int>")
    assert put_cursor(driver, 6) == "scale<int>"
    driver.wait(lambda: driver.state.disassembly.kernel.startswith("_Z5scaleIiE"))
    assert put_cursor(driver, 12) == "add"


def test_lines_that_are_typed_belong_to_the_kernel_around_them(two_kernels):
    driver = two_kernels
    put_cursor(driver, 13)
    driver.state.settings.auto_build = False
    driver.editor.go_to(7)
    driver.editor.insertPlainText("\n" * 7 + "// more")
    pause(50)
    assert chosen(driver) == "scale<float>"
    # Where `add` was when the text was built, there is the template still.
    assert put_cursor(driver, 13) == "scale<float>"
    assert put_cursor(driver, 20) == "add"


def test_the_cursor_of_ptx_and_of_sass_chooses_too(two_kernels):
    driver = two_kernels
    put_cursor(driver, 7)
    driver.trigger("focusPtxAction")
    ptx = driver.listings[CodeKind.PTX]
    driver.wait(lambda: ptx.code.code.functions)
    add = next(f for f in ptx.code.code.functions if f.name == "add" and f.is_defined)
    ptx.code_view.go_to(add.line + 2)
    driver.wait(lambda: chosen(driver) == "add")
    driver.trigger("focusSassAction")
    disassembly = driver.state.disassembly
    driver.wait(lambda: disassembly.current is not None)
    sass, rows = driver.listings[CodeKind.SASS], disassembly.current.rows
    integers = next(f for f in disassembly.current.code.kernels if "IiE" in f.name)
    sass.code_view.go_to(rows.line(integers, 0) + 1)
    driver.wait(lambda: chosen(driver) == "scale<int>")


def test_the_kernel_is_named_before_it_runs(two_kernels):
    driver = two_kernels
    put_cursor(driver, 13)
    assert "Run add, the kernel at the cursor" in driver.find(QAction, "runAction").toolTip()
    put_cursor(driver, 7)
    assert "Run scale<float>" in driver.find(QAction, "runAction").statusTip()
