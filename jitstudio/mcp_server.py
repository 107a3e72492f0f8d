"""The tools that `jitstudio mcp` serves: build, inspect, diff, check, explain and run.

Whoever asks is not trusted: files are read in one folder only, options are sent only if they do no
harm, and nothing is launched unless the user has allowed it. The work is done by the same sealed
processes as that of the command line, one request after the other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from jitstudio import __version__
from jitstudio.analysis.reference import Help, reference
from jitstudio.checks.budgets import MOST_CONDITIONS, BudgetError, BudgetFile, budget_from
from jitstudio.checks.conditions import ConditionError
from jitstudio.command_options.build import BuildOptions, ModuleOptions
from jitstudio.command_options.launch import RunOptions
from jitstudio.command_options.values import UsageError, WrongValueError
from jitstudio.commands.build import complete, with_outputs
from jitstudio.commands.check import BudgetChecks
from jitstudio.commands.diff import compared, side_of
from jitstudio.commands.json_code import diff_object, inspect_object
from jitstudio.commands.json_output import build_object, check_object, options_object
from jitstudio.commands.machine_code import (
    MachineCode,
    inspected,
    no_such_kernel,
    read_machine_code,
)
from jitstudio.commands.request import confined_buffers, others_request, source_in
from jitstudio.commands.run import launch, run_object
from jitstudio.commands.workers import Workers
from jitstudio.core.code import CodeKind, Source, kind_of
from jitstudio.core.options import OPTIONS
from jitstudio.worker.host import WorkerError

LONGEST_TEXT = 20_000
"""Characters of a text in an answer."""
MOST_ROWS = 400
"""Entries of a list in an answer."""
_LONGEST_SOURCE = 1 << 20
_MOST = 50
_SHORT = 1000

Word = Annotated[str, Field(max_length=_SHORT)]
Texts = Annotated[
    dict[Annotated[str, Field(max_length=200)], Annotated[str, Field(max_length=_LONGEST_SOURCE)]],
    Field(
        max_length=_MOST,
        description="Modules by the names of files: .cu, .ll or .ptx says what they are.",
    ),
]
Files = Annotated[
    list[Word],
    Field(max_length=_MOST, description="Modules that are files below the server's folder."),
]
Target = Annotated[str, Field(max_length=20, description="Such as sm_90; empty for the usual one.")]
Options = Annotated[
    list[Word],
    Field(max_length=100, description="For the compilers, such as --use_fast_math or -lineinfo."),
]
Names = Annotated[
    list[Word],
    Field(max_length=100, description="Instances of templates, such as saxpy<float>."),
]
Link = Annotated[
    Literal["none", "ptx", "lto"], Field(description="How the modules are linked, if at all.")
]
Kernel = Annotated[str, Field(max_length=_SHORT, description="Only this one; empty for all.")]
Json = dict[str, Any]

_NAMES = {"arch": "target", "repeats": "repeat", "set": "variables"}
"""What the tools call options that commands call otherwise."""

_INSTRUCTIONS = """\
Compiles CUDA C++, LLVM IR and PTX with NVIDIA's own compilers and shows what becomes of them,
without a GPU: PTX, SASS, registers, spills, occupancy, findings. Give modules as texts or name
files of the server's folder. Long answers are cut, and say so."""


def serve(folder: Path, timeout: float, *, allow_run: bool) -> None:
    """Answers requests from stdin until stdin is closed.

    Args:
        folder: Where files may be read.
        timeout: Seconds that a build, a reading or a launch may take.
        allow_run: Whether kernels may be launched.
    """
    tools = _Tools(folder, timeout)
    server = MCPServer(
        "jitstudio", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING"
    )
    offered = (tools.build, tools.inspect, tools.diff, tools.check, tools.explain)
    for tool in (*offered, tools.run) if allow_run else offered:
        server.add_tool(
            tools.guarded(tool), annotations=ToolAnnotations(read_only_hint=tool != tools.run)
        )
    server.run("stdio")


