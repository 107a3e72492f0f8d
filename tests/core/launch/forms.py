"""Kernels to be filled in, without any source."""

from jitstudio.core.launch.c_types import named, padded
from jitstudio.core.launch.request import FormParameter, KernelForm, ParameterSlot
from jitstudio.core.launch.types import Pointer


def pointer(spelling="float", const=False):
    """An address of such elements; of unknown ones for ``void``."""
    return Pointer(None if spelling == "void" else named(spelling), const)


def form(*parameters, **fields):
    """A kernel with these parameters: pairs of a name and a type or its spelling."""
    placed, end = [], 0
    for name, given in parameters:
        kind = named(given) if isinstance(given, str) else given
        at = padded(end, kind.align)
        placed.append(FormParameter(name, kind, ParameterSlot(at, kind.size, kind.align)))
        end = at + kind.size
    return KernelForm("k", fields.pop("title", "k"), tuple(placed), **fields)


SAXPY = form(
    ("a", "float"),
    ("x", pointer(const=True)),
    ("y", pointer()),
    ("n", "int"),
    title="saxpy<float>",
)
