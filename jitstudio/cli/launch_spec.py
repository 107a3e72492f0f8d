"""From the words of a command line to a launch."""

from __future__ import annotations

import argparse
from dataclasses import fields, replace

from jitstudio.cli.request import UsageError
from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.launch.choice import base_name
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.spec import LaunchSpec


def spec_from(arguments: argparse.Namespace, base: LaunchSpec | None = None) -> LaunchSpec:
    """The launch that the arguments describe.

    Args:
        arguments: The words of the command line; a field of the launch that none gives is None.
        base: A launch that they change; the plain one where not given.

    Raises:
        UsageError: An argument of the kernel is not written NAME=TEXT, or is given twice.
    """
    base = LaunchSpec() if base is None else base
    words = vars(arguments)
    given = {f.name: words[f.name] for f in fields(LaunchSpec) if words.get(f.name) is not None}
    if given.get("kernel") == base_name(base.kernel):
        # The short name of the very kernel that the launch is about.
        del given["kernel"]
    if "grid" in given or "cover" in given:
        # One of the two says it; the other would contradict.
        given = {"grid": "", "cover": ""} | given
    if "expectations" in given:
        given["expectations"] = tuple(given["expectations"])
    texts = dict(base.arguments) | argument_texts(arguments)
    return replace(base, **given, arguments=tuple(texts.items()))


def arch_for(chosen: Arch, is_given: bool, found: DeviceList, ordinal: int) -> Arch:
    """The target that was given, else that of the GPU, else the default."""
    if is_given:
        return chosen
    numbers = {device.ordinal: device.number for device in found.devices}
    return Arch(numbers[ordinal]) if ordinal in numbers else DEFAULT_ARCH


def argument_texts(arguments: argparse.Namespace) -> dict[str, str]:
    """The arguments of the kernel, by name.

    Raises:
        UsageError: One is not written NAME=TEXT, or is given twice.
    """
    given: dict[str, str] = {}
    for text in arguments.arg:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise UsageError(f"--arg takes NAME=TEXT, not '{text}'.")
        if name in given:
            raise UsageError(f"--arg gives '{name}' twice.")
        given[name] = value
    return given
