"""`jitstudio sweep`: a kernel in many variants, and which is the fastest."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from jitstudio.commands import exit_codes
from jitstudio.commands.inputs import given_project, unwritable, without_waiting
from jitstudio.commands.launch_options import SweepOptions
from jitstudio.commands.launch_spec import (
    base_launch,
    base_sweep,
    most_seconds,
    spec_from,
    within_limit,
)
from jitstudio.commands.request import (
    arch_for,
    has_target,
    request_of,
)
from jitstudio.commands.values import UsageError
from jitstudio.core.axes import (
    Axis,
    AxisKind,
    VariantDraft,
    VariantError,
    parse_axis,
    placeholders_of,
)
from jitstudio.core.diagnostics import diagnostic_line
from jitstudio.core.launch.result import LaunchOutcome, diagnostic_of
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.terminal import print_error, say, table_lines
from jitstudio.toolchain_folders import OWN, AddedToolchains, ToolchainError, chosen
from jitstudio.variants import export, sites
from jitstudio.variants.engine import VariantRun
from jitstudio.variants.plan import VariantPlan
from jitstudio.variants.rows import (
    BUILD_ENDED,
    CALCULATED,
    Value,
    VariantFigure,
    VariantRow,
    VariantTable,
    VariantView,
    value,
)
from jitstudio.variants.sites import ClusterCertificates, Site, SiteError

_BEST = "best"
_HEADINGS = (
    "outcome",
    "registers",
    "spilled",
    "occupancy",
    "median ms",
    "minimum ms",
    "GB/s",
    "compile ms",
)
_SIMULATED_HEADINGS = (*_HEADINGS[:4], "executed", "sectors", "bank conflicts", _HEADINGS[-1])
_STATUSES = {outcome.value: code for outcome, code in exit_codes.OF_LAUNCH.items()} | {
    f"{BUILD_ENDED}{outcome.value}": code for outcome, code in exit_codes.OF_OUTCOME.items()
}


def run(options: SweepOptions) -> int:
    """Does what the options say and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written, a cluster not used.
        WorkerError: The worker itself failed.
    """
    plan = _plan(options)
    table = _table_file(options.csv)
    try:
        with _open_sites(options) as places:
            result = _carry_out(plan, places, options)
    except (VariantError, SiteError) as error:
        raise UsageError(str(error)) from None
    if table is not None:
        _write(table, result)
    if options.json:
        say(json.dumps(export.sweep_object(result), indent=2))
    else:
        _show(result)
    return _status(result)


def _plan(options: SweepOptions) -> VariantPlan:
    project = given_project(options.sources)
    request = request_of(options, options.sources, project)
    draft = base_sweep(project, options.kernel or "", has_axes=bool(options.axes))
    kernel = options.kernel or (draft.kernel if draft else "")
    base = base_launch(project, kernel, options.texts)
    spec, shortened = within_limit(spec_from(options, base), most_seconds(options, base))
    for problem in shortened:
        print_error(diagnostic_line(diagnostic_of(problem)))
    if draft is not None:
        spec = replace(spec, kernel=kernel)
    try:
        axes = _axes(options, spec, draft)
        toolchains = _toolchains(axes, is_typed=bool(options.axes))
        return VariantPlan(axes, request, spec, toolchains=toolchains)
    except (VariantError, ToolchainError) as error:
        raise UsageError(str(error)) from None


def _axes(options: SweepOptions, spec: LaunchSpec, draft: VariantDraft | None) -> tuple[Axis, ...]:
    """Returns those that are given, else those of the project."""
    if not options.axes and draft is not None:
        return tuple(axis.axis() for axis in draft.axes)
    if not options.axes:
        raise VariantError("Say what to vary, such as --axis block=64,128,256.")
    placeholders = placeholders_of((spec.kernel, *options.name_expressions))
    return tuple(parse_axis(text, placeholders) for text in options.axes)


def _toolchains(axes: tuple[Axis, ...], *, is_typed: bool) -> dict[str, str]:
    """Returns the folders that the values of a toolchain axis mean.

    Args:
        axes: All of them.
        is_typed: Whether the user has typed them: what a project says loads no library of its own.

    Raises:
        ToolchainError: One means none.
    """
    values = [value for axis in axes if axis.kind is AxisKind.TOOLCHAIN for value in axis.values]
    if not values:
        return {}
    added = AddedToolchains().named()
    if is_typed:
        return {value: chosen(value, added) for value in values}
    return {OWN: ""} | {name: found.folder for name, found in added.items()}


def _open_sites(options: SweepOptions) -> AbstractContextManager[tuple[Site, ...]]:
    if options.dask is None:
        if options.dask_tls or options.dask_insecure:
            raise UsageError("--dask-tls and --dask-insecure say how to reach --dask ADDRESS.")
        return sites.local(options.jobs)
    if options.jobs is not None:
        raise UsageError("--jobs is for this machine; a Dask worker has its own number of threads.")
    certificates = ClusterCertificates(*options.dask_tls) if options.dask_tls else None
    return sites.cluster(
        options.dask,
        certificates=certificates,
        insecure=options.dask_insecure,
        timeout=options.timeout,
    )


def _carry_out(plan: VariantPlan, places: tuple[Site, ...], options: SweepOptions) -> VariantTable:
    found = next((site.devices for site in places if site.devices.devices), places[0].devices)
    ordinal = min(options.ordinals) if options.ordinals else 0
    arch = arch_for(plan.build.arch, has_target(options), found, ordinal)
    progress = _Progress()
    run = VariantRun(
        replace(plan, build=replace(plan.build, arch=arch)),
        places,
        devices=options.ordinals,
        on_row=progress.show,
    )
    progress.total = len(run.variants)
    return run.run()


class _Progress:
    """A line per variant, as it is done."""

    def __init__(self) -> None:
        self.total = 0
        self._done = 0

    def show(self, row: VariantRow) -> None:
        self._done += 1
        head = f"[{self._done:{len(str(self.total))}}/{self.total}]"
        time = f"{row.median_ms:.4g} ms" if row.median_ms is not None else ""
        words = (head, row.variant.label, row.outcome, time, row.message)
        print_error("  ".join(filter(None, words)))


def _show(result: VariantTable) -> None:
    axes = [axis.title for axis in result.axes]
    simulated = any(row.executed is not None for row in result.rows)
    rows = [("", *axes, *(_SIMULATED_HEADINGS if simulated else _HEADINGS))]
    for row in result.rows:
        mark = _BEST if row.variant.index == result.best else ""
        rows.append((mark, *row.variant.values, *_cells(row, simulated=simulated)))
    for line in table_lines(rows, left=len(axes) + 2):
        say(line)
    if result.best is not None:
        best = result.rows[result.best]
        print_error(f"best: {best.variant.label}, {best.median_ms:.4g} ms on {best.device}")
    print_error(f"{len(result.rows)} variants in {result.total_ms / 1000:.1f} s")


def _cells(row: VariantRow, *, simulated: bool) -> tuple[str, ...]:
    bandwidth = None if row.bandwidth is None else row.bandwidth / 1e9
    return (
        row.outcome,
        _number(row.registers),
        _number(value(VariantFigure.SPILLED, row, VariantView())),
        _occupancy(row),
        *(
            (_number(n, ",") for n in (row.executed, row.sectors, row.bank_conflicts))
            if simulated
            else (
                _number(row.median_ms, ".4g"),
                _number(row.minimum_ms, ".4g"),
                _number(bandwidth, ",.4g"),
            )
        ),
        _number(row.compile_ms, ".0f"),
    )


def _occupancy(row: VariantRow) -> str:
    if row.occupancy is None:
        return "-"
    source = " (calculated)" if row.occupancy_source == CALCULATED else ""
    return f"{row.occupancy:.0%}{source}"


def _number(number: Value, form: str = "") -> str:
    return "-" if number is None else format(number, form)


def _status(result: VariantTable) -> int:
    """Returns a failed check first; else well if any ran; else the worst there was."""
    outcomes = {row.outcome for row in result.rows}
    if LaunchOutcome.WRONG.value in outcomes:
        return exit_codes.WRONG
    if LaunchOutcome.RAN.value in outcomes:
        return exit_codes.BUILT
    return max(_STATUSES[outcome] for outcome in outcomes)


def _table_file(text: str | None) -> Path | None:
    """Returns the file, opened once before the work so that a wrong one costs no time."""
    if text is None:
        return None
    path = Path(text)
    try:
        open(path, "a", opener=without_waiting).close()
    except OSError as error:
        raise unwritable(path, error, "--csv") from None
    return path


def _write(path: Path, result: VariantTable) -> None:
    try:
        with open(path, "w", encoding="utf-8", opener=without_waiting) as file:
            file.write(export.sweep_csv(result))
    except OSError as error:
        raise unwritable(path, error, "--csv") from None
