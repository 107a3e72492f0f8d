"""Kernels in the objects of Python packages: the results of Triton, Numba, CuPy and others.

An object is recognised by its attributes, so that none of these packages is imported or needed.
Only attributes are read and methods called that give code; no kernel is launched. Needs the
standard library alone, as this module also runs in the interpreters of users.
"""

from __future__ import annotations

import base64
import json
import linecache
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias, TypeGuard

from jitstudio.core.captured import CapturedKernel, KernelLanguage, Representation, pack
from jitstudio.core.code import CodeKind, Source, is_bitcode, kind_of
from jitstudio.core.cubin import bare_cubin, cubin_target
from jitstudio.core.plain_files import read_file
from jitstudio.ptx.scanner import bare_ptx
from jitstudio.ptx.skimming import function_texts, is_ptx
from jitstudio.python.hand_back import OVERRIDE_KEY

Found: TypeAlias = "CapturedKernel | Source"
"""A kernel with all its stages, or code of a single kind."""

_MOST_OBJECTS = 1000
_MOST_WRAPPERS = 8
_LONGEST_SOURCE = 2**20
_LONGEST_PATH = 4096
_LLVM = re.compile(r"^(?:target (?:triple|datalayout) =|define\s|; ModuleID)", re.MULTILINE)
_CUDA = re.compile(r"\b__(?:global|device)__\b")
_FATBIN = b"\x50\xed\x55\xba"
# The name that NVRTC has for a program without a name.
_NVRTC_NAME = "default_program"
_CUPY_OPTION = "-ftz=true"
"""The option that CuPy adds to each compile: there, `_compile_with_cache_cuda`."""


class NotCompiled(ValueError):
    """An object of a known type without machine code; the message says what to do."""


def found_in(thing: object, name: str = "") -> list[Found]:
    """Returns the kernels and the code that an object holds.

    Args:
        thing: An object of `TAKEN`, or several in a list, a tuple or a mapping.
        name: The name for code without a name of its own.

    Raises:
        TypeError: The type is unknown; the message lists the known types.
        NotCompiled: The type is known, but nothing has been compiled so far.
        OSError: The object is the path of a file that cannot be read.
    """
    codes: list[Found] = []
    pending = [(thing, name)]
    for _ in range(_MOST_OBJECTS):
        if not pending:
            return codes
        item, item_name = pending.pop(0)
        if isinstance(item, Mapping) and not _has(item, "asm"):
            # A mapping may have no end, nor an iterator.
            entries = islice(item.items(), _MOST_OBJECTS + 1)
            pending[:0] = [(value, item_name or _word(key)) for key, value in entries]
        elif isinstance(item, (list, tuple, set, frozenset, Iterator)):
            pending[:0] = [(value, item_name) for value in islice(item, _MOST_OBJECTS + 1)]
        else:
            codes += _read(item, item_name)
    raise TypeError(f"More than {_MOST_OBJECTS:,} objects are taken at a time by nothing here.")


def is_path(thing: object) -> TypeGuard[str | os.PathLike[str]]:
    """Returns whether an object is the path of a file and no code."""
    if isinstance(thing, str):
        is_code = is_ptx(thing) or any(pattern.search(thing) for pattern in (_LLVM, _CUDA))
        return 0 < len(thing) <= _LONGEST_PATH and "\n" not in thing and not is_code
    return isinstance(thing, os.PathLike)


def sources_of(codes: Iterable[Found]) -> tuple[Source, ...]:
    """Returns the kernels and code as modules of a build, each with a unique name."""
    used_names: set[str] = set()
    return tuple(_named_apart(_as_source(code), used_names) for code in codes)


def _as_source(code: Found) -> Source:
    if isinstance(code, Source):
        return code
    name = re.sub(r"[^\w.<>-]+", "_", code.name)[:80] or "kernel"
    return Source(f"{name}{CodeKind.CAPTURED.ending}", CodeKind.CAPTURED, pack(code))


