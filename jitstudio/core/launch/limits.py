"""Whether a GPU and the driver take a launch and the code, known before the attempt.

The driver gives no reasons. How registers and shared memory are handed out is in the CUDA C++
Programming Guide ("Hardware Multithreading") and in the spreadsheet of the CUDA occupancy
calculator. Which code a GPU takes is in the guide ("Compute Capabilities", "Binary Compatibility",
"Application Compatibility") and in the PTX ISA at the directives ``.version`` and ``.target``; the
table of versions is the PTX ISA's release history.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind, target_in
from jitstudio.core.cubin import cubin_target
from jitstudio.core.diagnostics import Fix, FixKind, Severity
from jitstudio.core.launch.device import Device, DeviceLimits, Dim3
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.launch.request import LaunchConfig
from jitstudio.core.launch.result import KernelFacts
from jitstudio.core.result import Resources
from jitstudio.ptx.skimming import ptx_target, ptx_version

_AXES = "xyz"
_REGISTERS_AT_ONCE = 8
"""Registers of a thread are handed out in units of so many."""
_WARPS_AT_ONCE = 4
"""Warps of a block are dealt to the four parts of a multiprocessor."""
_PORTABLE_CLUSTER = 8
_LARGEST_CLUSTER = 16

Figures = Resources | KernelFacts
"""What a kernel needs, by the compiler's word or the driver's."""


def config_problems(
    config: LaunchConfig,
    device: Device,
    facts: Figures | None = None,
    block_hint: int | None = None,
) -> tuple[SpecProblem, ...]:
    """Returns why the GPU would refuse this configuration, and the parts that are a waste.

    Args:
        config: The configuration of the launch.
        device: Where.
        facts: The needs of the kernel; limits that depend on these are not checked without.
        block_hint: Most threads per block that the source declares.
    """
    axes = tuple(_axis_problems(config, device.limits))
    if any(min(dims) < 1 for dims in (config.grid, config.block, config.cluster or (1, 1, 1))):
        return axes
    return (
        *axes,
        *_block_problems(config, device.limits, facts, block_hint),
        *_shared_problems(config, device.limits, facts),
        *_cluster_problems(config, device),
        *_cooperative_problems(config, device, facts),
    )


def resident_blocks(config: LaunchConfig, limits: DeviceLimits, facts: Figures) -> int | None:
    """Returns how many blocks a multiprocessor holds at once; None where that is unknown."""
    if facts.registers is None or facts.shared_bytes is None:
        return None
    warps = _rounded_up(config.threads_per_block, limits.warp) // limits.warp
    shared = facts.shared_bytes + config.shared
    # What a block can never have of the multiprocessor's is kept back for each block.
    reserved = limits.shared_per_multiprocessor - limits.shared_per_block_optin
    return min(
        limits.blocks_per_multiprocessor,
        limits.threads_per_multiprocessor // limits.warp // warps,
        _warps_by_registers(facts.registers, limits.registers_per_multiprocessor, limits) // warps,
        limits.shared_per_multiprocessor // (shared + reserved) if shared + reserved else 1 << 31,
    )


def _axis_problems(config: LaunchConfig, limits: DeviceLimits) -> Iterator[SpecProblem]:
    rows: tuple[tuple[str, str, Dim3, Dim3 | None], ...] = (
        ("grid", "blocks", config.grid, limits.grid),
        ("block", "threads", config.block, limits.block),
        ("cluster", "blocks", config.cluster or (1, 1, 1), None),
    )
    for where, units, dims, most in rows:
        for axis, count, limit in zip(_AXES, dims, most or dims, strict=True):
            if count < 1:
                yield SpecProblem(
                    where, f"The {where} has {count:,} {units} in {axis}; it needs at least 1."
                )
            elif count > limit:
                yield SpecProblem(
                    where,
                    f"The {where} has {count:,} {units} in {axis}; the GPU takes up to {limit:,}.",
                )


def _block_problems(
    config: LaunchConfig, limits: DeviceLimits, facts: Figures | None, hint: int | None
) -> Iterator[SpecProblem]:
    threads = config.threads_per_block
    bounds = [bound for bound in (hint, facts and facts.max_threads) if bound]
    if any(count > most for count, most in zip(config.block, limits.block, strict=True)):
        return  # said of the axis
    if threads > limits.threads_per_block:
        yield SpecProblem(
            "block",
            f"{_product(config.block)} threads per block are more than the "
            f"{limits.threads_per_block:,} of the GPU.",
            "Use smaller blocks, and more of them.",
        )
    elif facts and facts.registers and _too_many_registers(threads, facts.registers, limits):
        yield _register_problem(threads, facts.registers, limits)
    elif bounds and threads > min(bounds):
        yield SpecProblem(
            "block",
            f"The kernel is built for at most {min(bounds):,} threads per block; these are "
            f"{threads:,}.",
            f"Use at most {min(bounds):,}, or raise __launch_bounds__ (.maxntid in PTX).",
        )
    if threads % limits.warp and config.blocks * threads > 1:
        yield SpecProblem("block", *_partial_warp(config, limits), Severity.WARNING)


def _partial_warp(config: LaunchConfig, limits: DeviceLimits) -> tuple[str, str]:
    threads = config.threads_per_block
    idle = -threads % limits.warp
    if threads == 1:
        message = (
            f"Each of {config.blocks:,} blocks has one thread, which leaves {idle} of the "
            f"{limits.warp} lanes of its warp idle."
        )
        return message, "Use blocks of 128 or 256 threads, and fewer of them."
    message = (
        f"{threads:,} threads per block are not a multiple of the {limits.warp} of a warp: {idle} "
        "lanes of the last warp are idle."
    )
    return message, f"Use {_rounded_up(threads, limits.warp):,} threads."


def _too_many_registers(threads: int, registers: int, limits: DeviceLimits) -> bool:
    fitting = _warps_by_registers(registers, limits.registers_per_block, limits)
    return threads > fitting * limits.warp


def _register_problem(threads: int, registers: int, limits: DeviceLimits) -> SpecProblem:
    allocated = _rounded_up(registers, _REGISTERS_AT_ONCE)
    fitting = _warps_by_registers(registers, limits.registers_per_block, limits) * limits.warp
    dealt = _rounded_up(threads, limits.warp * _WARPS_AT_ONCE)
    most = limits.registers_per_block // dealt // _REGISTERS_AT_ONCE * _REGISTERS_AT_ONCE
    rounding = f" (handed out as {allocated})" if allocated != registers else ""
    dealing = f" (handed out as {dealt:,})" if dealt != threads else ""
    return SpecProblem(
        "block",
        f"{registers} registers{rounding} x {threads:,} threads{dealing} = {allocated * dealt:,} "
        f"of the {limits.registers_per_block:,} registers that a block may have.",
        f"Use at most {fitting:,} threads per block, or build with -maxrregcount={most} or "
        f"__launch_bounds__({threads}), in PTX .maxntid {threads}.",
    )


def _warps_by_registers(registers: int, available: int, limits: DeviceLimits) -> int:
    per_warp = _rounded_up(max(registers, 1), _REGISTERS_AT_ONCE) * limits.warp
    return available // per_warp // _WARPS_AT_ONCE * _WARPS_AT_ONCE


def _shared_problems(
    config: LaunchConfig, limits: DeviceLimits, facts: Figures | None
) -> Iterator[SpecProblem]:
    static = (facts and facts.shared_bytes) or 0
    most = max(limits.shared_per_block, limits.shared_per_block_optin)
    if config.shared < 0:
        yield SpecProblem("shared", f"There is no shared memory of {config.shared:,} bytes.")
    elif static + config.shared > most:
        own = f"{static:,} static and " if static else ""
        yield SpecProblem(
            "shared",
            f"{own}{config.shared:,} dynamic bytes of shared memory are more than the {most:,} "
            "that a block may have.",
            f"Use at most {max(0, most - static):,} dynamic bytes.",
        )


def _cluster_problems(config: LaunchConfig, device: Device) -> Iterator[SpecProblem]:
    if config.cluster is None:
        return
    x, y, z = config.cluster
    if not device.limits.clusters:
        yield SpecProblem(
            "cluster",
            f"Clusters need sm_90 or newer; {device.name} is sm_{device.number}.",
            "Launch without a cluster.",
        )
    elif x * y * z > _LARGEST_CLUSTER:
        yield SpecProblem(
            "cluster",
            f"{_product(config.cluster)} blocks per cluster are more than any GPU takes.",
            f"Up to {_PORTABLE_CLUSTER} work wherever there are clusters.",
        )
    elif x * y * z > _PORTABLE_CLUSTER:
        yield SpecProblem(
            "cluster",
            f"{_product(config.cluster)} blocks per cluster are more than the "
            f"{_PORTABLE_CLUSTER} that every GPU with clusters takes.",
            "It may be refused, here or on another GPU.",
            Severity.WARNING,
        )
    for axis, blocks, cluster in zip(_AXES, config.grid, config.cluster, strict=True):
        if blocks % cluster:
            yield SpecProblem(
                "grid",
                f"{blocks:,} blocks in {axis} are not a multiple of the cluster's {cluster}.",
                f"Use {_rounded_up(blocks, cluster):,} blocks, or another cluster.",
            )


def _cooperative_problems(
    config: LaunchConfig, device: Device, facts: Figures | None
) -> Iterator[SpecProblem]:
    if not config.cooperative:
        return
    if not device.limits.cooperative:
        yield SpecProblem(
            "cooperative", f"{device.name} has no cooperative launches.", "Launch without."
        )
        return
    resident = resident_blocks(config, device.limits, facts) if facts else None
    if resident is None or config.blocks <= resident * device.multiprocessors:
        return
    yield SpecProblem(
        "cooperative",
        f"{config.blocks:,} blocks cannot all be resident: {resident} fit on each of "
        f"{device.multiprocessors} multiprocessors, {resident * device.multiprocessors:,} in all.",
        "Use fewer blocks and let each thread do more with a grid-stride loop.",
    )


def _rounded_up(count: int, unit: int) -> int:
    return -(-count // unit) * unit


def _product(dims: Dim3) -> str:
    x, y, z = dims
    if y == z == 1:
        return f"{x:,}"
    factors = dims if z > 1 else dims[:2]
    return f"{' x '.join(f'{n:,}' for n in factors)} = {x * y * z:,}"


_Version = tuple[int, int]

_PTX_OF_CUDA: tuple[tuple[_Version, _Version], ...] = (
    *(((11, minor), (7, minor)) for minor in range(9)),
    *(((12, minor), (8, minor)) for minor in range(6)),
    ((12, 6), (8, 5)),
    *(((12, minor), (8, minor - 1)) for minor in range(7, 10)),
    *(((13, minor), (9, minor)) for minor in range(6)),
)
"""The version of CUDA, and the newest PTX that its driver and its compilers know."""


def code_problems(
    code: Artifact, device: Device, driver_version: str, arch: Arch | None = None
) -> tuple[SpecProblem, ...]:
    """Returns why this GPU or the driver would refuse the code; empty where both accept.

    Args:
        code: A cubin or PTX; of other kinds nothing is known.
        device: The GPU.
        driver_version: Newest CUDA version that the driver serves; empty where unknown.
        arch: The target of the code, as far as the code does not say so itself.
    """
    match code.kind:
        case CodeKind.CUBIN:
            problem = _cubin_problem(target_of(code) or arch, arch, device)
            return (problem,) if problem else ()
        case CodeKind.PTX:
            both = (_target_problem(code.text, device), _version_problem(code.text, driver_version))
            return tuple(present for present in both if present)
    return ()


def target_of(code: Artifact) -> Arch | None:
    """Returns the target that the code names; None for code that names none."""
    if code.kind is CodeKind.PTX:
        return _ptx_arch(code.text)
    target_name = target_in(code.name)
    return Arch.parse(target_name) if target_name else cubin_target(code.content)


_WHY = {
    "a": "runs on exactly that GPU architecture",
    "f": "runs on its family only: the same major compute capability, at least its minor one",
    "": "runs on the same major compute capability only, at least its minor one",
}


def _cubin_problem(target: Arch | None, built: Arch | None, device: Device) -> SpecProblem | None:
    if target is None:
        return None
    if built and built.number == target.number and not target.suffix:
        target = replace(target, suffix=built.suffix)
    if target.runs_on(device.number):
        return None
    return _refused(f"a cubin for {target}", _WHY[target.suffix], device)


def _target_problem(ptx: str, device: Device) -> SpecProblem | None:
    arch = _ptx_arch(ptx)
    if arch is None or arch.assembles_for(device.number):
        return None
    why = _WHY[arch.suffix] if arch.suffix else "can be assembled for newer GPUs only"
    return _refused(f"PTX for {arch}", why, device)


def _ptx_arch(ptx: str) -> Arch | None:
    target = ptx_target(ptx)
    return Arch.parse(target) if target else None


def _refused(what: str, why: str, device: Device) -> SpecProblem:
    sm = f"sm_{device.number}"
    return SpecProblem(
        "code",
        f"{device.name} is {sm}, and this is {what}, which {why}.",
        f"Build for {sm}, or choose another GPU.",
        fix=Fix(f"Build for {sm}", FixKind.SET_ARCH, sm),
    )


def _version_problem(ptx: str, driver_version: str) -> SpecProblem | None:
    served = newest_ptx(driver_version)
    version = _parsed(ptx_version(ptx) or "")
    if version is None or served is None or version <= served:
        return None
    needed = next((cuda for cuda, newest in _PTX_OF_CUDA if newest >= version), None)
    update = f"one for CUDA {_dotted(needed)}" if needed else "a newer one"
    return SpecProblem(
        "code",
        f"This is PTX {_dotted(version)}, and the driver for CUDA {driver_version} takes PTX up "
        f"to {_dotted(served)}.",
        f"Launch the cubin instead, which has no such limit, or update the driver to {update}.",
    )


def newest_ptx(cuda_version: str) -> _Version | None:
    """Returns the newest PTX of a version of CUDA; None for one newer or older than the table."""
    cuda = _parsed(cuda_version)
    if cuda is None or cuda > _PTX_OF_CUDA[-1][0]:
        return None
    return max((ptx for known, ptx in _PTX_OF_CUDA if known <= cuda), default=None)


def _parsed(version: str) -> _Version | None:
    major, _, minor = version.partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def _dotted(version: _Version) -> str:
    return f"{version[0]}.{version[1]}"
