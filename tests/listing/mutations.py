"""Texts that are broken in ways nobody thought of."""

import random

_STRAY = [*'{};:/*"\n', "/*", "*/", "//"]


def mutated(text: str, chance: random.Random) -> str:
    """A text with some characters and lines missing, doubled, put elsewhere or too many."""
    for _ in range(chance.randint(1, 6)):
        at, other = chance.randrange(len(text)), chance.randrange(len(text))
        end = at + chance.choice([1, 1, 1, 5, 60, 300])
        changed = chance.choice(
            [
                text[:at] + text[end:],
                text[:end] + text[at:],
                text[:at],
                text[:at] + chance.choice(_STRAY) + text[at:],
                text[:at] + text[other : other + 40] + text[at:],
            ]
        )
        text = changed or text
    return text
