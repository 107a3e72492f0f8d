"""Runs one command of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jitstudio.cli import (
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
from jitstudio.cli.arguments import parser
from jitstudio.cli.request import UsageError
from jitstudio.worker.host import WorkerError

_COMMANDS = {
    "build": build.run,
    "cache": cache.run,
    "devices": devices.run,
    "diff": diff.run,
    "doctor": doctor.run,
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
