"""A build and a launch for CuPy (`RawModule`), PyTorch (`load_inline`) and Jupyter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import zip_longest

from jitstudio import __version__
from jitstudio.core.code import Source
from jitstudio.core.launch.request import (
    Buffer,
    Direction,
    LaunchRequest,
    SharedPointer,
    ValueArgument,
)
from jitstudio.core.launch.types import Scalar
from jitstudio.export.numpy_text import (
    buffer_lines,
    check_lines,
    needs_ml_dtypes,
    variable,
)
from jitstudio.export.nvcc import toolkit_build
from jitstudio.export.python_launch import finish, helpers, joined, launch_notes
from jitstudio.export.python_script import (
    SAMENESS,
    build_code,
    build_imports,
    docstring,
    literal,
    sections_of,
    sources_code,
)
from jitstudio.export.recipe import ExportError, Recipe, RecipeLaunch, comment
from jitstudio.export.symbols import (
    SET_ADDRESS,
    address_lines,
    inner_of,
    is_null,
    place_text,
    refuse_inner,
    refuse_unknown,
    struct_value,
)
from jitstudio.export.texels import refuse_texels

_MAIN = '''\
def main():
    """Builds, and launches unless an option says not to; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\\n")[0])
    parser.add_argument("--save", metavar="PATH", help="write the cubin into this file and end")
    parser.add_argument("--no-launch", action="store_true", help="build only")
    arguments = parser.parse_args()
    cubin = build()
    if arguments.save:
        try:
            Path(arguments.save).write_bytes(cubin)
        except OSError as error:
            sys.exit(f"'{arguments.save}' cannot be written: {error.strerror}.")
        return 0
    return 0 if arguments.no_launch else run(cubin)
'''
_END = 'if __name__ == "__main__":\n    sys.exit(main())\n'

_CUPY_RUN = '''\
def run(cubin):
    """Launches the kernel by CuPy and checks what it has written; returns the exit status."""
    import cupy

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        module = cupy.RawModule(path=str(path))
        kernel = module.get_function(KERNEL)
{allow}{arguments}
    buffers = {buffers}
{memory}    values = ({values})

    def start():
        for name in {written}:
            memory[name].set(buffers[name])
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        kernel({grid}, {block}, values, shared_mem={shared})
        end.record()
        end.synchronize()
        return cupy.cuda.get_elapsed_time(begin, end)

    start()
    got = {{name: array.get() for name, array in memory.items()}}
    times = sorted([start() for _ in range({warmup} + {repeats})][{warmup}:])
    if times:
        print(f"{{KERNEL}}: {{times[len(times) // 2] * 1000:,.1f}} us (median of {{len(times)}})")
{checks}'''

_ALLOW = "    kernel.max_dynamic_shared_size_bytes = {amount}\n"

_CUPY_RAW = '''\
def raw_module():
    """Returns the module compiled by CuPy itself, with the same options."""
    import cupy

    return cupy.RawModule(
        code=SOURCES[{name!r}].decode(),
        options={options!r},
        name_expressions={names!r},
    )
