"""The command line: a module for each command. Imports nothing, as the window loads it, too."""

COMMANDS = (
    *("build", "cache", "capture", "check", "devices", "diff", "doctor", "explain", "export"),
    *("help", "import", "inspect", "lesson", "mcp", "options", "passes", "run", "sample", "show"),
    "sweep",
)
"""The names of the commands."""


def module_of(command: str) -> str:
    """Returns the name of a command's module, which may be no word of Python."""
    return f"jitstudio.cli.{command}{'_' if command == 'import' else ''}"
