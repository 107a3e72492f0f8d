"""The options as typed, seen as values of the rows of the table. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence

from jitstudio.core.options import (
    Given,
    Kind,
    OptionSpec,
    join_options,
    read,
    refusal,
    split_options,
)

Values = tuple[str | None, ...]
"""The values that an option was given: none where it was not given, None where it takes none."""

_TRUTH = {"1": "true", "0": "false", "true": "true", "false": "false"}


class OptionValues:
    """A text of options that can also be changed row by row.

    A change of one row leaves the words of all others as they were typed. Options that no row can
    show (unknown ones, those sent to one of several tools, those with a value that makes no
    sense) are the `other` ones, and are kept as well.
    """

    def __init__(self, text: str = "") -> None:
        self._text = ""
        self._problem = ""
        self._given: tuple[Given, ...] = ()
        self.set_text(text)

    @property
    def text(self) -> str:
        """The options, just as they were typed as long as no row was changed."""
        return self._text

    @property
    def problem(self) -> str:
        """Why the text cannot be read, in words; empty if it can."""
        return self._problem

    @property
    def warning(self) -> str:
        """Why these options will be refused, in words; empty if they will not."""
        return refusal(self._words(self._given))

    @property
    def other(self) -> str:
        """The options that no row shows."""
        return join_options(self._words([g for g in self._given if _row_of(g) is None]))

    def set_text(self, text: str) -> None:
        """Read a text; one that cannot be read leaves the values as they were."""
        self._text = text
        try:
            self._given = read(split_options(text))
            self._problem = ""
        except ValueError as error:
            self._problem = str(error)

    def values(self, spec: OptionSpec) -> Values:
        """What a row was given; an option that is not repeated has the last."""
        values = tuple(_plain(g) for g in self._given if _row_of(g) is spec)
        return values if spec.repeated else values[-1:]

    def set_values(self, spec: OptionSpec, values: Values) -> None:
        """Give a row these values instead of those it has."""
        words = [spec.written(value) for value in values]
        self._replace([_row_of(g) is spec for g in self._given], words)

    def set_other(self, text: str) -> None:
        """Replace the options that no row shows.

        Raises:
            ValueError: The text cannot be read; the message is fit for a person.
        """
        self._replace([_row_of(g) is None for g in self._given], split_options(text))

    def reset(self) -> None:
        """Take back all that rows were given; the other options stay."""
        self._replace([_row_of(g) is not None for g in self._given], ())

    def _replace(self, marked: Sequence[bool], words: Sequence[str]) -> None:
        """Put words where the first of the marked options stands, or at the end."""
        place = marked.index(True) if True in marked else len(marked)
        kept = [g for g, gone in zip(self._given, marked, strict=True) if not gone]
        before = self._words(kept[:place])
        self.set_text(join_options((*before, *words, *self._words(kept[place:]))))

    @staticmethod
    def _words(given: Sequence[Given]) -> list[str]:
        return [word for each in given for word in each.words]


def _row_of(given: Given) -> OptionSpec | None:
    """The row that shows an option as it was given, or None."""
    spec = given.spec
    if spec is None or spec.managed or (given.tool and len(spec.spellings) > 1):
        return None
    return spec if spec.accepts(given.value) else None


def _plain(given: Given) -> str | None:
    if given.spec and given.value and given.spec.value.kind is Kind.TRUTH:
        return _TRUTH[given.value]
    return given.value
