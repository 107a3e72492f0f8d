"""The grammar of the command line, made from the options of each command.

To add a command: its options in `command_options`, a dataclass whose fields say their check and
their words; what it does in a module of its name in `commands`, what it prints in one in `cli` with
`run`; its name in `cli/__init__.py` and its row here.
"""

from __future__ import annotations

import argparse
import itertools
from argparse import SUPPRESS, _SubParsersAction
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import Field
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeAlias

from jitstudio.command_options.fields import CommandOptions, CommandWord
from jitstudio.command_options.values import ArgumentKind, UsageError, WrongValueError
from jitstudio.core.alike import did_you_mean
from jitstudio.system import terminal

_Commands: TypeAlias = "_SubParsersAction[_Parser]"

_BUILD_STATUS = """\
Exit status: 0 built, 1 compile or link failed, 2 usage, 3 something is missing (library, driver,
GPU), 4 a tool crashed or ran past its time."""
_LAUNCH_STATUS = """\
Exit status: 0 ran and every check passed, 1 compile, link or launch failed, 2 usage, 3 something is
missing (library, driver, GPU), 4 a tool or the launch crashed or ran past its time, 5 a check
failed."""
_SWEEP_STATUS = f"""\
{_LAUNCH_STATUS} A sweep in which some variant ran is a success, unless a check failed."""
_INSPECT_STATUS = """\
Exit status: 0 read, 1 compile, link or reading failed, 2 usage, 3 something is missing, 4 a tool
crashed or ran past its time."""
_PASSES_STATUS = """\
Exit status: 0 listed, 1 compile or link failed, or the compiler does not stop after a pass, 2
usage, 3 something is missing, 4 a tool crashed or ran past its time."""
_DIFF = """\
Both are built for the same target with the same options, and their machine code is compared: also
of PTX files, so that two texts that become the same program are equal. --what compares the texts
themselves. The address in front of an instruction never counts, as one more instruction moves all
after it. With --toolchain PATH and no B, A is compared with itself: built by our own compilers and
by those of PATH. ModuleInput twice, A is built by the first and B, or A again, by the second."""
_DIFF_STATUS = """\
The data are compared, too, where both sides tell them in the same way: what nvdisasm -c has written
tells none, and a full listing is compared with another one only. A .cu file and the .ptx file of
the same program may differ: NVRTC and nvJitLink each bring a ptxas of their own, and the two need
not make the same code. Exit status: 0 equal, 1 different, 2 usage, or one of them cannot be built,
3 something is missing, 4 a tool crashed or ran past its time."""
_EXPORT_STATUS = """\
Exit status: 0 exported, 1 compile or link failed, 2 usage, or this cannot be exported so, 3
something is missing, 4 a tool crashed or ran past its time."""
_CHECK_STATUS = """\
Exit status: 0 all conditions hold, 5 one does not, 1 compile, link or reading failed, 2 usage,
3 something is missing, 4 a tool crashed or ran past its time."""
_LESSON_STATUS = """\
Exit status: 0 the lesson is passed, 5 a goal is not reached, else as that of 'jitstudio check'."""
_CAPTURE_STATUS = """\
Exit status: 0 the program ended well, 1 it ended with another status, 2 usage, 3 there is no GPU or
no CUPTI, or no process of the program could be listened to."""


class CommandGrammar(NamedTuple):
    """How the command line tells of a command.

    Attributes:
        options: The class of its options, behind the module of `jitstudio` that has it.
        help: A line on the command.
        description: The same, longer.
        epilog: The meaning of the exit status.
        has_whole_flags: Whether flags are written in full: `--opt` for `--option` would not take a
            value that begins with a dash.
        usage: How it is called, where argparse would not find that out.
        actions: The words that follow it, if any do, each with a grammar of its own.
    """

    options: str
    help: str
    description: str | None = None
    epilog: str | None = None
    has_whole_flags: bool = False
    usage: str | None = None
    actions: Mapping[str, CommandGrammar] = MappingProxyType({})

    @property
    def module(self) -> Any:
        """The module with the options of the command, which may load much."""
        return import_module(f"jitstudio.{self.options.partition(':')[0]}")

    @property
    def kind(self) -> type[CommandOptions]:
        """The class of the command's options."""
        kind: type[CommandOptions] = getattr(self.module, self.options.partition(":")[2])
        return kind


