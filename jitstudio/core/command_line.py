"""A build as the command that does the same: the way back from what `jitstudio build` takes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from jitstudio.core.options import rooted
from jitstudio.core.request import Assembler, BuildRequest, LinkMode

_LINKS = {LinkMode.NONE: (), LinkMode.PTX: ("--link",), LinkMode.LTO: ("--lto",)}


def build_command(request: BuildRequest, paths: Mapping[str, str]) -> str:
    """The command that builds this, quoted for a POSIX shell.

    Args:
        request: What is built; what is asked for of it is left to the command.
        paths: The files of all modules, headers and libraries, by their names in the request.
    """
    return shlex.join(_words(request, paths))


def _words(request: BuildRequest, paths: Mapping[str, str]) -> Iterator[str]:
    yield from ("jitstudio", "build")
    yield from (paths[source.name] for source in request.sources)
    yield from ("--arch", str(request.arch))
    yield from _LINKS[request.link]
    # A command may be typed in any folder.
    options = rooted(request.options, request.folder) if request.folder else request.options
    yield from (f"--option={option}" for option in options)
    expressions = dict.fromkeys(e for source in request.sources for e in source.name_expressions)
    yield from (f"--name-expression={expression}" for expression in expressions)
    yield from (f"--header={header.name}={paths[header.name]}" for header in request.headers)
    yield from (f"--library={paths[library.name]}" for library in request.libraries)
    switches = {
        "--libdevice": request.libdevice,
        "--join-ir": request.join_ir,
        "--driver-jit": request.assembler is Assembler.DRIVER,
        "--no-cache": not request.use_cache,
        "--unsafe-options": request.unsafe_options,
    }
    yield from (switch for switch, is_on in switches.items() if is_on)
