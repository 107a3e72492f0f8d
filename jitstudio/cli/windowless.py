"""What `jitstudio` does where no window can be opened: says so, and builds in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.cli import build, exit_codes
from jitstudio.cli.arguments import parser
from jitstudio.cli.commands import COMMANDS
from jitstudio.cli.main import guarded
from jitstudio.cli.terminal import tell
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
    return guarded(lambda: build.run(parser().parse_args(["build", "--", *paths])))
