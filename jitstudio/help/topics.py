"""The topics of the help, and the search: pages with sections, tables, and GPU words.

The glossary is the page ``words.md``: a heading of the third level for each word, its synonyms in a
comment below it.

To add a word: its entry in `resources/help/words.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, product

from jitstudio.help.manual import (
    INDEX,
    ManualPage,
    anchor_of,
    page_from,
    pages,
    source_of,
    tables,
    topic_of_name,
)
from jitstudio.help.tables import TABLES

GLOSSARY = "words"
"""The page with the words."""
_PANES = "window"
_OTHER_NAMES = {
    # Panes whose name is not their title.
    "names": "window#lowered-names",
    "times": "window#compile-time",
    "options": "building#options",
    "search": "window#find-in-all",
    "tileir": "window#tile-ir",
    "cache": "files#the-cache",
    # Pages of earlier versions.
    "caches": "binaries#caches-of-python-packages",
    "capture": "python#a-program-that-runs",
    "captured": "python#the-tab-of-a-captured-kernel",
    "command-line": "terminal",
    "exports": "share",
    "figures": "window#key-figures",
    "json-code": "json-inspect",
    "json-launch": "json-run",
    "lexers": "terminal#syntax-highlighting",
    "library": "binaries",
    "matching": "window#lines-that-match",
    "mcp": "terminal#language-models",
    "opened": "binaries#open-a-cubin-or-fatbin",
    "panes": "window#panes-and-layouts",
    "project-format": "files#the-text-of-a-project",
    "projects": "files#projects",
    "scripts": "python#python-files",
    "toolchains": "building#other-versions-of-the-compilers",
    "trust": "files#opening-what-others-wrote",
    "welcome": "window#welcome-page",
}
"""Topics by names that are those of no page and no section."""

_ENTRY = re.compile(r"^### ", re.M)
_NEXT_GROUP = re.compile(r"^## ", re.M)
_HEADING = re.compile(r"^##+ (.*)$", re.M)
_BETWEEN_WORDS = re.compile(r"\s+|(?<=[^\W_])[_-](?=[^\W_])")
_PLURALS = (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", ""))
_SHORTEST_PLURAL = 4
_BY_TITLE = 2
"""The last rank of fits by the title."""
_ENDS = "?!.,;:'\""
# Words of a question that say nothing about its topic.
_FILLERS = frozenset(
    (
        *("a", "an", "and", "are", "at", "be", "can", "could", "did", "do", "does", "find", "for"),
        *("from", "get", "had", "has", "have", "how", "i", "if", "in", "is", "it", "its", "know"),
        *("many", "me", "mean", "means", "much", "my", "of", "on", "one", "or", "our", "see"),
        *("should", "so", "tell", "that", "the", "their", "them", "there", "these", "this", "to"),
        *("was", "what", "when", "where", "which", "who", "why", "will", "with", "you", "your"),
    )
)


@cache
def glossary() -> dict[str, ManualPage]:
    """Returns the words of the glossary by name, such as ``bank-conflict``."""
    entries = (
        page_from(_name(part), f"# {_NEXT_GROUP.split(part)[0].rstrip()}\n")
        for part in _ENTRY.split(source_of(GLOSSARY))[1:]
    )
    return {entry.name: entry for entry in entries}


def find_word(text: str) -> ManualPage | None:
    """Returns the word of the glossary by title or by synonym, in singular or plural."""
    return _named(glossary().values(), text) or _with_synonym(glossary().values(), text)


def subject_of(question: str) -> str:
    """Returns the words of a question that name its subject, spelt as they are."""
    words = (word.strip(_ENDS) for word in question.split())
    return " ".join(word for word in words if word.casefold() not in _FILLERS)


def find_topic(text: str) -> ManualPage | None:
    """Returns the page, section or word of a name, a title or a synonym, or None.

    The sections about panes come before words, as F1 asks for them; other sections come last.
    """
    wanted, anchor = text.casefold(), anchor_of(text)
    titles = {page.title.casefold(): page.name for page in pages().values()}
    titles |= {table.title.casefold(): name for name, table in TABLES.items()}
    for name in (wanted, titles.get(wanted), _OTHER_NAMES.get(wanted), f"{_PANES}#{anchor}"):
        if name and (topic := topic_of_name(name)) is not None:
            return topic
    phrases = dict.fromkeys((text, " ".join(_words(text))))
    ways = product(phrases, (_named, _with_synonym), (glossary(), pages()))
    topics = (find(group.values(), phrase) for phrase, find, group in ways)
    sections = (section for section in _sections() if section.anchor == anchor)
    return next(chain(filter(None, topics), sections), None)


def similar_topics(topic: str, *more: str) -> list[str]:
    """Returns the names of topics, and of `more`, spelt most like a text, the closest first."""
    titles = {topic.title.casefold(): topic.name for topic in (*_sections(), *_all())}
    names = titles | {name: name for name in (*glossary(), *pages(), *TABLES, *more)}
    # Few look for a topic that is not there.
    from difflib import get_close_matches  # noqa: PLC0415

    matches = get_close_matches(topic.casefold(), names, n=3, cutoff=0.6)
    return list(dict.fromkeys(names[name] for name in matches))


def search(text: str) -> list[ManualPage]:
    """Returns the topics with the words of a text, the best first.

    Best is a topic of that title, then one of that synonym, then those with the words in title,
    synonyms and headings, then those with most of them in title and synonyms, then those with the
    words in their text, pages before tables. Words such as "how" and "what" do not count. Sections,
    and the page of the glossary, are topics by their titles only. A text without words fits none.
    """
    words = _words(text)
    if not words:
        return []
    topics = map(_Indexed.of, (*_all(), *_sections(), *tables().values()))
    fits = [(fit, topic.page) for topic in topics if (fit := topic.fit(words)) is not None]
    fits = [(fit, page) for fit, page in fits if fit[0] <= _BY_TITLE or not _is_in_parts(page)]
    # Python keeps the order of equals: words before pages.
    return [page for _, page in sorted(fits, key=_rank)]


def _rank(match: tuple[tuple[int, int], ManualPage]) -> tuple[bool, tuple[int, int]]:
    """Returns the key of a match for sorting: long tables have many words of other topics."""
    fit, page = match
    return page.name in TABLES and fit[0] > _BY_TITLE, fit


class _Indexed:
    """A topic, ready to be searched."""

    def __init__(self, page: ManualPage) -> None:
        self.page = page
        self._names = {_key(page.title), _key(page.name)}
        self._synonyms = [_key(synonym) for synonym in page.synonyms]
        self._title = _key(page.title).split()
        self._headings = _key(" ".join(_HEADING.findall(page.text))).split()

    @staticmethod
    @cache
    def of(page: ManualPage) -> _Indexed:
        """Returns the index of a topic, made once."""
        return _Indexed(page)

    def fit(self, words: Sequence[str]) -> tuple[int, int] | None:
        """Returns how far the topic is from the best fit; None if words are missing."""
        stems = [_stem(word) for word in words]
        phrase = " ".join(stems)
        if phrase in self._names:
            return 0, 0
        if phrase in self._synonyms:
            return 1, 0
        if _has_all(self._title, stems):
            return 2, len(self._title)
        lengths = [len(s.split()) for s in self._synonyms if _has_all(s.split(), stems)]
        if lengths:
            return 3, min(lengths)
        named = [*self._title, *chain(*map(str.split, self._synonyms))]
        if _has_all([*named, *self._headings], stems):
            return 4, 0
        count = sum(_has_all(named, [stem]) for stem in stems)
        if 2 * count > len(stems) > 2:
            return 5, -count
        counts = [self.page.folded.count(word) for word in words]
        return (6, -sum(counts)) if all(counts) else None


def _is_in_parts(page: ManualPage) -> bool:
    """Returns whether others have the text: a section's page, and the words of the glossary."""
    return bool(page.anchor) or page.name == GLOSSARY


