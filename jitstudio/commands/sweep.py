"""A kernel in many variants."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from jitstudio.command_options.launch import SweepOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.build import request_of
from jitstudio.commands.launch_spec import (
    base_launch,
    base_sweep,
    most_seconds,
    spec_from,
    within_limit,
)
from jitstudio.commands.module_request import arch_for, has_target
from jitstudio.commands.project_request import project_of
from jitstudio.core.axes import (
    Axis,
    AxisKind,
    VariantDraft,
    VariantError,
    parse_axis,
    placeholders_of,
)
from jitstudio.core.diagnostics import diagnostic_line
from jitstudio.core.launch.result import diagnostic_of
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.toolchain_folders import OWN, AddedToolchains, ToolchainError, chosen
from jitstudio.system.terminal import print_error
from jitstudio.variants import sites
from jitstudio.variants.engine import VariantRun
from jitstudio.variants.plan import VariantPlan
from jitstudio.variants.rows import VariantRow, VariantTable
from jitstudio.variants.sites import ClusterCertificates, Site, SiteError


def sweep(
    plan: VariantPlan, options: SweepOptions, on_row: Callable[[VariantRow, int], None]
) -> VariantTable:
    """Returns the results of all variants.

    Args:
        plan: The builds and launches.
        options: Where that is done.
        on_row: Is given each variant as it is done, and how many there are.

    Raises:
        UsageError: The variants make no sense, or a cluster cannot be used.
        WorkerError: The worker itself failed.
    """
    try:
        with _open_sites(options) as places:
            device_lists = [site.devices for site in places]
            gpus = next((listed for listed in device_lists if listed.devices), device_lists[0])
            ordinal = min(options.ordinals) if options.ordinals else 0
            arch = arch_for(plan.build.arch, has_target(options), gpus, ordinal)
            run = VariantRun(
                replace(plan, build=replace(plan.build, arch=arch)),
                places,
                devices=options.ordinals,
                on_row=lambda row: on_row(row, len(run.variants)),
            )
            return run.run()
    except (VariantError, SiteError) as error:
        raise UsageError(str(error)) from None


def sweep_plan(options: SweepOptions) -> VariantPlan:
    """Returns the plan: all builds and launches of a sweep.

    Raises:
        UsageError: An option is wrong, or a file cannot be read.
    """
    project = project_of(options.sources)
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
    """Returns the axes of the options, else those of the project."""
    if not options.axes and draft is not None:
        return tuple(axis.axis() for axis in draft.axes)
    if not options.axes:
        raise VariantError("Say what to vary, such as --axis block=64,128,256.")
    placeholders = placeholders_of((spec.kernel, *options.name_expressions))
    return tuple(parse_axis(text, placeholders) for text in options.axes)


def _toolchains(axes: tuple[Axis, ...], *, is_typed: bool) -> dict[str, str]:
    """Returns the folders for the values of a toolchain axis.

    Args:
        axes: All axes.
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
    return {OWN: ""} | {name: toolchain.folder for name, toolchain in added.items()}


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
