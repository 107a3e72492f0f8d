"""Runs one command of the command line, or stands in for a window that cannot be opened."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitstudio.cli import (
    COMMANDS,
    build,
    cache,
    devices,
    diff,
    doctor,
    exit_codes,
    inspect,
    options,
    run,
    sweep,
    terminal,
)
from jitstudio.cli import help as manual_pages
from jitstudio.cli.arguments import parser
from jitstudio.cli.request import UsageError
from jitstudio.cli.terminal import tell
from jitstudio.display import WindowCheck
from jitstudio.samples import samples
from jitstudio.worker.host import WorkerError

_COMMANDS = {
    "build": build.run,
    "cache": cache.run,
    "devices": devices.run,
    "diff": diff.run,
    "doctor": doctor.run,
    "help": manual_pages.run,
    "inspect": inspect.run,
    "options": options.run,
    "run": run.run,
    "sweep": sweep.run,
}
# What may be given a value that begins with a dash.
_TAKERS = ("--option", "--compare-options", "--axis", "--expect")


def main(argv: Sequence[str]) -> int:
    """Run the command; the exit status."""
    arguments = parser().parse_args(_with_joined_options(argv))
    return guarded(lambda: _COMMANDS[arguments.command](arguments))


def guarded(command: Callable[[], int]) -> int:
    """Run a command and say in words what stops it; the exit status."""
    terminal.prepare()
    try:
        return command()
    except UsageError as error:
        return _stopped(str(error), exit_codes.USAGE)
    except WorkerError as error:
        return _stopped(str(error), exit_codes.CRASHED)
    except OSError as error:
        # Files are read and written with their own words; what is left is the terminal's.
        return _stopped(f"The output cannot be written: {error.strerror}.", exit_codes.USAGE)
    except KeyboardInterrupt:
        return _stopped("Interrupted.", exit_codes.INTERRUPTED)


def _stopped(message: str, status: int) -> int:
    terminal.tell(f"jitstudio: {message}")
    return status


def _with_joined_options(argv: Sequence[str]) -> list[str]:
    """Let `--option -lineinfo` work: argparse takes a value with a dash for the next option."""
    joined: list[str] = []
    words = iter(argv)
    for word in words:
        value = next(words, None) if word in _TAKERS else None
        joined.append(word if value is None else f"{word}={value}")
    return joined


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
