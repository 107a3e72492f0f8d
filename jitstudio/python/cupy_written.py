"""The code that CuPy writes for an elementwise kernel or a reduction, by the arrays of a call.

The code depends on types, numbers of axes and contiguity of arrays, so that there is none before a
call. CuPy's own functions write the code here, too, from the properties of NumPy arrays in place of
CuPy's (CuPy 14.2: `ElementwiseKernel.__call__` and `_reduce_dims` in _core/_kernel.pyx,
`_AbstractReductionKernel._call` in _core/_reduction.pyx).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

_Shape = tuple[int, ...]
# The kinds of arguments that CuPy distinguishes.
_ARRAY, _INDEXER, _SCALAR = 1, 2, 3
_LARGEST_INT = (1 << 31) - 1


def replace_written_kernels(
    cupy: Any, note: Callable[[str], None], build: Callable[[str, Any, str], Any]
) -> None:
    """Has `ElementwiseKernel` and `ReductionKernel` compiled for their calls, and launch nothing.

    Args:
        cupy: The module, imported.
        note: Takes a sentence on kernels that are left out.
        build: Compiles a text with options; the last argument is the kernel. The result has
            `launch`, which records a launch.
    """

    def compiled(kind: Any, write: Callable[..., WrittenCode], remark: str = "") -> Any:
        class Written:
            """Compiled at each call with other arrays; the outputs stay zeros."""

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                self._kernel, self._known = kind(*args, **kwargs), set[str]()

            def __getattr__(self, name: str) -> Any:
                return getattr(self.__dict__["_kernel"], name)

            def __call__(self, *args: Any, stream: Any = None, **kwargs: Any) -> Any:
                kernel = self._kernel
                code = write(kernel, args, **kwargs)
                if code.grid and code.text not in self._known:
                    self._known.add(code.text)
                    built = build(code.text, code.options, kernel.name)
                    built.launch(kernel.name, (code.grid,), (code.block,))
                    if remark:
                        note(remark)
                if getattr(kernel, "no_return", False):
                    return None
                outputs = tuple(output.view(cupy.ndarray) for output in code.outputs)
                is_alone = len(outputs) == 1 and not getattr(kernel, "return_tuple", False)
                return outputs[0] if is_alone else outputs

        return Written

    def left_out(*_: Any, **__: Any) -> Any:
        """Returns a stand-in for a kernel that this version of CuPy cannot write."""

        def call(*args: Any, **_: Any) -> Any:
            note(
                f"CuPy {cupy.__version__} writes elementwise kernels and reductions on a GPU only: "
                "they are left out here. 'jitstudio capture' has them if there is a GPU, or use "
                "CuPy 14."
            )
            return next((value for value in reversed(args) if hasattr(value, "nbytes")), None)

        return call

    try:
        writer = CupyWriter()
    except (AttributeError, ImportError):
        cupy.ElementwiseKernel = cupy.ReductionKernel = left_out
        return
    cupy.ElementwiseKernel = compiled(cupy.ElementwiseKernel, writer.elementwise)
    cupy.ReductionKernel = compiled(
        cupy.ReductionKernel,
        writer.reduction,
        "Reductions are as CuPy writes them with CUPY_ACCELERATORS= set to nothing: else it may "
        "take one of CUB's on a GPU.",
    )


class WrittenCode(NamedTuple):
    """The code for a call, and its launch.

    Attributes:
        text: The code, with the headers that CuPy puts in front.
        options: The options to compile the kernel with.
        outputs: The arrays that the kernel writes.
        grid: The number of blocks; 0 if CuPy launches nothing, as there are no elements.
        block: The threads of a block.
    """

    text: str
    options: tuple[str, ...]
    outputs: tuple[Any, ...]
    grid: int
    block: int


class _View(NamedTuple):
    """An array as a kernel sees arrays, in as few axes as possible; raw arrays unchanged."""

    itemsize: int
    shape: _Shape
    strides: _Shape
    is_raw: bool = False

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are contiguous in memory, the last axis innermost."""
        contiguous = (self.itemsize * prod(self.shape[n + 1 :]) for n in range(len(self.shape)))
        axes = zip(self.shape, self.strides, contiguous, strict=True)
        return all(
            length == 1 or stride == contiguous_stride for length, stride, contiguous_stride in axes
        )

    def over(self, axes: Sequence[int], shape: _Shape) -> _View:
        """Returns the view of some axes, in this order and with the lengths of `shape`."""
        return self._replace(shape=shape, strides=tuple(self.strides[n] for n in axes))


