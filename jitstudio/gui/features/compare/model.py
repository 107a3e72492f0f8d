"""The content of the Compare pane: two texts padded to each other, and figures that differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from functools import cached_property
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from jitstudio.analysis.diff.code import compare_programs
from jitstudio.analysis.diff.data import data_sections
from jitstudio.analysis.diff.model import Comparison, compare_lines, ptx_lines
from jitstudio.analysis.diff.program import CubinProgram, FigureDelta, changed, report_deltas
from jitstudio.analysis.sass.model import Disassembly
from jitstudio.core.code import TEXT_KINDS, CodeKind
from jitstudio.core.figures import FIGURES
from jitstudio.core.kernel_resources import merge
from jitstudio.core.options.parsing import join_options, read
from jitstudio.core.request import BuildRequest, LinkMode
from jitstudio.core.result import BuildResult, Resources
from jitstudio.gui.kit.presentation import TableColumn
from jitstudio.gui.kit.translating import QT_TRANSLATE_NOOP
from jitstudio.gui.listing.padded_text import PaddedText, padded
from jitstudio.listing.kernel_names import DemangledListing, lowered_names, meanings

_LINKS = {
    LinkMode.PTX: QT_TRANSLATE_NOOP("BuildNames", "PTX link"),
    LinkMode.LTO: QT_TRANSLATE_NOOP("BuildNames", "LTO link"),
}
_CLOCK = "%H:%M:%S"


def build_name(request: BuildRequest, at: datetime) -> str:
    """Returns the distinguishing facts of a build: subject, target, compilers, options, time."""
    compilers = _compilers(request) if request.toolchain else ""
    facts = (_subject(request), request.arch.sm, compilers, " ".join(_options(request)))
    return ", ".join(filter(None, (*facts, f"{at:{_CLOCK}}")))


def what_differs(request: BuildRequest, other: BuildRequest) -> str:
    """Returns the facts of one request that `other` lacks; empty if both agree.

    That may be the subject, the target, the compilers and options. An option that only the other
    has is named, too: "without --use_fast_math".
    """
    return ", ".join(_differences(request, other))


def difference_titles(
    left: BuildRequest, left_at: datetime, right: BuildRequest, right_at: datetime
) -> tuple[str, str]:
    """Returns the titles of two builds side by side: the differences, and the time of each."""
    translate = QCoreApplication.translate
    titles = (
        (translate("BuildNames", "Baseline: {facts}"), what_differs(left, right), left_at),
        (translate("BuildNames", "Now: {facts}"), what_differs(right, left), right_at),
    )
    first, second = (
        title.format(facts=", ".join(filter(None, (differs, f"{at:{_CLOCK}}"))))
        for title, differs, at in titles
    )
    return first, second


def _differences(request: BuildRequest, other: BuildRequest) -> Iterator[str]:
    if _subject(request) != _subject(other):
        yield _subject(request)
    if request.arch != other.arch:
        yield request.arch.sm
    if request.toolchain != other.toolchain:
        yield _compilers(request)
    own, others = _options(request), _options(other)
    if more := [option for option in own if option not in others]:
        yield " ".join(more)
    elif less := [option for option in others if option not in own]:
        without = QCoreApplication.translate("BuildNames", "without {options}")
        yield without.format(options=" ".join(less))


def _compilers(request: BuildRequest) -> str:
    """Returns the name of the folder of the compilers."""
    own = QCoreApplication.translate("BuildNames", "own compilers")
    return PurePath(request.toolchain).name or own


def _options(request: BuildRequest) -> list[str]:
    """Returns the options of a module; for a link, those of all that is in it."""
    is_linked = request.link is not LinkMode.NONE
    sets = request.option_sets if is_linked else (request.options_of(request.sources[0]),)
    options = (option for words in sets for option in read(words))
    return list(dict.fromkeys(join_options(option.words) for option in options))


def _subject(request: BuildRequest) -> str:
    """Returns the subject of a build, in a word or two."""
    if request.link in _LINKS:
        return QCoreApplication.translate("BuildNames", _LINKS[request.link])
    return request.sources[0].name


class CompareMode(Enum):
    """The matter of a comparison of two builds."""

    SOURCE = QT_TRANSLATE_NOOP("Compare", "Source")
    PTX = QT_TRANSLATE_NOOP("Compare", "PTX")
    SASS = QT_TRANSLATE_NOOP("Compare", "SASS")
    NORMALISED = QT_TRANSLATE_NOOP("Compare", "SASS, normalised")

    @property
    def title(self) -> str:
        """The name in the user's language."""
        return QCoreApplication.translate("Compare", self.value)

    @property
    def is_code(self) -> bool:
        """Whether this comparison needs machine code to be read."""
        return self in (CompareMode.SASS, CompareMode.NORMALISED)


