"""`jitstudio explain`: the meaning of a word, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from jitstudio.cli.help import lines_width, page_lines
from jitstudio.cli.text_explain import meanings_text
from jitstudio.command_options.other import ExplainOptions
from jitstudio.commands import exit_codes
from jitstudio.help.explaining import WordExplanation, explanations_of, findings_of, nearest_word
from jitstudio.help.manual import ManualPage
from jitstudio.help.topics import find_topic, find_word, subject_of
from jitstudio.system.terminal import print_error, say

_LISTS = "'jitstudio help' lists all GPU words, 'jitstudio options' the options of the tools."


def run(options: ExplainOptions) -> int:
    """Prints all meanings of a word; the exit status is `USAGE` for an unknown one."""
    text, width = " ".join(options.text), lines_width()
    # Of "what is a spill" the last word is in the table.
    for asked in dict.fromkeys((text, subject_of(text))):
        meanings, findings, word = explanations_of(asked), findings_of(asked), find_word(asked)
        if meanings or findings or word:
            break
    blocks = (
        meanings_text(meanings, width),
        "\n".join(page_lines(word, width)) if word else "",
        meanings_text(findings, width),
    )
    is_known = any(blocks)
    near = "" if is_known else nearest_word(text)
    if options.json:
        say(json.dumps(_object(text, [*meanings, *findings], word, near), indent=2))
    elif is_known:
        say("\n\n".join(filter(None, blocks)))
    if not is_known:
        page = find_topic(text)
        hint = f"'jitstudio help {page.name}' prints '{page.title}'." if page else _LISTS
        if near and not page:
            hint = f"Did you mean '{near}'? {hint}"
        print_error(f"jitstudio: '{text}' is neither a word of code nor a GPU word. {hint}")
    return exit_codes.BUILT if is_known else exit_codes.USAGE


def _object(
    text: str, meanings: Iterable[WordExplanation], word: ManualPage | None, near: str
) -> dict[str, Any]:
    """Returns the answer as JSON."""
    return {
        "word": text,
        "meanings": [_meaning(meaning) for meaning in meanings],
        "topic": _topic(word) if word else None,
        "nearest": near or None,
    }


def _topic(word: ManualPage) -> dict[str, Any]:
    return {
        "name": word.name,
        "title": word.title,
        "text": word.text.partition("\n")[2].strip(),
        "synonyms": list(word.synonyms),
    }


def _meaning(meaning: WordExplanation) -> dict[str, Any]:
    return {
        "kind": meaning.kind,
        "title": meaning.title,
        "text": meaning.text,
        "operands": [{"name": name, "text": text} for name, text in meaning.operands],
        "modifiers": [{"name": name, "text": text} for name, text in meaning.modifiers],
        "since": meaning.since or None,
    }
