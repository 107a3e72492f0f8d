"""Has Python packages compile kernels for a target, without a GPU, and captures the kernels.

Each package is patched as soon as the script has imported it: a launch compiles the kernel, as the
package itself would for a GPU of the target, and hands over the result.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.metadata
import inspect
import os
import re
import sys
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jitstudio.core.arch import Arch
from jitstudio.core.captured import (
    CONSEQUENCES,
    LAUNCH,
    PARAMETER,
    CapturedKernel,
    KernelLanguage,
    Representation,
    pack,
)
from jitstudio.python.cupy_written import replace_written_kernels
from jitstudio.python.script_launches import axes_of, launch_facts, number_of
from jitstudio.python.things import cupy_options, first_entry, found_in, python_source

_MOST_KERNELS = 500


@dataclass(frozen=True)
class ScriptTarget:
    """The target of compiles, and the script.

    Attributes:
        arch: The target.
        script: The path of the script.
    """

    arch: Arch
    script: str

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability, such as (9, 0)."""
        return divmod(self.arch.number, 10)


class Captures:
    """Writes kernels to a folder as they come, so that none is lost where the script dies.

    Attributes:
        packages: The packages that were imported, by name, with their versions.
        notes: Remarks on the run, for people.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers: dict[bytes, int] = {}
        self.packages: dict[str, str] = {}
        self.notes: list[str] = []

    def add(self, kernel: CapturedKernel) -> None:
        """Writes a kernel, once."""
        packed = pack(kernel)
        mark = hashlib.sha256(packed).digest()
        if mark in self._numbers:
            return
        if len(self._numbers) == _MOST_KERNELS:
            self.note(f"Only the first {_MOST_KERNELS} kernels are kept.")
            return
        self._numbers[mark] = len(self._numbers) + 1
        self._write(self._numbers[mark], packed)

    def replace(self, kernel: CapturedKernel, better: CapturedKernel) -> None:
        """Writes a kernel of which more is known in the place of its first version."""
        mark = hashlib.sha256(pack(kernel)).digest()
        if number := self._numbers.pop(mark, 0):
            packed = pack(better)
            self._numbers[hashlib.sha256(packed).digest()] = number
            self._write(number, packed)

    def _write(self, number: int, packed: bytes) -> None:
        part = self._folder / f"{number:04}.part"
        part.write_bytes(packed)
        part.replace(self._folder / f"{number:04}.jitkernel")

    def note(self, words: str) -> None:
        """Adds a sentence to the notes, once."""
        if words not in self.notes:
            self.notes.append(words)


def install(target: ScriptTarget, captures: Captures) -> None:
    """Installs the hooks that patch packages on their import."""
    arch = target.arch
    # CuTe DSL makes code for the exact chip: the instructions it is for need the letter.
    letter = arch.suffix or ("a" if arch.number >= _FIRST_LETTERED else "")
    os.environ["CUTE_DSL_ARCH"] = f"sm_{arch.number}{letter}"
    os.environ |= {"CUTE_DSL_KEEP": "ptx,cubin", "CUTE_DSL_LINEINFO": "1"}
    os.environ["CUTE_DSL_DUMP_DIR"] = os.environ.get("TMPDIR", os.curdir)
    sys.meta_path.insert(0, _Finder(target, captures))


_Hook = Callable[[Any, ScriptTarget, Captures], None]


class _Finder:
    """Finds modules by the other finders, and runs a hook after the import."""

    def __init__(self, target: ScriptTarget, captures: Captures) -> None:
        self._target, self._captures = target, captures
        self._done: set[_Hook] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """See `importlib.abc.MetaPathFinder`."""
        if name not in _HOOKS:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next((candidate for candidate in specs if candidate is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, partial(self._imported, name))  # type: ignore[assignment]
        return spec

    def _imported(self, name: str, module: Any) -> None:
        hook, distributions = _HOOKS[name]
        if hook in self._done:
            return  # one name of it leads to another
        self._done.add(hook)
        # A package may replace itself in `sys.modules`, as by the module of its version.
        module = sys.modules.get(name, module)
        for distribution in distributions:
            try:
                version = importlib.metadata.version(distribution)
            except importlib.metadata.PackageNotFoundError:
                continue
            self._captures.packages[distribution] = version
            break
        hook(module, self._target, self._captures)


class _Loader:
    """Loads a module by another loader, then reports the module."""

    def __init__(self, inner: Any, imported: Callable[[Any], None]) -> None:
        self._inner, self._imported = inner, imported

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def create_module(self, spec: Any) -> Any:
        """See `importlib.abc.Loader`."""
        return self._inner.create_module(spec)

    def exec_module(self, module: Any) -> None:
        """See `importlib.abc.Loader`."""
        module.__spec__.loader = module.__loader__ = self._inner
        self._inner.exec_module(module)
        self._imported(module)


def _module(name: str) -> Any:
    """Returns a module whose types are unknown to mypy."""
    return importlib.import_module(name)


class _Nothing:
    """Takes the place of an object on a GPU: a device, a stream, a kernel."""

    def __init__(self, **known: Any) -> None:
        self.__dict__.update(known)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _Nothing()


def _facts(parameters: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters of a kernel and the facts of its compiler, which may share names."""
    reserved = CONSEQUENCES | others.keys()
    named = {PARAMETER * (name in reserved) + name: value for name, value in parameters.items()}
    return {**named, **others}


