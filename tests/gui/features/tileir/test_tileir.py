import shutil

import pytest

from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import FixKind
from jitstudio.core.result import Outcome
from jitstudio.gui.features.tileir.view import TileIrView
from jitstudio.gui.kit.dialogs import Dialogs
from jitstudio.gui.listing.hints import output_hint
from jitstudio.gui.services.build_service import Listing
from jitstudio.gui.state.outputs import Output
from tests.tile_kernels import FOLDER, NEEDS_TILE, TILE_OPTIONS

pytestmark = [NEEDS_TILE, pytest.mark.slow]


@pytest.fixture
def window(start, tmp_path):
    """The window with a file of two kinds of kernels, for a target that has tile code."""
    file = tmp_path / "two_kinds.cu"
    shutil.copy(FOLDER / file.name, file)
    started = start(file)
    started.next_result(lambda: started.choose_arch("sm_90"))
    return started


def test_fixes_lead_from_a_pasted_file_to_its_tile_ir(window):
    state = window.state
    for option in TILE_OPTIONS:
        errors = [d for d in state.outputs.result.diagnostics if d.fix]
        assert [d.fix.value for d in errors] == [option]
        assert errors[0].fix.kind is FixKind.ADD_OPTION
        typed = f"{state.settings.options} {option}".strip()
        window.next_result(lambda typed=typed: window.set_options(typed))
    result = state.outputs.result
    assert result.outcome is Outcome.BUILT, result.diagnostics
    view = window.pane("tileir")
    assert view.listing.name == "two_kinds.cu@tile"
    assert any("entry @_Z6filledPff" in line for line in view.listing.lines)
    assert {k.name for k in result.kernels} == {"_Z7doubledPf", "_Z6filledPff"}
    names = [listing.name for listing in window.listings[CodeKind.SASS].output.listings]
    assert names == ["two_kinds.cu", "two_kinds.cu@tile"]


def test_the_pane_says_how_to_have_tile_ir(started):
    started.shell.layout.bring_up_pane("tileir")
    view = started.pane("tileir")
    assert view.listing is None
    output = started.state.outputs.output(CodeKind.TILEIR)
    assert "--enable-tile" in output_hint(CodeKind.TILEIR, output)


def test_the_text_is_saved_as_the_tool_wrote_it(window, tmp_path, monkeypatch):
    window.next_result(lambda: window.set_options(" ".join(TILE_OPTIONS)))
    window.shell.layout.bring_up_pane("tileir")
    view = window.pane("tileir")
    artifact = window.state.outputs.result.artifact(CodeKind.TILEIR, "two_kinds.cu@tile")
    asked = []

    def answer(_dialogs, proposed):
        asked.append(proposed.name)
        return tmp_path / f"{len(asked)}.tileir"

    monkeypatch.setattr(Dialogs, "file_to_save", answer)
    view.code_view.setFocus()
    commands = ("saveListingAction", "tileirSaveTileirAction")
    for file, command in zip((tmp_path / "1.tileir", tmp_path / "2.tileir"), commands, strict=True):
        window.trigger(command)
        window.wait(file.exists)
        window.wait(lambda file=file: file.read_bytes() == artifact.content)
    assert asked == ["two_kinds@tile.tileir"] * 2


def test_of_files_that_differ_in_their_folders_the_current_one_is_shown(window):
    view = TileIrView()
    listings = (Listing(CodeKind.TILEIR, f"{folder}/k.cu@tile", ("entry @k",)) for folder in "ab")
    view.show_output(Output(tuple(listings)))
    view.choose("b/k.cu")
    assert view.listing.name == "b/k.cu@tile"
    view.choose("k.cu")
    assert view.listing.name == "b/k.cu@tile"
