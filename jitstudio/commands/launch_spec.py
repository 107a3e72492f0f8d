"""From the options of a command to the launch that is asked for, over that of a project."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import fields, replace

from jitstudio.command_options.launch import LaunchOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands.project_files import OpenLaunch, OpenProject
from jitstudio.core.axes import VariantDraft, generic_name, placeholders_of
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.entry import base_name
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.spec import LaunchSpec


def spec_from(options: LaunchOptions, base: LaunchSpec | None = None) -> LaunchSpec:
    """Returns the launch that the options describe.

    Args:
        options: The options; a field of the launch that they leave alone is None.
        base: A launch that they change; the plain one where not given.
    """
    base = LaunchSpec() if base is None else base
    values = {field.name: getattr(options, field.name, None) for field in fields(LaunchSpec)}
    values = {name: value for name, value in values.items() if value is not None}
    if values.get("kernel") == base_name(base.kernel):
        # The short name of the very kernel that the launch is about.
        del values["kernel"]
    if "grid" in values or "cover" in values:
        # One of the two says it; the other would contradict.
        values = {"grid": "", "cover": ""} | values
    if options.expect:
        values["expectations"] = options.expect
    values["arguments"] = tuple((dict(base.arguments) | options.texts).items())
    return replace(base, **values)


def base_launch(
    opened: OpenProject | None, kernel: str, replaced: Container[str]
) -> LaunchSpec | None:
    """Returns the launch that a project describes for a kernel; None without launches.

    Args:
        opened: The project.
        kernel: As on the command line; empty for the one that was worked on last, or the only one.
        replaced: The names of arguments that the options give.

    Raises:
        UsageError: The project has launches but none or several for this kernel, or its launch
            needs a file outside the project.
    """
    if opened is None or not opened.launches:
        return None
    launches = _launches_of(opened, kernel)
    if len(launches) != 1:
        which = f"of '{kernel}'" if kernel else "that was worked on last"
        number = "several launches" if launches else "no launch"
        kernels = ", ".join(launch.spec.kernel for launch in opened.launches)
        raise UsageError(
            f"'{opened.path.name}' has {number} {which}. Choose one with --kernel: {kernels}."
        )
    for (name, _), problem in zip(launches[0].withheld, launches[0].problems, strict=True):
        if name not in replaced:
            raise UsageError(f"{problem} Move the file there, or give --arg {name}=TEXT.")
    return launches[0].spec


def base_sweep(
    opened: OpenProject | None, kernel: str, *, has_axes: bool = False
) -> VariantDraft | None:
    """Returns the sweep that a project describes for a kernel; None where there is none.

    Args:
        opened: The project.
        kernel: As on the command line.
        has_axes: Whether the command line gives axes, which take the place of the project's.

    Raises:
        UsageError: The axes need a file outside the project.
    """
    if opened is None:
        return None
    sweeps = opened.sweeps
    name = generic_name(kernel or opened.project.kernel)
    only = sweeps[0] if len(sweeps) == 1 and not kernel else None
    match = next((sweep for sweep in sweeps if generic_name(sweep.draft.kernel) == name), only)
    if match is None:
        return None
    if match.problems and not has_axes:
        raise UsageError(f"{match.problems[0]} Move the file there, or give the axes by --axis.")
    return match.draft


def _launches_of(opened: OpenProject, kernel: str) -> list[OpenLaunch]:
    launches = list(opened.launches)
    name = kernel or opened.project.kernel
    exact = [launch for launch in launches if launch.spec.kernel == name]
    if exact or not kernel:
        return exact or (launches if len(launches) == 1 else [])
    same = [launch for launch in launches if base_name(launch.spec.kernel) == base_name(kernel)]
    if placeholders_of((kernel,)):
        # One sweep is about all instances of a template, and any launch of it will do.
        return same[:1]
    return same if kernel == base_name(kernel) else []


def most_seconds(options: LaunchOptions, base: LaunchSpec | None) -> float:
    """Returns how many seconds a launch may take at most, whatever a project says.

    Without a word of the user's a project sets no longer limit than there is without it.

    Args:
        options: The options.
        base: The launch of a project; None for none.
    """
    is_free = base is None or options.timeout is not None
    return math.inf if is_free else LaunchSpec().timeout


def within_limit(spec: LaunchSpec, most: float) -> tuple[LaunchSpec, tuple[SpecProblem, ...]]:
    """Returns a launch of at most `most` seconds, and the problem where that is less."""
    # What is no number is for `resolve` to refuse.
    if not spec.timeout > most:
        return spec, ()
    problem = SpecProblem(
        "timeout",
        f"The launch asks for {spec.timeout:,g} s and has {most:,g} s: a project or budget sets no "
        "longer time limit than its caller.",
        f"Write --timeout {spec.timeout:g} to give it as long.",
        Severity.INFO,
    )
    return replace(spec, timeout=most), (problem,)
