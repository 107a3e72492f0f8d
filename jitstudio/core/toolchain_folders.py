"""Other versions of the compilers: the content of a folder, and the folders the user has added.

A folder is a virtual environment, a folder of packages (`pip install --target`), the root of a CUDA
toolkit, or one with the libraries themselves. Nothing is loaded here: a worker process takes the
tools of one folder, as long as it lives (`toolchain.locate.choose`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from glob import escape, glob
from pathlib import Path

from jitstudio.core.tools import Tool
from jitstudio.system.paths import settings_folder
from jitstudio.system.private import read_private, write_private

OWN = "own"
"""The word for the compilers of jitstudio's own environment."""

_VERSION = 1
_LARGEST = 1 << 20
_LIBRARIES = {
    Tool.NVRTC: "libnvrtc",
    Tool.NVVM: "libnvvm",
    Tool.NVJITLINK: "libnvJitLink",
    Tool.NVFATBIN: "libnvfatbin",
}
PROGRAMS = {
    Tool.NVCC: "nvcc",
    Tool.NVDISASM: "nvdisasm",
    Tool.CUOBJDUMP: "cuobjdump",
    Tool.TILEIRAS: "tileiras",
    Tool.TILEIRDISASM: "tileirdisasm",
}
"""The tools that are programs of their own, by the names of their files."""
COMPILERS = (*_LIBRARIES, Tool.NVCC)
"""The tools that a folder has to have itself; the others only read what these have made."""

_BUILTINS = "libnvrtc-builtins.so."
_PACKAGES = ("", "lib/python*/site-packages", "lib/python*/dist-packages")
# Below each package of NVIDIA's, and below the root of a toolkit or of a conda environment.
_LIBRARY_FOLDERS = ("", "lib", "lib64", "nvvm/lib64", "nvvm/lib", "targets/*/lib")
_HEADER_FOLDERS = ("include", "targets/*/include")
_LIBDEVICE = ("nvvm/libdevice", "libdevice")
_MARKER = "cuda_fp16.h"
_BUNDLED_SINCE = (13, 3)
_HEADER_WHEELS = ("nvidia-cuda-runtime", "nvidia-cuda-crt", "nvidia-cuda-cccl")
_CCCL = "cuda/std/version"
_RUNTIME = "cuda_runtime_api.h"
_RUNTIME_VERSION = re.compile(rb"#define\s+CUDART_VERSION\s+(\d+)")


class ToolchainError(ValueError):
    """A folder cannot be used, or a name is that of none; the message is fit for a person."""


@dataclass(frozen=True)
class ToolchainFolder:
    """The compilers that a folder holds.

    Attributes:
        folder: Its real path.
        version: Of CUDA, such as ``13.0``; empty where nothing says.
        files: The library or program of each tool that is there.
        headers: The folders of NVIDIA's headers, in the order of the search.
        libdevice: The library of mathematical functions; empty where it is missing.
    """

    folder: str
    version: str = ""
    files: Mapping[Tool, str] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    libdevice: str = ""

    @property
    def problem(self) -> str:
        """Why nothing can be compiled with the toolchain; empty if something can."""
        if not os.path.isdir(self.folder):
            return f"There is no folder '{self.folder}'."
        if any(tool in self.files for tool in COMPILERS):
            return ""
        names = ", ".join(f"{stem}.so" for stem in _LIBRARIES.values())
        return (
            f"'{self.folder}' holds none of {names}. Name a virtual environment, a folder of "
            "packages or the root of a CUDA toolkit that does."
        )

    @property
    def header_problem(self) -> str:
        """Why NVRTC finds no header of NVIDIA's; empty where found. Bundled from 13.3 on."""
        major, _, minor = self.version.partition(".")
        if self.headers or Tool.NVRTC not in self.files or not minor:
            return ""
        if (int(major), int(minor)) >= _BUNDLED_SINCE:
            return ""
        packages = " ".join(f"'{wheel}=={self.version}.*'" for wheel in _HEADER_WHEELS)
        return (
            f"It has no headers, which NVRTC {self.version} does not bring along. Add them: "
            f"python3 -m pip install --target '{self.folder}' {packages}"
        )

    @property
    def builtins(self) -> tuple[str, ...]:
        """The libraries that NVRTC loads by itself when compiling."""
        if (library := self.files.get(Tool.NVRTC)) is None:
            return ()
        beside = escape(os.path.dirname(os.path.realpath(library)))
        return tuple(glob(os.path.join(beside, f"{_BUILTINS}*")))

    @property
    def places(self) -> tuple[str, ...]:
        """The files and folders that a process needs which works with the toolchain."""
        files = tuple(self.files.values())
        beside = [os.path.dirname(os.path.realpath(file)) for file in files]
        more = filter(None, (self.libdevice,))
        return tuple(dict.fromkeys((*self.headers, *self.builtins, *more, *files, *beside)))


