"""The recipe of an export: each run of a tool with the texts and options of the real build.

A recipe is read off a build that has been carried out, so that what follows it makes the same
bytes: host code is set aside as it was, and what a module lacked is supplied. What depends on the
machine, such as the folder of NVRTC's own headers, is named for what it is and not by its path.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path, PurePath

from jitstudio.analysis.passes import FilmReading
from jitstudio.analysis.reading_request import AnalysisRequest
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.arch import Arch
from jitstudio.core.code import LINKED, CodeKind, Header, Source, split_variant
from jitstudio.core.diagnostics import Severity
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.choice import choose_form, launchable, launched_name
from jitstudio.core.launch.device import DeviceList
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import KernelForm, LaunchRequest
from jitstudio.core.launch.resolve import resolve
from jitstudio.core.launch.spec import LaunchSpec, LoadMode
from jitstudio.core.options import OptionEffect, lies_in, read, rooted
from jitstudio.core.plain_files import read_file
from jitstudio.core.plan import PlanStep, plan
from jitstudio.core.prebuilt import ptx_of
from jitstudio.core.request import Assembler, BuildRequest, CudaCompiler, LinkMode
from jitstudio.core.result import BuildResult, StageResult
from jitstudio.core.tools import TILE_TOOLS, Tool
from jitstudio.listing.includes import includes
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.own_headers import own_headers
from jitstudio.system.paths import resource


class ExportError(ValueError):
    """A build cannot be exported; the message says why, and names a remedy."""


def comment(text: str) -> str:
    """Returns a text as a single line for a comment, which nothing inside ends or prolongs.

    ``??/`` is a backslash where there are trigraphs.
    """
    line = "".join(c if c.isprintable() else " " for c in text)
    return line.replace("??/", "?? /").rstrip("\\ ")


class HeaderSet(Enum):
    """Headers of NVIDIA's that a compile needs, wherever they are on a machine."""

    BUNDLED = "NVRTC's own headers"
    CURAND = "cuRAND's headers"


@dataclass(frozen=True)
class RecipeStep:
    """A run of a tool.

    Attributes:
        tool: NVRTC, libNVVM or nvJitLink.
        name: The name of the output: the module, or `LINKED`.
        inputs: Kinds and names of texts, or of outputs of steps before.
        makes: The kind that it makes.
        options: The options of the tool, without those that depend on the machine.
        headers: The headers of NVIDIA's that options of the real build led to.
        name_expressions: For NVRTC.
        libraries: Names of the LLVM IR of which libNVVM takes what is called.
        libdevice: Whether libdevice is among these.
    """

    tool: Tool
    name: str
    inputs: tuple[tuple[CodeKind, str], ...]
    makes: CodeKind
    options: tuple[str, ...]
    headers: tuple[HeaderSet, ...] = ()
    name_expressions: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    libdevice: bool = False


@dataclass(frozen=True)
class RecipeLaunch:
    """A launch of the kernel.

    Attributes:
        spec: As it was written.
        request: What came of it, all of it numbers.
        form: The kernel.
    """

    spec: LaunchSpec
    request: LaunchRequest
    form: KernelForm


