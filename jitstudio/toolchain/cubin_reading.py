"""Cubin to SASS by the program nvdisasm, as columns.

Lines and encodings come of one run and live registers of another: nvdisasm cannot print both at
once. The two run at the same time.

One function read alone is what it is among all, but for two things that nvdisasm counts over all
that it prints: the numbers of labels, and what is alive at a call of a function in a section of its
own, where it takes the most that any of the callers keeps.
"""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import IO

from jitstudio.analysis.reading_request import ReadingFailure
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.analysis.sass.reading import (
    CODE_OPTIONS,
    LIVE_OPTIONS,
    read_code,
    read_live,
    with_live,
)
from jitstudio.core.constant_banks import constant_banks
from jitstudio.core.cubin import cubin_target
from jitstudio.core.kernel_resources import code_sizes, cubin_resources, is_tile_code
from jitstudio.core.result import Outcome
from jitstudio.listing.lines import split_at_newlines
from jitstudio.toolchain import locate
from jitstudio.toolchain.demangle import demangled
from jitstudio.toolchain.disassembly import restriction
from jitstudio.toolchain.tool_output import ToolMissing, text_of

# Beyond what the other run took. nvdisasm needs minutes to count the live registers of a function
# with tens of thousands of instructions, and hardly longer than for the rest with many small ones.
_PATIENCE = 4.0
_UNCOUNTED = (
    "The live registers are not known: nvdisasm takes minutes to count them in functions of this "
    "size. Everything else is; split the kernel, or unroll less, to have them counted."
)
_KILLED = (
    "The live registers are not known: signal {signal} has killed the nvdisasm that counts them. "
    "Memory may be short. Everything else is known; read the code again."
)
# nvdisasm of CUDA 13 of a cubin of CUDA 12 or before, such as those of Triton 3.6.
_OLD_WORDS = b"Old Elf to Std format"
_OLD_FORMAT = (
    "The live registers are not known: an assembler of CUDA 12 or before has made this code, and "
    "this nvdisasm does not count them in files of that format. Everything else is."
)


_NO_PTX: Mapping[str, str] = {}


def read_cubin(
    cubin: bytes,
    name: str,
    ptx: Mapping[str, str] = _NO_PTX,
    function: str = "",
    *,
    counts_live: bool = True,
    on_code: Callable[[Disassembly], None] = lambda code: None,
) -> Disassembly | ReadingFailure:
    """Reads the machine code of a cubin.

    Args:
        cubin: The file's content.
        name: How messages call it.
        ptx: The PTX texts that it can have been made of; see `AnalysisRequest`.
        function: See `AnalysisRequest`.
        counts_live: Whether to have live registers counted.
        on_code: Called with the code while live registers are still counted.

    Returns:
        The code, without live registers where nvdisasm cannot print them; or why it is unreadable.
    """
    functions = _functions_named(cubin, function)
    if function and not functions:
        return _finished(Disassembly("", ()), cubin, {})
    try:
        program = locate.nvdisasm()
    except ToolMissing as missing:
        return ReadingFailure(str(missing), Outcome.MISSING)
    only = restriction(cubin, functions)
    # Files without a name: a worker that is killed meanwhile leaves nothing behind. And not pipes:
    # the run whose output is not read yet would soon have to wait.
    with (
        tempfile.TemporaryFile() as file,
        tempfile.TemporaryFile() as listing,
        tempfile.TemporaryFile() as table,
    ):
        file.write(cubin)
        file.flush()
        path = f"/dev/fd/{file.fileno()}"

        def started(options: tuple[str, ...], output: IO[bytes]) -> subprocess.Popen[bytes]:
            return subprocess.Popen(
                [program, *options, *only, path],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                pass_fds=[file.fileno()],
            )

        start = time.monotonic()
        with ExitStack() as running:
            reading = running.enter_context(started(CODE_OPTIONS, listing))
            counting = None
            if counts_live:
                counting = running.enter_context(started(LIVE_OPTIONS, table))
            # It takes NumPy to correct lines: time to load it.
            import jitstudio.analysis.correlation.chains  # noqa: F401, PLC0415

            _, errors = reading.communicate()
            patience = _PATIENCE + time.monotonic() - start
            if reading.returncode:
                if counting is not None:
                    counting.kill()
                message = _why(reading.returncode, text_of(errors), path, name)
                return ReadingFailure(
                    message, Outcome.CRASHED if reading.returncode < 0 else Outcome.FAILED
                )
            # All that needs no live registers, while the other one is still at work.
            read = _finished(read_code(_content(listing)), cubin, ptx, functions)
            if counting is None:
                return read
            if counting.poll() is None:
                on_code(read)
            try:
                _, problem = counting.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                counting.kill()
                return replace(read, notes=(_UNCOUNTED,))
            if counting.returncode < 0:
                return replace(read, notes=(_KILLED.format(signal=-counting.returncode),))
            if counting.returncode:
                return replace(read, notes=(_OLD_FORMAT,)) if _OLD_WORDS in problem else read
            return with_live(read, read_live(_content(table)))


def is_repeatable(code: Disassembly) -> bool:
    """Returns whether every machine would read alike: neither time nor memory ran out."""
    return not any(note.startswith((_UNCOUNTED, _KILLED.partition("{")[0])) for note in code.notes)


def _functions_named(cubin: bytes, name: str) -> tuple[str, ...]:
    """Returns the lowered names of the functions of a cubin with a name, lowered or as in C++."""
    known = demangled(code_sizes(cubin)) if name else {}
    return tuple(lowered for lowered, words in known.items() if name in (lowered, words))


def _finished(
    code: Disassembly, cubin: bytes, ptx: Mapping[str, str], only: Sequence[str] = ()
) -> Disassembly:
    """Returns the code with target, lines, resources and C++ names, by the cubin and the PTX."""
    # See `read_cubin`.
    from jitstudio.analysis.correlation.chains import corrected  # noqa: PLC0415
    from jitstudio.analysis.correlation.ptx_lines import read_ptx_lines  # noqa: PLC0415

    modules = {name: read_ptx_lines(split_at_newlines(text), only) for name, text in ptx.items()}
    # Of the format that compilers wrote up to CUDA 12 (ABI version 7) the listing has no target.
    arch = cubin_target(cubin)
    code = corrected(code, modules)
    if is_tile_code(cubin):
        functions = tuple(replace(function, is_of_tiles=True) for function in code.functions)
        code = replace(code, functions=functions)
    return replace(
        code,
        target=code.target or (arch.sm if arch else ""),
        resources=cubin_resources(cubin),
        constants=constant_banks(cubin),
        demangled=demangled((*code_sizes(cubin), *(function.name for function in code.functions))),
    )


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _why(status: int, errors: str, path: str, name: str) -> str:
    if status < 0:
        return (
            f"nvdisasm crashed on {name} ({signal.Signals(-status).name}). "
            "The cubin may be damaged: build it again."
        )
    message = errors.replace(path, name) or f"nvdisasm ended with exit status {status}."
    return f"The machine code of {name} cannot be read: {message}"
