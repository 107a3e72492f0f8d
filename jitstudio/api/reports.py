"""Reports that the functions of `jitstudio` return, over the JSON objects of the command line.

Each has its figures as attributes, prints as a table, and shows as HTML in a notebook.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from jitstudio.api import html
from jitstudio.api.buffers import BufferArrays
from jitstudio.api.kernels import NEEDS, BuiltKernel, InspectedKernel, KernelFinding
from jitstudio.core.code import CodeKind
from jitstudio.core.figures import FIGURES
from jitstudio.core.launch.result import LaunchOutcome, LaunchResult
from jitstudio.core.launch.result_lines import WORDS, launch_lines
from jitstudio.core.result import BuildResult
from jitstudio.system.terminal import shown, table_lines

Json = dict[str, Any]

_COMPARED = (LaunchOutcome.RAN.value, LaunchOutcome.WRONG.value)
_COLUMNS = ("registers", "spill_stores", "spill_loads", "stack_bytes", "shared_bytes")


class CommandReport:
    """Something that was found out, as the JSON object of a command.

    Args:
        made: The object; `resources/schema` describes it.
    """

    def __init__(self, report: Json) -> None:
        self._report = report

    def to_dict(self) -> Json:
        """Returns the object that the command prints with ``--json``, a copy each time."""
        report: Json = json.loads(json.dumps(self._report))
        return report

    @property
    def messages(self) -> tuple[str, ...]:
        """Errors, warnings and remarks, a sentence or more each."""
        return tuple(_message(entry) for entry in self._report.get("diagnostics", ()))

    def _repr_html_(self) -> str:
        """Returns the HTML that a notebook shows."""
        return html.page(str(self), self.messages)

    def __repr__(self) -> str:
        return str(self)


class OutcomeReport(CommandReport):
    """A report on something that was built."""

    @property
    def ok(self) -> bool:
        """Whether the command went well."""
        return bool(self._report["ok"])

    @property
    def outcome(self) -> str:
        """The ending: ``built``, ``failed``, ``missing``, ``crashed``, ``ran`` and others."""
        return str(self._report["outcome"])


class InspectReport(OutcomeReport):
    """The report of `jitstudio inspect` about machine code."""

    @property
    def arch(self) -> str:
        """The target, such as ``sm_90``."""
        return str(self._report["arch"])

    @cached_property
    def kernels(self) -> tuple[InspectedKernel, ...]:
        """The kernels."""
        return tuple(map(_inspected, self._report["kernels"]))

    @cached_property
    def functions(self) -> tuple[InspectedKernel, ...]:
        """The functions that kernels call."""
        return tuple(map(_inspected, self._report["functions"]))

    def __str__(self) -> str:
        rows = [("kernel", "target", *_headings(), "instructions", "occupancy")]
        for kernel in self.kernels:
            filled = "-" if kernel.occupancy is None else f"{kernel.occupancy:.0%}"
            size = f"{kernel.instructions:,}"
            rows.append((kernel.demangled, kernel.target, *_cells(kernel), size, filled))
        return _table(rows if len(rows) > 1 else [], self.outcome, self.messages, left=2)

    def _repr_html_(self) -> str:
        """Returns the figures, possible costs in time, and the instructions of each kernel."""
        return html.inspected((*self.kernels, *self.functions), self.outcome, self.messages)


class PassesReport(OutcomeReport):
    """The report of `jitstudio passes`: the changes by each pass of the optimiser."""

    @property
    def films(self) -> tuple[Json, ...]:
        """A film for each run of a compiler; `jitstudio help json-passes` has the fields."""
        return tuple(self._report["films"])

    @property
    def messages(self) -> tuple[str, ...]:
        """Errors and warnings of the build, and the limits of the films."""
        return (*super().messages, *(note for film in self.films for note in film["notes"]))

    def __str__(self) -> str:
        rows = [("pass that changes the PTX", "lines")]
        for film in self.films:
            rows += [(step["title"], f"{step['ptx'].count(chr(10)):,}") for step in film["steps"]]
        return _table(rows if len(rows) > 1 else [], self.outcome, self.messages)


class BuildReport(OutcomeReport):
    """The outputs of `jitstudio build`, with the bytes.

    Args:
        report: The object of the command.
        result: The build.
    """

    def __init__(self, report: Json, result: BuildResult) -> None:
        super().__init__(report)
        self._result = result

    @property
    def arch(self) -> str:
        """The target, such as ``sm_90``."""
        return str(self._report["arch"])

    @cached_property
    def kernels(self) -> tuple[BuiltKernel, ...]:
        """The kernels, with their needs where machine code was made."""
        names = ("name", "demangled", "module", *NEEDS)
        return tuple(BuiltKernel(**{n: k[n] for n in names}) for k in self._report["kernels"])

    @property
    def log(self) -> str:
        """The logs of the tools, stage by stage."""
        texts = (text for stage in self._result.stages for text in (stage.log, stage.error_log))
        return "\n".join(text for text in texts if text)

    @property
    def ptx(self) -> str | None:
        """The PTX; that of the first module where there are several."""
        return self._text(CodeKind.PTX)

    @property
    def sass(self) -> str | None:
        """The disassembly; that of the first module where there are several."""
        return self._text(CodeKind.SASS)

    @property
    def cubin(self) -> bytes | None:
        """The machine code; that of the first module where there are several."""
        return next(iter(self.artifacts(CodeKind.CUBIN.value).values()), None)

    def artifacts(self, kind: str) -> dict[str, bytes]:
        """Returns the outputs of a kind, by the name of the module.

        Args:
            kind: ``ptx``, ``sass``, ``cubin``, ``ltoir``, ``optixir`` or ``fatbin``.
        """
        return {a.name: a.content for a in self._result.artifacts if a.kind.value == kind}

    def _text(self, kind: CodeKind) -> str | None:
        texts = (artifact.text for artifact in self._result.artifacts if artifact.kind is kind)
        return next(texts, None)

    def __str__(self) -> str:
        rows = [("kernel", *_headings())]
        rows += [(kernel.demangled, *_cells(kernel)) for kernel in self.kernels]
        ending = f"{self.outcome} for {self.arch}"
        return _table(rows if len(rows) > 1 else [], ending, self.messages)

    def _repr_html_(self) -> str:
        """Returns the figures and the texts that were made."""
        code = {"PTX": self.ptx, "SASS": self.sass}
        texts = {title: text for title, text in code.items() if text}
        return html.page(str(self), (), texts)


class LaunchReport(OutcomeReport):
    """The report of `jitstudio run`: times, checks, buffers, and the text of the kernel.

    Args:
        report: The object of the command.
        result: The launch; None where the build failed.
        buffers: What the kernel has written.
    """

    def __init__(self, report: Json, result: LaunchResult | None, buffers: BufferArrays) -> None:
        super().__init__(report)
        self._result = result
        self._buffers = buffers

    @property
    def buffers(self) -> BufferArrays:
        """The buffers that the kernel may write, as arrays, by the names of the arguments."""
        return self._buffers

    @property
    def median_ms(self) -> float | None:
        """The median of the timed launches in milliseconds."""
        timing = self._report.get("timing")
        return float(timing["median_ms"]) if timing else None

    @property
    def device(self) -> str | None:
        """The GPU, or the simulator."""
        return self._report.get("device")

    @property
    def simulation(self) -> dict[str, Any] | None:
        """The simulator's counts and findings; None where a GPU was used."""
        return self._report.get("simulation")

    @property
    def console(self) -> str:
        """The text that the kernel has printed."""
        return str(self._report.get("console") or "")

    @property
    def checks_passed(self) -> bool:
        """Whether the kernel ran and each buffer holds the expected content, if there is any."""
        return self.outcome in _COMPARED and all(
            check["ok"] for check in self._report.get("checks", ())
        )

    @property
    def messages(self) -> tuple[str, ...]:
        """Errors, warnings and remarks, a sentence or more each; also of checks that failed."""
        checks = self._result.checks if self._result else ()
        failed = (" ".join((c.verdict, *c.differences[:1])) for c in checks if not c.ok)
        return (*failed, *super().messages)

    def __str__(self) -> str:
        lines = [f"{word:<{WORDS}}{text}" for word, text in self._lines()]
        return shown("\n".join([*lines, self.outcome, *self.messages]))

    def _repr_html_(self) -> str:
        """Returns the figures, the checks, and the first elements of each buffer."""
        return html.launched(self._lines(), self.buffers, self.outcome, self.messages, self.console)

    def _lines(self) -> list[tuple[str, str]]:
        return list(launch_lines(self._result)) if self._result else []