@dataclass(frozen=True, eq=False)
class ComparedBuild:
    """A build that is compared.

    Attributes:
        request: The request of the build.
        result: The result of the build.
        cubin: The file with the machine code; empty where there is none.
        code: The content of the cubin; None where unknown.
    """

    request: BuildRequest
    result: BuildResult
    cubin: bytes = b""
    code: Disassembly | None = None

    @property
    def kind(self) -> CodeKind:
        """The kind of the first module."""
        return self.request.sources[0].kind


@dataclass(frozen=True, eq=False)
class BuildComparison:
    """Two builds side by side.

    Attributes:
        matter: The matter of the comparison.
        comparison: Line by line.
        left: The baseline.
        right: The build that is compared with the baseline.
        deltas: The figures that differ.
        names: The shown names by lowered name.
    """

    matter: CompareMode
    comparison: Comparison
    left: PaddedText
    right: PaddedText
    deltas: tuple[FigureDelta, ...]
    names: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def lowered_names(self) -> frozenset[str]:
        """All mangled names in both texts and in the figures."""
        figures = [delta.name for delta in self.deltas]
        texts = (self.left.spelling.lowered, self.right.spelling.lowered, figures)
        return frozenset().union(*map(lowered_names, texts))

    @property
    def figures(self) -> tuple[FigureDelta, ...]:
        """The figures that differ, each with the shown name of the function."""
        return tuple(
            replace(delta, name=self.names.get(delta.name, delta.name)) for delta in self.deltas
        )

    def spelt(self, known: Mapping[str, str]) -> BuildComparison:
        """Returns the comparison with names in C++; unchanged while any name is unknown.

        Names of both sides are shortened together: the parts that distinguish two names stay.

        Args:
            known: The meaning of each lowered name; empty for names as the tools wrote them.
        """
        names = self.lowered_names
        shown = meanings(names, known) if names <= known.keys() else {}
        left, right = (
            replace(half, spelling=DemangledListing.of(half.spelling.lowered, shown))
            for half in (self.left, self.right)
        )
        return replace(self, left=left, right=right, names=shown)


def compare(matter: CompareMode, left: ComparedBuild, right: ComparedBuild) -> BuildComparison:
    """Compares two builds; takes a while for large ones."""
    programs = (_program(left), _program(right))
    comparison = _compared(matter, left, right, programs)
    # Counted here, in the background.
    _ = comparison.hunks, comparison.control_changes
    deltas: tuple[FigureDelta, ...] = ()
    if left.code and right.code:
        deltas = changed(report_deltas(*programs, _needs(left), _needs(right)))
    compared = BuildComparison(
        matter,
        comparison,
        padded(comparison, _kind(matter, left), is_left=True),
        padded(comparison, _kind(matter, right), is_left=False),
        deltas,
    )
    _ = compared.lowered_names
    return compared


