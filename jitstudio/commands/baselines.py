"""Baselines: the cubins that budgets are compared with, as `jitstudio check --update` writes them.

A budget names them, which anybody may have written: none replaces a file that is no baseline.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from jitstudio.command_options.values import UsageError
from jitstudio.commands.files import write_named
from jitstudio.commands.machine_code import Unit
from jitstudio.core.cubin import bare_cubin, cubin_target
from jitstudio.core.plain_files import read_file

_TARGET, _MODULE = "{target}", "{module}"


class BudgetBaseline(NamedTuple):
    """A cubin that is to be a baseline.

    Attributes:
        path: Where it is to lie.
        name: Its name in the condition.
        content: The cubin.
        builder: Words for the build.
    """

    path: Path
    name: str
    content: bytes
    builder: str


class BudgetBaselines:
    """The baselines of the budgets of a call: all are known before the first is written."""

    def __init__(self) -> None:
        self._builders: dict[str, dict[bytes, str]] = {}
        self._inputs: set[str] = set()

    def expect(self, baselines: Iterable[BudgetBaseline], inputs: Iterable[str | Path]) -> None:
        """Takes note of baselines, and of files that are read and may not be replaced."""
        self._inputs.update(map(os.path.realpath, inputs))
        for baseline in baselines:
            builders = self._builders.setdefault(os.path.realpath(baseline.path), {})
            builders.setdefault(baseline.content, baseline.builder)

    def write(self, baselines: Sequence[BudgetBaseline]) -> tuple[str, ...]:
        """Writes the baselines of a budget, and returns their paths.

        Raises:
            UsageError: Another build has one of them as well, or it would replace a file that is no
                baseline: none of the budget is written; or one cannot be written.
        """
        self.expect(baselines, ())
        for baseline in baselines:
            self._check(baseline)
        contents = {baseline.path: baseline.content for baseline in baselines}
        for path, content in contents.items():
            write_named(path, content, "equal_to")
        return tuple(map(str, contents))

    def _check(self, baseline: BudgetBaseline) -> None:
        path = baseline.path
        real = os.path.realpath(path)
        # The second build would replace the baseline of the first, which then differs.
        first, *others = self._builders[real].values()
        if others:
            raise UsageError(
                f"'{path}' would be the baseline of {first} and of {others[0]}. "
                + _advice(baseline.name)
            )
        if real in self._inputs:
            raise UsageError(
                f"'{path}' is read by a budget and would be replaced by a baseline. {_OTHER_NAME}"
            )
        try:
            is_cubin = cubin_target(bare_cubin(read_file(path))) is not None
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"'{path}' cannot be replaced: {error.strerror}.") from None
        if not is_cubin:
            raise UsageError(
                f"'{path}' is not a cubin and would be replaced by a baseline. Remove it, or name "
                'the baseline otherwise: equal_to("NAME.cubin").'
            )


_OTHER_NAME = 'Give the baseline another name: equal_to("base-{module}-{target}.cubin").'


def _advice(name: str) -> str:
    """Returns the remedy where several builds have the baseline of this name."""
    missing = [word for word in (_MODULE, _TARGET) if word not in name]
    if not missing:
        return "Use another name for each budget."
    stem, ending = os.path.splitext(name)
    better = "-".join([stem, *missing]) + ending
    return (
        f"Use another name for each budget, and {' or '.join(missing)} in a name if a budget "
        f'has several: equal_to("{better}").'
    )


def baseline_name(name: str, unit: Unit) -> str:
    """Returns the name of the baseline of a unit, from the name in a condition."""
    # A module in a folder, such as src/a.cu, has its baseline beside the others: src%2Fa.cu. With
    # `_`, a/b_c.cu and a_b/c.cu would share theirs.
    module = unit.name.replace("%", "%25").replace("/", "%2F")
    return name.replace(_TARGET, unit.code.target).replace(_MODULE, module)
