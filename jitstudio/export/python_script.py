"""A build and its launch as a Python script, on cuda.bindings alone or with a launch by cuda.core.

Both build through cuda.bindings, which sends each tool just what jitstudio has sent it: cuda.core
compiles only where there is a driver, knows no headers in memory and not all options.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from jitstudio import __version__
from jitstudio.core.code import CodeKind
from jitstudio.core.tools import Tool
from jitstudio.export.code_digest import SOURCE, code_digest
from jitstudio.export.numpy_text import needs_ml_dtypes
from jitstudio.export.python_launch import joined, launch_code, launch_notes
from jitstudio.export.recipe import (
    HeaderSet,
    Recipe,
    RecipeStep,
    comment,
)


@dataclass(frozen=True)
class ScriptSection:
    """A part of a script that works once all parts before have run.

    Attributes:
        title: A sentence on the part.
        code: Its text.
    """

    title: str
    code: str


_CHECKED = '''\
def checked(answer):
    """Returns what a call has answered, or raises what it has failed with."""
    status, *values = answer
    if int(status):
        raise RuntimeError(f"{type(status).__name__}: {status.name}")
    return values[0] if len(values) == 1 else tuple(values)
'''

_NVRTC = '''\
def compile_cuda(name, options, makes, names=()):
    """Compiles CUDA C++ by NVRTC and returns the code of this kind, such as PTX."""
    headers = {n: text for n, text in HEADERS.items() if n != name}
    program = checked(
        nvrtc.nvrtcCreateProgram(
            SOURCES[name],
            name.encode(),
            len(headers),
            list(headers.values()),
            [header.encode(errors="surrogateescape") for header in headers],
        )
    )
    for expression in names:
        checked(nvrtc.nvrtcAddNameExpression(program, expression.encode()))
    options = [option.encode(errors="surrogateescape") for option in options]
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    log = bytes(checked(nvrtc.nvrtcGetProgramLogSize(program)) + 1)
    checked(nvrtc.nvrtcGetProgramLog(program, log))
    if int(status):
        sys.exit(log.rstrip(b"\\\\0").decode("utf-8", "replace"))
    code = bytes(checked(getattr(nvrtc, f"nvrtcGet{makes}Size")(program)) + 1)[:-1]
    checked(getattr(nvrtc, f"nvrtcGet{makes}")(program, code))
    return code.rstrip(b"\\\\0") if makes == "PTX" else code
'''.replace("\\\\", "\\")

_NVRTC_HEADERS = '''\
def cuda_headers():
    """Returns the option by which NVRTC finds CUDA's headers: its own, or those installed."""
    version = "{}.{}".format(*checked(nvrtc.nvrtcVersion()))
    try:
        status, info = nvrtc.nvrtcGetBundledHeadersInfo()[:2]
        bundled = not int(status) and info.available
    except (AttributeError, RuntimeError, TypeError):
        bundled = False  # NVRTC or its bindings are older than 13.3
    if bundled:
        folder = Path.home() / ".cache" / f"nvrtc-headers-{version}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return [f"--use-bundled-headers={folder}"]
    from cuda.pathfinder import find_nvidia_header_directory

    found = (find_nvidia_header_directory(name) for name in ("cudart", "cccl"))
    return [f"--include-path={folder}" for folder in found if folder]
'''

_CURAND_HEADERS = '''\
def curand_headers():
    """Returns the option by which NVRTC finds curand_kernel.h."""
    from cuda.pathfinder import find_nvidia_header_directory

    folder = find_nvidia_header_directory("curand")
    return [f"--include-path={folder}"] if folder else []
