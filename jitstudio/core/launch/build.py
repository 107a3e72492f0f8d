"""What has to be built for a launch."""

from __future__ import annotations

from dataclasses import replace

from jitstudio.core.code import CodeKind
from jitstudio.core.request import BuildRequest, with_name_expressions
from jitstudio.core.result import BuildResult

LAUNCHED_KINDS = frozenset({CodeKind.PTX, CodeKind.CUBIN})
"""The cubin is launched, or the PTX by the driver's compiler; the PTX also tells the parameters."""


def build_for_launch(request: BuildRequest, kernel: str) -> BuildRequest:
    """Returns the same build, made to give what the launch of this kernel needs.

    A kernel that is an instance of a template is asked for by its name expression, without which
    the compiler would not make it.
    """
    expressions = (kernel,) if "<" in kernel else ()
    sources = with_name_expressions(request.sources, expressions)
    emit = LAUNCHED_KINDS
    if all(source.kind is CodeKind.PYTHON for source in sources):
        # The kernels of a script say what their parameters are.
        emit |= {CodeKind.CAPTURED}
    return replace(request, sources=sources, emit=emit, fat_archs=(), fat_ptx=())


def launched_name(result: BuildResult, kernel: str) -> str:
    """Returns the lowered name of a kernel given by its name expression; any other name as it is.

    ``k<unsigned>`` is a kernel that calls itself ``k<unsigned int>``.
    """
    lowered = {name.expression: name.lowered for name in result.lowered_names}
    return lowered.get(kernel) or kernel