def toolchain_in(folder: str) -> ToolchainFolder:
    """Returns the toolchain in a folder; a few inner folders are listed for that."""
    root = os.path.realpath(folder)
    roots = tuple(_roots(root))
    libdevice = _first(roots, _LIBDEVICE, "libdevice*.bc")
    toolchain = ToolchainFolder(root, "", dict(_files(roots)), tuple(_headers(roots)), libdevice)
    return replace(toolchain, version=_version(toolchain))


def _roots(folder: str) -> Iterator[str]:
    """Yields the folders that have `lib`, `bin` and `include` as a toolkit has."""
    for packages in _PACKAGES:
        for place in sorted(glob(os.path.join(escape(folder), packages))):
            yield from sorted(glob(os.path.join(escape(place), "nvidia", "*", "")))
    yield folder


def _files(roots: Iterable[str]) -> Iterator[tuple[Tool, str]]:
    for tool, stem in _LIBRARIES.items():
        if path := _library(roots, stem):
            yield tool, path
    for tool, name in PROGRAMS.items():
        if path := _first(roots, ("bin",), name):
            yield tool, path


def _library(roots: Iterable[str], stem: str) -> str:
    """Returns the newest library of the first folder with any, by the name that is loaded."""
    named = re.compile(rf"{stem}\.so(?:\.(\d+))?")
    for root in roots:
        for below in _LIBRARY_FOLDERS:
            libraries = [
                (int(match[1] or 0), path)
                for path in glob(os.path.join(escape(root), below, f"{stem}.so*"))
                if (match := named.fullmatch(os.path.basename(path))) and os.path.isfile(path)
            ]
            if libraries:
                return max(libraries)[1]
    return ""


def _first(roots: Iterable[str], folders: Iterable[str], name: str) -> str:
    for root in roots:
        for below in folders:
            for path in sorted(glob(os.path.join(escape(root), below, name))):
                if os.path.isfile(path):
                    return path
    return ""


def _headers(roots: Iterable[str]) -> Iterator[str]:
    """Yields the C headers, then CCCL, which lies below these or in a package of its own."""
    below = [os.path.join(escape(root), folder) for root in roots for folder in _HEADER_FOLDERS]
    folders = [at for pattern in below for at in sorted(glob(pattern))]
    beside = [os.path.join(at, "cccl") for at in folders]
    for marker, places in ((_MARKER, folders), (_CCCL, (*beside, *folders))):
        yield from [at for at in places if os.path.isfile(os.path.join(at, marker))][:1]


def _version(toolchain: ToolchainFolder) -> str:
    """Returns the version in the name of NVRTC's builtins; without builtins that of the headers."""
    for path in sorted(toolchain.builtins, reverse=True):
        if match := re.fullmatch(r"(\d+\.\d+)(?:\.\d+)*", os.path.basename(path)[len(_BUILTINS) :]):
            return match[1]
    for folder in (*toolchain.headers, os.path.join(toolchain.folder, "include")):
        with suppress(OSError), open(os.path.join(folder, _RUNTIME), "rb") as file:
            if said := _RUNTIME_VERSION.search(file.read(_LARGEST)):
                return f"{int(said[1]) // 1000}.{int(said[1]) % 1000 // 10}"
    return ""