def _all() -> Iterator[ManualPage]:
    return chain(glossary().values(), pages().values())


def _sections() -> Iterator[ManualPage]:
    pages_of_text = (page for page in pages().values() if page.name != INDEX)
    return chain.from_iterable(page.sections.values() for page in pages_of_text)


def _named(topics: Iterable[ManualPage], text: str) -> ManualPage | None:
    key = _key(text)
    return next((page for page in topics if key in (_key(page.name), _key(page.title))), None)


def _with_synonym(topics: Iterable[ManualPage], text: str) -> ManualPage | None:
    key = _key(text)
    return next((page for page in topics if key in map(_key, page.synonyms)), None)


def _name(entry: str) -> str:
    """Returns the name of an entry: the title in small letters, with hyphens."""
    return entry.partition("\n")[0].casefold().replace(" ", "-")


def _words(text: str) -> list[str]:
    """Returns the words of a question that name the subject; all, if there are no others."""
    words = [word.strip(_ENDS) for word in _BETWEEN_WORDS.split(text.casefold())]
    words = [word for word in words if word]
    return [word for word in words if word not in _FILLERS] or words


def _key(text: str) -> str:
    """Returns the words of a name in small letters and the singular."""
    return " ".join(_stem(word) for word in _BETWEEN_WORDS.split(text.casefold()) if word)


def _stem(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or word.endswith("ss"):
        return word
    for ending, singular in _PLURALS:
        if word.endswith(ending):
            return word.removesuffix(ending) + singular
    return word


def _has_all(words: Sequence[str], stems: Iterable[str]) -> bool:
    """Returns whether each of the stems begins any of the words."""
    return all(any(word.startswith(stem) for word in words) for stem in stems)
