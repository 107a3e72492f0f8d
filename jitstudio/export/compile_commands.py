"""The flags that a source file is built with elsewhere, as options of NVRTC.

They are in `compile_commands.json` (Clang's "JSON Compilation Database", which CMake, Ninja, Meson
and Bear write), in `compile_flags.txt` as clangd reads it, or in the file itself behind
``// jitstudio:``. Those of nvcc and of Clang are understood. What concerns the host's compiler only
is left out without a word; what would change device code and has no counterpart is named, and so
is what would write files.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.options import find, read, refused, rooted
from jitstudio.core.plain_files import read_file
from jitstudio.core.tools import Tool

DATABASE = "compile_commands.json"
_FLAGS = "compile_flags.txt"
_PRESETS = ("CMakePresets.json", "CMakeUserPresets.json")
# Where a database commonly is, seen from a folder of the source tree.
_BUILD_FOLDERS = ("build*", "cmake-build-*", "out", "_build", "build/*", "out/build/*")
_LARGEST = 64 * 2**20
_MOST_FOLDERS = 200
_DEEPEST_FILE = 4
_HEAD = 4096
_COMMENT = re.compile(rb"^[ \t]*(?://|;|#)[ \t]*jitstudio:[ \t]*([^\r\n]+)", re.MULTILINE)


class FlagsError(ValueError):
    """The flags of a file cannot be had; the message says why, and names a remedy."""


@dataclass(frozen=True)
class CompileFlags:
    """The flags of a file.

    Attributes:
        path: The file that they are from.
        options: In NVRTC's spelling; paths are absolute.
        archs: The targets, in order; the first is none better than the others.
        left_out: Flags not taken although they would change device code or write files.
    """

    path: str
    options: tuple[str, ...] = ()
    archs: tuple[Arch, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def arch(self) -> Arch | None:
        """The newest target; None where none is named."""
        return max(self.archs, default=None)


def flags_of(source: Path, place: Path | None = None) -> CompileFlags | None:
    """Returns the flags that a file is built with; None where none are found.

    Args:
        source: The file.
        place: A database, or the folder that has it; looked for around the file where None.

    Raises:
        FlagsError: The database is missing where it was given, cannot be read, or does not have
            the file.
    """
    if place is not None:
        database = place / DATABASE if os.path.isdir(place) else place
        flags = _from_database(database, source)
        if flags is None:
            raise FlagsError(f"'{database}' has no command for '{source.name}'.")
        return flags
    for database in databases_near(source):
        # Nobody has named this database: a broken one is passed over.
        with suppress(FlagsError):
            if flags := _from_database(database, source):
                return flags
    for folder in source.absolute().parents:
        listed = folder / _FLAGS
        with suppress(OSError):
            words = _text(listed).split("\n")
            return translated([word.strip() for word in words if word.strip()], listed, folder)
    return None


def flags_in(text: bytes, source: Path) -> CompileFlags | None:
    """Returns the flags behind ``// jitstudio:`` near the beginning of a text; None for none."""
    lines = [match.decode("utf-8", "replace") for match in _COMMENT.findall(text[:_HEAD])]
    words = _split(" ".join(lines))
    return translated(words, source, source.parent, reads_files=False) if lines else None


def databases_near(source: Path) -> Iterator[Path]:
    """Yields the databases in the folders around a file and their build folders, nearest first."""
    for folder in source.absolute().parents:
        for place in (folder, *_build_folders(folder)):
            if (database := place / DATABASE).is_file():
                yield database


def files_in(database: Path) -> list[Path]:
    """Returns the files that a database has commands for, in order.

    Raises:
        FlagsError: It cannot be read.
    """
    files = (_file(entry) for entry in _entries(database))
    return list(dict.fromkeys(file for file in files if file is not None))


def translated(
    words: Sequence[str], path: Path, folder: Path, *, reads_files: bool = True
) -> CompileFlags:
    """Returns the flags of nvcc or Clang as options of NVRTC.

    Args:
        words: One flag or value an entry, without the compiler.
        path: The file that they are from.
        folder: Where relative paths begin.
        reads_files: Whether flags may be in files that the words name.
    """
    translation = _Translation(deque(words), str(folder), reads_files=reads_files)
    translation.run()
    options: dict[str, None] = {}
    for option in read(rooted(translation.options, str(folder))):
        # Others have written them: what writes files or runs programs is not taken.
        if next(refused(option.words, [os.sep], str(folder)), ""):
            translation.left_out.append(" ".join(option.words))
        else:
            options |= dict.fromkeys(option.words)
    return CompileFlags(
        str(path),
        tuple(options),
        tuple(dict.fromkeys(translation.archs)),
        tuple(dict.fromkeys(translation.left_out)),
    )


def _from_database(database: Path, source: Path) -> CompileFlags | None:
    resolved = os.path.realpath(source)
    for entry in _entries(database):
        file = _file(entry)
        if file is not None and os.path.realpath(file) == resolved:
            folder = Path(str(entry.get("directory", database.parent)))
            return translated(_words(entry)[1:], database, folder)
    return None


