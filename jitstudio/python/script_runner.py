"""Runs a Python file for the kernels in it: the program of a separate child process.

The interpreter is the choice of the user, so this module imports the standard library only and
modules of jitstudio that need no more. The file runs as `__main__`, from its own folder, with the
hooks of `script_hooks`: kernels are compiled for the target and written to a folder, and nothing is
launched. The outcome goes to `result.json` there.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import os
import re
import sys
import threading
import tokenize
import traceback
import types
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.python.script_hooks import Captures, ScriptTarget, install

RESULT = "result.json"
"""The file with the outcome of the run; missing where the process ended before."""

_MOST_FRAMES = 50
_COLOURS = re.compile("\x1b\\[[0-9;]*m")

_Place = tuple[int, "int | None", str]
"""Line, column and message."""


def main(job_file: str) -> None:
    """Runs the script of a job and ends this process.

    Args:
        job_file: A JSON file: `path` is the name of the script in tracebacks and line tables,
            `text` the file to run, `arch` the target, `folder` where to run, `output` the folder
            for kernels and the result.
    """
    job = json.loads(Path(job_file).read_text("utf-8"))
    output = Path(job["output"])
    captures = Captures(output)
    source = Path(job["text"]).read_bytes()
    problems: list[dict[str, Any]] = []
    install(ScriptTarget(Arch.parse(job["arch"]), job["path"]), captures)
    _replace_own_functions(captures)
    os.chdir(job["folder"])
    try:
        problems += _run(job["path"], source)
    except KeyboardInterrupt:
        pass
    except Exception as failed:
        # An exception of the script's own may fail in any of its methods.
        error = failed.__context__ or failed
        problems.append(_problem(type(error).__name__, _line_in(error, job["path"])))
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    result = {"problems": problems, "packages": captures.packages, "notes": captures.notes}
    part = output / f"{RESULT}.part"
    part.write_text(json.dumps(result, default=lambda _: None), "utf-8")
    part.replace(output / RESULT)
    # Without `atexit`: the exit functions of packages need a GPU.
    os._exit(0)


class _InBuild:
    """The result of `jitstudio.show` in a build, which shows the kernel with all others."""

    tabs: tuple[str, ...] = ()
    problem = "The build of this script shows the kernel."

    def __repr__(self) -> str:
        return self.problem

    def wait(self, _timeout: float | None = None) -> _InBuild:
        """Returns itself: there is no window to wait for."""
        return self

    def report(self) -> object:
        """Raises `RuntimeError`, as `jitstudio.inspect` does here."""
        return _refuse("inspect")


_STARTERS = ("build", "diff", "inspect", "passes", "run")


def _replace_own_functions(captures: Captures) -> None:
    """Replaces functions of jitstudio that start processes, which a build allows to no script."""

    def show(_thing: object, *, name: str = "") -> _InBuild:
        captures.note(
            "jitstudio.show opens nothing here: the build shows what the script compiles."
        )
        return _InBuild()

    own = sys.modules[__name__.partition(".")[0]]
    refused = {name: partial(_refuse, name) for name in _STARTERS}
    for name, function in {**refused, "show": show}.items():
        setattr(own, name, function)


def _refuse(name: str, *_arguments: object, **_named: object) -> object:
    raise RuntimeError(
        f"jitstudio.{name} starts compilers, which a script that jitstudio itself runs may not. "
        "Run the script with Python, or leave the call out: the build shows its kernels."
    )


def _run(path: str, source: bytes) -> Iterator[dict[str, Any]]:
    """Runs the text; yields the errors, with their lines of the script."""
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__builtins__ = __builtins__  # type: ignore[attr-defined]
    sys.argv = [path]
    sys.path[0:0] = [os.path.dirname(path)]
    try:
        text = _decoded(source)
        # Packages read the source of a kernel from here, whatever the file on disk says by now.
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        code = compile(source, path, "exec", dont_inherit=True)
        sys.modules["__main__"] = module
        exec(code, module.__dict__)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
    except SystemExit as ended:
        if ended.code not in (None, 0):
            status = f"with exit status {ended.code}" if isinstance(ended.code, int) else ended.code
            yield _problem(f"The script ended itself: {status}.", _line_in(ended, path))
    except BaseException as error:
        _print(error, path)
        yield _as_problem(error, path, locals().get("text", ""))


def _decoded(source: bytes) -> str:
    """Returns the text as Python would read it; a wrong encoding is a syntax error later."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding).replace("\r\n", "\n")
    except (SyntaxError, UnicodeDecodeError):
        return source.decode("utf-8", "replace")


