"""The parameters of captured kernels, as Triton and Numba pass those of a Python function.

Triton takes constants out and adds pointers of its own; Numba passes an array as several numbers
and pointers. Both say so in what they make, of which the text alone is read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from jitstudio.core.captured import LAUNCH, PARAMETER, CapturedKernel, KernelLanguage
from jitstudio.core.launch.c_types import BFLOAT16, BOOL, DOUBLE, FLOAT, HALF, LLVM_SCALARS, named
from jitstudio.core.launch.request import (
    FormParameter,
    HostBuffer,
    HostLaunch,
    Parameter,
    Signature,
)
from jitstudio.core.launch.types import Pointer, Scalar, Type
from jitstudio.listing.ptx import PtxParameter

_LARGEST_SOURCE = 1 << 20


def captured_signature(
    kernel: CapturedKernel,
    module: str,
    lowered: str,
    slots: Sequence[PtxParameter] | None,
    types: Sequence[str] | None,
) -> Signature | None:
    """Returns the parameters of a captured kernel in Python, as they are passed.

    Args:
        kernel: The kernel.
        module: The module that it is.
        lowered: Its lowered name.
        slots: What PTX says of its parameters; None for no PTX.
        types: Their types as its name in C++ has them; None where it has none.

    Returns:
        None where it is of no language that is known here, or the PTX says something else.
    """
    function, line = _function(kernel)
    read = _triton(kernel, lowered, function, slots) or _numba(kernel, function, types)
    if read is None:
        return None
    parameters, notes = read
    if slots is not None and len(parameters) != len(slots):
        return None
    ptx = kernel.representation(KernelLanguage.PTX)
    block = _BLOCK.search(ptx.text) if ptx is not None else None
    source = kernel.source
    return Signature(
        name=lowered,
        parameters=tuple(parameters),
        module=PurePath(source.file).name or module if source is not None else module,
        line=line,
        block=int(block[1]) if block else None,
        remarks=tuple(notes),
    )


def captured_launch(
    kernel: CapturedKernel, module: str, title: str, parameters: Sequence[FormParameter]
) -> HostLaunch | None:
    """Returns the first launch of a captured kernel in the script; None without any.

    Args:
        kernel: The kernel.
        module: The module that it is.
        title: The name of the kernel, as C++ has it; a module may have several.
        parameters: As they are passed, with what that launch passes as their defaults.
    """
    own = _own_words(kernel, title)
    grid, block = _launched(kernel, f"{own}grid"), _launched(kernel, f"{own}block")
    if not (grid and block):
        return None
    source = kernel.source

    def passed(place: int, parameter: FormParameter) -> float | int | HostBuffer | None:
        if parameter.default.isdecimal():
            return int(parameter.default)
        for name in (parameter.name, str(place)):
            number = kernel.facts.get(f"{LAUNCH}{own}number {name}", "")
            if _NUMBER.fullmatch(number):
                value = ast.literal_eval(number)
                return value if isinstance(value, float) else int(value)
            if size := _launched(kernel, f"{own}bytes {name}"):
                return HostBuffer(size[0])
        return None

    return HostLaunch(
        kernel=kernel.name,
        template="",
        module=PurePath(source.file).name or module if source is not None else module,
        line=next(iter(_launched(kernel, f"{own}line")), 0),
        grid=_without_ones(grid),
        block=_without_ones(block),
        shared=next(iter(_launched(kernel, f"{own}shared")), 0),
        arguments=tuple(passed(place, row) for place, row in enumerate(parameters)),
    )


def _own_words(kernel: CapturedKernel, title: str) -> str:
    """Returns the words before the names of facts on a kernel of a module; empty for none."""
    own = "".join(title.split())
    ends = f": {_GRID}"
    listed = (name for name in kernel.facts if name.startswith(LAUNCH) and name.endswith(ends))
    names = (name.removeprefix(LAUNCH).removesuffix(_GRID) for name in listed)
    return next((name for name in names if "".join(name.split()) == f"{own}:"), "")


_GRID = "grid"


def _launched(kernel: CapturedKernel, name: str) -> tuple[int, ...]:
    """Returns numbers of a launch in the script; empty without any."""
    words = kernel.facts.get(LAUNCH + name, "").split(",")
    whole = all(re.fullmatch(r"-?\d{1,18}", word) for word in words)
    return tuple(map(int, words)) if whole else ()


def _without_ones(size: tuple[int, ...]) -> tuple[int, ...]:
    while len(size) > 1 and size[-1] == 1:
        size = size[:-1]
    return size


# A block has one length only: Triton's.
_BLOCK = re.compile(r"^[ \t]*+\.reqntid[ \t]++(\d{1,4})(?>,[ \t]*+1)*+[ \t]*+$", re.MULTILINE)

_Read = tuple[list[Parameter], list[str]]


def _function(kernel: CapturedKernel) -> tuple[ast.FunctionDef | None, int]:
    """Returns the Python function and the line; None where the file has none or several."""
    source = kernel.representation(KernelLanguage.PYTHON)
    if source is None or len(source.content) > _LARGEST_SOURCE:
        return None, 0
    try:
        tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None, 0
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == kernel.name
    ]
    if len(functions) != 1:
        return None, 0
    return functions[0], functions[0].lineno + source.first_line - 1


def _names(function: ast.FunctionDef | None) -> list[str]:
    if function is None:
        return []
    arguments = function.args
    return [
        argument.arg
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]


# Triton

_HIDDEN = ("global_scratch", "profile_scratch")
_ARGUMENT = re.compile(
    r"%(?P<name>[\w.$-]+)\s*:\s*(?P<pointer>!tt\.ptr<)?(?P<type>[if]\d{1,3}|bf16|f8\w+)\b"
)
_MARK = re.compile(r"[](){}<>[,\"]")
_MLIR: dict[str, tuple[str, Type | None]] = {
    "i1": ("i1", BOOL),
    **{name: (name, LLVM_SCALARS[name]) for name in ("i8", "i16", "i32", "i64")},
    "f16": ("fp16", HALF),
    "bf16": ("bf16", BFLOAT16),
    "f32": ("fp32", FLOAT),
    "f64": ("fp64", DOUBLE),
    "f8E4M3FN": ("fp8e4nv", named("__nv_fp8_e4m3")),
    "f8E5M2": ("fp8e5", named("__nv_fp8_e5m2")),
}
"""By their names in MLIR: those in Triton's signatures, and what they are."""