def _entries(database: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(_text(database))
    except OSError as error:
        raise FlagsError(f"'{database}' cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise FlagsError(f"'{database}' is not JSON. Have CMake write it again.") from None
    if not isinstance(content, list):
        raise FlagsError(f"'{database}' is not a list of commands. Have CMake write it again.")
    return [entry for entry in content if isinstance(entry, dict)]


def _file(entry: dict[str, Any]) -> Path | None:
    file, folder = entry.get("file"), entry.get("directory", "")
    valid = isinstance(file, str) and isinstance(folder, str) and "\0" not in file + folder
    return Path(folder, str(file)) if valid else None


def _words(entry: dict[str, Any]) -> list[str]:
    words = entry.get("arguments")
    if isinstance(words, list):
        return [str(word) for word in words]
    return _split(str(entry.get("command", "")))


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _text(path: Path) -> str:
    return read_file(path, _LARGEST).decode("utf-8", "replace")


def _build_folders(folder: Path) -> list[Path]:
    """Returns the folders that may have the database of a build, by presets and by name."""
    folders = [path for presets in _PRESETS for path in _of_presets(folder / presets)]
    for pattern in _BUILD_FOLDERS:
        with suppress(OSError):
            folders += sorted(islice(folder.glob(pattern), _MOST_FOLDERS))
    return folders


def _of_presets(path: Path) -> Iterator[Path]:
    """Yields the build folders that a file of CMake's presets names."""
    try:
        presets = json.loads(_text(path))["configurePresets"]
        for preset in presets:
            folder = str(preset.get("binaryDir", ""))
            for name, value in (
                ("${sourceDir}", str(path.parent)),
                ("${presetName}", str(preset.get("name", ""))),
                ("${sourceDirName}", path.parent.name),
            ):
                folder = folder.replace(name, value)
            if folder and "$" not in folder:
                yield path.parent / folder
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return


class _Translation:
    """Goes through the flags once.

    Attributes:
        options: NVRTC's.
        archs: The targets.
        left_out: Flags that are not taken.
    """

    def __init__(
        self, words: deque[str], folder: str, depth: int = 0, *, reads_files: bool = True
    ) -> None:
        self.options: list[str] = []
        self.archs: list[Arch] = []
        self.left_out: list[str] = []
        self._words, self._folder, self._depth = words, folder, depth
        self._reads_files = reads_files

    def run(self) -> None:
        """Translates all words."""
        while self._words:
            word = self._words.popleft()
            if word.startswith("@"):
                self.read(word[1:])
            elif word.startswith("-") and word != "-":
                self._flag(word)
            # What is no flag is the source itself.

    def add_folder(self, value: str) -> None:
        """Has headers looked for in this folder."""
        self.options += [f"-I{path}" for path in value.split(",") if path]

    def add_target(self, value: str) -> None:
        """Takes ``sm_90``, ``compute_90,sm_90`` or ``arch=compute_90,code=[sm_90,compute_90]``."""
        known = len(self.archs)
        for word in re.findall(r"(?:sm|compute|lto)_\d+[af]?|\b\d{2,3}[af]?\b", value):
            with suppress(ValueError):
                self.archs.append(Arch.parse(word))
        if len(self.archs) == known:
            self.left_out.append(f"-arch={value}")

    def add_ptxas(self, value: str) -> None:
        """Hands options on to ptxas."""
        self.options += [f"--ptxas-options={option}" for option in value.split(",") if option]

    def add_front_end(self, value: str) -> None:
        """Takes the options that nvcc hands on to the front end."""
        for option in value.split(","):
            suppressed = re.fullmatch(r"-*(diag_(?:suppress|warning|error))=(.+)", option)
            if suppressed:
                kind = suppressed[1].replace("_", "-").replace("warning", "warn")
                self.options.append(f"--{kind}={suppressed[2]}")
            elif not option.lstrip("-").startswith("display_error_number"):
                self.left_out.append(f"-Xcudafe {option}")

    def set_standard(self, value: str) -> None:
        """Takes the dialect of C++; NVRTC knows none with GNU's extensions."""
        self.options = [o for o in self.options if not o.startswith("--std=")]
        self.options.append(f"--std={value.replace('gnu++', 'c++')}")

    def read(self, value: str) -> None:
        """Goes on with the flags in a file, as CMake writes them for long lists of folders."""
        for name in value.split(","):
            try:
                text = _text(Path(self._folder, name)) if self._reads_files else None
            except OSError:
                text = None
            if text is None:
                self.left_out.append(f"--options-file {name}")
                continue
            if self._depth < _DEEPEST_FILE:
                inner = _Translation(deque(_split(text)), self._folder, self._depth + 1)
                inner.run()
                self.options += inner.options
                self.archs += inner.archs
                self.left_out += inner.left_out

    def drop(self, value: str) -> None:
        """Passes over options for the host's compiler only, or for another step."""

    def _flag(self, word: str) -> None:
        name, equals, value = word.partition("=")
        if word in _ALONE or name in _ALONE:
            self.options += _ALONE[word if word in _ALONE else name]
        elif act := _WITH_VALUE.get(name):
            act(self, value if equals else self._next())
        elif self._is_of_nvrtc(word) or _OF_HOST.fullmatch(word):
            pass
        elif glued := next((flag for flag in _GLUED if word.startswith(flag)), ""):
            _WITH_VALUE[glued](self, word.removeprefix(glued).removeprefix("="))
        else:
            self.left_out.append(word)

    def _is_of_nvrtc(self, word: str) -> bool:
        spec, value = find(word)
        if spec is None or Tool.NVRTC not in spec.spellings:
            return False
        if value is None and spec.takes_value:
            value = self._next()
        self.options.append(spec.written(value) if value is not None else word)
        return True

    def _next(self) -> str:
        return self._words.popleft() if self._words else ""


_T = _Translation
_WITH_VALUE: dict[str, Callable[[_Translation, str], None]] = {
    **dict.fromkeys(("-I", "--include-path", "-isystem", "--system-include"), _T.add_folder),
    **dict.fromkeys(("-iquote", "-idirafter"), _T.add_folder),
    **dict.fromkeys(("-arch", "--gpu-architecture", "-code", "--gpu-code"), _T.add_target),
    **dict.fromkeys(("-gencode", "--generate-code"), _T.add_target),
    **dict.fromkeys(("--cuda-gpu-arch", "--offload-arch"), _T.add_target),
    **dict.fromkeys(("-Xptxas", "--ptxas-options", "-Xcuda-ptxas"), _T.add_ptxas),
    **dict.fromkeys(("-Xcudafe", "--cudafe-options"), _T.add_front_end),
    **dict.fromkeys(("-std", "--std"), _T.set_standard),
    **dict.fromkeys(("-optf", "--options-file"), _T.read),
    **dict.fromkeys(("-o", "--output-file", "-x", "--x", "-ccbin", "--compiler-bindir"), _T.drop),
    **dict.fromkeys(("-MT", "-MF", "-MQ", "-L", "-l", "-t", "--threads", "-ldir"), _T.drop),
    **dict.fromkeys(("-Xcompiler", "--compiler-options", "-Xlinker", "-Xarchive"), _T.drop),
    **dict.fromkeys(("-Xclang", "-Xnvlink", "-cudart", "--cudart", "--cuda-path"), _T.drop),
    **dict.fromkeys(("-default-stream", "--default-stream", "-isysroot", "--sysroot"), _T.drop),
    **dict.fromkeys(("-target", "-march", "-mtune", "-dumpbase", "-dumpdir"), _T.drop),
}
"""What to do with a flag whose value follows, behind ``=`` or as the next word."""

_GLUED = ("-I", "-isystem", "-L", "-l", "-MF", "-MT", "-MQ")
"""Those of them whose value may follow without anything between."""

_ALONE: dict[str, tuple[str, ...]] = {
    "-dc": ("--relocatable-device-code=true",),
    "--device-c": ("--relocatable-device-code=true",),
    "-fgpu-rdc": ("--relocatable-device-code=true",),
    "-ffast-math": ("--use_fast_math",),
    "-ffp-contract=off": ("--fmad=false",),
    "-ffp-contract": (),
    "-fgpu-flush-denormals-to-zero": ("--ftz=true",),
    "-fcuda-flush-denormals-to-zero": ("--ftz=true",),
    "-fgpu-approx-transcendentals": ("--use_fast_math",),
    # To nvcc this is about the host's code: that of the device is meant by -G.
    "-g": (),
    # NVRTC compiles device code only: it takes constexpr functions and lambdas as they are.
    "-extended-lambda": (),
    "--extended-lambda": (),
    "--expt-extended-lambda": (),
    "-expt-extended-lambda": (),
    "--expt-relaxed-constexpr": (),
    "-expt-relaxed-constexpr": (),
}
"""What flags without a value are for NVRTC, whatever is behind their ``=``."""

# -O3, -Wall, -fPIC, -MMD, -keep-dir=tmp, --save-temps
_OF_HOST = re.compile(
    r"-(?:c|g\d?|ggdb\d?|O\w*|W.*|w|f.*|m.*|M\w*|s|pipe|pthread|pedantic|rdynamic|shared|static.*"
    r"|forward-unknown.*|-forward-unknown.*|dlink|-device-link|cuda|ptx|cubin|fatbin|-compile"
    r"|lib|run|k|keep.*|-keep.*|-save-temps.*|save-temps.*|v|-verbose|-dryrun|dryrun|-debug"
    r"|-optimize|-profile|pg|-cuda-host-only|-cuda-device-only|-no-cuda.*|nocuda\w+|-use-local-env"
    r"|-machine|-allow-unsupported-compiler|allow-unsupported-compiler|-Werror|-generate-dependen.*"
    r"|emit-llvm|S|E|-diag-color.*|-fdiagnostics.*|-split-compile.*)(?:=.*)?"
)
"""What is for the host's compiler or another step, and does not change device code."""
