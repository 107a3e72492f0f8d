"""Tile IR to a cubin by the program tileiras, and to text by the program tileirdisasm.

tileiras writes PTX to a temporary file and starts the ptxas that lies next to it. Both programs
read and write files only. Messages are kept up to a size, whatever they print.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jitstudio.core.bounds.folders import remove_tree
from jitstudio.core.code import CodeKind, split_variant
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.disk import working_folder
from jitstudio.core.line_table_paths import plain_path
from jitstudio.core.options import is_within
from jitstudio.core.plan import Job
from jitstudio.core.tile_ir import tile_kernels
from jitstudio.core.tools import Tool
from jitstudio.toolchain import locate
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.tool_output import Report, read_from, text_of

_FOLDER = "tile"
_INPUT, _OUTPUT, _REMARKS = "input.tileirbc", "output.cubin", "remarks.yaml"
_REMARK_OPTIONS = ("--remark-format=yaml", f"--remarks-output-file={_REMARKS}")
# Of remarks: one access can have hundreds of the same reason.
_LARGEST_REMARKS = 64 << 20
_REMARK = re.compile(
    r"^--- !(?P<kind>\w+)\n(?P<head>(?:[A-Z]\w*:[^\n]*\n)*)Args:[ ]*\n(?P<args>(?:  - [^\n]*\n)*)",
    re.MULTILINE,
)
_HEAD_PLACE = re.compile(
    r"^DebugLoc: +\{ File: (?P<file>[^\n]*), Line: (?P<line>\d{1,9}), "
    r"Column: (?P<column>\d{1,9}) \}",
    re.MULTILINE,
)
_ARGUMENT = re.compile(r"  - (?P<name>\w+): +(?P<value>[^\n]*)")
_PLACE_BEFORE = re.compile(r"^loc\([^\n]*?\): ")
_TOOLKITS = ("CUDA_PATH", "CUDA_HOME")
_SEVERITY = {"Failure": Severity.WARNING}
_UNKNOWN_TARGET = re.compile(r"Cannot find option named '(?P<target>sm_\w+)'")


def assemble(job: Job) -> Report:
    """Makes a cubin of the Tile IR of the job, and reads the remarks."""
    ((_, bytecode),) = job.inputs
    report = Report(options=(*job.options, *(_REMARK_OPTIONS if _wants_remarks(job) else ())))
    with _folder_with(bytecode) as folder:
        _run(Tool.TILEIRAS, (*(report.options or ()), "-o", _OUTPUT, _INPUT), folder, report)
        cubin = folder / _OUTPUT
        if report.ok and cubin.is_file():
            report.code[CodeKind.CUBIN] = cubin.read_bytes()
            report.diagnostics += _remarks(job, folder / _REMARKS)
        else:
            _explain_failure(job, bytecode, report)
    return report


def disassemble(job: Job) -> Report:
    """Prints the Tile IR of the job as text."""
    ((_, bytecode),) = job.inputs
    report = Report()
    with _folder_with(bytecode) as folder:
        text = _run(Tool.TILEIRDISASM, (*job.options, _INPUT), folder, report)
        if report.ok:
            report.code[CodeKind.TILEIR] = text
    return report


@contextmanager
def _folder_with(bytecode: bytes) -> Iterator[Path]:
    """Makes the folder of a run, with the input; its place is the same for each."""
    folder = Path(tempfile.gettempdir(), _FOLDER)
    remove_tree(folder)
    folder.mkdir(mode=0o700)
    try:
        (folder / _INPUT).write_bytes(bytecode)
        yield folder
    finally:
        remove_tree(folder)


def _wants_remarks(job: Job) -> bool:
    return any(option.startswith("--remarks") for option in job.options)


def _run(tool: Tool, words: tuple[str, ...], folder: Path, report: Report) -> bytes:
    """Runs a program in a folder; returns the text on stdout of a program that succeeds."""
    program = locate.program(tool)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        with report.timed():
            done = subprocess.run(
                [program, *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                cwd=folder,
                env=_environment(program),
                check=False,
            )
        said = read_from(errors.fileno(), 0).replace(_INPUT, "the Tile IR")
        report.ok = done.returncode == 0
        if report.ok:
            report.log = said
            output.seek(0)
            return output.read()
        printed = read_from(output.fileno(), 0)
        report.ended(tool, done.returncode, text_of(f"{said}\n{printed}".encode()), "the Tile IR")
        return b""


def _environment(program: str) -> dict[str, str]:
    """Returns the environment without toolkits that the program is no part of.

    tileiras loads the libNVVM of the toolkit that is named there, of whatever version, before that
    of its own.
    """
    return {
        name: value
        for name, value in os.environ.items()
        if name not in _TOOLKITS or is_within(program, os.path.realpath(value))
    }


def _explain_failure(job: Job, bytecode: bytes, report: Report) -> None:
    """Names the kernels that have no cubin now, and says so of a cubin that is missing."""
    if report.ok:
        report.ok, report.error_log = False, "tileiras has written no cubin, and says nothing."
    if unknown := _UNKNOWN_TARGET.search(report.error_log):
        report.error_log = f"tileiras makes no code for {unknown['target']}."
    names = ", ".join(demangled(tile_kernels(bytecode) or ()).values())
    if names:
        message = f"No cubin was made of the tile functions: {names}."
        report.diagnostics.append(
            Diagnostic(Severity.ERROR, split_variant(job.name)[0], None, None, message)
        )


def _remarks(job: Job, file: Path) -> Iterator[Diagnostic]:
    """Yields the remarks of tileiras at the places in the source."""
    if not file.is_file() or file.stat().st_size > _LARGEST_REMARKS:
        return
    text = file.read_text(encoding="utf-8", errors="replace")
    module = split_variant(job.name)[0]
    own = os.path.join(working_folder(), module)
    for remark in _REMARK.finditer(text):
        place = _HEAD_PLACE.search(remark["head"])
        path = plain_path(place["file"].strip("'")) if place else module
        yield Diagnostic(
            severity=_SEVERITY.get(remark["kind"], Severity.INFO),
            file=module if os.path.normpath(path) == os.path.normpath(own) else path,
            line=int(place["line"]) if place else None,
            column=int(place["column"]) if place else None,
            message=_message(remark["args"]),
            tool=Tool.TILEIRAS,
        )


def _message(arguments: str) -> str:
    """Returns a remark as a sentence: the event, and each reason a single time."""
    said = dict[str, None]()
    for argument in _ARGUMENT.finditer(arguments):
        if argument["name"] != "RemarkId":
            value = argument["value"].strip()
            value = value[1:-1].replace("''", "'") if value[:1] == "'" == value[-1:] else value
            said[_PLACE_BEFORE.sub("", value)] = None
    first, *reasons = said or ("a remark without words",)
    return f"{first}: {', '.join(reasons)}" if reasons else first
