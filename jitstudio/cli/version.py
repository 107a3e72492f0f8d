"""`jitstudio --version`: the versions of all parts."""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.command_options.fields import CommandOptions
from jitstudio.commands import exit_codes
from jitstudio.commands.versions import (
    NOT_FOUND,
    Version,
    package_versions,
    program_versions,
    tool_versions,
)
from jitstudio.core.request import ProbeRequest
from jitstudio.system.terminal import say
from jitstudio.worker.builder import Builder

_WIDTH = 17


def run(_options: CommandOptions) -> int:
    """Prints the versions; no driver is initialised. The exit status is that of success.

    Raises:
        WorkerError: The worker itself failed.
    """
    (name, own), *rows = program_versions()
    say(f"{name} {own}")
    _print((*rows, *package_versions()))
    # What takes a worker comes last.
    builder = Builder(workers=1)
    try:
        _print(tool_versions(builder.probe(ProbeRequest())))
    finally:
        builder.close()
    return exit_codes.BUILT


def _print(versions: Iterable[Version]) -> None:
    for name, version in versions:
        say(f"{name:<{_WIDTH}}{version or NOT_FOUND}")