class AddedToolchains:
    """The folders that the user has added, in a file that no other user can write.

    Args:
        path: The file; that in the user's own folder of settings where not given.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = settings_folder() / "toolchains.json" if path is None else path

    @property
    def folders(self) -> tuple[str, ...]:
        """In the order in which they were added; none where the file is damaged."""
        try:
            content = json.loads(read_private(self._path, _LARGEST) or b"null")
            folders = content["folders"] if content["version"] == _VERSION else []
            return tuple(folder for folder in folders if os.path.isabs(folder))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return ()

    def keep(self, folders: Iterable[str]) -> None:
        """Remembers these folders in the place of the others.

        Raises:
            ToolchainError: It cannot be written down.
        """
        paths = list(dict.fromkeys(map(os.path.realpath, folders)))
        text = json.dumps({"version": _VERSION, "folders": paths}, indent=1)
        try:
            write_private(self._path, text)
        except OSError as error:
            raise ToolchainError(
                f"'{self._path}' cannot be written: {error.strerror or error}."
            ) from None

    def named(self) -> Mapping[str, ToolchainFolder]:
        """Returns the toolchains in the folders, by name; see the function."""
        return named(map(toolchain_in, self.folders))


def named(toolchains: Iterable[ToolchainFolder]) -> dict[str, ToolchainFolder]:
    """Returns toolchains by name: ``13.0``, with more where two have that version."""
    distinct = tuple({toolchain.folder: toolchain for toolchain in toolchains}.values())
    ways: tuple[Callable[[ToolchainFolder], str], ...] = (
        lambda toolchain: toolchain.version,
        lambda toolchain: (
            toolchain.version and f"{toolchain.version} ({os.path.basename(toolchain.folder)})"
        ),
    )
    names = [[way(toolchain) for toolchain in distinct] for way in ways]
    return {
        next((n[i] for n in names if n[i] and n.count(n[i]) == 1), toolchain.folder): toolchain
        for i, toolchain in enumerate(distinct)
    }


def names_of(folders: Iterable[str]) -> dict[str, str]:
    """Returns folders of compilers, empty for our own, by name; see `named`."""
    paths = tuple(folders)
    names = {
        toolchain.folder: name
        for name, toolchain in named(map(toolchain_in, filter(None, paths))).items()
    }
    return {names.get(folder, folder) if folder else OWN: folder for folder in paths}


def hinted(name: str, added: Mapping[str, ToolchainFolder]) -> str:
    """Returns the folder that a project or session means by a name; empty where there is none.

    Only what the user has added is meant: by its name, or as the only one of that version.

    Args:
        name: As `named` has it, such as ``13.0`` or ``13.0 (cuda-13.0)``.
        added: See `AddedToolchains.named`.
    """
    usable = {key: toolchain for key, toolchain in added.items() if not toolchain.problem}
    version, _, _ = name.partition(" ")
    alike = [toolchain for toolchain in usable.values() if toolchain.version == version]
    match = usable.get(name) or (alike[0] if len(alike) == 1 else None)
    return match.folder if match else ""


def chosen(text: str, added: Mapping[str, ToolchainFolder]) -> str:
    """Returns the folder that a text of the user's means; empty for jitstudio's own compilers.

    Args:
        text: ``own``, the name of one that was added, or a path.
        added: See `AddedToolchains.named`.

    Raises:
        ToolchainError: It means none, or nothing can be compiled with what it means.
    """
    if text == OWN:
        return ""
    toolchain = added.get(text)
    if toolchain is None:
        if not os.path.isdir(text):
            known = ", ".join((OWN, *added))
            raise ToolchainError(
                f"'{text}' is neither a folder nor a toolchain that was added. Known: {known}."
            )
        toolchain = toolchain_in(text)
    if problem := toolchain.problem:
        raise ToolchainError(problem)
    return toolchain.folder
