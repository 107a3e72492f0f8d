"""The build for a launch, the kernel that a name means, and the code to load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, TILE_PART, Artifact, CodeKind, Source, split_variant
from jitstudio.core.ir_functions import functions_of
from jitstudio.core.launch.entry import base_name, unqualified, with_entry
from jitstudio.core.launch.limits import Figures
from jitstudio.core.launch.problems import SpecError, SpecProblem, listing, unknown
from jitstudio.core.launch.request import KernelForm
from jitstudio.core.launch.spec import LoadMode
from jitstudio.core.request import BuildRequest, with_name_expressions
from jitstudio.core.result import BuildResult
from jitstudio.core.source_facts import template_kernel

_CODE = {LoadMode.CUBIN: CodeKind.CUBIN, LoadMode.DRIVER_JIT: CodeKind.PTX}


@dataclass(frozen=True)
class Launchable:
    """A kernel with the code to load.

    Attributes:
        form: The kernel.
        code: The code to load.
        arch: The target of the code, with the suffix of a cubin's target.
        facts: The needs of the kernel, for limits that depend on these.
        counterpart: The cubin of the same kernel, to compare what the driver's compiler makes, or
            what the simulator counts, with.
        confined_to: See `BuildRequest`: that of the build that made the code.
        sources: The modules, of what is simulated: to see what a line calls.
    """

    form: KernelForm
    code: Artifact
    arch: Arch | None = None
    facts: Figures | None = None
    counterpart: Artifact | None = None
    confined_to: tuple[str, ...] | None = None
    sources: tuple[Source, ...] = ()


def launchable(
    request: BuildRequest,
    result: BuildResult,
    form: KernelForm,
    load: LoadMode,
    *,
    simulated: bool = False,
) -> Launchable:
    """Returns a kernel of a build with all that the launch needs of the build.

    Args:
        request: The build.
        result: Its result.
        form: The kernel.
        load: The code to load.
        simulated: Whether for the simulator, which takes PTX whatever is to be loaded.

    Raises:
        SpecError: The build did not make the code to load.
    """
    modules = request.sources
    other = None
    if load is LoadMode.DRIVER_JIT or simulated:
        other = _artifact_with(result, form, CodeKind.CUBIN, modules)
    needs = result.resources_of(form.lowered, form.unit)
    if simulated:
        code = _simulated_code(result, form, modules)
    else:
        code = choose_code(result, form, load, modules)
    sources = modules if simulated else ()
    return Launchable(form, code, result.arch, needs, other, request.confined_to, sources)


def choose_form(
    kernel: str, forms: Sequence[KernelForm], sources: Sequence[Source] = ()
) -> KernelForm:
    """Returns the kernel that is meant by a name.

    Args:
        kernel: Lowered, or in C++ with or without namespaces, template arguments and parameters;
            empty for the only one.
        forms: All there are.
        sources: The modules, to say how one of them gets a kernel.

    Raises:
        SpecError: There is none of this name, or several are.
    """
    obstacles = {f.name: f.obstacle for f in functions_of(sources) if f.obstacle}
    if not any(form.lowered == kernel for form in forms) and (why := obstacles.get(kernel)):
        raise _error("kernel", f"'{kernel}' {why}.", _how_to_have_one(sources))
    if not forms:
        raise _error("kernel", "The build has no kernel.", _how_to_have_one(sources))
    titles = [form.title for form in forms]
    wanted = _squeezed(kernel)
    if not wanted and len(forms) > 1:
        message = f"There are {len(forms)} kernels."
        raise _error("kernel", message, f"Choose one of {listing(titles)}.")
    for name_of in _NAMES:
        matches = [form for form in forms if not wanted or _squeezed(name_of(form)) == wanted]
        if len(matches) == 1:
            return matches[0]
        if matches:
            meant = listing(form.title for form in matches)
            message = f"'{kernel}' is the name of {len(matches)} kernels."
            raise _error("kernel", message, f"Choose one of {meant}.")
    raise _error("kernel", f"There is no kernel '{kernel}'.", unknown(kernel, titles))


def _how_to_have_one(sources: Sequence[Source]) -> str:
    """Returns how modules like these get a kernel, in their own language."""
    kinds = {source.kind for source in sources}
    texts = (s.content.decode("utf-8", "replace") for s in sources if s.kind is CodeKind.CUDA)
    if instance := next(filter(None, map(template_kernel, texts)), None):
        return f"The kernel is a template: name an instance of it, such as {instance}."
    if CodeKind.LLVM_IR not in kinds:
        return next((_HOW[kind] for kind in _HOW if kind in kinds), _HOW_ELSE)
    markable = [f for f in functions_of(sources) if f.can_be_marked]
    if not markable:
        return "A kernel is written as define ptx_kernel void @name."
    names = listing(f.name for f in markable)
    return f"Name the function to launch ({names}), or mark it as a kernel in !nvvm.annotations."


_HOW = {
    CodeKind.CUDA: "Declare one with __global__.",
    CodeKind.PTX: "Write .visible .entry instead of .func at what is to be launched.",
    CodeKind.PYTHON: "Launch one in the script: a kernel is compiled for what it is launched with.",
}
_HOW_ELSE = "Open a file that has one, or the source that it is made from."


def choose_code(
    result: BuildResult, form: KernelForm, load: LoadMode, modules: Sequence[Source] = ()
) -> Artifact:
    """Returns the code to load for a kernel: of a build, or a module that is such code itself.

    Raises:
        SpecError: There is none.
    """
    kind = _CODE[load]
    if artifact := _artifact_with(result, form, kind, modules):
        return artifact
    if not result.ok:
        raise _error("code", f"There is nothing to launch. {result.reason}", "Build again.")
    if load is LoadMode.DRIVER_JIT and result.artifact(CodeKind.CUBIN, LINKED):
        message = "A link by PTX makes no PTX of the whole, so the driver has none to assemble."
        raise _error("code", message, "Load the cubin, or link by LTO-IR with PTX as an output.")
    raise _error(
        "code",
        f"The build made no {kind.title} with {form.title} in it.",
        f"Build with {kind.title} among the outputs (--emit {kind.value}).",
    )


def _simulated_code(result: BuildResult, form: KernelForm, sources: Sequence[Source]) -> Artifact:
    """Returns the PTX that the simulator runs; see `choose_code`.

    Modules that were linked by PTX are all of it, with a zero byte between them. Tile functions
    are beside a link.
    """
    if not result.ok:
        raise _error("code", f"There is nothing to launch. {result.reason}", "Build again.")
    modules = _modules_with(result, form)
    is_linked = result.artifact(CodeKind.CUBIN, LINKED) is not None and not _is_tile(modules)
    whole = result.artifact(CodeKind.PTX, LINKED)
    own = [*modules[:1], form.unit, *modules, form.module]
    names = [source.name for source in sources] if is_linked else own
    if is_linked and whole is not None:
        return whole
    ptx_sources = {source.name: source.content for source in sources if source.kind is CodeKind.PTX}
    texts = [
        built.content if (built := result.artifact(CodeKind.PTX, name)) else ptx_sources.get(name)
        for name in names
    ]
    ptx = [text for text in texts if text is not None]
    if is_linked and len(ptx) == len(names):
        return Artifact(CodeKind.PTX, LINKED, b"\0".join(ptx))
    if ptx and not is_linked:
        return Artifact(CodeKind.PTX, form.unit, ptx[0])
    raise _error(
        "code",
        f"The simulator runs PTX, and the build made none of all of {form.title}: a cubin, an "
        "object file or a library holds machine code, which it cannot run.",
        "Build the kernel from CUDA C++, LLVM IR or PTX; link by LTO-IR what is LTO-IR.",
    )


def _artifact_with(
    result: BuildResult, form: KernelForm, kind: CodeKind, modules: Sequence[Source]
) -> Artifact | None:
    """Returns the code of this kind that the kernel is in, made by the build or put into it."""
    names = _modules_with(result, form)
    if not _is_tile(names):
        names = [LINKED, *names, form.module]
    # A build makes no cubin of a cubin, nor PTX of PTX. Of a link only the whole is loaded.
    is_linked = result.artifact(CodeKind.CUBIN, LINKED) is not None
    loadable = [module for module in modules if module.kind is kind and not is_linked]
    as_code = {module.name: Artifact(kind, module.name, module.content) for module in loadable}
    artifacts = (result.artifact(kind, name) or as_code.get(name) for name in names)
    return next(filter(None, artifacts), None)


def _modules_with(result: BuildResult, form: KernelForm) -> list[str]:
    """Returns the modules with a kernel of this name, first the form's own module with parts."""
    modules = [kernel.module for kernel in result.kernels if kernel.name == form.lowered]
    return sorted(modules, key=lambda module: split_variant(module)[0] != form.unit)


