"""What is wrong with a request before any tool sees it."""

from __future__ import annotations

from collections.abc import Iterator

from jitstudio.core.code import TEXT_KINDS, Source, is_bitcode
from jitstudio.core.diagnostics import Diagnostic
from jitstudio.core.events import Notice, Problem
from jitstudio.core.plan import PlanError
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import Outcome
from jitstudio.core.severity import Severity


def refused(error: PlanError) -> Problem:
    """A wish that no plan can fulfil."""
    return Problem(Outcome.REFUSED, _error(str(error)))


def unfit(words: str) -> Problem:
    """A module includes what no compiler may be given."""
    return Problem(Outcome.FAILED, _error(words))


def store_problem(told: str) -> Notice:
    """The cache cannot be used, or could not."""
    return Notice(Diagnostic(Severity.WARNING, "", None, None, told))


def unreadable(request: BuildRequest) -> Iterator[Problem]:
    """Modules and headers that hold nothing, or bytes where there should be text."""
    for source in (*request.sources, *request.libraries):
        if not source.content.strip():
            told = f"'{source.name}' is empty: there is nothing to compile."
            yield Problem(Outcome.FAILED, _error(told, source.name))
        elif _is_text(source):
            yield from _not_utf8(source.name, source.content)
    for header in request.headers:
        yield from _not_utf8(header.name, header.content)


def _is_text(source: Source) -> bool:
    return source.kind in TEXT_KINDS and not is_bitcode(source.content)


def _not_utf8(name: str, content: bytes) -> Iterator[Problem]:
    """The compilers take any bytes, stop at a NUL and blame lines; tell the true cause first."""
    try:
        content.decode()
        at = content.index(b"\0")
        found = "a NUL character"
    except UnicodeDecodeError as error:
        at = error.start
        found = f"the byte 0x{content[at]:02x}, which is not UTF-8"
    except ValueError:
        return
    line = content.count(b"\n", 0, at) + 1
    column = len(content[content.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    told = f"'{name}' holds {found}. Save the file as UTF-8 text and build again."
    yield Problem(Outcome.FAILED, _error(told, name, line, column))


def _error(
    message: str, file: str = "", line: int | None = None, column: int | None = None
) -> Diagnostic:
    return Diagnostic(Severity.ERROR, file, line, column, message)