'''

_NVVM = '''\
def compile_ir(names, options, libraries=(), libdevice=False):
    """Compiles LLVM IR by libNVVM and returns PTX or LTO-IR."""
    program = nvvm.create_program()
    try:
        for name in names:
            nvvm.add_module_to_program(program, SOURCES[name], len(SOURCES[name]), name)
        given = [(name, SOURCES[name]) for name in libraries]
        if libdevice:
            from cuda.pathfinder import find_bitcode_lib

            given.append(("libdevice", Path(find_bitcode_lib("device")).read_bytes()))
        for name, code in given:
            lazily = code.startswith(b"BC\\\\xc0\\\\xde")
            add = nvvm.lazy_add_module_to_program if lazily else nvvm.add_module_to_program
            add(program, code, len(code), name)
        nvvm.verify_program(program, len(options), options)
        nvvm.compile_program(program, len(options), options)
        code = bytearray(nvvm.get_compiled_result_size(program))
        nvvm.get_compiled_result(program, code)
    except nvvm.nvvmError as error:
        log = bytearray(nvvm.get_program_log_size(program))
        nvvm.get_program_log(program, log)
        sys.exit(f"{error}: {log.decode('utf-8', 'replace')}")
    return bytes(code) if "-gen-lto" in options else bytes(code).rstrip(b"\\\\0")
'''.replace("\\\\", "\\")

_NVJITLINK = '''\
def link(inputs, options):
    """Assembles or links by nvJitLink and returns the cubin.

    Args:
        inputs: Name, kind and content of each.
        options: What nvJitLink is sent.
    """
    handle = nvjitlink.create(len(options), options)
    try:
        for name, kind, content in inputs:
            kind = getattr(nvjitlink.InputType, kind)
            nvjitlink.add_data(handle, kind, content, len(content), name)
        nvjitlink.complete(handle)
        cubin = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, cubin)
    except nvjitlink.nvJitLinkError as error:
        log = bytearray(nvjitlink.get_error_log_size(handle))
        nvjitlink.get_error_log(handle, log)
        sys.exit(f"{error}: {log.decode('utf-8', 'replace')}")
    return bytes(cubin)
'''

_HELPERS = {Tool.NVRTC: _NVRTC, Tool.NVVM: _NVVM, Tool.NVJITLINK: _NVJITLINK}
_MODULES = {Tool.NVRTC: "nvrtc", Tool.NVVM: "nvvm", Tool.NVJITLINK: "nvjitlink"}
_GETTERS = {CodeKind.PTX: "PTX", CodeKind.CUBIN: "CUBIN", CodeKind.LTOIR: "LTOIR"}
_INPUTS = {
    CodeKind.PTX: "PTX",
    CodeKind.CUBIN: "CUBIN",
    CodeKind.LTOIR: "LTOIR",
    CodeKind.FATBIN: "FATBIN",
    CodeKind.OBJECT: "ANY",
    CodeKind.LIBRARY: "LIBRARY",
}
_SETS = {HeaderSet.BUNDLED: "cuda_headers", HeaderSet.CURAND: "curand_headers"}

_FINDERS = {HeaderSet.BUNDLED: _NVRTC_HEADERS, HeaderSet.CURAND: _CURAND_HEADERS}

SAMENESS = f'''\
{SOURCE}

def sameness(cubin):
    """Returns whether a cubin is that of jitstudio, in words."""
    if hashlib.sha256(cubin).hexdigest() == DIGEST:
        return "as jitstudio has built"
    if code_digest(cubin) == CODE_DIGEST:
        return "the code that jitstudio has built, with other paths in its line table"
    return "not the code that jitstudio has built"
'''
"""What an exported script compares its cubin by."""

_MAIN = '''\
def main():
    """Builds, and launches unless an option says not to; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\\n")[0])
    parser.add_argument("--save", metavar="PATH", help="write the cubin into this file and end")
    parser.add_argument("--no-launch", action="store_true", help="build only")
    parser.add_argument("--device", type=int, default=0, metavar="N", help="the GPU (default 0)")
    arguments = parser.parse_args()
    cubin = build()
    digest = hashlib.sha256(cubin).hexdigest()
    print(f"cubin: {len(cubin):,} bytes, {sameness(cubin)} (SHA-256 {digest})", file=sys.stderr)
    if arguments.save:
        try:
            Path(arguments.save).write_bytes(cubin)
        except OSError as error:
            sys.exit(f"'{arguments.save}' cannot be written: {error.strerror}.")
        return 0
    if arguments.no_launch:
        return 0
'''


def script_of(recipe: Recipe, *, core: bool) -> str:
    """Returns the script.

    Args:
        recipe: The build and the launch.
        core: Whether it launches by cuda.core.

    Raises:
        ExportError: cuda.core cannot launch this kernel.
    """
    body = joined(section.code for section in sections_of(recipe, core=core))
    launches = recipe.launch is not None
    last = _LAUNCH if launches else _NO_LAUNCH
    end = 'if __name__ == "__main__":\n    sys.exit(main())\n'
    return f"#!/usr/bin/env python3\n{joined((body, SAMENESS, _MAIN + last, end))}"


_LAUNCH = """\
    try:
        return run(cubin, arguments.device)
    except NoGpuError as error:
        sys.exit(
            f"The kernel is built and cannot be launched on GPU {arguments.device} here: {error}\\n"
            "Run this on a machine with an NVIDIA GPU, or with --no-launch to build only."
        )
