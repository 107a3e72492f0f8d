"""`jitstudio build --compare-targets`: the same code for several targets and option sets."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace

from jitstudio.analysis.matrix.plan import (
    MatrixError,
    MatrixPlan,
    Variant,
    parse_option_sets,
    parse_targets,
    variants,
)
from jitstudio.analysis.matrix.rows import MatrixRow, built, kernels_in, reports_of
from jitstudio.analysis.matrix.table import WORDS, Figure, View, cells, value
from jitstudio.analysis.reading_request import AnalysisRequest, Unreadable
from jitstudio.cli import exit_codes
from jitstudio.cli.json_output import Json
from jitstudio.cli.request import UsageError
from jitstudio.cli.terminal import say, table_lines, tell
from jitstudio.core.request import BuildRequest
from jitstudio.worker.builder import Builder
from jitstudio.worker.disassembly_reader import DisassemblyReader


def run(request: BuildRequest, arguments: argparse.Namespace) -> int:
    """Build and read every variant and print the figures; the exit status of the worst.

    Raises:
        UsageError: A target or a set of options makes no sense.
    """
    try:
        targets = parse_targets(arguments.compare_targets)
        sets = parse_option_sets(arguments.compare_options or [""])
        planned = variants(MatrixPlan((request,), targets, sets))
    except MatrixError as error:
        raise UsageError(str(error)) from None
    rows = tuple(_rows(planned, arguments.timeout))
    if arguments.json:
        say(json.dumps(_object(rows), indent=2))
    else:
        _print(rows)
    return max(exit_codes.OF_OUTCOME[row.result.outcome] for row in rows if row.result)


def _rows(planned: tuple[Variant, ...], timeout: float) -> Iterator[MatrixRow]:
    builder, reader = Builder(), DisassemblyReader()
    try:
        for variant in planned:
            result = builder.build(variant.request, timeout=timeout)
            row = built(variant, result)
            if row.cubin:
                asked = AnalysisRequest(
                    row.cubin,
                    f"{variant.arch}.cubin",
                    confined_to=variant.request.confined_to,
                )
                answer = reader.analyse(asked)
                if isinstance(answer, Unreadable):
                    row = replace(row, problem=answer.words)
                else:
                    row = replace(row, reports=reports_of(result, answer))
            yield row
    finally:
        reader.close()
        builder.close()


def _object(rows: tuple[MatrixRow, ...]) -> Json:
    kernels = kernels_in(rows)
    return {
        "ok": all(not row.problem for row in rows),
        "threads": View("").threads,
        "variants": [
            {
                "target": str(row.variant.arch),
                "options": row.variant.options,
                "link": row.variant.link.value,
                "outcome": row.result.outcome.value if row.result else None,
                "problem": row.problem,
                "kernels": {
                    name: {figure.name.lower(): value(figure, row, View(name)) for figure in Figure}
                    for name in kernels
                    if row.resources(name) is not None
                },
            }
            for row in rows
        ],
    }


def _print(rows: tuple[MatrixRow, ...]) -> None:
    for name, shown in kernels_in(rows).items():
        say(shown)
        # The problem stands below, where it has room.
        table = [line[:-1] for line in cells(rows, View(name))]
        for line in table_lines(table, left=len(WORDS)):
            say(line)
        say("")
    for row in rows:
        if row.problem:
            title = " ".join(filter(None, (str(row.variant.arch), row.variant.options)))
            tell(f"{title}: {row.problem}")
