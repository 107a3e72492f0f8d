"""Several modules, headers, names and links in a real window with a real worker."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton

from jitstudio.core.code import LINKED, CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.core.result import Outcome
from jitstudio.gui.features.help.window import HelpWindow
from jitstudio.gui.features.link.inlined import CALL, FUNCTION, INTO
from jitstudio.gui.features.link.view import LinkView
from jitstudio.gui.features.names.view import NamesView
from jitstudio.gui.shell.notice_bar import NoticeBar
from jitstudio.gui.state.documents import Document
from jitstudio.gui.state.outputs import Absence


def test_options_names_and_link_are_parts_of_one_pane(started):
    layout, views = started.shell.layout, {n: started.pane(n) for n in ("options", "names", "link")}
    dock = layout.dock_of(views["options"])

    def shown():
        return [name for name, view in views.items() if view.isVisible()]

    def tabs():
        return [dock.content.tabText(at) for at in range(dock.content.count())]

    assert dock.isHidden()
    assert "Options" in tabs()
    # Name expressions, in a second module.
    started.open_sample("SAXPY")
    assert tabs() == ["Options", "Lowered names", "Link"]
    for command, name in (("focusLinkAction", "link"), ("optionsAction", "options")):
        started.trigger(command)
        assert shown() == [name]
        assert views[name].isAncestorOf(QApplication.focusWidget())
    started.press(Qt.Key.Key_F1)
    (topic,) = (w.topic for w in QApplication.topLevelWidgets() if isinstance(w, HelpWindow))
    assert topic.name == "building#options"
    dock.close()


def test_lowered_names_of_the_sample_and_of_one_more(started):
    started.open_sample("SAXPY")
    names = started.find(NamesView, "namesView")
    rows = [names.model.index(row, 1).data() for row in range(names.model.rowCount())]
    assert rows == ["_Z5saxpyIfEvT_PKS0_PS0_i", "_Z5saxpyIdEvT_PKS0_PS0_i"]
    result = started.next_result(lambda: names.model.add("saxpy<int>"))
    assert [name.lowered for name in result.lowered_names][-1] == "_Z5saxpyIiEvT_PKS0_PS0_i"
    # The listing has it in words of C++ as soon as its name is known.
    started.wait(lambda: "saxpy<int>(" in started.listing("ptxView").toPlainText())


def test_a_header_tab_is_found_by_include_and_its_edits_rebuild_the_kernel(started):
    assert started.open_sample("Histogram").ok
    header = started.state.documents.named("atomic_ops.cuh")
    started.state.documents.current = header
    result = started.next_result(lambda: started.editor.setPlainText("#error not today\n"))
    assert result.outcome is Outcome.FAILED
    (diagnostic, *_) = result.diagnostics
    assert diagnostic.file == "atomic_ops.cuh"
    assert "not today" in diagnostic.message


def test_the_broken_sample_shows_its_two_errors(started):
    result = started.open_sample("A broken kernel")
    assert [d.severity.value for d in result.diagnostics] == ["error", "error"]
    assert len(started.editor.marks.alive()) == 2


def test_link_by_lto_and_by_ptx(started):
    result = started.open_sample("Link by PTX or LTO")
    assert result.ok
    started.show_output("SASS")
    inlined = started.listing("sassView").toPlainText()
    assert "CALL" not in inlined
    link = started.find(LinkView, "linkView")
    started.shell.layout.bring_up(link)
    started.wait(lambda: link.inlined.rows)
    (row,) = link.inlined.rows
    assert (row.function, row.into) == ("user_transform", "apply_transform")
    table = link.inlined.table
    lines = []
    for column in (FUNCTION, CALL):
        table.setCurrentIndex(table.model().index(0, column))
        table.clicked.emit(table.currentIndex())
        document = started.state.documents.current
        line = started.editor.textCursor().blockNumber()
        lines.append((document.name, document.content.decode().split("\n")[line]))
    (callee, of_callee), (caller, of_caller) = lines
    assert (callee, caller) == ("user_transform.cu", "apply_transform.cu")
    assert "return value * value" in of_callee
    assert "user_transform(" in of_caller
    table.setCurrentIndex(table.model().index(0, INTO))
    table.clicked.emit(table.currentIndex())
    ptx = started.listings[CodeKind.PTX].code_view
    assert ptx.line == row.inlined.ptx_line
    assert not link.inlined.untold
    result = started.next_result(lambda: link.link_mode_changed.emit(LinkMode.PTX))
    assert result.ok
    assert "CALL" in started.listing("sassView").toPlainText()
    assert started.state.settings.link is LinkMode.PTX
    assert link.inlined.isHidden()


def test_the_build_menu_ticks_the_link_that_is_looked_at(started):
    commands = ("linkNoneAction", "linkPtxAction", "linkLtoAction")

    def ticks():
        return [started.shell.actions[name].isChecked() for name in commands]

    assert ticks() == [True, False, False]
    started.open_sample("Link by PTX or LTO")
    assert (started.state.settings.link, ticks()) == (LinkMode.LTO, [False, False, True])
    started.next_result(lambda: started.trigger("linkPtxAction"))
    assert (started.state.settings.link, ticks()) == (LinkMode.PTX, [False, True, False])
    # Chosen once more, it stays.
    started.trigger("linkPtxAction")
    assert (started.state.settings.link, ticks()) == (LinkMode.PTX, [False, True, False])


def test_a_sample_with_a_link_leaves_own_tabs_as_they_are(started):
    """Each tab in front is built, and in the way that it was before the sample."""
    documents, settings = started.state.documents, started.state.settings
    own = started.document
    assert started.open_sample("Link by PTX or LTO").ok
    assert [d.name for d in documents if d.program] == ["apply_transform.cu", "user_transform.cu"]
    documents.current = own
    result = started.next_result(lambda: started.replace("a[i] + b[i]", "a[i] + oops"))
    assert settings.link is LinkMode.NONE
    assert [d.file for d in result.diagnostics] == [own.name]
    assert own.included
    documents.current = documents.named("user_transform.cu")
    started.wait(lambda: settings.link is LinkMode.LTO and started.state.outputs.result.ok)
    # Its name leads back to what is open, not to a second copy.
    started.open_sample("Link by PTX or LTO")
    assert len(documents) == 3


def test_a_link_of_own_tabs_outlives_samples(started):
    documents, settings = started.state.documents, started.state.settings
    own = started.document
    settings.link = LinkMode.PTX
    started.settle()
    result = started.open_sample("SAXPY")
    assert result.ok
    assert {artifact.name for artifact in result.artifacts} == {"saxpy.cu"}
    documents.current = own
    started.wait(lambda: settings.link is LinkMode.PTX)
    started.settle()
    assert started.state.outputs.result.artifact(CodeKind.SASS, LINKED) is not None


def test_a_link_whose_tabs_are_all_closed_is_shown_no_more(started):
    documents = started.state.documents
    started.open_sample("Link by PTX or LTO")
    program = started.document.program
    for document in [d for d in documents if d.program == program]:
        documents.remove(document)
    started.settle()
    assert started.state.outputs.result is None or started.state.outputs.good is not None
    # What is left is no link; one without a module is refused, and nothing is awaited.
    started.state.settings.link = LinkMode.PTX
    for document in tuple(documents):
        documents.remove(document)
    started.wait(lambda: not started.state.build_controller.is_busy)
    for kind in (CodeKind.PTX, CodeKind.SASS):
        assert started.state.outputs.output(kind).absence is not Absence.BEING_BUILT
    assert started.state.outputs.result is None


def test_a_file_is_added_to_the_link_that_is_looked_at(started, tmp_path):
    started.open_sample("Link by PTX or LTO")
    file = tmp_path / "broken.cu"
    file.write_text("__global__ void k() { nothing; }")
    started.files._dialogs.files_to_open = lambda _folder: [file]
    add = started.find(LinkView, "linkView").files_requested.emit
    result = started.next_result(add)
    assert result.outcome is Outcome.FAILED
    assert {d.file for d in result.diagnostics} == {"broken.cu"}
    assert len(started.state.build_controller.modules()) == 3


def notice(driver):
    bars = driver.editors.page.findChildren(NoticeBar, "tabNotice")
    return "".join(bar.text for bar in bars if bar.isVisible())


def test_a_tab_says_that_it_is_not_in_the_link_and_how_it_gets_there(started):
    documents, settings = started.state.documents, started.state.settings
    started.open_sample("Link by PTX or LTO")
    front = documents.named("user_transform.cu")
    documents.current = front
    assert notice(started) == ""
    assert not started.next_result(lambda: setattr(front, "included", False)).ok
    assert "not in the link" in notice(started)
    assert "What is built and shown is 'apply_transform.cu'." in notice(started)
    documents.current = documents.named("apply_transform.cu")
    assert notice(started) == ""
    documents.current = front
    assert notice(started)

    started.wait(lambda: len(started.window.findChildren(QPushButton, "addTabToLink")) == 1)
    add = started.find(QPushButton, "addTabToLink")
    add.setFocus()
    assert started.next_result(add.click).ok
    assert (notice(started), front.included) == ("", True)
    assert started.editor.hasFocus()

    started.next_result(lambda: setattr(front, "included", False))
    result = started.next_result(started.find(QPushButton, "buildTabAlone").click)
    assert result.ok
    assert (notice(started), settings.link) == ("", LinkMode.NONE)
    assert {artifact.name for artifact in result.artifacts} == {front.name}
    # The other half of the link is linked as before, and takes it in again.
    documents.current = documents.named("apply_transform.cu")
    assert settings.link is LinkMode.LTO
    link = started.find(LinkView, "linkView")
    row = next(m for m in link.model.modules if m.name == front.name)
    assert not row.included
    assert started.next_result(lambda: link.inclusion_changed.emit(row.key, True)).ok
    documents.add(Document("listing.sass", CodeKind.SASS, b"EXIT ;\n"))
    assert notice(started).startswith("No tool builds SASS. What is built and shown is 'apply_")


def test_a_module_taken_out_of_the_link_is_missed(started):
    started.open_sample("Link by PTX or LTO")
    link = started.find(LinkView, "linkView")
    row = next(m for m in link.model.modules if m.name == "user_transform.cu")
    result = started.next_result(lambda: link.inclusion_changed.emit(row.key, False))
    assert result.outcome is Outcome.FAILED
    assert any("user_transform" in d.message for d in result.diagnostics)


def test_the_other_samples_build(started):
    ptx, sass = started.listing("ptxView"), started.listing("sassView")
    for title in ("LLVM IR, typed", "LLVM IR, opaque"):
        result = started.open_sample(title)
        assert result.ok, title
        assert f".target {result.arch.sm}" in ptx.toPlainText()
        assert ".entry fill(" in ptx.toPlainText()
        assert f".target\t{result.arch.sm}" in sass.toPlainText()
        assert "EXIT" in sass.toPlainText()
    assert started.open_sample("Two PTX").ok
    assert "scale" in sass.toPlainText()
    assert "EXIT" in sass.toPlainText()


def test_each_tab_keeps_its_own_output(started):
    started.state.settings.auto_build = False
    open_text_later = Document("second.ptx", CodeKind.PTX, b".version 8.0\n.target sm_75\n")
    started.state.documents.add(open_text_later)
    assert started.listing("sassView").toPlainText() == ""
    started.state.documents.current = started.state.documents.named("vector_add.cu")
    assert "LDG.E" in started.listing("sassView").toPlainText()


def test_a_problem_in_a_header_on_disk_opens_it_and_is_over_once_it_is_mended(started, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "broken.cuh").write_text("\n__device__ int f() { return oops; }\n")
    source = tmp_path / "uses.cu"
    source.write_text('#include "sub/broken.cuh"\n__global__ void k(int* p) { *p = f(); }\n')
    result = started.next_result(lambda: started.files.open_paths([source]))
    assert not result.ok
    started.trigger("nextProblemAction")
    assert started.document.name == "broken.cuh"
    assert started.editor.position()[0] == 2
    # Builds read it by its path, so it must be in its file.
    assert not started.next_result(lambda: started.replace("oops", "7")).ok
    assert started.next_result(started.files.save).ok


def test_closing_the_module_while_a_header_is_looked_at_builds_another_one(started):
    started.open_sample("Histogram")
    documents = started.state.documents
    documents.current = documents.named("atomic_ops.cuh")
    result = started.next_result(lambda: documents.remove(documents.named("histogram.cu")))
    assert [kernel.name for kernel in result.kernels] == ["vector_add"]


def test_a_sample_uses_its_header_even_where_that_was_edited(started):
    started.open_sample("Histogram")
    documents = started.state.documents
    documents.current = documents.named("atomic_ops.cuh")
    started.next_result(lambda: started.type("// mine "))
    documents.remove(documents.named("histogram.cu"))
    started.settle()
    assert started.open_sample("Histogram").ok
    assert [d.name for d in documents if d.is_header] == ["atomic_ops.cuh"]