class _Tools:
    """The tools; the docstring of each is what a model reads."""

    def __init__(self, folder: Path, timeout: float) -> None:
        self._folder, self._timeout = folder, timeout
        self._one_at_a_time = threading.Lock()

    def guarded(self, tool: Callable[..., Json]) -> Callable[..., Json]:
        """Returns a tool whose mistakes are sentences, and whose answers have bounds."""

        @wraps(tool)
        def call(*words: Any, **settings: Any) -> Json:
            with self._one_at_a_time:
                try:
                    answer: Json = shortened(tool(*words, **settings))
                except WrongValueError as error:
                    raise ToolError(error.about(_NAMES.get(error.name, error.name))) from None
                except (UsageError, BudgetError, ConditionError, WorkerError) as error:
                    raise ToolError(str(error)) from None
                return answer

        return call

    def build(
        self,
        sources: Texts | None = None,
        files: Files | None = None,
        target: Target = "",
        options: Options | None = None,
        name_expressions: Names | None = None,
        link: Link = "none",
        emit: Annotated[
            list[Literal["ptx", "sass"]], Field(max_length=2, description="Texts to return.")
        ] = ["ptx"],  # noqa: B006 - a list, as the schema shows it
    ) -> Json:
        """Compile and link; returns logs, errors with explanations and fixes, kernels, code."""
        build_options = BuildOptions.of(
            **self._settings(sources, files, target, options, name_expressions, link),
            emit=emit or None,
        )
        request = with_outputs(others_request(build_options, self._folder), build_options)
        _, result, inlined = complete(request, self._timeout)
        return build_object(result, (), inlined)

    def inspect(
        self,
        sources: Texts | None = None,
        files: Files | None = None,
        target: Target = "",
        options: Options | None = None,
        name_expressions: Names | None = None,
        link: Link = "none",
        kernel: Kernel = "",
        block: Annotated[
            int, Field(ge=0, le=1024, description="Threads per block for the occupancy.")
        ] = 0,
        code: Annotated[bool, Field(description="Whether to list the instructions.")] = False,
    ) -> Json:
        """Read machine code: registers, spills, instructions, occupancy, findings, loops."""
        settings = self._settings(sources, files, target, options, name_expressions, link)
        read = self._read(settings, kernel)
        functions = [
            inspected(unit, function, block or None, 0)
            for unit in read.units
            for function in unit.named(kernel or None)
        ]
        return _as_lines(inspect_object(read, functions), code=code)

    def diff(
        self,
        a: Texts,
        b: Texts,
        target: Target = "",
        options: Options | None = None,
        name_expressions: Names | None = None,
        kernel: Kernel = "",
        normalised: Annotated[
            bool, Field(description="Let register names and control bits be no difference.")
        ] = True,
    ) -> Json:
        """Compare the machine code of two programs, given as texts, and all their figures."""
        left, right = (
            side_of(
                name,
                self._read(self._settings(texts, None, target, options, name_expressions), kernel),
                kernel or None,
            )
            for name, texts in (("a", a), ("b", b))
        )
        difference = compared(left, right, normalised=normalised)
        answer = diff_object(difference, "sass", kernel or None, normalised=normalised)
        for hunk in answer["hunks"]:
            hunk["rows"] = [
                {side: row[side] for side in ("change", "a", "b")} for row in hunk["rows"]
            ]
        answer["report"] = [row for row in answer["report"] if row["delta"] != 0]
        return answer

    def check(
        self,
        require: Annotated[
            list[Word],
            Field(
                min_length=1,
                max_length=MOST_CONDITIONS,
                description="Such as 'registers <= 64', 'spills == 0', 'no double', "
                "'LDG.128 >= 1', 'occupancy(256) >= 50%', 'no finding:strided'.",
            ),
        ],
        sources: Texts | None = None,
        files: Files | None = None,
        target: Target = "",
        options: Options | None = None,
        name_expressions: Names | None = None,
        link: Link = "none",
        kernel: Kernel = "",
    ) -> Json:
        """Check conditions on the machine code of kernels; says whether each holds, and why."""
        choices = {"kernel": kernel, "link": link if link != "none" else ""}
        budget = budget_from(
            {
                "sources": [*(sources or {}), *(files or ())],
                "require": require,
                "option": options or [],
                "name_expression": name_expressions or [],
                **{key: value for key, value in choices.items() if value},
            }
        )
        with Workers() as workers:
            checks = BudgetChecks(workers, self._timeout, trust=False, update=False)
            file = BudgetFile(self._folder / "(conditions)", (budget,))
            return check_object(
                [checks.report(file, budget, target, self._modules(sources, files))]
            )

    def explain(
        self,
        word: Annotated[str, Field(max_length=200, min_length=1)],
        language: Literal["sass", "ptx", "option"] = "sass",
    ) -> Json:
        """Explain an opcode or register of SASS or PTX, such as LDG.E.128, or a compiler option."""
        if language == "option":
            specs = [spec for spec in OPTIONS if spec.matches(word)]
            return options_object(specs[:_MOST])
        known = reference(CodeKind(language))
        found_help = known.explain(word, opens=True) or known.explain(word)
        if found_help is None:
            raise UsageError(f"Nothing is known about '{word}' in {language}.")
        return _help_object(found_help)

    def run(
        self,
        sources: Texts | None = None,
        files: Files | None = None,
        options: Options | None = None,
        name_expressions: Names | None = None,
        kernel: Kernel = "",
        arguments: Annotated[
            dict[Word, Word],
            Field(
                max_length=_MOST,
                description="A value such as '2.5', or a buffer LENGTH[:FILL] such as 'n:random'.",
            ),
        ] = {},  # noqa: B006 - never changed
        variables: Annotated[
            dict[Word, Word],
            Field(
                max_length=_MOST,
                description="What __constant__ and __device__ variables hold, by their names, "
                "such as '{1, 2, 1}' or 'random'; 'out' to read one back.",
            ),
        ] = {},  # noqa: B006 - never changed
        grid: Word = "",
        cover: Word = "",
        block: Word = "",
        expect: Annotated[
            list[Word], Field(max_length=_MOST, description="Such as 'y = a * x + y' in NumPy.")
        ] = [],  # noqa: B006 - never changed
        repeat: Annotated[int, Field(ge=0, le=1000)] = 10,
        device: Annotated[
            Literal["gpu", "sim"],
            Field(description="The GPU, or the simulator, which counts what each line does."),
        ] = "gpu",
    ) -> Json:
        """Build and launch a kernel, time it, and check what it has written."""
        sizes = {"grid": grid, "cover": cover, "block": block}
        run_options = RunOptions.of(
            **self._settings(sources, files, "", options, name_expressions),
            **{key: value for key, value in sizes.items() if value},
            kernel=kernel or None,
            arguments=arguments,
            set=variables,
            expect=expect,
            repeats=repeat,
            timeout=self._timeout,
            device="sim" if device == "sim" else 0,
        )
        run_options = confined_buffers(run_options, self._folder)
        built, result, _ = launch(run_options, request=others_request(run_options, self._folder))
        return run_object(built, result)

    def _settings(
        self,
        sources: Mapping[str, str] | None,
        files: Sequence[str] | None,
        target: str,
        options: Sequence[str] | None,
        names: Sequence[str] | None,
        link: str = "none",
    ) -> dict[str, Any]:
        """Returns the build that a tool was asked for, by the fields of `ModuleOptions`."""
        return {
            "sources": self._modules(sources, files),
            "arch": target or None,
            "options": options or (),
            "name_expressions": names or (),
            "link": None if link == "none" else link,
        }

    def _modules(
        self, sources: Mapping[str, str] | None, files: Sequence[str] | None
    ) -> tuple[Source, ...]:
        """Returns the modules; texts are as if they lay in the folder."""
        modules = [*map(self._text, (sources or {}).items())]
        modules += [source_in(self._folder, name) for name in files or ()]
        if not modules:
            raise UsageError("Give 'sources', texts by their names, or 'files'.")
        return tuple(modules)

    def _text(self, named_text: tuple[str, str]) -> Source:
        name, text = named_text
        kind = kind_of(name)
        if kind not in (CodeKind.CUDA, CodeKind.LLVM_IR, CodeKind.PTX):
            raise UsageError(f"'{name}' has to end in .cu, .ll or .ptx, which says what it is.")
        return Source(name, kind, text.encode("utf-8", "replace"), str(self._folder))

    def _read(self, said: dict[str, Any], kernel: str) -> MachineCode:
        request = others_request(ModuleOptions.of(**said), self._folder)
        read = read_machine_code(request, self._timeout, with_calls=True)
        if kernel and read.result.ok and not any(unit.named(kernel) for unit in read.units):
            raise UsageError(no_such_kernel(kernel, read.units))
        return read


