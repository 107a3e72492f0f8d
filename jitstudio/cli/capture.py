"""`jitstudio capture`: the kernels that a running program loads on the GPU."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from jitstudio.command_options.other import CaptureOptions
from jitstudio.command_options.values import UsageError
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import capture_object
from jitstudio.core.bounds.folders import temporary_folder
from jitstudio.core.captured import pack
from jitstudio.core.code import CodeKind
from jitstudio.core.kernel_resources import cubin_resources
from jitstudio.python.capturing import Collection, LoadedModule, collected, run_program
from jitstudio.system.terminal import print_error, say, table_lines
from jitstudio.worker.launcher import Launcher

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LONGEST_NAME = 48
_NEEDS_GPU = (
    "A program loads kernels on a GPU only. Without one, 'jitstudio build script.py' compiles "
    "those of a Python script."
)
_NOBODY_LISTENED = (
    "No process of the program could be listened to: it is none of Python, or its Python was "
    "started with -I, -E or -S, which leave PYTHONPATH out."
)
_NO_CUPTI = "CUPTI comes with the CUDA toolkit, and with python3 -m pip install nvidia-cuda-cupti"


def run(options: CaptureOptions) -> int:
    """Runs the program and saves what it loads; returns the exit status.

    Raises:
        UsageError: There is no program, or the folder cannot be written.
        WorkerError: The process that looks for a GPU failed.
    """
    # The first `--` ends the options; a later one is of the program.
    command = [word for at, word in enumerate(options.program) if at or word != "--"]
    if not command:
        raise UsageError("Name the program: jitstudio capture -- python3 train.py")
    launcher = Launcher()
    try:
        gpus = launcher.devices()
    finally:
        launcher.close()
    if not gpus.devices:
        print_error(f"jitstudio: {gpus.problem}")
        print_error(f"jitstudio: {_NEEDS_GPU}")
        return exit_codes.MISSING
    output = Path(options.output)
    try:
        output.mkdir(parents=True, exist_ok=True)
        with temporary_folder("jitstudio-") as folder:
            try:
                status = run_program(command, folder, quiet=options.json)
            except OSError as error:
                raise UsageError(f"'{command[0]}' cannot be started: {error.strerror}.") from None
            return _finished(command, status, collected(folder), output, options.json)
    except OSError as error:
        raise UsageError(f"'{output}' cannot be written: {error.strerror}.") from None


def _finished(
    command: Sequence[str], status: int, collection: Collection, output: Path, as_json: bool
) -> int:
    program = shlex.join(command)
    saved = [(module, _save(module, program, output)) for module in collection.modules]
    notes = list(collection.notes)
    if not collection.is_attached:
        notes += [_NO_CUPTI] if notes else [_NOBODY_LISTENED]
    if as_json:
        say(json.dumps(capture_object(command, status, str(output), saved, notes), indent=2))
    elif saved:
        for line in table_lines(_rows(saved), left=2):
            say(line)
        say(f"saved in {output}: jitstudio {output}/*{CodeKind.CAPTURED.ending} opens them")
    else:
        print_error("The program has loaded no kernels.")
    for note in notes:
        print_error(f"jitstudio: {note}")
    if status:
        print_error(f"jitstudio: the program ended with {_ending(status)}.")
    if not collection.is_attached:
        return exit_codes.MISSING
    return exit_codes.FAILED if status else exit_codes.BUILT


def _ending(status: int) -> str:
    return f"exit status {status}" if status > 0 else f"signal {-status}"


def _save(module: LoadedModule, program: str, output: Path) -> Path:
    """Writes a module into the folder; a file of the same code is written over."""
    kernel = module.captured(program)
    name = _NOT_IN_NAMES.sub("_", kernel.name)[:_LONGEST_NAME]
    path = output / f"{name}-{module.digest[:8]}{CodeKind.CAPTURED.ending}"
    path.write_bytes(pack(kernel))
    return path


def _rows(saved: Sequence[tuple[LoadedModule, Path]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("file", "loaded from", "kernels", "bytes", "loads")]
    for module, path in saved:
        count = len(cubin_resources(module.code))
        place = "" if module.place is None else str(module.place)
        rows.append((path.name, place, f"{count:,}", f"{len(module.code):,}", f"{module.loads:,}"))
    return rows
