"""The tools: build, inspect, diff, compare, check, explain and run.

Whoever asks is not trusted: files are read in one folder only, options are sent only if they do no
harm, and nothing is launched on a GPU unless the user has allowed it.
"""

from __future__ import annotations

import inspect as reflection
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from jitstudio.analysis.findings.measured import with_measured
from jitstudio.analysis.reference import reference
from jitstudio.checks.budgets import BudgetFile, budget_from
from jitstudio.command_options.build import BuildOptions, ModuleOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.command_options.values import PATHS, SIZE, UsageError, WrongValueError
from jitstudio.commands.build import complete, with_outputs
from jitstudio.commands.check import BudgetChecks
from jitstudio.commands.diff import compared, side_of
from jitstudio.commands.machine_code import (
    Inspected,
    MachineCode,
    inspection_of,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.commands.module_request import source_in
from jitstudio.commands.project_request import confined_buffers, confined_request
from jitstudio.commands.run import launch
from jitstudio.commands.workers import Workers
from jitstudio.core.code import CodeKind, Source, kind_of
from jitstudio.core.launch.resolve import dims
from jitstudio.core.launch.result import LaunchResult
from jitstudio.core.launch.simulation import Simulation
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.options import OPTIONS
from jitstudio.core.result import BuildResult
from jitstudio.mcp import parameters as p
from jitstudio.mcp import summaries
from jitstudio.mcp.answers import LONGEST_COMPARISON, Answer, Json, Section
from jitstudio.mcp.comparing import run_changes
from jitstudio.worker import scratch

_GPU_NOT_ALLOWED = (
    "device: the user has not allowed launches on a GPU, by --allow-run where this server is "
    "started. device='sim' runs the kernel in the simulator."
)
_TEXTS = (CodeKind.CUDA, CodeKind.LLVM_IR, CodeKind.PTX)


class Tools:
    """The tools of a call; the docstring of each is what a model reads.

    Args:
        folder: Where files may be read.
        timeout: Seconds that a build, a reading or a launch may take.
        allow_run: Whether kernels may be launched on a GPU.
        workers: The workers of the call.
    """

    def __init__(self, folder: Path, timeout: float, *, allow_run: bool, workers: Workers) -> None:
        self._folder, self._timeout, self._allow_run = folder, timeout, allow_run
        self._workers = workers

    def build(
        self,
        sources: p.Modules,
        target: p.Target = "",
        options: p.Options = [],
        name_expressions: p.Names = [],
        headers: p.Headers = {},
        link: p.Link = "none",
        emit: p.Emit = ["ptx"],
    ) -> Answer:
        """Compile and link: errors with explanations and fixes, registers and spills, code."""
        build_options = BuildOptions.of(
            **self._settings(sources, target, options, name_expressions, headers, link),
            emit=[*emit, CodeKind.CUBIN.value],
        )
        request = with_outputs(confined_request(build_options, self._folder), build_options)
        _, result, inlined = complete(request, self._timeout, workers=self._workers)
        return summaries.build_answer(result, inlined, emit)

    def inspect(
        self,
        sources: p.Modules,
        target: p.Target = "",
        options: p.Options = [],
        name_expressions: p.Names = [],
        headers: p.Headers = {},
        link: p.Link = "none",
        kernel: p.Kernel = "",
        block: p.Threads = 0,
        code: p.Code = False,
    ) -> Answer:
        """Read machine code: registers, spills, occupancy, findings by cause, instructions."""
        settings = self._settings(sources, target, options, name_expressions, headers, link)
        read = self._read(settings, kernel)
        functions = [*_functions(read, kernel, block or None)]
        return summaries.inspect_answer(read, functions, with_code=code)

    def diff(
        self,
        a: p.Side,
        b: p.Side,
        target: p.Target = "",
        options: p.Options = [],
        name_expressions: p.Names = [],
        headers: p.Headers = {},
        kernel: p.Kernel = "",
        normalised: p.Normalised = True,
    ) -> Answer:
        """Compare the machine code of two programs, line by line."""
        left, right = (
            side_of(name, read, kernel or None)
            for name, read in self._both(a, b, target, options, name_expressions, headers, kernel)
        )
        return summaries.diff_answer(compared(left, right, normalised=normalised))

    def compare(
        self,
        a: p.Side,
        b: p.Side,
        launch: p.Launch = {},
        target: p.Target = "",
        options: p.Options = [],
        name_expressions: p.Names = [],
        headers: p.Headers = {},
    ) -> Answer:
        """Say in short what b changes: figures, findings, simulated totals, outputs."""
        kernel = str(launch.get("kernel", ""))
        reads = [*self._both(a, b, target, options, name_expressions, headers, kernel)]
        difference = compared(
            *(side_of(name, read, kernel or None) for name, read in reads), normalised=True
        )
        if difference.comparison is None:
            return summaries.diff_answer(difference)._replace(longest=LONGEST_COMPARISON)
        head: Json = {"same_code": difference.comparison.equal}
        simulations: tuple[Simulation | None, ...] = (None, None)
        if launch:
            settings = [
                self._settings(side, target, options, name_expressions, headers) for side in (a, b)
            ]
            said, simulations = self._compared_runs(settings, launch)
            head |= said
        threads = _threads(launch)
        functions = [[*_functions(read, kernel, threads)] for _, read in reads]
        before, after = (
            {
                (finding.rule, finding.title): finding
                for function in side
                for finding in with_measured(function.findings, simulation)
            }
            for side, simulation in zip(functions, simulations, strict=True)
        )
        sections = {
            "figures": Section(summaries.figure_changes(difference)),
            "occupancy": Section(summaries.occupancy_changes(*functions)),
            "gone": Section([finding.title for key, finding in before.items() if key not in after]),
            "new": Section(
                [summaries.finding_line(f) for key, f in after.items() if key not in before]
            ),
        }
        return Answer(head, sections, LONGEST_COMPARISON)

    def check(
        self,
        require: p.Require,
        sources: p.Modules,
        target: p.Target = "",
        options: p.Options = [],
        name_expressions: p.Names = [],
        headers: p.Headers = {},
        link: p.Link = "none",
        kernel: p.Kernel = "",
    ) -> Answer:
        """Check conditions on the machine code of kernels: whether each holds, and why."""
        choices = {"kernel": kernel, "link": link if link != "none" else ""}
        budget = budget_from(
            {
                "sources": [*sources],
                "require": require,
                "option": options,
                "name_expression": name_expressions,
                **{key: value for key, value in choices.items() if value},
            }
        )
        checks = BudgetChecks(self._workers, self._timeout, trust=False, update=False)
        file = BudgetFile(self._folder / "(conditions)", (budget,))
        return summaries.check_answer(
            checks.report(file, budget, target, self._modules(sources), headers)
        )

    def explain(self, word: p.Explained, language: p.Language = "sass") -> Answer:
        """Explain an opcode or register of SASS or PTX, or an option of the compilers."""
        if language == "option":
            return summaries.explain_answer([spec for spec in OPTIONS if spec.matches(word)])
        known = reference(CodeKind(language))
        explanation = known.explain(word, opens=True) or known.explain(word)
        if explanation is None:
            raise UsageError(f"Nothing is known about '{word}' in {language}.")
        return summaries.explain_answer(explanation)

    def run(
        self,
        sources: p.Modules,
        target: p.Target = "",
        options: p.Options = [],
        name_expressions: p.Names = [],
        headers: p.Headers = {},
        link: p.Link = "none",
        kernel: p.Kernel = "",
        arguments: p.Arguments = {},
        variables: p.Variables = {},
        grid: p.Grid = "",
        cover: p.Cover = "",
        block: p.Block = "",
        cluster: p.Cluster = "",
        cooperative: p.Cooperative = False,
        shared: p.Shared = "",
        expect: p.Expect = [],
        seed: p.Seed = 0,
        repeat: p.Repeat = 10,
        device: p.Device = "sim",
    ) -> Answer:
        """Build and run a kernel, check what it has written, count or time it."""
        settings = self._settings(sources, target, options, name_expressions, headers, link)
        fields = {
            "kernel": kernel,
            "arguments": arguments,
            "variables": variables,
            "grid": grid,
            "cover": cover,
            "block": block,
            "cluster": cluster,
            "cooperative": cooperative,
            "shared": shared,
            "expect": expect,
            "seed": seed,
            "repeat": repeat,
            "device": device,
        }
        return summaries.run_answer(*self._launched(settings, fields))

    def _launched(
        self, settings: Mapping[str, Any], fields: Mapping[str, Any], keep: Path | None = None
    ) -> tuple[BuildResult, LaunchResult | None]:
        """Returns the build and the launch by fields of `run`."""
        known = [*reflection.signature(self.run).parameters]
        known = known[known.index("kernel") :]
        for name in fields:
            if name not in known:
                raise UsageError(f"launch: {p.unknown_field(name, known)}")
        words = {name: value for name, value in fields.items() if value not in ("", {}, [])}
        device = words.pop("device", "sim")
        if device != "sim" and not self._allow_run:
            raise UsageError(_GPU_NOT_ALLOWED)
        options = RunOptions.of(
            **settings,
            **{_OPTIONS.get(name, name): value for name, value in words.items()},
            timeout=self._timeout,
            device="sim" if device == "sim" else 0,
        )
        options = confined_buffers(options, self._folder)
        request = confined_request(options, self._folder)
        built, result, _ = launch(options, request=request, workers=self._workers, keep=keep)
        return built, result

    def _compared_runs(
        self, settings: list[dict[str, Any]], fields: Mapping[str, Any]
    ) -> tuple[Json, tuple[Simulation | None, ...]]:
        """Returns what differs between two launches, and the simulations."""
        folder = scratch.make("compare")
        try:
            runs = []
            for name, side in zip("ab", settings, strict=True):
                (folder / name).mkdir()
                built, result = self._launched(side, fields, folder / name)
                if result is None:
                    rows = summaries.diagnostic_rows(built.diagnostics)
                    raise UsageError(f"{name}: {' '.join(rows[:2]) or built.outcome.value}")
                runs.append(result)
            return run_changes(*runs), tuple(run.simulation for run in runs)
        finally:
            scratch.remove(folder)

    def _settings(
        self,
        sources: Mapping[str, str] | list[str],
        target: str,
        options: list[str],
        names: list[str],
        headers: Mapping[str, str],
        link: str = "none",
    ) -> dict[str, Any]:
        """Returns the build that a tool was asked for, by the fields of `ModuleOptions`."""
        return {
            "sources": self._modules(sources),
            "arch": target or None,
            "options": options,
            "name_expressions": names,
            "headers": headers,
            "link": None if link == "none" else link,
        }

    def _modules(self, sources: Mapping[str, str] | list[str]) -> tuple[Source, ...]:
        """Returns the modules; texts are as if they lay in the folder."""
        if not sources:
            raise UsageError("sources: give texts by their names, or names of files.")
        if isinstance(sources, Mapping):
            return tuple(self._text(name, text) for name, text in sources.items())
        return tuple(source_in(self._folder, path) for path in _paths(sources))

    def _text(self, name: str, text: str) -> Source:
        kind = kind_of(name)
        if kind not in _TEXTS:
            raise UsageError(f"'{name}' has to end in .cu, .ll or .ptx, which says what it is.")
        return Source(name, kind, text.encode("utf-8", "replace"), str(self._folder))

    def _both(
        self,
        a: Mapping[str, str] | list[str],
        b: Mapping[str, str] | list[str],
        target: str,
        options: list[str],
        names: list[str],
        headers: Mapping[str, str],
        kernel: str,
    ) -> Iterator[tuple[str, MachineCode]]:
        for name, modules in (("a", a), ("b", b)):
            settings = self._settings(modules, target, options, names, headers)
            yield name, self._read(settings, kernel)

    def _read(self, settings: Mapping[str, Any], kernel: str) -> MachineCode:
        request = confined_request(ModuleOptions.of(**settings), self._folder)
        read = read_machine_code(
            request, self._timeout, self._workers, with_calls=True, function=kernel
        )
        if kernel and read.result.ok and not any(unit.named(kernel) for unit in read.units):
            raise UsageError(no_such_kernel(kernel, read.units))
        return read


_OPTIONS = {"variables": "set", "repeat": "repeats"}
"""The names of fields of `run` among the options of the command."""


def _paths(names: list[str]) -> tuple[str, ...]:
    try:
        paths: tuple[str, ...] = PATHS.check(names)
    except ValueError as error:
        raise WrongValueError("sources", names, str(error)) from None
    return paths


def _functions(read: MachineCode, kernel: str, threads: int | None) -> Iterator[Inspected]:
    for unit in read.units:
        for function in unit.named(kernel or None):
            yield inspection_of(unit, function, threads, 0)


def _threads(launch: Mapping[str, Any]) -> int | None:
    """Returns the threads per block of a launch; None where its arguments say how many."""
    if not launch:
        return None
    try:
        return prod(dims("block", SIZE.check(launch.get("block") or LaunchSpec().block), {}))
    except ValueError:
        return None
