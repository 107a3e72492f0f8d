"""`jitstudio` and `python -m jitstudio`: the window, or one of the commands."""

from __future__ import annotations

import gc
import sys

from jitstudio.cli import COMMANDS

# A command keeps nearly all that it makes: to look through it for garbage takes long for little.
_GARBAGE_AFTER = 100_000


def main() -> int:
    """Runs what the command line asks for and returns the exit status."""
    words = sys.argv[1:]
    if words and (words[0] in COMMANDS or words[0].startswith("-")):
        from jitstudio.cli.main import main as run_command

        gc.set_threshold(_GARBAGE_AFTER)
        return run_command(words)
    # Only now, so that commands need neither Qt nor its system libraries.
    from jitstudio.start import open_window

    return open_window(words)


def window() -> int:
    """Opens the window on the files of the command line: what a desktop starts."""
    from jitstudio.start import open_window

    return open_window(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
