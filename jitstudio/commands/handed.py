"""Arrays and functions that a program hands over to a launch, in the place of texts."""

from __future__ import annotations

import itertools
import reprlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from jitstudio.command_options.values import UsageError
from jitstudio.core.launch.members import row_about
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    Expectation,
    FormParameter,
    KernelForm,
    LaunchRequest,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.launch.types import Array, Handle, Pointer, Type
from jitstudio.numerics.dtypes import (
    NumericsError,
    as_expressions_see,
    columns,
    complex_dtype,
    numpy_dtype,
    open_buffer,
    save_buffer,
    shape_of,
    size_text_of,
)
from jitstudio.numerics.fills import generate
from jitstudio.worker.host import WorkerError
from jitstudio.worker.scratch import unkept

AnyArray: TypeAlias = "np.ndarray[Any, Any]"
Expected: TypeAlias = "AnyArray | Callable[..., object]"
"""The content that a buffer shall have, or a function that returns it for the arguments."""

_NAMES = {"float32": "float", "float64": "double", "float16": "__half", "bool": "bool"}
_NAMES |= {"bfloat16": "__nv_bfloat16"}
"""The names in CUDA C++ of NumPy's types; of others the name is NumPy's with ``_t`` behind."""


@dataclass
class HandedData:
    """Contents of buffers, before a launch and after.

    Attributes:
        folder: Where their files lie.
        arguments: The arrays that fill buffers and module variables, by the names of these.
        expected: The expected contents, by the names of the buffers; an empty name stands for the
            only buffer that the kernel writes.
        asking: Surrounds the call of a function.
    """

    folder: Path
    arguments: Mapping[str, AnyArray]
    expected: Sequence[tuple[str, Expected]] = ()
    asking: Callable[[], AbstractContextManager[None]] = nullcontext
    _files: dict[str, Path] = field(default_factory=dict)
    _checked: dict[tuple[int, str], tuple[str, Path]] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)

    def _file_text(self, name: str, array: AnyArray) -> str:
        """Returns the fill of a buffer with an array, which is written to a file for that."""
        if name not in self._files:
            self._files[name] = self._saved_file(lambda path: save_buffer(path, array))
        return f"file({self._files[name]})"

    def completed(self, spec: LaunchSpec, form: KernelForm) -> LaunchSpec:
        """Returns a launch whose texts say how many elements the arrays have.

        Raises:
            UsageError: An array is none for its parameter.
        """
        texts = dict(spec.arguments)
        for name, array in self.arguments.items():
            row = row_about(form, name)
            if row is not None:
                texts[name] = self._text(row, name, array)
        return replace(spec, arguments=tuple(texts.items()))

    def _text(self, row: FormParameter, name: str, array: AnyArray) -> str:
        argument, kind = f"{'set' if row.variable else 'arguments'}['{name}']", row.type
        if row.variable is not None and not isinstance(kind, Pointer):
            element, count = (kind.element, kind.count) if isinstance(kind, Array) else (kind, 1)
            stored = _stored(argument, name, element, array)
            if array.size != count * _lanes(element):
                has = size_text_of(element, count)
                raise UsageError(f"{argument}: it has {array.size:,} numbers, '{name}' {has}.")
            return self._file_text(name, stored)
        if isinstance(kind, Handle):
            raise UsageError(
                f"{argument}: '{name}' is a {kind.kind.value}, whose texels a text describes, such "
                "as 'float[w,h]:file(texels.npy)'. Save the array with numpy.save."
            )
        if not isinstance(kind, Pointer):
            raise UsageError(
                f"{argument}: '{name}' is passed by value, as {kind.name}. Give a number, or a "
                "text such as '{1, 2}'."
            )
        if not array.size:
            raise UsageError(f"{argument}: it has no elements. Give 'null' for a null pointer.")
        if kind.target is None:
            return f"{_c_name(array)}[{array.size}]:{self._file_text(name, array)}"
        stored = _stored(argument, name, kind.target, array)
        length, rest = divmod(array.size, _lanes(kind.target))
        if rest:
            raise UsageError(
                f"{argument}: it has {array.size:,} numbers, which are not a whole number of "
                f"{kind.target.name}."
            )
        return f"{length}:{self._file_text(name, stored)}"

    def expectations(
        self, request: LaunchRequest, prepared: Mapping[str, Path]
    ) -> tuple[Expectation, ...]:
        """Returns the expectations that were handed over, with files of the expected values.

        Args:
            request: The launch.
            prepared: The files of buffers that files and expressions fill.

        Raises:
            UsageError: What is expected is no content of the buffer.
        """
        written = {b.name: b for b in request.buffers if b.direction is not Direction.IN}
        checks = []
        for number, (name, expected) in enumerate(self.expected):
            contents: Mapping[str, object] = {name: expected}
            words = "array"
            if callable(expected):
                words = getattr(expected, "__name__", "function")
                checked = [target for n, target in self._checked if n == number]
                # A second launch, as on a GPU besides the simulator, is checked with the same.
                contents = dict.fromkeys(checked) or self._contents(
                    name, expected, request, prepared
                )
            for target, content in contents.items():
                if (number, target) not in self._checked:
                    buffer = _target(target, written)
                    self._checked[number, target] = buffer.name, self._saved(buffer, content)
                buffer_name, path = self._checked[number, target]
                checks.append(Expectation(buffer_name, words, file=str(path)))
        return tuple(checks)

    def _contents(
        self,
        name: str,
        function: Callable[..., object],
        request: LaunchRequest,
        prepared: Mapping[str, Path],
    ) -> Mapping[str, object]:
        """Returns the answer of a function: the content of this buffer, or of several by names."""
        inputs = self._inputs(request, prepared)
        with self.asking():
            answer = _called(function, inputs)
        if not isinstance(answer, Mapping):
            return {name: answer}
        if not answer:
            raise UsageError(
                "expect: the function returned an empty dict, so nothing would be checked. Return "
                "an array, or a dict with the names of buffers."
            )
        return answer

    def _saved(self, buffer: Buffer, content: object) -> Path:
        """Returns a file with the expected content of a buffer."""
        argument = f"expect['{buffer.name}']"
        if content is None:
            raise UsageError(f"{argument}: it is None. Return an array, or a dict of them.")
        seen = np.zeros(shape_of(buffer.element, buffer.length), numpy_dtype(buffer.element).base)
        seen = as_expressions_see(seen, buffer.element)
        try:
            numbers = np.asarray(content)
            tuple(columns(seen, numbers, size_text_of(buffer.element, buffer.length)))
        except (NumericsError, ValueError) as error:
            raise UsageError(f"{argument}: {error}") from None
        if numbers.dtype.kind == "V" and numbers.dtype.names is None:
            # A file has no name for its type, as for bfloat16; a float holds each of its numbers.
            numbers = numbers.astype(np.float32)
        return self._saved_file(lambda path: np.save(path, numbers, allow_pickle=False))

    def _saved_file(self, save: Callable[[Path], None]) -> Path:
        """Returns a new file, once that is saved.

        Raises:
            WorkerError: It cannot be.
        """
        path = self.folder / f"{next(self._numbers)}.npy"
        try:
            save(path)
        except OSError as error:
            raise WorkerError(" ".join(unkept(error))) from error
        return path

    def _inputs(self, request: LaunchRequest, prepared: Mapping[str, Path]) -> dict[str, object]:
        """Returns the arguments as they are before the launch, by name."""
        inputs: dict[str, object] = dict(request.values)
        for buffer in request.buffers:
            if buffer.name in self.arguments:
                array = self.arguments[buffer.name].view()
            elif buffer.name in prepared:
                stored = open_buffer(prepared[buffer.name], buffer.element)
                array = as_expressions_see(stored, buffer.element)
            else:
                try:
                    array = as_expressions_see(generate(buffer), buffer.element)
                except NumericsError:
                    continue  # nobody knows what it holds
            array.flags.writeable = False
            inputs[buffer.name] = array
        return inputs


