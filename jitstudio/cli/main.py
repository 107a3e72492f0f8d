"""Runs a command of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from jitstudio.cli import module_of
from jitstudio.cli.arguments import command_line, parser
from jitstudio.command_options.fields import CommandOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.system import terminal
from jitstudio.worker.host import WorkerError


def main(argv: Sequence[str]) -> int:
    """Runs the command, whose module is the only one loaded, and returns the exit status."""
    terminal.prepare()
    try:
        line = command_line(argv)
        if line is None:
            parser().error("the following arguments are required: COMMAND")
        run: Callable[[CommandOptions], int] = import_module(module_of(line.command)).run
        return run(line.options)
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
    terminal.print_error(f"jitstudio: {message}")
    return status
