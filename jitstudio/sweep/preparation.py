"""Between a variant's build and its launch: which GPUs can take it, and how."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from jitstudio.analysis.occupancy.kernel import occupancy_at
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.choice import choose_form, launchable, launched_name
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import KernelForm, LaunchRequest
from jitstudio.core.launch.resolve import Faults, arguments_of, geometry, resolve
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.result import BuildResult
from jitstudio.core.sweep.plan import Variant
from jitstudio.core.sweep.result import VariantResult
from jitstudio.sweep import rows
from jitstudio.sweep.sites import Site


@dataclass(frozen=True)
class Gpu:
    """A GPU that takes launches, by its ordinal at its site."""

    site: Site
    ordinal: int


@dataclass(frozen=True)
class Ready:
    """A variant that is built, with its launch for each GPU that can take it."""

    row: VariantResult
    launches: dict[Gpu, LaunchRequest]


def gpus_of(sites: Sequence[Site], ordinals: Collection[int] | None) -> tuple[Gpu, ...]:
    """The GPUs to use, each once: several workers of a cluster may see the same.

    Args:
        sites: Where to look.
        ordinals: Which to take at each site; None for all.
    """
    found: dict[str, Gpu] = {}
    for site in sites:
        for device in site.devices.devices:
            if ordinals is None or device.ordinal in ordinals:
                found.setdefault(device.uuid, Gpu(site, device.ordinal))
    return tuple(found.values())


def prepare(
    variant: Variant,
    result: BuildResult,
    forms: tuple[KernelForm, ...],
    gpus: Sequence[Gpu],
    without_gpu: str,
) -> Ready | VariantResult:
    """What to launch where, or the row of a variant that cannot be launched.

    Args:
        variant: Which one.
        result: Its build, which went well.
        forms: The kernels of the build.
        gpus: Those that could take it.
        without_gpu: Why there are no GPUs.
    """
    row = rows.built(variant, result, None)
    try:
        form = choose_form(launched_name(result, variant.spec.kernel), forms)
        row = rows.built(variant, result, form)
        kernel = launchable(result, form, variant.spec.load, variant.build.confined_to)
    except SpecError as error:
        return rows.refused(row, error.problem)
    if not gpus:
        return rows.without_gpu(row, without_gpu, _occupancy(variant.spec, form, result))
    launches: dict[Gpu, LaunchRequest] = {}
    faults: list[list[SpecProblem]] = []
    for gpu in gpus:
        found = resolve(variant.spec, kernel, gpu.site.devices, gpu.ordinal)
        if found.request:
            launches[gpu] = found.request
        faults.append([p for p in found.problems if p.severity is Severity.ERROR])
    if launches:
        return Ready(row, launches)
    # The GPU that came closest says best what has to change.
    return rows.refused(row, min(faults, key=len)[0])


def _occupancy(spec: LaunchSpec, form: KernelForm, result: BuildResult) -> float | None:
    """The occupancy by the machine code, its target and the block; None where that is unknown."""
    needs, faults = result.resources_of(form.lowered), Faults()
    names = arguments_of(form, spec.arguments, "", faults).names
    made = geometry(spec, form, names, faults)
    # How many clusters are resident depends on how a GPU groups its multiprocessors.
    if needs is None or not made.has_block or form.cluster or spec.cluster.strip():
        return None
    threads, shared = made.config.threads_per_block, made.config.shared
    return occupancy_at(result.arch, needs, threads, shared)