'''


def cupy_script(recipe: Recipe) -> tuple[str, tuple[str, ...]]:
    """Returns a script that launches by CuPy, and notes on all that is left out.

    The cubin is built as by the other scripts and loaded by `cupy.RawModule`; where the build is
    one that CuPy's own compile can do, the script has that, too.

    Raises:
        ExportError: There is no launch, or CuPy cannot do it.
    """
    launch = _needed(recipe, "CuPy")
    request = launch.request
    refuse_texels(request, "CuPy")
    if request.config.cluster or request.config.cooperative:
        raise ExportError(
            "CuPy's RawKernel launches neither clusters nor cooperative grids: export the kernel "
            "as cuda-core or cuda-bindings."
        )
    notes = [*recipe.notes, *launch_notes(launch, watches=False)]
    buffers = [buffer for buffer in request.buffers if buffer.length]
    values = []
    refuse_unknown(request)

    def place(buffer: Buffer) -> str:
        return f"memory[{buffer.name!r}].data.ptr"

    inner = list(address_lines(request, place))
    for argument in request.slots:
        if isinstance(argument, Buffer):
            array = f"memory[{argument.name!r}]"
            if argument.start:
                array = f"np.uint64({array}.data.ptr + {argument.start_bytes})"
            values.append(array if argument.length else "np.uint64(0)")
            continue
        if isinstance(argument, SharedPointer):
            values.append(f"np.uint64({place_text(request, argument, place)})")
            continue
        text = struct_value(request, argument)
        if text.startswith("np.frombuffer") or inner_of(request, argument):
            text = f"{text}.view(np.dtype((np.void, {len(argument.data)})))[0]"
        values.append(text)
    shared = request.config.shared
    written = [b.name for b in buffers if b.direction is not Direction.IN]
    entries = ", ".join(f"{b.name!r}: {variable(b.name)}" for b in buffers)
    arguments = list(buffer_lines(request))
    checks = list(check_lines(request, {b.name: f"got[{b.name!r}]" for b in buffers}))
    run = _CUPY_RUN.format(
        allow=_ALLOW.format(amount=shared) if shared else "",
        arguments="\n".join(f"    {line}" for line in arguments),
        buffers=f"{{{entries}}}",
        memory=_cupy_memory(request, inner),
        values="".join(f"{value}, " for value in values).rstrip(),
        written=repr(written),
        grid=request.config.grid,
        block=request.config.block,
        shared=shared,
        warmup=request.warmup,
        repeats=request.repeats,
        checks=finish(checks),
    )
    parts = [_head(recipe, "cupy", run, notes), sources_code(recipe), build_code(recipe)]
    if (module := recipe.only_cuda) and not recipe.headers:
        step = recipe.steps[0]
        options = tuple(o for o in step.options if not o.startswith("-arch="))
        names = step.name_expressions or None
        parts.append(_CUPY_RAW.format(name=module.name, options=options, names=names))
    parts += helpers(arguments, checks)
    parts += [SET_ADDRESS] if inner else []
    return joined((*parts, run, _MAIN, _END)), tuple(notes)


def _cupy_memory(request: LaunchRequest, inner: list[str]) -> str:
    """Returns lines that make the arrays on the GPU: copies, and the module variables."""
    names = {buffer.name: buffer.symbol for buffer in request.variables}
    apart = " if name not in variables" if names else ""
    lines = [f"variables = {names!r}"] if names else []
    copied = "cupy.asarray(array) for name, array in buffers.items()"
    lines.append(f"memory = {{name: {copied}{apart}}}")
    lines += inner
    # What holds addresses is copied once more, with them.
    holders = [b for b in request.buffers if inner_of(request, b) and not b.symbol]
    lines += [f"memory[{b.name!r}].set(buffers[{b.name!r}])" for b in holders]
    if names:
        lines += [
            "for name, symbol in variables.items():",
            "    array = buffers[name]",
            "    pointer = module.get_global(symbol)",
            "    memory[name] = cupy.ndarray(array.shape, array.dtype, pointer)",
            "    memory[name].set(array)",
        ]
    return "".join(f"    {line}\n" for line in lines)


def _needed(recipe: Recipe, framework: str) -> RecipeLaunch:
    if recipe.launch is None:
        raise ExportError(
            f"An export for {framework} is of a launch, and there is none: say which kernel is "
            "launched, and how (--kernel, --cover or --grid, --arg)."
        )
    return recipe.launch


def _head(recipe: Recipe, package: str, run: str, notes: list[str]) -> str:
    summary = [
        f"{recipe.title}, built for {recipe.arch.sm}: exported by jitstudio {__version__}.",
        "",
        f'Needs: pip install "cuda-bindings[all]" numpy {package}',
        *(("", "Not exported:", *(f"- {note}" for note in notes)) if notes else ()),
    ]
    imports = build_imports(recipe, ("argparse", "sys", "tempfile"))
    more = "import ml_dtypes\n" if needs_ml_dtypes(run) else ""
    kernel = recipe.launch.request.kernel if recipe.launch else ""
    return f"{docstring(summary)}\n{imports}import numpy as np\n{more}\nKERNEL = {kernel!r}\n"


_TORCH = '''\
CUDA = {cuda}
"""The module, and a function of the host that launches its kernel."""

CPP = {cpp}


