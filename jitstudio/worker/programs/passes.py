"""Requests to the process that films passes, and checks on the answers."""

from __future__ import annotations

from jitstudio.core.passes import (
    MOST_PASSES,
    LimitedRun,
    PassesEnd,
    PassesRequest,
    PassList,
)
from jitstudio.worker.protocol import (
    LARGEST,
    RequestType,
    Unfit,
    WorkerProgram,
    check_diagnostics,
)


def _check(_: PassesRequest, said: PassList | LimitedRun | PassesEnd) -> None:
    match said:
        case PassList(passes, _, remarks):
            if [item.number for item in passes] != list(range(1, len(passes) + 1)):
                raise Unfit("it tells of passes that do not follow each other")
            check_diagnostics(remarks)
        case LimitedRun(limit, _, same_as):
            if not all(0 <= number <= MOST_PASSES for number in (limit, same_as or 0)):
                raise Unfit("it tells of a pass that there is not")


FILMING = WorkerProgram(
    "jitstudio.worker.children.passes",
    (
        RequestType(
            PassesRequest,
            LARGEST,
            PassesEnd,
            PassList | LimitedRun,
            _check,
            most_events=MOST_PASSES + 2,
        ),
    ),
)
