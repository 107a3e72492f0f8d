"""CUDA C++ to PTX and cubin by nvcc, the compiler driver of a CUDA toolkit: the device side only.

nvcc starts other programs: the host compiler's preprocessor, cicc, ptxas. It reads files only, and
takes the names of variables with internal linkage from the path of the source. So a module whose
file on disk holds this very text is compiled where it lies, and its cubin is the one that nvcc
makes without jitstudio; another one is written to a folder of this process, with a `#line` before
its first line, and is known by its own name in messages and line tables.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from functools import cache, partial
from pathlib import Path

from jitstudio.core.bounds.folders import remove_tree
from jitstudio.core.code import CodeKind, split_variant
from jitstudio.core.disk import working_folder
from jitstudio.core.plan import Job, Search
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.headers import line_directive, searches_of
from jitstudio.toolchain.ptxas_figures import figures_option, take_spills
from jitstudio.toolchain.tool_output import Report, ToolMissing, text_of

_HOST_COMPILERS = ("gcc", "g++")
# nvcc's variable for the host compiler, which --compiler-bindir names otherwise.
_CHOSEN = "NVCC_CCBIN"
# What nvcc adds to every command line; a build has the options that it shows.
_HIDDEN_OPTIONS = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS")
_FOLDER = "nvcc"
# The byte-order mark of UTF-8, which would stand behind the line directive.
_MARK = b"\xef\xbb\xbf"
_LIMIT = 30.0
_PTX_INPUT = "application ptx input"
# A file that the preprocessor has opened: `# 1 "/usr/include/stdio.h" 1 3 4`.
_OPENED = re.compile(rb'^# \d+ "((?:[^"\\]|\\.)*)"', re.MULTILINE)
# `cc1plus -v` writes a folder to a line, with a blank before.
_SEARCHED = re.compile(r"^#include <\.\.\.> [^\n]*\n(?P<folders>(?: [^\n]*\n)*)", re.MULTILINE)


def version() -> str:
    """Returns the version of nvcc, as ``13.0``.

    Raises:
        ToolMissing: nvcc is not here, or there is no host compiler that it could start.
    """
    locate.program(Tool.NVCC)
    _host_compiler()
    return locate.program_version(Tool.NVCC)


def path() -> str:
    """Returns the path of nvcc if there is a host compiler, too; empty otherwise."""
    try:
        _host_compiler()
        return locate.program(Tool.NVCC)
    except ToolMissing:
        return ""


def may_find(header: str) -> bool:
    """Returns whether nvcc may know a header without an option that names the folder.

    The search is in the toolkit and where hosts keep headers, and starts no program.
    """
    toolkit = Path(locate.program(Tool.NVCC)).resolve().parent.parent
    folders = [*toolkit.glob("targets/*/include"), toolkit / "include", Path("/usr/local/include")]
    system = Path("/usr/include")
    folders += [system, *system.glob("*-linux-*"), *system.glob("c++/*")]
    return any((folder / header).is_file() for folder in folders)


def programs() -> tuple[str, ...]:
    """Returns the paths of all programs that a compile starts; none where nvcc cannot be used."""
    try:
        return (*parts(), *filter(os.path.exists, map(os.path.realpath, ("/bin/sh",))))
    except ToolMissing:
        return ()


@cache
def parts() -> tuple[str, ...]:
    """Returns the files that decide nvcc's results: programs of nvcc and of the host compiler.

    Raises:
        ToolMissing: nvcc or the host compiler is not here.
    """
    root = Path(locate.program(Tool.NVCC)).resolve().parent
    names = ("nvcc", "nvcc.profile", "cudafe++", "ptxas", "fatbinary", "../nvvm/bin/cicc")
    own = [root / name for name in names]
    own += sorted((root.parent / "nvvm" / "libdevice").glob("*.bc"))
    compiler = _host_compiler()
    inner = _printed(compiler, "-print-prog-name=cc1plus").strip()
    files = (*map(str, own), compiler, inner)
    return tuple(dict.fromkeys(os.path.realpath(file) for file in files if os.path.isfile(file)))


def _host_compiler() -> str:
    """Returns the path of the program that nvcc has preprocess.

    Raises:
        ToolMissing: There is none.
    """
    chosen = os.environ.get(_CHOSEN, "")
    names: tuple[str, ...] = (chosen,) if chosen else _HOST_COMPILERS
    if os.path.isdir(chosen):
        names = tuple(os.path.join(chosen, name) for name in _HOST_COMPILERS)
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        where = f"{_CHOSEN} names '{chosen}'" if chosen else "no gcc on PATH"
        raise ToolMissing(
            Tool.NVCC,
            f"nvcc cannot be used ({where}): it needs a host compiler. Install one, such as with "
            "apt-get install g++, or compile with NVRTC.",
        )
    return compiler


def _printed(program: str, *options: str) -> str:
    done = subprocess.run(
        [program, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_LIMIT,
        check=False,
    )
    return done.stdout + done.stderr


def compile_cuda(job: Job) -> Report:
    """Compiles the CUDA C++ module of the job."""
    folder = Path(tempfile.gettempdir(), _FOLDER)
    remove_tree(folder)
    folder.mkdir(mode=0o700)
    try:
        return _compile(job, folder)
    finally:
        remove_tree(folder)


def _compile(job: Job, folder: Path) -> Report:
    ((_, text),) = job.inputs
    name, _, _ = split_variant(job.name)
    report = Report(options=_options(job))
    headers, intermediates, output = folder / "headers", folder / "kept", folder / "made"
    for part in (headers, intermediates):
        part.mkdir()
    for header in job.headers:
        place = headers / header.name
        if not place.resolve().is_relative_to(headers.resolve()):
            report.error_log = f"nvcc cannot be given the header '{header.name}': rename it."
            return report
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(header.content)
    source = _file_of(job, name, text) or _copied(folder, name, text)
    words = [locate.program(Tool.NVCC), *(report.options or ())]
    words += [f"-I{headers}"] if job.headers else []
    words += ["--keep", "--keep-dir", str(intermediates), "-o", str(output), "-x", "cu", source]
    environment = {k: v for k, v in os.environ.items() if k not in _HIDDEN_OPTIONS}
    with report.timed():
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, env=environment, check=False
        )
    log = _readable(text_of(done.stderr + done.stdout), folder, intermediates)
    report.ok = done.returncode == 0 and output.is_file()
    _take(job, report, intermediates, output)
    if report.ok:
        report.log = log
        take_spills(job, report)
        opened = _opened(intermediates, {source, name})
        report.find_searches = partial(_searches, job, report.options or (), opened, folder)
    else:
        report.ended(Tool.NVCC, done.returncode, log, name)
    return report


def _options(job: Job) -> tuple[str, ...]:
    figures = (f"--ptxas-options={figures_option(job)}",) if CodeKind.CUBIN in job.makes else ()
    return (*job.options, *figures)


def _file_of(job: Job, name: str, text: bytes) -> str:
    """Returns the path of the module's file if the file holds this text; empty otherwise."""
    folders = [o.partition("=")[2] for o in job.options if o.startswith("--include-path=")]
    for place in dict.fromkeys((name, *(os.path.join(folder, name) for folder in folders))):
        try:
            if os.path.isfile(place) and Path(place).read_bytes() == text:
                return os.path.join(".", place) if place.startswith("-") else place
        except OSError:
            continue
    return ""