def _print(error: BaseException, path: str) -> None:
    """Prints a traceback without the frames of jitstudio, which are in every traceback."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
    report = traceback.TracebackException(
        type(error), error, _of_script(error, path), limit=_MOST_FRAMES
    )
    pending, visited = [report], set[int]()
    while pending:
        exception = pending.pop()
        if id(exception) in visited:
            continue
        visited.add(id(exception))
        frames = [frame for frame in exception.stack if not frame.filename.startswith(own)]
        exception.stack = traceback.StackSummary.from_list(frames)
        pending += filter(
            None, (exception.__cause__, exception.__context__, *(exception.exceptions or ()))
        )
    # The script may have replaced or closed stderr.
    with contextlib.suppress(Exception):
        sys.stderr.write("".join(report.format()))


def _of_script(error: BaseException, path: str) -> types.TracebackType | None:
    """Returns the traceback from the first frame of the script on."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename != path:
        at = at.tb_next
    return at or error.__traceback__


def _line_in(error: BaseException, path: str) -> int | None:
    """Returns the innermost line of the script that an exception went through."""
    line = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == path:
            line = number
    return line


def _problem(message: str, line: int | None, column: int | None = None) -> dict[str, Any]:
    return {"message": message, "line": line, "column": column}


def _as_problem(error: BaseException, path: str, text: str) -> dict[str, Any]:
    if isinstance(error, SyntaxError) and error.filename == path:
        return _problem(f"SyntaxError: {error.msg}", error.lineno, error.offset)
    lacks_gpu = _lacks_gpu(error)
    place = None if lacks_gpu else _place_in_kernel(error, path, text)
    line, column, message = place or (_line_in(error, path), None, _message(error))
    return _problem(message, line, column) | {"lacks_gpu": lacks_gpu}


def _message(error: BaseException) -> str:
    text = "".join(traceback.format_exception_only(type(error), error))
    return _COLOURS.sub("", text).strip()


_NO_GPU = (
    "no CUDA-capable device",
    "CUDA driver version is insufficient",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
    "not compiled with CUDA enabled",
    "is an NVIDIA driver library",
    "CUDA driver library cannot be found",
    "CUDA_ERROR_NO_DEVICE",
    "cudaErrorNoDevice",
    "cudaErrorInsufficientDriver",
    "CudaSupportError",
    "active drivers ([])",
)


def _lacks_gpu(error: BaseException) -> bool:
    """Returns whether an error comes from asking for a GPU, which a build does not have."""
    message = _message(error)
    return any(words in message for words in _NO_GPU)


def _place_in_kernel(error: BaseException, path: str, text: str) -> _Place | None:
    """Returns line, column and message of a package's error inside a kernel."""
    place = None
    visited: set[int] = set()
    chained: BaseException | None = error
    while chained is not None and id(chained) not in visited:
        visited.add(id(chained))
        place = (
            _in_triton(chained, text)
            or _in_numba(chained, path)
            or _in_cuda(chained, path, text)
            or place
        )
        chained = chained.__cause__ or chained.__context__
    return place


def _in_triton(error: BaseException, text: str) -> _Place | None:
    """Reads Triton's CompilationError, which has the text of the function and a node."""
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    first = text.find(source) if isinstance(source, str) and source else -1
    line = getattr(node, "lineno", None)
    if first < 0 or not isinstance(line, int):
        return None
    cause = error.__cause__
    reason = getattr(error, "error_message", None) or (_message(cause) if cause else "")
    message = f"{type(error).__name__}: {reason or _message(error).splitlines()[-1]}"
    return text.count("\n", 0, first) + line, getattr(node, "col_offset", 0) + 1, message


def _in_numba(error: BaseException, path: str) -> _Place | None:
    """Reads Numba's errors, which say `File "kernels.py", line 10:`, or have a location."""
    place = getattr(error, "loc", None)
    line = getattr(place, "line", None)
    if getattr(place, "filename", None) == path and isinstance(line, int):
        return line, None, _message(error)
    if "numba" not in type(error).__module__.partition(".")[0]:
        return None
    named = re.findall(r'File "([^"]+)", line (\d+):', _message(error))
    lines = [
        int(number) for file, number in named if os.path.basename(file) == os.path.basename(path)
    ]
    return (lines[-1], None, _message(error)) if lines else None


def _in_cuda(error: BaseException, path: str, text: str) -> _Place | None:
    """Reads NVRTC's errors: `k.cu(3): error: text` counts lines of a string in the script."""
    source = getattr(error, "cuda_source", None) or getattr(error, "_source", None)
    match = re.search(r"([^\s(]*)\((\d+)\): ((?:catastrophic )?error: .*)", _message(error))
    if match is None:
        return None
    file, line, message = match.groups()
    if file == path:
        return int(line), None, message  # by a `#line`
    first = text.find(source) if isinstance(source, str) and source else -1
    return None if first < 0 else (text.count("\n", 0, first) + int(line), None, message)
