"""From the words of a command line to a launch."""

from __future__ import annotations

import argparse

from jitstudio.cli.request import UsageError
from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.spec import LaunchSpec


def spec_from(arguments: argparse.Namespace) -> LaunchSpec:
    """The launch that the arguments describe.

    Raises:
        UsageError: An argument of the kernel is not written NAME=TEXT, or is given twice.
    """
    return LaunchSpec(
        kernel=arguments.kernel,
        arguments=_kernel_arguments(arguments.arg),
        grid=arguments.grid,
        cover=arguments.cover,
        block=arguments.block,
        cluster=arguments.cluster,
        shared=arguments.shared,
        cooperative=arguments.cooperative,
        load=arguments.load,
        warmup=arguments.warmup,
        repeats=arguments.repeat,
        flush_l2=arguments.flush_l2,
        expectations=tuple(arguments.expect),
        relative=arguments.rtol,
        absolute=arguments.atol,
        poison=not arguments.no_poison,
        guards=not arguments.no_guards,
        sanitizer=arguments.sanitize,
        timeout=arguments.timeout,
    )


def arch_for(chosen: Arch, given: str | None, found: DeviceList, ordinal: int) -> Arch:
    """The target that was given, else that of the GPU, else the default."""
    if given is not None:
        return chosen
    numbers = {device.ordinal: device.number for device in found.devices}
    return Arch(numbers[ordinal]) if ordinal in numbers else DEFAULT_ARCH


def _kernel_arguments(texts: list[str]) -> tuple[tuple[str, str], ...]:
    given: dict[str, str] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise UsageError(f"--arg takes NAME=TEXT, not '{text}'.")
        if name in given:
            raise UsageError(f"--arg gives '{name}' twice.")
        given[name] = value
    return tuple(given.items())
