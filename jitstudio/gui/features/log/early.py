"""Has the logs searched, whether or not the pane is made."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QCoreApplication

from jitstudio.gui.code.search import SearchedText
from jitstudio.gui.context import Context
from jitstudio.gui.features.log.model import keys_of, tool_name, whole_log
from jitstudio.gui.shell.navigation import LogPlace, Navigator
from jitstudio.gui.state.outputs import Outputs


def install(context: Context) -> None:
    """Adds the logs of the newest build to the texts that are searched."""
    context.search_sources.add(partial(_logs, context.state.outputs, context.navigator))


def _logs(outputs: Outputs, navigator: Navigator) -> Iterator[SearchedText]:
    stages = outputs.result.stages if outputs.result is not None else ()
    title = QCoreApplication.translate("LogController", "Log of {tool}")
    for stage, key in zip(stages, keys_of(stages), strict=True):
        show = partial(navigator.go_to, LogPlace(key))
        lines = partial(_lines, whole_log(stage))
        yield SearchedText(show, title.format(tool=tool_name(stage)), lines)


def _lines(text: str) -> list[str]:
    return text.split("\n")