_GRAMMARS = {
    "build": CommandGrammar(
        "command_options.build:BuildOptions",
        "compile, link and disassemble",
        "Compile, link and disassemble. The kind of a file follows from its extension.",
        _BUILD_STATUS,
        has_whole_flags=True,
    ),
    "run": CommandGrammar(
        "command_options.launch:RunOptions",
        "build, launch a kernel on a GPU, time it and check it",
        "Build, launch a kernel on a GPU, time it and check what it has written.",
        _LAUNCH_STATUS,
        has_whole_flags=True,
    ),
    "sweep": CommandGrammar(
        "command_options.launch:SweepOptions",
        "run a kernel in many variants and find the fastest",
        "Build, launch, time and check a kernel in each variant that the axes span.",
        _SWEEP_STATUS,
        has_whole_flags=True,
    ),
    "inspect": CommandGrammar(
        "command_options.build:InspectOptions",
        "read machine code: lines, registers, control flow, occupancy, findings",
        "Read machine code: what it needs, where it comes from, what may cost time. Files that "
        "hold no machine code are built first; of a fatbin the code for --arch is read. Of a "
        "program, shared library, wheel, zip or cache --kernel chooses one of the kernels in it. "
        "A cache is a folder, or one of the words triton, inductor, cupy, numba, cutile, warp, "
        "cuda and xla for the place where that keeps its kernels.",
        _INSPECT_STATUS,
        has_whole_flags=True,
    ),
    "passes": CommandGrammar(
        "command_options.build:PassesOptions",
        "show what each pass of the optimiser changes in the PTX",
        "List the passes of libNVVM's optimiser that change the PTX, by building with "
        "-opt-bisect-limit=N for each N, and what they say of the source (-pass-remarks). For "
        "CUDA C++, LLVM IR and, with --lto, a link. From sm_100 on only passes of the back end can "
        "be distinguished.",
        _PASSES_STATUS,
        has_whole_flags=True,
    ),
    "diff": CommandGrammar(
        "command_options.build:DiffOptions",
        "compare two programs, or two builds of one",
        _DIFF,
        _DIFF_STATUS,
        has_whole_flags=True,
    ),
    "export": CommandGrammar(
        "commands.export_options:ExportOptions",
        "write a build and its launch as a script, a program, commands or a report",
        epilog=_EXPORT_STATUS,
        has_whole_flags=True,
    ),
    "check": CommandGrammar(
        "command_options.other:CheckOptions",
        "check that kernels keep their budgets of registers, spills and more",
        "Build what files of budgets name and check the conditions on its kernels, such as "
        "'registers <= 64', 'no double' or 'LDG.128 >= 1'. No GPU is needed.",
        _CHECK_STATUS,
    ),
    "import": CommandGrammar(
        "command_options.other:ImportOptions",
        "write what a link of Compiler Explorer or a project's text holds into a folder",
        "Write the files and a project from a link of Compiler Explorer that has all of it in "
        "itself (/clientstate/ or after a #), from a file downloaded there, or from a project as "
        "text. Nothing is sent and nothing is run.",
        "Exit status: 0 written, 2 usage, or the link is short, damaged or of no compiler that is "
        "here.",
    ),
    "lesson": CommandGrammar(
        "",
        "list lessons, open one, check it, get hints, grade a class",
        "The lessons that come with the program have numbers; others are folders like theirs.",
        actions={
            "list": CommandGrammar(
                "command_options.other:LessonListOptions",
                "list the lessons that come with the program",
            ),
            "open": CommandGrammar(
                "command_options.other:LessonOpenOptions",
                "copy a lesson for you to work on, print its text",
            ),
            "next": CommandGrammar(
                "command_options.other:LessonNextOptions",
                "open the first lesson that is not passed",
            ),
            "check": CommandGrammar(
                "command_options.other:LessonCheckOptions",
                "say what a pupil has reached and what not",
                epilog=_LESSON_STATUS,
            ),
            "watch": CommandGrammar(
                "command_options.other:LessonWatchOptions",
                "check whenever a file is saved, until the lesson is passed",
                "Check whenever a file is saved, until the lesson is passed. Ctrl+C ends it.",
                epilog=_LESSON_STATUS,
            ),
            "hint": CommandGrammar(
                "command_options.other:LessonHintOptions",
                "show the next hint",
                "Show the next hint. How many were shown is remembered until the copy is reset.",
            ),
            "reset": CommandGrammar(
                "command_options.other:LessonResetOptions",
                "put the starting text back; yours is kept in another folder",
            ),
            "solution": CommandGrammar(
                "command_options.other:LessonSolutionOptions",
                "explain the solution of a lesson that is passed",
            ),
            "class": CommandGrammar(
                "command_options.other:LessonClassOptions",
                "check the folders of all pupils and print a table",
                "Check the folder of each pupil, by our lesson of the same title, or else by the "
                "files in it, and print a table of pupils and goals.",
                epilog="Exit status: 0 all are checked, passed or not; 2 usage.",
            ),
        },
    ),
    "mcp": CommandGrammar(
        "command_options.other:McpOptions",
        "serve build, inspect, diff, check and explain to language models",
        "Answer requests of the Model Context Protocol on stdin and stdout, until stdin is closed. "
        "Programs that work with language models start it themselves.",
        "Exit status: 0 served, 2 usage, 3 the package 'mcp' is not installed.",
    ),
    "show": CommandGrammar(
        "command_options.other:ShowOptions",
        "open files in the window that is open",
        "Open files in the window that was used last; if none is open, in a new one. In Python "
        "jitstudio.show(kernel) does so with kernels of Triton, Numba, CuPy and others.",
        "Exit status: 0 opened, 1 the window has refused it, 2 usage, 3 no window is open and none "
        "can be opened.",
    ),
    "doctor": CommandGrammar(
        "command_options.other:DoctorOptions", "show which tools, driver and GPUs are here"
    ),
    "capture": CommandGrammar(
        "command_options.other:CaptureOptions",
        "collect the kernels that a running Python program loads on the GPU",
        "Run a program and save each module of machine code that its Python processes load on a "
        "GPU, once, with how often and from which line it was loaded.",
        _CAPTURE_STATUS,
        has_whole_flags=True,
        usage="jitstudio capture [-h] [-o FOLDER] [--json] -- PROGRAM [WORD ...]",
    ),
    "devices": CommandGrammar(
        "command_options.other:DeviceListOptions", "list the GPUs that can be launched on"
    ),
    "options": CommandGrammar(
        "command_options.other:OptionListOptions", "list the options of all tools"
    ),
    "explain": CommandGrammar(
        "command_options.other:ExplainOptions",
        "explain an instruction, a register, a word of CUDA C++, a finding or a GPU word",
        "Explain a word of SASS, PTX, CUDA C++ or LLVM IR with all its modifiers, as the tips of "
        "the window do, a finding, or a word that GPU programmers use.",
        "Exit status: 0 explained, 2 nothing is known of the word.",
    ),
    "sample": CommandGrammar(
        "command_options.other:SampleOptions",
        "write a sample, with its project, into a folder",
        "Write the sources of a sample and a project with its target, link and launch. Files that "
        "exist are never changed.",
        "Exit status: 0 written, 2 usage, or a file is in the way.",
    ),
    "help": CommandGrammar(
        "command_options.other:HelpOptions", "print a page of the manual, or what a word means"
    ),
    "cache": CommandGrammar(
        "command_options.other:CacheOptions", "show how much earlier builds have left in the cache"
    ),
}