def _triton(
    kernel: CapturedKernel,
    lowered: str,
    function: ast.FunctionDef | None,
    slots: Sequence[PtxParameter] | None,
) -> _Read | None:
    """Returns the parameters by Triton IR, and those that Triton adds."""
    ir = kernel.representation(KernelLanguage.TTIR)
    listed = _listed(ir.text, lowered) if ir is not None else None
    if listed is None:
        return None
    read = [_ARGUMENT.match(text.strip()) for text in listed]
    matches = [match for match in read if match is not None]
    if len(matches) != len(read):
        return None  # such as a tensor descriptor, which is passed as several parameters
    names = [match["name"] for match in matches]
    written = _names(function)
    if all(re.fullmatch(r"arg\d+|\d+", name) for name in names):
        # Before Triton 3.4 the IR has no names: those that are no constants are in order.
        left = [name for name in written if not _is_constant(kernel, name)]
        names = left if len(left) == len(names) else [""] * len(names)
    parameters = [
        _triton_parameter(name, match) for name, match in zip(names, matches, strict=True)
    ]
    constants = [
        f"{name}={value}" if (value := _fact(kernel, name)) else name
        for name in written
        if name not in names
    ]
    notes = ["Each block of the grid is one program of Triton's."]
    if constants and any(names):
        notes.append(f"Compiled in, and no longer passed: {', '.join(constants)}.")
    hidden = slots[len(parameters) :] if slots is not None else ()
    if len(hidden) > len(_HIDDEN):
        return None
    added = _HIDDEN[: len(hidden)]
    parameters += [Parameter(name, "*i8", Pointer(None), default="null") for name in added]
    if added:
        notes.append(_on_hidden(kernel, added, hidden))
    return parameters, notes


def _listed(text: str, name: str) -> list[str] | None:
    """Returns the parameters of a function of MLIR, as they are written; None for no function."""
    begin = re.search(rf"\btt\.func\s+(?:public\s+)?@{re.escape(name)}\(", text)
    if begin is None:
        return None
    depth, start, parts = 0, begin.end(), []
    is_quoted = False
    for mark in _MARK.finditer(text, start):
        if mark[0] == '"':
            is_quoted = not is_quoted
        if is_quoted or mark[0] == '"':
            continue
        if depth == 0 and mark[0] in ",)":
            parts.append(text[start : mark.start()])
            start = mark.end()
        if depth == 0 and mark[0] == ")":
            return [part for part in parts if part.strip()]
        depth += (mark[0] in "(<{[") - (mark[0] in ")>}]")
    return None


def _triton_parameter(name: str, match: re.Match[str]) -> Parameter:
    spelling, scalar = _MLIR.get(match["type"], (match["type"], None))
    if match["pointer"]:
        return Parameter(name, f"*{spelling}", Pointer(scalar))
    return Parameter(name, spelling, scalar)


def _fact(kernel: CapturedKernel, name: str) -> str:
    return kernel.facts.get(PARAMETER + name) or kernel.facts.get(name, "")


