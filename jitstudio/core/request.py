"""What a build is asked to do. Holds content only, so equal requests are equal builds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from jitstudio.core.arch import DEFAULT_ARCH, Arch
from jitstudio.core.code import CodeKind, Header, Source


class LinkMode(Enum):
    """Whether the modules are linked, and by which kind of code."""

    NONE = "none"
    PTX = "ptx"
    LTO = "lto"


@dataclass(frozen=True)
class BuildRequest:
    """One build.

    Attributes:
        sources: The modules, in link order.
        arch: The target architecture.
        emit: The kinds wanted from each module, or from the link.
        link: Whether and how the modules are linked.
        options: What the user typed, one option an entry; `core.options` sends each to the
            tools that take it.
        headers: Headers that exist in memory only.
    """

    sources: tuple[Source, ...]
    arch: Arch = DEFAULT_ARCH
    emit: frozenset[CodeKind] = frozenset({CodeKind.PTX})
    link: LinkMode = LinkMode.NONE
    options: tuple[str, ...] = ()
    headers: tuple[Header, ...] = ()


@dataclass(frozen=True)
class ProbeRequest:
    """Ask which tools are here and what they support.

    Attributes:
        devices: Also initialise the driver and list the GPUs; costs some 0.3 s where there is one.
    """

    devices: bool = False


Request = BuildRequest | ProbeRequest
