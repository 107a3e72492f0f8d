"""Runs a Python file with the user's interpreter and takes the kernels that are compiled.

The file is a program of the user's. It runs in a process below this one, which is sealed: it reads
what its interpreter needs and its own folder, writes to a folder that is removed, and reaches no
network. What it prints is the log; `jitstudio.python.script_runner` is what runs there.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import jitstudio
from jitstudio.core.bounds.folders import temporary_folder
from jitstudio.core.captured import CONSEQUENCES, CapturedError, CapturedKernel, unpack
from jitstudio.core.diagnostics import Diagnostic, Severity
from jitstudio.core.disk import working_folder
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import Job
from jitstudio.core.scripts import kernel_names
from jitstudio.core.tools import Tool
from jitstudio.system.interpreters import (
    CUDA_WHEELS,
    HOW_TO_CHOOSE,
    PACKAGES,
    InterpreterError,
    interpreter,
)
from jitstudio.toolchain.tool_output import Report, ToolMissing

_MOST_PRINTED = 1 << 20
_MOST_KERNELS = 500
_LAST_WAIT = 0.5
_LONGEST_MESSAGE = 600
_RESULT = "result.json"
_LARGEST_RESULT = 1 << 20
# Where packages keep what they have compiled: all of them begin with an empty folder.
_CACHES = (
    *("TRITON_CACHE_DIR", "TRITON_HOME", "NUMBA_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH"),
    *("TORCHINDUCTOR_CACHE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CUTE_DSL_CACHE_DIR"),
)
# Run by `-c`, in an interpreter that need not have jitstudio: ours is loaded from its own folder,
# as the one around it may hold more than the script may see.
_BOOT = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
_, root, job = sys.argv
if sys.path[0] == "":  # by PYTHONSAFEPATH it is not
    del sys.path[0]
spec = spec_from_file_location(
    "jitstudio", root + "/__init__.py", submodule_search_locations=[root]
)
sys.modules["jitstudio"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
import jitstudio.python.script_runner as runner
runner.main(job)
"""


def version(job: Job) -> str:
    """Returns the version of the interpreter, as ``3.12.4``.

    Raises:
        ToolMissing: The interpreter cannot be used.
    """
    try:
        return interpreter(job.python).version
    except InterpreterError as error:
        raise ToolMissing(Tool.PYTHON, str(error)) from None


def run_script(job: Job) -> Report:
    """Runs a Python file; the report has all kernels compiled until the end, good or bad."""
    ((_, content),) = job.inputs
    with temporary_folder("script-") as folder:
        output, home = folder / "kernels", folder / "home"
        output.mkdir()
        home.mkdir()
        text = folder / "text.py"
        text.write_bytes(content)
        words = {
            "path": script_path(job),
            "text": str(text),
            "arch": _arch(job),
            "folder": job.folder if os.path.isdir(job.folder) else str(home),
            "output": str(output),
        }
        job_file = folder / "job.json"
        job_file.write_text(json.dumps(words), "utf-8")
        report = Report()
        with report.timed():
            status, printed, is_cut = _run(job, home, job_file)
        kernels = tuple(_kernels(output, report))
        _conclude(job, report, status, _result(output), kernels)
        report.log = "\n".join(filter(None, (printed, _cut(is_cut), *_summary(report, kernels))))
    return report


def script_path(job: Job) -> str:
    """Returns the path of a script for tracebacks and line tables: the real or a likely place."""
    folder = job.folder or working_folder()
    return os.path.join(folder or os.sep, os.path.basename(job.name))


def _arch(job: Job) -> str:
    return next(o.partition("=")[2] for o in job.options if o.startswith("-arch="))