def _is_constant(kernel: CapturedKernel, name: str) -> bool:
    """Returns whether the fact on a parameter is a value and no type."""
    return not re.fullmatch(r"(\*?[a-z]\w*)?", _fact(kernel, name))


def _on_hidden(kernel: CapturedKernel, names: Sequence[str], slots: Sequence[PtxParameter]) -> str:
    words = " and ".join(names)
    ptx = kernel.representation(KernelLanguage.PTX)
    used = [
        name
        for name, slot in zip(names, slots, strict=True)
        if ptx is None or re.search(rf"\[{re.escape(slot.name)}\b", ptx.text)
    ]
    if not used:
        return f"Triton adds {words}, which this kernel never reads: null is right."
    return (
        f"Triton adds {words} for memory of its own, and this kernel reads {' and '.join(used)}: "
        "give a buffer there."
    )


# Numba

_ARRAY = re.compile(
    r"(?:Array<(?P<a>\w+), (?P<m>\d)|array\((?P<b>\w+), (?P<n>\d)d)\b.*"
    r"|(?P<c>\w+)\[(?P<axes>[^\[\]]*)\]"
)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{0,20})?(?:e[+-]?\d{1,3})?|True|False")
_LENGTH = 1 << 20
_EXTENTS = {1: (_LENGTH,), 2: (1024, 1024), 3: (128, 128, 64)}


def _numba(
    kernel: CapturedKernel, function: ast.FunctionDef | None, types: Sequence[str] | None
) -> _Read | None:
    """Returns parameters by Numba's types, arrays as passed by `_Kernel._prepare_args`."""
    if not kernel.origin.lower().startswith("numba"):
        return None
    names = _names(function)
    known = [_fact(kernel, name) for name in names]
    if not (known and all(known)):
        known = list(types or ())
    if not known or len(known) != len(names):
        return None
    parameters: list[Parameter] = []
    arrays = []
    for name, kind in zip(names, known, strict=True):
        array = _ARRAY.fullmatch(kind.strip())
        if array is None:
            if (scalar := _numba_scalar(kind)) is None:
                return None  # a tuple, a record and others, which are passed as their members
            number = kernel.facts.get(f"{LAUNCH}number {name}", "")
            default = number if _NUMBER.fullmatch(number) else ""
            parameters.append(Parameter(name, kind, scalar, default=default))
            continue
        element = array["a"] or array["b"] or array["c"]
        axes = int(array["m"] or array["n"] or array["axes"].count(",") + 1)
        if (scalar := _numba_scalar(element)) is None or axes not in _EXTENTS:
            return None
        arrays.append(name)
        launched = _launched(kernel, f"array {name}")
        shape, strides = launched[:axes], launched[axes:]
        if len(shape) != axes or len(strides) != axes or min(launched) < 1:
            shape, strides = _EXTENTS[axes], ()
        parameters += _array(name, kind, scalar, shape, strides)
    notes = [
        f"Numba passes an array as several parameters: {name} is the data of one, and what is "
        f"called {name}_… its size and strides in bytes, which have to fit together."
        for name in arrays[:1]
    ]
    return parameters, notes


def _array(
    name: str,
    kind: str,
    element: Scalar,
    shape: tuple[int, ...],
    strides: tuple[int, ...] = (),
) -> Iterator[Parameter]:
    """Yields an array as passed by Numba; in the order of C where no strides are given."""
    whole = named("int64_t")
    total = 1
    plain: list[int] = []
    for extent in reversed(shape):
        plain.insert(0, total * element.size)
        total *= extent
    yield Parameter(f"{name}_meminfo", "void*", Pointer(None), default="null")
    yield Parameter(f"{name}_parent", "void*", Pointer(None), default="null")
    yield Parameter(f"{name}_nitems", "int64", whole, default=str(total))
    yield Parameter(f"{name}_itemsize", "int64", whole, default=str(element.size))
    yield Parameter(name, f"{kind} *", Pointer(element), length=f"{name}_nitems")
    for axis, extent in enumerate(shape):
        yield Parameter(f"{name}_shape{axis}", "int64", whole, default=str(extent))
    for axis, stride in enumerate(strides or plain):
        yield Parameter(f"{name}_stride{axis}", "int64", whole, default=str(stride))


_NUMBA = {"float16": HALF, "float32": FLOAT, "float64": DOUBLE, "float": FLOAT, "double": DOUBLE}


def _numba_scalar(kind: str) -> Scalar | None:
    """Returns the number type of this name in Numba, or in names that Numba mangles."""
    word = kind.strip()
    whole = re.fullmatch(r"(u?int)(8|16|32|64)", word)
    scalar = named(f"{word}_t") if whole else _NUMBA.get(word) or named(word)
    return scalar if isinstance(scalar, Scalar) else None
