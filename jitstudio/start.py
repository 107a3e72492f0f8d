"""Opens the window; where none can be opened, says so and builds a sample in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jitstudio.cli import exit_codes
from jitstudio.cli.arguments import COMMANDS
from jitstudio.cli.build import build, show
from jitstudio.cli.main import guarded
from jitstudio.cli.request import source_from
from jitstudio.cli.terminal import tell
from jitstudio.core.code import kind_of
from jitstudio.core.plan import default_emit
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.display import WindowCheck, check_window
from jitstudio.samples import samples


def open_window(files: Sequence[str]) -> int:
    """Open the window on these files, or on the last session; the exit status."""
    if files and not Path(files[0]).exists() and kind_of(files[0]) is None:
        # A word without an ending was meant as a command.
        tell(
            f"jitstudio: there is no command or file called '{files[0]}'. "
            f"The commands are {', '.join(COMMANDS)}; jitstudio --help tells more."
        )
        return exit_codes.USAGE
    check = check_window()
    if check.problem:
        return _build_in_terminal(check, files)
    # Only here, where Qt's libraries are known to be present.
    from jitstudio.gui.app import run

    return run(files)


def _build_in_terminal(check: WindowCheck, files: Sequence[str]) -> int:
    tell(f"jitstudio: no window can be opened here. {check.problem}")
    if check.remedy:
        tell(f"On Debian and Ubuntu this brings what is missing:\n    {check.remedy}")
    tell("Building in the terminal instead; 'jitstudio build --help' tells how to do more here.\n")
    paths = files or [str(file.path) for file in samples()[0].files]
    return guarded(lambda: _build(paths))


def _build(paths: Sequence[str]) -> int:
    sources = tuple(source_from(path) for path in paths)
    (result,) = build(BuildRequest(sources, emit=default_emit(sources, LinkMode.NONE)))
    show(result)
    return exit_codes.OF_OUTCOME[result.outcome]
