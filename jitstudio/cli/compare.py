"""`jitstudio build --compare-targets` and `--compare-links`: the same code in several builds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from jitstudio.cli import text_output
from jitstudio.command_options.build import BuildOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import result_object
from jitstudio.commands.module_request import toolchains_of
from jitstudio.core.axes import Axis, AxisKind, VariantError
from jitstudio.core.code import CodeKind
from jitstudio.core.diagnostics import Severity
from jitstudio.core.plan import with_idle_options
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult
from jitstudio.core.toolchain_folders import names_of
from jitstudio.system.terminal import print_error, say, table_lines
from jitstudio.variants import export, sites
from jitstudio.variants.engine import VariantRun
from jitstudio.variants.plan import (
    MOST_COMPARED_TARGETS,
    VariantPlan,
    parse_option_sets,
    parse_targets,
)
from jitstudio.variants.rows import VariantRow, VariantView, kernels_in, missing
from jitstudio.worker.host import WorkerError

_LINKS = (LinkMode.PTX, LinkMode.LTO)
_LINK_HEADINGS = ("function", "figure", "PTX link", "LTO link")


def run_targets(request: BuildRequest, options: BuildOptions) -> int:
    """Builds for each target and set of options; returns the exit status of the worst.

    Raises:
        UsageError: A target or a set of options makes no sense.
        WorkerError: The worker itself failed.
    """
    try:
        axes: tuple[Axis, ...] = (
            parse_targets(options.compare_targets or ""),
            parse_option_sets(options.compare_options or [""]),
        )
        folders = toolchains_of(options)
        names = names_of(folders) if len(folders) > 1 else {}
        if names:
            axes = (*axes, Axis(AxisKind.TOOLCHAIN, tuple(names)))
        emit = frozenset({CodeKind.CUBIN})
        rows, results = _build_all(request, axes, options.timeout, emit, names)
    except VariantError as error:
        raise UsageError(str(error)) from None
    if options.json:
        say(json.dumps(export.targets_object(rows), indent=2))
    else:
        _print_targets(rows)
    return max(exit_codes.OF_OUTCOME[result.outcome] for result in results)


def run_links(request: BuildRequest, timeout: float, *, as_json: bool) -> int:
    """Links the modules by PTX and by LTO; returns the exit status of the worse.

    Raises:
        WorkerError: The worker itself failed.
    """
    axes = (Axis(AxisKind.LINK, tuple(mode.value for mode in _LINKS)),)
    emit = frozenset({CodeKind.CUBIN, CodeKind.SASS})
    rows, results = _build_all(request, axes, timeout, emit)
    results = tuple(
        with_idle_options(row.variant.build, result)
        for row, result in zip(rows, results, strict=True)
    )
    figures = export.link_figures(*rows)
    if as_json:
        ptx, lto = results
        content = {
            "ok": all(result.ok for result in results),
            "ptx": result_object(ptx),
            "lto": result_object(lto),
            "figures": [figure._asdict() for figure in figures],
        }
        say(json.dumps(content, indent=2))
    else:
        for result in results:
            text_output.print_stages(result)
            text_output.print_summary(result)
        print_error("")
        _print_links(figures)
    return max(exit_codes.OF_OUTCOME[result.outcome] for result in results)


def _build_all(
    request: BuildRequest,
    axes: tuple[Axis, ...],
    timeout: float,
    emit: frozenset[CodeKind],
    toolchains: Mapping[str, str] = MappingProxyType({}),
) -> tuple[tuple[VariantRow, ...], tuple[BuildResult, ...]]:
    """Returns the rows, and their builds."""
    # From the cache a build would take no time at all, and time is one of the figures.
    request = replace(request, emit=emit, use_cache=False)
    plan = VariantPlan(axes, request, launches=False, toolchains=toolchains)
    with sites.timing() as here:
        run = VariantRun(
            plan, here, reads=True, keeps_code=True, timeout=timeout, most=MOST_COMPARED_TARGETS
        )
        rows = run.run().rows
    broken = next((row for row in rows if row.result is None), None)
    if broken is not None:
        raise WorkerError(broken.message)
    return rows, tuple(row.result for row in rows if row.result)


def _print_targets(rows: tuple[VariantRow, ...]) -> None:
    lacking: dict[str, dict[str, None]] = {}
    for name, shown in kernels_in(rows).items():
        say(shown)
        view = VariantView(name)
        table = export.targets_cells(rows, view)
        for line in table_lines(table, left=len(export.target_headings(rows))):
            say(line)
        say("")
        for row in rows:
            for sentence in missing(row, view):
                lacking.setdefault(sentence, {})[_title(row)] = None
    for row in rows:
        if row.message:
            print_error(f"{_title(row)}: {row.message}{_meaning(row)}")
    for sentence, titles in lacking.items():
        print_error(f"{', '.join(titles)}: {sentence}")


def _title(row: VariantRow) -> str:
    return " ".join(filter(None, row.variant.values))


def _meaning(row: VariantRow) -> str:
    """Returns the first sentence of the explanation of the first error; empty without any."""
    found = row.result.diagnostics if row.result else ()
    error = next((d for d in found if d.severity is Severity.ERROR), None)
    sentence = " ".join(error.explanation.split()).partition(". ")[0] if error else ""
    return f" {sentence.rstrip('.')}." if sentence else ""


def _print_links(figures: list[export.LinkFigure]) -> None:
    rows: list[tuple[str, str, str, str]] = [_LINK_HEADINGS]
    for function, name, *numbers in figures:
        ptx, lto = ("-" if number is None else f"{number:,}" for number in numbers)
        rows.append((function or "the whole", name, ptx, lto))
    for line in table_lines(rows, left=2):
        say(line)
