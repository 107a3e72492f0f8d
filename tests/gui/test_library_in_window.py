"""A wheel and a cache opened in a real window: their kernels, and one of them with its code."""

import shutil
from dataclasses import replace

import pytest

from jitstudio.core import kernel_resources
from jitstudio.core.arch import Arch
from jitstudio.core.captured import KernelLanguage, unpack
from jitstudio.core.code import CodeKind
from jitstudio.gui.features.library.folder_watch import FolderWatch
from jitstudio.gui.shell.commands.spec import CACHES, FILE
from tests.library_files import archive, elf, wheel
from tests.support import KERNEL, ROOT, cuda, request

OTHER = 'extern "C" __global__ void other(int* p) { *p += 1; }\n'


@pytest.fixture(scope="module")
def fatbin(builder):
    """Two kernels for two targets, and their PTX."""
    build = replace(
        request(cuda(KERNEL + OTHER, "k.cu"), emit="fatbin"),
        fat_archs=(Arch(75), Arch(80)),
        fat_ptx=(Arch(80),),
    )
    return builder.build(build).artifacts[0].content


def listed(driver, path):
    view = driver.pane("library")
    driver.files.open_paths([path])
    driver.wait(lambda: path.name in view.status and not view.status.startswith("Reading"))
    return view


@pytest.mark.usefixtures("driver")
def test_a_kernel_of_a_wheel_opens_to_its_code(started, fatbin, tmp_path):
    driver, path = started, tmp_path / "k-1.0.whl"
    path.write_bytes(wheel({"k/libk.so.1": elf({".nv_fatbin": fatbin})}))
    tabs = len(driver.state.documents)
    driver.state.disassembly.want("test", True)
    view = listed(driver, path)
    assert view.isVisible()
    assert view.status == "6 of 6 kernels in k-1.0.whl"
    assert len(driver.state.documents) == tabs
    assert driver.state.preferences.recent_files[0] == path
    for name, target in (("other", "sm_75"), ("fine", "sm_75"), ("other", "compute_80")):
        row = next(
            row for row in view.model.rows if (row.kernel.name, row.piece.target) == (name, target)
        )
        view.kernel_activated.emit(row)
        sass = driver.listings[CodeKind.SASS]
        driver.wait(lambda: sass.isVisible() and f".text.{name}:" in here(sass))  # noqa: B023
        driver.settle()
        disassembly = driver.state.disassembly
        driver.wait(lambda: disassembly.function and disassembly.kernel == name)  # noqa: B023
        result = driver.state.outputs.result
        assert (result.ok, str(result.arch)) == (True, target.replace("compute", "sm"))
        assert driver.document.name == "libk.fatbin"
        (ptx,) = driver.state.outputs.output(CodeKind.PTX).listings
        assert ".entry other(" in "\n".join(ptx.lines)
    # One tab for all that the same fatbin has.
    assert len(driver.state.documents) == tabs + 1


def test_of_much_code_one_kernel_is_disassembled_at_a_time(started, fatbin, tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_resources, "WHOLE_CODE_BYTES", 0)
    driver, path = started, tmp_path / "big.fatbin"
    path.write_bytes(fatbin)
    view, sass = listed(driver, path), driver.listings[CodeKind.SASS]
    disassembly, functions = driver.state.disassembly, sass.header.functions
    disassembly.want("test", True)
    row = next(row for row in view.model.rows if (row.kernel.name, row.piece.target) == OTHERS)
    view.kernel_activated.emit(row)
    # The one that is wanted comes first, and alone.
    driver.wait(lambda: sass.listing and sass.listing.function == "other" and disassembly.function)
    driver.settle()
    assert disassembly.kernel == "other"
    assert [function.name for function in disassembly.current.code.functions] == ["other"]
    assert {name for name, _ in disassembly.current.readable} == {"fine", "other"}
    assert {kernel.name for kernel in driver.state.outputs.result.kernels} == {"fine", "other"}
    alone = disassembly.current
    builds, shown = len(driver.results), []
    for choose in (
        lambda: driver.pane("report").kernel_chosen.emit("fine"),
        lambda: functions.activated.emit(functions.findText("other")),
        lambda: driver.pane("kernels").kernel_activated.emit(kernel(driver, "fine")),
    ):
        before = sass.listing.function
        choose()
        driver.wait(lambda: sass.listing.function not in ("", before))  # noqa: B023
        driver.wait(lambda: disassembly.function and disassembly.kernel == sass.listing.function)
        assert functions.count() == 3
        shown.append(sass.listing)
    # What was read is kept.
    assert shown[2] is shown[0]
    # All of it, as the last entry says.
    functions.activated.emit(2)
    driver.wait(lambda: not sass.listing.function)
    driver.wait(lambda: disassembly.current and disassembly.current.listing is sass.listing)
    assert disassembly.kernel == "fine"
    whole = disassembly.current.code
    assert [*whole.function("other")] == [*alone.code.function("other")]
    assert functions.count() == 2
    # No build has come of it, and the next one begins where the reader is.
    assert len(driver.results) == builds
    driver.next_result(lambda: driver.trigger("buildAction"))
    assert sass.listing.function == "fine"


