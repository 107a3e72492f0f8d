"""`jitstudio run`: build, launch, time and check a kernel."""

from __future__ import annotations

import argparse
import json
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from jitstudio.cli import build, text_output
from jitstudio.cli.request import (
    UsageError,
    arch_for,
    argument_texts,
    base_launch,
    base_request,
    given_project,
    has_target,
    made_folder,
    most_seconds,
    request_from,
    spec_from,
    unwritable,
    within_limit,
)
from jitstudio.cli.text_output import print_launch
from jitstudio.commands import exit_codes
from jitstudio.commands.json_output import Json, launch_object, result_object
from jitstudio.core.diagnostics import Severity, diagnostic_line
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
    ConsoleText,
    LaunchEvent,
    LaunchOutcome,
    LaunchProgress,
    LaunchResult,
    SimulationForecast,
    diagnostic_of,
    unlaunched,
)
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.request import DEFAULT_TIMEOUT, BuildRequest
from jitstudio.core.result import BuildResult
from jitstudio.listing.kernels import kernel_forms
from jitstudio.listing.own_headers import own_headers
from jitstudio.terminal import pass_on, print_error, print_progress, say
from jitstudio.worker.launcher import Launcher


def _ignore_words(_words: Sequence[str]) -> None:
    """For whoever shows the launch and not where it comes from."""


_LONGEST_NAME = 100
_WITHOUT_GPU = "--device sim runs the kernel without a GPU."
_GPU = 0
"""The one that is compared with the simulator where that was chosen."""
_OTHER_COMPARISON = SpecProblem(
    "both",
    "The project compares a GPU and the simulator, which --compare-option does not: this build and "
    "the other one run on the same device.",
    "Leave --compare-option out to compare a GPU and the simulator.",
    Severity.INFO,
)
_BUILT = ("ok", "outcome", "arch", "kernels", "diagnostics")


def run(arguments: argparse.Namespace) -> int:
    """Does what the arguments say and returns the exit status.

    Raises:
        UsageError: An argument is wrong, a file cannot be read or written.
        WorkerError: The worker itself failed.
    """
    heard = _ignore if arguments.json else _show_printed
    begins = _ignore_words if arguments.json else _say_beginning
    built, result, found = launch(arguments, heard, begins=begins)
    if result is None:
        return _report_build(built, arguments.json)
    if arguments.json:
        say(json.dumps(run_object(built, result), indent=2))
    else:
        _report(built, result, found, arguments.device)
        for buffer in result.buffers if arguments.save else ():
            say(buffer.path)
    return exit_codes.OF_LAUNCH[result.outcome]


def launch(
    arguments: argparse.Namespace,
    heard: Callable[[LaunchEvent], None],
    request: BuildRequest | None = None,
    limit: float | None = None,
    begins: Callable[[Sequence[str]], None] = _ignore_words,
) -> tuple[BuildResult, LaunchResult | None, DeviceList]:
    """Returns the build, the launch of it if there was one, and the GPUs.

    Args:
        arguments: The words of the command line.
        heard: Is given what happens meanwhile.
        request: What is built in place of what the arguments say.
        limit: Seconds that the build and the launch may take at most, whatever the arguments and
            a project say; None for what they say.
        begins: Is given what the launch takes from the host code, before it.

    Raises:
        UsageError, WorkerError: See `run`.
    """
    compared = tuple(getattr(arguments, "compare_option", ()))
    if compared and getattr(arguments, "both", False):
        raise UsageError("--both and --compare-option are two comparisons: give one of them.")
    project = given_project(arguments.sources)
    given = argument_texts(arguments)
    base = base_launch(project, arguments.kernel or "", given)
    spec = spec_from(arguments, base)
    remarks: tuple[SpecProblem, ...] = ()
    if compared and spec.both:
        spec, remarks = replace(spec, both=False), (_OTHER_COMPARISON,)
    request = request or request_from(arguments, base_request(project, arguments))
    request = build_for_launch(request, spec.kernel)
    folder = made_folder(arguments.save, "--save")
    launcher = Launcher()
    try:
        found = launcher.devices()
        target = _GPU if spec.both and arguments.device == SIMULATOR else arguments.device
        arch = arch_for(request.arch, has_target(arguments), found, target)
        request = replace(request, arch=arch)
        building = DEFAULT_TIMEOUT if limit is None else limit
        built = build.build(request, building)[-1]
        if not built.ok:
            return built, None, found
        begin = partial(spec_from, arguments) if base is None else None
        most = most_seconds(arguments, base) if limit is None else limit
        sides = _Sides(
            launcher, spec, found, arguments.device, heard, begin, most, building, begins
        )
        result = sides.launch(_Side(request, built), compared, remarks)
        result = replace(result, begins=sides.words)
        if folder is not None:
            result = replace(result, buffers=tuple(_saved(result.buffers, folder)))
        result = sides.with_contraction(_Side(request, built), compared, result)
    finally:
        launcher.close()
    return built, result, found


