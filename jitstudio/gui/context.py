"""The context for the installer of a feature."""

from __future__ import annotations

from dataclasses import dataclass

from jitstudio.core.code import CodeKind
from jitstudio.gui.code.search import SearchSources
from jitstudio.gui.editor.editor_tabs import EditorTabs
from jitstudio.gui.files.file_commands import FileCommands
from jitstudio.gui.files.fixer import Fixer
from jitstudio.gui.files.project_commands import ProjectCommands
from jitstudio.gui.listing.output_pane import OutputPane
from jitstudio.gui.listing.saving import ListingSaver
from jitstudio.gui.shell.navigation import Navigator
from jitstudio.gui.shell.shell import Shell
from jitstudio.gui.state.window_state import WindowState


@dataclass(frozen=True)
class Context:
    """A window, as `install` of each feature takes the parts.

    No view, model or controller is handed all of it: `install` makes them, and gives each what it
    works with.

    Attributes:
        state: Open documents, settings and outputs.
        shell: Commands, docks, notices and the status bar.
        editors: The tabs with the texts.
        listings: The panes of PTX and SASS, made by the feature that is installed first.
        saver: Saves what panes of code show.
        navigator: Leads to a place in a text, a listing, a log or a dialog.
        files, projects: The commands of the File menu.
        fixer: Carries out the fixes that explanations of errors offer.
        search_sources: The texts that "Find in all" searches.
    """

    state: WindowState
    shell: Shell
    editors: EditorTabs
    listings: dict[CodeKind, OutputPane]
    saver: ListingSaver
    navigator: Navigator
    files: FileCommands
    projects: ProjectCommands
    fixer: Fixer
    search_sources: SearchSources
