"""What LTO inlined, read in the window without a GPU: the two-module sample."""

from jitstudio.analysis.sass.cfg import sass_graph
from jitstudio.core.code import CodeKind
from jitstudio.core.request import LinkMode
from jitstudio.gui.features.compare.view import CompareView
from jitstudio.gui.features.graph.view import GraphView

REGISTERS = "registers"


def read(driver):
    """Wait until the SASS that is shown has been read."""
    disassembly = driver.state.disassembly
    driver.wait(lambda: disassembly.current is not None)
    return disassembly.current


def drawn(driver, code):
    """Wait until the flow of `apply_transform` of this code is drawn; how many blocks it has."""
    canvas = driver.find(GraphView, "graphView").canvas
    function = code.function("apply_transform")
    blocks = len(sass_graph(function).blocks)
    driver.wait(lambda: canvas.picture is not None and len(canvas.picture.graph.blocks) == blocks)
    assert canvas.picture.graph.name == "apply_transform"
    return blocks


def test_a_reader_sees_what_lto_inlined(started):
    state, panes = started.state, started
    sass, ptx = panes.listings[CodeKind.SASS], panes.listings[CodeKind.PTX]
    started.open_sample("Link by PTX or LTO")

    # By PTX the call stays a call.
    if state.settings.link is not LinkMode.PTX:
        started.next_result(lambda: setattr(state.settings, "link", LinkMode.PTX))
    started.trigger("focusSassAction")
    by_ptx = read(started)
    called = by_ptx.code.function("apply_transform")
    assert any(opcode.startswith("CALL") for opcode in called.opcodes)
    state.disassembly.set_kernel("apply_transform")
    started.trigger("focusGraphAction")
    drawn(started, by_ptx.code)
    started.trigger("pinBaselineAction")

    # By LTO it is inlined.
    started.next_result(lambda: setattr(state.settings, "link", LinkMode.LTO))
    started.trigger("focusSassAction")
    by_lto = read(started)
    assert by_lto is not by_ptx
    inlined = by_lto.code.function("apply_transform")
    assert by_lto.code.function("user_transform") is None
    assert not any(opcode.startswith("CALL") for opcode in inlined.opcodes)

    # From the line of `user_transform` to the PTX, to the SASS of `apply_transform`, and back.
    state.documents.current = state.documents.named("user_transform.cu")
    started.trigger("focusEditorAction")
    started.editor.go_to(5)
    correlations = state.correlations
    started.wait(lambda: correlations.tied and correlations.tied.inspection is by_lto)
    started.trigger("correlateAction")
    assert ptx.code_view.hasFocus()
    started.trigger("correlateAction")
    assert sass.code_view.hasFocus()
    spot = by_lto.rows.spot(sass.code_view.line - 1)
    assert spot.function is inlined
    instruction = inlined[spot.index]
    assert instruction.opcode == "FFMA"
    assert [place.line for place in instruction.places] == [5, 14]
    started.trigger("correlateAction")
    assert started.editor.hasFocus()
    assert started.document.name == "user_transform.cu"
    assert started.editor.textCursor().blockNumber() == 4

    # The difference of both links.
    started.trigger("focusCompareAction")
    compare = started.find(CompareView, "compareView")
    started.wait(lambda: compare.compared is not None)
    deltas = {(delta.name, delta.figure): delta for delta in compare.compared.deltas}
    registers = deltas["apply_transform", REGISTERS]
    assert registers.right < registers.left
    assert compare.compared.comparison.hunks
    assert "difference" in compare.count

    # And the graph of what it became.
    started.trigger("focusGraphAction")
    drawn(started, by_lto.code)