def run_object(built: BuildResult, result: LaunchResult | None) -> Json:
    """Returns the JSON object of the command: that of the build where nothing was launched."""
    made = result_object(built)
    if result is None:
        return made
    # The text of the code is not what was asked for here.
    return launch_object(result) | {"build": {name: made[name] for name in _BUILT}}


class _Side(NamedTuple):
    """A build to launch from: what was asked for, and what came of it."""

    request: BuildRequest
    built: BuildResult


@dataclass(frozen=True)
class _Resolved:
    """A launch that can be carried out, and what is to be known of it."""

    request: LaunchRequest
    problems: tuple[SpecProblem, ...]


@dataclass
class _Sides:
    """Launches a kernel, and once more on another device or of another build to compare.

    Attributes:
        launcher: What carries it out.
        spec: What is asked for.
        found: The GPUs.
        ordinal: Of the one to use.
        heard: Is given what happens meanwhile.
        begin: Completes the launch that the host code has; None where that is not to be read.
        most: Seconds that a launch may take at most.
        building: Seconds that a build may take at most.
        begins: Is given what the launch takes from the host code, before it.
        words: The same; empty for nothing.
        launched: The launch as it was sent; None before.
    """

    launcher: Launcher
    spec: LaunchSpec
    found: DeviceList
    ordinal: int
    heard: Callable[[LaunchEvent], None]
    begin: Callable[[LaunchSpec], LaunchSpec] | None
    most: float
    building: float
    begins: Callable[[Sequence[str]], None]
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
        result = self.launcher.launch(
            own.request,
            on_event=self.heard,
            rival=other.request if other else None,
            rival_build=f"built with {' '.join(compared)}" if compared else "",
        )
        problems = map(diagnostic_of, (*remarks, *own.problems))
        return replace(result, diagnostics=(*problems, *result.diagnostics))

    def with_contraction(
        self, side: _Side, compared: tuple[str, ...], result: LaunchResult
    ) -> LaunchResult:
        """Returns a result that went wrong in floats with the part of contraction in it, tried.

        That is looked for where two runs were asked for.
        """
        launched = self.launched
        asked = launched is not None and (launched.both or bool(compared))
        if launched is None or not asked or not may_be_contraction(launched, result):
            return result
        options = (*side.request.options, *compared)
        if any("fmad" in option or "-fma=" in option for option in options):
            return result
        heard, self.heard = self.heard, _ignore
        try:
            plain = _built_with(side.request, (WITHOUT_FMA,), self.building)
            return with_contraction(result, self.launch(plain, compared) if plain else None)
        finally:
            self.heard = heard

    def _other(
        self, side: _Side, compared: tuple[str, ...], both: bool
    ) -> _Resolved | LaunchResult | None:
        """Returns what is run besides, or why it cannot be; None for nothing."""
        if compared:
            other = _built_with(side.request, compared, self.building)
            if other is None:
                told = SpecProblem("code", f"The build with {' '.join(compared)} failed.")
                return unlaunched(self.spec.kernel, LaunchOutcome.REFUSED, [told])
            return self._resolved(other, self.ordinal)
        if both:
            return self._resolved(side, _GPU if self.ordinal == SIMULATOR else SIMULATOR)
        return None

    def _resolved(self, side: _Side, ordinal: int) -> _Resolved | LaunchResult:
        """Returns the launch on a device, or why there is none."""
        request, built = side
        spec = self.spec
        try:
            access = self.begin is not None
            forms = kernel_forms(request.sources, built, own_headers(request), access=access)
            form = choose_form(launched_name(built, spec.kernel), forms, request.sources)
            if self.begin is not None and form.host_launch is not None:
                spec = self.begin(first_launch(form))
                if not self.words:
                    # Of another build or device it is the same launch.
                    self.words = words_on_host_launch(form)
                    self.begins(self.words)
            simulated = request.sources if ordinal == SIMULATOR else None
            kernel = launchable(built, form, spec.load, request.confined_to, simulated=simulated)
        except SpecError as error:
            return unlaunched(spec.kernel, LaunchOutcome.REFUSED, [error.problem])
        if missing := _missing(self.found, ordinal):
            return unlaunched(form.title, LaunchOutcome.MISSING, [missing])
        spec, shortened = within_limit(spec, self.most)
        resolved = resolve(spec, kernel, self.found, ordinal)
        problems = (*shortened, *resolved.problems)
        if resolved.request is None:
            return unlaunched(form.title, LaunchOutcome.REFUSED, problems)
        return _Resolved(resolved.request, problems)