def _run(job: Job, home: Path, job_file: Path) -> tuple[int, str, bool]:
    """Returns the exit status, the output, and whether there was more than is kept."""
    root = str(Path(jitstudio.__file__).parent)
    environment = os.environ | dict.fromkeys(_CACHES, str(home / "cache"))
    environment.setdefault("PYTHONUSERBASE", os.path.expanduser("~/.local"))
    environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME"), str(home))
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    # Of a launch that there is none of.
    environment["NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS"] = "0"
    with subprocess.Popen(
        [interpreter(job.python).path, "-c", _BOOT, root, str(job_file)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=home,
        bufsize=0,
    ) as process:
        assert process.stdout is not None
        output = _Kept(process.stdout)
        status = process.wait()
        # What it has left behind may go on printing, until it ends with this process.
        output.join(_LAST_WAIT)
        return status, output.text, output.is_cut


class _Kept(threading.Thread):
    """Reads all that is printed and keeps the first mebibyte."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._file, self._content, self.is_cut = file, bytearray(), False
        self.start()

    @property
    def text(self) -> str:
        """The output so far, as text."""
        return bytes(self._content).replace(b"\0", b"").decode("utf-8", "replace").rstrip()

    def run(self) -> None:
        """Reads until nobody can print any more."""
        descriptor = os.dup(self._file.fileno())
        try:
            while chunk := os.read(descriptor, 1 << 16):
                room = _MOST_PRINTED - len(self._content)
                self.is_cut = self.is_cut or len(chunk) > room
                self._content += chunk[:room]
        finally:
            os.close(descriptor)


def _cut(is_cut: bool) -> str:
    return f"… The script has printed more than {_MOST_PRINTED:,} bytes: the rest is cut." * is_cut


def _kernels(output: Path, report: Report) -> Iterator[CapturedKernel]:
    for path in sorted(output.glob("*.jitkernel"))[:_MOST_KERNELS]:
        try:
            content = read_file(path)
            kernel = unpack(content)
        except (OSError, CapturedError):
            continue  # the script may write there, too
        report.captured.append(content)
        yield kernel


def _result(output: Path) -> dict[str, Any] | None:
    """Returns the runner's result; None where the run ended before."""
    try:
        result = json.loads(read_file(output / _RESULT, _LARGEST_RESULT))
    except (OSError, ValueError, RecursionError):
        return None
    return result if isinstance(result, dict) else None


def _conclude(
    job: Job,
    report: Report,
    status: int,
    result: dict[str, Any] | None,
    kernels: tuple[CapturedKernel, ...],
) -> None:
    """Adds the outcome of the run to the report."""
    problems = list(_problems(job, status, result, bool(kernels)))
    if not problems and not kernels:
        problems = [_error(job, None, None, _nothing_found(result or {}))]
    report.diagnostics += problems
    report.ok = not any(problem.severity is Severity.ERROR for problem in problems)
    notes = (result or {}).get("notes", ())
    packages = (result or {}).get("packages", {})
    if isinstance(notes, list):
        report.notes += [str(note) for note in notes]
    if isinstance(packages, dict) and packages:
        report.notes.append(f"With {', '.join(f'{name} {v}' for name, v in packages.items())}.")


def _problems(
    job: Job, status: int, result: dict[str, Any] | None, has_kernels: bool
) -> Iterator[Diagnostic]:
    if result is None:
        if status < 0:
            name = _signal_name(-status)
            yield _error(job, None, None, f"The script crashed: its process was ended by {name}.")
        else:
            yield _error(
                job, None, None, f"The script ended its process itself, with exit status {status}."
            )
        return
    problems = result.get("problems")
    for problem in problems if isinstance(problems, list) else ():
        if not isinstance(problem, dict):
            continue
        line, column = problem.get("line"), problem.get("column")
        packages = result.get("packages")
        message, advice = _with_advice(job, str(problem.get("message", "")), packages)
        lines = (line if _counts(line) else None, column if _counts(column) else None)
        if problem.get("lacks_gpu"):
            yield _lack(job, lines[0], message, packages, has_kernels)
        else:
            yield _error(job, *lines, message, advice)


def _counts(value: object) -> bool:
    return type(value) is int and 0 < value < 1 << 31


def _lack(
    job: Job, line: int | None, message: str, packages: object, has_kernels: bool
) -> Diagnostic:
    """Returns the diagnostic of a script that has asked for a GPU."""
    message = f"{message.rstrip('.')}."
    uses_cupy = isinstance(packages, dict) and any(name.startswith("cupy") for name in packages)
    remedy = _CUPY_LACKS.format(script=os.path.basename(job.name)) if uses_cupy else ""
    if has_kernels:
        words = (
            f"The script stopped here, as it has no GPU: {message} The kernels before are shown."
        )
        return Diagnostic(
            Severity.WARNING, job.name, line, None, words, Tool.PYTHON, explanation=remedy
        )
    words = (
        f"{message} A script that is built has no GPU: its kernels are compiled and not launched."
    )
    return _error(job, line, None, words, remedy or _ON_CPU)


_ON_CPU = "Make its arrays on the CPU, such as with NumPy."
_CUPY_LACKS = (
    "RawKernel and RawModule are compiled where they are made. ElementwiseKernel, ReductionKernel, "
    "fused functions and ufuncs are compiled when they are called, for the types and strides of "
    "arrays, which CuPy has on a GPU only. On a machine with one, 'jitstudio capture -- python "
    "{script}' collects them."
)


def _nothing_found(result: dict[str, Any]) -> str:
    packages = result.get("packages")
    if not packages:
        return (
            "The script has compiled no kernel: it imports none of triton, numba.cuda, cupy, "
            "cuda.core and cutlass.cute."
        )
    return (
        "The script has compiled no kernel. Launch one, such as kernel[grid](x, y, n) under "
        "if __name__ == '__main__': it is compiled for the types of the arguments, and not run. "
        "With Numba, a signature does, too: @cuda.jit('void(float32[:])')."
    )


def _with_advice(job: Job, message: str, packages: object) -> tuple[str, str]:
    """Returns a message, short, and the remedy where the interpreter lacks something."""
    module = re.match(r"ModuleNotFoundError: No module named '(\w+)", message)
    # cuda-pathfinder's words: `Failure finding "libnvrtc.so": ...`
    library = re.search(r'.*Failure finding "[^"]*"', message)
    if module is not None:
        lacks, package = "this package", PACKAGES.get(module[1], "")
    elif library is not None:
        installed = packages if isinstance(packages, dict) else {}
        lacks, message = "this library of CUDA", f"{library[0]}."
        package = next((wheels for name, wheels in CUDA_WHEELS.items() if name in installed), "")
    else:
        return _short(message), ""
    path = interpreter(job.python).path
    how = f" with: {path} -m pip install '{package}'" if package else " there"
    choose = HOW_TO_CHOOSE.replace("Choose", "Or choose")
    return _short(message), f"The interpreter {path} lacks {lacks}. Install it{how}. {choose}"


def _error(
    job: Job, line: int | None, column: int | None, message: str, explanation: str = ""
) -> Diagnostic:
    return Diagnostic(
        Severity.ERROR, job.name, line, column, message, Tool.PYTHON, explanation=explanation
    )


def _short(message: str) -> str:
    """Returns the first words of a message that may go on for pages; the log has all words."""
    words = " ".join(line.strip() for line in message.splitlines() if line.strip())
    return words if len(words) <= _LONGEST_MESSAGE else f"{words[:_LONGEST_MESSAGE]}…"


def _summary(report: Report, kernels: tuple[CapturedKernel, ...]) -> Iterator[str]:
    yield from report.notes
    for name, kernel in zip(kernel_names(kernels), kernels, strict=True):
        items = kernel.facts.items()
        facts = ", ".join(f"{key}={value}" for key, value in items if key not in CONSEQUENCES)
        yield f"Kernel {name} ({kernel.origin}){': ' if facts else ''}{facts}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
