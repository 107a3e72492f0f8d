"""Arrays and scalars of NumPy, and of packages that share theirs, as a launch takes them.

An array is known by its protocol (``__array_interface__``, ``__cuda_array_interface__``, DLPack),
so that no package is imported that the program has not imported itself.
"""

from __future__ import annotations

import array
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

from jitstudio.command_options.values import UsageError

if TYPE_CHECKING:
    from jitstudio.commands.handed import AnyArray, Expected

_PROTOCOLS = ("__array_interface__", "__cuda_array_interface__", "__dlpack__", "__array__")


def is_array(value: object) -> bool:
    """Returns whether a value is an array by any protocol, or bytes; a single number is none."""
    if isinstance(value, (bytes, bytearray, memoryview, array.array)):
        return True
    if isinstance(value, type) or not any(_has(value, name) for name in _PROTOCOLS):
        return False
    return getattr(value, "shape", None) != ()


def _has(value: object, name: str) -> bool:
    """Returns whether a value has an attribute, also where that cannot be had now.

    PyTorch's tensors refuse the interface where they are of a type that it cannot name.
    """
    try:
        return hasattr(value, name)
    except Exception:  # whatever a property of a foreign package raises
        return True


def split_arrays(values: object, argument: str) -> tuple[Any, dict[str, AnyArray]]:
    """Returns the texts and numbers of an argument, and its arrays, each by name.

    Args:
        values: What the caller has given.
        argument: The name of the argument.

    Raises:
        UsageError: An array cannot be taken.
    """
    if not isinstance(values, Mapping):
        return values, {}
    texts, arrays = {}, {}
    for name, value in values.items():
        if is_array(value):
            arrays[name] = ordered(as_numpy(value, place := f"{argument}['{name}']"), place)
        else:
            texts[name] = _plain(value, f"{argument}['{name}']")
    return texts, arrays


def expectations(expect: object) -> tuple[list[str], list[tuple[str, Expected]]]:
    """Returns the lines of expectations, and arrays and functions by the names of buffers.

    Raises:
        UsageError: Something is neither a text nor an array or a function.
    """
    lines: list[str] = []
    handed: list[tuple[str, Expected]] = []
    for name, value in _pairs(expect):
        if isinstance(value, str):
            lines.append(f"{name} = {value}" if name else value)
        elif callable(value) and not is_array(value):
            handed.append((name, value))
        elif is_array(value) or (name and _is_number(value)):
            handed.append((name, as_numpy(value, f"expect['{name}']" if name else "expect")))
        elif value is not None:
            raise UsageError(
                f"expect={reprlib.repr(value)}: a text such as 'y = a * x', an array, a function "
                "of the inputs, or a dict of these by the names of buffers belongs here."
            )
    return lines, handed


def _pairs(expect: object) -> Iterator[tuple[str, object]]:
    if isinstance(expect, Mapping):
        for name, value in expect.items():
            if not isinstance(name, str) or not name.strip():
                raise UsageError(f"expect: {name!r} is not the name of a buffer.")
            yield name, value
    elif isinstance(expect, str) or callable(expect) or is_array(expect):
        yield "", expect
    elif isinstance(expect, Iterable):
        for value in expect:
            yield "", value
    else:
        yield "", expect


def as_numpy(value: Any, argument: str) -> AnyArray:
    """Returns an array of NumPy, copied from the GPU where it lies there.

    Args:
        value: The array.
        argument: The argument that it is, for messages.

    Raises:
        UsageError: It has no elements that a kernel could read.
    """
    import numpy as np  # noqa: PLC0415 - few calls need it

    if isinstance(value, np.ma.MaskedArray):
        raise UsageError(f"{argument}: a mask has no meaning to a kernel. Give .filled(value).")
    # The driver is loaded with the first copy.
    from jitstudio.api.gpu_arrays import GpuArrayError, copied_from_gpu, is_on_host  # noqa: PLC0415

    if _has(value, "__cuda_array_interface__") or not is_on_host(value):
        try:
            content = copied_from_gpu(value)
        except GpuArrayError as error:
            raise UsageError(f"{argument}: {error}") from None
    else:
        content = _on_host(value, argument)
    if content.dtype.hasobject or (content.dtype.kind in "SUMm" and content.dtype.names is None):
        raise UsageError(
            f"{argument}: it holds {content.dtype}, which is not a number. Give it a type such as "
            "numpy.float32."
        )
    if not content.dtype.isnative:
        raise UsageError(
            f"{argument}: its bytes are in the order of other machines ({content.dtype.str}). "
            "Convert it, by .astype(x.dtype.newbyteorder('='))."
        )
    return content


def _on_host(value: Any, argument: str) -> AnyArray:
    import numpy as np  # noqa: PLC0415

    try:
        only_dlpack = hasattr(value, "__dlpack__") and not hasattr(value, "__array__")
        if isinstance(value, (bytes, bytearray)):
            return np.frombuffer(value, np.uint8)
        return np.from_dlpack(value) if only_dlpack else np.asarray(value)
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        raise UsageError(f"{argument}: NumPy cannot read it: {error}") from None


def ordered(content: AnyArray, argument: str) -> AnyArray:
    """Returns an array whose elements lie in memory as a kernel counts them.

    Raises:
        UsageError: They do not.
    """
    if content.flags.c_contiguous:
        return content
    how = "in Fortran's order" if content.flags.f_contiguous else "with gaps or backwards"
    raise UsageError(
        f"{argument}: its elements lie {how} in memory, so that a kernel would count them in "
        "another order than NumPy. Give numpy.ascontiguousarray(x)."
    )


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float, complex)) or hasattr(value, "dtype")


def _plain(value: Any, argument: str) -> Any:
    """Returns a number or text as `jitstudio.commands` takes it: Python's, not NumPy's.

    A struct of NumPy becomes the text of its members.
    """
    if getattr(value, "shape", None) == () and hasattr(value, "dtype"):
        if value.dtype.names is not None:
            return _members(value)
        return value.item()
    if not isinstance(value, (str, int, float, complex)):
        kind = "None" if value is None else f"an object of type {type(value).__name__}"
        raise UsageError(
            f"{argument}: {kind} is neither a number, a text nor an array. Give a numpy.array with "
            "the type of the elements, such as numpy.array([1, 2], numpy.float32), 'null' for a "
            "null pointer."
        )
    return value


def _members(value: Any) -> str:
    """Returns the text of a struct of NumPy, also of arrays and structs in it."""
    inner = (f"{name}={_member(value[name], name)}" for name in value.dtype.names)
    return f"{{{', '.join(inner)}}}"


def _member(value: Any, name: str) -> Any:
    if getattr(value, "shape", ()):
        return f"{{{', '.join(str(_member(element, name)) for element in value)}}}"
    return _plain(value, name)
