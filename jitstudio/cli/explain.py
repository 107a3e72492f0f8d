"""`jitstudio explain`: the meaning of a word, as text."""

from __future__ import annotations

from jitstudio.cli.help import lines_width, page_lines
from jitstudio.cli.text_explain import meanings_text
from jitstudio.command_options.other import ExplainOptions
from jitstudio.commands import exit_codes
from jitstudio.help.explaining import explanations_of, findings_of, nearest_word
from jitstudio.help.topics import find_word
from jitstudio.system.terminal import print_error, say


def run(options: ExplainOptions) -> int:
    """Prints all meanings of a word; the exit status is `USAGE` for an unknown one."""
    text, width = " ".join(options.text), lines_width()
    word = find_word(text)
    blocks = (
        meanings_text(explanations_of(text), width),
        "\n".join(page_lines(word, width)) if word else "",
        meanings_text(findings_of(text), width),
    )
    if any(blocks):
        say("\n\n".join(filter(None, blocks)))
        return exit_codes.BUILT
    near = nearest_word(text)
    hint = f" Did you mean '{near}'?" if near else ""
    print_error(
        f"jitstudio: nothing is known about '{text}'.{hint} 'jitstudio help' lists all GPU words, "
        "'jitstudio options' the options of the tools."
    )
    return exit_codes.USAGE