def run():
    """Compiles, launches and checks; returns the exit status."""
    import torch
    from torch.utils.cpp_extension import load_inline

    module = load_inline(
        name={stem!r},
        cpp_sources=CPP,
        cuda_sources=CUDA,
        functions=["launch"],
        extra_cuda_cflags={options!r},
        verbose=True,
    )
{arguments}
    buffers = {buffers}
    memory = {{name: tensor(array).cuda() for name, array in buffers.items()}}

    def start():
        for name in {written}:
            memory[name].copy_(tensor(buffers[name]))
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        module.launch({call})
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)

    start()
    got = {{
        name: memory[name].cpu().numpy().view(array.dtype).reshape(array.shape)
        for name, array in buffers.items()
    }}
    times = sorted([start() for _ in range({warmup} + {repeats})][{warmup}:])
    if times:
        print(f"{{times[len(times) // 2] * 1000:,.1f}} us (median of {{len(times)}})")
{checks}'''

_TENSOR = '''\
def tensor(array):
    """Returns these numbers for PyTorch; what it has no type for as bytes."""
    import torch

    known = "bool uint8 int8 int16 int32 int64 float16 float32 float64".split()
    return torch.from_numpy(array if array.dtype.name in known else array.view(np.uint8))
'''

_TORCH_MAIN = """\
if __name__ == "__main__":
    sys.exit(run())
"""

_WRAPPER = """
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

void launch({parameters}) {{
{prepare}    {kernel}<<<dim3{grid}, dim3{block}, {shared}, at::cuda::getCurrentCUDAStream()>>>(
        {arguments});
{back}    TORCH_CHECK(cudaGetLastError() == cudaSuccess, "the kernel was not launched");
}}
"""
_BY_VALUE = {"floating": "double", "signed": "int64_t", "unsigned": "int64_t", "boolean": "bool"}


def torch_script(recipe: Recipe) -> tuple[str, tuple[str, ...]]:
    """Returns a script that compiles and launches by PyTorch's `load_inline`.

    nvcc compiles it, and not NVRTC: the machine code may be another.

    Raises:
        ExportError: There is no launch, or PyTorch cannot do it.
    """
    launch = _needed(recipe, "PyTorch")
    module, request = recipe.only_cuda, launch.request
    refuse_texels(request, "PyTorch")
    refuse_inner(request, "PyTorch")
    refuse_unknown(request)
    for buffer in request.variables:
        if buffer.symbol.startswith("_ZZ"):
            raise ExportError(
                f"'{buffer.name}' is a variable of a function, which no host code can name: export "
                "the kernel as cuda-bindings or cpp."
            )
    if module is None:
        raise ExportError(
            "PyTorch's load_inline compiles one module of CUDA C++. Export a link or another "
            "language as cuda-core or cuda-bindings, which take any."
        )
    if request.config.cluster or request.config.cooperative:
        raise ExportError(
            "load_inline launches by <<<...>>>, which has neither clusters nor cooperative grids: "
            "export the kernel as cuda-core or cuda-bindings."
        )
    notes = [*recipe.notes, *launch_notes(launch, watches=False)]
    built = toolkit_build(recipe)
    notes += [note for note in built.notes if note not in notes]
    if recipe.headers:
        notes.append(f"Headers, which PyTorch has to find: {', '.join(recipe.headers)}.")
    buffers = [buffer for buffer in request.buffers if buffer.length]
    arguments = list(buffer_lines(request))
    checks = list(check_lines(request, {b.name: f"got[{b.name!r}]" for b in buffers}))
    body = _TORCH.format(
        cuda=_text(_with_wrapper(module, launch)),
        cpp=repr(f"void launch({_parameters(launch)});"),
        stem=re.sub(r"\W", "_", recipe.stem),
        options=list(_flags(built.commands[0].words)) if built.commands else [],
        arguments="\n".join(f"    {line}" for line in arguments),
        buffers="{" + ", ".join(f"{b.name!r}: {variable(b.name)}" for b in buffers) + "}",
        written=repr([b.name for b in buffers if b.direction is not Direction.IN]),
        call=", ".join(_call(request)),
        warmup=request.warmup,
        repeats=request.repeats,
        checks=finish(checks),
    )
    summary = [
        f"{recipe.title}, for {recipe.arch.sm} by nvcc: exported by jitstudio {__version__}.",
        "",
        "Needs: pip install torch numpy, and nvcc",
        "",
        "PyTorch loads the module with its host code into this process: what initialises its",
        "global variables runs then, whatever is launched. Read it before you run it.",
        *(("", "Not exported:", *(f"- {note}" for note in notes)) if notes else ()),
    ]
    head = f"{docstring(summary)}\nimport sys\n\nimport numpy as np\n"
    head += "import ml_dtypes\n" if needs_ml_dtypes(body) else ""
    return joined((head, *helpers(arguments, checks), _TENSOR, body, _TORCH_MAIN)), tuple(notes)


def _text(content: bytes) -> str:
    return f"({literal(content)}).decode()"


def _flags(words: tuple[str, ...]) -> Iterator[str]:
    """Yields the flags of nvcc, without kinds of output and names of files."""
    skipped = {"-cubin", "-ptx", "-I."}
    rest = iter(words[1:])
    for word in rest:
        if word == "-o":
            next(rest)
        elif word not in skipped and word.startswith("-"):
            yield word


def _parameters(launch: RecipeLaunch) -> str:
    parameters = []
    for argument in launch.request.arguments:
        name = f"p_{variable(argument.name)}"
        if isinstance(argument, SharedPointer):
            continue
        if isinstance(argument, Buffer):
            parameters.append(f"torch::Tensor {name}")
        elif isinstance(argument.type, Scalar):
            parameters.append(f"{_BY_VALUE[argument.type.kind.value]} {name}")
        else:
            raise ExportError(
                f"A function of PyTorch's takes no {argument.type.name}, as '{argument.name}' is "
                "one. Export the kernel as cuda-bindings."
            )
    return ", ".join(parameters)


def _with_wrapper(module: Source, launch: RecipeLaunch) -> bytes:
    request = launch.request
    arguments = []
    for argument, parameter in zip_longest(request.slots, launch.form.parameters):
        name = f"p_{variable(argument.name)}"
        kind = parameter.spelling if parameter else ""
        if not isinstance(argument, ValueArgument):
            const = "const " if kind.startswith("const ") else ""
            element = f"{const}{argument.element.name} *"
            text = "0" if is_null(argument) else place_text(request, argument, _torch_place)
            arguments.append("nullptr" if text == "0" else f"reinterpret_cast<{element}>({text})")
        else:
            arguments.append(f"static_cast<{argument.type.name}>({name})")
    wrapper = _WRAPPER.format(
        parameters=_parameters(launch),
        prepare="".join(_copied(b, "To") for b in request.variables),
        back="".join(
            _copied(b, "From") for b in request.variables if b.direction is not Direction.IN
        ),
        kernel=re.sub(r"\((?![^<]*>).*", "", request.title),
        grid=request.config.grid,
        block=request.config.block,
        shared=request.config.shared,
        arguments=",\n        ".join(arguments),
    )
    return module.content.rstrip() + b"\n" + wrapper.encode()


def _torch_place(buffer: Buffer) -> str:
    return f"static_cast<char *>(p_{variable(buffer.name)}.data_ptr())"


def _copied(buffer: Buffer, way: str) -> str:
    """Returns the copy of a module variable to or from a tensor, in the stream of the launch."""
    pointer, name = f"p_{variable(buffer.name)}.data_ptr()", buffer.name.lstrip(":")
    places = f"{name}, {pointer}" if way == "To" else f"{pointer}, {name}"
    return (
        f"    cudaMemcpy{way}SymbolAsync({places}, {buffer.bytes}, 0, cudaMemcpyDeviceToDevice,\n"
        "                            at::cuda::getCurrentCUDAStream());\n"
    )


def _call(request: LaunchRequest) -> Iterator[str]:
    for argument in request.arguments:
        if isinstance(argument, Buffer):
            array = f"memory[{argument.name!r}]"
            yield array if argument.length else "torch.empty(0)"
        elif isinstance(argument, ValueArgument):
            yield variable(argument.name)


def notebook_of(recipe: Recipe) -> str:
    """Returns a Jupyter notebook (nbformat 4.5) with the parts of the script on cuda.bindings.

    Its last cell launches only where there is a GPU.
    """
    exported = comment(recipe.title).replace("`", "'")
    title = f"# `{exported}`\n\nBuilt for {recipe.arch.sm}; exported by jitstudio {__version__}."
    cells = [_cell("markdown", title)]
    for section in sections_of(recipe, core=False):
        cells += [_cell("markdown", f"## {section.title}"), _cell("code", section.code)]
    build = f'{SAMENESS}\n\ncubin = build()\nprint(f"{{len(cubin):,}} bytes,", sameness(cubin))\n'
    cells.append(_cell("code", build))
    if recipe.launch is not None:
        cells.append(_cell("code", _LAUNCH_CELL))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    language = {"name": "python"}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": language},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


_LAUNCH_CELL = """\
try:
    status = run(cubin)
except RuntimeError as error:
    print(f"There is no launch here: {error}")
"""


def _cell(kind: str, text: str) -> dict[str, object]:
    lines = text.strip("\n").splitlines(keepends=True)
    cell: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": lines}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
