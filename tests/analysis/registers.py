"""The names of registers, by the numbers that `analysis.sass.operands` gives them."""

from jitstudio.analysis.sass.operands import register_number

_KINDS = {"R": 255, "UR": 255, "P": 7, "UP": 7, "B": 16}
_NAMES = {
    register_number(f"{kind}{n}"): f"{kind}{n}"
    for kind, size in _KINDS.items()
    for n in range(size)
}


def register_name(number):
    return _NAMES[number]
