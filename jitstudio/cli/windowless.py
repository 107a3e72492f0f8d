"""What `jitstudio` does where no window can be opened: says so, and builds in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.cli import exit_codes
from jitstudio.cli.build import build, show
from jitstudio.cli.commands import COMMANDS
from jitstudio.cli.main import guarded
from jitstudio.cli.request import source_from
from jitstudio.cli.terminal import tell
from jitstudio.core.plan import default_emit
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.display import WindowCheck
from jitstudio.samples import samples


def refuse(word: str) -> int:
    """Say that a word is neither a command nor a file; the exit status."""
    tell(
        f"jitstudio: there is no command or file called '{word}'. "
        f"The commands are {', '.join(COMMANDS)}; jitstudio --help tells more."
    )
    return exit_codes.USAGE


def build_in_terminal(check: WindowCheck, files: Sequence[str]) -> int:
    """Build these files, or the sample that the window would begin with; the exit status."""
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
