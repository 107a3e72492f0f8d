"""The stages of the latest build as a table, and their logs cut to a text field's capacity.

Knows `core.result` and no widget.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from PySide6.QtCore import QCoreApplication, QObject

from jitstudio.core.result import StageResult
from jitstudio.core.tools import Tool
from jitstudio.gui.kit.presentation import ModelIndex, TableColumn
from jitstudio.gui.kit.tables import RowsModel
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP

LONGEST_LINE = 2_000
LONGEST_TEXT = 1_000_000
MOST_LINES = 20_000

StageKey = tuple[Tool, str, int]
"""A stage across builds: tool, module, and how many like it ran before."""


def options_line(stage: StageResult) -> str:
    """Returns the options really sent, quoted for a shell."""
    return shlex.join(stage.options)


def tool_name(stage: StageResult) -> str:
    """Returns the tool with version."""
    return f"{stage.tool.value} {stage.version}".rstrip()


def verdict(stage: StageResult) -> str:
    """Returns how the stage ended."""
    if stage.crash is not None:
        return stage.crash.signal
    if stage.ok:
        if _complaint(stage):
            return QCoreApplication.translate("Log", "see Errors")
        if stage.cached:
            return QCoreApplication.translate("Log", "cached")
        return QCoreApplication.translate("Log", "ok")
    # A stage that was cancelled has neither text nor time.
    if _has_text(stage) or stage.ms:
        return QCoreApplication.translate("Log", "failed")
    return QCoreApplication.translate("Log", "stopped")


def _mark(stage: StageResult) -> str:
    if stage.ok:
        return "warning" if _complaint(stage) else "success"
    return "error"


def _complaint(stage: StageResult) -> bool:
    # nvJitLink calls a link with two definitions of one symbol a success, and warns on stderr only.
    return bool(stage.error_log.strip() or stage.stderr.strip())


def _has_text(stage: StageResult) -> bool:
    return any(text.strip() for text in (stage.log, stage.error_log, stage.stdout, stage.stderr))


def _time(stage: StageResult) -> str:
    if not stage.ms:
        return ""
    return QCoreApplication.translate("Log", "{time:,.1f} ms").format(time=stage.ms)


def keys_of(stages: Iterable[StageResult]) -> Iterator[StageKey]:
    """Yields the key of each stage of a build."""
    counts: Counter[tuple[Tool, str]] = Counter()
    for stage in stages:
        like = (stage.tool, stage.source)
        yield (*like, counts[like])
        counts[like] += 1


_COLUMNS: tuple[TableColumn[StageResult], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Result"), verdict, mark=_mark),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Tool"), lambda s: s.tool.value, tooltip=tool_name),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Module"), lambda s: s.source),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Time"), _time, lambda s: s.ms, number=True),
)


class LogModel(RowsModel[StageResult]):
    """The stages of a build, a row per stage, in the order of running."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_COLUMNS, parent)

    def stage_at(self, index: ModelIndex) -> StageResult | None:
        """Returns the stage of a row, or None for an invalid index."""
        return self.rows[index.row()] if index.isValid() else None

    def key_of(self, row: int) -> StageKey:
        """Returns a key that identifies the stage in the next build, too."""
        return next(islice(self.keys(), row, None))

    def row_of(self, key: StageKey | None) -> int | None:
        """Returns the row of a stage known from an earlier build, or None."""
        return next((row for row, other in enumerate(self.keys()) if other == key), None)

    def keys(self) -> Iterator[StageKey]:
        """Yields the key of each stage."""
        return keys_of(self.rows)

    def most_relevant_row(self) -> int | None:
        """Returns the stage to look at first: the first that failed, or the last with a message."""
        failed = (row for row, stage in enumerate(self.rows) if not stage.ok)
        message = (row for row in reversed(range(len(self.rows))) if _has_text(self.rows[row]))
        last = len(self.rows) - 1 if self.rows else None
        return next(failed, next(message, last))


def info_text(stage: StageResult) -> str:
    """Returns the report of the tool, and the time of each phase; cut."""
    line = QCoreApplication.translate("Log", "{time:10,.1f} ms  {phase}")
    phases = "\n".join(line.format(time=phase.ms, phase=phase.name) for phase in stage.phases)
    return "\n\n".join(part for part in (capped(stage.log), phases) if part)


def errors_text(stage: StageResult) -> str:
    """Everything that went wrong or past the logs, each part cut by itself so that none hides."""
    parts = [(heading, capped(text.strip("\n"))) for heading, text in _error_parts(stage)]
    return "\n\n".join(f"{heading}\n{text}" if heading else text for heading, text in parts)


def whole_log(stage: StageResult) -> str:
    """Returns all texts of a stage with nothing cut, to be copied."""
    head = f"{tool_name(stage)}, {stage.source}: {verdict(stage)}"
    errors = QCoreApplication.translate("Log", "Errors:")
    parts = [
        (QCoreApplication.translate("Log", "Options:"), options_line(stage)),
        (QCoreApplication.translate("Log", "Info:"), stage.log),
        *((heading or errors, text) for heading, text in _error_parts(stage)),
    ]
    sections = [f"{heading}\n{text.strip()}" for heading, text in parts if text.strip()]
    return "\n\n".join([head, *sections]) + "\n"


def _error_parts(stage: StageResult) -> Iterator[tuple[str, str]]:
    parts = (
        ("", stage.error_log),
        _crash_part(stage),
        (QCoreApplication.translate("Log", "Written to stderr by native code:"), stage.stderr),
        (QCoreApplication.translate("Log", "Written to stdout by native code:"), stage.stdout),
    )
    return (part for part in parts if part[1].strip())


def _crash_part(stage: StageResult) -> tuple[str, str]:
    if stage.crash is None:
        return "", ""
    heading = QCoreApplication.translate("Log", "The worker process died ({signal}):")
    return heading.format(signal=stage.crash.signal), stage.crash.message


def capped(text: str) -> str:
    """Returns the text as far as a text field can lay out at once, with a note at every cut.

    A single line of megabytes holds `QPlainTextEdit` up for minutes; so do very many lines.
    """
    shown: list[str] = []
    size = start = 0
    while start < len(text):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
        if size >= LONGEST_TEXT or len(shown) >= MOST_LINES:
            note = QCoreApplication.translate(
                "Log",
                "[Cut here, {count:,} more characters follow. “Copy whole log” copies all of it.]",
            )
            shown.append(note.format(count=len(text) - start))
            break
        line = text[start : min(end, start + LONGEST_LINE)]
        if end - start > LONGEST_LINE:
            note = QCoreApplication.translate("Log", "{count:,} more characters in this line")
            line += f" … [{note.format(count=end - start - LONGEST_LINE)}]"
        shown.append(line)
        size += len(line) + 1
        start = end + 1
    return "\n".join(shown)