def _named_apart(source: Source, used_names: set[str]) -> Source:
    stem, dot, ending = source.name.rpartition(".")
    names = (f"{stem}-{number}{dot}{ending}" for number in count(2))
    name = source.name
    while name in used_names:
        name = next(names)
    used_names.add(name)
    return Source(name, source.kind, source.content, source.folder, source.name_expressions)


def _read(thing: object, name: str) -> list[Found]:
    for _, read in _READERS:
        codes = read(thing, name)
        if codes is not None:
            return list(codes)
    kind = type(thing)
    raise TypeError(
        f"An object of type '{kind.__module__}.{kind.__qualname__}' holds no kernel that is known. "
        f"Taken are {', '.join(TAKEN)}; and lists of these."
    )


def _known(thing: object, _name: str) -> Iterable[Found] | None:
    return [thing] if isinstance(thing, (CapturedKernel, Source)) else None


def _text(thing: object, name: str) -> Iterable[Found] | None:
    if not isinstance(thing, str):
        return None
    if is_ptx(thing[:_LONGEST_SOURCE]):
        return [_plain(CodeKind.PTX, thing.encode(), name or first_entry(thing))]
    if _LLVM.search(thing):
        return [_plain(CodeKind.LLVM_IR, thing.encode(), name)]
    if _CUDA.search(thing):
        return [_plain(CodeKind.CUDA, thing.encode(), name)]
    if is_path(thing):
        return _path(Path(thing), name)
    raise TypeError(
        "This text is neither PTX, LLVM IR nor CUDA C++, nor the path of a file. "
        f"Taken are {', '.join(TAKEN)}; and lists of these."
    )


def first_entry(ptx: str) -> str:
    """Returns the name of the first kernel in PTX; empty where there is none."""
    functions = function_texts(bare_ptx(ptx))
    return next((f.name for f in functions if f.is_kernel and f.body >= 0), "")


def _bytes(thing: object, name: str) -> Iterable[Found] | None:
    if not isinstance(thing, (bytes, bytearray, memoryview)):
        return None
    content = bare_cubin(bytes(thing))
    kind = _kind_of_bytes(content)
    if kind is not None:
        return [_plain(kind, content, name)]
    with suppress(UnicodeDecodeError):
        text = content.decode().rstrip("\0")
        if "\n" in text:
            return _text(text, name)
    raise TypeError(
        f"These {len(content):,} bytes are neither a cubin, a fatbin, an object file, LLVM bitcode "
        "nor PTX."
    )


def _kind_of_bytes(content: bytes) -> CodeKind | None:
    if content.startswith(b"\x7fELF"):
        return CodeKind.CUBIN if cubin_target(content) else CodeKind.OBJECT
    if content.startswith(_FATBIN):
        return CodeKind.FATBIN
    if content.startswith(b"!<arch>\n"):
        return CodeKind.LIBRARY
    if is_bitcode(content):
        return CodeKind.LLVM_IR
    return CodeKind.CAPTURED if content.startswith(b"PK\x03\x04") else None


def _path(thing: object, name: str) -> Iterable[Found] | None:
    if not isinstance(thing, os.PathLike):
        return None
    path = Path(os.fsdecode(thing))
    content = read_file(path)
    kind = kind_of(path.name)
    if kind is None:
        return _bytes(content, name or path.name)
    return [Source(name or path.name, kind, content, str(path.resolve().parent))]


def _plain(kind: CodeKind, content: bytes, name: str) -> Source:
    file_name = name if kind_of(name) is kind else f"{name or 'kernel'}{_ending(kind, content)}"
    return Source(file_name, kind, content)


def _ending(kind: CodeKind, content: bytes) -> str:
    return ".bc" if is_bitcode(content) else kind.ending