class _Parser(argparse.ArgumentParser):
    """A parser that knows which of its flags take a value with a dash in front.

    Attributes:
        takers: These flags.
        flags: All flags of a command; empty for a parser that has commands.
        has_words_with_dash: Whether words that are none of the flags are no mistakes.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.takers: set[str] = set()
        self.flags: list[str] = []
        self.has_words_with_dash = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        args = self._with_words_last(self._with_joined_options(args or ()))
        for word in itertools.takewhile(lambda word: word != "--", args):
            flag, equals, value = word.partition("=")
            if flag.startswith("-") and equals and value == "--":
                # Before Python 3.13 the parser takes it for the end of the options.
                self.error(f"argument {flag}: '--' is not a value")
        values, rest = super().parse_known_args(args, namespace)
        for word in itertools.takewhile(lambda word: word != "--", rest if self.flags else ()):
            if word.startswith("--"):
                flag, _, _ = word.partition("=")
                self.error(f"there is no option {flag}.{did_you_mean(flag, self.flags)}")
        return values, rest

    def _with_joined_options(self, args: Sequence[str]) -> list[str]:
        """Lets `--option -lineinfo` work: argparse takes a value with a dash for the next flag."""
        joined: list[str] = []
        words = iter(args)
        for word in words:
            value = next(words, None) if word in self.takers else None
            joined.append(word if value is None else f"{word}={value}")
        return joined

    def _with_words_last(self, args: list[str]) -> list[str]:
        """Lets `explain -opt` work: words that are no flags are behind `--`."""
        if not self.has_words_with_dash or "--" in args:
            return args
        flags = {"-h", "--help", *self.flags}
        others = [word for word in args if word not in flags]
        return [*filter(flags.__contains__, args), *(("--", *others) if others else ())]

    def error(self, message: str) -> NoReturn:
        super().error(terminal.shown(message))


class CommandLine(NamedTuple):
    """A command with options."""

    command: str
    options: CommandOptions


def command_line(words: Sequence[str]) -> CommandLine | None:
    """Returns the command in the words of a command line; None where they name no command.

    Raises:
        SystemExit: argparse has said what is wrong, or the help.
        UsageError: A value is wrong; the message names its flag.
    """
    values = vars(_grammar(words)[0].parse_args(words))
    command, action = values.pop("command"), values.pop("action", "")
    if values.pop("version"):
        return CommandLine("version", CommandOptions())
    if command is None:
        return None
    grammar = _GRAMMARS[command]
    kind = (grammar.actions[action] if action else grammar).kind
    options: Callable[..., CommandOptions] = kind
    try:
        return CommandLine(command, options(**values))
    except WrongValueError as error:
        raise UsageError(error.about(kind.flag_of(error.name))) from None


def parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands; without a command words are files for the window."""
    return _grammar(_GRAMMARS)[0]


