"""Which register, or web, of one function plays the part of which one of another function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

Uses = tuple[int, ...]
"""What an instruction reads and writes, in its order: registers, or their webs."""

# More than any function has votes.
_CERTAIN = 1 << 60


class Renaming:
    """One to one: no two registers of a function become the same one of the other.

    Where the functions differ each register goes with the one that it stands beside most often;
    where they are the same under any renaming, that is this one.

    Args:
        pairs: The uses of instructions that are the same but for names.
        fixed: Registers that keep their names.
    """

    def __init__(self, pairs: Iterable[tuple[Uses, Uses]], fixed: Iterable[int] = ()) -> None:
        votes: Counter[tuple[int, int]] = Counter()
        for left, right in pairs:
            votes.update(zip(left, right, strict=True))
        votes.update({(number, number): _CERTAIN for number in fixed})
        self._to_left: dict[int, int] = {}
        self._to_right: dict[int, int] = {}
        for (left_number, right_number), _ in votes.most_common():
            if left_number not in self._to_right and right_number not in self._to_left:
                self._to_right[left_number] = right_number
                self._to_left[right_number] = left_number

    def to_left(self, number: int) -> int | None:
        """The register of the first function; None where no one knows."""
        return self._to_left.get(number)

    def holds(self, left: Uses, right: Uses) -> bool:
        """Whether it makes the registers of one instruction those of the other.

        The instructions have to be the same but for names.
        """
        return all(
            self._to_right.get(number) == other for number, other in zip(left, right, strict=True)
        )
