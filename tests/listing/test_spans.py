"""Spans of a text: which of them an item shares bytes with."""

import random

from jitstudio.listing.cuda.outline import outline
from jitstudio.listing.cuda.spans import overlapping


def test_an_item_overlaps_the_spans_that_it_shares_bytes_with():
    text = b"int a;\nint bc = 3;int d;\nfloat e;"
    source = random.Random(5)
    for item in outline(text).items:
        own = set(range(item.start, item.end))
        for _ in range(300):
            places = sorted(source.sample(range(len(text) + 1), 4))
            spans = [(places[0], places[1]), (places[2], places[3])]
            # Spans that touch, too.
            spans += [(item.end, item.end + 1)] if places[3] <= item.end else []
            shared = [at for at, span in enumerate(spans) if own & set(range(*span))]
            assert overlapping(item, spans) == (shared[0] if shared else None), (item, spans)
