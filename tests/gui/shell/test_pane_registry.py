from pathlib import Path

import jitstudio.gui.features as features
from jitstudio.gui.shell.commands.actions import ACTIONS
from jitstudio.gui.shell.docking.layouts import LAYOUTS
from jitstudio.gui.shell.pane_registry import DOCKS, PANES
from jitstudio.gui.window.pane_maker import LATE
from jitstudio.gui.window.window_builder import WindowBuilder
from jitstudio.help.topics import find_topic


def test_each_folder_of_features_is_installed_and_nothing_else():
    (folder,) = map(Path, features.__path__)
    folders = {path.parent.name for path in folder.glob("*/controller.py")}
    assert folders == {path.parent.name for path in folder.glob("*/__init__.py")}
    installed = WindowBuilder.features(LATE)
    modules = (path for path in folder.glob("*/*.py") if "\ndef install(" in path.read_text())
    ours = {f"{path.parent.name}.{path.stem}" for path in modules}
    assert ours >= {f"{name}.controller" for name in folders}
    assert {name.removeprefix(f"{features.__name__}.") for name in installed} == ours


def test_a_row_is_all_that_layouts_commands_and_help_need():
    for layout in LAYOUTS:
        placed = [name for area in layout.areas for group in area.groups for name in group]
        assert sorted(placed) == sorted(pane.name for pane in DOCKS), layout.name
    leads = {spec.pane: spec for spec in ACTIONS if spec.pane}
    for pane in PANES:
        assert find_topic(pane.name) is not None, pane.name
        if pane.text:
            assert (leads[pane.name].id, leads[pane.name].keys) == (pane.action, pane.keys)
