"""Whether a GPU and its driver take a piece of code, found out before it is launched.

The rules are those of the CUDA C++ Programming Guide ("Compute Capabilities", "Binary
Compatibility", "Application Compatibility") and of the PTX ISA's directives ``.version`` and
``.target``; the table of versions is the PTX ISA's release history.
"""

from __future__ import annotations

import re
from dataclasses import replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import Artifact, CodeKind, split_variant
from jitstudio.core.cubin import cubin_target
from jitstudio.core.fixes import Fix, FixKind
from jitstudio.core.launch.device import Device
from jitstudio.core.launch.problems import SpecProblem
from jitstudio.core.source_facts import ptx_target

_Version = tuple[int, int]

_PTX_OF_CUDA: tuple[tuple[_Version, _Version], ...] = (
    *(((11, minor), (7, minor)) for minor in range(9)),
    *(((12, minor), (8, minor)) for minor in range(6)),
    ((12, 6), (8, 5)),
    *(((12, minor), (8, minor - 1)) for minor in range(7, 10)),
    *(((13, minor), (9, minor)) for minor in range(5)),
)
"""The version of CUDA, and the newest PTX that its driver and its compilers know."""

_VERSION = re.compile(r"^[^\S\n]*+\.version\s++(\d{1,9}+)\.(\d{1,9}+)", re.MULTILINE)


def code_problems(
    code: Artifact, device: Device, driver_version: str, arch: Arch | None = None
) -> tuple[SpecProblem, ...]:
    """Why this GPU or its driver would refuse the code; empty where they take it.

    Args:
        code: A cubin or PTX; of other kinds nothing is known.
        device: The GPU.
        driver_version: Newest CUDA version that the driver serves; empty where unknown.
        arch: What the code was built for, as far as it does not say so itself.
    """
    match code.kind:
        case CodeKind.CUBIN:
            found = _cubin_problem(target_of(code) or arch, arch, device)
            return (found,) if found else ()
        case CodeKind.PTX:
            both = (_target_problem(code.text, device), _version_problem(code.text, driver_version))
            return tuple(problem for problem in both if problem)
    return ()


def target_of(code: Artifact) -> Arch | None:
    """What the code says that it was built for; None where it does not."""
    if code.kind is CodeKind.PTX:
        return _ptx_arch(code.text)
    _, _, target_name = split_variant(code.name)
    return Arch.parse(target_name) if target_name else cubin_target(code.content)


def _ptx_version_of(cuda: str) -> str:
    """The newest PTX that a driver for this CUDA version takes; empty where nobody knows."""
    newest = _newest_ptx(_parsed(cuda))
    return _written(newest) if newest else ""


_WHY = {
    "a": "runs on exactly that GPU architecture",
    "f": "runs on its family only: the same major compute capability, at least its minor one",
    "": "runs on the same major compute capability only, at least its minor one",
}


def _cubin_problem(told: Arch | None, built: Arch | None, device: Device) -> SpecProblem | None:
    if told is None:
        return None
    if built and built.number == told.number and not told.suffix:
        told = replace(told, suffix=built.suffix)
    if told.runs_on(device.number):
        return None
    return _refused(f"a cubin for {told}", _WHY[told.suffix], device)


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
    found = _VERSION.search(ptx)
    served = _newest_ptx(_parsed(driver_version))
    version = (int(found[1]), int(found[2])) if found else None
    if version is None or served is None or version <= served:
        return None
    needed = next((cuda for cuda, newest in _PTX_OF_CUDA if newest >= version), None)
    update = f"one for CUDA {_written(needed)}" if needed else "a newer one"
    return SpecProblem(
        "code",
        f"This is PTX {_written(version)}, and the driver for CUDA {driver_version} takes PTX up "
        f"to {_written(served)}.",
        f"Launch the cubin instead, which has no such limit, or update the driver to {update}.",
    )


def _newest_ptx(cuda: _Version | None) -> _Version | None:
    """The newest PTX that a driver takes; None where it is newer or older than the table."""
    if cuda is None or cuda > _PTX_OF_CUDA[-1][0]:
        return None
    return max((ptx for known, ptx in _PTX_OF_CUDA if known <= cuda), default=None)


def _parsed(version: str) -> _Version | None:
    major, _, minor = version.partition(".")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def _written(version: _Version) -> str:
    return f"{version[0]}.{version[1]}"
