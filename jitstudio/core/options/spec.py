"""The rows of the table of options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from jitstudio.core.tools import Tool


class OptionGroup(Enum):
    """Where an option is listed; the value is the heading."""

    CODE = "Code generation"
    FLOAT = "Floating point"
    DEBUG = "Debugging"
    PREPROCESSOR = "Preprocessor"
    LANGUAGE = "Language"
    DIAGNOSTICS = "Diagnostics"
    SPEED = "Time to compile"
    LINK = "Link"
    DISASSEMBLY = "Disassembly"
    FATBIN = "Fatbin"
    TILE = "Tile functions"
    ELSEWHERE = "Set elsewhere"


class ValueKind(Enum):
    """The kind of value behind a flag; the value is the word in JSON."""

    FLAG = "flag"
    TRUTH = "truth"
    NUMBER = "number"
    CHOICE = "choice"
    TEXT = "text"
    PATH = "path"
    OPTION = "option"


class OptionEffect(Enum):
    """The effect of an option besides changing the result."""

    NOTHING = "nothing"
    INCLUDES = "includes"
    """Includes a file that is looked for like one that the text itself includes."""
    READS = "reads"
    """Reads the file or folder that its value names."""
    WRITES = "writes"
    """Writes a file, or hands on what may do so."""
    RUNS = "runs"
    """Hands on what may load native code."""


@dataclass(frozen=True)
class ValueSpec:
    """The values that an option takes.

    Attributes:
        kind: The kind of value; `ValueKind.OPTION` is an option for a tool further on.
        choices: All there are, for `ValueKind.CHOICE`.
        low, high: The bounds of `ValueKind.NUMBER`.
        example: A value that the tools take, to show what one looks like.
        harmless: A regular expression of the values with which the option has no effect besides
            changing the result, whatever its row says.
    """

    kind: ValueKind
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    example: str = ""
    harmless: str = ""


FLAG = ValueSpec(ValueKind.FLAG)
TRUTH = ValueSpec(ValueKind.TRUTH, example="true")


def number(low: int, high: int, example: int) -> ValueSpec:
    """Returns a whole number between two bounds, both included."""
    return ValueSpec(ValueKind.NUMBER, low=low, high=high, example=str(example))


def choice(*choices: str) -> ValueSpec:
    """Returns the values that are words of `choices`."""
    return ValueSpec(ValueKind.CHOICE, choices, example=choices[0])


def text(example: str) -> ValueSpec:
    """Returns the kind of value that is any text."""
    return ValueSpec(ValueKind.TEXT, example=example)


def path(example: str, harmless: str = "") -> ValueSpec:
    """Returns a file or a folder."""
    return ValueSpec(ValueKind.PATH, example=example, harmless=harmless)


def handed_on(example: str, harmless: str) -> ValueSpec:
    """Returns an option for a tool further on, a single word."""
    return ValueSpec(ValueKind.OPTION, example=example, harmless=harmless)


# How the value of each kind is shown, by way of `str.format`.
_USAGES = {
    ValueKind.TRUTH: "<true|false>",
    ValueKind.NUMBER: "<{low}..{high}>",
    ValueKind.CHOICE: "<{choices}>",
    ValueKind.TEXT: "<text>",
    ValueKind.PATH: "<path>",
    ValueKind.OPTION: "<option>",
}
_NUMBERED_TRUTH = {"true": "1", "false": "0"}
_WORDED_TRUTH = {number: word for word, number in _NUMBERED_TRUTH.items()}


@dataclass(frozen=True, eq=False)
class OptionSpec:
    """An option under all its names.

    Attributes:
        name: A phrase that names the option.
        group: Where it is listed.
        help: One sentence.
        spellings: Per tool, the flag to send. No entry: the tool does not take it.
        aliases: Further flags that a user may write for it.
        value: The values behind the flag.
        default: The value that the tools assume without it; empty where that is none.
        repeated: Whether it may be given several times, each adding to the others.
        glued: Whether the value follows the flag without `=`.
        worded: Whether every tool writes truth as words; else all but NVRTC write 1 and 0.
        since: The first version that takes it, per tool; no entry: each since CUDA 13.0. Found by
            looking for the flag in the libraries of every CUDA 13 release, and of CUDA 12 where an
            option is sent unasked.
        managed: The setting behind the option, where jitstudio sends the option itself; else empty.
        outlasts_build: Whether it also changes later builds of the same process.
        effect: The effect besides changing the result.
    """

    name: str
    group: OptionGroup
    help: str
    spellings: Mapping[Tool, str]
    aliases: tuple[str, ...] = ()
    value: ValueSpec = FLAG
    default: str = ""
    repeated: bool = False
    glued: bool = False
    worded: bool = False
    since: Mapping[Tool, str] = field(default_factory=dict)
    managed: str = ""
    outlasts_build: bool = False
    effect: OptionEffect = OptionEffect.NOTHING

    @property
    def flag(self) -> str:
        """The flag to show and to write."""
        return next(iter(self.spellings.values()))

    @property
    def flags(self) -> frozenset[str]:
        """Every flag that means this option."""
        return frozenset((*self.spellings.values(), *self.aliases))

    @property
    def takes_value(self) -> bool:
        """Whether a value follows."""
        return self.value.kind is not ValueKind.FLAG

    @property
    def names_file(self) -> bool:
        """Whether the value is a path, and no name that is looked for in several folders."""
        return self.value.kind is ValueKind.PATH and self.effect is not OptionEffect.INCLUDES

    @property
    def usage(self) -> str:
        """The flag with the values that may follow, as in ``-ftz=<true|false>``."""
        shown = _USAGES.get(self.value.kind)
        if shown is None:
            return self.flag
        value = self.value
        return self.written(
            shown.format(low=value.low, high=value.high, choices="|".join(value.choices))
        )

    def matches(self, text: str) -> bool:
        """Returns whether every word of a search is somewhere in the row."""
        message = " ".join((self.name, self.group.value, self.help, *sorted(self.flags))).casefold()
        return all(word in message for word in text.casefold().split())

    def accepts(self, value: str | None) -> bool:
        """Returns whether this may follow the flag; None where nothing does."""
        if value is None or not self.takes_value:
            return value is None and not self.takes_value
        match self.value.kind:
            case ValueKind.TRUTH:
                return value in _NUMBERED_TRUTH or value in _WORDED_TRUTH
            case ValueKind.CHOICE:
                return value in self.value.choices
            case ValueKind.NUMBER:
                return value.isdecimal() and self.value.low <= int(value) <= self.value.high
        return True

    def written(self, value: str | None) -> str:
        """Returns the option as a user would type the option."""
        return self._with_value(self.flag, value)

    def sent(self, tool: Tool, value: str | None) -> str:
        """Returns the option in the spelling of this tool, from `spellings`."""
        if value is not None and self.value.kind is ValueKind.TRUTH:
            words = tool is Tool.NVRTC or self.worded
            value = (_WORDED_TRUTH if words else _NUMBERED_TRUTH).get(value, value)
        return self._with_value(self.spellings[tool], value)

    def too_new_for(self, tool: Tool, version: str) -> bool:
        """Returns whether the option is newer than a version of a tool, such as ``13.2``."""
        first = self.since.get(tool, "")
        return bool(first and version) and _numbers(version) < _numbers(first)

    def _with_value(self, flag: str, value: str | None) -> str:
        if value is None:
            return flag
        return f"{flag}{value}" if self.glued else f"{flag}={value}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def option(
    group: OptionGroup,
    name: str,
    help_text: str,
    *,
    nvrtc: str = "",
    nvvm: str = "",
    link: str = "",
    disasm: str = "",
    fatbin: str = "",
    tileiras: str = "",
    tileirdisasm: str = "",
    also: str = "",
    value: ValueSpec = FLAG,
    default: str = "",
    repeated: bool = False,
    glued: bool = False,
    worded: bool = False,
    since: Mapping[Tool, str] | None = None,
    managed: str = "",
    outlasts_build: bool = False,
    effect: OptionEffect = OptionEffect.NOTHING,
) -> OptionSpec:
    """Returns a row of the table: flags by tool, further flags in `also` with spaces between."""
    spellings = {
        Tool.NVRTC: nvrtc,
        Tool.NVVM: nvvm,
        Tool.NVJITLINK: link,
        Tool.NVDISASM: disasm,
        Tool.NVFATBIN: fatbin,
        Tool.TILEIRAS: tileiras,
        Tool.TILEIRDISASM: tileirdisasm,
    }
    return OptionSpec(
        name,
        group,
        help_text,
        {tool: flag for tool, flag in spellings.items() if flag},
        tuple(also.split()),
        value,
        default,
        repeated,
        glued,
        worded,
        since or {},
        managed,
        outlasts_build,
        effect,
    )