def command_parsers() -> Mapping[str, argparse.ArgumentParser]:
    """Returns the parser of each command by name."""
    return _grammar(_GRAMMARS)[1].choices


def _grammar(words: Collection[str]) -> tuple[argparse.ArgumentParser, _Commands]:
    """Returns the parser, which knows the options of the commands that these words name."""
    root = _Parser(
        prog="jitstudio",
        description="See what NVRTC, libNVVM and nvJitLink make of CUDA C++, LLVM IR and PTX.",
        epilog="jitstudio [FILE...] opens the window with these files.",
    )
    root.add_argument("--version", action="store_true", help="print the versions of all parts")
    commands = root.add_subparsers(dest="command", metavar="COMMAND")
    for name, grammar in _GRAMMARS.items():
        if name in words:
            _add_command(commands, name, grammar)
        else:
            commands.add_parser(name, help=grammar.help)
    return root, commands


def _add_command(commands: _Commands, name: str, grammar: CommandGrammar) -> None:
    more: dict[str, Any] = {"description": grammar.description}
    if name == "export":
        # One line a format.
        more = {
            "description": grammar.module.DESCRIPTION,
            "formatter_class": argparse.RawDescriptionHelpFormatter,
        }
    command = commands.add_parser(
        name,
        help=grammar.help,
        epilog=grammar.epilog,
        usage=grammar.usage,
        allow_abbrev=not grammar.has_whole_flags,
        **more,
    )
    if grammar.actions:
        actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
        for action, inner in grammar.actions.items():
            _add_command(actions, action, inner)
    else:
        _add_words(command, grammar.kind)


def _add_words(command: _Parser, options: type[CommandOptions]) -> None:
    """Adds the words of all fields; a word that is left out is left to the options."""
    groups: dict[str, Any] = {}
    for field, words in options.words():
        for word in words:
            if word.group and word.group not in groups:
                groups[word.group] = command.add_mutually_exclusive_group()
            place = groups.get(word.group, command)
            names = word.flags or (field.name,)
            command.flags += word.flags
            command.takers.update(word.flags if word.takes_dash else ())
            command.has_words_with_dash |= word.takes_dash and not word.flags
            place.add_argument(*names, **_settings(field, word), help=word.help or None)


def _settings(field: Field[Any], word: CommandWord) -> dict[str, Any]:
    """Returns the arguments of `add_argument` for a word, apart from name and help."""
    settings: dict[str, Any] = {"default": SUPPRESS}
    if word.flags:
        settings |= {"dest": field.name, "required": word.is_required}
    if word.has_opposite:
        return settings | {"action": argparse.BooleanOptionalAction}
    if word.const is not None:
        return settings | {"action": "store_const", "const": word.const}
    if word.flags and word.kind.is_list:
        settings["action"] = "append"
    if word.kind.read is not None:
        settings["type"] = partial(_read, word.kind)
    more = {"metavar": word.metavar, "nargs": word.nargs, "choices": word.kind.choices or None}
    return settings | {name: value for name, value in more.items() if value is not None}


def _read(kind: ArgumentKind, text: str) -> Any:
    """Returns the value of a word."""
    value = text if kind.read is None else kind.read(text)
    if kind.choices:
        return value
    try:
        return kind.check(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error).rstrip(".")) from None