class DiffReport(CommandReport):
    """The report of `jitstudio diff`: differences line by line, and of the figures."""

    @property
    def equal(self) -> bool | None:
        """Whether both are equal; None where a side could not be built."""
        return None if self._report["equal"] is None else bool(self._report["equal"])

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages about both sides."""
        sides = (self._report["a"], self._report["b"])
        return tuple(_message(entry) for side in sides for entry in side["diagnostics"])

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that differ: ``-`` in front of those of A, ``+`` of those of B."""
        differing = []
        for hunk in self._report["hunks"]:
            rows = hunk["rows"]
            differing += [f"-{row['a']}" for row in rows if row["a"] is not None]
            differing += [f"+{row['b']}" for row in rows if row["b"] is not None]
        return tuple(differing)

    @cached_property
    def deltas(self) -> dict[tuple[str, str], tuple[int | None, int | None]]:
        """The figures that differ: A and B by the names of function and figure."""
        return {
            (row["name"], row["figure"]): (row["a"], row["b"])
            for row in self._report["report"]
            if row["a"] != row["b"]
        }

    def __str__(self) -> str:
        count = len(self._report["hunks"])
        words = {True: "equal", None: "not compared"}
        ending = words.get(self.equal) or f"{count:,} difference{'' if count == 1 else 's'}"
        rows = [["function", "figure", "A", "B"]]
        for (name, figure), sides in self.deltas.items():
            amounts = ("-" if amount is None else f"{amount:,}" for amount in sides)
            rows.append([name, figure.replace("_", " "), *amounts])
        return _table(rows if len(rows) > 1 else [], ending, self.messages, left=2)

    def _repr_html_(self) -> str:
        """Returns the figures and the lines that differ."""
        texts = {"Lines that differ": "\n".join(self.lines)} if self.lines else {}
        return html.page(str(self), (), texts)