"""
_NO_LAUNCH = '    print("The export has no launch.", file=sys.stderr)\n    return 0\n'


def sections_of(recipe: Recipe, *, core: bool) -> tuple[ScriptSection, ...]:
    """Returns the script without the command line, in parts; see `script_of`."""
    launch = recipe.launch
    launching = launch_code(launch, core=core) if launch else None
    sections = [
        ScriptSection("What is needed.", _head(recipe, launching, core=core)),
        ScriptSection("The sources, as the compilers get them.", sources_code(recipe)),
        ScriptSection("The build.", build_code(recipe)),
    ]
    if launch and launching:
        sections.append(ScriptSection("The launch.", launching))
    return tuple(sections)


def _head(recipe: Recipe, launching: str | None, *, core: bool) -> str:
    """Returns the docstring, the imports and the constants."""
    tools = ", ".join(f"{tool.value} {version}" for tool, version in recipe.versions.items())
    packages = '"cuda-bindings[all]"' + (" cuda-core" if core and launching else "")
    packages += " numpy" if launching else ""
    packages += " ml_dtypes" if launching and needs_ml_dtypes(launching) else ""
    summary = [
        f"{recipe.title}, built for {recipe.arch.sm}: exported by jitstudio {__version__}.",
        "",
        f"Needs: pip install {packages}",
        *((f"Built by: {tools}",) if tools else ()),
        "",
        "--save PATH writes the cubin, --no-launch builds only. With the same versions the code is",
        "that of jitstudio; in the same working directory, which line tables name, all bytes are.",
    ]
    if notes := [*recipe.notes, *launch_notes(recipe.launch)]:
        summary += ["", "Not exported:", *(f"- {note}" for note in notes)]
    names = (
        "argparse",
        "hashlib",
        "struct",
        "sys",
        *(("math",) if "erf(" in (launching or "") else ()),
    )
    lines = [build_imports(recipe, names, driver=bool(launching)).rstrip("\n")]
    if launching:
        lines += ["import numpy as np"]
        lines += ["import ml_dtypes"] if needs_ml_dtypes(launching) else []
    if core and launching:
        lines.append("from cuda.core import Device, EventOptions, LaunchConfig, ObjectCode, launch")
    lines += ["", f'DIGEST = "{recipe.digest}"', '"""The SHA-256 of the cubin of jitstudio."""']
    lines += [f'CODE_DIGEST = "{code_digest(recipe.cubin)}"']
    lines += ['"""The same without its line table, see `code_digest`."""']
    if recipe.launch:
        lines += [f"KERNEL = {recipe.launch.request.kernel!r}"]
    return f"{docstring(summary)}\n" + "\n".join(lines) + "\n"


def docstring(lines: Iterable[str]) -> str:
    """Returns lines as the docstring of a module, which no line can end."""
    text = "\n".join(map(comment, lines)).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""\n'


def build_imports(recipe: Recipe, names: Iterable[str], *, driver: bool = False) -> str:
    """Returns the imports of the build.

    Args:
        recipe: The build.
        names: Modules of the standard library that are needed, too.
        driver: Whether the driver's calls are needed.
    """
    more = ("base64", "zlib") if "compressed(" in sources_code(recipe) else ()
    lines = [f"import {name}" for name in sorted({*names, *more})]
    lines += ["from pathlib import Path", ""]
    used = {_MODULES[step.tool] for step in recipe.steps} | ({"driver"} if driver else set())
    lines += [f"from cuda.bindings import {', '.join(sorted(used))}"] if used else []
    return "\n".join(lines) + "\n"


_WIDTH = 80


def sources_code(recipe: Recipe) -> str:
    """Returns the texts as constants."""
    headers = set(recipe.headers)
    code = "SOURCES = {" + _entries(recipe, [n for n in recipe.texts if n not in headers]) + "}\n"
    code += '"""Modules by their names."""\n'
    if any(step.tool is Tool.NVRTC for step in recipe.steps):
        code += "HEADERS = {" + _entries(recipe, recipe.headers) + "}\n"
        code += '"""Headers in memory, by the names that they are included by."""\n'
    if "compressed(" not in code:
        return code
    unpack = '''\
def compressed(text):
    """Returns bytes from text."""
    return zlib.decompress(base64.b85decode(text))


'''
    return unpack + code


def _entries(recipe: Recipe, names: Sequence[str]) -> str:
    lines = "".join(f"    {name!r}: {literal(recipe.texts[name])},\n" for name in names)
    return f"\n{lines}" if lines else ""


def literal(content: bytes) -> str:
    """Returns code that makes these bytes: a readable text where possible."""
    if content.isascii() and not re.search(rb"[^\t\n -~]|'''|\\[\n]?\Z|'\Z", content):
        return "rb'''" + content.decode() + "'''"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _packed(content)
    if re.search(r"[\0-\x08\x0b-\x1f\x7f]|'''|\\\Z|'\Z", text):
        return _packed(content)
    return "r'''" + text + "'''.encode()"


def _packed(content: bytes) -> str:
    code = base64.b85encode(zlib.compress(content, 9)).decode()
    parts = (code[at : at + _WIDTH] for at in range(0, len(code), _WIDTH))
    lines = "\n".join(f"        {part!r}" for part in parts)
    return f"compressed(\n{lines}\n    )"


def build_code(recipe: Recipe) -> str:
    """Returns the function `build`, which makes the cubin, with all called functions."""
    tools = dict.fromkeys(step.tool for step in recipe.steps)
    sets = dict.fromkeys(header_set for step in recipe.steps for header_set in step.headers)
    parts = [_CHECKED] if recipe.steps or recipe.launch else []
    parts += [_HELPERS[tool] for tool in tools]
    parts += [
        {HeaderSet.BUNDLED: _NVRTC_HEADERS, HeaderSet.CURAND: _CURAND_HEADERS}[s] for s in sets
    ]
    lines = ["def build():", '    """Returns the cubin, made as jitstudio makes it."""']
    names = {(s.makes, s.name): f"made_{n}" for n, s in enumerate(recipe.steps, 1)}
    for step in recipe.steps:
        lines += _step_lines(step, names)
    last = recipe.steps[-1] if recipe.steps else None
    source = f"SOURCES[{recipe.request.sources[0].name!r}]"
    lines.append(f"    return {names[last.makes, last.name] if last else source}")
    return joined((*parts, "\n".join(lines)))


def _step_lines(step: RecipeStep, names: dict[tuple[CodeKind, str], str]) -> Iterator[str]:
    options = "[" + ", ".join(map(repr, step.options)) + "]"
    options += "".join(f" + {_SETS[header_set]}()" for header_set in step.headers)
    yield f"    options = {options}"
    target = names[step.makes, step.name]
    match step.tool:
        case Tool.NVRTC:
            more = f", {list(step.name_expressions)!r}" if step.name_expressions else ""
            getter = _GETTERS[step.makes]
            yield f'    {target} = compile_cuda({step.name!r}, options, "{getter}"{more})'
        case Tool.NVVM:
            inputs = [name for _, name in step.inputs]
            more = f", libraries={list(step.libraries)!r}" if step.libraries else ""
            more += ", libdevice=True" if step.libdevice else ""
            yield f"    {target} = compile_ir({inputs!r}, options{more})"
        case _:
            yield "    inputs = ["
            for kind, name in step.inputs:
                content = names.get((kind, name), f"SOURCES[{name!r}]")
                yield f'        ({file_name(kind, name)!r}, "{_INPUTS[kind]}", {content}),'
            yield "    ]"
            yield f"    {target} = link(inputs, options)"


def file_name(kind: CodeKind, name: str) -> str:
    """Returns the name of a link's input: the name of the module with the ending of the kind."""
    stem, dot, ending = name.rpartition(".")
    return name if dot and f".{ending.lower()}" == kind.ending else f"{stem or name}{kind.ending}"
