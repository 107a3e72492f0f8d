"""Files of budgets: kernels with their build and the conditions that they have to meet.

A budget is a ``[[budget]]`` table of a TOML file, or a ``[[tool.jitstudio.check.budget]]`` table of
a ``pyproject.toml``. A ``[build]`` table says for all of them how they are built. Paths begin in
the folder of the file. Anybody may have written it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeAlias

from jitstudio.checks.conditions import Condition, ConditionError, parse
from jitstudio.command_options.build import ModuleOptions
from jitstudio.command_options.fields import CommandWord
from jitstudio.command_options.launch import RunOptions
from jitstudio.core.alike import did_you_mean
from jitstudio.core.launch.spec import LaunchSpec
from jitstudio.core.plain_files import read_file

LARGEST = 1 << 20
"""Bytes of a file of budgets."""
MOST_BUDGETS = 1000
MOST_CONDITIONS = 200
"""Of one budget."""
_LONGEST_LIST = 200
_LINKS = ("ptx", "lto")
_TABLE = ("tool", "jitstudio", "check")
# A budget writes no buffers and compares no second build.
_NOT_FOR_BUDGETS = {"save", "compare_options"} | {option.name for option in fields(ModuleOptions)}
LAUNCH_OPTIONS = {
    words[0].flags[0].removeprefix("--").replace("-", "_"): (option.name, words[0])
    for option, words in RunOptions.words()
    if option.name not in _NOT_FOR_BUDGETS
}
"""The keys of a ``launch`` table: flags of `jitstudio run`, each with its field and its word."""
BUILD_KEYS = ("target", "option", "link", "libdevice", "compiler", "name_expression")
"""The keys of the ``build`` table of a file."""
LaunchValues: TypeAlias = tuple[tuple[str, Any], ...]
"""The fields of `RunOptions` that a ``launch`` table sets, with their values, unchecked."""


class BudgetError(ValueError):
    """A file of budgets cannot be used; the message says where, and names the remedy."""


@dataclass(frozen=True)
class Budget:
    """Conditions that some kernels have to meet.

    Attributes:
        name: The title in reports.
        require: The conditions, each kept by each of the kernels.
        kernel: A pattern of lowered or C++ names, with ``*`` and ``?``.
        sources: The modules, if it is no project.
        project: The project file.
        target: The targets it is built for, one after the other; empty for the usual one.
        option: Options for the compilers.
        name_expression: Instances of templates that are made.
        header: In-memory headers, each ``NAME=PATH``.
        library: LLVM IR of which only what is called is taken.
        link: ``ptx`` or ``lto`` to link all modules; empty not to, or as the project says.
        compiler: ``nvrtc`` or ``nvcc``; empty for the usual one.
        libdevice: Whether libNVVM takes functions from libdevice.
        launch: The keys of its launch with their values; None where nothing is launched.
        only_with_gpu: Whether it is left out where no GPU here runs the code.
        is_built_so: Whether nothing but this says how it is built: no project, and no comment of a
            source. It follows from the ``build`` table of the file.
    """

    name: str
    require: tuple[Condition, ...]
    kernel: str = "*"
    sources: tuple[str, ...] = ()
    project: str = ""
    target: tuple[str, ...] = ()
    option: tuple[str, ...] = ()
    name_expression: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    link: str = ""
    compiler: str = ""
    libdevice: bool = False
    launch: LaunchValues | None = None
    only_with_gpu: bool = False
    is_built_so: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        """The modules, or the project."""
        return self.sources or (self.project,)


@dataclass(frozen=True)
class BudgetFile:
    """A file of budgets.

    Attributes:
        path: Where it is.
        budgets: In its order.
        base: The folder where its paths begin, if that is not its own.
    """

    path: Path
    budgets: tuple[Budget, ...]
    base: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder where paths of the file begin."""
        return self.base or self.path.parent


