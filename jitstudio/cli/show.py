"""`jitstudio show`: opens files in the open window, or in a new window."""

from __future__ import annotations

import os

from jitstudio.command_options.other import ShowOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.handover import NoWindow, hand_over, start_window
from jitstudio.core.handover import Handover, HandoverError
from jitstudio.system.terminal import print_error


def run(options: ShowOptions) -> int:
    """Hands the files over and returns the exit status.

    Raises:
        UsageError: A file or folder is not there.
    """
    for file in options.files:
        if not os.path.exists(file):
            raise UsageError(f"'{file}' is not a file or folder that is there.")
    handover = Handover(paths=tuple(map(os.path.abspath, options.files)))
    try:
        try:
            hand_over(handover)
        except NoWindow:
            start_window().hand_over(handover)
    except NoWindow as error:
        print_error(f"jitstudio: {error}")
        return exit_codes.MISSING
    except HandoverError as error:
        print_error(f"jitstudio: {error}")
        return exit_codes.FAILED
    return exit_codes.BUILT
