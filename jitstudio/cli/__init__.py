"""The command line: a module for each command. Imports nothing, as the window loads it, too."""

COMMANDS = (
    *("build", "cache", "capture", "check", "devices", "diff", "doctor", "export", "help"),
    *("inspect", "lesson", "mcp", "options", "run", "show", "sweep"),
)
"""The names of the commands."""
