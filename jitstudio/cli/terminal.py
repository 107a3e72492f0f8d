"""Printing to a terminal, a file or a pipe whose reader may leave early."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


def prepare() -> None:
    """Let both streams take any character, whatever the locale."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """Print to stdout, which is for results."""
    _print(text, sys.stdout)


def pass_on(text: str) -> None:
    """Print to stdout what comes in pieces, with the ends of lines that it brings along."""
    _print(text, sys.stdout, end="")


def tell(text: str) -> None:
    """Print to stderr, which is for everything else."""
    _print(text, sys.stderr)


def _print(text: str, stream: TextIO, end: str = "\n") -> None:
    try:
        print(text, file=stream, end=end, flush=True)
    except BrokenPipeError:
        # A reader such as `head` has had enough: the rest goes nowhere, which is no error.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