def _copied(folder: Path, name: str, text: bytes) -> str:
    """Writes the module to a file whose lines count as the module's."""
    copy = folder / (re.sub(r"[^\w.+-]", "_", os.path.basename(name)) or "module.cu")
    copy.write_bytes(line_directive(name) + text.removeprefix(_MARK))
    return str(copy)


def _take(job: Job, report: Report, intermediates: Path, output: Path) -> None:
    """Takes the results, and the PTX of a cubin that ptxas refused."""
    ptx = next(intermediates.glob("*.ptx"), None)
    if CodeKind.CUBIN in job.makes:
        if report.ok:
            report.code[CodeKind.CUBIN] = output.read_bytes()
        if CodeKind.PTX in job.makes and ptx is not None:
            report.code[CodeKind.PTX] = ptx.read_bytes()
    elif report.ok:
        report.code[CodeKind.PTX] = output.read_bytes()


def _readable(log: str, folder: Path, intermediates: Path) -> str:
    """Returns a log without the names of our own files."""
    log = re.sub(rf"{re.escape(str(intermediates))}/[^\s,']*\.ptx", _PTX_INPUT, log)
    return log.replace(f"{folder}/", "")


def _opened(intermediates: Path, own: set[str]) -> frozenset[str] | None:
    """Returns the files that the preprocessor has opened; None if there is no list."""
    # Files that end in .ii are preprocessed: their line markers name all files that were read.
    listed = next(intermediates.glob("*.ii"), None)
    if listed is None:
        return None
    names = {os.fsdecode(name) for name in _OPENED.findall(listed.read_bytes())}
    return frozenset(n for n in names - own if not n.startswith("<") and not n.endswith("/"))


def _searches(
    job: Job, options: tuple[str, ...], opened: frozenset[str] | None, folder: Path
) -> tuple[Search, ...] | None:
    """Returns all places where the compile looked for files; None if unknown."""
    if opened is None or any(name.startswith(str(folder)) for name in opened):
        return None
    here = working_folder()
    names = frozenset(os.path.normpath(os.path.join(here, name)) for name in opened)
    return searches_of(job, options, _folders(), names, _folders())


@cache
def _folders() -> tuple[str, ...]:
    """Returns the folders that nvcc and the host compiler search by themselves."""
    match = _SEARCHED.search(_printed(_host_compiler(), "-x", "c++", "-E", "-v", os.devnull))
    system = match["folders"].split("\n") if match else []
    root = Path(locate.program(Tool.NVCC)).resolve().parent.parent
    own = [*root.glob("targets/*/include"), *root.glob("targets/*/include/cccl"), root / "include"]
    return tuple(os.path.normpath(f) for f in (*map(str, own), *map(str.strip, system)) if f)