def _inspected(kernel: Json) -> InspectedKernel:
    report, filled = kernel["report"], kernel["occupancy"]
    return InspectedKernel(
        name=kernel["name"],
        demangled=kernel["demangled"],
        module=kernel["module"],
        **{name: report[name] for name in NEEDS},
        target=kernel["target"] or "",
        instructions=report["instructions"],
        code_bytes=report["code_bytes"],
        occupancy=filled["fraction"] if filled else None,
        findings=tuple(map(_finding, kernel["findings"])),
        sass="\n".join(map(_instruction, kernel["instructions"][: report["instructions"]])),
    )


def _finding(finding: Json) -> KernelFinding:
    words = (finding["severity"], finding["title"], finding["reason"], finding["remedy"])
    return KernelFinding(*words, finding["source_file"], finding["source_line"])


def _instruction(instruction: Json) -> str:
    words = (instruction["predicate"], instruction["opcode"], instruction["operands"])
    return f"/*{instruction['address']:04x}*/  {' '.join(filter(None, words))}"


def _message(entry: Json) -> str:
    place = f"{entry['file']}:{entry['line']}: " if entry["file"] and entry["line"] else ""
    said = f"{place}{entry['severity']}: {entry['message']}"
    return f"{said}\n{entry['explanation']}" if entry["explanation"] else said


def _headings() -> tuple[str, ...]:
    return tuple(FIGURES[name].heading for name in _COLUMNS)


def _cells(kernel: BuiltKernel) -> tuple[str, ...]:
    amounts = (getattr(kernel, name) for name in _COLUMNS)
    return tuple("-" if amount is None else f"{amount:,}" for amount in amounts)


def _table(
    rows: Sequence[Sequence[str]], ending: str, messages: Sequence[str], left: int = 1
) -> str:
    lines = table_lines(rows, left) if rows else []
    return shown("\n".join([*lines, ending, *messages]))