OTHERS = ("other", "sm_80")


def kernel(driver, name):
    return next(k for k in driver.state.outputs.result.kernels if k.name == name)


def here(pane):
    """The lines of a listing around its cursor."""
    if pane.listing is None:
        return ""
    line = pane.code_view.line
    return "\n".join(pane.listing.lines[max(line - 9, 0) : line + 2])


def test_a_static_library_is_a_module_and_is_listed_too(started, fatbin, tmp_path):
    path = tmp_path / "l.a"
    path.write_bytes(archive({"k.o": elf({".nv_fatbin": fatbin}, kind=1)}))
    view = listed(started, path)
    assert view.status == "6 of 6 kernels in l.a"
    assert started.document.path == path


def test_a_program_without_device_code_and_a_text_without_ending_are_said(started, tmp_path):
    program, text = tmp_path / "program", tmp_path / "notes"
    program.write_bytes(elf({".text": b"\x90" * 99}))
    text.write_text("hello")
    view = started.pane("library")
    started.files.open_paths([program, text])
    started.wait(lambda: f"'{program.name}' holds no device" in view.table.hint)
    assert view.status == "No kernels"
    assert "'notes' has no file extension" in started.shell.notices.text


def test_a_cache_is_opened_from_the_menu_and_shows_what_is_added(started, tmp_path, monkeypatch):
    driver, cache = started, tmp_path / "triton"
    (entry,) = (ROOT / "tests/data/captured/triton").glob("3JFIOR7*")
    shutil.copytree(entry, cache / "A")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(cache))
    menu = driver.shell.menus[CACHES]
    driver.shell.menus[FILE].aboutToShow.emit()
    driver.wait(lambda: menu.actions()[0].text() == "Triton")
    view = driver.pane("library")
    menu.actions()[0].trigger()
    driver.wait(lambda: view.model.rows)
    assert view.status.startswith("1 of 1 kernels in ")
    cells = [view.model.index(0, c).data() for c in range(view.model.columnCount())]
    assert cells[-2:] == ["Triton 3.9.0", "scale.py:6"]
    view.table.selectRow(0)
    watch = view.findChild(FolderWatch)
    shutil.copytree(entry, cache / "B", copy_function=shutil.copy)
    for file in (cache / "B").iterdir():
        file.touch()
    driver.wait(lambda: watch.look() or len(view.model.rows) == 2)
    # The newest comes first; what was chosen still is.
    assert [row.piece.member[0] for row in view.model.rows] == ["B", "A"]
    (index,) = view.table.selectionModel().selectedRows()
    assert (index.row(), view.table.currentIndex().row()) == (1, 1)
    view.kernel_activated.emit(view.model.rows[1])
    sass = driver.listings[CodeKind.SASS]
    driver.wait(lambda: sass.isVisible() and ".text.scale_kernel:" in here(sass))
    document = driver.document
    assert (document.name, document.kind) == ("scale_kernel.jitkernel", CodeKind.CAPTURED)
    kernel = unpack(document.path.read_bytes())
    assert kernel.representation(KernelLanguage.TTIR).content == (
        (entry / "scale_kernel.ttir").read_bytes()
    )
    (ptx,) = driver.state.outputs.output(CodeKind.PTX).listings
    assert "\n".join(ptx.lines).strip() == (entry / "scale_kernel.ptx").read_text().strip()
    shutil.rmtree(cache)
    driver.wait(lambda: watch.look() or "cannot be read" in view.table.hint)