def _built_with(request: BuildRequest, options: tuple[str, ...], most: float) -> _Side | None:
    """Returns a build with further options, of so many seconds at most; None where it fails."""
    request = replace(request, options=(*request.options, *options))
    built = build.build(request, most)[-1]
    return _Side(request, built) if built.ok else None


def _show_printed(event: LaunchEvent) -> None:
    """What the kernel prints, as it comes, what is done, and how long a simulation will take."""
    match event:
        case ConsoleText(text):
            pass_on(text)
        case LaunchProgress(doing):
            print_progress(f"jitstudio: {doing}")
        case SimulationForecast():
            fewer = f" --blocks {event.fewer} simulates these only."
            print_error(f"jitstudio: {event.words}{fewer if event.fewer < event.blocks else ''}")


def _ignore(_event: LaunchEvent) -> None:
    """For JSON, which has all of it at the end."""


def _say_beginning(words: Sequence[str]) -> None:
    for sentence in words:
        print_error(f"jitstudio: {sentence}")


def _missing(found: DeviceList, ordinal: int) -> SpecProblem | None:
    """Returns why there is no such GPU."""
    if any(device.ordinal == ordinal for device in found.choices):
        return None
    here = ", ".join(str(device.ordinal) for device in found.devices)
    message = found.problem or f"There is no GPU {ordinal}. There are: {here or 'none'}."
    return SpecProblem("device", message, _WITHOUT_GPU)


def _report_build(built: BuildResult, as_json: bool) -> int:
    if as_json:
        say(json.dumps(run_object(built, None), indent=2))
    else:
        build.show(built)
    return exit_codes.OF_OUTCOME[built.outcome]


def _report(built: BuildResult, result: LaunchResult, found: DeviceList, ordinal: int) -> None:
    for diagnostic in built.diagnostics:
        print_error(diagnostic_line(diagnostic))
    text_output.print_summary(built)
    device = next((device for device in found.devices if device.ordinal == ordinal), None)
    print_launch(result, device)


def _file_name(parameter: str) -> str:
    """Returns a parameter's name as a name for a file: hand-written code may call it anything."""
    return re.sub(r"[^\w-]", "_", parameter)[:_LONGEST_NAME]


def _saved(buffers: Iterable[BufferResult], folder: Path) -> Iterable[BufferResult]:
    """Yields the buffers with the paths of their copies; the launcher's own files go with it."""
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