def _triton(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a `CompiledKernel`, whose `asm` has the results of all stages."""
    if not (_has(thing, "asm") and _has(thing, "metadata")):
        return None
    asm = _get(thing, "asm")
    if not isinstance(asm, Mapping):
        return None
    metadata = _get(thing, "metadata")
    stages = [
        Representation(language, _encoded(asm[word]))
        for word, language in TRITON_STAGES.items()
        if word in asm and isinstance(asm[word], (str, bytes))
    ]
    kernel_name = str(_get(metadata, "name") or _get(thing, "name") or name or "kernel")
    if not any(stage.language in _MACHINE for stage in stages):
        stage_names = ", ".join(map(str, asm)) or "nothing"
        raise NotCompiled(
            f"'{kernel_name}' has no PTX and no cubin, only {stage_names}: it is for no NVIDIA GPU."
        )
    source = _triton_source(_get(_get(thing, "src"), "fn"))
    facts = {word: _word(_get(metadata, word)) for word in _TRITON_FACTS}
    facts[OVERRIDE_KEY] = _override_key(_get(thing, "src"))
    return [_captured(kernel_name, "Triton", "triton", [*source, *stages], facts, metadata)]


TRITON_STAGES = {
    "ttir": KernelLanguage.TTIR,
    "ttgir": KernelLanguage.TTGIR,
    "llir": KernelLanguage.LLVM_IR,
    "ptx": KernelLanguage.PTX,
    "cubin": KernelLanguage.CUBIN,
}
"""Triton's names for its stages in their order, in the mapping `asm` and as endings of files."""
_MACHINE = (KernelLanguage.PTX, KernelLanguage.CUBIN)
_TRITON_FACTS = ("num_warps", "num_stages", "num_ctas", "shared", "maxnreg", "tmem_size", "hash")


def _override_key(source: object) -> str:
    """Returns the folder of overrides of a source; empty where Triton does not say the hash."""
    with suppress(Exception):
        digest = bytes.fromhex(_get(source, "hash")())
        return base64.b32encode(digest).decode().rstrip("=")
    return ""


def _triton_source(function: object) -> list[Representation]:
    """Returns the Python file of a JIT function; only the function where the file has changed."""
    raw = _get(function, "raw_src")
    lines = raw if isinstance(raw, list) else str(_get(function, "src") or "").splitlines(True)
    first = _get(function, "starting_line_number")
    return python_source(_get(function, "fn"), lines, first if isinstance(first, int) else 1)


def python_source(
    function: object, lines: Sequence[str] = (), first: int = 1
) -> list[Representation]:
    """Returns the file of a function, as it is now, or the known lines of the function.

    Args:
        function: The Python function.
        lines: The lines of the function when it was compiled; empty where unknown.
        first: The number of the first line, from 1.
    """
    file = str(_get(_get(function, "__code__"), "co_filename") or "")
    if not lines:
        linecache.checkcache(file)
    whole = linecache.getlines(file) if file else []
    same = not lines or whole[first - 1 : first - 1 + len(lines)] == list(lines)
    if whole and same and sum(map(len, whole)) <= _LONGEST_SOURCE:
        lines, first = whole, 1
    if not lines:
        return []
    text = "".join(lines)
    return [Representation(KernelLanguage.PYTHON, _encoded(text), file, first)]


def _triton_function(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a function of `triton.jit`, below `autotune` or not: each kernel compiled from it."""
    inner = thing
    for _ in range(_MOST_WRAPPERS):
        if _has(inner, "raw_src") or (_has(inner, "device_caches") and _has(inner, "fn")):
            break
        if not (_has(inner, "fn") and _has(inner, "arg_names")):
            return None
        inner = _get(inner, "fn")
    else:
        return None
    kernels = list(_triton_kernels(inner)) or list(_triton_cached(inner))
    kernel_name = _get(_get(inner, "fn"), "__name__") or name or "kernel"
    if not kernels:
        raise NotCompiled(
            f"'{kernel_name}' is a Triton function that was not compiled in this process so far, "
            f"and Triton's cache ({_triton_cache()}) has nothing of it as it is now. Launch it "
            "once, or hand over what triton.compile() returns. What the cache has of other "
            "versions, 'jitstudio inspect --list triton' lists."
        )
    return [captured for kernel in kernels for captured in _triton(kernel, name) or ()]


def _triton_kernels(function: object) -> Iterator[object]:
    """Yields the kernels of a function, by device: a tuple from Triton 3.3 on, before a mapping."""
    caches = _get(function, "device_caches") or _get(function, "cache")
    for cache in list(caches.values()) if isinstance(caches, Mapping) else ():
        kernels = cache[0] if isinstance(cache, tuple) and cache else cache
        for kernel in list(kernels.values()) if isinstance(kernels, Mapping) else ():
            # With asynchronous compilation, the value is a future until the kernel is compiled.
            yield kernel.result() if not _has(kernel, "asm") and _has(kernel, "result") else kernel


def _triton_cache() -> Path:
    """Returns the folder of Triton's cache (knobs.py, `cache_knobs`)."""
    home = os.environ.get("TRITON_HOME") or Path.home()
    return Path(os.environ.get("TRITON_CACHE_DIR") or Path(home, ".triton", "cache"))


def _triton_cached(function: object) -> Iterator[object]:
    """Yields the kernels that other processes compiled of a function, as `CompiledKernel` has them.

    Triton's keys cannot be computed without the arguments. A kernel is one of the function if it
    has this name and comes from these lines of the file, which was not written since.
    """
    lines, first = _get(function, "raw_src"), _get(function, "starting_line_number")
    inner = _get(function, "fn")
    name, code = _get(inner, "__name__"), _get(inner, "__code__")
    if not (isinstance(lines, list) and isinstance(first, int) and name and code is not None):
        return
    with suppress(OSError, ValueError):
        written = os.stat(code.co_filename).st_mtime
        for path in islice(_triton_cache().glob(f"*/{name}.json"), _MOST_OBJECTS):
            metadata = json.loads(read_file(path, _LONGEST_SOURCE))
            endings = {word: path.with_suffix(f".{word}") for word in TRITON_STAGES}
            asm = {word: read_file(file) for word, file in endings.items() if file.is_file()}
            place = _TRITON_PLACE.search(asm.get("ttir", b"")[:_LONGEST_SOURCE])
            if place is None or os.stat(path).st_mtime < written:
                continue
            same = os.path.realpath(os.fsdecode(place[1])) == os.path.realpath(code.co_filename)
            if same and first <= int(place[2]) < first + len(lines):
                source = SimpleNamespace(fn=function)
                facts = SimpleNamespace(**metadata) if isinstance(metadata, dict) else None
                yield SimpleNamespace(asm=asm, metadata=facts, src=source, name=name)


_TRITON_PLACE = re.compile(rb'loc\("([^"\n]{1,4096})":(\d{1,9}):')


def _numba(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a function of `numba.cuda.jit`: each specialisation, for each compiled target."""
    overloads = _get(thing, "overloads") if _has(thing, "py_func") else None
    if not isinstance(overloads, Mapping) or not _has(thing, "targetoptions"):
        return None
    function = _get(thing, "py_func")
    kernel_name = str(_get(function, "__name__") or name or "kernel")
    if not overloads:
        raise NotCompiled(
            f"'{kernel_name}' is a Numba function that was not compiled so far. Launch it once, or "
            "give it a signature: @cuda.jit('void(float32[:])')."
        )
    kernels: list[Found] = []
    for signature, kernel in list(overloads.items()):
        library = _get(kernel, "_codelibrary") or _get(kernel, "library")
        if not (_has(library, "get_asm_str") and _has(library, "get_cubin")):
            return None  # Numba for CPUs
        source = python_source(function)
        facts = {"signature": _signature(kernel, signature)} | _numba_facts(thing, kernel)
        for target in _numba_targets(library):
            representations = [*source, *_numba_made(library, target)]
            kernels.append(_captured(kernel_name, "Numba", "numba_cuda", representations, facts))
    return kernels


def _numba_targets(library: object) -> list[Any]:
    """Returns the targets of a library, such as ``(9, 0, "a")``; None for the GPU's target.

    `inspect_asm` asks for a target without a letter, which does not run where a letter is needed.
    """
    targets = [target for target in _get(library, "_ptx_cache") or () if isinstance(target, tuple)]
    lettered = {target[:2] for target in targets if target[2:] not in ((), ("",))}
    return [target for target in targets if target[2:] or target[:2] not in lettered] or [None]


def _numba_made(library: Any, target: object) -> Iterator[Representation]:
    """Yields the representations from the library's caches, with the texts of `inspect_asm`."""
    yield Representation(KernelLanguage.LLVM_IR, _encoded(library.get_llvm_str()))
    yield Representation(KernelLanguage.PTX, _encoded(library.get_asm_str(cc=target)))
    # The cubin needs nvJitLink, and a device function has no kernel to link.
    with suppress(Exception):
        cubin = library.get_cubin(cc=target)
        yield Representation(KernelLanguage.CUBIN, bytes(_get(cubin, "code") or cubin))


def _signature(kernel: object, types: object) -> str:
    argument_types = _get(_get(kernel, "signature"), "args") or types
    if not isinstance(argument_types, tuple):
        return _word(argument_types)
    return f"({', '.join(map(_word, argument_types))})"


def _numba_facts(thing: object, kernel: object) -> dict[str, str]:
    options = _get(thing, "targetoptions")
    chosen = options if isinstance(options, Mapping) else {}
    facts = {word: _word(chosen.get(word)) for word in _NUMBA_FACTS}
    return {**facts, "kernel": _word(_get(kernel, "entry_name"))}


_NUMBA_FACTS = ("debug", "lineinfo", "opt", "fastmath", "lto", "max_registers", "launch_bounds")


def _cupy(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a `RawKernel` or `RawModule`: the source, and the cubin of CuPy's own NVRTC."""
    if not all(_has(thing, word) for word in ("code", "options", "backend", "file_path")):
        return None
    kernel_name = str(_get(thing, "name") or name or "module")
    code = _get(thing, "code")
    if not isinstance(code, str):
        return _path(Path(str(_get(thing, "file_path"))), name)
    cubin = _cupy_cubin(thing, code)
    if cubin is None:
        # Without a GPU there is no target; the source can be built for any.
        return [_plain(CodeKind.CUDA, code.encode(), kernel_name)]
    representations = [
        Representation(KernelLanguage.CUDA, code.encode(), _NVRTC_NAME),
        Representation(KernelLanguage.CUBIN, cubin),
    ]
    options = " ".join(map(str, _get(thing, "options") or ()))
    facts = {"options": options, "backend": _word(_get(thing, "backend"))}
    return [_captured(kernel_name, "CuPy", "cupy", representations, facts)]


def cupy_options(options: Iterable[str]) -> tuple[str, ...]:
    """Returns the options with which an imported CuPy compiles a kernel.

    CuPy adds the folders of its own headers, such as ``cupy/complex.cuh``, and of CUDA's
    (CuPy 14.2, _core/core.pyx, `assemble_cupy_compiler_options`).
    """
    core: Any = sys.modules.get("cupy._core.core")
    assemble = getattr(core, "assemble_cupy_compiler_options", None)
    assembled = tuple(options) if assemble is None else assemble(tuple(options))
    return (*assembled, _CUPY_OPTION)


def _cupy_cubin(thing: object, code: str) -> bytes | None:
    """Returns the machine code as CuPy compiles it, since CuPy's copy is out of reach.

    CuPy adds one option (CuPy 14.2, cuda/compiler.py, `_compile_with_cache_cuda`).
    """
    compiler: Any = sys.modules.get("cupy.cuda.compiler")
    if _get(thing, "backend") != "nvrtc" or compiler is None or _get(thing, "jitify"):
        return None
    with suppress(Exception):
        options = cupy_options(_get(thing, "options"))
        names = _get(thing, "name_expressions")
        # In memory: otherwise the line table names a temporary file.
        cubin, _ = compiler.compile_using_nvrtc(
            code, options, name_expressions=names, cache_in_memory=True
        )
        return cubin if isinstance(cubin, bytes) and cubin_target(cubin) else None
    return None


def _core_object(thing: object, name: str) -> Iterable[Found] | None:
    """Reads an `ObjectCode` of cuda.core."""
    if not (_has(thing, "code") and _has(thing, "code_type")):
        return None
    kind = _CORE_KINDS.get(str(_get(thing, "code_type")))
    code = _get(thing, "code")
    if isinstance(code, str):
        return _path(Path(code), name)
    if kind is None or not isinstance(code, bytes):
        return None
    code_name = name or str(_get(thing, "name") or "")
    return [_plain(kind, code.rstrip(b"\0") if kind is CodeKind.PTX else code, code_name)]


_CORE_KINDS = {
    "ptx": CodeKind.PTX,
    "cubin": CodeKind.CUBIN,
    "ltoir": CodeKind.LTOIR,
    "fatbin": CodeKind.FATBIN,
    "object": CodeKind.OBJECT,
    "library": CodeKind.LIBRARY,
}


def _core_program(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a `Program` of cuda.core, compiled to machine code, and to PTX where possible."""
    if not all(_has(thing, word) for word in ("compile", "backend", "pch_status")):
        return None
    program: Any = thing
    representations = []
    problem = ""
    for language in _MACHINE:
        try:
            code = program.compile(language.value).code
            representations.append(Representation(language, _encoded(code)))
        except Exception as error:
            problem = str(error).strip().partition("\n")[0]
    if not representations:
        raise NotCompiled(f"This Program of cuda.core cannot be compiled: {problem}")
    facts = {"backend": _word(_get(thing, "backend"))}
    return [_captured(name or "program", "cuda.core", "cuda.core", representations, facts)]


def _cute(thing: object, name: str) -> Iterable[Found] | None:
    """Reads the result of `cute.compile`, if that was asked to keep PTX or cubin."""
    attributes = [word for word in _CUTE if hasattr(thing, word)]
    if not {"__ptx__", "__cubin__"} & set(attributes):
        return None
    kernel_name = str(_get(thing, "function_name") or name or "kernel")
    representations = [
        Representation(_CUTE[word], content)
        for word in attributes
        if (content := _kept_by_cute(_get(thing, word)))
    ]
    if not any(representation.language in _MACHINE for representation in representations):
        raise NotCompiled(
            f"'{kernel_name}' was compiled by CuTe DSL, which has kept neither PTX nor cubin. "
            "Compile it with options='--keep-ptx --keep-cubin', or with CUTE_DSL_KEEP=ptx,cubin."
        )
    return [_captured(kernel_name, "CuTe DSL", "cutlass", representations, {})]


def _kept_by_cute(content: object) -> bytes:
    """Returns a text or bytes; empty for a path, which means that the file could not be written."""
    if isinstance(content, bytes):
        return content
    return content.encode() if isinstance(content, str) and not is_path(content) else b""


_CUTE = {
    "__mlir__": KernelLanguage.MLIR,
    "__llvm_ir__": KernelLanguage.LLVM_IR,
    "__ptx__": KernelLanguage.PTX,
    "__cubin__": KernelLanguage.CUBIN,
}


def _cutile(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a result of cuTile's compiler; cuTile's kernels themselves have no readable code."""
    if _has(thing, "_annotated_function") and _has(thing, "_compiler_options"):
        kernel_name = _get(_get(thing, "_pyfunc"), "__name__") or name or "kernel"
        raise NotCompiled(
            f"'{kernel_name}' is a cuTile kernel, which gives its machine code to nobody. Write it "
            "to a file by cuda.tile.compilation.export_kernel(..., output_format='cubin'), and "
            "show that."
        )
    if not all(_has(thing, word) for word in ("cubin", "bytecode", "kernel_signatures")):
        return None
    representations = [
        Representation(language, bytes(content))
        for word, language in _CUTILE.items()
        if isinstance(content := _get(thing, word), (bytes, bytearray)) and content
    ]
    if not any(representation.language in _MACHINE for representation in representations):
        raise NotCompiled("This result of cuTile's compiler has no cubin: compile it with one.")
    signatures = _get(thing, "kernel_signatures") or (None,)
    kernel_name = str(name or _get(signatures[0], "symbol") or "kernel")
    return [_captured(kernel_name, "cuTile", "cuda.tile", representations, {})]


_CUTILE = {"bytecode": KernelLanguage.TILE_IR, "cubin": KernelLanguage.CUBIN}


def _warp(thing: object, name: str) -> Iterable[Found] | None:
    """Reads a module of Warp, or the module of a kernel, by the files in Warp's cache."""
    if _has(thing, "adj") and _has(thing, "key") and _has(thing, "module"):
        name, thing = name or str(_get(thing, "key")), _get(thing, "module")
    if not all(_has(thing, word) for word in ("execs", "kernels", "get_module_identifier")):
        return None
    module_name = name or str(_get(thing, "name") or "module")
    kernels: list[Found] = []
    for path in _warp_files(thing):
        language = KernelLanguage.PTX if path.suffix == ".ptx" else KernelLanguage.CUBIN
        representations = [Representation(language, read_file(path))]
        # sm90, sm90a, also behind a hash: the name of the source is in front.
        source = path.with_name(f"{path.stem.partition('.')[0]}.cu")
        with suppress(OSError):
            text = read_file(source)
            representations.insert(0, Representation(KernelLanguage.CUDA, text, str(source)))
        kernels.append(_captured(module_name, "Warp", "warp", representations, {"file": str(path)}))
    if not kernels:
        raise NotCompiled(
            f"'{module_name}' is a Warp module that was not compiled so far. Launch one of its "
            "kernels, or call wp.compile_aot_module()."
        )
    return kernels


def _warp_files(module: Any) -> list[Path]:
    """Returns the files of loaded machine code; without any, those in the cache of the module."""
    execs = _get(module, "execs")
    loaded = [_get(execution, "binary_path") for execution in execs.values()] if execs else []
    paths = [Path(path) for path in loaded if path]
    if not paths:
        with suppress(Exception):
            cache = Path(sys.modules["warp"].config.kernel_cache_dir)
            paths = sorted((cache / module.get_module_identifier()).iterdir())
    return [path for path in paths if path.suffix in (".ptx", ".cubin") and path.is_file()]


def _captured(
    name: str,
    package: str,
    module: str,
    representations: Iterable[Representation],
    facts: Mapping[str, str],
    metadata: object = None,
) -> CapturedKernel:
    version = _get(metadata, "triton_version") or _get(sys.modules.get(module), "__version__") or ""
    known_facts = {word: value for word, value in facts.items() if value}
    return CapturedKernel(name, f"{package} {version}".strip(), tuple(representations), known_facts)


_READERS: tuple[tuple[str, Callable[[object, str], Iterable[Found] | None]], ...] = (
    ("", _known),
    ("PTX, LLVM IR or CUDA C++ as text", _text),
    ("a cubin, a fatbin, an object file or bitcode as bytes", _bytes),
    ("the path of a file", _path),
    ("Triton's CompiledKernel", _triton),
    ("a function of triton.jit", _triton_function),
    ("a function of numba.cuda.jit", _numba),
    ("CuPy's RawKernel and RawModule", _cupy),
    ("cuda.core's ObjectCode", _core_object),
    ("cuda.core's Program", _core_program),
    ("what CuTe DSL's cute.compile returns", _cute),
    ("what cuTile's compiler returns", _cutile),
    ("a module or kernel of Warp", _warp),
)
TAKEN = tuple(words for words, _ in _READERS if words)
"""The types that `found_in` takes, in words."""


def _has(thing: object, name: str) -> bool:
    """Returns whether an object has an attribute, without getting it: that might compile."""
    return any(name in vars(kind) for kind in type(thing).__mro__) or name in getattr(
        thing, "__dict__", ()
    )


def _get(thing: object, name: str) -> Any:
    """Returns an attribute, or None where there is none or the object raises an error."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def _word(value: object) -> str:
    return "" if value is None else str(value)[:_LONGEST_PATH]


def _encoded(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "replace")
