"""Module variables, and addresses inside of structs and buffers, as code of exports."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jitstudio.core.launch.request import (
    Argument,
    Buffer,
    FillKind,
    LaunchRequest,
    SharedPointer,
    ValueArgument,
)
from jitstudio.export.numpy_text import value_text, variable
from jitstudio.export.recipe import ExportError

SET_ADDRESS = '''\
def set_address(array, offset, address):
    """Puts an address into what holds pointers, this many bytes from its start."""
    place = array.reshape(-1).view(np.uint8)[offset : offset + 8]
    place[...] = np.frombuffer(int(address).to_bytes(8, "little"), np.uint8)
'''
"""The function `set_address` that the lines of `address_lines` call."""


def inner_of(request: LaunchRequest, holder: Argument) -> list[Buffer | SharedPointer]:
    """Returns the pointers and handles that are not null and that an argument holds."""
    return [p for p in request.pointers if p.inside == holder.name and not is_null(p)]


def is_null(pointer: Buffer | SharedPointer) -> bool:
    """Returns whether a pointer leads to nothing."""
    return isinstance(pointer, Buffer) and not pointer.length


def owner_in(request: LaunchRequest, pointer: Buffer | SharedPointer) -> Buffer:
    """Returns the buffer whose memory a pointer leads to."""
    if isinstance(pointer, Buffer):
        return pointer
    return next(buffer for buffer in request.buffers if buffer.name == pointer.buffer)


def place_text(
    request: LaunchRequest, pointer: Buffer | SharedPointer, place: Callable[[Buffer], str]
) -> str:
    """Returns the address or handle of a pointer that is not null, as code.

    Args:
        request: The launch.
        pointer: The pointer.
        place: Returns that of a buffer.
    """
    start = place(owner_in(request, pointer))
    shift = pointer.shift if isinstance(pointer, SharedPointer) else pointer.start_bytes
    return f"{start} + {shift}" if shift else start


def address_lines(request: LaunchRequest, place: Callable[[Buffer], str]) -> Iterator[str]:
    """Yields the lines that put addresses into structs and buffers.

    A struct that holds some is a variable of its own then: see `struct_value`.

    Args:
        request: The launch.
        place: Returns the address or handle of a buffer as code.
    """
    for argument in request.arguments:
        inner, name, start = inner_of(request, argument), variable(argument.name), 0
        if inner and isinstance(argument, ValueArgument):
            start = argument.offset
            yield f"{name} = {_bytes_of(argument)}.copy()"
        for pointer in inner:
            text = place_text(request, pointer, place)
            yield f"set_address({name}, {pointer.offset - start}, {text})"


def struct_value(request: LaunchRequest, argument: ValueArgument) -> str:
    """Returns an argument by value as code; see `address_lines`."""
    return variable(argument.name) if inner_of(request, argument) else value_text(argument)


def _bytes_of(argument: ValueArgument) -> str:
    return f'np.frombuffer(bytes.fromhex("{argument.data.hex()}"), np.uint8)'


def refuse_unknown(request: LaunchRequest) -> None:
    """Refuses a module variable with unknown initial content.

    Raises:
        ExportError: It has one.
    """
    for buffer in request.variables:
        fill = buffer.fill
        if fill.kind is FillKind.INITIAL and not fill.data and not inner_of(request, buffer):
            raise ExportError(
                f"What '{buffer.name}' holds by itself is not known here, as addresses are among "
                f"it: fill it, such as --set {buffer.name}=zeros."
            )


def refuse_inner(request: LaunchRequest, form: str) -> None:
    """Refuses addresses inside of structs and buffers.

    Args:
        request: The launch.
        form: The form without a place for them, such as ``PyTorch``.

    Raises:
        ExportError: It has one.
    """
    for pointer in request.pointers:
        if pointer.inside:
            raise ExportError(
                f"The export for {form} puts no address into '{pointer.inside.lstrip('&')}', as "
                f"that of '{pointer.name}' is one. Export the kernel as cuda-bindings or cpp."
            )
