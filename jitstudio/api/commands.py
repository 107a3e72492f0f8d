"""`jitstudio.inspect`, `build`, `run` and `diff`: the commands of the command line, from Python.

Each does what the command of its name does, in the same worker processes: no native library of a
compiler or driver is loaded into the caller's process.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any

from jitstudio.api.reports import BuildReport, DiffReport, InspectReport, LaunchReport
from jitstudio.cli import build as build_command
from jitstudio.cli import diff as diff_command
from jitstudio.cli import inspect as inspect_command
from jitstudio.cli import run as run_command
from jitstudio.cli.request import (
    Given,
    UsageError,
    base_request,
    given_project,
    parsed,
    request_from,
)
from jitstudio.commands.json_code import diff_object, inspect_object
from jitstudio.commands.json_output import build_object
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.request import DEFAULT_TIMEOUT
from jitstudio.ptx.skimming import ptx_target
from jitstudio.python.things import found_in, is_path, sources_of


def inspect(
    thing: object,
    *,
    name: str = "",
    kernel: str | None = None,
    arch: str | None = None,
    options: Iterable[str] = (),
    block: int | None = None,
    shared: int = 0,
    timeout: float = DEFAULT_TIMEOUT,
) -> InspectReport:
    """Reads machine code: what it needs, where it comes from, what may cost time.

    Args:
        thing: A kernel of Triton, Numba, CuPy, CuTe DSL, cuTile, Warp or cuda.core; PTX, LLVM IR
            or CUDA C++ as text; a cubin, a fatbin or an object file as bytes; the path of a file,
            also of a program or library; or several of these in a list. What holds no machine
            code is built first.
        name: What to call code that has no name of its own.
        kernel: Only this kernel or function, by its lowered or its demangled name.
        arch: The target, such as ``sm_90``; None for that of PTX that was handed over, or the
            usual one. Machine code that is there already keeps its own.
        options: Options for the compilers, such as ``-lineinfo``; one text is one option.
        block: Threads per block to calculate the occupancy with; None for a usual number.
        shared: Bytes of dynamic shared memory per block to calculate the occupancy with.
        timeout: Seconds that the build may take, and each reading.

    Raises:
        TypeError: The thing holds no kernel that is known; the message lists what is taken.
        ValueError: An argument is wrong, a file cannot be read, or nothing was compiled so far.
        RuntimeError: A worker process itself failed.
    """
    words = _words(
        "inspect",
        _sources(thing, name),
        {"arch": arch, "options": _texts("options", options), "timeout": timeout}
        | {"kernel": kernel, "block": block, "shared": shared},
    )
    return InspectReport(inspect_object(*inspect_command.inspect(words)))


def build(
    thing: object,
    *,
    name: str = "",
    arch: str | None = None,
    options: Iterable[str] = (),
    emit: Iterable[str] = (),
    link: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> BuildReport:
    """Compiles, links and disassembles. A build that fails is a report with its log.

    Args:
        thing: See `inspect`.
        name: See `inspect`.
        arch: The target, such as ``sm_90``.
        options: Options for the compilers, such as ``-lineinfo``.
        timeout: Seconds that the build may take.
        emit: What to make, one or several: ``ptx``, ``sass``, ``cubin``, ``ltoir``, ``optixir``,
            ``fatbin``.
        link: ``ptx`` or ``lto`` to link all modules.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    words = _words(
        "build",
        _sources(thing, name),
        {"arch": arch, "options": _texts("options", options), "timeout": timeout}
        | {"emit": ",".join(_texts("emit", emit)) or None},
    )
    vars(words).update(_link(link))
    request = request_from(words, base_request(given_project(words.sources), words))
    _, result, inlined = build_command.complete(request, timeout)
    return BuildReport(build_object(result, (), inlined), result)


