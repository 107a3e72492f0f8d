"""The query and the result of a search for a definition."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from jitstudio.core.code import CodeKind
from jitstudio.core.options import read, split_options
from jitstudio.core.options.spec import OptionEffect
from jitstudio.system.paths import unpacked_headers


@dataclass(frozen=True)
class OpenText:
    """A text in a tab.

    Attributes:
        name: The name in builds.
        kind: The kind of text.
        raw: The text as Qt has it.
        folder: Where its file is; empty for none.
        is_header: Whether others include it by its name.
    """

    name: str
    kind: CodeKind
    raw: str
    folder: str = ""
    is_header: bool = False

    @property
    def text(self) -> str:
        """The text with the line ends of a file."""
        return self.raw.replace("\u2029", "\n")


@dataclass(frozen=True)
class DefinitionQuery:
    """The place of a name that is looked up.

    Attributes:
        text: The text.
        line, column: The place in it, from 0, the column in characters.
        others: The other tabs.
        options: The user's options, as typed.
        folder: That of the project; empty for none.
    """

    text: OpenText
    line: int
    column: int
    others: tuple[OpenText, ...]
    options: str
    folder: str

    @property
    def folders(self) -> Iterator[str]:
        """Yields the folders of included files, after the folder of the text."""
        try:
            options = read(split_options(self.options))
        except ValueError:
            options = ()
        for option in options:
            if option.spec and option.spec.effect is OptionEffect.READS and option.value:
                yield os.path.join(self.folder, option.value)
        yield self.folder
        yield from map(str, unpacked_headers())


@dataclass(frozen=True)
class DefinitionLocation:
    """A place to go to.

    Attributes:
        file: The name of a tab, or the path of a file that is in none.
        line, column: From 1, the column in characters.
        shown: The content of the line.
    """

    file: str
    line: int
    column: int
    shown: str = ""


@dataclass(frozen=True)
class DefinitionResult:
    """The result of a search for a definition.

    Attributes:
        spots: The definitions.
        message: The reason why there is none, or another message; empty for none.
    """

    spots: tuple[DefinitionLocation, ...] = ()
    message: str = ""