def read_budgets(path: Path) -> BudgetFile:
    """Returns the budgets of a file.

    Raises:
        BudgetError: It cannot be read or has a mistake.
    """
    try:
        content = read_file(path, LARGEST)
    except OSError as error:
        raise BudgetError(f"'{path}' cannot be read: {error.strerror}.") from None
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise BudgetError(f"'{path}' is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise BudgetError(f"'{path}' is not TOML: {error}.") from None
    # tomllib reads an array in an array by a call in a call.
    except RecursionError:
        raise BudgetError(f"'{path}' has brackets within brackets without end.") from None
    try:
        return BudgetFile(path, tuple(_budgets(_own_part(table))))
    except (BudgetError, ConditionError) as error:
        raise BudgetError(f"'{path}': {error}") from None


def has_budgets(path: Path) -> bool:
    """Returns whether a ``pyproject.toml`` has a table of budgets."""
    try:
        table = tomllib.loads(read_file(path, LARGEST).decode("utf-8"))
        return _own_part(table) is not table
    # Neither UTF-8 nor TOML: both errors are a ValueError. `read_budgets` says which.
    except (OSError, ValueError, RecursionError):
        return False


def _own_part(table: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a ``pyproject.toml`` that is about budgets; other files as they are."""
    part: Any = table
    for name in _TABLE:
        part = part.get(name) if isinstance(part, dict) else None
    return part if isinstance(part, dict) else table


def budget_from(row: Mapping[str, Any], build: Mapping[str, Any] | None = None) -> Budget:
    """Returns a budget from the keys and values of a table.

    Args:
        row: The table.
        build: The ``build`` table of the file, whose keys count where the budget has them not.

    Raises:
        BudgetError, ConditionError: It has a mistake.
    """
    known = {option.name: option for option in fields(Budget) if option.name != "is_built_so"}
    values: dict[str, Any] = {}
    for key, value in {**(build or {}), **row}.items():
        if key == "source":
            # `source` is one text, and stands before those of `sources`.
            values["sources"] = (_text(key, value), *values.get("sources", ()))
        elif key not in known:
            raise BudgetError(f"there is no key '{key}'.{did_you_mean(key, ('source', *known))}")
        elif key == "require":
            values[key] = tuple(map(parse, _texts(key, value, MOST_CONDITIONS)))
        elif key == "launch":
            values[key] = _launch(value)
        # The default of a field tells its type: a truth, a list of texts, else a text.
        elif known[key].default is False:
            values[key] = _truth(key, value)
        elif known[key].default == ():
            values[key] = (*values.get(key, ()), *_texts(key, value, _LONGEST_LIST))
        else:
            values[key] = _text(key, value)
    if bool(values.get("sources")) == bool(values.get("project")):
        raise BudgetError("it needs 'source', 'sources' or 'project', and only one of them.")
    if not values.get("require"):
        raise BudgetError('it asks for nothing. Write require = ["registers <= 64"].')
    if (link := values.get("link", "")) and link not in _LINKS:
        raise BudgetError(f'link = "{link}" is not known: it is one of {", ".join(_LINKS)}.')
    if "launch" not in values and (
        need := [condition for condition in values["require"] if condition.needs_launch]
    ):
        raise BudgetError(f"'{need[0].text}' is about a launch: add launch = {{...}}.")
    if "kernel" not in values and (launched := row.get("launch", {}).get("kernel")):
        # A launch names a kernel in short: `saxpy` for `saxpy(float, float *)`.
        values["kernel"] = f"*{launched}*"
    values.setdefault("name", ", ".join(values.get("sources") or [values["project"]]))
    return Budget(**values, is_built_so=build is not None)


def _budgets(table: dict[str, Any]) -> Iterator[Budget]:
    for key in table:
        if key not in ("budget", "build"):
            kinds = " Budgets are tables [[budget]]; [build] is what they share."
            hint = did_you_mean(key, ["budget", "build"]) or kinds
            raise BudgetError(f"there is no key '{key}'.{hint}")
    build = table.get("build")
    if not isinstance(build, dict | None):
        raise BudgetError("'build' is a table: write [build], and target = \"sm_90\" below it.")
    for key in build or ():
        if key not in BUILD_KEYS:
            raise BudgetError(f"build has no key '{key}'.{did_you_mean(key, BUILD_KEYS)}")
    rows = table.get("budget", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BudgetError("'budget' is a list of tables: write [[budget]] in double brackets.")
    if not rows:
        raise BudgetError("there is no budget in it. Begin one with [[budget]].")
    if len(rows) > MOST_BUDGETS:
        raise BudgetError(f"it has more than {MOST_BUDGETS:,} budgets. Use several files.")
    for number, row in enumerate(rows, 1):
        name = row.get("name", "")
        where = f"budget {number}" + (f" ('{name}')" if name else "")
        try:
            yield budget_from(row, build)
        except (BudgetError, ConditionError) as error:
            raise BudgetError(f"{where}: {error}") from None


def _launch(value: Any) -> LaunchValues:
    if not isinstance(value, dict):
        raise BudgetError('\'launch\' is a table, such as { cover = "n", arg = { n = "1000" } }.')
    entries: list[tuple[str, Any]] = []
    for key, entry in value.items():
        if key not in LAUNCH_OPTIONS:
            raise BudgetError(f"launch has no key '{key}'.{did_you_mean(key, LAUNCH_OPTIONS)}")
        name, word = LAUNCH_OPTIONS[key]
        entries.append((name, _launch_value(key, name, word, entry)))
    if sum(len(words) if isinstance(words, tuple) else 1 for _, words in entries) > _LONGEST_LIST:
        raise BudgetError(f"'launch' has more than {_LONGEST_LIST} entries.")
    return tuple(entries)


def _launch_value(key: str, name: str, word: CommandWord, entry: Any) -> Any:
    """Returns the value of a field of `RunOptions`, for its check to judge."""
    if key in ("arg", "set"):
        if not isinstance(entry, dict):
            raise BudgetError(f"'{key}' is a table of names and texts: {{ n = \"1000\" }}.")
        return tuple((variable, _word(key, text)) for variable, text in entry.items())
    # Asked before numbers, as True is an int in Python.
    if isinstance(entry, bool):
        if word.const is None:
            return entry
        # False undoes a value of the project's launch.
        plain = not word.const if word.kind.is_flag else getattr(LaunchSpec(), name)
        return word.const if entry else plain
    if isinstance(entry, list):
        words = tuple(_word(key, element) for element in entry)
        # `grid = [4, 2]` is --grid 4,2, but each text of `expect` is an --expect of its own.
        if key == "expect":
            return words
        entry = ",".join(words)
    text = _word(key, entry)
    return word.kind.read(text) if word.kind.read else text


def _word(key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BudgetError(f"'{key}' is a text or a number.")
    return str(value)


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise BudgetError(f"'{key}' is a text between quotation marks.")
    return value


def _texts(key: str, value: Any, most: int) -> tuple[str, ...]:
    """Returns a list of texts; a text alone is a list by itself."""
    texts = value if isinstance(value, list) else [value]
    if len(texts) > most:
        raise BudgetError(f"'{key}' has more than {most} entries.")
    return tuple(_text(key, text) for text in texts)


def _truth(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BudgetError(f"'{key}' is true or false.")
    return value
