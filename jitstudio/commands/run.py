"""A kernel built, launched, timed and checked."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jitstudio.command_options.launch import RunOptions
from jitstudio.commands.build import request_of, runs_of
from jitstudio.commands.files import made_folder, unwritable
from jitstudio.commands.json_launch import launch_object
from jitstudio.commands.json_output import Json, result_object
from jitstudio.commands.launch_spec import base_launch, most_seconds, spec_from, within_limit
from jitstudio.commands.module_request import arch_for, has_target
from jitstudio.commands.project_request import project_of
from jitstudio.commands.workers import Workers, borrowed
from jitstudio.core.diagnostics import Severity
from jitstudio.core.file_names import FileNames, with_files
from jitstudio.core.launch.agreement import WITHOUT_FMA, may_be_contraction, with_contraction
from jitstudio.core.launch.arguments import first_launch
from jitstudio.core.launch.choice import build_for_launch, choose_form, launchable, launched_name
from jitstudio.core.launch.device import SIMULATOR, DeviceList
from jitstudio.core.launch.host_words import words_on_host_launch
from jitstudio.core.launch.problems import SpecError, SpecProblem
from jitstudio.core.launch.request import LaunchRequest
from jitstudio.core.launch.resolve import resolve
from jitstudio.core.launch.result import (
    BufferResult,
    LaunchEvent,
    LaunchOutcome,
    LaunchResult,
    diagnostic_of,
    unlaunched,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.listing.kernels.forms import kernel_forms
from jitstudio.listing.own_headers import own_headers
from jitstudio.worker.evaluator import CalculationError

if TYPE_CHECKING:
    # It loads NumPy, which few commands need.
    from jitstudio.commands.handed import HandedData

_LONGEST_NAME = 100
_WITHOUT_GPU = "--device sim runs the kernel without a GPU."
_GPU = 0
"""The ordinal of the GPU that a run on the simulator is compared with."""
_OTHER_COMPARISON = SpecProblem(
    "both",
    "The project compares a GPU and the simulator, which --compare-option does not: this build and "
    "the other one run on the same device.",
    "Leave --compare-option out to compare a GPU and the simulator.",
    Severity.INFO,
)
_BUILT = ("ok", "outcome", "arch", "kernels", "diagnostics")


def ignore_words(_words: Sequence[str]) -> None:
    """Does nothing: for callers that show no beginning of a launch."""


def ignore_event(_event: LaunchEvent) -> None:
    """Does nothing: for callers that read all at the end."""


def launch(
    options: RunOptions,
    on_event: Callable[[LaunchEvent], None] = ignore_event,
    request: BuildRequest | None = None,
    limit: float | None = None,
    on_host_words: Callable[[Sequence[str]], None] = ignore_words,
    base: LaunchSpec | None = None,
    workers: Workers | None = None,
    handed: HandedData | None = None,
    keep: Path | None = None,
) -> tuple[BuildResult, LaunchResult | None, DeviceList]:
    """Returns the build, the launch if there was any, and the GPUs.

    Args:
        options: The build and the launch.
        on_event: Called with each event of the launch.
        request: What is built in place of what the options say.
        limit: Seconds that the build and the launch may take at most, whatever the options and
            a project say; None for what they say.
        on_host_words: Called before the launch with what it takes from the host code.
        base: The launch that the options change, in the place of that of their project.
        workers: The workers of the caller; None for workers that end with the launch.
        handed: Arrays and functions in the place of texts.
        keep: A folder that takes the files of the buffers, which end with the workers otherwise.

    Raises:
        UsageError: An option is wrong, a file cannot be read or written.
        WorkerError: The worker itself failed.
    """
    compared = options.compare_options
    project = project_of(options.sources)
    base = base or base_launch(project, options.kernel or "", options.texts)
    spec = spec_from(options, base)
    remarks: tuple[SpecProblem, ...] = ()
    if compared and spec.both:
        spec, remarks = replace(spec, both=False), (_OTHER_COMPARISON,)
    if request is None:
        request = request_of(options, options.sources, project)
    request = build_for_launch(request, spec.kernel)
    folder = made_folder(options.save, "--save")
    with borrowed(workers) as workers:
        devices = workers.launcher.devices()
        target = _GPU if spec.both and options.ordinal == SIMULATOR else options.ordinal
        arch = arch_for(request.arch, has_target(options), devices, target)
        request = replace(request, arch=arch)
        building = DEFAULT_TIMEOUT if limit is None else limit
        build = runs_of(request, building, workers=workers)[-1]
        if not build.ok:
            return build, None, devices
        over_host = partial(spec_from, options) if base is None else None
        most = most_seconds(options, base) if limit is None else limit
        sides = _Sides(
            workers,
            spec,
            devices,
            options.ordinal,
            on_event,
            over_host,
            most,
            building,
            on_host_words,
            handed,
        )
        result = sides.launch(_Side(request, build), compared, remarks)
        result = replace(result, begins=sides.words)
        if folder is not None:
            result = replace(result, buffers=tuple(_saved(result.buffers, folder)))
        elif keep is not None:
            result = replace(result, buffers=tuple(_moved(result.buffers, keep)))
        result = sides.with_contraction(_Side(request, build), compared, result)
    return build, with_files(result, FileNames(request).path), devices


def run_object(built: BuildResult, result: LaunchResult | None) -> Json:
    """Returns the JSON object of the command: that of the build where nothing was launched."""
    build = result_object(built)
    if result is None:
        return build
    # The text of the code is not what was asked for here.
    return launch_object(result) | {"build": {name: build[name] for name in _BUILT}}


class _Side(NamedTuple):
    """A build to launch from: the request and the result."""

    request: BuildRequest
    built: BuildResult


@dataclass(frozen=True)
class _Resolved:
    """A launch that can be carried out, and the problems to tell."""

    request: LaunchRequest
    problems: tuple[SpecProblem, ...]


@dataclass
class _Sides:
    """Launches a kernel, and once more on another device or of another build to compare.

    Attributes:
        workers: They build and launch.
        spec: The launch.
        devices: The GPUs.
        ordinal: The GPU to use, or the simulator.
        on_event: Called with each event of the launch.
        over_host: Completes the launch of the host code; None where that is not to be read.
        most: Seconds that a launch may take at most.
        building: Seconds that a build may take at most.
        on_host_words: Called before the launch with what it takes from the host code.
        handed: Arrays and functions in the place of texts.
        words: What the launch takes from the host code; empty for nothing.
        launched: The launch as it was sent; None before.
    """

    workers: Workers
    spec: LaunchSpec
    devices: DeviceList
    ordinal: int
    on_event: Callable[[LaunchEvent], None]
    over_host: Callable[[LaunchSpec], LaunchSpec] | None
    most: float
    building: float
    on_host_words: Callable[[Sequence[str]], None]
    handed: HandedData | None = None
    words: tuple[str, ...] = ()
    launched: LaunchRequest | None = None

    def launch(
        self,
        side: _Side,
        compared: tuple[str, ...] = (),
        remarks: tuple[SpecProblem, ...] = (),
    ) -> LaunchResult:
        """Returns the launch, or why there was none.

        Args:
            side: The build.
            compared: Options of another build that is run, too.
            remarks: What else is to be said of it.
        """
        own = self._resolved(side, self.ordinal)
        if isinstance(own, LaunchResult):
            return own
        other = self._other(side, compared, own.request.both)
        if isinstance(other, LaunchResult):
            return other
        self.launched = own.request
        result = self.workers.launcher.launch(
            own.request,
            on_event=self.on_event,
            rival=other.request if other else None,
            rival_build=f"built with {' '.join(compared)}" if compared else "",
        )
        problems = map(diagnostic_of, (*remarks, *own.problems))
        return replace(result, diagnostics=(*problems, *result.diagnostics))

    def with_contraction(
        self, side: _Side, compared: tuple[str, ...], result: LaunchResult
    ) -> LaunchResult:
        """Returns a result that went wrong in floats, with the effect of contraction tried.

        That is looked for where two runs were asked for.
        """
        launched = self.launched
        has_two_runs = launched is not None and (launched.both or bool(compared))
        if launched is None or not has_two_runs or not may_be_contraction(launched, result):
            return result
        options = [*compared, *(o for typed in side.request.option_sets for o in typed)]
        if any("fmad" in option or "-fma=" in option for option in options):
            return result
        on_event, self.on_event = self.on_event, ignore_event
        try:
            plain = self._built_with(side.request, (WITHOUT_FMA,))
            return with_contraction(result, self.launch(plain, compared) if plain else None)
        finally:
            self.on_event = on_event

    def _other(
        self, side: _Side, compared: tuple[str, ...], both: bool
    ) -> _Resolved | LaunchResult | None:
        """Returns the other side of a comparison, or the refused launch; None for no comparison."""
        if compared:
            other = self._built_with(side.request, compared)
            if other is None:
                problem = SpecProblem("code", f"The build with {' '.join(compared)} failed.")
                return unlaunched(self.spec.kernel, LaunchOutcome.REFUSED, [problem])
            return self._resolved(other, self.ordinal)
        if both:
            return self._resolved(side, _GPU if self.ordinal == SIMULATOR else SIMULATOR)
        return None

    def _built_with(self, request: BuildRequest, options: tuple[str, ...]) -> _Side | None:
        """Returns a build with further options; None where that fails."""
        request = request.with_options(lambda before: (*before, *options))
        build = runs_of(request, self.building, workers=self.workers)[-1]
        return _Side(request, build) if build.ok else None

    def _resolved(self, side: _Side, ordinal: int) -> _Resolved | LaunchResult:
        """Returns the launch on a device, or why there is none."""
        request, built = side
        spec = self.spec
        try:
            access = self.over_host is not None
            forms = kernel_forms(request.sources, built, own_headers(request), access=access)
            form = choose_form(launched_name(built, spec.kernel), forms, request.sources)
            if self.over_host is not None and form.host_launch is None and form.block:
                spec = self.over_host(LaunchSpec(block=str(form.block)))
            if self.over_host is not None and form.host_launch is not None:
                spec = self.over_host(first_launch(form))
                if not self.words:
                    # Of another build or device it is the same launch.
                    self.words = words_on_host_launch(form)
                    self.on_host_words(self.words)
            is_simulated = ordinal == SIMULATOR
            kernel = launchable(request, built, form, spec.load, simulated=is_simulated)
        except SpecError as error:
            return unlaunched(spec.kernel, LaunchOutcome.REFUSED, [error.problem])
        if missing := _missing(self.devices, ordinal):
            return unlaunched(form.title, LaunchOutcome.MISSING, [missing])
        if self.handed is not None:
            spec = self.handed.completed(spec, form)
        spec, shortened = within_limit(spec, self.most)
        resolved = resolve(spec, kernel, self.devices, ordinal)
        problems = (*shortened, *resolved.problems)
        if resolved.request is None:
            return unlaunched(form.title, LaunchOutcome.REFUSED, problems)
        return _Resolved(self._with_expected(resolved.request), problems)

    def _with_expected(self, request: LaunchRequest) -> LaunchRequest:
        """Returns a launch with the expectations that were handed over."""
        if self.handed is None or not self.handed.expected:
            return request
        try:
            prepared = self.workers.launcher.inputs(request)
        except CalculationError:
            return request  # the launch meets the same error, and reports it
        more = self.handed.expectations(request, prepared)
        return replace(request, expectations=(*request.expectations, *more))


def _missing(devices: DeviceList, ordinal: int) -> SpecProblem | None:
    """Returns the problem of a GPU that is not there."""
    if any(device.ordinal == ordinal for device in devices.choices):
        return None
    here = ", ".join(str(device.ordinal) for device in devices.devices)
    message = devices.problem or f"There is no GPU {ordinal}. There are: {here or 'none'}."
    return SpecProblem("device", message, _WITHOUT_GPU)


def _file_name(parameter: str) -> str:
    """Returns a parameter's name as a name for a file: hand-written code may call it anything."""
    return re.sub(r"[^\w-]", "_", parameter)[:_LONGEST_NAME]


def _saved(buffers: Iterable[BufferResult], folder: Path) -> Iterable[BufferResult]:
    """Yields the buffers with paths of copies; the launcher's own files are removed at the end."""
    for buffer in buffers:
        if not buffer.path:
            yield buffer
            continue
        path = folder / f"{_file_name(buffer.name)}.npy"
        try:
            shutil.copyfile(buffer.path, path)
        except OSError as error:
            raise unwritable(path, error, "--save") from None
        yield replace(buffer, path=str(path))


def _moved(buffers: Iterable[BufferResult], folder: Path) -> Iterable[BufferResult]:
    """Yields the buffers with paths of the same files in a folder."""
    for number, buffer in enumerate(buffers):
        if buffer.path:
            path = shutil.move(buffer.path, folder / f"{number}.npy")
            yield replace(buffer, path=str(path))
        else:
            yield buffer