def run(
    thing: object,
    kernel: str | None = None,
    *,
    name: str = "",
    arguments: Mapping[str, object] | None = None,
    set: Mapping[str, object] | None = None,  # noqa: A002 - the word of `jitstudio run`
    grid: object = None,
    cover: object = None,
    block: object = None,
    shared: object = None,
    expect: Iterable[str] = (),
    repeats: int | None = None,
    arch: str | None = None,
    options: Iterable[str] = (),
    device: int | str = 0,
    timeout: float | None = None,
    seed: int | None = None,
    seeds: int | None = None,
) -> LaunchReport:
    """Builds, launches a kernel on a GPU in a process of its own, times it and checks it.

    Args:
        thing: See `inspect`.
        name: See `inspect`.
        arch: The target; None for that of the GPU.
        options: Options for the compilers, such as ``-lineinfo``.
        kernel: Which one; None where there is only one.
        arguments: Values and buffers by the names of the parameters, written as in
            `jitstudio run`: ``{"a": 2.5, "x": "n:random(7)", "n": 4096}``; pointers in structs
            by their paths, such as ``"view.data"``.
        set: What module variables hold before the launch, by their names, such as
            ``{"mask": "{1, 2, 1}"}``; ``"out"`` to read one back.
        grid: Blocks, such as ``128`` or ``(16, 16)``.
        cover: In place of the grid: so many threads at least, such as ``"n"``.
        block: Threads per block.
        shared: Bytes of dynamic shared memory per block.
        expect: What buffers shall hold, in NumPy: ``"out = a * x + y"``, or several in a list.
        repeats: Launches that are timed.
        device: The GPU, as `jitstudio devices` counts them; ``"sim"`` for the simulator.
        timeout: Seconds after which a launch is ended.
        seed: Of the order of blocks and warps in the simulator; 0 for the natural one.
        seeds: How many orders it runs and compares, from that one on.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    for word, given in (("arguments", arguments), ("set", set)):
        if not isinstance(given, (Mapping, NoneType)):
            raise ValueError(f"{word}={given!r}: names and values belong here, as in a dict.")
    sizes = {"grid": grid, "cover": cover, "block": block, "shared": shared}
    words = _words(
        "run",
        _sources(thing, name),
        {"arch": arch, "options": _texts("options", options), "timeout": timeout}
        | {word: _size(size) for word, size in sizes.items()}
        | {"kernel": kernel, "expect": _texts("expect", expect), "repeats": repeats}
        | {"arguments": [f"{parameter}={value}" for parameter, value in (arguments or {}).items()]}
        | {"set": [f"{variable}={value}" for variable, value in (set or {}).items()]}
        | {"device": device, "seed": seed, "seeds": seeds},
    )
    built, result, _ = run_command.launch(words, lambda _event: None)
    return LaunchReport(run_command.run_object(built, result))


def diff(
    a: object,
    b: object,
    *,
    what: str = "sass",
    kernel: str | None = None,
    normalised: bool = False,
    arch: str | None = None,
    options: Iterable[str] = (),
    timeout: float = DEFAULT_TIMEOUT,
) -> DiffReport:
    """Compares two programs by their machine code, their PTX or their texts.

    Args:
        a: One thing; see `inspect`.
        b: The other.
        what: ``sass``, ``ptx`` or ``source``.
        kernel: Compare this kernel only.
        normalised: Whether names of registers and labels, addresses and control bits are no
            difference.
        arch: The target of both.
        options: Options for the compilers of both.
        timeout: Seconds that each build may take, and each reading.

    Raises:
        TypeError, ValueError, RuntimeError: See `inspect`.
    """
    sides = [_only(_sources(thing, word), word) for thing, word in ((a, "a"), (b, "b"))]
    words = _words(
        "diff",
        sides,
        {"arch": arch, "options": _texts("options", options), "timeout": timeout}
        | {"kernel": kernel},
    )
    del words.sources
    vars(words).update(a=sides[0], b=sides[1], normalised=normalised)
    if what not in ("sass", "ptx", "source"):
        raise ValueError(f"what='{what}' is not known: it is 'sass', 'ptx' or 'source'.")
    words.what = what
    found = diff_command.diff(words)
    return DiffReport(diff_object(found, what, kernel, normalised=normalised))


def _sources(thing: object, name: str) -> list[Given]:
    """Returns the modules: paths as they are, for the command to read; all else as its code."""
    try:
        if is_path(thing):
            return [os.fspath(thing)]
        if isinstance(thing, (list, tuple)) and thing and all(map(is_path, thing)):
            return [os.fspath(path) for path in thing]
        found = found_in(thing, name)
    except OSError as error:
        raise ValueError(f"'{error.filename}' cannot be read: {error.strerror}.") from None
    if not found:
        raise TypeError("There is nothing in it: a list of kernels is empty.")
    return list(sources_of(found))


def _only(sources: list[Given], word: str) -> Given:
    if len(sources) > 1:
        names = ", ".join(one if isinstance(one, str) else one.name for one in sources)
        raise ValueError(f"'{word}' holds several modules: {names}. Compare one of them.")
    return sources[0]


_FLAGS = {"options": "option", "repeats": "repeat", "arguments": "arg"}
"""The flags of the command line that are called otherwise than the arguments here."""

_TEXTS = ("arch", "kernel")


def _words(command: str, sources: list[Given], given: Mapping[str, Any]) -> argparse.Namespace:
    """Returns the words of a command line with these, and with the defaults of all others.

    Args:
        command: Whose grammar says what each may be.
        sources: The modules.
        given: The arguments by name; None for one that is left out, a list for several flags.

    Raises:
        ValueError: One of them is wrong; the message names it.
    """
    flags = []
    for name in _TEXTS:
        if not isinstance(given.get(name), (str, NoneType)):
            raise ValueError(f"{name}={given[name]!r}: a text belongs here.")
    for name, value in {**given, "arch": given["arch"] or _target(sources)}.items():
        values = value if isinstance(value, list) else [value]
        flags += [f"--{_FLAGS.get(name, name)}={each}" for each in values if each is not None]
    try:
        words = parsed([command, "-", *flags])
    except UsageError as error:
        flag, _, why = str(error).removeprefix("argument --").partition(": ")
        names = {_FLAGS.get(name, name): name for name in given}
        if flag not in names:
            raise
        raise ValueError(f"{names[flag]}={given[names[flag]]!r}: {why}") from None
    words.sources = sources
    return words


def _texts(name: str, value: Iterable[str]) -> list[str]:
    """Returns what an argument holds that takes several texts; a single one is one of them.

    Raises:
        ValueError: Something else is in it.
    """
    held: Any = value
    try:
        texts: list[str] = [held] if isinstance(held, str) else list(held)
    except TypeError:
        texts = [held]
    wrong = [text for text in texts if not isinstance(text, str)]
    if wrong:
        raise ValueError(f"{name}={value!r}: a text or several belong here, not {wrong[0]!r}.")
    return texts


def _target(sources: list[Given]) -> str | None:
    """Returns what PTX that was handed over is written for, or None."""
    texts = (
        each.content.decode("utf-8", "replace")
        for each in sources
        if isinstance(each, Source) and each.kind is CodeKind.PTX
    )
    return next(filter(None, map(ptx_target, texts)), None)


def _link(link: str | None) -> dict[str, bool]:
    if link not in (None, "ptx", "lto"):
        raise ValueError(f"link='{link}' is not known: it is 'ptx', 'lto' or None.")
    return {"link": link == "ptx", "lto": link == "lto"}


def _size(size: object) -> str | None:
    if isinstance(size, (tuple, list)):
        return ",".join(map(str, size))
    return None if size is None else str(size)
