"""The rows of the About dialog."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, qVersion
from PySide6.QtGui import QGuiApplication

from jitstudio.core.doctor_text import gpu_findings
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.tools import ToolchainInfo
from jitstudio.versions import Version, package_versions, program_versions, tool_versions


def versions(info: ToolchainInfo | None, devices: DeviceList | None) -> tuple[Version, ...]:
    """The versions of all parts, and the GPUs.

    Args:
        info: The tools; None while they are not known.
        devices: The GPUs; None before anything has looked for them.
    """
    translate = QCoreApplication.translate
    unknown = translate("Versions", "not looked for")
    rows = (
        *program_versions(),
        ("Qt", f"{qVersion()}, {QGuiApplication.platformName()}"),
        *(tool_versions(info) if info else ((translate("Versions", "Tools"), unknown),)),
        *(_gpus(devices) if devices else (("GPU", unknown),)),
        *package_versions(),
    )
    missing = translate("Versions", "not found")
    return tuple((name, version or missing) for name, version in rows)


def _gpus(devices: DeviceList) -> Iterator[Version]:
    return ((finding.name, finding.found) for finding in gpu_findings(devices))
