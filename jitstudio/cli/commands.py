"""The names of the commands; nothing else, so that a window need not load the command line."""

from __future__ import annotations

COMMANDS = ("build", "cache", "devices", "diff", "doctor", "inspect", "options", "run", "sweep")
