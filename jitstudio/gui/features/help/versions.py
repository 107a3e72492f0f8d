"""Which versions of everything are at work: for the About dialog and for bug reports.

Nothing in it tells who or where the user is: no paths, no names of users or machines.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib import metadata

import PySide6
from PySide6.QtCore import QCoreApplication, qVersion
from PySide6.QtGui import QGuiApplication

from jitstudio import __version__
from jitstudio.core.doctor_text import gpu_findings
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.tools import ToolchainInfo

Version = tuple[str, str]
"""What it is, and which."""

_PACKAGES = (
    "cuda-core",
    "cuda-bindings",
    "numpy",
    "pygments",
    "tree-sitter",
    "tree-sitter-cuda",
    "pyqtgraph",
)


def versions(info: ToolchainInfo | None, devices: DeviceList | None) -> tuple[Version, ...]:
    """All of them.

    Args:
        info: The tools; None while they are not known.
        devices: The GPUs; None while nobody has looked.
    """
    return (
        ("jitstudio", __version__),
        ("Python", platform.python_version()),
        ("PySide6", PySide6.__version__),
        ("Qt", f"{qVersion()}, {QGuiApplication.platformName()}"),
        (QCoreApplication.translate("Versions", "System"), _system()),
        *_tools(info),
        *_gpus(devices),
        *((name, _installed(name)) for name in _PACKAGES),
    )


def report(told: tuple[Version, ...]) -> str:
    """The versions as a table in Markdown."""
    rows = (f"| {name} | {version.replace('|', '/')} |" for name, version in told)
    return "\n".join(("| | version |", "| --- | --- |", *rows, ""))


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    system = f"{platform.system()} {platform.machine()}"
    return f"{name}, {system}" if name else system


def _tools(info: ToolchainInfo | None) -> Iterator[Version]:
    if info is None:
        yield QCoreApplication.translate("Versions", "Tools"), _unknown()
        return
    for tool in info.tools:
        # How it was found, but not where: the folder may tell the user's name.
        origin = tool.package or tool.found_via
        yield tool.tool.value, f"{tool.version}, {origin}" if tool.version else _missing()


def _gpus(devices: DeviceList | None) -> Iterator[Version]:
    if devices is None:
        yield "GPU", _unknown()
        return
    for finding in gpu_findings(devices):
        yield finding.name, finding.found or _missing()


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return _missing()


def _missing() -> str:
    return QCoreApplication.translate("Versions", "missing")


def _unknown() -> str:
    return QCoreApplication.translate("Versions", "not looked for")
