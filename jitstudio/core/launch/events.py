"""What happens while a launch is carried out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LaunchProgress:
    """What is being done now, in words such as ``filling buffers``."""

    doing: str


@dataclass(frozen=True)
class ConsoleText:
    """What the kernel has printed since the last time."""

    text: str


LaunchEvent = LaunchProgress | ConsoleText
