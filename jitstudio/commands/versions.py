"""The versions of all that has a part in a build, for `--version`, About and reports of bugs.

Nothing in it names the user or the machine: no paths, no names of users or hosts.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator
from importlib import metadata

from jitstudio import __version__
from jitstudio.core.toolchain_info import ToolchainInfo

Version = tuple[str, str]
"""A part, and its version; empty where the part is not found."""

NOT_FOUND = "not found"
# Distributions by the names under which they are known.
_PACKAGES = {
    "PySide6": "PySide6-Essentials",
    **{
        name: name
        for name in (
            "cuda-python",
            "cuda-bindings",
            "cuda-core",
            "cuda-pathfinder",
            "numpy",
            "pygments",
            "tree-sitter",
            "tree-sitter-cuda",
            "pyqtgraph",
        )
    },
}


def program_versions() -> Iterator[Version]:
    """Yields the versions of jitstudio, Python and the operating system."""
    yield "jitstudio", __version__
    yield "Python", platform.python_version()
    yield "System", _system()


def tool_versions(info: ToolchainInfo) -> Iterator[Version]:
    """Yields NVIDIA's libraries and programs that a probe has located."""
    for tool in info.tools:
        # How it was found, but not where: the folder may hold the user's name.
        origin = tool.package or tool.found_via
        yield tool.tool.value, f"{tool.version}, {origin}" if tool.version else ""


def package_versions() -> Iterator[Version]:
    """Yields the Python packages at work; read from their metadata, none is imported."""
    for name, distribution in _PACKAGES.items():
        try:
            yield name, metadata.version(distribution)
        except metadata.PackageNotFoundError:
            yield name, ""


def markdown_table(versions: Iterable[Version]) -> str:
    """Returns the versions for a report of a bug."""
    rows = (f"| {name} | {version.replace('|', '/')} |" for name, version in versions)
    return "\n".join(("| | version |", "| --- | --- |", *rows, ""))


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    system = f"{platform.system()} {platform.machine()}"
    return f"{name}, {system}" if name else system