def _is_tile(modules: Sequence[str]) -> bool:
    """Returns whether the first of these is the part of tile functions, which no link takes."""
    return bool(modules) and TILE_PART in modules[0]


def _error(where: str, message: str, remedy: str) -> SpecError:
    return SpecError(SpecProblem(where, message, remedy))


def _squeezed(name: str) -> str:
    return "".join(name.split()).removeprefix("&").removeprefix("::")


_NAMES: tuple[Callable[[KernelForm], str], ...] = (
    lambda form: form.lowered,
    lambda form: form.title,
    lambda form: unqualified(form.title),
    lambda form: base_name(form.title),
    lambda form: unqualified(base_name(form.title)),
)
"""What a kernel may be called by; the first that fits counts."""


# ---- What has to be built for a launch

LAUNCHED_KINDS = frozenset({CodeKind.PTX, CodeKind.CUBIN})
"""The cubin is launched, or the PTX by the driver's compiler; the PTX also tells the parameters."""


def build_for_launch(request: BuildRequest, kernel: str) -> BuildRequest:
    """Returns the same build with the outputs that the launch of this kernel needs.

    A kernel that is an instance of a template is asked for by its name expression, without which
    the compiler would not make it.
    """
    expressions = (kernel,) if "<" in kernel else ()
    sources = with_name_expressions(request.sources, expressions)
    emit = LAUNCHED_KINDS
    if all(source.kind is CodeKind.PYTHON for source in sources):
        # The kernels of a script say what their parameters are.
        emit |= {CodeKind.CAPTURED}
    launched = replace(request, sources=sources, emit=emit, fat_archs=(), fat_ptx=())
    return with_entry(launched, kernel)


def launched_name(result: BuildResult, kernel: str) -> str:
    """Returns the lowered name of a kernel given by a name expression; any other name unchanged.

    ``k<unsigned>`` is a kernel that calls itself ``k<unsigned int>``.
    """
    lowered = {name.expression: name.lowered for name in result.lowered_names}
    return lowered.get(kernel) or kernel