@dataclass(frozen=True)
class Recipe:
    """A build, and perhaps a launch, to be written down.

    Attributes:
        request: The build as it was asked for.
        steps: The runs of tools that lead to the cubin, in order; none where a cubin was given.
        texts: Modules, headers and libraries as the tools got them, by their names.
        headers: The names of those texts that are headers in memory.
        versions: Of the tools.
        cubin: The machine code of the build.
        launch: The launch, if there is one.
        notes: Sentences on all that the export leaves out.
        paths: The files of modules, headers and libraries, by their names; for commands.
        device: The GPU of the launch by its ordinal, or `SIMULATOR`; for commands.
        result: All that came of the build; for reports.
        code: The machine code as it was read; for reports, None where nobody has read it.
        films: The passes of the optimiser; for reports, empty where nobody has asked.
        tile_part: The name of the cubin if it is of tile functions, which `steps` lead to none of.
    """

    request: BuildRequest
    steps: tuple[RecipeStep, ...]
    texts: Mapping[str, bytes]
    headers: tuple[str, ...]
    versions: Mapping[Tool, str]
    cubin: bytes
    launch: RecipeLaunch | None = None
    notes: tuple[str, ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    device: int = 0
    result: BuildResult | None = None
    code: Disassembly | None = None
    films: tuple[FilmReading, ...] = ()
    tile_part: str = ""

    @property
    def arch(self) -> Arch:
        """The target."""
        return self.request.arch

    @property
    def title(self) -> str:
        """The title of the export: the kernel, or the modules."""
        if self.launch is not None:
            return self.launch.request.title
        return ", ".join(PurePath(source.name).name for source in self.request.sources)

    @property
    def program(self) -> str:
        """The name of the cubin in the build: the module, its tile part, or `LINKED`."""
        return self.tile_part or _program(self.request)

    @property
    def stem(self) -> str:
        """The name of the first module, without folder and ending."""
        return PurePath(self.request.sources[0].name).stem

    @property
    def only_cuda(self) -> Source | None:
        """The module of CUDA C++ where there is no other; else None."""
        first, *others = self.request.sources
        alone = not others and self.request.link is LinkMode.NONE
        return first if alone and first.kind is CodeKind.CUDA else None

    @property
    def digest(self) -> str:
        """The SHA-256 of the cubin, in hexadecimal digits."""
        return hashlib.sha256(self.cubin).hexdigest()


def exported_request(request: BuildRequest, kernel: str = "") -> BuildRequest:
    """Returns the build that an export is read off: with a cubin, and nothing from the cache.

    Args:
        request: The build.
        kernel: Which kernel is launched, as `core.launch.build.build_for_launch` takes it.

    Raises:
        ExportError: It makes no cubin that others could make.
    """
    if request.compiler is CudaCompiler.NVCC or request.assembler is Assembler.DRIVER:
        tool = "nvcc" if request.compiler is CudaCompiler.NVCC else "the driver's compiler"
        raise ExportError(
            f"An export is of what NVRTC, libNVVM and nvJitLink make, and this build uses {tool}. "
            "Build without it."
        )
    if script := next((s for s in request.sources if s.kind is CodeKind.PYTHON), None):
        raise ExportError(
            f"'{script.name}' is a Python file, which runs as it is. Export the kernel that it "
            "compiles: save its PTX or cubin first."
        )
    if odd := next((s for s in request.sources if s.kind is CodeKind.CAPTURED), None):
        raise ExportError(
            f"'{odd.name}' is a captured kernel: save its PTX or cubin and export it."
        )
    return replace(
        request,
        emit=frozenset({CodeKind.PTX, CodeKind.CUBIN}),
        fat_archs=(),
        fat_ptx=(),
        use_cache=False,
        precompile_headers=False,
    )


def module_of(request: BuildRequest, names: Iterable[str]) -> BuildRequest:
    """Returns a build reduced to a single program: the link, or the module with the kernel.

    Args:
        request: The build.
        names: Modules, of which the first that the build has counts.

    Raises:
        ExportError: There are several modules, and none of them is named.
    """
    if request.link is not LinkMode.NONE or len(request.sources) == 1:
        return request
    if request.join_ir and all(source.kind is CodeKind.LLVM_IR for source in request.sources):
        return request
    for name in names:
        if named := [source for source in request.sources if source.name == name]:
            return replace(request, sources=(named[0],))
    modules = ", ".join(source.name for source in request.sources)
    raise ExportError(
        f"An export is of one program, and these modules are built apart: {modules}. Link them "
        "(--link, --lto), give one of them, or say which kernel is launched (--kernel)."
    )


def recipe_of(
    request: BuildRequest,
    result: BuildResult,
    carried: Iterable[Header],
    launch: RecipeLaunch | None = None,
) -> Recipe:
    """Returns the recipe of a build.

    Args:
        request: One program, see `module_of`.
        result: The result of a build by `exported_request`.
        carried: Headers on disk to go with it, see `export.carried`.
        launch: The launch, if there is one.

    Raises:
        ExportError: The build failed, or did not make a cubin.
    """
    if not result.ok:
        raise ExportError(f"There is nothing to export. {result.reason}")
    steps, stages = [], []
    planned = _plan(request)
    parts = [s.name for s in planned if s.tool in TILE_TOOLS and result.artifact(_CUBIN, s.name)]
    tile_part = _tile_part(request, result, parts, launch)
    for step in (step for step in planned if step.tool not in TILE_TOOLS):
        stage = _stage_of(step, result)
        steps.append(_step(request, step, stage))
        stages.append(stage)
    headers = {header.name: header.content for header in (*carried, *request.headers)}
    modules = (*request.sources, *request.libraries)
    copies: dict[str, bytes] = {}
    for stage in stages:
        copies |= {copy.name: copy.content for copy in stage.copies}
    names = {source.name for source in modules}
    headers |= {name: text for name, text in copies.items() if name not in names}
    texts = {source.name: source.content for source in modules} | headers | copies
    return Recipe(
        request=request,
        steps=tuple(steps),
        texts=texts,
        headers=tuple(headers),
        versions={stage.tool: stage.version for stage in stages},
        cubin=_cubin(request, result, tile_part),
        launch=launch,
        notes=(*_notes(steps), *map(_left_out, parts)),
        result=result,
        tile_part=tile_part,
    )


_CUBIN = CodeKind.CUBIN


def _program(request: BuildRequest) -> str:
    return request.sources[0].name if request.link is LinkMode.NONE else LINKED


def _tile_part(
    request: BuildRequest, result: BuildResult, parts: list[str], launch: RecipeLaunch | None
) -> str:
    """Returns which of the parts the export is of: with the kernel, or there is nothing else."""
    if launch is not None:
        modules = {k.module for k in result.kernels if k.name == launch.form.lowered}
        return next((part for part in parts if part in modules), "")
    program = _program(request)
    is_other = program not in parts and result.artifact(_CUBIN, program)
    return parts[0] if parts and not is_other else ""


def _left_out(part: str) -> str:
    return f"{split_variant(part)[0]}: its tile functions are left out."


def _plan(request: BuildRequest) -> tuple[PlanStep, ...]:
    if [source.kind for source in request.sources] == [CodeKind.CUBIN]:
        return () if request.link is LinkMode.NONE else _linked(request)
    odd = [s for s in request.sources if s.kind in _CONTAINERS]
    if odd and request.link is LinkMode.NONE:
        raise ExportError(
            f"'{odd[0].name}' is a {odd[0].kind.title}: what is taken out of it is not a build. "
            "Link it, or save its cubin and export that."
        )
    return _linked(request)


_CONTAINERS = frozenset({CodeKind.FATBIN, CodeKind.OBJECT, CodeKind.LIBRARY})


def _linked(request: BuildRequest) -> tuple[PlanStep, ...]:
    return plan(replace(request, emit=frozenset({CodeKind.CUBIN})))


def _stage_of(step: PlanStep, result: BuildResult) -> StageResult:
    """Returns the stage that did a step: a link by LTO has another stage, for PTX."""
    for stage in result.stages:
        same = (stage.tool, stage.source) == (step.tool, step.name)
        if same and not (step.tool is Tool.NVJITLINK and "-ptx" in stage.options):
            return stage
    raise ExportError(f"The build has no stage that made the {step.makes[0].title} of {step.name}.")


def _step(request: BuildRequest, step: PlanStep, stage: StageResult) -> RecipeStep:
    source = next((s for s in request.sources if s.name == step.name), None)
    options, headers = _portable(request, source, step, stage)
    nvvm = step.tool is Tool.NVVM
    names = source.name_expressions if source and step.tool is Tool.NVRTC else ()
    return RecipeStep(
        tool=step.tool,
        name=step.name,
        inputs=tuple((ref.kind, ref.name) for ref in step.inputs),
        makes=step.makes[0],
        options=options,
        headers=headers,
        name_expressions=(*names, *stage.instances),
        libraries=tuple(library.name for library in request.libraries) if nvvm else (),
        libdevice=nvvm and request.libdevice,
    )


_INCLUDE = "--include-path="
_BUNDLED = "--use-bundled-headers"
# What jitstudio asks for by itself and no cubin tells; of ptxas, every option is kept in it.
_ASKED = frozenset({"--time=-", "--no-cache"})


def _portable(
    request: BuildRequest, source: Source | None, step: PlanStep, stage: StageResult
) -> tuple[tuple[str, ...], tuple[HeaderSet, ...]]:
    """Returns the options of a step without folders of this machine, and the headers in these."""
    planned = list(step.options)
    options, headers = [], []
    own_folder = f"{_INCLUDE}{source.folder or request.folder}" if source else ""
    for option in stage.options:
        if option in planned:
            # A module's own folder is the one where the export is.
            options += [option] if option != own_folder else []
            planned.remove(option)
        elif option.startswith(_BUNDLED):
            headers.append(HeaderSet.BUNDLED)
        elif option.startswith(_INCLUDE):
            # Of wheels, toolkits and cuRAND; stand-ins travel as headers in memory.
            is_curand = "curand" in option.lower()
            if "host_headers" not in option:
                headers.append(HeaderSet.CURAND if is_curand else HeaderSet.BUNDLED)
        elif option not in _ASKED:
            options.append(option)
    return tuple(options), tuple(dict.fromkeys(headers))


def _cubin(request: BuildRequest, result: BuildResult, tile_part: str) -> bytes:
    source = request.sources[0]
    if source.kind is CodeKind.CUBIN and request.link is LinkMode.NONE:
        return source.content
    artifact = result.artifact(_CUBIN, tile_part or _program(request))
    if artifact is None:
        raise ExportError(f"The build of '{source.name}' made no cubin.")
    return artifact.content


def reading_request(recipe: Recipe) -> AnalysisRequest:
    """Returns the request to read the machine code of an export, for reports.

    An earlier reading will do: unlike what an export says of its build, it follows from the cubin.
    """
    request, result = recipe.request, recipe.result
    ptx = ptx_of(request, result, recipe.program) if result is not None else {}
    file = f"{recipe.stem}{CodeKind.CUBIN.ending}"
    return replace(AnalysisRequest.of_build(request, recipe.cubin, file, ptx), use_cache=True)


def launch_of(
    request: BuildRequest,
    result: BuildResult,
    spec: LaunchSpec,
    begin: Callable[[LaunchSpec], LaunchSpec] | None = None,
) -> RecipeLaunch:
    """Returns a launch with all that follows from the kernel; no GPU is looked at.

    Args:
        request: The build.
        result: The result of the build.
        spec: The launch as it is written.
        begin: Completes the launch that a form begins with, where none is written; else None.

    Raises:
        ExportError: The launch makes no sense.
    """
    try:
        headers = own_headers(request)
        forms = kernel_forms(request.sources, result, headers, access=begin is not None)
        form = choose_form(launched_name(result, spec.kernel), forms, request.sources)
        if begin is not None:
            spec = begin(first_launch(form))
        kernel = launchable(request, result, form, LoadMode.CUBIN)
    except SpecError as error:
        raise ExportError(_said(error.problem)) from None
    resolved = resolve(spec, kernel, DeviceList(), None, folder=request.folder)
    if resolved.request is None:
        errors = [p for p in resolved.problems if p.severity is Severity.ERROR]
        raise ExportError(" ".join(map(_said, errors)))
    return RecipeLaunch(spec, resolved.request, form)


def _said(problem: SpecProblem) -> str:
    return f"{problem.message} {problem.remedy}".strip()


def _notes(steps: Iterable[RecipeStep]) -> Iterator[str]:
    """Yields the files and folders that options name, which an export cannot carry."""
    for step in steps:
        for option in read(step.options):
            if option.spec is not None and option.spec.names_file and option.value:
                yield f"{step.name}: '{option.option}' names a file or folder of this machine."


# ---- The headers on disk that an export carries, so that it can be built where these are not

_LARGEST = 4 << 20
_MOST = 500
_SHARED = frozenset({"jitstudio/host.h", "jitstudio/platform.h"})


def carried_headers(request: BuildRequest, result: BuildResult) -> tuple[Header, ...]:
    """Returns the headers on disk that modules include, from own folders and folders in options.

    NVIDIA's are not among them. Of a build that nobody trusts only files are read that the build
    may read. A header that a tool got a copy of is left to `recipe_of`.

    Args:
        request: The build.
        result: The result of the build.
    """
    modules = [source for source in request.sources if source.kind is CodeKind.CUDA]
    named = [
        option.value
        for options in request.option_sets
        for option in read(rooted(options, request.folder))
        if option.spec and option.spec.effect is OptionEffect.READS and option.value
    ]
    headers: dict[str, bytes] = {}
    known = {header.name for header in request.headers}
    for source in modules:
        folders = [folder for folder in (source.folder or request.folder, *named) if folder]
        _collect(request, source.content, folders, headers, known)
    for header in request.headers:
        _collect(request, header.content, named, headers, known)
    stand_ins = {name for stage in result.stages for name in stage.stand_ins}
    for name in sorted(stand_ins | (_SHARED if stand_ins else set())):
        headers.setdefault(name, read_file(resource("host_headers") / name))
    return tuple(Header(name, text) for name, text in headers.items())


def _collect(
    request: BuildRequest,
    text: bytes,
    folders: list[str],
    headers: dict[str, bytes],
    known: set[str],
) -> None:
    """Adds the files that a text includes, directly or by other files."""
    waiting = [(text, "")]
    while waiting:
        content, beside = waiting.pop()
        for name in sorted(includes(content).names):
            if name in known or len(headers) >= _MOST:
                continue
            places = [beside, *folders] if beside else folders
            for path in _places(name, places):
                if request.confined_to is not None and not lies_in(request.confined_to, str(path)):
                    continue
                try:
                    header = read_file(path, _LARGEST)
                except OSError:
                    continue
                known.add(name)
                headers[name] = header
                waiting.append((header, str(path.parent)))
                break


def _places(name: str, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            yield Path(path)
