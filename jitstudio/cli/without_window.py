"""The command line in place of a window: where none can be opened, or a command is misspelt."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.cli import COMMANDS
from jitstudio.cli.main import main
from jitstudio.commands import exit_codes
from jitstudio.core.alike import did_you_mean
from jitstudio.help.samples import samples
from jitstudio.system import terminal
from jitstudio.system.display import WindowCheck


def refuse(word: str) -> int:
    """Says that a word is neither a command nor a file and returns the exit status."""
    terminal.print_error(
        f"jitstudio: there is no command or file called '{word}'.{did_you_mean(word, COMMANDS)} "
        f"The commands are {', '.join(COMMANDS)}; jitstudio --help says more."
    )
    return exit_codes.USAGE


def build_in_terminal(check: WindowCheck, files: Sequence[str]) -> int:
    """Builds these files, or the first sample; returns the exit status."""
    terminal.prepare()
    terminal.print_error(f"jitstudio: no window can be opened here. {check.problem}")
    if check.remedy:
        terminal.print_error(
            f"On Debian and Ubuntu this brings what is missing:\n    {check.remedy}"
        )
    terminal.print_error(
        "Building in the terminal instead; 'jitstudio build --help' says how to do more here.\n"
    )
    paths = files or [str(file.path) for file in samples()[0].files]
    return main(["build", "--", *paths])
