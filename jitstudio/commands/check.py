"""Whether kernels keep their budgets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.sass.model import SassFunction
from jitstudio.checks.budgets import (
    Budget,
    BudgetError,
    BudgetFile,
    read_budgets,
)
from jitstudio.checks.forms import FormValue, Json, JudgedKernel
from jitstudio.checks.verdicts import BudgetReport, Verdict, is_meant, verdicts
from jitstudio.command_options.build import ModuleOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.command_options.other import CheckOptions
from jitstudio.command_options.values import UsageError, WrongValueError
from jitstudio.commands import exit_codes, launch_exit_codes
from jitstudio.commands.baselines import BudgetBaseline, BudgetBaselines, baseline_name
from jitstudio.commands.diff import program_of
from jitstudio.commands.files import in_folder
from jitstudio.commands.machine_code import MachineCode, Unit, read_machine_code
from jitstudio.commands.module_request import source_in
from jitstudio.commands.project_files import OpenProject
from jitstudio.commands.project_request import confined_buffers, confined_request
from jitstudio.commands.workers import Workers
from jitstudio.core.code import CodeKind, Source
from jitstudio.core.file_names import FileNames, from_here
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.plain_files import read_file
from jitstudio.core.prebuilt import is_compiled
from jitstudio.core.project.project import Project
from jitstudio.core.request import BuildRequest
from jitstudio.core.result import BuildResult


def budgets_of(path: str | Path) -> BudgetFile:
    """Returns the budgets of a file.

    Raises:
        UsageError: It cannot be read or has a mistake.
    """
    try:
        return read_budgets(Path(path))
    except BudgetError as error:
        raise UsageError(str(error)) from None


def check(
    files: Sequence[BudgetFile], options: CheckOptions, by: OpenProject | None = None
) -> tuple[BudgetReport, ...]:
    """Returns a report on each budget for each target.

    Args:
        files: The budgets.
        options: What else is to be known; its files are those that were read.
        by: The project whose launches, target and options count in the place of those of the
            budgets' projects.

    Raises:
        UsageError: A file cannot be read or written, or has a mistake.
        WorkerError: The worker itself failed.
    """
    only = options.only
    chosen = [
        (file, budget)
        for file in files
        for budget in file.budgets
        if only is None or only == budget.name or fnmatchcase(budget.name, only)
    ]
    if not chosen:
        names = ", ".join(f"'{budget.name}'" for file in files for budget in file.budgets)
        raise UsageError(f"There is no budget '{only}'. There are: {names}.")
    with Workers() as workers:
        checks = BudgetChecks(
            workers, options.timeout, trust=options.trust, update=options.update, by=by
        )
        targeted = [
            (file, budget, target)
            for file, budget in chosen
            for target in ((options.arch.sm,) if options.arch else budget.target or ("",))
        ]
        if options.update:
            for words in targeted:
                checks.expect_baselines(*words)
        return tuple(_reported(checks, *words) for words in targeted)


def _reported(checks: BudgetChecks, file: BudgetFile, budget: Budget, target: str) -> BudgetReport:
    """Returns the report on a budget, also on a budget without a file: the others are checked."""
    try:
        return checks.report(file, budget, target)
    except UsageError as error:
        return refused_report(file.path, str(error), budget, target)


def refused_report(
    path: str | Path, problem: str, budget: Budget, target: str = ""
) -> BudgetReport:
    """Returns the report on a budget that cannot be read.

    Args:
        path: The file that it is in.
        problem: Why, a sentence.
        budget: The budget.
        target: What it would be built for; empty where that is not known.
    """
    name, status = str(path) if os.path.lexists(path) else "", exit_codes.USAGE
    return BudgetReport(
        budget,
        target,
        (name,),
        status,
        "refused",
        problem=problem,
        conditions_file=name,
        settings_file=name,
    )


def status_of(reports: Sequence[BudgetReport]) -> int:
    """Returns the exit status: that of the first build that failed, else the verdict."""
    for report in reports:
        if report.status:
            return report.status
    return exit_codes.BUILT if all(report.ok for report in reports) else exit_codes.WRONG


class _Launched(NamedTuple):
    """A launch that was carried out, for other budgets with the same.

    Attributes:
        request: Its build, as asked for.
        values: Its options but the sources.
        build: The result of the build.
        launch: The result of the launch if that came about.
        report: The JSON object of both.
    """

    request: BuildRequest
    values: list[Any]
    build: BuildResult
    launch: LaunchResult | None
    report: Json


class BudgetChecks:
    """Checks budget after budget with the same workers.

    Args:
        workers: The workers.
        timeout: Seconds that a build may take, and each reading.
        trust: Whether the projects of budgets are trusted.
        update: Whether baselines are written anew.
        by: See `check`.
    """

    def __init__(
        self,
        workers: Workers,
        timeout: float,
        *,
        trust: bool,
        update: bool,
        by: OpenProject | None = None,
    ) -> None:
        self._workers, self._timeout, self._project = workers, timeout, by
        self._trust = trust
        self._baselines = BudgetBaselines() if update else None
        self._launches: list[_Launched] = []
        # Of an update: all is read before the first baseline is written.
        self._readings: dict[BuildRequest, MachineCode] = {}

    def report(
        self,
        file: BudgetFile,
        budget: Budget,
        target: str,
        sources: tuple[Source, ...] = (),
        headers: Mapping[str, str] | None = None,
    ) -> BudgetReport:
        """Returns the report on a budget.

        Args:
            file: The file that it is in, or would be.
            budget: The budget.
            target: What is built for; empty for the usual one.
            sources: The modules; they are read where not given.
            headers: Texts of in-memory headers, in place of the files that the budget names.
        """
        try:
            request, options = self._request(file, budget, target, sources, headers)
        except UsageError as error:
            raise UsageError(f"'{file.path}': budget '{budget.name}': {error}") from None
        read = self._read(request)
        result = read.result
        report = BudgetReport(
            budget,
            result.arch.sm,
            tuple(self._path(file, name) for name in budget.files),
            exit_codes.OF_OUTCOME[result.outcome],
            result.outcome.value,
            diagnostics=result.diagnostics,
            conditions_file=str(file.path),
            settings_file=self._settings_file(file, budget),
        )
        if not result.ok:
            return report
        if not _meant(read, budget):
            names = [unit.code.demangled.get(f.name, f.name) for unit, f in _kernels(read)]
            problem = f"There is no kernel '{budget.kernel}'. There are: {', '.join(names)}."
            if not names:
                problem = (
                    "There is no kernel in it. In CUDA C++ a kernel is marked by __global__, and "
                    "name_expression names an instance of a template."
                )
            return replace(report, status=exit_codes.USAGE, problem=problem)
        launch: Json | None = None
        if isinstance(options, RunOptions):
            _, _, built, launched, launch = self._launched(options, request)
            if launched is None:
                status = exit_codes.OF_OUTCOME[built.outcome]
                return replace(report, status=status, diagnostics=built.diagnostics)
            if budget.only_with_gpu and launched.gpu_problem:
                return replace(report, skipped=launched.gpu_problem)
            # A wrong result is for conditions to judge; after another ending there is none.
            if (status := launch_exit_codes.OF_LAUNCH[launched.outcome]) not in (
                0,
                exit_codes.WRONG,
            ):
                outcome = launched.outcome.value
                diagnostics = (*result.diagnostics, *launched.diagnostics)
                return replace(report, status=status, outcome=outcome, diagnostics=diagnostics)
        if self._baselines:
            written = self._baselines.write(tuple(self._new_baselines(file, budget, read)))
            report = replace(report, written=written)
        judged = self._judged(file, budget, request, read, launch)
        return replace(report, verdicts=tuple(judged))

    def expect_baselines(self, file: BudgetFile, budget: Budget, target: str) -> None:
        """Takes note of all that a budget reads and is to write, before anything is written."""
        if not self._baselines:
            return
        try:
            request, _ = self._request(file, budget, target, (), None)
            names = FileNames(request)
            inputs = [names.path(s.name) for s in (*request.sources, *request.libraries)]
            self._baselines.expect((), (file.path, *inputs))
            if _baseline_names(budget):
                new = self._new_baselines(file, budget, self._read(request))
                self._baselines.expect(new, ())
        # The report on the budget says why.
        except UsageError:
            return

    def _read(self, request: BuildRequest) -> MachineCode:
        read = self._readings.get(request) or read_machine_code(
            request, self._timeout, self._workers, with_calls=True
        )
        if self._baselines:
            self._readings[request] = read
        return read

    def _request(
        self,
        file: BudgetFile,
        budget: Budget,
        target: str,
        sources: tuple[Source, ...],
        headers: Mapping[str, str] | None = None,
    ) -> tuple[BuildRequest, ModuleOptions]:
        """Returns the build of a budget, and the options of `jitstudio run` for its launch."""
        if not budget.project and not sources:
            sources = tuple(
                source_in(file.folder, name, trust=self._trust) for name in budget.sources
            )
        values: dict[str, Any] = {
            "sources": sources or (self._path(file, budget.project),),
            "arch": target or None,
            "link": budget.link or None,
            "libdevice": budget.libdevice,
            "compiler": budget.compiler or None,
            "options": budget.option,
            "name_expressions": budget.name_expression,
            "headers": headers or [self._header(file, path) for path in budget.header],
            "libraries": [self._path(file, path) for path in budget.library],
            "trust": self._trust,
        }
        try:
            options = (
                ModuleOptions.of(**values)
                if budget.launch is None
                else confined_buffers(RunOptions.of(**values, **dict(budget.launch)), file.folder)
            )
        except WrongValueError as error:
            raise UsageError(error.about(_key(error.name))) from None
        # With an empty project, no comment of a source and no other project counts.
        settings = Project() if budget.is_built_so else None
        if settings is None and self._project is not None:
            settings = self._project.project
        return confined_request(options, file.folder, settings), options

    def _settings_file(self, file: BudgetFile, budget: Budget) -> str:
        """Returns the file that says how a budget is built and launched."""
        if budget.is_built_so or not budget.project:
            return str(file.path)
        return str(self._project.path if self._project else self._path(file, budget.project))

    def _launched(self, options: RunOptions, request: BuildRequest) -> _Launched:
        """Returns the result of a launch, which budgets with equal options share."""
        # These read sources for their kernels, and few budgets launch any.
        from jitstudio.commands.launch_spec import base_launch  # noqa: PLC0415
        from jitstudio.commands.run import launch, run_object  # noqa: PLC0415

        values = [
            getattr(options, option.name) for option in fields(options) if option.name != "sources"
        ]
        for earlier in self._launches:
            if (earlier.request, earlier.values) == (request, values):
                return earlier
        base = base_launch(self._project, options.kernel or "", options.texts)
        built, launched, _ = launch(
            options, request=request, limit=self._timeout, base=base, workers=self._workers
        )
        report = run_object(built, launched)
        self._launches.append(_Launched(request, values, built, launched, report))
        return self._launches[-1]

    def _header(self, file: BudgetFile, text: str) -> str:
        name, equals, path = text.partition("=")
        return f"{name}{equals}{self._path(file, path)}"

    def _path(self, file: BudgetFile, name: str) -> str:
        return in_folder(file.folder, name, trust=self._trust)

    def _judged(
        self,
        file: BudgetFile,
        budget: Budget,
        request: BuildRequest,
        read: MachineCode,
        launch: Json | None,
    ) -> Iterator[Verdict]:
        names = FileNames(request)
        sources = {names.path(source.name) for source in request.sources}
        for unit, function in _meant(read, budget):
            facts = JudgedKernel(
                function,
                unit.resources.get(function.name),
                unit.code.target,
                partial(self._equality, file, request, unit, function.name),
                unit.module_of(function),
                launch,
                read.result.diagnostics if is_compiled(request, unit.name, function.name) else None,
            )
            yield from verdicts(
                budget.require,
                facts,
                unit.code.demangled.get(function.name, function.name),
                sources,
                from_here,
                names.path(unit.ptx_sources.get(function.name, "")),
            )

    def _equality(
        self,
        file: BudgetFile,
        request: BuildRequest,
        unit: Unit,
        kernel: str,
        name: str,
        normalised: bool,
    ) -> FormValue:
        """Returns whether the machine code of a kernel equals a baseline."""
        path = Path(self._path(file, baseline_name(name, unit)))
        try:
            content = read_file(path)
        except FileNotFoundError:
            note = f"There is no '{path}'. 'jitstudio check --update' writes it."
            return FormValue(None, (), note)
        except OSError as error:
            return FormValue(None, (), f"'{path}' cannot be read: {error.strerror}.")
        source = Source(path.name, CodeKind.CUBIN, content)
        read = read_machine_code(_reading_of(source, request), self._timeout, self._workers)
        if not read.result.ok:
            reasons = " ".join(diagnostic.message for diagnostic in read.result.diagnostics)
            return FormValue(None, (), f"'{path}' cannot be read as a cubin. {reasons}")
        left, right = program_of(read.units, kernel), program_of((unit,), kernel)
        if not left.code.functions:
            return FormValue(0, (), f"'{path}' has no kernel '{kernel}'.")
        comparison = compare_programs(left, right, normalised=normalised)
        if comparison.equal:
            return FormValue(1, (), f"Equal to '{path}'.")
        note = (
            f"It differs from '{path}'; 'jitstudio diff' shows where. If that is meant, "
            "'jitstudio check --update' makes it the baseline."
        )
        return FormValue(0, (), note)

    def _new_baselines(
        self, file: BudgetFile, budget: Budget, read: MachineCode
    ) -> Iterator[BudgetBaseline]:
        """Yields the baselines that the conditions compare with, as the build is now."""
        for unit in dict.fromkeys(unit for unit, _ in _meant(read, budget)):
            builder = _builder(file, budget, unit)
            for name in _baseline_names(budget):
                path = Path(self._path(file, baseline_name(name, unit)))
                yield BudgetBaseline(path, name, unit.cubin.content, builder)


def _baseline_names(budget: Budget) -> tuple[str, ...]:
    """Returns the names of baselines in the conditions of a budget."""
    comparing = (condition for condition in budget.require if condition.word == "equal_to")
    return tuple(dict.fromkeys(str(condition.subject.arguments[0]) for condition in comparing))


def _key(name: str) -> str:
    """Returns the key of a budget, or of a launch in it, for an option."""
    key = RunOptions.flag_of(name).removeprefix("--").replace("-", "_")
    return {"arch": "target"}.get(key, key)


def _reading_of(source: Source, request: BuildRequest) -> BuildRequest:
    """Returns the reading of a cubin, with the target and the compilers of a build."""
    return BuildRequest(
        (source,), arch=request.arch, confined_to=request.confined_to, toolchain=request.toolchain
    )


def _builder(file: BudgetFile, budget: Budget, unit: Unit) -> str:
    """Returns the words for a build of a budget, which may share its name with others."""
    number = next(n for n, other in enumerate(file.budgets, 1) if other is budget)
    return f"{unit.name} for {unit.code.target} by budget {number} of '{file.path}'"


def _kernels(read: MachineCode) -> Iterator[tuple[Unit, SassFunction]]:
    return (
        (unit, function) for unit in read.units for function in unit.functions if function.is_kernel
    )


def _meant(read: MachineCode, budget: Budget) -> list[tuple[Unit, SassFunction]]:
    return [
        (unit, function)
        for unit, function in _kernels(read)
        if is_meant(
            budget.kernel, function.name, unit.code.demangled.get(function.name, function.name)
        )
    ]
