"""`jitstudio mcp`: the commands for language models, over the Model Context Protocol."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from jitstudio.command_options.other import McpOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.system.terminal import print_error


def run(options: McpOptions) -> int:
    """Serves until the client closes the pipe; returns the exit status.

    Raises:
        UsageError: The folder is none.
    """
    if not os.path.isdir(options.folder):
        raise UsageError(f"'{options.folder}' is not a folder. Choose another with --folder.")
    if find_spec("mcp") is None:
        print_error(
            "jitstudio: the package 'mcp' is not installed: pip install 'jitstudio[mcp]' brings it."
        )
        return exit_codes.MISSING
    server = import_module("jitstudio.mcp.server")
    server.serve(Path(options.folder).resolve(), options.timeout, allow_run=options.allow_run)
    return exit_codes.BUILT