def _compared(
    matter: CompareMode,
    left: ComparedBuild,
    right: ComparedBuild,
    programs: tuple[CubinProgram, CubinProgram],
) -> Comparison:
    if matter.is_code:
        return compare_programs(*programs, normalised=matter is CompareMode.NORMALISED)
    read = _sources if matter is CompareMode.SOURCE else _ptx
    return compare_lines(list(read(left)), list(read(right)))


def _program(side: ComparedBuild) -> CubinProgram:
    names = {kernel.name: kernel.demangled for kernel in side.result.kernels}
    return CubinProgram(side.code or Disassembly("", ()), data_sections(side.cubin), names)


def _needs(side: ComparedBuild) -> dict[str, Resources]:
    resources = {
        kernel.name: kernel.resources for kernel in side.result.kernels if kernel.resources
    }
    return merge(side.code.resources if side.code else {}, resources)


def _sources(side: ComparedBuild) -> Iterator[str]:
    sources = [source for source in side.request.sources if source.kind in TEXT_KINDS]
    for source in sources:
        if len(sources) > 1:
            yield f"// ==== {source.name} ===="
        yield from source.content.decode("utf-8", "replace").splitlines()


def _ptx(side: ComparedBuild) -> Iterator[str]:
    for artifact in side.result.artifacts:
        if artifact.kind is CodeKind.PTX:
            yield from ptx_lines(artifact.text)


def _kind(matter: CompareMode, side: ComparedBuild) -> CodeKind:
    if matter.is_code:
        return CodeKind.SASS
    return CodeKind.PTX if matter is CompareMode.PTX else side.kind


def count_text(comparison: Comparison) -> str:
    """Returns how many differences there are."""
    control = comparison.control_changes
    count = len(comparison.hunks)
    match count:
        case 0:
            message = QCoreApplication.translate("Compare", "No difference")
        case 1:
            message = QCoreApplication.translate("Compare", "1 difference")
        case _:
            several = QCoreApplication.translate("Compare", "{count:,} differences")
            message = several.format(count=count)
    if control and not comparison.control_counts:
        also = QCoreApplication.translate("Compare", "{count:,} differ in control bits only")
        return f"{message}; {also.format(count=control)}"
    return message


_CLASSES = {
    "memory_instructions": QT_TRANSLATE_NOOP("Figures", "Memory instructions"),
    "float_instructions": QT_TRANSLATE_NOOP("Figures", "Floating-point instructions"),
    "integer_instructions": QT_TRANSLATE_NOOP("Figures", "Integer instructions"),
    "tensor_instructions": QT_TRANSLATE_NOOP("Figures", "Tensor instructions"),
    "control_instructions": QT_TRANSLATE_NOOP("Figures", "Control instructions"),
    "conversion_instructions": QT_TRANSLATE_NOOP("Figures", "Conversions"),
    "move_instructions": QT_TRANSLATE_NOOP("Figures", "Moves"),
    "other_instructions": QT_TRANSLATE_NOOP("Figures", "Other instructions"),
}


def figure_title(figure: str) -> str:
    """Returns a figure in the user's language."""
    known = FIGURES.get(figure)
    label = known.label if known else _CLASSES.get(figure, figure)
    return QCoreApplication.translate("Figures", label)


def _number(
    read: Callable[[FigureDelta], int | None], sign: str = ""
) -> Callable[[FigureDelta], str]:
    return lambda delta: "" if (number := read(delta)) is None else f"{number:{sign},}"


DELTA_COLUMNS: tuple[TableColumn[FigureDelta], ...] = (
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Function"), lambda delta: delta.name),
    TableColumn(QT_TRANSLATE_NOOP("Columns", "Figure"), lambda delta: figure_title(delta.figure)),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Baseline"), _number(lambda delta: delta.left), number=True
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Now"), _number(lambda delta: delta.right), number=True
    ),
    TableColumn(
        QT_TRANSLATE_NOOP("Columns", "Change"),
        _number(lambda delta: delta.difference, "+"),
        number=True,
    ),
)
