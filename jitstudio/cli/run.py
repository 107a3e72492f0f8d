"""`jitstudio run`: build, launch, time and check a kernel."""

from __future__ import annotations

import json
from collections.abc import Sequence

from jitstudio.cli import build, text_output
from jitstudio.cli.text_launch import print_launch
from jitstudio.command_options.launch import RunOptions
from jitstudio.commands import exit_codes, launch_exit_codes
from jitstudio.commands.run import ignore_event, ignore_words, launch, run_object
from jitstudio.core.diagnostics import diagnostic_line
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.result import (
    ConsoleText,
    LaunchEvent,
    LaunchProgress,
    LaunchResult,
    SimulationForecast,
)
from jitstudio.core.result import BuildResult
from jitstudio.system.terminal import pass_on, print_error, print_progress, say


def run(options: RunOptions) -> int:
    """Builds and launches, prints the result, and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written.
        WorkerError: The worker itself failed.
    """
    on_event = ignore_event if options.json else _show_printed
    on_host_words = ignore_words if options.json else _say_beginning
    built, result, devices = launch(options, on_event, on_host_words=on_host_words)
    if result is None:
        return _report_build(built, options.json)
    if options.json:
        say(json.dumps(run_object(built, result), indent=2))
    else:
        _report(built, result, devices, options.ordinal)
        for buffer in result.buffers if options.save else ():
            say(buffer.path)
    return launch_exit_codes.OF_LAUNCH[result.outcome]


def _show_printed(event: LaunchEvent) -> None:
    """Passes on the kernel's texts, the progress, and how long a simulation will take."""
    match event:
        case ConsoleText(text):
            pass_on(text)
        case LaunchProgress(doing):
            print_progress(f"jitstudio: {doing}")
        case SimulationForecast():
            fewer = f" --blocks {event.fewer} simulates these only."
            print_error(f"jitstudio: {event.words}{fewer if event.fewer < event.blocks else ''}")


def _say_beginning(words: Sequence[str]) -> None:
    for sentence in words:
        print_error(f"jitstudio: {sentence}")


def _report_build(built: BuildResult, as_json: bool) -> int:
    if as_json:
        say(json.dumps(run_object(built, None), indent=2))
    else:
        build.show(built)
    return exit_codes.OF_OUTCOME[built.outcome]


def _report(built: BuildResult, result: LaunchResult, devices: DeviceList, ordinal: int) -> None:
    for diagnostic in built.diagnostics:
        print_error(diagnostic_line(diagnostic))
    text_output.print_summary(built)
    device = next((device for device in devices.devices if device.ordinal == ordinal), None)
    print_launch(result, device)
