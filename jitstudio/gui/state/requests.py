"""From documents and settings, as they are now, to a request."""

from __future__ import annotations

from collections.abc import Iterable

from jitstudio.core.code import CodeKind
from jitstudio.core.options import split_options
from jitstudio.core.request import Assembler, BuildRequest, LinkMode
from jitstudio.gui.state.build_settings import BuildSettings, Switch
from jitstudio.gui.state.documents import Document, Documents, takes_part_alone


def linked_modules(documents: Documents, program: str) -> tuple[Document, ...]:
    """Returns the documents that take part in the link of a program, in link order."""
    return tuple(
        d for d in documents if d.program == program and d.included and takes_part_alone(d)
    )


def request_for(
    modules: Iterable[Document],
    documents: Documents,
    settings: BuildSettings,
    emit: frozenset[CodeKind],
    link: LinkMode | None = None,
) -> BuildRequest:
    """Returns a build of these modules.

    Args:
        modules: What to build, in link order.
        documents: All that is open: headers among them can be included.
        settings: How to build.
        emit: What to make.
        link: Another link than the settings say, if not None.

    Raises:
        ValueError: The options cannot be read; the message says why.
    """
    switches, origin = settings.switches, settings.origin
    modules = tuple(modules)
    headers = tuple(d for d in documents if d.is_header)
    libraries = tuple(d for d in documents if d.is_library)
    sources = tuple(module.as_source() for module in modules)
    strange = {d.confined_to for d in (*modules, *headers, *libraries)} - {""}
    # A module from elsewhere was opened by the user, and includes what lies next to it.
    folders = dict.fromkeys((origin.folder, *(s.folder for s in sources), *sorted(strange)))
    is_trusted = origin.is_trusted and not strange
    return BuildRequest(
        sources=sources,
        arch=settings.arch,
        emit=emit,
        link=settings.link if link is None else link,
        options=split_options(settings.options),
        headers=tuple(header.as_header() for header in headers),
        compiler=settings.compiler,
        assembler=Assembler.DRIVER if Switch.DRIVER_JIT in switches else Assembler.NVJITLINK,
        libraries=tuple(library.as_source() for library in libraries),
        libdevice=Switch.LIBDEVICE in switches,
        join_ir=Switch.JOIN_IR in switches,
        keep_host_code=Switch.KEEP_HOST_CODE in switches,
        use_cache=Switch.CACHE in switches,
        precompile_headers=Switch.PRECOMPILE in switches,
        confined_to=None if is_trusted else tuple(filter(None, folders)),
        unsafe_options=Switch.UNSAFE in switches,
        folder=origin.folder,
        toolchain=settings.toolchain,
        python=settings.python,
    )