def _stored(argument: str, name: str, element: Type, array: AnyArray) -> AnyArray:
    """Returns an array as a file for a buffer has it.

    Raises:
        UsageError: Its elements are not those that the kernel reads.
    """
    stored, wanted = array.dtype, numpy_dtype(element).base
    if stored == wanted:
        return array
    numbers = complex_dtype(element)
    if numbers is not None and stored == numbers:
        return array.reshape(-1, 1).view(wanted)
    is_char = wanted.itemsize == 1 and wanted.kind in "iu"
    is_struct = wanted.names is not None and stored.names is not None
    if ((is_char and stored.kind in "iu") or is_struct) and stored.itemsize == wanted.itemsize:
        # The bytes of a text, of either sign; and a struct by the layout alone.
        return array.view(wanted)
    known = numbers or wanted
    convert = f" Convert it, by .astype('{known}')." if known.names is None else ""
    raise UsageError(
        f"{argument}: it holds {stored}, where '{name}' takes elements of {element.name}, which is "
        f"{known} in NumPy.{convert}"
    )


def _lanes(element: Type) -> int:
    """Returns how many numbers of an array are an element."""
    return 1 if complex_dtype(element) else int(np.prod(numpy_dtype(element).shape, dtype=int))


def _c_name(array: AnyArray) -> str:
    return _NAMES.get(array.dtype.name, f"{array.dtype.name}_t")


_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_BY_NAME = (
    "expect: the inputs are handed over by their names, which this function does not take. Give "
    "one such as lambda x, y: x + y, or one that takes a dict of all inputs."
)


def _called(function: Callable[..., object], inputs: Mapping[str, object]) -> object:
    """Returns the answer of a function to a mapping of all inputs, or to the inputs named there."""
    try:
        parameters = signature(function).parameters.values()
    except (TypeError, ValueError):
        raise UsageError(_BY_NAME) from None
    kinds = {p.kind for p in parameters}
    named = [p for p in parameters if p.kind not in _VARIADIC]
    missing = [p for p in named if p.name not in inputs and p.default is Parameter.empty]
    if missing == named and len(named) == 1 and named[0].kind is not Parameter.KEYWORD_ONLY:
        return function(inputs)
    if Parameter.POSITIONAL_ONLY in kinds or kinds == {Parameter.VAR_POSITIONAL}:
        raise UsageError(_BY_NAME)
    if missing:
        raise UsageError(
            f"expect: the kernel has no input '{missing[0].name}', which the function takes. There "
            f"are: {', '.join(inputs)}; or let it take one argument, a dict of all of them."
        )
    if Parameter.VAR_KEYWORD in kinds:
        return function(**inputs)
    return function(**{p.name: inputs[p.name] for p in named if p.name in inputs})


def _target(name: object, written: Mapping[str, Buffer]) -> Buffer:
    """Returns the buffer that is to be checked."""
    known = ", ".join(written) or "none"
    if name == "" and len(written) == 1:
        return next(iter(written.values()))
    if name == "":
        raise UsageError(
            f"expect: buffers that the kernel writes: {known}. Say which, by a dict with its name."
        )
    if name not in written:
        raise UsageError(
            f"expect[{reprlib.repr(name)}]: that is not a buffer that the kernel writes. There "
            f"are: {known}."
        )
    return written[str(name)]