class CupyWriter:
    """Has CuPy, which is imported, write code.

    Raises:
        AttributeError: This version of CuPy cannot be asked.
    """

    def __init__(self) -> None:
        def of(module: str, name: str) -> Any:
            return getattr(importlib.import_module(f"cupy._core.{module}"), name)

        self._numpy: Any = importlib.import_module("numpy")
        self._argument, self._types = (
            of("_kernel", "_ArgInfo"),
            of("_kernel", "_decide_params_type"),
        )
        self._type_map = of("_kernel", "_TypeMap")
        self._elementwise = of("_kernel", "_get_elementwise_kernel_code")
        self._reduction = of("_reduction", "_ReductionKernel_get_cached_function_code")
        self._block_specs = of("_reduction", "_get_block_specs")
        self._array, self._indexer = of("core", "ndarray"), of("_carray", "Indexer")
        self._scalar = of("_scalar", "CScalar")
        self._headers = "".join(
            f"#include <{header}>\n" for header in of("core", "_cupy_header_list")
        )

    def elementwise(
        self, kernel: Any, args: Sequence[Any], size: int | None = None, block_size: int = 128
    ) -> WrittenCode:
        """Returns the code for a call of an `ElementwiseKernel`."""
        inputs, outputs = self._counted(kernel, args)
        shape = (size,) if size is not None else self._common_shape(kernel.params, args)
        types, out_types, letters = self._typed(kernel, inputs, outputs)
        arrays = outputs or tuple(self._numpy.zeros(shape, type_) for type_ in out_types)
        if not prod(shape):
            return _not_launched(arrays)
        values = (*inputs, *arrays)
        views = self._views(kernel.params, values, shape)
        if kernel.reduce_dims:
            shape = _joined(views, shape)
        infos = (*self._infos(values, views, (*types, *out_types)), self._of_indexer(shape))
        text = self._elementwise(
            *(infos, letters, kernel.params, kernel.operation, kernel.name, kernel.preamble),
            **kernel.kwargs,
        )
        options = tuple(kernel.kwargs.get("options", ()))
        # `Function.linear_launch` in cuda/function.pyx.
        threads = prod(shape)
        grid, block = -(-threads // block_size), min(threads, block_size)
        return WrittenCode(self._headers + text, options, arrays, grid, block)

    def reduction(
        self,
        kernel: Any,
        args: Sequence[Any],
        axis: Any = None,
        keepdims: bool = False,
        out: Any = None,
    ) -> WrittenCode:
        """Returns the code for a call of a `ReductionKernel` that CuPy writes, not CUB."""
        inputs, outputs = self._counted(kernel, (*args, *(() if out is None else (out,))))
        shape = self._common_shape(kernel.in_params, inputs)
        types, out_types, letters = self._typed(kernel, inputs, outputs)
        views = self._views(kernel.in_params, inputs, shape)
        reduced, others = _split_axes(axis, shape, views)
        left_shape = tuple(shape[n] for n in others)
        kept_shape = tuple(1 if n in reduced else length for n, length in enumerate(shape))
        of_output = kept_shape if keepdims else left_shape
        arrays = outputs or tuple(self._numpy.zeros(of_output, type_) for type_ in out_types)
        if not prod(of_output):
            return _not_launched(arrays)
        is_long = prod(shape) // prod(left_shape) > _LARGEST_INT
        index = self._numpy.dtype("int64" if is_long else "int32").name
        letters = self._type_map((*letters._pairs, ("IndexT", index)))  # noqa: SLF001

        order = (*reduced, *others)
        shape = tuple(shape[n] for n in order)
        views = [v if v is None or v.is_raw else v.over(order, shape) for v in views]
        out_views = self._views(kernel.out_params, arrays, of_output)
        if kernel.reduce_dims:
            shape, of_output = _joined(views, shape), _joined(out_views, of_output)
        run = max((_run(v, of_output) for v in views if v and not v.is_raw), default=1)
        block, _, grid = self._block_specs(prod(shape), prod(of_output), run, -1)
        infos = (
            *self._infos(inputs, views, types),
            *self._infos(arrays, out_views, out_types),
            *map(self._of_indexer, (shape, of_output)),
            self._argument(_SCALAR, self._scalar, self._numpy.dtype("int32"), 0, True, True),
        )
        text = self._reduction(
            *(kernel.nin, kernel.nout, kernel._params, infos, letters),  # noqa: SLF001
            *(kernel.name, block, kernel.reduce_type, kernel.identity, kernel.map_expr),
            *(kernel.reduce_expr, kernel.post_map_expr, kernel.preamble, kernel.options),
        )
        return WrittenCode(self._headers + text, tuple(kernel.options), arrays, grid, block)

    def _counted(self, kernel: Any, args: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Returns the inputs of a kernel, and the arrays for its outputs if these are arguments."""
        if len(args) not in (kernel.nin, kernel.nin + kernel.nout):
            raise TypeError(
                f"Wrong number of arguments for {kernel.name!r}. It must be either {kernel.nin} or "
                f"{kernel.nin + kernel.nout} (with outputs), but given {len(args)}."
            )
        return tuple(args[: kernel.nin]), tuple(args[kernel.nin :])

    def _typed(
        self, kernel: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...], Any]:
        """Returns the types of inputs and outputs, and the types that the letters represent."""
        argument_types = [
            tuple(value.dtype if self._is_array(value) else None for value in values)
            for values in (inputs, outputs)
        ]
        types, out_types, letters = self._types(
            kernel.in_params, kernel.out_params, *argument_types
        )
        return types, out_types, letters

    def _is_array(self, value: object) -> bool:
        return isinstance(value, self._numpy.ndarray)

    def _common_shape(self, params: Sequence[Any], values: Sequence[Any]) -> _Shape:
        plain = [v for p, v in zip(params, values, strict=False) if self._is_array(v) and not p.raw]
        if not plain:
            raise ValueError("Loop size is undecided.")
        return tuple(self._numpy.broadcast_shapes(*(value.shape for value in plain)))

    def _views(
        self, params: Sequence[Any], values: Sequence[Any], shape: _Shape
    ) -> list[_View | None]:
        """Returns arrays broadcast to a shape; None for values that are no arrays."""
        views: list[_View | None] = []
        for param, value in zip(params, values, strict=False):
            if not self._is_array(value):
                views.append(None)
                continue
            whole = value if param.raw else self._numpy.broadcast_to(value, shape)
            views.append(_View(value.dtype.itemsize, whole.shape, whole.strides, param.raw))
        return views

    def _infos(
        self, values: Iterable[Any], views: Iterable[_View | None], types: Iterable[Any]
    ) -> Iterator[Any]:
        for value, view, type_ in zip(values, views, types, strict=True):
            if view is None:
                yield self._argument(_SCALAR, self._scalar, type_, 0, True, True)
            else:
                is_short = prod(view.shape) * view.itemsize <= _LARGEST_INT + 1
                facts = (len(view.shape), view.is_contiguous, is_short)
                yield self._argument(_ARRAY, self._array, value.dtype, *facts)

    def _of_indexer(self, shape: _Shape) -> Any:
        is_short = prod(shape) <= _LARGEST_INT + 1
        return self._argument(_INDEXER, self._indexer, None, len(shape), True, is_short)


def _not_launched(outputs: tuple[Any, ...]) -> WrittenCode:
    return WrittenCode("", (), outputs, 0, 0)


def _split_axes(
    axis: Any, shape: _Shape, views: Sequence[_View | None]
) -> tuple[list[int], list[int]]:
    """Returns the reduced axes, and the others."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = sorted(n % len(shape) for n in axes)
    others = [n for n in range(len(shape)) if n not in reduced]
    only = views[0] if len(views) == 1 else None
    if only and len(others) <= 1 and not only.is_contiguous:
        # So that axes behind each other in memory can be joined.
        strides = only.strides
        reduced.sort(key=lambda n: -abs(strides[n]))
    return reduced, others


def _joined(views: list[_View | None], shape: _Shape) -> _Shape:
    """Joins each axis to the axis before, where all arrays continue from there alike.

    Two axes stay two if there are several arguments; so does CuPy.
    """
    plain = [view for view in views if view is not None and not view.is_raw]
    scattered = [view for view in plain if not view.is_contiguous]
    if len(shape) <= 1 or not plain or (scattered and len(shape) == 2 and len(views) > 1):
        return shape
    axes: list[int] = []
    lengths: list[int] = []
    for n, length in enumerate(shape):
        if length == 1:
            continue
        if axes and all(v.strides[n] * length == v.strides[axes[-1]] for v in scattered):
            axes[-1], lengths[-1] = n, lengths[-1] * length
        else:
            axes.append(n)
            lengths.append(length)
    joined = tuple(lengths) if scattered else (prod(shape),)
    for n, view in enumerate(views):
        if view is not None and not view.is_raw:
            contiguous = view._replace(shape=joined, strides=(view.itemsize,))
            views[n] = view.over(axes, joined) if scattered else contiguous
    return joined


def _run(view: _View, of_output: _Shape) -> int:
    """Returns how many elements lie behind each other in the axes of the output."""
    run = 1
    for length, stride in zip(reversed(of_output), reversed(view.strides), strict=False):
        if stride != run * view.itemsize:
            break
        run *= length
    return run
