"""Which keys move the caret of a listing, and how."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QKeyEvent, QKeySequence

from jitstudio.gui.listing.caret import ListingCaret

_Move = Callable[[ListingCaret, int, bool], None]
_Key = QKeySequence.StandardKey

# The key that moves, the one that selects on the way, and what both do; `page` is in lines.
_MOVES: tuple[tuple[_Key, _Key, _Move], ...] = (
    (_Key.MoveToNextLine, _Key.SelectNextLine, lambda c, _, s: c.move_lines(1, s)),
    (_Key.MoveToPreviousLine, _Key.SelectPreviousLine, lambda c, _, s: c.move_lines(-1, s)),
    (_Key.MoveToNextChar, _Key.SelectNextChar, lambda c, _, s: c.move_columns(1, s)),
    (_Key.MoveToPreviousChar, _Key.SelectPreviousChar, lambda c, _, s: c.move_columns(-1, s)),
    (_Key.MoveToNextPage, _Key.SelectNextPage, lambda c, page, s: c.move_lines(page, s)),
    (_Key.MoveToPreviousPage, _Key.SelectPreviousPage, lambda c, page, s: c.move_lines(-page, s)),
    (_Key.MoveToNextWord, _Key.SelectNextWord, lambda c, _, s: c.move_word(True, s)),
    (_Key.MoveToPreviousWord, _Key.SelectPreviousWord, lambda c, _, s: c.move_word(False, s)),
    (_Key.MoveToStartOfLine, _Key.SelectStartOfLine, lambda c, _, s: c.move_home(s)),
    (_Key.MoveToEndOfLine, _Key.SelectEndOfLine, lambda c, _, s: c.move_end(s)),
    (_Key.MoveToStartOfDocument, _Key.SelectStartOfDocument, lambda c, _, s: c.move_top(s)),
    (_Key.MoveToEndOfDocument, _Key.SelectEndOfDocument, lambda c, _, s: c.move_bottom(s)),
    (_Key.SelectAll, _Key.SelectAll, lambda c, _page, _select: c.select_all()),
)


def move_of(event: QKeyEvent) -> tuple[_Move, bool] | None:
    """What a key does to the caret, and whether it selects on the way; None for other keys."""
    for moves, selects, move in _MOVES:
        if event.matches(moves):
            return move, False
        if event.matches(selects):
            return move, True
    return None