def _as_lines(answer: Json, *, code: bool) -> Json:
    """Returns `jitstudio inspect --json` with the instructions as lines, or with their number."""
    for function in (*answer["kernels"], *answer["functions"]):
        instructions = function.pop("instructions")
        if code:
            function["code"] = [_line(instruction) for instruction in instructions]
        function["loops"] = function.pop("cfg")["loops"]
        if function["occupancy"]:
            del function["occupancy"]["what_if"]
        for finding in function["findings"]:
            finding["addresses"] = [f"{address:04x}" for address in finding["addresses"]]
    return answer


def _line(instruction: Json) -> str:
    words = (instruction["predicate"], instruction["opcode"], instruction["operands"])
    line = f"{instruction['address']:04x} {' '.join(filter(None, words))}"
    place = instruction["source_line"]
    return f"{line} // {Path(instruction['source_file']).name}:{place}" if place else line


def _help_object(answer: Help) -> Json:
    entries = (answer.entry, *answer.modifiers)
    return {
        "entries": [
            {
                "name": entry.name,
                "topic": entry.topic.value,
                "text": entry.text,
                "form": entry.form or None,
                "operands": dict(entry.operands),
                "since_target": entry.target or None,
            }
            for entry in entries
        ]
    }


def shortened(value: Any) -> Any:
    """Returns JSON without fields that are empty, and with long texts and lists cut.

    What is cut ends in a text that says how much there is in all.
    """
    if isinstance(value, dict):
        fields = ((key, shortened(entry)) for key, entry in value.items())
        return {key: entry for key, entry in fields if entry not in (None, "", [], {})}
    if isinstance(value, list):
        more = [f"(cut: {len(value)} entries in all)"] if len(value) > MOST_ROWS else []
        return [*map(shortened, value[:MOST_ROWS]), *more]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}\n(cut: {len(value)} characters in all)"
    return value