# Triton


_MULTIPROCESSORS = 100
# Bytes of shared memory that a block may have, from a target on: CUDA C++ Programming Guide,
# "Technical Specifications per Compute Capability".
_SHARED_MEMORY = (
    *((120, 101_376), (90, 232_448), (89, 101_376), (87, 166_912), (86, 101_376)),
    *((80, 166_912), (0, 65_536)),
)


def _triton(triton: Any, target: ScriptTarget, captures: Captures) -> None:
    compiler = _module("triton.compiler.compiler")
    jit = _module("triton.runtime.jit")
    autotuner = _module("triton.runtime.autotuner")
    driver = _module("triton.runtime.driver").driver
    gpu = _module("triton.backends.compiler").GPUTarget
    gpu_target = gpu("cuda", target.arch.number, 32)

    def properties(_device: object) -> dict[str, int]:
        captures.note(
            f"The script asked for the properties of a GPU. There is none, so the answer was "
            f"{_MULTIPROCESSORS} multiprocessors."
        )
        shared = next(size for number, size in _SHARED_MEMORY if target.arch.number >= number)
        return {
            "multiprocessor_count": _MULTIPROCESSORS,
            "max_shared_mem": shared,
            "warpSize": 32,
            "max_num_regs": 65536,
        }

    driver.set_active(
        SimpleNamespace(
            get_current_target=lambda: gpu_target,
            get_current_device=lambda: 0,
            set_current_device=lambda device: None,
            get_current_stream=lambda device=None: 0,
            get_active_torch_device=lambda: _module("torch").device("cpu"),
            get_device_interface=lambda: _module("torch").cuda,
            utils=SimpleNamespace(get_device_properties=properties),
        )
    )
    make, run = compiler.CompiledKernel.__init__, jit.JITFunction.run
    # Kernels without a launch so far, by the id of Triton's kernel.
    unlaunched: dict[int, tuple[Any, CapturedKernel]] = {}

    def made(kernel: Any, src: Any, *args: Any, **kwargs: Any) -> None:
        make(kernel, src, *args, **kwargs)
        facts: dict[str, str] = {}
        names = getattr(getattr(src, "fn", None), "arg_names", ())
        constants = getattr(src, "constants", None) or {}
        for name, kind in (getattr(src, "signature", None) or {}).items():
            place = names.index(name) if name in names else -1
            value = constants.get((place,), constants.get(name))
            facts[name] = str(value if kind == "constexpr" else kind)
        for captured in found_in(kernel):
            if isinstance(captured, CapturedKernel):
                described = replace(captured, facts=_facts(facts, captured.facts))
                captures.add(described)
                unlaunched[id(kernel)] = (kernel, described)

    def compiled(function: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        kernel = run(function, *map(_as_tensor, args), grid=grid, warmup=True, **kwargs)
        _, described = unlaunched.pop(id(kernel), (None, None))
        if described is not None:
            # Whatever the arguments are, the script goes on.
            with contextlib.suppress(Exception):
                launch_details = launch(function, kernel, args, kwargs, grid)
                captures.replace(
                    described, replace(described, facts={**described.facts, **launch_details})
                )
        return kernel

    def launch(
        function: Any, kernel: Any, args: Any, kwargs: Mapping[str, Any], grid: Any
    ) -> dict[str, str]:
        """Returns the facts of a launch."""
        named = {**dict(zip(function.arg_names, args, strict=False)), **kwargs}
        defaults = {p.name: p.default for p in function.params if p.has_default}
        size = axes_of(grid({**defaults, **named}) if callable(grid) else grid)
        words = kernel.metadata
        block = (getattr(words, "warp_size", 32) * words.num_warps,)
        sizes = {"grid": size, "block": block, "shared": (words.shared,)}
        return launch_facts(function.fn.__code__.co_filename, sizes, named)

    def _as_tensor(argument: Any) -> Any:
        # In a script without PyTorch, an array has the type that a tensor would have.
        if type(argument).__module__ == "numpy" and hasattr(argument, "ctypes"):
            return jit.MockTensor(argument.dtype.name, list(argument.shape) or [1])
        return argument

    compiler.CompiledKernel.__init__ = made
    jit.JITFunction.run = compiled
    # Only a GPU tells the fastest configuration: all are compiled.
    warm = autotuner.Autotuner.warmup

    def tuned(kernel: Any, *args: Any, warmup: bool = True, **kwargs: Any) -> Any:
        return warm(kernel, *args, **kwargs)[-1]

    autotuner.Autotuner.run = tuned


# PyTorch


def _torch(torch: Any, target: ScriptTarget, captures: Captures) -> None:
    """Puts tensors on the CPU in the place of those on a GPU: only their types count."""
    overrides = _module("torch.overrides")
    is_cuda = torch.Tensor.is_cuda

    def on_gpu(word: object) -> bool:
        is_device = isinstance(word, torch.device) and word.type == "cuda"
        return is_device or (isinstance(word, str) and word.partition(":")[0] == "cuda")

    class OnCpu(overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        """Sends to the CPU all tensors for a GPU."""

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            if getattr(function, "__self__", None) is is_cuda:
                return True
            if function is torch.Tensor.cuda:
                return args[0]
            named = {key: "cpu" if on_gpu(word) else word for key, word in (kwargs or {}).items()}
            return function(*("cpu" if on_gpu(word) else word for word in args), **named)

    OnCpu().__enter__()
    cuda, set_default = torch.cuda, torch.set_default_device
    torch.set_default_device = lambda device: set_default("cpu" if on_gpu(device) else device)
    cuda.is_available = lambda: True
    cuda.device_count = lambda: 1
    cuda.current_device = lambda: 0
    cuda.get_device_capability = lambda device=None: target.capability
    cuda.synchronize = cuda.set_device = cuda.empty_cache = lambda *_: None


# Numba


def _numba(cuda: Any, target: ScriptTarget, captures: Captures) -> None:
    dispatcher = _module(f"{cuda.__name__}.dispatcher")
    compiler = _module(f"{cuda.__name__}.compiler")
    numba = _module("numba")
    version = captures.packages.get("numba-cuda")
    origin = f"numba-cuda {version}" if version else f"Numba {numba.__version__}"
    compile_one = compiler.compile
    capability: tuple[int | str, ...] = target.capability
    if target.arch.suffix and version:
        capability = (*capability, target.arch.suffix)
    elif target.arch.suffix:
        captures.note(
            f"Numba without numba-cuda takes no target with a letter: its kernels are for "
            f"sm_{target.arch.number}."
        )

    newest: dict[Any, CapturedKernel] = {}

    def keep(function: Any, signature: Any, ptx: str) -> None:
        arguments = getattr(signature, "args", signature)
        names = inspect.signature(function).parameters
        facts = _facts(dict(zip(names, map(str, arguments), strict=False)), {})
        representation = Representation(KernelLanguage.PTX, ptx.encode())
        parts = (*python_source(function), representation)
        newest[function] = CapturedKernel(function.__name__, origin, parts, facts)
        captures.add(newest[function])

    def compiled(function: Any, sig: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs["cc"] = kwargs.get("cc") or capability
        if not kwargs.get("debug"):
            kwargs.setdefault("lineinfo", True)
        ptx, result = compile_one(function, sig, *args, **kwargs)
        if isinstance(ptx, str) and not kwargs.get("device", True):
            keep(function, _arguments(sig), ptx)
        return ptx, result

    def _arguments(sig: Any) -> Any:
        sigutils = _module("numba.core.sigutils")
        return sigutils.normalize_signature(sig)[0]

    class _CompiledKernel:
        """Takes the place of a kernel loaded on a GPU."""

        objectmode = False
        entry_point = None
        launch_config_sensitive = False

        def __init__(self, function: Any, argument_types: Any, **options: Any) -> None:
            self.py_func, self.argtypes = function, argument_types
            self.argument_types = argument_types
            names = ("debug", "fastmath", "opt", "launch_bounds")
            chosen = {name: options[name] for name in names if options.get(name) is not None}
            self.ptx, _ = compiled(function, argument_types, device=False, abi="numba", **chosen)
            self._unlaunched = newest.get(function)

        def inspect_asm(self, cc: Any = None) -> str:
            return str(self.ptx)

        def bind(self) -> None:
            pass

        def launch(
            self, args: Any, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: Any = 0
        ) -> None:
            """Launches nothing, and records the properties of the first launch."""
            kernel, self._unlaunched = self._unlaunched, None
            if kernel is None:
                return
            # Whatever the arguments are: the script goes on.
            with contextlib.suppress(Exception):
                sizes = {"grid": griddim, "block": blockdim, "shared": (sharedmem,)}
                launch_details = _numba_launch(self.py_func, args, sizes)
                captures.replace(kernel, replace(kernel, facts={**kernel.facts, **launch_details}))

    dispatcher._Kernel = _CompiledKernel  # noqa: SLF001 - the only place where it is made
    compiler.compile = cuda.compile = compiled
    dispatcher.ForAll._compute_thread_per_block = lambda *_: 128  # noqa: SLF001 - of the GPU
    device = _Nothing(compute_capability=target.capability, id=0, name="none")
    loaded: dict[str, Any] = dict(sys.modules)
    for name, module in loaded.items():
        if name.startswith("numba") and hasattr(module, "get_current_device"):
            module.get_current_device = lambda: device
    _stand_in_for_memory(cuda)


def _numba_launch(
    function: Any, arguments: Iterable[Any], sizes: Mapping[str, Any]
) -> dict[str, str]:
    """Returns the facts of a launch of Numba's, with the strides of arrays."""
    named = dict(zip(inspect.signature(function).parameters, arguments, strict=False))
    facts = launch_facts(function.__code__.co_filename, sizes, {})
    for name, value in named.items():
        shape, strides = getattr(value, "shape", None), getattr(value, "strides", None)
        if shape and strides:
            facts[f"{LAUNCH}array {name}"] = ",".join(map(str, (*shape, *strides)))
        elif number := number_of(value):
            facts[f"{LAUNCH}number {name}"] = number
    return facts


class _Stream(int):
    """Takes the place of a stream: the default stream is 0."""

    def synchronize(self) -> None:
        """Returns at once: no work is in progress."""

    def auto_synchronize(self) -> Any:
        """Returns a block without effect."""
        return contextlib.nullcontext(self)


def _stand_in_for_memory(cuda: Any) -> None:
    """Puts arrays of the host in the place of those on a GPU: only their types count."""
    numpy: Any = _module("numpy")

    class _HostArray(numpy.ndarray):  # type: ignore[misc]
        """An array with the methods of an array on a GPU."""

        def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
            return numpy.asarray(self) if ary is None else ary

        def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
            pass

    def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
        return to if to is not None else numpy.asarray(obj).view(_HostArray)

    def empty(
        shape: Any, dtype: Any = numpy.float64, strides: Any = None, order: str = "C", **_: Any
    ) -> Any:
        return numpy.zeros(shape, dtype, order).view(_HostArray)

    def like(ary: Any, stream: Any = 0) -> Any:
        return numpy.zeros_like(ary).view(_HostArray)

    cuda.to_device = to_device
    cuda.device_array = cuda.pinned_array = cuda.managed_array = cuda.mapped_array = empty
    cuda.device_array_like = cuda.pinned_array_like = like
    cuda.synchronize = lambda: None
    cuda.stream = cuda.default_stream = lambda *_: _Stream()
    cuda.event = cuda.current_context = _Nothing()
    cuda.event_elapsed_time = lambda *_: 0.0
    cuda.select_device = cuda.close = lambda *_: None
    cuda.is_available = lambda: True
    cuda.defer_cleanup = contextlib.nullcontext


# cuda.core


_Capability = namedtuple("_Capability", ("major", "minor"))


def _cuda_core(core: Any, target: ScriptTarget, captures: Captures) -> None:
    capability = _Capability(*target.capability)
    origin = f"cuda.core {core.__version__}"
    program, options = core.Program, core.ProgramOptions
    # cuda.core checks whether the driver could load PTX.
    sys.modules[program.__module__].driver_version = lambda: (99, 0, 0)  # type: ignore[attr-defined]

    class Program(program):  # type: ignore[misc, valid-type]
        """Captures the code that it compiles."""

        def __init__(self, code: Any, code_type: str, options: Any = None) -> None:
            self._code = (code, code_type)
            super().__init__(code, code_type, options or core.ProgramOptions())

        def compile(self, target_type: str, *args: Any, **kwargs: Any) -> Any:
            code, code_type = self._code
            try:
                object_code = super().compile(target_type, *args, **kwargs)
            except Exception as error:
                error.cuda_source = code  # type: ignore[attr-defined]
                raise
            kind = {"ptx": KernelLanguage.PTX, "cubin": KernelLanguage.CUBIN}.get(target_type)
            if kind is None:
                captures.note(f"cuda.core was asked for {target_type}, which is not shown.")
                return object_code
            language = KernelLanguage.CUDA if code_type == "c++" else KernelLanguage.LLVM_IR
            content = _bytes(object_code.code)
            parts = [Representation(kind, content)]
            if code_type != "ptx":
                parts.insert(0, Representation(language, _bytes(code), object_code.name))
            name = _entry(content, kind) or "program"
            captures.add(CapturedKernel(name, origin, tuple(parts)))
            return _Code(object_code)

    class _Code(_Nothing):
        """Compiled code, which is loaded nowhere."""

        def __init__(self, object_code: Any) -> None:
            super().__init__(made=object_code)
            names = ("code", "code_type", "name", "symbol_mapping")
            self.__dict__.update({name: getattr(object_code, name, None) for name in names})

    def given(*args: Any, **kwargs: Any) -> Any:
        if not args:
            kwargs["arch"] = kwargs.get("arch") or target.arch.sm
            kwargs.setdefault("lineinfo", True)
        return options(*args, **kwargs)

    core.Program = Program
    core.ProgramOptions = given
    core.Device = lambda *_: _Nothing(compute_capability=capability, arch=str(target.arch.number))
    core.launch = core.LaunchConfig = _Nothing()


def _bytes(content: Any) -> bytes:
    return content if isinstance(content, bytes) else str(content).encode()


def _entry(content: bytes, kind: KernelLanguage) -> str:
    """Returns the name of the first kernel in PTX or machine code; empty where there is none."""
    if kind is KernelLanguage.PTX:
        return first_entry(content.decode("utf-8", "replace"))
    match = re.search(rb"\.nv\.info\.([\w$]+)", content)
    return match[1].decode() if match else ""


# CuPy


def _cupy(cupy: Any, target: ScriptTarget, captures: Captures) -> None:
    compiler = _module("cupy.cuda.compiler")
    origin = f"CuPy {cupy.__version__}"
    # CuPy looks at the GPU even where the target is an argument.
    arch_option = "_get_arch_for_options_for_nvrtc"
    setattr(compiler, arch_option, lambda *_: (f"-arch={target.arch.sm}", "cubin"))

    def build(code: str, options: Any, name: str, names: Any = None) -> CapturedKernel:
        options = cupy_options(options)
        options = (*options, *(() if "-lineinfo" in options else ("-lineinfo",)))
        try:
            compiled, _ = compiler.compile_using_nvrtc(
                code, options, str(target.arch.number), "kern.cu", names
            )
        except Exception as error:
            error.cuda_source = code  # type: ignore[attr-defined]
            raise
        content = bytes(compiled)
        is_cubin = content.startswith(b"\x7fELF")
        kind = KernelLanguage.CUBIN if is_cubin else KernelLanguage.PTX
        source = Representation(KernelLanguage.CUDA, code.encode(), "kern.cu")
        parts = (source, Representation(kind, content))
        kernel_name = name or _entry(content, kind) or "module"
        kernel = CapturedKernel(kernel_name, origin, parts, {"options": " ".join(options)})
        captures.add(kernel)
        return kernel

    class Built:
        """Compiled code, with the facts of the launches of its kernels."""

        def __init__(self, kernel: CapturedKernel) -> None:
            self._kernel = kernel
            self._launched: set[str] = set()

        def launch(
            self, name: str, grid: Any, block: Any, args: Any = (), *, shared_mem: int = 0, **_: Any
        ) -> None:
            """Launches nothing, and records the properties of the first launch."""
            if name in self._launched:
                return
            self._launched.add(name)
            # Whatever the arguments are: the script goes on.
            with contextlib.suppress(Exception):
                sizes = {"grid": axes_of(grid), "block": axes_of(block), "shared": (shared_mem,)}
                passed = {str(place): value for place, value in enumerate(args)}
                launch_details = launch_facts(target.script, sizes, passed, kernel=name)
                before = self._kernel
                self._kernel = replace(before, facts={**before.facts, **launch_details})
                captures.replace(before, self._kernel)

    class RawKernel(_Nothing):
        """Compiles on creation; a launch does nothing."""

        def __init__(
            self, code: str, name: str, options: Any = (), *args: Any, **kwargs: Any
        ) -> None:
            built = Built(build(code, options, name))
            super().__init__(code=code, name=name, options=tuple(options), _built=built)

        def __call__(self, *args: Any, **kwargs: Any) -> None:
            self._built.launch(self.name, *args, **kwargs)

    class RawModule(_Nothing):
        """Compiles on creation; its kernels do nothing."""

        def __init__(
            self,
            *,
            code: Any = None,
            path: Any = None,
            options: Any = (),
            backend: str = "nvrtc",
            name_expressions: Any = None,
            **kwargs: Any,
        ) -> None:
            built = None
            if code is None:
                captures.note(f"CuPy was given the file '{path}': open that to see what is in it.")
            else:
                built = Built(build(code, options, "", name_expressions))
            super().__init__(code=code, options=tuple(options), _built=built)

        def get_function(self, name: str) -> Any:
            """Returns a function that records launches of a kernel of the module."""
            return partial(self._built.launch, name) if self._built is not None else _Nothing()

    cupy.RawKernel, cupy.RawModule = RawKernel, RawModule
    replace_written_kernels(cupy, captures.note, lambda *words: Built(build(*words)))
    _arrays_of_the_host(cupy)


def _arrays_of_the_host(cupy: Any) -> None:
    """Puts arrays of NumPy in the place of those on a GPU: only types and sizes count."""
    numpy: Any = _module("numpy")

    class _HostArray(numpy.ndarray):  # type: ignore[misc]
        """An array with the methods of an array on a GPU."""

        device = 0

        def get(self, *_: Any, **__: Any) -> Any:
            return numpy.asarray(self)

        def set(self, array: Any, *_: Any) -> None:
            self[...] = array

    def on_host(function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **{k: v for k, v in kwargs.items() if k != "stream"})
            return result.view(_HostArray) if isinstance(result, numpy.ndarray) else result

        return call

    for package, model in ((cupy, numpy), (cupy.random, numpy.random)):
        for name in dir(package):
            function = getattr(model, name, None)
            if callable(function) and not isinstance(function, type) and not name.startswith("_"):
                setattr(package, name, on_host(function))
    cupy.ndarray = _HostArray
    cupy.asnumpy = lambda array, *_, **__: numpy.asarray(array)
    cupy.get_default_memory_pool = cupy.get_default_pinned_memory_pool = lambda: _Nothing()
    cuda = cupy.cuda
    cuda.Stream = cuda.Event = cuda.Device = lambda *_, **__: _Unused()
    cuda.get_current_stream = cuda.get_elapsed_time = lambda *_: _Nothing()
    cuda.is_available = lambda: True


class _Unused(_Nothing):
    """Takes the place of a stream or a device, which may be used in a `with` statement."""

    def __enter__(self) -> _Unused:
        return self

    def __exit__(self, *_: object) -> None:
        pass


# CuTe DSL


_FIRST_LETTERED = 90


def _cute(cute: Any, _target: ScriptTarget, captures: Captures) -> None:
    """Captures the results of `cute.compile`, which do nothing when called."""
    compiler = type(cute.compile)
    make = compiler.__call__

    def compiled(self: Any, *args: Any, **kwargs: Any) -> Any:
        compiled_function = make(self, *args, **kwargs)
        for captured in found_in(compiled_function):
            if isinstance(captured, CapturedKernel):
                content = captured.representation(KernelLanguage.PTX)
                name = _entry(content.content, KernelLanguage.PTX) if content else ""
                captures.add(replace(captured, name=name or captured.name))
        type(compiled_function).__call__ = lambda *_args, **_kwargs: None
        return compiled_function

    compiler.__call__ = compiled


_HOOKS: dict[str, tuple[_Hook, tuple[str, ...]]] = {
    "triton": (_triton, ("triton",)),
    "torch": (_torch, ("torch",)),
    "numba.cuda": (_numba, ("numba-cuda", "numba")),
    "cuda.core": (_cuda_core, ("cuda-core",)),
    "cutlass.cute": (_cute, ("nvidia-cutlass-dsl",)),
    "cupy": (_cupy, ("cupy-cuda13x", "cupy-cuda12x", "cupy")),
}
