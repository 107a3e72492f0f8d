"""Ways in which a tool cannot even be started."""

from __future__ import annotations

from jitstudio.core.tools import Tool


class ToolMissing(RuntimeError):
    """A tool is not on this machine; the message says how to get it."""

    def __init__(self, tool: Tool, reason: str) -> None:
        super().__init__(reason)
        self.tool = tool
